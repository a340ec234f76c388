//! What use cases come to: scenarios with objects and values, links to automata, and the chain from a sentence to a check.
//!
//! These types are also what `--json` prints: names of fields are a promise to scripts.

use serde::Serialize;

/// All that was derived of a folder.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Derived {
    /// The folder.
    pub folder: String,
    /// The scenarios, in order.
    pub scenarios: Vec<Scenario>,
    /// What no scenario covers.
    pub uncovered: Vec<Uncovered>,
    /// Edges of automata that wait for a scenario, and those that nothing is linked to; empty without automata.
    pub events: Vec<Event>,
    /// Names of scenarios that can not happen, since no state leads to what they need.
    pub unreached: Vec<String>,
    /// State that no automaton keeps, what was left out of the model, and where time may stop, as sentences.
    pub notes: Vec<String>,
    /// How much was written by hand, and how much was derived; none without automata.
    pub drawing: Option<Drawing>,
    /// From each sentence to all that it leads to.
    pub chain: Vec<Chain>,
}

/// A scenario.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Scenario {
    /// Its name, which is that of its automaton, too.
    pub name: String,
    /// The use case that it begins with.
    pub use_case: String,
    /// The flows that it goes through, each once.
    pub flows: Vec<String>,
    /// What it covers that no earlier one does.
    pub covers: Vec<String>,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// What the tester gives, in order: before it begins (`setup`), and in its steps (`input`).
    pub inputs: Vec<Assigned>,
    /// What is so before it begins.
    pub state: Vec<Assigned>,
    /// What it makes so.
    pub outputs: Vec<Assigned>,
    /// When it can be taken, with these inputs: all of these.
    pub needs: Vec<Need>,
    /// What it changes: the variable, and what it becomes.
    pub sets: Vec<Assigned>,
    /// The objects with their values.
    pub objects: Vec<Object>,
    /// Which objects belong together, as `A.role: B`.
    pub links: Vec<String>,
    /// Sentences of the path that have no constraint yet.
    pub open: Vec<String>,
}

/// A step of a scenario.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Step {
    /// How many use cases include the one of this step.
    pub depth: u32,
    /// The flow, as the text calls it.
    pub flow: String,
    /// The number of the step in its flow.
    pub number: u32,
    /// What happens, on one line.
    pub text: String,
    /// `done`, `holds` or `fails`.
    pub outcome: String,
    /// The file that the step stands in.
    pub file: String,
    /// The line that the step stands in.
    pub line: u32,
}

/// A value of an attribute.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Assigned {
    /// How people call the attribute: `TemperatureSensor.value`.
    pub name: String,
    /// The value, or the expression for it.
    pub value: String,
    /// `setup`, `input`, `state` or `output`.
    pub kind: String,
    /// The sentences that it is there for.
    pub because: Vec<String>,
}

/// A condition on the state before a scenario.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Need {
    /// The condition.
    pub condition: String,
    /// The sentence or invariant that asks for it.
    pub because: String,
}

/// An object.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: String,
    /// The values that matter, as `attribute = value`.
    pub values: Vec<String>,
}

/// Something that no scenario covers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Uncovered {
    /// The flow, or the outcome of a condition.
    pub what: String,
    /// Why it is not covered, on one line.
    pub why: String,
    /// What contradicts: without any of these, the others can hold.
    pub contradiction: Vec<Claim>,
    /// The file that it stands in.
    pub file: String,
    /// The line that it stands in.
    pub line: u32,
}

/// Something that is claimed to hold or not.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Claim {
    /// The sentence, or the condition of an invariant.
    pub text: String,
    /// Whether it has to hold.
    pub holds: bool,
    /// The file that it stands in; empty for the range of an attribute.
    pub file: String,
    /// The line that it stands in.
    pub line: u32,
}

/// An edge that waits for a scenario.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Event {
    /// The event, a channel that nobody sends.
    pub event: String,
    /// The edge, as `Process: A -> B`.
    pub edge: String,
    /// What the edge changes, clocks aside, as `TemperatureError.isDetected = true`.
    pub updates: Vec<String>,
    /// The scenarios that dispatch it.
    pub scenarios: Vec<String>,
    /// Why none does, with the nearest one; empty if some do.
    pub why: String,
}

/// How much of a model somebody drew, and how much was derived.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Drawing {
    /// What people drew.
    pub by_hand: Count,
    /// What the derived model has.
    pub derived: Count,
}

/// How much there is in a model.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Count {
    pub automata: usize,
    pub locations: usize,
    pub edges: usize,
    pub guards: usize,
}

/// From a sentence to what it leads to. A sentence has a row for each edge, case that takes the edge, and check behind it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
pub struct Chain {
    /// The file that the sentence stands in.
    pub file: String,
    /// The line that the sentence stands in.
    pub line: u32,
    /// The sentence.
    pub sentence: String,
    /// A scenario that goes through it; empty if there is none.
    pub scenario: String,
    /// An edge that the scenario fires; empty if there is none, or if the path of the case does not say that it fires one.
    pub edge: String,
    /// A case in which the scenario fires the edge; empty if there is none, or no suite was given.
    pub case: String,
    /// A check of the case behind the scenario: `check 2`; empty if there is none.
    pub check: String,
}
