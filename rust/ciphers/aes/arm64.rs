// SPDX-License-Identifier: GPL-2.0

//! AES on arm64 in general purpose registers: the way into `asm/arm64/aes.S`, and its tables.
//!
//! It looks up words and bytes at addresses that depend on key and data, so it is not constant
//! time where the cache tells addresses apart.

use core::iter::once;
use core::mem::{offset_of, size_of};

use super::super::inout::InOut;
use super::super::tier::{Block, BlockCipher, Context, InvalidKeyLength, BLOCK_SIZE};
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
    /// `extra_rounds` must be 0, 2 or 4, and `round_keys` valid for reads of 11 more than that.
    /// `src` must be valid for reads and `dst` for writes; they may be the same. `tables` must be
    /// [`Tables::ENCRYPT`].
    fn rfl_aes_encrypt(
        round_keys: *const State,
        dst: *mut Block,
        src: *const Block,
        extra_rounds: u32,
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
        extra_rounds: u32,
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
        let mut result = [0; BLOCK_SIZE];
        if let Some(data) = InOut::new(block, &mut result) {
            Self::ecb_encrypt(key, data);
        }
        result
    }

    #[inline]
    fn decrypt_block(key: &Key, block: &Block) -> Block {
        let mut result = [0; BLOCK_SIZE];
        if let Some(data) = InOut::new(block, &mut result) {
            Self::ecb_decrypt(key, data);
        }
        result
    }
}

impl Arm64 {
    /// As [`scalar::ecb_encrypt`](super::super::tier::scalar::ecb_encrypt), but no block is copied:
    /// the kernel's code for arm64 must not load words from where bytes are, so it would copy byte
    /// by byte.
    #[inline]
    pub fn ecb_encrypt<'a>(key: &Key, data: InOut<'a>) -> InOut<'a> {
        for_blocks(data, |dst, src| {
            // SAFETY: `dst` and `src` are as `for_blocks()` says, and `schedule` holds as many round
            // keys as it says.
            unsafe {
                rfl_aes_encrypt(
                    key.schedule.round_keys.as_ptr(),
                    dst,
                    src,
                    key.schedule.extra_rounds,
                    &ENCRYPT,
                );
            }
        })
    }

    /// Undoes [`ecb_encrypt`](Self::ecb_encrypt).
    #[inline]
    pub fn ecb_decrypt<'a>(key: &Key, data: InOut<'a>) -> InOut<'a> {
        for_blocks(data, |dst, src| {
            // SAFETY: As in `ecb_encrypt()`; there are as many round keys in `inverse`.
            unsafe {
                rfl_aes_decrypt(
                    key.inverse.as_ptr(),
                    dst,
                    src,
                    key.schedule.extra_rounds,
                    &DECRYPT,
                );
            }
        })
    }
}

/// Calls `f` for each whole block with where to write and what to read, which may be the same.
/// Returns what is left.
#[inline]
fn for_blocks<'a>(data: InOut<'a>, mut f: impl FnMut(*mut Block, *const Block)) -> InOut<'a> {
    let (mut blocks, rest) = data.split_units::<BLOCK_SIZE>();
    while !blocks.is_empty() {
        let (block, others) = blocks.split_at(BLOCK_SIZE);
        f(block.dst().cast(), block.src().cast());
        blocks = others;
    }
    rest
}
