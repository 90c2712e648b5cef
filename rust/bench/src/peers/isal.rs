// SPDX-License-Identifier: GPL-2.0

//! Intel's storage library, ISA-L.

use anyhow::Result;

use super::functions;
use crate::{
    case::{Algorithm, Case},
    implementation::{Implementation, Prepared, Refusal, Tag},
};

functions! {
    /// From `isa-l/crc.h`.
    struct Isal from "libisal.so.2" {
        crc = "crc16_t10dif": fn(u16, *const u8, u64) -> u16,
    }
}

struct Library(&'static Isal);

/// Loads the library.
pub fn load() -> Result<(Box<dyn Implementation>, Option<String>)> {
    Ok((
        Box::new(Library(Isal::load(super::open(Isal::LIBRARY)?)?)),
        None,
    ))
}

impl Implementation for Library {
    fn name(&self) -> &str {
        "isa-l"
    }

    fn prepare(&self, case: &Case, _: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
        match case.algorithm {
            Algorithm::CrcT10dif => Ok(Box::new(Crc(self.0))),
            _ => Err(Refusal::Unknown),
        }
    }
}

struct Crc(&'static Isal);

impl Prepared for Crc {
    fn process(&mut self, src: &[u8], _: &mut [u8], tag: &mut Tag) {
        // SAFETY: The buffer is as long as it says.
        let crc = unsafe { (self.0.crc)(0, src.as_ptr(), src.len() as u64) };
        tag[..2].copy_from_slice(&crc.to_be_bytes());
    }
}
