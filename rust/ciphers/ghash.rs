// SPDX-License-Identifier: GPL-2.0

//! GHASH, the universal hash of GCM (NIST SP 800-38D, section 6.4).
//!
//! Neither the scalar code nor the vector tiers look up tables or branch on key or data. The scalar
//! code multiplies integers, which takes the same time for all operands on the 64-bit CPUs that
//! Linux runs on.

use super::simd::{Features, Simd};
use super::tier::{Block, Context};

#[cfg(all(target_arch = "x86_64", CONFIG_RFL_CRYPTO_GHASH_X86))]
pub mod x86;

/// An element of GF(2^128).
///
/// GCM numbers the bits of a block the other way round than a CPU does: the coefficient of x^0 is
/// the most significant bit of the first byte. A block that is loaded as a big-endian number is
/// therefore a polynomial of GCM's with its coefficients reversed. Read with the coefficients in
/// natural order the modulus is P = x^128 + x^127 + x^126 + x^121 + 1, and the product of GCM is
/// a * b * x^-127 mod P. We compute a * b * x^-128, of which only 64-bit carry-less products and
/// their sums are asked, and keep one factor of each product, the key, multiplied by x.
#[derive(Clone, Copy)]
#[repr(C)]
struct Element {
    lo: u64,
    hi: u64,
}

impl Element {
    /// P without its two outer terms, divided by x^64: x^63 + x^62 + x^57.
    const P: u64 = 0xc200_0000_0000_0000;

    const fn new(value: u128) -> Self {
        Self {
            lo: value as u64,
            hi: (value >> 64) as u64,
        }
    }

    const fn value(self) -> u128 {
        (self.hi as u128) << 64 | self.lo as u128
    }

    /// Returns `self` * x mod P.
    const fn times_x(self) -> Self {
        let value = self.value();
        let carry = (value >> 127).wrapping_neg();
        Self::new(value << 1 ^ carry & ((Self::P as u128) << 64 | 1))
    }

    /// Returns `self` * x^-64 mod P.
    ///
    /// That is (`self` + lo * P) / x^64, the low half of the sum being zero.
    const fn fold(self) -> Self {
        let lo = self.lo as u128;
        let product = lo << 63 ^ lo << 62 ^ lo << 57;
        Self::new((lo << 64 | self.hi as u128) ^ product)
    }

    /// Returns `self` * `other` * x^-128 mod P.
    fn mul(self, other: Self) -> Self {
        let low = clmul(self.lo, other.lo);
        let high = clmul(self.hi, other.hi);
        let middle = clmul(self.lo ^ self.hi, other.lo ^ other.hi) ^ low ^ high;

        let middle = middle ^ Self::new(low).fold().value();
        Self::new(high ^ Self::new(middle).fold().value())
    }
}

/// Multiplies polynomials over GF(2).
///
/// An integer product has carries where this has none. With three zero bits between any two bits
/// of a factor, the bits of the product are sums that have four bits of room: the lowest of them is
/// the sum in GF(2), and as long as fewer than 16 ones are summed, the next sum is not touched. So
/// each factor is taken apart into four, and four bits of one are multiplied apart.
#[inline]
fn clmul(x: u64, y: u64) -> u128 {
    const ONE_IN_FOUR: u128 = u128::MAX / 15;
    const TOP: u32 = 60;

    let part = |word: u64, i: u32| u128::from(word) & ONE_IN_FOUR << i;
    let below_top = y & ((1 << TOP) - 1);
    let sum = |i: u32| {
        (0..4).fold(0, |sum, j| {
            sum ^ part(x, j).wrapping_mul(part(below_top, i.wrapping_sub(j) & 3))
        })
    };
    (0..4).fold(0, |product, i| {
        let top = u128::from(y >> (TOP | i) & 1).wrapping_neg();
        product ^ sum(i) & ONE_IN_FOUR << i ^ u128::from(x) << (TOP | i) & top
    })
}

/// How many powers of the hash key there are: one for each block of a step, and one more for a step
/// behind which there is a block of lengths.
const POWERS: usize = STEP + 1;

/// Blocks in a step of vector code.
const STEP: usize = 16;

/// Blocks in the longest vector.
const LANES: usize = 4;

/// The hash key H: its powers as the vector tiers want them.
#[repr(C)]
pub struct Key {
    /// H^17, H^16, ..., H^1, each times x.
    powers: [Element; POWERS],
    /// The same times x^-64: see [`Element::fold`].
    folded: [Element; POWERS],
    /// Zero. A vector that begins at one of the last elements reads on into this.
    behind: [Element; 3],
}

// SAFETY: The type is made of integers, and zeroes are the powers of a zero key.
unsafe impl Context for Key {}

impl Key {
    /// Computes the powers of `h`, which is the encryption of a zero block.
    pub fn set(&mut self, h: &Block) {
        let h = Element::new(u128::from_be_bytes(*h)).times_x();
        let mut power = h;
        let slots = self.powers.iter_mut().zip(&mut self.folded);
        for (slot, folded) in slots.rev() {
            *slot = power;
            *folded = power.fold();
            power = power.mul(h);
        }
    }

    /// Returns H times x.
    fn first_power(&self) -> Element {
        let [.., h] = self.powers;
        h
    }
}

/// Powers of the hash key for vector code that keeps four sums, each over every fourth block.
#[repr(C)]
pub struct Lanes {
    /// H^16, H^12, H^8 and H^4 from the key, each in all lanes of a vector.
    powers: [[Element; LANES]; STEP / LANES],
    /// The same times x^-64.
    folded: [[Element; LANES]; STEP / LANES],
}

// SAFETY: The type is made of integers, and zeroes are the powers of a zero key.
unsafe impl Context for Lanes {}

impl Lanes {
    /// Takes the powers from `key`.
    pub fn set(&mut self, key: &Key) {
        let spread = |lanes: &mut [[Element; LANES]], powers: &[Element]| {
            let powers = powers.iter().skip(POWERS - STEP).step_by(LANES);
            for (lanes, power) in lanes.iter_mut().zip(powers) {
                *lanes = [*power; LANES];
            }
        };
        spread(&mut self.powers, &key.powers);
        spread(&mut self.folded, &key.folded);
    }
}

/// A vector implementation of GHASH for one set of CPU features.
pub trait Tier: 'static {
    /// What the CPU must have.
    type Features: Features;

    /// Takes `data` into the hash `acc`, a final partial block filled up with zeroes.
    fn update(simd: Simd<'_, Self::Features>, key: &Key, acc: &mut Block, data: &[u8]);
}

/// GHASH in scalar code, for contexts that may not use vector registers.
pub mod scalar {
    use super::super::tier::Block;
    use super::{Element, Key};

    /// Takes `data` into the hash `acc`, a final partial block filled up with zeroes.
    pub fn update(key: &Key, acc: &mut Block, data: &[u8]) {
        let h = key.first_power();
        let mut sum = u128::from_be_bytes(*acc);
        for bytes in data.chunks(size_of::<Block>()) {
            let mut block = [0; size_of::<Block>()];
            for (to, from) in block.iter_mut().zip(bytes) {
                *to = *from;
            }
            let element = Element::new(sum ^ u128::from_be_bytes(block));
            sum = element.mul(h).value();
        }
        *acc = sum.to_be_bytes();
    }
}
