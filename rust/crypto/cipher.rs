// SPDX-License-Identifier: GPL-2.0

//! Single-block ciphers.
//!
//! C header: [`include/linux/crypto.h`].
//!
//! [`include/linux/crypto.h`]: srctree/include/linux/crypto.h

use super::super::bindings;
use super::super::ciphers::{inout::InOut, tier::Context};
use super::algorithm::Base;
use core::{marker::PhantomData, slice};
use kernel::{error::from_result, prelude::*, types::Opaque, ThisModule};

/// A cipher that transforms one block at a time: `struct cipher_alg`.
///
/// Templates such as `ecb(...)` or `cmac(...)` build on it. The calls may come from any context,
/// so no vector registers are at hand.
pub trait Cipher: 'static {
    /// Algorithm name, such as `aria`.
    const NAME: &'static CStr;
    /// Driver name.
    const DRIVER_NAME: &'static CStr;
    /// Of the drivers of one algorithm, users get the one with the highest priority.
    const PRIORITY: u16;
    /// Block size in bytes.
    const BLOCK_SIZE: usize;
    /// Length of the shortest key, in bytes.
    const MIN_KEY_SIZE: usize;
    /// Length of the longest key, in bytes.
    const MAX_KEY_SIZE: usize;

    /// The tfm context: the expanded key.
    type Key: Context;

    /// Expands `bytes`, whose length is within the limits, into `key`.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if there is no such key length; `key` must be as it was then.
    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result;

    /// Encrypts `block` of [`BLOCK_SIZE`](Self::BLOCK_SIZE) bytes.
    fn encrypt(key: &Self::Key, block: InOut<'_>);

    /// Decrypts `block` of [`BLOCK_SIZE`](Self::BLOCK_SIZE) bytes.
    fn decrypt(key: &Self::Key, block: InOut<'_>);
}

/// Checks that the tfm context of the C side can hold a `T`.
pub(super) const fn assert_context<T: Context>() {
    assert!(align_of::<T>() <= bindings::RFL_CRYPTO_MINALIGN as usize);
    assert!(!core::mem::needs_drop::<T>());
    // Each tfm has one; more would take several pages in a row.
    assert!(size_of::<T>() <= 4096);
}

/// Returns the tfm context.
///
/// # Safety
///
/// `tfm` must be a live tfm of an algorithm whose context is a `T`.
pub(super) unsafe fn context<T: Context>(tfm: *mut bindings::crypto_tfm) -> *mut T {
    // SAFETY: `tfm` is live; only an address is computed.
    unsafe { (&raw mut (*tfm).__crt_ctx).cast() }
}

/// Returns the common part of `struct crypto_alg` for `T`.
pub(super) fn base<T: Cipher>() -> Base {
    const { assert_context::<T::Key>() };

    Base {
        name: T::NAME,
        driver_name: T::DRIVER_NAME,
        priority: T::PRIORITY,
        flags: bindings::CRYPTO_ALG_TYPE_CIPHER,
        block_size: T::BLOCK_SIZE,
        context_size: size_of::<T::Key>(),
        request_size: 0,
    }
}

/// Fills in `alg`, which is not registered yet, for `T`.
pub(super) fn describe<T: Cipher>(
    alg: &Opaque<bindings::crypto_alg>,
    base: &Base,
    module: &'static ThisModule,
) -> Result {
    // SAFETY: Zeroed, which is a value of the type, and not known to anybody else yet.
    let alg = unsafe { &mut *alg.get() };

    base.write(alg, module)?;
    alg.cra_u.cipher = bindings::cipher_alg {
        cia_min_keysize: T::MIN_KEY_SIZE.try_into()?,
        cia_max_keysize: T::MAX_KEY_SIZE.try_into()?,
        cia_setkey: Some(Callbacks::<T>::set_key),
        cia_encrypt: Some(Callbacks::<T>::encrypt),
        cia_decrypt: Some(Callbacks::<T>::decrypt),
    };
    Ok(())
}

/// What the crypto core calls.
struct Callbacks<T>(PhantomData<T>);

impl<T: Cipher> Callbacks<T> {
    /// # Safety
    ///
    /// `tfm` must be a live one of an algorithm that was filled in by [`describe::<T>()`](describe),
    /// and the other arguments as `struct cipher_alg` says.
    unsafe extern "C" fn set_key(
        tfm: *mut bindings::crypto_tfm,
        key: *const u8,
        len: c_uint,
    ) -> c_int {
        // SAFETY: The context of `tfm` is a `T::Key`: the core made it of zeroes, which `Context`
        // says is a value. Users must not set a key while another call on the tfm is under way.
        let context = unsafe { &mut *context::<T::Key>(tfm) };
        // SAFETY: `cia_setkey()` is given `len` readable bytes.
        let bytes = unsafe { slice::from_raw_parts(key, len as usize) };

        from_result(|| T::set_key(context, bytes).map(|()| 0))
    }

    /// # Safety
    ///
    /// `tfm` must be a live one of an algorithm that was filled in by [`describe::<T>()`](describe),
    /// and the other arguments as `struct cipher_alg` says.
    unsafe extern "C" fn encrypt(tfm: *mut bindings::crypto_tfm, dst: *mut u8, src: *const u8) {
        // SAFETY: The context is a `T::Key` that nobody writes while blocks are transformed.
        let key = unsafe { &*context::<T::Key>(tfm) };

        // SAFETY: `cia_encrypt()` is given two blocks that are the same or disjoint.
        T::encrypt(key, unsafe { InOut::from_raw(src, dst, T::BLOCK_SIZE) });
    }

    /// # Safety
    ///
    /// `tfm` must be a live one of an algorithm that was filled in by [`describe::<T>()`](describe),
    /// and the other arguments as `struct cipher_alg` says.
    unsafe extern "C" fn decrypt(tfm: *mut bindings::crypto_tfm, dst: *mut u8, src: *const u8) {
        // SAFETY: As in `encrypt()`.
        let key = unsafe { &*context::<T::Key>(tfm) };

        // SAFETY: As in `encrypt()`.
        T::decrypt(key, unsafe { InOut::from_raw(src, dst, T::BLOCK_SIZE) });
    }
}
