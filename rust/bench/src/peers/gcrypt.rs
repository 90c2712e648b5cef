// SPDX-License-Identifier: GPL-2.0

//! libgcrypt, once as it is and once for each of its tiers.
//!
//! It can be told to forget CPU features, once in a process and for good. So each tier is a copy of
//! the library for itself, in the same process.

use std::{
    ffi::{c_char, c_int, c_uint, c_void, CString},
    ptr,
};

use anyhow::{ensure, Result};

use super::{cpu_flags, functions, text, Peers};
use crate::{
    case::{Algorithm, Case, Mode},
    implementation::{Implementation, Prepared, Refusal, Tag, IV, NONCE},
    record::Absent,
};

functions! {
    /// From `gcrypt.h`.
    struct Gcrypt from "libgcrypt.so.20" {
        check_version = "gcry_check_version": fn(*const c_char) -> *const c_char,
        get_config = "gcry_get_config": fn(c_int, *const c_char) -> *const c_char,
        open = "gcry_cipher_open": fn(*mut *mut c_void, c_int, c_int, c_uint) -> c_uint,
        close = "gcry_cipher_close": fn(*mut c_void),
        setkey = "gcry_cipher_setkey": fn(*mut c_void, *const u8, usize) -> c_uint,
        setiv = "gcry_cipher_setiv": fn(*mut c_void, *const u8, usize) -> c_uint,
        setctr = "gcry_cipher_setctr": fn(*mut c_void, *const u8, usize) -> c_uint,
        encrypt = "gcry_cipher_encrypt": fn(*mut c_void, *mut u8, usize, *const u8, usize) -> c_uint,
        decrypt = "gcry_cipher_decrypt": fn(*mut c_void, *mut u8, usize, *const u8, usize) -> c_uint,
        gettag = "gcry_cipher_gettag": fn(*mut c_void, *mut u8, usize) -> c_uint,
        [variadic] control = "gcry_control": fn(c_int, ...) -> c_uint,
    }
}

const GCRYCTL_DISABLE_SECMEM: c_int = 37;
const GCRYCTL_INITIALIZATION_FINISHED: c_int = 38;
const GCRYCTL_DISABLE_HWF: c_int = 63;

/// A tier: what to call it, what the CPU must have for it, what the library has to forget.
struct Tier {
    name: &'static str,
    needs: &'static [&'static str],
    forgets: &'static [&'static str],
}

/// From the best down. The names are of what the library has left for ARIA and Camellia.
const TIERS: [Tier; 7] = [
    Tier {
        name: "libgcrypt",
        needs: &[],
        forgets: &[],
    },
    Tier {
        name: "libgcrypt gfni-avx2",
        needs: &["gfni", "avx2"],
        forgets: &["intel-avx512"],
    },
    Tier {
        name: "libgcrypt vaes-avx2",
        needs: &["vaes", "avx2"],
        forgets: &["intel-avx512", "intel-gfni"],
    },
    Tier {
        name: "libgcrypt aesni-avx2",
        needs: &["aes", "avx2"],
        forgets: &["intel-avx512", "intel-gfni", "intel-vaes-vpclmul"],
    },
    Tier {
        name: "libgcrypt gfni-avx",
        needs: &["gfni", "avx"],
        forgets: &["intel-avx512", "intel-avx2", "intel-vaes-vpclmul"],
    },
    Tier {
        name: "libgcrypt aesni-avx",
        needs: &["aes", "avx"],
        forgets: &[
            "intel-avx512",
            "intel-avx2",
            "intel-vaes-vpclmul",
            "intel-gfni",
        ],
    },
    Tier {
        name: "libgcrypt generic",
        needs: &[],
        forgets: &[
            "intel-avx512",
            "intel-avx2",
            "intel-vaes-vpclmul",
            "intel-gfni",
            "intel-avx",
            "intel-aesni",
            "intel-pclmul",
            "intel-ssse3",
        ],
    },
];

/// Loads the library for each tier.
pub fn load(peers: &mut Peers) {
    let flags = cpu_flags().unwrap_or_default();
    for tier in &TIERS {
        if let Some(missing) = tier
            .needs
            .iter()
            .find(|need| !flags.iter().any(|f| f == *need))
        {
            peers.absent.push(Absent {
                implementation: tier.name.to_owned(),
                reason: format!("this CPU lacks {missing}"),
            });
            continue;
        }
        peers.add(tier.name, load_tier(tier));
    }
}

fn load_tier(tier: &'static Tier) -> Result<(Box<dyn Implementation>, Option<String>)> {
    let library = Gcrypt::load(match tier.forgets {
        [] => super::open(Gcrypt::LIBRARY)?,
        _ => super::open_copy(Gcrypt::LIBRARY)?,
    })?;
    if !tier.forgets.is_empty() {
        let forgets = CString::new(tier.forgets.join(":"))?;
        // SAFETY: The command takes a string, of names with colons between.
        let error = unsafe { (library.control)(GCRYCTL_DISABLE_HWF, forgets.as_ptr()) };
        ensure!(error == 0, "it does not forget: error {error}");
    }
    // SAFETY: With null it only initialises itself and returns its version.
    let version = unsafe { text((library.check_version)(ptr::null())) };
    for command in [GCRYCTL_DISABLE_SECMEM, GCRYCTL_INITIALIZATION_FINISHED] {
        // SAFETY: These commands take an argument and ignore it.
        unsafe { (library.control)(command, 0) };
    }
    // SAFETY: The item is a terminated string; it exists, and is returned as another.
    let left = unsafe { text((library.get_config)(0, c"hwflist".as_ptr())) };
    let remembered = tier
        .forgets
        .iter()
        .find(|name| left.split(':').any(|left| left == **name));
    ensure!(remembered.is_none(), "it does not forget: {remembered:?}");
    let version = tier.forgets.is_empty().then_some(version);
    Ok((
        Box::new(Library {
            name: tier.name,
            library,
        }),
        version,
    ))
}

struct Library {
    name: &'static str,
    library: &'static Gcrypt,
}

impl Implementation for Library {
    fn name(&self) -> &str {
        self.name
    }

    fn prepare(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
        let cipher = match (case.algorithm, case.cipher_key_bits()) {
            (Algorithm::Aria, 128) => 319,
            (Algorithm::Aria, 256) => 321,
            (Algorithm::Camellia, 128) => 310,
            (Algorithm::Camellia, 256) => 312,
            (Algorithm::Aes, 128) => 7,
            (Algorithm::Aes, 256) => 9,
            _ => return Err(Refusal::Unknown),
        };
        let mode = match case.mode {
            Mode::EcbEncrypt | Mode::EcbDecrypt => 1,
            Mode::CbcDecrypt => 3,
            Mode::Ctr => 6,
            Mode::GcmEncrypt | Mode::GcmDecrypt => 9,
            Mode::XtsEncrypt | Mode::XtsDecrypt => 13,
            _ => return Err(Refusal::Unknown),
        };
        let mut handle = ptr::null_mut();
        // SAFETY: The handle is written to a place of ours.
        let error = unsafe { (self.library.open)(&mut handle, cipher, mode, 0) };
        if error != 0 {
            return Err(Refusal::Failed(format!("gcry_cipher_open: error {error}")));
        }
        let cipher = Cipher {
            library: self.library,
            handle,
            mode: case.mode,
        };
        // SAFETY: The handle is open, the key as long as it says.
        let error = unsafe { (self.library.setkey)(handle, key.as_ptr(), key.len()) };
        if error != 0 {
            return Err(Refusal::Failed(format!(
                "gcry_cipher_setkey: error {error}"
            )));
        }
        Ok(Box::new(cipher))
    }
}

struct Cipher {
    library: &'static Gcrypt,
    handle: *mut c_void,
    mode: Mode,
}

impl Prepared for Cipher {
    fn process(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag) {
        let Gcrypt {
            setiv,
            setctr,
            encrypt,
            decrypt,
            gettag,
            ..
        } = *self.library;
        let (crypt, start, iv): (_, Option<unsafe extern "C" fn(_, _, _) -> _>, &[u8]) =
            match self.mode {
                Mode::EcbEncrypt => (encrypt, None, &[]),
                Mode::EcbDecrypt => (decrypt, None, &[]),
                Mode::Ctr => (encrypt, Some(setctr), &IV),
                Mode::GcmEncrypt => (encrypt, Some(setiv), &NONCE),
                Mode::GcmDecrypt => (decrypt, Some(setiv), &NONCE),
                Mode::XtsEncrypt => (encrypt, Some(setiv), &IV),
                _ => (decrypt, Some(setiv), &IV),
            };
        let mut error = 0;
        // SAFETY: The handle is open, and the buffers are as long as they say.
        unsafe {
            if let Some(start) = start {
                error |= start(self.handle, iv.as_ptr(), iv.len());
            }
            error |= crypt(
                self.handle,
                dst.as_mut_ptr(),
                dst.len(),
                src.as_ptr(),
                src.len(),
            );
            if matches!(self.mode, Mode::GcmEncrypt | Mode::GcmDecrypt) {
                error |= gettag(self.handle, tag.as_mut_ptr(), tag.len());
            }
        }
        assert_eq!(error, 0, "libgcrypt");
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: The handle is open and not used again.
        unsafe { (self.library.close)(self.handle) };
    }
}
