// SPDX-License-Identifier: GPL-2.0

//! CPU feature detection.
//!
//! C headers: [`arch/x86/include/asm/cpufeature.h`], [`arch/x86/include/asm/fpu/api.h`].
//!
//! [`arch/x86/include/asm/cpufeature.h`]: srctree/arch/x86/include/asm/cpufeature.h
//! [`arch/x86/include/asm/fpu/api.h`]: srctree/arch/x86/include/asm/fpu/api.h

use super::super::ciphers::simd::{Cpu, Feature, Features};
use kernel::prelude::*;

/// The first feature that a set asks for and this machine does not have.
#[derive(Clone, Copy, Debug)]
pub struct Missing(Feature);

impl kernel::fmt::Display for Missing {
    fn fmt(&self, f: &mut kernel::fmt::Formatter<'_>) -> kernel::fmt::Result {
        f.write_str(self.0.name())
    }
}

impl From<Missing> for Error {
    fn from(_: Missing) -> Self {
        ENODEV
    }
}

/// Looks whether this machine may execute the instructions of `F`: each feature is there, not
/// switched off on the kernel command line, and the kernel saves the registers that it uses.
pub fn detect<F: Features>() -> Result<Cpu<F>, Missing> {
    match F::REQUIRED.iter().find(|feature| !arch::has(*feature)) {
        Some(feature) => Err(Missing(feature)),
        // SAFETY: Each feature was just found to be present and its register state to be enabled;
        // the kernel does not take features away after boot.
        None => Ok(unsafe { Cpu::assume() }),
    }
}

/// Returns whether 512-bit vectors slow this CPU down so much that the kernel avoids them.
pub fn prefers_256_bits() -> bool {
    arch::prefers_256_bits()
}

#[cfg(CONFIG_X86_64)]
mod arch {
    use super::super::super::bindings;
    use super::Feature;

    pub(super) fn prefers_256_bits() -> bool {
        // SAFETY: Only reads what the kernel found out at boot.
        unsafe { bindings::rfl_helper_boot_cpu_has(bindings::X86_FEATURE_PREFER_YMM) }
    }

    pub(super) fn has(feature: Feature) -> bool {
        let bit = match feature {
            Feature::Aes => bindings::X86_FEATURE_AES,
            Feature::Pclmulqdq => bindings::X86_FEATURE_PCLMULQDQ,
            Feature::Avx => bindings::X86_FEATURE_AVX,
            Feature::Avx2 => bindings::X86_FEATURE_AVX2,
            Feature::Gfni => bindings::X86_FEATURE_GFNI,
            Feature::Vaes => bindings::X86_FEATURE_VAES,
            Feature::Vpclmulqdq => bindings::X86_FEATURE_VPCLMULQDQ,
            Feature::Avx512f => bindings::X86_FEATURE_AVX512F,
            Feature::Avx512bw => bindings::X86_FEATURE_AVX512BW,
            Feature::Avx512dq => bindings::X86_FEATURE_AVX512DQ,
            Feature::Avx512vl => bindings::X86_FEATURE_AVX512VL,
            Feature::Avx512vbmi => bindings::X86_FEATURE_AVX512VBMI,
            Feature::Avx512vbmi2 => bindings::X86_FEATURE_AVX512_VBMI2,
            Feature::Bmi2 => bindings::X86_FEATURE_BMI2,
        };
        let needs_zmm = matches!(
            feature,
            Feature::Avx512f
                | Feature::Avx512bw
                | Feature::Avx512dq
                | Feature::Avx512vl
                | Feature::Avx512vbmi
                | Feature::Avx512vbmi2
        );

        // SAFETY: All of these only read what the kernel found out at boot. The vector
        // instructions here are all VEX- or EVEX-encoded, those of AES-NI as well.
        unsafe {
            bindings::rfl_helper_boot_cpu_has(bit)
                && bindings::rfl_helper_saves_ymm()
                && (!needs_zmm || bindings::rfl_helper_saves_zmm())
        }
    }
}

#[cfg(not(CONFIG_X86_64))]
mod arch {
    use super::Feature;

    pub(super) fn prefers_256_bits() -> bool {
        false
    }

    /// Every feature is one of x86.
    pub(super) fn has(_: Feature) -> bool {
        false
    }
}
