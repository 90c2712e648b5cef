// SPDX-License-Identifier: GPL-2.0

//! Proofs that vector code may run.
//!
//! A vector routine is sound to call if the CPU has its instructions, the operating system saves
//! the registers it uses, and those registers are the caller's at the moment of the call. The first
//! two are settled once, at load time, and proved by a [`Cpu`]; the third is settled for the length
//! of a section, and proved by a [`Simd`]. Who knows the platform makes them (in a kernel the CPU
//! feature bits and `kernel_fpu_begin()`); the ciphers only ask for them.

use core::marker::PhantomData;

/// An instruction-set extension of the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// AES round instructions (AES-NI).
    Aes,
    /// 128-bit VEX-encoded instructions. The OS saves SSE and YMM state.
    Avx,
    /// 256-bit integer instructions. The OS saves SSE and YMM state.
    Avx2,
}

impl Feature {
    /// Returns the name that `/proc/cpuinfo` has for the feature.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aes => "aes",
            Self::Avx => "avx",
            Self::Avx2 => "avx2",
        }
    }
}

/// A set of features that some code needs, as a type.
pub trait Features: 'static {
    /// Short name of the set for people, for example `"AES-NI/AVX2"`.
    const NAME: &'static str;

    /// Every feature whose instructions the code executes.
    const REQUIRED: &'static [Feature];
}

/// [`Features`] of code that uses nothing beyond the baseline of the architecture.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {}

impl Features for Scalar {
    const NAME: &'static str = "scalar";
    const REQUIRED: &'static [Feature] = &[];
}

/// [`Features`] of code that uses AES-NI and 256-bit integer vectors.
#[derive(Clone, Copy, Debug)]
pub enum AesniAvx2 {}

impl Features for AesniAvx2 {
    const NAME: &'static str = "AES-NI/AVX2";
    const REQUIRED: &'static [Feature] = &[Feature::Aes, Feature::Avx, Feature::Avx2];
}

/// Proof that this CPU has the features `F` and that the OS saves the registers they use.
///
/// # Invariants
///
/// A value exists only where [`Features::REQUIRED`] of `F` is met.
pub struct Cpu<F: Features>(PhantomData<fn() -> F>);

impl<F: Features> Cpu<F> {
    /// Makes the proof.
    ///
    /// # Safety
    ///
    /// Every feature in `F::REQUIRED` must have been detected on all CPUs that this code can run
    /// on, including that the OS has enabled and saves the register state named at the [`Feature`].
    #[inline]
    pub const unsafe fn assume() -> Self {
        // INVARIANT: Demanded of the caller.
        Self(PhantomData)
    }
}

impl<F: Features> Clone for Cpu<F> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Features> Copy for Cpu<F> {}

/// Proof that during `'s` the vector registers are ours, on a CPU that has the features `F`.
///
/// It is bound to the task and CPU that opened the section, hence neither [`Send`] nor [`Sync`],
/// and invariant in `'s`, so that it can leave neither by a return value nor through a longer-lived
/// place.
///
/// # Invariants
///
/// A value exists only during `'s`, while the current context may clobber vector registers, and
/// only where a [`Cpu<F>`] can exist.
///
/// # Examples
///
/// This is how a section hands out the proof.
///
/// ```
/// # use rfl_ciphers::simd::{AesniAvx2, Cpu, Features, Simd};
/// fn section<F: Features, R>(cpu: Cpu<F>, f: impl FnOnce(Simd<'_, F>) -> R) -> R {
///     // SAFETY: A process may always use its vector registers.
///     f(unsafe { Simd::assume(cpu) })
/// }
///
/// fn work(_: Simd<'_, AesniAvx2>) {}
///
/// fn request(cpu: Cpu<AesniAvx2>) {
///     section(cpu, |simd| work(simd))
/// }
/// ```
///
/// It cannot be kept for later,
///
/// ```compile_fail
/// # use rfl_ciphers::simd::{AesniAvx2, Cpu, Features, Simd};
/// # fn section<F: Features, R>(cpu: Cpu<F>, f: impl FnOnce(Simd<'_, F>) -> R) -> R {
/// #     f(unsafe { Simd::assume(cpu) })
/// # }
/// # fn work(_: Simd<'_, AesniAvx2>) {}
/// fn request(cpu: Cpu<AesniAvx2>) {
///     work(section(cpu, |simd| simd))
/// }
/// ```
///
/// nor be given to another thread,
///
/// ```compile_fail
/// # use rfl_ciphers::simd::{AesniAvx2, Cpu, Features, Simd};
/// # fn section<F: Features, R>(cpu: Cpu<F>, f: impl FnOnce(Simd<'_, F>) -> R) -> R {
/// #     f(unsafe { Simd::assume(cpu) })
/// # }
/// # fn work(_: Simd<'_, AesniAvx2>) {}
/// fn request(cpu: Cpu<AesniAvx2>) {
///     section(cpu, |simd| std::thread::scope(|scope| { scope.spawn(move || work(simd)); }))
/// }
/// ```
///
/// nor serve for other features than those detected.
///
/// ```compile_fail
/// # use rfl_ciphers::simd::{AesniAvx2, Cpu, Features, Scalar, Simd};
/// # fn section<F: Features, R>(cpu: Cpu<F>, f: impl FnOnce(Simd<'_, F>) -> R) -> R {
/// #     f(unsafe { Simd::assume(cpu) })
/// # }
/// # fn work(_: Simd<'_, AesniAvx2>) {}
/// fn request(cpu: Cpu<Scalar>) {
///     section(cpu, |simd| work(simd))
/// }
/// ```
pub struct Simd<'s, F: Features> {
    _section: PhantomData<fn(&'s ()) -> &'s ()>,
    _here: PhantomData<*mut ()>,
    _features: PhantomData<fn() -> F>,
}

impl<F: Features> Simd<'_, F> {
    /// Makes the proof.
    ///
    /// # Safety
    ///
    /// For all of the lifetime `'s`, which the caller must not leave to inference, the current
    /// context may clobber the vector registers (in a kernel: it is between `kernel_fpu_begin()`
    /// and `kernel_fpu_end()`).
    #[inline]
    pub const unsafe fn assume(_cpu: Cpu<F>) -> Self {
        // INVARIANT: The section is demanded of the caller, the features are proved by `_cpu`.
        Self {
            _section: PhantomData,
            _here: PhantomData,
            _features: PhantomData,
        }
    }
}

impl<F: Features> Clone for Simd<'_, F> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Features> Copy for Simd<'_, F> {}
