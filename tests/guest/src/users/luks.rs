// SPDX-License-Identifier: GPL-2.0

//! Volumes of dm-crypt, set up by `cryptsetup`.
//!
//! The disk below is `null_blk` with memory, which can complete requests from softirqs as real
//! ones do.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;

use nix::errno::Errno;
use nix::mount::{mount, umount, MsFlags};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::{run, Driver};
use crate::afalg::Direction;
use crate::kmod;
use crate::ktap::{fail, Doing, Verdict};
use crate::suites::{self, Mode};

const DISK: &str = "/dev/nullb0";
const NAME: &str = "rfl";
const MAPPED: &str = "/dev/mapper/rfl";
const PASSPHRASE: &str = "/passphrase";
const VOLUME_KEY: &str = "/volume-key";
const MOUNTED: &str = "/mnt";
/// Where the data begins by default, behind two headers and the key slots.
const OFFSET: u64 = 16 << 20;
const SECTOR: usize = 512;
const DATA: usize = 2 << 20;
/// Files that are written to a file system at once, one by each thread, and their size.
const FILES: u64 = 4;
const FILE: usize = 1 << 20;
/// Have dm-crypt work where the request comes from, or ends.
const NO_QUEUES: [&str; 2] = ["no_read_workqueue", "no_write_workqueue"];

/// What a volume is encrypted with.
struct Volume<'a> {
    /// As in `aria-xts-plain64`.
    cipher: &'a str,
    family: &'a str,
    mode: Mode,
    key: Vec<u8>,
    driver: Driver,
}

impl<'a> Volume<'a> {
    /// Makes a volume with a cipher whose driver has to be one of `module`.
    fn format(
        cipher: &'a str,
        module: &str,
        options: &[String],
        rng: &mut SmallRng,
    ) -> Verdict<Self> {
        let mut parts = cipher.split('-');
        let family = parts.next().unwrap_or_default();
        let mode = match parts.next() {
            Some("xts") => Mode::Xts,
            Some("cbc") => Mode::Cbc,
            _ => fail!("{cipher}: no mode that is known here"),
        };
        let key_len = if mode == Mode::Xts { 64 } else { 32 };
        let key: Vec<u8> = (0..key_len).map(|_| rng.random()).collect();
        let driver = Driver::best(&format!("{}({family})", mode.name()), module)?;

        fs::create_dir_all("/run").doing("/run")?;
        fs::write(PASSPHRASE, "correct horse battery staple").doing(PASSPHRASE)?;
        fs::write(VOLUME_KEY, &key).doing(VOLUME_KEY)?;
        let key_bits = (8 * key.len()).to_string();
        // How long it takes to make a key of the passphrase is not of interest here.
        let fixed = "luksFormat --batch-mode --type luks2 --sector-size 512 --pbkdf pbkdf2 \
                     --pbkdf-force-iterations 1000 --volume-key-file /volume-key \
                     --key-file /passphrase --cipher";
        let mut arguments: Vec<&str> = fixed.split_whitespace().collect();
        arguments.extend([cipher, "--key-size", &key_bits]);
        arguments.extend(options.iter().map(String::as_str));
        arguments.push(DISK);
        run("cryptsetup", &arguments)?;
        driver.released()?;
        Ok(Self {
            cipher,
            family,
            mode,
            key,
            driver,
        })
    }

    /// Opens it, for `body` to use, with flags of dm-crypt. Until it is closed the driver is in
    /// use, and its module stays.
    fn opened(&self, module: &str, flags: &[&str], body: impl FnOnce() -> Verdict) -> Verdict {
        let flags: Vec<String> = flags.iter().map(|flag| format!("--perf-{flag}")).collect();
        let mut arguments = vec!["open", "--key-file", PASSPHRASE];
        arguments.extend(flags.iter().map(String::as_str));
        arguments.extend([DISK, NAME]);
        run("cryptsetup", &arguments)?;

        let result = self.used(module, &flags).and_then(|()| body());
        let closed = run("cryptsetup", &["close", NAME]);
        result.and(closed.map(drop))?;
        self.driver.released()
    }

    fn used(&self, module: &str, flags: &[String]) -> Verdict {
        self.driver.in_use()?;
        match kmod::unload_now(module) {
            Err(Errno::EAGAIN | Errno::EBUSY) => {}
            result => fail!("unloading {module} while it is in use: {result:?}"),
        }
        let status = run("cryptsetup", &["status", NAME])?;
        let flags = flags.iter().map(|flag| flag.trim_start_matches("--perf-"));
        for expected in flags.chain([self.cipher]) {
            if !status.contains(expected) {
                fail!("the mapping has no {expected}: {status}");
            }
        }
        Ok(())
    }

    /// What the disk has to hold, where that is known here.
    fn encrypted(&self, plain: &[u8]) -> Verdict<Option<Vec<u8>>> {
        if !self.cipher.ends_with("-xts-plain64") {
            return Ok(None);
        }
        let reference = match suites::reference(self.family, self.mode, &self.key) {
            Some(reference) => reference,
            None => fail!("{} is not known here", self.family),
        };
        let mut data = plain.to_vec();
        for (number, sector) in (0u128..).zip(data.chunks_mut(SECTOR)) {
            let iv = number.to_le_bytes();
            reference.apply(self.mode, Direction::Encrypt, &iv, sector);
        }
        Ok(Some(data))
    }
}

/// A volume keeps what is written to it, encrypted, whatever queues the requests go through.
pub fn volume(cipher: &str, module: &str, options: &[String], seed: u64) -> Verdict<String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let volume = Volume::format(cipher, module, options, &mut rng)?;
    let mut data = Vec::new();
    for flags in [&NO_QUEUES[..], &[]] {
        if !data.is_empty() {
            volume.opened(module, flags, || compare(MAPPED, 0, &data))?;
        }
        data = (0..DATA).map(|_| rng.random()).collect();
        volume.opened(module, flags, || {
            let mut file = OpenOptions::new().write(true).open(MAPPED).doing(MAPPED)?;
            file.write_all(&data).doing("write")?;
            file.sync_all().doing("sync")
        })?;
        volume.opened(module, flags, || compare(MAPPED, 0, &data))?;
        if let Some(encrypted) = volume.encrypted(&data)? {
            compare(DISK, OFFSET, &encrypted)?;
        }
    }
    volume.driver.name()
}

/// A file system on a volume keeps what several threads write to it at once.
pub fn filesystem(cipher: &str, module: &str, options: &[String], seed: u64) -> Verdict<String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let volume = Volume::format(cipher, module, options, &mut rng)?;
    let contents = |number: u64| -> Vec<u8> {
        let mut rng = SmallRng::seed_from_u64(seed ^ number);
        (0..FILE).map(|_| rng.random()).collect()
    };
    let path = |number: u64| Path::new(MOUNTED).join(number.to_string());
    fs::create_dir_all(MOUNTED).doing(MOUNTED)?;
    volume.opened(module, &NO_QUEUES, || {
        run("mke2fs", &["-q", "-t", "ext4", MAPPED, "32M"])?;
        mounted(|| {
            each_at_once(|number| {
                let mut file = File::create(path(number)).doing("create")?;
                for piece in contents(number).chunks(10_000) {
                    file.write_all(piece).doing("write")?;
                    file.sync_data().doing("sync")?;
                }
                Ok(())
            })
        })
    })?;
    volume.opened(module, &[], || {
        mounted(|| {
            each_at_once(|number| match fs::read(path(number)).doing("read")? {
                found if found == contents(number) => Ok(()),
                found => fail!("file {number}, {} bytes, changed", found.len()),
            })
        })
    })?;
    volume.driver.name()
}

fn mounted(body: impl FnOnce() -> Verdict) -> Verdict {
    let none: Option<&str> = None;
    mount(Some(MAPPED), MOUNTED, Some("ext4"), MsFlags::empty(), none).doing("mount")?;
    let result = body();
    result.and(umount(MOUNTED).doing("unmount"))
}

fn each_at_once(body: impl Fn(u64) -> Verdict + Sync) -> Verdict {
    let body = &body;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..FILES).map(|n| scope.spawn(move || body(n))).collect();
        let mut results = threads
            .into_iter()
            .map(|thread| thread.join().expect("a thread panicked"));
        results.try_for_each(|result| result)
    })
}

/// Fails unless a device holds `expected`. What was cached of it went when it was last closed.
fn compare(device: &str, offset: u64, expected: &[u8]) -> Verdict {
    let mut found = vec![0; expected.len()];
    let mut file = File::open(device).doing(device)?;
    file.seek(SeekFrom::Start(offset)).doing("seek")?;
    file.read_exact(&mut found).doing("read")?;
    match found.iter().zip(expected).position(|(a, b)| a != b) {
        Some(at) => fail!("{device}: byte {at} from {offset} on is wrong"),
        None => Ok(()),
    }
}
