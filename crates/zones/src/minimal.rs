//! The fewest constraints that describe a zone: for storage and for people.
//!
//! Clocks whose difference is one constant form a class (the reference belongs to the class of clocks
//! that have one constant value). A class needs a cycle of constraints, and only its representative
//! takes part in constraints with other classes, of which those that follow from two others are left
//! out. That clocks are not negative goes without saying and is never listed.
//!
//! Follows Larsen, Larsson, Pettersson & Yi 1997, "Efficient verification of real-time systems:
//! compact data structure and state-space reduction".

use std::cmp::Reverse;

use crate::bound::{Bound, Constraint};
use crate::view::ZoneRef;
use crate::zone::Zone;

/// A zone as the fewest constraints that describe it.
///
/// ```
/// use punctual_zones::{Bound, MinimalZone, Zone};
/// let mut zone = Zone::zero(3);
/// zone.up();
/// let minimal = MinimalZone::from(&zone);
/// assert_eq!(minimal.constraints().len(), 3); // one cycle: x = y = z
/// assert_eq!(minimal.to_zone(), zone);
/// assert!(minimal.includes(&Zone::zero(3)));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MinimalZone {
    n_clocks: usize,
    constraints: Box<[Constraint]>,
}

impl MinimalZone {
    /// The constraints; leaving out any one of them would make the zone larger.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The number of clocks, the reference included.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.n_clocks + 1
    }

    /// The zone in full.
    #[must_use]
    pub fn to_zone(&self) -> Zone {
        let mut zone = Zone::universe(self.n_clocks);
        self.restore_into(&mut zone);
        zone
    }

    /// Makes `zone` the zone in full, without allocating if it has the same dimension.
    pub fn restore_into(&self, zone: &mut Zone) {
        if zone.dim() == self.dim() {
            zone.set_universe();
        } else {
            *zone = Zone::universe(self.n_clocks);
        }
        let non_empty = zone.constrain_all(self.constraints.iter().copied());
        assert!(non_empty, "the constraints come from a zone");
    }

    /// Whether every valuation of `zone` lies in this one, without restoring it.
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn includes<'a>(&self, zone: impl Into<ZoneRef<'a>>) -> bool {
        let zone = zone.into();
        assert_eq!(zone.dim(), self.dim(), "the zones have different dimensions");
        self.constraints.iter().all(|it| zone.bound(it.x as usize, it.y as usize) <= it.bound)
    }
}

impl<'a, Z: Into<ZoneRef<'a>>> From<Z> for MinimalZone {
    fn from(zone: Z) -> MinimalZone {
        let zone = zone.into();
        MinimalZone { n_clocks: zone.dim() - 1, constraints: Skeleton::of(zone).constraints(zone) }
    }
}

/// What of a zone does not follow from the rest.
pub(crate) struct Skeleton {
    /// Clocks that differ by constants, the representative first, then upwards. The first class is
    /// that of the reference.
    pub(crate) classes: Vec<Vec<usize>>,
    /// The constraints between representatives.
    pub(crate) between: Vec<Constraint>,
}

impl Skeleton {
    pub(crate) fn of(zone: ZoneRef<'_>) -> Skeleton {
        let classes = classes(zone);
        let leaders: Vec<usize> = classes.iter().map(|class| class[0]).collect();
        let mut between = Vec::new();
        for &x in &leaders {
            for &y in leaders.iter().filter(|&&y| y != x) {
                let bound = zone.bound(x, y);
                let follows = leaders.iter().any(|&k| {
                    let (first, second) = (zone.bound(x, k), zone.bound(k, y));
                    k != x
                        && k != y
                        && !first.is_infinite()
                        && !second.is_infinite()
                        && first.raw_sum(second) <= bound.0
                });
                if !bound.is_infinite() && !goes_without_saying(x, bound) && !follows {
                    between.push(Constraint::new(x, y, bound));
                }
            }
        }
        Skeleton { classes, between }
    }

    fn constraints(self, zone: ZoneRef<'_>) -> Box<[Constraint]> {
        let mut constraints = self.between;
        for class in self.classes.iter().filter(|class| class.len() > 1) {
            for (&x, &y) in class.iter().zip(class.iter().cycle().skip(1)) {
                let bound = zone.bound(x, y);
                if !goes_without_saying(x, bound) {
                    constraints.push(Constraint::new(x, y, bound));
                }
            }
        }
        constraints.into()
    }
}

/// Whether the bound of `x - y` only says that clock `y` is not negative.
fn goes_without_saying(x: usize, bound: Bound) -> bool {
    x == 0 && bound == Bound::ZERO
}

/// The representative of a class is its smallest clock. If that one may be zero, this goes without
/// saying, and if not, no other clock of the class may: either way what goes without saying never
/// stands in for a constraint that is listed.
fn classes(zone: ZoneRef<'_>) -> Vec<Vec<usize>> {
    let mut clocks: Vec<usize> = (0..zone.dim()).collect();
    clocks.sort_by_key(|&clock| Reverse(zone.bound(0, clock)));
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for clock in clocks {
        let same = |class: &&mut Vec<usize>| {
            let (forth, back) = (zone.bound(class[0], clock), zone.bound(clock, class[0]));
            !forth.is_infinite() && !back.is_infinite() && forth.raw_sum(back) == Bound::ZERO.0
        };
        match classes.iter_mut().find(same) {
            Some(class) => class.push(clock),
            None => classes.push(vec![clock]),
        }
    }
    classes
}
