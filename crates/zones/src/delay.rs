//! Ways for time to pass, beside [`Zone::up`].

use crate::bound::Bound;
use crate::zone::Zone;

impl Zone {
    /// All valuations that this zone reaches by waiting for longer than no time at all.
    ///
    /// ```
    /// use punctual_zones::{Bound, Zone};
    /// let mut zone = Zone::universe(1).constrained(0, 1, Bound::le(-2)).unwrap(); // x >= 2
    /// zone.up_strictly();
    /// assert_eq!(zone.display(&["x"]).to_string(), "x > 2");
    /// ```
    pub fn up_strictly(&mut self) {
        self.up();
        // A valuation can go back a little, into the zone, exactly if no lower bound is met.
        let dim = self.dim();
        for bound in &mut self.cells_mut()[1..dim] {
            bound.0 &= !1;
        }
    }

    /// Lets time pass while the clocks in `stopped` stand still; they are in ascending order.
    /// The result may be larger than the exact set, which need not be a zone.
    pub fn up_except(&mut self, stopped: &[usize]) {
        if stopped.is_empty() {
            return self.up();
        }
        let dim = self.dim();
        for (x, row) in self.cells_mut().chunks_exact_mut(dim).enumerate().skip(1) {
            if stopped.binary_search(&x).is_err() {
                // This clock runs away from the reference and from all that stand still.
                row[0] = Bound::INFINITY;
                for &y in stopped {
                    row[y] = Bound::INFINITY;
                }
            }
        }
    }
}
