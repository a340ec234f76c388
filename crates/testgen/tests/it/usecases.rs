//! Timeliness test models that are derived from scenarios and automata.

mod computed;
mod figures;
mod hundred;
mod laws;
mod links;
mod sample;
mod values;

use punctual_lang::{
    convert::{Printer, to_document},
    uppaal::xml,
};
use punctual_mc::{Answer, Options, check};
use punctual_model::{
    Expr, Frame, Location, LocationId, Network, Number, ProcessId, Property, StateExpr,
    usecases::{Scenarios, UseCases},
};
use punctual_testgen::usecases::{As, Derived, derive};

/// The derived model of scenarios that can be expressed.
pub(super) fn derived(
    all: &UseCases,
    scenarios: &Scenarios,
    network: &Network,
    form: As,
) -> Derived {
    derive(all, scenarios, network, form).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Whether a property holds, by searching all states.
pub(super) fn holds(network: &Network, property: &Property) -> bool {
    let outcome =
        check(network, property, &Options::default(), &mut ()).expect("it can be searched");
    match outcome.answer {
        Answer::Satisfied => true,
        Answer::NotSatisfied => false,
        other => panic!("{other:?}"),
    }
}

/// Whether a state can be reached in which an expression holds.
pub(super) fn reaches(network: &Network, expr: Expr) -> bool {
    holds(network, &Property::ExistsFinally(state(expr)))
}

/// Whether an expression holds in all states.
pub(super) fn always(network: &Network, expr: Expr) -> bool {
    holds(network, &Property::AlwaysGlobally(state(expr)))
}

fn state(expr: Expr) -> StateExpr {
    StateExpr { expr, number: Number::Int, frame: Frame::default() }
}

pub(super) fn is_in(network: &Network, process: ProcessId, location: &str) -> Expr {
    let mut all = network.processes[process].locations.enumerate();
    let (id, _) = all.find(|(_, it)| it.name == location).expect("a location of this name");
    Expr::InLocation(process, id)
}

/// Whether an edge can be taken: it is made to lead to a location of its own.
pub(super) fn is_reachable(
    network: &Network,
    process: ProcessId,
    edge: punctual_model::EdgeId,
) -> bool {
    let mut network = network.clone();
    let it = &mut network.processes[process];
    let first: Location = it.locations.iter().next().expect("a location").clone();
    let name = "Taken".to_owned();
    let taken: LocationId =
        it.locations.push(Location { name, invariant: Default::default(), ..first });
    it.edges[edge].branches[0].target = taken;
    reaches(&network, Expr::InLocation(process, taken))
}

/// The network after it was written and read again.
pub(super) fn written(network: &Network) -> Network {
    let document = to_document(network).expect("UPPAAL can say it");
    crate::network("model.xml", xml::write(&document).as_bytes())
}

/// The edges of a process as text.
pub(super) fn shown(network: &Network, process: &str) -> String {
    let (id, it) =
        network.processes.enumerate().find(|(_, it)| it.name == process).expect("a process");
    let printer = Printer::within(network, id).with_truth();
    let mut out = String::new();
    for edge in &it.edges {
        let printer = printer.for_edge(edge);
        let name = |at: LocationId| it.locations[at].name.as_str();
        out += &format!("{} -> {}", name(edge.source), name(edge.branches[0].target));
        let updates: Vec<Expr> =
            edge.update.iter().chain(&edge.branches[0].update).cloned().collect();
        let parts = [
            ("select", printer.selects(edge)),
            ("guard", printer.condition(&edge.guard)),
            ("sync", printer.sync(&edge.sync)),
            ("update", printer.update(&updates)),
        ];
        for (word, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
            out += &format!("\n    {word} {text}");
        }
        out.push('\n');
    }
    out
}
