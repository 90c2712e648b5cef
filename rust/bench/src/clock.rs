// SPDX-License-Identifier: GPL-2.0

//! Time, and what it is in cycles of the core.
//!
//! The time-stamp counter has a rate of its own, which the core's clock follows only by chance. A
//! chain of multiplications, each of which needs the result of the one before, takes the same number
//! of core cycles whatever the rate, so one that is timed beside a sample says what the sample took.

use std::{
    arch::{
        asm,
        x86_64::{_mm_lfence, _rdtsc},
    },
    time::{Duration, Instant},
};

/// Multiplications of a chain.
const LINKS: u64 = 512;

/// Cycles from a factor to the product in a 64-bit `imul`: the same in every Intel core since
/// Nehalem and every AMD core since Zen.
const IMUL_LATENCY: u64 = 3;

/// Reads the time-stamp counter when all before is done, and before anything behind begins.
#[inline(always)]
pub fn ticks() -> u64 {
    // SAFETY: Every x86-64 has both instructions.
    unsafe {
        _mm_lfence();
        let now = _rdtsc();
        _mm_lfence();
        now
    }
}

/// Returns how many ticks the counter makes in a cycle of the core, as it runs right now.
#[inline(never)]
pub fn ticks_per_cycle() -> f64 {
    let before = ticks();
    // SAFETY: Arithmetic on registers of its own.
    unsafe {
        asm!(
            "2:",
            ".rept 16",
            "imul {x}, {x}",
            ".endr",
            "dec {n}",
            "jnz 2b",
            x = inout(reg) 3_u64 => _,
            n = inout(reg) LINKS / 16 => _,
            options(nomem, nostack),
        );
    }
    (ticks() - before) as f64 / (LINKS * IMUL_LATENCY) as f64
}

/// Measures the rate of the counter in ticks per nanosecond.
pub fn ticks_per_nanosecond() -> f64 {
    let (time, before) = (Instant::now(), ticks());
    std::thread::sleep(Duration::from_millis(20));
    let passed = ticks() - before;
    passed as f64 / time.elapsed().as_nanos() as f64
}
