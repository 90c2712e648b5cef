// SPDX-License-Identifier: GPL-2.0

//! Modes of AES, FIPS 197, with the vector instructions of x86-64.

#[path = "../bindings/mod.rs"]
mod bindings;
#[path = "../ciphers"]
pub mod ciphers {
    //! What this module takes of `rust/ciphers`.
    pub mod aes;
    pub mod gcm;
    pub mod gf256;
    pub mod ghash;
    pub mod inout;
    pub mod lrw;
    pub mod simd;
    pub mod tier;
    pub mod xts;
}
#[path = "../crypto/mod.rs"]
pub mod crypto;
#[path = "../crypto/modes.rs"]
pub mod modes;

use ciphers::aes::{self, Aes};
use crypto::{compat::parameter, Algorithms, Limits};
use kernel::prelude::*;
use modes::BlockDriver;

module! {
    type: AesModule,
    name: "aes_x86_rust",
    authors: ["rfl-crypto contributors"],
    description: "AES in CTR mode and GCM with VAES and AVX-512 (scalar code is table-based)",
    license: "GPL",
    params: {
        max_vector_bits: u32 {
            default: 512,
            description: "Widest vector registers to use, in bits; below 256 there is no driver",
        },
        use_avx512: i32 {
            default: -1,
            description: "Whether to use AVX-512: 0 never, 1 always, -1 as suits the CPU",
        },
    },
}

impl BlockDriver for Aes {
    const NAME: &'static str = "aes";
    const DRIVER_SUFFIX: &'static str = "rust";
    const PRIORITY: u16 = 90;
}

// The kernel's own drivers of this kind have priority 800.
cipher_drivers! {
    modes of: Aes,
    tiers: {
        "avx512vl": 256 bits, priority 820, {
            CONFIG_RFL_CRYPTO_AES_X86: aes::x86::Avx512vl,
                modes [Ctr, Gcm, Rfc4106], gcm aes::x86::Avx512vl;
        }
        "avx512": 512 bits, priority 870, {
            CONFIG_RFL_CRYPTO_AES_X86: aes::x86::Avx512,
                modes [Ctr, Gcm, Rfc4106], gcm aes::x86::Avx512;
        }
    }
}

struct AesModule {
    _algorithms: Algorithms,
}

impl kernel::Module for AesModule {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let mut algorithms = Algorithms::new(module);
        let limits = Limits::new(
            parameter(module_parameters::max_vector_bits.value()),
            parameter(module_parameters::use_avx512.value()),
        )?;

        register_drivers(&mut algorithms, limits)?;
        if algorithms.is_empty() {
            return Err(ENODEV);
        }
        pr_info!("registered {}\n", algorithms);
        Ok(Self {
            _algorithms: algorithms,
        })
    }
}
