//! Panes: rectangles with axes, in which values have places.

use std::fmt::Write as _;

use crate::geometry::{Pt, Rect};
use crate::svg::palette;
use crate::text;

use super::picture::{MARGIN, Picture, WIDTH};
use super::scale::{Range, Ticks};

/// The least space between two labels of the horizontal axis.
const GAP: f64 = 14.0;
const GRID: &str = "#e6e8ec";

/// A horizontal axis that all panes of a picture share, and where they begin and end.
pub(crate) struct Axis {
    pub(crate) range: Range,
    pub(crate) left: f64,
    pub(crate) right: f64,
    ticks: Ticks,
}

impl Axis {
    /// Leaves `before` and `after` free beside the panes, and more where labels need it. There
    /// are as many ticks as their labels have room.
    pub(crate) fn new(range: Range, before: f64, after: f64) -> Axis {
        let fit = |n_max| {
            let ticks = range.ticks(n_max);
            let widest = text::widest(&ticks.labels());
            let beside = |space: f64| MARGIN + space.max(widest / 2.0);
            let (left, right) = (beside(before), WIDTH - beside(after));
            let distance = ticks.step / range.span() * (right - left);
            (distance >= widest + GAP, Axis { range, left, right, ticks })
        };
        let found = (3..=11).rev().map(fit).find(|(fits, _)| *fits);
        found.unwrap_or_else(|| fit(2)).1
    }

    /// The place of `value`.
    pub(crate) fn at(&self, value: f64) -> f64 {
        self.left + self.range.share(value) * (self.right - self.left)
    }
}

/// The space that labels of vertical axes need.
pub(crate) fn gutter(axes: &[&Ticks]) -> f64 {
    axes.iter().map(|ticks| text::widest(&ticks.labels())).fold(20.0, f64::max) + 8.0
}

/// A rectangle in which values have places.
pub(crate) struct Pane<'a> {
    pub(crate) x: &'a Axis,
    pub(crate) y: Range,
    pub(crate) area: Rect,
}

impl<'a> Pane<'a> {
    /// Draws the next pane of `picture`, with its grid, below the name of its vertical axis.
    pub(crate) fn new(
        picture: &mut Picture,
        x: &'a Axis,
        (y, ticks): (Range, &Ticks),
        height: f64,
        name: &str,
    ) -> Pane<'a> {
        if !name.is_empty() {
            let corner = Pt::new(MARGIN, picture.bottom);
            picture.words(corner, "axis", "start", name.to_string());
            picture.bottom += text::LINE;
        }
        // The highest label of the axis is half above the pane.
        picture.bottom += 8.0;
        let area = Rect::at(Pt::new(x.left, picture.bottom), x.right - x.left, height);
        let pane = Pane { x, y, area };
        pane.background(picture, !ticks.values.is_empty());
        pane.horizontal_lines(picture, ticks);
        pane.vertical_lines(picture);
        picture.bottom += height + text::LINE + 8.0;
        pane
    }

    /// The name of the horizontal axis, below the last pane.
    pub(crate) fn name_below(picture: &mut Picture, axis: &Axis, name: &str) {
        let name = text::shortened(&text::one_line(name), text::SIZE, axis.right - axis.left);
        let middle = Pt::new((axis.left + axis.right) / 2.0, picture.bottom - 2.0);
        picture.words(middle, "axis", "middle", name);
        picture.bottom += text::LINE + 6.0;
    }

    /// The place of a pair of values.
    pub(crate) fn at(&self, x: f64, y: f64) -> Pt {
        Pt::new(self.x.at(x), self.area.bottom - self.y.share(y) * self.area.height())
    }

    /// The ranges go into the document for a page that shows where the pointer is.
    fn background(&self, picture: &mut Picture, is_y_a_value: bool) {
        let Range { low, high } = self.x.range;
        let mut attributes = format!(" data-x=\"{low:e} {high:e}\"");
        if is_y_a_value {
            let Range { low, high } = self.y;
            let _ = write!(attributes, " data-y=\"{low:e} {high:e}\"");
        }
        let _ = write!(attributes, " fill=\"#ffffff\" stroke=\"{}\"/>", palette::FRAME);
        picture.rect(self.area, "pane", &attributes);
        picture.body.push('\n');
    }

    fn horizontal_lines(&self, picture: &mut Picture, ticks: &Ticks) {
        for (value, label) in ticks.values.iter().zip(ticks.labels()) {
            let place = self.at(self.x.range.low, *value);
            self.grid(picture, place, Pt::new(self.area.right, place.y));
            picture.words(place.minus(Pt::new(6.0, 8.0)), "tick-y", "end", label);
        }
    }

    fn vertical_lines(&self, picture: &mut Picture) {
        let ticks = &self.x.ticks;
        for (value, label) in ticks.values.iter().zip(ticks.labels()) {
            let place = self.at(*value, self.y.low);
            self.grid(picture, place, Pt::new(place.x, self.area.top));
            picture.words(place.plus(Pt::new(0.0, 3.0)), "tick-x", "middle", label);
        }
    }

    fn grid(&self, picture: &mut Picture, from: Pt, to: Pt) {
        picture.segment(from, to, "grid", &format!(" stroke=\"{GRID}\""));
    }
}
