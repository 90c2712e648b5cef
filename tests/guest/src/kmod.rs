// SPDX-License-Identifier: GPL-2.0

//! Loading and unloading of kernel modules.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::kmod::{delete_module, finit_module, init_module, DeleteModuleFlags, ModuleInitFlags};

use crate::plan::Module;

/// How often, and after which pauses, a module that is in use is tried again.
///
/// The self-tests of algorithms just registered hold a reference while they run.
const UNLOAD_TRIES: u32 = 600;
const UNLOAD_PAUSE: Duration = Duration::from_millis(50);

/// Directory of module files, `<name>.ko`.
pub struct Modules(PathBuf);

impl Modules {
    /// The modules in `dir`.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self(dir.into())
    }

    /// Loads a module. An error while its file is opened is told apart by [`LoadError`].
    pub fn load(&self, module: &Module) -> Result<(), LoadError> {
        let path = self.path(module);
        let file = File::open(&path).map_err(|err| LoadError::File(path, err))?;
        finit_module(&file, &params(module), ModuleInitFlags::empty()).map_err(LoadError::Kernel)
    }

    /// Reads a module, so that nothing but loading it is left to do.
    pub fn read(&self, module: &Module) -> Result<Image, LoadError> {
        let path = self.path(module);
        let bytes = fs::read(&path).map_err(|err| LoadError::File(path, err))?;
        Ok(Image {
            bytes,
            params: params(module),
        })
    }

    fn path(&self, module: &Module) -> PathBuf {
        self.0.join(format!("{}.ko", module.name))
    }
}

fn params(module: &Module) -> CString {
    CString::new(module.params.as_str()).expect("a plan has no NUL")
}

/// A module in memory, and the parameters to load it with.
pub struct Image {
    bytes: Vec<u8>,
    params: CString,
}

impl Image {
    /// Loads the module.
    pub fn load(&self) -> nix::Result<()> {
        init_module(&self.bytes, &self.params)
    }
}

/// Why a module was not loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The file could not be opened.
    File(PathBuf, io::Error),
    /// The kernel, or the module's init function, refused.
    Kernel(Errno),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::File(path, err) => write!(f, "{}: {err}", path.display()),
            LoadError::Kernel(errno) => write!(f, "{errno}"),
        }
    }
}

/// Unloads a module, with patience while it is in use for a moment.
pub fn unload(name: &str) -> nix::Result<()> {
    let mut tries = UNLOAD_TRIES;
    loop {
        match unload_now(name) {
            Err(Errno::EAGAIN | Errno::EBUSY) if tries > 0 => {
                tries -= 1;
                thread::sleep(UNLOAD_PAUSE);
            }
            result => return result,
        }
    }
}

/// Unloads a module, if it is not in use.
pub fn unload_now(name: &str) -> nix::Result<()> {
    let name = CString::new(name).expect("a plan has no NUL");
    delete_module(&name, DeleteModuleFlags::O_NONBLOCK)
}

/// Names of the modules that are loaded, from `/proc/modules`.
pub fn loaded() -> io::Result<BTreeSet<String>> {
    fs::read_to_string(Path::new("/proc/modules")).map(|text| parse(&text))
}

fn parse(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter_map(|line| line.split(' ').next())
        .map(String::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_modules() {
        let text = "algif_skcipher 12288 0 - Live 0x0000000000000000\n\
                    af_alg 32768 1 algif_skcipher, Live 0x0000000000000000\n\
                    aria_rust 45056 0 - Live 0x0000000000000000 (OE)\n";
        let names = ["af_alg", "algif_skcipher", "aria_rust"];
        assert_eq!(parse(text), names.map(String::from).into());
        assert_eq!(parse(""), BTreeSet::new());
    }

    #[test]
    fn missing_file_is_not_the_kernels_error() {
        let module = Module {
            name: "none".into(),
            params: String::new(),
        };
        let result = Modules::new("/nonexistent").load(&module);
        assert!(matches!(result, Err(LoadError::File(..))), "{result:?}");
    }
}
