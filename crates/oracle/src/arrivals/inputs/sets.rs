//! What is possible at all, without how probable it is: beliefs are sets.
//!
//! Whether anything explains what was seen needs no weights. Hypotheses that differ in weights only are the same then, and what a set allows, each larger one
//! does.
//!
//! A change between two steps is possible if it has a probability of more than the floor, whatever was before. What distributions keep is among that: they leave out what
//! is less probable than the floor together with all that was before it.

use rustc_hash::FxHashMap;

use super::{Atom, Input, Value, Way};

impl Input {
    /// All that may become of one possibility until the next step, with weights of 1.
    pub(super) fn allow(
        &self,
        atom: &Atom,
        times: (f64, f64),
        ways: &[Way],
        after: &mut FxHashMap<(Atom, Value), f64>,
    ) {
        let mut own = FxHashMap::default();
        self.advance(atom, 1.0, times, ways, &mut own);
        // The most probable one is kept in any case.
        let most = own.values().copied().fold(0.0, f64::max);
        let is_possible = |weight: f64| weight > self.floor || weight >= most;
        let possible = own.into_iter().filter(|(_, weight)| is_possible(*weight));
        after.extend(possible.map(|(it, _)| (it, 1.0)));
    }
}
