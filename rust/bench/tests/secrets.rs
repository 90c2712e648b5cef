// SPDX-License-Identifier: GPL-2.0

//! No branch and no address in a vector tier depends on a key or on text.
//!
//! `rfl-bench secrets` looks, see `src/secrets.rs`. What a machine cannot run is a line `SKIP`.

use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_rfl-bench");

/// Runs the program by itself, so that it single-steps.
fn traced(arguments: &[&str]) -> Output {
    Command::new(PROGRAM)
        .arg("secrets")
        .args(arguments)
        .output()
        .expect("it runs")
}

/// Runs the program under memcheck, if that is installed.
fn memchecked(arguments: &[&str]) -> Option<Output> {
    let valgrind = ["--quiet", "--undef-value-errors=yes", PROGRAM, "secrets"];
    match Command::new("valgrind")
        .args(valgrind)
        .args(arguments)
        .output()
    {
        Ok(output) => Some(output),
        Err(error) => {
            println!("SKIP memcheck: valgrind: {error}");
            None
        }
    }
}

/// Splits the lines of a text into those that begin with a word, and the others.
fn lines<'a>(text: impl IntoIterator<Item = &'a str>, word: &str) -> (Vec<&'a str>, Vec<&'a str>) {
    text.into_iter().partition(|line| line.starts_with(word))
}

/// Everything that was looked at kept the rule; what was not is told.
fn kept(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    let (skipped, others) = lines(text.lines(), "SKIP ");
    skipped.iter().for_each(|skip| println!("{skip}"));
    let (good, bad) = lines(others, "ok ");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(bad.is_empty(), "{}\n{errors}", bad.join("\n"));
    assert!(!good.is_empty() || !skipped.is_empty(), "{errors}");
}

/// All that was looked at was caught.
fn caught(output: &Output) {
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    let (caught, others) = lines(text.lines(), "LEAK ");
    assert!(!caught.is_empty() && others.is_empty(), "{others:?}");
}

/// Code that looks up tables.
const OFFENDER: [&str; 6] = [
    "--implementation",
    "aria-scalar",
    "--key-bits",
    "128",
    "--mode",
    "ctr",
];

#[test]
fn tracing_catches_tables() {
    caught(&traced(&OFFENDER));
}

#[test]
fn memcheck_catches_tables() {
    if let Some(output) = memchecked(&OFFENDER) {
        caught(&output);
    }
}

#[test]
fn tiers_traced() {
    kept(&traced(&[]));
}

/// As far as valgrind has their instructions.
#[test]
fn tiers_memchecked() {
    if let Some(output) = memchecked(&[]) {
        kept(&output);
    }
}
