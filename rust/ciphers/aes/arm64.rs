// SPDX-License-Identifier: GPL-2.0

//! AES on arm64 in general purpose registers: the way into `asm/arm64/aes.S`, and its tables.
//!
//! It looks up words and bytes at addresses that depend on key and data, so it is not constant
//! time where the cache tells addresses apart.

use core::iter::once;
use core::mem::{offset_of, size_of, MaybeUninit};

use super::super::tier::{Block, BlockCipher, Context, InvalidKeyLength};
use super::{mix, unmix, Aes, State, INVERSE_SBOX, MAX_ROUND_KEYS, SBOX};

// asm/arm64/aes.h has the same numbers.
const _: () = assert!(offset_of!(Tables, bytes) == 1024);
const _: () = assert!(size_of::<Tables>() == 1280);
const _: () = assert!(align_of::<Tables>() == 64);

/// The tables of one direction. They begin with a cache line, and leave none half used.
#[repr(C, align(64))]
pub struct Tables {
    /// For all rounds but the last: the column that comes of a byte in row 0 when the others are
    /// zero, by SubBytes and MixColumns or the inverses of both.
    pub words: [u32; 256],
    /// For the last round, which has no MixColumns: the S-box alone.
    pub bytes: [u8; 256],
}

impl Tables {
    /// To encrypt.
    pub const ENCRYPT: Self = {
        let mut words = [0; 256];
        let mut x = 0;
        while x < 256 {
            words[x] = mix(SBOX[x] as u32);
            x += 1;
        }
        Self { words, bytes: SBOX }
    };

    /// To decrypt.
    pub const DECRYPT: Self = {
        let mut words = [0; 256];
        let mut x = 0;
        while x < 256 {
            words[x] = unmix(INVERSE_SBOX[x] as u32);
            x += 1;
        }
        Self {
            words,
            bytes: INVERSE_SBOX,
        }
    };
}

static ENCRYPT: Tables = Tables::ENCRYPT;
static DECRYPT: Tables = Tables::DECRYPT;

extern "C" {
    /// Encrypts the block at `src` to `dst`.
    ///
    /// # Safety
    ///
    /// `key_words` must be 4, 6 or 8, and `round_keys` valid for reads of 7 more than that. `src`
    /// must be valid for reads and `dst` for writes; they may be the same. `tables` must be
    /// [`Tables::ENCRYPT`].
    fn rfl_aes_encrypt(
        round_keys: *const State,
        dst: *mut Block,
        src: *const Block,
        key_words: u32,
        tables: *const Tables,
    );

    /// Decrypts the block at `src` to `dst`, with the round keys of the equivalent inverse cipher.
    ///
    /// # Safety
    ///
    /// As for [`rfl_aes_encrypt`], but `tables` must be [`Tables::DECRYPT`].
    fn rfl_aes_decrypt(
        round_keys: *const State,
        dst: *mut Block,
        src: *const Block,
        key_words: u32,
        tables: *const Tables,
    );
}

/// Round keys, those in use first.
type RoundKeys = [State; MAX_ROUND_KEYS];

/// The key schedules of both directions.
#[repr(C)]
pub struct Key {
    schedule: super::Key,
    /// Round keys of the equivalent inverse cipher (FIPS 197, section 5.3.5): those of `schedule`
    /// in reverse order, all but the first and the last one through InvMixColumns.
    inverse: RoundKeys,
}

// SAFETY: The type is made of integers, and zeroes are the schedules of 10 rounds with zero keys.
unsafe impl Context for Key {}

impl Key {
    /// Returns the length of the key in words of 32 bits: 4, 6 or 8.
    #[inline]
    fn words(&self) -> u32 {
        self.schedule.extra_rounds.wrapping_add(4)
    }
}

/// AES, in assembly.
#[derive(Clone, Copy, Debug)]
pub enum Arm64 {}

impl BlockCipher for Arm64 {
    type Key = Key;

    const KEY_SIZES: (usize, usize) = Aes::KEY_SIZES;

    fn set_key(key: &mut Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        Aes::set_key(&mut key.schedule, bytes)?;

        let Key { schedule, inverse } = key;
        *inverse = [[0; 4]; MAX_ROUND_KEYS];
        if let [first, inner @ .., last] = schedule.round_keys() {
            let inner = inner.iter().rev().map(|round_key| round_key.map(unmix));
            let all = once(*last).chain(inner).chain(once(*first));
            for (to, from) in inverse.iter_mut().zip(all) {
                *to = from;
            }
        }
        Ok(())
    }

    #[inline]
    fn encrypt_block(key: &Key, block: &Block) -> Block {
        let mut result = MaybeUninit::uninit();
        // SAFETY: These are references, and memory for the result; `schedule` holds as many round
        // keys as go with the length of the key.
        unsafe {
            rfl_aes_encrypt(
                key.schedule.round_keys.as_ptr(),
                result.as_mut_ptr(),
                block,
                key.words(),
                &ENCRYPT,
            );
        }
        // SAFETY: The routine has written all of it.
        unsafe { result.assume_init() }
    }

    #[inline]
    fn decrypt_block(key: &Key, block: &Block) -> Block {
        let mut result = MaybeUninit::uninit();
        // SAFETY: As in `encrypt_block()`.
        unsafe {
            rfl_aes_decrypt(
                key.inverse.as_ptr(),
                result.as_mut_ptr(),
                block,
                key.words(),
                &DECRYPT,
            );
        }
        // SAFETY: As in `encrypt_block()`.
        unsafe { result.assume_init() }
    }
}
