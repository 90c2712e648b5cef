// SPDX-License-Identifier: GPL-2.0

//! What the kernel's tcrypt module prints about the speed of ciphers (`crypto/tcrypt.c`), and in
//! its words `rfl_test_speed` (`tests/kernel/speed.c`).

use std::fmt;

/// What an operation cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cost {
    /// With `sec=0`: the mean of eight operations. Zero where the machine has no cycle counter.
    Cycles(u64),
    /// With `sec=N`.
    Rate { operations: u64, seconds: u64 },
}

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    pub driver: String,
    /// `encryption`, `decryption` or `digest`.
    pub op: String,
    pub key_bits: u32,
    pub bytes: u32,
    pub cost: Cost,
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "driver={} op={} key_bits={} bytes={} ",
            self.driver, self.op, self.key_bits, self.bytes
        )?;
        match self.cost {
            Cost::Cycles(cycles) => write!(f, "cycles={cycles}"),
            Cost::Rate {
                operations,
                seconds,
            } => write!(f, "ops={operations} seconds={seconds}"),
        }
    }
}

/// What a run of tcrypt printed.
#[derive(Debug, Default, PartialEq)]
pub struct Output {
    pub speeds: Vec<Speed>,
    /// How fast the cycle counter is, in kHz.
    pub counter: Option<u64>,
    /// Algorithms that the mode names and the kernel does not have.
    pub missing: Vec<String>,
    /// Lines that tell of an error, and measurements that have no result.
    pub errors: Vec<String>,
}

/// Collects the figures that a module printed from the lines of the kernel log; other lines are
/// passed over.
pub fn parse<'a>(module: &str, lines: impl IntoIterator<Item = &'a str>) -> Output {
    let prefix = format!("{module}: ");
    let mut output = Output::default();
    let mut subject = None;
    // A measurement is one line, printed in two steps. Another message in between makes it two,
    // and the second one has no prefix.
    let mut open: Option<(u32, u32)> = None;

    for line in lines {
        let Some(text) = line.strip_prefix(&prefix) else {
            if let (Some(cost), Some((key_bits, bytes))) = (result(line), open) {
                output.add(subject, key_bits, bytes, cost);
                open = None;
            }
            continue;
        };
        if let Some((key_bits, bytes)) = open.take() {
            output
                .errors
                .push(format!("no result for {key_bits} bit key, {bytes} bytes"));
        }
        if let Some(found) = heading(text) {
            subject = Some(found);
        } else if let Some((key_bits, bytes, rest)) = measurement(text) {
            match result(rest) {
                Some(cost) => output.add(subject, key_bits, bytes, cost),
                None if rest.is_empty() => open = Some((key_bits, bytes)),
                None => output.errors.push(text.into()),
            }
        } else if let Some(khz) = counter(text) {
            output.counter = Some(khz);
        } else if let Some(algorithm) = missing(text) {
            output.missing.push(algorithm.into());
        } else {
            output.errors.push(text.into());
        }
    }
    if let Some((key_bits, bytes)) = open {
        output
            .errors
            .push(format!("no result for {key_bits} bit key, {bytes} bytes"));
    }
    output
}

impl Output {
    fn add(&mut self, subject: Option<(&str, &str)>, key_bits: u32, bytes: u32, cost: Cost) {
        match subject {
            Some((driver, op)) => self.speeds.push(Speed {
                driver: driver.into(),
                op: op.into(),
                key_bits,
                bytes,
                cost,
            }),
            None => self.errors.push("a result without a heading".into()),
        }
    }
}

/// `cycle counter: NUMBER kHz`.
fn counter(text: &str) -> Option<u64> {
    let khz = text.strip_prefix("cycle counter: ")?;
    khz.strip_suffix(" kHz")?.parse().ok()
}

/// `testing speed of [sync|async|multibuffer] ALGORITHM (DRIVER) OPERATION`.
fn heading(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("testing speed of ")?;
    let (rest, op) = rest.rsplit_once(' ')?;
    let driver = rest.strip_suffix(')')?;
    // A driver that is an instance of a template has parentheses of its own.
    let (_, driver) = driver.split_once(" (")?;
    Some((driver, op))
}

/// `failed to load transform for ALGORITHM: ERROR`, if the error is `ENOENT`.
fn missing(text: &str) -> Option<&str> {
    text.strip_prefix("failed to load transform for ")?
        .strip_suffix(": -2")
}

/// `test NUMBER (BITS bit key, BYTES byte blocks): `, and what follows it.
fn measurement(text: &str) -> Option<(u32, u32, &str)> {
    let (_, rest) = text.strip_prefix("test ")?.split_once(" (")?;
    let (key_bits, rest) = rest.split_once(" bit key, ")?;
    let (bytes, rest) = rest.split_once(" byte blocks):")?;
    Some((key_bits.parse().ok()?, bytes.parse().ok()?, rest.trim()))
}

/// `1 operation in CYCLES cycles (...)` or `NUMBER operations in SECONDS seconds (...)`.
fn result(text: &str) -> Option<Cost> {
    match *text.split_whitespace().collect::<Vec<_>>() {
        ["1", "operation", "in", cycles, "cycles", ..] => Some(Cost::Cycles(cycles.parse().ok()?)),
        [operations, "operations", "in", seconds, "seconds", ..] => Some(Cost::Rate {
            operations: operations.parse().ok()?,
            seconds: seconds.parse().ok()?,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(driver: &str, op: &str, key_bits: u32, bytes: u32, cost: Cost) -> Speed {
        Speed {
            driver: driver.into(),
            op: op.into(),
            key_bits,
            bytes,
            cost,
        }
    }

    #[test]
    fn cycles() {
        let output = parse("tcrypt", [
            "random: crng init done",
            "tcrypt: testing speed of multibuffer ecb(aria) (ecb-aria-avx2) encryption",
            "tcrypt: test 0 (128 bit key, 16 byte blocks): 1 operation in 212 cycles (16 bytes)",
            "tcrypt: test 1 (128 bit key, 1424 byte blocks): 1 operation in 3000 cycles (1424 bytes)",
            "tcrypt: testing speed of sync cbc(aria) (cbc(aria-generic)) decryption",
            "tcrypt: test 0 (256 bit key, 64 byte blocks): 1 operation in 0 cycles (64 bytes)",
        ]);
        assert_eq!(output.errors, [""; 0]);
        assert_eq!(
            output.speeds,
            [
                speed("ecb-aria-avx2", "encryption", 128, 16, Cost::Cycles(212)),
                speed("ecb-aria-avx2", "encryption", 128, 1424, Cost::Cycles(3000)),
                speed("cbc(aria-generic)", "decryption", 256, 64, Cost::Cycles(0)),
            ]
        );
    }

    #[test]
    fn seconds() {
        let output = parse("tcrypt", [
            "tcrypt: testing speed of async ctr(aria) (ctr-aria-avx2) decryption",
            "tcrypt: test 0 (192 bit key, 16 byte blocks): 4711 operations in 1 seconds (75376 bytes)",
        ]);
        let cost = Cost::Rate {
            operations: 4711,
            seconds: 1,
        };
        let speed = speed("ctr-aria-avx2", "decryption", 192, 16, cost);
        assert_eq!(
            speed.to_string(),
            "driver=ctr-aria-avx2 op=decryption key_bits=192 bytes=16 ops=4711 seconds=1"
        );
        assert_eq!(output.speeds, [speed]);
        assert_eq!(output.errors, [""; 0]);
    }

    #[test]
    fn interrupted_line() {
        let output = parse(
            "tcrypt",
            [
                "tcrypt: testing speed of sync ecb(aria) (x) encryption",
                "tcrypt: test 0 (128 bit key, 16 byte blocks): ",
                "something else",
                "1 operation in 7 cycles (16 bytes)",
                "tcrypt: test 1 (128 bit key, 64 byte blocks): ",
                "tcrypt: encryption() failed flags=0",
            ],
        );
        assert_eq!(
            output.speeds,
            [speed("x", "encryption", 128, 16, Cost::Cycles(7))]
        );
        assert_eq!(
            output.errors,
            [
                "no result for 128 bit key, 64 bytes",
                "encryption() failed flags=0"
            ]
        );
    }

    #[test]
    fn other_module() {
        let output = parse(
            "rfl_test_speed",
            [
                "tcrypt: of somebody else",
                "rfl_test_speed: cycle counter: 2596132 kHz",
                "rfl_test_speed: testing speed of gcm-aes-avx512 (gcm-aes-avx512) encryption",
                "rfl_test_speed: test 0 (128 bit key, 512 byte blocks): 1 operation in 216 cycles (512 bytes)",
            ],
        );
        assert_eq!(output.counter, Some(2596132));
        assert_eq!(
            output.speeds,
            [speed(
                "gcm-aes-avx512",
                "encryption",
                128,
                512,
                Cost::Cycles(216)
            )]
        );
        assert_eq!(output.errors, [""; 0]);
    }

    #[test]
    fn missing_algorithm() {
        let output = parse(
            "tcrypt",
            [
                "tcrypt: failed to load transform for ecb(aria): -2",
                "tcrypt: failed to load transform for ctr(aria): -12",
            ],
        );
        assert_eq!(output.missing, ["ecb(aria)"]);
        assert_eq!(
            output.errors,
            ["failed to load transform for ctr(aria): -12"]
        );
        assert_eq!(output.speeds, []);
    }
}
