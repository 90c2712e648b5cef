// SPDX-License-Identifier: GPL-2.0

//! Key schedules for vector code whose vectors each hold one byte of the state of many blocks.
//!
//! The S-boxes are inversions in GF(2^8) between affine maps. Instructions invert in the field of AES;
//! that of Camellia is isomorphic to it. The code keeps every byte of the state as what its inversion
//! is to be given, but for a constant that goes into the round keys: the _basis_ of the state. Maps
//! between two inversions are linear, so sums stay sums, and in front of the inversion nothing is left
//! to do, except for S4, which turns its input first.
//!
//! GFNI can apply any affine map in one instruction. AES-NI has an inversion in AESENCLAST, with an
//! affine map of its own behind it, and an addition; other maps take it two table look-ups in a
//! register, one for either half of a byte. See [`Instructions`].

use core::mem::{offset_of, size_of};

use super::super::gf256;
use super::super::lrw;
use super::super::routines::Schedules;
use super::super::tier::{Context, InvalidKeyLength};
use super::x86::Asm;
use super::{
    bit_matrix_mul, element, Form, Key, Schedule, Subkeys, F_MATRIX, SBOXES, SBOX_OF, SPREAD,
};

/// A root of x^8 + x^6 + x^5 + x^3 + 1 in the field of AES: what x of Camellia's field is there.
const ROOT: u8 = {
    let mut x = 2;
    while gf256::pow(x, 8) ^ gf256::pow(x, 6) ^ gf256::pow(x, 5) ^ gf256::pow(x, 3) != 1 {
        x += 1;
    }
    x
};

/// What each bit of a byte, lowest first, is in the field of AES.
const BITS: [u8; 8] = {
    let mut bits = [0; 8];
    let mut bit = 0;
    while bit < 8 {
        let element = element(bit_matrix_mul(F_MATRIX, 1 << bit));
        let mut power = 0;
        while power < 8 {
            bits[bit] ^= ((element >> power) & 1) * gf256::pow(ROOT, power);
            power += 1;
        }
        bit += 1;
    }
    bits
};

/// What each bit of a byte, lowest first, is in the basis of the state: in the field of AES, times a
/// constant, which is free to choose. It is such that the highest bit of a byte stays where it is.
const BASIS: [u8; 8] = {
    let mut factor = 0;
    let mut basis = BITS;
    let mut highest = 0;
    while highest != 0x80 {
        factor += 1;
        highest = 0;
        let mut bit = 0;
        while bit < 8 {
            basis[bit] = gf256::mul(BITS[bit], factor);
            highest |= (basis[bit] >> 7) << bit;
            bit += 1;
        }
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
pub const IN_BASIS: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut x = 0;
    while x < 256 {
        bytes[x] = to_basis(x as u64) as u8;
        x += 1;
    }
    bytes
};

/// The byte that each one is in the basis of the state.
const OUT_OF_BASIS: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut x = 0;
    while x < 256 {
        bytes[IN_BASIS[x] as usize] = x as u8;
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

/// FL or its inverse with a key, but for what they add to zero.
pub trait Fl: Context {
    /// Makes it of its key.
    fn set(&mut self, key: u64);
}

/// [`Fl`] as matrices for `gf2p8affineqb`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Matrices {
    /// What each byte of the left word adds to that of the right word in the same place.
    moved_up: [u64; 4],
    /// What each byte of the left word adds to that of the right word before it.
    moved_out: [u64; 4],
    /// What each byte of the right word adds to that of the left word.
    back: [u64; 4],
}

// SAFETY: Integers.
unsafe impl Context for Matrices {}

impl Fl for Matrices {
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

/// What each value of the low and of the high nibble of a byte is out of the basis of the state.
const NIBBLES: [[u8; 16]; 2] = {
    let mut tables = [[0; 16]; 2];
    let mut x = 0;
    while x < 16 {
        tables[0][x] = OUT_OF_BASIS[x];
        tables[1][x] = OUT_OF_BASIS[x << 4];
        x += 1;
    }
    tables
};

/// A linear map as what it makes of the low and of the high nibble of a byte.
type Lookup = [[u8; 16]; 2];

/// Makes the table of a map, which is given and returns bytes out of the basis.
fn lookup(map: impl Fn(u8) -> u8) -> Lookup {
    NIBBLES.map(|table| table.map(|x| to_basis(map(x).into()) as u8))
}

/// [`Fl`] as tables for `pshufb`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Tables {
    /// What each byte of the left word adds to that of the right word in the same place.
    moved_up: [Lookup; 4],
    /// What each byte of the right word adds to that of the left word.
    back: [Lookup; 4],
    /// What each byte of the left word adds to that of the right word before it, if its highest bit
    /// is 1. The same byte four times over.
    moved_out: [u32; 4],
}

// SAFETY: Integers.
unsafe impl Context for Tables {}

impl Fl for Tables {
    // Out of line, for the frame of the caller.
    #[inline(never)]
    fn set(&mut self, key: u64) {
        let [a, b, c, d, e, f, g, h] = key.to_be_bytes();
        let left = [a, b, c, d];
        let right = [e, f, g, h];
        for (to, mask) in self.moved_up.iter_mut().zip(left) {
            *to = lookup(|x| (x & mask) << 1);
        }
        for (to, mask) in self.moved_out.iter_mut().zip(left) {
            *to = four_times(to_basis((mask >> 7).into()) as u8);
        }
        for (to, key) in self.back.iter_mut().zip(right) {
            *to = lookup(|x| x & !key);
        }
    }
}

/// Fills a double word with a byte.
fn four_times(byte: u8) -> u32 {
    u32::from(byte) * 0x0101_0101
}

/// What the vector code computes with, and how it wants its key schedule for that.
pub trait Instructions: Send + Sync + 'static {
    /// FL and its inverse.
    type Fl: Fl;

    /// Returns what the code adds, byte by byte, so that `key` is added to a half of the state.
    fn round_key(key: u64) -> u64;
}

/// GFNI: keys are added as they are.
#[derive(Clone, Copy, Debug)]
pub enum Gfni {}

impl Instructions for Gfni {
    type Fl = Matrices;

    fn round_key(key: u64) -> u64 {
        to_basis(key)
    }
}

/// AES-NI, in its own form or in that of VAES: AESENCLAST adds keys, so they go backwards through what
/// comes behind that, the P-function and what makes S1 to S3 of the S-box of AES.
#[derive(Clone, Copy, Debug)]
pub enum Aesni {}

impl Instructions for Aesni {
    type Fl = Tables;

    fn round_key(key: u64) -> u64 {
        // The P-function undoes itself after eight times.
        let mut bytes = (0..7).fold(key, |key, _| p(key)).to_be_bytes();
        for (byte, sbox) in bytes.iter_mut().zip(SBOX_OF) {
            let of_s1 = match sbox {
                1 => byte.rotate_right(1),
                2 => byte.rotate_left(1),
                _ => *byte,
            };
            *byte = AES_OF_S1[usize::from(of_s1)];
        }
        u64::from_be_bytes(bytes)
    }
}

/// The P-function (RFC 3713, section 2.4.1).
const fn p(x: u64) -> u64 {
    let bytes = x.to_be_bytes();
    let mut sum = 0;
    let mut i = 0;
    while i < 8 {
        sum ^= bytes[i] as u64 * SPREAD[i];
        i += 1;
    }
    sum
}

const _: () = {
    let mut bit = 0;
    while bit < 64 {
        let mut x = 1 << bit;
        let mut times = 0;
        while times < 8 {
            x = p(x);
            times += 1;
        }
        assert!(x == 1 << bit);
        bit += 1;
    }
};

/// The S-box of AES (FIPS 197, section 5.1.1).
pub const fn aes_sbox(x: u8) -> u8 {
    let x = gf256::pow(x, 254);
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4) ^ 0x63
}

/// How the output of the S-box of AES differs where that of S1 differs by a byte: what is added behind
/// the former to add that behind the latter.
const AES_OF_S1: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut x = 0;
    while x < 256 {
        let aes = aes_sbox(IN_BASIS[x ^ S1_OFFSET as usize]);
        let of_zero = aes_sbox(IN_BASIS[S1_OF_ZERO ^ S1_OFFSET as usize]);
        bytes[SBOXES[0][x] as usize] = aes ^ of_zero;
        x += 1;
    }
    bytes
};

/// What S1 makes zero of.
const S1_OF_ZERO: usize = {
    let mut x = 0;
    while SBOXES[0][x] != 0 {
        x += 1;
    }
    x
};

/// What is added to a half of the state in a round, each byte of it four times over.
type Layer = [u32; 8];

/// A way along the elements of an array, in bytes.
#[derive(Clone, Copy)]
#[repr(C)]
struct Walk {
    /// Where the first one is.
    first: i64,
    /// How far it is from each to the next.
    step: i64,
}

impl Walk {
    /// Walks along values of type `T`, from the one at `first` on.
    const fn new<T>(first: usize) -> Self {
        Self {
            first: first as i64,
            step: size_of::<T>() as i64,
        }
    }

    /// Returns the way back along `count` elements.
    fn backwards(self, count: usize) -> Self {
        let last = self.step.wrapping_mul((count as i64).wrapping_sub(1));
        Self {
            first: self.first.wrapping_add(last),
            step: self.step.wrapping_neg(),
        }
    }

    /// Returns the same way, counted from `origin`.
    fn from(self, origin: usize) -> Self {
        Self {
            first: self.first.wrapping_sub(origin as i64),
            ..self
        }
    }
}

/// Subkeys for one direction.
#[repr(C)]
pub struct SlicedSchedule {
    /// As in [`Schedule`].
    extra_groups: u64,
    /// The way along each [`Fl`].
    fl: Walk,
    /// The way along each [`Layer`].
    rounds: Walk,
    /// Added to the input.
    input: [u8; 16],
    /// Added to the output.
    output: [u8; 16],
}

// asm/x86/camellia.h has the same numbers.
const _: () = assert!(offset_of!(SlicedSchedule, extra_groups) == 0);
const _: () = assert!(offset_of!(SlicedSchedule, fl) == 8);
const _: () = assert!(offset_of!(SlicedSchedule, rounds) == 24);
const _: () = assert!(offset_of!(Walk, step) == 8);
const _: () = assert!(offset_of!(SlicedSchedule, input) == 40);
const _: () = assert!(offset_of!(SlicedSchedule, output) == 56);
const _: () = assert!(offset_of!(Matrices, moved_out) == 32);
const _: () = assert!(offset_of!(Matrices, back) == 64);
const _: () = assert!(offset_of!(Tables, back) == 128);
const _: () = assert!(offset_of!(Tables, moved_out) == 256);

impl SlicedSchedule {
    /// Sets what is added to input and output.
    fn set(&mut self, from: &Schedule) {
        self.extra_groups = from.extra_groups;
        self.input = (u128::from(from.first) << 64).to_be_bytes();
        if let [.., last] = from.groups() {
            let [_, right] = last.behind;
            self.output = (u128::from(right) << 64).to_be_bytes();
        }
    }
}

/// The key schedule of the vector code that uses some [`Instructions`].
#[repr(C)]
pub struct SlicedKey<I: Instructions> {
    encrypt: SlicedSchedule,
    decrypt: SlicedSchedule,
    /// What is added in each round. Decryption adds the same, backwards.
    rounds: [Layer; 6 * Schedule::MAX_GROUPS],
    /// For the left and the right half, between groups. Decryption takes them backwards.
    fl: [I::Fl; 2 * (Schedule::MAX_GROUPS - 1)],
    scalar: Key,
}

// SAFETY: As for `Key`: integers, and zeroes are a schedule of three groups.
unsafe impl<I: Instructions> Context for SlicedKey<I> {}

// Out of line, for the frame of the caller.
#[inline(never)]
fn set_rounds<I: Instructions>(rounds: &mut [Layer], from: &Schedule) {
    let keys = from.groups().iter().flat_map(|group| &group.rounds);
    for (to, key) in rounds.iter_mut().zip(keys) {
        *to = I::round_key(*key).to_be_bytes().map(four_times);
    }
}

// Out of line, for the frame of the caller.
#[inline(never)]
fn set_fl(fl: &mut [impl Fl], from: &Schedule) {
    if let [between @ .., _] = from.groups() {
        let keys = between.iter().flat_map(|group| &group.behind);
        for (to, key) in fl.iter_mut().zip(keys) {
            to.set(*key);
        }
    }
}

// A tfm has a key for the data, and perhaps a scalar one for tweaks, or what multiplies in LRW.
const _: () = assert!(size_of::<SlicedKey<Gfni>>() + size_of::<Key>() <= 4096);
const _: () = assert!(size_of::<SlicedKey<Aesni>>() + size_of::<Key>() <= 4096);
const _: () = assert!(size_of::<lrw::Key<SlicedKey<Aesni>>>() <= 4096);

// SAFETY: The schedules are there, and lead to `rounds` and `fl` in the same value.
unsafe impl<I: Instructions> Schedules for SlicedKey<I> {
    type Cipher = Asm;
    type Schedule = SlicedSchedule;

    const ENCRYPT: usize = offset_of!(Self, encrypt);
    const DECRYPT: usize = offset_of!(Self, decrypt);

    fn set(&mut self, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
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
        set_rounds::<I>(&mut self.rounds, schedule);
        set_fl(&mut self.fl, schedule);
        let groups = schedule.groups().len();

        subkeys.reverse();
        schedule.set(subkeys.pairs(), FORM);
        self.decrypt.set(schedule);

        let rounds = Walk::new::<Layer>(offset_of!(Self, rounds));
        let fl = Walk::new::<I::Fl>(offset_of!(Self, fl));
        self.encrypt.rounds = rounds.from(Self::ENCRYPT);
        self.encrypt.fl = fl.from(Self::ENCRYPT);
        let rounds = rounds.backwards(groups.wrapping_mul(6));
        let fl = fl.backwards(groups.wrapping_sub(1).wrapping_mul(2));
        self.decrypt.rounds = rounds.from(Self::DECRYPT);
        self.decrypt.fl = fl.from(Self::DECRYPT);

        subkeys.reverse();
        self.scalar.set(&mut subkeys);
        Ok(())
    }

    fn scalar(&self) -> &Key {
        &self.scalar
    }
}
