// SPDX-License-Identifier: GPL-2.0

//! Block ciphers, their vector tiers, and the modes of operation over them.
//!
//! A [`BlockCipher`] is the scalar code: it runs anywhere and finishes any length. A [`Tier`] is a
//! vector implementation of modes of one such cipher for one set of CPU features: it does whole
//! batches of blocks and hands back what is left, which the functions of [`scalar`] take.

use core::mem::MaybeUninit;

use super::inout::InOut;
use super::simd::{Features, Simd};

/// Length in bytes of a block; all ciphers here have 128-bit blocks.
pub const BLOCK_SIZE: usize = 16;

/// One block.
pub type Block = [u8; BLOCK_SIZE];

/// The key has a length that the cipher does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidKeyLength;

/// Memory that its owner makes of zero bytes, shares between CPUs, and wipes without dropping it.
///
/// # Safety
///
/// All bytes zero must be a valid value of the type.
pub unsafe trait Context: Send + Sync + 'static {}

/// A block cipher in scalar code.
pub trait BlockCipher: 'static {
    /// The key schedule.
    type Key: Context;

    /// Shortest and longest key in bytes.
    const KEY_SIZES: (usize, usize);

    /// Makes the key schedule of `bytes`.
    ///
    /// A key of a length that is refused leaves `key` as it was.
    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength>;

    /// Encrypts one block.
    fn encrypt_block(key: &Self::Key, block: &Block) -> Block;

    /// Decrypts one block.
    fn decrypt_block(key: &Self::Key, block: &Block) -> Block;
}

/// The key schedule of the cipher of a tier.
pub type KeyOf<T> = <<T as Tier>::Cipher as BlockCipher>::Key;

/// A vector implementation of modes of a block cipher.
///
/// Each function does as many whole batches as `data` holds and returns the rest, which is shorter
/// than [`Self::BATCH`]. It neither branches on nor indexes by data or key.
pub trait Tier: 'static {
    /// The cipher whose modes these are, and which does the remainders.
    type Cipher: BlockCipher;

    /// What the CPU must have.
    type Features: Features;

    /// Working storage: plain bytes of the alignment that the tier wants.
    ///
    /// Its contents are secret after a call, and are not wiped by it: whoever owns the storage
    /// wipes it, once, after the last call of a request.
    type Scratch;

    /// Length of a batch in bytes, a multiple of [`BLOCK_SIZE`].
    const BATCH: usize;

    /// Encrypts each block by itself (ECB).
    fn ecb_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &KeyOf<Self>,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a>;

    /// Decrypts each block by itself (ECB).
    fn ecb_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &KeyOf<Self>,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a>;

    /// XORs the encryptions of `counter`, `counter + 1`, ... to the blocks (CTR).
    ///
    /// The counter is a 128-bit big-endian number that wraps; it is advanced by the blocks done.
    fn ctr<'a>(
        simd: Simd<'_, Self::Features>,
        key: &KeyOf<Self>,
        scratch: &mut MaybeUninit<Self::Scratch>,
        counter: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a>;
}

/// Modes in scalar code, for remainders and for contexts that may not use vector registers.
pub mod scalar {
    use super::{Block, BlockCipher, InOut};

    /// Encrypts each whole block by itself (ECB). Returns what is left, less than a block.
    pub fn ecb_encrypt<'a, C: BlockCipher>(key: &C::Key, data: InOut<'a>) -> InOut<'a> {
        data.map_blocks(|block| C::encrypt_block(key, block))
    }

    /// Decrypts each whole block by itself (ECB). Returns what is left, less than a block.
    pub fn ecb_decrypt<'a, C: BlockCipher>(key: &C::Key, data: InOut<'a>) -> InOut<'a> {
        data.map_blocks(|block| C::decrypt_block(key, block))
    }

    /// XORs the encryptions of `counter`, `counter + 1`, ... to the blocks (CTR), to the last byte.
    ///
    /// The counter is a 128-bit big-endian number that wraps; it is advanced by the blocks done,
    /// a final partial one included.
    pub fn ctr<C: BlockCipher>(key: &C::Key, counter: &mut Block, data: InOut<'_>) {
        let mut next = || {
            let pad = C::encrypt_block(key, counter);
            *counter = u128::from_be_bytes(*counter).wrapping_add(1).to_be_bytes();
            pad
        };
        let rest = data.map_blocks(|block: &Block| {
            let block = u128::from_ne_bytes(*block) ^ u128::from_ne_bytes(next());
            block.to_ne_bytes()
        });
        if !rest.is_empty() {
            rest.xor(&next());
        }
    }
}
