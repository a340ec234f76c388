//! `platform.toml`, written.

use std::fmt::Write as _;

use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Delay, Events, Form, Line, Platform, Watched};
use punctual_model::{PortRole, Rational, ValueType};

use crate::testing::{
    duration, port_of,
    table::{key, quoted},
};

/// The file that says all of a platform.
#[must_use]
pub fn print(platform: &Platform, program: &Program) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "step = {}", quoted(&duration(platform.step_ns)));
    if let Some(signal) = &platform.signal {
        let _ = writeln!(out, "signal = {}", quoted(signal));
    }
    if let Some(arrived) = &platform.arrived {
        let _ = writeln!(out, "arrived = {}", quoted(arrived));
    }
    let _ = writeln!(out, "grouping = {}", quoted(&duration(platform.grouping_ns)));
    let _ = writeln!(out, "risk = {}", platform.risk);
    if platform.pulses > 0 {
        let _ = writeln!(out, "pulses = {}", platform.pulses);
    }
    if let Some(drift) = &platform.drift {
        let over = quoted(&duration(drift.over_ns));
        let _ = writeln!(out, "drift = {{ by = {}, over = {over} }}", drift.by);
    }
    if platform.events == Events::Changes {
        let _ = writeln!(out, "events = \"changes\"");
    }
    let _ = writeln!(out, "software = {}", delay(&platform.software));
    let initial = |line: &Line| {
        let at = program.inputs().position(|var| var == line.variable)?;
        let ty = port_of(program, line.variable, PortRole::Input).ty;
        Some((ty.clone(), *platform.initial.get(at)?))
    };
    lines(&mut out, "inputs", "monitored", program, &platform.inputs, &initial);
    lines(&mut out, "outputs", "controlled", program, &platform.outputs, &|_| None);
    let holds = |lines: &[Line], (at, value): (usize, punctual_model::Value)| {
        let line = &lines[at];
        let ty = line.form.ty(&port_of(program, line.variable, PortRole::Output).ty);
        let text = ty.text(value);
        let text = if matches!(ty, ValueType::Enum(_)) { quoted(&text) } else { text };
        format!("{{ {} = {text} }}", key(&line.outside))
    };
    for it in &platform.requirements {
        let _ = writeln!(out, "\n[requirements.{}]", key(&it.name));
        let _ = writeln!(out, "when = {}", holds(&platform.inputs, it.when));
        if let Some(given) = it.given {
            let _ = writeln!(out, "while = {}", holds(&platform.outputs, given));
        }
        let _ = writeln!(out, "then = {}", holds(&platform.outputs, it.then));
        let _ = writeln!(out, "within = {}", quoted(&duration(it.within_ns)));
    }
    for it in &platform.automata {
        let _ = writeln!(out, "\n[requirements.{}]", key(&it.name));
        let _ = writeln!(out, "automaton = {}", quoted(&it.path));
        let unit = duration(it.wired.interface.time.unit_ns);
        let _ = writeln!(out, "time-unit = {}", quoted(&unit));
        let events = it.wired.interface.signals.iter().zip(&it.watched).map(|(signal, watched)| {
            let value = match *watched {
                Watched::Set(line, value) => holds(&platform.inputs, (line, value)),
                Watched::Seen(line, value) => holds(&platform.outputs, (line, value)),
            };
            format!("{} = {value}", key(&signal.name))
        });
        let _ = writeln!(out, "events = {{ {} }}", events.collect::<Vec<_>>().join(", "));
    }
    out
}

fn lines(
    out: &mut String,
    section: &str,
    outside: &str,
    program: &Program,
    lines: &[Line],
    initial: &dyn Fn(&Line) -> Option<(ValueType, punctual_model::Value)>,
) {
    for (at, line) in lines.iter().enumerate() {
        // All that a variable is connected to is in one table.
        if lines[..at].iter().any(|it| it.variable == line.variable) {
            continue;
        }
        let name = &program.vars[line.variable].name;
        let _ = writeln!(out, "\n[{section}.{}]", key(name));
        let all: Vec<String> = (lines.iter().filter(|it| it.variable == line.variable))
            .map(|it| quoted(&it.outside))
            .collect();
        match &all[..] {
            [one] if *one == quoted(name) => {}
            [one] => {
                let _ = writeln!(out, "{outside} = {one}");
            }
            all => {
                let _ = writeln!(out, "{outside} = [{}]", all.join(", "));
            }
        }
        let of = lines.iter().filter(|it| it.variable == line.variable);
        let delays: Vec<String> = of.map(|it| delay(&it.delay)).collect();
        let _ = match delays.iter().all(|it| *it == delays[0]) {
            true => writeln!(out, "delay = {}", delays[0]),
            false => writeln!(out, "delay = [{}]", delays.join(", ")),
        };
        match &line.form {
            Form::Same => {}
            Form::Linear { by, plus, is_whole } => {
                let _ = writeln!(out, "scale = {}", decimal(*by));
                let _ = writeln!(out, "offset = {}", decimal(*plus));
                let _ = writeln!(out, "whole = {is_whole}");
            }
            Form::Coded(list) => {
                let ty = port_of(program, line.variable, PortRole::Output).ty;
                let code = |(value, code): &(punctual_model::Value, i64)| {
                    format!("{} = {code}", key(&ty.text(*value)))
                };
                let codes: Vec<String> = list.iter().map(code).collect();
                let _ = writeln!(out, "coding = {{ {} }}", codes.join(", "));
            }
        }
        if let Some(ns) = line.sampling_ns {
            let _ = writeln!(out, "sampling = {}", quoted(&duration(ns)));
        }
        if line.is_latched {
            let _ = writeln!(out, "latched = true");
        }
        if let Some((ty, value)) = initial(line) {
            let text = ty.text(value);
            let text = if matches!(ty, ValueType::Enum(_)) { quoted(&text) } else { text };
            let _ = writeln!(out, "initial = {text}");
        }
    }
}

fn delay(delay: &Delay) -> String {
    let ns = |it: f64| quoted(&duration(it.round().max(0.0) as u64));
    match delay {
        Delay::Normal { mean, deviation } => {
            format!("{{ mean = {}, deviation = {} }}", ns(*mean), ns(*deviation))
        }
        Delay::Uniform { least, greatest } => {
            format!("{{ least = {}, greatest = {} }}", ns(*least), ns(*greatest))
        }
        Delay::Samples(all) => {
            let all: Vec<String> = all.iter().map(|it| ns(*it)).collect();
            format!("{{ samples = [{}] }}", all.join(", "))
        }
    }
}

/// A number as TOML has it. Scales come from decimal numbers, so they end.
fn decimal(number: Rational) -> String {
    crate::values::real(number)
}
