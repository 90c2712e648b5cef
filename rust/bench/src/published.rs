// SPDX-License-Identifier: GPL-2.0

//! Figures that others published, in the shape they had there.
//!
//! Those of kernel drivers are in `scripts/speed.py`.

/// Tiers of libgcrypt's ARIA: what they are called, ours of that kind, and theirs here.
pub const ARIA_TIERS: [(&str, &str, &str); 4] = [
    ("AES-NI/AVX", "aria-aesni-avx", "libgcrypt aesni-avx"),
    ("GFNI/AVX", "aria-gfni-avx", "libgcrypt gfni-avx"),
    ("AES-NI/AVX2", "aria-aesni-avx2", "libgcrypt aesni-avx2"),
    ("GFNI/AVX2", "aria-gfni-avx2", "libgcrypt gfni-avx2"),
];

/// ARIA-128 ECB in libgcrypt, cycles per byte of long messages, by CPU and tier of [`ARIA_TIERS`].
///
/// Source: the announcement of these implementations for libgcrypt, 2023.
pub const ARIA_LIBGCRYPT: [(&str, [Option<f64>; 4]); 6] = [
    (
        "Zen 4 (Ryzen 9 7900X)",
        [Some(3.36), Some(2.43), Some(1.96), Some(1.11)],
    ),
    (
        "Tiger Lake (i3-1115G4)",
        [Some(3.77), Some(2.89), Some(2.44), Some(1.51)],
    ),
    (
        "Zen 3 (Ryzen 7 5800X)",
        [Some(3.50), None, Some(2.12), None],
    ),
    ("Zen 2 (EPYC 7642)", [Some(4.01), None, Some(2.42), None]),
    ("Skylake (i5-6500)", [Some(4.48), None, Some(2.98), None]),
    ("Sandy Bridge (i5-2450M)", [Some(5.25), None, None, None]),
];
