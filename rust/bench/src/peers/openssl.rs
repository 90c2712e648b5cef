// SPDX-License-Identifier: GPL-2.0

//! OpenSSL's libcrypto, through its EVP interface.

use std::{
    ffi::{c_char, c_int, c_void, CString},
    ptr,
};

use anyhow::Result;

use super::{functions, text};
use crate::{
    case::{Algorithm, Case, Mode},
    implementation::{Implementation, Prepared, Refusal, Tag, IV, NONCE},
};

functions! {
    /// From `openssl/evp.h` and `openssl/crypto.h`.
    struct Openssl from "libcrypto.so.3" {
        version = "OpenSSL_version": fn(c_int) -> *const c_char,
        fetch = "EVP_CIPHER_fetch": fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void,
        free_cipher = "EVP_CIPHER_free": fn(*mut c_void),
        new = "EVP_CIPHER_CTX_new": fn() -> *mut c_void,
        free = "EVP_CIPHER_CTX_free": fn(*mut c_void),
        init = "EVP_CipherInit_ex2":
            fn(*mut c_void, *const c_void, *const u8, *const u8, c_int, *const c_void) -> c_int,
        set_padding = "EVP_CIPHER_CTX_set_padding": fn(*mut c_void, c_int) -> c_int,
        update = "EVP_CipherUpdate": fn(*mut c_void, *mut u8, *mut c_int, *const u8, c_int) -> c_int,
        finish = "EVP_CipherFinal_ex": fn(*mut c_void, *mut u8, *mut c_int) -> c_int,
        ctrl = "EVP_CIPHER_CTX_ctrl": fn(*mut c_void, c_int, c_int, *mut u8) -> c_int,
    }
}

const EVP_CTRL_AEAD_GET_TAG: c_int = 0x10;

struct Library(&'static Openssl);

/// Loads the library.
pub fn load() -> Result<(Box<dyn Implementation>, Option<String>)> {
    let library = Openssl::load(super::open(Openssl::LIBRARY)?)?;
    // SAFETY: Zero asks for the version.
    let version = unsafe { text((library.version)(0)) };
    Ok((Box::new(Library(library)), Some(version)))
}

impl Implementation for Library {
    fn name(&self) -> &str {
        "openssl"
    }

    fn prepare(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
        let algorithm = match case.algorithm {
            Algorithm::Aria => "ARIA",
            Algorithm::Camellia => "CAMELLIA",
            Algorithm::Aes => "AES",
            Algorithm::CrcT10dif => return Err(Refusal::Unknown),
        };
        let mode = match case.mode {
            Mode::EcbEncrypt | Mode::EcbDecrypt => "ECB",
            Mode::CbcDecrypt => "CBC",
            Mode::Ctr => "CTR",
            Mode::XtsEncrypt | Mode::XtsDecrypt => "XTS",
            Mode::GcmEncrypt => "GCM",
            _ => return Err(Refusal::Unknown),
        };
        let name = format!("{algorithm}-{}-{mode}", case.cipher_key_bits());
        let name = CString::new(name).map_err(|_| Refusal::Unknown)?;
        // SAFETY: The name is a terminated string, null means the default for the others.
        let cipher = unsafe { (self.0.fetch)(ptr::null_mut(), name.as_ptr(), ptr::null()) };
        if cipher.is_null() {
            return Err(Refusal::Unknown);
        }
        let encrypt = !matches!(
            case.mode,
            Mode::EcbDecrypt | Mode::CbcDecrypt | Mode::XtsDecrypt
        );
        // SAFETY: The context holds a reference to the cipher after its initialisation, and the key
        // and the IV are as long as the cipher wants.
        let (context, ok) = unsafe {
            let context = (self.0.new)();
            let mut ok = (self.0.init)(
                context,
                cipher,
                key.as_ptr(),
                ptr::null(),
                encrypt.into(),
                ptr::null(),
            );
            ok &= (self.0.set_padding)(context, 0);
            (self.0.free_cipher)(cipher);
            (context, ok)
        };
        let context = Cipher {
            library: self.0,
            context,
            mode: case.mode,
        };
        match ok {
            1 => Ok(Box::new(context)),
            _ => Err(Refusal::Failed("EVP_CipherInit_ex2".to_owned())),
        }
    }
}

struct Cipher {
    library: &'static Openssl,
    context: *mut c_void,
    mode: Mode,
}

impl Prepared for Cipher {
    fn process(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag) {
        let Openssl {
            init,
            update,
            finish,
            ctrl,
            ..
        } = *self.library;
        let context = self.context;
        let iv: Option<&[u8]> = match self.mode {
            Mode::EcbEncrypt | Mode::EcbDecrypt => None,
            Mode::GcmEncrypt => Some(&NONCE),
            _ => Some(&IV),
        };
        let mut len = 0;
        let mut ok = 1;
        // SAFETY: The context is initialised, IVs have the length of the mode's, and the output of
        // an update without padding is as long as its input.
        unsafe {
            if let Some(iv) = iv {
                ok &= init(
                    context,
                    ptr::null(),
                    ptr::null(),
                    iv.as_ptr(),
                    -1,
                    ptr::null(),
                );
            }
            ok &= update(
                context,
                dst.as_mut_ptr(),
                &mut len,
                src.as_ptr(),
                src.len() as c_int,
            );
            if self.mode == Mode::GcmEncrypt {
                ok &= finish(context, dst.as_mut_ptr(), &mut len);
                ok &= ctrl(
                    context,
                    EVP_CTRL_AEAD_GET_TAG,
                    tag.len() as c_int,
                    tag.as_mut_ptr(),
                );
            }
        }
        assert_eq!(ok, 1, "OpenSSL");
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: The context is ours and not used again.
        unsafe { (self.library.free)(self.context) };
    }
}
