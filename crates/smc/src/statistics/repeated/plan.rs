//! What to plan for before a case is executed.
//!
//! The executions on average and at worst, and the chance to find a given system, are those of the
//! [`Chart`](super::Chart) of its rule. Here are numbers of executions to choose.

use super::{super::OutOfRange, Design, Rule};

/// The least number of executions, up to `most`, that a rule of this design must be allowed so that a system with
/// probability `q` fails with probability `share` at least; none if `most` do not suffice.
///
/// The number suffices. Since counts are whole numbers, there may be one that is smaller by a few.
///
/// # Errors
/// If the design is out of range.
pub fn least_limit(
    design: &Design,
    q: f64,
    share: f64,
    most: u64,
) -> Result<Option<u64>, OutOfRange> {
    let fails = |executions| {
        let rule = Rule::from(Design { executions, ..*design }.rule()?);
        Ok::<_, OutOfRange>(rule.chart().at(q).fail >= share)
    };
    // Small rules are made much faster than large ones: up by doubling, then halve what remains.
    let (mut enough, mut too_few) = (most.min(16), 0);
    while !fails(enough)? {
        if enough == most {
            return Ok(None);
        }
        too_few = enough;
        enough = (enough * 2).min(most);
    }
    while too_few + 1 < enough {
        let middle = u64::midpoint(too_few, enough);
        *(if fails(middle)? { &mut enough } else { &mut too_few }) = middle;
    }
    Ok(Some(enough))
}

/// How many executions without a contrary outcome show that it is rarer than the tolerance: a system where it
/// is not would have shown one with probability `1 - beta`.
///
/// ```
/// # use punctual_smc::statistics::repeated::runs_without_contrary;
/// assert_eq!(runs_without_contrary(0.05, 0.05), 59);
/// ```
///
/// # Panics
/// If one of the two is not strictly between 0 and 1.
#[must_use]
pub fn runs_without_contrary(tolerance: f64, beta: f64) -> u64 {
    let inside = |it: f64| it > 0.0 && it < 1.0;
    assert!(inside(tolerance) && inside(beta), "{tolerance} and {beta}");
    let runs = (beta.ln() / (-tolerance).ln_1p()).floor().max(1.0);
    let shows = |runs: f64| (1.0 - tolerance).powf(runs) <= beta;
    if shows(runs) { runs as u64 } else { runs as u64 + 1 }
}
