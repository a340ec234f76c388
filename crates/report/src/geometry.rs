//! Points, boxes and curves in the plane of a drawing.
//!
//! Everything is finite: input is integers, and no operation divides by a length without asking
//! whether it is zero.

use crate::view;

/// A point or a vector.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Pt {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Pt {
    pub(crate) const fn new(x: f64, y: f64) -> Pt {
        Pt { x, y }
    }

    pub(crate) fn plus(self, other: Pt) -> Pt {
        Pt::new(self.x + other.x, self.y + other.y)
    }

    pub(crate) fn minus(self, other: Pt) -> Pt {
        Pt::new(self.x - other.x, self.y - other.y)
    }

    pub(crate) fn times(self, factor: f64) -> Pt {
        Pt::new(self.x * factor, self.y * factor)
    }

    pub(crate) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    pub(crate) fn distance(self, other: Pt) -> f64 {
        self.minus(other).length()
    }

    /// The vector of length one in the same direction; `None` if there is no direction.
    pub(crate) fn unit(self) -> Option<Pt> {
        let length = self.length();
        (length > 1e-9).then(|| self.times(1.0 / length))
    }

    /// The point a fraction `t` of the way to `other`.
    pub(crate) fn towards(self, other: Pt, t: f64) -> Pt {
        self.plus(other.minus(self).times(t))
    }

    /// The vector turned by a quarter.
    pub(crate) fn turned(self) -> Pt {
        Pt::new(-self.y, self.x)
    }
}

impl From<view::Point> for Pt {
    fn from(point: view::Point) -> Pt {
        Pt::new(f64::from(point.x), f64::from(point.y))
    }
}

/// An axis-parallel box.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rect {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Rect {
    pub(crate) fn at(corner: Pt, width: f64, height: f64) -> Rect {
        Rect { left: corner.x, top: corner.y, right: corner.x + width, bottom: corner.y + height }
    }

    pub(crate) fn around(centre: Pt, radius: f64) -> Rect {
        let corner = Pt::new(centre.x - radius, centre.y - radius);
        Rect::at(corner, 2.0 * radius, 2.0 * radius)
    }

    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(crate) fn union(&self, other: &Rect) -> Rect {
        Rect {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// The area both cover; zero if they only touch.
    pub(crate) fn common_area(&self, other: &Rect) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        if width > 0.0 && height > 0.0 { width * height } else { 0.0 }
    }
}

/// A line from one place to another, with a direction.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Curve {
    /// Straight pieces; at least two points.
    Pieces(Vec<Pt>),
    /// A Bézier curve with two control points.
    Bezier([Pt; 4]),
}

impl Curve {
    /// An arc that bends towards `control`.
    pub(crate) fn arc(start: Pt, control: Pt, end: Pt) -> Curve {
        let two_thirds = 2.0 / 3.0;
        Curve::Bezier([
            start,
            start.towards(control, two_thirds),
            end.towards(control, two_thirds),
            end,
        ])
    }

    pub(crate) fn end(&self) -> Pt {
        match self {
            Curve::Pieces(points) => points.last().copied().unwrap_or_default(),
            Curve::Bezier(points) => points[3],
        }
    }

    /// The direction in which the curve arrives.
    pub(crate) fn heading(&self) -> Pt {
        let points: &[Pt] = match self {
            Curve::Pieces(points) => points,
            Curve::Bezier(points) => points,
        };
        let end = self.end();
        let before = points.iter().rev().find_map(|point| end.minus(*point).unit());
        before.unwrap_or(Pt::new(1.0, 0.0))
    }

    /// The point a fraction `t` along the curve, and the direction there.
    pub(crate) fn at(&self, t: f64) -> (Pt, Pt) {
        match self {
            Curve::Pieces(points) => along(points, t),
            Curve::Bezier([a, b, c, d]) => {
                let (ab, bc, cd) = (a.towards(*b, t), b.towards(*c, t), c.towards(*d, t));
                let (left, right) = (ab.towards(bc, t), bc.towards(cd, t));
                let heading = right.minus(left).unit().unwrap_or(Pt::new(1.0, 0.0));
                (left.towards(right, t), heading)
            }
        }
    }

    /// A box that contains the curve.
    pub(crate) fn bounds(&self) -> Rect {
        let points: &[Pt] = match self {
            Curve::Pieces(points) => points,
            Curve::Bezier(points) => points,
        };
        let mut bounds = Rect::around(self.end(), 0.0);
        for point in points {
            bounds = bounds.union(&Rect::around(*point, 0.0));
        }
        bounds
    }
}

fn along(points: &[Pt], t: f64) -> (Pt, Pt) {
    let pairs = || points.windows(2).map(|pair| (pair[0], pair[1]));
    let total: f64 = pairs().map(|(a, b)| a.distance(b)).sum();
    let mut left = total * t;
    for (a, b) in pairs() {
        let length = a.distance(b);
        if left <= length && length > 0.0 {
            return (a.towards(b, left / length), b.minus(a).times(1.0 / length));
        }
        left -= length;
    }
    (points.last().copied().unwrap_or_default(), Pt::new(1.0, 0.0))
}
