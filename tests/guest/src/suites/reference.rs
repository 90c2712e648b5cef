// SPDX-License-Identifier: GPL-2.0

//! What the kernel's answers are compared with: the RustCrypto crates.

use aes_gcm::aead::AeadInOut;
use aes_gcm::AesGcm;
use cipher::array::Array;
use cipher::consts::{U12, U16};
use cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, InnerIvInit, KeyInit, StreamCipher,
};
use ctr::{Ctr128BE, CtrCore};

use super::skcipher::Mode;
use crate::afalg::Direction;

/// A block cipher with a key set, in the modes under test.
pub trait Reference: Sync {
    /// Transforms `data` in place. `iv` is read by modes that have one.
    fn apply(&self, mode: Mode, direction: Direction, iv: &[u8; 16], data: &mut [u8]);
}

/// Sets the key of a mode for a cipher with 16-byte blocks, keys of 16, 24 and 32 bytes, and a type
/// per key size.
pub fn cipher128<K128, K192, K256>(mode: Mode, key: &[u8]) -> Box<dyn Reference>
where
    K128: Block128 + KeyInit + 'static,
    K192: Block128 + KeyInit + 'static,
    K256: Block128 + KeyInit + 'static,
{
    let (key, tweak) = match mode {
        Mode::Xts => key.split_at(key.len() / 2),
        _ => (key, key),
    };
    match key.len() {
        16 => Keyed::<K128>::boxed(key, tweak),
        24 => Keyed::<K192>::boxed(key, tweak),
        32 => Keyed::<K256>::boxed(key, tweak),
        len => panic!("the suite asked for a key of {len} bytes"),
    }
}

/// A block cipher with blocks of 16 bytes.
pub trait Block128:
    BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + Sync
{
}

impl<C> Block128 for C where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + Sync
{
}

struct Keyed<C> {
    cipher: C,
    /// Makes tweaks of XTS.
    tweak: C,
}

impl<C: Block128 + KeyInit + 'static> Keyed<C> {
    fn boxed(key: &[u8], tweak: &[u8]) -> Box<dyn Reference> {
        let cipher = |key| C::new_from_slice(key).expect("the length was looked at");
        Box::new(Self {
            cipher: cipher(key),
            tweak: cipher(tweak),
        })
    }
}

impl<C: Block128> Keyed<C> {
    fn block(&self, direction: Direction, block: &mut [u8; 16]) {
        let block = block.into();
        match direction {
            Direction::Encrypt => self.cipher.encrypt_block(block),
            Direction::Decrypt => self.cipher.decrypt_block(block),
        }
    }

    /// SP 800-38A, section 6.2.
    fn cbc(&self, direction: Direction, iv: &[u8; 16], data: &mut [u8]) {
        let mut chain = *iv;
        for block in blocks(data) {
            match direction {
                Direction::Encrypt => {
                    add(block, &chain);
                    self.block(direction, block);
                    chain = *block;
                }
                Direction::Decrypt => {
                    let cipher = *block;
                    self.block(direction, block);
                    add(block, &chain);
                    chain = cipher;
                }
            }
        }
    }

    /// IEEE 1619, sections 5.3 and 5.4.
    fn xts(&self, direction: Direction, iv: &[u8; 16], data: &mut [u8]) {
        let mut tweak = *iv;
        self.tweak.encrypt_block((&mut tweak).into());
        let one = |tweak: &[u8; 16], block: &mut [u8; 16]| {
            add(block, tweak);
            self.block(direction, block);
            add(block, tweak);
        };

        let partial = data.len() % 16;
        let (head, tail) = match partial {
            0 => data.split_at_mut(data.len()),
            _ => data.split_at_mut(data.len() - partial - 16),
        };
        for block in blocks(head) {
            one(&tweak, block);
            tweak = double(tweak);
        }
        if let Some((last, partial)) = tail.split_first_chunk_mut() {
            let mut tweaks = [tweak, double(tweak)];
            if direction == Direction::Decrypt {
                tweaks.reverse();
            }
            one(&tweaks[0], last);
            last[..partial.len()].swap_with_slice(partial);
            one(&tweaks[1], last);
        }
    }
}

fn add(block: &mut [u8; 16], other: &[u8; 16]) {
    for (byte, other) in block.iter_mut().zip(other) {
        *byte ^= other;
    }
}

/// Multiplies a tweak by x (IEEE 1619, section 5.2).
fn double(tweak: [u8; 16]) -> [u8; 16] {
    let number = u128::from_le_bytes(tweak);
    let reduce = if number >> 127 == 1 { 0x87 } else { 0 };
    ((number << 1) ^ reduce).to_le_bytes()
}

impl<C: Block128> Reference for Keyed<C> {
    fn apply(&self, mode: Mode, direction: Direction, iv: &[u8; 16], data: &mut [u8]) {
        match mode {
            Mode::Ecb => {
                for block in blocks(data) {
                    self.block(direction, block);
                }
            }
            Mode::Cbc => self.cbc(direction, iv, data),
            Mode::Ctr => {
                let core = CtrCore::inner_iv_init(&self.cipher, &Array::from(*iv));
                Ctr128BE::from_core(core).apply_keystream(data);
            }
            Mode::Xts => self.xts(direction, iv, data),
        }
    }
}

fn blocks(data: &mut [u8]) -> impl Iterator<Item = &mut [u8; 16]> {
    assert_eq!(data.len() % 16, 0, "a partial block");
    data.chunks_exact_mut(16)
        .map(|block| block.try_into().expect("16 bytes"))
}

/// GCM (SP 800-38D) with a key set.
pub trait Seal {
    /// Encrypts `text` in place, and returns the tag.
    fn seal(&self, iv: &[u8; 12], assoc: &[u8], text: &mut [u8]) -> [u8; 16];
}

/// Sets a key of 16, 24 or 32 bytes in GCM, for ciphers as in [`cipher128`].
pub fn gcm128<K128, K192, K256>(key: &[u8]) -> Box<dyn Seal>
where
    K128: Block128 + KeyInit + 'static,
    K192: Block128 + KeyInit + 'static,
    K256: Block128 + KeyInit + 'static,
{
    fn boxed<C: Block128 + KeyInit + 'static>(key: &[u8]) -> Box<dyn Seal> {
        Box::new(AesGcm::<C, U12>::new_from_slice(key).expect("the length was looked at"))
    }
    match key.len() {
        16 => boxed::<K128>(key),
        24 => boxed::<K192>(key),
        32 => boxed::<K256>(key),
        len => panic!("the suite asked for a key of {len} bytes"),
    }
}

impl<C: Block128> Seal for AesGcm<C, U12> {
    fn seal(&self, iv: &[u8; 12], assoc: &[u8], text: &mut [u8]) -> [u8; 16] {
        let tag = self.encrypt_inout_detached(&Array::from(*iv), assoc, text.into());
        tag.expect("the text is not too long").into()
    }
}
