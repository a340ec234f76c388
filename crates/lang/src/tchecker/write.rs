//! Prints a network that says nothing that the format can not.
//!
//! What is printed reads back as the same network, ids included: events, clocks and variables
//! come in the order of their tables, then process by process its locations and edges, then the
//! vectors. Only names of local variables of statements are new.
//!
//! An edge without synchronisation is printed with an event of its own, which is asynchronous.

mod expr;
mod statements;

use std::fmt::Write as _;

use expr::Terms;
use punctual_model::{
    Condition, Edge, EdgeId, EventId, Expr, Location, LocationId, LocationKind, Network, Process,
    Storage, Sync, Type,
};
use rustc_hash::FxHashSet;

use super::{
    lines::{KEYWORDS, is_identifier},
    syntax,
};
use crate::{
    convert::{Unsupported, print::places::size},
    diagnostic::Diagnostics,
    stack::with_stack,
};

/// Prints a network, or says what in it the format can not say.
pub fn write(network: &Network) -> Result<String, Unsupported> {
    write_named(network, "network")
}

/// Prints a network as a system of this name.
pub fn write_named(network: &Network, system: &str) -> Result<String, Unsupported> {
    check_globals(network)?;
    with_stack(|| {
        let terms = Terms::new(network)?;
        let mut writer = Writer { network, terms, text: String::new(), internal: None };
        writer.system(system)?;
        Ok(writer.text)
    })
}

type Written<T = ()> = Result<T, Unsupported>;

fn refuse<T>(construct: impl Into<String>, place: impl Into<String>) -> Written<T> {
    Err(Unsupported::new(construct, place))
}

fn check_globals(network: &Network) -> Written {
    let refused = [
        (!network.channels.is_empty(), "a channel"),
        (!network.before_update.is_empty(), "`before_update`"),
        (!network.after_update.is_empty(), "`after_update`"),
        (!network.progress.is_empty(), "a progress measure"),
        (network.clocks.iter().any(|clock| clock.hybrid), "a hybrid clock"),
        (network.clocks.iter().any(|clock| clock.initial != 0.0), "an initial value of a clock"),
        (network.processes.iter().any(|p| p.priority != 0), "a process priority"),
        (network.default_priority != 0, "a priority"),
    ];
    match refused.iter().find(|(found, _)| *found) {
        Some((_, construct)) => refuse(*construct, ""),
        None => Ok(()),
    }
}

fn check_name(name: &str, what: &str) -> Written {
    match is_identifier(name) && !KEYWORDS.contains(&name) {
        true => Ok(()),
        false => refuse(format!("the name `{name}`"), what),
    }
}

struct Writer<'a> {
    network: &'a Network,
    terms: Terms<'a>,
    text: String,
    /// The event of internal edges.
    internal: Option<String>,
}

impl Writer<'_> {
    fn system(&mut self, system: &str) -> Written {
        check_name(system, "the system")?;
        let _ = writeln!(self.text, "system:{system}");
        self.events()?;
        self.variables()?;
        for process in &self.network.processes {
            self.process(process)?;
        }
        self.vectors();
        Ok(())
    }

    fn events(&mut self) -> Written {
        let mut taken = FxHashSet::default();
        if !self.network.events.is_empty() {
            self.text.push('\n');
        }
        for event in &self.network.events {
            check_name(event, "an event")?;
            if !taken.insert(event.as_str()) {
                return refuse(format!("a second event `{event}`"), "");
            }
            let _ = writeln!(self.text, "event:{event}");
        }
        let edges = self.network.processes.iter().flat_map(|process| &process.edges);
        if edges.into_iter().any(|edge| edge.sync == Sync::Internal) {
            let mut name = "tau".to_owned();
            while taken.contains(name.as_str()) {
                name.push('_');
            }
            let _ = writeln!(self.text, "event:{name}");
            self.internal = Some(name);
        }
        Ok(())
    }

    fn variables(&mut self) -> Written {
        // Words of statements could be declared, but not used.
        let mut taken: FxHashSet<String> = syntax::WORDS.map(str::to_owned).into_iter().collect();
        if !self.terms.clocks.is_empty() || !self.network.variables.is_empty() {
            self.text.push('\n');
        }
        for array in &self.terms.clocks {
            check_name(&array.name, "a clock")?;
            if !taken.insert(array.name.clone()) {
                return refuse(format!("a second variable `{}`", array.name), "");
            }
            let _ = writeln!(self.text, "clock:{}:{}", array.len, array.name);
        }
        let mut next = 0;
        for variable in &self.network.variables {
            let name = &variable.name;
            let place = format!("variable {name}");
            check_name(name, "a variable")?;
            if !taken.insert(name.clone()) {
                return refuse(format!("a second variable `{name}`"), "");
            }
            let range = match &variable.ty {
                Type::Int(range) => *range,
                Type::Array { lo: 0, element, .. } => match **element {
                    Type::Int(range) => range,
                    _ => return refuse("an array of something else than integers", place),
                },
                _ => return refuse("a variable that is no integer", place),
            };
            let (len, _) = size(&variable.ty);
            if variable.storage != Storage::State || variable.ints != next {
                return refuse("a variable that is not part of the state", place);
            }
            next += len;
            let values = &self.network.initial.ints[variable.ints as usize..next as usize];
            let Some(initial) = values.first().filter(|first| values.iter().all(|v| v == *first))
            else {
                return refuse("an array with different initial values", place);
            };
            let _ = writeln!(self.text, "int:{len}:{}:{}:{initial}:{name}", range.lo, range.hi);
        }
        if next as usize != self.network.initial.ints.len()
            || !self.network.initial.doubles.is_empty()
        {
            return refuse("memory without a name", "");
        }
        Ok(())
    }

    fn process(&mut self, process: &Process) -> Written {
        check_name(&process.name, "a process")?;
        let _ = writeln!(self.text, "\nprocess:{}", process.name);
        let mut taken = FxHashSet::default();
        for (id, location) in process.locations.enumerate() {
            if !taken.insert(location.name.as_str()) {
                let construct = format!("a second location `{}`", location.name);
                return refuse(construct, format!("process {}", process.name));
            }
            self.location(process, id, location)?;
        }
        for (id, edge) in process.edges.enumerate() {
            self.edge(process, id, edge)?;
        }
        Ok(())
    }

    fn location(&mut self, process: &Process, id: LocationId, location: &Location) -> Written {
        let place = format!("process {}, location {}", process.name, location.name);
        check_name(&location.name, &place)?;
        if !location.rates.is_empty() {
            return refuse("the rate of a clock", place);
        }
        if location.exponential_rate.is_some() {
            return refuse("an exponential rate", place);
        }
        let mut attributes = Vec::new();
        // Several initial locations keep their order only if it is that of the file.
        if process.initial.contains(&id) {
            attributes.push("initial:".to_owned());
        }
        match location.kind {
            LocationKind::Normal => {}
            LocationKind::Urgent => attributes.push("urgent:".to_owned()),
            LocationKind::Committed => attributes.push("committed:".to_owned()),
        }
        if !location.invariant.is_true() {
            attributes.push(format!("invariant: {}", self.condition(&location.invariant, &place)?));
        }
        if !location.labels.is_empty() {
            let fits = |label: &String| {
                !label.is_empty()
                    && label.trim() == label
                    && !label.contains([':', '{', '}', '#', ','])
            };
            if let Some(label) = location.labels.iter().find(|label| !fits(label)) {
                return refuse(format!("the label `{label}`"), place);
            }
            attributes.push(format!("labels: {}", location.labels.join(",")));
        }
        let _ = write!(self.text, "location:{}:{}", process.name, location.name);
        self.attributes(&attributes);
        Ok(())
    }

    fn edge(&mut self, process: &Process, id: EdgeId, edge: &Edge) -> Written {
        let source = &process.locations[edge.source].name;
        let [branch] = edge.branches.as_slice() else {
            return refuse(
                "an edge with several branches",
                format!("process {}, location {source}", process.name),
            );
        };
        let target = &process.locations[branch.target].name;
        let place = format!("process {}, edge {source} → {target}", process.name);
        if branch.weight.is_some() || !branch.update.is_empty() {
            return refuse("a branch with a weight or an update", place);
        }
        if !edge.selects.is_empty() || !branch.selects.is_empty() {
            return refuse("a selected value", place);
        }
        let event = match &edge.sync {
            Sync::Event(event) => self.event(*event),
            Sync::Internal => self.internal.as_deref().unwrap_or("tau"),
            _ => return refuse("a channel", place),
        };
        let mut attributes = Vec::new();
        if !edge.guard.is_true() {
            attributes.push(format!("provided: {}", self.condition(&edge.guard, &place)?));
        }
        let update = self.update(process, id, &edge.update, &place)?;
        if !update.is_empty() {
            attributes.push(format!("do: {update}"));
        }
        let line = format!("edge:{}:{source}:{target}:{event}", process.name);
        self.text += &line;
        self.attributes(&attributes);
        Ok(())
    }

    fn event(&self, event: EventId) -> &str {
        &self.network.events[event]
    }

    fn attributes(&mut self, attributes: &[String]) {
        match attributes.is_empty() {
            true => self.text.push('\n'),
            false => {
                let _ = writeln!(self.text, "{{{}}}", attributes.join(" : "));
            }
        }
    }

    fn condition(&self, condition: &Condition, place: &str) -> Written<String> {
        let text = self.terms.condition(condition).map_err(|what| Unsupported::new(what, place))?;
        // What the reader refuses must not be written.
        let mut diagnostics = Diagnostics::new();
        match syntax::expression(&text, 0, &mut diagnostics) {
            Some(_) => Ok(text),
            None => refuse("an expression of this depth", place),
        }
    }

    fn update(
        &self,
        process: &Process,
        id: EdgeId,
        update: &[Expr],
        place: &str,
    ) -> Written<String> {
        let text = statements::update(&self.terms, process, id, update)
            .map_err(|what| Unsupported::new(what, place))?;
        let mut diagnostics = Diagnostics::new();
        match text.is_empty() || syntax::statements(&text, 0, &mut diagnostics).is_some() {
            true => Ok(text),
            false => refuse("a statement of this depth", place),
        }
    }

    fn vectors(&mut self) {
        if !self.network.sync_vectors.is_empty() {
            self.text.push('\n');
        }
        for vector in &self.network.sync_vectors {
            self.text += "sync";
            for participant in &vector.participants {
                let process = &self.network.processes[participant.process].name;
                let event = &self.network.events[participant.event];
                let mark = if participant.weak { "?" } else { "" };
                let _ = write!(self.text, ":{process}@{event}{mark}");
            }
            self.text.push('\n');
        }
    }
}
