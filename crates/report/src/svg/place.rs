//! Places for labels that have none: near what they belong to, clear of what is there already.
//!
//! What is there is kept in a grid of cells, so a place is judged by its neighbourhood only and a
//! drawing with many thousand labels takes no longer per label than a small one.

use std::collections::HashMap;

use crate::geometry::{Curve, Pt, Rect};

use super::route::Disc;

const CELL: f64 = 64.0;
/// A box larger than this many cells is only entered in part.
const CELLS_MAX: i64 = 2_000;
/// A crowded neighbourhood is not looked at in full: any place there is bad.
const NEIGHBOURS_MAX: usize = 128;

/// With more boxes than this a drawing is large.
const LARGE: usize = 40_000;

/// The boxes that are in the way, each with the cost of covering a unit of its area.
#[derive(Default)]
pub(crate) struct Occupied {
    boxes: Vec<(Rect, f64)>,
    cells: HashMap<(i64, i64), Vec<usize>>,
}

impl Occupied {
    /// Enters something that should not be covered at all.
    pub(crate) fn add(&mut self, rect: Rect) {
        self.add_with_cost(rect, 4.0);
    }

    /// Enters a line, which text may cover if there is no better place.
    pub(crate) fn add_line(&mut self, curve: &Curve) {
        let length: f64 = match curve {
            Curve::Pieces(points) => points.windows(2).map(|p| p[0].distance(p[1])).sum(),
            Curve::Bezier([a, b, c, d]) => a.distance(*b) + b.distance(*c) + c.distance(*d),
        };
        let n_samples = ((length / 10.0) as usize).clamp(2, 100);
        for i in 0..=n_samples {
            let (point, _) = curve.at(i as f64 / n_samples as f64);
            self.add_with_cost(Rect::around(point, 3.0), 0.8);
        }
    }

    fn add_with_cost(&mut self, rect: Rect, cost: f64) {
        let index = self.boxes.len();
        self.boxes.push((rect, cost));
        for cell in cells(&rect) {
            self.cells.entry(cell).or_default().push(index);
        }
    }

    /// What it costs to put a text at `rect`; not more exactly than that it is above `limit`.
    fn cost(&self, rect: &Rect, limit: f64) -> f64 {
        let mut n_seen = 0;
        let mut cost = 0.0;
        for cell in cells(rect) {
            for index in self.cells.get(&cell).into_iter().flatten() {
                let (other, unit) = &self.boxes[*index];
                cost += other.common_area(rect) * unit;
                n_seen += 1;
                if cost > limit {
                    return cost;
                }
                if n_seen > NEIGHBOURS_MAX {
                    return cost + rect.width() * rect.height();
                }
            }
        }
        cost
    }

    /// Takes the first of `candidates` that costs nothing, or else the cheapest.
    fn choose(&mut self, candidates: impl Iterator<Item = Rect>) -> Pt {
        let mut best: Option<(f64, Rect)> = None;
        for (rank, rect) in candidates.enumerate() {
            let cost = self.cost(&rect, best.map_or(f64::INFINITY, |(least, _)| least));
            if cost <= 0.0 {
                best = Some((cost, rect));
                break;
            }
            // Further down the list means further away, which is worth a little covered area.
            let cost = cost + 4.0 * rank as f64;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, rect));
            }
        }
        let Some((_, rect)) = best else { return Pt::default() };
        self.add(rect);
        Pt::new(rect.left, rect.top)
    }

    /// The corner for a text of the given size that belongs to `curve`.
    pub(crate) fn beside_curve(&mut self, curve: &Curve, width: f64, height: f64) -> Pt {
        // A large drawing is beyond reading label by label, so it is not worth a long search.
        let is_large = self.boxes.len() > LARGE;
        let gaps: &[f64] = if is_large { &[4.0, 16.0] } else { &[4.0, 14.0, 28.0, 48.0, 76.0] };
        let candidates = gaps.iter().copied().flat_map(move |gap| {
            [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8].into_iter().flat_map(move |t| {
                let (point, heading) = curve.at(t);
                [1.0, -1.0]
                    .map(|side| beside(point, upper(heading).times(side), gap, width, height))
            })
        });
        self.choose(candidates)
    }

    /// The corner for a text of the given size that belongs to `disc`.
    pub(crate) fn beside_disc(&mut self, disc: &Disc, width: f64, height: f64) -> Pt {
        const AROUND: [(f64, f64); 8] = [
            (0.0, -1.0),
            (1.0, 0.0),
            (0.0, 1.0),
            (-1.0, 0.0),
            (0.8, -0.6),
            (-0.8, -0.6),
            (0.8, 0.6),
            (-0.8, 0.6),
        ];
        let (centre, radius) = (disc.centre, disc.radius);
        let candidates = [3.0, 12.0, 26.0, 44.0].into_iter().flat_map(move |gap| {
            AROUND
                .into_iter()
                .map(move |(x, y)| beside(centre, Pt::new(x, y), radius + gap, width, height))
        });
        self.choose(candidates)
    }
}

/// The vector across `heading` that points to the upper or right side.
fn upper(heading: Pt) -> Pt {
    let across = heading.turned();
    let is_upper = if across.y.abs() > 0.3 { across.y < 0.0 } else { across.x > 0.0 };
    if is_upper { across } else { across.times(-1.0) }
}

/// The box that lies entirely beyond `gap` from `point` in `direction`, and touches that line.
fn beside(point: Pt, direction: Pt, gap: f64, width: f64, height: f64) -> Rect {
    let extent = direction.x.abs() * width / 2.0 + direction.y.abs() * height / 2.0;
    let centre = point.plus(direction.times(gap + extent));
    Rect::at(Pt::new(centre.x - width / 2.0, centre.y - height / 2.0), width, height)
}

fn cells(rect: &Rect) -> impl Iterator<Item = (i64, i64)> + use<> {
    let cell = |value: f64| (value / CELL).floor() as i64;
    let (left, top) = (cell(rect.left), cell(rect.top));
    let n_columns = (cell(rect.right) - left + 1).clamp(1, CELLS_MAX);
    let n_rows = (cell(rect.bottom) - top + 1).clamp(1, CELLS_MAX / n_columns + 1);
    (0..n_rows).flat_map(move |y| (0..n_columns).map(move |x| (left + x, top + y)))
}
