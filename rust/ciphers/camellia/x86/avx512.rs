// SPDX-License-Identifier: GPL-2.0

//! Camellia with GFNI and AVX-512: the way into `asm/x86/camellia-gfni-avx512.S`.

use core::{marker::PhantomData, mem::MaybeUninit, ptr};

use super::super::super::inout::InOut;
use super::super::super::simd::{self, Features, Simd};
use super::super::super::tier::{Block, Cbc, Ctr, Ecb, InvalidKeyLength, Tier, Xts, BLOCK_SIZE};
use super::super::sliced::{SlicedKey, SlicedSchedule};
use super::super::Key;
use super::Asm;

/// A routine of a mode; see `asm/x86/modes.h` for what it does to `iv`.
///
/// # Safety
///
/// - The CPU must have the [`Features`] of its width, and the vector registers must be the caller's
///   to clobber.
/// - `keys` must be valid for reads. `src` must be valid for reads and `dst` for writes of `len`
///   bytes, a multiple of 16 but in counter mode. They must be equal or must not overlap.
/// - `iv` must be valid for reads and writes, but in ECB, and overlap nothing.
type Routine = unsafe extern "C" fn(
    keys: *const SlicedSchedule,
    dst: *mut u8,
    src: *const u8,
    len: usize,
    iv: *mut Block,
);

macro_rules! routines {
    ($($name:ident),*) => {
        extern "C" {
            $(fn $name(
                keys: *const SlicedSchedule,
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
    rfl_camellia_ecb_gfni_avx512vl,
    rfl_camellia_cbc_dec_gfni_avx512vl,
    rfl_camellia_ctr_gfni_avx512vl,
    rfl_camellia_xts_gfni_avx512vl
);

/// Vectors of 256 bits, 32 blocks.
#[derive(Clone, Copy, Debug)]
pub enum Bits256 {}

impl Width for Bits256 {
    type Features = simd::GfniAvx512;
    const ECB: Routine = rfl_camellia_ecb_gfni_avx512vl;
    const CBC_DEC: Routine = rfl_camellia_cbc_dec_gfni_avx512vl;
    const CTR: Routine = rfl_camellia_ctr_gfni_avx512vl;
    const XTS: Routine = rfl_camellia_xts_gfni_avx512vl;
}

#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512)]
routines!(
    rfl_camellia_ecb_gfni_avx512,
    rfl_camellia_cbc_dec_gfni_avx512,
    rfl_camellia_ctr_gfni_avx512,
    rfl_camellia_xts_gfni_avx512
);

/// Vectors of 512 bits, 64 blocks, and for less those of 256 bits.
#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512)]
#[derive(Clone, Copy, Debug)]
pub enum Bits512 {}

#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512)]
impl Width for Bits512 {
    type Features = simd::GfniAvx512;
    const ECB: Routine = rfl_camellia_ecb_gfni_avx512;
    const CBC_DEC: Routine = rfl_camellia_cbc_dec_gfni_avx512;
    const CTR: Routine = rfl_camellia_ctr_gfni_avx512;
    const XTS: Routine = rfl_camellia_xts_gfni_avx512;
}

/// Camellia in registers alone, S-boxes by GFNI, in AVX-512 vectors of some width.
#[derive(Clone, Copy, Debug)]
pub struct Gfni<W>(PhantomData<W>);

/// Camellia in batches of 32 blocks, in 256-bit vectors of AVX-512VL.
pub type GfniAvx512vl = Gfni<Bits256>;

/// Camellia in batches of 64 blocks, in 512-bit vectors.
#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512)]
pub type GfniAvx512 = Gfni<Bits512>;

impl<W: Width> Gfni<W> {
    /// Runs a routine on whole blocks. Returns the rest.
    fn blocks<'a>(
        _simd: Simd<'_, W::Features>,
        routine: Routine,
        keys: &SlicedSchedule,
        iv: Option<&mut Block>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let (run, rest) = data.split_units::<BLOCK_SIZE>();
        let iv = iv.map_or(ptr::null_mut(), ptr::from_mut);
        // SAFETY: `_simd` proves the first condition, the references and the invcamelliants of `InOut`
        // the others. The callers are those of ECB without an IV, those of other modes with one.
        unsafe { routine(keys, run.dst(), run.src(), run.len(), iv) };
        rest
    }
}

impl<W: Width> Tier for Gfni<W> {
    type Cipher = Asm;
    type Features = W::Features;
    type Scratch = ();
    type Key = SlicedKey;

    // One block takes the scalar code less time.
    const MIN: usize = 2 * BLOCK_SIZE;

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
        Self::blocks(simd, W::ECB, &key.encrypt, None, data)
    }

    fn ecb_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        _scratch: &mut MaybeUninit<()>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, W::ECB, &key.decrypt, None, data)
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
        Self::blocks(simd, W::CBC_DEC, &key.decrypt, Some(iv), data)
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
        unsafe { W::CTR(&key.encrypt, data.dst(), data.src(), data.len(), counter) };
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
        Self::blocks(simd, W::XTS, &key.encrypt, Some(tweak), data)
    }

    fn xts_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        _scratch: &mut MaybeUninit<()>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, W::XTS, &key.decrypt, Some(tweak), data)
    }
}
