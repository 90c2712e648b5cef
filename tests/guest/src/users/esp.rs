// SPDX-License-Identifier: GPL-2.0

//! IPsec ESP between two network namespaces, set up by `ip xfrm`.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread;
use std::time::Duration;

use nix::sched::{unshare, CloneFlags};
use nix::unistd::gettid;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::{receive, run, send, Driver, PATIENCE};
use crate::ktap::{fail, Doing, Verdict};

const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 9, 0, 1), Ipv4Addr::new(10, 9, 0, 2)];
const INTERFACES: [&str; 2] = ["rfl0", "rfl1"];
const PORT: u16 = 4500 + 7;
/// Datagrams of all these sizes, of which the longer ones are fragmented once they are encrypted.
const DATAGRAMS: [usize; 18] = [
    0, 1, 2, 15, 16, 17, 63, 64, 65, 255, 511, 1024, 1399, 1400, 1401, 1471, 1472, 5000,
];
/// How long to wait for what should not come.
const NOTHING: Duration = Duration::from_millis(300);

/// Algorithms and new keys of a direction, in the words of `ip xfrm state`.
fn keys(algorithm: &str, rng: &mut SmallRng) -> String {
    let mut hex = |bytes: usize| -> String {
        (0..bytes)
            .map(|_| format!("{:02x}", rng.random::<u8>()))
            .collect()
    };
    if algorithm.starts_with("rfc4106(") {
        // The key has the salt at its end; the tag has 128 bits.
        format!("aead {algorithm} 0x{} 128", hex(32 + 4))
    } else {
        let (key, mac_key) = (hex(32), hex(32));
        format!("enc {algorithm} 0x{key} auth-trunc hmac(sha256) 0x{mac_key} 128")
    }
}

/// Runs in one of two namespaces of its own.
struct End {
    /// 0 or 1.
    number: usize,
    to_other: Sender<()>,
    from_other: Receiver<()>,
}

impl End {
    fn this(&self) -> Ipv4Addr {
        ADDRESSES[self.number]
    }

    fn other(&self) -> Ipv4Addr {
        ADDRESSES[1 - self.number]
    }

    /// Waits for the other end to come as far. It fails if that one has failed.
    fn meet(&self) -> Verdict {
        self.to_other.send(()).doing("the other end is gone")?;
        self.from_other.recv().doing("the other end is gone")
    }

    fn ip(&self, line: &str) -> Verdict<String> {
        run("ip", &line.split_whitespace().collect::<Vec<_>>())
    }

    /// Addresses, security associations of both directions, and policies that let nothing pass
    /// without them.
    fn set_up(&self, keys: &[String; 2]) -> Verdict {
        let interface = INTERFACES[self.number];
        self.ip(&format!("addr add {}/24 dev {interface}", self.this()))?;
        self.ip(&format!("link set {interface} up"))?;
        for (from, (source, keys)) in ADDRESSES.iter().zip(keys).enumerate() {
            let destination = ADDRESSES[1 - from];
            let spi = 0x1000 + from;
            self.ip(&format!(
                "xfrm state add src {source} dst {destination} proto esp spi {spi} reqid 1 \
                 mode transport {keys}"
            ))?;
            let direction = if from == self.number { "out" } else { "in" };
            self.ip(&format!(
                "xfrm policy add src {source} dst {destination} dir {direction} \
                 tmpl src {source} dst {destination} proto esp reqid 1 mode transport"
            ))?;
        }
        Ok(())
    }

    /// Packets that went through each of the associations, and the number of those refused.
    fn counters(&self) -> Verdict<(Vec<u64>, u64)> {
        let text = self.ip("-s xfrm state")?;
        let number = |word: &str| word.trim_end_matches("(packets)").parse().unwrap_or(0);
        let words: Vec<_> = text.split_whitespace().collect();
        // Limits come first, with other words; those of an association are one after another.
        let packets = words.iter().filter(|word| word.ends_with("(packets)"));
        let packets: Vec<u64> = packets
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .map(|word| number(word))
            .collect();
        let failed = words
            .windows(2)
            .filter(|pair| pair[0] == "failed")
            .filter_map(|pair| pair[1].parse::<u64>().ok())
            .sum();
        Ok((packets, failed))
    }
}

/// Has two hosts talk by an algorithm, whose driver has to be one of `module`.
pub fn tunnel(algorithm: &str, module: &str, seed: u64) -> Verdict<String> {
    let driver = Driver::best(algorithm, module)?;
    let mut rng = SmallRng::seed_from_u64(seed);
    let keys = [keys(algorithm, &mut rng), keys(algorithm, &mut rng)];
    let (to_second, from_first) = channel();
    let (to_first, from_second) = channel();
    let (tell, told) = channel();
    thread::scope(|scope| {
        let (keys, driver) = (&keys, &driver);
        let second = scope.spawn(move || {
            unshare(CloneFlags::CLONE_NEWNET).doing("unshare")?;
            tell.send(gettid()).doing("the other end is gone")?;
            let end = End {
                number: 1,
                to_other: to_first,
                from_other: from_first,
            };
            second(&end, keys, seed)
        });
        let first = scope.spawn(move || {
            unshare(CloneFlags::CLONE_NEWNET).doing("unshare")?;
            let end = End {
                number: 0,
                to_other: to_second,
                from_other: from_second,
            };
            let peer = told.recv().doing("the other end is gone")?;
            end.ip(&format!(
                "link add {} type veth peer name {} netns {peer}",
                INTERFACES[0], INTERFACES[1]
            ))?;
            first(&end, keys, driver, seed)
        });
        let [first, second] = [first, second].map(|end| end.join().expect("an end panicked"));
        // The first one to fail knows more than the one that misses it.
        match (first, second) {
            (Err(stop), Ok(())) | (Ok(()), Err(stop)) => Err(stop),
            (Err(first), Err(second)) => fail!("{first:?}, {second:?}"),
            (Ok(()), Ok(())) => Ok(()),
        }
    })?;
    driver.released()?;
    driver.name()
}

fn first(end: &End, keys: &[String; 2], driver: &Driver, seed: u64) -> Verdict {
    end.meet()?;
    // One after the other: both at once would have the kernel look for the same module twice.
    end.set_up(keys)?;
    end.meet()?;
    end.meet()?;
    // Two associations in each namespace.
    if driver.users()? != 4 {
        fail!("it has {} users, expected 4", driver.users()?);
    }
    let socket = UdpSocket::bind((end.this(), PORT)).doing("bind")?;
    socket.set_read_timeout(Some(PATIENCE)).doing("timeout")?;
    let mut rng = SmallRng::seed_from_u64(seed);
    for size in DATAGRAMS {
        let data: Vec<u8> = (0..size).map(|_| rng.random()).collect();
        socket.send_to(&data, (end.other(), PORT)).doing("send")?;
        let mut answer = vec![0; size + 1];
        let length = socket.recv(&mut answer).doing("answer")?;
        if !answer[..length].iter().eq(data.iter().rev()) {
            fail!("datagram of {size} bytes: {length} came back, or other ones");
        }
    }

    let stream = TcpStream::connect((end.other(), PORT)).doing("connect")?;
    stream.set_read_timeout(Some(PATIENCE)).doing("timeout")?;
    stream.set_write_timeout(Some(PATIENCE)).doing("timeout")?;
    send(&stream, seed).doing("send")?;
    receive(&stream, !seed)?;

    let (packets, failed) = end.counters()?;
    if packets.len() != 2 || packets.iter().any(|&count| count < 100) || failed != 0 {
        fail!("packets: {packets:?}, of which failed: {failed}");
    }

    // With another key at the other end, nothing arrives there.
    end.meet()?;
    end.meet()?;
    socket
        .send_to(&[0; 100], (end.other(), PORT))
        .doing("send")?;
    end.meet()
}

fn second(end: &End, keys: &[String; 2], seed: u64) -> Verdict {
    end.meet()?;
    end.meet()?;
    end.set_up(keys)?;
    let socket = UdpSocket::bind((end.this(), PORT)).doing("bind")?;
    socket.set_read_timeout(Some(PATIENCE)).doing("timeout")?;
    let listener = TcpListener::bind((end.this(), PORT)).doing("listen")?;
    end.meet()?;
    for _ in DATAGRAMS {
        let mut data = vec![0; 1 << 16];
        let (length, from) = socket.recv_from(&mut data).doing("receive")?;
        data.truncate(length);
        data.reverse();
        socket.send_to(&data, from).doing("answer")?;
    }

    let (stream, _) = listener.accept().doing("accept")?;
    stream.set_read_timeout(Some(PATIENCE)).doing("timeout")?;
    stream.set_write_timeout(Some(PATIENCE)).doing("timeout")?;
    receive(&stream, seed)?;
    send(&stream, !seed).doing("send")?;

    end.meet()?;
    end.ip("xfrm state flush")?;
    let wrong = &keys[1];
    end.ip(&format!(
        "xfrm state add src {} dst {} proto esp spi {} reqid 1 mode transport {wrong}",
        end.other(),
        end.this(),
        0x1000
    ))?;
    socket.set_read_timeout(Some(NOTHING)).doing("timeout")?;
    end.meet()?;
    match socket.recv(&mut [0; 100]) {
        Err(err) if err.kind() == ErrorKind::WouldBlock => {}
        result => fail!("with another key: {result:?}"),
    }
    let (_, failed) = end.counters()?;
    if failed == 0 {
        fail!("nothing was refused");
    }
    end.meet()
}
