// SPDX-License-Identifier: GPL-2.0

//! Requests to valgrind's memcheck, if that is what runs this program.
//!
//! The numbers and the instructions are those of `valgrind/valgrind.h` and `valgrind/memcheck.h`; on
//! a CPU the instructions do nothing.

use std::arch::asm;

const RUNNING_ON_VALGRIND: u64 = 0x1001;
const COUNT_ERRORS: u64 = 0x1201;
/// Requests of a tool begin with two letters of its name.
const MEMCHECK: u64 = 0x4d43_0000;
const MAKE_MEM_UNDEFINED: u64 = MEMCHECK + 1;
const MAKE_MEM_DEFINED: u64 = MEMCHECK + 2;

fn request(number: u64, arguments: [u64; 2]) -> u64 {
    let block = [number, arguments[0], arguments[1], 0, 0, 0];
    let mut result = 0_u64;
    // SAFETY: The rotations add up to nothing, and so does the exchange. Valgrind reads the block and
    // changes no memory.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") result,
            in("rax") &block,
            inout("rdi") 0_u64 => _,
        );
    }
    result
}

/// Returns whether this is the program's CPU.
pub fn is_running() -> bool {
    request(RUNNING_ON_VALGRIND, [0; 2]) != 0
}

/// Returns how many errors there were so far.
pub fn errors() -> u64 {
    request(COUNT_ERRORS, [0; 2])
}

/// Has memcheck complain when a branch or an address depends on these bytes.
pub fn mark_secret(bytes: &mut [u8]) {
    request(
        MAKE_MEM_UNDEFINED,
        [bytes.as_mut_ptr() as u64, bytes.len() as u64],
    );
}

/// Takes that back.
pub fn mark_public(bytes: &mut [u8]) {
    request(
        MAKE_MEM_DEFINED,
        [bytes.as_mut_ptr() as u64, bytes.len() as u64],
    );
}
