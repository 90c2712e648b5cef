// SPDX-License-Identifier: GPL-2.0

//! Modes of a block cipher with 16-byte blocks, through `AF_ALG`.
//!
//! `AF_ALG` copies what is sent to pages of its own, so the source of a request is always a run
//! of whole pages; it begins at another place than a page border only when part of the data was
//! received before ([`streamed`], [`large`]). The destination is the receiver's memory,
//! scattered as the receiver likes. Source and destination are never the same.

use std::io::{IoSlice, IoSliceMut};
use std::thread;

use nix::errno::Errno;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::reference::{Reference, Seal};
use crate::afalg::{Channel, Direction, Tfm};
use crate::ktap::{fail, Doing, Report, Stop, Verdict};

const BLOCK: usize = 16;
pub const KEY_SIZES: [usize; 3] = [16, 24, 32];
const MAX_LEN: usize = 5000;
/// Batches of 64 blocks are the longest a cipher works on at once.
const MAX_BATCH: usize = 64;
/// Up to here every length is tried: the longest batch, and somewhat more.
const SMALL_LEN: usize = (MAX_BATCH + 4) * BLOCK;
const PAGE: usize = 4096;
/// What receive buffers hold beforehand.
pub const CANARY: u8 = 0xa5;

type Iv = [u8; BLOCK];

/// A cipher under test.
pub struct Family {
    pub name: &'static str,
    pub vectors: &'static [Vector],
    /// Sets a key for the reference.
    pub reference: fn(Mode, &[u8]) -> Box<dyn Reference>,
    pub gcm_vectors: &'static [GcmVector],
    /// Sets a key for the reference in GCM.
    pub gcm: fn(&[u8]) -> Box<dyn Seal>,
}

/// A known answer in GCM.
pub struct GcmVector {
    pub key: &'static [u8],
    pub iv: [u8; 12],
    pub assoc: &'static [u8],
    pub plain: &'static [u8],
    /// Encrypted text and tag.
    pub sealed: &'static [u8],
}

/// A known answer of the block cipher.
pub struct Vector {
    pub key: &'static [u8],
    pub plain: [u8; BLOCK],
    pub cipher: [u8; BLOCK],
}

/// A mode of operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Ecb,
    Cbc,
    /// The IV is a big-endian counter of 128 bits.
    Ctr,
    /// With ciphertext stealing. The key is two of the cipher's.
    Xts,
}

impl Mode {
    pub const ALL: [Mode; 4] = [Mode::Ecb, Mode::Cbc, Mode::Ctr, Mode::Xts];
    const WITH_IV: [Mode; 3] = [Mode::Cbc, Mode::Ctr, Mode::Xts];
    /// Those of which messages can be cut in several requests.
    const CHAINED: [Mode; 3] = [Mode::Ecb, Mode::Cbc, Mode::Ctr];
    /// Those with lengths that are refused.
    const PICKY: [Mode; 3] = [Mode::Ecb, Mode::Cbc, Mode::Xts];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Ecb => "ecb",
            Mode::Cbc => "cbc",
            Mode::Ctr => "ctr",
            Mode::Xts => "xts",
        }
    }

    /// The mode of a driver by its name, such as `ctr-aria-avx2` or `ecb(camellia-generic)`.
    pub fn of_driver(driver: &str) -> Option<Self> {
        let first = driver.split(['-', '(']).next();
        Mode::ALL
            .into_iter()
            .find(|mode| first == Some(mode.name()))
    }

    fn has_iv(self) -> bool {
        Mode::WITH_IV.contains(&self)
    }

    /// The IV to give to the kernel, if the mode has one.
    pub fn given(self, iv: &Iv) -> Option<&[u8]> {
        self.has_iv().then_some(iv)
    }

    /// Length of the key, given that of the cipher's.
    pub fn key_size(self, of_cipher: usize) -> usize {
        match self {
            Mode::Xts => 2 * of_cipher,
            _ => of_cipher,
        }
    }

    /// The nearest length to `len` that the mode takes.
    fn fit(self, len: usize) -> usize {
        match self {
            Mode::Ecb | Mode::Cbc => len - len % BLOCK,
            Mode::Ctr => len,
            Mode::Xts => len.max(BLOCK),
        }
    }

    /// The IV after a request that made `to` of `from`; none if there is nothing to be continued.
    fn next_iv(self, direction: Direction, iv: Iv, from: &[u8], to: &[u8]) -> Option<Iv> {
        match self {
            Mode::Ecb | Mode::Xts => None,
            Mode::Cbc => {
                let cipher = match direction {
                    Direction::Encrypt => to,
                    Direction::Decrypt => from,
                };
                Some(cipher.last_chunk().copied().unwrap_or(iv))
            }
            Mode::Ctr => {
                let blocks = from.len().div_ceil(BLOCK) as u128;
                Some(u128::from_be_bytes(iv).wrapping_add(blocks).to_be_bytes())
            }
        }
    }
}

type Body = fn(&Target<'_>) -> Verdict;

const CASES: &[(&str, &[Mode], Body)] = &[
    ("known answers", &Mode::CHAINED, known_answers),
    ("lengths", &Mode::ALL, lengths),
    ("scattered", &Mode::ALL, scattered),
    ("chained requests", &Mode::CHAINED, chained),
    ("streamed in pieces", &Mode::CHAINED, streamed),
    ("large, received in several calls", &Mode::CHAINED, large),
    ("counter about to wrap", &[Mode::Ctr], counter_wrap),
    ("one key both ways, then other sizes", &Mode::ALL, rekeyed),
    ("many threads on one tfm", &Mode::ALL, threads),
    ("key sizes refused", &Mode::ALL, keys_refused),
    ("no key", &Mode::ALL, no_key),
    ("key refused later", &Mode::ALL, key_refused_later),
    ("lengths refused", &Mode::PICKY, lengths_refused),
    ("IV sizes refused", &Mode::ALL, ivs_refused),
    ("equal halves of the key", &[Mode::Xts], equal_halves),
];

/// A cipher in a mode, under the name by which the kernel is asked for it.
struct Target<'a> {
    family: &'a Family,
    mode: Mode,
    name: String,
    seed: u64,
}

/// Runs the suite over a mode of `family`, under a name of an algorithm or a driver.
pub fn run(report: &mut Report, family: &Family, mode: Mode, name: &str, seed: u64) {
    let target = Target {
        family,
        mode,
        name: name.into(),
        seed,
    };
    target.run(report);
}

impl Target<'_> {
    fn run(&self, report: &mut Report) {
        // If it is not there, that is one thing to be told, not one per case.
        if let Err(stop) = self.tfm() {
            return report.case(&self.name, |_| Err(stop));
        }
        let cases: Vec<_> = CASES
            .iter()
            .filter(|(_, modes, _)| modes.contains(&self.mode))
            .collect();
        report.group(&self.name, cases.len(), |report| {
            for (name, _, body) in cases {
                report.case(name, |_| body(self));
            }
        });
    }

    /// The same numbers for each case, whatever ran before it.
    fn rng(&self) -> SmallRng {
        SmallRng::seed_from_u64(self.seed)
    }

    fn tfm(&self) -> Verdict<Tfm> {
        Tfm::skcipher(&self.name).map_err(|errno| match errno {
            Errno::EAFNOSUPPORT => Stop::Skip("the kernel has no AF_ALG".into()),
            // Also what a name that af_alg_restrict forbids is answered with.
            errno => Stop::Fail(format!("bind: {errno}")),
        })
    }

    /// Sets `key` for the kernel's cipher and the reference.
    fn session(&self, tfm: &Tfm, key: &[u8]) -> Verdict<Session> {
        tfm.set_key(key)
            .doing(format_args!("setkey of {} bytes", key.len()))?;
        Ok(Session {
            mode: self.mode,
            key_bits: 8 * key.len(),
            channel: tfm.channel().doing("accept")?,
            reference: (self.family.reference)(self.mode, key),
        })
    }

    /// A random key that goes with one of [`KEY_SIZES`].
    fn key(&self, rng: &mut SmallRng, of_cipher: usize) -> Vec<u8> {
        bytes(rng, self.mode.key_size(of_cipher))
    }
}

/// A channel to the kernel's cipher, and the reference with the same key.
struct Session {
    mode: Mode,
    key_bits: usize,
    channel: Channel,
    reference: Box<dyn Reference>,
}

/// How a request takes up the last one.
enum Begin<'a> {
    Anew(Direction, Option<&'a [u8]>),
    Continued,
}

impl Session {
    /// A random message, encrypted, and decrypted again, compared with the reference.
    fn check(&self, rng: &mut SmallRng, layout: &Layout) -> Verdict {
        let iv: Iv = rng.random();
        self.check_with_iv(rng, iv, layout)
    }

    fn check_with_iv(&self, rng: &mut SmallRng, iv: Iv, layout: &Layout) -> Verdict {
        let plain = bytes(rng, layout.len());
        let cipher = self.expected(Direction::Encrypt, &iv, &plain);
        self.compare(Direction::Encrypt, iv, &plain, &cipher, layout)?;
        self.compare(Direction::Decrypt, iv, &cipher, &plain, layout)
    }

    fn expected(&self, direction: Direction, iv: &Iv, data: &[u8]) -> Vec<u8> {
        let mut data = data.to_vec();
        self.reference.apply(self.mode, direction, iv, &mut data);
        data
    }

    /// One request, and one that continues it, which tells whether the IV was moved on.
    fn compare(
        &self,
        direction: Direction,
        iv: Iv,
        from: &[u8],
        to: &[u8],
        layout: &Layout,
    ) -> Verdict {
        let what = || {
            let (bits, iv) = (self.key_bits, hex(&iv));
            format!("{direction:?}, {bits} bit key, iv {iv}, {layout}")
        };
        let begin = Begin::Anew(direction, self.mode.given(&iv));
        let got = self.transform(begin, from, layout).doing_in(&what)?;
        same(&got, to).doing_in(&what)?;

        if let Some(next_iv) = self.mode.next_iv(direction, iv, from, to) {
            let what = || format!("the next request after {}", what());
            let next = vec![0; self.mode.fit(BLOCK + 5)];
            let got = self
                .transform(Begin::Continued, &next, &Layout::whole(next.len()))
                .doing_in(&what)?;
            same(&got, &self.expected(direction, &next_iv, &next)).doing_in(&what)?;
        }
        Ok(())
    }

    /// Runs one request, of which all data is sent before any is received.
    fn transform(&self, begin: Begin<'_>, data: &[u8], layout: &Layout) -> Verdict<Vec<u8>> {
        let mut begin = Some(begin);
        let mut rest = data;
        for (i, pieces) in layout.sends.iter().enumerate() {
            let more = i + 1 < layout.sends.len();
            let len = pieces.iter().sum();
            let (mut now, later) = rest.split_at(len);
            rest = later;
            let slices: Vec<_> = pieces
                .iter()
                .map(|&len| {
                    let (piece, later) = now.split_at(len);
                    now = later;
                    IoSlice::new(piece)
                })
                .collect();
            let sent = match begin.take() {
                Some(Begin::Anew(direction, iv)) => {
                    self.channel.start(direction, iv, &slices, more)
                }
                Some(Begin::Continued) | None => self.channel.feed(&slices, more),
            };
            let sent = sent.doing("sendmsg")?;
            if sent != len {
                fail!("sendmsg took {sent} of {len} bytes");
            }
        }
        self.gather(layout)
    }

    /// Receives the result in pieces, and looks at what lies between them.
    fn gather(&self, layout: &Layout) -> Verdict<Vec<u8>> {
        let room: usize = layout.receives.iter().map(|(gap, len)| gap + len).sum();
        let mut arena = vec![CANARY; room + PAGE];
        // The kernel works page by page. From a place that the allocator chose, which tends to be
        // the same each time, some lengths would never be worked on as one.
        let start = arena.as_ptr().align_offset(PAGE);
        let arena = &mut arena[start..][..room];
        let mut slices = Vec::new();
        let mut rest = &mut *arena;
        for &(gap, len) in &layout.receives {
            let (piece, later) = rest.split_at_mut(gap).1.split_at_mut(len);
            slices.push(IoSliceMut::new(piece));
            rest = later;
        }
        let received = self.channel.receive(&mut slices).doing("recvmsg")?;
        if received != layout.len() {
            fail!("recvmsg returned {received} of {} bytes", layout.len());
        }

        let mut out = Vec::with_capacity(received);
        let mut rest = &*arena;
        for &(gap, len) in &layout.receives {
            let (before, later) = rest.split_at(gap);
            let (piece, later) = later.split_at(len);
            let (piece, behind) = piece.split_at(len.min(received - out.len()));
            rest = later;
            out.extend_from_slice(piece);
            if before.iter().chain(behind).any(|&byte| byte != CANARY) {
                fail!(
                    "bytes outside of the destination were written, near {}",
                    out.len()
                );
            }
        }
        Ok(out)
    }
}

/// How a message is cut up on its way in and out.
#[derive(Debug)]
struct Layout {
    /// Lengths of the pieces of each sendmsg.
    sends: Vec<Vec<usize>>,
    /// Gap and length of the pieces for recvmsg, from the start of a page on; together they may be
    /// longer than the message.
    receives: Vec<(usize, usize)>,
}

impl Layout {
    /// In one piece, received at the start of a page.
    fn whole(len: usize) -> Self {
        Self::whole_at(0, len)
    }

    /// In one piece, received at `offset` of a page.
    fn whole_at(offset: usize, len: usize) -> Self {
        Self {
            sends: vec![vec![len]],
            // Without room for more than the message, one of no bytes would not be worked on.
            receives: vec![(offset, len + BLOCK)],
        }
    }

    /// In pieces at random, from single bytes to pages, with gaps of up to 63 bytes.
    fn random(rng: &mut SmallRng, len: usize) -> Self {
        let mut sends: Vec<_> = cut(rng, len, len / 4 + 1)
            .into_iter()
            .map(|len| cut(rng, len, MAX_LEN))
            .collect();
        if sends.is_empty() {
            sends.push(vec![0]);
        }
        let receives = cut(rng, len + BLOCK, MAX_LEN)
            .into_iter()
            .map(|len| (rng.random_range(0..64), len))
            .collect();
        Self { sends, receives }
    }

    fn len(&self) -> usize {
        self.sends.iter().flatten().sum()
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} bytes sent as {:?}, received as (gap, length) {:?}",
            self.len(),
            self.sends,
            self.receives
        )
    }
}

/// Cuts `len` into pieces of at most `max` bytes: mostly less than a block, or long ones.
pub fn cut(rng: &mut SmallRng, len: usize, max: usize) -> Vec<usize> {
    // A message has at most UIO_MAXIOV (1024) pieces; the mean length is half of the limit.
    let limit = [BLOCK - 1, 4 * BLOCK - 1, 700, 4096][rng.random_range(0..4)]
        .max(len / 256)
        .min(max);
    let mut left = len;
    let mut pieces = Vec::new();
    while left > 0 {
        let piece = rng.random_range(1..=limit).min(left);
        pieces.push(piece);
        left -= piece;
    }
    pieces
}

pub fn bytes(rng: &mut SmallRng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng.fill(bytes.as_mut_slice());
    bytes
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares, and shows the first difference.
pub fn same(got: &[u8], expected: &[u8]) -> Verdict {
    if got == expected {
        return Ok(());
    }
    let at = got
        .iter()
        .zip(expected)
        .position(|(got, expected)| got != expected)
        .unwrap_or(got.len().min(expected.len()));
    let show = |bytes: &[u8]| hex(&bytes[at..bytes.len().min(at + BLOCK)]);
    fail!(
        "wrong at byte {at} of {}: got {}.., expected {}..",
        expected.len(),
        show(got),
        show(expected)
    )
}

/// Expects an operation to fail with a certain error.
pub fn refused<T>(what: &str, result: nix::Result<T>, expected: Errno) -> Verdict {
    match result {
        Err(errno) if errno == expected => Ok(()),
        Err(errno) => fail!("{what}: {errno:?}, expected {expected:?}"),
        Ok(_) => fail!("{what}: accepted, expected {expected:?}"),
    }
}

/// Puts the circumstances behind the reason of a failure.
pub trait DoingIn<T> {
    fn doing_in(self, what: &dyn Fn() -> String) -> Verdict<T>;
}

impl<T> DoingIn<T> for Verdict<T> {
    fn doing_in(self, what: &dyn Fn() -> String) -> Verdict<T> {
        self.map_err(|stop| match stop {
            Stop::Fail(reason) => Stop::Fail(format!("{reason}\n{}", what())),
            skip @ Stop::Skip(_) => skip,
        })
    }
}

/// The vectors are the block cipher's. A counter that is the plaintext makes them vectors of CTR.
fn known_answers(target: &Target<'_>) -> Verdict {
    let tfm = target.tfm()?;
    for Vector { key, plain, cipher } in target.family.vectors {
        let session = target.session(&tfm, key)?;
        let layout = Layout::whole(BLOCK);
        match target.mode {
            Mode::Ecb | Mode::Cbc | Mode::Xts => {
                let iv = [0; BLOCK];
                session.compare(Direction::Encrypt, iv, plain, cipher, &layout)?;
                session.compare(Direction::Decrypt, iv, cipher, plain, &layout)?;
            }
            Mode::Ctr => {
                let zero = [0; BLOCK];
                session.compare(Direction::Encrypt, *plain, &zero, cipher, &layout)?;
                session.compare(Direction::Decrypt, *plain, cipher, &zero, &layout)?;
            }
        }
    }
    Ok(())
}

/// Every short length, none included, and longer ones a stride apart; a key for each.
fn lengths(target: &Target<'_>) -> Verdict {
    const STRIDE: usize = 61;
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let lengths: Vec<_> = match target.mode {
        // Of these few are left, so there is time for all.
        Mode::Ecb | Mode::Cbc => (0..=MAX_LEN).step_by(BLOCK).collect(),
        Mode::Ctr | Mode::Xts => (target.mode.fit(0)..SMALL_LEN)
            .chain((SMALL_LEN..MAX_LEN).step_by(STRIDE))
            .chain([4095, 4096, 4097, MAX_LEN])
            .collect(),
    };
    for (len, key_size) in lengths.into_iter().zip(KEY_SIZES.into_iter().cycle()) {
        let key = target.key(&mut rng, key_size);
        let session = target.session(&tfm, &key)?;
        let layout = Layout::whole_at(rng.random_range(0..64), len);
        session.check(&mut rng, &layout)?;
    }
    Ok(())
}

/// Sources in several messages, destinations in pieces that split blocks.
fn scattered(target: &Target<'_>) -> Verdict {
    const ROUNDS: usize = 40;
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for key_size in KEY_SIZES {
        let session = target.session(&tfm, &target.key(&mut rng, key_size))?;
        for _ in 0..ROUNDS {
            let len = target.mode.fit(rng.random_range(0..=MAX_LEN));
            let layout = Layout::random(&mut rng, len);
            session.check(&mut rng, &layout)?;
        }
    }
    Ok(())
}

/// Requests of whole blocks, each taking up the IV of the one before, are one long message.
fn chained(target: &Target<'_>) -> Verdict {
    const ROUNDS: usize = 10;
    const REQUESTS: usize = 8;
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for key_size in KEY_SIZES {
        let session = target.session(&tfm, &target.key(&mut rng, key_size))?;
        for round in 0..ROUNDS {
            let direction = [Direction::Encrypt, Direction::Decrypt][round % 2];
            let iv: Iv = rng.random();
            let mut lens: Vec<_> = (0..REQUESTS)
                .map(|_| BLOCK * rng.random_range(0..=40))
                .collect();
            lens.push(target.mode.fit(rng.random_range(0..=40 * BLOCK)));

            let message = bytes(&mut rng, lens.iter().sum());
            let expected = session.expected(direction, &iv, &message);
            let what = || format!("{direction:?}, {key_size} byte key, requests of {lens:?}");

            let mut got = Vec::new();
            let mut begin = Begin::Anew(direction, target.mode.given(&iv));
            for &len in &lens {
                let data = &message[got.len()..][..len];
                let layout = Layout::random(&mut rng, len);
                got.extend(session.transform(begin, data, &layout).doing_in(&what)?);
                begin = Begin::Continued;
            }
            same(&got, &expected).doing_in(&what)?;
        }
    }
    Ok(())
}

/// Messages that are sent in pieces and received in between, as much as there is.
fn streamed(target: &Target<'_>) -> Verdict {
    const ROUNDS: usize = 15;
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for key_size in KEY_SIZES {
        let session = target.session(&tfm, &target.key(&mut rng, key_size))?;
        for round in 0..ROUNDS {
            let direction = [Direction::Encrypt, Direction::Decrypt][round % 2];
            let iv: Iv = rng.random();
            let len = target.mode.fit(rng.random_range(BLOCK..=MAX_LEN));
            let message = bytes(&mut rng, len);
            let sends = cut(&mut rng, len, 1000);
            let what = || format!("{direction:?}, {key_size} byte key, sent as {sends:?}");

            let channel = &session.channel;
            let mut got = Vec::new();
            let mut sent = 0;
            for &piece in &sends {
                let data = [IoSlice::new(&message[sent..][..piece])];
                let more = sent + piece < len;
                let taken = if sent == 0 {
                    channel.start(direction, target.mode.given(&iv), &data, more)
                } else {
                    channel.feed(&data, more)
                };
                let taken = taken.doing("sendmsg").doing_in(&what)?;
                sent += piece;
                if taken != piece {
                    fail!("sendmsg took {taken} of {piece} bytes\n{}", what());
                }
                // Less than a block is worked on only at the end, and waited for otherwise.
                while sent - got.len() >= BLOCK || (!more && sent > got.len()) {
                    let mut buf = vec![CANARY; rng.random_range(BLOCK..=600)];
                    let received = channel
                        .receive(&mut [IoSliceMut::new(&mut buf)])
                        .doing("recvmsg")
                        .doing_in(&what)?;
                    if received == 0 {
                        fail!("recvmsg returned nothing at {}\n{}", got.len(), what());
                    }
                    got.extend_from_slice(&buf[..received]);
                }
            }
            same(&got, &session.expected(direction, &iv, &message)).doing_in(&what)?;
        }
    }
    Ok(())
}

/// Around 64 KiB, and 256 KiB, received in several calls: the IV goes from one to the next.
fn large(target: &Target<'_>) -> Verdict {
    const K64: usize = 1 << 16;
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let session = target.session(&tfm, &target.key(&mut rng, KEY_SIZES[0]))?;
    let lengths = [K64 - 16, K64 - 1, K64, K64 + 1, K64 + 16, 4 * K64];
    for len in lengths {
        if target.mode.fit(len) != len {
            continue;
        }
        // The odd size makes the kernel leave part of the buffer unused.
        for chunk in [K64 / 4, 10007] {
            let what = || format!("{len} bytes received by {chunk}");
            let iv: Iv = rng.random();
            let message = bytes(&mut rng, len);
            let sent = session
                .channel
                .start(
                    Direction::Encrypt,
                    target.mode.given(&iv),
                    &[IoSlice::new(&message)],
                    false,
                )
                .doing("sendmsg")
                .doing_in(&what)?;
            if sent != len {
                fail!("sendmsg took {sent} bytes\n{}", what());
            }
            let mut got = Vec::new();
            while got.len() < len {
                let mut buf = vec![CANARY; chunk];
                let received = session
                    .channel
                    .receive(&mut [IoSliceMut::new(&mut buf)])
                    .doing("recvmsg")
                    .doing_in(&what)?;
                if received == 0 {
                    fail!("recvmsg returned nothing at {}\n{}", got.len(), what());
                }
                got.extend_from_slice(&buf[..received]);
            }
            same(&got, &session.expected(Direction::Encrypt, &iv, &message)).doing_in(&what)?;
        }
    }
    Ok(())
}

/// Counters of which the low bits wrap within a request, at every place in a batch.
fn counter_wrap(target: &Target<'_>) -> Verdict {
    const LEN: usize = (MAX_BATCH + 6) * BLOCK + 7;
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for (width, key_size) in [8, 16, 31, 32, 63, 64, 96, 127, 128]
        .into_iter()
        .zip(KEY_SIZES.into_iter().cycle())
    {
        let session = target.session(&tfm, &target.key(&mut rng, key_size))?;
        let low = u128::MAX >> (128 - width);
        for before in 0..=MAX_BATCH {
            // Zeros above the low bits show a carry that is made up, ones one that is lost.
            let high = [0, u128::MAX, rng.random()][before % 3] & !low;
            let iv = high | (low - before as u128);
            // The whole batch, and a length with which smaller ones come to that place.
            for len in [LEN, rng.random_range(before * BLOCK + 1..=LEN)] {
                let layout = Layout::whole_at(rng.random_range(0..64), len);
                session.check_with_iv(&mut rng, iv.to_be_bytes(), &layout)?;
            }
        }
    }
    Ok(())
}

/// One setkey serves both directions, in either order, and another replaces it.
fn rekeyed(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let layout = Layout::whole(35 * BLOCK);
    for key_size in [32, 16, 24, 16, 32] {
        let session = target.session(&tfm, &target.key(&mut rng, key_size))?;
        let iv: Iv = rng.random();
        let cipher = bytes(&mut rng, layout.len());
        let plain = session.expected(Direction::Decrypt, &iv, &cipher);
        session.compare(Direction::Decrypt, iv, &cipher, &plain, &layout)?;
        session.compare(Direction::Encrypt, iv, &plain, &cipher, &layout)?;
    }
    Ok(())
}

/// Threads share the key, each with a channel, and with it an IV, of its own.
fn threads(target: &Target<'_>) -> Verdict {
    const THREADS: u64 = 8;
    const ROUNDS: usize = 25;
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let key = target.key(&mut rng, KEY_SIZES[2]);
    tfm.set_key(&key).doing("setkey")?;

    let work = |thread: u64| {
        let mut rng = SmallRng::seed_from_u64(target.seed.wrapping_add(thread));
        let session = Session {
            mode: target.mode,
            key_bits: 8 * key.len(),
            channel: tfm.channel().doing("accept")?,
            reference: (target.family.reference)(target.mode, &key),
        };
        for _ in 0..ROUNDS {
            let len = target.mode.fit(rng.random_range(0..=2000));
            let layout = Layout::random(&mut rng, len);
            session.check(&mut rng, &layout)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (1..=THREADS)
            .map(|thread| scope.spawn(move || work(thread)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a panic ends the program"))
    })
}

/// Keys of all sizes but three are refused, before and after a good one.
fn keys_refused(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let sizes = KEY_SIZES.map(|size| target.mode.key_size(size));
    for size in (0..=65).chain([128, 256]) {
        let key = bytes(&mut rng, size);
        if sizes.contains(&size) {
            tfm.set_key(&key)
                .doing(format_args!("setkey of {size} bytes"))?;
        } else {
            let what = format!("setkey of {size} bytes");
            refused(&what, tfm.set_key(&key), Errno::EINVAL)?;
        }
    }
    Ok(())
}

fn expect_no_key(channel: &Channel, iv: Option<&[u8]>) -> Verdict {
    let data = [IoSlice::new(&[0; BLOCK])];
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        let result = channel.start(direction, iv, &data, false);
        refused("sendmsg without a key", result, Errno::ENOKEY)?;
    }
    let mut buf = [0; BLOCK];
    let result = channel.receive(&mut [IoSliceMut::new(&mut buf)]);
    refused("recvmsg without a key", result, Errno::ENOKEY)
}

/// Requests before the first setkey get `ENOKEY`; the channel serves once there is a key.
fn no_key(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let channel = tfm.channel().doing("accept")?;
    expect_no_key(&channel, target.mode.given(&[0; BLOCK]))?;

    let key = target.key(&mut rng, KEY_SIZES[0]);
    tfm.set_key(&key).doing("setkey")?;
    let session = Session {
        mode: target.mode,
        key_bits: 8 * key.len(),
        channel,
        reference: (target.family.reference)(target.mode, &key),
    };
    session.check(&mut rng, &Layout::whole(BLOCK))
}

/// A key that the cipher refuses takes the good one before it away (`crypto_skcipher_setkey`).
///
/// A size below the smallest or above the largest one does not get as far as the cipher. After it
/// the old key may still hold, as for skciphers, or not, as for lskciphers; but no other.
fn key_refused_later(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let [shortest, _, longest] = KEY_SIZES.map(|size| target.mode.key_size(size));
    for size in [
        shortest + 1,
        shortest + 7,
        longest - 7,
        longest - 1,
        0,
        shortest - 1,
        longest + 1,
    ] {
        let session = target.session(&tfm, &target.key(&mut rng, KEY_SIZES[1]))?;
        session.check(&mut rng, &Layout::whole(BLOCK))?;
        let Session {
            channel, reference, ..
        } = session;
        drop(channel);

        let what = format!("setkey of {size} bytes");
        refused(&what, tfm.set_key(&bytes(&mut rng, size)), Errno::EINVAL)?;
        let session = Session {
            mode: target.mode,
            key_bits: 8 * target.mode.key_size(KEY_SIZES[1]),
            channel: tfm.channel().doing("accept")?,
            reference,
        };
        let reached = (shortest..=longest).contains(&size);
        match session.check(&mut rng, &Layout::whole(BLOCK)) {
            Ok(()) if reached => fail!("the old key still holds after {what}"),
            Ok(()) => {}
            Err(_) => expect_no_key(&session.channel, target.mode.given(&[0; BLOCK]))
                .doing_in(&|| what.clone())?,
        }
    }
    let session = target.session(&tfm, &target.key(&mut rng, KEY_SIZES[2]))?;
    session.check(&mut rng, &Layout::whole(BLOCK))
}

/// Some modes take whole blocks only, or no less than one. A request refused leaves the channel in
/// order.
fn lengths_refused(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let session = target.session(&tfm, &target.key(&mut rng, KEY_SIZES[0]))?;
    let iv: Iv = rng.random();
    for len in [
        1,
        8,
        15,
        17,
        31,
        33,
        32 * BLOCK - 1,
        32 * BLOCK + 1,
        4095,
        4097,
    ] {
        if target.mode.fit(len) == len {
            continue;
        }
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let data = bytes(&mut rng, len);
            let sent = session
                .channel
                .start(
                    direction,
                    target.mode.given(&iv),
                    &[IoSlice::new(&data)],
                    false,
                )
                .doing("sendmsg")?;
            if sent != len {
                fail!("sendmsg took {sent} of {len} bytes");
            }
            let mut buf = vec![0; len];
            let result = session.channel.receive(&mut [IoSliceMut::new(&mut buf)]);
            refused(
                &format!("{direction:?} of {len} bytes"),
                result,
                Errno::EINVAL,
            )?;
            session.check(&mut rng, &Layout::whole(2 * BLOCK))?;
        }
    }
    Ok(())
}

/// An IV of another size than the cipher's, or one for a cipher that has none.
fn ivs_refused(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let session = target.session(&tfm, &target.key(&mut rng, KEY_SIZES[0]))?;
    let sizes: &[usize] = if target.mode.has_iv() {
        &[0, 1, 8, 12, 15, 17, 32]
    } else {
        &[1, 8, 16]
    };
    for &size in sizes {
        let data = [IoSlice::new(&[0; BLOCK])];
        let iv = bytes(&mut rng, size);
        let result = session
            .channel
            .start(Direction::Encrypt, Some(&iv), &data, false);
        refused(&format!("IV of {size} bytes"), result, Errno::EINVAL)?;
        session.check(&mut rng, &Layout::whole(3 * BLOCK))?;
    }
    Ok(())
}

/// A key for the tweak that is that of the data is no good, but it is only refused where the user
/// forbids it, which cannot be done from here.
fn equal_halves(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for key_size in KEY_SIZES {
        let key = bytes(&mut rng, key_size).repeat(2);
        let session = target.session(&tfm, &key)?;
        session.check(&mut rng, &Layout::whole(100))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::family;

    /// The reference is compared with the vectors, too, or a common error would go unseen.
    #[test]
    fn reference_knows_the_answers() {
        for family in ["aes", "aria", "camellia"].map(|name| family(name).unwrap()) {
            for Vector { key, plain, cipher } in family.vectors {
                let reference = (family.reference)(Mode::Ecb, key);
                let mut block = *plain;
                reference.apply(Mode::Ecb, Direction::Encrypt, &[0; BLOCK], &mut block);
                assert_eq!(block, *cipher);
                reference.apply(Mode::Ecb, Direction::Decrypt, &[0; BLOCK], &mut block);
                assert_eq!(block, *plain);
                let mut stream = [0; BLOCK];
                reference.apply(Mode::Ctr, Direction::Decrypt, plain, &mut stream);
                assert_eq!(stream, *cipher);
            }
        }
    }

    #[test]
    fn counter_has_128_bits() {
        let next = |iv, len| Mode::Ctr.next_iv(Direction::Encrypt, iv, &vec![0; len], &[]);
        let max = [0xff; BLOCK];
        assert_eq!(next(max, 1), Some([0; BLOCK]));
        assert_eq!(next(max, 0), Some(max));
        assert_eq!(next([0; BLOCK], 33).unwrap()[15], 3);
    }

    #[test]
    fn chaining_goes_by_ciphertext() {
        let next =
            |direction, from: &[u8]| Mode::Cbc.next_iv(direction, [9; BLOCK], from, &[2; 32]);
        assert_eq!(next(Direction::Encrypt, &[1; 32]), Some([2; BLOCK]));
        assert_eq!(next(Direction::Decrypt, &[1; 32]), Some([1; BLOCK]));
        assert_eq!(next(Direction::Decrypt, &[]), Some([9; BLOCK]));
    }

    #[test]
    fn modes_of_drivers() {
        assert_eq!(Mode::of_driver("ctr-aria-avx2"), Some(Mode::Ctr));
        assert_eq!(Mode::of_driver("ecb(camellia-generic)"), Some(Mode::Ecb));
        assert_eq!(Mode::of_driver("gcm-aria-avx2"), None);
        assert_eq!(Mode::of_driver("aria-rust"), None);
    }

    #[test]
    fn layouts_hold_the_message() {
        let mut rng = SmallRng::seed_from_u64(1);
        for len in [0, 1, 15, 16, 17, 4096, MAX_LEN] {
            for _ in 0..100 {
                let layout = Layout::random(&mut rng, len);
                assert_eq!(layout.len(), len);
                let room: usize = layout.receives.iter().map(|(_, len)| len).sum();
                assert!(room >= len);
                // UIO_MAXIOV
                assert!(layout.receives.len() <= 1024);
                assert!(layout.sends.iter().all(|send| send.len() <= 1024));
            }
        }
    }

    #[test]
    fn differences_are_shown() {
        assert_eq!(same(&[1, 2], &[1, 2]), Ok(()));
        for (got, expected) in [
            (&[1u8, 2][..], &[1u8, 3][..]),
            (&[1], &[1, 3]),
            (&[1, 3], &[1]),
        ] {
            let Err(Stop::Fail(reason)) = same(got, expected) else {
                panic!("{got:?} and {expected:?} are not the same");
            };
            assert!(reason.starts_with("wrong at byte 1 "), "{reason}");
        }
    }
}
