//! What oracle and model say, in the words of a record.

use punctual_exec::SutError;
use punctual_exec::online::{Statistics, Updates};
use punctual_lang::convert::Printer;
use punctual_model::{EdgeId, ProcessId};
use punctual_oracle::Cause;
use punctual_oracle::conformance::{
    self, Coverage, Diagnosis, Specification, explain, instant_text, interval_text,
};
use punctual_semantics::estimate::{End, Interval};

use crate::store::{self, Cost, CutOff, EdgeCoverage, Kind, LocationCoverage, State, Verdict};

/// A diagnosis of the oracle.
pub(crate) fn diagnosis(specification: &Specification, it: &Diagnosis) -> store::Diagnosis {
    let scale = specification.interface.time;
    store::Diagnosis {
        kind: kind(it.cause),
        seen: match &it.seen {
            Some(seen) => specification.action_text(seen),
            None => "nothing".to_owned(),
        },
        at: interval_text(it.interval, scale),
        allowed: it.allowed.iter().map(|allowed| self::allowed(specification, allowed)).collect(),
        states: it.states.iter().map(|state| self::state(specification, state)).collect(),
        cut_off: it.cut_off.iter().map(|edge| cut_off(specification, it, edge)).collect(),
        explanation: explain(specification, it),
    }
}

fn kind(cause: Cause) -> Kind {
    match cause {
        Cause::TooEarly => Kind::TooEarly,
        Cause::TooLate => Kind::TooLate,
        Cause::Missing => Kind::Missing,
        Cause::WrongValue => Kind::WrongValue,
        Cause::WrongOutput => Kind::WrongOutput,
        Cause::NotSpecified | Cause::OutsideEnvironment | Cause::NotAccepted => {
            Kind::OutsideEnvironment
        }
        Cause::TesterLate => Kind::TesterLate,
        Cause::ModelError => Kind::ModelError,
        Cause::TooManyStates
        | Cause::TooLong
        | Cause::Unexplained
        | Cause::OverBudget
        | Cause::Unsteady
        | Cause::SearchLimit
        | Cause::Solver
        | Cause::OracleError => Kind::Other,
    }
}

fn allowed(specification: &Specification, it: &conformance::Allowed) -> store::Allowed {
    let scale = specification.interface.time;
    let text = |end: End| instant_text(end.at, scale);
    store::Allowed {
        signal: specification.interface.signals[it.signal].name.clone(),
        values: it.values.clone(),
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
        let scale = specification.interface.time;
        match interval.to {
            Some(to) if interval.from == to => format!("{name} = {}", instant_text(to.at, scale)),
            _ => format!("{name} in {}", interval_text(*interval, scale)),
        }
    };
    let variables = specification.changed_variables(it).into_iter();
    State {
        locations: it.locations.iter().map(location).collect(),
        variables: variables.map(|(name, value)| (name, value.to_string())).collect(),
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
    let printer = Printer::within(network, it.process).for_edge(edge);
    let window = interval_text(it.interval, specification.interface.time);
    let invariant = process.locations.get(edge.source).map(|it| printer.invariant(it));
    // What came too late was stopped by the invariant, what came too early by the guard.
    let why = match (diagnosis.cause, invariant.unwrap_or_default(), printer.condition(&edge.guard))
    {
        (Cause::Missing | Cause::TooLate, invariant, _) if !invariant.is_empty() => {
            format!("invariant {invariant}")
        }
        (Cause::TooEarly, _, guard) if !guard.is_empty() => format!("guard {guard}"),
        _ => format!("possible in {window}"),
    };
    CutOff { process: process.name.clone(), source, target, label, why }
}

/// Where an edge starts and leads to, and its labels.
fn edge(
    specification: &Specification,
    process: ProcessId,
    edge: EdgeId,
) -> (String, String, String) {
    let network = &specification.network;
    let it = &network.processes[process];
    let edge = &it.edges[edge];
    let name = |id| it.locations.get(id).map_or("?", |location| location.name.as_str()).to_owned();
    let printer = Printer::within(network, process).for_edge(edge);
    let update = printer.update(&edge.update);
    let parts = [printer.condition(&edge.guard), printer.sync(&edge.sync), update];
    let label: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let target = edge.branches.first().map_or_else(String::new, |branch| name(branch.target));
    (name(edge.source), target, label.join("; "))
}

/// What was covered, with all that could have been.
pub(crate) fn coverage(specification: &Specification, covered: &Coverage) -> store::Coverage {
    let mut told = store::Coverage::default();
    for (process, it) in specification.network.processes.enumerate() {
        let mut visited: Vec<bool> = it.locations.iter().map(|_| false).collect();
        for initial in &it.initial {
            visited[punctual_model::Id::index(*initial)] = true;
        }
        for (id, edge) in it.edges.enumerate() {
            let seen = covered.edge(process, id);
            let (source, target, label) = self::edge(specification, process, id);
            if seen.possible > 0 {
                for branch in &edge.branches {
                    visited[punctual_model::Id::index(branch.target)] = true;
                }
            }
            // Hidden steps have no window.
            let placed = seen.early + seen.middle + seen.late;
            told.edges.push(EdgeCoverage {
                process: it.name.clone(),
                edge: punctual_model::Id::index(id) as u32,
                source,
                target,
                label,
                certain: seen.certain > 0,
                early: seen.early,
                middle: seen.middle + seen.possible.saturating_sub(placed),
                late: seen.late,
            });
        }
        for ((id, location), visited) in it.locations.enumerate().zip(visited) {
            told.locations.push(LocationCoverage {
                process: it.name.clone(),
                location: punctual_model::Id::index(id) as u32,
                name: location.name.clone(),
                visited,
            });
        }
    }
    told
}

/// What a system that broke down says about it: a verdict, unless it never ran.
pub(crate) fn breakdown(error: &SutError) -> Option<(Verdict, store::Diagnosis)> {
    let kind = match error {
        SutError::NotStarted { .. }
        | SutError::Unsupported { .. }
        | SutError::Model { .. }
        | SutError::NotReset
        | SutError::Io { .. } => return None,
        SutError::Crashed { .. } | SutError::Disconnected { .. } => Kind::Crash,
        SutError::Hung { .. } => Kind::Hang,
        SutError::UnknownSignal { .. }
        | SutError::WrongDirection { .. }
        | SutError::WrongValues { .. }
        | SutError::OutOfRange { .. } => Kind::UnknownOutput,
        SutError::Malformed { .. }
        | SutError::Flood { .. }
        | SutError::Protocol { .. }
        | SutError::Reported { .. } => Kind::Other,
    };
    let diagnosis = store::Diagnosis {
        kind,
        seen: "the system broke down".to_owned(),
        explanation: error.to_string(),
        ..store::Diagnosis::default()
    };
    Some((Verdict::Fail, diagnosis))
}

/// Figures of a run.
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
        duration_ns: it.duration_ns,
        after_action: cost(&it.after_action),
        after_delay: cost(&it.after_delay),
    }
}
