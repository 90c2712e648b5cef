// SPDX-License-Identifier: GPL-2.0

//! Checks that an assembly routine leaves the CPU as the calling convention wants it, and clean.

use std::{arch::global_asm, ffi::c_void};

use rand::{rngs::StdRng, RngExt};
use rfl_ciphers::{
    simd::{AesniAvx2, Feature, FeatureSet, Features},
    tier::Tier,
};

use super::{
    cpu,
    modes::{self, Subject},
    seeded, Suite,
};

/// Registers that a callee must preserve, as they are in [`Frame::preserved`].
const PRESERVED: [&str; 6] = ["rbx", "rbp", "r12", "r13", "r14", "r15"];

/// What the trampoline sets and finds.
#[repr(C)]
struct Frame {
    routine: *const c_void,
    arguments: [usize; 6],
    /// In: what to set. Out: what was found.
    preserved: [u64; 6],
    /// Out: the flags.
    flags: u64,
    /// In: whether there are 32 vector registers of 512 bits, or 16 of 256.
    wide: u64,
    /// Out: vector registers.
    vectors: [[u8; 64]; 32],
}

/// [`Features`] of the trampoline where registers are `wide`.
enum Wide {}

impl Features for Wide {
    const REQUIRED: FeatureSet = FeatureSet::new(&[Feature::Avx512f]);
}

global_asm!(
    ".globl rfl_test_trampoline",
    "rfl_test_trampoline:",
    "push rbx",
    "push rbp",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "push rdi",
    "mov rbx, [rdi + 56]",
    "mov rbp, [rdi + 64]",
    "mov r12, [rdi + 72]",
    "mov r13, [rdi + 80]",
    "mov r14, [rdi + 88]",
    "mov r15, [rdi + 96]",
    "mov r11, [rdi]",
    "mov rsi, [rdi + 16]",
    "mov rdx, [rdi + 24]",
    "mov rcx, [rdi + 32]",
    "mov r8, [rdi + 40]",
    "mov r9, [rdi + 48]",
    "mov rdi, [rdi + 8]",
    // What the routine does not touch is then zero as well.
    "vzeroall",
    "mov r10, [rsp]",
    "cmp qword ptr [r10 + 112], 0",
    "je 2f",
    ".irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "vpxord zmm\\i, zmm\\i, zmm\\i",
    ".endr",
    "2:",
    "call r11",
    "pop rdi",
    "pushfq",
    "pop qword ptr [rdi + 104]",
    "cld",
    "mov [rdi + 56], rbx",
    "mov [rdi + 64], rbp",
    "mov [rdi + 72], r12",
    "mov [rdi + 80], r13",
    "mov [rdi + 88], r14",
    "mov [rdi + 96], r15",
    "cmp qword ptr [rdi + 112], 0",
    "je 3f",
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "vmovdqu64 [rdi + 120 + 64 * \\i], zmm\\i",
    ".endr",
    ".irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
    "vmovdqu64 [rdi + 120 + 64 * \\i], zmm\\i",
    ".endr",
    "jmp 4f",
    "3:",
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "vmovdqu [rdi + 120 + 64 * \\i], ymm\\i",
    ".endr",
    "4:",
    "vzeroupper",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbp",
    "pop rbx",
    "ret",
    // Routines that do what must not be done.
    ".globl rfl_test_clobbers_r13",
    "rfl_test_clobbers_r13:",
    "vzeroall",
    "not r13",
    "ret",
    ".globl rfl_test_leaves_ymm7",
    "rfl_test_leaves_ymm7:",
    "vzeroall",
    "vmovdqu xmm7, [rdi]",
    "vinsertf128 ymm7, ymm7, xmm7, 1",
    "vpxor xmm8, xmm8, xmm8",
    "vinsertf128 ymm7, ymm8, xmm7, 1",
    "ret",
    ".globl rfl_test_leaves_zmm23",
    "rfl_test_leaves_zmm23:",
    "vzeroall",
    "vbroadcasti32x4 zmm23, [rdi]",
    "ret",
    ".globl rfl_test_sets_direction",
    "rfl_test_sets_direction:",
    "vzeroall",
    "std",
    "ret",
);

extern "C" {
    fn rfl_test_trampoline(frame: *mut Frame);
    fn rfl_test_clobbers_r13();
    fn rfl_test_leaves_ymm7();
    fn rfl_test_leaves_zmm23();
    fn rfl_test_sets_direction();
}

/// The direction flag.
const DF: u64 = 1 << 10;

/// Calls a routine and returns what it left otherwise than it must: which registers that it has to
/// preserve it changed, and which vector registers are not zero.
///
/// # Safety
///
/// The CPU must have AVX, and the routine must be sound to call with those arguments.
pub unsafe fn violations(
    rng: &mut StdRng,
    routine: *const c_void,
    arguments: [usize; 6],
) -> Vec<String> {
    let preserved = rng.random();
    let mut frame = Frame {
        routine,
        arguments,
        preserved,
        flags: 0,
        wide: cpu::detect::<Wide>().is_ok().into(),
        vectors: [[0; 64]; 32],
    };
    // SAFETY: The trampoline itself follows the calling convention; the rest is the caller's promise.
    unsafe { rfl_test_trampoline(&mut frame) };

    let mut found = Vec::new();
    for (name, (before, after)) in PRESERVED.iter().zip(preserved.iter().zip(frame.preserved)) {
        if *before != after {
            found.push((*name).to_owned());
        }
    }
    if frame.flags & DF != 0 {
        found.push("direction".to_owned());
    }
    for (i, vector) in frame.vectors.iter().enumerate() {
        if *vector != [0; 64] {
            found.push(format!("vector{i}"));
        }
    }
    found
}

/// Adds the proof that the check sees: routines that each do one thing wrong.
pub fn add(suite: &mut Suite) {
    add_bad::<AesniAvx2>(suite, "r13", rfl_test_clobbers_r13);
    add_bad::<AesniAvx2>(suite, "vector7", rfl_test_leaves_ymm7);
    add_bad::<Wide>(suite, "vector23", rfl_test_leaves_zmm23);
    add_bad::<AesniAvx2>(suite, "direction", rfl_test_sets_direction);
}

fn add_bad<F: Features>(suite: &mut Suite, what: &'static str, routine: unsafe extern "C" fn()) {
    let name = format!("abi::sees_{what}");
    suite.add_for(cpu::detect::<F>(), name, move |_| {
        let secret = [0x5a_u8; 16];
        let arguments = [secret.as_ptr() as usize, 0, 0, 0, 0, 0];
        seeded(|rng| {
            // SAFETY: The CPU has the features. The routines touch nothing but what the trampoline
            // restores, and read 16 bytes at their argument at most.
            let found = unsafe { violations(rng, routine as *const c_void, arguments) };
            assert_eq!(found, [what]);
        });
    });
}

#[repr(align(64))]
struct Buffer([u8; 2048]);

/// Adds the tests of the routines of a tier: ECB, CBC decryption, CTR, XTS.
pub fn add_tier<T: Tier<Cipher: Subject>>(
    suite: &mut Suite,
    name: &str,
    routines: [*const c_void; 4],
) {
    for (mode, routine) in ["ecb", "cbc_dec", "ctr", "xts"].iter().zip(routines) {
        let routine = routine as usize;
        let name = format!("{name}::abi_{mode}");
        suite.add_for(cpu::detect::<T::Features>(), name, move |_| {
            let key = modes::tier_key::<T>(&[0x5a; 16]);
            // Of each way through a function, and of those that it leaves the rest to.
            for blocks in 1..=128 {
                seeded(|rng| {
                    let (mut data, mut scratch) = (Buffer([1; 2048]), Buffer([0; 2048]));
                    let mut iv = [0xff; 16];
                    let arguments = [
                        &raw const *key as usize,
                        &raw mut data as usize,
                        &raw mut data as usize,
                        16 * blocks,
                        &raw mut iv as usize,
                        &raw mut scratch as usize,
                    ];
                    // SAFETY: The CPU has what the tier wants, and these are its arguments: a
                    // key begins with the schedule for encryption.
                    let found = unsafe { violations(rng, routine as *const c_void, arguments) };
                    assert_ne!(data.0, [1; 2048]);
                    assert!(found.is_empty(), "{blocks} blocks: {found:?}");
                });
            }
        });
    }
}
