// SPDX-License-Identifier: GPL-2.0

//! `cryptsetup benchmark`, which measures through `AF_ALG`.

use std::process::{Command, Stdio};
use std::thread;

use super::{finished, Driver, POLL};
use crate::ktap::{fail, Doing, Verdict};

/// Has a cipher such as `aria-xts` measured, whose driver has to be one of `module`, and in use
/// meanwhile.
pub fn run(cipher: &str, module: &str) -> Verdict<String> {
    let Some((family, mode)) = cipher.split_once('-') else {
        fail!("{cipher}: no mode");
    };
    let driver = Driver::best(&format!("{mode}({family})"), module)?;
    let key_bits = if mode == "xts" { "512" } else { "256" };
    let arguments = ["benchmark", "--cipher", cipher, "--key-size", key_bits];
    let mut program = Command::new("cryptsetup")
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .doing("cryptsetup")?;
    let mut was_in_use = false;
    while program.try_wait().doing("cryptsetup")?.is_none() {
        was_in_use |= driver.users()? > 0;
        thread::sleep(POLL);
    }
    let output = program.wait_with_output().doing("cryptsetup")?;
    let output = finished("cryptsetup", &arguments, output)?;
    if !was_in_use {
        fail!("the driver was not in use");
    }
    let text = String::from_utf8_lossy(&output);
    let speeds = speeds(&text, cipher);
    if speeds.len() != 2 || speeds.contains(&0.0) {
        fail!("no figures for both directions: {text}");
    }
    driver.released()?;
    driver.name()
}

/// The figures in MiB/s of the line of a cipher.
fn speeds(text: &str, cipher: &str) -> Vec<f64> {
    let mut lines = text.lines().map(str::split_whitespace);
    let line = lines.find_map(|mut words| (words.next() == Some(cipher)).then_some(words));
    let words: Vec<_> = line.into_iter().flatten().collect();
    let figures = words.windows(2).filter(|pair| pair[1] == "MiB/s");
    figures.filter_map(|pair| pair[0].parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::speeds;

    #[test]
    fn figures() {
        let text = "# Algorithm |       Key |      Encryption |      Decryption\n\
                    \x20   aria-xts        512b        61.5 MiB/s        60.2 MiB/s\n";
        assert_eq!(speeds(text, "aria-xts"), [61.5, 60.2]);
        assert_eq!(speeds(text, "aria-cbc"), []);
        let refused = "    aria-xts        512b               N/A               N/A\n";
        assert_eq!(speeds(refused, "aria-xts"), []);
    }
}
