// SPDX-License-Identifier: GPL-2.0

//! Prints `asm/x86/aria-consts.S`, the constants of ARIA's assembly.

mod constants;

fn main() {
    print!("{}", constants::text());
}
