// SPDX-License-Identifier: GPL-2.0

//! TLS records of the kernel over loopback (`Documentation/networking/tls.rst`).

use std::ffi::c_void;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::thread;

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::sockopt::{Set, TcpUlp};
use nix::sys::socket::{setsockopt, SetSockOpt};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::{receive, send, Driver, PATIENCE};
use crate::ktap::{fail, Doing, Stop, Verdict};

/// Header, explicit nonce and tag of a record of TLS 1.2.
const OVERHEAD: usize = 5 + 8 + 16;
/// A cipher of `include/uapi/linux/tls.h`.
#[derive(Debug, PartialEq)]
pub struct Cipher {
    name: &'static str,
    algorithm: &'static str,
    /// `TLS_CIPHER_...`
    number: u16,
    key_len: usize,
    versions: &'static [Version],
}

/// A version as records have it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
enum Version {
    Tls12 = 0x0303,
    Tls13 = 0x0304,
}

const CIPHERS: [Cipher; 4] = [
    Cipher {
        name: "aria-gcm-128",
        algorithm: "gcm(aria)",
        number: 57,
        key_len: 16,
        versions: &[Version::Tls12],
    },
    Cipher {
        name: "aria-gcm-256",
        algorithm: "gcm(aria)",
        number: 58,
        key_len: 32,
        versions: &[Version::Tls12],
    },
    Cipher {
        name: "aes-gcm-128",
        algorithm: "gcm(aes)",
        number: libc::TLS_CIPHER_AES_GCM_128,
        key_len: 16,
        versions: &[Version::Tls12, Version::Tls13],
    },
    Cipher {
        name: "aes-gcm-256",
        algorithm: "gcm(aes)",
        number: libc::TLS_CIPHER_AES_GCM_256,
        key_len: 32,
        versions: &[Version::Tls12, Version::Tls13],
    },
];

impl Cipher {
    /// The cipher of that name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        CIPHERS.iter().find(|cipher| cipher.name == name)
    }

    /// Makes a `struct tls12_crypto_info_...` with keys of a direction.
    fn keys(&self, version: Version, rng: &mut SmallRng) -> Vec<u8> {
        let mut info = (version as u16).to_ne_bytes().to_vec();
        info.extend(self.number.to_ne_bytes());
        // IV, key, salt, and the sequence number, which begins somewhere.
        info.extend((0..8 + self.key_len + 4 + 8).map(|_| rng.random::<u8>()));
        info
    }
}

/// Value of [`Tx`] and [`Rx`], whose length depends on the cipher.
struct SetBytes<'a>(&'a [u8]);

impl<'a> Set<'a, Vec<u8>> for SetBytes<'a> {
    fn new(bytes: &'a Vec<u8>) -> Self {
        Self(bytes)
    }

    fn ffi_ptr(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }

    fn ffi_len(&self) -> libc::socklen_t {
        libc::socklen_t::try_from(self.0.len()).expect("a few bytes")
    }
}

/// Keys for what is sent.
#[derive(Clone)]
struct Tx;
nix::setsockopt_impl!(Tx, libc::SOL_TLS, libc::TLS_TX, Vec<u8>, SetBytes<'_>);

/// Keys for what is received.
#[derive(Clone)]
struct Rx;
nix::setsockopt_impl!(Rx, libc::SOL_TLS, libc::TLS_RX, Vec<u8>, SetBytes<'_>);

/// Makes a pair of connected sockets.
fn pair() -> io::Result<[TcpStream; 2]> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let one = TcpStream::connect(listener.local_addr()?)?;
    let (other, _) = listener.accept()?;
    for stream in [&one, &other] {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
    }
    Ok([one, other])
}

/// Has the kernel make records of what goes one way.
fn arm(stream: &TcpStream, which: impl SetSockOpt<Val = Vec<u8>>, keys: &Vec<u8>) -> Verdict {
    match setsockopt(stream, TcpUlp::default(), b"tls") {
        Ok(()) | Err(Errno::EEXIST) => {}
        Err(errno) => fail!("TCP_ULP: {errno}"),
    }
    setsockopt(stream, which, keys).doing("TLS_TX or TLS_RX")
}

/// Runs the tests of a cipher, whose driver has to be one of `module`.
pub fn run(cipher: &Cipher, module: &str, seed: u64) -> Verdict<String> {
    super::run("ip", &["link", "set", "lo", "up"])?;
    let driver = Driver::best(cipher.algorithm, module)?;
    for &version in cipher.versions {
        both_ways(cipher, version, &driver, seed).doing_in(version)?;
        corrupted(cipher, version, module, seed).doing_in(version)?;
        driver.released()?;
    }
    driver.name()
}

/// Says with which version something failed.
trait DoingIn {
    fn doing_in(self, version: Version) -> Self;
}

impl DoingIn for Verdict {
    fn doing_in(self, version: Version) -> Self {
        self.map_err(|stop| match stop {
            Stop::Fail(reason) => Stop::Fail(format!("{version:?}: {reason}")),
            stop => stop,
        })
    }
}

/// Data goes both ways at once, in records of all sizes.
fn both_ways(cipher: &Cipher, version: Version, driver: &Driver, seed: u64) -> Verdict {
    let mut rng = SmallRng::seed_from_u64(seed);
    let ends = pair().doing("loopback")?;
    for (from, to) in [(0, 1), (1, 0)] {
        let keys = cipher.keys(version, &mut rng);
        arm(&ends[from], Tx, &keys)?;
        arm(&ends[to], Rx, &keys)?;
    }
    // Two that send and two that receive.
    if driver.users()? != 4 {
        fail!("it has {} users, expected 4", driver.users()?);
    }
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for (from, to) in [(0, 1), (1, 0)] {
            let (sender, receiver) = (&ends[from], &ends[to]);
            let seed = rng.random();
            threads.push(scope.spawn(move || send(sender, seed).doing("send")));
            threads.push(scope.spawn(move || receive(receiver, seed)));
        }
        let join = |thread: thread::ScopedJoinHandle<'_, _>| thread.join().expect("panicked");
        threads.into_iter().try_for_each(join)
    })
}

/// Records go through somebody who can change them, and are taken only as they were sent.
fn corrupted(cipher: &Cipher, version: Version, module: &str, seed: u64) -> Verdict {
    const PLAIN: usize = 1000;
    const SAMPLES: [usize; 4] = [0, 500, PLAIN - 1, PLAIN + 15];

    let mut rng = SmallRng::seed_from_u64(seed);
    for sample in SAMPLES.map(Some).into_iter().chain([None]) {
        let keys = cipher.keys(version, &mut rng);
        let [mut sender, mut between] = pair().doing("loopback")?;
        let [mut onward, mut receiver] = pair().doing("loopback")?;
        arm(&sender, Tx, &keys)?;
        arm(&receiver, Rx, &keys)?;

        let plain: Vec<u8> = (0..PLAIN).map(|_| rng.random()).collect();
        sender.write_all(&plain).doing("send")?;
        sender.shutdown(Shutdown::Write).doing("shutdown")?;
        let mut record = Vec::new();
        between.read_to_end(&mut record).doing("record")?;
        if record.windows(16).any(|piece| piece == &plain[..16]) {
            fail!("the record has the plaintext in it");
        }
        // Of the encrypted text and its tag, which is what a record ends with.
        if let Some(at) = sample {
            let start = match version {
                Version::Tls12 => OVERHEAD - 16,
                Version::Tls13 => 5,
            };
            record[start + at] ^= 1 << rng.random_range(0..8);
        }
        onward.write_all(&record).doing("passing it on")?;
        onward.shutdown(Shutdown::Write).doing("shutdown")?;

        let mut got = vec![0; PLAIN];
        match (sample, receiver.read_exact(&mut got)) {
            (None, Ok(())) if got == plain => {}
            (Some(_), Err(err)) if err.raw_os_error() == Some(libc::EBADMSG) => {
                // By chance one byte in 256 is. Only our drivers take back what they decrypted.
                let given = got.iter().zip(&plain).filter(|(a, b)| a == b).count();
                if module.ends_with("_rust") && given > PLAIN / 8 {
                    fail!("plaintext was given out");
                }
            }
            (_, Err(err)) if err.kind() == ErrorKind::WouldBlock => fail!("nothing came"),
            (changed, result) => fail!("changed at {changed:?}: {result:?}"),
        }
    }
    Ok(())
}
