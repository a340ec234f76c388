//! When numbers that are computed from clocks become equal while time passes.

use super::limit::{Crossing, TOLERANCE};
use super::simulator::Simulator;
use super::watch::Computed;
use crate::Fault;
use crate::program::Chance;
use crate::select::{next_selects, set_selects};

/// Where the difference is no line, a delay is looked at in so many pieces: two roots in one piece
/// are missed.
const PIECES: u32 = 64;

/// How far is looked where nothing bounds a delay.
const FAR: f64 = 1e6;

impl Simulator<'_> {
    /// Finds the instants at which both sides are equal.
    pub(crate) fn find_roots(
        &mut self,
        computed: &Computed,
        delay: f64,
        values: &mut Vec<i32>,
        instants: &mut Vec<Crossing>,
        chance: &mut dyn Chance,
    ) {
        let Computed { left, right, over } = computed;
        if delay <= 0.0 || over.iter().any(|select| select.lo > select.hi) {
            return;
        }
        values.clear();
        values.extend(over.iter().map(|select| select.lo));
        loop {
            let mut difference = |delay: f64| {
                let mut context = self.context_after(delay, chance);
                set_selects(context.machine, over, values);
                Ok(context.real(*left)? - context.real(*right)?)
            };
            // What can not be evaluated here is not evaluated in the condition either, or is an error
            // there.
            let _ = roots(&mut difference, delay.min(FAR), &mut |delay| {
                instants.push(Crossing { delay, clock: None });
            });
            if !next_selects(over, values) {
                return;
            }
        }
    }
}

/// Calls `found` for each delay at which a function of it is zero, or has just changed its sign.
fn roots(
    of: &mut dyn FnMut(f64) -> Result<f64, Fault>,
    delay: f64,
    found: &mut dyn FnMut(f64),
) -> Result<(), Fault> {
    let (start, end) = (of(0.0)?, of(delay)?);
    let slope = (end - start) / delay;
    let mut is_line = true;
    for share in [0.29, 0.53, 0.83] {
        let expected = start + slope * share * delay;
        let scale = start.abs().max(end.abs()).max(1.0);
        is_line &= (of(share * delay)? - expected).abs() <= TOLERANCE * scale;
    }
    if is_line {
        let root = -start / slope;
        if root > 0.0 && root <= delay {
            found(root);
        }
        return Ok(());
    }
    let (mut from, mut before) = (0.0, start);
    for piece in 1..=PIECES {
        let to = delay * f64::from(piece) / f64::from(PIECES);
        let after = of(to)?;
        if (before > 0.0) != (after > 0.0) || (before < 0.0) != (after < 0.0) {
            let (mut low, mut high) = (from, to);
            // Until there is no number between them.
            for _ in 0..100 {
                let middle = low + (high - low) / 2.0;
                let value = of(middle)?;
                match (before > 0.0) == (value > 0.0) && (before < 0.0) == (value < 0.0) {
                    true => low = middle,
                    false => high = middle,
                }
            }
            found(high);
        }
        (from, before) = (to, after);
    }
    Ok(())
}
