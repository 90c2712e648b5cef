// SPDX-License-Identifier: GPL-2.0

//! Proofs that vector code may run.
//!
//! A vector routine is sound to call if the CPU has its instructions, the operating system saves
//! the registers it uses, and those registers are the caller's at the moment of the call. The first
//! two are settled once, at load time, and proved by a [`Cpu`]; the third is settled for the length
//! of a section, and proved by a [`Simd`]. Who knows the platform makes them (in a kernel the CPU
//! feature bits and `kernel_fpu_begin()`); the ciphers only ask for them.

use core::marker::PhantomData;

/// Declares [`Feature`], so that no list of the features can leave one out.
macro_rules! features {
    ($($(#[$doc:meta])* $feature:ident = $name:literal,)*) => {
        /// An instruction-set extension of the CPU.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature {
            $($(#[$doc])* $feature,)*
        }

        impl Feature {
            /// All of them, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$feature),*];

            /// Returns the name that `/proc/cpuinfo` has for the feature.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$feature => $name,)*
                }
            }
        }
    };
}

features! {
    /// AES round instructions (AES-NI).
    Aes = "aes",
    /// Carry-less multiplication.
    Pclmulqdq = "pclmulqdq",
    /// 128-bit VEX-encoded instructions. The OS saves SSE and YMM state.
    Avx = "avx",
    /// 256-bit integer instructions. The OS saves SSE and YMM state.
    Avx2 = "avx2",
    /// Affine maps and inversion in GF(2^8).
    Gfni = "gfni",
    /// AES round instructions on wider vectors.
    Vaes = "vaes",
    /// Carry-less multiplication on wider vectors.
    Vpclmulqdq = "vpclmulqdq",
    /// 512-bit vectors, 32 registers, masks. The OS saves SSE, YMM, opmask and ZMM state.
    Avx512f = "avx512f",
    /// AVX-512 for bytes and words.
    Avx512bw = "avx512bw",
    /// AVX-512 for doublewords and quadwords.
    Avx512dq = "avx512dq",
    /// AVX-512 on 128-bit and 256-bit vectors.
    Avx512vl = "avx512vl",
    /// AVX-512 permutations of bytes.
    Avx512vbmi = "avx512vbmi",
    /// AVX-512 shifts across two elements.
    Avx512vbmi2 = "avx512_vbmi2",
    /// Bit manipulation without flags, such as `bzhi`.
    Bmi2 = "bmi2",
}

/// A set of [`Feature`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureSet(u32);

impl FeatureSet {
    /// Makes a set of its members.
    pub const fn new(features: &[Feature]) -> Self {
        let mut set = 0;
        let mut rest = features;
        while let [feature, others @ ..] = rest {
            set |= 1 << *feature as u32;
            rest = others;
        }
        Self(set)
    }

    /// Returns the set of what is in either.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether all of `other` is in the set.
    pub const fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Iterates over the members.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        let is_member = move |&feature: &Feature| (self.0 >> feature as u32) & 1 == 1;
        Feature::ALL.iter().copied().filter(is_member)
    }
}

/// A set of features that some code needs, as a type.
pub trait Features: 'static {
    /// Every feature whose instructions the code executes.
    const REQUIRED: FeatureSet;
}

/// [`Features`] of code that uses nothing beyond the baseline of the architecture.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {}

impl Features for Scalar {
    const REQUIRED: FeatureSet = FeatureSet::new(&[]);
}

/// [`Features`] of code that uses AES-NI in VEX-encoded instructions.
#[derive(Clone, Copy, Debug)]
pub enum AesniAvx {}

impl Features for AesniAvx {
    const REQUIRED: FeatureSet = FeatureSet::new(&[Feature::Aes, Feature::Avx]);
}

/// [`Features`] of code that uses AES-NI and 256-bit integer vectors.
#[derive(Clone, Copy, Debug)]
pub enum AesniAvx2 {}

impl Features for AesniAvx2 {
    const REQUIRED: FeatureSet = FeatureSet::new(&[Feature::Aes, Feature::Avx, Feature::Avx2]);
}

/// [`Features`] of code that multiplies without carries in 128-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum PclmulAvx {}

impl Features for PclmulAvx {
    const REQUIRED: FeatureSet = FeatureSet::new(&[Feature::Pclmulqdq, Feature::Avx]);
}

/// [`Features`] of code that multiplies without carries in 256-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum VpclmulAvx2 {}

impl Features for VpclmulAvx2 {
    const REQUIRED: FeatureSet =
        FeatureSet::new(&[Feature::Vpclmulqdq, Feature::Avx, Feature::Avx2]);
}

/// [`Features`] of code that multiplies without carries in 512-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum VpclmulAvx512 {}

impl Features for VpclmulAvx512 {
    const REQUIRED: FeatureSet = VpclmulAvx2::REQUIRED.union(FeatureSet::new(&[
        Feature::Avx512f,
        Feature::Avx512bw,
        Feature::Avx512vl,
        Feature::Bmi2,
    ]));
}

/// [`Features`] of code that uses AES round instructions on 256-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum VaesAvx2 {}

impl Features for VaesAvx2 {
    const REQUIRED: FeatureSet = AesniAvx2::REQUIRED.union(FeatureSet::new(&[Feature::Vaes]));
}

/// [`Features`] of code that uses GFNI on 128-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum GfniAvx {}

impl Features for GfniAvx {
    const REQUIRED: FeatureSet = FeatureSet::new(&[Feature::Gfni, Feature::Avx]);
}

/// [`Features`] of code that uses GFNI on 256-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum GfniAvx2 {}

impl Features for GfniAvx2 {
    const REQUIRED: FeatureSet = GfniAvx::REQUIRED.union(FeatureSet::new(&[Feature::Avx2]));
}

/// [`Features`] of code that uses GFNI and AVX-512 as far as the first CPUs with both have it.
#[derive(Clone, Copy, Debug)]
pub enum GfniAvx512 {}

impl Features for GfniAvx512 {
    const REQUIRED: FeatureSet = FeatureSet::new(&[
        Feature::Gfni,
        Feature::Avx512f,
        Feature::Avx512bw,
        Feature::Avx512dq,
        Feature::Avx512vl,
        Feature::Bmi2,
    ]);
}

/// [`Features`] of code that also permutes bytes of 512-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum VpclmulVbmi {}

impl Features for VpclmulVbmi {
    const REQUIRED: FeatureSet =
        VpclmulAvx512::REQUIRED.union(FeatureSet::new(&[Feature::Avx512vbmi]));
}

/// [`Features`] of code that uses AES instructions on vectors longer than 128 bits, and AVX-512.
#[derive(Clone, Copy, Debug)]
pub enum VaesAvx512 {}

impl Features for VaesAvx512 {
    const REQUIRED: FeatureSet = FeatureSet::new(&[
        Feature::Vaes,
        Feature::Avx,
        Feature::Avx2,
        Feature::Avx512f,
        Feature::Avx512bw,
        Feature::Avx512vl,
        Feature::Bmi2,
    ]);
}

/// [`Features`] of code that also hashes as GCM does, in vectors of any length.
#[derive(Clone, Copy, Debug)]
pub enum VaesGcmAvx512 {}

impl Features for VaesGcmAvx512 {
    const REQUIRED: FeatureSet = VaesAvx512::REQUIRED.union(FeatureSet::new(&[
        Feature::Vpclmulqdq,
        Feature::Pclmulqdq,
        Feature::Aes,
    ]));
}

/// [`Features`] of code that calls routines of both kinds.
pub struct Both<A, B>(PhantomData<(A, B)>);

impl<A: Features, B: Features> Features for Both<A, B> {
    const REQUIRED: FeatureSet = A::REQUIRED.union(B::REQUIRED);
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

impl<'s, F: Features> Simd<'s, F> {
    /// Turns the proof into one for fewer features.
    ///
    /// A call does not compile where `G` asks for more than `F`.
    #[inline]
    pub const fn narrow<G: Features>(self) -> Simd<'s, G> {
        const { assert!(F::REQUIRED.covers(G::REQUIRED)) };
        // INVARIANT: The same section, on the same CPU.
        Simd {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_they_are_made_of() {
        let both = <Both<AesniAvx2, Scalar>>::REQUIRED;
        assert!(both.iter().eq([Feature::Aes, Feature::Avx, Feature::Avx2]));
        assert!(both.covers(AesniAvx2::REQUIRED) && both.covers(Scalar::REQUIRED));
        assert!(!both.covers(FeatureSet::new(&[Feature::Avx, Feature::Gfni])));
        assert!(FeatureSet::new(Feature::ALL)
            .iter()
            .eq(Feature::ALL.iter().copied()));
    }
}
