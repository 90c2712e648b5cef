// SPDX-License-Identifier: GPL-2.0

//! The crate `crc`, with sixteen tables.

use crc::{Crc, Table, CRC_16_T10_DIF};

use crate::{
    case::{Algorithm, Case},
    implementation::{Implementation, Prepared, Refusal, Tag},
};

static CRC: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_T10_DIF);

/// The crate.
pub struct CrcCrate;

impl Implementation for CrcCrate {
    fn name(&self) -> &str {
        "crc crate"
    }

    fn prepare(&self, case: &Case, _: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
        match case.algorithm {
            Algorithm::CrcT10dif => Ok(Box::new(Checksum)),
            _ => Err(Refusal::Unknown),
        }
    }
}

struct Checksum;

impl Prepared for Checksum {
    fn process(&mut self, src: &[u8], _: &mut [u8], tag: &mut Tag) {
        tag[..2].copy_from_slice(&CRC.checksum(src).to_be_bytes());
    }
}
