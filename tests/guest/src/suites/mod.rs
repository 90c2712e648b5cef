// SPDX-License-Identifier: GPL-2.0

//! The suites: one body per kind of algorithm, with the ciphers as parameters.

mod aria;
mod camellia;
mod reference;
pub mod skcipher;

use skcipher::Family;

/// The ciphers known, by name.
pub fn family(name: &str) -> Option<&'static Family> {
    const FAMILIES: &[Family] = &[aria::ARIA, camellia::CAMELLIA];
    FAMILIES.iter().find(|family| family.name == name)
}
