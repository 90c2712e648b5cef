// SPDX-License-Identifier: GPL-2.0

//! What a run leaves behind: one JSON document for each ground, which reports are made of.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{ensure, Context, Result};
use serde::{Deserialize, Serialize};
use statrs::statistics::{Data, Max, Min, OrderStatistics};

use crate::case::Case;

/// The only format that there is.
pub const FORMAT: u32 = 1;

/// Where the code ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// In this process.
    Process,
    /// In User Mode Linux, through the kernel's crypto API.
    Uml,
    /// In a virtual machine with hardware support, through the kernel's crypto API.
    Kvm,
}

/// What the code ran on, and what made it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The CPU's name for itself.
    pub cpu: String,
    /// The CPU's features as the kernel names them.
    pub features: Vec<String>,
    /// The kernel's release.
    pub kernel: String,
    /// Compilers, with versions.
    pub compiler: String,
    /// Versions of everything that was measured.
    pub packages: BTreeMap<String, String>,
    /// When, in UTC.
    pub time: String,
    /// The commit that was measured, if git knows it.
    pub commit: Option<String>,
}

/// Cost of a message over many samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many samples there were.
    pub samples: usize,
    /// The smallest.
    pub min: f64,
    /// A quarter of them is below.
    pub q1: f64,
    /// A half of them is below.
    pub median: f64,
    /// Three quarters of them are below.
    pub q3: f64,
}

impl Spread {
    /// Summarises samples, of which there must be one at least.
    pub fn of(samples: Vec<f64>) -> Self {
        let mut data = Data::new(samples);
        Self {
            samples: data.len(),
            min: data.min().min(data.max()),
            q1: data.lower_quartile(),
            median: data.median(),
            q3: data.upper_quartile(),
        }
    }

    /// Returns whether the quartiles are so far apart that the median means little.
    pub fn is_noisy(&self) -> bool {
        self.q3 - self.q1 > 0.10 * self.median
    }
}

/// One figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// A tier of ours, a kernel's driver, or somebody else's library.
    pub implementation: String,
    /// Whether it is this project's.
    pub ours: bool,
    /// What it did.
    #[serde(flatten)]
    pub case: Case,
    /// Length of the message.
    pub bytes: usize,
    /// Core cycles for a message, where they could be counted.
    pub cycles: Option<Spread>,
    /// Time for a message.
    pub nanoseconds: Option<Spread>,
    /// Whether the samples were too far apart.
    pub noisy: bool,
}

impl Record {
    /// Returns the median cost of a byte, in cycles or else in nanoseconds.
    pub fn per_byte(&self) -> f64 {
        let cost = self.cycles.or(self.nanoseconds);
        cost.map_or(f64::NAN, |cost| cost.median / self.bytes as f64)
    }
}

/// An implementation that could not run, or not do something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absent {
    /// Which, and what of it.
    pub implementation: String,
    /// Why.
    pub reason: String,
}

/// What was found about one driver over all lengths.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sweep {
    /// Which implementation.
    pub implementation: String,
    /// What it did.
    #[serde(flatten)]
    pub case: Case,
    /// Length of a full batch.
    pub batch: usize,
    /// Cycles for a message by its length.
    pub cycles: Vec<(usize, f64)>,
    /// The length furthest above the line between the full batches around it, and how far.
    pub above_line: (usize, f64),
    /// The length furthest above the cheaper of its neighbours, and how far.
    pub above_neighbours: (usize, f64),
}

/// Instructions that a tier executes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Count {
    /// Which tier.
    pub implementation: String,
    /// What it did.
    #[serde(flatten)]
    pub case: Case,
    /// Length of the message.
    pub bytes: usize,
    /// Instructions for the message.
    pub instructions: u64,
    /// Instructions that another batch adds, for each of its blocks.
    pub per_block: f64,
}

/// All that a run found on one ground.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    /// [`FORMAT`].
    pub format: u32,
    /// Where it ran.
    pub ground: Ground,
    /// On what.
    pub machine: Machine,
    /// Costs.
    #[serde(default)]
    pub records: Vec<Record>,
    /// Costs over all lengths.
    #[serde(default)]
    pub sweeps: Vec<Sweep>,
    /// Instructions.
    #[serde(default)]
    pub counts: Vec<Count>,
    /// What could not run.
    #[serde(default)]
    pub absent: Vec<Absent>,
    /// What a reader must know to judge the figures.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl Document {
    /// Makes a document without figures.
    pub fn new(ground: Ground, machine: Machine) -> Self {
        Self {
            format: FORMAT,
            ground,
            machine,
            records: Vec::new(),
            sweeps: Vec::new(),
            counts: Vec::new(),
            absent: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Reads a document.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let document: Self =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        ensure!(
            document.format == FORMAT,
            "{}: format {}, and only {FORMAT} is known",
            path.display(),
            document.format
        );
        Ok(document)
    }

    /// Writes the document.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        fs::write(path, text).with_context(|| path.display().to_string())
    }
}
