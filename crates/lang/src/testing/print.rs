//! A configuration as `punctual.toml`.

use std::fmt::Write;

use punctual_model::{
    Carried, Direction, Network, Number, SignalId, Storage, ValueType, Wired,
    testing::{Place, Slot},
};

use super::{
    Config, Delays, Policy, Strategy, System, Timing, UnderTest, named,
    table::{key, quoted},
    units::{written, written_drift},
};
use crate::{convert::Printer, steering};

/// Writes a configuration as `punctual.toml`. Reading it gives the same configuration.
#[must_use]
pub fn print(network: &Network, config: &Config) -> String {
    let mut out = String::from("[interface]\n");
    let interface = &config.wired.interface;
    for (key, direction) in [("inputs", Direction::Input), ("outputs", Direction::Output)] {
        let of = interface.signals.enumerate().filter(|(_, it)| it.direction == direction);
        line(&mut out, key, &list(of.map(|(id, _)| signature(network, &config.wired, id))));
    }
    // Ports without a place in the network come from elsewhere.
    let places = config.wired.places.iter();
    let observed: Vec<String> = (interface.ports.iter().zip(places))
        .filter_map(|(port, place)| match place.as_ref()? {
            Place::Variable(slot) => Some(value(network, &port.name, &port.ty, *slot)),
            Place::Location(process) => {
                let shown = format!("{}.location", network.processes[*process].name);
                Some(named::written(&port.name, None, &shown))
            }
        })
        .collect();
    if !observed.is_empty() {
        line(&mut out, "observe", &list(observed.into_iter()));
    }
    if !interface.assignments.is_empty() {
        let names = interface.assignments.iter().map(|id| interface.signals[*id].name.clone());
        line(&mut out, "assignments", &list(names));
        if !interface.setup.is_empty() {
            line(&mut out, "setup", &list(interface.setup.iter().cloned()));
        }
    }
    line(&mut out, "time-unit", &quoted(&written(interface.time.unit_ns)));
    if interface.time.resolution != 1 {
        line(&mut out, "resolution", &interface.time.resolution.to_string());
    }
    for (key, processes) in [("environment", &config.environment), ("system", &config.system)] {
        if !processes.is_empty() {
            let names = processes.iter().map(|id| network.processes[*id].name.clone());
            line(&mut out, key, &list(names));
        }
    }
    let uncertainty = interface.uncertainty;
    if uncertainty != Default::default() {
        out.push_str("\n[uncertainty]\n");
        for (key, (from, to)) in
            [("input", uncertainty.input_ns), ("output", uncertainty.output_ns)]
        {
            line(&mut out, key, &quoted(&format!("{}..{}", written(from), written(to))));
        }
        if uncertainty.drift_ppb != 0 {
            line(&mut out, "drift", &quoted(&written_drift(uncertainty.drift_ppb)));
        }
    }
    if let Some(system) = &config.under_test {
        out.push_str("\n[system]\n");
        place(&mut out, &system.under_test);
        start(&mut out, system);
    }
    if let Some(steps) = &config.steps {
        out.push_str("\n[steps]\n");
        line(&mut out, "model", &quoted(&steps.model.text));
        for (key, value) in [("main", &steps.main), ("tests", &steps.tests)] {
            value.iter().for_each(|it| line(&mut out, key, &quoted(&it.text)));
        }
        line(&mut out, "period", &quoted(&written(steps.period_ns)));
        if !steps.observe.is_empty() {
            let names = steps.observe.iter().map(|it| it.text.clone());
            line(&mut out, "observe", &list(names));
        }
    }
    if let Some(steering) = &config.steering {
        steering::print(steering, &mut out);
    }
    let test = test(config);
    if !test.is_empty() {
        out.push_str("\n[test]\n");
        out.push_str(&test);
    }
    out
}

fn place(out: &mut String, under_test: &UnderTest) {
    match under_test {
        UnderTest::Command(words) => line(out, "command", &list(words.iter().cloned())),
        UnderTest::Tcp(address) => line(out, "tcp", &quoted(address)),
        UnderTest::Listen(address) => line(out, "listen", &quoted(address)),
        UnderTest::Library(path) => line(out, "library", &quoted(path)),
        UnderTest::Tron(address) => line(out, "tron", &quoted(address)),
        UnderTest::Model { path, policy } => {
            line(out, "model", &quoted(path));
            let policy = match policy {
                Policy::Random => return,
                Policy::Stochastic => "stochastic",
                Policy::Earliest => "earliest",
                Policy::Latest => "latest",
                Policy::Fixed => "fixed",
            };
            line(out, "policy", &quoted(policy));
        }
    }
}

fn start(out: &mut String, system: &System) {
    if !system.args.is_empty() {
        line(out, "args", &list(system.args.iter().cloned()));
    }
    for (name, value) in &system.env {
        line(out, &format!("env.{}", key(name)), &quoted(value));
    }
    if let Some(cwd) = &system.cwd {
        line(out, "cwd", &quoted(cwd));
    }
    if system.restart {
        line(out, "restart", "true");
    }
    if let Some(ns) = system.timeout_ns {
        line(out, "timeout", &quoted(&written(ns)));
    }
}

fn test(config: &Config) -> String {
    let (test, mut out) = (&config.test, String::new());
    let runs = test.runs.map(u64::from);
    for (key, number) in [("seed", test.seed), ("runs", runs), ("steps", test.steps)] {
        if let Some(number) = number {
            line(&mut out, key, &number.to_string());
        }
    }
    if let Some(ns) = test.duration_ns {
        line(&mut out, "duration", &quoted(&written(ns)));
    }
    let strategy = test.strategy.map(|strategy| match strategy {
        Strategy::Random => "random".to_owned(),
        Strategy::Guided => "guided".to_owned(),
    });
    let delays = test.delays.map(|delays| match delays {
        Delays::Mixed => "mixed".to_owned(),
        Delays::Random => "random".to_owned(),
        Delays::Eager => "eager".to_owned(),
        Delays::Lazy => "lazy".to_owned(),
        Delays::Between(least, most) => format!("{least}..{most}"),
    });
    let clock = test.clock.map(|clock| match clock {
        Timing::Real => "real".to_owned(),
        Timing::Virtual => "virtual".to_owned(),
    });
    for (key, text) in [("strategy", strategy), ("delays", delays), ("clock", clock)] {
        if let Some(text) = text {
            line(&mut out, key, &quoted(&text));
        }
    }
    out
}

fn line(out: &mut String, key: &str, value: &str) {
    _ = writeln!(out, "{key} = {value}");
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.map(|item| quoted(&item)).collect();
    format!("[{}]", items.join(", "))
}

/// `req(amount)`.
fn signature(network: &Network, wired: &Wired, id: SignalId) -> String {
    let signal = &wired.interface.signals[id];
    if signal.values.is_empty() {
        return signal.name.clone();
    }
    let slots = wired.wires.get(id).map_or(&[][..], |wire| &wire.values);
    let value = |(at, carried): (usize, &Carried)| match slots.get(at) {
        Some(slot) => value(network, &carried.name, &carried.ty, *slot),
        None => carried.name.clone(),
    };
    let values: Vec<String> = signal.values.iter().enumerate().map(value).collect();
    format!("{}({})", signal.name, values.join(", "))
}

/// A variable, with its name and the names of its values if it has such.
fn value(network: &Network, name: &str, ty: &ValueType, slot: Slot) -> String {
    let place = punctual_model::Place {
        storage: Storage::State,
        number: Number::Int,
        base: slot.slot,
        indices: Vec::new(),
        size: 1,
        range: slot.range,
    };
    let members = match ty {
        ValueType::Enum(members) => Some(members.as_slice()),
        _ => None,
    };
    named::written(name, members, &Printer::new(network).place(&place))
}
