// SPDX-License-Identifier: GPL-2.0

//! Names put together at compile time, so that none is typed twice.

use super::super::bindings;
use kernel::prelude::*;

const MAX: usize = bindings::CRYPTO_MAX_ALG_NAME as usize;

/// A name of an algorithm or a driver, with a NUL behind it.
pub struct Name([u8; MAX]);

impl Name {
    /// Joins `parts`. Does not compile if that is too long.
    #[inline]
    pub const fn new(parts: &[&str]) -> Self {
        let mut name = [0; MAX];
        let (mut len, mut part) = (0, 0);

        while part < parts.len() {
            let bytes = parts[part].as_bytes();
            let mut i = 0;
            while i < bytes.len() {
                name[len] = bytes[i];
                len += 1;
                i += 1;
            }
            part += 1;
        }
        assert!(len < MAX, "there must be room for the NUL");
        Self(name)
    }

    /// Returns the name as C has it.
    #[inline]
    pub const fn as_c_str(&self) -> &CStr {
        match CStr::from_bytes_until_nul(&self.0) {
            Ok(name) => name,
            Err(_) => panic!("a name has a NUL"),
        }
    }
}

/// Returns the `n`-th name of several lists.
#[inline]
const fn nth(lists: &[&[&'static CStr]], n: usize) -> Option<&'static CStr> {
    let (mut list, mut n) = (0, n);

    while list < lists.len() {
        if n < lists[list].len() {
            return Some(lists[list][n]);
        }
        n -= lists[list].len();
        list += 1;
    }
    None
}

#[inline]
const fn is_equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;

    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Writes a line for `.modinfo` for each name, once, and returns the length of all. What does not
/// fit is left out.
#[inline]
const fn write_aliases(lists: &[&[&'static CStr]], text: &mut [u8]) -> usize {
    let (mut len, mut n) = (0, 0);

    while let Some(name) = nth(lists, n) {
        let mut before = 0;
        while let Some(known) = nth(lists, before) {
            if before == n || is_equal(name.to_bytes(), known.to_bytes()) {
                break;
            }
            before += 1;
        }
        if before == n {
            let parts: [&[u8]; 2] = [b"alias=crypto-", name.to_bytes_with_nul()];
            let mut part = 0;
            while part < parts.len() {
                let mut i = 0;
                while i < parts[part].len() {
                    if len < text.len() {
                        text[len] = parts[part][i];
                    }
                    len += 1;
                    i += 1;
                }
                part += 1;
            }
        }
        n += 1;
    }
    len
}

/// Returns the length of [`aliases`] in bytes.
#[inline]
pub const fn aliases_len(lists: &[&[&'static CStr]]) -> usize {
    write_aliases(lists, &mut [])
}

/// Returns what `MODULE_ALIAS_CRYPTO()` makes of each name, for the section `.modinfo`.
#[inline]
pub const fn aliases<const N: usize>(lists: &[&[&'static CStr]]) -> [u8; N] {
    let mut text = [0; N];

    write_aliases(lists, &mut text);
    text
}
