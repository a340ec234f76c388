//! Names of a file to signals of an interface.

use punctual_model::{
    Carried, ChannelId, Direction, Id, IdVec, Interface, Network, Port, PortRole, ProcessId, Range,
    Signal, Storage, TimeScale, Type, Uncertainty, ValueType, Variable, Wired,
    testing::{Place, Slot, Wire},
};

use super::{
    config::Collects,
    named::{Named, named},
    table::Word,
};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
};

/// Collects the signals and the observed variables of an interface.
pub(super) struct Signals<'n> {
    network: &'n Network,
    /// With the names of their variables.
    found: Vec<(Signal, Wire, Vec<String>)>,
    /// With the names of what they show.
    ports: Vec<(Port, Place, String)>,
    /// Where each signal was written, to tell which ones are there twice.
    places: Vec<Span>,
}

/// A name of a channel with the names of the variables that it carries.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) channel: (String, Span),
    pub(super) values: Vec<(String, Span)>,
}

impl<'n> Signals<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        Self { network, found: Vec::new(), ports: Vec::new(), places: Vec::new() }
    }
}

impl Collects for Signals<'_> {
    fn finish(mut self, time: TimeScale, uncertainty: Uncertainty) -> Wired {
        self.found.sort_by_key(|(signal, ..)| signal.direction);
        let mut interface = Interface { uncertainty, ..Interface::new(time) };
        let (mut wires, mut places) = (IdVec::new(), IdVec::new());
        for (signal, wire, variables) in self.found {
            let is_same = signal.values.iter().map(|it| &it.name).eq(&variables);
            let id = interface.signals.push(signal);
            wires.push(wire);
            if !is_same {
                interface.variables.signals.insert(id, variables);
            }
        }
        for (port, place, variable) in self.ports {
            let is_same = port.name == variable;
            let id = interface.ports.push(port);
            places.push(Some(place));
            if !is_same {
                interface.variables.ports.insert(id, variable);
            }
        }
        Wired { interface, wires, places }
    }

    /// Adds a variable, or the location of a process (`Error.location`), that can be read.
    fn observe(&mut self, word: &Word, diagnostics: &mut Diagnostics) {
        let Some(said) = named(&word.text, word.span, diagnostics) else { return };
        let (name, variable) = (said.name.clone(), &said.variable);
        if self.ports.iter().any(|(port, ..)| port.name == name) {
            let message = format!("`{name}` is there twice");
            diagnostics.push(Diagnostic::error("interface::twice", word.span, message));
            return;
        }
        let wanted = variable.strip_suffix(".location");
        let process = wanted.and_then(|wanted| {
            self.network.processes.enumerate().find(|(_, it)| it.name == wanted)
        });
        if let (Some(wanted), None) = (wanted, process) {
            let message = format!("the model has no process `{wanted}`");
            let names = self.network.processes.iter().map(|it| it.name.as_str());
            let help = closest(wanted, names).map(|it| format!("did you mean `{it}.location`?"));
            let unknown = Diagnostic::error("interface::process", word.span, message);
            diagnostics.push(unknown.maybe_help(help));
            return;
        }
        if process.is_some() && said.members.is_some() {
            let message = format!("`{variable}` has the names of the locations");
            let help = "members are for integers; leave them out";
            let wrong = Diagnostic::error("interface::members", word.span, message).help(help);
            diagnostics.push(wrong);
            return;
        }
        let found = match process {
            Some((id, process)) => {
                let names = process.locations.enumerate().map(|(id, location)| {
                    match location.name.is_empty() {
                        true => format!("#{}", id.index()),
                        false => location.name.clone(),
                    }
                });
                Some((ValueType::Enum(names.collect()), Place::Location(id)))
            }
            None => {
                let value = self.value(&said, "", word.span, diagnostics);
                value.map(|(carried, slot, _)| (carried.ty, Place::Variable(slot)))
            }
        };
        if let Some((ty, place)) = found {
            let port = Port { name, ty, role: PortRole::Observed };
            self.ports.push((port, place, said.variable));
        }
    }

    /// Adds a signal, or one for each element of an array of channels.
    fn add(&mut self, signature: &Signature, direction: Direction, diagnostics: &mut Diagnostics) {
        let (name, span) = &signature.channel;
        let name: String = name.split_whitespace().collect();
        let prefix = format!("{name}[");
        let channels: Vec<ChannelId> = self
            .network
            .channels
            .enumerate()
            .filter(|(_, channel)| channel.name == name || channel.name.starts_with(&prefix))
            .map(|(id, _)| id)
            .collect();
        if channels.is_empty() {
            diagnostics.push(self.no_channel(&name, *span));
            return;
        }
        for channel in channels {
            let full = &self.network.channels[channel].name;
            let index = full.strip_prefix(name.as_str()).unwrap_or_default();
            let values = signature.values.iter();
            let values = values
                .filter_map(|(value, span)| {
                    let said = named(value, *span, diagnostics)?;
                    self.value(&said, index, *span, diagnostics)
                })
                .collect();
            self.push(channel, direction, values, *span, diagnostics);
        }
    }
}

impl Signals<'_> {
    fn push(
        &mut self,
        channel: ChannelId,
        direction: Direction,
        values: Vec<(Carried, Slot, String)>,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) {
        let name = self.network.channels[channel].name.clone();
        if let Some(earlier) = self.found.iter().position(|(_, it, _)| it.channel == channel) {
            let message = match self.found[earlier].0.direction == direction {
                true => format!("`{name}` is there twice"),
                false => format!("`{name}` is both an input and an output"),
            };
            diagnostics.push(
                Diagnostic::error("interface::twice", span, message)
                    .also(self.places[earlier], "first here"),
            );
            return;
        }
        self.places.push(span);
        let (mut carried, mut slots, mut variables) = (Vec::new(), Vec::new(), Vec::new());
        for (value, slot, variable) in values {
            carried.push(value);
            slots.push(slot);
            variables.push(variable);
        }
        let signal = Signal { name, direction, values: carried };
        self.found.push((signal, Wire { channel, values: slots }, variables));
    }

    fn no_channel(&self, name: &str, span: Span) -> Diagnostic {
        let variable = self.network.variables.iter().any(|variable| variable.name == name);
        let names = self.network.channels.iter().flat_map(|channel| {
            let base = channel.name.split('[').next().unwrap_or_default();
            [base, channel.name.as_str()]
        });
        let help = match closest(name, names.clone()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => {
                let mut names: Vec<_> = names.filter(|name| !name.contains('[')).collect();
                names.dedup();
                names.truncate(20);
                match names.is_empty() {
                    true => "the model has no channels".to_owned(),
                    false => format!("channels of the model: {}", names.join(", ")),
                }
            }
        };
        let message = match variable {
            true => format!("`{name}` is a variable of the model, not a channel"),
            false => format!("the model has no channel `{name}`"),
        };
        Diagnostic::error("interface::channel", span, message).help(help)
    }

    /// The variable that is said; for an array that is indexed like the channel, its element.
    fn value(
        &self,
        said: &Named,
        index: &str,
        span: Span,
        diagnostics: &mut Diagnostics,
    ) -> Option<(Carried, Slot, String)> {
        let name = said.variable.clone();
        let indexed = format!("{name}{index}");
        let (full, found) = match self.find(&name) {
            Some(Leaf::Composite(_)) if !index.is_empty() && self.find(&indexed).is_some() => {
                (&indexed, self.find(&indexed))
            }
            found => (&name, found),
        };
        let code = "interface::variable";
        let (message, help) = match found {
            Some(Leaf::Scalar { slot, range, ty }) => {
                let ty = match &said.members {
                    None => ty,
                    Some(members) => members_of(members, full, range, span, diagnostics)?,
                };
                let name = if said.is_renamed { said.name.clone() } else { full.clone() };
                return Some((Carried { name, ty }, Slot { slot, range }, full.clone()));
            }
            Some(Leaf::Composite(what)) => (
                format!("`{name}` is {what}; single values are exchanged"),
                Some(format!("name its elements, such as `{name}[…]`")),
            ),
            Some(Leaf::Other(what)) => {
                (format!("`{name}` is {what}, and can not be exchanged"), None)
            }
            None => {
                let names = self.network.variables.iter().map(|variable| variable.name.as_str());
                let help = closest(&name, names).map(|name| format!("did you mean `{name}`?"));
                (format!("the model has no variable `{name}`"), help)
            }
        };
        diagnostics.push(Diagnostic::error(code, span, message).maybe_help(help));
        None
    }

    fn find(&self, name: &str) -> Option<Leaf> {
        if self.network.clocks.iter().any(|clock| clock.name == name) {
            return Some(Leaf::Other("a clock"));
        }
        let variables = self.network.variables.iter();
        let whole = variables.filter(|variable| name.starts_with(variable.name.as_str()));
        whole.filter_map(|variable| leaf(variable, name.get(variable.name.len()..)?)).next()
    }
}

/// What a name of a variable stands for.
enum Leaf {
    Scalar { slot: u32, range: Range, ty: ValueType },
    Composite(&'static str),
    Other(&'static str),
}

/// What `path` (`[3].x`) leads to in a variable.
fn leaf(variable: &Variable, path: &str) -> Option<Leaf> {
    let (mut ty, mut slot, mut path) = (&variable.ty, variable.ints, path);
    while !path.is_empty() {
        match ty {
            Type::Array { lo, len, element } => {
                let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
                let index = index.parse::<i64>().ok()?.checked_sub(i64::from(*lo))?;
                let index = u32::try_from(index).ok().filter(|index| index < len)?;
                (ty, path) = (element, rest);
                slot += index * ints(element);
            }
            Type::Struct(fields) => {
                let rest = path.strip_prefix('.')?;
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let (name, rest) = rest.split_at(end);
                let at = fields.iter().position(|field| field.name == name)?;
                slot += fields.iter().take(at).map(|field| ints(&field.ty)).sum::<u32>();
                (ty, path) = (&fields.get(at)?.ty, rest);
            }
            _ => return None,
        }
    }
    Some(match (variable.storage, ty) {
        (Storage::Constant, _) => Leaf::Other("a constant"),
        (Storage::Meta, _) => Leaf::Other("a meta variable, which no state has"),
        (_, Type::Int(range)) => Leaf::Scalar { slot, range: *range, ty: whole(*range) },
        (_, Type::Bool) => Leaf::Scalar { slot, range: Range::BOOL, ty: ValueType::Bool },
        (_, Type::Scalar { size }) => {
            let hi = i32::try_from(size.saturating_sub(1)).unwrap_or(i32::MAX);
            let range = Range { lo: 0, hi };
            Leaf::Scalar { slot, range, ty: whole(range) }
        }
        (_, Type::Array { .. }) => Leaf::Composite("an array"),
        (_, Type::Struct(_)) => Leaf::Composite("a structure"),
        (_, Type::Double) => Leaf::Other("a double"),
        (_, Type::Clock) => Leaf::Other("a clock"),
    })
}

/// The type of an integer whose values have names.
fn members_of(
    members: &[String],
    variable: &str,
    range: Range,
    span: Span,
    diagnostics: &mut Diagnostics,
) -> Option<ValueType> {
    let last = members.len() as i64 - 1;
    if range.lo >= 0 && i64::from(range.hi) <= last {
        return Some(ValueType::Enum(members.to_vec()));
    }
    let (lo, hi) = (range.lo, range.hi);
    let message = format!("`{variable}` is from {lo} to {hi}, and the members are 0 to {last}");
    let help = "a member stands for each value, counted from 0";
    diagnostics.push(Diagnostic::error("interface::members", span, message).help(help));
    None
}

/// The whole numbers of a range.
fn whole(range: Range) -> ValueType {
    ValueType::Int { least: range.lo.into(), greatest: range.hi.into() }
}

/// The integer slots of a type.
fn ints(ty: &Type) -> u32 {
    match ty {
        Type::Int(_) | Type::Bool | Type::Scalar { .. } => 1,
        Type::Double | Type::Clock => 0,
        Type::Array { len, element, .. } => len * ints(element),
        Type::Struct(fields) => fields.iter().map(|field| ints(&field.ty)).sum(),
    }
}

/// Reads `req(amount, kind)`.
pub(super) fn signature(word: &Word, diagnostics: &mut Diagnostics) -> Option<Signature> {
    let text = word.text.trim_end();
    let wrong = |message: String| {
        Diagnostic::error("interface::signal", word.span, message)
            .help("write the name of a channel, and what it carries in brackets: `req(amount)`")
    };
    let piece = |from: usize, to: usize| {
        let raw = &text[from..to];
        let from = from + (raw.len() - raw.trim_start().len());
        let name = raw.trim();
        (name.to_owned(), word.part(from, from + name.len()))
    };
    let mut values = Vec::new();
    let mut end = text.len();
    if text.ends_with(')') {
        // The bracket that belongs to the last one: names of variables may have brackets.
        let mut depth = 0;
        let mut commas = vec![text.len() - 1];
        let mut start = None;
        for (i, c) in text.char_indices().rev() {
            match c {
                ')' => depth += 1,
                '(' => depth -= 1,
                ',' if depth == 1 => commas.push(i),
                _ => {}
            }
            if depth == 0 {
                start = Some(i);
                break;
            }
        }
        let Some(start) = start else {
            diagnostics.push(wrong(format!("`{text}` has a bracket too many")));
            return None;
        };
        end = start;
        let mut from = start + 1;
        for to in commas.into_iter().rev() {
            values.push(piece(from, to));
            from = to + 1;
        }
        if values.len() == 1 && values.iter().all(|(name, _)| name.is_empty()) {
            values.clear();
        }
    }
    let channel = piece(0, end);
    if channel.0.is_empty() || values.iter().any(|(name, _)| name.is_empty()) {
        diagnostics.push(wrong(format!("a name is missing in `{}`", word.text)));
        return None;
    }
    Some(Signature { channel, values })
}

/// The processes that a name means: one of them, or all instances of a template.
pub(super) fn processes(
    network: &Network,
    word: &Word,
    diagnostics: &mut Diagnostics,
) -> Vec<ProcessId> {
    let wanted: String = word.text.split_whitespace().collect();
    let found: Vec<ProcessId> = network
        .processes
        .enumerate()
        .filter(|(_, process)| process.name == wanted || process.template == wanted)
        .map(|(id, _)| id)
        .collect();
    if found.is_empty() {
        let names = network.processes.iter();
        let names = names.flat_map(|process| [process.name.as_str(), process.template.as_str()]);
        let help = closest(&wanted, names).map(|name| format!("did you mean `{name}`?"));
        let message = format!("the model has no process `{wanted}`");
        diagnostics
            .push(Diagnostic::error("interface::process", word.span, message).maybe_help(help));
    }
    found
}
