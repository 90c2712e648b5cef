// SPDX-License-Identifier: GPL-2.0

//! Nettle, which has no ARIA.

use std::ffi::{c_int, c_void};

use anyhow::Result;

use super::{functions, Opaque};
use crate::{
    case::{Algorithm, Case, Mode},
    implementation::{Implementation, Prepared, Refusal, Tag, BLOCK, IV, NONCE},
};

/// `nettle_cipher_func`: whole blocks by themselves. The key is the context.
type Crypt = unsafe extern "C" fn(*const c_void, usize, *mut u8, *const u8);

type SetKey = unsafe extern "C" fn(*mut c_void, *const u8);

functions! {
    /// From the headers `camellia.h`, `aes.h`, `ctr.h`, `cbc.h`, `xts.h`, `gcm.h`, `version.h`.
    struct Nettle from "libnettle.so.8" {
        version_major = "nettle_version_major": fn() -> c_int,
        version_minor = "nettle_version_minor": fn() -> c_int,
        camellia128_encrypt_key = "nettle_camellia128_set_encrypt_key": fn(*mut c_void, *const u8),
        camellia128_decrypt_key = "nettle_camellia_set_decrypt_key": fn(*mut c_void, *const u8),
        camellia128_crypt = "nettle_camellia128_crypt": fn(*const c_void, usize, *mut u8, *const u8),
        camellia256_encrypt_key = "nettle_camellia256_set_encrypt_key": fn(*mut c_void, *const u8),
        camellia256_decrypt_key = "nettle_camellia256_set_decrypt_key": fn(*mut c_void, *const u8),
        camellia256_crypt = "nettle_camellia256_crypt": fn(*const c_void, usize, *mut u8, *const u8),
        aes128_encrypt_key = "nettle_aes128_set_encrypt_key": fn(*mut c_void, *const u8),
        aes128_encrypt = "nettle_aes128_encrypt": fn(*const c_void, usize, *mut u8, *const u8),
        aes256_encrypt_key = "nettle_aes256_set_encrypt_key": fn(*mut c_void, *const u8),
        aes256_encrypt = "nettle_aes256_encrypt": fn(*const c_void, usize, *mut u8, *const u8),
        ctr = "nettle_ctr_crypt":
            fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8),
        cbc_decrypt = "nettle_cbc_decrypt":
            fn(*const c_void, Crypt, usize, *mut u8, usize, *mut u8, *const u8),
        xts_encrypt = "nettle_xts_encrypt_message":
            fn(*const c_void, *const c_void, Crypt, *const u8, usize, *mut u8, *const u8),
        xts_decrypt = "nettle_xts_decrypt_message":
            fn(*const c_void, *const c_void, Crypt, Crypt, *const u8, usize, *mut u8, *const u8),
        gcm_set_key = "nettle_gcm_set_key": fn(*mut c_void, *const c_void, Crypt),
        gcm_set_iv = "nettle_gcm_set_iv": fn(*mut c_void, *const c_void, usize, *const u8),
        gcm_encrypt = "nettle_gcm_encrypt":
            fn(*mut c_void, *const c_void, *const c_void, Crypt, usize, *mut u8, *const u8),
        gcm_decrypt = "nettle_gcm_decrypt":
            fn(*mut c_void, *const c_void, *const c_void, Crypt, usize, *mut u8, *const u8),
        gcm_digest = "nettle_gcm_digest":
            fn(*mut c_void, *const c_void, *const c_void, Crypt, usize, *mut u8),
    }
}

struct Library(&'static Nettle);

/// Loads the library.
pub fn load() -> Result<(Box<dyn Implementation>, Option<String>)> {
    let library = Nettle::load(super::open(Nettle::LIBRARY)?)?;
    // SAFETY: They have no conditions.
    let version = unsafe { ((library.version_major)(), (library.version_minor)()) };
    Ok((
        Box::new(Library(library)),
        Some(format!("{}.{}", version.0, version.1)),
    ))
}

impl Implementation for Library {
    fn name(&self) -> &str {
        "nettle"
    }

    fn prepare(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
        let n = self.0;
        let decrypts = matches!(
            case.mode,
            Mode::EcbDecrypt | Mode::CbcDecrypt | Mode::XtsDecrypt
        );
        let (encrypt_key, data_key, crypt): (SetKey, SetKey, Crypt) =
            match (case.algorithm, case.cipher_key_bits(), decrypts) {
                (Algorithm::Camellia, 128, false) => (
                    n.camellia128_encrypt_key,
                    n.camellia128_encrypt_key,
                    n.camellia128_crypt,
                ),
                (Algorithm::Camellia, 128, true) => (
                    n.camellia128_encrypt_key,
                    n.camellia128_decrypt_key,
                    n.camellia128_crypt,
                ),
                (Algorithm::Camellia, 256, false) => (
                    n.camellia256_encrypt_key,
                    n.camellia256_encrypt_key,
                    n.camellia256_crypt,
                ),
                (Algorithm::Camellia, 256, true) => (
                    n.camellia256_encrypt_key,
                    n.camellia256_decrypt_key,
                    n.camellia256_crypt,
                ),
                (Algorithm::Aes, 128, false) => {
                    (n.aes128_encrypt_key, n.aes128_encrypt_key, n.aes128_encrypt)
                }
                (Algorithm::Aes, 256, false) => {
                    (n.aes256_encrypt_key, n.aes256_encrypt_key, n.aes256_encrypt)
                }
                _ => return Err(Refusal::Unknown),
            };
        if !matches!(
            case.mode,
            Mode::EcbEncrypt
                | Mode::EcbDecrypt
                | Mode::CbcDecrypt
                | Mode::Ctr
                | Mode::XtsEncrypt
                | Mode::XtsDecrypt
                | Mode::GcmEncrypt
                | Mode::GcmDecrypt
        ) {
            return Err(Refusal::Unknown);
        }
        let mut cipher = Cipher {
            library: n,
            mode: case.mode,
            crypt,
            key: Opaque::new(),
            tweak_key: Opaque::new(),
            hash_key: Opaque::new(),
        };
        // SAFETY: There is as much of the key as the functions read, and their contexts fit.
        unsafe {
            data_key(cipher.key.get(), key.as_ptr());
            if case.mode.two_keys() {
                encrypt_key(cipher.tweak_key.get(), key[key.len() / 2..].as_ptr());
            }
            if matches!(case.mode, Mode::GcmEncrypt | Mode::GcmDecrypt) {
                (n.gcm_set_key)(cipher.hash_key.get(), cipher.key.get(), crypt);
            }
        }
        Ok(Box::new(cipher))
    }
}

struct Cipher {
    library: &'static Nettle,
    mode: Mode,
    crypt: Crypt,
    /// A `camellia256_ctx` is 256 bytes, an `aes256_ctx` 240.
    key: Opaque<512>,
    tweak_key: Opaque<512>,
    /// A `gcm_key` is 4096 bytes.
    hash_key: Opaque<8192>,
}

impl Prepared for Cipher {
    fn process(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag) {
        let n = self.library;
        let (key, crypt, mut iv) = (self.key.get(), self.crypt, IV);
        let (to, from, len) = (dst.as_mut_ptr(), src.as_ptr(), src.len());
        // SAFETY: Both buffers are of that length, whole blocks where the mode wants them; the keys
        // are set for the functions that they are given with.
        unsafe {
            match self.mode {
                Mode::Ctr => (n.ctr)(key, crypt, BLOCK, iv.as_mut_ptr(), len, to, from),
                Mode::CbcDecrypt => {
                    (n.cbc_decrypt)(key, crypt, BLOCK, iv.as_mut_ptr(), len, to, from);
                }
                Mode::XtsEncrypt => {
                    (n.xts_encrypt)(key, self.tweak_key.get(), crypt, iv.as_ptr(), len, to, from);
                }
                Mode::XtsDecrypt => {
                    let tweak_key = self.tweak_key.get();
                    (n.xts_decrypt)(key, tweak_key, crypt, crypt, iv.as_ptr(), len, to, from);
                }
                Mode::GcmEncrypt | Mode::GcmDecrypt => {
                    let text = match self.mode {
                        Mode::GcmEncrypt => n.gcm_encrypt,
                        _ => n.gcm_decrypt,
                    };
                    let hash_key = self.hash_key.get();
                    // A `gcm_ctx` is 64 bytes.
                    let mut state = [0_u128; 16];
                    let state = state.as_mut_ptr().cast();
                    (n.gcm_set_iv)(state, hash_key, NONCE.len(), NONCE.as_ptr());
                    text(state, hash_key, key, crypt, len, to, from);
                    (n.gcm_digest)(state, hash_key, key, crypt, BLOCK, tag.as_mut_ptr());
                }
                _ => crypt(key, len, to, from),
            }
        }
    }
}
