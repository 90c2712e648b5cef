// SPDX-License-Identifier: GPL-2.0

//! What XTS (IEEE 1619, SP 800-38E) has beside whole blocks: a second key, and ciphertext stealing.

use core::mem::swap;

use super::tier::{
    scalar::double, Block, BlockCipher, Context, InvalidKeyLength, Tier, BLOCK_SIZE,
};

/// Length in bytes of the longest [tail](tail_len).
pub const MAX_TAIL: usize = 2 * BLOCK_SIZE - 1;

/// The two keys: that of a tier for the data, that of its scalar code for the tweak.
#[repr(C)]
pub struct Key<T: Tier> {
    /// That of the data.
    pub data: T::Key,
    tweak: <T::Cipher as BlockCipher>::Key,
}

// SAFETY: All zero bytes are a value of either key.
unsafe impl<T: Tier> Context for Key<T> {}

impl<T: Tier> Key<T> {
    /// Makes the schedules of `bytes`: the key of the data, and as long a one of the tweak.
    ///
    /// # Errors
    ///
    /// The key is refused and left as it was if the length is not twice that of a key of the cipher.
    pub fn set(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        let half = bytes.len() / 2;
        match bytes.split_at_checked(half) {
            Some((data, tweak)) if data.len() == tweak.len() => {
                // Both are as long, so both are refused or none.
                T::set_key(&mut self.data, data)?;
                T::Cipher::set_key(&mut self.tweak, tweak)
            }
            _ => Err(InvalidKeyLength),
        }
    }

    /// Returns the tweak of the first block of the message with this IV.
    pub fn tweak(&self, iv: &Block) -> Block {
        T::Cipher::encrypt_block(&self.tweak, iv)
    }
}

/// Returns how many bytes at the end of `len` are for [`crypt_tail`]: the last whole block and what
/// is behind it, or none if `len` is a multiple of the block size.
///
/// A message has at least one block.
pub const fn tail_len(len: usize) -> usize {
    match len % BLOCK_SIZE {
        0 => 0,
        partial => BLOCK_SIZE + partial,
    }
}

/// What is done with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It is encrypted.
    Encrypt,
    /// It is decrypted.
    Decrypt,
}

/// Does the [tail](tail_len) of a message, a block and a part of one (IEEE 1619, sections 5.3.2 and
/// 5.4.2).
///
/// `tweak` is that of the first of the two blocks; decryption uses it last. `crypt` does a block
/// with a tweak.
pub fn crypt_tail(
    direction: Direction,
    tweak: &Block,
    tail: &mut [u8],
    mut crypt: impl FnMut(Block, &mut Block),
) {
    let (first, second) = match direction {
        Direction::Encrypt => (*tweak, double(tweak)),
        Direction::Decrypt => (double(tweak), *tweak),
    };
    if let Some((block, partial)) = tail.split_first_chunk_mut() {
        crypt(first, block);
        steal(block, partial);
        crypt(second, block);
    }
}

/// Swaps the partial block for the beginning of the whole one.
fn steal(block: &mut Block, partial: &mut [u8]) {
    for (a, b) in block.iter_mut().zip(partial) {
        swap(a, b);
    }
}
