// SPDX-License-Identifier: GPL-2.0

//! Memory between pages that cannot be touched.

use std::{cell::RefCell, ffi::c_void, marker::PhantomData, mem::MaybeUninit, ptr, slice};

use rfl_ciphers::simd::{Cpu, Features, Simd};
use rustix::{
    mm::{mmap_anonymous, mprotect, munmap, MapFlags, MprotectFlags, ProtFlags},
    param::page_size,
};

use super::cpu;

/// Some whole pages of memory, with an inaccessible page before and one behind.
pub struct Guarded {
    base: *mut c_void,
    len: usize,
}

impl Guarded {
    /// Allocates at least `len` bytes.
    pub fn new(len: usize) -> Self {
        let page = page_size();
        let len = len.next_multiple_of(page);
        // SAFETY: A new mapping replaces nothing.
        let base = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                len + 2 * page,
                ProtFlags::empty(),
                MapFlags::PRIVATE,
            )
        };
        let base = base.expect("mmap");
        let inner = base.wrapping_byte_add(page);
        // SAFETY: These pages are part of the mapping just made.
        unsafe { mprotect(inner, len, MprotectFlags::READ | MprotectFlags::WRITE) }
            .expect("mprotect");
        Self { base, len }
    }

    /// Returns the accessible memory.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: The pages between the guards are readable, writable and initialised to zero for as
        // long as `self` lives, and are borrowed through it only.
        unsafe { slice::from_raw_parts_mut(self.base.byte_add(page_size()).cast(), self.len) }
    }

    /// Returns the last bytes of the accessible memory, as storage of a `T`.
    pub fn at_end<T>(&mut self) -> &mut MaybeUninit<T> {
        let bytes = self.bytes();
        let start = bytes.len() - size_of::<T>();
        let storage = bytes[start..].as_mut_ptr().cast::<MaybeUninit<T>>();
        assert!(storage.is_aligned());
        // SAFETY: There are as many bytes up to the end of the page, aligned and borrowed.
        unsafe { &mut *storage }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: The mapping is ours, and no borrow of it is left.
        unsafe { munmap(self.base, self.len + 2 * page_size()) }.expect("munmap");
    }
}

/// What a tier is lent: vector registers, and scratch memory of the type `S` that ends at a guard
/// page.
pub struct Lender<F: Features, S> {
    cpu: Cpu<F>,
    scratch: RefCell<Guarded>,
    _scratch: PhantomData<S>,
}

impl<F: Features, S> Lender<F, S> {
    /// Makes the scratch memory.
    pub fn new(cpu: Cpu<F>) -> Self {
        Self {
            cpu,
            scratch: RefCell::new(Guarded::new(size_of::<S>())),
            _scratch: PhantomData,
        }
    }

    /// Calls `f` with both.
    pub fn with<R>(&self, f: impl FnOnce(Simd<'_, F>, &mut MaybeUninit<S>) -> R) -> R {
        let mut memory = self.scratch.borrow_mut();
        cpu::with_simd(self.cpu, |simd| f(simd, memory.at_end()))
    }
}
