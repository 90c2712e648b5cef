// SPDX-License-Identifier: GPL-2.0

//! Symmetric-key ciphers.
//!
//! C headers: [`include/crypto/skcipher.h`], [`include/crypto/internal/skcipher.h`].
//!
//! [`include/crypto/skcipher.h`]: srctree/include/crypto/skcipher.h
//! [`include/crypto/internal/skcipher.h`]: srctree/include/crypto/internal/skcipher.h

use super::super::bindings;
use super::super::ciphers::{
    inout::InOut,
    simd::{Cpu, Features},
    tier::Context,
};
use super::{algorithm::Base, cipher, Scratch, Vector};
use core::{marker::PhantomData, mem::MaybeUninit, ptr::NonNull, slice};
use kernel::{
    error::{from_result, to_result},
    prelude::*,
    types::Opaque,
    ThisModule,
};

/// A symmetric-key cipher with its mode of operation: `struct skcipher_alg`.
///
/// All drivers are synchronous. Requests on one tfm may run at the same time, so the key is
/// read-only to them; whatever a request has to write down is in its request context.
pub trait Skcipher: Sized + 'static {
    /// Algorithm name, such as `ctr(aria)`.
    const NAME: &'static CStr;
    /// Driver name, such as `ctr-aria-avx2`.
    const DRIVER_NAME: &'static CStr;
    /// Of the drivers of one algorithm, users get the one with the highest priority.
    const PRIORITY: u16;
    /// Block size in bytes; 1 for a stream cipher.
    const BLOCK_SIZE: usize;
    /// Length of the shortest key, in bytes.
    const MIN_KEY_SIZE: usize;
    /// Length of the longest key, in bytes.
    const MAX_KEY_SIZE: usize;
    /// Each step of a walk but the last is at least this many bytes; for a stream cipher the block
    /// size of the cipher below.
    const CHUNK_SIZE: usize = Self::BLOCK_SIZE;
    /// Length of the shortest piece for which an FPU section is worth opening, in bytes.
    const VECTOR_MIN: usize = 0;

    /// What the vector code of the driver asks of the CPU.
    type Features: Features;

    /// The initialisation vector, `[u8; 0]` if the mode has none.
    type Iv: FromBytes + IntoBytes;

    /// The tfm context: the expanded key.
    type Key: Context;

    /// Scratch memory of the vector code: the request context. `()` if it needs none.
    type Scratch;

    /// Whether the key is that of XTS, two keys one behind the other.
    ///
    /// Then those are refused that the API has no use for: of odd length, and in FIPS mode or where
    /// the user forbids weak keys, with equal halves (`xts_verify_key()`).
    const IS_XTS: bool = false;

    /// Expands `bytes`, whose length is within the limits, into `key`.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if there is no such key length. The core then refuses requests with [`ENOKEY`]
    /// until a key is set.
    fn set_key(vector: Vector<Self::Features>, key: &mut Self::Key, bytes: &[u8]) -> Result;

    /// Encrypts the data of a request.
    fn encrypt(request: &mut Request<'_, Self>) -> Result;

    /// Decrypts the data of a request.
    fn decrypt(request: &mut Request<'_, Self>) -> Result;
}

/// A request under way: `struct skcipher_request`.
///
/// # Invariants
///
/// The request is valid and the caller's own during `'r`; its tfm has a key and belongs to an
/// algorithm that was filled in by [`describe::<T>()`](describe) and registered by
/// [`Algorithms::skcipher`](super::Algorithms::skcipher).
pub struct Request<'r, T: Skcipher> {
    inner: NonNull<bindings::skcipher_request>,
    scratch: Scratch<T::Scratch>,
    _lifetime: PhantomData<(&'r mut bindings::skcipher_request, T)>,
}

impl<'r, T: Skcipher> Request<'r, T> {
    /// Returns the number of bytes to transform.
    pub fn len(&self) -> usize {
        // SAFETY: Type invariant.
        unsafe { self.inner.as_ref() }.cryptlen as usize
    }

    /// Returns whether there is nothing to transform.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the key of the tfm.
    pub fn key(&self) -> &'r T::Key {
        // SAFETY: By the type invariant the context of the tfm is a `T::Key`, and setting a key
        // while a request is under way is not allowed.
        unsafe { &*cipher::context::<T::Key>(self.inner.as_ref().base.tfm) }
    }

    /// Calls `f` for one contiguous piece of the data after the other.
    ///
    /// `f` returns how many bytes at the end of the piece it left alone; these are part of the
    /// next step. It must leave none at the last step, and less than
    /// [`CHUNK_SIZE`](Skcipher::CHUNK_SIZE) before.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if the end of the data could not be processed, [`ENOMEM`] if a bounce buffer
    /// was needed and could not be had.
    pub fn walk(&mut self, f: impl FnMut(Step<'_, T>) -> usize) -> Result {
        // SAFETY: Type invariant.
        unsafe { self.walk_request(self.inner.as_ptr(), f) }
    }

    /// Like [`walk`](Self::walk), but ends behind the first `len` bytes of the data.
    pub fn walk_first(&mut self, len: usize, f: impl FnMut(Step<'_, T>) -> usize) -> Result {
        // SAFETY: Type invariant. The copy is all that a walk looks at.
        let mut part = unsafe { self.inner.read() };

        part.cryptlen = part.cryptlen.min(len.try_into()?);
        // SAFETY: The same request but for its length, which is no greater.
        unsafe { self.walk_request(&raw mut part, f) }
    }

    /// # Safety
    ///
    /// `request` must be the request, or a part of it.
    unsafe fn walk_request(
        &mut self,
        request: *mut bindings::skcipher_request,
        mut f: impl FnMut(Step<'_, T>) -> usize,
    ) -> Result {
        let mut walk = MaybeUninit::<bindings::skcipher_walk>::uninit();
        let walk = walk.as_mut_ptr();
        let vector = self.vector();

        // SAFETY: As the caller promises. `false`: between the steps the walk may sleep if the
        // request allows it.
        let mut status = unsafe { bindings::skcipher_walk_virt(walk, request, false) };

        // SAFETY: `skcipher_walk_virt()` and `skcipher_walk_done()` always set `nbytes`.
        while unsafe { (*walk).nbytes } != 0 {
            // SAFETY: `nbytes` is not zero, so a step is under way and all of `walk` is set.
            let step = unsafe { &mut *walk };
            let length = step.nbytes as usize;
            // No more is left than there was, so it fits.
            let left = f(Step::new(step, vector, &mut self.scratch)).min(length) as c_int;

            // SAFETY: A step is under way, and it ends here.
            status = unsafe { bindings::skcipher_walk_done(walk, left) };
        }
        to_result(status)
    }

    /// Returns the IV.
    pub fn iv(&mut self) -> &mut T::Iv {
        let iv = match size_of::<T::Iv>() {
            0 => NonNull::dangling(),
            // SAFETY: By the type invariant a request has an IV.
            _ => unsafe { NonNull::new_unchecked(self.inner.as_ref().iv.cast()) },
        };
        // SAFETY: `ivsize` bytes that are the request's own, or none; any bytes are a value.
        unsafe { &mut *iv.as_ptr() }
    }

    /// Copies bytes of the source, from `offset` on.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if they are not all part of the data.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result {
        self.check_range(offset, bytes.len())?;
        // SAFETY: The source is as long as the data.
        unsafe {
            bindings::memcpy_from_sglist(
                bytes.as_mut_ptr().cast(),
                self.inner.as_ref().src,
                offset as c_uint,
                bytes.len() as c_uint,
            )
        };
        Ok(())
    }

    /// Copies bytes into the destination, from `offset` on.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if they are not all part of the data.
    pub fn write(&mut self, offset: usize, bytes: &[u8]) -> Result {
        self.check_range(offset, bytes.len())?;
        // SAFETY: The destination is as long as the data.
        unsafe {
            bindings::memcpy_to_sglist(
                self.inner.as_ref().dst,
                offset as c_uint,
                bytes.as_ptr().cast(),
                bytes.len() as c_uint,
            )
        };
        Ok(())
    }

    fn check_range(&self, offset: usize, len: usize) -> Result {
        match offset.checked_add(len) {
            Some(end) if end <= self.len() => Ok(()),
            _ => Err(EINVAL),
        }
    }

    /// Returns the way to the vector registers, for work outside of a walk.
    pub fn vector(&self) -> Vector<T::Features> {
        // SAFETY: By the type invariant `T` was registered, and that takes proof that the CPU has
        // its features.
        Vector::new(unsafe { Cpu::assume() })
    }

    /// Returns the request context, for work outside of a walk.
    pub fn scratch(&mut self) -> &mut Scratch<T::Scratch> {
        &mut self.scratch
    }
}

/// One contiguous piece of the data of a request, of at most a page.
pub struct Step<'w, T: Skcipher> {
    /// The bytes to transform.
    pub data: InOut<'w>,
    /// The IV. Kept from one step to the next, and the IV of the request in the end.
    pub iv: &'w mut T::Iv,
    /// Whether the data ends with this piece.
    pub last: bool,
    /// The way to the vector registers, unless the piece is shorter than
    /// [`VECTOR_MIN`](Skcipher::VECTOR_MIN).
    pub vector: Vector<T::Features>,
    /// The request context.
    pub scratch: &'w mut Scratch<T::Scratch>,
}

impl<'w, T: Skcipher> Step<'w, T> {
    fn new(
        walk: &'w mut bindings::skcipher_walk,
        vector: Vector<T::Features>,
        scratch: &'w mut Scratch<T::Scratch>,
    ) -> Self {
        let iv = match size_of::<T::Iv>() {
            0 => NonNull::dangling(),
            // SAFETY: The walk points to the IV of the request or to a copy of its own.
            _ => unsafe { NonNull::new_unchecked(walk.iv.cast()) },
        };
        let last = walk.nbytes == walk.total;
        // SAFETY: A step is under way until the data that this returns is done with.
        let data = unsafe { data_of_step(walk) };

        Self {
            vector: if data.len() < T::VECTOR_MIN {
                Vector::unused()
            } else {
                vector
            },
            data,
            // SAFETY: `ivsize` bytes that are the request's own, or none; any bytes are a value.
            iv: unsafe { &mut *iv.as_ptr() },
            last,
            scratch,
        }
    }
}

/// Returns the data of the current step of a walk.
///
/// # Safety
///
/// A step must be under way during `'w`.
pub(super) unsafe fn data_of_step<'w>(walk: &bindings::skcipher_walk) -> InOut<'w> {
    // SAFETY: While a step is under way these hold the mapped addresses, both valid for `nbytes`
    // bytes until it is done. The API demands that a request is in place or that source and
    // destination are disjoint.
    unsafe {
        InOut::from_raw(
            walk.__bindgen_anon_1.src.virt.addr.cast(),
            walk.__bindgen_anon_2.dst.virt.addr.cast(),
            walk.nbytes as usize,
        )
    }
}

/// Returns the common part of `struct crypto_alg` for `T`.
pub(super) fn base<T: Skcipher>() -> Base {
    const {
        cipher::assert_context::<T::Key>();
        assert!(align_of::<T::Iv>() == 1);
    };

    let request_size = Scratch::<T::Scratch>::REQUEST_SIZE;
    // Requests of synchronous users live on the stack, with room for this much.
    let on_stack = request_size <= bindings::RFL_MAX_SYNC_SKCIPHER_REQSIZE as usize;

    Base {
        name: T::NAME,
        driver_name: T::DRIVER_NAME,
        priority: T::PRIORITY,
        flags: if on_stack {
            0
        } else {
            bindings::RFL_CRYPTO_ALG_SKCIPHER_REQSIZE_LARGE
        },
        block_size: T::BLOCK_SIZE,
        context_size: size_of::<T::Key>(),
        request_size,
    }
}

/// Fills in `alg`, which is not registered yet, for `T`.
pub(super) fn describe<T: Skcipher>(
    alg: &Opaque<bindings::skcipher_alg>,
    base: &Base,
    module: &'static ThisModule,
) -> Result {
    // SAFETY: Zeroed, which is a value of the type, and not known to anybody else yet.
    let alg = unsafe { &mut *alg.get() };
    // SAFETY: The other view of the union is the same structure without its tag.
    let common = unsafe { &mut alg.__bindgen_anon_1.co };

    base.write(&mut common.base, module)?;
    common.min_keysize = T::MIN_KEY_SIZE.try_into()?;
    common.max_keysize = T::MAX_KEY_SIZE.try_into()?;
    common.ivsize = size_of::<T::Iv>().try_into()?;
    common.chunksize = T::CHUNK_SIZE.try_into()?;
    alg.setkey = Some(Callbacks::<T>::set_key);
    alg.encrypt = Some(Callbacks::<T>::encrypt);
    alg.decrypt = Some(Callbacks::<T>::decrypt);
    Ok(())
}

/// What the crypto core calls.
struct Callbacks<T>(PhantomData<T>);

impl<T: Skcipher> Callbacks<T> {
    /// # Safety
    ///
    /// `tfm` must be a live one of an algorithm that was filled in by [`describe::<T>()`](describe),
    /// and the other arguments as `struct skcipher_alg` says.
    unsafe extern "C" fn set_key(
        tfm: *mut bindings::crypto_skcipher,
        key: *const u8,
        len: c_uint,
    ) -> c_int {
        // SAFETY: The context of `tfm` is a `T::Key`: the core made it of zeroes, which `Context`
        // says is a value. Users must not set a key while another call on the tfm is under way.
        let context = unsafe { &mut *cipher::context::<T::Key>(&raw mut (*tfm).base) };
        // SAFETY: `setkey()` is given `len` readable bytes.
        let bytes = unsafe { slice::from_raw_parts(key, len as usize) };

        // SAFETY: `T` was registered, and that takes proof that the CPU has its features.
        let vector = Vector::new(unsafe { Cpu::assume() });

        from_result(|| {
            if T::IS_XTS {
                // SAFETY: As above.
                to_result(unsafe { bindings::rfl_helper_xts_verify_key(tfm, key, len) })?;
            }
            T::set_key(vector, context, bytes).map(|()| 0)
        })
    }

    /// # Safety
    ///
    /// `request` must keep the invariants of [`Request`] until the function returns.
    unsafe extern "C" fn encrypt(request: *mut bindings::skcipher_request) -> c_int {
        // SAFETY: As the caller promises.
        let mut request = unsafe { Self::request(request) };

        from_result(|| T::encrypt(&mut request).map(|()| 0))
    }

    /// # Safety
    ///
    /// `request` must keep the invariants of [`Request`] until the function returns.
    unsafe extern "C" fn decrypt(request: *mut bindings::skcipher_request) -> c_int {
        // SAFETY: As the caller promises.
        let mut request = unsafe { Self::request(request) };

        from_result(|| T::decrypt(&mut request).map(|()| 0))
    }

    /// # Safety
    ///
    /// `request` must keep the invariants of [`Request`] during `'r`.
    unsafe fn request<'r>(request: *mut bindings::skcipher_request) -> Request<'r, T> {
        // INVARIANT: As the caller promises.
        Request {
            // SAFETY: A valid pointer is not null.
            inner: unsafe { NonNull::new_unchecked(request) },
            // SAFETY: `REQUEST_SIZE` bytes follow the request, and they are ours while it runs.
            scratch: unsafe { Scratch::new((&raw mut (*request).__ctx).cast()) },
            _lifetime: PhantomData,
        }
    }
}
