// SPDX-License-Identifier: GPL-2.0

//! ARIA with GFNI and AVX-512, in registers alone: the way into `asm/x86/aria-gfni-avx512.S`.

use super::super::super::routines::{vector_code, Code, Routine, Routines, Schedules};
use super::super::super::simd;
use super::super::super::tier::{Block, BLOCK_SIZE};
use super::super::State;
use super::{Form, SlicedKey};

/// [`Form`] of code that adds round keys to sums of the diffusion layer where it can.
///
/// Put the bytes that enter the diffusion on a grid as at `diffuse` in the scalar code. What results
/// at row `r` and column `c` is the byte there, plus the sum of row `r ^ 2`, plus the sum of column
/// `c ^ 2`, plus the round key. The form of that has, row by row,
///
/// - in row 0, but for column 0, what to add to the sums of the columns; to column 0 nothing;
/// - in column 0 what to add to the sums of the rows;
/// - elsewhere what to add to the byte, before it is summed up.
#[derive(Clone, Copy, Debug)]
pub enum Grid {}

impl Form for Grid {
    fn layer(round_key: State, _round: usize, _rounds: usize) -> State {
        let everywhere = |byte: u32| byte * 0x0101_0101;
        let lowest = |word: u32| word & 0xff;
        let half = |word: u32| word.rotate_left(16);

        // The round key on the grid: at each place what is added to the byte that results there.
        let [[a0, a1, a2, a3], [b0, b1, b2, b3], [c0, c1, c2, c3], [d0, d1, d2, d3]] =
            round_key.map(u32::to_le_bytes);
        let key = [
            [a3, c2, b2, d3],
            [c3, a2, d2, b3],
            [b0, d1, a1, c0],
            [d0, b1, c1, a0],
        ]
        .map(u32::from_le_bytes);

        // A sum of something for its row and something for its column makes it right in row 0 and
        // column 0. What is then wrong elsewhere has to be added to the bytes themselves.
        let [key0, ..] = key;
        let bytes = key.map(|row| (row ^ key0) ^ everywhere(lowest(row ^ key0)));

        // But that is in the sums as well.
        let [_, bytes1, bytes2, bytes3] = bytes;
        let columns = half(bytes1 ^ bytes2 ^ bytes3);
        let [rows0, rows1, rows2, rows3] = bytes.map(|row| {
            let pairs = row ^ half(row);
            everywhere(lowest(pairs ^ (pairs >> 8)))
        });
        let [sum0, sum1, sum2, sum3] = [
            (key[0], bytes[0], rows2),
            (key[1], bytes1, rows3),
            (key[2], bytes2, rows0),
            (key[3], bytes3, rows1),
        ]
        .map(|(key, bytes, rows)| half(key ^ bytes ^ rows ^ columns));

        [
            lowest(sum2) | (sum2 ^ everywhere(lowest(sum2))),
            lowest(sum3) | bytes1,
            lowest(sum0) | bytes2,
            lowest(sum1) | bytes3,
        ]
    }
}

vector_code! {
    CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512VL,
    /// ARIA in batches of 32 blocks, in 256-bit vectors of AVX-512VL.
    GfniAvx512vl = Gfni256: simd::GfniAvx512, SlicedKey<Grid>, (), min BLOCK_SIZE,
    rfl_aria_ecb_gfni_avx512vl, rfl_aria_cbc_dec_gfni_avx512vl, rfl_aria_ctr_gfni_avx512vl,
    rfl_aria_xts_gfni_avx512vl
}

vector_code! {
    CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512,
    /// ARIA in batches of 64 blocks, in 512-bit vectors, and for less in those of 256 bits.
    GfniAvx512 = Gfni512: simd::GfniAvx512, SlicedKey<Grid>, (), min BLOCK_SIZE,
    rfl_aria_ecb_gfni_avx512, rfl_aria_cbc_dec_gfni_avx512, rfl_aria_ctr_gfni_avx512,
    rfl_aria_xts_gfni_avx512
}
