// SPDX-License-Identifier: GPL-2.0

//! Hashes and checksums without a key.
//!
//! C headers: [`include/crypto/hash.h`], [`include/crypto/internal/hash.h`].
//!
//! [`include/crypto/hash.h`]: srctree/include/crypto/hash.h
//! [`include/crypto/internal/hash.h`]: srctree/include/crypto/internal/hash.h

use super::super::bindings;
use super::super::ciphers::simd::{Cpu, Features};
use super::{algorithm::Base, Vector};
use core::{marker::PhantomData, slice};
use kernel::{prelude::*, types::Opaque, ThisModule};

/// A synchronous hash: `struct shash_alg`.
///
/// A hash under way is its [`State`](Self::State), which users may copy ("export") and take up
/// again ("import") as the bytes that it is.
pub trait Shash: Sized + 'static {
    /// Algorithm name, such as `crct10dif`.
    const NAME: &'static CStr;
    /// Driver name, such as `crct10dif-avx512`.
    const DRIVER_NAME: &'static CStr;
    /// Of the drivers of one algorithm, users get the one with the highest priority.
    const PRIORITY: u16;
    /// Block size in bytes; 1 for a checksum.
    const BLOCK_SIZE: usize;
    /// Most bytes that one call of [`update`](Self::update) gets.
    ///
    /// An FPU section lies within one call, so this is the longest time for which preemption is
    /// off; about that of a page of a cipher should do.
    const MAX_UPDATE: usize = 4096;

    /// What the vector code of the driver asks of the CPU.
    type Features: Features;

    /// A hash under way.
    type State: FromBytes + IntoBytes;

    /// The result: an array of bytes.
    type Digest: IntoBytes;

    /// Returns the hash of nothing yet.
    fn init() -> Self::State;

    /// Takes data.
    fn update(state: &mut Self::State, vector: Vector<Self::Features>, data: &[u8]);

    /// Returns the hash of all data.
    fn finish(state: &Self::State) -> Self::Digest;
}

/// Returns the common part of `struct crypto_alg` for `T`.
pub(super) fn base<T: Shash>() -> Base {
    const {
        // `shash_desc_ctx()` is aligned like this.
        assert!(align_of::<T::State>() <= align_of::<u64>());
        assert!(size_of::<T::State>() <= bindings::RFL_HASH_MAX_STATESIZE as usize);
        assert!(align_of::<T::Digest>() == 1);
        assert!(T::MAX_UPDATE != 0);
    };

    Base {
        name: T::NAME,
        driver_name: T::DRIVER_NAME,
        priority: T::PRIORITY,
        flags: 0,
        block_size: T::BLOCK_SIZE,
        context_size: 0,
        request_size: 0,
    }
}

/// Fills in `alg`, which is not registered yet, for `T`.
pub(super) fn describe<T: Shash>(
    alg: &Opaque<bindings::shash_alg>,
    base: &Base,
    module: &'static ThisModule,
) -> Result {
    // SAFETY: Zeroed, which is a value of the type, and not known to anybody else yet.
    let alg = unsafe { &mut *alg.get() };
    // SAFETY: The other view of the union is the same structure without its tag.
    let common = unsafe { &mut alg.__bindgen_anon_1.halg };

    base.write(&mut common.base, module)?;
    common.digestsize = size_of::<T::Digest>().try_into()?;
    // Without functions of ours, the core exports and imports the state by copying it.
    common.statesize = size_of::<T::State>().try_into()?;
    alg.descsize = size_of::<T::State>().try_into()?;
    alg.init = Some(Callbacks::<T>::init);
    alg.update = Some(Callbacks::<T>::update);
    alg.final_ = Some(Callbacks::<T>::finish);
    alg.finup = Some(Callbacks::<T>::finup);
    alg.digest = Some(Callbacks::<T>::digest);
    Ok(())
}

/// What the crypto core calls.
///
/// # Safety
///
/// Of all functions: `desc` must be a live one, the caller's own, of an algorithm that was filled in
/// by [`describe::<T>()`](describe) and registered by
/// [`Algorithms::shash`](super::Algorithms::shash), and the other arguments as `struct shash_alg`
/// says.
struct Callbacks<T>(PhantomData<T>);

impl<T: Shash> Callbacks<T> {
    /// # Safety
    ///
    /// See [`Callbacks`].
    unsafe fn state<'d>(desc: *mut bindings::shash_desc) -> &'d mut T::State {
        // SAFETY: `descsize` bytes follow, aligned, of which any are a value.
        unsafe { &mut *(&raw mut (*desc).__ctx).cast() }
    }

    /// # Safety
    ///
    /// See [`Callbacks`].
    unsafe fn take(state: &mut T::State, data: *const u8, len: c_uint) {
        // SAFETY: `T` was registered, and that takes proof that the CPU has its features.
        let vector = Vector::new(unsafe { Cpu::<T::Features>::assume() });

        if len == 0 {
            return;
        }
        // SAFETY: The core is given `len` readable bytes.
        let data = unsafe { slice::from_raw_parts(data, len as usize) };
        for piece in data.chunks(T::MAX_UPDATE) {
            T::update(state, vector, piece);
        }
    }

    /// # Safety
    ///
    /// See [`Callbacks`].
    unsafe fn put(state: &T::State, out: *mut u8) {
        // SAFETY: `out` has room for `digestsize` bytes, the size of the type.
        unsafe { out.cast::<T::Digest>().write(T::finish(state)) };
    }

    /// # Safety
    ///
    /// See [`Callbacks`].
    unsafe extern "C" fn init(desc: *mut bindings::shash_desc) -> c_int {
        // SAFETY: As the caller promises.
        *unsafe { Self::state(desc) } = T::init();
        0
    }

    /// # Safety
    ///
    /// See [`Callbacks`].
    unsafe extern "C" fn update(
        desc: *mut bindings::shash_desc,
        data: *const u8,
        len: c_uint,
    ) -> c_int {
        // SAFETY: As the caller promises.
        unsafe { Self::take(Self::state(desc), data, len) };
        0
    }

    /// # Safety
    ///
    /// See [`Callbacks`].
    unsafe extern "C" fn finish(desc: *mut bindings::shash_desc, out: *mut u8) -> c_int {
        // SAFETY: As the caller promises.
        unsafe { Self::put(Self::state(desc), out) };
        0
    }

    /// # Safety
    ///
    /// See [`Callbacks`].
    unsafe extern "C" fn finup(
        desc: *mut bindings::shash_desc,
        data: *const u8,
        len: c_uint,
        out: *mut u8,
    ) -> c_int {
        // SAFETY: As the caller promises.
        unsafe {
            Self::take(Self::state(desc), data, len);
            Self::put(Self::state(desc), out);
        }
        0
    }

    /// # Safety
    ///
    /// See [`Callbacks`].
    unsafe extern "C" fn digest(
        _: *mut bindings::shash_desc,
        data: *const u8,
        len: c_uint,
        out: *mut u8,
    ) -> c_int {
        let mut state = T::init();

        // SAFETY: As the caller promises.
        unsafe {
            Self::take(&mut state, data, len);
            Self::put(&state, out);
        }
        0
    }
}
