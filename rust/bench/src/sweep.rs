// SPDX-License-Identifier: GPL-2.0

//! `rfl-bench sweep`: every length, so that a cliff is found by the tool and not by a user.

use anyhow::{bail, Result};

use crate::{
    case::Case,
    implementation::{key, Implementation, Prepared, Refusal},
    measure::{self, Buffers, Effort},
    record::Sweep,
};

/// How far above the line a length may be.
pub const LIMIT: f64 = 1.35;

/// Measures an implementation at every length up to `longest`.
///
/// `batch` is the length of a full batch, if it is not what the implementation says.
pub fn sweep(
    implementation: &dyn Implementation,
    case: &Case,
    longest: usize,
    batch: Option<usize>,
    effort: Effort,
) -> Result<Sweep> {
    let name = implementation.name();
    let Some(batch) = batch.or(implementation.batch()) else {
        bail!("{name}: the length of a batch is not known; say it with --batch");
    };
    let mut prepared = match implementation.prepare(case, &key(case.key_bits)) {
        Ok(prepared) => prepared,
        Err(Refusal::Unknown) => bail!("{name} does not do {case}"),
        Err(Refusal::Failed(reason)) => bail!("{name}: {reason}"),
    };
    let longest = longest.next_multiple_of(batch);
    let all: Vec<usize> = (1..=longest).collect();
    let lengths = case.lengths(&all);
    let mut buffers = Buffers::new(longest);
    let mut cycles = Vec::new();
    // Neighbours take turns with each other, and a few lengths overlap with what is next.
    for window in lengths.chunks(64) {
        let costs = measure::lengths(
            &mut *prepared as &mut dyn Prepared,
            window,
            &mut buffers,
            effort,
        );
        cycles.extend(
            window
                .iter()
                .copied()
                .zip(costs.iter().map(|cost| cost.cycles.median)),
        );
    }
    Ok(judge(name, *case, batch, cycles))
}

/// Finds the lengths that cost too much.
fn judge(name: &str, case: Case, batch: usize, cycles: Vec<(usize, f64)>) -> Sweep {
    let at = |len: usize| {
        cycles
            .iter()
            .find(|(l, _)| *l == len)
            .map(|(_, cost)| *cost)
    };
    let worst = |ratios: Vec<(usize, f64)>| {
        ratios
            .into_iter()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or_default()
    };
    let above_line = cycles
        .iter()
        .filter(|(len, _)| *len >= 16)
        .filter_map(|(len, cost)| {
            // Before the first full batch, the line begins at one block.
            let before = (len / batch * batch).max(16);
            let behind = len.next_multiple_of(batch);
            let (from, to) = (at(before)?, at(behind)?);
            let part = match behind - before {
                0 => 0.0,
                distance => (len - before) as f64 / distance as f64,
            };
            Some((*len, cost / (from + part * (to - from))))
        });
    let above_neighbours = cycles
        .windows(3)
        .map(|three| (three[1].0, three[1].1 / three[0].1.min(three[2].1)));
    Sweep {
        implementation: name.to_owned(),
        case,
        batch,
        above_line: worst(above_line.collect()),
        above_neighbours: worst(above_neighbours.collect()),
        cycles: cycles.clone(),
    }
}

impl Sweep {
    /// Says in a sentence what was found.
    pub fn verdict(&self) -> String {
        let (line_at, line) = self.above_line;
        let (neighbour_at, neighbour) = self.above_neighbours;
        format!(
            "The dearest length is {line_at} bytes, at {line:.2} times the line between the full \
             batches of {} bytes around it (limit {LIMIT}, {}); the highest step is at \
             {neighbour_at} bytes, {neighbour:.2} times the cheaper of its neighbours.",
            self.batch,
            if line <= LIMIT { "kept" } else { "broken" },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Algorithm, Mode};

    #[test]
    fn finds_the_cliff() {
        let case = Case {
            algorithm: Algorithm::Aria,
            mode: Mode::EcbEncrypt,
            key_bits: 128,
        };
        // 100 cycles and one for each byte, but for two lengths.
        let cost = |len: usize| match len {
            48 => 400.0,
            144 => 290.0,
            len => 100.0 + len as f64,
        };
        let cycles = (1..=16).map(|n| (n * 16, cost(n * 16))).collect();
        let sweep = judge("test", case, 128, cycles);
        assert_eq!(sweep.above_line.0, 48);
        assert!((sweep.above_line.1 - 400.0 / 148.0).abs() < 1e-9);
        assert_eq!(sweep.above_neighbours.0, 48);
        assert!((sweep.above_neighbours.1 - 400.0 / 132.0).abs() < 1e-9);
    }
}
