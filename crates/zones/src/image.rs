//! Many clock assignments at once, into a zone with other clocks.
//!
//! A transition sets some clocks, and the location it leads to may care about fewer clocks, or about
//! others. Both are one operation: each clock of the new zone has the value of an old clock, or of
//! the reference, plus a constant. The new matrix is canonical because the old one is.

use crate::bound::{Bound, RAW_MAX, RAW_MIN, out_of_range};
use crate::view::ZoneRef;
use crate::zone::Zone;

/// Where a clock gets its value: from a clock (0 is the reference) plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    /// The clock.
    pub clock: u32,
    /// What is added to it.
    pub offset: i32,
}

impl Source {
    /// The value of a clock as it is.
    #[must_use]
    pub const fn clock(clock: u32) -> Source {
        Source { clock, offset: 0 }
    }

    /// A constant.
    #[must_use]
    pub const fn constant(value: i32) -> Source {
        Source { clock: 0, offset: value }
    }
}

impl Zone {
    /// Makes this the set of valuations that those of `zone` become if clock `i + 1` takes its value
    /// from `sources[i]`, all at once. Allocates only if this zone was never as large.
    ///
    /// No valuation of `zone` may give a clock a negative value.
    ///
    /// ```
    /// use punctual_zones::{Source, Zone};
    /// let mut zone = Zone::zero(2);
    /// zone.up();
    /// let mut image = Zone::zero(0);
    /// image.set_image(&zone, &[Source::clock(2), Source::constant(3), Source { clock: 1, offset: 2 }]);
    /// assert_eq!(image.display(&["a", "b", "c"]).to_string(), "b = 3, c = a + 2");
    /// ```
    ///
    /// # Panics
    /// If a source is not there, or a bound that follows is out of range.
    pub fn set_image<'a>(&mut self, zone: impl Into<ZoneRef<'a>>, sources: &[Source]) {
        let zone = zone.into();
        let (dim, old_dim) = (sources.len() + 1, zone.dim());
        let cells = self.resized(dim);
        let reference = Source::constant(0);
        for (i, row) in cells.chunks_exact_mut(dim).enumerate() {
            let to = if i == 0 { reference } else { sources[i - 1] };
            let old = &zone.cells()[to.clock as usize * old_dim..][..old_dim];
            row[0] = shifted(old[0], to.offset);
            for (bound, from) in row[1..].iter_mut().zip(sources) {
                *bound = shifted(old[from.clock as usize], to.offset - from.offset);
            }
        }
        debug_assert!(cells[..dim].iter().all(|&bound| bound <= Bound::ZERO), "a negative clock");
    }
}

#[inline]
fn shifted(bound: Bound, by: i32) -> Bound {
    if by == 0 || bound.is_infinite() {
        return bound;
    }
    let raw = bound.0 + (by << 1);
    if !(RAW_MIN..=RAW_MAX).contains(&raw) {
        out_of_range(i64::from(raw));
    }
    Bound(raw)
}
