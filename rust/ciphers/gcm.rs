// SPDX-License-Identifier: GPL-2.0

//! Galois/Counter Mode (SP 800-38D) with IVs of 96 bits, as the users of it here have them.
//!
//! A message is taken in pieces: [`Message::new`], associated data, text, tag. [`Tier`] is the
//! shape of vector code for it, [`scalar`] the same in scalar code, and [`CtrGhash`] makes a tier
//! of a cipher's counter mode and a GHASH. A cipher that can do both at once has a tier of its own.

use core::{
    marker::PhantomData,
    mem::{replace, MaybeUninit},
};

use super::ghash;
use super::inout::InOut;
use super::simd::{Both, Features, Simd};
use super::tier::{self, Block, BlockCipher, Context, InvalidKeyLength, BLOCK_SIZE};

/// Length of an IV in bytes.
pub const IV_SIZE: usize = 12;

/// Length of a whole tag in bytes. Shorter ones are its beginning.
pub const TAG_SIZE: usize = BLOCK_SIZE;

/// A message under way.
///
/// All of it is secret until the tag is made, and what is not the tag afterwards too.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Message {
    /// The next counter block: the IV, and a big-endian count of 32 bits, which wraps.
    pub counter: Block,
    /// The hash of what came so far.
    pub hash: Block,
    /// Associated data so far, in bytes.
    pub assoc_len: u64,
    /// Text so far, in bytes.
    pub text_len: u64,
    /// What the hash is masked with in the end, if it came out on the way: the encryption of the
    /// counter block before the one of the first block of text.
    pub mask: Option<Block>,
}

impl Message {
    /// Begins a message.
    #[inline]
    pub fn new(iv: &[u8; IV_SIZE]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *iv;
        // The count 1 masks the hash. In halves, as which the compiler has no need of single bytes.
        let head = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let tail = u64::from_le_bytes([i, j, k, l, 0, 0, 0, 2]);
        Self {
            counter: (u128::from(head) | u128::from(tail) << 64).to_le_bytes(),
            hash: [0; BLOCK_SIZE],
            assoc_len: 0,
            text_len: 0,
            mask: None,
        }
    }

    /// Returns the counter block of the mask.
    pub fn mask_counter(&self) -> Block {
        let (iv, _) = split(self.counter);
        join(iv, 1)
    }

    /// Returns what is hashed last: the lengths in bits.
    pub fn lengths(&self) -> Block {
        let bits = |bytes: u64| u128::from(bytes.wrapping_mul(8));
        ((bits(self.assoc_len) << 64) | bits(self.text_len)).to_be_bytes()
    }
}

/// Splits a counter block into the IV and the count.
fn split(counter: Block) -> (u128, u32) {
    let counter = u128::from_be_bytes(counter);
    (counter >> 32, counter as u32)
}

fn join(iv: u128, count: u32) -> Block {
    ((iv << 32) | u128::from(count)).to_be_bytes()
}

/// Runs `ctr`, which counts in 128 bits, so that the count wraps in 32.
fn ctr32(counter: &mut Block, data: InOut<'_>, mut ctr: impl FnMut(&mut Block, InOut<'_>)) {
    let mut rest = data;
    while !rest.is_empty() {
        let (iv, count) = split(*counter);
        let to_wrap = (1_u64 << 32)
            .wrapping_sub(u64::from(count))
            .wrapping_mul(BLOCK_SIZE as u64);
        let (head, tail) = rest.split_at(usize::try_from(to_wrap).unwrap_or(usize::MAX));
        ctr(counter, head);
        let (_, count) = split(*counter);
        *counter = join(iv, count);
        rest = tail;
    }
}

fn xor(a: &Block, b: &Block) -> Block {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}

/// Cuts associated data that comes in pieces of any length into runs of whole blocks.
#[derive(Default)]
pub struct Blocks {
    held: Block,
    len: usize,
}

impl Blocks {
    /// Takes a piece, and calls `f` with whole blocks of what came so far.
    pub fn feed(&mut self, piece: &[u8], mut f: impl FnMut(&[u8])) {
        let mut piece = piece;
        if self.len != 0 {
            let (_, free) = self.held.split_at_mut_checked(self.len).unwrap_or_default();
            let taken = free.len().min(piece.len());
            for (held, byte) in free.iter_mut().zip(piece) {
                *held = *byte;
            }
            self.len = self.len.wrapping_add(taken);
            piece = piece.get(taken..).unwrap_or_default();
            if self.len < BLOCK_SIZE {
                return;
            }
            f(&self.held);
        }
        let whole = piece.len() - piece.len() % BLOCK_SIZE;
        let (blocks, rest) = piece.split_at_checked(whole).unwrap_or_default();
        if !blocks.is_empty() {
            f(blocks);
        }
        for (held, byte) in self.held.iter_mut().zip(rest) {
            *held = *byte;
        }
        self.len = rest.len();
    }

    /// Returns what is left at the end, less than a block, and forgets it.
    pub fn take_rest(&mut self) -> Option<&[u8]> {
        let len = replace(&mut self.len, 0);
        self.held.get(..len).filter(|rest| !rest.is_empty())
    }
}

/// A vector implementation of GCM.
///
/// A message is begun by [`Message::new`]. Its associated data comes first, then its text, and each
/// piece of either is a multiple of [`BLOCK_SIZE`] long, the last one excepted. There may be none
/// of either. The functions neither branch on nor index by data or key; `message` keeps the lengths.
pub trait Tier: 'static {
    /// The cipher.
    type Cipher: BlockCipher;

    /// What the CPU must have.
    type Features: Features;

    /// Working storage: plain bytes of the alignment that the tier wants, `()` if it wants none.
    ///
    /// Its contents are secret after a call, and are not wiped by it: whoever owns the storage
    /// wipes it, once, after the last call of a request.
    type Scratch;

    /// The key as the vector code reads it, with those of the scalar code inside.
    type Key: Context;

    /// Sets the key.
    ///
    /// A key of a length that is refused leaves `key` as it was.
    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength>;

    /// Whether [`Self::set_key_on_vectors`] is another way.
    const SETS_KEY_ON_VECTORS: bool = false;

    /// Does what [`Self::set_key`] does, without its table look-ups.
    fn set_key_on_vectors(
        _simd: Simd<'_, Self::Features>,
        key: &mut Self::Key,
        bytes: &[u8],
    ) -> Result<(), InvalidKeyLength> {
        Self::set_key(key, bytes)
    }

    /// Returns the key schedule of the scalar code.
    fn scalar_key(key: &Self::Key) -> &<Self::Cipher as BlockCipher>::Key;

    /// Returns the hash key.
    fn hash_key(key: &Self::Key) -> &ghash::Key;

    /// Takes associated data.
    fn assoc(simd: Simd<'_, Self::Features>, key: &Self::Key, message: &mut Message, data: &[u8]);

    /// Encrypts text.
    fn encrypt(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        message: &mut Message,
        data: InOut<'_>,
    );

    /// Decrypts text. It is nobody's to read before the tag has proved right.
    fn decrypt(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        message: &mut Message,
        data: InOut<'_>,
    );

    /// Returns the tag of what came.
    fn tag(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        message: &mut Message,
    ) -> Block;

    /// Encrypts the end of the text and returns the tag.
    #[inline]
    fn encrypt_last(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        message: &mut Message,
        data: InOut<'_>,
    ) -> Block {
        Self::encrypt(simd, key, scratch, message, data);
        Self::tag(simd, key, scratch, message)
    }

    /// Decrypts the end of the text and returns the tag.
    #[inline]
    fn decrypt_last(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        message: &mut Message,
        data: InOut<'_>,
    ) -> Block {
        Self::decrypt(simd, key, scratch, message, data);
        Self::tag(simd, key, scratch, message)
    }
}

/// GCM in scalar code, for contexts that may not use vector registers. See [`Tier`].
pub mod scalar {
    use super::super::{ghash, tier::scalar::ctr};
    use super::{ctr32, xor, Block, BlockCipher, InOut, Message};

    /// Returns the block that is the hash key of GCM: the encryption of zeros.
    pub fn hash_key<C: BlockCipher>(key: &C::Key) -> Block {
        C::encrypt_block(key, &[0; 16])
    }

    /// Takes associated data.
    pub fn assoc(hash_key: &ghash::Key, message: &mut Message, data: &[u8]) {
        message.assoc_len = message.assoc_len.wrapping_add(data.len() as u64);
        ghash::scalar::update(hash_key, &mut message.hash, data);
    }

    /// Encrypts text.
    pub fn encrypt<C: BlockCipher>(
        key: &C::Key,
        hash_key: &ghash::Key,
        message: &mut Message,
        mut data: InOut<'_>,
    ) {
        message.text_len = message.text_len.wrapping_add(data.len() as u64);
        ctr32(&mut message.counter, data.reborrow(), |counter, data| {
            ctr::<C>(key, counter, data)
        });
        ghash::scalar::update(hash_key, &mut message.hash, data.destination());
    }

    /// Decrypts text.
    pub fn decrypt<C: BlockCipher>(
        key: &C::Key,
        hash_key: &ghash::Key,
        message: &mut Message,
        data: InOut<'_>,
    ) {
        message.text_len = message.text_len.wrapping_add(data.len() as u64);
        ghash::scalar::update(hash_key, &mut message.hash, data.source());
        ctr32(&mut message.counter, data, |counter, data| {
            ctr::<C>(key, counter, data)
        });
    }

    /// Returns the tag of what came.
    pub fn tag<C: BlockCipher>(
        key: &C::Key,
        hash_key: &ghash::Key,
        message: &mut Message,
    ) -> Block {
        let lengths = message.lengths();
        ghash::scalar::update(hash_key, &mut message.hash, &lengths);
        let mask = message
            .mask
            .unwrap_or_else(|| C::encrypt_block(key, &message.mask_counter()));
        xor(&message.hash, &mask)
    }
}

/// GCM of a cipher's counter mode `C` and a hash `G`, one after the other for each piece.
pub struct CtrGhash<C, G>(PhantomData<(C, G)>);

/// The key of [`CtrGhash`].
#[repr(C)]
pub struct Key<K> {
    cipher: K,
    hash: ghash::Key,
}

// SAFETY: All zero bytes are a value of either part.
unsafe impl<K: Context> Context for Key<K> {}

/// Up to so much text comes out of the same call of counter mode as the mask of the tag.
///
/// A call for the one block of the mask takes as long as one for several blocks. Text that fits
/// into one call beside it costs a pass over its key stream instead.
const WITH_MASK: usize = 15 * BLOCK_SIZE;

/// Working storage of [`CtrGhash`].
pub struct Scratch<S> {
    cipher: MaybeUninit<S>,
    stream: MaybeUninit<[u8; BLOCK_SIZE + WITH_MASK]>,
}

impl<S> Scratch<S> {
    fn prepare(memory: &mut MaybeUninit<Self>) -> &mut Self {
        memory.write(Self {
            cipher: MaybeUninit::uninit(),
            stream: MaybeUninit::uninit(),
        })
    }
}

impl<C: tier::Ctr, G: ghash::Tier> CtrGhash<C, G> {
    fn ctr(
        simd: Simd<'_, <Self as Tier>::Features>,
        key: &C::Key,
        scratch: &mut MaybeUninit<<Self as Tier>::Scratch>,
        message: &mut Message,
        data: InOut<'_>,
    ) {
        let Scratch { cipher, stream } = Scratch::prepare(scratch);
        let len = data.len();
        let is_whole = message.text_len == 0 && message.mask.is_none();
        let mut ctr = |counter: &mut Block, data: InOut<'_>| {
            C::ctr(simd.narrow(), key, cipher, counter, data)
        };

        message.text_len = message.text_len.wrapping_add(len as u64);
        if is_whole && len <= WITH_MASK {
            let stream = stream.write([0; BLOCK_SIZE + WITH_MASK]);
            let stream = stream.get_mut(..BLOCK_SIZE + len).unwrap_or_default();
            let (iv, count) = split(message.counter);
            message.counter = join(iv, count.wrapping_sub(1));
            ctr32(&mut message.counter, InOut::in_place(stream), &mut ctr);
            if let Some((mask, pad)) = stream.split_first_chunk() {
                message.mask = Some(*mask);
                data.xor(pad);
            }
        } else {
            ctr32(&mut message.counter, data, &mut ctr);
        }
    }

    fn hash(
        simd: Simd<'_, <Self as Tier>::Features>,
        key: &Key<C::Key>,
        message: &mut Message,
        data: &[u8],
    ) {
        G::update(simd.narrow(), &key.hash, &mut message.hash, data);
    }
}

impl<C: tier::Ctr, G: ghash::Tier> Tier for CtrGhash<C, G> {
    type Cipher = C::Cipher;
    type Features = Both<C::Features, G::Features>;
    type Scratch = Scratch<C::Scratch>;
    type Key = Key<C::Key>;

    fn set_key(key: &mut Self::Key, bytes: &[u8]) -> Result<(), InvalidKeyLength> {
        C::set_key(&mut key.cipher, bytes)?;
        let hash_key = scalar::hash_key::<C::Cipher>(C::scalar_key(&key.cipher));
        key.hash.set(&hash_key);
        Ok(())
    }

    fn scalar_key(key: &Self::Key) -> &<C::Cipher as BlockCipher>::Key {
        C::scalar_key(&key.cipher)
    }

    fn hash_key(key: &Self::Key) -> &ghash::Key {
        &key.hash
    }

    fn assoc(simd: Simd<'_, Self::Features>, key: &Self::Key, message: &mut Message, data: &[u8]) {
        message.assoc_len = message.assoc_len.wrapping_add(data.len() as u64);
        Self::hash(simd, key, message, data);
    }

    fn encrypt(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        message: &mut Message,
        mut data: InOut<'_>,
    ) {
        Self::ctr(simd, &key.cipher, scratch, message, data.reborrow());
        Self::hash(simd, key, message, data.destination());
    }

    fn decrypt(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        message: &mut Message,
        data: InOut<'_>,
    ) {
        Self::hash(simd, key, message, data.source());
        Self::ctr(simd, &key.cipher, scratch, message, data);
    }

    fn tag(
        simd: Simd<'_, Self::Features>,
        key: &Self::Key,
        scratch: &mut MaybeUninit<Self::Scratch>,
        message: &mut Message,
    ) -> Block {
        let lengths = message.lengths();
        Self::hash(simd, key, message, &lengths);
        let mask = message.mask.unwrap_or_else(|| {
            let (mut counter, mut mask) = (message.mask_counter(), [0; BLOCK_SIZE]);
            let cipher = &mut Scratch::prepare(scratch).cipher;
            let data = InOut::in_place(&mut mask);
            C::ctr(simd.narrow(), &key.cipher, cipher, &mut counter, data);
            mask
        });
        xor(&message.hash, &mask)
    }
}
