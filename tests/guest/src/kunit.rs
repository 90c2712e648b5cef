// SPDX-License-Identifier: GPL-2.0

//! Results of tests in the kernel, as KUnit prints them to the kernel log.

use crate::ktap::{Stop, Verdict};

/// One test case, with the names of its suite and test before its own.
#[derive(Debug, PartialEq)]
pub struct Case {
    pub name: String,
    pub verdict: Verdict,
}

/// A result whose group has not ended yet.
struct Pending {
    indent: usize,
    case: Case,
}

/// Reads the results from the lines of a log, whatever else is between them.
///
/// The result of a group is left out: its members tell it, unless it failed and none of them did.
pub fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Case> {
    let mut pending: Vec<Pending> = Vec::new();
    let mut notes: Vec<&str> = Vec::new();

    for line in lines {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let Some((passed, name)) = result(body) else {
            notes.push(body);
            continue;
        };
        let (name, skip) = match name.split_once(" # SKIP") {
            Some((name, reason)) => (name, Some(reason.trim())),
            None => (name, None),
        };
        let first = pending
            .iter()
            .rposition(|result| result.indent <= indent)
            .map_or(0, |last| last + 1);
        let members = &mut pending[first..];
        for member in members.iter_mut() {
            member.indent = indent;
            member.case.name = format!("{name}: {}", member.case.name);
        }
        let told = match passed {
            true => !members.is_empty(),
            false => members.iter().any(|member| member.case.failed()),
        };
        if !told {
            let verdict = match (passed, skip) {
                (_, Some(reason)) => Err(Stop::Skip(reason.into())),
                (true, None) => Ok(()),
                (false, None) => Err(Stop::Fail(notes.join("\n"))),
            };
            let name = name.into();
            pending.push(Pending {
                indent,
                case: Case { name, verdict },
            });
        }
        notes.clear();
    }
    pending.into_iter().map(|result| result.case).collect()
}

impl Case {
    fn failed(&self) -> bool {
        matches!(self.verdict, Err(Stop::Fail(_)))
    }
}

/// Takes a line `ok NUMBER [-] NAME`, or the same with `not` before it, apart.
fn result(line: &str) -> Option<(bool, &str)> {
    let (passed, rest) = match line.strip_prefix("not ") {
        Some(rest) => (false, rest),
        None => (true, line),
    };
    let (number, name) = rest.strip_prefix("ok ")?.split_once(' ')?;
    number.parse::<u32>().ok()?;
    Some((passed, name.strip_prefix("- ").unwrap_or(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_name_their_members() {
        let log = "\
some driver: hello
    KTAP version 1
    # Subtest: suite
    1..2
        KTAP version 1
        # Subtest: lengths
        ok 1 ecb # SKIP not registered
        # lengths: EXPECTATION FAILED at file.c:3
            Expected a == b
        not ok 2 ctr
    not ok 1 lengths
    ok 2 single
not ok 1 suite
ok 2 other
";
        let cases = parse(log.lines());
        let names: Vec<_> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "suite: lengths: ecb",
                "suite: lengths: ctr",
                "suite: single",
                "other"
            ]
        );
        assert_eq!(
            cases[0].verdict,
            Err(Stop::Skip("not registered".to_string()))
        );
        let Err(Stop::Fail(reason)) = &cases[1].verdict else {
            panic!("it failed");
        };
        assert!(reason.ends_with("Expected a == b"));
        assert_eq!(cases[2].verdict, Ok(()));
    }

    #[test]
    fn a_group_can_fail_by_itself() {
        let cases = parse("  ok 1 member\nnot ok 1 suite\n".lines());
        assert_eq!(cases.len(), 2);
        assert_eq!(cases[0].name, "suite: member");
        assert!(cases[1].failed());
    }

    #[test]
    fn other_lines_are_no_results() {
        assert!(parse("ok\nok then\nnot ok\nok x y\n".lines()).is_empty());
    }
}
