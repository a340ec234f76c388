//! What oracle and model say, in the words of a record.

use punctual_exec::online::{Statistics, Updates};
use punctual_lang::{convert::Printer, values};
use punctual_model::{Edge, EdgeId, Expr, Id, Process, ProcessId, VarId, lustre};
use punctual_oracle::conformance::{
    self, Coverage, Diagnosis, Possible, Specification, explain, instant_text, interval_text,
    variables_of,
};
use punctual_oracle::{
    Cadence, Cause, Finding, Interaction, Judged, expectations, steering, synchronous,
};
use punctual_semantics::estimate::{End, Interval};
use punctual_semantics::split;

use crate::judges::Judges;
use crate::store::{self, Cost, CutOff, EdgeCoverage, LocationCoverage, State};

/// Why a verdict is not a pass, in the words of a record. `late_ns` is by how much the tester was late.
pub(crate) fn judged(
    judges: &Judges,
    judged: &Judged,
    late_ns: Option<u64>,
) -> Option<store::Diagnosis> {
    let mut diagnosis = told(judges, judged.judgement.reason()?);
    diagnosis.kind = judged.cause().unwrap_or(diagnosis.kind);
    if let (true, Some(late_ns)) = (judged.excused, late_ns) {
        diagnosis.explanation.push_str(&format!(
            " The machine let the tester look {} ms too late, so the system is not blamed.",
            late_ns / 1_000_000
        ));
    }
    Some(diagnosis)
}

fn told(judges: &Judges, finding: &Finding) -> store::Diagnosis {
    match (finding, &judges.specification, &judges.steps) {
        (Finding::Conformance(it), Some(specification), _) => diagnosis(specification, it),
        (Finding::Step(it), _, Some(steps)) => mismatch(steps.program(), it),
        (Finding::Steering(it), ..) => unexplained(it, &it.explain()),
        (Finding::Expectation(it), ..) => unexpected(it),
        (Finding::Ending(cause, words), ..) => store::Diagnosis {
            kind: *cause,
            seen: match cause.is_failure() {
                true => "the system broke down".to_owned(),
                false => cause.to_string(),
            },
            explanation: words.clone(),
            ..store::Diagnosis::default()
        },
        // Who judged is among the judges.
        _ => store::Diagnosis { kind: finding.cause(), ..store::Diagnosis::default() },
    }
}

/// Says of a run that was over because of an output that the system must not send which one it was, and when it came.
pub(crate) fn end(
    judges: &Judges,
    diagnosis: &mut store::Diagnosis,
    ending: &store::Ending,
    end_ns: u64,
) {
    let (Some(output), true) = (&ending.output, diagnosis.kind == ending.cause) else { return };
    diagnosis.seen.clone_from(output);
    diagnosis.guilty = vec![output.clone()];
    if let Some(specification) = &judges.specification {
        let interval = specification.instants.interval(end_ns, end_ns);
        diagnosis.at = interval_text(interval, specification.interface().time);
    }
}

/// Says from where instants count, of a run with resets.
pub(crate) fn since_reset(diagnosis: Option<&mut store::Diagnosis>, n_resets: u64) {
    if let (Some(it), true) = (diagnosis, n_resets > 0)
        && !it.at.is_empty()
    {
        // What a system breaks down with is no sentence.
        if !it.explanation.ends_with('.') {
            it.explanation.push('.');
        }
        it.explanation.push_str(" Times count from the last reset.");
    }
}

fn unexpected(it: &expectations::Unexpected) -> store::Diagnosis {
    store::Diagnosis {
        kind: it.cause,
        seen: it.seen.clone().unwrap_or_else(|| "nothing".to_owned()),
        at: format!("{} {}", it.kind.name(), it.number),
        explanation: it.explain(),
        ..store::Diagnosis::default()
    }
}

fn mismatch(program: &lustre::Program, it: &synchronous::Mismatch) -> store::Diagnosis {
    let text = |it: &synchronous::Difference| {
        format!("{} = {}", program.vars[it.var].name, program.value_text(it.var, it.seen))
    };
    let violated = it.violated.iter().map(|at| program.properties[*at].0.clone());
    let seen: Vec<String> = it.differences.iter().map(text).chain(violated).collect();
    store::Diagnosis {
        kind: it.cause(),
        seen: seen.join(", "),
        at: format!("step {}", it.step),
        explanation: synchronous::explain(program, it),
        ..store::Diagnosis::default()
    }
}

/// Why steering explains nothing, in these words.
pub(crate) fn unexplained(it: &steering::Diagnosis, why: &str) -> store::Diagnosis {
    store::Diagnosis {
        kind: it.cause(),
        at: format!("step {}", it.step),
        explanation: format!("Step {}: {why}.", it.step),
        ..store::Diagnosis::default()
    }
}

/// The type that a variable of a program has on an interface.
fn value_type(program: &lustre::Program, var: VarId) -> punctual_model::ValueType {
    match program.vars[var].ty {
        lustre::Type::Bool => punctual_model::ValueType::Bool,
        lustre::Type::Int => punctual_model::ValueType::INT,
        lustre::Type::Real => punctual_model::ValueType::Real,
        lustre::Type::Enum(id) => punctual_model::ValueType::Enum(program.enums[id].values.clone()),
    }
}

/// The steps that a model was steered in, or that are not explained.
pub(crate) fn steered(
    program: &lustre::Program,
    outcome: &steering::Outcome,
) -> impl Iterator<Item = store::Line> {
    let changed = |var: VarId, from: lustre::Value, to: lustre::Value| {
        let ty = value_type(program, var);
        store::Changed {
            variable: program.vars[var].name.clone(),
            from: values::to_json(&ty, from),
            to: values::to_json(&ty, to),
            ..store::Changed::default()
        }
    };
    outcome.steps.iter().map(move |report| {
        let changes = report.changes.iter().map(|it| {
            let bound = |bound: Option<lustre::Value>| {
                bound.map(|bound| values::to_json(&value_type(program, it.var), bound))
            };
            let (low, high) = (bound(it.low), bound(it.high));
            store::Changed { low, high, ..changed(it.var, it.from, it.to) }
        });
        let differences = report.differences.iter();
        let differences = differences.map(|(var, model, system)| changed(*var, *model, *system));
        store::Line::Steered(store::Steered {
            steered: report.step as u64,
            changes: changes.collect(),
            differences: differences.collect(),
        })
    })
}

/// The names of the variables that could show in a test.
pub(crate) fn shows(program: &lustre::Program, outcome: &steering::Outcome) -> Vec<String> {
    outcome.shows.iter().map(|var| program.vars[*var].name.clone()).collect()
}

/// A diagnosis of the timed oracle.
fn diagnosis(specification: &Specification, it: &Diagnosis) -> store::Diagnosis {
    let scale = specification.interface().time;
    store::Diagnosis {
        kind: it.cause,
        seen: match &it.seen {
            Some(seen) => specification.interface().happening_text(seen),
            None => "nothing".to_owned(),
        },
        at: interval_text(it.interval, scale),
        guilty: {
            let interface = specification.interface();
            let signals = it.guilty().into_iter().map(|id| interface.signals[id].name.clone());
            let ports = it.guilty_ports().into_iter().map(|id| interface.ports[id].name.clone());
            signals.chain(ports).collect()
        },
        allowed: it.allowed.iter().map(|allowed| self::allowed(specification, allowed)).collect(),
        states: it.states.iter().map(|state| self::state(specification, state)).collect(),
        cut_off: it.cut_off.iter().map(|edge| cut_off(specification, it, edge)).collect(),
        explanation: explain(specification, it),
    }
}

fn allowed(specification: &Specification, it: &conformance::Allowed) -> store::Allowed {
    let interface = specification.interface();
    let text = |end: End| instant_text(end.at, interface.time);
    let (signal, values) = match &it.what {
        Possible::Reading(ports) => (interface.ports_text(ports), None),
        Possible::Signal(id, values) => {
            let signal = &interface.signals[*id];
            let json = |values: &Vec<punctual_model::Value>| {
                let typed = signal.values.iter().zip(values);
                typed.map(|(carried, value)| values::to_json(&carried.ty, *value)).collect()
            };
            (signal.name.clone(), values.as_ref().map(json))
        }
    };
    store::Allowed {
        signal,
        values,
        from: text(it.interval.from),
        to: it.interval.to.map(text),
        from_open: it.interval.from.open,
        to_open: it.interval.to.is_some_and(|to| to.open),
    }
}

fn state(specification: &Specification, it: &conformance::StateShown) -> State {
    let network = &specification.network;
    let location = |(process, location): &(ProcessId, punctual_model::LocationId)| {
        let process = &network.processes[*process];
        let name = process.locations.get(*location).map_or("?", |it| it.name.as_str());
        format!("{}.{name}", process.name)
    };
    let clock = |(clock, interval): &(punctual_model::ClockId, Interval)| {
        let name = network.clocks.get(*clock).map_or("?", |it| it.name.as_str());
        let scale = specification.interface().time;
        match interval.to {
            Some(to) if interval.from == to => format!("{name} = {}", instant_text(to.at, scale)),
            _ => format!("{name} in {}", interval_text(*interval, scale)),
        }
    };
    let variables = variables_of(specification, it).into_iter();
    State {
        locations: it.locations.iter().map(location).collect(),
        variables: variables.collect(),
        clocks: it.clocks.iter().map(clock).collect(),
    }
}

fn cut_off(
    specification: &Specification,
    diagnosis: &Diagnosis,
    it: &conformance::CutOff,
) -> CutOff {
    let (source, target, label) = edge(specification, it.process, it.edge);
    let network = &specification.network;
    let process = &network.processes[it.process];
    let edge = &process.edges[it.edge];
    let printer = Printer::within(network, it.process).with_truth().for_edge(edge);
    let window = interval_text(it.interval, specification.interface().time);
    let invariant = process.locations.get(edge.source).map(|it| printer.invariant(it));
    // What came too late was stopped by the invariant, what came too early by the guard.
    let why = match (diagnosis.cause, invariant.unwrap_or_default(), printer.condition(&edge.guard))
    {
        (Cause::Missing | Cause::TooLate, invariant, _) if !invariant.is_empty() => {
            format!("invariant {invariant}")
        }
        (Cause::TooEarly, _, guard) if !guard.is_empty() => format!("guard {guard}"),
        _ if window.starts_with(['[', '(']) => format!("possible in {window}"),
        _ => format!("possible at {window}"),
    };
    CutOff { process: process.name.clone(), source, target, label, why }
}

/// Where an edge starts and leads to, and its labels.
fn edge(
    specification: &Specification,
    process: ProcessId,
    edge: EdgeId,
) -> (String, String, String) {
    let printer = Printer::within(&specification.network, process).with_truth();
    edge_by(&printer, &specification.network.processes[process], edge)
}

/// The same, by a printer of its process. To make one takes much longer than to print an edge.
fn edge_by(printer: &Printer<'_>, it: &Process, edge: EdgeId) -> (String, String, String) {
    let edge = &it.edges[edge];
    let name = |id| it.locations.get(id).map_or("?", |location| location.name.as_str()).to_owned();
    let printer = printer.for_edge(edge);
    let update = printer.update(&edge.update);
    // A parameter may have made it so.
    let guard = match is_impossible(edge) {
        true => "false".to_owned(),
        false => printer.condition(&edge.guard),
    };
    let parts = [guard, printer.sync(&edge.sync), update];
    let label: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let target = edge.branches.first().map_or_else(String::new, |branch| name(branch.target));
    (name(edge.source), target, label.join("; "))
}

/// Whether the guard is the constant false: nobody can ever take such an edge.
fn is_impossible(edge: &Edge) -> bool {
    edge.guard.data.iter().any(|it| matches!(it, Expr::Int(0)))
}

/// What was covered, with all that could have been.
pub(crate) fn coverage(specification: &Specification, covered: &Coverage) -> store::Coverage {
    let mut told = store::Coverage::default();
    for (process, it) in specification.network.processes.enumerate() {
        let mut visited: Vec<bool> = it.locations.iter().map(|_| false).collect();
        for initial in &it.initial {
            visited[initial.index()] = true;
        }
        let printer = Printer::within(&specification.network, process).with_truth();
        for (id, edge) in it.edges.enumerate() {
            let seen = covered.edge(process, id);
            let (source, target, label) = edge_by(&printer, it, id);
            if seen.possible > 0 {
                for branch in &edge.branches {
                    visited[branch.target.index()] = true;
                }
            }
            // Hidden steps have no window.
            let placed = seen.early + seen.middle + seen.late;
            told.edges.push(EdgeCoverage {
                process: it.name.clone(),
                edge: id.index() as u32,
                source,
                target,
                label,
                side: Some(match specification.split.sides[process] {
                    split::Side::System => store::Side::System,
                    split::Side::Environment => store::Side::Environment,
                }),
                certain: seen.certain > 0,
                impossible: is_impossible(edge),
                early: seen.early,
                middle: seen.middle + seen.possible.saturating_sub(placed),
                late: seen.late,
            });
        }
        for ((id, location), visited) in it.locations.enumerate().zip(visited) {
            told.locations.push(LocationCoverage {
                process: it.name.clone(),
                location: id.index() as u32,
                name: location.name.clone(),
                visited,
            });
        }
    }
    // Edges are listed process by process.
    let place = |(process, edge): split::Taken| {
        let before = specification.network.processes.iter().take(process.index());
        (before.map(|it| it.edges.len()).sum::<usize>() + edge.index()) as u32
    };
    for pair in specification.split.flow().pairs() {
        let seen = covered.uses(pair);
        told.uses.push(store::UseCoverage {
            variable: specification.split.variables[pair.cell].name.clone(),
            defined: pair.definition.map(place),
            used: place(pair.used),
            taken: seen.possible,
            certain: seen.certain > 0,
        });
    }
    told
}

/// Figures of a run.
pub(crate) fn cadence(it: &Cadence) -> String {
    let ms = |ns: f64| ns / 1e6;
    format!(
        "no step was told: one takes {:.3} ms, known to {:.3} ms; instants of steps are known to {:.2} ms, and vary by {:.2} ms at most (one deviation each)",
        ms(it.period),
        ms(it.period_deviation),
        ms(it.phase_deviation),
        ms(it.jitter)
    )
}

pub(crate) fn statistics(it: &Statistics) -> store::Statistics {
    let cost = |updates: &Updates| Cost {
        n: updates.n,
        mean_states: updates.mean_states(),
        max_states: updates.states_max,
        mean_us: updates.mean_us(),
        max_us: updates.ns_max as f64 / 1000.0,
    };
    store::Statistics {
        inputs: it.inputs,
        outputs: it.outputs,
        steps: it.steps,
        readings: it.readings,
        duration_ns: it.duration_ns,
        after_action: cost(&it.after_action),
        after_delay: cost(&it.after_delay),
    }
}

/// The verdict of a single step or check.
pub(crate) fn interaction(it: &Interaction) -> store::Line {
    store::Line::Judged(store::Judged {
        judged: it.number as u64,
        kind: it.kind.name().to_owned(),
        verdict: it.verdict,
        at_ns: it.at_ns,
        reason: it.reason.clone(),
    })
}
