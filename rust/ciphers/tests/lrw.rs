// SPDX-License-Identifier: GPL-2.0

//! Tests of the tweaks of LRW.

use std::mem::MaybeUninit;

use rand::{rngs::StdRng, Rng, RngExt};
use rfl_ciphers::{inout::InOut, lrw::Key, tier::Tier};

use crate::support::{seeded, Suite};

/// Multiplies modulo x^128 + x^7 + x^2 + x + 1: the product in full, then reduced from the top.
fn product(a: u128, b: u128) -> u128 {
    let mut bits = [false; 255];
    for i in (0..128).filter(|i| a >> i & 1 == 1) {
        for j in (0..128).filter(|j| b >> j & 1 == 1) {
            bits[i + j] ^= true;
        }
    }
    for i in (128..255).rev() {
        if bits[i] {
            for power in [128, 7, 2, 1, 0] {
                bits[i - 128 + power] ^= true;
            }
        }
    }
    (0..128).fold(0, |sum, i| sum | u128::from(bits[i]) << i)
}

/// Each tweak is the second key times the number of the block, which wraps.
fn tweaks<T: Tier>(rng: &mut StdRng) {
    // SAFETY: `Context`, which keys are, promises that zero bytes are a value.
    let mut key: Box<Key<T::Key>> = unsafe { Box::new(MaybeUninit::zeroed().assume_init()) };
    let mut bytes = [0; 32];
    rng.fill_bytes(&mut bytes);
    key.set::<T>(&bytes).unwrap();
    let (_, tweak) = bytes.split_last_chunk().unwrap();
    let tweak = u128::from_be_bytes(*tweak);

    let mut numbers = vec![0, u128::MAX, u128::MAX - 2, rng.random()];
    numbers.extend((0..128).map(|bits| (1_u128 << bits).wrapping_sub(3)));
    for first in numbers {
        // In two pieces, the second of which has a partial block.
        let mut data = [0; 7 * 16];
        let mut tweaks = key.tweaks(&first.to_be_bytes());
        let (head, tail) = data.split_at_mut(3 * 16);
        assert!(tweaks.add(InOut::in_place(head)).is_empty());
        assert_eq!(tweaks.index(), first.wrapping_add(3).to_be_bytes());
        assert_eq!(
            tweaks.add(InOut::in_place(&mut tail[..3 * 16 + 5])).len(),
            5
        );
        for (i, block) in (0..6).zip(data.chunks_exact(16)) {
            let expected = product(first.wrapping_add(i), tweak).to_be_bytes();
            assert_eq!(block, expected, "{i} behind {first:x}");
        }
        assert_eq!(data[6 * 16..], [0; 16]);
    }
}

/// A key has a block behind that of the cipher.
fn refuses_keys<T: Tier>() {
    // SAFETY: As above.
    let mut key: Box<Key<T::Key>> = unsafe { Box::new(MaybeUninit::zeroed().assume_init()) };
    for len in 0..64 {
        assert_eq!(
            key.set::<T>(&vec![1; len]).is_ok(),
            [32, 40, 48].contains(&len),
            "{len} bytes"
        );
    }
}

/// Adds the tests, over some tier whose keys have 16, 24 and 32 bytes.
pub fn add<T: Tier>(suite: &mut Suite) {
    suite.add("lrw::tweaks".to_owned(), || seeded(tweaks::<T>));
    suite.add("lrw::refuses_keys".to_owned(), refuses_keys::<T>);
}
