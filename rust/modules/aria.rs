// SPDX-License-Identifier: GPL-2.0

//! ARIA, the block cipher of KS X 1213 and RFC 5794.

#[path = "../bindings/mod.rs"]
mod bindings;
#[path = "../ciphers"]
pub mod ciphers {
    //! What this module takes of `rust/ciphers`.
    pub mod aria;
    pub mod gcm;
    pub mod gf256;
    pub mod ghash;
    pub mod inout;
    pub mod lrw;
    pub mod routines;
    pub mod simd;
    pub mod tier;
    pub mod xts;
}
#[path = "../crypto/mod.rs"]
pub mod crypto;
#[path = "../crypto/modes.rs"]
pub mod modes;

// Tiers can all be left out.
#[cfg_attr(
    not(any(
        CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX,
        CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX,
        CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512VL
    )),
    expect(unused_imports)
)]
use ciphers::{
    aria::{self, Aria},
    gcm::CtrGhash,
    ghash,
};
use crypto::{compat::parameter, Algorithms, Limits};
use kernel::prelude::*;
use modes::BlockDriver;

module! {
    type: AriaModule,
    name: "aria_rust",
    authors: ["rfl-crypto contributors"],
    description: "ARIA block cipher and modes (scalar code is table-based)",
    license: "GPL",
    params: {
        max_vector_bits: u32 {
            default: 512,
            description: "Widest vector registers to use, in bits; 0 for scalar code only",
        },
        use_avx512: i32 {
            default: -1,
            description: "Whether to use AVX-512: 0 never, 1 always, -1 as suits the CPU",
        },
    },
}

impl BlockDriver for Aria {
    const NAME: &'static str = "aria";
    const DRIVER_SUFFIX: &'static str = "rust";
    const PRIORITY: u16 = 110;
}

cipher_drivers! {
    cipher: Aria,
    tiers: {
        "avx": 128 bits, priority 450, {
            CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX: aria::x86::vex::GfniAvx,
                modes [Ecb, Cbc, Ctr, Xts, Gcm, Rfc4106],
                gcm CtrGhash<aria::x86::vex::GfniAvx, ghash::x86::Avx>;
            CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX: aria::x86::vex::AesniAvx,
                modes [Ecb, Cbc, Ctr, Xts, Gcm, Rfc4106],
                gcm CtrGhash<aria::x86::vex::AesniAvx, ghash::x86::Avx>;
        }
        "avx2": 256 bits, priority 550, {
            CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX2: aria::x86::vex::GfniAvx2,
                modes [Ecb, Cbc, Ctr, Xts, Gcm, Rfc4106],
                gcm CtrGhash<aria::x86::vex::GfniAvx2, ghash::x86::Avx2>,
                or CtrGhash<aria::x86::vex::GfniAvx2, ghash::x86::Avx>;
            CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX2: aria::x86::vex::VaesAvx2,
                modes [Ecb, Cbc, Ctr, Xts, Gcm, Rfc4106],
                gcm CtrGhash<aria::x86::vex::VaesAvx2, ghash::x86::Avx2>,
                or CtrGhash<aria::x86::vex::VaesAvx2, ghash::x86::Avx>;
            CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX2: aria::x86::vex::AesniAvx2,
                modes [Ecb, Cbc, Ctr, Xts, Gcm, Rfc4106],
                gcm CtrGhash<aria::x86::vex::AesniAvx2, ghash::x86::Avx>;
        }
        "avx512vl": 256 bits, priority 650, {
            CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512VL: aria::x86::avx512::GfniAvx512vl,
                modes [Ecb, Cbc, Ctr, Xts, Gcm, Rfc4106],
                gcm CtrGhash<aria::x86::avx512::GfniAvx512vl, ghash::x86::Avx2>;
        }
        "avx512": 512 bits, priority 700, {
            CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512: aria::x86::avx512::GfniAvx512,
                modes [Ecb, Cbc, Ctr, Xts, Gcm, Rfc4106],
                gcm CtrGhash<aria::x86::avx512::GfniAvx512, ghash::x86::Avx512>;
        }
    }
}

struct AriaModule {
    _algorithms: Algorithms,
}

impl kernel::Module for AriaModule {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let mut algorithms = Algorithms::new(module);
        let limits = Limits::new(
            parameter(module_parameters::max_vector_bits.value()),
            parameter(module_parameters::use_avx512.value()),
        )?;

        register_drivers(&mut algorithms, limits)?;
        pr_info!("registered {}\n", algorithms);
        Ok(Self {
            _algorithms: algorithms,
        })
    }
}
