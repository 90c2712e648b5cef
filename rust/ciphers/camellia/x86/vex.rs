// SPDX-License-Identifier: GPL-2.0

//! Camellia in 16 vector registers: the way into `asm/x86/camellia-gfni.S`.

use core::{marker::PhantomData, mem::MaybeUninit, ptr};

use super::super::super::inout::InOut;
use super::super::super::simd::{self, Features, Simd};
use super::super::super::tier::{Block, Cbc, Ctr, Ecb, InvalidKeyLength, Tier, Xts, BLOCK_SIZE};
use super::super::sliced::{SlicedKey, SlicedSchedule};
use super::super::Key;
use super::Asm;

/// Working storage with 128-bit vectors: one for each byte of the state.
#[repr(C, align(16))]
pub struct Slots128([[u8; 16]; 16]);

/// Working storage with 256-bit vectors.
#[repr(C, align(32))]
pub struct Slots256([[u8; 32]; 16]);

/// A routine of a mode; see `asm/x86/camellia-gfni.S`.
///
/// # Safety
///
/// - The CPU must have the [`Features`] of its [`Kind`], and the vector registers must be the
///   caller's to clobber.
/// - `keys` must be valid for reads. `src` must be valid for reads and `dst` for writes of `len`
///   bytes, a multiple of 16 but in counter mode. They must be equal or must not overlap.
/// - `iv` must be valid for reads and writes, but in ECB, and overlap nothing.
/// - `slots` must be valid for writes, and overlap nothing.
type Routine<S> = unsafe extern "C" fn(
    keys: *const SlicedSchedule,
    dst: *mut u8,
    src: *const u8,
    len: usize,
    iv: *mut Block,
    slots: *mut S,
);

/// S-boxes and length of vectors.
pub trait Kind: 'static {
    /// What the CPU must have.
    type Features: Features;
    /// Working storage.
    type Slots;
    /// As in [`Tier::MIN`].
    const MIN: usize;
    #[doc(hidden)]
    const ECB: Routine<Self::Slots>;
    #[doc(hidden)]
    const CBC_DEC: Routine<Self::Slots>;
    #[doc(hidden)]
    const CTR: Routine<Self::Slots>;
    #[doc(hidden)]
    const XTS: Routine<Self::Slots>;
}

macro_rules! kind {
    (
        $config:ident,
        $(#[$doc:meta])*
        $tier:ident = $kind:ident: $features:ty, $slots:ty, min $min:expr,
        $ecb:ident, $cbc_dec:ident, $ctr:ident, $xts:ident
    ) => {
        #[cfg($config)]
        #[doc = concat!("[`Kind`] of [`", stringify!($tier), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub enum $kind {}

        #[cfg($config)]
        $(#[$doc])*
        pub type $tier = Vex<$kind>;

        #[cfg($config)]
        const _: () = {
            kind!(@extern $slots, $ecb, $cbc_dec, $ctr, $xts);

            impl Kind for $kind {
                type Features = $features;
                type Slots = $slots;
                const MIN: usize = $min;
                const ECB: Routine<$slots> = $ecb;
                const CBC_DEC: Routine<$slots> = $cbc_dec;
                const CTR: Routine<$slots> = $ctr;
                const XTS: Routine<$slots> = $xts;
            }
        };
    };
    (@extern $slots:ty, $($routine:ident),*) => {
        extern "C" {
            $(fn $routine(
                keys: *const SlicedSchedule,
                dst: *mut u8,
                src: *const u8,
                len: usize,
                iv: *mut Block,
                slots: *mut $slots,
            );)*
        }
    };
}

kind! {
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2,
    /// Camellia in batches of 16 blocks, S-boxes by GFNI.
    // One block takes the scalar code less time.
    GfniAvx = Gfni128: simd::GfniAvx, Slots128, min 2 * BLOCK_SIZE,
    rfl_camellia_ecb_gfni_avx, rfl_camellia_cbc_dec_gfni_avx, rfl_camellia_ctr_gfni_avx, rfl_camellia_xts_gfni_avx
}

kind! {
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2,
    /// Camellia in batches of 32 blocks, S-boxes by GFNI.
    GfniAvx2 = Gfni256: simd::GfniAvx2, Slots256, min 2 * BLOCK_SIZE,
    rfl_camellia_ecb_gfni_avx2, rfl_camellia_cbc_dec_gfni_avx2, rfl_camellia_ctr_gfni_avx2,
    rfl_camellia_xts_gfni_avx2
}

/// Camellia in VEX-encoded instructions, of some kind.
#[derive(Clone, Copy, Debug)]
pub struct Vex<K>(PhantomData<K>);

impl<K: Kind> Vex<K> {
    /// Runs a routine on whole blocks. Returns the rest.
    fn blocks<'a>(
        _simd: Simd<'_, K::Features>,
        routine: Routine<K::Slots>,
        keys: &SlicedSchedule,
        slots: &mut MaybeUninit<K::Slots>,
        iv: Option<&mut Block>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let (run, rest) = data.split_units::<BLOCK_SIZE>();
        let iv = iv.map_or(ptr::null_mut(), ptr::from_mut);
        // SAFETY: `_simd` proves the first condition, the references and the invariants of `InOut`
        // the others. The callers are those of ECB without an IV, those of other modes with one.
        unsafe {
            routine(
                keys,
                run.dst(),
                run.src(),
                run.len(),
                iv,
                slots.as_mut_ptr(),
            )
        };
        rest
    }
}

impl<K: Kind> Tier for Vex<K> {
    type Cipher = Asm;
    type Features = K::Features;
    type Scratch = K::Slots;
    type Key = SlicedKey;

    const MIN: usize = K::MIN;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        key.set(bytes)
    }

    fn scalar_key(key: &Self::Key) -> &Key {
        &key.scalar
    }
}

impl<K: Kind> Ecb for Vex<K> {
    fn ecb_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, K::ECB, &key.encrypt, scratch, None, data)
    }

    fn ecb_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, K::ECB, &key.decrypt, scratch, None, data)
    }
}

impl<K: Kind> Cbc for Vex<K> {
    fn cbc_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        iv: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, K::CBC_DEC, &key.decrypt, scratch, Some(iv), data)
    }
}

impl<K: Kind> Ctr for Vex<K> {
    fn ctr(
        _simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        counter: &mut Block,
        data: InOut<'_>,
    ) {
        // SAFETY: As in `blocks`, and this routine takes any length.
        unsafe {
            K::CTR(
                &key.encrypt,
                data.dst(),
                data.src(),
                data.len(),
                counter,
                scratch.as_mut_ptr(),
            )
        };
    }
}

impl<K: Kind> Xts for Vex<K> {
    fn xts_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, K::XTS, &key.encrypt, scratch, Some(tweak), data)
    }

    fn xts_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, K::XTS, &key.decrypt, scratch, Some(tweak), data)
    }
}
