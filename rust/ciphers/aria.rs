// SPDX-License-Identifier: GPL-2.0

//! The block cipher ARIA (RFC 5794, KS X 1213).
//!
//! The scalar code looks up S-boxes in 1 KiB of tables, at addresses that depend on key and data: it
//! is not constant time where the cache tells addresses apart. The vector tiers are.

use super::gf256;
use super::tier::{Block, BlockCipher, Context, InvalidKeyLength};

#[cfg(all(
    target_arch = "x86_64",
    any(
        CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX,
        CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX,
        CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512VL
    )
))]
pub mod x86;

#[cfg(test)]
mod tests;

/// Multiplies a bit matrix by a bit vector. Row 0 makes bit 0, and bit 0 of a row takes bit 0.
const fn bit_matrix_mul(rows: [u8; 8], vector: u8) -> u8 {
    let mut product = 0;
    let mut row = 0;
    while row < 8 {
        product |= (((rows[row] & vector).count_ones() & 1) as u8) << row;
        row += 1;
    }
    product
}

/// The matrix of S1, which is the S-box of AES.
const S1_MATRIX: [u8; 8] = [0xf1, 0xe3, 0xc7, 0x8f, 0x1f, 0x3e, 0x7c, 0xf8];
/// The matrix of S2.
const S2_MATRIX: [u8; 8] = [0x7a, 0xbc, 0xeb, 0xb9, 0x34, 0x81, 0xba, 0xcb];

/// The S-boxes in the order in which the odd layers take them: S1, S2, and the inverses X1, X2.
///
/// RFC 5794 lists them (section 2.4.2, as SB1 to SB4). Here they are computed as the designers define
/// them (Kwon et al., "New Block Cipher: ARIA", ICISC 2003): affine maps of powers in GF(2^8).
pub static SBOXES: [[u8; 256]; 4] = {
    let mut boxes = [[0; 256]; 4];
    let mut x = 0;
    while x < 256 {
        // S1(x) = A x^-1 + 0x63 and S2(x) = B x^247 + 0xe2; 0^-1 is 0, and x^-1 is x^254.
        let s1 = bit_matrix_mul(S1_MATRIX, gf256::pow(x as u8, 254)) ^ 0x63;
        let s2 = bit_matrix_mul(S2_MATRIX, gf256::pow(x as u8, 247)) ^ 0xe2;
        boxes[0][x] = s1;
        boxes[1][x] = s2;
        boxes[2][s1 as usize] = x as u8;
        boxes[3][s2 as usize] = x as u8;
        x += 1;
    }
    boxes
};

/// The state: four columns of four bytes, the first byte of the block the lowest of the first word.
type State = [u32; 4];

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

#[inline]
fn lookup(sbox: &[u8; 256], byte: u8) -> u8 {
    sbox[usize::from(byte)]
}

/// Sends each byte of each word through the S-box for its place.
// Not by `array::map`: the compiler may keep that out of line, at twice the cost of a block.
#[inline(always)]
fn substitute(sboxes: [&[u8; 256]; 4], [a, b, c, d]: State) -> State {
    let [s0, s1, s2, s3] = sboxes;
    let word = |word: u32| {
        let [a, b, c, d] = word.to_le_bytes();
        u32::from_le_bytes([lookup(s0, a), lookup(s1, b), lookup(s2, c), lookup(s3, d)])
    };
    [word(a), word(b), word(c), word(d)]
}

/// Substitution layer of type 1 (RFC 5794, section 2.4.2), of the odd rounds.
#[inline]
fn substitute_odd(state: State) -> State {
    let [s1, s2, x1, x2] = &SBOXES;
    substitute([s1, s2, x1, x2], state)
}

/// Substitution layer of type 2, of the even rounds; the inverse of type 1.
#[inline]
fn substitute_even(state: State) -> State {
    let [s1, s2, x1, x2] = &SBOXES;
    substitute([x1, x2, s1, s2], state)
}

/// Diffusion layer (RFC 5794, section 2.4.3), an involution.
///
/// Put the sixteen bytes on a grid so that byte `i` of word `w` stands in row `i ^ [0, 3, 0, 3][w]`
/// and column `i ^ [0, 1, 1, 0][w]`. Then each byte of the result is one byte, plus the sum of a row,
/// plus the sum of a column. Numbering a word's bytes by `i ^ 1`, `i ^ 2`, `i ^ 3` is swapping
/// neighbours, rotating by half, reversing.
#[inline]
fn diffuse([a, b, c, d]: State) -> State {
    let half = |word: u32| word.rotate_left(16);
    let reverse = u32::swap_bytes;
    let neighbours = |word| half(reverse(word));

    let rows = a ^ c ^ reverse(b ^ d);
    let columns = a ^ d ^ neighbours(b ^ c);
    [
        reverse(a) ^ neighbours(rows ^ columns),
        neighbours(b) ^ rows ^ half(columns),
        half(c) ^ rows ^ neighbours(columns),
        d ^ neighbours(rows) ^ half(columns),
    ]
}

/// Round keys for one direction.
#[repr(C)]
pub struct Schedule {
    /// Pairs of rounds beyond the 12 rounds of a 128-bit key: 0, 1 or 2.
    extra_pairs: u32,
    /// For vector code that wants the round keys in another form too: how many bytes behind the
    /// start of this schedule it is.
    sliced: u32,
    _reserved: [u32; 2],
    /// In the order of their use, of which [`Schedule::round_keys`] are in use: what is added to
    /// the input, then what is added behind each round.
    round_keys: [State; Schedule::MAX_ROUNDS + 1],
}

impl Schedule {
    /// Rounds of a 128-bit key (RFC 5794, section 2.2).
    const MIN_ROUNDS: usize = 12;
    /// Rounds of a 256-bit key.
    const MAX_ROUNDS: usize = 16;

    fn rounds(&self) -> usize {
        let extra_rounds = (self.extra_pairs as usize).wrapping_mul(2);
        Self::MIN_ROUNDS.wrapping_add(extra_rounds)
    }

    fn round_keys(&self) -> &[State] {
        self.round_keys.get(..=self.rounds()).unwrap_or_default()
    }

    fn round_keys_mut(&mut self) -> &mut [State] {
        let rounds = self.rounds();
        self.round_keys.get_mut(..=rounds).unwrap_or_default()
    }

    /// Makes round keys of each of the four and the one behind it, turned: four for each turn.
    // Not inlined, or else the stack frame of the key schedule is too large with newer compilers.
    #[inline(never)]
    fn expand(&mut self, mut w: [u128; 4]) {
        for (round_keys, turn) in self.round_keys_mut().chunks_mut(4).zip(TURNS) {
            for to in round_keys {
                let [straight, turned, ..] = w;
                let round_key = straight ^ turned.rotate_right(turn);
                *to = load(&round_key.to_be_bytes());
                w.rotate_left(1);
            }
        }
    }

    fn crypt(&self, block: &Block) -> Block {
        let mut state = load(block);
        let mut pairs = self.round_keys();

        if let Some((first, others)) = pairs.split_first() {
            state = xor(state, *first);
            pairs = others;
        }
        while let [odd, even, next @ ..] = pairs {
            state = xor(diffuse(substitute_odd(state)), *odd);
            state = substitute_even(state);
            if next.is_empty() {
                return store(xor(state, *even));
            }
            state = xor(diffuse(state), *even);
            pairs = next;
        }
        store(state)
    }
}

/// The key schedule of ARIA.
#[repr(C)]
pub struct Key {
    encrypt: Schedule,
    decrypt: Schedule,
}

// SAFETY: The type is made of integers, and of no invariant that zeroes would break: they are the
// schedule of 12 rounds with zero keys.
unsafe impl Context for Key {}

/// The constants of the key schedule (RFC 5794, section 2.2), for a 128-bit key in order.
const C: [u128; 3] = [
    0x517c_c1b7_2722_0a94_fe13_abe8_fa9a_6ee0,
    0x6db1_4acc_9e21_c820_ff28_b1d5_ef5d_e2b0,
    0xdb92_371d_2126_e970_0324_9775_04e8_c90e,
];

/// By how much four round keys each turn their second part to the right (RFC 5794, section 2.2).
const TURNS: [u32; 5] = [19, 31, 128 - 61, 128 - 31, 128 - 19];

/// ARIA, in scalar code.
#[derive(Clone, Copy, Debug)]
pub enum Aria {}

impl BlockCipher for Aria {
    type Key = Key;

    const KEY_SIZES: (usize, usize) = (16, 32);

    fn set_key(key: &mut Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        let (left, right) = bytes.split_first_chunk().ok_or(InvalidKeyLength)?;
        let (extra_pairs, ck) = match (right.len(), C) {
            (0, [c1, c2, c3]) => (0, [c1, c2, c3]),
            (8, [c1, c2, c3]) => (1, [c2, c3, c1]),
            (16, [c1, c2, c3]) => (2, [c3, c1, c2]),
            _ => return Err(InvalidKeyLength),
        };
        let mut padded = [0; 16];
        for (to, from) in padded.iter_mut().zip(right) {
            *to = *from;
        }

        let add = |state: State, key: u128| xor(state, load(&key.to_be_bytes()));
        let number = |state| u128::from_be_bytes(store(state));
        let [ck1, ck2, ck3] = ck;
        let w0 = load(left);
        let w1 = xor(diffuse(substitute_odd(add(w0, ck1))), load(&padded));
        let w2 = xor(diffuse(substitute_even(add(w1, ck2))), w0);
        let w3 = xor(diffuse(substitute_odd(add(w2, ck3))), w1);
        let [w0, w1, w2, w3] = [w0, w1, w2, w3].map(number);

        let Key { encrypt, decrypt } = key;
        encrypt.extra_pairs = extra_pairs;
        decrypt.extra_pairs = extra_pairs;
        encrypt.expand([w0, w1, w2, w3]);

        // Decryption takes them backwards, the inner ones moved to the other side of the diffusion.
        let backwards = encrypt.round_keys().iter().rev();
        for (to, from) in decrypt.round_keys_mut().iter_mut().zip(backwards) {
            *to = *from;
        }
        if let [_, inner @ .., _] = decrypt.round_keys_mut() {
            for round_key in inner {
                *round_key = diffuse(*round_key);
            }
        }
        Ok(())
    }

    fn encrypt_block(key: &Key, block: &Block) -> Block {
        key.encrypt.crypt(block)
    }

    fn decrypt_block(key: &Key, block: &Block) -> Block {
        key.decrypt.crypt(block)
    }
}
