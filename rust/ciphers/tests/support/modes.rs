// SPDX-License-Identifier: GPL-2.0

//! Tests of modes over a block cipher, the same for every cipher and tier.

use std::{cell::RefCell, mem::MaybeUninit, ops::Range};

use rand::{rngs::StdRng, Rng, RngExt};
use rfl_ciphers::{
    inout::InOut,
    simd::Cpu,
    tier::{scalar, Block, BlockCipher, InvalidKeyLength, KeyOf, Tier, BLOCK_SIZE},
};

use super::{cpu, guarded::Guarded, seeded, Suite};

/// Somebody else's implementation of a cipher, for one key.
pub trait Peer {
    /// Encrypts one block.
    fn encrypt(&self, block: &mut Block);
    /// Decrypts one block.
    fn decrypt(&self, block: &mut Block);
    /// XORs the key stream that begins at `counter`.
    fn ctr(&self, counter: &Block, data: &mut [u8]);
}

/// A cipher and what to test it by.
pub trait Subject: BlockCipher {
    /// All lengths of key, in bytes.
    const KEY_LENGTHS: &'static [usize];

    /// Makes a peer for a key, which has one of those lengths.
    fn peer(key: &[u8]) -> Box<dyn Peer>;
}

/// An implementation of the modes, remainders included.
pub trait Modes {
    /// The cipher.
    type Cipher: Subject;

    /// Blocks that are done together.
    const BATCH: usize;

    /// Encrypts the whole blocks of `data` and returns the rest.
    fn ecb_encrypt<'a>(&self, key: &KeyFor<Self>, data: InOut<'a>) -> InOut<'a>;
    /// Decrypts the whole blocks of `data` and returns the rest.
    fn ecb_decrypt<'a>(&self, key: &KeyFor<Self>, data: InOut<'a>) -> InOut<'a>;
    /// XORs the key stream that begins at `counter`, and advances it.
    fn ctr(&self, key: &KeyFor<Self>, counter: &mut Block, data: InOut<'_>);
}

type KeyFor<M> = <<M as Modes>::Cipher as BlockCipher>::Key;

/// The scalar code alone.
pub struct Scalar<C>(std::marker::PhantomData<C>);

impl<C: Subject> Modes for Scalar<C> {
    type Cipher = C;

    const BATCH: usize = 1;

    fn ecb_encrypt<'a>(&self, key: &C::Key, data: InOut<'a>) -> InOut<'a> {
        scalar::ecb_encrypt::<C>(key, data)
    }

    fn ecb_decrypt<'a>(&self, key: &C::Key, data: InOut<'a>) -> InOut<'a> {
        scalar::ecb_decrypt::<C>(key, data)
    }

    fn ctr(&self, key: &C::Key, counter: &mut Block, data: InOut<'_>) {
        scalar::ctr::<C>(key, counter, data);
    }
}

/// A tier, and the scalar code for its remainders. Its scratch ends at a guard page.
pub struct Vector<T: Tier> {
    cpu: Cpu<T::Features>,
    scratch: RefCell<Guarded>,
}

impl<T: Tier> Vector<T> {
    /// Lends the tier its scratch, and vector registers.
    fn with<R>(
        &self,
        f: impl FnOnce(rfl_ciphers::simd::Simd<'_, T::Features>, &mut MaybeUninit<T::Scratch>) -> R,
    ) -> R {
        let mut memory = self.scratch.borrow_mut();
        let bytes = memory.bytes();
        let start = bytes.len() - size_of::<T::Scratch>();
        let scratch = bytes[start..]
            .as_mut_ptr()
            .cast::<MaybeUninit<T::Scratch>>();
        assert!(scratch.is_aligned());
        // SAFETY: There are as many bytes up to the end of the page, aligned and borrowed.
        let scratch = unsafe { &mut *scratch };
        cpu::with_simd(self.cpu, |simd| f(simd, scratch))
    }
}

impl<T: Tier<Cipher: Subject>> Modes for Vector<T> {
    type Cipher = T::Cipher;

    const BATCH: usize = T::BATCH / BLOCK_SIZE;

    fn ecb_encrypt<'a>(&self, key: &KeyOf<T>, data: InOut<'a>) -> InOut<'a> {
        let rest = self.with(|simd, scratch| T::ecb_encrypt(simd, key, scratch, data));
        scalar::ecb_encrypt::<T::Cipher>(key, rest)
    }

    fn ecb_decrypt<'a>(&self, key: &KeyOf<T>, data: InOut<'a>) -> InOut<'a> {
        let rest = self.with(|simd, scratch| T::ecb_decrypt(simd, key, scratch, data));
        scalar::ecb_decrypt::<T::Cipher>(key, rest)
    }

    fn ctr(&self, key: &KeyOf<T>, counter: &mut Block, data: InOut<'_>) {
        let rest = self.with(|simd, scratch| T::ctr(simd, key, scratch, counter, data));
        scalar::ctr::<T::Cipher>(key, counter, rest);
    }
}

/// Makes a key schedule of zero bytes, as a kernel does.
fn zeroed_key<C: BlockCipher>() -> Box<C::Key> {
    // SAFETY: `Context`, which keys are, promises that zero bytes are a value.
    unsafe { Box::new(MaybeUninit::zeroed().assume_init()) }
}

/// Makes the key schedule of `bytes`.
pub fn key<C: BlockCipher>(bytes: &[u8]) -> Box<C::Key> {
    let mut key = zeroed_key::<C>();
    C::set_key(&mut key, bytes).expect("the length is one of KEY_LENGTHS");
    key
}

fn random_bytes(rng: &mut StdRng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng.fill_bytes(&mut bytes);
    bytes
}

fn random_key<C: Subject>(rng: &mut StdRng) -> Vec<u8> {
    let which = rng.random_range(0..C::KEY_LENGTHS.len());
    random_bytes(rng, C::KEY_LENGTHS[which])
}

/// What to do with some bytes.
#[derive(Clone, Copy, Debug)]
enum Op {
    Encrypt,
    Decrypt,
    Ctr(Block),
}

impl Op {
    fn all(rng: &mut StdRng) -> [Self; 3] {
        [Self::Encrypt, Self::Decrypt, Self::Ctr(rng.random())]
    }

    /// Has the peer do it.
    fn expect(self, peer: &dyn Peer, data: &mut [u8]) {
        let block = |bytes: &mut [u8]| -> Block { (&*bytes).try_into().unwrap() };
        match self {
            Self::Ctr(counter) => peer.ctr(&counter, data),
            Self::Encrypt | Self::Decrypt => {
                for bytes in data.chunks_exact_mut(BLOCK_SIZE) {
                    let mut text = block(bytes);
                    if matches!(self, Self::Encrypt) {
                        peer.encrypt(&mut text);
                    } else {
                        peer.decrypt(&mut text);
                    }
                    bytes.copy_from_slice(&text);
                }
            }
        }
    }

    /// How many of `len` bytes it writes.
    fn written(self, len: usize) -> usize {
        match self {
            Self::Ctr(_) => len,
            Self::Encrypt | Self::Decrypt => len - len % BLOCK_SIZE,
        }
    }

    /// Has `modes` do it, in as many calls as there are `pieces`.
    fn run<M: Modes>(self, modes: &M, key: &KeyFor<M>, data: InOut<'_>, pieces: &[usize]) {
        let mut rest = data;
        let mut state = self;
        for len in pieces {
            let (piece, behind) = rest.split_at(*len);
            rest = behind;
            let (done, left) = (state.written(piece.len()), piece.len());
            let undone = match &mut state {
                Self::Encrypt => modes.ecb_encrypt(key, piece),
                Self::Decrypt => modes.ecb_decrypt(key, piece),
                Self::Ctr(counter) => {
                    let before = u128::from_be_bytes(*counter);
                    modes.ctr(key, counter, piece);
                    let blocks = left.div_ceil(BLOCK_SIZE) as u128;
                    let after = before.wrapping_add(blocks).to_be_bytes();
                    assert_eq!(*counter, after, "counter after {blocks} blocks");
                    continue;
                }
            };
            assert_eq!(undone.len(), left - done);
        }
        assert!(rest.is_empty());
    }
}

/// Where a run lies in its memory.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Right behind the guard page in front.
    First,
    /// Right before the guard page behind.
    Last,
    /// So many bytes into it.
    At(usize),
}

impl Place {
    fn range(self, len: usize, memory: &[u8]) -> Range<usize> {
        let start = match self {
            Self::First => 0,
            Self::Last => memory.len() - len,
            Self::At(offset) => offset,
        };
        start..start + len
    }
}

/// Memory for source and destination.
struct Bench {
    src: Guarded,
    dst: Guarded,
}

/// Longest run that a [`Bench`] has room for at any [`Place`].
const LONGEST: usize = 5000;

impl Bench {
    fn new() -> Self {
        Self {
            src: Guarded::new(LONGEST + 64),
            dst: Guarded::new(LONGEST + 64),
        }
    }

    /// Compares `modes` with the peer, for a random key and random data.
    ///
    /// `places` are those of source and destination; without the second it is done in place.
    fn compare<M: Modes>(
        &mut self,
        modes: &M,
        rng: &mut StdRng,
        op: Op,
        pieces: &[usize],
        places: (Place, Option<Place>),
    ) {
        let len = pieces.iter().sum::<usize>();
        let key_bytes = random_key::<M::Cipher>(rng);
        let peer = M::Cipher::peer(&key_bytes);
        let key = key::<M::Cipher>(&key_bytes);
        let case = format!(
            "{op:?}, key {} bytes, {pieces:?}, {places:?}",
            key_bytes.len()
        );

        let (src, dst) = (self.src.bytes(), self.dst.bytes());
        rng.fill_bytes(src);
        rng.fill_bytes(dst);
        let src_range = places.0.range(len, src);
        let mut result = src[src_range.clone()].to_vec();
        op.expect(&*peer, &mut result);
        let result = &result[..op.written(len)];

        // What the memory must look like afterwards, the bytes around the run included.
        let (mut src_after, mut dst_after) = (src.to_vec(), dst.to_vec());
        let data = match places.1 {
            Some(place) => {
                let dst_range = place.range(len, dst);
                dst_after[dst_range.clone()][..result.len()].copy_from_slice(result);
                InOut::new(&src[src_range], &mut dst[dst_range]).unwrap()
            }
            None => {
                src_after[src_range.clone()][..result.len()].copy_from_slice(result);
                InOut::in_place(&mut src[src_range])
            }
        };
        op.run(modes, &key, data, pieces);
        assert!(src == src_after, "source memory: {case}");
        assert!(dst == dst_after, "destination memory: {case}");
    }
}

/// Every length up to a few batches, against either guard page, and some longer ones.
fn lengths<M: Modes>(modes: &M, rng: &mut StdRng) {
    let mut bench = Bench::new();
    let all = (M::BATCH * BLOCK_SIZE * 2 + 2 * BLOCK_SIZE).max(20 * BLOCK_SIZE);
    let some = [(); 100].map(|()| rng.random_range(0..=LONGEST));
    for len in (0..=all).chain(some) {
        for op in Op::all(rng) {
            let apart = rng.random_bool(0.5);
            for place in [Place::First, Place::Last] {
                bench.compare(modes, rng, op, &[len], (place, apart.then_some(place)));
            }
        }
    }
}

/// Every alignment of source and of destination.
fn alignments<M: Modes>(modes: &M, rng: &mut StdRng) {
    let mut bench = Bench::new();
    for offset in 0..64 {
        for op in Op::all(rng) {
            let len = M::BATCH * BLOCK_SIZE + rng.random_range(0..64);
            let (here, there) = (Place::At(offset), Place::At(rng.random_range(0..64)));
            bench.compare(modes, rng, op, &[len], (here, None));
            bench.compare(modes, rng, op, &[len], (here, Some(there)));
            bench.compare(modes, rng, op, &[len], (there, Some(here)));
        }
    }
}

/// Counters whose low bits are about to wrap, within any block of a batch or behind it.
fn counter_wraps<M: Modes>(modes: &M, rng: &mut StdRng) {
    let mut bench = Bench::new();
    let blocks = M::BATCH.max(8) + 4;
    for bits in [
        7, 8, 9, 15, 16, 24, 31, 32, 33, 40, 63, 64, 65, 72, 96, 120, 127, 128,
    ] {
        for before in 0..=blocks {
            let low = u128::MAX >> (128 - bits);
            let counter = (rng.random::<u128>() & !low) | low.wrapping_sub(before as u128);
            let op = Op::Ctr(counter.to_be_bytes());
            let len = 2 * blocks * BLOCK_SIZE - rng.random_range(0..BLOCK_SIZE);
            bench.compare(modes, rng, op, &[len], (Place::Last, None));
        }
    }
}

/// Runs that are cut in pieces, between blocks.
fn splits<M: Modes>(modes: &M, rng: &mut StdRng) {
    let mut bench = Bench::new();
    for _ in 0..100 {
        let mut pieces = Vec::new();
        let mut room = LONGEST / BLOCK_SIZE;
        while room > 0 {
            let blocks = rng.random_range(0..=room.min(3 * M::BATCH.max(4)));
            pieces.push(blocks * BLOCK_SIZE);
            room = room.saturating_sub(blocks.max(1));
        }
        for op in Op::all(rng) {
            let apart = rng.random_bool(0.5).then_some(Place::First);
            bench.compare(modes, rng, op, &pieces, (Place::Last, apart));
        }
    }
}

/// The tier takes every whole batch and nothing else.
fn takes_whole_batches<T: Tier<Cipher: Subject>>(tier: &Vector<T>, rng: &mut StdRng) {
    let key = key::<T::Cipher>(&random_key::<T::Cipher>(rng));
    for len in 0..3 * T::BATCH + BLOCK_SIZE {
        let (mut data, whole) = (random_bytes(rng, len), len - len % T::BATCH);
        let behind = data[whole..].to_vec();
        let mut counter = [0xff; BLOCK_SIZE];
        let op = rng.random_range(0..3);
        let rest = tier.with(|simd, scratch| {
            let data = InOut::in_place(&mut data);
            match op {
                0 => T::ecb_encrypt(simd, &key, scratch, data),
                1 => T::ecb_decrypt(simd, &key, scratch, data),
                _ => T::ctr(simd, &key, scratch, &mut counter, data),
            }
        });
        let (rest_len, rest_at) = (rest.len(), rest.src());
        assert_eq!(rest_len, len - whole);
        assert_eq!(rest_at, data[whole..].as_ptr());
        assert_eq!(data[whole..], behind);
        if op == 2 {
            let blocks = (whole / BLOCK_SIZE) as u128;
            assert_eq!(u128::from_be_bytes(counter), u128::MAX.wrapping_add(blocks));
        }
    }
}

/// Lengths of key that do not exist are refused, and the old key stays.
fn refuses_keys<C: Subject>(rng: &mut StdRng) {
    for good in C::KEY_LENGTHS {
        let good = random_bytes(rng, *good);
        let mut key = key::<C>(&good);
        for len in (0..=64).filter(|len| !C::KEY_LENGTHS.contains(len)) {
            let bad = random_bytes(rng, len);
            assert_eq!(
                C::set_key(&mut key, &bad),
                Err(InvalidKeyLength),
                "{len} bytes"
            );

            let block = rng.random();
            let mut expected = block;
            C::peer(&good).encrypt(&mut expected);
            assert_eq!(C::encrypt_block(&key, &block), expected);
            assert_eq!(C::decrypt_block(&key, &expected), block);
        }
    }
}

/// A new key replaces all of an old one, whatever their lengths.
fn replaces_keys<C: Subject>(rng: &mut StdRng) {
    let mut key = zeroed_key::<C>();
    for _ in 0..1000 {
        let bytes = random_key::<C>(rng);
        C::set_key(&mut key, &bytes).unwrap();
        let peer = C::peer(&bytes);
        let block = rng.random();
        let mut expected = block;
        peer.encrypt(&mut expected);
        assert_eq!(C::encrypt_block(&key, &block), expected);
        assert_eq!(C::decrypt_block(&key, &expected), block);
    }
}

/// A key with which nothing has been done is safe to use, for nothing.
fn survives_no_key<M: Modes>(modes: &M) {
    let key = zeroed_key::<M::Cipher>();
    let mut data = vec![0; (M::BATCH + 1) * BLOCK_SIZE];
    let rest = modes.ecb_encrypt(&key, InOut::in_place(&mut data));
    assert!(rest.is_empty());
    let rest = modes.ecb_decrypt(&key, InOut::in_place(&mut data));
    assert!(rest.is_empty());
    assert!(data.iter().all(|byte| *byte == 0));
}

fn add_modes<M: Modes + 'static, P: Send + Clone + 'static>(
    suite: &mut Suite,
    name: &str,
    proof: Result<P, String>,
    modes: fn(P) -> M,
) {
    type Body<M> = fn(&M, &mut StdRng);
    let bodies: [(&str, Body<M>); 5] = [
        ("lengths", lengths),
        ("alignments", alignments),
        ("counter_wraps", counter_wraps),
        ("splits", splits),
        ("survives_no_key", |modes, _| survives_no_key(modes)),
    ];
    for (test, body) in bodies {
        suite.add_for(proof.clone(), format!("{name}::{test}"), move |proof| {
            let modes = modes(proof);
            seeded(|rng| body(&modes, rng));
        });
    }
}

/// Adds the tests of a cipher's scalar code.
pub fn add_scalar<C: Subject>(suite: &mut Suite, name: &str) {
    let name = format!("{name}::scalar");
    suite.add(format!("{name}::refuses_keys"), || {
        seeded(refuses_keys::<C>)
    });
    suite.add(format!("{name}::replaces_keys"), || {
        seeded(replaces_keys::<C>)
    });
    add_modes(suite, &name, Ok(()), |()| {
        Scalar::<C>(std::marker::PhantomData)
    });
}

/// Adds the tests of a tier.
pub fn add_tier<T: Tier<Cipher: Subject>>(suite: &mut Suite, name: &str) {
    let cpu = cpu::detect::<T::Features>();
    let vector = |cpu| Vector::<T> {
        cpu,
        scratch: RefCell::new(Guarded::new(size_of::<T::Scratch>())),
    };
    add_modes(suite, name, cpu.clone(), vector);
    suite.add_for(cpu, format!("{name}::takes_whole_batches"), move |cpu| {
        seeded(|rng| takes_whole_batches(&vector(cpu), rng));
    });
}
