// SPDX-License-Identifier: GPL-2.0

//! RustCrypto's crates.

use aes_gcm::{
    aead::{inout::InOutBuf, AeadInOut},
    AesGcm,
};
use ctr::cipher::{
    array::Array, consts::U12, consts::U16, Block, BlockCipherDecrypt, BlockCipherEncrypt,
    BlockModeDecrypt, BlockSizeUser, InnerIvInit, KeyInit, StreamCipher,
};
use xts_mode::Xts128;

use crate::{
    case::{Algorithm, Case, Mode},
    implementation::{Implementation, Prepared, Refusal, Tag, IV, NONCE},
};

/// The crates.
pub struct RustCrypto;

impl Implementation for RustCrypto {
    fn name(&self) -> &str {
        "rustcrypto"
    }

    fn prepare(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
        match (case.algorithm, case.cipher_key_bits()) {
            (Algorithm::Aria, 128) => prepare::<aria::Aria128>(case.mode, key),
            (Algorithm::Aria, 256) => prepare::<aria::Aria256>(case.mode, key),
            (Algorithm::Camellia, 128) => prepare::<camellia::Camellia128>(case.mode, key),
            (Algorithm::Camellia, 256) => prepare::<camellia::Camellia256>(case.mode, key),
            (Algorithm::Aes, 128) => prepare::<aes::Aes128>(case.mode, key),
            (Algorithm::Aes, 256) => prepare::<aes::Aes256>(case.mode, key),
            _ => Err(Refusal::Unknown),
        }
    }
}

/// A cipher of theirs.
trait Theirs:
    BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static
{
}

impl<C> Theirs for C where
    C: BlockSizeUser<BlockSize = U16> + BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + 'static
{
}

fn prepare<C: Theirs>(mode: Mode, key: &[u8]) -> Result<Box<dyn Prepared>, Refusal> {
    let new = |key| C::new_from_slice(key).map_err(|error| Refusal::Failed(error.to_string()));
    Ok(match mode {
        Mode::EcbEncrypt => Box::new(EcbEncrypt(new(key)?)),
        Mode::EcbDecrypt => Box::new(EcbDecrypt(new(key)?)),
        Mode::CbcDecrypt => Box::new(CbcDecrypt(new(key)?)),
        Mode::Ctr => Box::new(Ctr(new(key)?)),
        Mode::GcmEncrypt => Box::new(Gcm(AesGcm::from(new(key)?))),
        Mode::XtsEncrypt | Mode::XtsDecrypt => {
            let (data, tweak) = key.split_at(key.len() / 2);
            let xts = Xts128::new(new(data)?, new(tweak)?);
            match mode {
                Mode::XtsEncrypt => Box::new(XtsEncrypt(xts)) as Box<dyn Prepared>,
                _ => Box::new(XtsDecrypt(xts)),
            }
        }
        _ => return Err(Refusal::Unknown),
    })
}

/// Whole blocks of a buffer.
fn blocks<C: Theirs>(bytes: &[u8]) -> &[Block<C>] {
    Array::slice_as_chunks(bytes).0
}

/// Whole blocks of a buffer.
fn blocks_mut<C: Theirs>(bytes: &mut [u8]) -> &mut [Block<C>] {
    Array::slice_as_chunks_mut(bytes).0
}

const ONE_LENGTH: &str = "buffers of one length";

struct EcbEncrypt<C>(C);

impl<C: Theirs> Prepared for EcbEncrypt<C> {
    fn process(&mut self, src: &[u8], dst: &mut [u8], _: &mut Tag) {
        self.0
            .encrypt_blocks_b2b(blocks::<C>(src), blocks_mut::<C>(dst))
            .expect(ONE_LENGTH);
    }
}

struct EcbDecrypt<C>(C);

impl<C: Theirs> Prepared for EcbDecrypt<C> {
    fn process(&mut self, src: &[u8], dst: &mut [u8], _: &mut Tag) {
        self.0
            .decrypt_blocks_b2b(blocks::<C>(src), blocks_mut::<C>(dst))
            .expect(ONE_LENGTH);
    }
}

struct CbcDecrypt<C>(C);

impl<C: Theirs> Prepared for CbcDecrypt<C> {
    fn process(&mut self, src: &[u8], dst: &mut [u8], _: &mut Tag) {
        let mut cbc = cbc::Decryptor::inner_iv_init(&self.0, (&IV).into());
        cbc.decrypt_blocks_b2b(blocks::<C>(src), blocks_mut::<C>(dst))
            .expect(ONE_LENGTH);
    }
}

struct Ctr<C>(C);

impl<C: Theirs> Prepared for Ctr<C> {
    fn process(&mut self, src: &[u8], dst: &mut [u8], _: &mut Tag) {
        let core = ctr::CtrCore::inner_iv_init(&self.0, (&IV).into());
        ctr::Ctr128BE::from_core(core).apply_keystream_b2b(src, dst);
    }
}

struct Gcm<C>(AesGcm<C, U12>);

impl<C: Theirs> Prepared for Gcm<C> {
    fn process(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag) {
        let buffer = InOutBuf::new(src, dst).expect(ONE_LENGTH);
        let found = self.0.encrypt_inout_detached((&NONCE).into(), &[], buffer);
        *tag = found.expect("a message of legal length").into();
    }
}

/// It works in place only, so that copying the message is part of it.
struct XtsEncrypt<C>(Xts128<C>);

impl<C: Theirs> Prepared for XtsEncrypt<C> {
    fn process(&mut self, src: &[u8], dst: &mut [u8], _: &mut Tag) {
        dst.copy_from_slice(src);
        self.0.encrypt_sector(dst, IV.into());
    }
}

/// As [`XtsEncrypt`].
struct XtsDecrypt<C>(Xts128<C>);

impl<C: Theirs> Prepared for XtsDecrypt<C> {
    fn process(&mut self, src: &[u8], dst: &mut [u8], _: &mut Tag) {
        dst.copy_from_slice(src);
        self.0.decrypt_sector(dst, IV.into());
    }
}
