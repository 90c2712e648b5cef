// SPDX-License-Identifier: GPL-2.0

//! Tables of figures, for terminals and for Markdown.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::{presets, CellAlignment, Table};

use crate::{case::Case, record::Record};

/// Where a table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// In a terminal.
    Terminal,
    /// In a Markdown file.
    Markdown,
}

/// Makes a table of a heading and rows; all columns but the first are numbers.
pub fn table<R>(style: Style, heading: Vec<String>, rows: impl IntoIterator<Item = R>) -> Table
where
    R: Into<comfy_table::Row>,
{
    let mut table = Table::new();
    table.load_preset(match style {
        Style::Terminal => presets::NOTHING,
        Style::Markdown => presets::ASCII_MARKDOWN,
    });
    table.set_header(heading).add_rows(rows);
    for (n, column) in table.column_iter_mut().enumerate() {
        if n > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if style == Style::Terminal {
            column.set_padding((0, 2));
        }
    }
    table
}

/// All figures for one case on one ground.
pub struct Figures<'a> {
    by_place: BTreeMap<(&'a str, usize), &'a Record>,
    /// Ours first, then in the order of their appearance.
    pub implementations: Vec<(&'a str, bool)>,
    /// Lengths of messages.
    pub lengths: BTreeSet<usize>,
}

impl<'a> Figures<'a> {
    /// Picks the records of a case.
    pub fn new(case: Case, records: &'a [Record]) -> Self {
        let mut figures = Self {
            by_place: BTreeMap::new(),
            implementations: Vec::new(),
            lengths: BTreeSet::new(),
        };
        for record in records.iter().filter(|record| record.case == case) {
            let name = record.implementation.as_str();
            figures.by_place.insert((name, record.bytes), record);
            figures.lengths.insert(record.bytes);
            if !figures.implementations.contains(&(name, record.ours)) {
                figures.implementations.push((name, record.ours));
            }
        }
        figures.implementations.sort_by_key(|(_, ours)| !ours);
        figures
    }

    /// Returns a record.
    pub fn record(&self, implementation: &str, bytes: usize) -> Option<&'a Record> {
        self.by_place.get(&(implementation, bytes)).copied()
    }

    /// Returns the cheapest record at a length, of ours or of the others.
    pub fn best(&self, ours: bool, bytes: usize) -> Option<&'a Record> {
        self.implementations
            .iter()
            .filter(|(_, is_ours)| *is_ours == ours)
            .filter_map(|(name, _)| self.record(name, bytes))
            .min_by(|a, b| a.per_byte().total_cmp(&b.per_byte()))
    }

    /// Returns the ratio of our cheapest tier to the cheapest peer at a length.
    pub fn ratio(&self, bytes: usize) -> Option<f64> {
        Some(self.best(true, bytes)?.per_byte() / self.best(false, bytes)?.per_byte())
    }

    /// Returns what the figures are measured in.
    pub fn unit(&self) -> &'static str {
        match self.by_place.values().all(|record| record.cycles.is_some()) {
            true => "cycles per byte",
            false => "nanoseconds per byte",
        }
    }

    /// Shows the figures: a row for each implementation, and the ratio of the best.
    pub fn table(&self, style: Style) -> Table {
        let heading = ["".to_owned()]
            .into_iter()
            .chain(self.lengths.iter().map(|bytes| format!("{bytes} B")))
            .collect();
        let mut rows: Vec<Vec<String>> = Vec::new();
        for (name, ours) in &self.implementations {
            let figures = self.lengths.iter().map(|bytes| {
                let Some(record) = self.record(name, *bytes) else {
                    return "-".to_owned();
                };
                let is_best = self
                    .best(*ours, *bytes)
                    .is_some_and(|best| best.implementation == *name);
                let figure = significant(record.per_byte());
                let noise = if record.noisy { "~" } else { "" };
                match (style, is_best) {
                    (Style::Markdown, true) => format!("{noise}**{figure}**"),
                    _ => format!("{noise}{figure}"),
                }
            });
            let name = match (style, ours) {
                (Style::Markdown, true) => format!("**{name}**"),
                _ => (*name).to_owned(),
            };
            rows.push([name].into_iter().chain(figures).collect());
        }
        let ratios: Vec<_> = self
            .lengths
            .iter()
            .map(|bytes| self.ratio(*bytes))
            .collect();
        if ratios.iter().any(Option::is_some) {
            let ratios = ratios
                .into_iter()
                .map(|ratio| ratio.map_or("-".to_owned(), significant));
            rows.push(
                ["our best / best peer".to_owned()]
                    .into_iter()
                    .chain(ratios)
                    .collect(),
            );
        }
        table(style, heading, rows)
    }
}

/// Writes a figure with three digits that mean something.
pub fn significant(figure: f64) -> String {
    let decimals = if figure < 1.0 {
        3
    } else if figure < 10.0 {
        2
    } else {
        1
    };
    format!("{figure:.decimals$}")
}
