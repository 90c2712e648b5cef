// SPDX-License-Identifier: GPL-2.0

//! Modules that come and go while others, or users, are about.

use std::io::{IoSlice, IoSliceMut};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;

use crate::afalg::{Direction, Tfm};
use crate::kmod::{self, Modules};
use crate::ktap::{fail, Doing, Verdict};
use crate::modprobe::{self, Installed};
use crate::plan::Module;
use crate::proc_crypto;
use crate::suites;

/// How long, by the guest's clock, it may take to load a module that nothing is in the way of.
/// Who waits for himself waits for minutes.
const LOAD_TIME: Duration = Duration::from_secs(20);

/// Loads two modules, which may be the same, from two threads at once. Returns those that were
/// loaded: at least one, and each one that was not was told that its names are taken.
pub fn load_both(modules: &Modules, both: [&Module; 2]) -> Verdict<Vec<String>> {
    let start = &Barrier::new(both.len());
    let results = thread::scope(|scope| {
        let threads = both.map(|module| {
            scope.spawn(move || -> Verdict<_> {
                let image = modules.read(module);
                start.wait();
                let image = image.doing(&module.name)?;
                Ok((module, image.load()))
            })
        });
        threads.map(|thread| thread.join().expect("a thread panicked"))
    });
    let mut loaded = Vec::new();
    for result in results {
        match result? {
            (module, Ok(())) => loaded.push(module.name.clone()),
            (_, Err(Errno::EEXIST | Errno::EBUSY)) => {}
            (module, Err(errno)) => fail!("{}: {errno}", module.name),
        }
    }
    if loaded.is_empty() {
        fail!("neither was loaded");
    }
    Ok(loaded)
}

/// Asks for an algorithm that only a module has which is not loaded: the kernel loads it by alias.
pub fn autoload(module: &str, algorithm: &str) -> Verdict {
    loading(module, || {
        let start = Instant::now();
        let tfm = suites::open(algorithm).doing(algorithm)?;
        let took = start.elapsed();
        let algorithms = proc_crypto::read().doing("/proc/crypto")?;
        drop(tfm);
        if !algorithms.iter().any(|found| found.module == module) {
            fail!("{algorithm} is there, but nothing of {module}");
        }
        if took > LOAD_TIME {
            fail!("it took {took:?}");
        }
        Ok(())
    })
}

/// Runs a `test` that has the kernel load a module, and once only.
pub fn loading<T>(module: &str, test: impl FnOnce() -> Verdict<T>) -> Verdict<T> {
    if kmod::loaded().doing("/proc/modules")?.contains(module) {
        fail!("{module} is loaded already");
    }
    let installed = Installed::new().doing(modprobe::PROGRAM)?;
    let result = test()?;
    // More would be requests by the module itself or by the test of what it registers.
    let loads = installed.loads(module).doing("requests")?;
    if loads != 1 {
        fail!("{module} was asked for {loads} times");
    }
    Ok(result)
}

/// Number of references to a driver; none if it is not there.
fn users(driver: &str) -> Verdict<u32> {
    let algorithms = proc_crypto::read().doing("/proc/crypto")?;
    let found = algorithms.into_iter().find(|found| found.driver == driver);
    Ok(found.map_or(0, |found| found.users))
}

/// Who asks for an algorithm gets the driver.
pub fn best(algorithm: &str, driver: &str) -> Verdict {
    let idle = users(driver)?;
    let _tfm = suites::open(algorithm).doing(algorithm)?;
    match users(driver)? {
        found if found == idle + 1 => Ok(()),
        found => fail!("{driver} has {found} users, expected {}", idle + 1),
    }
}

/// What a user has of an algorithm stays as it is while a better driver comes and goes.
///
/// `load` brings a module with `driver`, `unload` takes it away.
pub fn displace(
    algorithm: &str,
    driver: &str,
    load: impl FnOnce() -> Verdict,
    unload: impl FnOnce() -> Verdict,
) -> Verdict {
    let open = || -> Verdict<Tfm> {
        let tfm = Tfm::skcipher(algorithm).doing(algorithm)?;
        tfm.set_key(&[0x5a; 32]).doing("key")?;
        Ok(tfm)
    };

    let old = open()?;
    let expected = encrypt(&old)?;
    load()?;
    let idle = users(driver)?;
    if encrypt(&old)? != expected {
        fail!("the result changed with {driver} registered");
    }
    let new = open()?;
    let now = users(driver)?;
    if now != idle + 1 {
        fail!("{driver} has {now} users, expected {}", idle + 1);
    }
    if encrypt(&new)? != expected {
        fail!("the result of {driver} is another one");
    }
    drop(new);
    unload()?;
    if encrypt(&old)? != expected || encrypt(&open()?)? != expected {
        fail!("the result changed with {driver} gone");
    }
    Ok(())
}

/// Encrypts three blocks, with an IV of zeroes where there is one.
fn encrypt(tfm: &Tfm) -> Verdict<[u8; 48]> {
    let channel = tfm.channel().doing("channel")?;
    let mut out = [0; 48];
    channel
        .start(
            Direction::Encrypt,
            None,
            &[IoSlice::new(&[0x11; 48])],
            false,
        )
        .and_then(|_| channel.receive(&mut [IoSliceMut::new(&mut out)]))
        .doing("request")?;
    Ok(out)
}
