// SPDX-License-Identifier: GPL-2.0

//! What the kernel's answers are compared with: the RustCrypto crates.

use cipher::array::Array;
use cipher::consts::U16;
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

/// Sets a key of 16, 24 or 32 bytes for a cipher with 16-byte blocks and a type per key size.
pub fn cipher128<K128, K192, K256>(key: &[u8]) -> Box<dyn Reference>
where
    K128: Block128 + KeyInit + 'static,
    K192: Block128 + KeyInit + 'static,
    K256: Block128 + KeyInit + 'static,
{
    const EXPECT: &str = "the length was looked at";
    match key.len() {
        16 => Box::new(Keyed(K128::new_from_slice(key).expect(EXPECT))),
        24 => Box::new(Keyed(K192::new_from_slice(key).expect(EXPECT))),
        32 => Box::new(Keyed(K256::new_from_slice(key).expect(EXPECT))),
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

struct Keyed<C>(C);

impl<C: Block128> Reference for Keyed<C> {
    fn apply(&self, mode: Mode, direction: Direction, iv: &[u8; 16], data: &mut [u8]) {
        match mode {
            Mode::Ecb => {
                let (blocks, rest) = Array::slice_as_chunks_mut(data);
                assert!(rest.is_empty(), "ECB of a partial block");
                match direction {
                    Direction::Encrypt => self.0.encrypt_blocks(blocks),
                    Direction::Decrypt => self.0.decrypt_blocks(blocks),
                }
            }
            Mode::Ctr => {
                let core = CtrCore::inner_iv_init(&self.0, &Array::from(*iv));
                Ctr128BE::from_core(core).apply_keystream(data);
            }
        }
    }
}
