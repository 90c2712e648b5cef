// SPDX-License-Identifier: GPL-2.0

//! Modes of operation over scalar code that does a few blocks in less time than one by one.
//!
//! The functions are those of [`scalar`], which has the modes over one block at a time. Of them CBC
//! encryption is not here: each block of it waits for the one before.

use core::mem::replace;

use super::inout::InOut;
use super::tier::{scalar, Block, BlockCipher};

/// A block cipher whose scalar code does `N` blocks together.
pub trait Together<const N: usize>: BlockCipher {
    /// Encrypts the blocks, each by itself.
    fn encrypt_blocks(key: &Self::Key, blocks: &[Block; N]) -> [Block; N];

    /// Decrypts the blocks, each by itself.
    fn decrypt_blocks(key: &Self::Key, blocks: &[Block; N]) -> [Block; N];
}

/// Up to three blocks together.
pub trait UpToThree: Together<2> + Together<3> {}

impl<C: Together<2> + Together<3>> UpToThree for C {}

/// Encrypts each whole block by itself. Returns what is left, less than a block.
pub fn ecb_encrypt<'a, C: UpToThree>(key: &C::Key, data: InOut<'a>) -> InOut<'a> {
    let rest = data.map_groups(|blocks| <C as Together<3>>::encrypt_blocks(key, blocks));
    let rest = rest.map_groups(|blocks| <C as Together<2>>::encrypt_blocks(key, blocks));
    scalar::ecb_encrypt::<C>(key, rest)
}

/// Decrypts each whole block by itself. Returns what is left, less than a block.
pub fn ecb_decrypt<'a, C: UpToThree>(key: &C::Key, data: InOut<'a>) -> InOut<'a> {
    let rest = data.map_groups(|blocks| <C as Together<3>>::decrypt_blocks(key, blocks));
    let rest = rest.map_groups(|blocks| <C as Together<2>>::decrypt_blocks(key, blocks));
    scalar::ecb_decrypt::<C>(key, rest)
}

/// Undoes [`scalar::cbc_encrypt`].
pub fn cbc_decrypt<'a, C: UpToThree>(key: &C::Key, iv: &mut Block, data: InOut<'a>) -> InOut<'a> {
    let rest = cbc_decrypt_by::<3, C>(key, iv, data);
    let rest = cbc_decrypt_by::<2, C>(key, iv, rest);
    scalar::cbc_decrypt::<C>(key, iv, rest)
}

fn cbc_decrypt_by<'a, const N: usize, C: Together<N>>(
    key: &C::Key,
    iv: &mut Block,
    data: InOut<'a>,
) -> InOut<'a> {
    data.map_groups(|blocks| {
        // Each block's predecessor: they all move up one, the IV first, the last is the next IV.
        let before = blocks.map(|block| replace(iv, block));
        xor(&C::decrypt_blocks(key, blocks), &before)
    })
}

/// As [`scalar::ctr`].
pub fn ctr<C: UpToThree>(key: &C::Key, counter: &mut Block, data: InOut<'_>) {
    let rest = ctr_by::<3, C>(key, counter, data);
    let rest = ctr_by::<2, C>(key, counter, rest);
    scalar::ctr::<C>(key, counter, rest);
}

fn ctr_by<'a, const N: usize, C: Together<N>>(
    key: &C::Key,
    counter: &mut Block,
    data: InOut<'a>,
) -> InOut<'a> {
    let mut next = u128::from_be_bytes(*counter);
    let rest = data.map_groups(|blocks| {
        let counters = blocks.map(|_| {
            let after = next.wrapping_add(1);
            replace(&mut next, after).to_be_bytes()
        });
        xor(blocks, &C::encrypt_blocks(key, &counters))
    });
    *counter = next.to_be_bytes();
    rest
}

/// Encrypts whole blocks between two additions of their tweaks. Returns what is left.
pub fn xts_encrypt<'a, C: UpToThree>(
    key: &C::Key,
    tweak: &mut Block,
    data: InOut<'a>,
) -> InOut<'a> {
    let rest = xts_by(tweak, data, |blocks| {
        <C as Together<3>>::encrypt_blocks(key, blocks)
    });
    let rest = xts_by(tweak, rest, |blocks| {
        <C as Together<2>>::encrypt_blocks(key, blocks)
    });
    scalar::xts_encrypt::<C>(key, tweak, rest)
}

/// Undoes [`xts_encrypt`].
pub fn xts_decrypt<'a, C: UpToThree>(
    key: &C::Key,
    tweak: &mut Block,
    data: InOut<'a>,
) -> InOut<'a> {
    let rest = xts_by(tweak, data, |blocks| {
        <C as Together<3>>::decrypt_blocks(key, blocks)
    });
    let rest = xts_by(tweak, rest, |blocks| {
        <C as Together<2>>::decrypt_blocks(key, blocks)
    });
    scalar::xts_decrypt::<C>(key, tweak, rest)
}

fn xts_by<'a, const N: usize>(
    tweak: &mut Block,
    data: InOut<'a>,
    crypt: impl Fn(&[Block; N]) -> [Block; N],
) -> InOut<'a> {
    data.map_groups(|blocks| {
        let tweaks = blocks.map(|_| {
            let doubled = scalar::double(tweak);
            replace(tweak, doubled)
        });
        xor(&crypt(&xor(blocks, &tweaks)), &tweaks)
    })
}

fn xor<const N: usize>(a: &[Block; N], b: &[Block; N]) -> [Block; N] {
    let mut b = b.iter();
    a.map(|block| b.next().map_or(block, |other| scalar::xor(&block, other)))
}
