// SPDX-License-Identifier: GPL-2.0

//! ARIA in 16 vector registers: the way into `asm/x86/aria-aesni.S` and `asm/x86/aria-gfni.S`.

use super::super::super::routines::{self, vector_code, Code, Routine, Routines, Schedules};
use super::super::super::simd;
use super::super::super::tier::{Block, BLOCK_SIZE};
use super::SlicedKey;
#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX)]
use super::{super::State, Form};

/// [`Form`] of code that adds round keys as they are, behind the diffusion.
#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX)]
#[derive(Clone, Copy, Debug)]
pub enum Plain {}

#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX)]
impl Form for Plain {
    fn layer(round_key: State, _round: usize, _rounds: usize) -> State {
        round_key
    }
}

vector_code! {
    CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX,
    /// ARIA in batches of 16 blocks, S-boxes by AES-NI.
    // One block takes the scalar code less time.
    AesniAvx = Aesni128: simd::AesniAvx, SlicedKey<super::Aesni>, routines::Slots128, min 2 * BLOCK_SIZE,
    rfl_aria_ecb_aesni_avx, rfl_aria_cbc_dec_aesni_avx, rfl_aria_ctr_aesni_avx,
    rfl_aria_xts_aesni_avx
}

vector_code! {
    CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX2,
    /// ARIA in batches of 32 blocks, S-boxes by AES-NI, all else in 256-bit vectors.
    AesniAvx2 = Aesni256: simd::AesniAvx2, SlicedKey<super::Aesni>, routines::Slots256, min 2 * BLOCK_SIZE,
    rfl_aria_ecb_aesni_avx2, rfl_aria_cbc_dec_aesni_avx2, rfl_aria_ctr_aesni_avx2,
    rfl_aria_xts_aesni_avx2
}

vector_code! {
    CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX2,
    /// ARIA in batches of 32 blocks, S-boxes by VAES.
    VaesAvx2 = Vaes256: simd::VaesAvx2, SlicedKey<super::Aesni>, routines::Slots256, min 2 * BLOCK_SIZE,
    rfl_aria_ecb_vaes_avx2, rfl_aria_cbc_dec_vaes_avx2, rfl_aria_ctr_vaes_avx2,
    rfl_aria_xts_vaes_avx2
}

vector_code! {
    CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX,
    /// ARIA in batches of 16 blocks, S-boxes by GFNI.
    GfniAvx = Gfni128: simd::GfniAvx, SlicedKey<Plain>, routines::Slots128, min BLOCK_SIZE,
    rfl_aria_ecb_gfni_avx, rfl_aria_cbc_dec_gfni_avx, rfl_aria_ctr_gfni_avx, rfl_aria_xts_gfni_avx
}

vector_code! {
    CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX2,
    /// ARIA in batches of 32 blocks, S-boxes by GFNI.
    GfniAvx2 = Gfni256: simd::GfniAvx2, SlicedKey<Plain>, routines::Slots256, min BLOCK_SIZE,
    rfl_aria_ecb_gfni_avx2, rfl_aria_cbc_dec_gfni_avx2, rfl_aria_ctr_gfni_avx2,
    rfl_aria_xts_gfni_avx2
}
