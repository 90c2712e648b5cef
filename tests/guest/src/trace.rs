// SPDX-License-Identifier: GPL-2.0

//! The kernel's function tracer (`Documentation/trace/ftrace.rst` of the kernel), to see how a
//! request uses the vector registers.

use std::fs;
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::path::Path;

use nix::mount::{mount, MsFlags};
use nix::unistd::gettid;

use crate::afalg::{Direction, Tfm};
use crate::ktap::{fail, Doing, Stop, Verdict};

const PAGE: usize = 4096;
const TRACEFS: &str = "/sys/kernel/tracing";

/// What opens and closes an FPU section, and what begins and ends a step of a walk.
const BEGIN: &str = "kernel_fpu_begin_mask";
const END: &str = "kernel_fpu_end";
const FIRST_STEP: &str = "skcipher_walk_virt";
const NEXT_STEP: &str = "skcipher_walk_done";

/// How a request went about its data.
#[derive(Debug, Default, PartialEq)]
pub struct Sections {
    /// Steps of its walks.
    pub steps: usize,
    /// Steps in which there was an FPU section.
    pub with_section: usize,
}

/// Has a driver encrypt `pages` pages in one request, and says how it did.
pub fn request(driver: &str, pages: usize) -> Verdict<Sections> {
    let len = pages * PAGE;
    let tfm = Tfm::skcipher(driver).doing(driver)?;
    tfm.set_key(&[0x5a; 32]).doing("key")?;
    let channel = tfm.channel().doing("channel")?;
    let iv = (!driver.starts_with("ecb")).then_some([0; 16]);
    let iv = iv.as_ref().map(|iv| iv.as_slice());
    let data = vec![1; len];
    // Whole pages, so that no step is shorter than one.
    let mut buffer = vec![0; len + PAGE];
    let start = buffer.as_ptr().align_offset(PAGE);
    let out = &mut buffer[start..start + len];

    let sent = channel.start(Direction::Encrypt, iv, &[IoSlice::new(&data)], false);
    let sent = sent.doing("sending")?;
    let (received, sections) = sections(|| channel.receive(&mut [IoSliceMut::new(out)]))?;
    let received = received.doing("receiving")?;
    if (sent, received) != (len, len) {
        fail!("of {len} bytes {sent} were taken and {received} came back");
    }
    Ok(sections)
}

/// Traces what this thread does in `f`, and looks at its FPU sections.
///
/// # Errors
///
/// If a section is open when a walk goes on: it would last for as long as the data does.
fn sections<R>(f: impl FnOnce() -> R) -> Verdict<(R, Sections)> {
    start()?;
    let result = f();
    write("tracing_on", "0")?;
    let text = fs::read_to_string(Path::new(TRACEFS).join("trace")).doing("trace");
    write("current_tracer", "nop")?;
    Ok((result, parse(&text?)?))
}

fn start() -> Verdict {
    if !Path::new(TRACEFS).join("trace").exists() {
        let (kind, none) = (Some("tracefs"), None::<&str>);
        mount(kind, TRACEFS, kind, MsFlags::empty(), none).doing(TRACEFS)?;
    }
    write("tracing_on", "0")?;
    write("current_tracer", "nop")?;
    let functions = [BEGIN, END, FIRST_STEP, NEXT_STEP];
    write("set_ftrace_filter", &functions.join(" "))?;
    write("set_ftrace_pid", &gettid().to_string())?;
    write("current_tracer", "function")?;
    // Empties it.
    write("trace", "")?;
    write("tracing_on", "1")
}

fn write(file: &str, value: &str) -> Verdict {
    match fs::write(Path::new(TRACEFS).join(file), value) {
        Err(err) if err.kind() == ErrorKind::NotFound => {
            Err(Stop::Skip("this kernel has no function tracer".into()))
        }
        result => result.doing(file),
    }
}

/// Reads lines `TASK-PID [CPU] FLAGS TIME: FUNCTION <-CALLER`.
fn parse(trace: &str) -> Verdict<Sections> {
    let mut sections = Sections::default();
    let (mut open, mut used) = (false, false);
    let calls = trace.lines().filter(|line| !line.starts_with('#'));
    for call in calls.filter_map(|line| line.split_once(" <-")) {
        let function = call.0.rsplit(' ').next();
        match function.unwrap_or_default() {
            BEGIN => (open, used) = (true, true),
            END => open = false,
            FIRST_STEP => used = false,
            NEXT_STEP if open => fail!("an FPU section is open from one step to the next"),
            NEXT_STEP => {
                sections.steps += 1;
                sections.with_section += usize::from(used);
                used = false;
            }
            other => fail!("traced, but not asked for: {other}"),
        }
    }
    Ok(sections)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(functions: &[&str]) -> String {
        let line = |function| format!("  init-1  [000] ...1.  9.86: {function} <-caller\n");
        let calls: String = functions.iter().map(line).collect();
        format!("# tracer: function\n#\n{calls}")
    }

    #[test]
    fn steps_and_sections() {
        let calls = [
            BEGIN, END, // somebody else's
            FIRST_STEP, BEGIN, END, NEXT_STEP, BEGIN, END, BEGIN, END, NEXT_STEP, NEXT_STEP,
        ];
        let expected = Sections {
            steps: 3,
            with_section: 2,
        };
        assert_eq!(parse(&trace(&calls)), Ok(expected));
        assert_eq!(parse(""), Ok(Sections::default()));
    }

    #[test]
    fn section_over_two_steps() {
        let calls = [FIRST_STEP, BEGIN, NEXT_STEP, END, NEXT_STEP];
        assert!(matches!(parse(&trace(&calls)), Err(Stop::Fail(_))));
    }
}
