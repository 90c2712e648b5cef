// SPDX-License-Identifier: GPL-2.0

//! Users of the crypto API inside the kernel, and what they are set up with.
//!
//! Each test names the module that the driver has to be of, and looks at the number of the driver's
//! users: none passes by another driver.

pub mod benchmark;
pub mod esp;
pub mod ktls;
pub mod luks;

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::ktap::{fail, Doing, Verdict};
use crate::proc_crypto::{self, Algorithm};

/// How long, by the guest's clock, users may take to let go of a driver.
const RELEASE_TIME: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);
/// Longer than anything takes that peers wait for, so that it ends if it went wrong.
const PATIENCE: Duration = Duration::from_secs(30);
/// The most that is sent at once, the largest record of TLS.
const PIECE: usize = 1 << 14;
/// Data sent in each direction.
const TOTAL: usize = 3 << 20;
/// Where blocks, batches of blocks, packets and pages begin and end.
const SIZES: [usize; 24] = [
    1, 2, 15, 16, 17, 31, 63, 64, 65, 255, 256, 257, 511, 1023, 1024, 1025, 1420, 4095, 4096, 4097,
    8191, 8193, 16383, 16384,
];

/// Who uses the crypto API, and in which way.
#[derive(Debug, PartialEq)]
pub enum User {
    Ktls(&'static ktls::Cipher),
    Luks {
        /// As `cryptsetup` calls it.
        cipher: String,
        /// Of `cryptsetup luksFormat`.
        options: Vec<String>,
    },
    Filesystem {
        cipher: String,
        options: Vec<String>,
    },
    Esp {
        algorithm: String,
    },
    Benchmark {
        /// As in `aria-xts`.
        cipher: String,
    },
}

impl User {
    /// Has it use a driver of `module`. Returns the driver.
    pub fn run(&self, module: &str, seed: u64) -> Verdict<String> {
        match self {
            Self::Ktls(cipher) => ktls::run(cipher, module, seed),
            Self::Luks { cipher, options } => luks::volume(cipher, module, options, seed),
            Self::Filesystem { cipher, options } => luks::filesystem(cipher, module, options, seed),
            Self::Esp { algorithm } => esp::tunnel(algorithm, module, seed),
            Self::Benchmark { cipher } => benchmark::run(cipher, module),
        }
    }
}

/// The driver that who asks for an algorithm gets.
struct Driver {
    algorithm: String,
    module: String,
}

impl Driver {
    /// The best driver of `algorithm`, which has to be one of `module`, if there is one already.
    /// Nobody uses it yet, once its self-test is over.
    fn best(algorithm: &str, module: &str) -> Verdict<Self> {
        let driver = Self {
            algorithm: algorithm.into(),
            module: module.into(),
        };
        driver.released()?;
        Ok(driver)
    }

    fn find(&self) -> Verdict<Option<Algorithm>> {
        let all = proc_crypto::read().doing("/proc/crypto")?;
        let found = all.into_iter().filter(|found| found.name == self.algorithm);
        match found.max_by_key(|found| found.priority) {
            Some(found) if found.module != self.module => {
                fail!("{} is not of {}: {found:?}", self.algorithm, self.module)
            }
            found => Ok(found),
        }
    }

    fn name(&self) -> Verdict<String> {
        match self.find()? {
            Some(found) => Ok(found.driver),
            None => fail!("there is no {}", self.algorithm),
        }
    }

    /// Number of its users.
    fn users(&self) -> Verdict<u32> {
        const REGISTRATION: u32 = 1;

        let references = self.find()?.map_or(REGISTRATION, |found| found.users);
        Ok(references.saturating_sub(REGISTRATION))
    }

    /// Fails unless it is in use.
    fn in_use(&self) -> Verdict {
        if self.users()? == 0 {
            fail!("{} is not in use", self.algorithm);
        }
        Ok(())
    }

    /// Waits until it has none.
    fn released(&self) -> Verdict {
        let deadline = Instant::now() + RELEASE_TIME;
        while self.users()? > 0 {
            if Instant::now() > deadline {
                fail!("{} still has {} users", self.algorithm, self.users()?);
            }
            thread::sleep(POLL);
        }
        Ok(())
    }
}

/// Runs a program that the guest was given. Returns what it printed.
fn run(program: &str, arguments: &[&str]) -> Verdict<String> {
    let printed = output_of(program, arguments, Stdio::null())?;
    Ok(String::from_utf8_lossy(&printed).into_owned())
}

/// The same with something to read for the program, and bytes of any kind printed.
pub fn output_of(program: &str, arguments: &[&str], input: Stdio) -> Verdict<Vec<u8>> {
    let output = Command::new(program).args(arguments).stdin(input).output();
    finished(program, arguments, output.doing(program)?)
}

/// What a program has printed, unless it failed.
fn finished(program: &str, arguments: &[&str], output: Output) -> Verdict<Vec<u8>> {
    if !output.status.success() {
        let (line, said) = (arguments.join(" "), String::from_utf8_lossy(&output.stderr));
        fail!("{program} {line}: {}: {}", output.status, said.trim_end());
    }
    Ok(output.stdout)
}

/// The data that belongs to a seed.
fn data(seed: u64) -> Vec<u8> {
    let mut data = vec![0; TOTAL];
    SmallRng::seed_from_u64(seed).fill(&mut data[..]);
    data
}

/// Sends the data that belongs to a seed, in pieces of changing sizes, and closes its end.
fn send(mut stream: &TcpStream, seed: u64) -> io::Result<()> {
    let mut sizes = SmallRng::seed_from_u64(!seed);
    let mut fixed = SIZES.iter();
    let data = data(seed);
    let mut rest = &data[..];
    while !rest.is_empty() {
        let size = fixed.next().copied();
        let size = size.unwrap_or_else(|| sizes.random_range(1..=PIECE));
        let (piece, after) = rest.split_at(size.min(rest.len()));
        stream.write_all(piece)?;
        rest = after;
    }
    stream.shutdown(Shutdown::Write)
}

/// Receives the data that belongs to a seed, in pieces of other sizes.
fn receive(mut stream: &TcpStream, seed: u64) -> Verdict {
    let mut sizes = SmallRng::seed_from_u64(seed.rotate_left(1));
    let mut found = vec![0; 3 * PIECE];
    let expected = data(seed);
    let mut rest = &expected[..];
    loop {
        let size = sizes.random_range(1..=found.len());
        let got = stream.read(&mut found[..size]).doing("receive")?;
        if got == 0 {
            break;
        }
        if !rest.starts_with(&found[..got]) {
            fail!("wrong data after {} bytes", TOTAL - rest.len());
        }
        rest = &rest[got..];
    }
    if !rest.is_empty() {
        fail!("{} bytes did not come", rest.len());
    }
    Ok(())
}
