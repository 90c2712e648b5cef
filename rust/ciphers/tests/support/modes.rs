// SPDX-License-Identifier: GPL-2.0

//! Tests of modes over a block cipher, the same for every cipher and tier.

use std::{marker::PhantomData, mem::MaybeUninit, ops::Range};

use rand::{rngs::StdRng, Rng, RngExt};
use rfl_ciphers::{
    inout::InOut,
    tier::{self, scalar, Block, BlockCipher, Context, InvalidKeyLength, Tier, BLOCK_SIZE},
};

use super::{
    cpu,
    guarded::{Guarded, Lender},
    seeded, Suite,
};

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

/// An implementation of modes.
pub trait Modes {
    /// The cipher.
    type Cipher: Subject;

    /// The key schedule.
    type Key: Context;

    /// Blocks that it may do together, and a few more.
    const BATCH: usize;

    /// Makes the key schedule of `bytes`.
    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength>;

    /// Returns the key schedule of the scalar code.
    fn scalar_key(key: &Self::Key) -> &KeyOf<Self::Cipher>;
}

type KeyOf<C> = <C as BlockCipher>::Key;

/// The scalar code.
pub struct Scalar<C>(PhantomData<C>);

impl<C: Subject> Modes for Scalar<C> {
    type Cipher = C;
    type Key = C::Key;

    const BATCH: usize = 8;

    fn set_key(key: &mut C::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        C::set_key(key, bytes)
    }

    fn scalar_key(key: &C::Key) -> &C::Key {
        key
    }
}

/// A tier.
pub struct Vector<T: Tier>(Lender<T::Features, T::Scratch>);

impl<T: Tier<Cipher: Subject>> Modes for Vector<T> {
    type Cipher = T::Cipher;
    type Key = T::Key;

    const BATCH: usize = 68;

    fn set_key(key: &mut T::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        T::set_key(key, bytes)
    }

    fn scalar_key(key: &T::Key) -> &KeyOf<T::Cipher> {
        T::scalar_key(key)
    }
}

/// Makes a key schedule of zero bytes, as a kernel does.
fn zeroed_key<M: Modes>() -> Box<M::Key> {
    // SAFETY: `Context`, which keys are, promises that zero bytes are a value.
    unsafe { Box::new(MaybeUninit::zeroed().assume_init()) }
}

/// Makes the key schedule of `bytes`.
fn key_for<M: Modes>(bytes: &[u8]) -> Box<M::Key> {
    let mut key = zeroed_key::<M>();
    M::set_key(&mut key, bytes).expect("the length is one of KEY_LENGTHS");
    key
}

/// Makes the key schedule of `bytes` for the scalar code.
pub fn key<C: Subject>(bytes: &[u8]) -> Box<C::Key> {
    key_for::<Scalar<C>>(bytes)
}

/// Makes the key schedule of `bytes` for a tier.
pub fn tier_key<T: Tier<Cipher: Subject>>(bytes: &[u8]) -> Box<T::Key> {
    key_for::<Vector<T>>(bytes)
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    EcbEncrypt,
    EcbDecrypt,
    CbcEncrypt,
    CbcDecrypt,
    Ctr,
    XtsEncrypt,
    XtsDecrypt,
}

impl Op {
    /// Has the peer do it. `state` is what goes from block to block.
    fn expect(self, peer: &dyn Peer, state: &mut Block, data: &mut [u8]) {
        if self == Self::Ctr {
            peer.ctr(state, data);
            let blocks = data.len().div_ceil(BLOCK_SIZE) as u128;
            *state = u128::from_be_bytes(*state)
                .wrapping_add(blocks)
                .to_be_bytes();
            return;
        }

        for bytes in data.chunks_exact_mut(BLOCK_SIZE) {
            let mut block: Block = (&*bytes).try_into().unwrap();
            match self {
                Self::Ctr => unreachable!(),
                Self::EcbEncrypt => peer.encrypt(&mut block),
                Self::EcbDecrypt => peer.decrypt(&mut block),
                Self::CbcEncrypt => {
                    add(&mut block, state);
                    peer.encrypt(&mut block);
                    *state = block;
                }
                Self::CbcDecrypt => {
                    let cipher = block;
                    peer.decrypt(&mut block);
                    add(&mut block, state);
                    *state = cipher;
                }
                Self::XtsEncrypt | Self::XtsDecrypt => {
                    add(&mut block, state);
                    if self == Self::XtsEncrypt {
                        peer.encrypt(&mut block);
                    } else {
                        peer.decrypt(&mut block);
                    }
                    add(&mut block, state);
                    double(state);
                }
            }
            bytes.copy_from_slice(&block);
        }
    }

    /// How many of `len` bytes it writes.
    fn written(self, len: usize) -> usize {
        match self {
            Self::Ctr => len,
            _ => len - len % BLOCK_SIZE,
        }
    }
}

/// XORs one block to another.
pub fn add(block: &mut Block, other: &Block) {
    for (a, b) in block.iter_mut().zip(other) {
        *a ^= b;
    }
}

/// Doubles a tweak as IEEE 1619 has it, section 5.2: byte by byte.
pub fn double(tweak: &mut Block) {
    let mut carry = 0;
    for byte in tweak.iter_mut() {
        let next = *byte >> 7;
        *byte = *byte << 1 | carry;
        carry = next;
    }
    if carry != 0 {
        tweak[0] ^= 135;
    }
}

/// How an implementation does an [`Op`]: returns how many bytes it left.
struct Routine<M: Modes> {
    op: Op,
    run: fn(&M, &M::Key, &mut Block, InOut<'_>) -> usize,
}

impl<M: Modes> Clone for Routine<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Modes> Copy for Routine<M> {}

impl<M: Modes> Routine<M> {
    /// Runs it on `data`, in as many calls as there are `pieces`, and advances `state`.
    fn run(&self, modes: &M, key: &M::Key, state: &mut Block, data: InOut<'_>, pieces: &[usize]) {
        let mut rest = data;
        for len in pieces {
            let (piece, behind) = rest.split_at(*len);
            rest = behind;
            let expected = piece.len() - self.op.written(piece.len());
            let left = (self.run)(modes, key, state, piece);
            assert_eq!(left, expected, "bytes left of {len}");
        }
        assert!(rest.is_empty());
    }
}

/// Where a run lies in its memory.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Right behind the guard page in front.
    First,
    /// Right before the guard page behind.
    Last,
    /// So many bytes into it.
    At(usize),
}

impl Place {
    /// Returns where `len` bytes lie in `memory`.
    pub fn range(self, len: usize, memory: &[u8]) -> Range<usize> {
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

    /// Compares an implementation with the peer, for a random key, random data and `state`.
    ///
    /// `places` are those of source and destination; without the second it is done in place.
    fn compare<M: Modes>(
        &mut self,
        tested: &Tested<M>,
        routine: &Routine<M>,
        state: Block,
        rng: &mut StdRng,
        pieces: &[usize],
        places: (Place, Option<Place>),
    ) {
        let op = routine.op;
        let len = pieces.iter().sum::<usize>();
        let key_bytes = random_key::<M::Cipher>(rng);
        let peer = M::Cipher::peer(&key_bytes);
        let key = key_for::<M>(&key_bytes);
        let case = format!(
            "{op:?}, key {} bytes, {state:02x?}, {pieces:?}, {places:?}",
            key_bytes.len()
        );

        let (src, dst) = (self.src.bytes(), self.dst.bytes());
        rng.fill_bytes(src);
        rng.fill_bytes(dst);
        let src_range = places.0.range(len, src);
        let mut result = src[src_range.clone()].to_vec();
        let (mut state, mut state_after) = (state, state);
        op.expect(&*peer, &mut state_after, &mut result);
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
        routine.run(&tested.modes, &key, &mut state, data, pieces);
        assert!(src == src_after, "source memory: {case}");
        assert!(dst == dst_after, "destination memory: {case}");
        assert_eq!(state, state_after, "state: {case}");
    }
}

/// An implementation under test.
struct Tested<M: Modes> {
    modes: M,
    routines: Vec<Routine<M>>,
}

/// Every length up to a few batches, against either guard page, and some longer ones.
fn lengths<M: Modes>(tested: &Tested<M>, rng: &mut StdRng) {
    let mut bench = Bench::new();
    let all = 2 * M::BATCH * BLOCK_SIZE;
    let some = [(); 100].map(|()| rng.random_range(0..=LONGEST));
    for len in (0..=all).chain(some) {
        // Only counter mode takes part of a block; of the others it is enough to see some refuse.
        let whole = len % BLOCK_SIZE == 0 || rng.random_ratio(1, 16);
        for routine in &tested.routines {
            if !whole && routine.op != Op::Ctr {
                continue;
            }
            let apart = rng.random_bool(0.5);
            for place in [Place::First, Place::Last] {
                let places = (place, apart.then_some(place));
                bench.compare(tested, routine, rng.random(), rng, &[len], places);
            }
        }
    }
}

/// Every alignment of source and of destination.
fn alignments<M: Modes>(tested: &Tested<M>, rng: &mut StdRng) {
    let mut bench = Bench::new();
    for offset in 0..64 {
        for routine in &tested.routines {
            let len = rng.random_range(0..=2 * M::BATCH * BLOCK_SIZE);
            let (here, there) = (Place::At(offset), Place::At(rng.random_range(0..64)));
            for places in [(here, None), (here, Some(there)), (there, Some(here))] {
                bench.compare(tested, routine, rng.random(), rng, &[len], places);
            }
        }
    }
}

/// Counters whose low bits are about to wrap, within any block of a batch or behind it.
fn counter_wraps<M: Modes>(tested: &Tested<M>, rng: &mut StdRng) {
    let mut bench = Bench::new();
    for routine in tested.routines.iter().filter(|r| r.op == Op::Ctr) {
        for bits in [
            7, 8, 9, 15, 16, 24, 31, 32, 33, 40, 63, 64, 65, 72, 96, 120, 127, 128,
        ] {
            for before in 0..=M::BATCH {
                let low = u128::MAX >> (128 - bits);
                let counter = (rng.random::<u128>() & !low) | low.wrapping_sub(before as u128);
                let longest = 2 * M::BATCH * BLOCK_SIZE;
                let len = rng.random_range((before + 1) * BLOCK_SIZE..=longest);
                let state = counter.to_be_bytes();
                bench.compare(tested, routine, state, rng, &[len], (Place::Last, None));
            }
        }
    }
}

/// Runs that are cut in pieces, between blocks.
fn splits<M: Modes>(tested: &Tested<M>, rng: &mut StdRng) {
    let mut bench = Bench::new();
    for _ in 0..100 {
        let longest = rng.random_range(1..=3 * M::BATCH);
        let mut pieces = Vec::new();
        let mut room = LONGEST / BLOCK_SIZE;
        while room > 0 {
            let blocks = rng.random_range(0..=room.min(longest));
            pieces.push(blocks * BLOCK_SIZE);
            room = room.saturating_sub(blocks.max(1));
        }
        for routine in &tested.routines {
            let apart = rng.random_bool(0.5).then_some(Place::First);
            let places = (Place::Last, apart);
            bench.compare(tested, routine, rng.random(), rng, &pieces, places);
        }
    }
}

/// Checks the scalar code for `key`, and every routine on a block, against the peer for `bytes`.
fn check_key<M: Modes>(tested: &Tested<M>, rng: &mut StdRng, key: &M::Key, bytes: &[u8]) {
    let peer = M::Cipher::peer(bytes);
    let block: Block = rng.random();
    let mut expected = block;
    peer.encrypt(&mut expected);
    let scalar_key = M::scalar_key(key);
    assert_eq!(M::Cipher::encrypt_block(scalar_key, &block), expected);
    assert_eq!(M::Cipher::decrypt_block(scalar_key, &expected), block);

    for routine in &tested.routines {
        let (mut data, mut expected) = (block, block);
        let mut state: Block = rng.random();
        routine.op.expect(&*peer, &mut state.clone(), &mut expected);
        let data_run = InOut::in_place(&mut data);
        routine.run(&tested.modes, key, &mut state, data_run, &[BLOCK_SIZE]);
        assert_eq!(data, expected, "{:?}", routine.op);
    }
}

/// Lengths of key that do not exist are refused, and the old key stays.
fn refuses_keys<M: Modes>(tested: &Tested<M>, rng: &mut StdRng) {
    let lengths = M::Cipher::KEY_LENGTHS;
    for good in lengths {
        let good = random_bytes(rng, *good);
        let mut key = key_for::<M>(&good);
        for len in (0..=64).filter(|len| !lengths.contains(len)) {
            let bad = random_bytes(rng, len);
            let refused = M::set_key(&mut key, &bad);
            assert_eq!(refused, Err(InvalidKeyLength), "{len} bytes");
            check_key(tested, rng, &key, &good);
        }
    }
}

/// A new key replaces all of an old one, whatever their lengths.
fn replaces_keys<M: Modes>(tested: &Tested<M>, rng: &mut StdRng) {
    let mut key = zeroed_key::<M>();
    for _ in 0..1000 {
        let bytes = random_key::<M::Cipher>(rng);
        M::set_key(&mut key, &bytes).unwrap();
        check_key(tested, rng, &key, &bytes);
    }
}

/// A key with which nothing has been done is safe to use, for nothing.
fn survives_no_key<M: Modes>(tested: &Tested<M>) {
    let key = zeroed_key::<M>();
    let length = (M::BATCH + 1) * BLOCK_SIZE;
    for routine in &tested.routines {
        let mut data = vec![0; length];
        let data = InOut::in_place(&mut data);
        routine.run(&tested.modes, &key, &mut [0; 16], data, &[length]);
    }
}

fn add_modes<M: Modes + 'static, P: Send + Clone + 'static>(
    suite: &mut Suite,
    name: &str,
    proof: Result<P, String>,
    modes: fn(P) -> M,
    routines: &[Routine<M>],
) {
    type Body<M> = fn(&Tested<M>, &mut StdRng);
    let bodies: [(&str, Body<M>); 7] = [
        ("lengths", lengths),
        ("alignments", alignments),
        ("counter_wraps", counter_wraps),
        ("splits", splits),
        ("refuses_keys", refuses_keys),
        ("replaces_keys", replaces_keys),
        ("survives_no_key", |tested, _| survives_no_key(tested)),
    ];
    for (test, body) in bodies {
        let routines = routines.to_vec();
        suite.add_for(proof.clone(), format!("{name}::{test}"), move |proof| {
            let modes = modes(proof);
            let tested = Tested { modes, routines };
            seeded(|rng| body(&tested, rng));
        });
    }
}

/// Adds the tests of a cipher's scalar code.
pub fn add_scalar<C: Subject>(suite: &mut Suite, name: &str) {
    let routine = |op, run| Routine::<Scalar<C>> { op, run };
    let routines = [
        routine(Op::EcbEncrypt, |_, key, _, data| {
            scalar::ecb_encrypt::<C>(key, data).len()
        }),
        routine(Op::EcbDecrypt, |_, key, _, data| {
            scalar::ecb_decrypt::<C>(key, data).len()
        }),
        routine(Op::CbcEncrypt, |_, key, iv, data| {
            scalar::cbc_encrypt::<C>(key, iv, data).len()
        }),
        routine(Op::CbcDecrypt, |_, key, iv, data| {
            scalar::cbc_decrypt::<C>(key, iv, data).len()
        }),
        routine(Op::Ctr, |_, key, counter, data| {
            scalar::ctr::<C>(key, counter, data);
            0
        }),
        routine(Op::XtsEncrypt, |_, key, tweak, data| {
            scalar::xts_encrypt::<C>(key, tweak, data).len()
        }),
        routine(Op::XtsDecrypt, |_, key, tweak, data| {
            scalar::xts_decrypt::<C>(key, tweak, data).len()
        }),
    ];
    let name = format!("{name}::scalar");
    add_modes(suite, &name, Ok(()), |()| Scalar(PhantomData), &routines);
}

/// The tests of a tier: of those modes that are named.
pub struct TierTests<T: Tier<Cipher: Subject>>(Vec<Routine<Vector<T>>>);

/// Begins to name the modes of a tier.
pub fn tier<T: Tier<Cipher: Subject>>() -> TierTests<T> {
    TierTests(Vec::new())
}

impl<T: Tier<Cipher: Subject>> TierTests<T> {
    fn with(
        mut self,
        op: Op,
        run: fn(&Vector<T>, &T::Key, &mut Block, InOut<'_>) -> usize,
    ) -> Self {
        self.0.push(Routine { op, run });
        self
    }

    /// Names ECB.
    pub fn ecb(self) -> Self
    where
        T: tier::Ecb,
    {
        self.with(Op::EcbEncrypt, |tier, key, _, data| {
            tier.0
                .with(|simd, scratch| T::ecb_encrypt(simd, key, scratch, data).len())
        })
        .with(Op::EcbDecrypt, |tier, key, _, data| {
            tier.0
                .with(|simd, scratch| T::ecb_decrypt(simd, key, scratch, data).len())
        })
    }

    /// Names CBC.
    pub fn cbc(self) -> Self
    where
        T: tier::Cbc,
    {
        self.with(Op::CbcDecrypt, |tier, key, iv, data| {
            tier.0
                .with(|simd, scratch| T::cbc_decrypt(simd, key, scratch, iv, data).len())
        })
    }

    /// Names CTR.
    pub fn ctr(self) -> Self
    where
        T: tier::Ctr,
    {
        self.with(Op::Ctr, |tier, key, counter, data| {
            tier.0
                .with(|simd, scratch| T::ctr(simd, key, scratch, counter, data));
            0
        })
    }

    /// Names XTS.
    pub fn xts(self) -> Self
    where
        T: tier::Xts,
    {
        self.with(Op::XtsEncrypt, |tier, key, tweak, data| {
            tier.0
                .with(|simd, scratch| T::xts_encrypt(simd, key, scratch, tweak, data).len())
        })
        .with(Op::XtsDecrypt, |tier, key, tweak, data| {
            tier.0
                .with(|simd, scratch| T::xts_decrypt(simd, key, scratch, tweak, data).len())
        })
    }

    /// Adds the tests to `suite`.
    pub fn add(self, suite: &mut Suite, name: &str) {
        let cpu = cpu::detect::<T::Features>();
        add_modes(
            suite,
            name,
            cpu,
            |cpu| Vector::<T>(Lender::new(cpu)),
            &self.0,
        );
    }
}
