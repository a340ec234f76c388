//! The lines of a record, one JSON object each. Its first key says what kind of line it is.
//!
//! Instants are nanoseconds since the start of the run, by the clock that the header names.

use punctual_model::{Cause, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Diagnosis, Direction, Header};

/// One line of a record.
#[derive(Clone, PartialEq, Debug)]
pub enum Line {
    /// `{"record":2,…}`: the first line, and only the first.
    Header(Box<Header>),
    /// `{"sending":…}`: something is about to be sent; the event follows when it was.
    Sending(Sending),
    /// `{"input":…}`, `{"output":…}`, `{"set":…}`, `{"step":…}` or `{"reading":…}`: something was
    /// exchanged.
    Event(Event),
    /// `{"delay":…}`: time passed quietly.
    Delay(Delay),
    /// `{"window":{…}}`: when an output was allowed.
    Window(Window),
    /// `{"choice":{…}}`: what the strategy decided, for replay; its content is the strategy's own.
    Choice(Value),
    /// `{"restart":…}`: the system was reset at this instant.
    Restart(u64),
    /// `{"note":…}`: words for people.
    Note(String),
    /// `{"said":…}`: what the system said for people, in its log or on standard error.
    Said(Said),
    /// `{"judged":…}`: the verdict of a single step or check that is not a pass.
    Judged(Judged),
    /// `{"steered":…}`: a step that the model was steered in, or that is not explained.
    Steered(Steered),
    /// `{"extra":[…]}`: a sample of a steered test that belongs to no step.
    Extra(Extra),
    /// `{"coverage":{…}}`: what of the specification was exercised; the last one counts.
    Coverage(Coverage),
    /// `{"verdict":…}`: how the run ended; nothing follows.
    End(Box<End>),
}

/// Something that was exchanged, between two instants.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// What was exchanged.
    pub what: What,
    /// The earliest instant.
    pub from_ns: u64,
    /// The latest instant.
    pub to_ns: u64,
    /// When it happened by the system's own clock, if the system said so.
    pub device_ns: Option<u64>,
    /// How many states were possible afterwards.
    pub sets: Sets,
}

/// What can be exchanged with a system. Values are those of JSON: truth, numbers, or texts.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// A signal.
    Signal {
        /// Who sent it.
        direction: Direction,
        /// Its name.
        name: String,
        /// The values that went with it.
        values: Vec<Value>,
    },
    /// Input ports that were set, by name.
    Set(Map<String, Value>),
    /// A step: the values of all input ports and of all output ports, in the order of the header.
    Step {
        /// The values of the input ports.
        inputs: Vec<Value>,
        /// The values of the output ports.
        outputs: Vec<Value>,
    },
    /// Ports that were read, by name.
    Reading(Map<String, Value>),
}

impl Event {
    /// The signal that was exchanged: who sent it, its name and its values. None for ports.
    #[must_use]
    pub fn signal(&self) -> Option<(Direction, &str, &[Value])> {
        match &self.what {
            What::Signal { direction, name, values } => Some((*direction, name, values)),
            _ => None,
        }
    }
}

/// Something that is about to be sent.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sending {
    /// The name of the signal; `step` or `set` for ports.
    pub sending: String,
    /// The values that go with it.
    #[serde(default)]
    pub values: Vec<Value>,
    /// When.
    #[serde(rename = "at", default)]
    pub at_ns: u64,
    /// The names of the ports that are set, one for each value; empty for signals and steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<String>,
}

/// Something that the system said for people.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Said {
    /// One line.
    pub said: String,
    /// Where: `log` (a message of the protocol) or `stderr`.
    #[serde(default)]
    pub source: String,
    /// When the tester heard of it.
    #[serde(rename = "at", default)]
    pub at_ns: u64,
}

/// A step that a model was steered in, or that is not explained.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Steered {
    /// The number of the step since the last restart, from 0.
    pub steered: u64,
    /// Inputs of the model that were changed.
    #[serde(default)]
    pub changes: Vec<Changed>,
    /// Outputs that still differ: `from` is the model's value, `to` the system's.
    #[serde(default)]
    pub differences: Vec<Changed>,
}

/// A sample of a steered test that belongs to no step. It must show what a step beside it shows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Extra {
    /// The values of the output ports, in the order of the header.
    pub extra: Vec<Value>,
    /// The last step before it that has a sample, and the first one behind it, from 0.
    #[serde(default)]
    pub between: (Option<u64>, Option<u64>),
    /// Whether a step between these has no sample.
    #[serde(rename = "open", default)]
    pub is_open: bool,
}

/// A variable with two values.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Changed {
    /// Its name.
    pub variable: String,
    /// The value of the test, or of the model.
    pub from: Value,
    /// The value that explains the system, or that the system has.
    pub to: Value,
    /// The least value that the tolerances allow in this step, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Value>,
    /// The greatest value that the tolerances allow in this step, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Value>,
}

/// The verdict of a single step or check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Judged {
    /// The number of the step, check or output, from 0.
    pub judged: u64,
    /// What it is: `check`, `step` or `output`; empty in records that do not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What is said of it.
    #[serde(with = "super::words::verdict")]
    pub verdict: Verdict,
    /// When it happened.
    #[serde(rename = "at", default)]
    pub at_ns: u64,
    /// Why it is not a pass.
    #[serde(default)]
    pub reason: String,
}

/// How many symbolic states were possible, of the system and of its environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Sets {
    /// Of the specification of the system.
    pub system: u64,
    /// Of the model of the environment.
    pub environment: u64,
}

/// Nothing was seen up to an instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delay {
    /// The instant.
    pub to_ns: u64,
    /// How many states were possible then.
    pub sets: Sets,
}

/// An interval in which an output was allowed, as known at one instant.
///
/// An event or a reset ends all windows: those that are open afterwards are recorded again. Between
/// events, a window replaces those of the same signal and values that it overlaps, and no others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Window {
    /// The output.
    pub signal: String,
    /// The values it must carry; `None` if any do.
    #[serde(default)]
    pub values: Option<Vec<Value>>,
    /// From when on.
    #[serde(rename = "from")]
    pub from_ns: u64,
    /// Until when; `None` if for ever.
    #[serde(rename = "to", default)]
    pub to_ns: Option<u64>,
    /// Whether the first instant is itself excluded.
    #[serde(default)]
    pub from_open: bool,
    /// Whether the last instant is itself excluded.
    #[serde(default)]
    pub to_open: bool,
    /// The instant at which this was known.
    #[serde(rename = "as_of", default)]
    pub as_of_ns: u64,
}

/// What of the specification was exercised. All its edges and locations are listed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Coverage {
    /// The edges, process by process.
    pub edges: Vec<EdgeCoverage>,
    /// The locations, process by process.
    pub locations: Vec<LocationCoverage>,
    /// Which edges read what which edges write, variable by variable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<UseCoverage>,
}

/// The side of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The process belongs to the system.
    System,
    /// The process belongs to the environment.
    Environment,
}

/// How often the value that an edge gave to a variable was read by an edge.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct UseCoverage {
    /// The variable, or an element of one.
    pub variable: String,
    /// The edge that writes it, as a place in the list of edges; none for the initial value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defined: Option<u32>,
    /// The edge that reads it, as a place in the list of edges.
    pub used: u32,
    /// Observations on whose way the value was used, or may have been.
    #[serde(default)]
    pub taken: u64,
    /// Whether it was used for sure at least once; otherwise it may have been.
    #[serde(default)]
    pub certain: bool,
}

/// How often an edge was taken, and in which part of the interval in which it could be.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct EdgeCoverage {
    /// Its process.
    pub process: String,
    /// Its index among the edges of the process.
    pub edge: u32,
    /// The location it leaves, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The location it leads to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Its labels, on one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The side of its process; none in records that do not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Whether it was taken for sure at least once; otherwise it may have been.
    #[serde(default)]
    pub certain: bool,
    /// Whether its guard is the constant false, so that nobody can ever take it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub impossible: bool,
    /// In the first part of its interval.
    #[serde(default)]
    pub early: u64,
    /// In the middle, or where there is no interval to speak of.
    #[serde(default)]
    pub middle: u64,
    /// In the last part.
    #[serde(default)]
    pub late: u64,
}

/// Whether a location was visited.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LocationCoverage {
    /// Its process.
    pub process: String,
    /// Its index among the locations of the process.
    pub location: u32,
    /// Its name, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Whether some possible state was in it.
    #[serde(default)]
    pub visited: bool,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct End {
    /// The verdict.
    #[serde(with = "super::words::verdict")]
    pub verdict: Verdict,
    /// When it was known.
    #[serde(rename = "at")]
    pub at_ns: u64,
    /// Why, if it is not a pass.
    #[serde(default)]
    pub diagnosis: Option<Diagnosis>,
    /// Why the run was over; nothing if the oracle decided or everything was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// By how much the tester looked too late at the worst, if that matters (real clock).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_ns: Option<u64>,
    /// What it took.
    #[serde(default)]
    pub statistics: Statistics,
    /// Variables that steering may change and whose changes could show in this run; only of one that passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
}

/// Why a run was over early.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ending {
    /// The cause: `stopped` by the user, or that of a system that broke down.
    #[serde(with = "super::words::cause")]
    pub cause: Cause,
    /// In words.
    #[serde(default)]
    pub words: String,
    /// The instant that the tester waited for when the system broke down; 0 if it was not waiting.
    #[serde(rename = "until", default, skip_serializing_if = "is_zero")]
    pub until_ns: u64,
    /// The name of the output that the system sent and must not send, if that is why it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

impl Ending {
    /// The end of a run, and why.
    #[must_use]
    pub fn new(cause: Cause, words: &str) -> Self {
        Self { cause, words: words.to_owned(), until_ns: 0, output: None }
    }
}

fn is_zero(ns: &u64) -> bool {
    *ns == 0
}

/// What a run took.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Statistics {
    /// Inputs sent.
    pub inputs: u64,
    /// Outputs seen.
    pub outputs: u64,
    /// Steps of a synchronous system.
    pub steps: u64,
    /// Readings of ports.
    pub readings: u64,
    /// How long the run was, by its clock.
    pub duration_ns: u64,
    /// What judging an input or output took.
    pub after_action: Cost,
    /// What judging a silence took.
    pub after_delay: Cost,
}

/// Sizes of state sets, and how long it took to compute them.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// How many times.
    pub n: u64,
    /// States afterwards, on average.
    pub mean_states: f64,
    /// States afterwards, at most.
    pub max_states: u64,
    /// Microseconds, on average.
    pub mean_us: f64,
    /// Microseconds, at most.
    pub max_us: f64,
}

impl Coverage {
    /// Adds what another run of the same specification exercised.
    pub fn merge(&mut self, other: &Coverage) {
        for (i, edge) in other.edges.iter().enumerate() {
            let is_same = |it: &EdgeCoverage| it.process == edge.process && it.edge == edge.edge;
            match position(&self.edges, i, is_same).map(|at| &mut self.edges[at]) {
                Some(mine) => {
                    mine.certain |= edge.certain;
                    mine.early = mine.early.saturating_add(edge.early);
                    mine.middle = mine.middle.saturating_add(edge.middle);
                    mine.late = mine.late.saturating_add(edge.late);
                }
                None => self.edges.push(edge.clone()),
            }
        }
        for (i, location) in other.locations.iter().enumerate() {
            let is_same = |it: &LocationCoverage| {
                it.process == location.process && it.location == location.location
            };
            match position(&self.locations, i, is_same).map(|at| &mut self.locations[at]) {
                Some(mine) => mine.visited |= location.visited,
                None => self.locations.push(location.clone()),
            }
        }
        for (i, it) in other.uses.iter().enumerate() {
            let is_same = |mine: &UseCoverage| {
                (&mine.variable, mine.defined, mine.used) == (&it.variable, it.defined, it.used)
            };
            match position(&self.uses, i, is_same).map(|at| &mut self.uses[at]) {
                Some(mine) => {
                    mine.certain |= it.certain;
                    mine.taken = mine.taken.saturating_add(it.taken);
                }
                None => self.uses.push(it.clone()),
            }
        }
    }

    /// Edges of a side that were taken, of all of that side.
    #[must_use]
    pub fn edges_of(&self, side: Side) -> (usize, usize) {
        let of = || self.edges.iter().filter(move |edge| edge.side == Some(side));
        (of().filter(|edge| edge.taken() > 0).count(), of().count())
    }

    /// Definitions that were used, of all pairs of a definition and a use.
    #[must_use]
    pub fn uses_taken(&self) -> (usize, usize) {
        (self.uses.iter().filter(|it| it.taken > 0).count(), self.uses.len())
    }

    /// Edges that were taken, of all; locations that were visited, of all.
    #[must_use]
    pub fn totals(&self) -> ((usize, usize), (usize, usize)) {
        let taken = self.edges.iter().filter(|edge| edge.taken() > 0).count();
        let visited = self.locations.iter().filter(|location| location.visited).count();
        ((taken, self.edges.len()), (visited, self.locations.len()))
    }
}

/// Where something is in a list. Runs of one specification list it in the same order, so it is
/// usually where it is `expected`.
fn position<T>(list: &[T], expected: usize, is_same: impl Fn(&T) -> bool) -> Option<usize> {
    match list.get(expected).is_some_and(&is_same) {
        true => Some(expected),
        false => list.iter().position(is_same),
    }
}

impl EdgeCoverage {
    /// How often the edge was taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.early.saturating_add(self.middle).saturating_add(self.late)
    }
}

/// What is written, kind by kind.
#[derive(Serialize)]
#[serde(untagged)]
enum Written<'l> {
    Header(&'l Header),
    Input {
        input: &'l str,
        values: &'l [Value],
        #[serde(flatten)]
        when: When,
    },
    Output {
        output: &'l str,
        values: &'l [Value],
        #[serde(flatten)]
        when: When,
    },
    Set {
        set: &'l Map<String, Value>,
        #[serde(flatten)]
        when: When,
    },
    Step {
        step: (&'l [Value], &'l [Value]),
        #[serde(flatten)]
        when: When,
    },
    Reading {
        reading: &'l Map<String, Value>,
        #[serde(flatten)]
        when: When,
    },
    Sending(&'l Sending),
    Said(&'l Said),
    Judged(&'l Judged),
    Steered(&'l Steered),
    Extra(&'l Extra),
    Delay {
        delay: u64,
        sets: Sets,
    },
    Window {
        window: &'l Window,
    },
    Choice {
        choice: &'l Value,
    },
    Restart {
        restart: u64,
    },
    Note {
        note: &'l str,
    },
    Coverage {
        coverage: &'l Coverage,
    },
    End(&'l End),
}

impl Serialize for Line {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match self {
            Line::Header(header) => Written::Header(header),
            Line::Event(event) => {
                let when = When {
                    from: event.from_ns,
                    to: event.to_ns,
                    device: event.device_ns,
                    sets: event.sets,
                };
                match &event.what {
                    What::Signal { direction: Direction::Input, name, values } => {
                        Written::Input { input: name, values, when }
                    }
                    What::Signal { direction: Direction::Output, name, values } => {
                        Written::Output { output: name, values, when }
                    }
                    What::Set(set) => Written::Set { set, when },
                    What::Step { inputs, outputs } => {
                        Written::Step { step: (inputs, outputs), when }
                    }
                    What::Reading(reading) => Written::Reading { reading, when },
                }
            }
            Line::Sending(sending) => Written::Sending(sending),
            Line::Said(said) => Written::Said(said),
            Line::Judged(judged) => Written::Judged(judged),
            Line::Steered(steered) => Written::Steered(steered),
            Line::Extra(extra) => Written::Extra(extra),
            Line::Delay(delay) => Written::Delay { delay: delay.to_ns, sets: delay.sets },
            Line::Window(window) => Written::Window { window },
            Line::Choice(choice) => Written::Choice { choice },
            Line::Restart(at) => Written::Restart { restart: *at },
            Line::Note(note) => Written::Note { note },
            Line::Coverage(coverage) => Written::Coverage { coverage },
            Line::End(end) => Written::End(end),
        };
        written.serialize(serializer)
    }
}

/// When something was exchanged, and what was possible then.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct When {
    from: u64,
    to: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device: Option<u64>,
    #[serde(default)]
    sets: Sets,
}

#[derive(Deserialize)]
struct ReadSignal {
    #[serde(alias = "input", alias = "output")]
    signal: String,
    #[serde(default)]
    values: Vec<Value>,
    #[serde(flatten)]
    when: When,
}

#[derive(Deserialize)]
struct ReadPorts {
    #[serde(alias = "set", alias = "reading")]
    ports: Map<String, Value>,
    #[serde(flatten)]
    when: When,
}

#[derive(Deserialize)]
struct ReadStep {
    step: (Vec<Value>, Vec<Value>),
    #[serde(flatten)]
    when: When,
}

#[derive(Deserialize)]
struct ReadDelay {
    delay: u64,
    #[serde(default)]
    sets: Sets,
}

#[derive(Deserialize)]
struct Keyed<T> {
    #[serde(alias = "window", alias = "choice", alias = "restart", alias = "note")]
    #[serde(alias = "coverage")]
    content: T,
}

/// All kinds, by the key that stands first.
const KINDS: [&str; 18] = [
    "input", "output", "delay", "set", "step", "reading", "sending", "said", "judged", "steered",
    "extra", "window", "choice", "restart", "note", "coverage", "verdict", "record",
];

impl Line {
    /// Reads a line. `None` is a line of a kind that this version does not know.
    ///
    /// # Errors
    /// What is wrong with the line, in words.
    pub fn parse(text: &[u8]) -> Result<Option<Line>, String> {
        kind(text)?.map(|kind| Self::parse_as(kind, text)).transpose()
    }

    /// Reads a line whose kind is known.
    pub(crate) fn parse_as(kind: &str, text: &[u8]) -> Result<Line, String> {
        Ok(match kind {
            "input" | "output" => {
                let ReadSignal { signal: name, values, when } = json(text)?;
                let is_input = kind == "input";
                let direction = if is_input { Direction::Input } else { Direction::Output };
                Self::event(What::Signal { direction, name, values }, when)?
            }
            "step" => {
                let ReadStep { step: (inputs, outputs), when } = json(text)?;
                Self::event(What::Step { inputs, outputs }, when)?
            }
            "set" => {
                let ReadPorts { ports, when } = json(text)?;
                Self::event(What::Set(ports), when)?
            }
            "reading" => {
                let ReadPorts { ports, when } = json(text)?;
                Self::event(What::Reading(ports), when)?
            }
            "sending" => Line::Sending(json(text)?),
            "said" => Line::Said(json(text)?),
            "judged" => Line::Judged(json(text)?),
            "steered" => Line::Steered(json(text)?),
            "extra" => Line::Extra(json(text)?),
            "delay" => {
                let delay: ReadDelay = json(text)?;
                Line::Delay(Delay { to_ns: delay.delay, sets: delay.sets })
            }
            "window" => Line::Window(content(text)?),
            "choice" => Line::Choice(content(text)?),
            "restart" => Line::Restart(content(text)?),
            "note" => Line::Note(content(text)?),
            "coverage" => Line::Coverage(content(text)?),
            "verdict" => Line::End(Box::new(json(text)?)),
            _ => Line::Header(Box::new(json(text)?)),
        })
    }
}

impl Line {
    fn event(what: What, when: When) -> Result<Line, String> {
        let When { from, to, device, sets } = when;
        if from > to {
            return Err(format!("`from` ({from}) is after `to` ({to})"));
        }
        Ok(Line::Event(Event { what, from_ns: from, to_ns: to, device_ns: device, sets }))
    }
}

/// The kind of a line, by its first key; by any key where a tool has sorted them.
pub(crate) fn kind(text: &[u8]) -> Result<Option<&'static str>, String> {
    if let Some(kind) = first_key(text).and_then(known) {
        return Ok(Some(kind));
    }
    let object: serde_json::Map<String, Value> = json(text)?;
    Ok(KINDS.into_iter().find(|kind| object.contains_key(*kind)))
}

/// The first key, if it is written without escapes.
fn first_key(text: &[u8]) -> Option<&[u8]> {
    let text =
        text.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = text.iter().position(|byte| *byte == b'"')?;
    Some(&text[..end])
}

fn known(key: &[u8]) -> Option<&'static str> {
    KINDS.into_iter().find(|kind| kind.as_bytes() == key)
}

fn content<T: serde::de::DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    json::<Keyed<T>>(text).map(|keyed| keyed.content)
}

fn json<T: serde::de::DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|error| {
        // The line is known; the place in it is enough.
        let text = error.to_string();
        let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
        format!("{message}, at character {}", error.column())
    })
}
