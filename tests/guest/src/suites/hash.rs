// SPDX-License-Identifier: GPL-2.0

//! CRC-16/T10-DIF through `AF_ALG`, with the crate `crc` as reference.

use std::io::{IoSlice, IoSliceMut};

use crc::{Crc, CRC_16_T10_DIF};
use nix::errno::Errno;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::skcipher::{bytes, cut};
use crate::afalg::Tfm;
use crate::ktap::{fail, Doing, Report, Stop, Verdict};

/// The name of the algorithm.
pub const NAME: &str = "crct10dif";

type Body = fn(&Target<'_>) -> Verdict;

const CASES: &[(&str, Body)] = &[
    ("known answer", known_answer),
    ("lengths", lengths),
    ("in pieces", pieces),
    ("large", large),
];

/// The name by which the kernel is asked for the hash.
struct Target<'a> {
    name: &'a str,
    seed: u64,
}

/// Runs the suite under a name of an algorithm or a driver.
pub fn run(report: &mut Report, name: &str, seed: u64) {
    let target = Target { name, seed };
    // If it is not there, that is one thing to be told, not one per case.
    if let Err(stop) = target.tfm() {
        return report.case(name, |_| Err(stop));
    }
    report.group(name, CASES.len(), |report| {
        for (case, body) in CASES {
            report.case(case, |_| body(&target));
        }
    });
}

impl Target<'_> {
    fn tfm(&self) -> Verdict<Tfm> {
        Tfm::hash(self.name).map_err(|errno| match errno {
            Errno::EAFNOSUPPORT => Stop::Skip("the kernel has no AF_ALG".into()),
            errno => Stop::Fail(format!("bind: {errno}")),
        })
    }

    fn rng(&self) -> SmallRng {
        SmallRng::seed_from_u64(self.seed)
    }

    /// Hashes data that is sent in pieces.
    fn hash(&self, data: &[u8], pieces: &[usize]) -> Verdict<u16> {
        let channel = self.tfm()?.channel().doing("accept")?;
        let mut rest = data;
        for (i, len) in pieces.iter().enumerate() {
            let (piece, behind) = rest.split_at(*len);
            rest = behind;
            let more = i + 1 < pieces.len();
            let sent = channel
                .feed(&[IoSlice::new(piece)], more)
                .doing("sendmsg")?;
            if sent != piece.len() {
                fail!("sendmsg took {sent} of {len} bytes");
            }
        }
        let mut out = [0; 2];
        let received = channel
            .receive(&mut [IoSliceMut::new(&mut out)])
            .doing("recvmsg")?;
        if received != out.len() {
            fail!("recvmsg returned {received} bytes");
        }
        // In the byte order of the CPU, as the drivers of the kernel had it.
        Ok(u16::from_ne_bytes(out))
    }

    fn check(&self, data: &[u8], pieces: &[usize]) -> Verdict {
        let expected = Crc::<u16>::new(&CRC_16_T10_DIF).checksum(data);
        let found = self.hash(data, pieces)?;
        if found != expected {
            fail!("{found:#06x}, not {expected:#06x}, of bytes sent as {pieces:?}");
        }
        Ok(())
    }
}

/// What catalogues of CRCs list.
fn known_answer(target: &Target<'_>) -> Verdict {
    match target.hash(b"123456789", &[9])? {
        0xd0db => Ok(()),
        found => fail!("{found:#06x}"),
    }
}

fn lengths(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    for len in (0..600).chain((600..10_000).step_by(61)) {
        target.check(&bytes(&mut rng, len), &[len])?;
    }
    Ok(())
}

fn pieces(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    for _ in 0..100 {
        let len = rng.random_range(1..5000);
        let pieces = cut(&mut rng, len, len / 4 + 1);
        target.check(&bytes(&mut rng, len), &pieces)?;
    }
    Ok(())
}

fn large(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    for len in [(1 << 16) - 1, 1 << 16, (1 << 16) + 1, 1 << 19] {
        target.check(&bytes(&mut rng, len), &[len])?;
    }
    Ok(())
}
