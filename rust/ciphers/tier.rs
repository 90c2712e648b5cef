// SPDX-License-Identifier: GPL-2.0

//! Block ciphers, their vector tiers, and the modes of operation over them.
//!
//! A [`BlockCipher`] is scalar code, which runs anywhere; [`scalar`] has the modes over it. A
//! [`Tier`] is vector code for one such cipher and one set of CPU features. A mode that it has is
//! one of the traits [`Ecb`], [`Cbc`], [`Ctr`], [`Xts`], whose functions have the shape of those in
//! [`scalar`], and like those finish what they are given.

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

/// A vector implementation of a block cipher.
///
/// It neither branches on nor indexes by data or key.
pub trait Tier: 'static {
    /// The cipher.
    type Cipher: BlockCipher;

    /// What the CPU must have.
    type Features: Features;

    /// Working storage: plain bytes of the alignment that the tier wants, `()` if it wants none.
    ///
    /// Its contents are secret after a call, and are not wiped by it: whoever owns the storage
    /// wipes it, once, after the last call of a request.
    type Scratch;

    /// The key schedule as the vector code reads it, with that of the scalar code inside.
    type Key: Context;

    /// Fewest bytes for which the vector code is faster than the scalar code.
    ///
    /// The functions of the modes do less than that as well.
    const MIN: usize;

    /// Makes the key schedule of `bytes`.
    ///
    /// A key of a length that is refused leaves `key` as it was.
    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength>;

    /// Whether [`Self::set_key_on_vectors`] is another way.
    const SETS_KEY_ON_VECTORS: bool = false;

    /// Does what [`Self::set_key`] does, without its table look-ups.
    fn set_key_on_vectors(
        _simd: Simd<'_, Self::Features>,
        key: &mut Self::Key,
        bytes: &[u8],
    ) -> Result<(), InvalidKeyLength> {
        Self::set_key(key, bytes)
    }

    /// Returns the key schedule of the scalar code.
    fn scalar_key(key: &Self::Key) -> &<Self::Cipher as BlockCipher>::Key;
}

/// Each block by itself (SP 800-38A, section 6.1).
///
/// The functions do all whole blocks of `data` and return the rest.
pub trait Ecb: Tier {
    /// Encrypts.
    fn ecb_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a>;

    /// Decrypts.
    fn ecb_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a>;
}

/// Cipher block chaining (SP 800-38A, section 6.2), of which decryption is parallel.
pub trait Cbc: Tier {
    /// Decrypts all whole blocks of `data` and returns the rest.
    ///
    /// `iv` is what is added to the first block; it becomes the last block of ciphertext.
    fn cbc_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        iv: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a>;
}

/// Counter mode (SP 800-38A, section 6.5).
pub trait Ctr: Tier {
    /// XORs the encryptions of `counter`, `counter + 1`, ... to `data`, to the last byte.
    ///
    /// The counter is a 128-bit big-endian number that wraps; it is advanced by the blocks done,
    /// a final partial one included.
    fn ctr(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        counter: &mut Block,
        data: InOut<'_>,
    );
}

/// The part of XTS (IEEE 1619, SP 800-38E) that needs one key: each block between two additions of
/// its tweak, without ciphertext stealing.
///
/// `tweak` is that of the first block, already encrypted; it is advanced by the blocks done. The
/// functions do all whole blocks of `data` and return the rest.
pub trait Xts: Tier {
    /// Encrypts.
    fn xts_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a>;

    /// Decrypts.
    fn xts_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a>;
}

/// Modes in scalar code, for contexts that may not use vector registers.
///
/// The shapes are those of the vector code, see [`Ecb`], [`Cbc`], [`Ctr`], [`Xts`].
pub mod scalar {
    use core::mem::replace;

    use super::{Block, BlockCipher, InOut};

    /// Encrypts each whole block by itself. Returns what is left, less than a block.
    pub fn ecb_encrypt<'a, C: BlockCipher>(key: &C::Key, data: InOut<'a>) -> InOut<'a> {
        data.map_blocks(|block| C::encrypt_block(key, block))
    }

    /// Decrypts each whole block by itself. Returns what is left, less than a block.
    pub fn ecb_decrypt<'a, C: BlockCipher>(key: &C::Key, data: InOut<'a>) -> InOut<'a> {
        data.map_blocks(|block| C::decrypt_block(key, block))
    }

    /// Encrypts whole blocks, each added to the ciphertext before. Returns what is left.
    ///
    /// `iv` stands for the ciphertext before the first block, and becomes the last one.
    pub fn cbc_encrypt<'a, C: BlockCipher>(
        key: &C::Key,
        iv: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        data.map_blocks(|block| {
            *iv = C::encrypt_block(key, &xor(block, iv));
            *iv
        })
    }

    /// Undoes [`cbc_encrypt`].
    pub fn cbc_decrypt<'a, C: BlockCipher>(
        key: &C::Key,
        iv: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        data.map_blocks(|block| xor(&C::decrypt_block(key, block), &replace(iv, *block)))
    }

    /// XORs the encryptions of `counter`, `counter + 1`, ... to the blocks, to the last byte.
    ///
    /// The counter is a 128-bit big-endian number that wraps; it is advanced by the blocks done,
    /// a final partial one included.
    pub fn ctr<C: BlockCipher>(key: &C::Key, counter: &mut Block, data: InOut<'_>) {
        let mut next = || {
            let pad = C::encrypt_block(key, counter);
            *counter = u128::from_be_bytes(*counter).wrapping_add(1).to_be_bytes();
            pad
        };
        let rest = data.map_blocks(|block: &Block| xor(block, &next()));
        if !rest.is_empty() {
            rest.xor(&next());
        }
    }

    /// Encrypts whole blocks between two additions of their tweaks. Returns what is left.
    pub fn xts_encrypt<'a, C: BlockCipher>(
        key: &C::Key,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        xts(tweak, data, |block| C::encrypt_block(key, block))
    }

    /// Undoes [`xts_encrypt`].
    pub fn xts_decrypt<'a, C: BlockCipher>(
        key: &C::Key,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        xts(tweak, data, |block| C::decrypt_block(key, block))
    }

    fn xts<'a>(tweak: &mut Block, data: InOut<'a>, crypt: impl Fn(&Block) -> Block) -> InOut<'a> {
        data.map_blocks(|block| {
            let doubled = double(tweak);
            let tweak = replace(tweak, doubled);
            xor(&crypt(&xor(block, &tweak)), &tweak)
        })
    }

    /// Multiplies by x modulo x^128 + x^7 + x^2 + x + 1, bit 0 of byte 0 the lowest (IEEE 1619,
    /// section 5.2), without a branch.
    pub fn double(tweak: &Block) -> Block {
        let tweak = u128::from_le_bytes(*tweak);
        ((tweak << 1) ^ (0x87 & (tweak >> 127).wrapping_neg())).to_le_bytes()
    }

    pub(in super::super) fn xor(a: &Block, b: &Block) -> Block {
        (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
    }
}
