// SPDX-License-Identifier: GPL-2.0

//! Authenticated encryption with associated data.
//!
//! C headers: [`include/crypto/aead.h`], [`include/crypto/internal/aead.h`],
//! [`include/crypto/scatterwalk.h`].
//!
//! [`include/crypto/aead.h`]: srctree/include/crypto/aead.h
//! [`include/crypto/internal/aead.h`]: srctree/include/crypto/internal/aead.h
//! [`include/crypto/scatterwalk.h`]: srctree/include/crypto/scatterwalk.h

use super::super::bindings;
use super::super::ciphers::{
    inout::InOut,
    simd::{Cpu, Features},
    tier::Context,
};
use super::{algorithm::Base, cipher, compat::bad_message, skcipher, Scratch, Vector};
use core::{marker::PhantomData, mem::MaybeUninit, ptr::NonNull, slice};
use kernel::{
    error::{from_result, to_result},
    prelude::*,
    types::Opaque,
    ThisModule,
};

/// Authenticated encryption: `struct aead_alg`.
///
/// All drivers are synchronous. Requests on one tfm may run at the same time, so the key is
/// read-only to them; whatever a request has to write down is in its request context.
pub trait Aead: Sized + 'static {
    /// Algorithm name, such as `gcm(aria)`.
    const NAME: &'static CStr;
    /// Driver name, such as `gcm-aria-avx2`.
    const DRIVER_NAME: &'static CStr;
    /// Of the drivers of one algorithm, users get the one with the highest priority.
    const PRIORITY: u16;
    /// Length of the longest tag in bytes. Users that do not choose get this one.
    const MAX_TAG_SIZE: usize;
    /// Each step of a walk but the last is at least this many bytes.
    const CHUNK_SIZE: usize;

    /// What the vector code of the driver asks of the CPU.
    type Features: Features;

    /// The initialisation vector.
    type Iv: FromBytes;

    /// The tfm context: the expanded key.
    type Key: Context;

    /// Scratch memory of the vector code: the request context. `()` if it needs none.
    type Scratch;

    /// Expands `bytes` into `key`.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if there is no such key length. The core then refuses requests with [`ENOKEY`]
    /// until a key is set.
    fn set_key(vector: Vector<Self::Features>, key: &mut Self::Key, bytes: &[u8]) -> Result;

    /// Returns whether tags may have this length, which is from 1 to
    /// [`MAX_TAG_SIZE`](Self::MAX_TAG_SIZE).
    fn is_tag_size(size: usize) -> bool;

    /// Encrypts the text of a request, and writes the tag behind it by [`AeadRequest::seal`].
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if there can be no such request.
    fn encrypt(request: &mut AeadRequest<'_, Self>) -> Result;

    /// Decrypts the text of a request, and returns what [`AeadRequest::open`] does.
    ///
    /// If it fails, the caller wipes what was written.
    ///
    /// # Errors
    ///
    /// As [`Self::encrypt`], and [`EBADMSG`].
    fn decrypt(request: &mut AeadRequest<'_, Self>) -> Result;
}

/// A request under way: `struct aead_request`.
///
/// # Invariants
///
/// The request is valid and the caller's own during `'r`; its tfm has a key and belongs to an
/// algorithm that was filled in by [`describe::<T>()`](describe) and registered by
/// [`Algorithms::aead`](super::Algorithms::aead). For decryption it is at least as long as a tag.
pub struct AeadRequest<'r, T: Aead> {
    inner: NonNull<bindings::aead_request>,
    scratch: Scratch<T::Scratch>,
    direction: Direction,
    /// Whether some of the destination may have been written.
    walked: bool,
    _lifetime: PhantomData<(&'r mut bindings::aead_request, T)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Encrypt,
    Decrypt,
}

impl<'r, T: Aead> AeadRequest<'r, T> {
    /// Returns the key of the tfm.
    pub fn key(&self) -> &'r T::Key {
        // SAFETY: By the type invariant the context of the tfm is a `T::Key`, and setting a key
        // while a request is under way is not allowed.
        unsafe { &*cipher::context::<T::Key>(self.inner.as_ref().base.tfm) }
    }

    /// Returns the IV.
    pub fn iv(&self) -> &T::Iv {
        // SAFETY: By the type invariant there are `ivsize` bytes; any bytes are a value.
        unsafe { &*self.inner.as_ref().iv.cast() }
    }

    /// Returns the length of the tag in bytes.
    fn tag_size(&self) -> usize {
        // SAFETY: Type invariant; the tfm is part of a `struct crypto_aead`.
        unsafe { (*tfm_of(self.inner.as_ref().base.tfm)).authsize as usize }
    }

    /// Returns the length of the text in bytes.
    pub fn text_len(&self) -> usize {
        // SAFETY: Type invariant.
        let len = unsafe { self.inner.as_ref() }.cryptlen as usize;

        match self.direction {
            Direction::Encrypt => len,
            Direction::Decrypt => len.saturating_sub(self.tag_size()),
        }
    }

    /// Returns the associated data.
    pub fn assoc(&self) -> Assoc<'r> {
        // SAFETY: Type invariant.
        let request = unsafe { self.inner.as_ref() };

        // INVARIANT: By the type invariant, the source begins with that much of it.
        Assoc {
            list: request.src,
            len: request.assoclen as usize,
            _lifetime: PhantomData,
        }
    }

    /// Returns the way to the vector registers.
    pub fn vector(&self) -> Vector<T::Features> {
        // SAFETY: By the type invariant `T` was registered, and that takes proof that the CPU has
        // its features.
        Vector::new(unsafe { Cpu::assume() })
    }

    /// Calls `f` for one contiguous piece of the text after the other, and with an empty one if
    /// there is no text.
    ///
    /// `f` returns how many bytes at the end of the piece it left alone; these are part of the
    /// next step. It must leave none at the last step, and less than
    /// [`CHUNK_SIZE`](Aead::CHUNK_SIZE) before.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if the end of the data could not be processed, [`ENOMEM`] if a bounce buffer
    /// was needed and could not be had.
    pub fn walk(&mut self, mut f: impl FnMut(AeadStep<'_, T>) -> usize) -> Result {
        let mut walk = MaybeUninit::<bindings::skcipher_walk>::uninit();
        let walk = walk.as_mut_ptr();
        let request = self.inner.as_ptr();
        let is_empty = self.text_len() == 0;

        self.walked = true;
        // SAFETY: The request is valid. `false`: between the steps the walk may sleep if the
        // request allows it.
        let mut status = unsafe {
            match self.direction {
                Direction::Encrypt => bindings::skcipher_walk_aead_encrypt(walk, request, false),
                Direction::Decrypt => bindings::skcipher_walk_aead_decrypt(walk, request, false),
            }
        };

        loop {
            // SAFETY: These functions and `skcipher_walk_done()` always set `nbytes`.
            let len = unsafe { (*walk).nbytes } as usize;
            let (data, last) = if len != 0 {
                // SAFETY: `nbytes` is not zero, so a step is under way and all of `walk` is set. It
                // is under way until `f` is done with the data.
                unsafe {
                    (
                        skcipher::data_of_step(&*walk),
                        (*walk).nbytes == (*walk).total,
                    )
                }
            } else if is_empty {
                (InOut::in_place(&mut []), true)
            } else {
                return to_result(status);
            };
            // No more is left than there was, so it fits.
            let left = f(AeadStep {
                data,
                last,
                scratch: &mut self.scratch,
            })
            .min(len) as c_int;

            if is_empty {
                return Ok(());
            }
            // SAFETY: A step is under way, and it ends here.
            status = unsafe { bindings::skcipher_walk_done(walk, left) };
        }
    }

    /// Writes as much of `tag` behind the encrypted text as the user has chosen.
    pub fn seal(&mut self, tag: &[u8]) {
        // SAFETY: By the type invariant the destination of an encryption ends with the tag.
        unsafe {
            let request = self.inner.as_ref();
            bindings::memcpy_to_sglist(
                request.dst,
                request.assoclen.wrapping_add(request.cryptlen),
                tag.as_ptr().cast(),
                self.tag_size().min(tag.len()) as c_uint,
            )
        };
    }

    /// Compares the tag behind the source with as much of `tag` as the user has chosen, in a time
    /// that does not tell where they differ.
    ///
    /// # Errors
    ///
    /// `EBADMSG` if they differ.
    pub fn open<const N: usize>(&self, tag: &[u8; N]) -> Result {
        const { assert!(T::MAX_TAG_SIZE <= N) };
        let mut found = [0; N];
        let size = self.tag_size().min(N);

        // SAFETY: By the type invariant the source of a decryption ends with the tag.
        unsafe {
            let request = self.inner.as_ref();
            let end = request.assoclen.wrapping_add(request.cryptlen);
            bindings::memcpy_from_sglist(
                found.as_mut_ptr().cast(),
                request.src,
                end.wrapping_sub(size as c_uint),
                size as c_uint,
            )
        };
        // SAFETY: Both have `N` bytes, and that is not less than `size`.
        let differs = unsafe {
            bindings::rfl_helper_crypto_memneq(found.as_ptr().cast(), tag.as_ptr().cast(), size)
        };
        if differs {
            Err(bad_message())
        } else {
            Ok(())
        }
    }

    /// Wipes the text in the destination.
    fn wipe(&mut self) {
        // SAFETY: By the type invariant the destination holds associated data and text.
        unsafe {
            let request = self.inner.as_ref();
            bindings::sg_zero_buffer(
                request.dst,
                bindings::sg_nents(request.dst) as c_uint,
                self.text_len(),
                request.assoclen as isize,
            )
        };
    }
}

/// One contiguous piece of the text of a request, of at most a page.
pub struct AeadStep<'w, T: Aead> {
    /// The bytes to transform.
    pub data: InOut<'w>,
    /// Whether the text ends with this piece.
    pub last: bool,
    /// The request context.
    pub scratch: &'w mut Scratch<T::Scratch>,
}

/// The associated data of a request.
///
/// # Invariants
///
/// During `'r`, `list` is a scatterlist of at least `len` bytes that nobody writes.
#[derive(Clone, Copy)]
pub struct Assoc<'r> {
    list: *mut bindings::scatterlist,
    len: usize,
    _lifetime: PhantomData<&'r [u8]>,
}

impl<'r> Assoc<'r> {
    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Leaves out the last `len` bytes.
    pub fn without_last(self, len: usize) -> Self {
        // INVARIANT: Shorter than before.
        Self {
            len: self.len.saturating_sub(len),
            ..self
        }
    }

    /// Returns all of it, if there is any, and it is a single piece of at most `max` bytes that
    /// need not be mapped.
    #[inline]
    pub fn single_piece(self, max: usize) -> Option<&'r [u8]> {
        if self.is_empty() || self.len > max {
            return None;
        }
        // SAFETY: By the type invariant the list has as many bytes, and nobody writes them.
        unsafe {
            let data = bindings::rfl_helper_sg_linear(self.list, self.len as c_uint);
            data.cast::<u8>()
                .as_ref()
                .map(|first| slice::from_raw_parts(first, self.len))
        }
    }

    /// Calls `f` for one contiguous piece after the other, of at most a page each.
    pub fn for_each(self, mut f: impl FnMut(&[u8])) {
        let mut walk = MaybeUninit::<bindings::scatter_walk>::uninit();
        let walk = walk.as_mut_ptr();
        let mut left = self.len as c_uint;

        if left == 0 {
            return;
        }
        // SAFETY: By the type invariant there is a list.
        unsafe { bindings::rfl_helper_scatterwalk_start(walk, self.list) };
        while left != 0 {
            // SAFETY: By the type invariant the list has as many bytes still.
            let len = unsafe { bindings::rfl_helper_scatterwalk_next(walk, left) };
            // SAFETY: Between `next` and `done` these bytes are mapped. Nobody writes them.
            f(unsafe {
                let data = (*walk).__bindgen_anon_1.addr;
                slice::from_raw_parts(data.cast_const().cast(), len as usize)
            });
            // SAFETY: Ends the step that was begun above.
            unsafe { bindings::rfl_helper_scatterwalk_done_src(walk, len) };
            left = left.saturating_sub(len);
        }
    }
}

/// Returns the AEAD that a tfm is part of.
fn tfm_of(tfm: *mut bindings::crypto_tfm) -> *mut bindings::crypto_aead {
    // The address may be computed for any pointer; what is there is for who reads it to know.
    tfm.wrapping_byte_sub(core::mem::offset_of!(bindings::crypto_aead, base))
        .cast()
}

/// Returns the common part of `struct crypto_alg` for `T`.
pub(super) fn base<T: Aead>() -> Base {
    const {
        cipher::assert_context::<T::Key>();
        assert!(align_of::<T::Iv>() == 1);
    };

    Base {
        name: T::NAME,
        driver_name: T::DRIVER_NAME,
        priority: T::PRIORITY,
        flags: 0,
        block_size: 1,
        context_size: size_of::<T::Key>(),
        request_size: Scratch::<T::Scratch>::REQUEST_SIZE,
    }
}

/// Fills in `alg`, which is not registered yet, for `T`.
pub(super) fn describe<T: Aead>(
    alg: &Opaque<bindings::aead_alg>,
    base: &Base,
    module: &'static ThisModule,
) -> Result {
    // SAFETY: Zeroed, which is a value of the type, and not known to anybody else yet.
    let alg = unsafe { &mut *alg.get() };

    base.write(&mut alg.base, module)?;
    alg.ivsize = size_of::<T::Iv>().try_into()?;
    alg.maxauthsize = T::MAX_TAG_SIZE.try_into()?;
    alg.chunksize = T::CHUNK_SIZE.try_into()?;
    alg.setkey = Some(Callbacks::<T>::set_key);
    alg.setauthsize = Some(Callbacks::<T>::set_tag_size);
    alg.encrypt = Some(Callbacks::<T>::encrypt);
    alg.decrypt = Some(Callbacks::<T>::decrypt);
    Ok(())
}

/// What the crypto core calls.
struct Callbacks<T>(PhantomData<T>);

impl<T: Aead> Callbacks<T> {
    /// # Safety
    ///
    /// `tfm` must be a live one of an algorithm that was filled in by [`describe::<T>()`](describe),
    /// and the other arguments as `struct aead_alg` says.
    unsafe extern "C" fn set_key(
        tfm: *mut bindings::crypto_aead,
        key: *const u8,
        len: c_uint,
    ) -> c_int {
        // SAFETY: The context of `tfm` is a `T::Key`: the core made it of zeroes, which `Context`
        // says is a value. Users must not set a key while another call on the tfm is under way.
        let context = unsafe { &mut *cipher::context::<T::Key>(&raw mut (*tfm).base) };
        let bytes = match len {
            // The core has no shortest length, and lets pass a key that is nowhere.
            0 => &[],
            // SAFETY: `setkey()` is given `len` readable bytes.
            _ => unsafe { slice::from_raw_parts(key, len as usize) },
        };

        // SAFETY: `T` was registered, and that takes proof that the CPU has its features.
        let vector = Vector::new(unsafe { Cpu::assume() });

        from_result(|| T::set_key(vector, context, bytes).map(|()| 0))
    }

    /// # Safety
    ///
    /// None; the C prototype does not say so.
    unsafe extern "C" fn set_tag_size(_: *mut bindings::crypto_aead, size: c_uint) -> c_int {
        from_result(|| T::is_tag_size(size as usize).then_some(0).ok_or(EINVAL))
    }

    /// # Safety
    ///
    /// `request` must keep the invariants of [`AeadRequest`] until the function returns.
    unsafe extern "C" fn encrypt(request: *mut bindings::aead_request) -> c_int {
        // SAFETY: As the caller promises.
        unsafe { Self::run(request, Direction::Encrypt, T::encrypt) }
    }

    /// # Safety
    ///
    /// `request` must keep the invariants of [`AeadRequest`] until the function returns.
    unsafe extern "C" fn decrypt(request: *mut bindings::aead_request) -> c_int {
        // SAFETY: As the caller promises.
        unsafe {
            Self::run(request, Direction::Decrypt, |request| {
                let result = T::decrypt(request);
                // Hashing and decrypting in one pass reads the data once; the price is that the
                // text is there before the tag is known to be right. If it is not, or if the walk
                // broke off before the tag, none of the text stays.
                if result.is_err() && request.walked {
                    request.wipe();
                }
                result
            })
        }
    }

    /// # Safety
    ///
    /// `request` must keep the invariants of [`AeadRequest`] until the function returns.
    unsafe fn run(
        request: *mut bindings::aead_request,
        direction: Direction,
        f: impl FnOnce(&mut AeadRequest<'_, T>) -> Result,
    ) -> c_int {
        // INVARIANT: As the caller promises.
        let mut request = AeadRequest {
            // SAFETY: A valid pointer is not null.
            inner: unsafe { NonNull::new_unchecked(request) },
            // SAFETY: `REQUEST_SIZE` bytes follow the request, and they are ours while it runs.
            scratch: unsafe { Scratch::new((&raw mut (*request).__ctx).cast()) },
            direction,
            walked: false,
            _lifetime: PhantomData,
        };

        from_result(|| f(&mut request).map(|()| 0))
    }
}
