// SPDX-License-Identifier: GPL-2.0

//! CRC-16/T10-DIF on x86-64: the way into `asm/x86/crct10dif.S`.

#[cfg(CONFIG_RFL_CRYPTO_CRCT10DIF_AVX512)]
use super::super::simd::VpclmulVbmi;
use super::super::simd::{Both, PclmulAvx, Simd, VpclmulAvx2};
use super::{scalar, update_byte, Tier};

/// What the routines take at least, and what the data before their vectors must not be one byte
/// longer than a multiple of: they add the CRC so far to the first two bytes of a block.
const BLOCK: usize = 16;

/// Declares a tier and its routine.
macro_rules! tier {
    ($(#[$doc:meta])* $tier:ident, $features:ty, $routine:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $tier {}

        impl Tier for $tier {
            type Features = $features;

            const MIN: usize = BLOCK;

            #[inline]
            fn update(_simd: Simd<'_, Self::Features>, crc: u16, data: &[u8]) -> u16 {
                extern "C" {
                    /// Returns the CRC of what has the CRC `crc` and `len` more bytes at `data`.
                    ///
                    /// # Safety
                    ///
                    /// - The CPU must have the features of the tier, and the vector registers must
                    ///   be the caller's to clobber.
                    /// - `len` bytes at `data` must be valid for reads.
                    /// - `len` must be 16 or more, and must not be one more than a multiple of 16.
                    fn $routine(crc: u16, data: *const u8, len: usize) -> u16;
                }

                let (crc, data) = match data {
                    [first, rest @ ..] if rest.len() % BLOCK == 0 => {
                        (update_byte(crc, *first), rest)
                    }
                    _ => (crc, data),
                };
                if data.len() < BLOCK {
                    return scalar::update(crc, data);
                }
                // SAFETY: `_simd` proves the first condition, the reference the second. The lengths
                // of the third were dealt with just now.
                unsafe { $routine(crc, data.as_ptr(), data.len()) }
            }
        }
    };
}

tier! {
    /// CRC by PCLMULQDQ in 128-bit vectors.
    Avx, PclmulAvx, rfl_crct10dif_avx
}
tier! {
    /// CRC by VPCLMULQDQ in 256-bit vectors, and few bytes in shorter ones.
    Avx2, Both<VpclmulAvx2, PclmulAvx>, rfl_crct10dif_avx2
}
#[cfg(CONFIG_RFL_CRYPTO_CRCT10DIF_AVX512)]
tier! {
    /// CRC by VPCLMULQDQ in 512-bit vectors, and few bytes in shorter ones.
    Avx512, Both<VpclmulVbmi, PclmulAvx>, rfl_crct10dif_avx512
}
