//! One step: which allowed changes of its inputs bring the model nearest to the system?
//!
//! `pieces.rs` finds those that make the step match, cheapest first, whatever their number.
//! Where it can not (conditions on several variables, costs that depend on the step before), and to
//! find the nearest step if none matches, `enumerate.rs` tries all changes, branching only on inputs
//! that the step reads, and `solve.rs` asks a solver when there are too many. What a solver finds is
//! run before it counts.

mod enumerate;
mod inert;
mod need;
mod pieces;
mod silent;
mod solve;
mod terms;
mod whole;

use std::cmp::Ordering;

use num_traits::Zero;
use punctual_model::lustre::{Rational, Seen, Type, Value};
use punctual_model::{Id, VarId};
use punctual_semantics::lustre::{Around, Failure, State, Stepper};
use rustc_hash::FxHashMap;

use super::doubt::{Doubt, Obstacle};
use super::exact;
use super::metric::is_match;
use super::oracle::Oracle;
use super::outcome::Effort;
use super::policy::{self, Cost};
use super::tolerance::domain::{Domain, from_cell, to_cell};
use super::tolerance::{Bench, Choice, Views};
pub(super) use need::{Held, Need};
pub(super) use silent::Silent;
pub(super) use whole::{Refuted, Whole};

/// A step that the model can take.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// Which steerable inputs are changed, by position, and to what. In order.
    pub(super) changes: Vec<(usize, Value)>,
    /// How far the outputs are from the system's, and what the changes cost.
    pub(super) cost: Cost,
    /// By how many units the inputs are changed.
    pub(super) units: Rational,
    /// Whether it breaks an assertion of the model; only the step as it is may.
    pub(super) is_unassumed: bool,
    /// The state after the step.
    pub(super) after: State,
}

impl Leaf {
    /// Better ones first: near, cheap, small, and of those the lesser inputs in order. `original` has
    /// the steerable inputs as they were.
    fn rank(&self, other: &Leaf, original: &[Value]) -> Ordering {
        let value = |leaf: &Leaf, at: usize| {
            let change = leaf.changes.iter().find(|(changed, _)| *changed == at);
            change.map_or(original[at], |(_, to)| *to).as_rational()
        };
        let by_value = || {
            let mut all = (0..original.len()).map(|at| value(self, at).cmp(&value(other, at)));
            all.find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
        };
        (self.cost.cmp(&other.cost)).then_with(|| self.units.cmp(&other.units)).then_with(by_value)
    }
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    /// The best step, and no other.
    Best,
    /// All steps that are as near as the nearest one.
    Nearest,
    /// The nearest steps in which at most one variable is changed; a solver may give others, too.
    Single,
}

/// The values that steerable inputs may have in a step.
#[derive(Clone, Debug)]
struct Room {
    /// The value of each variable that is tried first: the original one if it is allowed.
    base: Vec<Value>,
    /// The cells that each variable may have, as ranges; None for a real of any value.
    ranges: Vec<Option<Vec<(i64, i64)>>>,
    /// The cells of each variable to try, nearest first; None if there are too many.
    cells: Vec<Option<Vec<i64>>>,
}

/// Searches steps; the working memory of one thread.
pub(super) struct Searcher<'o> {
    oracle: &'o Oracle,
    stepper: Stepper<'o>,
    bench: Bench<'o>,
    around: Around,
    after: State,
    /// The inputs of the test and the row of the system, in this step.
    inputs: Vec<Value>,
    system: Vec<Value>,
    /// The compared values of the system in this step.
    target: Vec<Value>,
    /// Values of the model before it was steered, by variable, as far as tolerances speak of them.
    originals: Vec<Option<Value>>,
    original_vars: Vec<VarId>,
    /// The allowed values in this step, once computed, if they do not depend on the state.
    room: Option<Option<Room>>,
    /// The running solver; None before the first question.
    asker: Option<solve::Asker<'o>>,
    /// The answers of the solver so far: the same situation comes back in many tests.
    known: FxHashMap<Situation, Searched>,
    /// How much was searched since it was last reset.
    pub(super) effort: Effort,
}

/// All that the answer of a solver depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Situation {
    state: State,
    inputs: Vec<Rational>,
    system: Vec<Rational>,
    wanted: Wanted,
    last: Vec<Option<Rational>>,
    held: Held,
    directions: Vec<Ordering>,
    exact_only: bool,
}

/// The answer of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Searched {
    /// The steps that were found.
    pub(super) leaves: Vec<Leaf>,
    /// Why there may be others that are wanted.
    pub(super) doubt: Doubt,
    /// Whether the step as it is breaks an assertion of the model.
    pub(super) is_outside: bool,
    /// Why the model can not take the step as it is; None if it can. Then the steps that were found match.
    pub(super) stopped: Option<Failure>,
}

/// The number of answers of the solver that are kept.
const KNOWN_MAX: usize = 100_000;

impl<'o> Searcher<'o> {
    pub(super) fn new(oracle: &'o Oracle) -> Searcher<'o> {
        let is_input = |var: VarId| oracle.inputs.contains(&var);
        let original = |seen: &Seen| match *seen {
            Seen::Original(var) if !is_input(var) => Some(var),
            _ => None,
        };
        let locals = oracle.setup.steerable.iter().copied().filter(|var| !is_input(*var));
        Searcher {
            oracle,
            stepper: Stepper::new(&oracle.machine),
            bench: Bench::new(&oracle.rules),
            around: Around::default(),
            after: oracle.machine.start(),
            inputs: Vec::new(),
            system: Vec::new(),
            target: Vec::new(),
            originals: vec![None; oracle.opened.program.vars.len()],
            original_vars: (oracle.setup.tolerances.seen.iter())
                .filter_map(original)
                .chain(locals)
                .collect(),
            room: None,
            asker: None,
            known: FxHashMap::default(),
            effort: Effort::default(),
        }
    }

    /// Sets the inputs of the test and the row of the system for the searches that follow.
    pub(super) fn begin(&mut self, inputs: &[Value], system: &[Value]) {
        self.inputs.clear();
        self.inputs.extend_from_slice(inputs);
        self.system.clear();
        self.system.extend_from_slice(system);
        self.target.clear();
        // A sample that was lost has no values: then everything matches.
        let target = self.oracle.compared_columns.iter();
        self.target.extend(target.filter_map(|column| system.get(*column).copied()));
        self.room = None;
        for (var, value) in self.oracle.inputs.iter().zip(inputs) {
            self.originals[var.index()] = Some(*value);
        }
    }

    /// The step of the model as it is.
    pub(super) fn unsteered(&mut self, state: &State) -> Result<Leaf, Obstacle> {
        self.restore();
        self.stepper.step(state, &mut self.after).map_err(Obstacle::Model)?;
        for var in &self.original_vars {
            self.originals[var.index()] = Some(self.stepper.value(*var));
        }
        let dissimilarity = self.dissimilarity();
        Ok(Leaf {
            changes: Vec::new(),
            cost: Cost { dissimilarity, change: Rational::zero() },
            units: Rational::zero(),
            is_unassumed: self.is_unassumed(),
            after: self.after.clone(),
        })
    }

    /// The step of the model with changed inputs, however they were found. None if they are not
    /// allowed.
    pub(super) fn steered(
        &mut self,
        state: &State,
        changes: &[(usize, Value)],
        last: &[Option<Rational>],
    ) -> Option<Leaf> {
        self.restore();
        for (at, value) in changes {
            self.stepper.set(self.oracle.opened.steered[*at], *value);
        }
        self.stepper.step(state, &mut self.after).ok()?;
        let system = observed(self.oracle, &self.system);
        let views = Views {
            new: &|var| self.stepper.value(var),
            original: &|var| self.originals[var.index()].unwrap_or(Value::Bool(false)),
            system: &system,
        };
        if !self.bench.holds(views) || !self.stepper.is_assumed() {
            return None;
        }
        Some(self.leaf(changes.to_vec(), last))
    }

    /// The value of a steerable variable in the step that was just taken.
    pub(super) fn steered_value(&self, at: usize) -> Value {
        self.stepper.value(self.oracle.setup.steerable[at])
    }

    /// The value of a steerable variable in the last step that was taken as it is.
    pub(super) fn original_value(&self, at: usize) -> Option<Value> {
        self.originals[self.oracle.setup.steerable[at].index()]
    }

    /// Whether the step that was just taken breaks an assertion of the model, and which of its properties.
    pub(super) fn broken(&self) -> (bool, Vec<usize>) {
        let program = self.oracle.program();
        let violated = (0..program.properties.len()).filter(|at| !self.stepper.property(*at));
        (self.is_unassumed(), violated.collect())
    }

    /// Whether the step that was just taken breaks an assertion of the model. Conditions of tolerances come behind these.
    fn is_unassumed(&self) -> bool {
        let n_assertions = self.oracle.program().assertions.len();
        !self.stepper.is_assumed() && (0..n_assertions).any(|at| !self.stepper.assertion(at))
    }

    /// Compared variables that differ after the last step: of the model, of the system.
    pub(super) fn differences(&self) -> Vec<(VarId, Value, Value)> {
        let compared = &self.oracle.setup.compared;
        let of = compared.iter().zip(&self.target);
        of.map(|(var, system)| (*var, self.stepper.value(*var), *system))
            .zip(&self.oracle.setup.metric.scales)
            .filter(|((_, model, system), scale)| !scale.is_equal(*model, *system))
            .map(|(it, _)| it)
            .collect()
    }

    /// The steps that can be taken from a state: the best one, or all that match, of several that
    /// differ in nothing that matters the cheapest. The unsteered step is among them if it matches,
    /// or if nothing else is known.
    ///
    /// # Errors
    /// If nothing can be said of the steps from this state.
    pub(super) fn search(&mut self, state: &State, need: Need<'_>) -> Result<Searched, Obstacle> {
        let unsteered = match self.unsteered(state) {
            Ok(unsteered) => Ok(unsteered),
            // Tolerances may speak of values that this step does not have then.
            Err(Obstacle::Model(failure)) if self.original_vars.is_empty() => Err(failure),
            Err(obstacle) => return Err(obstacle),
        };
        let is_outside = unsteered.as_ref().is_ok_and(|it| it.is_unassumed);
        let (unsteered, stopped) = (unsteered.as_ref().ok().cloned(), unsteered.err());
        if let Some(unsteered) = &unsteered
            && need.wanted == Wanted::Best
            && is_match(unsteered.cost.dissimilarity)
        {
            let leaves = vec![unsteered.clone()];
            return Ok(Searched { leaves, is_outside, ..Searched::default() });
        }
        self.effort.queries += 1;
        let original = self.oracle.steered_inputs.iter().map(|at| self.inputs[*at]).collect();
        let mut found = enumerate::Found::new(need.wanted, unsteered, original);
        let exact_only = need.exact_only || self.oracle.setup.policy.exact_only;
        let mut doubt = Doubt::default();
        if let Some(room) = self.room() {
            let hunted = self.hunt(state, need, &room, &mut found);
            let has_enough = need.wanted != Wanted::Best || found.n_matches() > 0;
            match hunted {
                // All steps that match are known: the nearest step is of interest if there is none.
                Some(hunted) if has_enough || (hunted.is_complete() && exact_only) => {
                    doubt = hunted;
                }
                Some(hunted) if hunted.is_cost_bounded() => doubt = hunted,
                // The best step is worth a question to the solver, others are not.
                _ if self.enumerate(state, need, &room, &mut found) => {}
                _ => doubt = self.solve_or_recall(state, need, &room, &mut found)?,
            }
        }
        let leaves = found.into_leaves(exact_only || stopped.is_some());
        Ok(Searched { leaves, doubt, is_outside, stopped })
    }

    /// Adds what the solver finds, which is asked only if it was not asked before; gives its doubt.
    fn solve_or_recall(
        &mut self,
        state: &State,
        need: Need<'_>,
        room: &Room,
        found: &mut enumerate::Found,
    ) -> Result<Doubt, Obstacle> {
        let numbers = |row: &[Value]| row.iter().map(|it| it.as_rational()).collect();
        let situation = Situation {
            state: state.clone(),
            inputs: numbers(&self.inputs),
            system: numbers(&self.system),
            wanted: need.wanted,
            last: need.last.to_vec(),
            held: need.held,
            directions: need.directions.to_vec(),
            exact_only: need.exact_only,
        };
        if let Some(answer) = self.known.get(&situation) {
            answer.leaves.iter().for_each(|leaf| found.add(leaf.clone()));
            return Ok(answer.doubt.clone());
        }
        self.effort.solved += 1;
        let answer = self.solve(state, need, room, found)?;
        answer.leaves.iter().for_each(|leaf| found.add(leaf.clone()));
        let doubt = answer.doubt.clone();
        if self.known.len() < KNOWN_MAX {
            self.known.insert(situation, answer);
        }
        Ok(doubt)
    }

    /// The values that tolerances allow in this step; None if they allow no step, or are about a sample that was lost.
    fn room(&mut self) -> Option<Room> {
        let is_system = |seen: &Seen| matches!(seen, Seen::System(_));
        if self.system.is_empty() && self.oracle.setup.tolerances.seen.iter().any(is_system) {
            return None;
        }
        if let Some(room) = &self.room {
            return room.clone();
        }
        let room = self.make_room();
        if !self.oracle.rules.needs_original && !self.oracle.has_locals() {
            self.room = Some(room.clone());
        }
        room
    }

    fn make_room(&mut self) -> Option<Room> {
        let oracle = self.oracle;
        let system = observed(oracle, &self.system);
        let views = Views {
            new: &|var| self.originals[var.index()].unwrap_or(Value::Bool(false)),
            original: &|var| self.originals[var.index()].unwrap_or(Value::Bool(false)),
            system: &system,
        };
        let mut choices =
            self.bench.choices(&oracle.setup.steerable, &oracle.all_choices, views)?;
        if oracle.has_locals() {
            // What may be added to a local follows from what it may be, unless other changes of the step move it, too.
            let hulls = self.bench.hulls(&oracle.setup.steerable, views);
            let is_still = |at: &usize| oracle.is_local(*at) && !oracle.following[*at];
            for (at, choice) in choices.iter_mut().enumerate().filter(|(at, _)| is_still(at)) {
                let from = self.originals[oracle.setup.steerable[at].index()];
                if let (Choice::Cells(cells), Some(from @ Value::Int(_))) = (choice, from) {
                    let by = |end: Option<Rational>| {
                        end.map(|it| exact::difference(it, from.as_rational()))
                    };
                    let low = by(hulls[at].0).map_or(i128::MIN, exact::ceiling);
                    let high = by(hulls[at].1).map_or(i128::MAX, exact::floor);
                    *cells = cells.meet(&Domain::between(low, high));
                }
            }
        }
        let most = oracle.setup.limits.enumerated;
        let mut room = Room { base: Vec::new(), ranges: Vec::new(), cells: Vec::new() };
        for (at, choice) in choices.iter().enumerate() {
            let original = self.inputs[oracle.steered_inputs[at]];
            let ty = oracle.program().vars[oracle.setup.steerable[at]].ty;
            match choice {
                Choice::Cells(domain) => {
                    let cell = to_cell(original);
                    room.base.push(from_cell(ty, domain.closest(cell)?));
                    room.ranges.push(Some(domain.ranges().to_vec()));
                    let few = domain.count(most + 1) <= most;
                    room.cells.push(few.then(|| domain.nearest(cell)));
                }
                Choice::Point(point) => {
                    room.base.push(Value::Real(*point));
                    let cell = to_cell(original);
                    room.ranges.push(Some(vec![(cell, cell)]));
                    room.cells.push(Some(Vec::new()));
                }
                Choice::Wide => {
                    room.base.push(original);
                    room.ranges.push(None);
                    room.cells.push(None);
                }
            }
        }
        Some(room)
    }

    /// The least and the greatest value that tolerances leave to each steerable variable in this step; None where
    /// there is no bound, or where it depends on other variables.
    pub(super) fn bounds(&mut self) -> Vec<(Option<Value>, Option<Value>)> {
        let oracle = self.oracle;
        let Some(room) = self.room() else {
            return vec![(None, None); oracle.setup.steerable.len()];
        };
        let system = observed(oracle, &self.system);
        let views = Views {
            new: &|var| self.originals[var.index()].unwrap_or(Value::Bool(false)),
            original: &|var| self.originals[var.index()].unwrap_or(Value::Bool(false)),
            system: &system,
        };
        let hulls = self.bench.hulls(&oracle.setup.steerable, views);
        let of = |at: usize| match (type_of(oracle, at), &room.ranges[at]) {
            (Type::Int, Some(_)) if oracle.is_local(at) => {
                let whole = |it: Option<Rational>| {
                    it.and_then(|it| i64::try_from(it.to_integer()).ok()).map(Value::Int)
                };
                (whole(hulls[at].0), whole(hulls[at].1))
            }
            (Type::Int, Some(ranges)) => {
                let (low, high) = (ranges.first().map(|it| it.0), ranges.last().map(|it| it.1));
                let whole =
                    |it: Option<i64>, none: i64| it.filter(|it| *it != none).map(Value::Int);
                (whole(low, i64::MIN), whole(high, i64::MAX))
            }
            (Type::Real, _) => (hulls[at].0.map(Value::Real), hulls[at].1.map(Value::Real)),
            _ => (None, None),
        };
        (0..room.ranges.len()).map(of).collect()
    }

    /// Gives all inputs the values of the test.
    fn restore(&mut self) {
        for (var, value) in self.oracle.inputs.iter().zip(&self.inputs) {
            self.stepper.set(*var, *value);
        }
        let Some(joined) = &self.oracle.joined else { return };
        for (input, seen) in &joined.seen {
            let value = match *seen {
                Seen::New(_) => continue,
                Seen::Original(var) => self.originals[var.index()],
                Seen::System(var) => {
                    let column = self.oracle.column_of[var.index()];
                    column.and_then(|column| self.system.get(column).copied())
                }
            };
            if let Some(value) = value {
                self.stepper.set(*input, value);
            }
        }
    }

    /// How far the step that was just taken is from the system.
    fn dissimilarity(&self) -> Rational {
        let mut model = [Value::Bool(false); 16];
        let compared = &self.oracle.setup.compared;
        let metric = &self.oracle.setup.metric;
        // Rows are short; only long ones are worth an allocation.
        if compared.len() <= model.len() {
            for (slot, var) in model.iter_mut().zip(compared) {
                *slot = self.stepper.value(*var);
            }
            return metric.dissimilarity(&model[..compared.len()], &self.target);
        }
        let model: Vec<Value> = compared.iter().map(|var| self.stepper.value(*var)).collect();
        metric.dissimilarity(&model, &self.target)
    }

    /// The step that was just taken, with these changes.
    fn leaf(&self, changes: Vec<(usize, Value)>, last: &[Option<Rational>]) -> Leaf {
        let policy = &self.oracle.setup.policy;
        let (mut change, mut units) = (Rational::zero(), Rational::zero());
        for (at, to) in &changes {
            let from = self.inputs[self.oracle.steered_inputs[*at]];
            let last = last.get(*at).copied().flatten();
            change = exact::sum(change, policy.price(*at, from, *to, last));
            units = exact::sum(units, policy::units(from, *to));
        }
        if !changes.is_empty() {
            change = exact::sum(change, policy.step);
        }
        let cost = Cost { dissimilarity: self.dissimilarity(), change };
        Leaf { changes, cost, units, is_unassumed: false, after: self.after.clone() }
    }
}

/// What the system shows of a variable.
fn observed<'a>(oracle: &'a Oracle, row: &'a [Value]) -> impl Fn(VarId) -> Option<Value> + 'a {
    |var| oracle.column_of[var.index()].and_then(|column| row.get(column).copied())
}

/// The type of a steerable variable.
fn type_of(oracle: &Oracle, at: usize) -> Type {
    oracle.program().vars[oracle.setup.steerable[at]].ty
}
