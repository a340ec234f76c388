//! Models that use every feature of the language: the golden is the network they stand for.

use std::{fmt::Write as _, path::Path};

use punctual_lang::{
    Model, QueryEntry,
    convert::Printer,
    diagnostic::{Style, render},
};
use punctual_model::{
    Expr, Memory, Network, Number, PathFormula, ProcessId, Property, RunBound, StateExpr, Storage,
    Sync, Type,
};

/// Reads a model without a fault, and prints what it means.
fn check(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let bytes = std::fs::read(path).expect("the file can be read");
    let reading = punctual_lang::read(name, &bytes);
    let said: Vec<String> =
        reading.diagnostics.iter().map(|d| render(d, &reading.file, Style::Plain)).collect();
    let Some(model) = &reading.model else { panic!("{}", said.join("\n")) };
    let mut text = said.join("\n");
    for diagnostic in model.queries.iter().flat_map(|query| &query.diagnostics) {
        text += &render(diagnostic, &reading.file, Style::Plain);
    }
    text + &network(model)
}

fn network(model: &Model) -> String {
    let network = &model.network;
    let printer = Printer::new(network);
    let mut text = String::new();
    for clock in network.clocks.iter() {
        let hybrid = if clock.hybrid { "hybrid " } else { "" };
        writeln!(text, "{hybrid}clock {} = {}", clock.name, clock.initial).expect("text");
    }
    for channel in network.channels.iter() {
        let urgent = if channel.urgent { "urgent " } else { "" };
        let broadcast = if channel.broadcast { "broadcast " } else { "" };
        writeln!(text, "{urgent}{broadcast}chan {} @{}", channel.name, channel.priority)
            .expect("text");
    }
    for variable in network.variables.iter() {
        let memory = match variable.storage {
            Storage::Meta => &network.meta,
            Storage::Constant => &network.constants,
            _ => &network.initial,
        };
        let storage = match variable.storage {
            Storage::Meta => "meta ",
            Storage::Constant => "const ",
            _ => "",
        };
        let (ints, doubles) = slots(&variable.ty);
        let part = Memory {
            ints: memory.ints[variable.ints as usize..][..ints].to_vec(),
            doubles: memory.doubles[variable.doubles as usize..][..doubles].to_vec(),
        };
        let declaration = printer.declaration(&variable.ty, &variable.name);
        writeln!(text, "{storage}{declaration} = {}", values(&part)).expect("text");
    }
    if network.constants != Memory::default() {
        writeln!(text, "constants {}", values(&network.constants)).expect("text");
    }
    for (what, update) in [("before", &network.before_update), ("after", &network.after_update)] {
        if !update.is_empty() {
            writeln!(text, "{what} each update: {}", printer.update(update)).expect("text");
        }
    }
    for (id, function) in network.functions.enumerate() {
        let shares = if function.shares_frame { "in the frame of its caller: " } else { "" };
        writeln!(text, "{shares}{}", printer.function(id)).expect("text");
    }
    for id in network.processes.ids() {
        process(network, id, &mut text);
    }
    for query in &model.queries {
        writeln!(text, "query {}\n    = {}", query.text, property(&printer, query)).expect("text");
    }
    text
}

fn process(network: &Network, id: ProcessId, text: &mut String) {
    let printer = Printer::within(network, id);
    let process = &network.processes[id];
    writeln!(text, "process {} of {} @{}", process.name, process.template, process.priority)
        .expect("text");
    for location in process.locations.iter() {
        let parts = [
            printer.invariant(location),
            match printer.exponential_rate(location).as_str() {
                "" => String::new(),
                rate => format!("rate {rate}"),
            },
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        writeln!(text, "  {} {:?} {{ {} }}", location.name, location.kind, parts.join("; "))
            .expect("text");
        whens(&printer, &location.invariant.clocks, text);
    }
    for edge in process.edges.iter() {
        let printer = printer.for_edge(edge);
        let mut labels = Vec::new();
        let selects = printer.selects(edge);
        if !selects.is_empty() {
            labels.push(format!("select {selects}"));
        }
        if !edge.guard.is_true() {
            labels.push(format!("when {}", printer.condition(&edge.guard)));
        }
        if edge.sync != Sync::Internal {
            labels.push(printer.sync(&edge.sync));
        }
        if !edge.update.is_empty() {
            labels.push(format!("do {}", printer.update(&edge.update)));
        }
        let source = &process.locations[edge.source].name;
        writeln!(text, "  {source} -> {{ {} }}", labels.join("; ")).expect("text");
        whens(&printer, &edge.guard.clocks, text);
        for branch in &edge.branches {
            let mut labels = Vec::new();
            if let Some(weight) = &branch.weight {
                labels.push(printer.expr(weight));
            }
            let selects = printer.branch_selects(branch);
            if !selects.is_empty() {
                labels.push(format!("select {selects}"));
            }
            if !branch.update.is_empty() {
                labels.push(format!("do {}", printer.update(&branch.update)));
            }
            let target = &process.locations[branch.target].name;
            writeln!(text, "    -> {target} {}", labels.join("; ")).expect("text");
        }
    }
}

/// Constraints that count only under a condition, spelt out.
fn whens(
    printer: &Printer<'_>,
    constraints: &[punctual_model::ClockConstraint],
    text: &mut String,
) {
    for constraint in constraints {
        if let Some(when) = &constraint.when {
            let mut bare = constraint.clone();
            bare.when = None;
            writeln!(text, "      {}  where {}", printer.constraint(&bare), printer.expr(when))
                .expect("text");
        }
    }
}

fn slots(ty: &Type) -> (usize, usize) {
    match ty {
        Type::Int(_) | Type::Bool | Type::Scalar { .. } => (1, 0),
        Type::Double => (0, 1),
        Type::Clock => (0, 0),
        Type::Array { len, element, .. } => {
            let (ints, doubles) = slots(element);
            (ints * *len as usize, doubles * *len as usize)
        }
        Type::Struct(fields) => fields.iter().fold((0, 0), |(ints, doubles), field| {
            let (more, more_doubles) = slots(&field.ty);
            (ints + more, doubles + more_doubles)
        }),
    }
}

fn values(memory: &Memory) -> String {
    let ints = memory.ints.iter().map(i32::to_string);
    let doubles = memory.doubles.iter().map(|value| format!("{value:?}"));
    ints.chain(doubles).collect::<Vec<_>>().join(" ")
}

fn property(printer: &Printer<'_>, query: &QueryEntry) -> String {
    let Some(property) = &query.property else { return "wrong".to_owned() };
    let state = |state: &StateExpr| {
        let double = if state.number == Number::Double { "double " } else { "" };
        format!("{double}{}", printer.expr(&state.expr))
    };
    let list = |states: &[StateExpr]| states.iter().map(state).collect::<Vec<_>>().join(" ; ");
    let within = |within: &Option<StateExpr>| within.as_ref().map_or("true".to_owned(), state);
    let bound = |bound: &RunBound| match bound {
        RunBound::Time(limit) => format!("time <= {limit}"),
        RunBound::Steps(limit) => format!("steps <= {limit}"),
        RunBound::Cost(of, limit) => format!("{} <= {limit}", state(of)),
    };
    let path = |path: &PathFormula| match path {
        PathFormula::Finally(p) => format!("finally {}", state(p)),
        PathFormula::Globally(p) => format!("globally {}", state(p)),
        PathFormula::Until(p, q) => format!("{} until {}", state(p), state(q)),
    };
    match property {
        Property::ExistsFinally(p) => format!("exists finally {}", state(p)),
        Property::ExistsGlobally(p) => format!("exists globally {}", state(p)),
        Property::AlwaysFinally(p) => format!("always finally {}", state(p)),
        Property::AlwaysGlobally(p) => format!("always globally {}", state(p)),
        Property::LeadsTo(p, q) => format!("{} leads to {}", state(p), state(q)),
        Property::Supremum { within: w, of } => format!("sup of {} within {}", list(of), within(w)),
        Property::Infimum { within: w, of } => format!("inf of {} within {}", list(of), within(w)),
        Property::Bounds { within: w, of } => {
            format!("bounds of {} within {}", list(of), within(w))
        }
        Property::Probability { bound: b, runs, path: p } => {
            format!("probability [{}; {runs:?}] {}", bound(b), path(p))
        }
        Property::Hypothesis { bound: b, path: p, comparison, threshold } => {
            format!("probability [{}] {} {comparison:?} {threshold}", bound(b), path(p))
        }
        Property::Compare { left, comparison, right } => format!(
            "[{}] {} {comparison:?} [{}] {}",
            bound(&left.0),
            path(&left.1),
            bound(&right.0),
            path(&right.1)
        ),
        Property::Expectation { bound: b, runs, maximum, of } => {
            let which = if *maximum { "maximum" } else { "minimum" };
            format!("expected {which} [{}; {runs:?}] {}", bound(b), state(of))
        }
        Property::Simulate { bound: b, runs, of, filter, accepted } => format!(
            "simulate [{}; {runs}] {} until {accepted:?} satisfy {}",
            bound(b),
            list(of),
            filter.as_ref().map_or("true".to_owned(), state)
        ),
        Property::Unsupported { construct } => format!("unsupported: {construct}"),
    }
}

#[test]
fn accepted() {
    insta::glob!("../../test_data/accepted", "*.xml", |path| {
        insta::assert_snapshot!(check(path));
    });
}

/// A function is specialised once for the same references, wherever it is called.
#[test]
fn a_function_is_specialised_once_for_the_same_references() {
    let model = "int n, m;\nvoid f(int &r) { r++; }\nprocess P() { state A; init A; \
                 trans A -> A { assign f(n), f(n), f(m); }, A -> A { assign f(n); }; }\nsystem P;";
    let reading = punctual_lang::read("model.xta", model.as_bytes());
    let network = reading.model.expect("no fault").network;
    assert_eq!(network.functions.len(), 2);
    let calls: Vec<&Expr> =
        network.processes.iter().flat_map(|p| p.edges.iter()).flat_map(|e| &e.update).collect();
    assert_eq!(calls[0], calls[1]);
    assert_ne!(calls[0], calls[2]);
    assert_eq!(calls[0], calls[3]);
}
