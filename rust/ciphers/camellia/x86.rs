// SPDX-License-Identifier: GPL-2.0

//! Camellia on x86-64: the way into `asm/x86/camellia.S`.

use core::mem::{offset_of, size_of, MaybeUninit};

use super::super::inout::InOut;
use super::super::simd::{self, Simd};
use super::super::tier::{
    Block, BlockCipher, Cbc, Ctr, Ecb, InvalidKeyLength, Tier, Xts, BLOCK_SIZE,
};
use super::super::together::{self, Together};
use super::{Camellia, Group, Key, Schedule, TABLES};

#[cfg(CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX512VL)]
pub mod avx512;
#[cfg(any(
    CONFIG_RFL_CRYPTO_CAMELLIA_AESNI_AVX,
    CONFIG_RFL_CRYPTO_CAMELLIA_GFNI_AVX2
))]
pub mod vex;

// asm/x86/camellia.h has the same numbers.
const _: () = assert!(offset_of!(Schedule, extra_groups) == 0);
const _: () = assert!(offset_of!(Schedule, first) == 8);
const _: () = assert!(offset_of!(Schedule, groups) == 16);
const _: () = assert!(size_of::<Group>() == 64);
const _: () = assert!(offset_of!(Group, behind) == 48);
const _: () = assert!(Schedule::MIN_GROUPS == 3);
const _: () = assert!(size_of::<[u64; 256]>() == 2048);

extern "C" {
    /// Encrypts or decrypts a block at `src` to `dst`.
    ///
    /// # Safety
    ///
    /// `keys` and `src` must be valid for reads, `dst` for writes. `tables` must be [`TABLES`].
    fn rfl_camellia_crypt_1(
        keys: *const Schedule,
        dst: *mut Block,
        src: *const Block,
        tables: *const [[u64; 256]; 8],
    );

    /// Encrypts or decrypts two blocks at `src` to `dst`, each by itself.
    ///
    /// # Safety
    ///
    /// As for [`rfl_camellia_crypt_1`].
    fn rfl_camellia_crypt_2(
        keys: *const Schedule,
        dst: *mut [Block; 2],
        src: *const [Block; 2],
        tables: *const [[u64; 256]; 8],
    );

    /// Encrypts or decrypts three blocks at `src` to `dst`, each by itself.
    ///
    /// # Safety
    ///
    /// As for [`rfl_camellia_crypt_1`].
    fn rfl_camellia_crypt_3(
        keys: *const Schedule,
        dst: *mut [Block; 3],
        src: *const [Block; 3],
        tables: *const [[u64; 256]; 8],
    );
}

/// Camellia in general purpose registers, one to three blocks at a time.
#[derive(Clone, Copy, Debug)]
pub enum Asm {}

/// Defines a function that calls a routine.
macro_rules! crypt {
    ($name:ident, $blocks:ty, $routine:ident) => {
        #[inline]
        fn $name(keys: &Schedule, blocks: &$blocks) -> $blocks {
            let mut result = MaybeUninit::uninit();
            // SAFETY: These are references, and memory for the result.
            unsafe { $routine(keys, result.as_mut_ptr(), blocks, &TABLES) };
            // SAFETY: The routine has written all of it.
            unsafe { result.assume_init() }
        }
    };
}

crypt!(crypt_1, Block, rfl_camellia_crypt_1);
crypt!(crypt_2, [Block; 2], rfl_camellia_crypt_2);
crypt!(crypt_3, [Block; 3], rfl_camellia_crypt_3);

impl BlockCipher for Asm {
    type Key = Key;

    const KEY_SIZES: (usize, usize) = Camellia::KEY_SIZES;

    fn set_key(key: &mut Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        Camellia::set_key(key, bytes)
    }

    fn encrypt_block(key: &Key, block: &Block) -> Block {
        crypt_1(&key.encrypt, block)
    }

    fn decrypt_block(key: &Key, block: &Block) -> Block {
        crypt_1(&key.decrypt, block)
    }
}

impl Together<2> for Asm {
    fn encrypt_blocks(key: &Key, blocks: &[Block; 2]) -> [Block; 2] {
        crypt_2(&key.encrypt, blocks)
    }

    fn decrypt_blocks(key: &Key, blocks: &[Block; 2]) -> [Block; 2] {
        crypt_2(&key.decrypt, blocks)
    }
}

impl Together<3> for Asm {
    fn encrypt_blocks(key: &Key, blocks: &[Block; 3]) -> [Block; 3] {
        crypt_3(&key.encrypt, blocks)
    }

    fn decrypt_blocks(key: &Key, blocks: &[Block; 3]) -> [Block; 3] {
        crypt_3(&key.decrypt, blocks)
    }
}

impl Tier for Asm {
    type Cipher = Self;
    type Features = simd::Scalar;
    type Scratch = ();
    type Key = Key;

    const MIN: usize = BLOCK_SIZE;

    fn set_key(key: &mut Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        Camellia::set_key(key, bytes)
    }

    fn scalar_key(key: &Key) -> &Key {
        key
    }
}

impl Ecb for Asm {
    fn ecb_encrypt<'a>(
        _simd: Simd<'_, Self::Features>,
        key: &Key,
        _scratch: &mut MaybeUninit<()>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        together::ecb_encrypt::<Self>(key, data)
    }

    fn ecb_decrypt<'a>(
        _simd: Simd<'_, Self::Features>,
        key: &Key,
        _scratch: &mut MaybeUninit<()>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        together::ecb_decrypt::<Self>(key, data)
    }
}

impl Cbc for Asm {
    fn cbc_decrypt<'a>(
        _simd: Simd<'_, Self::Features>,
        key: &Key,
        _scratch: &mut MaybeUninit<()>,
        iv: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        together::cbc_decrypt::<Self>(key, iv, data)
    }
}

impl Ctr for Asm {
    fn ctr(
        _simd: Simd<'_, Self::Features>,
        key: &Key,
        _scratch: &mut MaybeUninit<()>,
        counter: &mut Block,
        data: InOut<'_>,
    ) {
        together::ctr::<Self>(key, counter, data);
    }
}

impl Xts for Asm {
    fn xts_encrypt<'a>(
        _simd: Simd<'_, Self::Features>,
        key: &Key,
        _scratch: &mut MaybeUninit<()>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        together::xts_encrypt::<Self>(key, tweak, data)
    }

    fn xts_decrypt<'a>(
        _simd: Simd<'_, Self::Features>,
        key: &Key,
        _scratch: &mut MaybeUninit<()>,
        tweak: &mut Block,
        data: InOut<'a>,
    ) -> InOut<'a> {
        together::xts_decrypt::<Self>(key, tweak, data)
    }
}
