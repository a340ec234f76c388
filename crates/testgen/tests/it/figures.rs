//! What `benches/timed.rs` counts: when these move, what is measured there is something else.

use punctual_testgen::mutation::automata::Operator;
use punctual_testgen::mutation::decide::{Bench, Limits};
use punctual_testgen::timed::{Status, World};

#[path = "../../benches/subject/mod.rs"]
mod subject;

/// Goals, covered goals, cases and steps of suites that cover all edges.
#[test]
fn suites_that_cover_edges() {
    let mut figures = Vec::new();
    for specification in [subject::small(), subject::whole()] {
        let world = World::new(&specification).unwrap();
        let made = subject::edges(&world);
        let covered = made.goals.iter().filter(|(_, it)| matches!(it, Status::Covered(_))).count();
        let steps: usize = made.runs.iter().map(|run| run.steps.len()).sum();
        assert_eq!(made.runs.len(), made.suite.cases.len());
        figures.push((made.goals.len(), covered, made.runs.len(), steps));
    }
    assert_eq!(figures, [(38, 38, 2, 38), (231, 231, 8, 378)]);
}

/// What the first mutants are, and what the cases that cover all edges say of them.
#[test]
fn mutants_of_the_paper() {
    let specification = subject::whole();
    let world = World::new(&specification).unwrap();
    let cases = subject::edges(&world).suite.cases;
    let mut told = Vec::new();
    for operator in Operator::PAPER {
        let mut mutants = subject::faults(&specification, operator);
        let (n, mutant) = (mutants.len(), mutants.swap_remove(0));
        let bench = Bench::new(&specification, mutant.process).unwrap();
        let decision = bench.decide(&mutant, Limits::default());
        let mutated = bench.mutated(&mutant.network).unwrap();
        let mut outcomes: Vec<&str> =
            cases.iter().map(|case| bench.outcome(&mutated, case).name()).collect();
        outcomes.retain(|it| *it != "can not");
        let found = outcomes.join(", ");
        told.push(format!("{n} {}: {}, found: {found}", operator.name(), decision.name()));
    }
    let expected = [
        "88 restrict: narrower, found: ",
        "88 widen: wrong, found: may",
        "88 shift: wrong, found: may",
        "154 self-loop: wrong, found: must",
    ];
    assert_eq!(told, expected);
}
