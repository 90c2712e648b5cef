// SPDX-License-Identifier: GPL-2.0

//! Charts, as SVG.

use std::{fs, path::Path};

use anyhow::{anyhow, Context, Result};
use plotters::{
    coord::{combinators::BindKeyPoints, Shift},
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use crate::{record::Sweep, sweep::LIMIT};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const SIZE: (u32, u32) = (1000, 620);
const FONT: &str = "sans-serif";
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(228, 228, 228);
const FASTER: RGBColor = RGBColor(26, 133, 96);
const SLOWER: RGBColor = RGBColor(200, 72, 48);

/// Colours of our tiers, in their order.
const OURS: [RGBColor; 10] = [
    RGBColor(15, 98, 254),
    RGBColor(218, 30, 40),
    RGBColor(0, 125, 121),
    RGBColor(138, 63, 252),
    RGBColor(186, 78, 0),
    RGBColor(159, 24, 83),
    RGBColor(0, 45, 156),
    RGBColor(36, 161, 72),
    RGBColor(209, 39, 113),
    RGBColor(87, 4, 8),
];

/// Ratios that an axis may be marked with.
const RATIOS: [f64; 18] = [
    0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0,
];

/// Colours of the others; they are drawn thin.
const OTHERS: [RGBColor; 8] = [
    RGBColor(30, 30, 30),
    RGBColor(105, 105, 105),
    RGBColor(125, 135, 150),
    RGBColor(150, 140, 125),
    RGBColor(140, 150, 130),
    RGBColor(160, 160, 160),
    RGBColor(135, 125, 145),
    RGBColor(175, 165, 150),
];

/// A line of a chart.
pub struct Line {
    /// What it is called.
    pub name: String,
    /// Whether it is ours.
    pub ours: bool,
    /// Where it goes; all above zero.
    pub points: Vec<(f64, f64)>,
}

/// Draws to a file, with a title at the top.
fn draw(path: &Path, title: &str, body: impl FnOnce(&Area<'_>) -> Result<()>) -> Result<()> {
    let mut text = String::from("<!-- SPDX-License-Identifier: GPL-2.0 -->\n");
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        root.fill(&WHITE).map_err(|error| anyhow!("{error}"))?;
        let style = (FONT, 22).into_font().color(&INK);
        root.draw_text(title, &style, (24, 16))
            .map_err(|error| anyhow!("{error}"))?;
        body(&root.margin(48, 0, 0, 0))?;
        root.present().map_err(|error| anyhow!("{error}"))?;
    }
    text.push('\n');
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// Returns 1, 2 and 5 times each power of ten in a range.
fn decades(range: &std::ops::Range<f64>) -> Vec<f64> {
    (-4..8)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
        .filter(|value| *value >= range.start * 0.999 && *value <= range.end * 1.001)
        .collect()
}

/// Extends a range of positive numbers to the next of 1, 2, 5 times a power of ten on either side.
fn widen(values: impl Iterator<Item = f64> + Clone) -> std::ops::Range<f64> {
    let min = values.clone().fold(f64::INFINITY, f64::min);
    let max = values.fold(0.0, f64::max);
    let marks = decades(&(1e-4..1e7));
    let start = marks
        .iter()
        .copied()
        .filter(|mark| *mark <= min)
        .fold(1e-4, f64::max);
    let end = marks
        .iter()
        .copied()
        .filter(|mark| *mark >= max)
        .fold(1e7, f64::min);
    start..end
}

/// Moves labels apart, from the top down and then from the bottom up, and returns their heights.
fn spread(heights: &[i32], distance: i32, bottom: i32) -> Vec<i32> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by_key(|n| heights[*n]);
    let mut spread = heights.to_vec();
    let mut free = i32::MIN;
    for &n in &order {
        spread[n] = spread[n].max(free);
        free = spread[n] + distance;
    }
    let mut free = bottom;
    for &n in order.iter().rev() {
        spread[n] = spread[n].min(free);
        free = spread[n] - distance;
    }
    spread
}

/// Draws lines over the length of a message, both axes logarithmic, each line with its name at its
/// end.
pub fn lines(path: &Path, title: &str, unit: &str, lines: &[Line]) -> Result<()> {
    let xs = lines
        .iter()
        .flat_map(|line| &line.points)
        .map(|point| point.0);
    let ys = lines
        .iter()
        .flat_map(|line| &line.points)
        .map(|point| point.1);
    let (x_min, x_max) = (
        xs.clone().fold(f64::INFINITY, f64::min),
        xs.fold(0.0, f64::max),
    );
    let y_range = widen(ys);
    let x_marks: Vec<f64> = (0..24)
        .map(|bit| f64::from(1 << bit))
        .filter(|mark| (x_min..=x_max).contains(mark))
        .collect();

    draw(path, title, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(52)
            .y_label_area_size(70)
            .margin_right(190)
            .margin_left(8)
            .build_cartesian_2d(
                (x_min..x_max).log_scale().with_key_points(x_marks),
                y_range
                    .clone()
                    .log_scale()
                    .with_key_points(decades(&y_range)),
            )
            .map_err(|error| anyhow!("{error}"))?;
        chart
            .configure_mesh()
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .x_desc("bytes in a message")
            .y_desc(unit)
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .label_style((FONT, 14).into_font().color(&INK))
            .x_label_formatter(&|x| format!("{x}"))
            .y_label_formatter(&|y| format!("{y}"))
            .draw()
            .map_err(|error| anyhow!("{error}"))?;

        let mut colours = [OURS.iter().cycle(), OTHERS.iter().cycle()];
        let mut ends = Vec::new();
        // Ours last, and so on top.
        for line in lines
            .iter()
            .filter(|line| !line.ours)
            .chain(lines.iter().filter(|l| l.ours))
        {
            let colour = *colours[usize::from(!line.ours)].next().unwrap_or(&INK);
            let style = colour.stroke_width(if line.ours { 3 } else { 1 });
            chart
                .draw_series(LineSeries::new(line.points.iter().copied(), style))
                .map_err(|error| anyhow!("{error}"))?;
            let radius = if line.ours { 3 } else { 2 };
            let dots = line
                .points
                .iter()
                .map(|point| Circle::new(*point, radius, colour.filled()));
            chart
                .draw_series(dots)
                .map_err(|error| anyhow!("{error}"))?;
            if let Some(end) = line.points.last() {
                ends.push((line, colour, chart.backend_coord(end)));
            }
        }

        let (right, _) = chart.backend_coord(&(x_max, y_range.start));
        let (_, bottom) = chart.backend_coord(&(x_max, y_range.start));
        let heights: Vec<i32> = ends.iter().map(|(_, _, at)| at.1).collect();
        // What was drawn on a part has places on the whole.
        let (_, top) = area.get_base_pixel();
        for ((line, colour, at), height) in ends.iter().zip(spread(&heights, 16, bottom)) {
            let (from, to) = ((at.0 + 3, at.1 - top), (right + 16, height - top));
            area.draw(&PathElement::new([from, to], colour.mix(0.5)))
                .map_err(|error| anyhow!("{error}"))?;
            let font = (FONT, 14).into_font();
            let font = if line.ours {
                font.style(FontStyle::Bold)
            } else {
                font
            };
            let style = font.color(colour).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw_text(&line.name, &style, (right + 20, height - top))
                .map_err(|error| anyhow!("{error}"))?;
        }
        Ok(())
    })
}

/// A group of bars.
pub struct Group {
    /// What stands below it.
    pub name: String,
    /// Lengths of messages, and ratios of costs.
    pub bars: Vec<(usize, f64)>,
}

/// Draws ratios as bars that begin at 1, on a logarithmic axis: down is faster.
pub fn ratios(path: &Path, title: &str, groups: &[Group]) -> Result<()> {
    let values = groups.iter().flat_map(|group| &group.bars).map(|bar| bar.1);
    // Room for the figures at the ends of the bars.
    let range = values.clone().fold(1.0, f64::min) * 0.85..values.fold(0.9, f64::max) * 1.2;
    let marks = RATIOS
        .into_iter()
        .filter(|mark| range.contains(mark))
        .collect::<Vec<_>>();
    let slots: usize = groups.iter().map(|group| group.bars.len() + 1).sum();

    draw(path, title, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(64)
            .y_label_area_size(70)
            .margin_right(24)
            .margin_left(8)
            .build_cartesian_2d(
                0.0..slots as f64,
                range.clone().log_scale().with_key_points(marks),
            )
            .map_err(|error| anyhow!("{error}"))?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .y_desc("cost of our best / cost of the best peer")
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .label_style((FONT, 14).into_font().color(&INK))
            .y_label_formatter(&|y| format!("{y}"))
            .draw()
            .map_err(|error| anyhow!("{error}"))?;

        let (_, top) = area.get_base_pixel();
        let small = (FONT, 11).into_font().color(&INK);
        let mut slot = 0.5;
        for group in groups {
            let first = slot;
            for (bytes, ratio) in &group.bars {
                let colour = if *ratio <= 1.0 { FASTER } else { SLOWER };
                let bar =
                    Rectangle::new([(slot + 0.1, 1.0), (slot + 0.9, *ratio)], colour.filled());
                chart
                    .draw_series([bar])
                    .map_err(|error| anyhow!("{error}"))?;
                let (x, y) = chart.backend_coord(&(slot + 0.5, *ratio));
                let (_, bottom) = chart.backend_coord(&(slot + 0.5, range.start));
                let (beyond, gap) = match *ratio <= 1.0 {
                    true => (HPos::Right, 4),
                    false => (HPos::Left, -4),
                };
                let upright = small.transform(FontTransform::Rotate270);
                area.draw_text(
                    &format!("{ratio:.2}"),
                    &upright.pos(Pos::new(beyond, VPos::Center)),
                    (x, y - top + gap),
                )
                .map_err(|error| anyhow!("{error}"))?;
                area.draw_text(
                    &bytes.to_string(),
                    &upright.pos(Pos::new(HPos::Right, VPos::Center)),
                    (x, bottom - top + 6),
                )
                .map_err(|error| anyhow!("{error}"))?;
                slot += 1.0;
            }
            let middle = (first + slot) / 2.0;
            let (x, bottom) = chart.backend_coord(&(middle, range.start));
            let style = (FONT, 14).into_font().color(&INK);
            area.draw_text(
                &group.name,
                &style.pos(Pos::new(HPos::Center, VPos::Top)),
                (x, bottom - top + 44),
            )
            .map_err(|error| anyhow!("{error}"))?;
            slot += 1.0;
        }
        let one = PathElement::new([(0.0, 1.0), (slots as f64, 1.0)], INK.stroke_width(2));
        chart
            .draw_series([one])
            .map_err(|error| anyhow!("{error}"))?;
        Ok(())
    })
}

/// Draws the cost of a message over every length, and the line between full batches.
pub fn sweep(path: &Path, title: &str, sweep: &Sweep) -> Result<()> {
    let x_max = sweep.cycles.iter().map(|point| point.0).max().unwrap_or(1);
    let y_max = sweep.cycles.iter().map(|point| point.1).fold(0.0, f64::max);
    let (ours, line) = (OURS[0], SLOWER);
    let full = sweep
        .cycles
        .iter()
        .filter(|(len, _)| len % sweep.batch == 0);
    let ends: Vec<_> = sweep
        .cycles
        .iter()
        .find(|(len, _)| *len >= 16)
        .into_iter()
        .chain(full)
        .collect();

    draw(path, title, |area| {
        let mut chart = ChartBuilder::on(area)
            .x_label_area_size(52)
            .y_label_area_size(80)
            .margin_right(28)
            .margin_left(8)
            .build_cartesian_2d(0..x_max, 0.0..y_max * 1.4)
            .map_err(|error| anyhow!("{error}"))?;
        chart
            .configure_mesh()
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK)
            .x_desc("bytes in a message")
            .y_desc("cycles for a message")
            .axis_desc_style((FONT, 16).into_font().color(&INK))
            .label_style((FONT, 14).into_font().color(&INK))
            .y_label_formatter(&|y| format!("{y}"))
            .draw()
            .map_err(|error| anyhow!("{error}"))?;
        let points = sweep.cycles.iter().copied();
        chart
            .draw_series(LineSeries::new(points, ours.stroke_width(2)))
            .map_err(|error| anyhow!("{error}"))?
            .label("measured")
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], ours.stroke_width(2)));
        for (limit, style, name) in [
            (
                1.0,
                line.stroke_width(1),
                "line between one block and full batches".to_owned(),
            ),
            (
                LIMIT,
                line.mix(0.4).stroke_width(1),
                format!("{LIMIT} times that"),
            ),
        ] {
            let points = ends.iter().map(|(len, cost)| (*len, cost * limit));
            chart
                .draw_series(LineSeries::new(points, style))
                .map_err(|error| anyhow!("{error}"))?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .margin(12)
            .background_style(WHITE.mix(0.9))
            .label_font((FONT, 14).into_font().color(&INK))
            .draw()
            .map_err(|error| anyhow!("{error}"))
    })
}
