// SPDX-License-Identifier: GPL-2.0

//! Tests of whole messages of XTS, with ciphertext stealing.

use std::{cell::RefCell, mem::MaybeUninit};

use rand::{rngs::StdRng, Rng, RngExt};
use rfl_ciphers::{
    inout::InOut,
    simd::Cpu,
    tier::{scalar, Block, Tier, Xts, BLOCK_SIZE},
    xts::{crypt_tail, tail_len, Direction, Key},
};

use super::{
    cpu,
    guarded::Guarded,
    modes::{add, double, Peer, Subject},
    seeded, Suite,
};

/// IEEE 1619, sections 5.3 and 5.4, over a peer.
fn expect(peer: &dyn Peer, direction: Direction, first: &Block, data: &mut [u8]) {
    let one = |tweak: &Block, block: &mut Block| {
        add(block, tweak);
        match direction {
            Direction::Encrypt => peer.encrypt(block),
            Direction::Decrypt => peer.decrypt(block),
        }
        add(block, tweak);
    };
    let (mut tweak, whole) = (*first, data.len() - tail_len(data.len()));
    let (head, tail) = data.split_at_mut(whole);
    for bytes in head.chunks_exact_mut(BLOCK_SIZE) {
        one(&tweak, bytes.try_into().unwrap());
        double(&mut tweak);
    }
    if let Some((block, partial)) = tail.split_first_chunk_mut() {
        let mut next = tweak;
        double(&mut next);
        let (first, second) = match direction {
            Direction::Encrypt => (tweak, next),
            Direction::Decrypt => (next, tweak),
        };
        one(&first, block);
        let mut last = *block;
        last[..partial.len()].copy_from_slice(partial);
        partial.copy_from_slice(&block[..partial.len()]);
        one(&second, &mut last);
        *block = last;
    }
}

/// Each length from a block on, both ways, by the tier or by the scalar code of its cipher.
fn lengths<T: Xts<Cipher: Subject>>(
    rng: &mut StdRng,
    crypt: impl Fn(Direction, &Key<T>, &mut Block, InOut<'_>),
) {
    for len in 16..=600 {
        let which = rng.random_range(0..T::Cipher::KEY_LENGTHS.len());
        let mut key_bytes = vec![0; 2 * T::Cipher::KEY_LENGTHS[which]];
        rng.fill_bytes(&mut key_bytes);
        let (data_key, tweak_key) = key_bytes.split_at(key_bytes.len() / 2);
        // SAFETY: `Context`, which keys are, promises that zero bytes are a value.
        let mut key: Box<Key<T>> = unsafe { Box::new(MaybeUninit::zeroed().assume_init()) };
        key.set(&key_bytes).unwrap();
        let iv: Block = rng.random();
        let mut first = iv;
        T::Cipher::peer(tweak_key).encrypt(&mut first);
        assert_eq!(key.tweak(&iv), first);

        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let mut data = vec![0; len];
            rng.fill_bytes(&mut data);
            let mut expected = data.clone();
            expect(
                &*T::Cipher::peer(data_key),
                direction,
                &first,
                &mut expected,
            );

            let mut tweak = first;
            let (head, tail) = data.split_at_mut(len - tail_len(len));
            crypt(direction, &key, &mut tweak, InOut::in_place(head));
            crypt_tail(direction, &tweak, tail, |mut tweak, block| {
                crypt(direction, &key, &mut tweak, InOut::in_place(block));
            });
            assert!(data == expected, "{direction:?}, {len} bytes");
        }
    }
}

/// Lengths that are not twice those of the cipher are refused.
fn refuses_keys<T: Tier<Cipher: Subject>>() {
    // SAFETY: As above.
    let mut key: Box<Key<T>> = unsafe { Box::new(MaybeUninit::zeroed().assume_init()) };
    for len in 0..=130 {
        let good = len % 2 == 0 && T::Cipher::KEY_LENGTHS.contains(&(len / 2));
        assert_eq!(key.set(&vec![1; len]).is_ok(), good, "{len} bytes");
    }
}

/// Adds the tests of a tier, and of the scalar code of its cipher in the same shape.
pub fn add_tier<T: Xts<Cipher: Subject>>(suite: &mut Suite, name: &str) {
    suite.add(format!("{name}_xts::refuses_keys"), refuses_keys::<T>);
    suite.add(format!("{name}_xts::scalar_messages"), || {
        seeded(|rng| {
            lengths::<T>(rng, |direction, key, tweak, data| {
                let key = T::scalar_key(&key.data);
                let rest = match direction {
                    Direction::Encrypt => scalar::xts_encrypt::<T::Cipher>(key, tweak, data),
                    Direction::Decrypt => scalar::xts_decrypt::<T::Cipher>(key, tweak, data),
                };
                assert!(rest.is_empty());
            });
        });
    });
    let cpu = cpu::detect::<T::Features>();
    let name = format!("{name}_xts::messages");
    suite.add_for(cpu, name, |cpu: Cpu<T::Features>| {
        let scratch = RefCell::new(Guarded::new(size_of::<T::Scratch>()));
        seeded(|rng| {
            lengths::<T>(rng, |direction, key, tweak, data| {
                let mut memory = scratch.borrow_mut();
                let (scratch, key) = (memory.at_end(), &key.data);
                let rest = cpu::with_simd(cpu, |simd| match direction {
                    Direction::Encrypt => T::xts_encrypt(simd, key, scratch, tweak, data),
                    Direction::Decrypt => T::xts_decrypt(simd, key, scratch, tweak, data),
                });
                assert!(rest.is_empty());
            });
        });
    });
}
