// SPDX-License-Identifier: GPL-2.0

//! Measures rfl-crypto beside other implementations, and counts what it executes.

mod case;
mod chart;
mod clock;
mod count;
#[path = "../../ciphers/tests/support/cpu.rs"]
mod cpu;
mod implementation;
mod machine;
mod measure;
mod memcheck;
mod ours;
mod peers;
mod published;
mod record;
mod report;
mod run;
mod secrets;
mod sweep;
mod table;
mod trace;

use std::path::PathBuf;

use anyhow::{ensure, Result};
use clap::{builder::FalseyValueParser, ArgAction, Parser, Subcommand};

use crate::{
    measure::Effort,
    record::{Document, Ground},
    run::Filter,
};

/// Lengths of messages.
const LENGTHS: [usize; 14] = [
    1, 16, 32, 64, 127, 128, 256, 511, 512, 1024, 1420, 3173, 4096, 16384,
];

/// Measures rfl-crypto beside other implementations, and counts what it executes
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure all implementations side by side
    Run {
        #[command(flatten)]
        filter: Filter,
        /// Lengths of messages in bytes
        #[arg(long, value_delimiter = ',', default_values_t = LENGTHS)]
        lengths: Vec<usize>,
        #[command(flatten)]
        work: Work,
        /// Where to leave the figures, as JSON
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Measure every length and look for cliffs
    Sweep {
        #[command(flatten)]
        filter: Filter,
        /// The last length in bytes
        #[arg(long, default_value_t = 4096)]
        longest: usize,
        /// Length of a full batch in bytes, where it is not known
        #[arg(long)]
        batch: Option<usize>,
        #[command(flatten)]
        work: Work,
        /// The figures of `run`, as JSON, that these are added to
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Look for branches and addresses that depend on secrets; under valgrind by its memcheck
    Secrets {
        #[command(flatten)]
        filter: Filter,
    },
    /// Make Markdown and charts of figures
    Report {
        /// What `run` or scripts/bench left
        #[arg(required = true)]
        figures: Vec<PathBuf>,
        /// Where the report goes
        #[arg(long, value_name = "DIRECTORY")]
        output: PathBuf,
    },
}

/// How long to measure.
#[derive(clap::Args)]
struct Work {
    /// Samples of each implementation at each length
    #[arg(long, default_value_t = 101)]
    rounds: usize,
    /// A fourth of the samples
    #[arg(long, env = "QUICK", action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    quick: bool,
}

impl Work {
    fn effort(&self) -> Effort {
        Effort {
            rounds: if self.quick {
                self.rounds.div_ceil(4)
            } else {
                self.rounds
            },
            // About 20 microseconds.
            ticks: 60_000,
        }
    }
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Run {
            filter,
            lengths,
            work,
            output,
        } => {
            let document = run::run(&filter, &lengths, work.effort())?;
            for absent in &document.absent {
                println!("not measured: {}: {}", absent.implementation, absent.reason);
            }
            for warning in &document.warnings {
                println!("warning: {warning}");
            }
            output.map_or(Ok(()), |output| document.write(&output))
        }
        Command::Sweep {
            filter,
            longest,
            batch,
            work,
            output,
        } => {
            let mut document = match &output {
                Some(output) if output.exists() => Document::read(output)?,
                _ => Document::new(Ground::Process, machine::describe(&[])),
            };
            let everybody = run::everybody(&filter);
            for case in filter.cases() {
                for implementation in &everybody.implementations {
                    if !implementation.does(&case) {
                        continue;
                    }
                    let sweep =
                        sweep::sweep(&**implementation, &case, longest, batch, work.effort())?;
                    println!("{} {case}: {}", sweep.implementation, sweep.verdict());
                    document.sweeps.retain(|old| {
                        old.implementation != sweep.implementation || old.case != sweep.case
                    });
                    document.sweeps.push(sweep);
                }
            }
            output.map_or(Ok(()), |output| document.write(&output))
        }
        Command::Secrets { filter } => {
            ensure!(secrets::check(&filter)?, "something depends on secrets");
            Ok(())
        }
        Command::Report { figures, output } => {
            let documents = figures.iter().map(|path| Document::read(path));
            report::write(&documents.collect::<Result<Vec<_>>>()?, &output)
        }
    }
}
