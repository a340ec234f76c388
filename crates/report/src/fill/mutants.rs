//! Views of mutants of networks of timed automata.

use punctual_model::{Id, Network};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;
use punctual_testgen::mutation::automata::{Mutant, Operator, Options, Place};
use punctual_testgen::mutation::decide::Decision;

use crate::view::mutants as view;

/// Mutants of the network of a file.
#[must_use]
pub fn mutants(
    file: &str,
    network: &Network,
    found: &[Mutant],
    options: &Options,
) -> view::Mutants {
    let asked = Operator::ALL.into_iter().filter(|it| options.operators.contains(it));
    let count = |operator: Operator, side: Side| {
        found.iter().filter(|it| it.operator == operator && it.side == side).count()
    };
    view::Mutants {
        counts: asked
            .map(|operator| view::Count {
                environment: count(operator, Side::Environment),
                operator: operator.name().to_owned(),
                system: count(operator, Side::System),
            })
            .collect(),
        model: file.to_owned(),
        mutants: found.iter().map(|it| mutant(network, it)).collect(),
        offset: options.offset,
        stopped_after: None,
    }
}

/// Notes what each mutant is.
pub fn decided(specification: &Specification, decisions: &[Decision], view: &mut view::Mutants) {
    for (mutant, decision) in view.mutants.iter_mut().zip(decisions) {
        mutant.decision = Some(decision.name().to_owned());
        let evidence = decision.evidence().map(|it| super::score::evidence(specification, it));
        mutant.evidence = evidence.unwrap_or_default();
    }
}

fn mutant(network: &Network, mutant: &Mutant) -> view::Mutant {
    view::Mutant {
        change: mutant.change.clone(),
        decision: None,
        evidence: Vec::new(),
        name: mutant.name.clone(),
        operator: mutant.operator.name().to_owned(),
        place: place(network, mutant),
        process: network.processes[mutant.process].name.clone(),
        side: mutant.side.to_string(),
    }
}

/// The place in the network without the fault.
fn place(network: &Network, mutant: &Mutant) -> String {
    let process = &network.processes[mutant.process];
    match mutant.place {
        Place::Location(id) => process.locations[id].name.clone(),
        Place::Edge(id) => {
            let edge = &process.edges[id];
            let name = |id| process.locations[id].name.as_str();
            let targets: Vec<&str> = edge.branches.iter().map(|it| name(it.target)).collect();
            format!("e{}: {} → {}", id.index(), name(edge.source), targets.join(" | "))
        }
    }
}
