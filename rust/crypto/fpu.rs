// SPDX-License-Identifier: GPL-2.0

//! Sections of code that may use vector registers.
//!
//! C headers: [`include/crypto/internal/simd.h`], [`arch/x86/include/asm/fpu/api.h`].
//!
//! [`include/crypto/internal/simd.h`]: srctree/include/crypto/internal/simd.h
//! [`arch/x86/include/asm/fpu/api.h`]: srctree/arch/x86/include/asm/fpu/api.h

use super::super::ciphers::simd::{Cpu, Features, Simd};

/// Calls `f` with the vector registers of this CPU at its disposal, and hands `arg` to it.
///
/// Returns `arg` in [`Err`] without calling `f` where they may not be used: in hard interrupts,
/// within another FPU section of the same CPU, or where a self-test asks for the scalar code.
///
/// The [`Simd`] token proves that the section is open. It cannot leave `f`, and the routines that
/// need vector registers take it, so that none can be called outside a section.
///
/// Preemption and softirqs are off while `f` runs: it must not sleep, must not allocate, and
/// should be done with at most a page of data.
#[inline]
pub(super) fn section<F: Features, A, R>(
    cpu: Cpu<F>,
    arg: A,
    f: impl FnOnce(Simd<'_, F>, A) -> R,
) -> Result<R, A> {
    let Some(_guard) = arch::Guard::enter() else {
        return Err(arg);
    };

    // SAFETY: `cpu` says that the CPU has the features, and the guard, which outlives the call,
    // that the registers are ours.
    Ok(f(unsafe { Simd::assume(cpu) }, arg))
}

#[cfg(CONFIG_X86_64)]
mod arch {
    use super::super::super::bindings;
    use kernel::types::NotThreadSafe;

    /// An open `kernel_fpu_begin()` section of this CPU.
    pub(super) struct Guard(NotThreadSafe);

    impl Guard {
        #[inline]
        pub(super) fn enter() -> Option<Self> {
            // SAFETY: May be called in any context.
            if !unsafe { bindings::rfl_helper_crypto_simd_usable() } {
                return None;
            }
            // SAFETY: `crypto_simd_usable()` says that a section may be opened here.
            unsafe { bindings::rfl_helper_kernel_fpu_begin() };
            Some(Self(NotThreadSafe))
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
