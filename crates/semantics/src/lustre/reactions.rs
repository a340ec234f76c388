//! What steps of a program do, by what they look at.
//!
//! A step looks at some inputs, one after the other, and which one is next depends on the values of those before. So the steps from a
//! state are a tree: at each node an input, below it a branch for each of its values, and at the leaves what the step does.
//! On the way to a leaf, outputs become known one after the other: whoever minds only some values of an output need not go on from where it has another one.
//! [`Reactions`] grows these trees as they are asked for, and takes each step of the program only once. States, and what
//! is written and looked at, have numbers: two are the same if and only if their numbers are.

use std::rc::Rc;

use punctual_model::lustre::Value;
use punctual_model::{Id, VarId};
use rustc_hash::FxHashMap;

use super::machine::Machine;
use super::state::State;
use super::stepper::Stepper;

/// The number of a state of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateNumber(u32);

/// A place in the tree of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Spot(u32);

/// What a step does. Two are equal if and only if the steps look at the same inputs in the same order, write the same, and come to the same state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reaction {
    looked_at: u32,
    written: u32,
    /// The state after the step.
    pub after: StateNumber,
}

/// What is known at a spot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// Nothing yet: [`Reactions::learn`] finds it out.
    Nothing,
    /// The step looks at an input: its position among the inputs of the program.
    Looks(usize),
    /// The step is over.
    Does(Reaction),
    /// The step has no result.
    Stuck,
}

/// The trees of a program.
pub struct Reactions<'m> {
    stepper: Stepper<'m>,
    inputs: Vec<VarId>,
    /// For each variable, its position among the inputs.
    places: Vec<Option<usize>>,
    outputs: Vec<VarId>,
    states: Numbers<State>,
    written: Numbers<Vec<Value>>,
    looked_at: Numbers<Vec<usize>>,
    roots: FxHashMap<StateNumber, Spot>,
    nodes: Vec<Node>,
    after: State,
    n_steps: usize,
}

struct Node {
    known: Known,
    branches: Vec<(Value, Spot)>,
    /// Outputs that are known here and not at the node above: their positions among the outputs of the program, and their values.
    written: Vec<(usize, Value)>,
}

/// Things, each of them once.
struct Numbers<T> {
    all: Vec<Rc<T>>,
    numbers: FxHashMap<Rc<T>, u32>,
}

impl<T: Eq + std::hash::Hash + Clone> Numbers<T> {
    fn of(&mut self, it: &T) -> u32 {
        if let Some(number) = self.numbers.get(it) {
            return *number;
        }
        let number = u32::try_from(self.all.len()).expect("fewer than 2^32 things");
        let it = Rc::new(it.clone());
        self.all.push(Rc::clone(&it));
        self.numbers.insert(it, number);
        number
    }
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers { all: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<'m> Reactions<'m> {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(machine: &'m Machine) -> Reactions<'m> {
        let program = machine.program();
        let inputs: Vec<VarId> = program.inputs().collect();
        let mut places = vec![None; program.vars.len()];
        inputs.iter().enumerate().for_each(|(at, var)| places[var.index()] = Some(at));
        Reactions {
            stepper: Stepper::new(machine),
            inputs,
            places,
            outputs: program.outputs().collect(),
            states: Numbers::default(),
            written: Numbers::default(),
            looked_at: Numbers::default(),
            roots: FxHashMap::default(),
            nodes: Vec::new(),
            after: machine.start(),
            n_steps: 0,
        }
    }

    /// The number of a state.
    pub fn number(&mut self, state: &State) -> StateNumber {
        StateNumber(self.states.of(state))
    }

    /// What a reaction writes: a value for each output of the program.
    #[must_use]
    pub fn written(&self, reaction: Reaction) -> &Rc<Vec<Value>> {
        &self.written.all[reaction.written as usize]
    }

    /// The positions of the inputs that it looks at, in that order.
    #[must_use]
    pub fn looked_at(&self, reaction: Reaction) -> &[usize] {
        &self.looked_at.all[reaction.looked_at as usize]
    }

    /// How many steps of the program were taken.
    #[must_use]
    pub fn n_steps(&self) -> usize {
        self.n_steps
    }

    /// How many nodes all trees have.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets all trees, but no number.
    pub fn forget(&mut self) {
        self.roots.clear();
        self.nodes.clear();
    }

    /// What a step does from a state with a value for each input of the program; none if it has no result.
    pub fn react(&mut self, from: StateNumber, row: &[Value]) -> Option<Reaction> {
        let mut spot = self.root(from);
        loop {
            match self.known(spot) {
                Known::Nothing => self.learn(from, row),
                Known::Looks(input) => spot = self.branch(spot, row[input]),
                Known::Does(reaction) => return Some(reaction),
                Known::Stuck => return None,
            }
        }
    }

    /// Where the steps from a state begin.
    pub fn root(&mut self, from: StateNumber) -> Spot {
        if let Some(spot) = self.roots.get(&from) {
            return *spot;
        }
        let spot = self.unknown();
        self.roots.insert(from, spot);
        spot
    }

    /// What is known at a spot.
    #[must_use]
    pub fn known(&self, spot: Spot) -> Known {
        self.nodes[spot.0 as usize].known
    }

    /// Where it goes on if the input at a spot has a value.
    pub fn branch(&mut self, spot: Spot, value: Value) -> Spot {
        let branches = &self.nodes[spot.0 as usize].branches;
        if let Some((_, next)) = branches.iter().find(|(it, _)| *it == value) {
            return *next;
        }
        let next = self.unknown();
        self.nodes[spot.0 as usize].branches.push((value, next));
        next
    }

    /// The outputs that are known at a spot and not at the one above: their positions among the outputs of the program, and their values. All steps through
    /// the spot write these. An output whose value may still change is not among them.
    #[must_use]
    pub fn written_by(&self, spot: Spot) -> &[(usize, Value)] {
        &self.nodes[spot.0 as usize].written
    }

    /// Takes a step of the program, and adds all that it shows to the tree.
    pub fn learn(&mut self, from: StateNumber, row: &[Value]) {
        self.n_steps += 1;
        for (var, value) in self.inputs.iter().zip(row) {
            self.stepper.set(*var, *value);
        }
        let state = Rc::clone(&self.states.all[from.0 as usize]);
        let has_result = self.stepper.step_lazily(&state, &mut self.after).is_ok();
        let looked_at = self.stepper.looked_at().iter().filter_map(|it| self.places[it.index()]);
        let looked_at: Vec<usize> = looked_at.collect();
        let mut spot = self.root(from);
        let mut way = vec![spot];
        for input in &looked_at {
            self.nodes[spot.0 as usize].known = Known::Looks(*input);
            spot = self.branch(spot, row[*input]);
            way.push(spot);
        }
        let known = match has_result {
            false => Known::Stuck,
            true => {
                let written: Vec<Value> =
                    self.outputs.iter().map(|var| self.stepper.value(*var)).collect();
                self.mark(&way, &written);
                Known::Does(Reaction {
                    looked_at: self.looked_at.of(&looked_at),
                    written: self.written.of(&written),
                    after: StateNumber(self.states.of(&self.after)),
                })
            }
        };
        self.nodes[spot.0 as usize].known = known;
    }

    /// Notes along the way of the last step where each output became known.
    fn mark(&mut self, way: &[Spot], written: &[Value]) {
        way.iter().for_each(|spot| self.nodes[spot.0 as usize].written.clear());
        for (output, (value, after)) in written.iter().zip(self.stepper.known_after()).enumerate() {
            self.nodes[way[*after].0 as usize].written.push((output, *value));
        }
    }

    fn unknown(&mut self) -> Spot {
        let spot = Spot(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        let (branches, written) = (Vec::new(), Vec::new());
        self.nodes.push(Node { known: Known::Nothing, branches, written });
        spot
    }
}
