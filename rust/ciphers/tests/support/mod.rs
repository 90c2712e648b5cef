// SPDX-License-Identifier: GPL-2.0

//! What the tests of all ciphers share.

#[cfg(target_arch = "x86_64")]
pub mod abi;
pub mod cpu;
pub mod gcm;
pub mod guarded;
pub mod modes;
pub mod rustcrypto;
pub mod xts;

use std::{env, process::ExitCode, thread};

use libtest_mimic::{Arguments, Trial};
use rand::{rngs::StdRng, SeedableRng};

/// The tests of one binary, some of which this CPU may be unable to run.
#[derive(Default)]
pub struct Suite {
    trials: Vec<Trial>,
    skips: Vec<String>,
}

impl Suite {
    /// Adds a test that runs anywhere.
    pub fn add(&mut self, name: String, test: impl FnOnce() + Send + 'static) {
        self.add_for(Ok(()), name, |()| test());
    }

    /// Adds a test that needs `proof`, or the reason why there is none.
    pub fn add_for<P: Send + 'static>(
        &mut self,
        proof: Result<P, String>,
        name: String,
        test: impl FnOnce(P) + Send + 'static,
    ) {
        if let Err(reason) = &proof {
            self.skips.push(format!("SKIP {name}: {reason}"));
        }
        let ignored = proof.is_err();
        let trial = Trial::test(name, move || {
            test(proof?);
            Ok(())
        });
        self.trials.push(trial.with_ignored_flag(ignored));
    }

    /// Runs what the command line asks for.
    ///
    /// A test that cannot run is ignored, and is named in a line `SKIP <test>: <reason>` on stdout.
    pub fn run(self) -> ExitCode {
        let arguments = Arguments::from_args();
        if !arguments.list {
            self.skips.iter().for_each(|skip| println!("{skip}"));
        }
        libtest_mimic::run(&arguments, self.trials).exit_code()
    }
}

/// Runs `test` with a random generator, and says how to get the same one again should it panic.
///
/// The seed is random, or what `RFL_SEED` in the environment is.
pub fn seeded(test: impl FnOnce(&mut StdRng)) {
    struct Seed(u64);

    impl Drop for Seed {
        fn drop(&mut self) {
            if thread::panicking() {
                eprintln!("to have the same numbers again: RFL_SEED={}", self.0);
            }
        }
    }

    let seed = match env::var("RFL_SEED") {
        Ok(seed) => Seed(seed.parse().expect("RFL_SEED is a number")),
        Err(_) => Seed(rand::random()),
    };
    test(&mut StdRng::seed_from_u64(seed.0));
}
