//! Inputs that are told as assignments come before others at the same instant.
//!
//! A scenario of use cases begins with what the tester sets up and puts in; messages of the same instant are sent to a system that has these
//! values, as in Figure 8 of the TAUC paper. Inputs change places only if that makes no difference to the model: other processes move, and the same
//! steps lead to the same state.

use punctual_semantics::Move;

use super::walk::{Run, Taken, Walk};
use super::world::{Kind, World};

/// The run with its inputs in that order.
#[must_use]
pub(super) fn assignments_first(world: &World<'_>, run: Run) -> Run {
    if world.specification.interface().assignments.is_empty() {
        return run;
    }
    let Some(mut walk) = Walk::new(world, &run.start) else { return run };
    let mut ordered = Run::new(run.start.clone());
    for together in run.steps.chunk_by(|a, b| a.at == b.at) {
        let steps = order(world, together).and_then(|order| again(&mut walk, &ordered, &order));
        let is_same = |steps: &Vec<Taken>| {
            steps.last().map(|it| &it.after) == together.last().map(|it| &it.after)
        };
        ordered.steps.extend(steps.filter(is_same).unwrap_or_else(|| together.to_vec()));
    }
    ordered
}

/// Steps of one instant as they should be ordered; none if they are.
fn order<'s>(world: &World<'_>, together: &'s [Taken]) -> Option<Vec<&'s Taken>> {
    let assignments = &world.specification.interface().assignments;
    let is_assignment = |block: &[Taken]| match block.first().map(|it| it.kind) {
        Some(Kind::Input(signal)) => Some(assignments.contains(&signal)),
        _ => None,
    };
    // What follows an input up to the next one is what it leads to, and stays behind it.
    let mut blocks: Vec<&[Taken]> = together.chunk_by(|_, next| !next.kind.is_ours()).collect();
    let mut is_changed = false;
    for number in 1..blocks.len() {
        let mut at = number;
        while at > 0
            && is_assignment(blocks[at]) == Some(true)
            && is_assignment(blocks[at - 1]) == Some(false)
            && are_apart(blocks[at - 1], blocks[at])
        {
            blocks.swap(at - 1, at);
            is_changed = true;
            at -= 1;
        }
    }
    is_changed.then(|| blocks.into_iter().flatten().collect())
}

/// Whether no process moves in both.
fn are_apart(a: &[Taken], b: &[Taken]) -> bool {
    let moves = |of: &[Taken]| -> Vec<Move> { of.iter().flat_map(|it| it.moves.clone()).collect() };
    let (a, b) = (moves(a), moves(b));
    !a.iter().any(|a| b.iter().any(|b| a.process == b.process))
}

/// The same steps in another order, behind a run; none if they are not possible.
fn again(walk: &mut Walk<'_>, before: &Run, steps: &[&Taken]) -> Option<Vec<Taken>> {
    let mut taken: Vec<Taken> = Vec::new();
    for step in steps {
        let (point, at) = match taken.last().or(before.steps.last()) {
            Some(last) => (&last.after, last.at),
            None => (&before.start, 0),
        };
        if !walk.restart(point, at) {
            return None;
        }
        taken.push(walk.again(&step.moves, step.at)?);
    }
    Some(taken)
}
