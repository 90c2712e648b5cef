// SPDX-License-Identifier: GPL-2.0

//! Runs of bytes that are read at one place and written at the same or another.
//!
//! A cipher request is in place or it is not, and Rust has one type for neither: `&mut [u8]` alone
//! cannot express the second, `&[u8]` beside `&mut [u8]` must not alias. [`InOut`] carries both as
//! a pair of pointers, so that each mode is written once.

use core::{marker::PhantomData, slice};

/// A run of bytes to be transformed: as many bytes at a source as at a destination.
///
/// # Invariants
///
/// For the lifetime `'a`, `src` is valid for reads and `dst` for reads and writes of `len`
/// initialised bytes that nothing else accesses through other pointers, other than reading the
/// source. The two ranges are the same range or do not overlap.
#[derive(Debug)]
pub struct InOut<'a> {
    src: *const u8,
    dst: *mut u8,
    len: usize,
    _buffers: PhantomData<&'a mut [u8]>,
}

impl<'a> InOut<'a> {
    /// Makes a run of raw pointers.
    ///
    /// # Safety
    ///
    /// The caller must guarantee the type's invariants. With `len` zero the pointers may be
    /// anything.
    #[inline]
    pub const unsafe fn from_raw(src: *const u8, dst: *mut u8, len: usize) -> Self {
        // INVARIANT: Demanded of the caller.
        Self {
            src,
            dst,
            len,
            _buffers: PhantomData,
        }
    }

    /// Makes a run that is transformed in place.
    #[inline]
    pub fn in_place(data: &'a mut [u8]) -> Self {
        let dst = data.as_mut_ptr();
        // INVARIANT: Both ranges are `data`, which is borrowed exclusively.
        Self {
            src: dst,
            dst,
            len: data.len(),
            _buffers: PhantomData,
        }
    }

    /// Makes a run that is read from `src` and written to `dst`; [`None`] if the lengths differ.
    #[inline]
    pub fn new(src: &'a [u8], dst: &'a mut [u8]) -> Option<Self> {
        if src.len() != dst.len() {
            return None;
        }
        // INVARIANT: A shared and an exclusive borrow cannot overlap.
        Some(Self {
            src: src.as_ptr(),
            dst: dst.as_mut_ptr(),
            len: src.len(),
            _buffers: PhantomData,
        })
    }

    /// Returns the length in bytes.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether nothing is left.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address of the first byte to read, for assembly.
    #[inline]
    pub const fn src(&self) -> *const u8 {
        self.src
    }

    /// Returns the address of the first byte to write, for assembly.
    #[inline]
    pub const fn dst(&self) -> *mut u8 {
        self.dst
    }

    /// Returns the bytes to read.
    #[inline]
    pub fn source(&self) -> &[u8] {
        match self.len {
            0 => &[],
            // SAFETY: By the invariants; while the borrow lasts, nothing is written through `self`.
            len => unsafe { slice::from_raw_parts(self.src, len) },
        }
    }

    /// Returns the bytes that were written, or will be.
    #[inline]
    pub fn destination(&self) -> &[u8] {
        match self.len {
            0 => &[],
            // SAFETY: As in `source()`.
            len => unsafe { slice::from_raw_parts(self.dst, len) },
        }
    }

    /// Returns a run in place where this one is written, to be used up while this one stays.
    #[inline]
    pub fn at_destination(&mut self) -> InOut<'_> {
        InOut {
            src: self.dst,
            ..self.reborrow()
        }
    }

    /// Returns the same run, to be used up while this one stays.
    #[inline]
    pub fn reborrow(&mut self) -> InOut<'_> {
        // INVARIANT: `self` is borrowed exclusively for as long.
        InOut {
            src: self.src,
            dst: self.dst,
            len: self.len,
            _buffers: PhantomData,
        }
    }

    /// Splits the run behind its first `mid` bytes, or behind all of them if there are fewer.
    #[inline]
    pub fn split_at(self, mid: usize) -> (Self, Self) {
        let mid = if mid < self.len { mid } else { self.len };
        let head = Self { len: mid, ..self };
        // INVARIANT: The parts do not overlap, and each has the same offset in source and
        // destination.
        let tail = Self {
            // SAFETY: `mid` is at most `len`, so this stays inside the range or one past its end.
            src: unsafe { self.src.add(mid) },
            // SAFETY: As above.
            dst: unsafe { self.dst.add(mid) },
            len: self.len - mid,
            _buffers: PhantomData,
        };
        (head, tail)
    }

    /// Splits the run behind its last whole unit of `UNIT` bytes.
    ///
    /// The first part is a multiple of `UNIT` long, the second shorter than `UNIT`.
    #[inline]
    pub fn split_units<const UNIT: usize>(self) -> (Self, Self) {
        const { assert!(UNIT != 0) };
        let whole = self.len - self.len % UNIT;
        self.split_at(whole)
    }

    /// Replaces each whole block of `N` bytes by what `f` makes of it, first to last.
    ///
    /// Returns what is left, less than `N` bytes.
    #[inline]
    pub fn map_blocks<const N: usize>(self, f: impl FnMut(&[u8; N]) -> [u8; N]) -> Self {
        const { assert!(N != 0) };
        // SAFETY: Arrays of bytes.
        unsafe { self.map_units(f) }
    }

    /// Replaces each `COUNT` blocks of `N` bytes by what `f` makes of them, first to last.
    ///
    /// Returns what is left, less than `COUNT` blocks.
    #[inline]
    pub fn map_groups<const N: usize, const COUNT: usize>(
        self,
        f: impl FnMut(&[[u8; N]; COUNT]) -> [[u8; N]; COUNT],
    ) -> Self {
        const { assert!(N * COUNT != 0) };
        // SAFETY: Arrays of bytes.
        unsafe { self.map_units(f) }
    }

    /// Replaces each whole `T` by what `f` makes of it, first to last. Returns what is left.
    ///
    /// # Safety
    ///
    /// `T` must be made of bytes only, of which there is at least one.
    #[inline]
    unsafe fn map_units<T>(self, mut f: impl FnMut(&T) -> T) -> Self {
        let mut rest = self;
        while rest.len >= size_of::<T>() {
            let (head, tail) = rest.split_at(size_of::<T>());
            // SAFETY: By the invariants, these bytes can be read here; a `T` has no alignment.
            let unit = unsafe { head.src.cast::<T>().read() };
            let unit = f(&unit);
            // SAFETY: By the invariants, these bytes can be written here. The source of this unit
            // is already read, and no other unit shares bytes with it.
            unsafe { head.dst.cast::<T>().write(unit) };
            rest = tail;
        }
        rest
    }

    /// XORs `pad` to the run until either ends.
    ///
    /// Returns what is left of the run.
    #[inline]
    pub fn xor(self, pad: &[u8]) -> Self {
        let (head, tail) = self.split_at(pad.len());
        let (blocks, rest) = head.split_units::<16>();
        let (block_pad, rest_pad) = pad.split_at_checked(blocks.len).unwrap_or_default();

        let mut pads = block_pad.chunks_exact(16).flat_map(<[u8; 16]>::try_from);
        blocks.map_blocks(|block: &[u8; 16]| {
            let pad = u128::from_ne_bytes(pads.next().unwrap_or_default());
            (u128::from_ne_bytes(*block) ^ pad).to_ne_bytes()
        });
        let mut pad = rest_pad.iter();
        rest.map_blocks(|&[byte]| [byte ^ pad.next().copied().unwrap_or(0)]);
        tail
    }
}
