//! The seat sensor of the TAUC paper, for benchmarks and for the tests that pin what they count.

use std::path::Path;

use punctual_lang::{Input, testing};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_testgen::mutation::automata::{Mutant, Operator, Options as Faults, mutants};
use punctual_testgen::timed::{Criterion, Limits, Made, Options, Wait, World, make};

/// A model of `experiments/tauc` with its interface.
pub(crate) fn specification(model: &str, interface: &str) -> Specification {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/tauc");
    let bytes = |name: &str| std::fs::read(folder.join(name)).expect("the experiment is there");
    let reading = punctual_lang::read(model, &bytes(model));
    let network = reading.model.expect("the model is right").network;
    let text = bytes(interface);
    let reading = testing::read(&network, Input { name: interface, bytes: &text });
    let config = reading.value.expect("the interface is right");
    let named = Named { environment: config.environment, system: config.system };
    Specification::new(network, config.wired, &named).expect("it can be tested against")
}

/// Two errors, and somebody who watches the first.
pub(crate) fn small() -> Specification {
    specification("small.xml", "small.toml")
}

/// The 22 errors of the paper.
pub(crate) fn whole() -> Specification {
    specification("model.xml", "punctual.toml")
}

/// A suite that covers all edges.
pub(crate) fn edges(world: &World<'_>) -> Made {
    let options = Options {
        criteria: vec![Criterion::Edges],
        purposes: Vec::new(),
        n_random: 0,
        limits: Limits { states: 100_000, length: 60 },
        wait: Wait::Behind,
        budget: None,
        iterations: 0,
        seed: 1,
    };
    make(world, &options, &|_, _| None, &mut |_| true).expect("a suite")
}

/// The faults of an operator of the paper, with bounds that move by 100 units.
pub(crate) fn faults(specification: &Specification, operator: Operator) -> Vec<Mutant> {
    let options = Faults { operators: vec![operator], offset: 100, environment: false };
    mutants(&specification.network, &specification.split.sides, &options)
}
