// SPDX-License-Identifier: GPL-2.0

//! ARIA on x86-64: key schedules of the vector code, and the way into `asm/x86/aria.S`.

use core::{
    marker::PhantomData,
    mem::{offset_of, size_of, MaybeUninit},
};

use super::super::inout::InOut;
use super::super::simd::{self, Simd};
use super::super::tier::{
    scalar, Block, BlockCipher, Context, Ctr, Ecb, InvalidKeyLength, Tier, BLOCK_SIZE,
};
use super::{diffuse, lookup, Aria, Key, Schedule, State, SBOXES};

#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512VL)]
pub mod avx512;

/// Round keys for one direction, each byte of them in a vector of its own.
#[repr(C)]
pub struct SlicedSchedule {
    /// As in [`Schedule`].
    extra_pairs: u32,
    _reserved: [u32; 3],
    /// As in [`Schedule`].
    round_keys: [State; Schedule::MAX_ROUNDS + 1],
    /// The same once more but for the first, in a [`Form`] of 16 bytes, each four times over.
    sliced: [[u32; 16]; Schedule::MAX_ROUNDS],
}

// asm/x86/aria.h has the same numbers.
const _: () = assert!(offset_of!(SlicedSchedule, extra_pairs) == 0);
const _: () = assert!(offset_of!(SlicedSchedule, round_keys) == 16);
const _: () = assert!(offset_of!(SlicedSchedule, sliced) == 288);
const _: () = assert!(size_of::<[u32; 16]>() == 64);
// The pairs of rounds before the last pair.
const _: () = assert!(Schedule::MIN_ROUNDS / 2 - 1 == 5);

/// A tfm has a key for the data, and perhaps a scalar one for tweaks.
const _: () = assert!(size_of::<SlicedKey<Aesni>>() + size_of::<Key>() <= 4096);

/// How the vector code of a kind wants what is added in a round.
pub trait Form: Send + Sync + 'static {
    /// Returns it for `round` of `rounds`, counted from 1, and the round key added at its end.
    fn layer(round_key: State, round: usize, rounds: usize) -> State;
}

/// [`Form`] of code whose S-boxes are AES instructions, which add the key on their way.
///
/// They compute S1 and X1; S2 is S1 followed by the affine map S2(X1(y)), so what is to be added
/// behind S2 must go back through the linear part of that map, and through the diffusion before.
#[derive(Clone, Copy, Debug)]
pub enum Aesni {}

impl Form for Aesni {
    fn layer(round_key: State, round: usize, rounds: usize) -> State {
        // All but the last round end in diffusion.
        let key = if round == rounds {
            round_key
        } else {
            diffuse(round_key)
        };
        let [s1, _, _, x2] = &SBOXES;
        let back = |y| lookup(s1, lookup(x2, y)) ^ lookup(s1, lookup(x2, 0));
        key.map(|word| {
            let [a, b, c, d] = word.to_le_bytes();
            u32::from_le_bytes(if round % 2 == 1 {
                [a, back(b), c, d]
            } else {
                [a, b, c, back(d)]
            })
        })
    }
}

impl SlicedSchedule {
    fn set<F: Form>(&mut self, from: &Schedule) {
        self.extra_pairs = from.extra_pairs;
        self.round_keys = from.round_keys;

        let rounds = from.rounds();
        let round_keys = from.round_keys.iter().skip(1);
        for ((round, key), sliced) in (1..=rounds).zip(round_keys).zip(&mut self.sliced) {
            let layer = F::layer(*key, round, rounds);
            for (dwords, word) in sliced.chunks_exact_mut(4).zip(layer) {
                for (dword, byte) in dwords.iter_mut().zip(word.to_le_bytes()) {
                    *dword = u32::from(byte) * 0x0101_0101;
                }
            }
        }
    }
}

/// The key schedule of the vector code whose round keys have the form `F`.
#[repr(C)]
pub struct SlicedKey<F> {
    encrypt: SlicedSchedule,
    decrypt: SlicedSchedule,
    scalar: Key,
    _form: PhantomData<F>,
}

// SAFETY: As for `Key`: integers, and zeroes are a schedule of 12 rounds.
unsafe impl<F: Form> Context for SlicedKey<F> {}

impl<F: Form> SlicedKey<F> {
    fn set(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        Aria::set_key(&mut self.scalar, bytes)?;
        self.encrypt.set::<F>(&self.scalar.encrypt);
        self.decrypt.set::<F>(&self.scalar.decrypt);
        Ok(())
    }
}

extern "C" {
    /// Encrypts or decrypts `batches` times 32 blocks at `src` to `dst`, each by itself.
    ///
    /// # Safety
    ///
    /// - The CPU must have the features of [`simd::AesniAvx2`], and the vector registers must be
    ///   the caller's to clobber.
    /// - `keys` and `src` must be valid for reads, `dst` and `scratch` for writes. `scratch` must
    ///   be aligned to 32 bytes.
    /// - `src` and `dst` must be equal or must not overlap, and nothing else may.
    fn rfl_aria_ecb_aesni_avx2(
        keys: *const SlicedSchedule,
        dst: *mut u8,
        src: *const u8,
        batches: usize,
        scratch: *mut AesniAvx2Scratch,
    );

    /// XORs the encryptions of `counter`, `counter + 1`, ... to `batches` times 32 blocks at `src`
    /// to `dst`, and advances the counter, 128 bits big-endian.
    ///
    /// # Safety
    ///
    /// As for [`rfl_aria_ecb_aesni_avx2`], and `counter` must be valid for reads and writes and
    /// overlap nothing.
    fn rfl_aria_ctr_aesni_avx2(
        keys: *const SlicedSchedule,
        dst: *mut u8,
        src: *const u8,
        batches: usize,
        scratch: *mut AesniAvx2Scratch,
        counter: *mut Block,
    );
}

/// Working storage of [`AesniAvx2`]: one vector for each byte of the state.
#[repr(C, align(32))]
pub struct AesniAvx2Scratch([[u8; 32]; 16]);

/// ARIA in batches of 32 blocks, S-boxes by AES-NI, all else in 256-bit vectors.
#[derive(Clone, Copy, Debug)]
pub enum AesniAvx2 {}

impl AesniAvx2 {
    const BATCH: usize = 32 * BLOCK_SIZE;

    fn ecb<'a>(
        _simd: Simd<'_, simd::AesniAvx2>,
        keys: &SlicedSchedule,
        scratch: &mut MaybeUninit<AesniAvx2Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let (run, rest) = data.split_units::<{ Self::BATCH }>();
        // SAFETY: `_simd` proves the first condition, the references and the invariants of `InOut`
        // the others: `run` has as many bytes as there are in that many batches.
        unsafe {
            rfl_aria_ecb_aesni_avx2(
                keys,
                run.dst(),
                run.src(),
                run.len() / Self::BATCH,
                scratch.as_mut_ptr(),
            )
        };
        rest
    }
}

impl Tier for AesniAvx2 {
    type Cipher = Aria;
    type Features = simd::AesniAvx2;
    type Scratch = AesniAvx2Scratch;
    type Key = SlicedKey<Aesni>;

    const MIN: usize = Self::BATCH;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        key.set(bytes)
    }

    fn scalar_key(key: &Self::Key) -> &Key {
        &key.scalar
    }
}

impl Ecb for AesniAvx2 {
    fn ecb_encrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let rest = Self::ecb(simd, &key.encrypt, scratch, data);
        scalar::ecb_encrypt::<Aria>(&key.scalar, rest)
    }

    fn ecb_decrypt<'a>(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        data: InOut<'a>,
    ) -> InOut<'a> {
        let rest = Self::ecb(simd, &key.decrypt, scratch, data);
        scalar::ecb_decrypt::<Aria>(&key.scalar, rest)
    }
}

impl Ctr for AesniAvx2 {
    fn ctr(
        _simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        counter: &mut Block,
        data: InOut<'_>,
    ) {
        let (run, rest) = data.split_units::<{ Self::BATCH }>();
        // SAFETY: As in `ecb`; the counter is borrowed exclusively.
        unsafe {
            rfl_aria_ctr_aesni_avx2(
                &key.encrypt,
                run.dst(),
                run.src(),
                run.len() / Self::BATCH,
                scratch.as_mut_ptr(),
                counter,
            )
        };
        scalar::ctr::<Aria>(&key.scalar, counter, rest);
    }
}
