// SPDX-License-Identifier: GPL-2.0

//! Measures rfl-crypto beside other implementations, and counts what it executes.

mod case;
mod clock;
#[path = "../../ciphers/tests/support/cpu.rs"]
mod cpu;
mod implementation;
mod machine;
mod measure;
mod ours;
mod peers;
mod record;
mod run;
mod table;

use std::path::PathBuf;

use anyhow::Result;
use clap::{ArgAction, Parser, Subcommand};

use crate::{measure::Effort, run::Filter};

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
        /// Samples of each implementation at each length
        #[arg(long, default_value_t = 101)]
        rounds: usize,
        /// Fewer samples
        #[arg(long, env = "QUICK", action = ArgAction::SetTrue, value_parser = clap::builder::FalseyValueParser::new())]
        quick: bool,
        /// Where to leave the figures, as JSON
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Run {
            filter,
            lengths,
            rounds,
            quick,
            output,
        } => {
            let effort = Effort {
                rounds: if quick { rounds.div_ceil(4) } else { rounds },
                ticks: 60_000,
            };
            let document = run::run(&filter, &lengths, effort)?;
            for absent in &document.absent {
                println!("absent: {}: {}", absent.implementation, absent.reason);
            }
            for warning in &document.warnings {
                println!("warning: {warning}");
            }
            if let Some(output) = output {
                document.write(&output)?;
            }
        }
    }
    Ok(())
}
