// SPDX-License-Identifier: GPL-2.0

//! The block cipher AES, FIPS 197, in scalar code for arm64.
//!
//! Templates make the modes, for who asks for one by name, such as `ctr(aes-arm64)`. Drivers for
//! these would gain little: of its own, `ecb(...)` takes nine instructions for a block and
//! `ctr(...)` some forty, and the rounds take more than five hundred.

#[path = "../bindings/mod.rs"]
mod bindings;
#[path = "../ciphers"]
pub mod ciphers {
    //! What this module takes of `rust/ciphers`.
    pub mod aes;
    pub mod gf256;
    pub mod inout;
    pub mod simd;
    pub mod tier;
}
#[path = "../crypto/mod.rs"]
pub mod crypto;

use ciphers::{
    aes::arm64::{Arm64, Key},
    inout::InOut,
    tier::{BlockCipher, BLOCK_SIZE},
};
use crypto::{Algorithms, Cipher};
use kernel::prelude::*;

module! {
    type: AesModule,
    name: "aes_arm64_rust",
    authors: ["rfl-crypto contributors"],
    description: "AES block cipher in scalar code (table-based, so its timing depends on key and data)",
    license: "GPL",
    alias: ["crypto-aes", "crypto-aes-arm64"],
}

/// Stands for the driver.
enum Aes {}

impl Cipher for Aes {
    const NAME: &'static CStr = c"aes";
    const DRIVER_NAME: &'static CStr = c"aes-arm64";
    // The kernel's own, `aes-lib`, has 100. Its drivers of modes stay what they are: a template is
    // tried for an algorithm name only where there is no driver of it.
    const PRIORITY: u16 = 200;
    const BLOCK_SIZE: usize = BLOCK_SIZE;
    const MIN_KEY_SIZE: usize = Arm64::KEY_SIZES.0;
    const MAX_KEY_SIZE: usize = Arm64::KEY_SIZES.1;

    type Key = Key;

    fn set_key(key: &mut Key, bytes: &[u8]) -> Result {
        Arm64::set_key(key, bytes).map_err(|_| EINVAL)
    }

    fn encrypt(key: &Key, block: InOut<'_>) {
        Arm64::ecb_encrypt(key, block);
    }

    fn decrypt(key: &Key, block: InOut<'_>) {
        Arm64::ecb_decrypt(key, block);
    }
}

struct AesModule {
    // Unregisters when the module goes.
    _algorithms: Algorithms,
}

impl kernel::Module for AesModule {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let mut algorithms = Algorithms::new(module);

        algorithms.cipher::<Aes>()?;
        pr_info!("registered {}\n", algorithms);
        Ok(Self {
            _algorithms: algorithms,
        })
    }
}
