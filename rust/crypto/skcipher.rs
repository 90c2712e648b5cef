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
    simd::{Cpu, Features, Simd},
    tier::Context,
};
use super::{algorithm::Base, cipher, fpu};
use core::{
    marker::PhantomData,
    mem::{self, MaybeUninit},
    ptr::NonNull,
    slice,
};
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
    /// Fewest bytes for which an FPU section is worth opening.
    const VECTOR_MIN: usize = 0;

    /// What the vector code of the driver asks of the CPU.
    type Features: Features;

    /// The initialisation vector, `[u8; 0]` if the mode has none.
    type Iv: FromBytes + IntoBytes;

    /// The tfm context: the expanded key.
    type Key: Context;

    /// Scratch memory of the vector code: the request context. `()` if it needs none.
    type Scratch;

    /// Expands `bytes`, whose length is within the limits, into `key`.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if there is no such key length. The core then refuses requests with [`ENOKEY`]
    /// until a key is set.
    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result;

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
    pub fn walk(&mut self, mut f: impl FnMut(Step<'_, T>) -> usize) -> Result {
        let mut walk = MaybeUninit::<bindings::skcipher_walk>::uninit();
        let walk = walk.as_mut_ptr();
        let mut scratch = ScratchRef::<T>::new(self);

        // SAFETY: The request is valid. `false`: between the steps the walk may sleep if the
        // request allows it.
        let mut status = unsafe { bindings::skcipher_walk_virt(walk, self.inner.as_ptr(), false) };

        // SAFETY: `skcipher_walk_virt()` and `skcipher_walk_done()` always set `nbytes`.
        while unsafe { (*walk).nbytes } != 0 {
            // SAFETY: `nbytes` is not zero, so a step is under way and all of `walk` is set.
            let step = unsafe { &mut *walk };
            let length = step.nbytes as usize;
            // No more is left than there was, so it fits.
            let left = f(Step::new(step, &mut scratch)).min(length) as c_int;

            // SAFETY: A step is under way, and it ends here.
            status = unsafe { bindings::skcipher_walk_done(walk, left) };
        }
        to_result(status)
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
    /// The way to the vector registers.
    pub vector: Vector<'w, T>,
}

impl<'w, T: Skcipher> Step<'w, T> {
    fn new(walk: &'w mut bindings::skcipher_walk, scratch: &'w mut ScratchRef<T>) -> Self {
        // SAFETY: While a step is under way these hold the mapped addresses.
        let (src, dst) = unsafe {
            (
                walk.__bindgen_anon_1.src.virt.addr,
                walk.__bindgen_anon_2.dst.virt.addr,
            )
        };
        let iv = match size_of::<T::Iv>() {
            0 => NonNull::dangling(),
            // SAFETY: The walk points to the IV of the request or to a copy of its own.
            _ => unsafe { NonNull::new_unchecked(walk.iv.cast()) },
        };

        Self {
            // SAFETY: Both are valid for `nbytes` bytes until the step is done. The API demands
            // that a request is in place or that source and destination are disjoint.
            data: unsafe { InOut::from_raw(src.cast(), dst.cast(), walk.nbytes as usize) },
            // SAFETY: `ivsize` bytes that are the request's own, or none; any bytes are a value.
            iv: unsafe { &mut *iv.as_ptr() },
            last: walk.nbytes == walk.total,
            vector: Vector(scratch),
        }
    }
}

/// The right to use the vector registers for one step, if the context allows.
pub struct Vector<'w, T: Skcipher>(&'w mut ScratchRef<T>);

impl<T: Skcipher> Vector<'_, T> {
    /// Opens an FPU section and calls `f` with `data` in it. Returns what `f` returns: the bytes
    /// that it left undone.
    ///
    /// All of `data` is returned undone where vector registers may not be used, and if it is
    /// shorter than [`VECTOR_MIN`](Skcipher::VECTOR_MIN). Preemption and softirqs are off while
    /// `f` runs, so it must neither sleep nor allocate.
    pub fn run<'a, F>(&mut self, data: InOut<'a>, f: F) -> InOut<'a>
    where
        F: FnOnce(Simd<'_, T::Features>, &mut MaybeUninit<T::Scratch>, InOut<'a>) -> InOut<'a>,
    {
        if data.len() < T::VECTOR_MIN {
            return data;
        }

        // SAFETY: By the type invariant of `Request`, `T` was registered, and that takes proof
        // that the CPU has its features.
        let cpu = unsafe { Cpu::<T::Features>::assume() };
        fpu::section(cpu, data, |simd, data| f(simd, self.0.get(), data))
            .unwrap_or_else(|data| data)
    }
}

/// The request context, seen as scratch memory. Wiped when it goes, if it was used.
struct ScratchRef<T: Skcipher> {
    scratch: NonNull<MaybeUninit<T::Scratch>>,
    used: bool,
}

impl<T: Skcipher> ScratchRef<T> {
    /// The request context is aligned like any allocation of the kernel; what a stricter alignment
    /// may cost is added to its size.
    const SLACK: usize =
        align_of::<T::Scratch>().saturating_sub(bindings::RFL_CRYPTO_MINALIGN as usize);

    /// Size of the request context in bytes.
    const REQUEST_SIZE: usize = if size_of::<T::Scratch>() == 0 {
        0
    } else {
        size_of::<T::Scratch>() + Self::SLACK
    };

    fn new(request: &mut Request<'_, T>) -> Self {
        // SAFETY: The request is valid; only an address is computed.
        let context = unsafe { &raw mut (*request.inner.as_ptr()).__ctx };
        let align = align_of::<T::Scratch>();
        let context = context
            .cast::<u8>()
            .map_addr(|addr| addr.wrapping_add(align - 1) & !(align - 1));

        Self {
            // SAFETY: Within the request, so not null.
            scratch: unsafe { NonNull::new_unchecked(context.cast()) },
            used: false,
        }
    }

    fn get(&mut self) -> &mut MaybeUninit<T::Scratch> {
        self.used = true;
        // SAFETY: `REQUEST_SIZE` bytes follow the request, and they are ours while it runs.
        unsafe { self.scratch.as_mut() }
    }
}

impl<T: Skcipher> Drop for ScratchRef<T> {
    fn drop(&mut self) {
        if self.used {
            // SAFETY: As in `get()`.
            unsafe {
                bindings::rfl_helper_memzero_explicit(
                    self.scratch.as_ptr().cast(),
                    size_of::<T::Scratch>(),
                )
            };
        }
    }
}

/// Returns the common part of `struct crypto_alg` for `T`.
pub(super) fn base<T: Skcipher>() -> Base {
    const {
        cipher::assert_context::<T::Key>();
        assert!(!mem::needs_drop::<T::Scratch>());
        assert!(align_of::<T::Iv>() == 1);
    };

    let request_size = ScratchRef::<T>::REQUEST_SIZE;
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

        from_result(|| T::set_key(context, bytes).map(|()| 0))
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
            _lifetime: PhantomData,
        }
    }
}
