//! Views of suites of timed automata.

use punctual_model::{EdgeId, Id, ProcessId, Sync};
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
        Goal::Edge(id, edge) => edge_name(world, id, edge),
        Goal::Pair(id, first, second) => {
            format!("{}, then edge {}", edge_name(world, id, first), second.index())
        }
        Goal::AtGuard(id, edge, number) => {
            format!("{} at the limit of clock constraint {number}", edge_name(world, id, edge))
        }
        Goal::AtInvariant(id, edge, number) => {
            format!("{} at the end of invariant {number}", edge_name(world, id, edge))
        }
    }
}

/// An edge for people. Where several edges lead from one location to another, such as those that start scenarios, it has its channel: `Scenarios: First -> Later (S3!)`.
fn edge_name(world: &World<'_>, process: ProcessId, edge: EdgeId) -> String {
    let name = world.edge_name(process, edge);
    let edges = &world.network.processes[process].edges;
    let (channel, sign) = match &edges[edge].sync {
        Sync::Send(channel) => (channel, "!"),
        Sync::Receive(channel) => (channel, "?"),
        Sync::Csp(channel) => (channel, ""),
        Sync::Internal | Sync::Event(_) => return name,
    };
    let is_like = |other: EdgeId| other != edge && world.edge_name(process, other) == name;
    match edges.ids().any(is_like) {
        true => format!("{name} ({}{sign})", world.network.channels[channel.base].name),
        false => name,
    }
}
