// SPDX-License-Identifier: GPL-2.0

//! Prints `asm/x86/crct10dif-consts.S`, the constants of the assembly of CRC-16/T10-DIF.

mod constants;

fn main() {
    print!("{}", constants::text());
}
