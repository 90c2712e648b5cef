// SPDX-License-Identifier: GPL-2.0

//! Modes of operation over the block ciphers of `rust/ciphers`.
//!
//! A module states each of its tiers in one table row, [`Drivers`]; the types here make a driver
//! for each mode of it.

use super::super::ciphers::{
    inout::InOut,
    tier::{self, scalar, BlockCipher, InvalidKeyLength, BLOCK_SIZE},
};
use super::{cpu, Algorithms, Cipher, Request, Skcipher, Step};
use core::marker::PhantomData;
use kernel::prelude::*;

/// The scalar code of a block cipher as a [`Cipher`] driver.
pub trait BlockDriver: BlockCipher {
    /// Algorithm name, such as `aria`.
    const NAME: &'static CStr;
    /// Driver name.
    const DRIVER_NAME: &'static CStr;
    /// Priority of the driver.
    const PRIORITY: u16;
}

/// A vector implementation of a block cipher, and what its drivers are called.
pub trait Drivers: tier::Ecb<Cipher: BlockDriver> + tier::Ctr {
    /// Width of the vector registers in bits.
    const VECTOR_BITS: u32;
    /// Priority of all drivers of the tier.
    const PRIORITY: u16;
    /// Driver of electronic codebook mode.
    const ECB: Names;
    /// Driver of counter mode.
    const CTR: Names;
}

/// The two names of an algorithm.
pub struct Names {
    /// What users ask for, such as `ctr(aria)`.
    pub algorithm: &'static CStr,
    /// This implementation of it, such as `ctr-aria-avx2`.
    pub driver: &'static CStr,
}

/// Registers the drivers of tier `T`, or says why not.
///
/// Registers none of them if `T` has wider vectors than `max_vector_bits`, or if the CPU lacks
/// what `T` needs.
///
/// # Errors
///
/// As [`Algorithms::skcipher`].
pub fn register<T: Drivers>(algorithms: &mut Algorithms, max_vector_bits: u32) -> Result {
    if T::VECTOR_BITS > max_vector_bits {
        pr_notice!(
            "{} is left out: limited to {} bits\n",
            T::ECB.driver,
            max_vector_bits
        );
        return Ok(());
    }

    match cpu::detect::<T::Features>() {
        Ok(cpu) => {
            algorithms.skcipher::<Ecb<T>>(cpu)?;
            algorithms.skcipher::<Ctr<T>>(cpu)
        }
        Err(missing) => {
            pr_notice!("{} is left out: the CPU lacks {}\n", T::ECB.driver, missing);
            Ok(())
        }
    }
}

/// The cipher `C`, one block at a time.
pub struct Single<C>(PhantomData<C>);

impl<C: BlockDriver> Cipher for Single<C> {
    const NAME: &'static CStr = C::NAME;
    const DRIVER_NAME: &'static CStr = C::DRIVER_NAME;
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

/// Electronic codebook mode, SP 800-38A section 6.1.
pub struct Ecb<T>(PhantomData<T>);

impl<T: Drivers> Skcipher for Ecb<T> {
    const NAME: &'static CStr = T::ECB.algorithm;
    const DRIVER_NAME: &'static CStr = T::ECB.driver;
    const PRIORITY: u16 = T::PRIORITY;
    const BLOCK_SIZE: usize = BLOCK_SIZE;
    const MIN_KEY_SIZE: usize = T::Cipher::KEY_SIZES.0;
    const MAX_KEY_SIZE: usize = T::Cipher::KEY_SIZES.1;
    const VECTOR_MIN: usize = T::MIN;

    type Features = T::Features;
    type Iv = [u8; 0];
    type Key = T::Key;
    type Scratch = T::Scratch;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result {
        T::set_key(key, bytes).map_err(invalid_key)
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        whole_blocks(request)?;
        let key = request.key();
        request.walk(
            |Step {
                 data, mut vector, ..
             }| {
                let rest = vector.run(data, |simd, scratch, data| {
                    T::ecb_encrypt(simd, key, scratch, data)
                });
                scalar::ecb_encrypt::<T::Cipher>(T::scalar_key(key), rest).len()
            },
        )
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        whole_blocks(request)?;
        let key = request.key();
        request.walk(
            |Step {
                 data, mut vector, ..
             }| {
                let rest = vector.run(data, |simd, scratch, data| {
                    T::ecb_decrypt(simd, key, scratch, data)
                });
                scalar::ecb_decrypt::<T::Cipher>(T::scalar_key(key), rest).len()
            },
        )
    }
}

/// Counter mode, SP 800-38A section 6.5, with a 128-bit big-endian counter.
pub struct Ctr<T>(PhantomData<T>);

impl<T: Drivers> Skcipher for Ctr<T> {
    const NAME: &'static CStr = T::CTR.algorithm;
    const DRIVER_NAME: &'static CStr = T::CTR.driver;
    const PRIORITY: u16 = T::PRIORITY;
    const BLOCK_SIZE: usize = 1;
    const MIN_KEY_SIZE: usize = T::Cipher::KEY_SIZES.0;
    const MAX_KEY_SIZE: usize = T::Cipher::KEY_SIZES.1;
    const CHUNK_SIZE: usize = BLOCK_SIZE;
    const VECTOR_MIN: usize = T::MIN;

    type Features = T::Features;
    type Iv = [u8; BLOCK_SIZE];
    type Key = T::Key;
    type Scratch = T::Scratch;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result {
        T::set_key(key, bytes).map_err(invalid_key)
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        let key = request.key();
        request.walk(
            |Step {
                 data,
                 iv,
                 last,
                 mut vector,
             }| {
                // A block may straddle two steps; then the second one gets it whole.
                let (data, left) = if last {
                    (data, 0)
                } else {
                    let (blocks, rest) = data.split_units::<BLOCK_SIZE>();
                    (blocks, rest.len())
                };
                let rest = vector.run(data, |simd, scratch, data| {
                    let length = data.len();
                    let (data, rest) = data.split_at(length);
                    T::ctr(simd, key, scratch, iv, data);
                    rest
                });
                scalar::ctr::<T::Cipher>(T::scalar_key(key), iv, rest);
                left
            },
        )
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        Self::encrypt(request)
    }
}

fn invalid_key(_: InvalidKeyLength) -> Error {
    EINVAL
}

/// Refuses data that is not a multiple of the block size before any of it is touched.
fn whole_blocks<T: Skcipher>(request: &Request<'_, T>) -> Result {
    match request.len() % BLOCK_SIZE {
        0 => Ok(()),
        _ => Err(EINVAL),
    }
}
