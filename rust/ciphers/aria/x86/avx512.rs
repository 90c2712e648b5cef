// SPDX-License-Identifier: GPL-2.0

//! ARIA with GFNI and AVX-512: the way into `asm/x86/aria-gfni-avx512.S`.

use core::{marker::PhantomData, mem::MaybeUninit, ptr};

use super::super::super::inout::InOut;
use super::super::super::simd::{self, Features, Simd};
use super::super::super::tier::{Block, Cbc, Ctr, Ecb, InvalidKeyLength, Tier, Xts, BLOCK_SIZE};
use super::super::{Aria, Key, Schedule, State};
use super::{Form, Keys, SlicedKey};

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

/// A routine of a mode; see `asm/x86/modes.h` for what it does to `iv`.
///
/// # Safety
///
/// - The CPU must have the [`Features`] of its width, and the vector registers must be the caller's
///   to clobber.
/// - `keys` must be valid for reads, and so must be the sliced form that it says it has. `src` must
///   be valid for reads and `dst` for writes of `len` bytes, a multiple of 16 but in counter mode.
///   They must be equal or must not overlap.
/// - `iv` must be valid for reads and writes, but in ECB, and overlap nothing.
type Routine = unsafe extern "C" fn(
    keys: *const Schedule,
    dst: *mut u8,
    src: *const u8,
    len: usize,
    iv: *mut Block,
);

macro_rules! routines {
    ($($name:ident),*) => {
        extern "C" {
            $(fn $name(
                keys: *const Schedule,
                dst: *mut u8,
                src: *const u8,
                len: usize,
                iv: *mut Block,
            );)*
        }
    };
}

/// A length of vectors.
pub trait Width: 'static {
    /// What the CPU must have.
    type Features: Features;
    #[doc(hidden)]
    const ECB: Routine;
    #[doc(hidden)]
    const CBC_DEC: Routine;
    #[doc(hidden)]
    const CTR: Routine;
    #[doc(hidden)]
    const XTS: Routine;
}

routines!(
    rfl_aria_ecb_gfni_avx512vl,
    rfl_aria_cbc_dec_gfni_avx512vl,
    rfl_aria_ctr_gfni_avx512vl,
    rfl_aria_xts_gfni_avx512vl
);

/// Vectors of 256 bits, 32 blocks.
#[derive(Clone, Copy, Debug)]
pub enum Bits256 {}

impl Width for Bits256 {
    type Features = simd::GfniAvx512;
    const ECB: Routine = rfl_aria_ecb_gfni_avx512vl;
    const CBC_DEC: Routine = rfl_aria_cbc_dec_gfni_avx512vl;
    const CTR: Routine = rfl_aria_ctr_gfni_avx512vl;
    const XTS: Routine = rfl_aria_xts_gfni_avx512vl;
}

#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512)]
routines!(
    rfl_aria_ecb_gfni_avx512,
    rfl_aria_cbc_dec_gfni_avx512,
    rfl_aria_ctr_gfni_avx512,
    rfl_aria_xts_gfni_avx512
);

/// Vectors of 512 bits, 64 blocks, and for less those of 256 bits.
#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512)]
#[derive(Clone, Copy, Debug)]
pub enum Bits512 {}

#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512)]
impl Width for Bits512 {
    type Features = simd::GfniAvx512;
    const ECB: Routine = rfl_aria_ecb_gfni_avx512;
    const CBC_DEC: Routine = rfl_aria_cbc_dec_gfni_avx512;
    const CTR: Routine = rfl_aria_ctr_gfni_avx512;
    const XTS: Routine = rfl_aria_xts_gfni_avx512;
}

/// ARIA in registers alone, S-boxes by GFNI, in AVX-512 vectors of some width.
#[derive(Clone, Copy, Debug)]
pub struct Gfni<W>(PhantomData<W>);

/// ARIA in batches of 32 blocks, in 256-bit vectors of AVX-512VL.
pub type GfniAvx512vl = Gfni<Bits256>;

/// ARIA in batches of 64 blocks, in 512-bit vectors.
#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512)]
pub type GfniAvx512 = Gfni<Bits512>;

impl<W: Width> Gfni<W> {
    /// Runs a routine on whole blocks. Returns the rest.
    fn blocks<'a>(
        _simd: Simd<'_, W::Features>,
        routine: Routine,
        keys: Keys<'_>,
        iv: Option<&mut Block>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let (run, rest) = data.split_units::<BLOCK_SIZE>();
        let iv = iv.map_or(ptr::null_mut(), ptr::from_mut);
        // SAFETY: `_simd` proves the first condition, the references and the invariants of `InOut`
        // the others. The callers are those of ECB without an IV, those of other modes with one.
        unsafe { routine(keys.schedule, run.dst(), run.src(), run.len(), iv) };
        rest
    }
}

impl<W: Width> Tier for Gfni<W> {
    type Cipher = Aria;
    type Features = W::Features;
    type Scratch = ();
    type Key = SlicedKey<Grid>;

    const MIN: usize = BLOCK_SIZE;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        key.set(bytes)
    }

    fn scalar_key(key: &Self::Key) -> &Key {
        &key.scalar
    }
}

impl<W: Width> Ecb for Gfni<W> {
    fn ecb_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        _scratch: &mut MaybeUninit<()>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, W::ECB, key.encrypt(), None, data)
    }

    fn ecb_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        _scratch: &mut MaybeUninit<()>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, W::ECB, key.decrypt(), None, data)
    }
}

impl<W: Width> Cbc for Gfni<W> {
    fn cbc_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        _scratch: &mut MaybeUninit<()>,
        iv: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, W::CBC_DEC, key.decrypt(), Some(iv), data)
    }
}

impl<W: Width> Ctr for Gfni<W> {
    fn ctr(
        _simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        _scratch: &mut MaybeUninit<()>,
        counter: &mut Block,
        data: InOut<'_>,
    ) {
        // SAFETY: As in `blocks`, and this routine takes any length.
        unsafe {
            W::CTR(
                key.encrypt().schedule,
                data.dst(),
                data.src(),
                data.len(),
                counter,
            )
        };
    }
}

impl<W: Width> Xts for Gfni<W> {
    fn xts_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        _scratch: &mut MaybeUninit<()>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, W::XTS, key.encrypt(), Some(tweak), data)
    }

    fn xts_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        _scratch: &mut MaybeUninit<()>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, W::XTS, key.decrypt(), Some(tweak), data)
    }
}
