// SPDX-License-Identifier: GPL-2.0

//! The kernel log, as read from `/dev/kmsg` (`Documentation/ABI/testing/dev-kmsg` of the kernel).

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;

use nix::errno::Errno;
use nix::fcntl::OFlag;

/// Longer than any record the kernel hands out (`PRINTK_MESSAGE_MAX`).
const RECORD_MAX: usize = 8192;

const LEVEL_ERR: u8 = 3;
const LEVEL_WARNING: u8 = 4;

/// What the kernel prints when something is wrong with the kernel.
const COMPLAINTS: &[&str] = &[
    "WARNING: ",
    "BUG: ",
    "kernel BUG at ",
    "Oops",
    "Call Trace:",
    "UBSAN: ",
    "Kernel panic",
    "general protection fault",
    "INFO: task ",
    "rcu: INFO: ",
    "watchdog: ",
];

/// Words of the module loader, not of the module, printed at warning level under its name.
const LOADER_WARNINGS: &[&str] = &[
    "loading out-of-tree module taints kernel.",
    "loading test module taints kernel.",
];

/// A record of the kernel log.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// `LOGLEVEL_*`: 0 is the worst.
    pub level: u8,
    pub seq: u64,
    pub text: String,
}

impl Record {
    /// Parses what one read of `/dev/kmsg` returns.
    ///
    /// `<prefix>,<seq>,<time>,<flags>[,...];<text>`, then lines that begin with a space and hold
    /// properties of a device.
    pub fn parse(record: &str) -> Option<Self> {
        let (header, body) = record.split_once(';')?;
        let mut fields = header.split(',');
        let prefix: u32 = fields.next()?.parse().ok()?;
        let seq = fields.next()?.parse().ok()?;
        Some(Self {
            level: (prefix & 7) as u8,
            seq,
            text: body.lines().next().unwrap_or_default().into(),
        })
    }

    /// What speaks against a clean log in this record, if anything.
    ///
    /// A line of one of `modules` at warning level or worse counts, as do the kernel's own
    /// complaints and errors of the crypto self-tests. `alg: No test for` is printed at info
    /// level: it is neither an error nor a test.
    pub fn is_fault(&self, modules: &[String]) -> bool {
        let text = self.text.as_str();
        let ours = modules
            .iter()
            .filter_map(|module| text.strip_prefix(module.as_str())?.strip_prefix(": "))
            .any(|text| !LOADER_WARNINGS.contains(&text));
        (ours && self.level <= LEVEL_WARNING)
            || (text.starts_with("alg: ") && (self.level <= LEVEL_ERR || text.contains("failed")))
            || COMPLAINTS.iter().any(|words| text.starts_with(words))
    }
}

/// The kernel log since boot.
pub struct Log {
    file: File,
    records: Vec<Record>,
    lost: u64,
}

impl Log {
    /// Opens the log at its first record.
    pub fn open() -> io::Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open("/dev/kmsg")?;
        Ok(Self {
            file,
            records: Vec::new(),
            lost: 0,
        })
    }

    /// All records up to now.
    ///
    /// To be called often enough that the kernel's ring buffer does not run over; what was
    /// [`lost`](Self::lost) is counted.
    pub fn records(&mut self) -> io::Result<&[Record]> {
        let mut buf = [0; RECORD_MAX];
        loop {
            match self.file.read(&mut buf) {
                Ok(len) => {
                    let text = String::from_utf8_lossy(&buf[..len]);
                    let record = Record::parse(&text)
                        .ok_or_else(|| io::Error::other(format!("kmsg record: {text}")))?;
                    let next = self.records.last().map_or(0, |last| last.seq + 1);
                    self.lost += record.seq.saturating_sub(next);
                    self.records.push(record);
                }
                Err(err) if err.raw_os_error() == Some(Errno::EAGAIN as i32) => break,
                // The oldest records are gone, and the next read goes on behind them.
                Err(err) if err.raw_os_error() == Some(Errno::EPIPE as i32) => {}
                Err(err) => return Err(err),
            }
        }
        Ok(&self.records)
    }

    /// Number of records that were overwritten before they were read.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(level: u8, text: &str) -> Record {
        Record {
            level,
            seq: 0,
            text: text.into(),
        }
    }

    #[test]
    fn plain_record() {
        assert_eq!(
            Record::parse("6,339,5140900,-;NET: Registered protocol family 10\n"),
            Some(Record {
                level: 6,
                seq: 339,
                text: "NET: Registered protocol family 10".into()
            })
        );
    }

    #[test]
    fn facility_caller_and_properties() {
        let parsed = Record::parse("30,7,1,c,caller=T1;text; more\n SUBSYSTEM=pci\n").unwrap();
        assert_eq!((parsed.level, parsed.text.as_str()), (6, "text; more"));
    }

    #[test]
    fn garbage() {
        for text in ["", "no header\n", "6;text\n", "x,1,2,-;text\n"] {
            assert_eq!(Record::parse(text), None, "{text}");
        }
    }

    #[test]
    fn faults() {
        let modules = ["aria_rust".to_string()];
        for (level, text) in [
            (4, "aria_rust: name taken"),
            (3, "aria_rust: no memory"),
            (4, "WARNING: CPU: 0 PID: 1 at kernel/x.c:1 f+0x1/0x2"),
            (1, "BUG: unable to handle page fault for address: 0"),
            (2, "kernel BUG at mm/slub.c:1!"),
            (4, "Oops: Oops: 0000 [#1] SMP NOPTI"),
            (
                3,
                "alg: skcipher: x encryption overran dst buffer on test vector 0, cfg=\"\"",
            ),
            (4, "alg: self-tests for x (x) failed (rc=-22)"),
        ] {
            assert!(record(level, text).is_fault(&modules), "{text}");
        }
        for (level, text) in [
            (5, "aria_rust: registered"),
            (4, "aria_rust: loading out-of-tree module taints kernel."),
            (4, "other: warned"),
            (4, "aria_rust_test: warned"),
            (6, "alg: No test for xts(aria) (xts-aria-avx2)"),
            (7, "DEBUG: x"),
        ] {
            assert!(!record(level, text).is_fault(&modules), "{text}");
        }
    }
}
