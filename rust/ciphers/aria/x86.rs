// SPDX-License-Identifier: GPL-2.0

//! ARIA on x86-64: the way into `asm/x86/aria.S`.

use core::mem::{offset_of, size_of, MaybeUninit};

use super::super::inout::InOut;
use super::super::simd::{self, Simd};
use super::super::tier::{Block, Tier};
use super::{Aria, Key, Schedule};

// asm/x86/aria.h has the same numbers.
const _: () = assert!(offset_of!(Schedule, extra_pairs) == 0);
const _: () = assert!(offset_of!(Schedule, round_keys) == 16);
const _: () = assert!(offset_of!(Schedule, sliced) == 288);
const _: () = assert!(size_of::<[u32; 16]>() == 64);
// The pairs of rounds before the last pair.
const _: () = assert!(Schedule::MIN_ROUNDS / 2 - 1 == 5);

// A key is part of every tfm.
const _: () = assert!(size_of::<Key>() <= 4096);

extern "C" {
    /// Encrypts or decrypts `batches` times 32 blocks at `src` to `dst`, each by itself.
    ///
    /// # Safety
    ///
    /// - The CPU must have the features of [`simd::AesniAvx2`], and the vector registers must be
    ///   the caller's to clobber.
    /// - `keys` and `src` must be valid for reads, `dst` and `scratch` for writes. `scratch` must
    ///   be aligned to 32 bytes.
    /// - `src` and `dst` must be equal or must not overlap, and nothing else may.
    fn rfl_aria_ecb_aesni_avx2(
        keys: *const Schedule,
        dst: *mut u8,
        src: *const u8,
        batches: usize,
        scratch: *mut AesniAvx2Scratch,
    );

    /// XORs the encryptions of `counter`, `counter + 1`, ... to `batches` times 32 blocks at `src`
    /// to `dst`, and advances the counter, 128 bits big-endian.
    ///
    /// # Safety
    ///
    /// As for [`rfl_aria_ecb_aesni_avx2`], and `counter` must be valid for reads and writes and
    /// overlap nothing.
    fn rfl_aria_ctr_aesni_avx2(
        keys: *const Schedule,
        dst: *mut u8,
        src: *const u8,
        batches: usize,
        scratch: *mut AesniAvx2Scratch,
        counter: *mut Block,
    );
}

/// Working storage of [`AesniAvx2`]: one vector for each byte of the state.
#[repr(C, align(32))]
pub struct AesniAvx2Scratch([[u8; 32]; 16]);

/// ARIA in batches of 32 blocks, S-boxes by AES-NI, all else in 256-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum AesniAvx2 {}

impl AesniAvx2 {
    fn ecb<'a>(
        _simd: Simd<'_, simd::AesniAvx2>,
        keys: &Schedule,
        scratch: &mut MaybeUninit<AesniAvx2Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let (run, rest) = data.split_units::<{ Self::BATCH }>();
        // SAFETY: `_simd` proves the first condition, the references and the invariants of `InOut`
        // the others: `run` has as many bytes as there are in that many batches.
        unsafe {
            rfl_aria_ecb_aesni_avx2(
                keys,
                run.dst(),
                run.src(),
                run.len() / Self::BATCH,
                scratch.as_mut_ptr(),
            )
        };
        rest
    }
}

impl Tier for AesniAvx2 {
    type Cipher = Aria;
    type Features = simd::AesniAvx2;
    type Scratch = AesniAvx2Scratch;

    const BATCH: usize = 32 * 16;

    fn ecb_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::ecb(simd, &key.encrypt, scratch, data)
    }

    fn ecb_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::ecb(simd, &key.decrypt, scratch, data)
    }

    fn ctr<'a>(
        _simd: Simd<'_, Self::Features>,
        key: &Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        counter: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let (run, rest) = data.split_units::<{ Self::BATCH }>();
        // SAFETY: As in `ecb`; the counter is borrowed exclusively.
        unsafe {
            rfl_aria_ctr_aesni_avx2(
                &key.encrypt,
                run.dst(),
                run.src(),
                run.len() / Self::BATCH,
                scratch.as_mut_ptr(),
                counter,
            )
        };
        rest
    }
}
