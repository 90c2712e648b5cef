// SPDX-License-Identifier: GPL-2.0

//! What the kernel runs to have a module loaded that it knows an alias of, `/sbin/modprobe`.
//!
//! That is this program under another name. It is there only while a test asks for it, so that
//! no other test gets modules that its plan does not load.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::errno::Errno;

use crate::kmod::{LoadError, Modules};
use crate::plan::Module;

/// Name of the program, by the default of `kernel.modprobe`.
pub const PROGRAM: &str = "/sbin/modprobe";
/// Lines `ALIAS MODULE`, for the modules of the plan.
const ALIASES: &str = "/aliases";
/// Lines `ALIAS`, or `ALIAS MODULE` if there is one, for what the kernel asked for.
const REQUESTS: &str = "/requests";

/// The program is there while this value is.
pub struct Installed(());

impl Installed {
    /// Installs the program.
    pub fn new() -> io::Result<Self> {
        fs::create_dir_all("/sbin")?;
        fs::write(REQUESTS, "")?;
        symlink("/init", PROGRAM)?;
        Ok(Self(()))
    }

    /// How often the kernel was given `module`.
    pub fn loads(&self, module: &str) -> io::Result<usize> {
        let requests = fs::read_to_string(REQUESTS)?;
        let given = requests.lines().filter_map(|line| line.split_once(' '));
        Ok(given.filter(|(_, given)| *given == module).count())
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        // Should it stay, the next one cannot be installed, which is noticed.
        let _ = fs::remove_file(PROGRAM);
    }
}

/// Answers a request, given by the arguments `-q -- ALIAS`. Returns whether a module was loaded.
pub fn main(mut arguments: impl DoubleEndedIterator<Item = String>) -> io::Result<bool> {
    let alias = arguments.next_back().unwrap_or_default();
    let module = find(&fs::read_to_string(ALIASES)?, &alias);
    let found = module
        .as_deref()
        .map_or(String::new(), |name| format!(" {name}"));
    OpenOptions::new()
        .append(true)
        .open(REQUESTS)?
        .write_all(format!("{alias}{found}\n").as_bytes())?;
    let Some(name) = module else {
        return Ok(false);
    };
    let module = Module {
        name,
        params: String::new(),
    };
    match Modules::new(Path::new("/modules")).load(&module) {
        Ok(()) | Err(LoadError::Kernel(Errno::EEXIST)) => Ok(true),
        Err(err) => Err(io::Error::other(err.to_string())),
    }
}

/// The module with an alias; `-` and `_` are the same, as everywhere with modules.
fn find(aliases: &str, wanted: &str) -> Option<String> {
    let wanted = wanted.replace('-', "_");
    aliases.lines().find_map(|line| {
        let (alias, module) = line.rsplit_once(' ')?;
        (alias.replace('-', "_") == wanted).then(|| module.into())
    })
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn aliases() {
        let aliases = "crypto-aria aria_rust\ncrypto-ctr(aria) aria_rust\ncrypto-ctr ctr\n";
        assert_eq!(find(aliases, "crypto-ctr"), Some("ctr".into()));
        assert_eq!(find(aliases, "crypto_ctr(aria)"), Some("aria_rust".into()));
        assert_eq!(find(aliases, "crypto-ctr(aria)-all"), None);
    }
}
