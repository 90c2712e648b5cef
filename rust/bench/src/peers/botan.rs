// SPDX-License-Identifier: GPL-2.0

//! Botan, through its C interface.

use std::{
    ffi::{c_char, c_int, c_void, CString},
    ptr,
};

use anyhow::Result;

use super::{functions, text};
use crate::{
    case::{Algorithm, Case, Mode},
    implementation::{Implementation, Prepared, Refusal, Tag, BLOCK, IV, NONCE},
};

functions! {
    /// From `botan/ffi.h`.
    struct Botan from "libbotan-3.so.7" {
        version = "botan_version_string": fn() -> *const c_char,
        block_init = "botan_block_cipher_init": fn(*mut *mut c_void, *const c_char) -> c_int,
        block_destroy = "botan_block_cipher_destroy": fn(*mut c_void) -> c_int,
        block_set_key = "botan_block_cipher_set_key": fn(*mut c_void, *const u8, usize) -> c_int,
        encrypt_blocks = "botan_block_cipher_encrypt_blocks":
            fn(*mut c_void, *const u8, *mut u8, usize) -> c_int,
        decrypt_blocks = "botan_block_cipher_decrypt_blocks":
            fn(*mut c_void, *const u8, *mut u8, usize) -> c_int,
        init = "botan_cipher_init": fn(*mut *mut c_void, *const c_char, u32) -> c_int,
        destroy = "botan_cipher_destroy": fn(*mut c_void) -> c_int,
        set_key = "botan_cipher_set_key": fn(*mut c_void, *const u8, usize) -> c_int,
        start = "botan_cipher_start": fn(*mut c_void, *const u8, usize) -> c_int,
        update = "botan_cipher_update":
            fn(*mut c_void, u32, *mut u8, usize, *mut usize, *const u8, usize, *mut usize) -> c_int,
    }
}

const DECRYPT: u32 = 1;
const FINAL: u32 = 1;

struct Library(&'static Botan);

/// Loads the library.
pub fn load() -> Result<(Box<dyn Implementation>, Option<String>)> {
    let library = Botan::load(super::open(Botan::LIBRARY)?)?;
    // SAFETY: It has no conditions.
    let version = unsafe { text((library.version)()) };
    Ok((Box::new(Library(library)), Some(version)))
}

impl Implementation for Library {
    fn name(&self) -> &str {
        "botan"
    }

    fn prepare(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
        let bits = case.cipher_key_bits();
        let cipher = match case.algorithm {
            Algorithm::Aria => format!("ARIA-{bits}"),
            Algorithm::Camellia => format!("Camellia-{bits}"),
            Algorithm::Aes => format!("AES-{bits}"),
            Algorithm::CrcT10dif => return Err(Refusal::Unknown),
        };
        let (name, flags) = match case.mode {
            Mode::EcbEncrypt | Mode::EcbDecrypt => {
                return Blocks::prepare(self.0, &cipher, case.mode, key);
            }
            Mode::CbcDecrypt => (format!("{cipher}/CBC/NoPadding"), DECRYPT),
            Mode::Ctr => (format!("{cipher}/CTR-BE"), 0),
            Mode::XtsEncrypt => (format!("{cipher}/XTS"), 0),
            Mode::XtsDecrypt => (format!("{cipher}/XTS"), DECRYPT),
            Mode::GcmEncrypt => (format!("{cipher}/GCM"), 0),
            _ => return Err(Refusal::Unknown),
        };
        let mut handle = ptr::null_mut();
        // SAFETY: The name is a terminated string, the handle is written to a place of ours.
        let error = unsafe { (self.0.init)(&mut handle, c_string(&name).as_ptr(), flags) };
        if error != 0 {
            return Err(Refusal::Unknown);
        }
        let cipher = Cipher {
            library: self.0,
            handle,
            mode: case.mode,
        };
        // SAFETY: The key is as long as it says.
        match unsafe { (self.0.set_key)(handle, key.as_ptr(), key.len()) } {
            0 => Ok(Box::new(cipher)),
            error => Err(Refusal::Failed(format!(
                "botan_cipher_set_key: error {error}"
            ))),
        }
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("a name without zero bytes")
}

/// A block cipher by itself, which is ECB.
struct Blocks {
    library: &'static Botan,
    handle: *mut c_void,
    mode: Mode,
}

impl Blocks {
    fn prepare(
        library: &'static Botan,
        name: &str,
        mode: Mode,
        key: &[u8],
    ) -> Result<Box<dyn Prepared>, Refusal> {
        let mut handle = ptr::null_mut();
        // SAFETY: The name is a terminated string, the handle is written to a place of ours.
        if unsafe { (library.block_init)(&mut handle, c_string(name).as_ptr()) } != 0 {
            return Err(Refusal::Unknown);
        }
        let blocks = Self {
            library,
            handle,
            mode,
        };
        // SAFETY: The key is as long as it says.
        match unsafe { (library.block_set_key)(handle, key.as_ptr(), key.len()) } {
            0 => Ok(Box::new(blocks)),
            error => Err(Refusal::Failed(format!(
                "botan_block_cipher_set_key: error {error}"
            ))),
        }
    }
}

impl Prepared for Blocks {
    fn process(&mut self, src: &[u8], dst: &mut [u8], _: &mut Tag) {
        let crypt = match self.mode {
            Mode::EcbEncrypt => self.library.encrypt_blocks,
            _ => self.library.decrypt_blocks,
        };
        // SAFETY: Both buffers have as many blocks.
        let error = unsafe {
            crypt(
                self.handle,
                src.as_ptr(),
                dst.as_mut_ptr(),
                src.len() / BLOCK,
            )
        };
        assert_eq!(error, 0, "Botan");
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        // SAFETY: The handle is ours and not used again.
        unsafe { (self.library.block_destroy)(self.handle) };
    }
}

/// A cipher in a mode.
struct Cipher {
    library: &'static Botan,
    handle: *mut c_void,
    mode: Mode,
}

impl Prepared for Cipher {
    fn process(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag) {
        let Botan { start, update, .. } = *self.library;
        let iv: &[u8] = if self.mode == Mode::GcmEncrypt {
            &NONCE
        } else {
            &IV
        };
        let (mut written, mut consumed) = (0, 0);
        let mut call = |flags, to: *mut u8, room, from: *const u8, len| {
            // SAFETY: The buffers are as long as they say.
            unsafe {
                update(
                    self.handle,
                    flags,
                    to,
                    room,
                    &mut written,
                    from,
                    len,
                    &mut consumed,
                )
            }
        };
        // SAFETY: The handle has a key, the IV is as long as it says.
        let mut error = unsafe { start(self.handle, iv.as_ptr(), iv.len()) };
        if self.mode == Mode::GcmEncrypt {
            // The tag comes behind the text, for which `dst` has no room: first what is whole
            // multiples of its unit, then the rest and the tag.
            let whole = src.len() - src.len() % BLOCK;
            let mut end = [0; 2 * BLOCK];
            let rest = &src[whole..];
            if whole > 0 {
                error |= call(0, dst.as_mut_ptr(), whole, src.as_ptr(), whole);
            }
            error |= call(
                FINAL,
                end.as_mut_ptr(),
                end.len(),
                rest.as_ptr(),
                rest.len(),
            );
            dst[whole..].copy_from_slice(&end[..rest.len()]);
            tag.copy_from_slice(&end[rest.len()..][..BLOCK]);
        } else {
            error |= call(FINAL, dst.as_mut_ptr(), dst.len(), src.as_ptr(), src.len());
        }
        assert_eq!(error, 0, "Botan");
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: The handle is ours and not used again.
        unsafe { (self.library.destroy)(self.handle) };
    }
}
