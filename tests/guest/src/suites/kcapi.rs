// SPDX-License-Identifier: GPL-2.0

//! The programs of libkcapi, as users of `AF_ALG` that are not of this project.

use std::fs::{self, File};
use std::process::Stdio;

use crc::{Crc, CRC_16_T10_DIF};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::aead::Format;
use super::skcipher::{bytes, hex, same, DoingIn, Mode, KEY_SIZES};
use super::{family, Family, Use};
use crate::afalg::Direction;
use crate::cpu::Cpu;
use crate::ktap::{fail, Doing, Report, Verdict};
use crate::plan::Driver;
use crate::users::output_of;

/// The most that `kcapi-enc` reads of a key.
const KEY_MAX: usize = 32;
const LENGTHS: [usize; 5] = [16, 48, 512, 1424, 4096];
const KEY: &str = "/key";
const DATA: &str = "/data";

/// Runs the programs over algorithms or drivers of a cipher, or of the hash.
pub fn run(report: &mut Report, line: &str, name: &str, cpu: &Cpu, drivers: &[Driver], seed: u64) {
    report.group(line, drivers.len(), |report| {
        for driver in drivers {
            report.case(&driver.name, |_| {
                cpu.has(driver)?;
                let mut rng = SmallRng::seed_from_u64(seed);
                match (family(name), Use::of_driver(&driver.name)) {
                    (Some(family), Some(Use::Skcipher(mode))) => {
                        skcipher(family, mode, &driver.name, &mut rng)
                    }
                    (Some(family), Some(Use::Aead(Format::Gcm))) => {
                        gcm(family, &driver.name, &mut rng)
                    }
                    (None, Some(Use::Hash)) => hash(&driver.name, &mut rng),
                    _ => fail!("the name tells no use that the programs have"),
                }
            });
        }
    });
}

/// Transforms data by `kcapi-enc`. What it is to be told of directions, IVs and tags is in `more`.
fn enc(driver: &str, key: &[u8], data: &[u8], more: &[&str]) -> Verdict<Vec<u8>> {
    fs::write(KEY, key).doing(KEY)?;
    fs::write(DATA, data).doing(DATA)?;
    let mut arguments = vec!["--cipher", driver, "--keyfd", "0", "--infile", DATA];
    arguments.extend(more);
    let key = Stdio::from(File::open(KEY).doing(KEY)?);
    output_of("kcapi-enc", &arguments, key)
}

fn skcipher(family: &Family, mode: Mode, driver: &str, rng: &mut SmallRng) -> Verdict {
    let vectors = family.vectors.iter().filter(|_| mode == Mode::Ecb);
    for vector in vectors {
        let found = enc(driver, vector.key, &vector.plain, &["--encrypt"])?;
        same(&found, &vector.cipher).doing_in(&|| "known answer".into())?;
    }
    let key_sizes = KEY_SIZES.map(|size| mode.key_size(size));
    for key_size in key_sizes.into_iter().filter(|&size| size <= KEY_MAX) {
        for len in LENGTHS {
            let key = bytes(rng, key_size);
            let plain = bytes(rng, len);
            let iv: [u8; 16] = rng.random();
            let mut cipher = plain.clone();
            let reference = (family.reference)(mode, &key);
            reference.apply(mode, Direction::Encrypt, &iv, &mut cipher);

            let given = mode.given(&iv).map(hex);
            let iv = given.iter().flat_map(|iv| ["--iv", iv]);
            for (direction, from, to) in [
                ("--encrypt", &plain, &cipher),
                ("--decrypt", &cipher, &plain),
            ] {
                let more: Vec<_> = [direction].into_iter().chain(iv.clone()).collect();
                same(&enc(driver, &key, from, &more)?, to).doing_in(&|| more.join(" "))?;
            }
        }
    }
    Ok(())
}

fn gcm(family: &Family, driver: &str, rng: &mut SmallRng) -> Verdict {
    // An AEAD without associated data is nothing that kcapi-enc can be told of.
    let vectors = family.gcm_vectors.iter();
    for vector in vectors.filter(|vector| !vector.assoc.is_empty() && !vector.plain.is_empty()) {
        let (cipher, tag) = vector.sealed.split_at(vector.plain.len());
        seal_and_open(
            driver,
            vector.key,
            &vector.iv,
            vector.assoc,
            vector.plain,
            cipher,
            tag,
        )?;
    }
    for key_size in KEY_SIZES {
        for len in LENGTHS {
            let (key, iv) = (bytes(rng, key_size), rng.random());
            let (assoc, plain) = (bytes(rng, 20), bytes(rng, len));
            let mut cipher = plain.clone();
            let tag = (family.gcm)(&key).seal(&iv, &assoc, &mut cipher);
            seal_and_open(driver, &key, &iv, &assoc, &plain, &cipher, &tag)?;
        }
    }
    Ok(())
}

fn seal_and_open(
    driver: &str,
    key: &[u8],
    iv: &[u8; 12],
    assoc: &[u8],
    plain: &[u8],
    cipher: &[u8],
    tag: &[u8],
) -> Verdict {
    let (iv, aad, hex_tag) = (hex(iv), hex(assoc), hex(tag));
    let common = ["--iv", &iv, "--aad", &aad];
    let sealed = enc(
        driver,
        key,
        plain,
        &[&common[..], &["--encrypt", "--taglen", "16"]].concat(),
    )?;
    same(&sealed, &[assoc, cipher, tag].concat()).doing_in(&|| "--encrypt".into())?;
    let opening = [&common[..], &["--decrypt", "--tag"]].concat();
    let opened = enc(driver, key, cipher, &[&opening[..], &[&hex_tag]].concat())?;
    same(&opened, &[assoc, plain].concat()).doing_in(&|| "--decrypt".into())?;

    let mut wrong = tag.to_vec();
    wrong[15] ^= 1;
    if let Ok(opened) = enc(
        driver,
        key,
        cipher,
        &[&opening[..], &[&hex(&wrong)]].concat(),
    ) {
        fail!("with a wrong tag: {}", hex(&opened));
    }
    Ok(())
}

fn hash(driver: &str, rng: &mut SmallRng) -> Verdict {
    let crc = Crc::<u16>::new(&CRC_16_T10_DIF);
    for len in [0, 1, 9, 512, 4096, 100_000] {
        let data = bytes(rng, len);
        fs::write(DATA, &data).doing(DATA)?;
        let arguments = ["--cipher", driver, "--infile", DATA];
        let found = output_of("kcapi-dgst", &arguments, Stdio::null())?;
        same(&found, &crc.checksum(&data).to_ne_bytes())?;
    }
    Ok(())
}
