//! Values with intervals as horizontal bars, whose names may be long.

use crate::geometry::{Pt, Rect};
use crate::text;

use super::axes::{Axis, Pane};
use super::picture::{Pen, Picture, left_out};
use super::scale::{Range, Ticks, is_drawable, short};
use super::{Bar, Comparison};

const ROW: f64 = 26.0;
const BAR: f64 = 14.0;
const NAME_MAX: f64 = 240.0;
const BARS_MAX: usize = 200;

/// Draws the picture.
pub(crate) fn draw(given: &Comparison) -> String {
    let mut picture = Picture::new(given.title, "");
    let shown = &given.bars[..given.bars.len().min(BARS_MAX)];
    if shown.len() < given.bars.len() {
        picture.note(format!("drawn: the first {} of {} bars", shown.len(), given.bars.len()));
    }
    let cleaned: Vec<Bar> = shown.iter().map(clean).collect();
    let is_value_lost = |bar: &&Bar| !is_drawable(bar.value);
    let is_interval_lost =
        |(bar, clean): &(&Bar, &Bar)| bar.interval.is_some() && clean.interval.is_none();
    let n_left_out = shown.iter().filter(is_value_lost).count()
        + shown.iter().zip(&cleaned).filter(is_interval_lost).count();
    if let Some(note) = left_out(n_left_out) {
        picture.note(note);
    }

    let values = cleaned.iter().flat_map(|bar| {
        let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
        [bar.value, low, high]
    });
    let range = Range::of(values.chain([0.0])).unwrap_or(Range::new(0.0, 1.0)).rounded(9);
    let names: Vec<String> = cleaned
        .iter()
        .map(|bar| text::shortened(&text::one_line(bar.name), text::SIZE, NAME_MAX))
        .collect();
    let numbers: Vec<String> = cleaned.iter().map(number).collect();
    let (before, after) = (text::widest(&names) + 8.0, text::widest(&numbers) + 8.0);
    let axis = Axis::new(range, before, after);

    let height = ROW * cleaned.len().max(1) as f64;
    let rows = Range::new(0.0, cleaned.len().max(1) as f64);
    let pane = Pane::new(&mut picture, &axis, (rows, &Ticks::default()), height, "");
    for (i, bar) in cleaned.iter().enumerate() {
        let middle = pane.area.top + ROW * (i as f64 + 0.5);
        let name = Pt::new(pane.area.left - 8.0, middle - 8.0);
        picture.words(name, "name", "end", names[i].clone());
        let value = Pt::new(pane.area.right + 8.0, middle - 8.0);
        picture.words(value, "value", "start", numbers[i].clone());
        draw_bar(&mut picture, &pane, bar, middle, &format!("{}: {}", names[i], numbers[i]));
    }
    Pane::name_below(&mut picture, &axis, given.x_label);
    picture.finish()
}

/// An interval with its lower end first; none if it cannot be drawn.
fn clean<'a>(bar: &Bar<'a>) -> Bar<'a> {
    let drawable = bar.interval.filter(|(a, b)| is_drawable(*a) && is_drawable(*b));
    Bar { interval: drawable.map(|(a, b)| (a.min(b), a.max(b))), ..*bar }
}

fn number(bar: &Bar) -> String {
    let value = if is_drawable(bar.value) { short(bar.value) } else { "?".to_string() };
    match bar.interval {
        Some((low, high)) => format!("{value} ({} to {})", short(low), short(high)),
        None => value,
    }
}

fn draw_bar(picture: &mut Picture, pane: &Pane, bar: &Bar, middle: f64, words: &str) {
    let zero = pane.x.at(0.0);
    if is_drawable(bar.value) {
        let end = pane.x.at(bar.value);
        let corner = Pt::new(zero.min(end), middle - BAR / 2.0);
        let fill = format!(" fill=\"{}\"", Pen::of(0).ink);
        picture.rect(Rect::at(corner, (end - zero).abs(), BAR), "bar", &fill);
        picture.hover(words, "rect");
    }
    if let Some((low, high)) = bar.interval {
        let (left, right) = (pane.x.at(low), pane.x.at(high));
        let up = BAR / 2.0 - 2.0;
        for (from, to) in [
            (Pt::new(left, middle), Pt::new(right, middle)),
            (Pt::new(left, middle - up), Pt::new(left, middle + up)),
            (Pt::new(right, middle - up), Pt::new(right, middle + up)),
        ] {
            let stroke = format!(" stroke=\"{}\" stroke-width=\"2\"", Pen::of(1).ink);
            picture.segment(from, to, "interval", &stroke);
        }
    }
}
