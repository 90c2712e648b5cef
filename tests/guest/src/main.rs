// SPDX-License-Identifier: GPL-2.0

//! The test program that runs inside guests.
//!
//! As `/init` of an initramfs it mounts what it needs, runs the plan in `/plan` with the modules
//! in `/modules`, reports in KTAP on the device that `rfl.ktap=` on the kernel command line names
//! (`ttyS1`), and turns the machine off, also when it panics. `rfl.seed=` repeats a run.
//!
//! As `/sbin/modprobe` it loads modules for the kernel, see [`modprobe`].
//!
//! By hand: `rfl-guest --plan FILE --ktap -`.

#![deny(unsafe_code)]

mod afalg;
mod commands;
mod cpu;
mod faults;
mod kmod;
mod kmsg;
mod ktap;
mod kunit;
mod modprobe;
mod plan;
mod proc_crypto;
mod races;
#[cfg(target_arch = "x86_64")]
mod registers;
mod suites;
mod tcrypt;
mod trace;
mod users;

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::thread;

use nix::mount::{mount, MsFlags};
use nix::sys::reboot::{reboot, RebootMode};
use nix::sys::termios::{cfmakeraw, tcdrain, tcgetattr, tcsetattr, SetArg};
use nix::sys::utsname::uname;
use nix::unistd::sync;

use commands::Guest;
use cpu::Cpu;
use kmod::Modules;
use kmsg::Log;
use ktap::{write_line, Report};

const USAGE: &str = "usage: rfl-guest --plan FILE --ktap FILE|- [--modules DIR] [--seed NUMBER]";

/// Where things are.
struct Options {
    plan: PathBuf,
    /// `-` is standard output.
    ktap: PathBuf,
    modules: PathBuf,
    seed: Option<u64>,
}

fn main() -> ExitCode {
    if env::args_os()
        .next()
        .is_some_and(|name| name == modprobe::PROGRAM)
    {
        return match modprobe::main(env::args()) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(err) => {
                eprintln!("{}: {err}", modprobe::PROGRAM);
                ExitCode::from(2)
            }
        };
    }
    let is_init = process::id() == 1;
    let options = if is_init {
        mount_all();
        options_of_init(&fs::read_to_string("/proc/cmdline").expect("/proc/cmdline"))
    } else {
        match options_of_user() {
            Ok(options) => options,
            Err(err) => {
                eprintln!("rfl-guest: {err}\n{USAGE}");
                return ExitCode::from(2);
            }
        }
    };
    let channel = match open_channel(&options.ktap) {
        Ok(channel) => channel,
        Err(err) => {
            eprintln!("rfl-guest: {}: {err}", options.ktap.display());
            return end(is_init, None, 2);
        }
    };
    let on_panic = channel.try_clone().expect("another descriptor");
    panic::set_hook(Box::new(move |info| {
        let text = info.to_string().replace('\n', " ");
        // There is nobody left to tell if this fails, too.
        let _ = write_line(&mut &on_panic, format_args!("Bail out! {text}"));
        end(is_init, Some(&on_panic), 101);
        process::exit(101);
    }));

    let code = match run(&options, &channel) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(reason) => {
            write_line(&mut &channel, format_args!("Bail out! {reason}")).expect("result channel");
            2
        }
    };
    end(is_init, Some(&channel), code)
}

/// Runs the plan. Returns whether nothing failed, or why it could not be begun.
fn run(options: &Options, channel: &File) -> Result<bool, String> {
    let path = &options.plan;
    let text = fs::read_to_string(path).map_err(|err| format!("{}: {err}", path.display()))?;
    let steps = plan::parse(&text).map_err(|err| format!("{}: {err}", path.display()))?;
    let seed = match options.seed {
        Some(seed) => seed,
        None => random_seed().map_err(|err| format!("/dev/urandom: {err}"))?,
    };
    let mut guest = Guest {
        modules: Modules::new(&options.modules),
        log: Log::open().ok(),
        seed,
        cpu: Cpu::read().map_err(|err| format!("/proc/cpuinfo: {err}"))?,
    };
    let out = channel.try_clone().map_err(|err| err.to_string())?;
    let mut report = Report::new(out, steps.len());
    if let Ok(uname) = uname() {
        report.note(format_args!(
            "kernel={} machine={} cpus={} seed={seed}",
            uname.release().to_string_lossy(),
            uname.machine().to_string_lossy(),
            thread::available_parallelism().map_or(0, |cpus| cpus.get()),
        ));
    }
    for step in &steps {
        guest.run(&mut report, step);
    }
    Ok(report.finish().failed == 0)
}

/// Unlike getrandom(), this does not wait in a guest that has no entropy yet.
fn random_seed() -> io::Result<u64> {
    let mut bytes = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(u64::from_ne_bytes(bytes))
}

/// What the kernel gives an init is not meant for this program, so only its command line counts.
fn options_of_init(cmdline: &str) -> Options {
    let value = |key: &str| {
        let words = cmdline.split_whitespace();
        words.rev().find_map(|word| word.strip_prefix(key))
    };
    Options {
        plan: "/plan".into(),
        ktap: Path::new("/dev").join(value("rfl.ktap=").unwrap_or("ttyS1")),
        modules: "/modules".into(),
        seed: value("rfl.seed=").and_then(|seed| seed.parse().ok()),
    }
}

fn options_of_user() -> Result<Options, lexopt::Error> {
    use lexopt::{Arg::Long, ValueExt};

    let mut plan = None;
    let mut ktap = None;
    let mut modules = OsString::from("/modules");
    let mut seed = None;
    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("plan") => plan = Some(parser.value()?),
            Long("ktap") => ktap = Some(parser.value()?),
            Long("modules") => modules = parser.value()?,
            Long("seed") => seed = Some(parser.value()?.parse()?),
            Long("help") => {
                println!("{USAGE}");
                process::exit(0);
            }
            arg => return Err(arg.unexpected()),
        }
    }
    Ok(Options {
        plan: plan.ok_or("--plan is missing")?.into(),
        ktap: ktap.ok_or("--ktap is missing")?.into(),
        modules: modules.into(),
        seed,
    })
}

/// Opens the result channel. A terminal is made to pass on lines as they are.
fn open_channel(path: &Path) -> io::Result<File> {
    if path == Path::new("-") {
        return Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?));
    }
    // A device that is not there must not turn into a file.
    let is_device = path.starts_with("/dev");
    let file = OpenOptions::new()
        .write(true)
        .create(!is_device)
        .truncate(!is_device)
        .open(path)?;
    if let Ok(mut settings) = tcgetattr(&file) {
        cfmakeraw(&mut settings);
        tcsetattr(&file, SetArg::TCSANOW, &settings)?;
    }
    Ok(file)
}

/// Mounts what the program reads. What is missing shows when it is read.
fn mount_all() {
    for (kind, dir) in [
        ("proc", "/proc"),
        ("sysfs", "/sys"),
        ("devtmpfs", "/dev"),
        ("debugfs", "/sys/kernel/debug"),
    ] {
        let _ = fs::create_dir_all(dir);
        let none: Option<&str> = None;
        if let Err(errno) = mount(Some(kind), dir, Some(kind), MsFlags::empty(), none) {
            eprintln!("rfl-guest: mount {dir}: {errno}");
        }
    }
}

/// Ends the program; as init that turns the machine off once all results are out.
fn end(is_init: bool, channel: Option<&File>, code: u8) -> ExitCode {
    if is_init {
        if let Some(channel) = channel {
            let _ = tcdrain(channel);
        }
        sync();
        let Err(errno) = reboot(RebootMode::RB_POWER_OFF);
        eprintln!("rfl-guest: power off: {errno}");
    }
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_command_line() {
        let options = options_of_init("console=ttyS0 rfl.ktap=hvc0 rfl.seed=5 rfl.ktap=ttyS2\n");
        assert_eq!(options.ktap, Path::new("/dev/ttyS2"));
        assert_eq!(options.seed, Some(5));
        let options = options_of_init("quiet");
        assert_eq!(options.ktap, Path::new("/dev/ttyS1"));
        assert_eq!(options.seed, None);
    }
}
