// SPDX-License-Identifier: GPL-2.0

//! Key schedules for vector code whose vectors each hold one byte of the state of many blocks.
//!
//! The S-boxes are inversions in GF(2^8) between affine maps. Instructions invert in the field of AES;
//! that of Camellia is isomorphic to it. The code keeps every byte of the state as what its inversion
//! is to be given, but for a constant that goes into the round keys: the _basis_ of the state. Maps
//! between two inversions are linear, so sums stay sums, and in front of the inversion nothing is left
//! to do, except for S4, which turns its input first.

use core::mem::{offset_of, size_of};

use super::super::gf256;
use super::super::routines::Schedules;
use super::super::tier::{Context, InvalidKeyLength};
use super::x86::Asm;
use super::{bit_matrix_mul, element, Form, Key, Schedule, Subkeys, F_MATRIX, SBOX_OF};

/// A root of x^8 + x^6 + x^5 + x^3 + 1 in the field of AES: what x of Camellia's field is there.
const ROOT: u8 = {
    let mut x = 2;
    while gf256::pow(x, 8) ^ gf256::pow(x, 6) ^ gf256::pow(x, 5) ^ gf256::pow(x, 3) != 1 {
        x += 1;
    }
    x
};

/// What each bit of a byte, lowest first, is in the basis of the state.
const BASIS: [u8; 8] = {
    let mut basis = [0; 8];
    let mut bit = 0;
    while bit < 8 {
        let element = element(bit_matrix_mul(F_MATRIX, 1 << bit));
        let mut power = 0;
        while power < 8 {
            basis[bit] ^= ((element >> power) & 1) * gf256::pow(ROOT, power);
            power += 1;
        }
        bit += 1;
    }
    basis
};

/// Takes eight bytes to the basis of the state.
const fn to_basis(bytes: u64) -> u64 {
    let mut sum = 0;
    let mut bit = 0;
    while bit < 8 {
        sum ^= ((bytes >> bit) & 0x0101_0101_0101_0101) * BASIS[bit] as u64;
        bit += 1;
    }
    sum
}

/// Each byte in the basis of the state.
pub static IN_BASIS: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut x = 0;
    while x < 256 {
        bytes[x] = to_basis(x as u64) as u8;
        x += 1;
    }
    bytes
};

/// What S1 adds to its input, before linear maps and an inversion.
pub const S1_OFFSET: u8 = 0xc5;

/// The constant that goes into the round keys: what S1 to S4 add to their inputs.
const OFFSET: u64 = {
    let mut offset = 0;
    let mut i = 0;
    while i < 8 {
        let byte = match SBOX_OF[i] {
            3 => S1_OFFSET.rotate_right(1),
            _ => S1_OFFSET,
        };
        offset = offset << 8 | byte as u64;
        i += 1;
    }
    offset
};

/// Returns the matrix for `gf2p8affineqb` of a linear map: the images of the bits, lowest first.
///
/// Its highest byte is the row of the lowest bit of the product.
pub const fn matrix(images: [u8; 8]) -> u64 {
    let mut matrix = 0;
    let mut row = 0;
    while row < 8 {
        let mut bit = 0;
        while bit < 8 {
            matrix |= ((images[bit] as u64 >> row) & 1) << (8 * (7 - row) + bit);
            bit += 1;
        }
        row += 1;
    }
    matrix
}

/// A part of FL on a byte: what bit `b` of the byte, where bit `b` of the key lets it through, becomes.
const fn fl_matrices(shift_left: u32, shift_right: u32) -> [u64; 8] {
    let mut matrices = [0; 8];
    let mut through = 0;
    while through < 8 {
        let mut images = [0; 8];
        let mut x = 0;
        while x < 256_u32 {
            let y = IN_BASIS[x as usize];
            if y.is_power_of_two() {
                let image = ((x & (1 << through)) << shift_left) >> shift_right;
                images[y.trailing_zeros() as usize] = IN_BASIS[(image & 0xff) as usize];
            }
            x += 1;
        }
        matrices[through] = matrix(images);
        through += 1;
    }
    matrices
}

/// The left word turns by a bit: seven bits of a byte move up, the highest goes to the byte before.
const MOVED_UP: [u64; 8] = fl_matrices(1, 0);
const MOVED_OUT: [u64; 8] = fl_matrices(0, 7);
const AS_IT_IS: [u64; 8] = fl_matrices(0, 0);

/// The map that lets through those bits that `mask` has, and does to them what `matrices` say.
fn masked(matrices: &[u64; 8], mask: u8) -> u64 {
    (0..8).zip(matrices).fold(0, |sum, (bit, matrix)| {
        sum ^ (matrix & u64::from((mask >> bit) & 1).wrapping_neg())
    })
}

/// FL or its inverse with a key, but for what they add to zero, as matrices for `gf2p8affineqb`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Fl {
    /// What each byte of the left word adds to that of the right word in the same place.
    moved_up: [u64; 4],
    /// What each byte of the left word adds to that of the right word before it.
    moved_out: [u64; 4],
    /// What each byte of the right word adds to that of the left word.
    back: [u64; 4],
}

impl Fl {
    // Out of line, for the frame of the caller.
    #[inline(never)]
    fn set(&mut self, key: u64) {
        let [a, b, c, d, e, f, g, h] = key.to_be_bytes();
        let left = [a, b, c, d];
        let right = [e, f, g, h];
        for (to, mask) in self.moved_up.iter_mut().zip(left) {
            *to = masked(&MOVED_UP, mask);
        }
        for (to, mask) in self.moved_out.iter_mut().zip(left) {
            *to = masked(&MOVED_OUT, mask);
        }
        // x | k is what is in x and not in k, plus k.
        for (to, key) in self.back.iter_mut().zip(right) {
            *to = masked(&AS_IT_IS, !key);
        }
    }
}

/// What is added to a half of the state in a round, each byte of it four times over.
fn layer(key: u64) -> [u32; 8] {
    to_basis(key)
        .to_be_bytes()
        .map(|byte| u32::from(byte) * 0x0101_0101)
}

/// Subkeys for one direction.
#[repr(C)]
pub struct SlicedSchedule {
    /// As in [`Schedule`].
    extra_groups: u64,
    /// How many bytes behind this the first [`Fl`] is, and how many from each to the next.
    fl_first: i64,
    /// Added to the input.
    input: [u8; 16],
    /// Added to the output.
    output: [u8; 16],
    /// What is added in each round: see [`layer`].
    rounds: [[u32; 8]; 6 * Schedule::MAX_GROUPS],
    /// See `fl_first`.
    fl_step: i64,
}

// asm/x86/camellia.h has the same numbers.
const _: () = assert!(offset_of!(SlicedSchedule, extra_groups) == 0);
const _: () = assert!(offset_of!(SlicedSchedule, fl_first) == 8);
const _: () = assert!(offset_of!(SlicedSchedule, input) == 16);
const _: () = assert!(offset_of!(SlicedSchedule, output) == 32);
const _: () = assert!(offset_of!(SlicedSchedule, rounds) == 48);
const _: () = assert!(size_of::<[[u32; 8]; 6]>() == 192);
const _: () = assert!(offset_of!(SlicedSchedule, fl_step) == 816);
const _: () = assert!(offset_of!(Fl, moved_out) == 32);
const _: () = assert!(offset_of!(Fl, back) == 64);

impl SlicedSchedule {
    // Out of line, for the frame of the caller.
    #[inline(never)]
    fn set(&mut self, from: &Schedule) {
        self.extra_groups = from.extra_groups;
        self.input = (u128::from(from.first) << 64).to_be_bytes();
        let rounds = from.groups.iter().flat_map(|group| group.rounds);
        for (to, key) in self.rounds.iter_mut().zip(rounds) {
            *to = layer(key);
        }
        if let Some(last) = from.groups().last() {
            let [_, right] = last.behind;
            self.output = (u128::from(right) << 64).to_be_bytes();
        }
    }
}

/// The key schedule of the vector code.
#[repr(C)]
pub struct SlicedKey {
    encrypt: SlicedSchedule,
    decrypt: SlicedSchedule,
    /// For the left and the right half, between groups. Decryption takes them backwards.
    fl: [Fl; 2 * (Schedule::MAX_GROUPS - 1)],
    scalar: Key,
}

// SAFETY: As for `Key`: integers, and zeroes are a schedule of three groups.
unsafe impl Context for SlicedKey {}

// A tfm has a key for the data, and perhaps a scalar one for tweaks.
const _: () = assert!(size_of::<SlicedKey>() + size_of::<Key>() <= 4096);

// SAFETY: The schedules are there, and lead to `fl` in the same value.
unsafe impl Schedules for SlicedKey {
    type Cipher = Asm;
    type Schedule = SlicedSchedule;

    const ENCRYPT: usize = offset_of!(Self, encrypt);
    const DECRYPT: usize = offset_of!(Self, decrypt);

    fn set(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        const STEP: i64 = size_of::<Fl>() as i64;
        const FIRST: i64 = offset_of!(SlicedKey, fl) as i64;
        const FROM_DECRYPT: i64 = FIRST - offset_of!(SlicedKey, decrypt) as i64;
        const FORM: &Form = &Form {
            offset: OFFSET,
            is_fl_linear: true,
        };
        let mut subkeys = Subkeys::NONE;
        subkeys.set(bytes)?;

        // The schedules are made where those of the scalar code will be: they are too large for
        // the stack of a kernel.
        let schedule = &mut self.scalar.encrypt;
        schedule.set(subkeys.pairs(), FORM);
        self.encrypt.set(schedule);
        let mut last = -STEP;
        if let [between @ .., _] = schedule.groups() {
            let keys = between.iter().flat_map(|group| &group.behind);
            for (to, key) in self.fl.iter_mut().zip(keys) {
                to.set(*key);
                last = last.wrapping_add(STEP);
            }
        }
        self.encrypt.fl_first = FIRST;
        self.encrypt.fl_step = STEP;

        subkeys.reverse();
        schedule.set(subkeys.pairs(), FORM);
        self.decrypt.set(schedule);
        self.decrypt.fl_first = FROM_DECRYPT.wrapping_add(last);
        self.decrypt.fl_step = -STEP;

        subkeys.reverse();
        self.scalar.set(&mut subkeys);
        Ok(())
    }

    fn scalar(&self) -> &Key {
        &self.scalar
    }
}
