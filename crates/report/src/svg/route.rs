//! The lines of edges: from border to border, through the author's nails.
//!
//! An edge with nails goes where its author put it. Edges without nails get out of each other's
//! way: several between the same two ends fan out, and self-loops leave where there is room.

use std::collections::BTreeMap;

use crate::geometry::{Curve, Pt};
use crate::view::{Diagram, End};

/// The distance between neighbouring edges of a fan, at their middle.
const FAN: f64 = 26.0;
/// The width of a fan at its middle, at most.
const FAN_MAX: f64 = 800.0;
/// How far a self-loop without nails reaches.
const LOOP: f64 = 46.0;
/// How far the outermost of many self-loops reaches.
const LOOP_MAX: f64 = 400.0;

/// The circle of a location or branchpoint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disc {
    pub(crate) centre: Pt,
    pub(crate) radius: f64,
}

impl Disc {
    /// The point of the border in the direction of `target`.
    fn border(&self, target: Pt) -> Pt {
        let direction = target.minus(self.centre).unit().unwrap_or(Pt::new(1.0, 0.0));
        self.centre.plus(direction.times(self.radius))
    }

    fn contains(&self, point: Pt) -> bool {
        self.centre.distance(point) <= self.radius + 1.0
    }
}

/// The place of `end` in a list of all locations followed by all branchpoints.
pub(crate) fn disc_index(diagram: &Diagram, end: End) -> Option<usize> {
    match end {
        End::Location(index) => (index < diagram.locations.len()).then_some(index),
        End::Branchpoint(index) => {
            (index < diagram.branchpoints.len()).then_some(diagram.locations.len() + index)
        }
    }
}

/// The line of every edge; `None` for one whose end does not exist.
///
/// `taken` are directions, per disc, in which there is something else already.
pub(crate) fn routes(
    diagram: &Diagram,
    discs: &[Disc],
    mut taken: Vec<Vec<Pt>>,
) -> Vec<Option<Curve>> {
    let mut routes: Vec<Option<Curve>> = vec![None; diagram.edges.len()];
    let mut fans: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for (i, edge) in diagram.edges.iter().enumerate() {
        let ends = (disc_index(diagram, edge.source), disc_index(diagram, edge.target));
        let (Some(source), Some(target)) = ends else { continue };
        let nails = free_nails(&edge.nails, &discs[source], &discs[target]);
        if source != target && nails.is_empty() {
            fans.entry((source.min(target), source.max(target))).or_default().push(i);
        } else if nails.is_empty() {
            loops.push((i, source));
        } else {
            let curve = through(&discs[source], &nails, &discs[target], source == target);
            occupy(&mut taken, source, &discs[source], nails[0]);
            occupy(&mut taken, target, &discs[target], nails[nails.len() - 1]);
            routes[i] = Some(curve);
        }
    }
    for ((low, high), edges) in fans {
        let middle = (edges.len() as f64 - 1.0) / 2.0;
        for (k, i) in edges.iter().enumerate() {
            let forward = disc_index(diagram, diagram.edges[*i].source) == Some(low);
            let bend = (k as f64 - middle) * FAN.min(FAN_MAX / edges.len() as f64);
            routes[*i] = Some(bent(&discs[low], &discs[high], bend, forward));
        }
        occupy(&mut taken, low, &discs[low], discs[high].centre);
        occupy(&mut taken, high, &discs[high], discs[low].centre);
    }
    let mut n_loops = vec![0_usize; discs.len()];
    for (i, at) in loops {
        let direction = free_direction(&taken[at], n_loops[at]);
        // Where many loops have to overlap, their sizes still tell them apart.
        let reach = (LOOP + 12.0 * (n_loops[at] / 4) as f64).min(LOOP_MAX);
        n_loops[at] += 1;
        taken[at].push(direction);
        routes[i] = Some(self_loop(&discs[at], direction, reach));
    }
    routes
}

fn occupy(taken: &mut [Vec<Pt>], at: usize, disc: &Disc, target: Pt) {
    if let Some(direction) = target.minus(disc.centre).unit() {
        taken[at].push(direction);
    }
}

/// The nails without those that the circles at either end would hide.
fn free_nails(nails: &[crate::view::Point], source: &Disc, target: &Disc) -> Vec<Pt> {
    let mut nails: Vec<Pt> = nails.iter().map(|nail| Pt::from(*nail)).collect();
    while nails.last().is_some_and(|nail| target.contains(*nail)) {
        nails.pop();
    }
    let n_hidden = nails.iter().take_while(|nail| source.contains(**nail)).count();
    nails.drain(..n_hidden);
    nails.dedup();
    nails
}

/// A line through nails that are outside of both circles where it meets them.
fn through(source: &Disc, nails: &[Pt], target: &Disc, is_loop: bool) -> Curve {
    if let ([nail], true) = (nails, is_loop) {
        return loop_through(source, *nail);
    }
    let mut points = vec![source.border(nails[0])];
    points.extend_from_slice(nails);
    points.push(target.border(nails[nails.len() - 1]));
    Curve::Pieces(points)
}

/// A line between two circles whose middle lies `bend` to the side.
fn bent(low: &Disc, high: &Disc, bend: f64, forward: bool) -> Curve {
    let between = high.centre.minus(low.centre);
    let distance = between.length();
    // Circles that touch or overlap leave no room for a straight line.
    let too_close = distance < low.radius + high.radius + 4.0;
    let bend = if too_close && bend.abs() < 1.0 { 2.0 * FAN } else { bend };
    let side = between.unit().unwrap_or(Pt::new(1.0, 0.0)).turned();
    let middle = low.centre.towards(high.centre, 0.5);
    // The control point of an arc lies twice as far out as its middle.
    let control = middle.plus(side.times(2.0 * bend));
    let (from, to) = if forward { (low, high) } else { (high, low) };
    if bend.abs() < 1.0 {
        return Curve::Pieces(vec![from.border(to.centre), to.border(from.centre)]);
    }
    Curve::arc(from.border(control), control, to.border(control))
}

/// The unit vector among sixteen that is furthest from all of `taken`; any if all are taken.
fn free_direction(taken: &[Pt], n_loops: usize) -> Pt {
    const D: f64 = std::f64::consts::FRAC_1_SQRT_2;
    const DIRECTIONS: [(f64, f64); 16] = [
        (0.0, -1.0),
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, 1.0),
        (D, -D),
        (-D, -D),
        (D, D),
        (-D, D),
        (0.383, -0.924),
        (0.924, -0.383),
        (0.924, 0.383),
        (0.383, 0.924),
        (-0.383, 0.924),
        (-0.924, 0.383),
        (-0.924, -0.383),
        (-0.383, -0.924),
    ];
    let mut best = (f64::INFINITY, Pt::new(0.0, -1.0));
    for (x, y) in DIRECTIONS {
        // The cosine of the angle to the nearest taken direction; more than a quarter is plenty.
        let near = taken.iter().rev().take(64).map(|t| t.x * x + t.y * y).fold(-0.2, f64::max);
        if near < best.0 - 1e-6 {
            best = (near, Pt::new(x, y));
        }
    }
    if best.0 > 0.999 {
        let (x, y) = DIRECTIONS[n_loops % DIRECTIONS.len()];
        return Pt::new(x, y);
    }
    best.1
}

fn self_loop(disc: &Disc, direction: Pt, reach: f64) -> Curve {
    let side = direction.turned();
    let around =
        |along: f64, across: f64| disc.centre.plus(direction.times(along)).plus(side.times(across));
    let (first, second) = (around(reach, -0.62 * reach), around(reach, 0.62 * reach));
    Curve::Bezier([disc.border(first), first, second, disc.border(second)])
}

/// A loop whose furthest point is `nail`.
fn loop_through(disc: &Disc, nail: Pt) -> Curve {
    let out = nail.minus(disc.centre);
    let reach = out.length().max(1.0);
    let direction = out.times(1.0 / reach);
    self_loop(disc, direction, (8.0 * reach - 1.7 * disc.radius) / 6.0)
}
