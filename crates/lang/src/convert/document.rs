//! A UPPAAL file for a network: one template for each process, without parameters.
//!
//! Globals are declared in the order of the network, then the locals of each process in its
//! template, so a reader that numbers declarations in order gives everything the same place.
//! Every variable has an initialiser. Labels of locations are kept as comments.

mod legal;

use punctual_model::{
    Branch, ClockId, Edge, FunctionBody, FunctionId, Id, Location, LocationKind, Memory, Network,
    Number, Process, ProcessId, RangePolicy, ReturnType, Storage, Sync, Type, Variable,
};

pub(super) use legal::legal_names;
use legal::{Array, arrays};

use super::{
    Printer, Unsupported,
    channels::to_channels,
    edge_place,
    print::{places::Slots, statements::has_mixed_local},
};
use crate::{
    Span, Text,
    document::{self, Document, Label, LabelKind, Point},
    stack::with_stack,
};

/// Makes a UPPAAL file of a network. Events and vectors are expressed by channels first.
pub fn to_document(network: &Network) -> Result<Document, Vec<Unsupported>> {
    with_stack(|| write(network))
}

fn write(network: &Network) -> Result<Document, Vec<Unsupported>> {
    let vectors = network.range_policy == RangePolicy::Disable
        || !network.events.is_empty()
        || network.processes.iter().any(|process| process.initial.len() != 1);
    let mut network = if vectors { to_channels(network)? } else { network.clone() };
    let mut errors = clocks_in_structures(&network);
    legal_names(&mut network);
    errors.extend(check(&network));
    if !errors.is_empty() {
        return Err(errors);
    }
    let writer = Writer { network: &network, order: call_order(&network) };
    let mut document = Document {
        declarations: text(writer.declarations(None)),
        templates: network.processes.enumerate().map(|(id, p)| writer.template(id, p)).collect(),
        ..Document::default()
    };
    let names: Vec<&str> = network.processes.iter().map(|p| p.name.as_str()).collect();
    document.system = text(format!("system {};\n", names.join(", ")));
    Ok(document)
}

fn text(text: impl Into<String>) -> Text {
    Text { text: text.into(), ..Text::default() }
}

fn check(network: &Network) -> Vec<Unsupported> {
    let mut errors = Vec::new();
    let mut refuse = |construct: &str, place: String| {
        errors.push(Unsupported::new(construct, place));
    };
    let priority = network.processes.iter().next().map(|process| process.priority);
    let same = network.processes.iter().all(|process| Some(process.priority) == priority)
        && network.channels.iter().all(|channel| channel.priority == network.default_priority);
    if !same {
        refuse("a priority", String::new());
    }
    if !network.before_update.is_empty() || !network.after_update.is_empty() {
        refuse("code before or after every update", String::new());
    }
    if !network.progress.is_empty() {
        refuse("a progress measure", String::new());
    }
    for variable in &network.variables {
        if has_scalar(&variable.ty) {
            refuse("a scalar set", format!("variable {}", variable.name));
        }
        // Clocks are declared on their own, so the variable would declare them again.
        if has_clock(&variable.ty) {
            refuse("a clock in a structure", format!("variable {}", variable.name));
        }
    }
    // Tables of constants that are no variables have no type to declare them with.
    let slots = Slots::new(network);
    let named = |number, len: usize| {
        (0..len as u32).all(|slot| slots.find(Storage::Constant, number, slot).is_some())
    };
    let constants = &network.constants;
    if !named(Number::Int, constants.ints.len()) || !named(Number::Double, constants.doubles.len())
    {
        refuse("a constant table without a name", String::new());
    }
    for function in &network.functions {
        let place = format!("function {}", function.name);
        let block = |place: &punctual_model::Place| place.size != 1;
        if matches!(function.body, FunctionBody::External { .. }) {
            refuse("a function of a library", place.clone());
        }
        if has_mixed_local(function) {
            refuse("a local structure", place.clone());
        }
        if matches!(function.returns, ReturnType::Block(..)) {
            refuse("a function that returns an array", place.clone());
        }
        if function.shares_frame || function.params.iter().any(|param| block(&param.place)) {
            refuse("a reference or an array as a parameter", place);
        }
    }
    for process in &network.processes {
        for edge in &process.edges {
            if matches!(edge.sync, Sync::Event(_)) {
                let place = edge_place(process, edge.source, edge.branches[0].target);
                refuse("an event", place);
            }
        }
    }
    errors
}

/// Such clocks are neighbours of each other in another order than those of an array.
fn clocks_in_structures(network: &Network) -> Vec<Unsupported> {
    let mut errors = Vec::new();
    for clock in &network.clocks {
        let owner = clock.owner.map_or("", |owner| network.processes[owner].name.as_str());
        let own = clock.name.strip_prefix(owner).unwrap_or(&clock.name);
        if own.trim_start_matches('.').contains('.') {
            let place = format!("clock {}", clock.name);
            errors.push(Unsupported::new("a clock in a structure", place));
        }
    }
    errors
}

fn has_scalar(ty: &Type) -> bool {
    match ty {
        Type::Scalar { .. } => true,
        Type::Array { element, .. } => has_scalar(element),
        Type::Struct(fields) => fields.iter().any(|field| has_scalar(&field.ty)),
        _ => false,
    }
}

fn has_clock(ty: &Type) -> bool {
    match ty {
        Type::Clock => true,
        Type::Array { element, .. } => has_clock(element),
        Type::Struct(fields) => fields.iter().any(|field| has_clock(&field.ty)),
        _ => false,
    }
}

/// Functions in an order in which each comes after those that it calls.
fn call_order(network: &Network) -> Vec<FunctionId> {
    fn visit(network: &Network, id: FunctionId, seen: &mut Vec<bool>, order: &mut Vec<FunctionId>) {
        if std::mem::replace(&mut seen[id.index()], true) {
            return;
        }
        if let FunctionBody::Statements(body) = &network.functions[id].body {
            let mut calls = Vec::new();
            super::vectors::walk(body, &mut |expr| {
                if let punctual_model::Expr::Call { function, .. } = expr {
                    calls.push(*function);
                }
            });
            calls.into_iter().for_each(|call| visit(network, call, seen, order));
        }
        order.push(id);
    }
    let mut seen = vec![false; network.functions.len()];
    let mut order = Vec::new();
    network.functions.ids().for_each(|id| visit(network, id, &mut seen, &mut order));
    order
}

struct Writer<'a> {
    network: &'a Network,
    order: Vec<FunctionId>,
}

impl Writer<'_> {
    fn printer(&self, owner: Option<ProcessId>) -> Printer<'_> {
        match owner {
            Some(process) => Printer::within(self.network, process).with_truth(),
            None => Printer::new(self.network).with_truth(),
        }
    }

    /// The name without the process in front of it.
    fn local<'n>(&self, name: &'n str, owner: Option<ProcessId>) -> &'n str {
        let prefix = owner.map(|id| &self.network.processes[id].name);
        prefix
            .and_then(|prefix| name.strip_prefix(prefix.as_str())?.strip_prefix('.'))
            .unwrap_or(name)
    }

    /// The process that a function belongs to, by its name.
    fn function_owner(&self, id: FunctionId) -> Option<ProcessId> {
        let name = &self.network.functions[id].name;
        let owns = |p: &Process| {
            name.strip_prefix(p.name.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        self.network.processes.enumerate().find(|(_, p)| owns(p)).map(|(id, _)| id)
    }

    /// The global declarations, or those of a process.
    fn declarations(&self, owner: Option<ProcessId>) -> String {
        let mut lines = String::new();
        for array in arrays(self.network.clocks.iter().map(|c| (c.name.as_str(), c.owner))) {
            let clock = &self.network.clocks[ClockId::from_index(array.first)];
            if clock.owner != owner {
                continue;
            }
            let hybrid = if clock.hybrid { "hybrid " } else { "" };
            let name = declared(&array, self.local(&array.root, owner));
            let initial = match clock.initial {
                0.0 => String::new(),
                value => format!(" = {value:?}"),
            };
            lines += &format!("{hybrid}clock {name}{initial};\n");
        }
        for variable in self.network.variables.iter().filter(|v| v.owner == owner) {
            lines += &self.variable(variable, owner);
        }
        if owner.is_none() {
            lines += &self.channels();
        }
        let printer = self.printer(owner);
        for id in self.order.iter().filter(|id| self.function_owner(**id) == owner) {
            lines += &format!("\n{}", printer.function(*id));
        }
        lines
    }

    fn channels(&self) -> String {
        let mut lines = String::new();
        for array in arrays(self.network.channels.iter().map(|c| (c.name.as_str(), None))) {
            let id = punctual_model::ChannelId::from_index(array.first);
            let channel = &self.network.channels[id];
            let urgent = if channel.urgent { "urgent " } else { "" };
            let broadcast = if channel.broadcast { "broadcast " } else { "" };
            lines += &format!("{urgent}{broadcast}chan {};\n", declared(&array, &array.root));
        }
        lines
    }

    fn variable(&self, variable: &Variable, owner: Option<ProcessId>) -> String {
        let (word, memory) = match variable.storage {
            Storage::Constant => ("const ", &self.network.constants),
            Storage::Meta => ("meta ", &self.network.meta),
            _ => ("", &self.network.initial),
        };
        let printer = self.printer(owner);
        let name = self.local(&variable.name, owner);
        let (mut ints, mut doubles) = (variable.ints, variable.doubles);
        let initial = initialiser(&variable.ty, memory, &mut ints, &mut doubles);
        format!("{word}{} = {initial};\n", printer.declaration(&variable.ty, name))
    }

    fn template(&self, id: ProcessId, process: &Process) -> document::Template {
        let printer = self.printer(Some(id));
        let mut template = document::Template {
            name: text(process.name.as_str()),
            declarations: text(self.declarations(Some(id))),
            ..document::Template::default()
        };
        for (i, location) in process.locations.iter().enumerate() {
            template.locations.push(self.location(i, location, &printer));
        }
        template.init =
            process.initial.first().map(|id| (location_id(id.index()), Span::default()));
        for edge in &process.edges {
            self.edge(edge, &printer.for_edge(edge), &mut template);
        }
        template
    }

    fn location(&self, i: usize, location: &Location, printer: &Printer<'_>) -> document::Location {
        let mut labels = Vec::new();
        add(&mut labels, LabelKind::Invariant, printer.invariant(location));
        add(&mut labels, LabelKind::ExponentialRate, printer.exponential_rate(location));
        if !location.labels.is_empty() {
            let comment = format!("labels: {}", location.labels.join(","));
            add(&mut labels, LabelKind::Comments, comment);
        }
        document::Location {
            id: location_id(i),
            name: text(location.name.as_str()),
            at: Some(grid(i)),
            urgent: location.kind == LocationKind::Urgent,
            committed: location.kind == LocationKind::Committed,
            labels,
            ..document::Location::default()
        }
    }

    fn edge(&self, edge: &Edge, printer: &Printer<'_>, template: &mut document::Template) {
        let source = location_id(edge.source.index());
        let mut labels = Vec::new();
        add(&mut labels, LabelKind::Select, printer.selects(edge));
        add(&mut labels, LabelKind::Guard, printer.condition(&edge.guard));
        add(&mut labels, LabelKind::Synchronisation, printer.sync(&edge.sync));
        if let [Branch { weight: None, selects, update, target }] = edge.branches.as_slice()
            && selects.is_empty()
        {
            let all: Vec<_> = edge.update.iter().chain(update).cloned().collect();
            add(&mut labels, LabelKind::Assignment, printer.update(&all));
            let target = location_id(target.index());
            template.edges.push(drawn(source, target, labels, edge.controllable));
            return;
        }
        add(&mut labels, LabelKind::Assignment, printer.update(&edge.update));
        let point = format!("branch{}", template.branchpoints.len());
        let Point { x, y } = grid(edge.source.index());
        template.branchpoints.push(document::Branchpoint {
            id: point.clone(),
            at: Some(Point { x: x + 60, y: y + 60 }),
            span: Span::default(),
        });
        template.edges.push(drawn(source, point.clone(), labels, edge.controllable));
        for branch in &edge.branches {
            let mut labels = Vec::new();
            add(&mut labels, LabelKind::Select, printer.branch_selects(branch));
            add(&mut labels, LabelKind::Assignment, printer.update(&branch.update));
            let weight = branch.weight.as_ref().map(|weight| printer.expr(weight));
            add(&mut labels, LabelKind::Probability, weight.unwrap_or_default());
            let target = location_id(branch.target.index());
            template.edges.push(drawn(point.clone(), target, labels, edge.controllable));
        }
    }
}

fn location_id(i: usize) -> String {
    format!("id{i}")
}

/// Locations stand in rows of four.
fn grid(i: usize) -> Point {
    let i = i32::try_from(i).unwrap_or(0);
    Point { x: i % 4 * 200, y: i / 4 * 160 }
}

fn add(labels: &mut Vec<Label>, kind: LabelKind, content: String) {
    if !content.is_empty() {
        labels.push(Label { kind, text: text(content), at: None });
    }
}

fn drawn(source: String, target: String, labels: Vec<Label>, controllable: bool) -> document::Edge {
    document::Edge {
        source: (source, Span::default()),
        target: (target, Span::default()),
        controllable,
        colour: None,
        action: None,
        id: None,
        labels,
        nails: Vec::new(),
        span: Span::default(),
    }
}

/// A name with the sizes of its array.
fn declared(array: &Array, name: &str) -> String {
    let sizes = array.dimensions.iter().map(|(lo, len)| match lo {
        0 => format!("[{len}]"),
        _ => format!("[int[{lo},{}]]", lo + len - 1),
    });
    format!("{name}{}", sizes.collect::<String>())
}

/// The value that memory holds for a type.
fn initialiser(ty: &Type, memory: &Memory, ints: &mut u32, doubles: &mut u32) -> String {
    let mut next = |number: Number| match number {
        Number::Int => {
            *ints += 1;
            memory.ints[*ints as usize - 1].to_string()
        }
        Number::Double => {
            *doubles += 1;
            format!("{:?}", memory.doubles[*doubles as usize - 1])
        }
    };
    match ty {
        Type::Int(_) | Type::Scalar { .. } => next(Number::Int),
        Type::Bool => if next(Number::Int) == "0" { "false" } else { "true" }.to_owned(),
        Type::Double => next(Number::Double),
        Type::Clock => "0".to_owned(),
        Type::Array { len, element, .. } => {
            let parts: Vec<String> =
                (0..*len).map(|_| initialiser(element, memory, ints, doubles)).collect();
            format!("{{ {} }}", parts.join(", "))
        }
        Type::Struct(fields) => {
            let parts: Vec<String> =
                fields.iter().map(|f| initialiser(&f.ty, memory, ints, doubles)).collect();
            format!("{{ {} }}", parts.join(", "))
        }
    }
}
