// SPDX-License-Identifier: GPL-2.0

//! Camellia with GFNI and AVX-512, in registers alone: the way into
//! `asm/x86/camellia-gfni-avx512.S`.

use super::super::super::routines::{vector_code, Code, Routine, Routines, Schedules};
use super::super::super::simd;
use super::super::super::tier::{Block, BLOCK_SIZE};
use super::super::sliced::{Gfni, SlicedKey};

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512VL,
    /// Camellia in batches of 32 blocks, in 256-bit vectors of AVX-512VL.
    // One block takes the scalar code less time.
    GfniAvx512vl = Gfni256: simd::GfniAvx512, SlicedKey<Gfni>, (), min 2 * BLOCK_SIZE,
    rfl_camellia_ecb_gfni_avx512vl, rfl_camellia_cbc_dec_gfni_avx512vl,
    rfl_camellia_ctr_gfni_avx512vl, rfl_camellia_xts_gfni_avx512vl
}

vector_code! {
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512,
    /// Camellia in batches of 64 blocks, in 512-bit vectors, and for less in those of 256 bits.
    GfniAvx512 = Gfni512: simd::GfniAvx512, SlicedKey<Gfni>, (), min 2 * BLOCK_SIZE,
    rfl_camellia_ecb_gfni_avx512, rfl_camellia_cbc_dec_gfni_avx512, rfl_camellia_ctr_gfni_avx512,
    rfl_camellia_xts_gfni_avx512
}
