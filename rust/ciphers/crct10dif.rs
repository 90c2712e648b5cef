// SPDX-License-Identifier: GPL-2.0

//! CRC-16/T10-DIF, the guard of the data integrity field of SCSI (SBC-3, section 4.22.4).
//!
//! Bits go highest first, the initial value is zero, and nothing is added at the end: as polynomials
//! the CRC of a message M is M * x^16 mod P.

use super::simd::{Features, Simd};

#[cfg(all(target_arch = "x86_64", CONFIG_RFL_CRYPTO_CRCT10DIF_PCLMUL))]
pub mod x86;

/// P without its highest term, x^16.
pub const POLYNOMIAL: u16 = 0x8bb7;

/// Bytes that the scalar code takes at a time.
const SLICE: usize = 8;

/// The CRC of each byte with so many zero bytes behind it.
static TABLES: [[u16; 256]; SLICE] = {
    let mut tables = [[0; 256]; SLICE];
    let mut zeros = 0;
    while zeros < SLICE {
        let mut byte = 0;
        while byte < 256 {
            let mut crc = if zeros == 0 {
                (byte as u16) << 8
            } else {
                tables[zeros - 1][byte]
            };
            let mut bit = 0;
            while bit < 8 {
                crc = (crc << 1) ^ (POLYNOMIAL * (crc >> 15));
                bit += 1;
            }
            tables[zeros][byte] = crc;
            byte += 1;
        }
        zeros += 1;
    }
    tables
};

#[inline]
fn lookup(zeros: &[u16; 256], byte: u8) -> u16 {
    zeros[usize::from(byte)]
}

#[inline]
fn update_byte(crc: u16, byte: u8) -> u16 {
    let [high, low] = crc.to_be_bytes();
    u16::from(low) << 8 ^ lookup(&TABLES[0], high ^ byte)
}

/// A vector implementation for one set of CPU features.
pub trait Tier: 'static {
    /// What the CPU must have.
    type Features: Features;

    /// Fewest bytes for which it is faster than the scalar code.
    ///
    /// [`Self::update`] does less than that as well.
    const MIN: usize;

    /// Returns the CRC of a message whose first part has the CRC `crc`, and whose rest is `data`.
    fn update(simd: Simd<'_, Self::Features>, crc: u16, data: &[u8]) -> u16;
}

/// What the known answers are of: the beginnings of this.
pub static MESSAGE: [u8; 1100] = {
    let mut message = [0; 1100];
    let mut i = 0;
    while i < message.len() {
        message[i] = (i * 167 + i / 256) as u8;
        i += 1;
    }
    message
};

/// CRCs of so many bytes of [`MESSAGE`].
pub static KNOWN_ANSWERS: [(usize, u16); 19] = [
    (1, 0x0000),
    (15, 0x4ebe),
    (16, 0x21da),
    (17, 0xddf9),
    (31, 0xd548),
    (32, 0x5e10),
    (33, 0x1687),
    (63, 0x54d6),
    (64, 0xd88c),
    (65, 0x3770),
    (127, 0x44b9),
    (128, 0x0173),
    (255, 0x49c5),
    (256, 0x91cd),
    (257, 0xa37c),
    (511, 0x1748),
    (512, 0x468c),
    (1024, 0x1d96),
    (1100, 0xd2b1),
];

/// Returns whether an `update` gives the known answers, for each message at once and in two parts.
pub fn gives_known_answers(update: impl Fn(u16, &[u8]) -> u16) -> bool {
    KNOWN_ANSWERS.iter().all(|&(len, answer)| {
        let message = MESSAGE.get(..len).unwrap_or_default();
        let (first, second) = message.split_at_checked(len / 3).unwrap_or_default();
        update(0, message) == answer && update(update(0, first), second) == answer
    })
}

/// The CRC in scalar code, for contexts that may not use vector registers and for short data.
pub mod scalar {
    use super::{lookup, update_byte, SLICE, TABLES};

    /// Returns the CRC of a message whose first part has the CRC `crc`, and whose rest is `data`.
    pub fn update(crc: u16, data: &[u8]) -> u16 {
        let slices = data.chunks_exact(SLICE);
        let rest = slices.remainder();
        let crc = slices.fold(crc, |crc, slice| {
            let [high, low] = crc.to_be_bytes();
            let added = [high, low].into_iter().chain([0; SLICE - 2]);
            slice
                .iter()
                .zip(added)
                .zip(TABLES.iter().rev())
                .fold(0, |sum, ((byte, added), table)| {
                    sum ^ lookup(table, byte ^ added)
                })
        });
        rest.iter().fold(crc, |crc, byte| update_byte(crc, *byte))
    }
}
