// SPDX-License-Identifier: GPL-2.0

//! Memory between pages that cannot be touched.

use std::{ffi::c_void, mem::MaybeUninit, ptr, slice};

use rustix::{
    mm::{mmap_anonymous, mprotect, munmap, MapFlags, MprotectFlags, ProtFlags},
    param::page_size,
};

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
