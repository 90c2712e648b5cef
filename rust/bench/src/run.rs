// SPDX-License-Identifier: GPL-2.0

//! `rfl-bench run`: all implementations side by side.

use std::time::Duration;

use anyhow::{ensure, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    case::{Algorithm, Case, Mode},
    clock, count,
    implementation::{key, Implementation, Prepared, Refusal, Tag},
    machine,
    measure::{self, Buffers, Effort},
    ours, peers,
    record::{Absent, Document, Ground, Record, Spread},
    table::{Figures, Style},
};

/// What of it all is measured.
#[derive(Debug, clap::Args)]
pub struct Filter {
    /// Only this cipher or checksum
    #[arg(long)]
    pub algorithm: Vec<Algorithm>,
    /// Only this mode
    #[arg(long)]
    pub mode: Vec<Mode>,
    /// Only this length of the cipher's key, in bits
    #[arg(long)]
    pub key_bits: Vec<u32>,
    /// Only implementations whose names contain this
    #[arg(long, value_name = "PART")]
    pub implementation: Vec<String>,
}

fn allows<T: PartialEq>(list: &[T], value: &T) -> bool {
    list.is_empty() || list.contains(value)
}

impl Filter {
    /// Returns the cases.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = Case::all();
        cases.retain(|case| {
            allows(&self.algorithm, &case.algorithm)
                && allows(&self.mode, &case.mode)
                && (case.key_bits == 0 || allows(&self.key_bits, &case.cipher_key_bits()))
        });
        cases
    }

    /// Returns whether an implementation is wanted.
    pub fn names(&self, name: &str) -> bool {
        self.implementation.is_empty()
            || self
                .implementation
                .iter()
                .any(|part| name.contains(part.as_str()))
    }
}

/// Everybody who can run, and who cannot.
pub struct Everybody {
    /// Those who can, ours first.
    pub implementations: Vec<Box<dyn Implementation>>,
    /// Those who cannot.
    pub absent: Vec<Absent>,
    /// Versions of the libraries.
    pub versions: Vec<(String, String)>,
}

/// Gathers implementations.
pub fn everybody(filter: &Filter) -> Everybody {
    let peers::Peers {
        implementations: others,
        versions,
        mut absent,
    } = peers::load();
    let mut implementations: Vec<Box<dyn Implementation>> = Vec::new();
    for tier in ours::tiers() {
        match tier.missing() {
            Some(reason) => absent.push(Absent {
                implementation: tier.name.to_owned(),
                reason,
            }),
            None => implementations.push(Box::new(tier)),
        }
    }
    implementations.extend(others);
    implementations.retain(|implementation| filter.names(implementation.name()));
    absent.retain(|absent| filter.names(&absent.implementation));
    Everybody {
        implementations,
        absent,
        versions,
    }
}

/// An implementation with its key schedule.
struct Contestant<'a> {
    implementation: &'a dyn Implementation,
    prepared: Box<dyn Prepared>,
}

/// Has all who can prepare for a case, and lists those who fail or who compute something else than
/// the first of them.
fn contestants<'a>(
    case: &Case,
    everybody: &'a [Box<dyn Implementation>],
    lengths: &[usize],
    absent: &mut Vec<Absent>,
) -> Vec<Contestant<'a>> {
    let key = key(case.key_bits);
    let longest = lengths.iter().copied().max().unwrap_or_default();
    let mut buffers = Buffers::new(longest);
    let mut expected = None;
    let mut contestants = Vec::new();
    for implementation in everybody {
        let mut prepared = match implementation.prepare(case, &key) {
            Ok(prepared) => prepared,
            Err(Refusal::Unknown) => continue,
            Err(Refusal::Failed(reason)) => {
                let implementation = format!("{}: {case}", implementation.name());
                absent.push(Absent {
                    implementation,
                    reason,
                });
                continue;
            }
        };
        let mut results = Vec::new();
        for &len in lengths {
            let (src, dst) = buffers.message(len);
            dst.fill(0);
            let mut tag = Tag::default();
            prepared.process(src, dst, &mut tag);
            results.push((dst.to_vec(), tag));
        }
        if *expected.get_or_insert_with(|| results.clone()) == results {
            contestants.push(Contestant {
                implementation: &**implementation,
                prepared,
            });
        } else {
            absent.push(Absent {
                implementation: format!("{}: {case}", implementation.name()),
                reason: format!("its result is not that of {}", everybody[0].name()),
            });
        }
    }
    contestants
}

/// Measures what the filter allows at the given lengths, and shows each table as it is done.
pub fn run(filter: &Filter, lengths: &[usize], effort: Effort) -> Result<Document> {
    let Everybody {
        implementations,
        absent,
        versions,
    } = everybody(filter);
    let mut document = Document::new(Ground::Process, machine::describe(&versions));
    document.absent = absent;
    let cases = filter.cases();
    ensure!(
        !cases.is_empty() && !implementations.is_empty(),
        "nothing is left to measure"
    );

    let ticks_per_ns = clock::ticks_per_nanosecond();
    let steps = cases
        .iter()
        .map(|case| case.lengths(lengths).len() as u64)
        .sum();
    let progress = ProgressBar::new(steps).with_style(ProgressStyle::with_template(
        "{elapsed_precise} {wide_bar} {pos}/{len} {msg}",
    )?);
    progress.enable_steady_tick(Duration::from_secs(1));
    for case in &cases {
        let lengths = case.lengths(lengths);
        let mut contestants = contestants(case, &implementations, &lengths, &mut document.absent);
        let mut buffers = Buffers::new(lengths.iter().copied().max().unwrap_or_default());
        for len in lengths {
            progress.set_message(format!("{case}, {len} B"));
            let subjects = contestants
                .iter_mut()
                .map(|c| &mut *c.prepared as &mut dyn Prepared);
            let costs = measure::implementations(subjects.collect(), len, &mut buffers, effort);
            for (contestant, cost) in contestants.iter().zip(costs) {
                document.records.push(Record {
                    implementation: contestant.implementation.name().to_owned(),
                    ours: contestant.implementation.ours(),
                    case: *case,
                    bytes: len,
                    noisy: cost.cycles.is_noisy(),
                    cycles: Some(cost.cycles),
                    nanoseconds: Some(cost.ticks.scaled(1.0 / ticks_per_ns)),
                });
            }
            progress.inc(1);
        }
        let figures = Figures::new(*case, &document.records);
        progress.suspend(|| {
            println!(
                "{case}, {}\n{}\n",
                figures.unit(),
                figures.table(Style::Terminal)
            );
        });
    }
    progress.set_message("counting instructions");
    document.counts = count::count(filter)?;
    progress.finish_and_clear();
    document.warnings.extend(noise(&document.records));
    Ok(document)
}

/// Says so if the machine was too noisy to believe the figures.
fn noise(records: &[Record]) -> Option<String> {
    let noisy = records.iter().filter(|record| record.noisy).count();
    (noisy * 20 > records.len()).then(|| {
        format!(
            "the machine was noisy: the quartiles of {noisy} of {} figures are more than 10% apart \
             (marked ~)",
            records.len()
        )
    })
}

impl Spread {
    /// Converts to another unit.
    fn scaled(self, factor: f64) -> Self {
        let Self {
            samples,
            min,
            q1,
            median,
            q3,
        } = self;
        Self {
            samples,
            min: min * factor,
            q1: q1 * factor,
            median: median * factor,
            q3: q3 * factor,
        }
    }
}
