// SPDX-License-Identifier: GPL-2.0

//! Camellia in 16 vector registers: the way into `asm/x86/camellia-aesni.S` and
//! `asm/x86/camellia-gfni.S`.

use super::super::super::routines::{self, vector_code, Code, Routine, Routines, Schedules};
use super::super::super::simd;
use super::super::super::tier::{Block, BLOCK_SIZE};
use super::super::sliced::{self, SlicedKey};

/// Fewest blocks that a batch of the AES-NI code takes less time for than scalar code.
#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX)]
const FEW: usize = 4;

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX,
    /// Camellia in batches of 16 blocks, S-boxes by AES-NI.
    AesniAvx = Aesni128: simd::AesniAvx, SlicedKey<sliced::Aesni>, routines::Slots128, min FEW * BLOCK_SIZE,
    rfl_camellia_ecb_aesni_avx, rfl_camellia_cbc_dec_aesni_avx, rfl_camellia_ctr_aesni_avx,
    rfl_camellia_xts_aesni_avx
}

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX2,
    /// Camellia in batches of 32 blocks, S-boxes by AES-NI, all else in 256-bit vectors.
    AesniAvx2 = Aesni256: simd::AesniAvx2, SlicedKey<sliced::Aesni>, routines::Slots256, min FEW * BLOCK_SIZE,
    rfl_camellia_ecb_aesni_avx2, rfl_camellia_cbc_dec_aesni_avx2, rfl_camellia_ctr_aesni_avx2,
    rfl_camellia_xts_aesni_avx2
}

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX2,
    /// Camellia in batches of 32 blocks, S-boxes by VAES.
    VaesAvx2 = Vaes256: simd::VaesAvx2, SlicedKey<sliced::Aesni>, routines::Slots256, min FEW * BLOCK_SIZE,
    rfl_camellia_ecb_vaes_avx2, rfl_camellia_cbc_dec_vaes_avx2, rfl_camellia_ctr_vaes_avx2,
    rfl_camellia_xts_vaes_avx2
}

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2,
    /// Camellia in batches of 16 blocks, S-boxes by GFNI.
    // One block takes the scalar code less time.
    GfniAvx = Gfni128: simd::GfniAvx, SlicedKey<sliced::Gfni>, routines::Slots128, min 2 * BLOCK_SIZE,
    rfl_camellia_ecb_gfni_avx, rfl_camellia_cbc_dec_gfni_avx, rfl_camellia_ctr_gfni_avx,
    rfl_camellia_xts_gfni_avx
}

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2,
    /// Camellia in batches of 32 blocks, S-boxes by GFNI.
    GfniAvx2 = Gfni256: simd::GfniAvx2, SlicedKey<sliced::Gfni>, routines::Slots256, min 2 * BLOCK_SIZE,
    rfl_camellia_ecb_gfni_avx2, rfl_camellia_cbc_dec_gfni_avx2, rfl_camellia_ctr_gfni_avx2,
    rfl_camellia_xts_gfni_avx2
}
