// SPDX-License-Identifier: GPL-2.0

//! A user program's vector registers, beside drivers that use the same ones in the kernel.
//!
//! On each CPU one thread holds a pattern in all registers there are and looks whether it stays,
//! while another has drivers work and interrupts the first with signals, whose handler takes the
//! registers as well.

#![allow(unsafe_code)]

use std::arch::asm;
use std::io::{IoSlice, IoSliceMut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::libc::c_int;
use nix::sched::{sched_setaffinity, CpuSet};
use nix::sys::pthread::{pthread_kill, pthread_self, Pthread};
use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::signal::{sigaction, SaFlags, SigAction, SigHandler, SigSet, Signal};
use nix::unistd::Pid;

use crate::afalg::{Channel, Direction, Tfm};
use crate::ktap::{fail, Doing, Stop, Verdict};

/// How long the registers are held before they are looked at: well below a time slice, so that
/// others get in between now and then.
const SPINS: u64 = 100_000;
/// As often a thread has to be interrupted, or it was not put to the test.
const INTERRUPTIONS: i64 = 10;
/// In a request: some batches, and a rest.
const LEN: usize = 4096 - 16;

static SIGNALS: AtomicU32 = AtomicU32::new(0);

/// What is in the registers: sixteen of 32 bytes, or 32 of 64 bytes and eight masks.
#[repr(C, align(64))]
#[derive(Clone, PartialEq)]
struct Image {
    vectors: [[u8; 64]; 32],
    masks: [u64; 8],
}

/// The registers there are.
#[derive(Clone, Copy, Debug)]
pub enum Width {
    Avx,
    Avx512,
}

impl Width {
    /// What this CPU has, and the kernel lets programs use.
    pub fn detect() -> Verdict<Self> {
        if is_x86_feature_detected!("avx512bw") {
            Ok(Width::Avx512)
        } else if is_x86_feature_detected!("avx") {
            Ok(Width::Avx)
        } else {
            Err(Stop::Skip("this CPU has no AVX".into()))
        }
    }

    /// Loads all registers from `image`, waits, and stores them there.
    fn hold(self, image: &mut Image) {
        // SAFETY: `image` has room for the registers of either width, the CPU has them, and all
        // registers that may be lost in a function call are declared as lost.
        unsafe {
            match self {
                Width::Avx => asm!(
                    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
                    "vmovdqu ymm\\n, [{image} + 32 * \\n]",
                    ".endr",
                    "2: dec rcx",
                    "jnz 2b",
                    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
                    "vmovdqu [{image} + 32 * \\n], ymm\\n",
                    ".endr",
                    "vzeroupper",
                    image = in(reg) image,
                    inout("rcx") SPINS => _,
                    clobber_abi("C"),
                ),
                Width::Avx512 => asm!(
                    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,\
                     16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                    "vmovdqu64 zmm\\n, [{image} + 64 * \\n]",
                    ".endr",
                    ".irp n, 0,1,2,3,4,5,6,7",
                    "kmovq k\\n, [{image} + 64 * 32 + 8 * \\n]",
                    ".endr",
                    "2: dec rcx",
                    "jnz 2b",
                    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,\
                     16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
                    "vmovdqu64 [{image} + 64 * \\n], zmm\\n",
                    ".endr",
                    ".irp n, 0,1,2,3,4,5,6,7",
                    "kmovq [{image} + 64 * 32 + 8 * \\n], k\\n",
                    ".endr",
                    "vzeroupper",
                    image = in(reg) image,
                    inout("rcx") SPINS => _,
                    clobber_abi("C"),
                ),
            }
        }
    }
}

/// Handler of the signals: uses the registers for something else.
extern "C" fn interrupt(_: c_int) {
    SIGNALS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: Handlers are installed after AVX was found; the registers are declared as lost.
    unsafe { asm!("vzeroall", clobber_abi("C")) };
}

/// Runs a pair of threads on each CPU for some time, by the guest's clock.
pub fn run(drivers: &[String], time: Duration) -> Verdict<Width> {
    let width = Width::detect()?;
    let handler = SigHandler::Handler(interrupt);
    let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: The handler touches registers, which come back when it returns, and an atomic.
    unsafe { sigaction(Signal::SIGUSR1, &action) }.doing("sigaction")?;
    SIGNALS.store(0, Ordering::Relaxed);

    let cpus = thread::available_parallelism().doing("CPUs")?.get();
    let end = Instant::now() + time;
    thread::scope(|scope| {
        let pairs: Vec<_> = (0..cpus)
            .map(|cpu| scope.spawn(move || pair(cpu, width, drivers, end)))
            .collect();
        pairs
            .into_iter()
            .try_for_each(|pair| pair.join().expect("a thread panicked"))
    })?;
    if SIGNALS.load(Ordering::Relaxed) == 0 {
        fail!("there was no signal");
    }
    Ok(width)
}

/// The two threads of a CPU.
fn pair(cpu: usize, width: Width, drivers: &[String], end: Instant) -> Verdict {
    let done = &AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let holder = scope.spawn(move || {
            // It ends after the one that sends it signals.
            sender.send(pthread_self()).expect("it is waited for");
            hold(cpu, width, done)
        });
        let holding = receiver.recv().doing("thread")?;
        let worked = work(cpu, drivers, end, holding);
        done.store(true, Ordering::Release);
        holder.join().expect("a thread panicked").and(worked)
    })
}

fn pin(cpu: usize) -> Verdict {
    let mut set = CpuSet::new();
    set.set(cpu).doing(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &set).doing(format_args!("CPU {cpu}"))
}

fn hold(cpu: usize, width: Width, done: &AtomicBool) -> Verdict {
    pin(cpu)?;
    let mut pattern = Image {
        vectors: [[0; 64]; 32],
        masks: [0; 8],
    };
    for (number, vector) in (1..).zip(&mut pattern.vectors) {
        *vector = std::array::from_fn(|i| (i * 8 + number + cpu) as u8);
    }
    for (number, mask) in (1..).zip(&mut pattern.masks) {
        *mask = u64::MAX / 255 * (number + cpu as u64);
    }

    let switches = || {
        let usage = getrusage(UsageWho::RUSAGE_THREAD).doing("getrusage")?;
        Ok::<_, Stop>(usage.involuntary_context_switches())
    };
    let before = switches()?;
    while !done.load(Ordering::Acquire) {
        let mut image = pattern.clone();
        width.hold(&mut image);
        if image != pattern {
            fail!("CPU {cpu}: the registers did not stay as they were");
        }
    }
    let interruptions = switches()? - before;
    if interruptions < INTERRUPTIONS {
        fail!("CPU {cpu}: interrupted {interruptions} times only");
    }
    Ok(())
}

fn work(cpu: usize, drivers: &[String], end: Instant, holding: Pthread) -> Verdict {
    pin(cpu)?;
    let open = |driver: &String| -> Verdict<(Tfm, Channel)> {
        let tfm = Tfm::skcipher(driver).doing(driver)?;
        tfm.set_key(&[0x5a; 32]).doing("key")?;
        let channel = tfm.channel().doing("channel")?;
        Ok((tfm, channel))
    };
    let channels = drivers.iter().map(open).collect::<Verdict<Vec<_>>>()?;
    let data = [0x11; LEN];
    while Instant::now() < end {
        for ((_, channel), driver) in channels.iter().zip(drivers) {
            let iv = (!driver.starts_with("ecb")).then_some([0; 16]);
            let iv = iv.as_ref().map(|iv| iv.as_slice());
            let mut out = [0; LEN];
            channel
                .start(Direction::Encrypt, iv, &[IoSlice::new(&data)], false)
                .and_then(|_| channel.receive(&mut [IoSliceMut::new(&mut out)]))
                .doing(driver)?;
        }
        pthread_kill(holding, Signal::SIGUSR1).doing("signal")?;
    }
    Ok(())
}
