// SPDX-License-Identifier: GPL-2.0

//! The suites: one body per kind of algorithm, with the ciphers as parameters.

mod aead;
mod aes;
mod aria;
mod camellia;
mod hash;
pub mod kcapi;
mod reference;
mod skcipher;

use crate::afalg::Tfm;
use crate::cpu::Cpu;
use crate::ktap::{fail, Report, Verdict};
use crate::plan::Driver;
use aead::Format;
use reference::Reference;
use skcipher::Family;
pub use skcipher::Mode;

/// The ciphers known, by name.
fn family(name: &str) -> Option<&'static Family> {
    const FAMILIES: &[Family] = &[aes::AES, aria::ARIA, camellia::CAMELLIA];
    FAMILIES.iter().find(|family| family.name == name)
}

/// Sets a key of a cipher in user space, if it is known here.
pub fn reference(cipher: &str, mode: Mode, key: &[u8]) -> Option<Box<dyn Reference>> {
    family(cipher).map(|family| (family.reference)(mode, key))
}

/// What an algorithm is used for.
#[derive(Clone, Copy)]
pub enum Use {
    Skcipher(Mode),
    Aead(Format),
    Hash,
}

impl Use {
    /// Of a driver, by its name.
    pub fn of_driver(driver: &str) -> Option<Self> {
        let mode = Mode::of_driver(driver).map(Self::Skcipher);
        mode.or_else(|| Format::of_driver(driver).map(Self::Aead))
            .or_else(|| driver.starts_with(hash::NAME).then_some(Self::Hash))
    }
}

/// Asks the kernel for an algorithm or a driver, of the kind that its name tells.
pub fn open(name: &str) -> nix::Result<Tfm> {
    match Use::of_driver(name) {
        Some(Use::Aead(_)) => Tfm::aead(name),
        Some(Use::Hash) => Tfm::hash(name),
        Some(Use::Skcipher(_)) | None => Tfm::skcipher(name),
    }
}

/// What one suite is run over: under which name, and whether that can be.
struct Target {
    name: String,
    /// None if the name does not tell.
    what: Option<Use>,
    verdict: Verdict,
}

impl Target {
    fn algorithm(name: String, what: Use) -> Self {
        Self {
            name,
            what: Some(what),
            verdict: Ok(()),
        }
    }

    fn driver(driver: &Driver, cpu: &Cpu) -> Self {
        Self {
            name: driver.name.clone(),
            what: Use::of_driver(&driver.name),
            verdict: cpu.has(driver),
        }
    }
}

/// Runs the suites of a cipher, over all its uses by algorithm name and over `drivers` by their
/// names, or that of the hash.
pub fn run(report: &mut Report, line: &str, name: &str, cpu: &Cpu, drivers: &[Driver], seed: u64) {
    let family = family(name);
    let mut targets = Vec::new();
    if family.is_some() {
        targets.extend(Mode::ALL.map(|mode| {
            Target::algorithm(format!("{}({name})", mode.name()), Use::Skcipher(mode))
        }));
        targets.extend(
            Format::ALL.map(|format| Target::algorithm(format.algorithm(name), Use::Aead(format))),
        );
    } else {
        targets.push(Target::algorithm(name.into(), Use::Hash));
    }
    targets.extend(drivers.iter().map(|driver| Target::driver(driver, cpu)));

    report.group(line, targets.len(), |report| {
        for Target {
            name,
            what,
            verdict,
        } in targets
        {
            match (verdict, family, what) {
                (Err(stop), ..) => report.case(&name, |_| Err(stop)),
                (_, Some(family), Some(Use::Skcipher(mode))) => {
                    skcipher::run(report, family, mode, &name, seed);
                }
                (_, Some(family), Some(Use::Aead(format))) => {
                    aead::run(report, family, format, &name, seed);
                }
                (_, None, Some(Use::Hash)) => hash::run(report, &name, seed),
                _ => report.case(&name, |_| fail!("the name tells no use that is known here")),
            }
        }
    });
}
