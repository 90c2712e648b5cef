// SPDX-License-Identifier: GPL-2.0

//! Generated files are what their generators make.

#[path = "../examples/aria-consts/constants.rs"]
mod aria_consts;

#[test]
fn asm_x86_aria_consts() {
    let file = include_str!("../../../asm/x86/aria-consts.S");
    assert_eq!(file, aria_consts::text());
}
