// SPDX-License-Identifier: GPL-2.0

//! Tells the program which compilers and crates it is made of.

use std::process::Command;

fn main() {
    built::write_built_file().expect("what the build is made of");

    let compiler = cc::Build::new().get_compiler();
    let version = Command::new(compiler.path()).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let first_line = version.as_deref().unwrap_or_default().lines().next();
    println!(
        "cargo::rustc-env=RFL_BENCH_CC={}",
        first_line.unwrap_or("unknown C compiler")
    );
}
