//! Views of cases that are repeated.

use punctual_model::testing::suite::{Body, Case, Do, Probability};

use crate::view::oracles as view;

/// A case, and what the user should know of it.
#[must_use]
pub fn oracle(case: &Case, warnings: &[String]) -> view::Oracle {
    let Some(chance) = &case.chance else { return view::Oracle::default() };
    let parts: &[Do] = match &case.body {
        Body::Timed(parts) => parts,
        Body::Steps(_) => &[],
    };
    let from = chance.ending.as_ref().map_or(parts.len(), |it| it.from);
    let is_done = |part: &&Do| matches!(part, Do::Send(_) | Do::Wait(_));
    view::Oracle {
        ending: parts[from..].iter().filter(is_done).count(),
        joint: chance.ending.as_ref().map(|it| probability(&it.joint)),
        name: case.name.clone(),
        note: chance.note.clone(),
        probability: probability(&chance.outputs),
        proves: chance.ending.as_ref().map(|it| it.proves.clone()),
        warnings: warnings.to_vec(),
    }
}

fn probability(it: &Probability) -> view::Probability {
    view::Probability { exact: it.exact.clone(), greatest: it.greatest, least: it.least }
}
