// SPDX-License-Identifier: GPL-2.0

//! GHASH on x86-64: the way into `asm/x86/ghash.S`.

use core::mem::offset_of;

use super::super::simd::{self, Simd};
use super::super::tier::Block;
use super::{Element, Key, Lanes, Tier, STEP};

// asm/x86/ghash.h has the same numbers.
const _: () = assert!(offset_of!(Key, powers) + size_of::<Element>() == 16);
const _: () = assert!(offset_of!(Key, folded) + size_of::<Element>() == 288);
const _: () = assert!(offset_of!(Lanes, powers) == 0);
const _: () = assert!(offset_of!(Lanes, folded) == 256);
const _: () = assert!(STEP * size_of::<Block>() == 256);
// A vector of the longest kind may begin at the last of the powers.
const _: () = assert!(offset_of!(Key, behind) + 64 == size_of::<Key>() + size_of::<Element>());

/// Declares a tier and its routine.
macro_rules! tier {
    ($(#[$doc:meta])* $tier:ident, $features:ident, $routine:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $tier {}

        impl Tier for $tier {
            type Features = simd::$features;

            fn update(
                _simd: Simd<'_, Self::Features>,
                key: &Key,
                acc: &mut Block,
                data: &[u8],
            ) {
                extern "C" {
                    /// Takes `len` bytes at `data` into `acc`, a final partial block filled up
                    /// with zeroes.
                    ///
                    /// # Safety
                    ///
                    /// - The CPU must have the features of the tier, and the vector registers must
                    ///   be the caller's to clobber.
                    /// - `key` and `len` bytes at `data` must be valid for reads, `acc` for reads
                    ///   and writes; `acc` must overlap neither.
                    fn $routine(key: *const Key, acc: *mut Block, data: *const u8, len: usize);
                }
                // SAFETY: `_simd` proves the first condition, the references the second.
                unsafe { $routine(key, acc, data.as_ptr(), data.len()) }
            }
        }
    };
}

tier! {
    /// GHASH by PCLMULQDQ in 128-bit vectors.
    Avx, PclmulAvx, rfl_ghash_avx
}
tier! {
    /// GHASH by VPCLMULQDQ in 256-bit vectors.
    Avx2, VpclmulAvx2, rfl_ghash_avx2
}
tier! {
    /// GHASH by VPCLMULQDQ in 512-bit vectors.
    Avx512, VpclmulAvx512, rfl_ghash_avx512
}
