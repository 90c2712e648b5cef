// SPDX-License-Identifier: GPL-2.0

//! Prints `asm/x86/camellia-consts.S`, the constants of Camellia's vector code.

mod constants;

fn main() {
    print!("{}", constants::text());
}
