// SPDX-License-Identifier: GPL-2.0

//! Sections of code that may use vector registers.
//!
//! C headers: [`include/crypto/internal/simd.h`], [`arch/x86/include/asm/fpu/api.h`].
//!
//! [`include/crypto/internal/simd.h`]: srctree/include/crypto/internal/simd.h
//! [`arch/x86/include/asm/fpu/api.h`]: srctree/arch/x86/include/asm/fpu/api.h

use super::super::ciphers::simd::{Cpu, Features, Scalar, Simd};

/// The way to the vector registers, on a CPU that has the features `F`.
pub struct Vector<F: Features>(Option<Cpu<F>>);

impl<F: Features> Vector<F> {
    /// Returns the way on a CPU that has the features.
    pub const fn new(cpu: Cpu<F>) -> Self {
        Self(Some(cpu))
    }

    /// Returns one that leads to none, for work that is too little.
    pub const fn unused() -> Self {
        Self(None)
    }

    /// Calls `f`, with the vector registers of this CPU at its disposal if they may be used.
    ///
    /// They may not in hard interrupts, within another FPU section of the same CPU, and where a
    /// self-test asks for the scalar code. Then `f` gets [`None`], and its work is one for scalar
    /// code.
    ///
    /// The [`Simd`] token proves that the section is open. It cannot leave `f`, and the routines
    /// that need vector registers take it, so that none can be called outside a section.
    ///
    /// Preemption and softirqs are off while `f` runs: it must not sleep, must not allocate, and
    /// should be done with at most a page of data.
    ///
    /// Code that needs no feature of the CPU uses no vector registers, so it gets its proof
    /// anywhere, without a section.
    #[inline]
    pub fn run<R>(self, f: impl FnOnce(Option<Simd<'_, F>>) -> R) -> R {
        if const { Scalar::REQUIRED.covers(F::REQUIRED) } {
            // SAFETY: The proof has nothing to say.
            return f(self.0.map(|cpu| unsafe { Simd::assume(cpu) }));
        }

        let section = self.0.and_then(|cpu| Some((cpu, arch::Guard::enter()?)));
        let simd = section.as_ref().map(|(cpu, _guard)| {
            // SAFETY: `cpu` says that the CPU has the features, and the guard, which outlives the
            // call, that the registers are ours.
            unsafe { Simd::assume(*cpu) }
        });

        // One call, so that there is one copy of what is in it.
        f(simd)
    }
}

impl<F: Features> Clone for Vector<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Features> Copy for Vector<F> {}

#[cfg(CONFIG_X86_64)]
mod arch {
    use super::super::super::bindings;
    use kernel::types::NotThreadSafe;

    /// An open `kernel_fpu_begin()` section of this CPU.
    pub(super) struct Guard(NotThreadSafe);

    impl Guard {
        #[inline]
        pub(super) fn enter() -> Option<Self> {
            // SAFETY: May be called in any context: it opens no section where none may be.
            unsafe { bindings::rfl_helper_kernel_fpu_begin() }.then(|| Self(NotThreadSafe))
        }
    }

    impl Drop for Guard {
        #[inline]
        fn drop(&mut self) {
            // SAFETY: Ends the section that `enter()` opened on this CPU; preemption is off since.
            unsafe { bindings::rfl_helper_kernel_fpu_end() };
        }
    }
}

#[cfg(not(CONFIG_X86_64))]
mod arch {
    /// There is no vector code for this architecture, so no section is ever open.
    pub(super) enum Guard {}

    impl Guard {
        #[inline]
        pub(super) fn enter() -> Option<Self> {
            None
        }
    }
}
