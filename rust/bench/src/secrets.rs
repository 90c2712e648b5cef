// SPDX-License-Identifier: GPL-2.0

//! `rfl-bench secrets`: does a branch or an address depend on a key or on text?
//!
//! Under valgrind, key schedule and text are marked as undefined, and memcheck says whether anything
//! depends on them: for all their values at once, with the instructions that valgrind knows, up to
//! AVX2. Otherwise each routine is single-stepped with several keys and texts, and must execute the
//! same instructions with the same addresses each time: for whatever the CPU knows.
//!
//! Lengths, initial counters and IVs are public. Key schedules are made by scalar code, with tables,
//! and are not looked at; nor is what of a message is done before its vector code begins.

use anyhow::{bail, Result};
use rand::{rngs::StdRng, RngExt, SeedableRng};

use crate::{
    case::{Algorithm, Case},
    implementation::{Refusal, Tag},
    measure::Buffers,
    memcheck,
    ours::{self, Ours, Routine},
    run::Filter,
    trace,
};

/// Keys and texts that a routine is single-stepped with.
const TRIALS: usize = 3;

/// Looks at what the filter allows. Prints a line for each, and returns whether all kept the rule.
pub fn check(filter: &Filter) -> Result<bool> {
    let mut all_kept = true;
    let mut any = false;
    // Scalar code has tables, and is looked at only to see that it is caught.
    // A checksum has no secrets.
    let wanted = |tier: &&Ours| {
        tier.algorithm != Algorithm::CrcT10dif
            && filter.names(tier.name)
            && (!tier.is_scalar() || !filter.implementation.is_empty())
    };
    for tier in ours::tiers().iter().filter(wanted) {
        if let Some(reason) = tier.missing() {
            println!("SKIP {}: {reason}", tier.name);
            continue;
        }
        let cases = filter
            .cases()
            .into_iter()
            .filter(|case| case.algorithm == tier.algorithm);
        for case in cases {
            let key = |rng: &mut StdRng| -> Vec<u8> {
                (0..case.key_bits / 8).map(|_| rng.random()).collect()
            };
            let mut rng = StdRng::seed_from_u64(1);
            let mut routine = match tier.routine(&case, &key(&mut rng)) {
                Ok(routine) => routine,
                Err(Refusal::Unknown) => continue,
                Err(Refusal::Failed(reason)) => {
                    println!("SKIP {} {case}: {reason}", tier.name);
                    continue;
                }
            };
            let name = format!("{} {case}", tier.name);
            let keys: Vec<_> = (0..TRIALS).map(|_| key(&mut rng)).collect();
            for len in lengths(tier, &*routine, &case) {
                let leak = match memcheck::is_running() {
                    true => by_memcheck(&mut *routine, &case, &keys, len),
                    false => by_trace(&mut *routine, &keys, len)?,
                };
                any = true;
                if let Some(leak) = leak {
                    all_kept = false;
                    println!("LEAK {name}, {len} bytes: {leak}");
                } else {
                    println!("ok {name}, {len} bytes");
                }
            }
        }
    }
    if !any {
        bail!("nothing was looked at");
    }
    Ok(all_kept)
}

/// Lengths that take the paths through a tier: few blocks, and a full batch with blocks and a part of
/// one behind it. With longer keys there are only more rounds.
///
/// What scalar code does anyway is left out.
fn lengths(tier: &Ours, routine: &dyn Routine, case: &Case) -> Vec<usize> {
    let mut lengths = vec![tier.batch + tier.batch / 2 + 89];
    if case.cipher_key_bits() == 128 {
        lengths.push(16);
        if !case.mode.whole_blocks() {
            lengths.push(127);
        }
    }
    lengths.retain(|len| *len >= routine.min());
    case.lengths(&lengths)
}

fn by_memcheck(
    routine: &mut dyn Routine,
    case: &Case,
    keys: &[Vec<u8>],
    len: usize,
) -> Option<String> {
    // What differs between schedules of random keys of one length is secret; what does not, such as
    // the number of rounds, is not.
    let mut is_secret = vec![false; routine.key().len()];
    let mut first = None;
    for key in keys {
        routine.set_key(key);
        let schedule = routine.key().to_vec();
        let first = first.get_or_insert_with(|| schedule.clone());
        for ((secret, a), b) in is_secret.iter_mut().zip(first).zip(&schedule) {
            *secret |= a != b;
        }
    }
    let mut buffers = Buffers::new(len);
    let mut tag = Tag::default();
    routine.start();
    let before = memcheck::errors();
    for (byte, _) in routine
        .key()
        .chunks_mut(1)
        .zip(&is_secret)
        .filter(|(_, secret)| **secret)
    {
        memcheck::mark_secret(byte);
    }
    if case.mode.two_keys() {
        memcheck::mark_secret(routine.state());
    }
    let (src, dst) = buffers.message_mut(len);
    memcheck::mark_secret(src);
    routine.run(src, dst, &mut tag);
    let errors = memcheck::errors() - before;
    memcheck::mark_public(routine.key());
    memcheck::mark_public(routine.state());
    (errors > 0).then(|| format!("memcheck found {errors} places"))
}

fn by_trace(routine: &mut dyn Routine, keys: &[Vec<u8>], len: usize) -> Result<Option<String>> {
    let mut buffers = Buffers::new(len);
    let mut rng = StdRng::seed_from_u64(2);
    let mut tag = Tag::default();
    let mut first = None;
    for key in keys {
        routine.set_key(key);
        routine.start();
        let (src, dst) = buffers.message_mut(len);
        rng.fill(src);
        let trace = trace::trace(&mut || routine.run(src, dst, &mut tag))?;
        if let Some(difference) =
            trace::difference(first.get_or_insert_with(|| trace.clone()), &trace)
        {
            return Ok(Some(difference));
        }
    }
    Ok(None)
}
