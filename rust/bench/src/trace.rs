// SPDX-License-Identifier: GPL-2.0

//! Executes code one instruction at a time and records which instructions, and which addresses they
//! use.
//!
//! The CPU does it: with the trap flag set, each instruction ends in an exception, which the kernel
//! turns into a signal for this thread. Unlike an emulator that works for whatever the CPU has.

use std::{arch::asm, collections::HashMap, ffi::c_int, mem::MaybeUninit, ptr, slice};

use anyhow::{ensure, Result};
use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, Mnemonic, Register, UsedMemory};

/// Instructions that can be recorded.
const ROOM: usize = 1 << 20;

/// The general registers, as they were before an instruction.
#[derive(Clone, Copy)]
struct Step {
    rip: u64,
    registers: [u64; REGISTERS.len()],
}

/// The registers of a [`Step`], and where a signal's context has them.
const REGISTERS: [(Register, c_int); 16] = [
    (Register::RAX, libc::REG_RAX),
    (Register::RBX, libc::REG_RBX),
    (Register::RCX, libc::REG_RCX),
    (Register::RDX, libc::REG_RDX),
    (Register::RSI, libc::REG_RSI),
    (Register::RDI, libc::REG_RDI),
    (Register::RBP, libc::REG_RBP),
    (Register::RSP, libc::REG_RSP),
    (Register::R8, libc::REG_R8),
    (Register::R9, libc::REG_R9),
    (Register::R10, libc::REG_R10),
    (Register::R11, libc::REG_R11),
    (Register::R12, libc::REG_R12),
    (Register::R13, libc::REG_R13),
    (Register::R14, libc::REG_R14),
    (Register::R15, libc::REG_R15),
];

/// What is recorded right now. The thread that records is the only one that uses it, and while it
/// does nothing but the handler runs.
static mut STEPS: Vec<Step> = Vec::new();

extern "C" fn on_trap(_: c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let context: *const libc::ucontext_t = context.cast();
    let list = &raw mut STEPS;
    // SAFETY: The kernel hands out the context of what it interrupted. That was in `record`, which
    // does not use the list meanwhile.
    let (registers, steps) = unsafe { (&(*context).uc_mcontext.gregs, &mut *list) };
    // No allocation in a signal handler: what has no room is left out.
    if steps.len() < steps.capacity() {
        steps.push(Step {
            rip: registers[libc::REG_RIP as usize] as u64,
            registers: REGISTERS.map(|(_, at)| registers[at as usize] as u64),
        });
    }
}

/// Runs `code` with the trap flag set. Must not be used by two threads at a time.
fn record(code: &mut dyn FnMut()) -> Result<Vec<Step>> {
    // SAFETY: All zero is a value, and that of the fields that are not set.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_flags = libc::SA_SIGINFO;
    action.sa_sigaction = on_trap as *const () as usize;
    let mut before = action;
    let list = &raw mut STEPS;
    // SAFETY: There is no signal yet, so that the handler does not run.
    unsafe { *list = Vec::with_capacity(ROOM) };
    // SAFETY: The handler has the type that the flags say.
    let error = unsafe { libc::sigaction(libc::SIGTRAP, &action, &mut before) };
    ensure!(error == 0, "sigaction: {}", std::io::Error::last_os_error());
    // SAFETY: The flag changes nothing but that the handler is called.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
    code();
    // SAFETY: As above.
    unsafe { asm!("pushfq", "and qword ptr [rsp], ~0x100", "popfq") };
    // SAFETY: Puts back what was there; the list is not in use by the handler any more.
    let steps = unsafe {
        libc::sigaction(libc::SIGTRAP, &before, ptr::null_mut());
        std::mem::take(&mut *list)
    };
    ensure!(!steps.is_empty(), "this machine does not single-step");
    ensure!(steps.len() < ROOM, "more than {ROOM} instructions");
    Ok(steps)
}

/// Counts the instructions that `code` executes.
pub fn count(code: &mut dyn FnMut()) -> Result<u64> {
    let around = record(&mut || ())?.len();
    Ok((record(code)?.len() - around) as u64)
}

/// An instruction that was executed, and the addresses that it used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    rip: u64,
    addresses: Vec<u64>,
}

/// What is known about the instruction at an address.
struct Decoded {
    memory: Vec<UsedMemory>,
    is_gather: bool,
}

/// Records what `code` executes, and the addresses that it loads from and stores to.
pub fn trace(code: &mut dyn FnMut()) -> Result<Vec<Event>> {
    let mut known: HashMap<u64, Decoded> = HashMap::new();
    let mut info = InstructionInfoFactory::new();
    let mut events = Vec::new();
    for step in record(code)? {
        let decoded = known.entry(step.rip).or_insert_with(|| {
            // SAFETY: The CPU has just read the instruction there. It may be shorter than the
            // longest, but none ends so near to the end of the program's text.
            let bytes = unsafe { slice::from_raw_parts(step.rip as *const u8, 15) };
            let instruction = Decoder::with_ip(64, bytes, step.rip, DecoderOptions::NONE).decode();
            // Addresses that are made and not used are of no interest.
            let memory = match instruction.mnemonic() {
                Mnemonic::Lea | Mnemonic::Nop => Vec::new(),
                _ => info.info(&instruction).used_memory().to_vec(),
            };
            Decoded {
                memory,
                is_gather: instruction.is_vsib(),
            }
        });
        ensure!(
            !decoded.is_gather,
            "a gather instruction at {:#x}",
            step.rip
        );
        let value = |register: Register, _, _| {
            let full = register.full_register();
            let at = REGISTERS.iter().position(|(register, _)| *register == full);
            // Segments begin at the same place in every run.
            Some(at.map_or(0, |at| step.registers[at]))
        };
        let address = |memory: &UsedMemory| memory.virtual_address(0, value);
        let addresses = decoded.memory.iter().filter_map(address).collect();
        events.push(Event {
            rip: step.rip,
            addresses,
        });
    }
    Ok(events)
}

/// Returns an address as disassemblers of the program's file have it.
fn in_file(address: u64) -> u64 {
    extern "C" {
        /// Where the program begins, from the linker.
        static __executable_start: u8;
    }
    address.wrapping_sub(&raw const __executable_start as u64)
}

/// Says where two traces part.
pub fn difference(a: &[Event], b: &[Event]) -> Option<String> {
    let parted = a.iter().zip(b).position(|(a, b)| a != b);
    match parted {
        Some(at) if a[at].rip != b[at].rip => {
            let from = in_file(a[at.saturating_sub(1)].rip);
            Some(format!("a branch at {from:#x} goes one way or the other"))
        }
        Some(at) => {
            let at = in_file(a[at].rip);
            Some(format!(
                "the instruction at {at:#x} uses different addresses"
            ))
        }
        None if a.len() != b.len() => Some("one is longer".to_owned()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    /// Branches on a secret, and looks it up.
    fn offend(table: &[u8; 256], secret: u64) {
        // SAFETY: Arithmetic on registers of its own, and a load from the table.
        unsafe {
            asm!(
                "test {x}, 1",
                "jz 2f",
                "nop",
                "2:",
                "movzx {x:e}, byte ptr [{table} + {x}]",
                x = inout(reg) secret & 0xff => _,
                table = in(reg) table,
                options(readonly, nostack),
            );
        }
    }

    // One thread at a time may record, so this is one test.
    #[test]
    fn sees_branches_and_addresses() {
        let table = [1; 256];
        // From one place, with one stack.
        let mut traces = Vec::new();
        let mut counts = Vec::new();
        for secret in [0, 1, 2, 0] {
            traces.push(trace(&mut || offend(&table, black_box(secret))).unwrap());
            counts.push(count(&mut || offend(&table, black_box(secret))).unwrap());
        }
        let to_first = |n: usize| difference(&traces[0], &traces[n]);
        assert!(to_first(1).unwrap().contains("branch"));
        assert!(to_first(2).unwrap().contains("addresses"));
        assert_eq!(to_first(3), None);
        assert_eq!(counts, [counts[0], counts[0] + 1, counts[0], counts[0]]);
    }
}
