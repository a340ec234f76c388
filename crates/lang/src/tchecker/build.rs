//! From declarations to a network.
//!
//! The file is gone through in order, as every name must be declared before it is used (names
//! in expressions need not). A name that is declared later gets a message that says so.

use punctual_model::{
    Clock, ClockId, Condition, EdgeId, EventId, Expr, Frame, Function, FunctionBody, IdVec,
    Location, LocationId, LocationKind, Network, Process, ProcessId, Range, RangePolicy,
    ReturnType, Storage, Sync, Type, Variable,
};
use rustc_hash::FxHashMap;

use super::{
    expr::{Named, Scope, Symbol, Translator},
    lines::{Attribute, Declaration, Field, KEYWORDS, excerpt, is_identifier},
    statements::{self, Effect},
    syntax,
};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
};

/// How many clocks, and how many integers, a file may declare (counting elements of arrays).
pub(super) const SLOTS_MAX: u64 = 1_000_000;

/// Names and where they are declared.
pub(super) type Table<I> = FxHashMap<String, (I, Span)>;

pub(super) struct Builder<'a, 'd> {
    pub(super) network: Network,
    pub(super) diagnostics: &'d mut Diagnostics,
    processes: Table<ProcessId>,
    events: Table<EventId>,
    /// Per process.
    pub(super) locations: Vec<Table<LocationId>>,
    variables: FxHashMap<String, Named>,
    /// Declarations whose expressions are translated when all variables are known.
    pending_locations: Vec<(ProcessId, LocationId, &'a Declaration<'a>)>,
    pending_edges: Vec<(ProcessId, EdgeId, &'a Declaration<'a>)>,
    /// Edges between things that do not exist; their expressions are checked nevertheless.
    broken_edges: Vec<&'a Declaration<'a>>,
    /// Where the vectors of the network are declared.
    pub(super) vectors: Vec<Span>,
    /// The same, by what they say.
    pub(super) vector_spans: FxHashMap<Vec<(ProcessId, EventId, bool)>, Span>,
    /// Names that are declared anywhere, for those that are used too early.
    later: Later<'a>,
}

#[derive(Default)]
struct Later<'a> {
    processes: FxHashMap<&'a str, Span>,
    events: FxHashMap<&'a str, Span>,
    locations: FxHashMap<(&'a str, &'a str), Span>,
}

/// Builds the network; nothing if there are errors.
pub(super) fn build(
    declarations: &[Declaration<'_>],
    end: Span,
    diagnostics: &mut Diagnostics,
) -> Option<Network> {
    let errors = diagnostics.error_count();
    let mut later = Later::default();
    for declaration in declarations {
        let fields = &declaration.fields;
        match (declaration.keyword.text, fields.as_slice()) {
            ("process", [name]) => drop(later.processes.insert(name.text, name.span)),
            ("event", [name]) => drop(later.events.insert(name.text, name.span)),
            ("location", [process, name]) => {
                later.locations.insert((process.text, name.text), name.span);
            }
            _ => {}
        }
    }
    let mut builder = Builder {
        network: Network { range_policy: RangePolicy::Disable, ..Network::default() },
        diagnostics,
        processes: Table::default(),
        events: Table::default(),
        locations: Vec::new(),
        variables: FxHashMap::default(),
        pending_locations: Vec::new(),
        pending_edges: Vec::new(),
        broken_edges: Vec::new(),
        vectors: Vec::new(),
        vector_spans: FxHashMap::default(),
        later,
    };
    builder.system(declarations, end);
    for declaration in declarations {
        builder.declaration(declaration);
    }
    builder.conditions();
    builder.edges();
    builder.initial_locations();
    builder.weak_guards();
    (builder.diagnostics.error_count() == errors).then_some(builder.network)
}

impl<'a> Builder<'a, '_> {
    fn error(&mut self, code: &'static str, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    fn system(&mut self, declarations: &[Declaration<'_>], end: Span) {
        let mut systems = declarations.iter().filter(|d| d.keyword.text == "system");
        match systems.next() {
            None => self.diagnostics.push(
                Diagnostic::error("tchecker::system", end, "the file declares no system")
                    .help("its first declaration must be `system:name`"),
            ),
            Some(first) if !std::ptr::eq(first, &declarations[0]) => self.diagnostics.push(
                Diagnostic::error(
                    "tchecker::system",
                    first.span,
                    "`system` must be the first declaration",
                )
                .also(declarations[0].span, "this comes before it"),
            ),
            Some(first) => {
                for second in systems {
                    self.diagnostics.push(
                        Diagnostic::error("tchecker::duplicate", second.span, "a second `system`")
                            .also(first.span, "the system is named here"),
                    );
                }
            }
        }
    }

    fn declaration(&mut self, declaration: &'a Declaration<'a>) {
        let form = match declaration.keyword.text {
            "system" => "system:name",
            "process" => "process:name",
            "event" => "event:name",
            "clock" => "clock:size:name",
            "int" => "int:size:min:max:initial:name",
            "location" => "location:process:name{attributes}",
            "edge" => "edge:process:source:target:event{attributes}",
            _ => "sync:process@event:process@event",
        };
        let expected = form.matches(':').count();
        if declaration.keyword.text != "sync" && declaration.fields.len() != expected {
            let found = declaration.fields.len();
            self.diagnostics.push(
                Diagnostic::error(
                    "tchecker::syntax",
                    declaration.span,
                    format!(
                        "`{}` takes {expected} field{}, found {found}",
                        declaration.keyword.text,
                        if expected == 1 { "" } else { "s" },
                    ),
                )
                .help(format!("write `{form}`")),
            );
            return;
        }
        if !matches!(declaration.keyword.text, "location" | "edge") {
            self.unknown_attributes(&declaration.attributes, &[]);
        }
        match declaration.keyword.text {
            "system" => drop(self.identifier(declaration.fields[0], "the system")),
            "process" => self.process(declaration.fields[0]),
            "event" => self.event(declaration.fields[0]),
            "clock" => self.clock(&declaration.fields),
            "int" => self.int(&declaration.fields),
            "location" => self.location(declaration),
            "edge" => self.edge(declaration),
            _ => self.sync(declaration),
        }
    }

    fn identifier(&mut self, field: Field<'a>, what: &str) -> Option<&'a str> {
        if is_identifier(field.text) && !KEYWORDS.contains(&field.text) {
            return Some(field.text);
        }
        let diagnostic = match KEYWORDS.contains(&field.text) {
            true => Diagnostic::error(
                "tchecker::syntax",
                field.span,
                format!("`{}` is a keyword and can not name {what}", field.text),
            ),
            false => Diagnostic::error(
                "tchecker::syntax",
                field.span,
                match field.text {
                    "" => format!("expected the name of {what}"),
                    text => format!("expected the name of {what}, found `{}`", excerpt(text)),
                },
            )
            .help("names consist of letters, digits, `_` and `.`, and start with no digit"),
        };
        self.diagnostics.push(diagnostic);
        None
    }

    fn number<T: TryFrom<i64>>(
        &mut self,
        field: Field<'_>,
        what: &str,
        allowed: &str,
    ) -> Option<T> {
        let digits = field.text.strip_prefix(['-', '+']).unwrap_or(field.text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            let found = match field.text {
                "" => "nothing".to_owned(),
                text => format!("`{}`", excerpt(text)),
            };
            self.error("tchecker::number", field.span, format!("expected {what}, found {found}"));
            return None;
        }
        let value = field.text.parse::<i64>().ok().and_then(|value| T::try_from(value).ok());
        if value.is_none() {
            self.diagnostics.push(
                Diagnostic::error(
                    "tchecker::number",
                    field.span,
                    format!("{what} is out of range"),
                )
                .help(allowed),
            );
        }
        value
    }

    fn size(&mut self, field: Field<'_>, declared: u64) -> Option<u32> {
        let size: u32 = self.number(field, "the number of elements", "sizes are at least 1")?;
        if size == 0 {
            self.error("tchecker::size", field.span, "an array needs at least 1 element".into());
            return None;
        }
        if declared + u64::from(size) > SLOTS_MAX {
            self.diagnostics.push(
                Diagnostic::error("tchecker::size", field.span, "too many elements in total")
                    .help(format!("at most {SLOTS_MAX} clocks and {SLOTS_MAX} integers are read")),
            );
            return None;
        }
        Some(size)
    }

    fn process(&mut self, field: Field<'a>) {
        let Some(name) = self.identifier(field, "a process") else { return };
        if let Some((_, first)) = self.processes.get(name) {
            return duplicate(self.diagnostics, "process", name, field.span, *first);
        }
        let process = Process {
            name: name.to_owned(),
            template: name.to_owned(),
            locations: IdVec::new(),
            initial: Vec::new(),
            edges: IdVec::new(),
            priority: 0,
        };
        let id = self.network.processes.push(process);
        self.processes.insert(name.to_owned(), (id, field.span));
        self.locations.push(Table::default());
    }

    fn event(&mut self, field: Field<'a>) {
        let Some(name) = self.identifier(field, "an event") else { return };
        if let Some((_, first)) = self.events.get(name) {
            return duplicate(self.diagnostics, "event", name, field.span, *first);
        }
        let id = self.network.events.push(name.to_owned());
        self.events.insert(name.to_owned(), (id, field.span));
    }

    fn variable(&mut self, field: Field<'a>, symbol: Symbol) -> Option<&'a str> {
        let name = self.identifier(field, "a variable")?;
        if let Some(first) = self.variables.get(name) {
            duplicate(self.diagnostics, "variable", name, field.span, first.span);
            return None;
        }
        if syntax::WORDS.contains(&name) {
            self.diagnostics.push(Diagnostic::warning(
                "tchecker::keyword",
                field.span,
                format!("`{name}` is a keyword of statements, so nothing can use this variable"),
            ));
        }
        let named = Named { name: name.to_owned(), span: field.span, symbol };
        self.variables.insert(name.to_owned(), named);
        Some(name)
    }

    fn clock(&mut self, fields: &[Field<'a>]) {
        let first: ClockId = self.network.clocks.next_id();
        let Some(len) = self.size(fields[0], self.network.clocks.len() as u64) else { return };
        let Some(name) = self.variable(fields[1], Symbol::Clocks { first, len }) else { return };
        for i in 0..len {
            let name = if len == 1 { name.to_owned() } else { format!("{name}[{i}]") };
            self.network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
        }
    }

    fn int(&mut self, fields: &[Field<'a>]) {
        const RANGE: &str = "numbers have 32 bits: -2147483648 to 2147483647";
        let base = self.network.initial.ints.len() as u32;
        let len = self.size(fields[0], u64::from(base));
        let lo = self.number::<i32>(fields[1], "the smallest value", RANGE);
        let hi = self.number::<i32>(fields[2], "the greatest value", RANGE);
        let initial = self.number::<i32>(fields[3], "the initial value", RANGE);
        let (Some(len), Some(lo), Some(hi), Some(initial)) = (len, lo, hi, initial) else { return };
        let range = Range { lo, hi };
        if range.is_empty() {
            self.diagnostics.push(
                Diagnostic::error(
                    "tchecker::range",
                    fields[1].span.to(fields[2].span),
                    format!("no value lies between {lo} and {hi}"),
                )
                .help("the smallest value comes first"),
            );
            return;
        }
        if !range.contains(initial) {
            self.diagnostics.push(
                Diagnostic::error(
                    "tchecker::range",
                    fields[3].span,
                    format!("the initial value {initial} is not between {lo} and {hi}"),
                )
                .also(fields[1].span.to(fields[2].span), "the range"),
            );
            return;
        }
        let Some(name) = self.variable(fields[4], Symbol::Ints { base, len, range }) else {
            return;
        };
        let element = Type::Int(range);
        let ty = match len {
            1 => element,
            _ => Type::Array { lo: 0, len, element: Box::new(element) },
        };
        self.network.initial.ints.resize(base as usize + len as usize, initial);
        self.network.variables.push(Variable {
            name: name.to_owned(),
            owner: None,
            ty,
            storage: Storage::State,
            ints: base,
            doubles: 0,
        });
    }

    /// The process that a field names.
    pub(super) fn find_process(&mut self, field: Field<'a>) -> Option<ProcessId> {
        let name = self.identifier(field, "a process")?;
        if let Some((id, _)) = self.processes.get(name) {
            return Some(*id);
        }
        let later = self.later.processes.get(name).copied();
        unknown(self.diagnostics, "process", field, later, self.processes.keys());
        None
    }

    pub(super) fn find_event(&mut self, field: Field<'a>) -> Option<EventId> {
        let name = self.identifier(field, "an event")?;
        if let Some((id, _)) = self.events.get(name) {
            return Some(*id);
        }
        let later = self.later.events.get(name).copied();
        unknown(self.diagnostics, "event", field, later, self.events.keys());
        None
    }

    fn find_location(&mut self, process: ProcessId, field: Field<'a>) -> Option<LocationId> {
        use punctual_model::Id as _;
        let name = self.identifier(field, "a location")?;
        let known = &self.locations[process.index()];
        if let Some((id, _)) = known.get(name) {
            return Some(*id);
        }
        let owner = self.network.processes[process].name.as_str();
        let later = self.later.locations.get(&(owner, name)).copied();
        let what = format!("location of process `{owner}`");
        unknown(self.diagnostics, &what, field, later, known.keys());
        None
    }

    fn location(&mut self, declaration: &'a Declaration<'a>) {
        use punctual_model::Id as _;
        let process = self.find_process(declaration.fields[0]);
        let name = self.identifier(declaration.fields[1], "a location");
        let (Some(process), Some(name)) = (process, name) else { return };
        let span = declaration.fields[1].span;
        let context = format!("process {}, location {name}", self.network.processes[process].name);
        self.diagnostics.enter(context);
        if let Some((_, first)) = self.locations[process.index()].get(name) {
            duplicate(self.diagnostics, "location", name, span, *first);
        } else {
            let mut location = Location {
                name: name.to_owned(),
                kind: LocationKind::Normal,
                invariant: Condition::default(),
                rates: Vec::new(),
                exponential_rate: None,
                labels: Vec::new(),
                frame: Frame::default(),
            };
            let initial = self.location_attributes(&declaration.attributes, &mut location);
            let process_ = &mut self.network.processes[process];
            let id = process_.locations.push(location);
            if initial {
                process_.initial.push(id);
            }
            self.locations[process.index()].insert(name.to_owned(), (id, span));
            self.pending_locations.push((process, id, declaration));
        }
        self.diagnostics.leave();
    }

    /// All attributes but the invariant; whether the location is initial.
    fn location_attributes(&mut self, list: &[Attribute<'a>], location: &mut Location) -> bool {
        let known = ["initial", "urgent", "committed", "invariant", "labels"];
        self.unknown_attributes(list, &known);
        let mut initial = false;
        for Attribute { key, value } in list {
            match key.text {
                "initial" => initial = true,
                "urgent" if location.kind == LocationKind::Normal => {
                    location.kind = LocationKind::Urgent;
                }
                "committed" => location.kind = LocationKind::Committed,
                "labels" => {
                    let labels = value.text.split(',').map(str::trim).filter(|l| !l.is_empty());
                    location.labels.extend(labels.map(str::to_owned));
                }
                _ => {}
            }
            if matches!(key.text, "initial" | "urgent" | "committed") && !value.text.is_empty() {
                self.diagnostics.push(
                    Diagnostic::warning(
                        "tchecker::attribute",
                        value.span,
                        format!("the attribute `{}` has no value; this is ignored", key.text),
                    )
                    .help("attributes are separated by colons"),
                );
            }
        }
        initial
    }

    fn unknown_attributes(&mut self, list: &[Attribute<'_>], known: &[&str]) {
        for Attribute { key, .. } in list.iter().filter(|a| !known.contains(&a.key.text)) {
            let help = match closest(key.text, known.iter().copied()) {
                Some(near) => Some(format!("did you mean `{near}`?")),
                None if known.is_empty() => None,
                None => Some(format!("known attributes here: {}", known.join(", "))),
            };
            self.diagnostics.push(
                Diagnostic::warning(
                    "tchecker::attribute",
                    key.span,
                    format!("the attribute `{}` is unknown and is ignored", key.text),
                )
                .maybe_help(help),
            );
        }
    }

    fn edge(&mut self, declaration: &'a Declaration<'a>) {
        self.diagnostics.enter(edge_context(declaration));
        let ends = self.edge_ends(declaration);
        self.diagnostics.leave();
        let Some((process, source, target, event)) = ends else {
            self.broken_edges.push(declaration);
            return;
        };
        let id = self.network.processes[process].edges.push(punctual_model::Edge {
            source,
            selects: Vec::new(),
            guard: Condition::default(),
            sync: Sync::Event(event),
            update: Vec::new(),
            branches: vec![punctual_model::Branch {
                weight: None,
                selects: Vec::new(),
                update: Vec::new(),
                target,
            }],
            controllable: true,
            frame: Frame::default(),
        });
        self.pending_edges.push((process, id, declaration));
    }

    fn edge_ends(
        &mut self,
        declaration: &'a Declaration<'a>,
    ) -> Option<(ProcessId, LocationId, LocationId, EventId)> {
        let [process, source, target, event] = [0, 1, 2, 3].map(|i| declaration.fields[i]);
        let event = self.find_event(event);
        let process = self.find_process(process)?;
        let source = self.find_location(process, source);
        let target = self.find_location(process, target);
        Some((process, source?, target?, event?))
    }

    /// Conjoins all attributes of a name.
    fn formula(&mut self, list: &[Attribute<'_>], key: &str) -> Condition {
        let mut condition = Condition::default();
        for Attribute { value, .. } in list.iter().filter(|a| a.key.text == key) {
            let Some(node) = self.parse(*value, key, syntax::expression) else { continue };
            let scope = Scope { globals: &self.variables, locals: Vec::new() };
            let mut translator = Translator { scope, diagnostics: &mut *self.diagnostics };
            translator.condition(&node, &mut condition);
        }
        condition
    }

    fn parse<T>(
        &mut self,
        value: Field<'_>,
        key: &str,
        with: impl FnOnce(&str, u32, &mut Diagnostics) -> Option<T>,
    ) -> Option<T> {
        if value.text.is_empty() {
            self.diagnostics.push(
                Diagnostic::error(
                    "tchecker::syntax",
                    value.span,
                    format!("the attribute `{key}` needs a value"),
                )
                .help("leave the attribute out if it says nothing"),
            );
            return None;
        }
        with(value.text, value.span.start, self.diagnostics)
    }

    fn conditions(&mut self) {
        for (process, location, declaration) in std::mem::take(&mut self.pending_locations) {
            let context = format!(
                "process {}, location {}",
                self.network.processes[process].name,
                self.network.processes[process].locations[location].name,
            );
            self.diagnostics.enter(context);
            let invariant = self.formula(&declaration.attributes, "invariant");
            self.network.processes[process].locations[location].invariant = invariant;
            self.diagnostics.leave();
        }
    }

    fn edges(&mut self) {
        let mut pending = std::mem::take(&mut self.pending_edges);
        // Functions are numbered process by process, whatever the order of the file.
        pending.sort_by_key(|(process, edge, _)| (*process, *edge));
        for (process, edge, declaration) in pending {
            self.diagnostics.enter(edge_context(declaration));
            self.unknown_attributes(&declaration.attributes, &["provided", "do"]);
            let guard = self.formula(&declaration.attributes, "provided");
            let update = self.update(&declaration.attributes, process, edge);
            let edge = &mut self.network.processes[process].edges[edge];
            edge.guard = guard;
            edge.update = update;
            self.diagnostics.leave();
        }
        for declaration in std::mem::take(&mut self.broken_edges) {
            self.diagnostics.enter(edge_context(declaration));
            self.formula(&declaration.attributes, "provided");
            self.effect(&declaration.attributes);
            self.diagnostics.leave();
        }
    }

    fn effect(&mut self, list: &[Attribute<'_>]) -> Option<Effect> {
        let mut statements = Vec::new();
        for Attribute { value, .. } in list.iter().filter(|a| a.key.text == "do") {
            statements.extend(self.parse(*value, "do", syntax::statements).unwrap_or_default());
        }
        let scope = Scope { globals: &self.variables, locals: Vec::new() };
        let mut translator = Translator { scope, diagnostics: &mut *self.diagnostics };
        statements::translate(&statements, &mut translator)
    }

    fn update(&mut self, list: &[Attribute<'_>], process: ProcessId, edge: EdgeId) -> Vec<Expr> {
        match self.effect(list) {
            None => Vec::new(),
            Some(Effect::Update(update)) => update,
            Some(Effect::Body(body, frame)) => {
                let name = function_name(&self.network.processes[process].name, edge);
                let function = self.network.functions.push(Function {
                    name,
                    params: Vec::new(),
                    returns: ReturnType::Void,
                    frame,
                    shares_frame: false,
                    body: FunctionBody::Statements(body),
                });
                vec![Expr::Call { function, arguments: Vec::new() }]
            }
        }
    }

    fn initial_locations(&mut self) {
        if self.network.processes.is_empty() && !self.diagnostics.has_errors() {
            self.error("tchecker::process", Span::default(), "the file declares no process".into());
        }
        for process in &self.network.processes {
            if process.initial.is_empty() {
                let span = self.processes[&process.name].1;
                self.diagnostics.push(
                    Diagnostic::error(
                        "tchecker::initial",
                        span,
                        format!("process `{}` has no initial location", process.name),
                    )
                    .help("mark one with `{initial:}`"),
                );
            }
        }
    }
}

fn edge_context(declaration: &Declaration<'_>) -> String {
    let [process, source, target] = [0, 1, 2].map(|i| declaration.fields[i].text);
    format!("process {process}, edge {source} → {target}")
}

/// The function that holds the statements of an edge.
pub(crate) fn function_name(process: &str, edge: EdgeId) -> String {
    use punctual_model::Id as _;
    format!("{process}.edge{}", edge.index())
}

fn duplicate(diagnostics: &mut Diagnostics, what: &str, name: &str, span: Span, first: Span) {
    diagnostics.push(
        Diagnostic::error(
            "tchecker::duplicate",
            span,
            format!("{what} `{name}` is declared already"),
        )
        .also(first, "first declared here"),
    );
}

fn unknown<'k>(
    diagnostics: &mut Diagnostics,
    what: &str,
    field: Field<'_>,
    later: Option<Span>,
    known: impl Iterator<Item = &'k String>,
) {
    if let Some(later) = later {
        diagnostics.push(
            Diagnostic::error(
                "tchecker::order",
                field.span,
                format!("`{}` is used before it is declared", field.text),
            )
            .also(later, "declared here")
            .help("move the declaration up"),
        );
        return;
    }
    let help = did_you_mean(field.text, known, diagnostics);
    diagnostics.push(
        Diagnostic::error(
            "tchecker::unknown_name",
            field.span,
            format!("there is no {what} named `{}`", field.text),
        )
        .maybe_help(help),
    );
}

/// The known name that is closest. Not looked for among very many, nor after very many errors:
/// that would take longer than anybody waits.
pub(super) fn did_you_mean<'k>(
    name: &str,
    known: impl Iterator<Item = &'k String>,
    diagnostics: &Diagnostics,
) -> Option<String> {
    const NAMES_MAX: usize = 5000;
    const ERRORS_MAX: usize = 100;
    if diagnostics.error_count() > ERRORS_MAX {
        return None;
    }
    let mut known: Vec<&str> = known.take(NAMES_MAX).map(String::as_str).collect();
    known.sort_unstable();
    closest(name, known).map(|near| format!("did you mean `{near}`?"))
}
