//! The distribution of the time when a property first held, above a histogram of the same runs.

use crate::geometry::{Pt, Rect};

use super::Distribution;
use super::axes::{Axis, Pane, gutter};
use super::bins::{Bin, bins};
use super::picture::{Entry, Pen, Picture, WIDTH, counted, left_out};
use super::scale::{Range, is_drawable, short};
use super::thin::{stairs, thinned};

const CURVE_HEIGHT: f64 = 240.0;
const BARS_HEIGHT: f64 = 120.0;
const BINS_MAX: usize = 50;
/// No bar is narrower.
const BAR_MIN: f64 = 3.0;
/// How many places of the curve can be asked for their value.
const STRIPS: usize = 60;
const CURVE: usize = 0;
const ESTIMATE: usize = 1;

/// A step function.
type Steps = Vec<(f64, f64)>;

/// What is drawn: cleaned input.
struct Data<'a> {
    given: &'a Distribution<'a>,
    /// The times of the runs that succeeded, in ascending order.
    times: Vec<f64>,
    runs: u64,
    /// Within 0 to 1, lower end first.
    interval: Option<(f64, f64)>,
    /// The borders of the band, each sorted; both have points.
    band: Option<(Steps, Steps)>,
    n_left_out: usize,
}

impl<'a> Data<'a> {
    fn new(given: &'a Distribution<'a>) -> Data<'a> {
        let mut times: Vec<f64> = given.times.iter().copied().filter(|t| is_drawable(*t)).collect();
        times.sort_by(f64::total_cmp);
        let mut n_left_out = given.times.len() - times.len();
        let interval = given.interval.filter(|(low, high)| !low.is_nan() && !high.is_nan());
        n_left_out += usize::from(interval != given.interval);
        let mut border = |points: &[(f64, f64)]| -> Steps {
            let can_be_drawn = |(x, y): &(f64, f64)| is_drawable(*x) && !y.is_nan();
            let mut kept: Vec<_> = points.iter().copied().filter(can_be_drawn).collect();
            kept.sort_by(|a, b| a.0.total_cmp(&b.0));
            n_left_out += points.len() - kept.len();
            kept.iter().map(|(x, y)| (*x, y.clamp(0.0, 1.0))).collect()
        };
        let band = given.band.map(|band| (border(band.low), border(band.high)));
        Data {
            given,
            runs: given.runs.max(times.len() as u64),
            interval: interval.map(|(a, b)| (a.min(b).clamp(0.0, 1.0), a.max(b).clamp(0.0, 1.0))),
            band: band.filter(|(low, high)| !low.is_empty() && !high.is_empty()),
            times,
            n_left_out,
        }
    }

    /// The share of runs that `n` runs are.
    fn share(&self, n: usize) -> f64 {
        if self.runs == 0 { 0.0 } else { n as f64 / self.runs as f64 }
    }

    fn estimate(&self) -> f64 {
        self.share(self.times.len())
    }

    fn summary(&self) -> String {
        if self.runs == 0 {
            return "no runs".to_string();
        }
        let held = format!("held in {} of {}", self.times.len(), counted(self.runs, "run"));
        let mut text = format!("{held}: {}", short(self.estimate()));
        if let Some((low, high)) = self.interval {
            text += &format!(", between {} and {}", short(low), short(high));
            if let Some(confidence) = self.given.confidence.filter(|c| is_drawable(*c)) {
                text += &format!(" with confidence {}", short(confidence));
            }
        }
        text
    }

    /// From zero to the bound, and as much more as the data need.
    fn x_range(&self) -> Range {
        let borders = self.band.iter().flat_map(|(low, high)| low.iter().chain(high));
        let ends = [self.times.first(), self.times.last()].into_iter().flatten().copied();
        let values = ends.chain(borders.map(|(x, _)| *x)).chain([0.0, self.given.bound]);
        Range::of(values).unwrap_or(Range::new(0.0, 1.0))
    }

    /// From zero to the highest thing drawn.
    fn y_range(&self) -> Range {
        let border = self.band.iter().flat_map(|(_, high)| high.iter().map(|(_, y)| *y));
        let interval = self.interval.map(|(_, high)| high);
        let values = border.chain(interval).chain([self.estimate()]);
        Range::new(0.0, values.fold(0.0, f64::max)).rounded(7)
    }
}

/// Draws the picture.
pub(crate) fn draw(given: &Distribution) -> String {
    let data = Data::new(given);
    let mut picture = Picture::new(given.title, &data.summary());
    picture.legend(&legend(&data));
    if let Some(note) = left_out(data.n_left_out) {
        picture.note(note);
    }
    if given.runs < given.times.len() as u64 {
        picture.note("there are more times than runs: every time counts as a run");
    }

    let mut x = data.x_range();
    let (first, last) = (data.times.first().copied(), data.times.last().copied());
    let spread = last.unwrap_or(0.0) - first.unwrap_or(0.0);
    // Bars that would be thinner than the eye sees are joined.
    let n_max = (spread / x.span() * (WIDTH - 150.0) / BAR_MIN) as usize;
    let bins = bins(&data.times, n_max.clamp(1, BINS_MAX));
    if let (Some(first), Some(last)) = (bins.first(), bins.last()) {
        x = Range::new(x.low.min(first.low), x.high.max(last.high));
    }

    let y = data.y_range();
    let y_ticks = y.ticks(7);
    let highest = bins.iter().map(|bin| bin.count).max().unwrap_or(0);
    let bars_y = Range::new(0.0, data.share(highest as usize)).rounded(5);
    let bars_ticks = bars_y.ticks(5);
    let x = Axis::new(x, gutter(&[&y_ticks, &bars_ticks]), 8.0);

    let pane = Pane::new(&mut picture, &x, (y, &y_ticks), CURVE_HEIGHT, "share of runs by then");
    draw_curve(&mut picture, &pane, &data);
    let pane = Pane::new(
        &mut picture,
        &x,
        (bars_y, &bars_ticks),
        BARS_HEIGHT,
        "share of runs in each bar",
    );
    for bin in &bins {
        draw_bar(&mut picture, &pane, &data, bin);
    }
    Pane::name_below(&mut picture, &x, given.x_label);
    picture.finish()
}

fn legend(data: &Data) -> Vec<Entry> {
    let entry = |text: &str, pen, shaded, line| Entry {
        text: text.to_string(),
        pen: Pen::of(pen),
        shaded,
        line,
    };
    let mut entries = vec![entry("share of runs", CURVE, false, true)];
    if data.band.is_some() {
        entries.push(entry("confidence band", CURVE, true, false));
    }
    if data.runs > 0 {
        let with_interval = data.interval.is_some();
        let text = if with_interval { "estimate and its interval" } else { "estimate" };
        entries.push(entry(text, ESTIMATE, with_interval, true));
    }
    entries
}

fn draw_curve(picture: &mut Picture, pane: &Pane, data: &Data) {
    let ends = (pane.x.range.low, pane.x.range.high);
    if let Some((low, high)) = data.interval {
        let (top, bottom) = (pane.at(ends.0, high), pane.at(ends.1, low));
        let area = Rect { left: top.x, top: top.y, right: bottom.x, bottom: bottom.y };
        let fill = format!(" fill=\"{}\" fill-opacity=\"0.15\"/>\n", Pen::of(ESTIMATE).ink);
        picture.rect(area, "interval", &fill);
    }
    if let Some((low, high)) = &data.band {
        let mut outline = border(pane, high, ends.1);
        outline.extend(border(pane, low, ends.1).into_iter().rev());
        let fill = format!(" fill=\"{}\" fill-opacity=\"0.2\"", Pen::of(CURVE).ink);
        picture.path(&outline, "band", &fill);
        picture.body.push_str("/>\n");
    }
    if data.runs == 0 {
        return;
    }
    let level = data.estimate();
    let stroke = format!(" stroke=\"{}\" stroke-dasharray=\"6 4\"", Pen::of(ESTIMATE).ink);
    picture.segment(pane.at(ends.0, level), pane.at(ends.1, level), "estimate", &stroke);

    let steps = data.times.iter().enumerate().map(|(i, t)| pane.at(*t, data.share(i + 1)));
    let mut points = vec![pane.at(ends.0, 0.0)];
    points.extend(steps);
    points.push(pane.at(ends.1, level));
    let pen = Pen::of(CURVE).stroke();
    let stroke = format!(" fill=\"none\"{pen} stroke-width=\"2\" stroke-linejoin=\"round\"");
    picture.path(&stairs(&thinned(&points, 1.0)), "curve", &stroke);
    picture.body.push_str("/>\n");
    draw_strips(picture, pane, data);
}

/// A border of the band up to the right end.
fn border(pane: &Pane, points: &[(f64, f64)], end: f64) -> Vec<Pt> {
    let mut points: Vec<Pt> = points.iter().map(|(x, y)| pane.at(*x, *y)).collect();
    if let Some(last) = points.last().copied() {
        points.push(Pt::new(pane.x.at(end), last.y));
    }
    stairs(&thinned(&points, 1.0))
}

/// Nothing to see, but something to hover: the value of the curve at each place.
fn draw_strips(picture: &mut Picture, pane: &Pane, data: &Data) {
    picture.body.push_str("<g fill-opacity=\"0\">\n");
    let width = pane.area.width() / STRIPS as f64;
    for i in 0..STRIPS {
        let corner = Pt::new(pane.area.left + width * i as f64, pane.area.top);
        let time = pane.x.range.low + pane.x.range.span() * (i as f64 + 0.5) / STRIPS as f64;
        let n = data.times.partition_point(|t| *t <= time);
        picture.rect(Rect::at(corner, width, pane.area.height()), "strip", "");
        let share = short(data.share(n));
        let runs = counted(data.runs, "run");
        picture.hover(&format!("by {}: {share} ({n} of {runs})", short(time)), "rect");
    }
    picture.body.push_str("</g>\n");
}

fn draw_bar(picture: &mut Picture, pane: &Pane, data: &Data, bin: &Bin) {
    if bin.count == 0 {
        return;
    }
    let share = data.share(bin.count as usize);
    let (top, bottom) = (pane.at(bin.low, share), pane.at(bin.high, 0.0));
    let mut area = Rect { left: top.x, top: top.y, right: bottom.x, bottom: bottom.y };
    if area.width() < BAR_MIN {
        let most = pane.area.right - BAR_MIN;
        area.left = ((area.left + area.right - BAR_MIN) / 2.0).clamp(pane.area.left, most);
        area.right = area.left + BAR_MIN;
    } else if area.width() > 5.0 {
        area.right -= 1.0;
    }
    let fill = format!(" data-count=\"{}\" fill=\"{}\"", bin.count, Pen::of(CURVE).ink);
    picture.rect(area, "bar", &fill);
    let runs = counted(bin.count, "run");
    picture.hover(&format!("{}: {} ({runs})", between(bin), short(share)), "rect");
}

/// The values in `bin`, in words.
fn between(bin: &Bin) -> String {
    let (low, high) = match bin.whole {
        true => (bin.low + 0.5, bin.high - 0.5),
        false => (bin.low, bin.high),
    };
    let (low, high) = (short(low), short(high));
    if low == high { low } else { format!("{low} to {high}") }
}
