//! What is suspicious in a network although it is allowed: parts of it can never happen, or do not see what their author seems to mean.
//!
//! Each lint has a name, which is the end of the code of its warnings (`lint::never_sent`). It is turned off by a comment among the global
//! declarations of the model: `// lints off: never_sent, untested_clock`, or `all`.
//!
//! A lint speaks of templates: what holds in some processes of a template only is not told. What is told can be seen without running
//! the model, so a part that is told can never happen; the reverse does not follow.
//!
//! Only formats that have a document are looked at: the others do not say where things stand.

mod access;
mod contradiction;
mod off;
mod old;

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    ChannelId, ChannelRef, ClockId, Edge, EdgeId, Id, Network, Process, ProcessId, Sync,
};

use self::access::{Access, updates};
use crate::{
    Model, Span,
    diagnostic::Diagnostic,
    document::{Document, LabelKind},
};

/// The names of all lints.
const NAMES: [&str; 6] = [
    "contradiction",
    "never_received",
    "never_sent",
    "reads_old_value",
    "unreached",
    "untested_clock",
];

/// What is suspicious, in the order of the file. `queries` are the texts of all queries that somebody asks.
#[must_use]
pub fn lints(model: &Model, queries: &[&str]) -> Vec<Diagnostic> {
    let Some(document) = &model.document else { return Vec::new() };
    let mut found = Vec::new();
    let Some(off) = off::turned_off(document, &mut found) else { return found };
    let network = &model.network;
    let access = Access::new(network);
    let (read, signed) = access.of_clocks(network);
    let mut lint = Lint { model, network, access: &access, signed, same: BTreeMap::new() };
    let mut same: BTreeMap<_, Vec<At>> = BTreeMap::new();
    for (at, _) in lint.edges() {
        if let Some(span) = lint.span(at) {
            same.entry((span.start, span.end)).or_default().push(at);
        }
    }
    lint.same = same;
    lint.unreached(&mut found);
    lint.contradictions(&mut found);
    lint.lonely_channels(&mut found);
    lint.old_values(&mut found);
    let said: Vec<&str> = queries.iter().copied().chain(test_code(document)).collect();
    lint.untested_clocks(&read, &said, &mut found);
    found.retain(|it| !off.iter().any(|name| it.code.strip_prefix("lint::") == Some(name)));
    found.sort_by(|a, b| {
        (a.span.start, a.code, &a.message).cmp(&(b.span.start, b.code, &b.message))
    });
    // Other processes of a template would repeat it.
    found.dedup_by(|a, b| (a.span, a.code, &a.message) == (b.span, b.code, &b.message));
    found
}

struct Lint<'m> {
    model: &'m Model,
    network: &'m Network,
    access: &'m Access,
    /// The clocks that may be negative.
    signed: BTreeSet<ClockId>,
    /// The edges that stand at one place of the file.
    same: BTreeMap<(u32, u32), Vec<At>>,
}

/// An edge of a process.
type At = (ProcessId, EdgeId);

impl Lint<'_> {
    fn edges(&self) -> impl Iterator<Item = (At, &Edge)> {
        let all = self.network.processes.enumerate();
        all.flat_map(|(p, process)| process.edges.enumerate().map(move |(e, edge)| ((p, e), edge)))
    }

    fn span(&self, (process, edge): At) -> Option<Span> {
        self.model.source_map.processes.get(process)?.edges.get(edge.index()).copied()
    }

    /// Whether something that is true of one edge is true of it in all processes of the template.
    fn in_all(&self, (process, edge): At, holds: impl Fn(At, &Edge) -> bool) -> bool {
        let same = self.span((process, edge)).and_then(|it| self.same.get(&(it.start, it.end)));
        let edge = |at: &At| &self.network.processes[at.0].edges[at.1];
        same.is_some_and(|same| same.iter().all(|at| holds(*at, edge(at))))
    }

    /// Locations that no path of edges leads to.
    fn unreached(&self, found: &mut Vec<Diagnostic>) {
        for (id, process) in self.network.processes.enumerate() {
            let reached = reached(process);
            let Some(spans) = self.model.source_map.processes.get(id) else { continue };
            for ((location, it), span) in process.locations.enumerate().zip(&spans.locations) {
                if !reached.contains(&location) {
                    let message = format!("nothing leads to the location `{}`", it.name);
                    found.push(
                        warning("lint::unreached", *span, message)
                            .label("no path of edges from the initial location ends here"),
                    );
                }
            }
        }
    }

    /// Channels on which somebody sends and nobody else receives, or the other way round. Nobody needs to hear a broadcast.
    fn lonely_channels(&self, found: &mut Vec<Diagnostic>) {
        let (mut sent, mut received) = (Users::default(), Users::default());
        for ((process, _), edge) in self.edges() {
            match &edge.sync {
                Sync::Send(channel) => sent.add(channel, process),
                Sync::Receive(channel) => received.add(channel, process),
                Sync::Csp(channel) => {
                    sent.add(channel, process);
                    received.add(channel, process);
                }
                Sync::Internal | Sync::Event(_) => {}
            }
        }
        let is_lonely = |(process, _): At, edge: &Edge| match &edge.sync {
            Sync::Send(channel) => {
                let broadcast = self.network.channels[channel.base].broadcast;
                !broadcast && !received.has_other(channel, process)
            }
            Sync::Receive(channel) => !sent.has_other(channel, process),
            _ => false,
        };
        let mut told = BTreeSet::new();
        for (at, edge) in self.edges().filter(|(at, edge)| is_lonely(*at, edge)) {
            let (Some(span), Some(channel)) = (self.span(at), edge.sync.channel()) else {
                continue;
            };
            if !self.in_all(at, is_lonely) {
                continue;
            }
            let full = &self.network.channels[channel.base].name;
            let name = full.split('[').next().unwrap_or(full);
            let (code, what, partners) = match &edge.sync {
                Sync::Send(_) => ("lint::never_received", "receives on", &received),
                _ => ("lint::never_sent", "sends on", &sent),
            };
            // Of processes of one template, each may mean another element of an array.
            let is_one = self.same.get(&(span.start, span.end)).is_some_and(|it| it.len() == 1);
            let name = if is_one && channel.indices.is_empty() { full } else { name };
            // Where one edge waits for ever, others often do.
            if !told.insert((code, name)) {
                continue;
            }
            let by_itself = partners.has_any(channel);
            let (who, label) = match by_itself {
                true => ("no other process", "a process does not synchronise with itself"),
                false => ("nobody", "has no partner in the model"),
            };
            let message =
                format!("{who} in the model {what} `{name}`, so this edge is never taken");
            found.push(warning(code, span, message).label(label));
        }
    }

    /// Clocks that nothing reads: no guard, no invariant, no update, no rate, no query, no test code.
    fn untested_clocks(
        &self,
        read: &BTreeSet<ClockId>,
        said: &[&str],
        found: &mut Vec<Diagnostic>,
    ) {
        // What is said of an array or of a template is said of all its clocks.
        let short = |clock: ClockId| {
            let name = &self.network.clocks[clock].name;
            let name = name.split('[').next().unwrap_or(name);
            let owner = self.network.clocks[clock].owner;
            let template = owner.map(|it| self.network.processes[it].template.clone());
            (template, local(name).to_owned())
        };
        let mut resets: BTreeMap<_, At> = BTreeMap::new();
        for (at, edge) in self.edges() {
            for clock in self.access.sets(updates(edge)) {
                resets.entry(short(clock)).or_insert(at);
            }
        }
        let mut told: BTreeSet<_> = read.iter().map(|it| short(*it)).collect();
        let words: BTreeSet<&str> = said
            .iter()
            .flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'))
            .collect();
        for clock in self.network.clocks.ids() {
            let name = short(clock);
            if words.contains(name.1.as_str()) || !told.insert(name.clone()) {
                continue;
            }
            let (span, message, label) = match resets.get(&name) {
                Some(at) => (
                    self.span(*at),
                    format!("the clock `{}` is reset and never read", name.1),
                    "reset here; no guard, invariant or query compares it",
                ),
                None => (
                    self.model.source_map.clocks.get(clock).copied(),
                    format!("nothing depends on the clock `{}`", name.1),
                    "no guard, invariant, update or rate of a process depends on it, and no query",
                ),
            };
            let Some(span) = span else { continue };
            found.push(warning("lint::untested_clock", span, message).label(label));
        }
    }
}

/// The name of a clock as its template has it.
fn local(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The processes that send (or receive) on each channel: one of them, and whether there are others.
#[derive(Default)]
struct Users(BTreeMap<ChannelId, (ProcessId, bool)>);

impl Users {
    fn add(&mut self, channel: &ChannelRef, process: ProcessId) {
        for element in elements(channel) {
            let (first, are_more) = self.0.entry(element).or_insert((process, false));
            *are_more |= *first != process;
        }
    }

    fn has_any(&self, channel: &ChannelRef) -> bool {
        elements(channel).iter().any(|it| self.0.contains_key(it))
    }

    /// True when another process than this one uses the channel.
    fn has_other(&self, channel: &ChannelRef, process: ProcessId) -> bool {
        let users = elements(channel).into_iter().filter_map(|it| self.0.get(&it));
        users.into_iter().any(|(first, are_more)| *are_more || *first != process)
    }
}

/// The test code of a model: values of clocks may stand in it.
fn test_code(document: &Document) -> impl Iterator<Item = &str> {
    let of_locations = document.templates.iter().flat_map(|it| &it.locations);
    let of_edges = document.templates.iter().flat_map(|it| &it.edges);
    let labels = of_locations.flat_map(|it| &it.labels).chain(of_edges.flat_map(|it| &it.labels));
    let is_code = |kind: &LabelKind| {
        matches!(kind, LabelKind::TestCode | LabelKind::TestCodeEnter | LabelKind::TestCodeExit)
    };
    labels.filter(move |it| is_code(&it.kind)).map(|it| it.text.text.as_str())
}

fn warning(code: &'static str, span: Span, message: String) -> Diagnostic {
    Diagnostic::warning(code, span, message)
}

/// The locations that paths of edges lead to.
fn reached(process: &Process) -> BTreeSet<punctual_model::LocationId> {
    let mut reached: BTreeSet<_> = process.initial.iter().copied().collect();
    let mut waiting: Vec<_> = process.initial.clone();
    while let Some(location) = waiting.pop() {
        let leaving = process.edges.iter().filter(|edge| edge.source == location);
        for branch in leaving.flat_map(|edge| &edge.branches) {
            if reached.insert(branch.target) {
                waiting.push(branch.target);
            }
        }
    }
    reached
}

/// The channels that a reference may mean.
fn elements(channel: &ChannelRef) -> Vec<ChannelId> {
    let reach: u32 = channel.indices.iter().map(|it| it.len.saturating_sub(1) * it.stride).sum();
    let base = channel.base.index();
    (base..=base + reach as usize).map(ChannelId::from_index).collect()
}
