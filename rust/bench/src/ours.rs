// SPDX-License-Identifier: GPL-2.0

//! This project's tiers. [`tiers`] is the one place to add another.

use std::{marker::PhantomData, mem::MaybeUninit, slice};

use rfl_ciphers::{
    aes, aria, camellia, crct10dif,
    gcm::{self, CtrGhash},
    ghash,
    inout::InOut,
    simd::{self, Cpu, Features, Simd},
    tier::{self, scalar, Block, BlockCipher, Context, InvalidKeyLength, Tier},
    xts,
};

use crate::{
    case::{Algorithm, Case, Mode},
    cpu,
    implementation::{Implementation, Prepared, Refusal, Tag, BLOCK, IV, NONCE},
};

/// Lists tiers: name, algorithm, blocks in a full batch; groups of modes and the types that have
/// them.
macro_rules! tiers {
    ($($name:literal, $algorithm:ident, $blocks:literal: $([$($group:ident)+] $tier:ty),+;)*) => {
        vec![$(Ours {
            name: $name,
            algorithm: Algorithm::$algorithm,
            batch: $blocks * BLOCK,
            modes: [$($(tiers!(@ $group $tier)),+),+].concat(),
        }),*]
    };
    (@ ecb $tier:ty) => {
        &[
            ModeOfTier::new::<EcbEncrypt<$tier>>(Mode::EcbEncrypt),
            ModeOfTier::new::<EcbDecrypt<$tier>>(Mode::EcbDecrypt),
        ][..]
    };
    (@ cbc $tier:ty) => { &[ModeOfTier::new::<CbcDecrypt<$tier>>(Mode::CbcDecrypt)][..] };
    (@ ctr $tier:ty) => { &[ModeOfTier::new::<Ctr<$tier>>(Mode::Ctr)][..] };
    (@ xts $tier:ty) => {
        &[
            ModeOfTier::new::<XtsEncrypt<$tier>>(Mode::XtsEncrypt),
            ModeOfTier::new::<XtsDecrypt<$tier>>(Mode::XtsDecrypt),
        ][..]
    };
    (@ gcm $tier:ty) => {
        &[
            ModeOfTier::new::<GcmEncrypt<$tier>>(Mode::GcmEncrypt),
            ModeOfTier::new::<GcmDecrypt<$tier>>(Mode::GcmDecrypt),
        ][..]
    };
    (@ crc $tier:ty) => { &[ModeOfTier::new::<Crc<$tier>>(Mode::Digest)][..] };
}

/// Returns all tiers, those that this CPU cannot run among them.
pub fn tiers() -> Vec<Ours> {
    tiers! {
        "aria-scalar", Aria, 1:
            [ecb cbc ctr xts] Scalar<aria::Aria>, [gcm] CtrGhash<Scalar<aria::Aria>, ScalarHash>;
        "aria-aesni-avx", Aria, 16:
            [ecb cbc ctr xts] aria::x86::vex::AesniAvx, [gcm] CtrGhash<aria::x86::vex::AesniAvx, ghash::x86::Avx>;
        "aria-gfni-avx", Aria, 16:
            [ecb cbc ctr xts] aria::x86::vex::GfniAvx, [gcm] CtrGhash<aria::x86::vex::GfniAvx, ghash::x86::Avx>;
        "aria-aesni-avx2", Aria, 32:
            [ecb cbc ctr xts] aria::x86::vex::AesniAvx2, [gcm] CtrGhash<aria::x86::vex::AesniAvx2, ghash::x86::Avx>;
        "aria-vaes-avx2", Aria, 32:
            [ecb cbc ctr xts] aria::x86::vex::VaesAvx2, [gcm] CtrGhash<aria::x86::vex::VaesAvx2, ghash::x86::Avx2>;
        "aria-gfni-avx2", Aria, 32:
            [ecb cbc ctr xts] aria::x86::vex::GfniAvx2, [gcm] CtrGhash<aria::x86::vex::GfniAvx2, ghash::x86::Avx2>;
        "aria-gfni-avx512vl", Aria, 32:
            [ecb cbc ctr xts] aria::x86::avx512::GfniAvx512vl,
            [gcm] CtrGhash<aria::x86::avx512::GfniAvx512vl, ghash::x86::Avx2>;
        "aria-gfni-avx512", Aria, 64:
            [ecb cbc ctr xts] aria::x86::avx512::GfniAvx512,
            [gcm] CtrGhash<aria::x86::avx512::GfniAvx512, ghash::x86::Avx512>;
        "camellia-scalar", Camellia, 1:
            [ecb cbc ctr xts] Scalar<camellia::Camellia>,
            [gcm] CtrGhash<Scalar<camellia::Camellia>, ScalarHash>;
        "camellia-asm", Camellia, 2: [ecb cbc ctr xts] camellia::x86::Asm;
        "camellia-aesni-avx", Camellia, 16:
            [ecb cbc ctr xts] camellia::x86::vex::AesniAvx,
            [gcm] CtrGhash<camellia::x86::vex::AesniAvx, ghash::x86::Avx>;
        "camellia-aesni-avx2", Camellia, 32:
            [ecb cbc ctr xts] camellia::x86::vex::AesniAvx2,
            [gcm] CtrGhash<camellia::x86::vex::AesniAvx2, ghash::x86::Avx>;
        "camellia-vaes-avx2", Camellia, 32:
            [ecb cbc ctr xts] camellia::x86::vex::VaesAvx2,
            [gcm] CtrGhash<camellia::x86::vex::VaesAvx2, ghash::x86::Avx2>;
        "camellia-gfni-avx2", Camellia, 32:
            [ecb cbc ctr xts] camellia::x86::vex::GfniAvx2,
            [gcm] CtrGhash<camellia::x86::vex::GfniAvx2, ghash::x86::Avx2>;
        "camellia-gfni-avx512vl", Camellia, 32:
            [ecb cbc ctr xts] camellia::x86::avx512::GfniAvx512vl,
            [gcm] CtrGhash<camellia::x86::avx512::GfniAvx512vl, ghash::x86::Avx2>;
        "camellia-gfni-avx512", Camellia, 64:
            [ecb cbc ctr xts] camellia::x86::avx512::GfniAvx512,
            [gcm] CtrGhash<camellia::x86::avx512::GfniAvx512, ghash::x86::Avx512>;
        "aes-scalar", Aes, 1: [ctr] Scalar<aes::Aes>, [gcm] CtrGhash<Scalar<aes::Aes>, ScalarHash>;
        "aes-vaes-avx512vl", Aes, 8: [ctr] aes::x86::Avx512vl, [gcm] aes::x86::Avx512vl;
        "aes-vaes-avx512", Aes, 16: [ctr] aes::x86::Avx512, [gcm] aes::x86::Avx512;
        "crct10dif-scalar", CrcT10dif, 1: [crc] ScalarCrc;
        "crct10dif-avx", CrcT10dif, 16: [crc] crct10dif::x86::Avx;
        "crct10dif-avx2", CrcT10dif, 16: [crc] crct10dif::x86::Avx2;
        "crct10dif-avx512", CrcT10dif, 16: [crc] crct10dif::x86::Avx512;
    }
}

/// Makes a key schedule, or says what prevents it.
type Prepare = fn(&[u8]) -> Result<Box<dyn Routine>, String>;

/// A mode of a tier and how to get it.
#[derive(Clone, Copy)]
struct ModeOfTier {
    mode: Mode,
    is_scalar: bool,
    missing: fn() -> Option<String>,
    prepare: Prepare,
}

impl ModeOfTier {
    fn new<M: ModeOf>(mode: Mode) -> Self {
        Self {
            mode,
            is_scalar: M::Features::REQUIRED == simd::Scalar::REQUIRED,
            missing: || cpu::detect::<M::Features>().err(),
            prepare: prepare::<M>,
        }
    }
}

/// A tier and its modes.
pub struct Ours {
    /// Its name in reports.
    pub name: &'static str,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Length of a full batch in bytes.
    pub batch: usize,
    modes: Vec<ModeOfTier>,
}

impl Ours {
    /// Says what this CPU lacks for the tier.
    pub fn missing(&self) -> Option<String> {
        self.modes.iter().find_map(|mode| (mode.missing)())
    }

    /// Returns whether it is no tier, but the scalar code.
    pub fn is_scalar(&self) -> bool {
        self.modes.iter().all(|mode| mode.is_scalar)
    }

    /// As [`Implementation::prepare`], with a view of what is inside.
    pub fn routine(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Routine>, Refusal> {
        let mode = self.modes.iter().find(|mode| mode.mode == case.mode);
        match mode {
            Some(mode) if self.algorithm == case.algorithm => {
                (mode.prepare)(key).map_err(Refusal::Failed)
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

    /// Sets another key, of the same length.
    fn set_key(&mut self, bytes: &[u8]);

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

    fn set_key(&mut self, bytes: &[u8]) {
        M::set_key(&mut self.key, bytes).expect("a key as long as the one before");
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

/// Declares the directions of XTS.
macro_rules! xts {
    ($($mode:ident: $function:ident;)*) => {$(
        struct $mode<T>(PhantomData<T>);

        impl<T: tier::Xts> ModeOf for $mode<T> {
            type Features = T::Features;
            type Key = xts::Key<T>;
            type Scratch = T::Scratch;
            type State = Block;

            const MIN: usize = T::MIN;

            fn set_key(key: &mut xts::Key<T>, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
                key.set(bytes)
            }

            #[inline]
            fn start(key: &xts::Key<T>) -> Block {
                key.tweak(&IV)
            }

            #[inline]
            fn run(
                simd: Simd<'_, T::Features>,
                key: &xts::Key<T>,
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

/// Declares a direction of GCM, without associated data.
macro_rules! gcm {
    ($($mode:ident: $function:ident;)*) => {$(
        struct $mode<T>(PhantomData<T>);

        impl<T: gcm::Tier> ModeOf for $mode<T> {
            type Features = T::Features;
            type Key = T::Key;
            type Scratch = T::Scratch;
            type State = Block;

            const MIN: usize = 0;

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
                _: &mut Block,
                data: InOut<'_>,
                tag: &mut Tag,
            ) {
                let mut message = gcm::Message::new(&NONCE);
                *tag = T::$function(simd, key, scratch, &mut message, data);
            }
        }
    )*};
}

gcm! {
    GcmEncrypt: encrypt_last;
    GcmDecrypt: decrypt_last;
}

/// GHASH in scalar code in the place of a tier.
struct ScalarHash;

impl ghash::Tier for ScalarHash {
    type Features = simd::Scalar;

    #[inline]
    fn update(_: Simd<'_, simd::Scalar>, key: &ghash::Key, acc: &mut Block, data: &[u8]) {
        ghash::scalar::update(key, acc, data);
    }
}

/// The checksum.
struct Crc<T>(PhantomData<T>);

/// What a checksum has in the place of a key.
struct NoKey;

// SAFETY: It has no bytes.
unsafe impl Context for NoKey {}

impl<T: crct10dif::Tier> ModeOf for Crc<T> {
    type Features = T::Features;
    type Key = NoKey;
    type Scratch = ();
    type State = u16;

    const MIN: usize = T::MIN;

    fn set_key(_: &mut NoKey, _: &[u8]) -> Result<(), InvalidKeyLength> {
        Ok(())
    }

    #[inline]
    fn start(_: &NoKey) -> u16 {
        0
    }

    #[inline]
    fn run(
        simd: Simd<'_, T::Features>,
        _: &NoKey,
        _: &mut MaybeUninit<()>,
        crc: &mut u16,
        data: InOut<'_>,
        tag: &mut Tag,
    ) {
        *crc = if data.len() < T::MIN {
            crct10dif::scalar::update(*crc, data.source())
        } else {
            T::update(simd, *crc, data.source())
        };
        tag[..2].copy_from_slice(&crc.to_be_bytes());
    }
}

/// The checksum in scalar code in the place of a tier.
struct ScalarCrc;

impl crct10dif::Tier for ScalarCrc {
    type Features = simd::Scalar;

    const MIN: usize = 0;

    #[inline]
    fn update(_: Simd<'_, simd::Scalar>, crc: u16, data: &[u8]) -> u16 {
        crct10dif::scalar::update(crc, data)
    }
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
    ($($kind:ident: $($function:ident($($state:ident)?)),+;)*) => {$(
        impl<C: BlockCipher> tier::$kind for Scalar<C> {
            $(
                #[inline]
                fn $function<'a>(
                    _: Simd<'_, simd::Scalar>,
                    key: &C::Key,
                    _: &mut MaybeUninit<()>,
                    $($state: &mut Block,)?
                    data: InOut<'a>,
                ) -> InOut<'a> {
                    scalar::$function::<C>(key, $($state,)? data)
                }
            )+
        }
    )*};
}

by_scalar! {
    Ecb: ecb_encrypt(), ecb_decrypt();
    Cbc: cbc_decrypt(iv);
    Xts: xts_encrypt(tweak), xts_decrypt(tweak);
}

impl<C: BlockCipher> tier::Ctr for Scalar<C> {
    #[inline]
    fn ctr(
        _: Simd<'_, simd::Scalar>,
        key: &C::Key,
        _: &mut MaybeUninit<()>,
        counter: &mut Block,
        data: InOut<'_>,
    ) {
        scalar::ctr::<C>(key, counter, data);
    }
}
