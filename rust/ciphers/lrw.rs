// SPDX-License-Identifier: GPL-2.0

//! The tweaks of LRW (Liskov, Rivest, Wagner, "Tweakable Block Ciphers", CRYPTO 2002), in the shape
//! that early drafts of IEEE 1619 gave them: products of a second key and the number of the block.

use super::inout::InOut;
use super::tier::{Block, Context, InvalidKeyLength, Tier};

/// The two keys.
#[repr(C)]
pub struct Key<K> {
    /// That of the cipher.
    pub cipher: K,
    /// Times each two bits, at every sixteenth bit.
    multiples: [[Block; 4]; 8],
    /// Times 1, 11, 111 and so on in binary digits.
    changes: [Block; 8],
}

// SAFETY: All zero bytes are a value of either key.
unsafe impl<K: Context> Context for Key<K> {}

impl<K> Key<K> {
    /// Makes the key of `bytes`: the key of the cipher, and a block that multiplies.
    ///
    /// # Errors
    ///
    /// The key is refused and left as it was if the first part has no length of the cipher's.
    pub fn set<T: Tier<Key = K>>(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        let Some((cipher, tweak)) = bytes.split_last_chunk() else {
            return Err(InvalidKeyLength);
        };
        T::set_key(&mut self.cipher, cipher)?;

        let tweak = u128::from_be_bytes(*tweak);
        let mut power = tweak;
        for multiples in &mut self.multiples {
            let twice = double(power);
            *multiples = [0, power, twice, twice ^ power].map(u128::to_ne_bytes);
            power = (0..16).fold(power, |power, _| double(power));
        }
        let mut change = 0;
        for to in &mut self.changes {
            change = double(change) ^ tweak;
            *to = change.to_ne_bytes();
        }
        Ok(())
    }

    /// Returns the tweaks of the blocks from the one with number `index` on.
    pub fn tweaks(&self, index: &Block) -> Tweaks<'_> {
        let index = u128::from_be_bytes(*index);
        Tweaks {
            multiples: &self.multiples,
            changes: &self.changes,
            index,
            product: product(&self.multiples, index),
        }
    }
}

/// Multiplies by the number of a block, which is no secret: two bits of each sixteen at a time, the
/// highest first.
fn product(multiples: &[[Block; 4]; 8], index: u128) -> u128 {
    let mut product = 0;
    let mut turned = index.rotate_right(14);
    for _ in 0..8 {
        product = double(double(product));
        let mut digits = turned;
        for multiples in multiples {
            product ^= u128::from_ne_bytes(multiples[(digits & 3) as usize]);
            digits >>= 16;
        }
        turned = turned.rotate_left(2);
    }
    product
}

/// The tweaks of blocks in order.
#[derive(Clone)]
pub struct Tweaks<'a> {
    multiples: &'a [[Block; 4]; 8],
    changes: &'a [Block; 8],
    index: u128,
    product: u128,
}

impl Tweaks<'_> {
    /// Returns the number of the next block.
    pub fn index(&self) -> Block {
        self.index.to_be_bytes()
    }

    fn next(&mut self) -> u128 {
        let tweak = self.product;
        // What changes from one number to the next are the lowest zero and the ones below it.
        let change = self.changes.get(self.index.trailing_ones() as usize);
        self.index = self.index.wrapping_add(1);
        self.product = match change {
            Some(change) => tweak ^ u128::from_ne_bytes(*change),
            None => product(self.multiples, self.index),
        };
        tweak
    }

    /// XORs the tweaks to the whole blocks of `data`. Returns what is left.
    pub fn add<'a>(&mut self, data: InOut<'a>) -> InOut<'a> {
        data.map_blocks(|block: &Block| (u128::from_be_bytes(*block) ^ self.next()).to_be_bytes())
    }
}

/// Multiplies by x modulo x^128 + x^7 + x^2 + x + 1.
fn double(x: u128) -> u128 {
    (x << 1) ^ (0x87 & (x >> 127).wrapping_neg())
}
