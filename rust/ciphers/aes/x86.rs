// SPDX-License-Identifier: GPL-2.0

//! AES on x86-64: the way into `asm/x86/aes-ctr.S` and `asm/x86/aes-gcm.S`.

use core::{
    mem::{offset_of, MaybeUninit},
    ptr,
};

use super::super::gcm::{self, Message};
use super::super::ghash::{self, Tier as _};
use super::super::inout::InOut;
use super::super::simd::{self, Simd};
use super::super::tier::{Block, BlockCipher, Context, Ctr, InvalidKeyLength, Tier, BLOCK_SIZE};
use super::{Aes, Key};

// asm/x86/aes.h has the same numbers.
const _: () = assert!(offset_of!(Key, round_keys) == 0);
const _: () = assert!(offset_of!(Key, extra_rounds) == 240);

// asm/x86/aes-gcm.S has the same numbers.
const _: () = assert!(offset_of!(GcmKey, cipher) == 0);
const _: () = assert!(offset_of!(GcmKey, hash) == 256);
const _: () = assert!(offset_of!(GcmKey, lanes) == 848);
const _: () = assert!(offset_of!(Message, counter) == 0);
const _: () = assert!(offset_of!(Message, hash) == 16);
const _: () = assert!(offset_of!(Message, assoc_len) == 32);
const _: () = assert!(offset_of!(Message, text_len) == 40);

extern "C" {
    /// Sends each byte of a word through the S-box.
    ///
    /// # Safety
    ///
    /// The CPU must have VAES and AVX-512VL, and the vector registers must be the caller's to
    /// clobber.
    fn rfl_aes_sub_word(word: u32) -> u32;
}

/// Makes the key schedule of a key.
fn set_key(
    _simd: Simd<'_, simd::VaesAvx512>,
    key: &mut Key,
    bytes: &[u8],
) -> Result<(), InvalidKeyLength> {
    // SAFETY: `_simd` proves both.
    key.set(bytes, |word| unsafe { rfl_aes_sub_word(word) })
}

/// The key of GCM.
#[repr(C)]
pub struct GcmKey {
    cipher: Key,
    hash: ghash::Key,
    lanes: ghash::Lanes,
}

// SAFETY: All zero bytes are a value of each part.
unsafe impl Context for GcmKey {}

impl GcmKey {
    /// Sets the hash key.
    fn set_hash(&mut self, hash_key: &Block) {
        self.hash.set(hash_key);
        self.lanes.set(&self.hash);
    }
}

/// Calls `f` with runs of `data` throughout which the lower half of the counter does not wrap.
#[inline]
fn without_wrap(counter: &mut Block, data: InOut<'_>, mut f: impl FnMut(&mut Block, InOut<'_>)) {
    let mut rest = data;
    while !rest.is_empty() {
        let low = u128::from_be_bytes(*counter) as u64;
        // Blocks behind the first one
        let blocks = usize::try_from(!low).unwrap_or(usize::MAX);
        let (run, behind) = rest.split_at(blocks.saturating_add(1).saturating_mul(BLOCK_SIZE));
        f(counter, run);
        rest = behind;
    }
}

/// Declares a tier and its routines.
macro_rules! tier {
    ($(#[$doc:meta])* $tier:ident, $hash:ident, $ctr:ident, $encrypt:ident, $decrypt:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $tier {}

        impl Tier for $tier {
            type Cipher = Aes;
            type Features = simd::VaesAvx512;
            type Scratch = ();
            type Key = Key;

            const MIN: usize = 1;

            fn set_key(key: &mut Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
                Aes::set_key(key, bytes)
            }

            const SETS_KEY_ON_VECTORS: bool = true;

            fn set_key_on_vectors(
                simd: Simd<'_, Self::Features>,
                key: &mut Key,
                bytes: &[u8],
            ) -> Result<(), InvalidKeyLength> {
                set_key(simd, key, bytes)
            }

            fn scalar_key(key: &Key) -> &Key {
                key
            }
        }

        #[allow(improper_ctypes, reason = "of a message, the part before its mask is touched")]
        extern "C" {
            /// XORs the encryptions of `counter`, `counter + 1`, ... to `len` bytes at `src` to
            /// `dst`, and advances the counter by the blocks done, a final partial one included.
            ///
            /// # Safety
            ///
            /// - The CPU must have the features of the tier, and the vector registers must be the
            ///   caller's to clobber.
            /// - `key` and `len` bytes at `src` must be valid for reads, `len` bytes at `dst` for
            ///   writes, `counter` for both. `src` and `dst` must be equal or must not overlap, and
            ///   nothing else may.
            /// - `len` must not be zero, and the lower half of the counter must not wrap before the
            ///   last block.
            fn $ctr(
                key: *const Key,
                dst: *mut u8,
                src: *const u8,
                len: usize,
                counter: *mut Block,
            );

            /// Encrypts `len` bytes at `src` to `dst` and hashes what that gives. The message ends
            /// here if `tag` is not null.
            ///
            /// # Safety
            ///
            /// - The CPU must have the features of the tier, and the vector registers must be the
            ///   caller's to clobber.
            /// - `key` and `len` bytes at `src` must be valid for reads, `len` bytes at `dst` for
            ///   writes, `message` for both, `tag` for writes or null. `src` and `dst` must be equal
            ///   or must not overlap, and nothing else may.
            fn $encrypt(
                key: *const GcmKey,
                dst: *mut u8,
                src: *const u8,
                len: usize,
                message: *mut Message,
                tag: *mut Block,
            );

            /// Hashes `len` bytes at `src` and decrypts them to `dst`.
            ///
            /// # Safety
            ///
            /// As for encryption.
            fn $decrypt(
                key: *const GcmKey,
                dst: *mut u8,
                src: *const u8,
                len: usize,
                message: *mut Message,
                tag: *mut Block,
            );
        }

        impl Ctr for $tier {
            fn ctr(
                _simd: Simd<'_, Self::Features>,
                key: &Key,
                _scratch: &mut MaybeUninit<()>,
                counter: &mut Block,
                data: InOut<'_>,
            ) {
                without_wrap(counter, data, |counter, run| {
                    // SAFETY: `_simd` proves the first condition, the references and the
                    // invariants of `InOut` the second, `without_wrap` has seen to the third.
                    unsafe { $ctr(key, run.dst(), run.src(), run.len(), counter) }
                });
            }
        }

        impl gcm::Tier for $tier {
            type Cipher = Aes;
            type Features = simd::VaesGcmAvx512;
            type Scratch = ();
            type Key = GcmKey;

            fn set_key(key: &mut GcmKey, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
                Aes::set_key(&mut key.cipher, bytes)?;
                key.set_hash(&gcm::scalar::hash_key::<Aes>(&key.cipher));
                Ok(())
            }

            const SETS_KEY_ON_VECTORS: bool = true;

            fn set_key_on_vectors(
                simd: Simd<'_, Self::Features>,
                key: &mut GcmKey,
                bytes: &[u8],
            ) -> Result<(), InvalidKeyLength> {
                set_key(simd.narrow(), &mut key.cipher, bytes)?;
                // The encryption of zero (SP 800-38D, section 7.1)
                let mut hash_key = [0; BLOCK_SIZE];
                <Self as Ctr>::ctr(
                    simd.narrow(),
                    &key.cipher,
                    &mut MaybeUninit::new(()),
                    &mut [0; BLOCK_SIZE],
                    InOut::in_place(&mut hash_key),
                );
                key.set_hash(&hash_key);
                Ok(())
            }

            fn scalar_key(key: &GcmKey) -> &Key {
                &key.cipher
            }

            fn hash_key(key: &GcmKey) -> &ghash::Key {
                &key.hash
            }

            fn assoc(
                simd: Simd<'_, Self::Features>,
                key: &GcmKey,
                message: &mut Message,
                data: &[u8],
            ) {
                message.assoc_len = message.assoc_len.wrapping_add(data.len() as u64);
                ghash::x86::$hash::update(simd.narrow(), &key.hash, &mut message.hash, data);
            }

            fn encrypt(
                _simd: Simd<'_, Self::Features>,
                key: &GcmKey,
                _scratch: &mut MaybeUninit<()>,
                message: &mut Message,
                data: InOut<'_>,
            ) {
                message.text_len = message.text_len.wrapping_add(data.len() as u64);
                // SAFETY: `_simd` proves the first condition, the references and the invariants of
                // `InOut` the second.
                unsafe { $encrypt(key, data.dst(), data.src(), data.len(), message, ptr::null_mut()) }
            }

            fn decrypt(
                _simd: Simd<'_, Self::Features>,
                key: &GcmKey,
                _scratch: &mut MaybeUninit<()>,
                message: &mut Message,
                data: InOut<'_>,
            ) {
                message.text_len = message.text_len.wrapping_add(data.len() as u64);
                // SAFETY: As for encryption.
                unsafe { $decrypt(key, data.dst(), data.src(), data.len(), message, ptr::null_mut()) }
            }

            fn tag(
                simd: Simd<'_, Self::Features>,
                key: &GcmKey,
                scratch: &mut MaybeUninit<()>,
                message: &mut Message,
            ) -> Block {
                Self::encrypt_last(simd, key, scratch, message, InOut::in_place(&mut []))
            }

            fn encrypt_last(
                _simd: Simd<'_, Self::Features>,
                key: &GcmKey,
                _scratch: &mut MaybeUninit<()>,
                message: &mut Message,
                data: InOut<'_>,
            ) -> Block {
                message.text_len = message.text_len.wrapping_add(data.len() as u64);
                let mut tag = [0; BLOCK_SIZE];
                // SAFETY: `_simd` proves the first condition, the references and the invariants of
                // `InOut` the second.
                unsafe { $encrypt(key, data.dst(), data.src(), data.len(), message, &mut tag) };
                tag
            }

            fn decrypt_last(
                _simd: Simd<'_, Self::Features>,
                key: &GcmKey,
                _scratch: &mut MaybeUninit<()>,
                message: &mut Message,
                data: InOut<'_>,
            ) -> Block {
                message.text_len = message.text_len.wrapping_add(data.len() as u64);
                let mut tag = [0; BLOCK_SIZE];
                // SAFETY: As for encryption.
                unsafe { $decrypt(key, data.dst(), data.src(), data.len(), message, &mut tag) };
                tag
            }
        }
    };
}

tier! {
    /// AES by VAES in 512-bit vectors.
    Avx512,
    Avx512,
    rfl_aes_ctr_avx512,
    rfl_aes_gcm_encrypt_avx512,
    rfl_aes_gcm_decrypt_avx512
}
tier! {
    /// AES by VAES in 256-bit vectors, 32 of them.
    Avx512vl,
    Avx2,
    rfl_aes_ctr_avx512vl,
    rfl_aes_gcm_encrypt_avx512vl,
    rfl_aes_gcm_decrypt_avx512vl
}
