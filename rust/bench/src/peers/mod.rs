// SPDX-License-Identifier: GPL-2.0

//! Other people's implementations.
//!
//! Libraries of the system are loaded when the program runs, so that one that is missing is no more
//! than a line in the report.

mod botan;
mod crc;
mod gcrypt;
mod isal;
mod nettle;
mod openssl;
mod rustcrypto;

use std::{
    ffi::{c_void, CStr},
    fs, io,
    mem::ManuallyDrop,
    os::fd::FromRawFd,
};

use anyhow::{ensure, Context, Result};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::{implementation::Implementation, record::Absent};

/// The peers that can run, with their versions, and those that cannot.
#[derive(Default)]
pub struct Peers {
    /// Those that can.
    pub implementations: Vec<Box<dyn Implementation>>,
    /// Version by name, as the library itself tells it.
    pub versions: Vec<(String, String)>,
    /// Those that cannot.
    pub absent: Vec<Absent>,
}

impl Peers {
    fn add(&mut self, name: &str, loaded: Result<(Box<dyn Implementation>, Option<String>)>) {
        match loaded {
            Ok((implementation, version)) => {
                self.implementations.push(implementation);
                self.versions
                    .extend(version.map(|version| (name.to_owned(), version)));
            }
            Err(error) => self.absent.push(Absent {
                implementation: name.to_owned(),
                reason: format!("{error:#}"),
            }),
        }
    }
}

/// Loads all peers.
pub fn load() -> Peers {
    let mut peers = Peers::default();
    gcrypt::load(&mut peers);
    peers.add("openssl", openssl::load());
    peers.add("botan", botan::load());
    peers.add("nettle", nettle::load());
    peers.add("isa-l", isal::load());
    peers.add("rustcrypto", Ok((Box::new(rustcrypto::RustCrypto), None)));
    peers.add("crc crate", Ok((Box::new(crc::CrcCrate), None)));
    peers
}

/// Opens a library of the system.
fn open(name: &str) -> Result<Library> {
    // SAFETY: The constructors of these libraries have no conditions.
    Ok(unsafe { Library::open(Some(name), RTLD_NOW | RTLD_LOCAL)? })
}

/// Opens a library of the system once more, with variables of its own.
///
/// The dynamic linker tells libraries apart by their files, so it gets a copy of the file. (A
/// namespace of `dlmopen` would have its own C library, whose thread-specific data the two do not
/// keep apart.)
fn open_copy(name: &str) -> Result<Library> {
    let maps = fs::read_to_string("/proc/self/maps")?;
    let mut paths = maps
        .lines()
        .filter_map(|line| Some(&line[line.find('/')?..]));
    let path = paths
        .find(|path| path.contains(name))
        .context("not loaded")?;

    // SAFETY: The name is a terminated string.
    let fd = unsafe { libc::memfd_create(c"copy of a library".as_ptr(), libc::MFD_CLOEXEC) };
    ensure!(fd >= 0, "memfd_create: {}", io::Error::last_os_error());
    // SAFETY: The descriptor is new, and ours.
    let copy = unsafe { fs::File::from_raw_fd(fd) };
    // Never closed: the linker goes by names too, and a descriptor's number is used again.
    let mut copy = ManuallyDrop::new(copy);
    io::copy(&mut fs::File::open(path)?, &mut *copy)?;
    open(&format!("/proc/self/fd/{fd}"))
}

/// Looks up a function; the library stays loaded until the program ends.
///
/// # Safety
///
/// `F` must be a function pointer of the type that the library's header declares.
unsafe fn function<F: Copy>(library: &Library, name: &str) -> Result<F> {
    // SAFETY: The type is the caller's promise. The address outlives the borrow, because the
    // libraries are leaked by those who open them.
    Ok(unsafe { *library.get::<F>(name.as_bytes())? })
}

/// Declares a table of a library's functions and how to load it.
macro_rules! functions {
    ($(#[$doc:meta])* struct $table:ident from $library:literal {
        $($field:ident = $symbol:literal: fn($($argument:ty),* $(,)?) $(-> $result:ty)?,)*
        $([variadic] $variadic:ident = $name:literal: fn($first:ty, ...) -> $value:ty,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        struct $table {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            $($variadic: unsafe extern "C" fn($first, ...) -> $value,)?
        }

        impl $table {
            const LIBRARY: &'static str = $library;

            fn load(library: libloading::os::unix::Library) -> anyhow::Result<&'static Self> {
                let library = std::mem::ManuallyDrop::new(library);
                // SAFETY: The types are those of the library's header, of the version in its name.
                unsafe {
                    Ok(Box::leak(Box::new(Self {
                        $($field: super::function(&library, $symbol)?,)*
                        $($variadic: super::function(&library, $name)?,)?
                    })))
                }
            }
        }
    };
}
use functions;

/// Zeroed memory for a structure of a library, whose size only an upper bound is known of.
///
/// Its address does not change, and it has the alignment of a cache line.
struct Opaque<const N: usize>(Box<Aligned<N>>);

#[repr(C, align(64))]
struct Aligned<const N: usize>([u8; N]);

impl<const N: usize> Opaque<N> {
    fn new() -> Self {
        Self(Box::new(Aligned([0; N])))
    }

    fn get(&mut self) -> *mut c_void {
        (&raw mut *self.0).cast()
    }
}

/// Makes a string of one that a library returned.
///
/// # Safety
///
/// It must be null or a terminated string that is not freed.
unsafe fn text(string: *const libc::c_char) -> String {
    if string.is_null() {
        return "?".to_owned();
    }
    // SAFETY: Demanded of the caller.
    unsafe { CStr::from_ptr(string) }
        .to_string_lossy()
        .into_owned()
}

/// Returns the CPU's features as `/proc/cpuinfo` lists them.
pub fn cpu_flags() -> io::Result<Vec<String>> {
    let info = std::fs::read_to_string("/proc/cpuinfo")?;
    let flags = info
        .lines()
        .find_map(|line| line.strip_prefix("flags")?.split_once(':'));
    Ok(flags
        .map(|(_, flags)| flags.split_whitespace().map(str::to_owned).collect())
        .unwrap_or_default())
}
