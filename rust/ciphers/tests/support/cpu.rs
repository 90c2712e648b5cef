// SPDX-License-Identifier: GPL-2.0

//! What this CPU can do.

use std::env;

use rfl_ciphers::simd::{Cpu, Feature, Features, Simd};

/// Returns whether CPU and operating system have a feature.
#[cfg(target_arch = "x86_64")]
fn has(feature: Feature) -> bool {
    macro_rules! get {
        ($name:tt) => {{
            cpufeatures::new!(cpu, $name);
            cpu::get()
        }};
    }
    match feature {
        Feature::Aes => get!("aes"),
        Feature::Pclmulqdq => get!("pclmulqdq"),
        Feature::Avx => get!("avx"),
        Feature::Avx2 => get!("avx2"),
        Feature::Gfni => get!("gfni"),
        Feature::Vaes => get!("vaes"),
        Feature::Vpclmulqdq => get!("vpclmulqdq"),
        Feature::Avx512f => get!("avx512f"),
        Feature::Avx512bw => get!("avx512bw"),
        Feature::Avx512dq => get!("avx512dq"),
        Feature::Avx512vl => get!("avx512vl"),
        Feature::Avx512vbmi => get!("avx512vbmi"),
        Feature::Avx512vbmi2 => get!("avx512vbmi2"),
        Feature::Bmi2 => get!("bmi2"),
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
    let missing = |feature: &Feature| !has(*feature) || hidden(*feature);
    match F::REQUIRED.iter().find(missing) {
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
