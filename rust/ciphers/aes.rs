// SPDX-License-Identifier: GPL-2.0

//! The block cipher AES (FIPS 197).
//!
//! The scalar code looks up S-boxes in half a KiB of tables, at addresses that depend on key and
//! data: it is not constant time where the cache tells addresses apart. So does the key expansion,
//! unless the vector tiers do it, which look up nothing.

use super::gf256;
use super::tier::{Block, BlockCipher, Context, InvalidKeyLength};

#[cfg(all(target_arch = "aarch64", CONFIG_RFL_CRYPTO_AES_ARM64))]
pub mod arm64;
#[cfg(all(target_arch = "x86_64", CONFIG_RFL_CRYPTO_AES_X86))]
pub mod x86;

/// The S-box (FIPS 197, section 5.1.1).
pub static SBOX: [u8; 256] = {
    let mut sbox = [0; 256];
    let mut x = 0;
    while x < 256 {
        let inverse = gf256::pow(x as u8, 254);
        sbox[x] = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4)
            ^ 0x63;
        x += 1;
    }
    sbox
};

/// The inverse of the S-box (FIPS 197, section 5.3.2).
pub static INVERSE_SBOX: [u8; 256] = {
    let mut inverse = [0; 256];
    let mut x = 0;
    while x < 256 {
        inverse[SBOX[x] as usize] = x as u8;
        x += 1;
    }
    inverse
};

/// The state: four columns of four bytes, the first byte of the block the lowest of the first word.
pub type State = [u32; 4];

#[inline]
fn load(block: &Block) -> State {
    let words = u128::from_le_bytes(*block);
    [
        words as u32,
        (words >> 32) as u32,
        (words >> 64) as u32,
        (words >> 96) as u32,
    ]
}

#[inline]
fn store([a, b, c, d]: State) -> Block {
    (u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96).to_le_bytes()
}

#[inline]
fn xor([a, b, c, d]: State, [e, f, g, h]: State) -> State {
    [a ^ e, b ^ f, c ^ g, d ^ h]
}

/// Sends four bytes, one of each word, through an S-box.
#[inline(always)]
fn substitute(sbox: &[u8; 256], bytes: [u32; 4]) -> u32 {
    let [a, b, c, d] = bytes;
    let byte = |word: u32, i: u32| u32::from(sbox[usize::from((word >> (8 * i)) as u8)]) << (8 * i);
    byte(a, 0) | byte(b, 1) | byte(c, 2) | byte(d, 3)
}

/// SubBytes and ShiftRows: row `r` moves to the left by `r` columns.
#[inline(always)]
fn substitute_and_shift([a, b, c, d]: State) -> State {
    [
        substitute(&SBOX, [a, b, c, d]),
        substitute(&SBOX, [b, c, d, a]),
        substitute(&SBOX, [c, d, a, b]),
        substitute(&SBOX, [d, a, b, c]),
    ]
}

/// The inverse of [`substitute_and_shift`].
#[inline(always)]
fn unshift_and_substitute([a, b, c, d]: State) -> State {
    [
        substitute(&INVERSE_SBOX, [a, d, c, b]),
        substitute(&INVERSE_SBOX, [b, a, d, c]),
        substitute(&INVERSE_SBOX, [c, b, a, d]),
        substitute(&INVERSE_SBOX, [d, c, b, a]),
    ]
}

/// Multiplies each byte of a word by x.
#[inline]
const fn times_x(word: u32) -> u32 {
    let carries = (word >> 7) & 0x0101_0101;
    ((word << 1) & 0xfefe_fefe) ^ carries.wrapping_mul(0x1b)
}

/// MixColumns for a column: each byte, times x, plus the next one times x + 1, plus the others.
#[inline]
const fn mix(column: u32) -> u32 {
    let next = column.rotate_right(8);
    times_x(column ^ next) ^ next ^ column.rotate_right(16) ^ column.rotate_right(24)
}

/// InvMixColumns for a column, the polynomial of which is that of MixColumns times
/// x^2 y^2 + x^2 + 1.
#[inline]
const fn unmix(column: u32) -> u32 {
    mix(column ^ times_x(times_x(column ^ column.rotate_right(16))))
}

/// Most round keys there are, those of a 256-bit key.
const MAX_ROUND_KEYS: usize = 15;

/// The key schedule (FIPS 197, section 5.2).
#[repr(C)]
pub struct Key {
    round_keys: [State; MAX_ROUND_KEYS],
    /// Rounds beyond the 10 of a 128-bit key: 0, 2 or 4.
    extra_rounds: u32,
    _reserved: [u32; 3],
}

// SAFETY: The type is made of integers, and zeroes are the schedule of 10 rounds with zero keys.
unsafe impl Context for Key {}

impl Key {
    /// Returns the round keys in use, in the order of encryption.
    pub fn round_keys(&self) -> &[State] {
        let last = (self.extra_rounds as usize).wrapping_add(10);
        self.round_keys.get(..=last).unwrap_or_default()
    }

    /// Makes the schedule of a key, with the S-box for each byte of a word.
    fn set(&mut self, bytes: &[u8], sub_word: impl Fn(u32) -> u32) -> Result<(), InvalidKeyLength> {
        match bytes.len() {
            16 => self.expand::<4>(bytes, sub_word),
            24 => self.expand::<6>(bytes, sub_word),
            32 => self.expand::<8>(bytes, sub_word),
            _ => return Err(InvalidKeyLength),
        }
        Ok(())
    }

    /// Makes the schedule of a key of `WORDS` words.
    fn expand<const WORDS: usize>(&mut self, bytes: &[u8], sub_word: impl Fn(u32) -> u32) {
        let mut window = [0; WORDS];
        for (word, bytes) in window.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = bytes.try_into().map(u32::from_le_bytes).unwrap_or(0);
        }
        let extra_rounds = const { WORDS as u32 - 4 };
        let round_keys = const { WORDS + 7 };

        self.extra_rounds = extra_rounds;
        self.round_keys = [[0; 4]; MAX_ROUND_KEYS];
        let used = self.round_keys.get_mut(..round_keys).unwrap_or_default();
        let mut constant = 1;
        for words in used.as_flattened_mut().chunks_mut(WORDS) {
            for (to, from) in words.iter_mut().zip(&window) {
                *to = *from;
            }
            let last = window.last().copied().unwrap_or(0);
            let mut before = sub_word(last.rotate_right(8)) ^ constant;
            constant = times_x(constant);
            for (i, word) in window.iter_mut().enumerate() {
                if WORDS == 8 && i == 4 {
                    before = sub_word(before);
                }
                *word ^= before;
                before = *word;
            }
        }
    }
}

/// AES, in scalar code.
#[derive(Clone, Copy, Debug)]
pub enum Aes {}

impl BlockCipher for Aes {
    type Key = Key;

    const KEY_SIZES: (usize, usize) = (16, 32);

    fn set_key(key: &mut Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        key.set(bytes, |word| substitute(&SBOX, [word; 4]))
    }

    fn encrypt_block(key: &Key, block: &Block) -> Block {
        let mut state = load(block);
        if let [first, inner @ .., last] = key.round_keys() {
            state = xor(state, *first);
            for round_key in inner {
                state = xor(substitute_and_shift(state).map(mix), *round_key);
            }
            state = xor(substitute_and_shift(state), *last);
        }
        store(state)
    }

    fn decrypt_block(key: &Key, block: &Block) -> Block {
        let mut state = load(block);
        if let [first, inner @ .., last] = key.round_keys() {
            state = unshift_and_substitute(xor(state, *last));
            for round_key in inner.iter().rev() {
                state = unshift_and_substitute(xor(state, *round_key).map(unmix));
            }
            state = xor(state, *first);
        }
        store(state)
    }
}
