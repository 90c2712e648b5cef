// SPDX-License-Identifier: GPL-2.0

//! What the figures depend on besides the code.

use std::{
    fs,
    process::{Command, Stdio},
};

use crate::{peers, record::Machine};

/// What the build script of the crate `built` found out.
mod built {
    #![allow(dead_code, missing_docs)]
    include!(concat!(env!("OUT_DIR"), "/built.rs"));
}

/// The crates that are measured.
const CRATES: [&str; 7] = [
    "aes", "aes-gcm", "aria", "camellia", "cbc", "ctr", "xts-mode",
];

/// Describes this machine; `versions` are those of the libraries that were loaded.
pub fn describe(versions: &[(String, String)]) -> Machine {
    let crates = built::DEPENDENCIES
        .iter()
        .filter(|(name, _)| CRATES.contains(name) || *name == "crc")
        .map(|(name, version)| (format!("crate {name}"), (*version).to_owned()));
    let mut packages: std::collections::BTreeMap<String, String> =
        versions.iter().cloned().chain(crates).collect();
    packages.extend(debian_packages());
    Machine {
        cpu: cpu(),
        features: peers::cpu_flags().unwrap_or_default(),
        kernel: read("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".to_owned()),
        compiler: format!("{}; {}", built::RUSTC_VERSION, env!("RFL_BENCH_CC")),
        packages,
        time: output("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]).unwrap_or_default(),
        commit: output(
            "git",
            &[
                "-c",
                "safe.directory=*",
                "describe",
                "--always",
                "--dirty",
                "--abbrev=12",
            ],
        ),
    }
}

fn read(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn cpuinfo(key: &str) -> Option<String> {
    let info = read("/proc/cpuinfo")?;
    let value = info
        .lines()
        .find_map(|line| line.strip_prefix(key)?.split_once(':'))?
        .1;
    Some(value.trim().to_owned())
}

/// Returns the CPU's name, which alone may say little.
fn cpu() -> String {
    let [name, family, model] = ["model name", "cpu family", "model\t"]
        .map(|key| cpuinfo(key).unwrap_or_else(|| "unknown".to_owned()));
    format!("{name}, family {family}, model {model}")
}

/// Runs a command, and returns what it prints if it succeeds.
fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command)
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}

/// Returns the distribution's versions of the libraries that it has.
fn debian_packages() -> Vec<(String, String)> {
    const PACKAGES: [&str; 5] = [
        "libbotan-3-7",
        "libgcrypt20",
        "libisal2",
        "libnettle8t64",
        "libssl3t64",
    ];
    let found: Vec<_> = PACKAGES
        .iter()
        .filter_map(|package| {
            let version = output("dpkg-query", &["-W", "-f", "${Version}", package])?;
            Some((format!("package {package}"), version))
        })
        .collect();
    found
}
