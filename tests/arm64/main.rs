// SPDX-License-Identifier: GPL-2.0

//! AES for arm64 in a program that needs no library but `core`, for either byte order of the CPU.
//!
//! It reports as libtest does. With `--cfg peers` it is linked with the kernel's own routines
//! instead, and does a block by each of them; scripts/arm64.py counts what that takes.

#![no_std]
#![no_main]
// The functions by the names of C's string.h are not to be made of calls to themselves.
#![no_builtins]

#[path = "../../rust/ciphers"]
mod ciphers {
    pub mod aes;
    pub mod gf256;
    pub mod inout;
    pub mod simd;
    pub mod tier;
}

use ciphers::aes::arm64::Arm64;
use ciphers::tier::{Block, BlockCipher};
use core::arch::{asm, global_asm};
use core::mem::MaybeUninit;
use core::panic::PanicInfo;

// The kernel begins a program with a stack, and nothing to return to.
global_asm!(
    ".globl _start",
    "_start:",
    "mov x29, xzr",
    "mov x30, xzr",
    "bl {main}",
    main = sym main,
);

/// Linux's system call `number`.
///
/// # Safety
///
/// As the call says.
unsafe fn syscall(number: usize, arguments: [usize; 3]) {
    let [a, b, c] = arguments;
    // SAFETY: System calls keep all registers but the one of the result.
    unsafe { asm!("svc 0", in("x8") number, inlateout("x0") a => _, in("x1") b, in("x2") c) };
}

fn print(text: &str) {
    const WRITE: usize = 64;
    // SAFETY: Writes a string to the standard output.
    unsafe { syscall(WRITE, [1, text.as_ptr() as usize, text.len()]) };
}

fn exit(status: usize) -> ! {
    const EXIT: usize = 93;
    loop {
        // SAFETY: Ends the program.
        unsafe { syscall(EXIT, [status, 0, 0]) };
    }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    print("panic\n");
    exit(101)
}

/// C's `memcpy()`.
///
/// # Safety
///
/// As in C.
#[no_mangle]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    for i in 0..len {
        // SAFETY: The caller says that so much is there.
        unsafe { *to.add(i) = *from.add(i) };
    }
    to
}

/// C's `memset()`.
///
/// # Safety
///
/// As in C.
#[no_mangle]
unsafe extern "C" fn memset(to: *mut u8, byte: i32, len: usize) -> *mut u8 {
    for i in 0..len {
        // SAFETY: The caller says that so much is there.
        unsafe { *to.add(i) = byte as u8 };
    }
    to
}

/// C's `bcmp()`.
///
/// # Safety
///
/// As in C.
#[no_mangle]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
    // SAFETY: The caller says that so much is there.
    (0..len).any(|i| unsafe { *a.add(i) != *b.add(i) }).into()
}

/// C's `memcmp()`, of which nothing here wants to know which is less.
///
/// # Safety
///
/// As in C.
#[no_mangle]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> i32 {
    // SAFETY: The same requirements.
    unsafe { bcmp(a, b, len) }
}

const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// Returns a key that nobody has set.
fn no_key<C: BlockCipher>() -> C::Key {
    // SAFETY: That is what `Context` says of zeroes.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// Returns a key if its length is right.
fn key<C: BlockCipher>(bytes: &[u8]) -> Option<C::Key> {
    let mut key = no_key::<C>();
    C::set_key(&mut key, bytes).ok()?;
    Some(key)
}

#[cfg(not(peers))]
mod tests {
    use super::*;
    use ciphers::aes::Aes;
    use ciphers::inout::InOut;
    use ciphers::tier::scalar;

    /// Numbers that are the same in each run: xorshift64*, Vigna 2016.
    struct Random(u64);

    impl Random {
        fn fill(&mut self, bytes: &mut [u8]) {
            for byte in bytes {
                self.0 ^= self.0 >> 12;
                self.0 ^= self.0 << 25;
                self.0 ^= self.0 >> 27;
                *byte = (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8;
            }
        }
    }

    /// FIPS 197, appendix C.
    fn fips197() -> bool {
        let bytes: [u8; 32] = core::array::from_fn(|i| i as u8);
        let plain: Block = core::array::from_fn(|i| 0x11 * i as u8);
        let ciphers: [u128; 3] = [
            0x69c4e0d86a7b0430d8cdb78070b4c55a,
            0xdda97ca4864cdfe06eaf70a0ec0d7191,
            0x8ea2b7ca516745bfeafc49904b496089,
        ];
        KEY_LENGTHS.iter().zip(ciphers).all(|(len, cipher)| {
            let cipher = cipher.to_be_bytes();
            key::<Arm64>(&bytes[..*len]).is_some_and(|key| {
                Arm64::encrypt_block(&key, &plain) == cipher
                    && Arm64::decrypt_block(&key, &cipher) == plain
            })
        })
    }

    /// The assembly and the scalar code, which knows nothing of byte orders.
    fn agrees_with_scalar_code() -> bool {
        let mut random = Random(0x5eed);
        let (mut bytes, mut block) = ([0; 32], [0; 16]);
        (0..1000).all(|_| {
            random.fill(&mut bytes);
            random.fill(&mut block);
            KEY_LENGTHS.iter().all(|len| {
                let bytes = &bytes[..*len];
                let (Some(key), Some(expected)) = (key::<Arm64>(bytes), key::<Aes>(bytes)) else {
                    return false;
                };
                Arm64::encrypt_block(&key, &block) == Aes::encrypt_block(&expected, &block)
                    && Arm64::decrypt_block(&key, &block) == Aes::decrypt_block(&expected, &block)
            })
        })
    }

    fn refuses_keys() -> bool {
        (0..=64).all(|len| key::<Arm64>(&[1; 64][..len]).is_some() == KEY_LENGTHS.contains(&len))
    }

    /// Blocks at odd addresses, in place.
    fn alignments() -> bool {
        let Some(key) = key::<Arm64>(&[7; 16]) else {
            return false;
        };
        (0..16).all(|at| {
            let mut bytes = [0x3c; 32];
            Arm64::ecb_encrypt(&key, InOut::in_place(&mut bytes[at..][..16]));
            let encrypted = Arm64::encrypt_block(&key, &[0x3c; 16]);
            if bytes[at..][..16] != encrypted {
                return false;
            }
            Arm64::ecb_decrypt(&key, InOut::in_place(&mut bytes[at..][..16]));
            bytes == [0x3c; 32]
        })
    }

    /// Adds one to a big-endian number, byte by byte.
    fn increment(counter: &mut Block) {
        for byte in counter.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
    }

    /// Counters with 7f, 80 or ff and bytes of ff behind it, from each byte on.
    fn counter_carries() -> bool {
        let Some(key) = key::<Arm64>(&[9; 32]) else {
            return false;
        };
        let counters = (0..16).flat_map(|at| [0x7f, 0x80, 0xff].map(|first| (at, first)));
        counters.into_iter().all(|(at, first)| {
            let mut counter = [0; 16];
            counter[at] = first;
            counter[at + 1..].fill(0xff);
            let mut expected = counter;
            let mut data = [0; 64];
            scalar::ctr::<Arm64>(&key, &mut counter, InOut::in_place(&mut data));
            data.chunks(16).all(|block| {
                let stream = Arm64::encrypt_block(&key, &expected);
                increment(&mut expected);
                block == stream
            }) && counter == expected
        })
    }

    pub fn run() -> usize {
        let tests: [(&str, fn() -> bool); 5] = [
            ("fips197", fips197),
            ("agrees_with_scalar_code", agrees_with_scalar_code),
            ("refuses_keys", refuses_keys),
            ("alignments", alignments),
            ("counter_carries", counter_carries),
        ];
        let mut status = 0;
        for (name, test) in tests {
            print("test ");
            print(name);
            if test() {
                print(" ... ok\n");
            } else {
                print(" ... FAILED\n");
                status = 1;
            }
        }
        status
    }
}

#[cfg(peers)]
mod peers {
    use super::*;

    /// `struct crypto_aes_ctx`, `include/crypto/aes.h`.
    #[repr(C)]
    struct Context {
        encrypt: [u32; 60],
        decrypt: [u32; 60],
        key_length: u32,
    }

    type Asm = unsafe extern "C" fn(*const u32, *mut Block, *const Block, i32);
    type Generic = unsafe extern "C" fn(*const u32, i32, *mut Block, *const Block);

    extern "C" {
        fn aes_expandkey(context: *mut Context, key: *const u8, len: u32) -> i32;
        fn __aes_arm64_encrypt(keys: *const u32, to: *mut Block, from: *const Block, rounds: i32);
        fn __aes_arm64_decrypt(keys: *const u32, to: *mut Block, from: *const Block, rounds: i32);
        static rfl_generic_encrypt: Generic;
        static rfl_generic_decrypt: Generic;
    }

    fn asm(routine: Asm, keys: &[u32; 60], rounds: i32, block: &Block) -> Block {
        let mut result = [0; 16];
        // SAFETY: `keys` has as many round keys as `rounds` says.
        unsafe { routine(keys.as_ptr(), &mut result, block, rounds) };
        result
    }

    fn generic(routine: Generic, keys: &[u32; 60], rounds: i32, block: &Block) -> Block {
        let mut result = [0; 16];
        // SAFETY: `keys` has as many round keys as `rounds` says.
        unsafe { routine(keys.as_ptr(), rounds, &mut result, block) };
        result
    }

    /// Has each routine do a block with a key of each length, and returns 0 if they agree.
    pub fn run() -> usize {
        let (plain, bytes) = ([0xa5; 16], [0x5a; 32]);
        let agree = KEY_LENGTHS.iter().all(|len| {
            let Some(key) = key::<Arm64>(&bytes[..*len]) else {
                return false;
            };
            let mut context = Context {
                encrypt: [0; 60],
                decrypt: [0; 60],
                key_length: 0,
            };
            // SAFETY: There are so many bytes.
            if unsafe { aes_expandkey(&mut context, bytes.as_ptr(), *len as u32) } != 0 {
                return false;
            }
            let rounds = *len as i32 / 4 + 6;
            // SAFETY: Nobody writes them.
            let generics = unsafe { [rfl_generic_encrypt, rfl_generic_decrypt] };

            let cipher = Arm64::encrypt_block(&key, &plain);
            Arm64::decrypt_block(&key, &cipher) == plain
                && asm(__aes_arm64_encrypt, &context.encrypt, rounds, &plain) == cipher
                && asm(__aes_arm64_decrypt, &context.decrypt, rounds, &cipher) == plain
                && generic(generics[0], &context.encrypt, rounds, &plain) == cipher
                && generic(generics[1], &context.decrypt, rounds, &cipher) == plain
        });
        (!agree).into()
    }
}

extern "C" fn main() -> ! {
    #[cfg(not(peers))]
    let status = tests::run();
    #[cfg(peers)]
    let status = peers::run();
    exit(status)
}
