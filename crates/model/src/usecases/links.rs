//! How automata and scenarios belong together: who keeps which state, and which scenarios dispatch which events.
//!
//! Ids of processes, variables, channels and edges are those of the network that engineers drew, not of one that was derived from it.

use crate::{AttributeId, ChannelId, ClassId, EdgeId, Expr, ProcessId, ScenarioId, VariableId};

/// What links the automata of a folder with its scenarios.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    /// The automata, in the order of the network.
    pub automata: Vec<Automaton>,
    /// The state: first what automata keep, in the order of the network, then what else scenarios need or change, in the order in which they speak of it.
    /// Each attribute of an object is there once. An input that nobody asks for later is no state.
    pub state: Vec<Kept>,
    /// The edges that wait for a scenario event, in the order of the network.
    pub events: Vec<EventEdge>,
}

/// An automaton, and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The process.
    pub process: ProcessId,
    /// The class that it belongs to; none if no class has the name of the process or of its template.
    pub class: Option<ClassId>,
    /// What the automaton says.
    pub side: AutomatonSide,
    /// Its variables, clocks and constants aside.
    pub variables: Vec<AutomatonVariable>,
}

/// What an automaton is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AutomatonSide {
    /// It says what the system must do.
    Requirement,
    /// It says what the system is exposed to: it sends, no scenario has to do with it, and it receives nothing but what requirement automata send.
    Environment,
}

/// A variable of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomatonVariable {
    /// The variable.
    pub variable: VariableId,
    /// The attribute that it keeps, or why it keeps none.
    pub attribute: Result<AttributeId, NoAttribute>,
}

/// Why a variable keeps no attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoAttribute {
    /// Its automaton belongs to no class.
    NoClass,
    /// The class has no attribute of this name.
    Name,
    /// The attribute is of another type, or has values that the variable has no room for.
    Type,
    /// It is a real number, and the settings have no scale for it.
    Scale,
    /// The class has several objects or several automata, and no object has the name of the process.
    Several,
}

/// A piece of state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The class of its object.
    pub class: ClassId,
    /// Which object of the class, counted from 0.
    pub number: u32,
    /// The attribute of the object.
    pub attribute: AttributeId,
    /// How people call it: `TemperatureError.isQualified`.
    pub name: String,
    /// Who keeps it.
    pub keeper: Keeper,
}

/// Who keeps a piece of state from scenario to scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Keeper {
    /// A variable of an automaton.
    Automaton(ProcessId, VariableId),
    /// No automaton, but some scenario changes it.
    Scenarios,
    /// Nobody: the tester sets it up before each scenario that needs it.
    Tester,
}

/// An edge that waits for a scenario event: a channel that some automaton receives and none sends.
#[derive(Clone, Debug, PartialEq)]
pub struct EventEdge {
    /// The event.
    pub channel: ChannelId,
    /// The process of the edge.
    pub process: ProcessId,
    /// The edge.
    pub edge: EdgeId,
    /// What the edge sets, clocks aside, each variable once.
    pub updates: Vec<Update>,
    /// Who dispatches the event.
    pub by: Dispatch,
}

/// An attribute that an edge sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// What is set: a position in [`Links::state`]; none if it is no attribute.
    pub state: Option<u32>,
    /// What people call it.
    pub name: String,
    /// What the variable becomes: a constant, or an expression over variables as they are when the update is made.
    pub to: Expr,
}

/// Who dispatches an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dispatch {
    /// These scenarios, at least one: each sets all that the edge sets, or may do so. Where a value is computed, the edge fires if the values are the same.
    Scenarios(Vec<ScenarioId>),
    /// No scenario: the edge is not linked, and nothing fires it.
    Nobody {
        /// Why no scenario does.
        why: NotLinked,
        /// The scenario that sets most of what the edge sets, if one sets anything of it.
        nearest: Option<Nearest>,
    },
}

/// Why no scenario dispatches an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotLinked {
    /// The edge sets nothing but clocks.
    NoUpdate,
    /// An update of the edge can not be compared with what scenarios set: it calls a function, is left to chance, or sets something twice.
    NotComparable,
    /// The edge chooses its channel while the model runs.
    SeveralChannels,
    /// The edge sets something that is no attribute.
    NoAttribute,
    /// No scenario sets all that the edge sets.
    NoScenario,
}

/// The scenario that comes nearest to what an edge sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The scenario.
    pub scenario: ScenarioId,
    /// The updates of the edge that it does not make: positions in [`EventEdge::updates`].
    pub missing: Vec<u32>,
}

impl Links {
    /// The state of an attribute of an object, by its position in [`Links::state`].
    #[must_use]
    pub fn kept(&self, class: ClassId, number: u32, attribute: AttributeId) -> Option<usize> {
        let is_it = |it: &Kept| (it.class, it.number, it.attribute) == (class, number, attribute);
        self.state.iter().position(is_it)
    }

    /// The state that a variable of an automaton keeps.
    #[must_use]
    pub fn kept_by(&self, variable: VariableId) -> Option<usize> {
        let is_it = |it: &Kept| matches!(it.keeper, Keeper::Automaton(_, of) if of == variable);
        self.state.iter().position(is_it)
    }

    /// The edges that some scenario fires.
    pub fn linked(&self) -> impl Iterator<Item = (&EventEdge, &[ScenarioId])> {
        self.events.iter().filter_map(|it| match &it.by {
            Dispatch::Scenarios(scenarios) => Some((it, scenarios.as_slice())),
            Dispatch::Nobody { .. } => None,
        })
    }
}
