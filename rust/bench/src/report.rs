// SPDX-License-Identifier: GPL-2.0

//! `rfl-bench report`: Markdown and charts of what was measured.

use std::{collections::BTreeSet, fmt::Write, fs, path::Path};

use anyhow::{Context, Result};
use rfl_ciphers::simd::Feature;

use crate::{
    case::{Algorithm, Case, Mode},
    chart::{self, Group, Line},
    published::{ARIA_LIBGCRYPT, ARIA_TIERS},
    record::{Count, Document, Ground, Record, Sweep},
    table::{significant, table, Figures, Style},
};

/// Lengths of the charts with bars; XTS and its like have the next whole block.
const BAR_LENGTHS: [usize; 8] = [16, 64, 128, 256, 512, 1024, 4096, 16384];

/// Length of the messages that published figures for long ones are compared with.
const LONG: usize = 16384;

const COUNTED: &str = "\
Counted is a message from one buffer to another, both in the L1 cache: its IV, counter, tweak or nonce
is set, the text is processed, and the tag, if there is one, is made. Key schedules and tables of the
key are made before and are not counted. GCM has a nonce of 96 bits, no associated data and a tag of
128 bits. Messages are whole blocks where the mode wants them. RustCrypto's XTS works in place only, so
there a copy of the message is counted too. Peers take turns with ours in the same process, in
another order in each round, each turn with some messages for warm-up; figures are medians. A cycle is
one of the core's clock, which a chain of dependent multiplications beside each sample tells. `~`
marks figures whose quartiles are more than 10% apart; the best of ours and the best peer are bold.
libgcrypt is measured as it is and with CPU features taken away until another of its tiers is
left, whose name it then has. All results are compared before anything is measured.
";

/// Makes the report of documents, `report.md` in a directory.
pub fn write(documents: &[Document], directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)?;
    let mut text = String::from("<!-- SPDX-License-Identifier: GPL-2.0 -->\n\n# Benchmark\n\n");
    for document in documents {
        ground(&mut text, document, directory)?;
    }
    // The kernel's half makes tables of its own, of drivers by name.
    if let Ok(kernel) = fs::read_to_string(directory.join("kernel.md")) {
        text += &kernel;
    }
    let path = directory.join("report.md");
    fs::write(&path, text).with_context(|| path.display().to_string())
}

fn ground(text: &mut String, document: &Document, directory: &Path) -> Result<()> {
    let (name, file) = match document.ground {
        Ground::Process => ("In process", "process"),
        Ground::Uml => ("In the kernel: User Mode Linux", "uml"),
        Ground::Kvm => ("In the kernel: virtual machine", "kvm"),
    };
    let machine = &document.machine;
    writeln!(text, "## {name}\n")?;
    let vector: Vec<_> = Feature::ALL
        .iter()
        .map(|feature| feature.name())
        .filter(|name| machine.features.iter().any(|feature| feature == name))
        .collect();
    writeln!(text, "- CPU: {}, with {}", machine.cpu, vector.join(", "))?;
    writeln!(text, "- kernel: {}", machine.kernel)?;
    writeln!(text, "- compilers: {}", machine.compiler)?;
    let packages: Vec<_> = machine
        .packages
        .iter()
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    writeln!(text, "- versions: {}", packages.join(", "))?;
    let commit = machine.commit.as_deref().unwrap_or("unknown");
    writeln!(text, "- measured: {}, commit {commit}\n", machine.time)?;
    for warning in &document.warnings {
        writeln!(text, "**Warning:** {warning}\n")?;
    }
    if document.ground == Ground::Process && !document.records.is_empty() {
        writeln!(text, "{COUNTED}")?;
    }

    let cases: BTreeSet<Case> = document.records.iter().map(|record| record.case).collect();
    bars(text, document, &cases, directory, file)?;
    for case in &cases {
        let figures = Figures::new(*case, &document.records);
        let chart = format!("{file}-{}.svg", case.slug());
        let lines = lines(&figures);
        let title = format!("{case}: cost over length, {}", machine.cpu);
        if lines.iter().any(|line| line.points.len() > 1) {
            chart::lines(&directory.join(&chart), &title, figures.unit(), &lines)?;
            writeln!(text, "### {case}\n\n![{case}]({chart})\n")?;
        } else {
            writeln!(text, "### {case}\n")?;
        }
        // The kernel's tables come with the kernel's half.
        if document.ground == Ground::Process {
            writeln!(
                text,
                "{}:\n\n{}\n",
                figures.unit(),
                figures.table(Style::Markdown)
            )?;
        }
    }
    if document.ground == Ground::Process {
        published(text, &document.records)?;
    }
    sweeps(text, &document.sweeps, directory)?;
    counts(text, &document.counts)?;
    if !document.absent.is_empty() {
        writeln!(text, "### Not measured\n")?;
        for absent in &document.absent {
            writeln!(text, "- {}: {}", absent.implementation, absent.reason)?;
        }
        writeln!(text)?;
    }
    Ok(())
}

/// Makes lines of figures. Messages shorter than a block are left out, because their cost per byte
/// would stretch the axis, and lengths just below another, which would stand on top of it.
fn lines(figures: &Figures<'_>) -> Vec<Line> {
    let line = |(name, ours): &(&str, bool)| Line {
        name: (*name).to_owned(),
        ours: *ours,
        points: figures
            .lengths
            .iter()
            .filter(|bytes| {
                **bytes >= 16 && figures.lengths.range(*bytes + 1..*bytes + 8).count() == 0
            })
            .filter_map(|bytes| Some((*bytes as f64, figures.record(name, *bytes)?.per_byte())))
            .collect(),
    };
    figures.implementations.iter().map(line).collect()
}

/// Draws the ratios to the best peer, one chart for each algorithm and length of key.
fn bars(
    text: &mut String,
    document: &Document,
    cases: &BTreeSet<Case>,
    directory: &Path,
    file: &str,
) -> Result<()> {
    let subjects: BTreeSet<(Algorithm, u32)> = cases
        .iter()
        .map(|case| (case.algorithm, case.cipher_key_bits()))
        .collect();
    for (algorithm, bits) in subjects {
        let groups: Vec<Group> = cases
            .iter()
            .filter(|case| case.algorithm == algorithm && case.cipher_key_bits() == bits)
            .map(|case| {
                let figures = Figures::new(*case, &document.records);
                let ratio = |bytes| Some((bytes, figures.ratio(bytes)?));
                Group {
                    name: case.mode.to_string(),
                    bars: BAR_LENGTHS.into_iter().filter_map(ratio).collect(),
                }
            })
            .filter(|group| !group.bars.is_empty())
            .collect();
        if groups.is_empty() {
            continue;
        }
        let (name, key) = match bits {
            0 => (algorithm.to_string(), String::new()),
            bits => (format!("{algorithm}-{bits}"), format!(", {bits}-bit key")),
        };
        let chart = format!("{file}-{name}-ratio.svg");
        let title = format!("{algorithm}{key}: our best tier to the best peer, below 1 is faster");
        chart::ratios(&directory.join(&chart), &title, &groups)?;
        writeln!(text, "![{title}]({chart})\n")?;
    }
    Ok(())
}

/// The published tables in their own shape, with what is measured here below.
fn published(text: &mut String, records: &[Record]) -> Result<()> {
    let case = Case {
        algorithm: Algorithm::Aria,
        mode: Mode::EcbEncrypt,
        key_bits: 128,
    };
    let figures = Figures::new(case, records);
    if !figures.lengths.contains(&LONG) {
        return Ok(());
    }
    let show = |figure: Option<f64>| figure.map_or("-".to_owned(), |figure| format!("{figure:.2}"));
    let row = |name: String, figures: Vec<Option<f64>>| -> Vec<String> {
        [name]
            .into_iter()
            .chain(figures.into_iter().map(show))
            .collect()
    };
    let measured = |pick: fn(&(&str, &'static str, &'static str)) -> &'static str| {
        let cost = |tier| Some(figures.record(pick(tier), LONG)?.per_byte());
        ARIA_TIERS.iter().map(cost).collect()
    };
    let mut rows: Vec<_> = ARIA_LIBGCRYPT
        .iter()
        .map(|(cpu, figures)| row(format!("published: {cpu}"), figures.to_vec()))
        .collect();
    rows.push(row("here: libgcrypt".to_owned(), measured(|tier| tier.2)));
    rows.push(row("**here: ours**".to_owned(), measured(|tier| tier.1)));
    let heading = ["CPU"]
        .into_iter()
        .chain(ARIA_TIERS.iter().map(|tier| tier.0))
        .map(str::to_owned)
        .collect();
    writeln!(
        text,
        "### Published: ARIA-128 ECB in libgcrypt (2023), cycles per byte of long messages\n\n{}\n",
        table(Style::Markdown, heading, rows)
    )?;
    Ok(())
}

fn sweeps(text: &mut String, sweeps: &[Sweep], directory: &Path) -> Result<()> {
    for sweep in sweeps {
        let name = format!("{} {}", sweep.implementation, sweep.case);
        let chart =
            format!("sweep-{}-{}.svg", sweep.implementation, sweep.case.slug()).replace(' ', "-");
        chart::sweep(
            &directory.join(&chart),
            &format!("{name}: every length"),
            sweep,
        )?;
        writeln!(text, "### Every length: {name}\n\n![{name}]({chart})\n")?;
        writeln!(text, "{}\n", sweep.verdict())?;
    }
    Ok(())
}

fn counts(text: &mut String, counts: &[Count]) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "### Instructions\n\nExecuted for a message, counted one by one; `per block` is what a \
         block more costs in a full batch.\n"
    )?;
    let heading = ["", "case", "bytes", "instructions", "per block"]
        .map(str::to_owned)
        .to_vec();
    let rows = counts.iter().map(|count| {
        vec![
            count.implementation.clone(),
            count.case.to_string(),
            count.bytes.to_string(),
            count.instructions.to_string(),
            significant(count.per_block),
        ]
    });
    writeln!(text, "{}\n", table(Style::Markdown, heading, rows))?;
    Ok(())
}
