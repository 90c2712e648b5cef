// SPDX-License-Identifier: GPL-2.0

//! Working storage: the request context, and secrets on the stack.

use super::super::bindings;
use core::{
    arch::asm,
    mem::{self, MaybeUninit},
    ops::{Deref, DerefMut},
    ptr::{self, NonNull},
};

/// The context of a request, with room for an `S`. Wiped when it goes, if it was used.
///
/// # Invariants
///
/// `memory` is valid for reads and writes of an `S`, aligned, and nobody else's.
pub struct Scratch<S> {
    memory: NonNull<MaybeUninit<S>>,
    used: bool,
}

impl<S> Scratch<S> {
    /// Size of the request context in bytes.
    ///
    /// It is aligned like any allocation of the kernel; what a stricter alignment may cost is added.
    pub(super) const REQUEST_SIZE: usize = {
        assert!(!mem::needs_drop::<S>());
        match size_of::<S>() {
            0 => 0,
            size => size + align_of::<S>().saturating_sub(bindings::RFL_CRYPTO_MINALIGN as usize),
        }
    };

    /// # Safety
    ///
    /// `context` must be aligned to `CRYPTO_MINALIGN`, have [`Self::REQUEST_SIZE`] bytes, and be
    /// for nobody else to use while the value lives.
    pub(super) unsafe fn new(context: *mut u8) -> Self {
        let align = align_of::<S>();
        let memory = if size_of::<S>() == 0 {
            NonNull::dangling()
        } else {
            let memory = context.map_addr(|addr| addr.wrapping_add(align - 1) & !(align - 1));
            // SAFETY: Within the context, so not null.
            unsafe { NonNull::new_unchecked(memory.cast()) }
        };

        // INVARIANT: As the caller promises; rounding up takes no more than was added to the size.
        Self {
            memory,
            used: false,
        }
    }

    /// Returns the storage, whose contents are anything.
    #[inline]
    pub fn get(&mut self) -> &mut MaybeUninit<S> {
        self.used = true;
        // SAFETY: Type invariant.
        unsafe { self.memory.as_mut() }
    }
}

impl<S> Drop for Scratch<S> {
    #[inline]
    fn drop(&mut self) {
        if self.used && size_of::<S>() != 0 {
            // SAFETY: Type invariant.
            unsafe {
                bindings::rfl_helper_memzero_explicit(self.memory.as_ptr().cast(), size_of::<S>())
            };
        }
    }
}

/// A value that is wiped when it goes, for secrets on the stack.
///
/// What moves it leaves a copy behind, so secrets come in when it is where it stays.
pub struct Wiped<T>(T);

impl<T> Wiped<T> {
    /// Takes a value that has no secrets yet.
    #[inline(always)]
    pub const fn new(value: T) -> Self {
        const { assert!(!mem::needs_drop::<T>()) };
        Self(value)
    }
}

impl<T> Deref for Wiped<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Wiped<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for Wiped<T> {
    #[inline(always)]
    fn drop(&mut self) {
        let value = &raw mut self.0;

        // What `memzero_explicit()` does, without a call for few bytes.
        //
        // SAFETY: The memory is the value's, and nobody looks at that any more: it needs no drop.
        // The assembly has no instruction. It may read, so the zeroes have to be there.
        unsafe {
            ptr::write_bytes(value, 0, 1);
            asm!("/* {} */", in(reg) value, options(nostack, preserves_flags));
        }
    }
}
