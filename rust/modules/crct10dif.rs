// SPDX-License-Identifier: GPL-2.0

//! CRC-16/T10-DIF, the guard of the data integrity field of SCSI.

#[path = "../bindings/mod.rs"]
mod bindings;
#[path = "../ciphers"]
pub mod ciphers {
    //! What this module takes of `rust/ciphers`.
    pub mod crct10dif;
    pub mod inout;
    pub mod simd;
    pub mod tier;
}
#[path = "../crypto/mod.rs"]
pub mod crypto;

use ciphers::{
    crct10dif::{self, Tier},
    simd::{Features, Scalar},
};
use core::marker::PhantomData;
use crypto::{compat::parameter, cpu, Algorithms, Limits, Shash, Vector};
use kernel::prelude::*;

module! {
    type: Crct10difModule,
    name: "crct10dif_rust",
    authors: ["rfl-crypto contributors"],
    description: "CRC-16/T10-DIF by folding with PCLMULQDQ and AVX-512",
    license: "GPL",
    alias: [
        "crypto-crct10dif",
        "crypto-crct10dif-rust",
        "crypto-crct10dif-avx",
        "crypto-crct10dif-avx2",
        "crypto-crct10dif-avx512",
    ],
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

/// An implementation, and what its driver is called.
trait Driver: 'static {
    type Features: Features;

    const NAME: &'static CStr;
    const VECTOR_BITS: u32;
    const PRIORITY: u16;

    fn update(vector: Vector<Self::Features>, crc: u16, data: &[u8]) -> u16;
}

impl Driver for Scalar {
    type Features = Scalar;

    const NAME: &'static CStr = c"crct10dif-rust";
    const VECTOR_BITS: u32 = 0;
    const PRIORITY: u16 = 110;

    fn update(_: Vector<Scalar>, crc: u16, data: &[u8]) -> u16 {
        crct10dif::scalar::update(crc, data)
    }
}

/// Has a tier take data, or scalar code where it may not or should not.
#[cfg_attr(not(CONFIG_RFL_CRYPTO_CRCT10DIF_PCLMUL), expect(dead_code))]
fn update<T: Tier>(vector: Vector<T::Features>, crc: u16, data: &[u8]) -> u16 {
    if data.len() < T::MIN {
        return crct10dif::scalar::update(crc, data);
    }
    vector.run(|simd| match simd {
        Some(simd) => T::update(simd, crc, data),
        None => crct10dif::scalar::update(crc, data),
    })
}

/// Declares the drivers of the tiers.
macro_rules! drivers {
    ($($config:ident: $tier:ident, $name:literal, $bits:literal bits, priority $priority:literal;)*) => {
        $(
            #[cfg($config)]
            impl Driver for crct10dif::x86::$tier {
                type Features = <Self as Tier>::Features;

                const NAME: &'static CStr = $name;
                const VECTOR_BITS: u32 = $bits;
                const PRIORITY: u16 = $priority;

                fn update(vector: Vector<Self::Features>, crc: u16, data: &[u8]) -> u16 {
                    update::<Self>(vector, crc, data)
                }
            }
        )*

        /// Registers all drivers that this machine can run and the user allows.
        fn register_drivers(algorithms: &mut Algorithms, limits: Limits) -> Result {
            register::<Scalar>(algorithms, limits)?;
            $(
                #[cfg($config)]
                register::<crct10dif::x86::$tier>(algorithms, limits)?;
            )*
            Ok(())
        }
    };
}

drivers! {
    CONFIG_RFL_CRYPTO_CRCT10DIF_PCLMUL: Avx, c"crct10dif-avx", 128 bits, priority 200;
    CONFIG_RFL_CRYPTO_CRCT10DIF_PCLMUL: Avx2, c"crct10dif-avx2", 256 bits, priority 250;
    CONFIG_RFL_CRYPTO_CRCT10DIF_AVX512: Avx512, c"crct10dif-avx512", 512 bits, priority 300;
}

/// Registers a driver if that is possible, and if it computes what it should.
///
/// The kernel's self-tests know no such algorithm.
fn register<D: Driver>(algorithms: &mut Algorithms, limits: Limits) -> Result {
    let handicap = match limits.admit::<D::Features>(D::VECTOR_BITS) {
        Ok(handicap) => handicap,
        Err(reason) => {
            pr_notice!("{} is left out: {}\n", D::NAME, reason);
            return Ok(());
        }
    };
    let cpu = cpu::detect::<D::Features>()?;
    let vector = Vector::new(cpu);
    if !crct10dif::gives_known_answers(|crc, data| D::update(vector, crc, data)) {
        pr_err!("{} gives a wrong answer\n", D::NAME);
        return Err(EINVAL);
    }
    algorithms.set_handicap(handicap);
    algorithms.shash::<Crct10dif<D>>(cpu)
}

/// The hash, by an implementation.
struct Crct10dif<D>(PhantomData<D>);

impl<D: Driver> Shash for Crct10dif<D> {
    const NAME: &'static CStr = c"crct10dif";
    const DRIVER_NAME: &'static CStr = D::NAME;
    const PRIORITY: u16 = D::PRIORITY;
    const BLOCK_SIZE: usize = 1;
    // As long as a page of a cipher takes.
    const MAX_UPDATE: usize = 32768;

    type Features = D::Features;
    type State = u16;
    type Digest = [u8; 2];

    fn init() -> u16 {
        0
    }

    fn update(crc: &mut u16, vector: Vector<D::Features>, data: &[u8]) {
        *crc = D::update(vector, *crc, data);
    }

    // As the kernel's own driver had it, in the byte order of the CPU.
    fn finish(crc: &u16) -> [u8; 2] {
        crc.to_ne_bytes()
    }
}

struct Crct10difModule {
    _algorithms: Algorithms,
}

impl kernel::Module for Crct10difModule {
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
