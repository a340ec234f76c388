//! Zones for people: the fewest constraints, with the clocks' names.

use std::fmt;

use crate::bound::Bound;
use crate::federation::Federation;
use crate::minimal::Skeleton;
use crate::view::ZoneRef;
use crate::zone::Zone;

/// Shows a zone as constraints. See [`ZoneRef::display`].
pub struct ZoneDisplay<'a, S> {
    zone: ZoneRef<'a>,
    names: &'a [S],
}

/// Shows a federation as constraints. See [`Federation::display`].
pub struct FederationDisplay<'a, S> {
    federation: &'a Federation,
    names: &'a [S],
}

impl<'a> ZoneRef<'a> {
    /// Shows the zone as constraints. The first name is that of clock 1.
    ///
    /// ```
    /// use punctual_zones::{Bound, Zone};
    /// let mut zone = Zone::zero(2);
    /// zone.reset(2, 3);
    /// assert_eq!(zone.display(&["x", "y"]).to_string(), "x = 0, y = 3");
    /// zone.up();
    /// assert!(zone.constrain(1, 0, Bound::lt(5)) && zone.constrain(0, 1, Bound::lt(-2)));
    /// assert_eq!(zone.display(&["x", "y"]).to_string(), "x in (2, 5), y = x + 3");
    /// assert_eq!(Zone::universe(2).display(&["x", "y"]).to_string(), "true");
    /// ```
    ///
    /// # Panics
    /// If there are more or fewer names than clocks.
    #[must_use]
    pub fn display<S: AsRef<str>>(self, names: &'a [S]) -> ZoneDisplay<'a, S> {
        assert_eq!(names.len() + 1, self.dim(), "each clock has one name");
        ZoneDisplay { zone: self, names }
    }
}

impl Zone {
    /// See [`ZoneRef::display`].
    #[must_use]
    pub fn display<'a, S: AsRef<str>>(&'a self, names: &'a [S]) -> ZoneDisplay<'a, S> {
        self.view().display(names)
    }
}

impl Federation {
    /// Shows the zones as constraints, with `or` between them; `false` if there are none. The first
    /// name is that of clock 1.
    ///
    /// # Panics
    /// If there are more or fewer names than clocks.
    #[must_use]
    pub fn display<'a, S: AsRef<str>>(&'a self, names: &'a [S]) -> FederationDisplay<'a, S> {
        assert_eq!(names.len() + 1, self.dim(), "each clock has one name");
        FederationDisplay { federation: self, names }
    }
}

impl<S: AsRef<str>> fmt::Display for ZoneDisplay<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self.zone, &|clock| self.names[clock - 1].as_ref().to_owned()))
    }
}

impl<S: AsRef<str>> fmt::Display for FederationDisplay<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.federation.is_empty() {
            return f.write_str("false");
        }
        for (i, zone) in self.federation.zones().iter().enumerate() {
            let separator = if i == 0 { "" } else { " or " };
            write!(f, "{separator}{}", zone.display(self.names))?;
        }
        Ok(())
    }
}

impl fmt::Debug for ZoneRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(*self, &|clock| format!("x{clock}")))
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.view(), f)
    }
}

fn text(zone: ZoneRef<'_>, name: &dyn Fn(usize) -> String) -> String {
    let skeleton = Skeleton::of(zone);
    let find = |x: usize, y: usize| {
        let mut same =
            skeleton.between.iter().filter(|it| (it.x as usize, it.y as usize) == (x, y));
        same.next().map(|it| it.bound)
    };
    // Clock by clock: its own limits, then its relation to those before it.
    let mut parts = Vec::new();
    for x in 1..zone.dim() {
        let class = skeleton.classes.iter().find(|class| class.contains(&x)).expect("all have one");
        let leader = class[0];
        if leader != x {
            let bound = zone.bound(x, leader).constant().expect("a class differs by constants");
            parts.push(match (leader, bound) {
                (0, value) => format!("{} = {value}", name(x)),
                (_, 0) => format!("{} = {}", name(x), name(leader)),
                (_, ahead) => format!("{} = {} + {ahead}", name(x), name(leader)),
            });
            continue;
        }
        parts.extend(limits(&name(x), find(0, x), find(x, 0)));
        for y in 1..x {
            parts.extend(difference(&name(y), &name(x), find(x, y), find(y, x)));
        }
    }
    if parts.is_empty() { "true".to_owned() } else { parts.join(", ") }
}

/// A term with a bound of its negation and one of itself.
fn limits(term: &str, negated: Option<Bound>, bound: Option<Bound>) -> Option<String> {
    let constant = |bound: Bound| bound.constant().expect("an infinite bound is not listed");
    match (negated, bound) {
        (None, None) => None,
        (None, Some(high)) => {
            let sign = if high.is_weak() { "<=" } else { "<" };
            Some(format!("{term} {sign} {}", constant(high)))
        }
        (Some(low), None) => {
            let sign = if low.is_weak() { ">=" } else { ">" };
            Some(format!("{term} {sign} {}", -constant(low)))
        }
        (Some(low), Some(high)) => {
            let (open, close) =
                (if low.is_weak() { '[' } else { '(' }, if high.is_weak() { ']' } else { ')' });
            Some(format!("{term} in {open}{}, {}{close}", -constant(low), constant(high)))
        }
    }
}

/// The difference of two clocks, turned so that no limit is a negative number if that is possible.
fn difference(y: &str, x: &str, forth: Option<Bound>, back: Option<Bound>) -> Option<String> {
    // `forth` bounds x - y and `back` bounds y - x.
    match (forth, back) {
        (Some(bound), None) | (None, Some(bound)) if bound.constant() == Some(0) => {
            let (small, great) = if forth.is_some() { (x, y) } else { (y, x) };
            let sign = if bound.is_weak() { "<=" } else { "<" };
            Some(format!("{small} {sign} {great}"))
        }
        _ => {
            let negative = |bound: Option<Bound>| bound.is_some_and(|it| it < Bound::lt(0));
            let positive = |bound: Option<Bound>| bound.is_some_and(|it| it > Bound::ZERO);
            // Least value of y - x below zero, greatest value of x - y not.
            let turn = negative(back) || (back.is_none() && positive(forth));
            if turn {
                limits(&format!("{x} - {y}"), back, forth)
            } else {
                limits(&format!("{y} - {x}"), forth, back)
            }
        }
    }
}
