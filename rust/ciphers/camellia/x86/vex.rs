// SPDX-License-Identifier: GPL-2.0

//! Camellia in 16 vector registers: the way into `asm/x86/camellia-gfni.S`.

use super::super::super::routines::{self, vector_code, Code, Routine, Routines, Schedules};
use super::super::super::simd;
use super::super::super::tier::{Block, BLOCK_SIZE};
use super::super::sliced::SlicedKey;

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2,
    /// Camellia in batches of 16 blocks, S-boxes by GFNI.
    // One block takes the scalar code less time.
    GfniAvx = Gfni128: simd::GfniAvx, SlicedKey, routines::Slots128, min 2 * BLOCK_SIZE,
    rfl_camellia_ecb_gfni_avx, rfl_camellia_cbc_dec_gfni_avx, rfl_camellia_ctr_gfni_avx,
    rfl_camellia_xts_gfni_avx
}

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2,
    /// Camellia in batches of 32 blocks, S-boxes by GFNI.
    GfniAvx2 = Gfni256: simd::GfniAvx2, SlicedKey, routines::Slots256, min 2 * BLOCK_SIZE,
    rfl_camellia_ecb_gfni_avx2, rfl_camellia_cbc_dec_gfni_avx2, rfl_camellia_ctr_gfni_avx2,
    rfl_camellia_xts_gfni_avx2
}
