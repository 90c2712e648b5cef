// SPDX-License-Identifier: GPL-2.0

//! What the user allows to be registered.

use super::super::ciphers::simd::{Feature, Features};
use super::cpu;
use kernel::prelude::*;

/// What the user allows to be registered.
#[derive(Clone, Copy)]
pub struct Limits {
    max_vector_bits: u32,
    avx512: Avx512,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Avx512 {
    Auto,
    Never,
    Always,
}

impl Limits {
    /// On a CPU that is better off without 512-bit vectors, so much is taken from the priority of
    /// their drivers: less than the tiers of 256 bits with AVX-512 have, more than those without.
    const HANDICAP: u16 = 100;

    /// Takes the module parameters `max_vector_bits` and `use_avx512`: -1 for auto, 0 for never, 1
    /// for always.
    ///
    /// # Errors
    ///
    /// [`EINVAL`] if `use_avx512` is something else.
    pub fn new(max_vector_bits: u32, use_avx512: i32) -> Result<Self> {
        Ok(Self {
            max_vector_bits,
            avx512: match use_avx512 {
                -1 => Avx512::Auto,
                0 => Avx512::Never,
                1 => Avx512::Always,
                _ => return Err(EINVAL),
            },
        })
    }

    /// Returns by how much to lower the priority of a tier with the features `F` and vectors of so
    /// many bits, or why it is to be left out.
    pub fn admit<F: Features>(&self, vector_bits: u32) -> Result<u16, LeftOut> {
        if vector_bits > self.max_vector_bits {
            return Err(LeftOut::TooWide(self.max_vector_bits));
        }
        let is_avx512 = |feature| matches!(feature, Feature::Avx512f);
        if self.avx512 == Avx512::Never && F::REQUIRED.iter().any(is_avx512) {
            return Err(LeftOut::Avx512);
        }
        cpu::detect::<F>().map_err(LeftOut::Missing)?;

        let is_slow = self.avx512 == Avx512::Auto && cpu::prefers_256_bits();
        Ok(if vector_bits > 256 && is_slow {
            Self::HANDICAP
        } else {
            0
        })
    }
}

/// Why a tier is left out.
pub enum LeftOut {
    /// Its vectors are wider than so many bits.
    TooWide(u32),
    /// AVX-512 is not to be used.
    Avx512,
    /// The CPU lacks something.
    Missing(cpu::Missing),
}

impl kernel::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut kernel::fmt::Formatter<'_>) -> kernel::fmt::Result {
        match self {
            Self::TooWide(bits) => f.write_fmt(fmt!("limited to {} bits", bits)),
            Self::Avx512 => f.write_str("use_avx512 says never"),
            Self::Missing(feature) => f.write_fmt(fmt!("the CPU lacks {}", feature)),
        }
    }
}
