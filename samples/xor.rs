// SPDX-License-Identifier: GPL-2.0

//! `ecb(xor)`: XORs a 16-byte key to each block. A driver to learn from, and no protection at all.

#[path = "../rust/bindings/mod.rs"]
mod bindings;
#[path = "../rust/ciphers"]
pub mod ciphers {
    //! What this module takes of `rust/ciphers`.
    pub mod inout;
    pub mod simd;
    pub mod tier;
}
#[path = "../rust/crypto/mod.rs"]
pub mod crypto;

use ciphers::{simd, tier::Context};
use crypto::{cpu, Algorithms, Request, Skcipher, Vector};
use kernel::prelude::*;

module! {
    type: XorModule,
    name: "xor_rust",
    authors: ["rfl-crypto contributors"],
    description: "Sample crypto driver in Rust",
    license: "GPL",
    alias: ["crypto-ecb(xor)", "crypto-ecb-xor-rust"],
}

/// Stands for the driver. There is never a value of it.
enum EcbXor {}

/// The tfm context.
#[derive(Default)]
struct Key([u8; 16]);

// SAFETY: Any bytes are a `Key`, all zero ones too.
unsafe impl Context for Key {}

impl EcbXor {
    /// XORs `key` to the blocks of `request`, which decrypts what it encrypts.
    fn xor(request: &mut Request<'_, Self>) -> Result {
        let Key(key) = request.key();

        // `data` is one piece of the message; what is returned is the number of bytes at its end
        // that make no whole block. At the end of the message that is refused with `EINVAL`.
        request.walk(|step| {
            let rest = step.data.map_blocks(|block: &[u8; 16]| {
                (u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(*key)).to_ne_bytes()
            });
            rest.len()
        })
    }
}

impl Skcipher for EcbXor {
    const NAME: &'static CStr = c"ecb(xor)";
    const DRIVER_NAME: &'static CStr = c"ecb-xor-rust";
    const PRIORITY: u16 = 100;
    const BLOCK_SIZE: usize = 16;
    const MIN_KEY_SIZE: usize = 16;
    const MAX_KEY_SIZE: usize = 16;

    // A driver with vector code names its features here, and the storage it needs in a request.
    type Features = simd::Scalar;
    type Scratch = ();

    type Iv = [u8; 0];
    type Key = Key;

    fn set_key(_: Vector<Self::Features>, key: &mut Key, bytes: &[u8]) -> Result {
        key.0 = bytes.try_into().map_err(|_| EINVAL)?;
        Ok(())
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        Self::xor(request)
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        Self::xor(request)
    }
}

struct XorModule {
    // Unregisters when the module goes.
    _algorithms: Algorithms,
}

impl kernel::Module for XorModule {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let mut algorithms = Algorithms::new(module);

        algorithms.skcipher::<EcbXor>(cpu::detect()?)?;
        pr_info!("registered {}\n", algorithms);
        Ok(Self {
            _algorithms: algorithms,
        })
    }
}
