// SPDX-License-Identifier: GPL-2.0

//! Camellia, the block cipher of RFC 3713.

#[path = "../bindings/mod.rs"]
mod bindings;
#[path = "../ciphers"]
pub mod ciphers {
    //! What this module takes of `rust/ciphers`.
    pub mod camellia;
    pub mod gcm;
    pub mod gf256;
    pub mod ghash;
    pub mod inout;
    pub mod lrw;
    pub mod routines;
    pub mod simd;
    pub mod tier;
    pub mod together;
    pub mod xts;
}
#[path = "../crypto/mod.rs"]
pub mod crypto;
#[path = "../crypto/modes.rs"]
pub mod modes;

#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_ASM)]
use camellia::x86::Asm as Single;
#[cfg(not(CONFIG_RFL_CRYPTO_CAMELLIA_ASM))]
use camellia::Camellia as Single;
use ciphers::camellia;
#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_SLICED)]
use ciphers::{gcm::CtrGhash, ghash};
use crypto::{compat::parameter, Algorithms, Limits};
use kernel::prelude::*;
use modes::BlockDriver;

module! {
    type: CamelliaModule,
    name: "camellia_rust",
    authors: ["rfl-crypto contributors"],
    description: "Camellia block cipher and modes (scalar code is table-based)",
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

#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_ASM)]
impl BlockDriver for Single {
    const NAME: &'static str = "camellia";
    const DRIVER_SUFFIX: &'static str = "asm";
    const PRIORITY: u16 = 250;
}

#[cfg(not(CONFIG_RFL_CRYPTO_CAMELLIA_ASM))]
impl BlockDriver for Single {
    const NAME: &'static str = "camellia";
    const DRIVER_SUFFIX: &'static str = "rust";
    const PRIORITY: u16 = 110;
}

cipher_drivers! {
    cipher: Single,
    tiers: {
        "asm": 0 bits, priority 350, {
            CONFIG_RFL_CRYPTO_CAMELLIA_ASM: camellia::x86::Asm,
                modes [Ecb, Cbc, Ctr, Lrw, Xts];
        }
        "aesni-avx": 128 bits, priority 450, {
            CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX: camellia::x86::vex::AesniAvx,
                modes [Ecb, Cbc, Ctr, Lrw, Xts, Gcm, Rfc4106],
                gcm CtrGhash<camellia::x86::vex::AesniAvx, ghash::x86::Avx>;
        }
        "aesni-avx2": 256 bits, priority 550, {
            CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX2: camellia::x86::vex::VaesAvx2,
                modes [Ecb, Cbc, Ctr, Lrw, Xts, Gcm, Rfc4106],
                gcm CtrGhash<camellia::x86::vex::VaesAvx2, ghash::x86::Avx2>,
                or CtrGhash<camellia::x86::vex::VaesAvx2, ghash::x86::Avx>;
            CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX2: camellia::x86::vex::AesniAvx2,
                modes [Ecb, Cbc, Ctr, Lrw, Xts, Gcm, Rfc4106],
                gcm CtrGhash<camellia::x86::vex::AesniAvx2, ghash::x86::Avx>;
        }
        "gfni-avx2": 256 bits, priority 600, {
            CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2: camellia::x86::vex::GfniAvx2,
                modes [Ecb, Cbc, Ctr, Lrw, Xts, Gcm, Rfc4106],
                gcm CtrGhash<camellia::x86::vex::GfniAvx2, ghash::x86::Avx2>,
                or CtrGhash<camellia::x86::vex::GfniAvx2, ghash::x86::Avx>;
        }
        "gfni-avx512vl": 256 bits, priority 650, {
            CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512VL: camellia::x86::avx512::GfniAvx512vl,
                modes [Ecb, Cbc, Ctr, Lrw, Xts, Gcm, Rfc4106],
                gcm CtrGhash<camellia::x86::avx512::GfniAvx512vl, ghash::x86::Avx2>;
        }
        "avx512": 512 bits, priority 700, {
            CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512: camellia::x86::avx512::GfniAvx512,
                modes [Ecb, Cbc, Ctr, Lrw, Xts, Gcm, Rfc4106],
                gcm CtrGhash<camellia::x86::avx512::GfniAvx512, ghash::x86::Avx512>;
        }
    }
}

struct CamelliaModule {
    _algorithms: Algorithms,
}

impl kernel::Module for CamelliaModule {
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
