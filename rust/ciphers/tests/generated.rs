// SPDX-License-Identifier: GPL-2.0

//! Generated files are what their generators make.

use crate::support::Suite;

#[path = "../examples/camellia-consts/constants.rs"]
mod camellia_consts;
#[path = "../examples/aria-consts/constants.rs"]
mod constants;
#[path = "../examples/crct10dif-consts/constants.rs"]
mod crct10dif_consts;
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
    suite.add("generated::asm_x86_camellia_consts".to_owned(), || {
        let file = include_str!("../../../asm/x86/camellia-consts.S");
        assert_eq!(file, camellia_consts::text());
    });
    suite.add("generated::asm_x86_crct10dif_consts".to_owned(), || {
        let file = include_str!("../../../asm/x86/crct10dif-consts.S");
        assert_eq!(file, crct10dif_consts::text());
    });
}
