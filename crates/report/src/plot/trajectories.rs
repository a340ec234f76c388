//! Values over time. All series share both axes, so that their values can be compared.

use crate::geometry::Pt;
use crate::text;

use super::axes::{Axis, Pane, gutter};
use super::picture::{Entry, Pen, Picture, counted, left_out};
use super::scale::{Range, is_drawable};
use super::thin::{stairs, thinned};
use super::{Series, SeriesKind, Trajectories};

const HEIGHT: f64 = 340.0;
/// Nobody tells more lines apart; of each series the first few runs are drawn.
const LINES_MAX: usize = 400;
/// About twelve bytes each: what keeps documents below a megabyte.
const POINTS_MAX: usize = 60_000;

/// With more pieces than this, gaps are not shown.
const PIECES_MAX: usize = 1_000;

/// A piece of a run without gaps, from left to right.
type Piece = Vec<(f64, f64)>;
/// Something for each series, each run of it, and each piece of that.
type PerPiece<T> = Vec<Vec<Vec<T>>>;

/// Draws the picture.
pub(crate) fn draw(given: &Trajectories) -> String {
    let series = &given.series[..given.series.len().min(Pen::N)];
    let n_runs = series.iter().map(|series| series.runs.len()).max().unwrap_or(0);
    let n_shown = n_runs.min(LINES_MAX / series.len().max(1));

    let mut picture = Picture::new(given.title, &summary(series.len(), n_runs));
    let entry = |(i, series): (usize, &Series)| Entry {
        text: series.name.to_string(),
        pen: Pen::of(i),
        shaded: false,
        line: true,
    };
    picture.legend(&series.iter().enumerate().map(entry).collect::<Vec<_>>());

    let mut n_left_out = 0;
    let pieces_max = PIECES_MAX / (n_shown * series.len()).max(1);
    let pieces: PerPiece<Piece> = series
        .iter()
        .map(|series| {
            let shown = series.runs.iter().take(n_shown);
            shown.map(|run| pieces(run, pieces_max, &mut n_left_out)).collect()
        })
        .collect();
    if let Some(note) = left_out(n_left_out) {
        picture.note(note);
    }
    if n_shown < n_runs {
        picture.note(format!("drawn: the first {n_shown} of {n_runs} runs"));
    }
    if series.len() < given.series.len() {
        let n = given.series.len();
        picture.note(format!("drawn: the first {} of {n} expressions", series.len()));
    }

    let points = || pieces.iter().flatten().flatten().flatten();
    let x = Range::of(points().map(|(x, _)| *x).chain([0.0, given.bound]));
    let x = x.unwrap_or(Range::new(0.0, 1.0));
    let y = Range::of(points().map(|(_, y)| *y)).unwrap_or(Range::new(0.0, 1.0)).padded();
    let y_ticks = y.ticks(9);
    let x = Axis::new(x, gutter(&[&y_ticks]), 8.0);
    let pane = Pane::new(&mut picture, &x, (y, &y_ticks), HEIGHT, "");

    let (lines, width) = thin(&pane, series, &pieces);
    if width > 1.0 {
        picture.note(format!("lines are drawn by the extremes in each column of {width} pixels"));
    }
    // What has the most ink is drawn first, or it would hide the others.
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by(|a, b| ink(&lines[*b]).total_cmp(&ink(&lines[*a])));
    for i in order {
        draw_series(&mut picture, i, &series[i], &lines[i]);
    }
    Pane::name_below(&mut picture, &x, given.x_label);
    picture.finish()
}

fn summary(n_series: usize, n_runs: usize) -> String {
    match (n_series, n_runs) {
        (0, _) => "no expressions".to_string(),
        (_, 0) => "no runs".to_string(),
        _ => counted(n_runs as u64, "run"),
    }
}

/// The parts of `run` between values that cannot be drawn, or one part without these values if
/// there would be more than `limit`; counts those values.
fn pieces(run: &[(f64, f64)], limit: usize, n_left_out: &mut usize) -> Vec<Piece> {
    // A time that is no number has no place in the order; its point is a gap where it stands.
    let is_sorted = run.is_sorted_by(|a, b| a.0 <= b.0 || a.0.is_nan() || b.0.is_nan());
    let mut sorted = Vec::new();
    let run = if is_sorted {
        run
    } else {
        sorted.extend_from_slice(run);
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        &sorted
    };
    let can_be_drawn = |(x, y): &(f64, f64)| is_drawable(*x) && is_drawable(*y);
    *n_left_out += run.iter().filter(|point| !can_be_drawn(point)).count();
    let pieces = || run.split(|point| !can_be_drawn(point)).filter(|piece| !piece.is_empty());
    match pieces().nth(limit) {
        None => pieces().map(<[_]>::to_vec).collect(),
        Some(_) => vec![pieces().flatten().copied().collect()],
    }
}

/// The lines of each run of each series, in columns just wide enough to limit their points.
fn thin(pane: &Pane, series: &[Series], pieces: &PerPiece<Piece>) -> (PerPiece<Vec<Pt>>, f64) {
    let place = |piece: &Piece| piece.iter().map(|(x, y)| pane.at(*x, *y)).collect::<Vec<_>>();
    let line = |kind: SeriesKind, piece: &Piece, width: f64| {
        let few = thinned(&place(piece), width);
        match kind {
            SeriesKind::Steps => stairs(&few),
            SeriesKind::Lines => few,
        }
    };
    let mut width = 1.0;
    loop {
        let run = |kind, run: &Vec<Piece>| {
            run.iter().map(|piece| line(kind, piece, width)).collect::<Vec<_>>()
        };
        let lines: PerPiece<Vec<Pt>> = series
            .iter()
            .zip(pieces)
            .map(|(series, runs)| runs.iter().map(|pieces| run(series.kind, pieces)).collect())
            .collect();
        let n_points: usize = lines.iter().flatten().flatten().map(Vec::len).sum();
        // With so few columns, a limited number of pieces has few enough points.
        if n_points <= POINTS_MAX || width > 64.0 {
            return (lines, width);
        }
        width *= 2.0;
    }
}

/// The length of all lines.
fn ink(runs: &[Vec<Vec<Pt>>]) -> f64 {
    let length = |line: &Vec<Pt>| -> f64 { line.windows(2).map(|p| p[0].distance(p[1])).sum() };
    runs.iter().flatten().map(length).sum()
}

fn draw_series(picture: &mut Picture, index: usize, series: &Series, runs: &[Vec<Vec<Pt>>]) {
    let pen = Pen::of(index);
    let (opacity, width) = match runs.len() {
        0..=3 => (1.0, 1.6),
        4..=12 => (0.7, 1.3),
        13..=60 => (0.45, 1.0),
        61..=150 => (0.25, 0.8),
        _ => (0.15, 0.8),
    };
    let (stroke, ink) = (pen.stroke(), pen.ink);
    picture.body.push_str(&format!(
        "<g class=\"series\" data-index=\"{index}\"{stroke} stroke-width=\"{width}\" \
         stroke-opacity=\"{opacity}\" stroke-linejoin=\"round\">\n"
    ));
    let name = text::shortened(&text::one_line(series.name), text::SIZE, 160.0);
    for (i, pieces) in runs.iter().enumerate() {
        for points in pieces {
            if let [point] = points[..] {
                let fill = format!(" r=\"2.5\" stroke=\"none\" fill=\"{ink}\"");
                picture.dot(point, "run", &fill);
                picture.hover(&format!("{name}, run {}", i + 1), "circle");
            } else {
                picture.path(points, "run", " fill=\"none\"");
                picture.hover(&format!("{name}, run {}", i + 1), "path");
            }
        }
    }
    picture.body.push_str("</g>\n");
}
