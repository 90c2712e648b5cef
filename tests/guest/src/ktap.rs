// SPDX-License-Identifier: GPL-2.0

//! Test results in KTAP version 1, see `Documentation/dev-tools/ktap.rst` of the kernel.
//!
//! Every line is written at once: what was reported before a guest dies is on the channel.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::time::Instant;

/// Why a test case did not pass.
#[derive(Debug, PartialEq)]
pub enum Stop {
    /// It ran, and something was wrong.
    Fail(String),
    /// It could not run.
    Skip(String),
}

impl From<String> for Stop {
    fn from(reason: String) -> Self {
        Stop::Fail(reason)
    }
}

/// Result of a test case.
pub type Verdict<T = ()> = Result<T, Stop>;

/// Leaves a test case as failed, with a reason formatted like `format!`.
macro_rules! fail {
    ($($arg:tt)*) => {
        return Err($crate::ktap::Stop::Fail(format!($($arg)*)))
    };
}
pub(crate) use fail;

/// Says what was being done when an operation failed.
pub trait Doing<T> {
    /// Turns the error into a failure `what: error`.
    fn doing(self, what: impl Display) -> Verdict<T>;
}

impl<T, E: Display> Doing<T> for Result<T, E> {
    fn doing(self, what: impl Display) -> Verdict<T> {
        self.map_err(|err| Stop::Fail(format!("{what}: {err}")))
    }
}

/// Number of test cases by result; a group counts as its members only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

/// A run of numbered results at one depth.
struct Level {
    planned: usize,
    done: usize,
    failed: usize,
}

/// Writer of the results.
pub struct Report<W = File> {
    out: W,
    levels: Vec<Level>,
    totals: Totals,
}

impl<W: Write> Report<W> {
    /// Starts a report of `planned` results on `out`.
    pub fn new(out: W, planned: usize) -> Self {
        let mut report = Self {
            out,
            levels: Vec::new(),
            totals: Totals::default(),
        };
        report.open(planned);
        report
    }

    /// Writes a diagnostic line.
    pub fn note(&mut self, text: impl Display) {
        self.line(format_args!("# {text}"));
    }

    /// Runs a test case and reports its result.
    pub fn case(&mut self, name: &str, body: impl FnOnce(&mut Self) -> Verdict) {
        let verdict = body(self);
        match &verdict {
            Ok(()) => self.totals.passed += 1,
            Err(Stop::Skip(_)) => self.totals.skipped += 1,
            Err(Stop::Fail(_)) => self.totals.failed += 1,
        }
        self.result(name, verdict);
    }

    /// Reports `planned` cases, which `body` runs, as one result with subtests.
    pub fn group(&mut self, name: &str, planned: usize, body: impl FnOnce(&mut Self)) {
        let start = Instant::now();
        self.open(planned);
        body(self);
        self.note(format_args!("time_ms={}", start.elapsed().as_millis()));

        let level = self.levels.pop().expect("opened above");
        let verdict = if level.done != planned {
            Err(Stop::Fail(format!("{} of {planned} ran", level.done)))
        } else if level.failed > 0 {
            Err(Stop::Fail(format!("{} of {planned} failed", level.failed)))
        } else {
            Ok(())
        };
        self.result(name, verdict);
    }

    /// Ends the report and returns what it came to.
    pub fn finish(mut self) -> Totals {
        let Totals {
            passed,
            failed,
            skipped,
        } = self.totals;
        // All six states of kselftest.h, so that its readers understand the line.
        self.line(format_args!(
            "# Totals: pass:{passed} fail:{failed} xfail:0 xpass:0 skip:{skipped} error:0"
        ));
        self.totals
    }

    fn open(&mut self, planned: usize) {
        self.levels.push(Level {
            planned,
            done: 0,
            failed: 0,
        });
        self.line("KTAP version 1");
        self.line(format_args!("1..{planned}"));
    }

    fn result(&mut self, name: &str, verdict: Verdict) {
        let level = self.levels.last_mut().expect("a report has a level");
        level.done += 1;
        debug_assert!(level.done <= level.planned);
        let number = level.done;
        match verdict {
            Ok(()) => self.line(format_args!("ok {number} - {name}")),
            Err(Stop::Skip(reason)) => {
                self.line(format_args!("ok {number} - {name} # SKIP {reason}"));
            }
            Err(Stop::Fail(reason)) => {
                level.failed += 1;
                for line in reason.lines() {
                    self.note(line);
                }
                self.line(format_args!("not ok {number} - {name}"));
            }
        }
    }

    fn line(&mut self, text: impl Display) {
        let indent = 2 * self.levels.len().saturating_sub(1);
        write_line(&mut self.out, format_args!("{:indent$}{text}", "")).expect("result channel");
    }
}

/// Writes one line in one go.
pub fn write_line(out: &mut impl Write, text: impl Display) -> io::Result<()> {
    out.write_all(format!("{text}\n").as_bytes())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(planned: usize, body: impl FnOnce(&mut Report<&mut Vec<u8>>)) -> (String, Totals) {
        let mut out = Vec::new();
        let mut report = Report::new(&mut out, planned);
        body(&mut report);
        let totals = report.finish();
        let text = String::from_utf8(out).unwrap();
        // Times differ from run to run.
        let lines = text.lines().filter(|line| !line.contains("# time_ms="));
        (lines.map(|line| format!("{line}\n")).collect(), totals)
    }

    #[test]
    fn results_are_numbered_per_level() {
        let (text, totals) = report(3, |report| {
            report.case("first", |_| Ok(()));
            report.group("many", 2, |report| {
                report.case("good", |report| {
                    report.note("speed=1");
                    Ok(())
                });
                report.case("bad", |_| Err(Stop::Fail("line 1\nline 2".into())));
            });
            report.case("last", |_| Err(Stop::Skip("no hardware".into())));
        });
        assert_eq!(
            text,
            "KTAP version 1\n\
             1..3\n\
             ok 1 - first\n\
             \x20 KTAP version 1\n\
             \x20 1..2\n\
             \x20 # speed=1\n\
             \x20 ok 1 - good\n\
             \x20 # line 1\n\
             \x20 # line 2\n\
             \x20 not ok 2 - bad\n\
             # 1 of 2 failed\n\
             not ok 2 - many\n\
             ok 3 - last # SKIP no hardware\n\
             # Totals: pass:2 fail:1 xfail:0 xpass:0 skip:1 error:0\n"
        );
        assert_eq!(
            totals,
            Totals {
                passed: 1 + 1,
                failed: 1,
                skipped: 1
            }
        );
    }

    #[test]
    fn group_that_ends_early_fails() {
        let (text, _) = report(1, |report| {
            report.group("many", 2, |report| report.case("only", |_| Ok(())));
        });
        assert!(text.contains("# 1 of 2 ran\nnot ok 1 - many\n"), "{text}");
    }
}
