// SPDX-License-Identifier: GPL-2.0

//! This project's tiers. [`tiers`] is the one place to add another.

use std::{marker::PhantomData, mem::MaybeUninit, slice};

use rfl_ciphers::{
    aria,
    inout::InOut,
    simd::{self, Cpu, Features, Simd},
    tier::{self, scalar, Block, BlockCipher, Context, InvalidKeyLength, Tier},
};

use crate::{
    case::{Algorithm, Case, Mode},
    cpu,
    implementation::{Implementation, Prepared, Refusal, Tag, BLOCK, IV},
};

/// Lists tiers: name, algorithm, blocks in a full batch, type, groups of modes.
macro_rules! tiers {
    ($($name:literal, $algorithm:ident, $blocks:literal, $tier:ty: $($group:ident)+;)*) => {
        vec![$(Ours {
            name: $name,
            algorithm: Algorithm::$algorithm,
            batch: $blocks * BLOCK,
            missing: cpu::detect::<<$tier as Tier>::Features>().err(),
            modes: [$(tiers!(@ $group $tier)),+].concat(),
        }),*]
    };
    (@ ecb $tier:ty) => {
        &[
            (Mode::EcbEncrypt, prepare::<EcbEncrypt<$tier>> as Prepare),
            (Mode::EcbDecrypt, prepare::<EcbDecrypt<$tier>>),
        ][..]
    };
    (@ cbc $tier:ty) => { &[(Mode::CbcDecrypt, prepare::<CbcDecrypt<$tier>> as Prepare)][..] };
    (@ ctr $tier:ty) => { &[(Mode::Ctr, prepare::<Ctr<$tier>> as Prepare)][..] };
    (@ xts $tier:ty) => {
        &[
            (Mode::XtsEncrypt, prepare::<XtsEncrypt<$tier>> as Prepare),
            (Mode::XtsDecrypt, prepare::<XtsDecrypt<$tier>>),
        ][..]
    };
}

/// Returns all tiers, those that this CPU cannot run among them.
pub fn tiers() -> Vec<Ours> {
    tiers! {
        "aria-scalar", Aria, 1, Scalar<aria::Aria>: ecb cbc ctr xts;
        "aria-aesni-avx", Aria, 16, aria::x86::vex::AesniAvx: ecb cbc ctr xts;
        "aria-aesni-avx2", Aria, 32, aria::x86::vex::AesniAvx2: ecb cbc ctr xts;
        "aria-vaes-avx2", Aria, 32, aria::x86::vex::VaesAvx2: ecb cbc ctr xts;
        "aria-gfni-avx", Aria, 16, aria::x86::vex::GfniAvx: ecb cbc ctr xts;
        "aria-gfni-avx2", Aria, 32, aria::x86::vex::GfniAvx2: ecb cbc ctr xts;
        "aria-gfni-avx512vl", Aria, 32, aria::x86::avx512::GfniAvx512vl: ecb cbc ctr xts;
        "aria-gfni-avx512", Aria, 64, aria::x86::avx512::GfniAvx512: ecb cbc ctr xts;
    }
}

/// Makes a key schedule, or says what prevents it.
type Prepare = fn(&[u8]) -> Result<Box<dyn Routine>, String>;

/// A tier and its modes.
pub struct Ours {
    /// Its name in reports.
    pub name: &'static str,
    /// The cipher.
    pub algorithm: Algorithm,
    /// Length of a full batch in bytes.
    pub batch: usize,
    /// What this CPU lacks.
    pub missing: Option<String>,
    /// What it does, and how to get it.
    pub modes: Vec<(Mode, Prepare)>,
}

impl Ours {
    /// As [`Implementation::prepare`], with a view of what is inside.
    pub fn routine(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Routine>, Refusal> {
        let mode = self.modes.iter().find(|(mode, _)| *mode == case.mode);
        match mode {
            Some((_, prepare)) if self.algorithm == case.algorithm => {
                prepare(key).map_err(Refusal::Failed)
            }
            _ => Err(Refusal::Unknown),
        }
    }
}

impl Implementation for Ours {
    fn name(&self) -> &str {
        self.name
    }

    fn ours(&self) -> bool {
        true
    }

    fn batch(&self) -> Option<usize> {
        Some(self.batch)
    }

    fn prepare(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
        Ok(self.routine(case, key)?.into_prepared())
    }
}

/// One of ours with a key, for those who look closer than by a stop-watch.
pub trait Routine: Prepared {
    /// Forgets what is special about it.
    fn into_prepared(self: Box<Self>) -> Box<dyn Prepared>;

    /// The bytes of the key schedule.
    fn key(&mut self) -> &mut [u8];

    /// The bytes of what a message begins with, as [`Self::start`] left them.
    fn state(&mut self) -> &mut [u8];

    /// Begins a message: what of it is scalar code.
    fn start(&mut self);

    /// Does the rest of the message, in vector code if it is long enough for that.
    fn run(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag);

    /// Fewest bytes that are done by vector code.
    fn min(&self) -> usize;
}

/// A mode of a tier.
trait ModeOf: 'static {
    type Features: Features;
    type Key: Context;
    type Scratch;

    /// What a message begins with; plain bytes.
    type State: Copy;

    const MIN: usize;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength>;

    fn start(key: &Self::Key) -> Self::State;

    fn run(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        state: &mut Self::State,
        data: InOut<'_>,
        tag: &mut Tag,
    );
}

struct Keyed<M: ModeOf> {
    cpu: Cpu<M::Features>,
    key: M::Key,
    scratch: MaybeUninit<M::Scratch>,
    state: M::State,
}

fn prepare<M: ModeOf>(bytes: &[u8]) -> Result<Box<dyn Routine>, String> {
    let cpu = cpu::detect()?;
    // SAFETY: `Context` promises that zero bytes are a value.
    let mut key: M::Key = unsafe { MaybeUninit::zeroed().assume_init() };
    M::set_key(&mut key, bytes).map_err(|error| format!("{error:?}"))?;
    let state = M::start(&key);
    Ok(Box::new(Keyed::<M> {
        cpu,
        key,
        scratch: MaybeUninit::uninit(),
        state,
    }))
}

impl<M: ModeOf> Prepared for Keyed<M> {
    #[inline]
    fn process(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag) {
        self.start();
        self.run(src, dst, tag);
    }
}

/// Returns the bytes of a value.
///
/// # Safety
///
/// The type must have no padding and no byte that may not be any.
unsafe fn bytes_of<T>(value: &mut T) -> &mut [u8] {
    // SAFETY: There are as many bytes, borrowed exclusively; the rest is the caller's promise.
    unsafe { slice::from_raw_parts_mut((&raw mut *value).cast(), size_of::<T>()) }
}

impl<M: ModeOf> Routine for Keyed<M> {
    fn into_prepared(self: Box<Self>) -> Box<dyn Prepared> {
        self
    }

    fn key(&mut self) -> &mut [u8] {
        // SAFETY: It was made of zero bytes, padding included. Nobody writes to it but a checker
        // that marks bytes.
        unsafe { bytes_of(&mut self.key) }
    }

    fn state(&mut self) -> &mut [u8] {
        // SAFETY: Said of the type, and as above.
        unsafe { bytes_of(&mut self.state) }
    }

    #[inline]
    fn start(&mut self) {
        self.state = M::start(&self.key);
    }

    #[inline]
    fn run(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag) {
        let data = InOut::new(src, dst).expect("buffers of one length");
        let (key, scratch, state) = (&self.key, &mut self.scratch, &mut self.state);
        cpu::with_simd(self.cpu, |simd| {
            M::run(simd, key, scratch, state, data, tag)
        });
    }

    fn min(&self) -> usize {
        M::MIN
    }
}

/// Declares modes over tiers of a kind. Messages that are too short go to the scalar code, as in a
/// driver.
macro_rules! modes {
    ($($(#[$doc:meta])* $mode:ident over $kind:ident: $vector:ident, $scalar:ident($($state:ident)?);)*) => {$(
        $(#[$doc])*
        struct $mode<T>(PhantomData<T>);

        impl<T: tier::$kind> ModeOf for $mode<T> {
            type Features = T::Features;
            type Key = T::Key;
            type Scratch = T::Scratch;
            type State = Block;

            const MIN: usize = T::MIN;

            fn set_key(key: &mut T::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
                T::set_key(key, bytes)
            }

            #[inline]
            fn start(_: &T::Key) -> Block {
                IV
            }

            #[inline]
            fn run(
                simd: Simd<'_, T::Features>,
                key: &T::Key,
                scratch: &mut MaybeUninit<T::Scratch>,
                _state: &mut Block,
                data: InOut<'_>,
                _: &mut Tag,
            ) {
                $(let $state = _state;)?
                if data.len() < T::MIN {
                    scalar::$scalar::<T::Cipher>(T::scalar_key(key), $($state,)? data);
                } else {
                    T::$vector(simd, key, scratch, $($state,)? data);
                }
            }
        }
    )*};
}

modes! {
    EcbEncrypt over Ecb: ecb_encrypt, ecb_encrypt();
    EcbDecrypt over Ecb: ecb_decrypt, ecb_decrypt();
    CbcDecrypt over Cbc: cbc_decrypt, cbc_decrypt(iv);
    Ctr over Ctr: ctr, ctr(counter);
}

/// The two keys of XTS: that of the data, and the scalar one of the tweak.
#[repr(C)]
struct XtsKey<T: Tier> {
    data: T::Key,
    tweak: <T::Cipher as BlockCipher>::Key,
}

// SAFETY: Zero bytes are a value of either part.
unsafe impl<T: Tier> Context for XtsKey<T> {}

/// Declares the directions of XTS.
macro_rules! xts {
    ($($mode:ident: $function:ident;)*) => {$(
        struct $mode<T>(PhantomData<T>);

        impl<T: tier::Xts> ModeOf for $mode<T> {
            type Features = T::Features;
            type Key = XtsKey<T>;
            type Scratch = T::Scratch;
            type State = Block;

            const MIN: usize = T::MIN;

            fn set_key(key: &mut XtsKey<T>, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
                let (data, tweak) = bytes.split_at(bytes.len() / 2);
                T::set_key(&mut key.data, data)?;
                T::Cipher::set_key(&mut key.tweak, tweak)
            }

            #[inline]
            fn start(key: &XtsKey<T>) -> Block {
                T::Cipher::encrypt_block(&key.tweak, &IV)
            }

            #[inline]
            fn run(
                simd: Simd<'_, T::Features>,
                key: &XtsKey<T>,
                scratch: &mut MaybeUninit<T::Scratch>,
                tweak: &mut Block,
                data: InOut<'_>,
                _: &mut Tag,
            ) {
                if data.len() < T::MIN {
                    scalar::$function::<T::Cipher>(T::scalar_key(&key.data), tweak, data);
                } else {
                    T::$function(simd, &key.data, scratch, tweak, data);
                }
            }
        }
    )*};
}

xts! {
    XtsEncrypt: xts_encrypt;
    XtsDecrypt: xts_decrypt;
}

/// The scalar code of a cipher in the place of a tier.
struct Scalar<C>(PhantomData<C>);

impl<C: BlockCipher> Tier for Scalar<C> {
    type Cipher = C;
    type Features = simd::Scalar;
    type Scratch = ();
    type Key = C::Key;

    const MIN: usize = 0;

    fn set_key(key: &mut C::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        C::set_key(key, bytes)
    }

    fn scalar_key(key: &C::Key) -> &C::Key {
        key
    }
}

/// Implements a group of modes by the functions of [`scalar`] that have the same names.
macro_rules! by_scalar {
    ($($kind:ident: $($function:ident($($state:ident)?) $(-> $rest:ty)?),+;)*) => {$(
        impl<C: BlockCipher> tier::$kind for Scalar<C> {
            $(
                #[inline]
                fn $function<'a>(
                    _: Simd<'_, simd::Scalar>,
                    key: &C::Key,
                    _: &mut MaybeUninit<()>,
                    $($state: &mut Block,)?
                    data: InOut<'a>,
                ) $(-> $rest)? {
                    scalar::$function::<C>(key, $($state,)? data)
                }
            )+
        }
    )*};
}

by_scalar! {
    Ecb: ecb_encrypt() -> InOut<'a>, ecb_decrypt() -> InOut<'a>;
    Cbc: cbc_decrypt(iv) -> InOut<'a>;
    Ctr: ctr(counter);
    Xts: xts_encrypt(tweak) -> InOut<'a>, xts_decrypt(tweak) -> InOut<'a>;
}
