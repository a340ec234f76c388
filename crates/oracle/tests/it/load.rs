//! Specifications from models, and traces from text.

use std::path::Path;

use punctual_model::{
    Action, Carried, Direction, Event, Interface, Network, Range, Signal, Storage, TimeScale,
    Trace, Type, Uncertainty,
};
use punctual_oracle::conformance::{Coverage, Specification, Verdict, explain, judge};
use punctual_semantics::split::Named;

/// One unit of model time.
pub(crate) const UNIT_NS: u64 = 1_000_000;

/// A network of the examples.
pub(crate) fn example(path: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path);
    let bytes = std::fs::read(&path).expect("an example");
    punctual_lang::read("model.xml", &bytes).model.expect("a model").network
}

/// An interface by the names of channels; `level(L)` carries the variable `L`.
pub(crate) fn interface(network: &Network, inputs: &[&str], outputs: &[&str]) -> Interface {
    let mut interface = Interface {
        signals: punctual_model::IdVec::new(),
        time: TimeScale { unit_ns: UNIT_NS, resolution: 1 },
        uncertainty: Uncertainty::default(),
    };
    for (names, direction) in [(inputs, Direction::Input), (outputs, Direction::Output)] {
        for text in names {
            let (name, values) = text.split_once('(').unwrap_or((text, ")"));
            let values = values.trim_end_matches(')').split(',').filter(|it| !it.is_empty());
            let carried: Vec<Carried> = values.map(|it| carried(network, it.trim())).collect();
            for (channel, it) in network.channels.enumerate() {
                if it.name == name || it.name.starts_with(&format!("{name}[")) {
                    let (name, values) = (it.name.clone(), carried.clone());
                    interface.signals.push(Signal { name, direction, channel, values });
                }
            }
        }
    }
    interface
}

fn carried(network: &Network, name: &str) -> Carried {
    let variable = network.variables.iter().find(|it| it.name == name).expect("a variable");
    assert_eq!(variable.storage, Storage::State);
    let range = match variable.ty {
        Type::Int(range) => range,
        _ => Range::ALL,
    };
    Carried { name: name.to_owned(), slot: variable.ints, range }
}

pub(crate) fn specification(network: Network, inputs: &[&str], outputs: &[&str]) -> Specification {
    let interface = interface(&network, inputs, outputs);
    Specification::new(network, interface, &Named::default()).unwrap_or_else(|it| panic!("{it}"))
}

/// A trace: `coin 30 req 5 weakCoffee 1`, delays in units (perhaps with a fraction).
pub(crate) fn trace(specification: &Specification, text: &str) -> Trace {
    let mut trace = Trace::default();
    for word in text.split_whitespace() {
        if let Ok(delay) = word.parse::<f64>() {
            trace.end_ns += (delay * UNIT_NS as f64).round() as u64;
            continue;
        }
        let (name, values) = word.split_once('(').unwrap_or((word, ")"));
        let values = values.trim_end_matches(')').split(',').filter(|it| !it.is_empty());
        let values = values.map(|it| it.parse().expect("a number")).collect();
        let signal = specification.interface.signal(name).expect("a signal");
        let (from_ns, to_ns) = (trace.end_ns, trace.end_ns);
        trace.events.push(Event { action: Action { signal, values }, from_ns, to_ns });
    }
    trace
}

/// The verdict of a trace, with its explanation.
pub(crate) fn verdict(specification: &Specification, text: &str) -> String {
    let trace = trace(specification, text);
    let verdict = judge(specification, &trace, &mut Coverage::new(true));
    match verdict {
        Verdict::Pass => "pass".to_owned(),
        Verdict::Inconclusive(it) => format!("inconclusive: {}", explain(specification, &it)),
        Verdict::Fail(it) => format!("fail: {}", explain(specification, &it)),
    }
}
