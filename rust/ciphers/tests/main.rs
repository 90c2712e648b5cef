// SPDX-License-Identifier: GPL-2.0

//! Tests of the ciphers, the scalar code and every tier that this CPU can run.

// So far all vector tiers, and what tests them, are for x86-64.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_imports))]

mod aes;
mod aria;
mod camellia;
mod crct10dif;
#[cfg(target_arch = "x86_64")]
mod generated;
mod ghash;
mod lrw;
mod support;

use std::process::ExitCode;

use support::Suite;

fn main() -> ExitCode {
    let mut suite = Suite::default();
    #[cfg(target_arch = "x86_64")]
    support::abi::add(&mut suite);
    aes::add(&mut suite);
    aria::add(&mut suite);
    camellia::add(&mut suite);
    crct10dif::add(&mut suite);
    #[cfg(target_arch = "x86_64")]
    generated::add(&mut suite);
    ghash::add(&mut suite);
    suite.add("gcm::blocks".to_owned(), || {
        support::seeded(support::gcm::blocks)
    });
    #[cfg(target_arch = "x86_64")]
    lrw::add::<rfl_ciphers::aria::x86::vex::AesniAvx>(&mut suite);
    suite.run()
}
