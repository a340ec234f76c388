//! What no run covers, however long.
//!
//! Obligations that no run of up to the bound covers are claimed never to be covered, all together. The
//! claim is proved by k-induction: in any k + 1 steps in a row, from any state, if none is covered in
//! the first k, none is in the last. An obligation that spoils it is claimed no more, and the
//! others are tried again, without its help (Houdini, Flanagan & Leino 2001).

use std::collections::HashSet;

use punctual_semantics::lustre::encode::{Encoder, Unrolling};
use punctual_solver::{Answer, Session, Term, Value};

use super::cover::{Phase, STOPPED, Search, Status, Stop};

/// Longer inductions rarely close when shorter ones do not.
const STEPS_MAX: usize = 6;

/// Proves as much as closes. What is proved is not left any more. Of those that are unsure it is not
/// known whether short runs cover them, so they are claimed only where that does not matter.
pub(super) fn prove(
    search: &mut Search<'_>,
    session: &mut Session,
    unsure: &[usize],
) -> Result<(), Stop> {
    session.push();
    // Nothing that was claimed about runs from the start matters: it is about other symbols.
    let proved = prove_in(search, session, unsure);
    session.pop();
    proved
}

fn prove_in(search: &mut Search<'_>, session: &mut Session, unsure: &[usize]) -> Result<(), Stop> {
    let encoder = Encoder::new(search.program).whole();
    let mut unrolling = Unrolling::from_anywhere(encoder, session.terms());
    // For each step, what it would mean that an obligation is covered in it.
    let mut steps: Vec<Vec<(usize, Term)>> = Vec::new();
    for n_steps in 0..=STEPS_MAX.min(search.options.bound) {
        if search.left.is_empty() {
            return Ok(());
        }
        let terms = session.terms();
        unrolling.extend(terms);
        let last = &unrolling.steps()[n_steps];
        let in_ranges = search.in_ranges(terms, &last.inputs);
        let assumed = terms.and(last.assumed, in_ranges);
        let wanted: Vec<(usize, Term)> =
            search.left.iter().map(|at| (*at, search.term(terms, &last.step, *at))).collect();
        session.assert(assumed);
        steps.push(wanted);
        let mut claimed = search.left.clone();
        claimed.retain(|at| n_steps == 0 || !unsure.contains(at));
        let closed = close(search, session, &steps, claimed)?;
        search.strike(&closed);
        for at in closed {
            search.statuses[at] = Some(Status::Infeasible(n_steps));
        }
    }
    Ok(())
}

/// Those for which the induction closes.
fn close(
    search: &mut Search<'_>,
    session: &mut Session,
    steps: &[Vec<(usize, Term)>],
    mut claimed: Vec<usize>,
) -> Result<Vec<usize>, Stop> {
    let n_steps = steps.len().saturating_sub(1);
    while !claimed.is_empty() {
        if !search.report(Phase::Induction(n_steps)) {
            return Err(Stop(STOPPED.to_owned()));
        }
        let all: HashSet<usize> = claimed.iter().copied().collect();
        let of = |step: &Vec<(usize, Term)>| -> Vec<(usize, Term)> {
            step.iter().filter(|(at, _)| all.contains(at)).copied().collect()
        };
        let (last, before) = match steps.split_last() {
            Some((last, before)) => (of(last), before.iter().flat_map(of).collect::<Vec<_>>()),
            None => return Ok(Vec::new()),
        };
        let terms = session.terms();
        let spoiled = terms.any(last.iter().map(|(_, term)| *term));
        let helped = terms.any(before.iter().map(|(_, term)| *term));
        let kept = terms.not(helped);
        match session.check_assuming(&[spoiled, kept])? {
            Answer::Unsat => return Ok(claimed),
            Answer::Unknown(_) => return Ok(Vec::new()),
            Answer::Sat => {
                let terms: Vec<Term> = last.iter().map(|(_, term)| *term).collect();
                let Ok(values) = session.values(&terms) else { return Ok(Vec::new()) };
                let spoilers: Vec<usize> = last
                    .iter()
                    .zip(values)
                    .filter(|(_, value)| *value == Value::Bool(true))
                    .map(|((at, _), _)| *at)
                    .collect();
                if spoilers.is_empty() {
                    return Ok(Vec::new());
                }
                claimed.retain(|at| !spoilers.contains(at));
            }
        }
    }
    Ok(Vec::new())
}
