// SPDX-License-Identifier: GPL-2.0

//! Instructions of our tiers: figures without noise, which can be compared between commits.

use anyhow::Result;

use crate::{
    implementation::{key, Refusal, Tag},
    measure::Buffers,
    ours,
    record::Count,
    run::Filter,
    trace,
};

/// Counts what the filter allows, with the shorter key only.
pub fn count(filter: &Filter) -> Result<Vec<Count>> {
    let mut counts = Vec::new();
    let cases = filter
        .cases()
        .into_iter()
        .filter(|case| case.cipher_key_bits() <= 128);
    for case in cases {
        for tier in ours::tiers().iter().filter(|tier| filter.names(tier.name)) {
            let mut routine = match tier.routine(&case, &key(case.key_bits)) {
                Ok(routine) => routine,
                Err(Refusal::Unknown | Refusal::Failed(_)) => continue,
            };
            let batch = tier.batch;
            let mut buffers = Buffers::new(2 * batch);
            let mut instructions = |len: usize| {
                let (src, dst) = buffers.message(len);
                let mut tag = Tag::default();
                routine.start();
                trace::count(&mut || routine.run(src, dst, &mut tag))
            };
            let (one, two) = (instructions(batch)?, instructions(2 * batch)?);
            let mut lengths = case.lengths(&[16, batch]);
            lengths.retain(|len| *len <= batch);
            for bytes in lengths {
                counts.push(Count {
                    implementation: tier.name.to_owned(),
                    case,
                    bytes,
                    instructions: instructions(bytes)?,
                    per_block: (two as f64 - one as f64) / (batch / 16) as f64,
                });
            }
        }
    }
    Ok(counts)
}
