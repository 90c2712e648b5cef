// SPDX-License-Identifier: GPL-2.0

//! What this CPU can do.

use std::env;

use rfl_ciphers::simd::{Cpu, Feature, Features, Simd};

/// Returns whether CPU and operating system have a feature.
#[cfg(target_arch = "x86_64")]
fn has(feature: Feature) -> bool {
    cpufeatures::new!(aes, "aes");
    cpufeatures::new!(avx, "avx");
    cpufeatures::new!(avx2, "avx2");

    match feature {
        Feature::Aes => aes::get(),
        Feature::Avx => avx::get(),
        Feature::Avx2 => avx2::get(),
    }
}

/// All features that there are so far belong to another architecture.
#[cfg(not(target_arch = "x86_64"))]
fn has(_: Feature) -> bool {
    false
}

/// Detects the features `F`; the error says what is missing.
///
/// Features that `RFL_WITHOUT` in the environment lists, with commas between, are missing too.
pub fn detect<F: Features>() -> Result<Cpu<F>, String> {
    let without = env::var("RFL_WITHOUT").unwrap_or_default();
    let hidden = |feature: Feature| without.split(',').any(|name| name == feature.name());
    let missing = |&feature: &Feature| !has(feature) || hidden(feature);
    match F::REQUIRED.iter().copied().find(missing) {
        Some(feature) => Err(format!("this CPU lacks {}", feature.name())),
        // SAFETY: All features are detected, those of vector registers with their OS support.
        None => Ok(unsafe { Cpu::assume() }),
    }
}

/// Calls `f` with the right to use vector registers, which on the host anything has.
pub fn with_simd<F: Features, R>(cpu: Cpu<F>, f: impl FnOnce(Simd<'_, F>) -> R) -> R {
    // SAFETY: A compiler keeps nothing in vector registers across a call that may clobber them, and
    // the operating system gives them to each thread for itself. The lifetime ends with the call.
    f(unsafe { Simd::assume(cpu) })
}
