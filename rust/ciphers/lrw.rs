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
    tweak: Block,
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
        self.tweak = *tweak;
        Ok(())
    }

    /// Returns the tweaks of the blocks from the one with number `index` on.
    pub fn tweaks(&self, index: &Block) -> Tweaks {
        let (key, index) = (u128::from_be_bytes(self.tweak), u128::from_be_bytes(*index));
        let mut product = 0;
        for bit in (0..u128::BITS).rev() {
            product = double(product) ^ (key & mask(index >> bit));
        }
        Tweaks {
            key,
            index,
            product,
        }
    }
}

/// The tweaks of blocks in order.
#[derive(Clone)]
pub struct Tweaks {
    key: u128,
    index: u128,
    product: u128,
}

impl Tweaks {
    /// Returns the number of the next block.
    pub fn index(&self) -> Block {
        self.index.to_be_bytes()
    }

    fn next(&mut self) -> u128 {
        let tweak = self.product;
        // What changes from one number to the next are the lowest zero and the ones below it. The
        // number is no secret.
        let mut change = self.key;
        for _ in 0..self.index.trailing_ones().min(u128::BITS - 1) {
            change = double(change) ^ self.key;
        }
        self.product ^= change;
        self.index = self.index.wrapping_add(1);
        tweak
    }

    /// XORs the tweaks to the whole blocks of `data`. Returns what is left.
    pub fn add<'a>(&mut self, data: InOut<'a>) -> InOut<'a> {
        data.map_blocks(|block: &Block| (u128::from_be_bytes(*block) ^ self.next()).to_be_bytes())
    }
}

/// Returns all ones or none, like the lowest bit of `x`.
fn mask(x: u128) -> u128 {
    (x & 1).wrapping_neg()
}

/// Multiplies by x modulo x^128 + x^7 + x^2 + x + 1.
fn double(x: u128) -> u128 {
    (x << 1) ^ (0x87 & mask(x >> (u128::BITS - 1)))
}
