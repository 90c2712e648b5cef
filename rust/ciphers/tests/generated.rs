// SPDX-License-Identifier: GPL-2.0

//! Generated files are what their generators make.

use crate::support::Suite;

#[path = "../examples/aria-consts/constants.rs"]
mod constants;
#[path = "../examples/aria-consts/few.rs"]
mod few;

/// Adds the tests of this file.
pub fn add(suite: &mut Suite) {
    suite.add("generated::asm_x86_aria_consts".to_owned(), || {
        let file = include_str!("../../../asm/x86/aria-consts.S");
        assert_eq!(file, constants::text());
    });
    suite.add("generated::asm_x86_aria_few_consts".to_owned(), || {
        let file = include_str!("../../../asm/x86/aria-few-consts.S");
        assert_eq!(file, few::text());
    });
}
