//! What of one zone lies outside another.

use crate::federation::Federation;
use crate::minimal::MinimalZone;
use crate::relation::same_dim;
use crate::view::ZoneRef;
use crate::zone::Zone;

impl ZoneRef<'_> {
    /// The valuations of this zone that do not lie in the other, as zones that do not overlap.
    ///
    /// ```
    /// use punctual_zones::{Bound, Zone};
    /// let zone = Zone::universe(1).constrained(1, 0, Bound::le(9)).unwrap();
    /// let hole = Zone::universe(1).constrained(1, 0, Bound::le(5)).unwrap();
    /// let hole = hole.constrained(0, 1, Bound::lt(-3)).unwrap();
    /// let rest = zone.subtract(&hole);
    /// assert_eq!(rest.display(&["x"]).to_string(), "x <= 3 or x in (5, 9]");
    /// ```
    ///
    /// # Panics
    /// If the dimensions differ.
    #[must_use]
    pub fn subtract<'b>(self, other: impl Into<ZoneRef<'b>>) -> Federation {
        let mut pieces = Federation::empty(self.dim() - 1);
        subtract_into(self, same_dim(self, other.into()), &mut |piece| pieces.push_disjoint(piece));
        pieces
    }
}

impl Zone {
    /// See [`ZoneRef::subtract`].
    #[must_use]
    pub fn subtract<'b>(&self, other: impl Into<ZoneRef<'b>>) -> Federation {
        self.view().subtract(other)
    }
}

/// Hands out the pieces one by one: for each constraint of the other zone, what breaks it while
/// keeping those before it. Only the fewest constraints are looked at, so there are few pieces.
pub(crate) fn subtract_into(zone: ZoneRef<'_>, other: ZoneRef<'_>, keep: &mut impl FnMut(Zone)) {
    if !zone.intersects(other) {
        keep(zone.to_zone());
        return;
    }
    let mut rest = zone.to_zone();
    for constraint in MinimalZone::from(other).constraints() {
        let outside = constraint.complement().expect("a listed constraint is finite");
        let (x, y) = (outside.x as usize, outside.y as usize);
        // Cutting off nothing is cheap to see; copy the zone only if there is something.
        if outside.bound.meets(rest.bound(y, x)) {
            let mut piece = rest.clone();
            assert!(piece.constrain(x, y, outside.bound), "the two bounds meet");
            keep(piece);
            assert!(rest.constrain(y, x, constraint.bound), "the zones have common points");
        }
    }
}
