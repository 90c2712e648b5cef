// SPDX-License-Identifier: GPL-2.0

//! What is common to all that is measured.
//!
//! A message is encrypted from one buffer to another, both of which stay in the L1 cache. It begins
//! with the IV, counter, tweak or nonce, and ends with the tag where the mode has one: both are
//! counted. The key schedule and whatever else depends on the key alone is made before, and is not
//! counted. GCM has a nonce of 96 bits, no associated data and a tag of 128 bits.

use crate::case::Case;

/// Length of a block.
pub const BLOCK: usize = 16;

/// Initialisation vector of every message; counters do not wrap.
pub const IV: [u8; BLOCK] = *b"rfl-bench iv\0\0\0\0";

/// Nonce of every message of GCM.
pub const NONCE: [u8; 12] = *b"rfl-bench iv";

/// Tag of a message, or its checksum in the first bytes.
pub type Tag = [u8; BLOCK];

/// A key of so many bits, the same in every run; the halves of XTS keys differ.
pub fn key(bits: u32) -> Vec<u8> {
    (0..bits / 8).map(|n| (n * 7 + 3) as u8).collect()
}

/// Somebody's code for one case with one key.
pub trait Prepared {
    /// Transforms a message. Both buffers are of the same length.
    ///
    /// # Panics
    ///
    /// When a library reports an error; what it then measured would mean nothing.
    fn process(&mut self, src: &[u8], dst: &mut [u8], tag: &mut Tag);
}

/// An operation that an implementation does not do.
#[derive(Debug)]
pub enum Refusal {
    /// It has no such algorithm or mode.
    Unknown,
    /// It has, but not here.
    Failed(String),
}

/// Somebody's code.
pub trait Implementation {
    /// The name that reports have for it.
    fn name(&self) -> &str;

    /// Whether it is this project's.
    fn ours(&self) -> bool {
        false
    }

    /// Length in bytes of the longest batch that it works in, where that is known.
    fn batch(&self) -> Option<usize> {
        None
    }

    /// Whether it does a case.
    fn does(&self, case: &Case) -> bool {
        !matches!(
            self.prepare(case, &key(case.key_bits)),
            Err(Refusal::Unknown)
        )
    }

    /// Makes the key schedule, for a key of [`Case::key_bits`].
    fn prepare(&self, case: &Case, key: &[u8]) -> Result<Box<dyn Prepared>, Refusal>;
}
