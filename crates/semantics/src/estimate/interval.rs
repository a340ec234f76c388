//! Intervals of model time, between points of a grid.

use punctual_zones::{Bound, Limit};

/// An end of an interval.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct End {
    /// The point of the grid.
    pub at: i64,
    /// Whether the point itself is left out.
    pub open: bool,
}

/// An interval of time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    /// Where the interval begins.
    pub from: End,
    /// Where it ends, if it does.
    pub to: Option<End>,
}

impl End {
    /// A point that belongs to its interval.
    #[must_use]
    pub const fn at(at: i64) -> End {
        End { at, open: false }
    }

    /// A point that does not.
    #[must_use]
    pub const fn open(at: i64) -> End {
        End { at, open: true }
    }

    /// Orders beginnings: the earlier lets in more.
    #[must_use]
    pub fn begins_before(self, other: End) -> bool {
        (self.at, self.open) < (other.at, other.open)
    }

    /// Orders ends: the earlier lets in less.
    #[must_use]
    pub fn ends_before(self, other: End) -> bool {
        (self.at, !self.open) < (other.at, !other.open)
    }

    /// The last present that an interval with this end has: the point, or all after the point before it.
    #[must_use]
    pub fn reached(self) -> End {
        if self.open { End::open(self.at - 1) } else { self }
    }

    /// `t` is not before this, as a bound of `0 - t`.
    pub(super) fn lower(self, origin: i64) -> Bound {
        let at = -relative(self.at, origin);
        if self.open { Bound::lt(at) } else { Bound::le(at) }
    }

    /// `t` is not after this, as a bound of `t - 0`.
    pub(super) fn upper(self, origin: i64) -> Bound {
        let at = relative(self.at, origin);
        if self.open { Bound::lt(at) } else { Bound::le(at) }
    }

    pub(super) fn of_limit(limit: Limit, origin: i64) -> End {
        End { at: origin + i64::from(limit.value), open: !limit.attained }
    }
}

fn relative(at: i64, origin: i64) -> i32 {
    i32::try_from(at - origin).expect("the origin moves along")
}

impl Interval {
    /// One instant.
    #[must_use]
    pub const fn point(at: i64) -> Interval {
        Interval { from: End::at(at), to: Some(End::at(at)) }
    }

    /// From one end to another.
    #[must_use]
    pub const fn new(from: End, to: End) -> Interval {
        Interval { from, to: Some(to) }
    }

    /// Whether there is no instant in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.to.is_some_and(|to| {
            to.at < self.from.at || (to.at == self.from.at && (to.open || self.from.open))
        })
    }

    /// The intersection of two intervals; it may be empty.
    #[must_use]
    pub fn meet(self, other: Interval) -> Interval {
        let from = if self.from.begins_before(other.from) { other.from } else { self.from };
        let to = match (self.to, other.to) {
            (Some(a), Some(b)) => Some(if a.ends_before(b) { a } else { b }),
            (a, b) => a.or(b),
        };
        Interval { from, to }
    }

    /// Whether together they are an interval.
    #[must_use]
    pub fn touches(self, other: Interval) -> bool {
        let reaches = |end: Option<End>, from: End| {
            end.is_none_or(|end| {
                end.at > from.at || (end.at == from.at && !(end.open && from.open))
            })
        };
        reaches(self.to, other.from) && reaches(other.to, self.from)
    }

    /// The smallest interval with both.
    #[must_use]
    pub fn hull(self, other: Interval) -> Interval {
        let from = if self.from.begins_before(other.from) { self.from } else { other.from };
        let to = match (self.to, other.to) {
            (Some(a), Some(b)) => Some(if a.ends_before(b) { b } else { a }),
            _ => None,
        };
        Interval { from, to }
    }
}

/// The union of some intervals: disjoint ones, in their order.
#[must_use]
pub fn united(mut all: Vec<Interval>) -> Vec<Interval> {
    all.retain(|it| !it.is_empty());
    all.sort_by_key(|it| (it.from.at, it.from.open));
    let mut united: Vec<Interval> = Vec::new();
    for interval in all {
        match united.last_mut() {
            Some(last) if last.touches(interval) => *last = last.hull(interval),
            _ => united.push(interval),
        }
    }
    united
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_ordered_by_what_they_let_in() {
        assert!(End::at(3).begins_before(End::open(3)) && End::open(3).ends_before(End::at(3)));
        assert!(!End::at(3).begins_before(End::at(3)) && End::at(2).ends_before(End::open(3)));
    }

    #[test]
    fn intervals_meet_and_touch() {
        let open = Interval::new(End::open(1), End::open(2));
        assert!(open.meet(Interval::point(1)).is_empty() && open.touches(Interval::point(2)));
        assert!(!open.touches(Interval::new(End::open(2), End::at(3))));
        assert_eq!(open.hull(Interval::point(2)), Interval::new(End::open(1), End::at(2)));
        let endless = Interval { from: End::at(2), to: None };
        assert!(open.meet(endless).is_empty() && endless.hull(open).to.is_none());
    }

    #[test]
    fn unions_have_gaps_where_no_interval_is() {
        let interval = |from, to| Interval::new(End::at(from), End::at(to));
        let open = Interval::new(End::open(4), End::open(5));
        let all = vec![interval(7, 9), open, interval(1, 3), interval(2, 4), Interval::point(12)];
        let whole = Interval::new(End::at(1), End::open(5));
        assert_eq!(united(all), [whole, interval(7, 9), Interval::point(12)]);
        let apart = vec![open, Interval::new(End::open(5), End::at(6))];
        assert_eq!(united(apart.clone()), apart);
    }
}
