//! Nanoseconds of a clock and points of the grid of model time.

use punctual_model::TimeScale;

use super::{End, Interval};

/// Converts between nanoseconds of a clock and points of the grid of model time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instants(TimeScale);

impl Instants {
    /// The conversion of a time scale.
    ///
    /// # Panics
    /// If a unit takes no time, or has no points.
    #[must_use]
    pub fn new(scale: TimeScale) -> Instants {
        assert!(scale.unit_ns > 0 && scale.resolution > 0, "time passes");
        Instants(scale)
    }

    /// The last point that is not after an instant, and whether that is the instant itself.
    fn floor(self, ns: u64) -> (i64, bool) {
        let points = u128::from(ns) * u128::from(self.0.resolution);
        let unit = u128::from(self.0.unit_ns);
        // What is later than all clocks is too far away to be followed anyway.
        let point = i64::try_from(points / unit).unwrap_or(i64::MAX / 2);
        (point, points.is_multiple_of(unit))
    }

    /// The instant as the begin of an interval: the point, or all after the point before it.
    #[must_use]
    pub fn begin(self, ns: u64) -> End {
        let (at, exact) = self.floor(ns);
        End { at, open: !exact }
    }

    /// The instant as the end of an interval: the point, or all before the point after it.
    #[must_use]
    pub fn end(self, ns: u64) -> End {
        match self.floor(ns) {
            (at, true) => End::at(at),
            (at, false) => End::open(at + 1),
        }
    }

    /// What is known of something that happened between two instants.
    #[must_use]
    pub fn interval(self, from_ns: u64, to_ns: u64) -> Interval {
        Interval::new(self.begin(from_ns), self.end(to_ns))
    }

    /// The first nanosecond that is not before a point.
    #[must_use]
    pub fn ns(self, point: i64) -> u64 {
        let ns = u128::from(point.max(0).unsigned_abs()) * u128::from(self.0.unit_ns);
        u64::try_from(ns.div_ceil(u128::from(self.0.resolution))).unwrap_or(u64::MAX)
    }

    /// The first nanosecond of an interval that begins here.
    #[must_use]
    pub fn first_ns(self, from: End) -> u64 {
        self.ns(from.at) + u64::from(from.open)
    }

    /// The last nanosecond of an interval that ends here; none if it is before all time.
    #[must_use]
    pub fn last_ns(self, to: End) -> Option<u64> {
        let ns = u128::from(to.at.max(0).unsigned_abs()) * u128::from(self.0.unit_ns);
        let unit = u128::from(self.0.resolution);
        let last = u64::try_from(ns / unit).unwrap_or(u64::MAX);
        match to.open && ns.is_multiple_of(unit) {
            true => last.checked_sub(1),
            false => Some(last),
        }
    }

    /// How long a unit of model time takes, and how many points of the grid it has.
    #[must_use]
    pub fn scale(self) -> TimeScale {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_points_or_between_two() {
        let instants = Instants::new(TimeScale { unit_ns: 1000, resolution: 4 });
        assert_eq!(instants.interval(500, 500), Interval::point(2));
        assert_eq!(instants.interval(501, 501), Interval::new(End::open(2), End::open(3)));
        assert_eq!(instants.interval(499, 500), Interval::new(End::open(1), End::at(2)));
        assert_eq!((instants.ns(2), instants.first_ns(End::open(2))), (500, 501));
        assert_eq!(instants.last_ns(End::open(2)), Some(499));
        assert_eq!(instants.last_ns(End::open(0)), None);
    }

    #[test]
    fn grids_that_do_not_divide_the_unit_stay_inside() {
        let instants = Instants::new(TimeScale { unit_ns: 1000, resolution: 3 });
        // A third of a unit is 333.3 ns.
        assert_eq!((instants.ns(1), instants.last_ns(End::at(1))), (334, Some(333)));
        assert_eq!(instants.begin(334), End::open(1));
    }
}
