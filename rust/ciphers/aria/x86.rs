// SPDX-License-Identifier: GPL-2.0

//! ARIA on x86-64: key schedules of the vector code, and the ways into it.

use core::{
    marker::PhantomData,
    mem::{offset_of, size_of},
};

use super::super::routines::Schedules;
use super::super::tier::{BlockCipher, Context, InvalidKeyLength};
use super::{diffuse, lookup, Aria, Key, Schedule, State, SBOXES};

#[cfg(CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX512VL)]
pub mod avx512;
#[cfg(any(CONFIG_RFL_CRYPTO_ARIA_AESNI_AVX, CONFIG_RFL_CRYPTO_ARIA_GFNI_AVX))]
pub mod vex;

/// The round keys for one direction but for the first, each in a [`Form`] of 16 bytes, and each of
/// these four times over.
type Sliced = [[u32; 16]; Schedule::MAX_ROUNDS];

// asm/x86/aria.h has the same numbers.
const _: () = assert!(offset_of!(Schedule, extra_pairs) == 0);
const _: () = assert!(offset_of!(Schedule, sliced) == 4);
const _: () = assert!(offset_of!(Schedule, round_keys) == 16);
const _: () = assert!(size_of::<[u32; 16]>() == 64);
// The pairs of rounds before the last pair.
const _: () = assert!(Schedule::MIN_ROUNDS / 2 - 1 == 5);

// A tfm has a key for the data, and perhaps a scalar one for tweaks.
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

/// The key schedule of the vector code whose round keys have the form `F`.
#[repr(C)]
pub struct SlicedKey<F> {
    scalar: Key,
    encrypt: Sliced,
    decrypt: Sliced,
    _form: PhantomData<F>,
}

// SAFETY: As for `Key`: integers, and zeroes are a schedule of 12 rounds. The sliced form of that
// is then looked for within the structure too.
unsafe impl<F: Form> Context for SlicedKey<F> {}

impl<F: Form> SlicedKey<F> {
    /// How far behind the schedules their sliced form is.
    const SLICED_ENCRYPT: usize = offset_of!(Self, encrypt) - Self::ENCRYPT;
    const SLICED_DECRYPT: usize = offset_of!(Self, decrypt) - Self::DECRYPT;
}

// SAFETY: The schedules are there, and lead to their sliced form in the same value.
unsafe impl<F: Form> Schedules for SlicedKey<F> {
    type Cipher = Aria;
    type Schedule = Schedule;

    const ENCRYPT: usize = offset_of!(Self, scalar.encrypt);
    const DECRYPT: usize = offset_of!(Self, scalar.decrypt);

    fn set(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        Aria::set_key(&mut self.scalar, bytes)?;
        let Key { encrypt, decrypt } = &mut self.scalar;
        encrypt.sliced = Self::SLICED_ENCRYPT as u32;
        decrypt.sliced = Self::SLICED_DECRYPT as u32;
        slice::<F>(encrypt, &mut self.encrypt);
        slice::<F>(decrypt, &mut self.decrypt);
        Ok(())
    }

    fn scalar(&self) -> &Key {
        &self.scalar
    }
}

/// Fills in the sliced form of a schedule.
fn slice<F: Form>(schedule: &Schedule, sliced: &mut Sliced) {
    let rounds = schedule.rounds();
    let round_keys = schedule.round_keys.iter().skip(1);
    for ((round, key), sliced) in (1..=rounds).zip(round_keys).zip(sliced) {
        let layer = F::layer(*key, round, rounds);
        for (dwords, word) in sliced.chunks_exact_mut(4).zip(layer) {
            for (dword, byte) in dwords.iter_mut().zip(word.to_le_bytes()) {
                *dword = u32::from(byte) * 0x0101_0101;
            }
        }
    }
}
