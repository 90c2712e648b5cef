// SPDX-License-Identifier: GPL-2.0

//! The suites: one body per kind of algorithm, with the ciphers as parameters.

mod aead;
mod aria;
mod camellia;
mod reference;
mod skcipher;

use crate::cpu::Cpu;
use crate::ktap::{fail, Report};
use crate::plan::Driver;
use aead::Format;
use skcipher::{Family, Mode};

/// The ciphers known, by name.
pub fn family(name: &str) -> Option<&'static Family> {
    const FAMILIES: &[Family] = &[aria::ARIA, camellia::CAMELLIA];
    FAMILIES.iter().find(|family| family.name == name)
}

/// What a cipher is used for.
#[derive(Clone, Copy)]
pub enum Use {
    Skcipher(Mode),
    Aead(Format),
}

impl Use {
    /// Of a driver, by its name.
    pub fn of_driver(driver: &str) -> Option<Self> {
        let mode = Mode::of_driver(driver).map(Self::Skcipher);
        mode.or_else(|| Format::of_driver(driver).map(Self::Aead))
    }
}

/// Runs the suites over all uses of `family` by algorithm name, and over `drivers` by their names.
pub fn run(
    report: &mut Report,
    line: &str,
    family: &Family,
    cpu: &Cpu,
    drivers: &[Driver],
    seed: u64,
) {
    let skciphers = Mode::ALL.map(|mode| {
        let name = format!("{}({})", mode.name(), family.name);
        (Some(Use::Skcipher(mode)), name, Ok(()))
    });
    let aeads = Format::ALL.map(|format| {
        let name = format.algorithm(family.name);
        (Some(Use::Aead(format)), name, Ok(()))
    });
    let by_driver = drivers.iter().map(|driver| {
        let name = driver.name.clone();
        (Use::of_driver(&name), name, cpu.has(driver))
    });
    let targets: Vec<_> = skciphers
        .into_iter()
        .chain(aeads)
        .chain(by_driver)
        .collect();

    report.group(line, targets.len(), |report| {
        for (what, name, verdict) in targets {
            match (verdict, what) {
                (Err(stop), _) => report.case(&name, |_| Err(stop)),
                (Ok(()), Some(Use::Skcipher(mode))) => {
                    skcipher::run(report, family, mode, &name, seed);
                }
                (Ok(()), Some(Use::Aead(format))) => {
                    aead::run(report, family, format, &name, seed);
                }
                (Ok(()), None) => report.case(&name, |_| {
                    fail!("the name tells no use of a cipher that is known here")
                }),
            }
        }
    });
}
