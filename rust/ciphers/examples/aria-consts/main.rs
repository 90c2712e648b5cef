// SPDX-License-Identifier: GPL-2.0

//! Prints the constants of ARIA's assembly: `asm/x86/aria-consts.S`, or with the argument `few`
//! `asm/x86/aria-few-consts.S`.

mod constants;
mod few;

fn main() {
    let text = match std::env::args().nth(1).as_deref() {
        Some("few") => few::text(),
        _ => constants::text(),
    };
    print!("{text}");
}
