//! Coordinates for diagrams that have none, such as those read from XTA or TChecker files.
//!
//! The layout is layered: the initial location on top, edges pointing down where the graph allows,
//! those that lead back routed around, every label in a space of its own. It is deterministic.
//!
//! A diagram's own coordinates are kept if all its locations have one and they are not all the
//! same; otherwise everything is laid out anew, since new places among old ones would mislead.
//!
//! Not here: places for single labels that lack one in an otherwise complete diagram. The renderer
//! finds those, because it knows what else it draws.
//! Follows Sugiyama, Tagawa & Toda 1981, with the coordinates of Brandes & Köpf 2001.

mod chains;
mod coordinates;
mod finish;
mod graph;
mod layers;
mod order;

use std::borrow::Cow;

use crate::view::{Diagram, Edge, End, Point};

/// A diagram larger than this has no meaningful coordinates.
const EXTENT_MAX: i64 = 1_000_000;

/// Whether the locations of `diagram` lack usable coordinates.
pub fn is_missing(diagram: &Diagram) -> bool {
    let positions: Option<Vec<Point>> =
        diagram.locations.iter().map(|location| location.position).collect();
    let Some(positions) = positions else { return true };
    let Some(reach) = Reach::of(&positions) else { return false };
    let (width, height) = (reach.right - reach.left, reach.bottom - reach.top);
    let all_the_same = positions.len() > 1 && width == 0 && height == 0;
    all_the_same || width > EXTENT_MAX || height > EXTENT_MAX
}

/// Gives every location, branchpoint, nail and label of `diagram` a new place.
///
/// Long labels are broken into lines, as the space kept for them assumes.
pub fn arrange(diagram: &mut Diagram) {
    let graph = graph::Graph::of(diagram);
    let layering = layers::assign(&graph);
    let mut proper = chains::Proper::of(&graph, &layering);
    order::sort(&mut proper);
    let xs = coordinates::horizontal(&proper);
    finish::place(diagram, &graph, &proper, &xs);
}

/// The diagram with a usable position for each location and branchpoint.
///
/// Lays it out if coordinates [are missing](is_missing); otherwise only fills gaps: a branchpoint
/// without a position goes between its neighbours, and nails and labels absurdly far away are
/// forgotten.
pub fn completed(diagram: &Diagram) -> Cow<'_, Diagram> {
    if is_missing(diagram) {
        let mut diagram = diagram.clone();
        arrange(&mut diagram);
        return Cow::Owned(diagram);
    }
    let positions: Vec<Point> = diagram.locations.iter().filter_map(|l| l.position).collect();
    let Some(reach) = Reach::of(&positions) else {
        return if diagram.branchpoints.is_empty() {
            Cow::Borrowed(diagram)
        } else {
            let mut diagram = diagram.clone();
            arrange(&mut diagram);
            Cow::Owned(diagram)
        };
    };
    let is_near = |position: Option<Point>| position.is_none_or(|point| reach.is_near(point));
    let is_complete = diagram.branchpoints.iter().all(|b| b.position.is_some())
        && diagram.branchpoints.iter().all(|b| is_near(b.position))
        && diagram.locations.iter().all(|location| {
            is_near(location.name_position)
                && location.labels.iter().all(|label| is_near(label.position))
        })
        && diagram.edges.iter().all(|edge| {
            edge.nails.iter().all(|nail| is_near(Some(*nail)))
                && edge.labels.iter().all(|label| is_near(label.position))
        });
    if is_complete {
        return Cow::Borrowed(diagram);
    }
    let mut diagram = diagram.clone();
    forget_far(&mut diagram, &reach);
    fill_branchpoints(&mut diagram, &reach);
    Cow::Owned(diagram)
}

/// The box around some points, in integers that do not overflow.
struct Reach {
    left: i64,
    top: i64,
    right: i64,
    bottom: i64,
}

impl Reach {
    fn of(points: &[Point]) -> Option<Reach> {
        let xs = || points.iter().map(|point| i64::from(point.x));
        let ys = || points.iter().map(|point| i64::from(point.y));
        Some(Reach { left: xs().min()?, top: ys().min()?, right: xs().max()?, bottom: ys().max()? })
    }

    fn is_near(&self, point: Point) -> bool {
        let (x, y) = (i64::from(point.x), i64::from(point.y));
        (self.left - EXTENT_MAX..=self.right + EXTENT_MAX).contains(&x)
            && (self.top - EXTENT_MAX..=self.bottom + EXTENT_MAX).contains(&y)
    }
}

fn forget_far(diagram: &mut Diagram, reach: &Reach) {
    let check = |position: &mut Option<Point>| {
        if position.is_some_and(|point| !reach.is_near(point)) {
            *position = None;
        }
    };
    for location in &mut diagram.locations {
        check(&mut location.name_position);
        location.labels.iter_mut().for_each(|label| check(&mut label.position));
    }
    diagram.branchpoints.iter_mut().for_each(|branchpoint| check(&mut branchpoint.position));
    for edge in &mut diagram.edges {
        edge.nails.retain(|nail| reach.is_near(*nail));
        edge.labels.iter_mut().for_each(|label| check(&mut label.position));
    }
}

/// Puts branchpoints without a position at the mean of their neighbours, clear of locations.
fn fill_branchpoints(diagram: &mut Diagram, reach: &Reach) {
    let mut sums = vec![(0_i64, 0_i64, 0_i64); diagram.branchpoints.len()];
    let mut add = |at: End, other: End, edge: &Edge| {
        let End::Branchpoint(index) = at else { return };
        let nail = if edge.source == at { edge.nails.first() } else { edge.nails.last() };
        let neighbour = match other {
            End::Location(i) => diagram.locations.get(i).and_then(|location| location.position),
            End::Branchpoint(i) => diagram.branchpoints.get(i).and_then(|b| b.position),
        };
        let point = nail.copied().or(neighbour);
        if let (Some(sum), Some(point)) = (sums.get_mut(index), point) {
            *sum = (sum.0 + i64::from(point.x), sum.1 + i64::from(point.y), sum.2 + 1);
        }
    };
    for edge in &diagram.edges {
        add(edge.source, edge.target, edge);
        add(edge.target, edge.source, edge);
    }
    let mut n_lonely = 0;
    for (branchpoint, (x, y, n)) in diagram.branchpoints.iter_mut().zip(sums) {
        if branchpoint.position.is_some() {
            continue;
        }
        let (x, y) = if n == 0 {
            n_lonely += 1;
            (reach.left + 40 * n_lonely, reach.bottom + 60)
        } else {
            (x / n, y / n)
        };
        let is_taken = |y: i64| {
            diagram.locations.iter().filter_map(|location| location.position).any(|point| {
                (i64::from(point.x) - x).abs() < 24 && (i64::from(point.y) - y).abs() < 24
            })
        };
        let free = (0..8).map(|k| y - 40 * k).find(|y| !is_taken(*y)).unwrap_or(y);
        branchpoint.position = Some(Point::new(clamp(x), clamp(free)));
    }
}

fn clamp(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
}
