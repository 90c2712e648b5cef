// SPDX-License-Identifier: GPL-2.0

//! Test module: what happens to registration when names are taken.
//!
//! With `occupy`, holds the driver names of the ARIA module, as an in-tree ARIA would.
//! With `collide`, registers one driver three times: the second gets a name of its own, the third
//! finds that taken as well, so loading must fail and leave nothing behind. It fails with
//! `EEXIST`, of which the module loader makes `EBUSY`.
//! With `avx512`, registers a driver that needs AVX-512, and fails with `ENODEV` where there is
//! none, as a module must that has no code for the CPU.

#[path = "../../rust/bindings/mod.rs"]
mod bindings;
#[path = "../../rust/ciphers"]
pub mod ciphers {
    //! What this module takes of `rust/ciphers`.
    pub mod inout;
    pub mod simd;
    pub mod tier;
}
#[path = "../../rust/crypto/mod.rs"]
pub mod crypto;

use ciphers::{
    simd::{self, Feature, FeatureSet, Features},
    tier::Context,
};
use core::marker::PhantomData;
use crypto::{compat::parameter, cpu, Algorithms, Request, Skcipher, Vector};
use kernel::prelude::*;

module! {
    type: TestModule,
    name: "rfl_test_registration",
    authors: ["rfl-crypto contributors"],
    description: "Test of algorithm registration",
    license: "GPL",
    params: {
        occupy: u8 {
            default: 0,
            description: "Hold the driver names of aria_rust",
        },
        collide: u8 {
            default: 0,
            description: "Register one driver three times",
        },
        avx512: u8 {
            default: 0,
            description: "Register a driver that needs AVX-512",
        },
    },
}

trait DriverName: 'static {
    const VALUE: &'static CStr;
}

macro_rules! driver_names {
    ($($name:ident = $value:literal;)*) => {
        $(
            enum $name {}
            impl DriverName for $name {
                const VALUE: &'static CStr = $value;
            }
        )*
    };
}

driver_names! {
    Aria = c"aria-rust";
    EcbAriaAvx2 = c"ecb-aria-avx2";
    CtrAriaAvx2 = c"ctr-aria-avx2";
    Own = c"rfl-test-identity";
    Wide = c"rfl-test-identity-avx512";
}

enum Avx512 {}

impl Features for Avx512 {
    const REQUIRED: FeatureSet = FeatureSet::new(&[Feature::Avx512f]);
}

/// Leaves the data as it is, under the driver name `N`, on a CPU that has `F`.
struct Identity<N, F = simd::Scalar>(PhantomData<(N, F)>);

struct NoKey;

// SAFETY: There are no bytes in it.
unsafe impl Context for NoKey {}

impl<N: DriverName, F: Features> Skcipher for Identity<N, F> {
    const NAME: &'static CStr = c"rfl(identity)";
    const DRIVER_NAME: &'static CStr = N::VALUE;
    const PRIORITY: u16 = 1;
    const BLOCK_SIZE: usize = 1;
    const MIN_KEY_SIZE: usize = 0;
    const MAX_KEY_SIZE: usize = 0;

    type Features = F;
    type Iv = [u8; 0];
    type Key = NoKey;
    type Scratch = ();

    fn set_key(_: Vector<Self::Features>, _: &mut NoKey, _: &[u8]) -> Result {
        Ok(())
    }

    fn encrypt(request: &mut Request<'_, Self>) -> Result {
        request.walk(|step| step.data.map_blocks(|&byte: &[u8; 1]| byte).len())
    }

    fn decrypt(request: &mut Request<'_, Self>) -> Result {
        Self::encrypt(request)
    }
}

struct TestModule {
    _algorithms: Algorithms,
}

impl kernel::Module for TestModule {
    fn init(module: &'static ThisModule) -> Result<Self> {
        let mut algorithms = Algorithms::new(module);

        if parameter::<u8>(module_parameters::occupy.value()) != 0 {
            algorithms.skcipher::<Identity<Aria>>(cpu::detect()?)?;
            algorithms.skcipher::<Identity<EcbAriaAvx2>>(cpu::detect()?)?;
            algorithms.skcipher::<Identity<CtrAriaAvx2>>(cpu::detect()?)?;
        }
        if parameter::<u8>(module_parameters::collide.value()) != 0 {
            for _ in 0..3 {
                algorithms.skcipher::<Identity<Own>>(cpu::detect()?)?;
            }
        }
        if parameter::<u8>(module_parameters::avx512.value()) != 0 {
            let cpu = cpu::detect().inspect_err(|missing| {
                pr_err!("nothing to register: the CPU lacks {}\n", missing);
            })?;
            algorithms.skcipher::<Identity<Wide, Avx512>>(cpu)?;
        }
        pr_info!("registered {}\n", algorithms);
        Ok(Self {
            _algorithms: algorithms,
        })
    }
}
