// SPDX-License-Identifier: GPL-2.0

//! ARIA, the block cipher of KS X 1213 and RFC 5794.

#[path = "../bindings/mod.rs"]
mod bindings;
#[path = "../ciphers"]
pub mod ciphers {
    //! What this module takes of `rust/ciphers`.
    pub mod aria;
    pub mod inout;
    pub mod simd;
    pub mod tier;
}
#[path = "../crypto/mod.rs"]
pub mod crypto;

use ciphers::aria::Aria;
use crypto::{
    modes::{self, BlockDriver},
    Algorithms,
};
use kernel::prelude::*;

module! {
    type: AriaModule,
    name: "aria_rust",
    authors: ["rfl-crypto contributors"],
    description: "ARIA block cipher with ECB and CTR modes (scalar code is table-based)",
    license: "GPL",
    alias: [
        "crypto-aria",
        "crypto-aria-rust",
        "crypto-ecb(aria)",
        "crypto-ecb-aria-avx2",
        "crypto-ctr(aria)",
        "crypto-ctr-aria-avx2",
    ],
    params: {
        max_vector_bits: u32 {
            default: 512,
            description: "Widest vector registers to use, in bits; 0 for scalar code only",
        },
    },
}

impl BlockDriver for Aria {
    const NAME: &'static CStr = c"aria";
    const DRIVER_NAME: &'static CStr = c"aria-rust";
    const PRIORITY: u16 = 110;
}

#[cfg(CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX2)]
impl modes::Drivers for ciphers::aria::x86::AesniAvx2 {
    const VECTOR_BITS: u32 = 256;
    const PRIORITY: u16 = 550;
    const ECB: modes::Names = modes::Names {
        algorithm: c"ecb(aria)",
        driver: c"ecb-aria-avx2",
    };
    const CTR: modes::Names = modes::Names {
        algorithm: c"ctr(aria)",
        driver: c"ctr-aria-avx2",
    };
}

struct AriaModule {
    _algorithms: Algorithms,
}

impl kernel::Module for AriaModule {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let mut algorithms = Algorithms::new(module);

        algorithms.cipher::<modes::Single<Aria>>()?;
        #[cfg(CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX2)]
        modes::register::<ciphers::aria::x86::AesniAvx2>(
            &mut algorithms,
            module_parameters::max_vector_bits.value(),
        )?;

        pr_info!("registered {}\n", algorithms);
        Ok(Self {
            _algorithms: algorithms,
        })
    }
}
