// SPDX-License-Identifier: GPL-2.0

//! RustCrypto's ciphers as peers.

use ctr::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, InnerIvInit, StreamCipher,
};
use rfl_ciphers::tier::Block;

use super::modes::Peer;

/// A block cipher of RustCrypto, with its key.
pub struct RustCrypto<C>(pub C);

impl<C> Peer for RustCrypto<C>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + Clone,
    C: BlockSizeUser<BlockSize = ctr::cipher::consts::U16>,
{
    fn encrypt(&self, block: &mut Block) {
        self.0.encrypt_block(block.into());
    }

    fn decrypt(&self, block: &mut Block) {
        self.0.decrypt_block(block.into());
    }

    fn ctr(&self, counter: &Block, data: &mut [u8]) {
        let core = ctr::CtrCore::inner_iv_init(self.0.clone(), counter.into());
        ctr::Ctr128BE::from_core(core).apply_keystream(data);
    }
}
