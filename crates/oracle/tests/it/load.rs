//! Specifications from models, and traces from text.

use std::path::Path;

use punctual_lang::Input;
use punctual_model::{
    Action, Event, Happening, Interface, Network, PortId, Reading, Trace, Value, ValueType, Wired,
};
use punctual_oracle::conformance::{Coverage, Judgement, Rejection, Specification, explain, judge};
use punctual_semantics::split::Named;

/// One unit of model time.
pub(crate) const UNIT_NS: u64 = 1_000_000;

/// A network of the examples.
pub(crate) fn example(path: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path);
    let bytes = std::fs::read(&path).expect("an example");
    punctual_lang::read("model.xml", &bytes).model.expect("a model").network
}

/// The network of a text in UPPAAL's XTA.
pub(crate) fn network(text: &str) -> Network {
    let reading = punctual_lang::read("model.xta", text.as_bytes());
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    reading.model.expect("a model").network
}

/// An interface by names, as `punctual.toml` has them; `level(L)` carries the variable `L`.
fn wired(network: &Network, [inputs, outputs, observe]: [&[&str]; 3]) -> Wired {
    let text = format!(
        "[interface]\ninputs = {inputs:?}\noutputs = {outputs:?}\nobserve = {observe:?}\n\
         time-unit = \"1ms\"\n"
    );
    let input = Input { name: "punctual.toml", bytes: text.as_bytes() };
    let reading = punctual_lang::testing::read(network, input);
    let messages: Vec<&str> = reading.diagnostics.iter().map(|it| it.message.as_str()).collect();
    reading.value.unwrap_or_else(|| panic!("{messages:?}")).wired
}

pub(crate) fn specification(network: Network, inputs: &[&str], outputs: &[&str]) -> Specification {
    observed(network, [inputs, outputs, &[]]).unwrap_or_else(|it| panic!("{it}"))
}

/// Inputs, outputs, and what can be read.
pub(crate) fn observed(network: Network, names: [&[&str]; 3]) -> Result<Specification, Rejection> {
    let wired = wired(&network, names);
    Specification::new(network, wired, &Named::default())
}

/// A reading: `n=1,Sys.location=Busy`.
pub(crate) fn reading(interface: &Interface, text: &str) -> Reading {
    let value = |word: &str| -> (PortId, Value) {
        let (name, text) = word.split_once('=').expect("a port and its value");
        let port = interface.port(name).expect("a port");
        let value = match &interface.ports[port].ty {
            ValueType::Enum(names) => {
                let at = names.iter().position(|it| it == text).expect("a member");
                Value::Enum(u32::try_from(at).expect("a few"))
            }
            ValueType::Bool => Value::Bool(text == "true"),
            _ => Value::Int(text.parse().expect("a number")),
        };
        (port, value)
    };
    let mut values: Vec<(PortId, Value)> = text.split(',').map(value).collect();
    values.sort_unstable();
    Reading { values }
}

/// A trace: `coin 30 req 5 weakCoffee 1`, delays in units (perhaps with a fraction), `?n=1` for what is
/// read.
pub(crate) fn trace(interface: &Interface, text: &str) -> Trace {
    let mut trace = Trace::default();
    for word in text.split_whitespace() {
        if let Ok(delay) = word.parse::<f64>() {
            trace.end_ns += (delay * UNIT_NS as f64).round() as u64;
            continue;
        }
        let what = match word.strip_prefix('?') {
            Some(word) => Happening::Reading(reading(interface, word)),
            None => {
                let (name, values) = word.split_once('(').unwrap_or((word, ")"));
                let values = values.trim_end_matches(')').split(',').filter(|it| !it.is_empty());
                let values = values.map(|it| Value::Int(it.parse().expect("a number"))).collect();
                let signal = interface.signal(name).expect("a signal");
                Happening::Signal(Action { signal, values })
            }
        };
        trace.events.push(Event::at(what, trace.end_ns));
    }
    trace
}

/// The verdict of a trace, with its explanation.
pub(crate) fn verdict(specification: &Specification, text: &str) -> String {
    let trace = trace(specification.interface(), text);
    let verdict = judge(specification, &trace, &mut Coverage::new(true));
    match verdict {
        Judgement::Pass => "pass".to_owned(),
        Judgement::Inconclusive(it) => format!("inconclusive: {}", explain(specification, &it)),
        Judgement::Fail(it) => format!("fail: {}", explain(specification, &it)),
    }
}
