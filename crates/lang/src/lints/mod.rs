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

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    ChannelId, ChannelRef, ClockConstraint, ClockId, ClockRef, Condition, Edge, EdgeId, Expr, Id,
    Network, Number, Process, ProcessId, Relation, Storage, Sync,
};

use self::access::Access;
use crate::{
    Model, Span, Text,
    diagnostic::{Diagnostic, closest},
    requirements::comments,
};

/// What turns lints off, in a comment.
const WORDS: &str = "lints off:";

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
    let Some(off) = turned_off(&document.declarations, &mut found) else { return found };
    let network = &model.network;
    let access = Access::new(network);
    let mut lint = Lint { model, network, access: &access, same: BTreeMap::new() };
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
    lint.untested_clocks(queries, &mut found);
    found.retain(|it| !off.iter().any(|name| it.code.strip_prefix("lint::") == Some(name)));
    found.sort_by_key(|it| (it.span.start, it.code));
    // Other processes of a template would repeat it.
    found.dedup_by_key(|it| (it.span, it.code));
    found
}

/// The lints that comments turn off; none if all are. Names that no lint has are told.
fn turned_off(declarations: &Text, found: &mut Vec<Diagnostic>) -> Option<BTreeSet<String>> {
    let mut off = BTreeSet::new();
    let mut is_all = false;
    for range in comments(&declarations.text) {
        let comment = &declarations.text[range.clone()];
        let Some(at) = comment.to_ascii_lowercase().find(WORDS) else { continue };
        let line = comment[at + WORDS.len()..].lines().next().unwrap_or_default();
        let mut begin = range.start + at + WORDS.len();
        // Each piece ends with one separator of one byte.
        for piece in line.split_inclusive([',', ' ', '\t']) {
            let word = piece.trim_end_matches([',', ' ', '\t']);
            let place = begin..begin + word.len();
            begin += piece.len();
            let name = word.strip_prefix("lint::").unwrap_or(word);
            if NAMES.contains(&name) {
                off.insert(name.to_owned());
            } else if name == "all" {
                is_all = true;
            } else if !name.is_empty() && name != "*/" {
                let message = format!("there is no lint `{name}`, so nothing is turned off by it");
                let help = match closest(name, NAMES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the lints are {}, or `all`", NAMES.join(", ")),
                };
                let span = declarations.locate(place);
                found.push(warning("lint::unknown_lint", span, message).help(help));
            }
        }
    }
    (!is_all).then_some(off)
}

struct Lint<'m> {
    model: &'m Model,
    network: &'m Network,
    access: &'m Access,
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

    /// Edges whose guard excludes the invariant of the location that they leave or enter.
    fn contradictions(&self, found: &mut Vec<Diagnostic>) {
        for (at, edge) in self.edges() {
            let Some((which, clock)) = self.contradiction(at.0, edge) else { continue };
            if !self.in_all(at, |at, edge| self.contradiction(at.0, edge).is_some()) {
                continue;
            }
            let Some(span) = self.span(at) else { continue };
            let clock = &self.network.clocks[clock].name;
            let message = format!(
                "this edge can never be taken: its guard contradicts the invariant of the location that it {which}"
            );
            found.push(
                warning("lint::contradiction", span, message)
                    .label(format!("no value of `{clock}` satisfies both")),
            );
        }
    }

    fn contradiction(&self, process: ProcessId, edge: &Edge) -> Option<(&'static str, ClockId)> {
        let locations = &self.network.processes[process].locations;
        let source = &locations[edge.source].invariant;
        if let Some(clock) = excluded(&edge.guard, source, |_| true) {
            return Some(("leaves", clock));
        }
        let mut clock = None;
        for branch in &edge.branches {
            let sets = self.access.sets(edge.update.iter().chain(&branch.update));
            let keeps = |clock| !sets.contains(&clock);
            let target = &locations[branch.target].invariant;
            clock = Some(excluded(&edge.guard, target, keeps)?);
        }
        // Others that move along may set clocks, too.
        clock.filter(|_| edge.sync == Sync::Internal).map(|clock| ("enters", clock))
    }

    /// Channels on which somebody sends and nobody receives, or the other way round. Nobody needs to hear a broadcast.
    fn lonely_channels(&self, found: &mut Vec<Diagnostic>) {
        let (mut sent, mut received) = (BTreeSet::new(), BTreeSet::new());
        for (_, edge) in self.edges() {
            match &edge.sync {
                Sync::Send(channel) => sent.extend(elements(channel)),
                Sync::Receive(channel) => received.extend(elements(channel)),
                Sync::Csp(channel) => {
                    sent.extend(elements(channel));
                    received.extend(elements(channel));
                }
                Sync::Internal | Sync::Event(_) => {}
            }
        }
        let is_lonely = |edge: &Edge| match &edge.sync {
            Sync::Send(channel) => {
                let broadcast = self.network.channels[channel.base].broadcast;
                !broadcast && elements(channel).iter().all(|it| !received.contains(it))
            }
            Sync::Receive(channel) => elements(channel).iter().all(|it| !sent.contains(it)),
            _ => false,
        };
        let mut told = BTreeSet::new();
        for (at, edge) in self.edges().filter(|(_, edge)| is_lonely(edge)) {
            let (Some(span), Some(channel)) = (self.span(at), edge.sync.channel()) else {
                continue;
            };
            if !self.in_all(at, |_, edge| is_lonely(edge)) {
                continue;
            }
            let full = &self.network.channels[channel.base].name;
            let name = full.split('[').next().unwrap_or(full);
            let (code, what) = match &edge.sync {
                Sync::Send(_) => ("lint::never_received", "receives on"),
                _ => ("lint::never_sent", "sends on"),
            };
            // Where one edge waits for ever, others often do.
            if !told.insert((code, name)) {
                continue;
            }
            // Of processes of one template, each may mean another element of an array.
            let is_one = self.same.get(&(span.start, span.end)).is_some_and(|it| it.len() == 1);
            let name = if is_one && channel.indices.is_empty() { full } else { name };
            let message = format!("this edge can never be taken: nobody {what} `{name}`");
            found.push(warning(code, span, message).label("waits for a partner for ever"));
        }
    }

    /// Receivers whose guard reads what only the senders set, when they send: it is evaluated before that.
    fn old_values(&self, found: &mut Vec<Diagnostic>) {
        let mut senders: BTreeMap<ChannelId, Vec<At>> = BTreeMap::new();
        let mut writers: BTreeMap<u32, Vec<At>> = BTreeMap::new();
        for (at, edge) in self.edges() {
            if let Sync::Send(channel) = &edge.sync {
                elements(channel)
                    .into_iter()
                    .for_each(|it| senders.entry(it).or_default().push(at));
            }
            let branches = edge.branches.iter().flat_map(|it| &it.update);
            for slot in self.access.writes(edge.update.iter().chain(branches)) {
                writers.entry(slot).or_default().push(at);
            }
        }
        for (at, edge) in self.edges() {
            let Sync::Receive(channel) = &edge.sync else { continue };
            let on: Vec<&At> =
                elements(channel).iter().filter_map(|it| senders.get(it)).flatten().collect();
            if on.is_empty() || on.iter().any(|sender| sender.0 == at.0) {
                continue;
            }
            let reads = self.access.reads(&edge.guard);
            let carried = reads.into_iter().find(|slot| {
                let Some(writers) = writers.get(slot) else { return false };
                writers.iter().all(|it| on.contains(&it))
                    && on.iter().all(|it| writers.contains(it))
            });
            let (Some(slot), Some(span)) = (carried, self.span(at)) else { continue };
            let stored = self.network.variables.iter().filter(|it| it.storage == Storage::State);
            let Some(variable) = stored.filter(|it| it.ints <= slot).max_by_key(|it| it.ints)
            else {
                continue;
            };
            let channel = &self.network.channels[channel.base].name;
            let message = format!(
                "the guard reads `{}` before the sender on `{channel}` sets it",
                variable.name
            );
            let mut diagnostic = warning("lint::reads_old_value", span, message)
                .label("sees the value of the time before")
                .help("guards are evaluated before all updates: receive the value first, and decide in a committed location");
            if let Some(sender) = on.first().and_then(|at| self.span(**at)) {
                diagnostic = diagnostic.also(sender, "sets it here");
            }
            found.push(diagnostic);
        }
    }

    /// Clocks that are reset and that nothing reads: no guard, no invariant, no update, no query.
    fn untested_clocks(&self, queries: &[&str], found: &mut Vec<Diagnostic>) {
        let read = self.access.read_clocks(self.network);
        let mut resets: BTreeMap<ClockId, At> = BTreeMap::new();
        for (at, edge) in self.edges() {
            let branches = edge.branches.iter().flat_map(|it| &it.update);
            for clock in self.access.sets(edge.update.iter().chain(branches)) {
                resets.entry(clock).or_insert(at);
            }
        }
        // What is said of an array or of a template is said of all its clocks.
        let short = |clock: ClockId| {
            let name = &self.network.clocks[clock].name;
            let name = name.split('[').next().unwrap_or(name);
            let owner = self.network.clocks[clock].owner;
            let template = owner.map(|it| self.network.processes[it].template.clone());
            (template, name.rsplit('.').next().unwrap_or(name).to_owned())
        };
        let tested: BTreeSet<_> = read.iter().map(|it| short(*it)).collect();
        let words = |text: &str, name: &str| {
            text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
        };
        let mut told = BTreeSet::new();
        for (clock, at) in resets {
            let name = short(clock);
            if !told.insert(name.clone()) {
                continue;
            }
            if tested.contains(&name) || queries.iter().any(|query| words(query, &name.1)) {
                continue;
            }
            let Some(span) = self.span(at) else { continue };
            let message = format!("the clock `{}` is reset and never read", name.1);
            found.push(
                warning("lint::untested_clock", span, message)
                    .label("reset here; no guard, invariant or query compares it"),
            );
        }
    }
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

/// A clock, among those that count, that can not satisfy two conditions at once, as far as constants say.
fn excluded(
    guard: &Condition,
    invariant: &Condition,
    counts: impl Fn(ClockId) -> bool,
) -> Option<ClockId> {
    let mut limits: BTreeMap<ClockId, Limits> = BTreeMap::new();
    for constraint in guard.clocks.iter().chain(&invariant.clocks) {
        if let Some((clock, relation, bound)) = single(constraint)
            && counts(clock)
        {
            limits.entry(clock).or_default().add(relation, bound);
        }
    }
    limits.into_iter().find(|(_, limits)| limits.is_empty()).map(|(clock, _)| clock)
}

/// One clock compared with a constant.
fn single(constraint: &ClockConstraint) -> Option<(ClockId, Relation, i64)> {
    let (None, Number::Int, Expr::Int(bound)) =
        (&constraint.when, constraint.number, &constraint.bound)
    else {
        return None;
    };
    let fixed = |clock: &ClockRef| clock.indices.is_empty().then_some(clock.base);
    match (&constraint.left, &constraint.right) {
        (Some(clock), None) => Some((fixed(clock)?, constraint.relation, i64::from(*bound))),
        _ => None,
    }
}

/// The values of a clock, in halves, so that what is strict lies between two values.
struct Limits {
    lo: i64,
    hi: i64,
}

impl Default for Limits {
    fn default() -> Limits {
        // Clocks of statistical models may be negative.
        Limits { lo: i64::MIN, hi: i64::MAX }
    }
}

impl Limits {
    fn add(&mut self, relation: Relation, bound: i64) {
        let twice = 2 * bound;
        match relation {
            Relation::Less => self.hi = self.hi.min(twice - 1),
            Relation::LessEqual => self.hi = self.hi.min(twice),
            Relation::Greater => self.lo = self.lo.max(twice + 1),
            Relation::GreaterEqual => self.lo = self.lo.max(twice),
            Relation::Equal => (self.lo, self.hi) = (self.lo.max(twice), self.hi.min(twice)),
            Relation::NotEqual => {}
        }
    }

    fn is_empty(&self) -> bool {
        self.lo > self.hi
    }
}
