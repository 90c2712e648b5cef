// SPDX-License-Identifier: GPL-2.0

//! Tiers of which each mode is one routine in assembly.
//!
//! A cipher says where in its key the routines find their schedules ([`Schedules`]), and which
//! routines make a tier (`vector_code!`, which implements [`Code`]); [`Routines`] makes the modes
//! of them.

use core::{marker::PhantomData, mem::MaybeUninit, ptr};

use super::inout::InOut;
use super::simd::{Features, Simd};
use super::tier::{
    Block, BlockCipher, Cbc, Context, Ctr, Ecb, InvalidKeyLength, Tier, Xts, BLOCK_SIZE,
};

/// Working storage with 128-bit vectors: one for each byte of the state.
#[repr(C, align(16))]
pub struct Slots128([[u8; 16]; 16]);

/// Working storage with 256-bit vectors.
#[repr(C, align(32))]
pub struct Slots256([[u8; 32]; 16]);

/// The key schedule of vector code, with a schedule for each direction in it.
///
/// # Safety
///
/// At [`ENCRYPT`](Self::ENCRYPT) and [`DECRYPT`](Self::DECRYPT) bytes of each value there must be a
/// [`Schedule`](Self::Schedule) for the routines of the [`Code`] that has this key, and what they
/// find by it must be in the value too.
pub unsafe trait Schedules: Context {
    /// The cipher.
    type Cipher: BlockCipher;
    /// What a routine is given.
    type Schedule;
    /// Where the schedule for encryption is.
    const ENCRYPT: usize;
    /// Where the schedule for decryption is.
    const DECRYPT: usize;

    /// As [`Tier::set_key`].
    fn set(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength>;

    /// Returns the key schedule of the scalar code.
    fn scalar(&self) -> &<Self::Cipher as BlockCipher>::Key;
}

/// A routine of a mode; see `asm/x86/modes.h` for what it does to `iv`.
///
/// Routines that need no working storage are without the last argument, which C's calling
/// convention allows the caller to pass all the same.
///
/// # Safety
///
/// - The CPU must have the [`Features`] of its [`Code`], and the vector registers must be the
///   caller's to clobber.
/// - `keys` must be that of a [`Schedules`], valid for reads with all that is found by it.
/// - `src` must be valid for reads and `dst` for writes of `len` bytes, a multiple of 16 but in
///   counter mode. They must be equal or must not overlap.
/// - `iv` must be valid for reads and writes, but in ECB, and overlap nothing.
/// - `slots` must be valid for writes, and overlap nothing.
pub type Routine<K, S> = unsafe extern "C" fn(
    keys: *const <K as Schedules>::Schedule,
    dst: *mut u8,
    src: *const u8,
    len: usize,
    iv: *mut Block,
    slots: *mut S,
);

/// The routines of a tier.
///
/// # Safety
///
/// The routines must do what the functions of the traits of the same names do, and ask no more of
/// their caller than is written at [`Routine`].
pub unsafe trait Code: 'static {
    /// What the CPU must have.
    type Features: Features;
    /// The key schedule.
    type Key: Schedules;
    /// Working storage, `()` for none.
    type Slots;
    /// As in [`Tier::MIN`].
    const MIN: usize;
    /// Either direction of [`Ecb`], as the schedule has it.
    const ECB: Routine<Self::Key, Self::Slots>;
    /// [`Cbc`].
    const CBC_DEC: Routine<Self::Key, Self::Slots>;
    /// [`Ctr`]; takes any length.
    const CTR: Routine<Self::Key, Self::Slots>;
    /// Either direction of [`Xts`].
    const XTS: Routine<Self::Key, Self::Slots>;
}

/// Declares a tier and its routines, if it is configured.
///
/// What it names must be in scope: the items of this module and [`Block`].
#[allow(unused_macros, reason = "there may be no tier")]
macro_rules! vector_code {
    (
        $config:ident,
        $(#[$doc:meta])*
        $tier:ident = $code:ident: $features:ty, $key:ty, $slots:ty, min $min:expr,
        $ecb:ident, $cbc_dec:ident, $ctr:ident, $xts:ident
    ) => {
        #[cfg($config)]
        #[doc = concat!("[`Code`] of [`", stringify!($tier), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub enum $code {}

        #[cfg($config)]
        $(#[$doc])*
        pub type $tier = Routines<$code>;

        #[cfg($config)]
        const _: () = {
            vector_code!(@extern $key, $slots, $ecb, $cbc_dec, $ctr, $xts);

            // SAFETY: The routines are those of the modes; the prototype is that of the assembly.
            unsafe impl Code for $code {
                type Features = $features;
                type Key = $key;
                type Slots = $slots;
                const MIN: usize = $min;
                const ECB: Routine<$key, $slots> = $ecb;
                const CBC_DEC: Routine<$key, $slots> = $cbc_dec;
                const CTR: Routine<$key, $slots> = $ctr;
                const XTS: Routine<$key, $slots> = $xts;
            }
        };
    };
    (@extern $key:ty, $slots:ty, $($routine:ident),*) => {
        extern "C" {
            $(fn $routine(
                keys: *const <$key as Schedules>::Schedule,
                dst: *mut u8,
                src: *const u8,
                len: usize,
                iv: *mut Block,
                slots: *mut $slots,
            );)*
        }
    };
}
#[allow(unused_imports, reason = "there may be no tier")]
pub(crate) use vector_code;

/// The tier of some [`Code`].
#[derive(Clone, Copy, Debug)]
pub struct Routines<C>(PhantomData<C>);

impl<C: Code> Routines<C> {
    /// Where the schedules for each direction are.
    const ENCRYPT: usize = C::Key::ENCRYPT;
    const DECRYPT: usize = C::Key::DECRYPT;

    /// Runs a routine with the schedule at `offset` on all of `data`.
    ///
    /// # Safety
    ///
    /// `routine` must be one of `C`, and `offset` one of its key's. The length of `data` must be one
    /// that it takes, and there must be an IV if it takes one.
    unsafe fn run(
        _simd: Simd<'_, C::Features>,
        routine: Routine<C::Key, C::Slots>,
        key: &C::Key,
        offset: usize,
        slots: &mut MaybeUninit<C::Slots>,
        iv: Option<&mut Block>,
        data: &InOut<'_>,
    ) {
        // By a pointer to all of the key, since a schedule may lead to other parts of it.
        let keys = ptr::from_ref(key).wrapping_byte_add(offset).cast();
        let iv = iv.map_or(ptr::null_mut(), ptr::from_mut);
        // SAFETY: `_simd` proves the first condition, the contract of `Schedules` the second, the
        // references and the invariants of `InOut` the others, with what is asked of the caller.
        unsafe {
            routine(
                keys,
                data.dst(),
                data.src(),
                data.len(),
                iv,
                slots.as_mut_ptr(),
            )
        };
    }

    /// Runs a routine of a mode with an IV on whole blocks. Returns the rest.
    fn blocks<'a>(
        simd: Simd<'_, C::Features>,
        routine: Routine<C::Key, C::Slots>,
        key: &C::Key,
        offset: usize,
        slots: &mut MaybeUninit<C::Slots>,
        iv: Option<&mut Block>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let (run, rest) = data.split_units::<BLOCK_SIZE>();
        // SAFETY: These are whole blocks. The callers below give routines and offsets of `C`, and
        // an IV in all modes but ECB.
        unsafe { Self::run(simd, routine, key, offset, slots, iv, &run) };
        rest
    }
}

impl<C: Code> Tier for Routines<C> {
    type Cipher = <C::Key as Schedules>::Cipher;
    type Features = C::Features;
    type Scratch = C::Slots;
    type Key = C::Key;

    const MIN: usize = C::MIN;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        key.set(bytes)
    }

    fn scalar_key(key: &Self::Key) -> &<Self::Cipher as BlockCipher>::Key {
        key.scalar()
    }
}

impl<C: Code> Ecb for Routines<C> {
    fn ecb_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, C::ECB, key, Self::ENCRYPT, scratch, None, data)
    }

    fn ecb_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, C::ECB, key, Self::DECRYPT, scratch, None, data)
    }
}

impl<C: Code> Cbc for Routines<C> {
    fn cbc_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        iv: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(
            simd,
            C::CBC_DEC,
            key,
            Self::DECRYPT,
            scratch,
            Some(iv),
            data,
        )
    }
}

impl<C: Code> Ctr for Routines<C> {
    fn ctr(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        counter: &mut Block,
        data: InOut<'_>,
    ) {
        // SAFETY: A routine of `C` with an IV, and it takes any length.
        unsafe {
            Self::run(
                simd,
                C::CTR,
                key,
                Self::ENCRYPT,
                scratch,
                Some(counter),
                &data,
            )
        };
    }
}

impl<C: Code> Xts for Routines<C> {
    fn xts_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, C::XTS, key, Self::ENCRYPT, scratch, Some(tweak), data)
    }

    fn xts_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        Self::blocks(simd, C::XTS, key, Self::DECRYPT, scratch, Some(tweak), data)
    }
}
