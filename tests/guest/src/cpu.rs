// SPDX-License-Identifier: GPL-2.0

//! What the CPU of the guest can do.

use std::collections::BTreeSet;
use std::fs;
use std::io;

use crate::ktap::{Stop, Verdict};
use crate::plan::Driver;

/// The features of the CPU.
pub struct Cpu(BTreeSet<String>);

impl Cpu {
    /// Reads them from `/proc/cpuinfo`.
    pub fn read() -> io::Result<Self> {
        Ok(Self::parse(&fs::read_to_string("/proc/cpuinfo")?))
    }

    fn parse(cpuinfo: &str) -> Self {
        // Those of the first CPU: the kernel uses none that another one lacks.
        let flags = cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == "flags").then_some(value)
        });
        let flags = flags.unwrap_or_default().split_whitespace();
        Self(flags.map(String::from).collect())
    }

    /// Returns the first feature that a driver needs and that is missing.
    fn missing<'d>(&self, driver: &'d Driver) -> Option<&'d str> {
        let mut needs = driver.needs.iter();
        needs
            .find(|need| !self.0.contains(*need))
            .map(String::as_str)
    }

    /// Skips what is to be done with a driver that the CPU cannot run.
    pub fn has(&self, driver: &Driver) -> Verdict {
        match self.missing(driver) {
            Some(missing) => Err(Stop::Skip(format!("the CPU lacks {missing}"))),
            None => Ok(()),
        }
    }

    /// Returns the names of those that it can run.
    pub fn runnable(&self, drivers: &[Driver]) -> Vec<String> {
        let runnable = drivers
            .iter()
            .filter(|driver| self.missing(driver).is_none());
        runnable.map(|driver| driver.name.clone()).collect()
    }

    /// Returns the names of those that it cannot.
    pub fn others(&self, drivers: &[Driver]) -> Vec<String> {
        let others = drivers
            .iter()
            .filter(|driver| self.missing(driver).is_some());
        others.map(|driver| driver.name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_decide() {
        let driver = |needs: &[&str]| Driver {
            name: needs.join("-"),
            needs: needs.iter().copied().map(String::from).collect(),
        };
        let cpu = Cpu::parse("processor\t: 0\nflags\t\t: aes avx\n\nflags : gfni\n");
        let drivers = [driver(&["aes"]), driver(&["aes", "gfni"]), driver(&[])];
        assert_eq!(cpu.runnable(&drivers), ["aes", ""]);
        assert_eq!(cpu.others(&drivers), ["aes-gfni"]);
        assert_eq!(cpu.has(&drivers[0]), Ok(()));
        let skip = Stop::Skip("the CPU lacks gfni".into());
        assert_eq!(cpu.has(&drivers[1]), Err(skip));
    }
}
