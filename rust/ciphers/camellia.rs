// SPDX-License-Identifier: GPL-2.0

//! The block cipher Camellia (RFC 3713).
//!
//! The scalar code looks up 16 KiB of tables, at addresses that depend on key and data: it is not
//! constant time where the cache tells addresses apart. The vector tiers are.

use super::tier::{Block, BlockCipher, Context, InvalidKeyLength};

#[cfg(all(target_arch = "x86_64", CONFIG_RFL_CRYPTO_CAMELLIA_ASM))]
pub mod x86;

#[cfg(all(target_arch = "x86_64", CONFIG_RFL_CRYPTO_CAMELLIA_SLICED))]
pub mod sliced;

/// Multiplies a bit matrix by a bit vector. Row 0 makes the highest bit.
const fn bit_matrix_mul(rows: [u8; 8], vector: u8) -> u8 {
    let mut product = 0;
    let mut row = 0;
    while row < 8 {
        product = (product << 1) | ((rows[row] & vector).count_ones() & 1) as u8;
        row += 1;
    }
    product
}

/// Multiplies in GF(2^8) modulo x^8 + x^6 + x^5 + x^3 + 1.
const fn gf_mul(a: u8, b: u8) -> u8 {
    let mut product = 0;
    let mut bit = 8;
    while bit > 0 {
        bit -= 1;
        let carry = product >> 7;
        product = (product << 1) ^ (carry * 0x69) ^ (((b >> bit) & 1) * a);
    }
    product
}

/// Raises to a power in GF(2^8).
const fn gf_pow(base: u8, exponent: u8) -> u8 {
    let mut power = 1;
    let mut bit = 8;
    while bit > 0 {
        bit -= 1;
        power = gf_mul(power, power);
        if (exponent >> bit) & 1 == 1 {
            power = gf_mul(power, base);
        }
    }
    power
}

/// The field element that a byte stands for in the inversion of S1: its bits, highest first, are
/// the coefficients of a^3 b, a^2 b, a b, b, a^3, a^2, a, 1, where b is x and a is b^238.
const fn element(byte: u8) -> u8 {
    let mut sum = 0;
    let mut bit = 0;
    while bit < 8 {
        let base = gf_pow(gf_pow(2, 238), bit % 4);
        let term = if bit < 4 { base } else { gf_mul(base, 2) };
        sum ^= ((byte >> bit) & 1) * term;
        bit += 1;
    }
    sum
}

/// The matrices in front of the inversion of S1 and behind it.
const F_MATRIX: [u8; 8] = [0x44, 0x82, 0x29, 0x21, 0x12, 0x48, 0x81, 0x14];
const H_MATRIX: [u8; 8] = [0x4c, 0x44, 0x12, 0x41, 0x22, 0x81, 0x88, 0x24];

/// The S-boxes S1 to S4.
///
/// RFC 3713 lists the first (section 2.4.3). Here it is computed as the designers define it (Aoki et
/// al., "Specification of Camellia, a 128-bit Block Cipher", 2001, section 4.4): h(g(f(x + 0xc5))) +
/// 0x6e, where f and h are bit matrices and g is the inversion in GF(2^8).
pub static SBOXES: [[u8; 256]; 4] = {
    let mut byte_of = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        byte_of[element(byte as u8) as usize] = byte as u8;
        byte += 1;
    }

    let mut boxes = [[0; 256]; 4];
    let mut x = 0;
    while x < 256 {
        let f = bit_matrix_mul(F_MATRIX, x as u8 ^ 0xc5);
        let g = byte_of[gf_pow(element(f), 254) as usize];
        let s1 = bit_matrix_mul(H_MATRIX, g) ^ 0x6e;
        boxes[0][x] = s1;
        boxes[1][x] = s1.rotate_left(1);
        boxes[2][x] = s1.rotate_right(1);
        // S4(x) = S1(x <<< 1)
        boxes[3][(x as u8).rotate_right(1) as usize] = s1;
        x += 1;
    }
    boxes
};

/// Which S-box each byte of the input of the S-function meets (RFC 3713, section 2.4.1), as an index.
const SBOX_OF: [usize; 8] = [0, 1, 2, 3, 1, 2, 3, 0];

/// Which bytes of the output of the P-function (RFC 3713, section 2.4.1) each byte of its input is
/// added to: 1 in each such byte, y1 the highest.
const SPREAD: [u64; 8] = [
    0x0101_0100_0100_0001,
    0x0001_0101_0101_0000,
    0x0100_0101_0001_0100,
    0x0101_0001_0000_0101,
    0x0001_0101_0001_0101,
    0x0100_0101_0100_0101,
    0x0101_0001_0101_0001,
    0x0101_0100_0101_0100,
];

/// S-function and P-function in one: what each byte of the input adds to the output.
pub static TABLES: [[u64; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut i = 0;
    while i < 8 {
        let mut x = 0;
        while x < 256 {
            tables[i][x] = SBOXES[SBOX_OF[i]][x] as u64 * SPREAD[i];
            x += 1;
        }
        i += 1;
    }
    tables
};

/// The F-function without its key (RFC 3713, section 2.4.1).
#[inline]
fn f(x: u64) -> u64 {
    let [t1, t2, t3, t4, t5, t6, t7, t8] = &TABLES;
    let [x1, x2, x3, x4, x5, x6, x7, x8] = x.to_be_bytes();
    let lookup = |table: &[u64; 256], byte: u8| table[usize::from(byte)];

    let upper = lookup(t1, x1) ^ lookup(t2, x2) ^ lookup(t3, x3) ^ lookup(t4, x4);
    let lower = lookup(t5, x5) ^ lookup(t6, x6) ^ lookup(t7, x7) ^ lookup(t8, x8);
    upper ^ lower
}

/// Splits a half of the state in its words.
#[inline]
fn words(x: u64) -> (u32, u32) {
    ((x >> 32) as u32, x as u32)
}

#[inline]
fn join(left: u32, right: u32) -> u64 {
    (u64::from(left) << 32) | u64::from(right)
}

/// The FL-function (RFC 3713, section 2.4.4).
#[inline]
fn fl(x: u64, key: u64) -> u64 {
    let ((left, right), (key_left, key_right)) = (words(x), words(key));
    let right = right ^ (left & key_left).rotate_left(1);
    join(left ^ (right | key_right), right)
}

/// The inverse of the FL-function (RFC 3713, section 2.4.5).
#[inline]
fn fl_inverse(x: u64, key: u64) -> u64 {
    let ((left, right), (key_left, key_right)) = (words(x), words(key));
    let left = left ^ (right | key_right);
    join(left, right ^ (left & key_left).rotate_left(1))
}

/// Two subkeys: for two rounds in turn, or for the left and the right half of the state.
type Pair = [u64; 2];

/// The first of some subkeys.
fn first_key(subkeys: &[Pair]) -> u64 {
    subkeys.first().map_or(0, |[key, _]| *key)
}

#[inline]
fn halves(bits: u128) -> [u64; 2] {
    [(bits >> 64) as u64, bits as u64]
}

#[inline]
fn whole(left: u64, right: u64) -> u128 {
    (u128::from(left) << 64) | u128::from(right)
}

/// Subkeys of six rounds and what follows them.
#[derive(Clone, Copy)]
#[repr(C)]
struct Group {
    /// In each round, what is added to the half of the state to which the F-function is added.
    rounds: [u64; 6],
    /// The keys of FL and its inverse behind the rounds; of the last group, nothing and what is
    /// added to the right half of the state.
    behind: [u64; 2],
}

/// What code does otherwise than RFC 3713, for which a [`Schedule`] has to make up.
struct Form {
    /// What is added to what the F-function is given.
    offset: u64,
    /// Whether FL and its inverse are without what they make of zero.
    is_fl_linear: bool,
}

impl Form {
    /// Returns what an addition of `x` in front of the inverse of FL, with its `key`, is behind it.
    /// That is also what has to be added in front of FL to add `x` behind it.
    fn through_fl_inverse(&self, x: u64, key: u64) -> u64 {
        let of_zero = if self.is_fl_linear {
            0
        } else {
            fl_inverse(0, key)
        };
        fl_inverse(x, key) ^ of_zero
    }
}

/// [`Form`] of the scalar code: none of this.
const PLAIN: Form = Form {
    offset: 0,
    is_fl_linear: false,
};

/// Subkeys for one direction, in the order of their use.
///
/// No key is added in front of the F-function: what F is given has its key in it already, from the
/// addition of the round before. So the state differs from that of RFC 3713, in each half by a sum
/// of keys, which the key schedule keeps account of. That takes the addition out of the way from
/// one round to the next, and makes one of two where a half was added to before or is again.
#[repr(C)]
struct Schedule {
    /// Groups of six rounds beyond the three of a 128-bit key: 0 or 1.
    extra_groups: u64,
    /// Added to the left half of the input.
    first: u64,
    groups: [Group; Schedule::MAX_GROUPS],
}

impl Schedule {
    /// Groups of six rounds for a 128-bit key (RFC 3713, section 2.3.1).
    const MIN_GROUPS: usize = 3;
    /// Groups of six rounds for a 192-bit or 256-bit key (RFC 3713, section 2.3.2).
    const MAX_GROUPS: usize = 4;

    fn groups(&self) -> &[Group] {
        let groups = Self::MIN_GROUPS.wrapping_add(self.extra_groups as usize);
        self.groups.get(..groups).unwrap_or_default()
    }

    /// Makes the schedule of [`Subkeys`], of which these are the pairs, in some [`Form`].
    // Out of line, for the frame of the caller.
    #[inline(never)]
    fn set(&mut self, subkeys: &[Pair], form: &Form) {
        let [[kw1, kw2], rest @ ..] = subkeys else {
            return;
        };
        let mut rest = rest;
        self.extra_groups = u64::from(rest.len() > 4 * Self::MIN_GROUPS);
        // What a half has in it beyond the state of RFC 3713: the left one the key of the next
        // round, the right one what the last addition to it has left there.
        let mut left = first_key(rest) ^ form.offset;
        let mut right = *kw2;
        self.first = kw1 ^ left;

        for group in &mut self.groups {
            let [[_, k2], [k3, k4], [k5, k6], behind, next @ ..] = rest else {
                break;
            };
            let [k2, k3, k4, k5, k6] = [k2, k3, k4, k5, k6].map(|key| key ^ form.offset);
            let [behind_left, behind_right] = *behind;
            let is_last = next.is_empty();
            let next_left = first_key(next) ^ form.offset;

            let after = if is_last {
                behind_right
            } else {
                form.through_fl_inverse(next_left, behind_left)
            };
            group.rounds = [right ^ k2, left ^ k3, k2 ^ k4, k3 ^ k5, k4 ^ k6, k5 ^ after];
            group.behind = if is_last {
                [0, k6 ^ behind_left]
            } else {
                *behind
            };
            left = next_left;
            right = form.through_fl_inverse(k6, behind_right);
            rest = next;
        }
    }

    fn crypt(&self, block: &Block) -> Block {
        let [mut left, mut right] = halves(u128::from_be_bytes(*block));
        let mut rest = self.groups();

        left ^= self.first;
        while let [group, next @ ..] = rest {
            let [a, b, c, d, e, g] = group.rounds;
            for [odd, even] in [[a, b], [c, d], [e, g]] {
                right ^= f(left) ^ odd;
                left ^= f(right) ^ even;
            }
            let [key_left, key_right] = group.behind;
            if next.is_empty() {
                right ^= key_right;
            } else {
                left = fl(left, key_left);
                right = fl_inverse(right, key_right);
            }
            rest = next;
        }
        // The halves are not exchanged behind the last round.
        whole(right, left).to_be_bytes()
    }
}

/// The key schedule of Camellia.
#[repr(C)]
pub struct Key {
    encrypt: Schedule,
    decrypt: Schedule,
}

// SAFETY: The type is made of integers, and of no invariant that zeroes would break: they are the
// schedule of three groups with zero keys.
unsafe impl Context for Key {}

/// The constants of the key schedule (RFC 3713, section 2.2), Sigma1 to Sigma6.
const SIGMA: [Pair; 3] = [
    [0xa09e_667f_3bcc_908b, 0xb67a_e858_4caa_73b2],
    [0xc6ef_372f_e94f_82be, 0x54ff_53a5_f1d3_6f1c],
    [0x10e5_27fa_de68_2d1d, 0xb056_88c2_b3e6_c1fd],
];

/// Two rounds of the key schedule.
fn mix(x: u128, [odd, even]: Pair) -> u128 {
    let [mut left, mut right] = halves(x);
    right ^= f(left ^ odd);
    left ^= f(right ^ even);
    whole(left, right)
}

/// Camellia, in scalar code.
#[derive(Clone, Copy, Debug)]
pub enum Camellia {}

/// The subkeys of RFC 3713, two by two in the order in which encryption uses them: kw1 and kw2, then
/// for each group of six rounds three pairs of round keys and the pair behind it, which for the last
/// group is kw3 and kw4.
struct Subkeys {
    pairs: [Pair; 1 + 4 * Schedule::MAX_GROUPS],
    /// How many of them there are.
    len: usize,
}

/// The keys of which subkeys are made (RFC 3713, section 2.2).
#[derive(Clone, Copy)]
enum Part {
    Kl,
    Kr,
    Ka,
    Kb,
}

impl Subkeys {
    /// Of no key.
    const NONE: Self = Self {
        pairs: [[0; 2]; 1 + 4 * Schedule::MAX_GROUPS],
        len: 0,
    };

    /// What the pairs of a 128-bit key are, and by how much it is turned. The second half of the
    /// seventh pair is of [`Part::Kl`] instead, turned by 60.
    const SHORT: [(Part, u32); 1 + 4 * Schedule::MIN_GROUPS] = [
        (Part::Kl, 0),
        (Part::Ka, 0),
        (Part::Kl, 15),
        (Part::Ka, 15),
        (Part::Ka, 30),
        (Part::Kl, 45),
        (Part::Ka, 45),
        (Part::Ka, 60),
        (Part::Kl, 77),
        (Part::Kl, 94),
        (Part::Ka, 94),
        (Part::Kl, 111),
        (Part::Ka, 111),
    ];

    /// The same for longer keys.
    const LONG: [(Part, u32); 1 + 4 * Schedule::MAX_GROUPS] = [
        (Part::Kl, 0),
        (Part::Kb, 0),
        (Part::Kr, 15),
        (Part::Ka, 15),
        (Part::Kr, 30),
        (Part::Kb, 30),
        (Part::Kl, 45),
        (Part::Ka, 45),
        (Part::Kl, 60),
        (Part::Kr, 60),
        (Part::Kb, 60),
        (Part::Kl, 77),
        (Part::Ka, 77),
        (Part::Kr, 94),
        (Part::Ka, 94),
        (Part::Kl, 111),
        (Part::Kb, 111),
    ];

    /// Makes the subkeys of a key (RFC 3713, section 2.2). One that is refused changes nothing.
    // Out of line, for the frame of the caller.
    #[inline(never)]
    fn set(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        let (first, rest) = bytes.split_first_chunk().ok_or(InvalidKeyLength)?;
        let kl = u128::from_be_bytes(*first);
        let part = |index| -> Option<u64> {
            let chunk = rest.chunks_exact(8).nth(index)?;
            Some(u64::from_be_bytes(chunk.try_into().ok()?))
        };
        let kr = match (rest.len(), part(0), part(1)) {
            (0, None, None) => 0,
            (8, Some(a), None) => whole(a, !a),
            (16, Some(a), Some(b)) => whole(a, b),
            _ => return Err(InvalidKeyLength),
        };
        let [sigma12, sigma34, sigma56] = SIGMA;
        let ka = mix(mix(kl ^ kr, sigma12) ^ kl, sigma34);
        let kb = mix(ka ^ kr, sigma56);

        let is_short = rest.is_empty();
        let turned: &[(Part, u32)] = if is_short { &Self::SHORT } else { &Self::LONG };
        for (pair, &(part, turn)) in self.pairs.iter_mut().zip(turned) {
            let key = match part {
                Part::Kl => kl,
                Part::Kr => kr,
                Part::Ka => ka,
                Part::Kb => kb,
            };
            *pair = halves(key.rotate_left(turn));
        }
        if let (true, [_, _, _, _, _, _, [_, k10], ..]) = (is_short, &mut self.pairs) {
            [_, *k10] = halves(kl.rotate_left(60));
        }
        self.len = turned.len();
        Ok(())
    }

    fn pairs(&self) -> &[Pair] {
        self.pairs.get(..self.len).unwrap_or_default()
    }

    /// Turns them to those for decryption, or back.
    fn reverse(&mut self) {
        let pairs = self.pairs.get_mut(..self.len).unwrap_or_default();
        // They are used backwards, but for those of the halves of input and output.
        if let [_, inner @ .., _] = pairs {
            inner.iter_mut().for_each(|pair| pair.reverse());
        }
        pairs.reverse();
    }
}

impl Key {
    /// Sets both directions, and leaves the subkeys as they were.
    fn set(&mut self, subkeys: &mut Subkeys) {
        self.encrypt.set(subkeys.pairs(), &PLAIN);
        subkeys.reverse();
        self.decrypt.set(subkeys.pairs(), &PLAIN);
        subkeys.reverse();
    }
}

impl BlockCipher for Camellia {
    type Key = Key;

    const KEY_SIZES: (usize, usize) = (16, 32);

    fn set_key(key: &mut Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        let mut subkeys = Subkeys::NONE;
        subkeys.set(bytes)?;
        key.set(&mut subkeys);
        Ok(())
    }

    fn encrypt_block(key: &Key, block: &Block) -> Block {
        key.encrypt.crypt(block)
    }

    fn decrypt_block(key: &Key, block: &Block) -> Block {
        key.decrypt.crypt(block)
    }
}
