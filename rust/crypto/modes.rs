// SPDX-License-Identifier: GPL-2.0

//! Modes of operation over the block ciphers of `rust/ciphers`.
//!
//! A module states its cipher and tiers in one table, [`cipher_drivers!`](crate::cipher_drivers);
//! the types here make a driver of each mode of each tier.

use super::ciphers::{
    gcm::{self, Tier as _},
    ghash,
    inout::InOut,
    lrw,
    simd::{Cpu, Features, Simd},
    tier::{self, scalar, Block, BlockCipher, Context, InvalidKeyLength, Tier, BLOCK_SIZE},
    xts,
};
use super::crypto::{
    cpu, names::Name, Aead, AeadRequest, AeadStep, Algorithms, Assoc, Cipher, Request, Skcipher,
    Step, Vector, Wiped,
};
use core::{marker::PhantomData, mem::MaybeUninit};
use kernel::prelude::*;

/// A block cipher, and its scalar code as a [`Cipher`] driver.
pub trait BlockDriver: BlockCipher {
    /// Algorithm name, such as `aria`.
    const NAME: &'static str;
    /// What is behind that in the driver name of the scalar code.
    const DRIVER_SUFFIX: &'static str;
    /// Priority of the scalar code.
    const PRIORITY: u16;
}

/// A vector implementation of a block cipher, and what its drivers are called.
pub trait Drivers: tier::Tier<Cipher: BlockDriver> {
    /// The end of the driver names, such as `avx2`.
    const TIER: &'static str;
    /// Priority of all drivers of the tier.
    const PRIORITY: u16;
}

/// A tier that has GCM.
pub trait GcmDrivers: Drivers {
    /// The implementation.
    type Gcm: gcm::Tier<Cipher = Self::Cipher>;
    /// The same drivers for CPUs that lack what the implementation needs: [`Otherwise`], or `Self`
    /// if they have none there.
    type Fallback: GcmDrivers;
}

/// The drivers of GCM of the tier `T`, by the implementation `G`.
pub struct Otherwise<T, G>(PhantomData<(T, G)>);

impl<T: Tier, G: 'static> Tier for Otherwise<T, G> {
    type Cipher = T::Cipher;
    type Features = T::Features;
    type Scratch = T::Scratch;
    type Key = T::Key;

    const MIN: usize = T::MIN;

    fn set_key(key: &mut T::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        T::set_key(key, bytes)
    }

    fn scalar_key(key: &T::Key) -> &ScalarKey<T> {
        T::scalar_key(key)
    }
}

impl<T: Drivers, G: 'static> Drivers for Otherwise<T, G> {
    const TIER: &'static str = T::TIER;
    const PRIORITY: u16 = T::PRIORITY;
}

impl<T: Drivers, G: gcm::Tier<Cipher = T::Cipher>> GcmDrivers for Otherwise<T, G> {
    type Gcm = G;
    type Fallback = Self;
}

/// A mode of operation: a driver of each tier.
pub trait Mode: 'static {
    /// The tier.
    type Tier: Drivers;
    /// What the CPU must have: the features of the tier, and what the mode needs besides.
    type Features: Features;
    /// What stands before and behind the name of the cipher in the algorithm name.
    const ALGORITHM: [&'static str; 2];
    /// The beginning of the driver name.
    const DRIVER: &'static str;

    /// Registers the driver.
    fn register(algorithms: &mut Algorithms, cpu: Cpu<Self::Features>) -> Result;
}

/// The two names of the driver of a mode.
pub struct Names<M>(PhantomData<M>);

impl<M: Mode> Names<M> {
    const ALGORITHM_NAME: Name = Name::new(&[
        M::ALGORITHM[0],
        <M::Tier as tier::Tier>::Cipher::NAME,
        M::ALGORITHM[1],
    ]);
    const DRIVER_NAME: Name = Name::new(&[
        M::DRIVER,
        "-",
        <M::Tier as tier::Tier>::Cipher::NAME,
        "-",
        M::Tier::TIER,
    ]);
    /// What users ask for, such as `ctr(aria)`.
    pub const ALGORITHM: &'static CStr = Self::ALGORITHM_NAME.as_c_str();
    /// This implementation of it, such as `ctr-aria-avx2`.
    pub const DRIVER: &'static CStr = Self::DRIVER_NAME.as_c_str();
}

/// Registers the driver of a mode, of a tier that was admitted, or says what it lacks besides.
///
/// # Errors
///
/// As [`Algorithms::skcipher`].
pub fn register<M: Mode>(algorithms: &mut Algorithms) -> Result {
    match cpu::detect() {
        Ok(cpu) => M::register(algorithms, cpu),
        Err(missing) => {
            let driver = Names::<M>::DRIVER;
            pr_notice!("{} is left out: the CPU lacks {}\n", driver, missing);
            Ok(())
        }
    }
}

/// Makes drivers of a cipher, from a table of its tiers.
///
/// A row is what its drivers are called, the width of the registers, the priority, and the
/// implementations that share the name, best first: each with the symbol of its configuration and
/// the modes that it has. The first one that the CPU can run is registered. So it is with GCM, which
/// can have a second implementation.
///
/// Defines `register_drivers()`, which registers all of them and the scalar code, and the module's
/// aliases. With `modes of:` in the place of `cipher:` the scalar code is not a driver.
#[macro_export]
macro_rules! cipher_drivers {
    { cipher: $cipher:ty, tiers: $tiers:tt } => {
        $crate::cipher_drivers! { @single [$cipher], tiers: $tiers }
    };
    { modes of: $cipher:ty, tiers: $tiers:tt } => {
        $crate::cipher_drivers! { @single [], tiers: $tiers }
    };
    {
        @single [$($cipher:ty)?],
        tiers: {$(
            $name:literal: $bits:literal bits, priority $priority:literal, {$(
                $config:ident: $tier:ty, modes $modes:tt $(, gcm $gcm:ty $(, or $fallback:ty)?)?;
            )+}
        )*}
    } => {
        $($(
            #[cfg($config)]
            impl $crate::modes::Drivers for $tier {
                const TIER: &'static str = $name;
                const PRIORITY: u16 = $priority;
            }

            $(
                #[cfg($config)]
                impl $crate::modes::GcmDrivers for $tier {
                    type Gcm = $gcm;
                    type Fallback = $crate::cipher_drivers!(@fallback $tier $(, $fallback)?);
                }
            )?
        )+)*

        /// Registers all drivers that this machine can run and the user allows, and says which
        /// tiers are left out.
        // There may be no tier in this configuration.
        #[allow(unused_mut, unused_variables)]
        fn register_drivers(
            algorithms: &mut $crate::crypto::Algorithms,
            limits: $crate::crypto::Limits,
        ) -> Result {
            $(algorithms.cipher::<$crate::modes::Single<$cipher>>()?;)?
            $({
                let mut left_out = None::<$crate::crypto::LeftOut>;
                let mut is_there = false;
                $(
                    #[cfg($config)]
                    if !is_there {
                        match limits.admit::<<$tier as $crate::ciphers::tier::Tier>::Features>($bits) {
                            Ok(handicap) => {
                                is_there = true;
                                algorithms.set_handicap(handicap);
                                $crate::cipher_drivers!(@register algorithms $tier, $modes);
                            }
                            Err(reason) => left_out = Some(reason),
                        }
                    }
                )+
                if let (false, Some(reason)) = (is_there, left_out) {
                    pr_notice!("tier {} is left out: {}\n", $name, reason);
                }
            })*
            algorithms.set_handicap(0);
            Ok(())
        }

        #[cfg(MODULE)]
        const _: () = {
            const NAMES: &[&[&'static CStr]] = &[
                $(&$crate::modes::Single::<$cipher>::NAMES,)?
                $($(
                    #[cfg($config)]
                    $crate::cipher_drivers!(@names $tier, $modes),
                )+)*
            ];
            #[link_section = ".modinfo"]
            #[used(compiler)]
            static ALIASES: [u8; $crate::crypto::names::aliases_len(NAMES)] =
                $crate::crypto::names::aliases(NAMES);
        };
    };
    (@fallback $tier:ty) => { $tier };
    (@fallback $tier:ty, $gcm:ty) => { $crate::modes::Otherwise<$tier, $gcm> };
    (@register $algorithms:ident $tier:ty, [$($mode:ident),* $(,)?]) => {
        $(
            $crate::modes::register::<$crate::modes::$mode<$tier>>($algorithms)?;
        )*
    };
    (@names $tier:ty, [$($mode:ident),* $(,)?]) => {
        &[$(
            $crate::modes::Names::<$crate::modes::$mode<$tier>>::ALGORITHM,
            $crate::modes::Names::<$crate::modes::$mode<$tier>>::DRIVER,
        )*]
    };
}

/// The cipher `C`, one block at a time.
pub struct Single<C>(PhantomData<C>);

impl<C: BlockDriver> Single<C> {
    const ALGORITHM_NAME: Name = Name::new(&[C::NAME]);
    const FULL_DRIVER_NAME: Name = Name::new(&[C::NAME, "-", C::DRIVER_SUFFIX]);
    /// Algorithm and driver name.
    pub const NAMES: [&'static CStr; 2] = [
        Self::ALGORITHM_NAME.as_c_str(),
        Self::FULL_DRIVER_NAME.as_c_str(),
    ];
}

impl<C: BlockDriver> Cipher for Single<C> {
    const NAME: &'static CStr = Self::NAMES[0];
    const DRIVER_NAME: &'static CStr = Self::NAMES[1];
    const PRIORITY: u16 = C::PRIORITY;
    const BLOCK_SIZE: usize = BLOCK_SIZE;
    const MIN_KEY_SIZE: usize = C::KEY_SIZES.0;
    const MAX_KEY_SIZE: usize = C::KEY_SIZES.1;

    type Key = C::Key;

    fn set_key(key: &mut C::Key, bytes: &[u8]) -> Result {
        C::set_key(key, bytes).map_err(invalid_key)
    }

    fn encrypt(key: &C::Key, block: InOut<'_>) {
        scalar::ecb_encrypt::<C>(key, block);
    }

    fn decrypt(key: &C::Key, block: InOut<'_>) {
        scalar::ecb_decrypt::<C>(key, block);
    }
}

/// The key schedule of the scalar code of a tier.
type ScalarKey<T> = <<T as Tier>::Cipher as BlockCipher>::Key;

/// Electronic codebook mode, SP 800-38A section 6.1.
pub struct Ecb<T>(PhantomData<T>);

impl<T: Drivers + tier::Ecb> Mode for Ecb<T> {
    type Tier = T;
    type Features = T::Features;
    const ALGORITHM: [&'static str; 2] = ["ecb(", ")"];
    const DRIVER: &'static str = "ecb";

    fn register(algorithms: &mut Algorithms, cpu: Cpu<T::Features>) -> Result {
        algorithms.skcipher::<Self>(cpu)
    }
}

impl<T: Drivers + tier::Ecb> Ecb<T> {
    fn crypt(
        request: &mut Request<'_, Self>,
        on_vectors: impl for<'a> Fn(
            Simd<'_, T::Features>,
            &T::Key,
            &mut MaybeUninit<T::Scratch>,
            InOut<'a>,
        ) -> InOut<'a>,
        scalar: impl for<'a> Fn(&ScalarKey<T>, InOut<'a>) -> InOut<'a>,
    ) -> Result {
        whole_blocks(request)?;
        let key = request.key();
        request.walk(|step| {
            let Step {
                data,
                vector,
                scratch,
                ..
            } = step;
            let rest = vector.run(|simd| match simd {
                Some(simd) => on_vectors(simd, key, scratch.get(), data),
                None => scalar(T::scalar_key(key), data),
            });
            rest.len()
        })
    }
}

impl<T: Drivers + tier::Ecb> Skcipher for Ecb<T> {
    const NAME: &'static CStr = Names::<Self>::ALGORITHM;
    const DRIVER_NAME: &'static CStr = Names::<Self>::DRIVER;
    const PRIORITY: u16 = T::PRIORITY;
    const BLOCK_SIZE: usize = BLOCK_SIZE;
    const MIN_KEY_SIZE: usize = T::Cipher::KEY_SIZES.0;
    const MAX_KEY_SIZE: usize = T::Cipher::KEY_SIZES.1;
    const VECTOR_MIN: usize = T::MIN;

    type Features = T::Features;
    type Iv = [u8; 0];
    type Key = T::Key;
    type Scratch = T::Scratch;

    fn set_key(vector: Vector<T::Features>, key: &mut T::Key, bytes: &[u8]) -> Result {
        set_key::<T>(vector, key, bytes)
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        Self::crypt(request, T::ecb_encrypt, scalar::ecb_encrypt::<T::Cipher>)
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        Self::crypt(request, T::ecb_decrypt, scalar::ecb_decrypt::<T::Cipher>)
    }
}

/// Cipher block chaining, SP 800-38A section 6.2.
///
/// Encryption is serial. It is done by vector code where that is faster for a single block.
pub struct Cbc<T>(PhantomData<T>);

impl<T: Drivers + tier::Ecb + tier::Cbc> Mode for Cbc<T> {
    type Tier = T;
    type Features = T::Features;
    const ALGORITHM: [&'static str; 2] = ["cbc(", ")"];
    const DRIVER: &'static str = "cbc";

    fn register(algorithms: &mut Algorithms, cpu: Cpu<T::Features>) -> Result {
        algorithms.skcipher::<Self>(cpu)
    }
}

impl<T: Drivers + tier::Ecb + tier::Cbc> Skcipher for Cbc<T> {
    const NAME: &'static CStr = Names::<Self>::ALGORITHM;
    const DRIVER_NAME: &'static CStr = Names::<Self>::DRIVER;
    const PRIORITY: u16 = T::PRIORITY;
    const BLOCK_SIZE: usize = BLOCK_SIZE;
    const MIN_KEY_SIZE: usize = T::Cipher::KEY_SIZES.0;
    const MAX_KEY_SIZE: usize = T::Cipher::KEY_SIZES.1;
    const VECTOR_MIN: usize = T::MIN;

    type Features = T::Features;
    type Iv = Block;
    type Key = T::Key;
    type Scratch = T::Scratch;

    fn set_key(vector: Vector<T::Features>, key: &mut T::Key, bytes: &[u8]) -> Result {
        set_key::<T>(vector, key, bytes)
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        whole_blocks(request)?;
        let key = request.key();
        request.walk(|step| {
            let Step {
                data,
                iv,
                vector,
                scratch,
                ..
            } = step;
            if T::MIN > BLOCK_SIZE {
                return scalar::cbc_encrypt::<T::Cipher>(T::scalar_key(key), iv, data).len();
            }
            let rest = vector.run(|simd| match simd {
                Some(simd) => data.map_blocks(|block| {
                    *iv = xor(block, iv);
                    T::ecb_encrypt(simd, key, scratch.get(), InOut::in_place(iv));
                    *iv
                }),
                None => scalar::cbc_encrypt::<T::Cipher>(T::scalar_key(key), iv, data),
            });
            rest.len()
        })
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        whole_blocks(request)?;
        let key = request.key();
        request.walk(|step| {
            let Step {
                data,
                iv,
                vector,
                scratch,
                ..
            } = step;
            let rest = vector.run(|simd| match simd {
                Some(simd) => T::cbc_decrypt(simd, key, scratch.get(), iv, data),
                None => scalar::cbc_decrypt::<T::Cipher>(T::scalar_key(key), iv, data),
            });
            rest.len()
        })
    }
}

/// Counter mode, SP 800-38A section 6.5, with a 128-bit big-endian counter.
pub struct Ctr<T>(PhantomData<T>);

impl<T: Drivers + tier::Ctr> Mode for Ctr<T> {
    type Tier = T;
    type Features = T::Features;
    const ALGORITHM: [&'static str; 2] = ["ctr(", ")"];
    const DRIVER: &'static str = "ctr";

    fn register(algorithms: &mut Algorithms, cpu: Cpu<T::Features>) -> Result {
        algorithms.skcipher::<Self>(cpu)
    }
}

impl<T: Drivers + tier::Ctr> Skcipher for Ctr<T> {
    const NAME: &'static CStr = Names::<Self>::ALGORITHM;
    const DRIVER_NAME: &'static CStr = Names::<Self>::DRIVER;
    const PRIORITY: u16 = T::PRIORITY;
    const BLOCK_SIZE: usize = 1;
    const MIN_KEY_SIZE: usize = T::Cipher::KEY_SIZES.0;
    const MAX_KEY_SIZE: usize = T::Cipher::KEY_SIZES.1;
    const CHUNK_SIZE: usize = BLOCK_SIZE;
    const VECTOR_MIN: usize = T::MIN;

    type Features = T::Features;
    type Iv = Block;
    type Key = T::Key;
    type Scratch = T::Scratch;

    fn set_key(vector: Vector<T::Features>, key: &mut T::Key, bytes: &[u8]) -> Result {
        set_key::<T>(vector, key, bytes)
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        let key = request.key();
        request.walk(|step| {
            let Step {
                data,
                iv,
                last,
                vector,
                scratch,
            } = step;
            let (data, left) = whole_blocks_before_end(data, last);
            vector.run(|simd| match simd {
                Some(simd) => T::ctr(simd, key, scratch.get(), iv, data),
                None => scalar::ctr::<T::Cipher>(T::scalar_key(key), iv, data),
            });
            left
        })
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        Self::encrypt(request)
    }
}

/// XTS, IEEE 1619: any length from one block on, by ciphertext stealing.
pub struct Xts<T>(PhantomData<T>);

impl<T: Drivers + tier::Xts> Mode for Xts<T> {
    type Tier = T;
    type Features = T::Features;
    const ALGORITHM: [&'static str; 2] = ["xts(", ")"];
    const DRIVER: &'static str = "xts";

    fn register(algorithms: &mut Algorithms, cpu: Cpu<T::Features>) -> Result {
        algorithms.skcipher::<Self>(cpu)
    }
}

impl<T: Drivers + tier::Xts> Xts<T> {
    fn crypt(
        request: &mut Request<'_, Self>,
        on_vectors: impl for<'a> Fn(
            Simd<'_, T::Features>,
            &T::Key,
            &mut MaybeUninit<T::Scratch>,
            &mut Block,
            InOut<'a>,
        ) -> InOut<'a>,
        scalar: impl for<'a> Fn(&ScalarKey<T>, &mut Block, InOut<'a>) -> InOut<'a>,
        direction: xts::Direction,
    ) -> Result {
        let len = request.len();
        if len < BLOCK_SIZE {
            return Err(EINVAL);
        }
        let key = request.key();
        let mut tweak = key.tweak(request.iv());
        let tail_len = xts::tail_len(len);
        let head_len = len.saturating_sub(tail_len);

        request.walk_first(head_len, |step| {
            let Step {
                data,
                vector,
                scratch,
                ..
            } = step;
            let rest = vector.run(|simd| match simd {
                Some(simd) => on_vectors(simd, &key.data, scratch.get(), &mut tweak, data),
                None => scalar(T::scalar_key(&key.data), &mut tweak, data),
            });
            rest.len()
        })?;

        let mut bytes = [0; xts::MAX_TAIL];
        let bytes = bytes.get_mut(..tail_len).unwrap_or_default();
        if !bytes.is_empty() {
            request.read(head_len, bytes)?;
            let vector = request.vector();
            let scratch = request.scratch();
            vector.run(|simd| {
                xts::crypt_tail(direction, &tweak, bytes, |mut tweak, block| {
                    let block = InOut::in_place(block);
                    match simd {
                        Some(simd) => on_vectors(simd, &key.data, scratch.get(), &mut tweak, block),
                        None => scalar(T::scalar_key(&key.data), &mut tweak, block),
                    };
                });
            });
            request.write(head_len, bytes)?;
        }
        Ok(())
    }
}

impl<T: Drivers + tier::Xts> Skcipher for Xts<T> {
    const NAME: &'static CStr = Names::<Self>::ALGORITHM;
    const DRIVER_NAME: &'static CStr = Names::<Self>::DRIVER;
    const PRIORITY: u16 = T::PRIORITY;
    const BLOCK_SIZE: usize = BLOCK_SIZE;
    const MIN_KEY_SIZE: usize = 2 * T::Cipher::KEY_SIZES.0;
    const MAX_KEY_SIZE: usize = 2 * T::Cipher::KEY_SIZES.1;
    const VECTOR_MIN: usize = T::MIN;
    const IS_XTS: bool = true;

    type Features = T::Features;
    type Iv = Block;
    type Key = xts::Key<T>;
    type Scratch = T::Scratch;

    fn set_key(_: Vector<Self::Features>, key: &mut Self::Key, bytes: &[u8]) -> Result {
        key.set(bytes).map_err(invalid_key)
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        let scalar = scalar::xts_encrypt::<T::Cipher>;
        Self::crypt(request, T::xts_encrypt, scalar, xts::Direction::Encrypt)
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        let scalar = scalar::xts_decrypt::<T::Cipher>;
        Self::crypt(request, T::xts_decrypt, scalar, xts::Direction::Decrypt)
    }
}

/// Galois/Counter mode, SP 800-38D.
pub struct Gcm<T>(PhantomData<T>);

impl<T: GcmDrivers> Mode for Gcm<T> {
    type Tier = T;
    type Features = <<T::Fallback as GcmDrivers>::Gcm as gcm::Tier>::Features;
    const ALGORITHM: [&'static str; 2] = ["gcm(", ")"];
    const DRIVER: &'static str = "gcm";

    fn register(algorithms: &mut Algorithms, cpu: Cpu<Self::Features>) -> Result {
        match cpu::detect() {
            Ok(cpu) => algorithms.aead::<Self>(cpu),
            Err(_) => algorithms.aead::<Gcm<T::Fallback>>(cpu),
        }
    }
}

/// A driver of GCM in one of its formats.
trait GcmFormat: Aead<Scratch = <Self::Tier as gcm::Tier>::Scratch> {
    type Tier: gcm::Tier<Features = Self::Features>;

    /// Bytes at the end of the associated data that are none.
    const NOT_ASSOC: usize;

    fn gcm_key(key: &Self::Key) -> &<Self::Tier as gcm::Tier>::Key;

    /// Checks a request.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if there cannot be so much associated data.
    fn gcm_check(_: &AeadRequest<'_, Self>) -> Result {
        Ok(())
    }

    /// Returns the IV of the message.
    fn gcm_iv(request: &AeadRequest<'_, Self>) -> [u8; gcm::IV_SIZE];
}

/// Associated data shares an FPU section with the first piece of text if it lies in one piece and
/// is no longer than this. That of IPsec and TLS does and is.
const SHORT_ASSOC: usize = 256;

type GcmKey<A> = <<A as GcmFormat>::Tier as gcm::Tier>::Key;
type GcmScalarKey<A> = <<<A as GcmFormat>::Tier as gcm::Tier>::Cipher as BlockCipher>::Key;

/// Has associated data hashed that gets FPU sections of its own, one for each piece.
#[cold]
fn gcm_hash_assoc<A: GcmFormat>(
    vector: Vector<A::Features>,
    key: &GcmKey<A>,
    message: &mut gcm::Message,
    assoc: Assoc<'_>,
) {
    let mut hash = |run: &[u8]| {
        vector.run(|simd| match simd {
            Some(simd) => A::Tier::assoc(simd, key, message, run),
            None => gcm::scalar::assoc(A::Tier::hash_key(key), message, run),
        })
    };
    let mut blocks = gcm::Blocks::default();

    assoc.for_each(|piece| blocks.feed(piece, &mut hash));
    if let Some(rest) = blocks.take_rest() {
        hash(rest);
    }
}

/// Does a request up to its tag, the text by `on_vectors`, the last piece of it by `last_on_vectors`,
/// or all by `scalar`.
///
/// There are as few FPU sections as pieces of text: short associated data and the tag share theirs.
#[inline(always)]
fn gcm_crypt<A: GcmFormat>(
    request: &mut AeadRequest<'_, A>,
    tag: &mut Block,
    on_vectors: impl Fn(
        Simd<'_, A::Features>,
        &GcmKey<A>,
        &mut MaybeUninit<A::Scratch>,
        &mut gcm::Message,
        InOut<'_>,
    ),
    last_on_vectors: impl Fn(
        Simd<'_, A::Features>,
        &GcmKey<A>,
        &mut MaybeUninit<A::Scratch>,
        &mut gcm::Message,
        InOut<'_>,
    ) -> Block,
    scalar: impl Fn(&GcmScalarKey<A>, &ghash::Key, &mut gcm::Message, InOut<'_>),
) -> Result {
    let key = A::gcm_key(request.key());
    let vector = request.vector();
    A::gcm_check(request)?;
    let mut message = Wiped::new(gcm::Message::new(&A::gcm_iv(request)));
    let assoc = request.assoc().without_last(A::NOT_ASSOC);
    // No scatterlist is walked within a section.
    let mut short = assoc.single_piece(SHORT_ASSOC);

    if short.is_none() {
        gcm_hash_assoc::<A>(vector, key, &mut message, assoc);
    }
    request.walk(|step| {
        let AeadStep {
            data,
            last,
            scratch,
        } = step;
        let (data, left) = whole_blocks_before_end(data, last);
        let short = short.take();
        let message = &mut *message;

        vector.run(|simd| match simd {
            Some(simd) => {
                let scratch = scratch.get();
                if let Some(assoc) = short {
                    A::Tier::assoc(simd, key, message, assoc);
                }
                if last {
                    *tag = last_on_vectors(simd, key, scratch, message, data);
                } else {
                    on_vectors(simd, key, scratch, message, data);
                }
            }
            None => {
                let tag = last.then_some(&mut *tag);
                gcm_scalar_step::<A>(
                    key,
                    message,
                    short,
                    |key, hash_key, message| scalar(key, hash_key, message, data),
                    tag,
                );
            }
        });
        left
    })
}

/// Does a step in scalar code: associated data that is due, the text by `crypt`, and `tag` if it is
/// the last one.
#[cold]
fn gcm_scalar_step<A: GcmFormat>(
    key: &GcmKey<A>,
    message: &mut gcm::Message,
    assoc: Option<&[u8]>,
    crypt: impl FnOnce(&GcmScalarKey<A>, &ghash::Key, &mut gcm::Message),
    tag: Option<&mut Block>,
) {
    let (key, hash_key) = (A::Tier::scalar_key(key), A::Tier::hash_key(key));

    if let Some(assoc) = assoc {
        gcm::scalar::assoc(hash_key, message, assoc);
    }
    crypt(key, hash_key, message);
    if let Some(tag) = tag {
        *tag = gcm::scalar::tag::<<A::Tier as gcm::Tier>::Cipher>(key, hash_key, message);
    }
}

fn gcm_encrypt<A: GcmFormat>(request: &mut AeadRequest<'_, A>) -> Result {
    let scalar = gcm::scalar::encrypt::<<A::Tier as gcm::Tier>::Cipher>;
    let mut tag = [0; BLOCK_SIZE];

    gcm_crypt(
        request,
        &mut tag,
        A::Tier::encrypt,
        A::Tier::encrypt_last,
        scalar,
    )?;
    request.seal(&tag);
    Ok(())
}

fn gcm_decrypt<A: GcmFormat>(request: &mut AeadRequest<'_, A>) -> Result {
    let scalar = gcm::scalar::decrypt::<<A::Tier as gcm::Tier>::Cipher>;
    // The tag of a message that somebody else made up is nothing for others to see.
    let mut tag = Wiped::new([0; BLOCK_SIZE]);

    gcm_crypt(
        request,
        &mut tag,
        A::Tier::decrypt,
        A::Tier::decrypt_last,
        scalar,
    )?;
    request.open(&tag)
}

impl<T: GcmDrivers> GcmFormat for Gcm<T> {
    type Tier = T::Gcm;

    const NOT_ASSOC: usize = 0;

    fn gcm_key(key: &Self::Key) -> &GcmKey<Self> {
        key
    }

    fn gcm_iv(request: &AeadRequest<'_, Self>) -> [u8; gcm::IV_SIZE] {
        *request.iv()
    }
}

impl<T: GcmDrivers> Aead for Gcm<T> {
    const NAME: &'static CStr = Names::<Self>::ALGORITHM;
    const DRIVER_NAME: &'static CStr = Names::<Self>::DRIVER;
    const PRIORITY: u16 = T::PRIORITY;
    const MAX_TAG_SIZE: usize = gcm::TAG_SIZE;
    const CHUNK_SIZE: usize = BLOCK_SIZE;

    type Features = <T::Gcm as gcm::Tier>::Features;
    type Iv = [u8; gcm::IV_SIZE];
    type Key = <T::Gcm as gcm::Tier>::Key;
    type Scratch = <T::Gcm as gcm::Tier>::Scratch;

    fn set_key(vector: Vector<Self::Features>, key: &mut Self::Key, bytes: &[u8]) -> Result {
        set_gcm_key::<T::Gcm>(vector, key, bytes)
    }

    fn is_tag_size(size: usize) -> bool {
        matches!(size, 4 | 8 | 12..=16)
    }

    fn encrypt(request: &mut AeadRequest<'_, Self>) -> Result {
        gcm_encrypt(request)
    }

    fn decrypt(request: &mut AeadRequest<'_, Self>) -> Result {
        gcm_decrypt(request)
    }
}

/// Galois/Counter mode as IPsec has it, RFC 4106.
///
/// The key ends with a salt, which the IV begins with. The associated data of a request ends with
/// the rest of the IV, which is none of it.
pub struct Rfc4106<T>(PhantomData<T>);

/// The key of [`Rfc4106`].
pub struct Rfc4106Key<K> {
    gcm: K,
    salt: [u8; 4],
}

// SAFETY: All zero bytes are a value of either part.
unsafe impl<K: Context> Context for Rfc4106Key<K> {}

impl<T: GcmDrivers> Mode for Rfc4106<T> {
    type Tier = T;
    type Features = <<T::Fallback as GcmDrivers>::Gcm as gcm::Tier>::Features;
    const ALGORITHM: [&'static str; 2] = ["rfc4106(gcm(", "))"];
    const DRIVER: &'static str = "rfc4106-gcm";

    fn register(algorithms: &mut Algorithms, cpu: Cpu<Self::Features>) -> Result {
        match cpu::detect() {
            Ok(cpu) => algorithms.aead::<Self>(cpu),
            Err(_) => algorithms.aead::<Rfc4106<T::Fallback>>(cpu),
        }
    }
}

impl<T: GcmDrivers> GcmFormat for Rfc4106<T> {
    type Tier = T::Gcm;

    const NOT_ASSOC: usize = size_of::<<Self as Aead>::Iv>();

    fn gcm_key(key: &Self::Key) -> &GcmKey<Self> {
        &key.gcm
    }

    fn gcm_check(request: &AeadRequest<'_, Self>) -> Result {
        // SPI and sequence number, the latter of 32 or 64 bits, and the IV.
        match request.assoc().len() {
            16 | 20 => Ok(()),
            _ => Err(EINVAL),
        }
    }

    fn gcm_iv(request: &AeadRequest<'_, Self>) -> [u8; gcm::IV_SIZE] {
        let [a, b, c, d] = request.key().salt;
        let [e, f, g, h, i, j, k, l] = *request.iv();
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }
}

impl<T: GcmDrivers> Aead for Rfc4106<T> {
    const NAME: &'static CStr = Names::<Self>::ALGORITHM;
    const DRIVER_NAME: &'static CStr = Names::<Self>::DRIVER;
    const PRIORITY: u16 = T::PRIORITY;
    const MAX_TAG_SIZE: usize = gcm::TAG_SIZE;
    const CHUNK_SIZE: usize = BLOCK_SIZE;

    type Features = <T::Gcm as gcm::Tier>::Features;
    type Iv = [u8; 8];
    type Key = Rfc4106Key<<T::Gcm as gcm::Tier>::Key>;
    type Scratch = <T::Gcm as gcm::Tier>::Scratch;

    fn set_key(vector: Vector<Self::Features>, key: &mut Self::Key, bytes: &[u8]) -> Result {
        let (gcm, salt) = bytes.split_last_chunk().ok_or(EINVAL)?;
        set_gcm_key::<T::Gcm>(vector, &mut key.gcm, gcm)?;
        key.salt = *salt;
        Ok(())
    }

    fn is_tag_size(size: usize) -> bool {
        matches!(size, 8 | 12 | 16)
    }

    fn encrypt(request: &mut AeadRequest<'_, Self>) -> Result {
        gcm_encrypt(request)
    }

    fn decrypt(request: &mut AeadRequest<'_, Self>) -> Result {
        gcm_decrypt(request)
    }
}

/// LRW: each block between two additions of a product of its number.
pub struct Lrw<T>(PhantomData<T>);

impl<T: Drivers + tier::Ecb> Mode for Lrw<T> {
    type Tier = T;
    type Features = T::Features;
    const ALGORITHM: [&'static str; 2] = ["lrw(", ")"];
    const DRIVER: &'static str = "lrw";

    fn register(algorithms: &mut Algorithms, cpu: Cpu<T::Features>) -> Result {
        algorithms.skcipher::<Self>(cpu)
    }
}

impl<T: Drivers + tier::Ecb> Lrw<T> {
    fn crypt(
        request: &mut Request<'_, Self>,
        on_vectors: impl for<'a> Fn(
            Simd<'_, T::Features>,
            &T::Key,
            &mut MaybeUninit<T::Scratch>,
            InOut<'a>,
        ) -> InOut<'a>,
        scalar: impl for<'a> Fn(&ScalarKey<T>, InOut<'a>) -> InOut<'a>,
    ) -> Result {
        whole_blocks(request)?;
        if request.is_empty() {
            return Ok(());
        }
        let key = request.key();
        let mut tweaks = key.tweaks(request.iv());
        request.walk(|step| {
            let Step {
                mut data,
                iv,
                vector,
                scratch,
                ..
            } = step;
            let mut first = tweaks.clone();
            let rest = first.add(data.reborrow()).len();
            let blocks = data.at_destination();
            vector.run(|simd| match simd {
                Some(simd) => on_vectors(simd, &key.cipher, scratch.get(), blocks),
                None => scalar(T::scalar_key(&key.cipher), blocks),
            });
            tweaks.add(data.at_destination());
            *iv = tweaks.index();
            rest
        })
    }
}

impl<T: Drivers + tier::Ecb> Skcipher for Lrw<T> {
    const NAME: &'static CStr = Names::<Self>::ALGORITHM;
    const DRIVER_NAME: &'static CStr = Names::<Self>::DRIVER;
    const PRIORITY: u16 = T::PRIORITY;
    const BLOCK_SIZE: usize = BLOCK_SIZE;
    const MIN_KEY_SIZE: usize = T::Cipher::KEY_SIZES.0 + BLOCK_SIZE;
    const MAX_KEY_SIZE: usize = T::Cipher::KEY_SIZES.1 + BLOCK_SIZE;
    const VECTOR_MIN: usize = T::MIN;

    type Features = T::Features;
    type Iv = Block;
    type Key = lrw::Key<T::Key>;
    type Scratch = T::Scratch;

    fn set_key(_: Vector<Self::Features>, key: &mut Self::Key, bytes: &[u8]) -> Result {
        key.set::<T>(bytes).map_err(invalid_key)
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        Self::crypt(request, T::ecb_encrypt, scalar::ecb_encrypt::<T::Cipher>)
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        Self::crypt(request, T::ecb_decrypt, scalar::ecb_decrypt::<T::Cipher>)
    }
}

fn xor(a: &Block, b: &Block) -> Block {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}

fn invalid_key(_: InvalidKeyLength) -> Error {
    EINVAL
}

/// Sets the key of a tier, by its vector code if it has any for that.
fn set_key<T: Tier>(vector: Vector<T::Features>, key: &mut T::Key, bytes: &[u8]) -> Result {
    let vector = match T::SETS_KEY_ON_VECTORS {
        true => vector,
        false => Vector::unused(),
    };
    vector
        .run(|simd| match simd {
            Some(simd) => T::set_key_on_vectors(simd, key, bytes),
            None => T::set_key(key, bytes),
        })
        .map_err(invalid_key)
}

/// The same for an implementation of GCM.
fn set_gcm_key<T: gcm::Tier>(
    vector: Vector<T::Features>,
    key: &mut T::Key,
    bytes: &[u8],
) -> Result {
    let vector = match T::SETS_KEY_ON_VECTORS {
        true => vector,
        false => Vector::unused(),
    };
    vector
        .run(|simd| match simd {
            Some(simd) => T::set_key_on_vectors(simd, key, bytes),
            None => T::set_key(key, bytes),
        })
        .map_err(invalid_key)
}

/// Refuses data that is not a multiple of the block size before any of it is touched.
fn whole_blocks<T: Skcipher>(request: &Request<'_, T>) -> Result {
    match request.len() % BLOCK_SIZE {
        0 => Ok(()),
        _ => Err(EINVAL),
    }
}

/// Splits off a partial block that is not the end of the data: the next step gets it whole.
/// Returns what to do now, and how many bytes are left.
fn whole_blocks_before_end(data: InOut<'_>, last: bool) -> (InOut<'_>, usize) {
    if last {
        return (data, 0);
    }
    let (blocks, rest) = data.split_units::<BLOCK_SIZE>();
    (blocks, rest.len())
}
