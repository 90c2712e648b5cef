// SPDX-License-Identifier: GPL-2.0

//! GCM of a block cipher with 16-byte blocks, through `AF_ALG`.
//!
//! As in [`super::skcipher`], source and destination are never the same. The kernel copies the
//! associated data to the destination; the driver has no part in that.

use std::io::{IoSlice, IoSliceMut};

use nix::errno::Errno;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::reference::Seal;
use super::skcipher::{bytes, cut, hex, refused, same, DoingIn, Family, CANARY, KEY_SIZES};
use crate::afalg::{Channel, Direction, Tfm};
use crate::ktap::{fail, Doing, Report, Stop, Verdict};
use crate::proc_crypto;

const TAG: usize = 16;
const MAX_TEXT: usize = 5000;

/// How keys and IVs of GCM are written down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format {
    Gcm,
    /// RFC 4106: the key ends with a salt, the associated data with the IV.
    Rfc4106,
}

impl Format {
    pub const ALL: [Self; 2] = [Self::Gcm, Self::Rfc4106];

    /// Name of the algorithm over a cipher.
    pub fn algorithm(self, cipher: &str) -> String {
        match self {
            Self::Gcm => format!("gcm({cipher})"),
            Self::Rfc4106 => format!("rfc4106(gcm({cipher}))"),
        }
    }

    /// The format of a driver by its name, such as `gcm-aria-avx2`.
    pub fn of_driver(driver: &str) -> Option<Self> {
        match driver.split(['-', '(', '_']).next() {
            Some("gcm") => Some(Self::Gcm),
            Some("rfc4106") => Some(Self::Rfc4106),
            _ => None,
        }
    }

    /// Bytes of the key that are none of the cipher's.
    pub fn salt_size(self) -> usize {
        match self {
            Self::Gcm => 0,
            Self::Rfc4106 => 4,
        }
    }

    pub fn iv_size(self) -> usize {
        12 - self.salt_size()
    }

    fn has_tag_size(self, size: usize) -> bool {
        match self {
            Self::Gcm => matches!(size, 4 | 8 | 12..=16),
            Self::Rfc4106 => matches!(size, 8 | 12 | 16),
        }
    }

    /// A length of associated data that the format takes.
    fn assoc_len(self, rng: &mut SmallRng) -> usize {
        match self {
            Self::Gcm => [0, 5, 13, 16, 20, 33, 300, 4099][rng.random_range(0..8)],
            Self::Rfc4106 => [16, 20][rng.random_range(0..2)],
        }
    }
}

type Body = fn(&Target<'_>) -> Verdict;

const CASES: &[(&str, Body)] = &[
    ("known answers", known_answers),
    ("lengths", lengths),
    ("scattered", scattered),
    ("large", large),
    ("tag sizes", tag_sizes),
    ("wrong tags", wrong_tags),
    ("wrong tag first", wrong_tag_first),
    ("one key both ways, then other sizes", rekeyed),
    ("key sizes refused", keys_refused),
    ("no key", no_key),
    ("associated data", assoc_lengths),
    ("shorter than a tag", too_short),
];

/// A cipher in a format, under the name by which the kernel is asked for it.
struct Target<'a> {
    family: &'a Family,
    format: Format,
    name: String,
    seed: u64,
    /// Whether what answers to the name is a driver of this project's.
    ours: bool,
}

/// Runs the suite under a name of an algorithm or a driver.
pub fn run(report: &mut Report, family: &Family, format: Format, name: &str, seed: u64) {
    let target = Target {
        family,
        format,
        name: name.into(),
        seed,
        ours: is_ours(name),
    };
    // If it is not there, that is one thing to be told, not one per case.
    if let Err(stop) = target.tfm() {
        return report.case(name, |_| Err(stop));
    }
    report.group(name, CASES.len(), |report| {
        for (case, body) in CASES {
            report.case(case, |_| body(&target));
        }
    });
}

/// Whether the best driver with this name, or for this algorithm, is in a module "..._rust".
fn is_ours(name: &str) -> bool {
    let mut found = proc_crypto::read().unwrap_or_default();
    found.retain(|found| found.driver == name || found.name == name);
    let best = found.into_iter().max_by_key(|found| found.priority);
    best.is_some_and(|best| best.module.ends_with("_rust"))
}

impl Target<'_> {
    fn rng(&self) -> SmallRng {
        SmallRng::seed_from_u64(self.seed)
    }

    fn tfm(&self) -> Verdict<Tfm> {
        Tfm::aead(&self.name).map_err(|errno| match errno {
            Errno::EAFNOSUPPORT => Stop::Skip("the kernel has no AF_ALG".into()),
            errno => Stop::Fail(format!("bind: {errno}")),
        })
    }

    /// Sets a random key for the kernel's cipher and the reference.
    fn session(
        &self,
        tfm: &Tfm,
        rng: &mut SmallRng,
        key_size: usize,
        tag_size: usize,
    ) -> Verdict<Session> {
        let key = bytes(rng, key_size + self.format.salt_size());
        self.session_with(tfm, &key, tag_size)
    }

    fn session_with(&self, tfm: &Tfm, key: &[u8], tag_size: usize) -> Verdict<Session> {
        tfm.set_key(key)
            .doing(format_args!("setkey of {} bytes", key.len()))?;
        tfm.set_tag_size(tag_size)
            .doing(format_args!("tag of {tag_size} bytes"))?;
        let (cipher, salt) = key.split_at(key.len() - self.format.salt_size());
        Ok(Session {
            format: self.format,
            tag_size,
            ours: self.ours,
            salt: salt.to_vec(),
            channel: tfm.channel().doing("accept")?,
            reference: (self.family.gcm)(cipher),
        })
    }
}

/// A channel to the kernel's cipher, and the reference with the same key.
struct Session {
    format: Format,
    tag_size: usize,
    ours: bool,
    salt: Vec<u8>,
    channel: Channel,
    reference: Box<dyn Seal>,
}

/// A message in both states.
struct Message {
    iv: Vec<u8>,
    assoc_len: usize,
    /// Associated data, text.
    plain: Vec<u8>,
    /// Associated data, encrypted text, tag.
    sealed: Vec<u8>,
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (assoc_len, len, iv) = (self.assoc_len, self.plain.len(), hex(&self.iv));
        write!(f, "{assoc_len} of {len} bytes associated, iv {iv}")
    }
}

impl Session {
    /// Draws a message, and has the reference seal it.
    fn draw(&self, rng: &mut SmallRng, assoc_len: usize, text_len: usize) -> Message {
        let iv = bytes(rng, self.format.iv_size());
        let mut plain = bytes(rng, assoc_len + text_len);
        let mut real_assoc = assoc_len;
        if self.format == Format::Rfc4106 && assoc_len >= iv.len() {
            // As IPsec has it; the drivers read the IV at its own place.
            real_assoc -= iv.len();
            plain[real_assoc..assoc_len].copy_from_slice(&iv);
        }
        let nonce = [self.salt.as_slice(), &iv].concat();
        let nonce = nonce.as_slice().try_into().expect("12 bytes");
        let mut sealed = plain.clone();
        let (assoc, text) = sealed.split_at_mut(assoc_len);
        let tag = self.reference.seal(nonce, &assoc[..real_assoc], text);
        sealed.extend_from_slice(&tag[..self.tag_size]);
        Message {
            iv,
            assoc_len,
            plain,
            sealed,
        }
    }

    /// Seals and opens a random message.
    fn check(&self, rng: &mut SmallRng, assoc_len: usize, text_len: usize) -> Verdict {
        let message = self.draw(rng, assoc_len, text_len);
        let what = || message.to_string();
        let Message { plain, sealed, .. } = &message;

        for (direction, from, to) in [
            (Direction::Encrypt, plain, sealed),
            (Direction::Decrypt, sealed, plain),
        ] {
            let (result, arena) = self.transform(rng, direction, &message, from, to.len())?;
            let received = result.doing("recvmsg").doing_in(&what)?;
            if received != to.len() {
                fail!(
                    "{direction:?}: recvmsg returned {received} of {} bytes\n{message}",
                    to.len()
                );
            }
            same(&arena.bytes()[..received], to).doing_in(&what)?;
            arena.check_gaps(received).doing_in(&what)?;
        }
        Ok(())
    }

    /// A forged message is refused, and of our drivers nothing of its text is left in the
    /// destination.
    fn check_forged(&self, rng: &mut SmallRng, message: &Message, forged: &[u8]) -> Verdict {
        let what = || message.to_string();
        let len = message.plain.len();
        let (result, arena) = self.transform(rng, Direction::Decrypt, message, forged, len)?;
        refused("recvmsg of a forged message", result, Errno::EBADMSG).doing_in(&what)?;
        let bytes = arena.bytes();
        let text = &bytes[message.assoc_len..len];
        if self.ours
            && [0, CANARY]
                .iter()
                .all(|left| text.iter().any(|byte| byte != left))
        {
            fail!("refused, and text is left: {}\n{message}", hex(text));
        }
        arena.check_gaps(len).doing_in(&what)
    }

    /// Makes a request, whose result of `len` bytes is scattered over memory.
    fn transform(
        &self,
        rng: &mut SmallRng,
        direction: Direction,
        message: &Message,
        from: &[u8],
        len: usize,
    ) -> Verdict<(nix::Result<usize>, Arena)> {
        let mut rest = from;
        let slices: Vec<_> = cut(rng, from.len(), MAX_TEXT)
            .into_iter()
            .map(|len| {
                let (piece, behind) = rest.split_at(len);
                rest = behind;
                IoSlice::new(piece)
            })
            .collect();
        let sent = self
            .channel
            .start_aead(direction, &message.iv, message.assoc_len as u32, &slices)
            .doing("sendmsg")?;
        if sent != from.len() {
            fail!("sendmsg took {sent} of {} bytes", from.len());
        }
        let mut arena = Arena::new(rng, len);
        let result = self.channel.receive(&mut arena.slices());
        Ok((result, arena))
    }
}

/// Where a result goes: pieces of memory with gaps between.
struct Arena {
    memory: Vec<u8>,
    /// Gap before, and length.
    pieces: Vec<(usize, usize)>,
}

impl Arena {
    fn new(rng: &mut SmallRng, len: usize) -> Self {
        // Without room for more than the message, one of no bytes would not be worked on.
        let pieces: Vec<_> = cut(rng, len + TAG, MAX_TEXT)
            .into_iter()
            .map(|len| (rng.random_range(0..64), len))
            .collect();
        let memory = vec![CANARY; pieces.iter().map(|(gap, len)| gap + len).sum()];
        Self { memory, pieces }
    }

    fn slices(&mut self) -> Vec<IoSliceMut<'_>> {
        let mut rest = self.memory.as_mut_slice();
        let mut slices = Vec::new();
        for &(gap, len) in &self.pieces {
            let (piece, behind) = rest.split_at_mut(gap).1.split_at_mut(len);
            slices.push(IoSliceMut::new(piece));
            rest = behind;
        }
        slices
    }

    /// What the pieces hold.
    fn bytes(&self) -> Vec<u8> {
        self.parts().flat_map(|(_, piece)| piece).copied().collect()
    }

    /// The gaps and the pieces behind them.
    fn parts(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut rest = self.memory.as_slice();
        self.pieces.iter().map(move |&(gap, len)| {
            let (gap, behind) = rest.split_at(gap);
            let (piece, behind) = behind.split_at(len);
            rest = behind;
            (gap, piece)
        })
    }

    /// Nothing but `len` bytes of the pieces was written.
    fn check_gaps(&self, len: usize) -> Verdict {
        let behind = self.bytes().split_off(len);
        let mut outside = self.parts().flat_map(|(gap, _)| gap).chain(&behind);
        if outside.any(|&byte| byte != CANARY) {
            fail!("bytes outside of the destination were written");
        }
        Ok(())
    }
}

/// The vectors are the block cipher's in GCM.
fn known_answers(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for vector in target.family.gcm_vectors {
        let (key, iv) = match target.format {
            Format::Gcm => (vector.key.to_vec(), vector.iv.to_vec()),
            Format::Rfc4106 => {
                let (salt, iv) = vector.iv.split_at(4);
                ([vector.key, salt].concat(), iv.to_vec())
            }
        };
        // With the IV behind it, which in the other format is none of it.
        let tail = match target.format {
            Format::Gcm => Vec::new(),
            Format::Rfc4106 => iv.clone(),
        };
        let assoc = [vector.assoc, &tail].concat();
        if target.format == Format::Rfc4106 && !matches!(assoc.len(), 16 | 20) {
            continue;
        }
        let session = target.session_with(&tfm, &key, TAG)?;
        let message = Message {
            iv,
            assoc_len: assoc.len(),
            plain: [&assoc, vector.plain].concat(),
            sealed: [&assoc, vector.sealed].concat(),
        };
        let Message { plain, sealed, .. } = &message;
        let (result, arena) =
            session.transform(&mut rng, Direction::Encrypt, &message, plain, sealed.len())?;
        result.doing("recvmsg")?;
        same(&arena.bytes()[..sealed.len()], sealed)?;
    }
    Ok(())
}

/// Every short length of text, none included, and longer ones a stride apart; a key for each.
fn lengths(target: &Target<'_>) -> Verdict {
    const SMALL: usize = 68 * 16;
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let lengths = (0..SMALL).chain((SMALL..MAX_TEXT).step_by(61));
    for (len, key_size) in lengths.zip(KEY_SIZES.into_iter().cycle()) {
        let session = target.session(&tfm, &mut rng, key_size, TAG)?;
        let assoc_len = target.format.assoc_len(&mut rng);
        session.check(&mut rng, assoc_len, len)?;
    }
    Ok(())
}

fn scattered(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for key_size in KEY_SIZES {
        let session = target.session(&tfm, &mut rng, key_size, TAG)?;
        for _ in 0..40 {
            let assoc_len = match target.format {
                Format::Gcm => rng.random_range(0..=1000),
                Format::Rfc4106 => 20,
            };
            let len = rng.random_range(0..=MAX_TEXT);
            session.check(&mut rng, assoc_len, len)?;
        }
    }
    Ok(())
}

/// As much as goes into one request.
fn large(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let session = target.session(&tfm, &mut rng, KEY_SIZES[0], TAG)?;
    for len in [(1 << 16) - 32, (1 << 16) - 1, 1 << 16] {
        session.check(&mut rng, 16, len)?;
    }
    Ok(())
}

/// Sizes that there are, and all others up to twice a block.
fn tag_sizes(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for size in 0..=2 * TAG {
        if target.format.has_tag_size(size) {
            let session = target.session(&tfm, &mut rng, KEY_SIZES[1], size)?;
            session.check(&mut rng, 16, 100)?;
            session.check(&mut rng, 20, 0)?;
        } else {
            refused(
                &format!("tag of {size} bytes"),
                tfm.set_tag_size(size),
                Errno::EINVAL,
            )?;
        }
    }
    Ok(())
}

/// A bit of a message is wrong, in any byte of its tag, in its text, in its associated data.
fn wrong_tags(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for size in (0..=TAG).filter(|size| target.format.has_tag_size(*size)) {
        let session = target.session(&tfm, &mut rng, KEY_SIZES[size % 3], size)?;
        for len in [0, 1, 16, 100, 1040, 4096 + 77] {
            let message = session.draw(&mut rng, 16, len);
            // The IV at the end of what is associated in RFC 4106 is not authenticated.
            let authenticated = match target.format {
                Format::Gcm => 16,
                Format::Rfc4106 => 8,
            };
            let mut places = vec![rng.random_range(0..authenticated)];
            places.extend((len > 0).then(|| 16 + rng.random_range(0..len)));
            places.extend(16 + len..16 + len + size);
            for place in places {
                let mut forged = message.sealed.clone();
                forged[place] ^= 1 << rng.random_range(0..8);
                session.check_forged(&mut rng, &message, &forged)?;
            }
            session.check(&mut rng, 16, len)?;
        }
    }
    Ok(())
}

/// The first message of a tfm has a wrong tag, for each size of tags.
fn wrong_tag_first(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    for size in (0..=TAG).filter(|size| target.format.has_tag_size(*size)) {
        let tfm = target.tfm()?;
        let session = target.session(&tfm, &mut rng, KEY_SIZES[0], size)?;
        let message = session.draw(&mut rng, 20, 64);
        let mut forged = message.sealed.clone();
        *forged.last_mut().expect("there is a tag") ^= 1;
        session.check_forged(&mut rng, &message, &forged)?;
    }
    Ok(())
}

/// One setkey serves both directions, and another replaces it.
fn rekeyed(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    for key_size in [32, 16, 24, 16, 32] {
        let session = target.session(&tfm, &mut rng, key_size, TAG)?;
        session.check(&mut rng, 16, 35 * 16)?;
    }
    Ok(())
}

fn keys_refused(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let sizes = KEY_SIZES.map(|size| size + target.format.salt_size());
    for size in (0..=65).chain([128, 256]) {
        let key = bytes(&mut rng, size);
        if sizes.contains(&size) {
            tfm.set_key(&key)
                .doing(format_args!("setkey of {size} bytes"))?;
        } else {
            let what = format!("setkey of {size} bytes");
            refused(&what, tfm.set_key(&key), Errno::EINVAL)?;
            // What was set before holds no longer.
            let channel = tfm.channel().doing("accept")?;
            let iv = vec![0; target.format.iv_size()];
            let data = [IoSlice::new(&[0; 64])];
            let result = channel.start_aead(Direction::Encrypt, &iv, 16, &data);
            refused("sendmsg without a key", result, Errno::ENOKEY)?;
        }
    }
    Ok(())
}

fn no_key(target: &Target<'_>) -> Verdict {
    let tfm = target.tfm()?;
    let channel = tfm.channel().doing("accept")?;
    let iv = vec![0; target.format.iv_size()];
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        let result = channel.start_aead(direction, &iv, 16, &[IoSlice::new(&[0; 64])]);
        refused("sendmsg without a key", result, Errno::ENOKEY)?;
    }
    let mut buf = [0; 64];
    let result = channel.receive(&mut [IoSliceMut::new(&mut buf)]);
    refused("recvmsg without a key", result, Errno::ENOKEY)
}

/// All short lengths of associated data; for RFC 4106 there are two.
fn assoc_lengths(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    let tfm = target.tfm()?;
    let session = target.session(&tfm, &mut rng, KEY_SIZES[0], TAG)?;
    for assoc_len in (0..=64).chain([255, 256, 257, 4095, 4096, 4097, 9000]) {
        if target.format == Format::Gcm || matches!(assoc_len, 16 | 20) {
            session.check(&mut rng, assoc_len, 40)?;
            session.check(&mut rng, assoc_len, 0)?;
        } else {
            let message = session.draw(&mut rng, assoc_len, 40);
            for (direction, from, to) in [
                (Direction::Encrypt, &message.plain, message.sealed.len()),
                (Direction::Decrypt, &message.sealed, message.plain.len()),
            ] {
                let (result, arena) = session.transform(&mut rng, direction, &message, from, to)?;
                refused(
                    &format!("{assoc_len} bytes associated"),
                    result,
                    Errno::EINVAL,
                )?;
                let text = &arena.bytes()[assoc_len..];
                if text.iter().any(|&byte| byte != CANARY) {
                    fail!("refused, but something was written");
                }
            }
        }
    }
    Ok(())
}

/// Less than a tag behind the associated data: refused by the one call or the other.
fn too_short(target: &Target<'_>) -> Verdict {
    let mut rng = target.rng();
    for len in 16..16 + TAG {
        let tfm = target.tfm()?;
        let session = target.session(&tfm, &mut rng, KEY_SIZES[0], TAG)?;
        let Message { iv, sealed, .. } = session.draw(&mut rng, 16, 0);
        let data = [IoSlice::new(&sealed[..len])];
        let channel = &session.channel;
        let mut buf = [CANARY; 64];
        let result = channel
            .start_aead(Direction::Decrypt, &iv, 16, &data)
            .and_then(|_| channel.receive(&mut [IoSliceMut::new(&mut buf)]));
        refused(&format!("{len} bytes"), result, Errno::EINVAL)?;
        if buf.iter().any(|&byte| byte != CANARY) {
            fail!("refused, but something was written");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::family;

    #[test]
    fn formats_of_drivers() {
        assert_eq!(Format::of_driver("gcm-aria-avx2"), Some(Format::Gcm));
        let rfc4106 = Some(Format::Rfc4106);
        assert_eq!(Format::of_driver("rfc4106-gcm-aria-avx2"), rfc4106);
        assert_eq!(
            Format::of_driver("gcm_base(ctr-aria-avx2,ghash-lib)"),
            Some(Format::Gcm)
        );
        assert_eq!(Format::of_driver("ctr-aria-avx2"), None);
    }

    /// The reference is compared with the vectors, too, or a common error would go unseen.
    #[test]
    fn reference_knows_the_answers() {
        for family in ["aes", "aria", "camellia"].map(|name| family(name).unwrap()) {
            for vector in family.gcm_vectors {
                let reference = (family.gcm)(vector.key);
                let mut text = vector.plain.to_vec();
                let tag = reference.seal(&vector.iv, vector.assoc, &mut text);
                assert_eq!([text.as_slice(), &tag].concat(), vector.sealed);
            }
        }
    }

    #[test]
    fn arenas_tell_what_was_written() {
        let mut rng = SmallRng::seed_from_u64(1);
        for len in [0, 1, 100, 3000] {
            let mut arena = Arena::new(&mut rng, len);
            assert_eq!(arena.check_gaps(len), Ok(()));
            let mut left = len;
            for slice in arena.slices() {
                let n = left.min(slice.len());
                let mut slice = slice;
                slice[..n].fill(1);
                left -= n;
            }
            assert_eq!(arena.bytes()[..len], vec![1; len]);
            assert_eq!(arena.check_gaps(len), Ok(()));
            if len > 0 {
                assert!(arena.check_gaps(len - 1).is_err());
            }
        }
    }
}
