// SPDX-License-Identifier: GPL-2.0

//! Fault injection (`Documentation/fault-injection/fault-injection.rst` of the kernel) and the
//! search for leaks (`Documentation/dev-tools/kmemleak.rst`).

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;

use crate::afalg::{Channel, Direction, Tfm};
use crate::ktap::{fail, Doing, Stop, Verdict};
use crate::suites::Use;

const DEBUGFS: &str = "/sys/kernel/debug";

/// More allocations than anything tried here makes.
const MAX_ALLOCATIONS: u32 = 10_000;

/// Objects that are younger are not looked at, by the guest's clock.
const LEAK_AGE: Duration = Duration::from_secs(6);

/// Counts down at each allocation of the thread; the one that reaches 0 fails.
const FAIL_NTH: &str = "/proc/thread-self/fail-nth";

/// Runs `body` with 1, then with 2, and so on, as the number of the allocation that is to be made
/// to fail, until it returns that there was none. Returns how many failed.
pub fn each_allocation(mut body: impl FnMut(u32) -> Verdict<bool>) -> Verdict<u32> {
    for kind in ["failslab", "fail_page_alloc"] {
        // Allocations that may wait are to fail as well, and none is to print a trace.
        for (name, value) in [("ignore-gfp-wait", "N"), ("verbose", "0")] {
            write_debugfs(&format!("{kind}/{name}"), value)?;
        }
    }
    for n in 1..MAX_ALLOCATIONS {
        if !body(n)? {
            return Ok(n - 1);
        }
    }
    fail!("more than {MAX_ALLOCATIONS} allocations");
}

/// Calls `f` with allocation number `n` of this thread failing. Says whether there was one.
pub fn failing<R>(n: u32, f: impl FnOnce() -> R) -> Verdict<(R, bool)> {
    // Opened before and closed after, as that allocates; not seekable, hence two.
    let open = || OpenOptions::new().read(true).write(true).open(FAIL_NTH);
    let (mut nth, mut left) = (open().doing(FAIL_NTH)?, open().doing(FAIL_NTH)?);
    let mut text = [0; 16];

    nth.write_all(n.to_string().as_bytes()).doing(FAIL_NTH)?;
    let result = f();
    let read = left.read(&mut text);
    nth.write_all(b"0").doing(FAIL_NTH)?;

    let text = text.get(..read.doing(FAIL_NTH)?).unwrap_or_default();
    Ok((result, text.trim_ascii() == b"0"))
}

/// Lets each allocation of a request fail in turn: a request that succeeds must be right, and one
/// that does not must say that memory was short.
pub fn requests(driver: &str) -> Verdict<u32> {
    const LEN: usize = 3 * 4096 + 32;
    const KEY: usize = 32;
    // Behind the data there may be a tag.
    const ROOM: usize = LEN + 16;
    let data: Vec<u8> = (0..LEN).map(|i| (i * 7 + 1) as u8).collect();
    // Not the same twice, as the halves of some keys must not be.
    let key: Vec<u8> = (0..=255).collect();
    let data = [IoSlice::new(&data)];

    type Start<'a> = &'a dyn Fn(&Channel) -> nix::Result<usize>;
    let (tfm, key_size, start): (_, _, Start<'_>) = match Use::of_driver(driver) {
        Some(Use::Skcipher(mode)) => (Tfm::skcipher(driver), mode.key_size(KEY), &move |channel| {
            let iv = mode.given(&[0xff; 16]);
            channel.start(Direction::Encrypt, iv, &data, false)
        }),
        Some(Use::Aead(format)) => (
            Tfm::aead(driver),
            KEY + format.salt_size(),
            &move |channel| {
                let iv = vec![0xff; format.iv_size()];
                channel.start_aead(Direction::Encrypt, &iv, 16, &data)
            },
        ),
        _ => fail!("the name tells no use of a cipher"),
    };
    let tfm = tfm.doing(driver)?;
    tfm.set_key(&key[..key_size]).doing("key")?;

    let request = |channel: &Channel| -> nix::Result<Vec<u8>> {
        let mut out = vec![0; ROOM];
        start(channel)?;
        // Pieces that split blocks go through bounce buffers.
        let (first, rest) = out.split_at_mut(1001);
        let (second, third) = rest.split_at_mut(7);
        let mut pieces = [first, second, third].map(IoSliceMut::new);
        let received = channel.receive(&mut pieces)?;
        out.truncate(received);
        Ok(out)
    };
    let channel = || tfm.channel().doing("channel");
    let expected = request(&channel()?).doing("request")?;

    each_allocation(|n| {
        let channel = channel()?;
        match failing(n, || request(&channel))? {
            (Ok(out), failed) if out == expected => Ok(failed),
            (Ok(_), _) => fail!("allocation {n} failed, and the result is wrong"),
            (Err(Errno::ENOMEM | Errno::ENOBUFS), true) => Ok(true),
            (Err(errno), failed) => fail!("allocation {n} (failed: {failed}): {errno}"),
        }
    })
}

/// Has the kernel look for memory that nothing refers to.
///
/// Not everything that refers to memory from boot is known to it, so what was allocated before
/// there was an init process is left out.
pub fn leaks() -> Verdict {
    thread::sleep(LEAK_AGE);
    // What the first scan finds may be on its way from one place to another.
    for _ in 0..2 {
        write_debugfs("kmemleak", "scan")?;
    }
    let found = fs::read_to_string(Path::new(DEBUGFS).join("kmemleak")).doing("kmemleak")?;
    let leaks = since_init(&found);
    if !leaks.is_empty() {
        fail!("{}", leaks.join("\n"));
    }
    Ok(())
}

/// Takes the objects out of kmemleak's report that were not allocated by `swapper`.
fn since_init(report: &str) -> Vec<&str> {
    let objects = report.split("unreferenced object").skip(1);
    objects
        .filter(|object| !object.contains("comm \"swapper"))
        .collect()
}

fn write_debugfs(path: &str, value: &str) -> Verdict {
    match fs::write(Path::new(DEBUGFS).join(path), value) {
        Err(err) if err.kind() == ErrorKind::NotFound => {
            Err(Stop::Skip(format!("this kernel has no {path} in debugfs")))
        }
        result => result.doing(path),
    }
}

#[cfg(test)]
mod tests {
    use super::since_init;

    #[test]
    fn leaks_from_boot_are_left_out() {
        let boot = "unreferenced object 0x1 (size 8):\n  comm \"swapper/0\", pid 1\n  01 02\n";
        let ours = " 0x2 (size 8):\n  comm \"init\", pid 1\n  03 04\n";
        let report = format!("{boot}unreferenced object{ours}{boot}");
        assert_eq!(since_init(&report), [ours]);
        assert!(since_init("").is_empty());
        assert!(since_init(boot).is_empty());
    }
}
