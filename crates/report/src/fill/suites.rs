//! Views of suites of timed automata.

use punctual_model::Id;
use punctual_testgen::timed::{Criterion, Goal, Kind, Made, Status, World};

use crate::view::suite as view;

/// A suite that was made, and what it covers.
#[must_use]
pub fn timed(
    world: &World<'_>,
    criteria: &[Criterion],
    made: &Made,
    seed: u64,
) -> view::TimedSuite {
    let goal =
        |(goal, status): &(Goal, Status)| view::Goal { goal: name(world, *goal), ..known(status) };
    let purpose =
        |(name, status): &(String, Status)| view::Goal { goal: name.clone(), ..known(status) };
    let is_input = |kind: Kind| matches!(kind, Kind::Input(_));
    let steps = || made.runs.iter().flat_map(|run| &run.steps);
    view::TimedSuite {
        cases: made.suite.cases.len(),
        covered: super::testcode::covering(world, &made.sure),
        criteria: criteria.iter().map(|it| it.name().to_owned()).collect(),
        duration_ns: made.duration_ns,
        goals: made.goals.iter().map(goal).collect(),
        inputs: steps().filter(|step| is_input(step.kind)).count(),
        purposes: made.purposes.iter().map(purpose).collect(),
        replaced: made.n_replaced,
        seed,
        similarity_before: made.similarity.0,
        similarity_after: made.similarity.1,
        steps: steps().count(),
        test_code: None,
        uncertain: made.suite.cases.iter().filter(|case| case.about.is_uncertain).count(),
    }
}

fn known(status: &Status) -> view::Goal {
    let mut it = view::Goal::default();
    match status {
        Status::Covered(case) => {
            it.status = view::Status::Covered;
            it.case = Some(case + 1);
        }
        Status::Unreachable => it.status = view::Status::Infeasible,
        Status::Undecided(why) => it.reason = Some(why.clone()),
    }
    it
}

/// A goal for people.
fn name(world: &World<'_>, goal: Goal) -> String {
    let process = &world.network.processes[goal.process()];
    match goal {
        Goal::Location(_, at) => format!("{}.{}", process.name, process.locations[at].name),
        Goal::Edge(id, edge) => world.edge_name(id, edge),
        Goal::Pair(id, first, second) => {
            format!("{}, then edge {}", world.edge_name(id, first), second.index())
        }
        Goal::AtGuard(id, edge, number) => {
            format!("{} at the limit of clock constraint {number}", world.edge_name(id, edge))
        }
        Goal::AtInvariant(id, edge, number) => {
            format!("{} at the end of invariant {number}", world.edge_name(id, edge))
        }
    }
}
