//! Situations in which a change of one input shows in the very step that reads it.
//!
//! A situation is *settled* if the model stays in its state while its inputs stay as they are. From there one input is changed, and the model settles again. Whenever the
//! change arrives, the same steps follow; so where the model stands is known, although nobody knows when a change arrives. It is *visible* if a
//! line of the outputs shows another value from the first of these steps on: the number of old values tells which step that was.
//!
//! Not here: models that never settle while nothing changes, and changes that show for some steps only.

use std::collections::{HashSet, VecDeque};

use punctual_model::lustre::{Expr, Program, Type};
use punctual_model::testing::platform::Platform;
use punctual_model::{Rational, Value, VarId};
use punctual_semantics::lustre::{Machine, Reactions, StateNumber};

/// A model that has not settled after so many steps never does.
const STEPS_MAX: usize = 64;

/// So many situations are looked at before a search is given up.
const SITUATIONS_MAX: usize = 3_000;

/// An input has so many values that are tried, at most.
const VALUES_MAX: usize = 12;

/// A settled situation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Settled {
    state: StateNumber,
    /// The values of all inputs.
    pub(super) row: Vec<Value>,
}

/// A change of one input.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Change {
    /// The position of the input.
    pub(super) input: usize,
    /// Its new value.
    pub(super) value: Value,
    /// How many steps the model takes until it is settled again.
    pub(super) n_steps: usize,
    /// The line of the outputs that shows it, and the value in the program that it showed before; none if nothing does.
    pub(super) shown: Option<(usize, Value)>,
    /// The values in the program that this line shows from then on, one for each step until the model is settled; empty if nothing shows it.
    pub(super) shows: Vec<Value>,
    /// What comes of it.
    pub(super) after: Settled,
}

/// Looks for situations.
pub(super) struct Situations<'m> {
    reactions: Reactions<'m>,
    machine: &'m Machine,
    initial: Vec<Value>,
    /// For each input, the values that are tried, and whether it may be changed at all.
    values: Vec<Vec<Value>>,
    /// For each line of the outputs, the position of its variable.
    places: Vec<usize>,
}

impl<'m> Situations<'m> {
    pub(super) fn new(machine: &'m Machine, platform: &Platform) -> Situations<'m> {
        let program = machine.program();
        let outputs: Vec<VarId> = program.outputs().collect();
        let place = |var: VarId| outputs.iter().position(|it| *it == var).unwrap_or(0);
        let values = program.inputs().zip(&platform.initial).map(|(var, initial)| {
            let lines = platform.inputs.iter().filter(|line| line.variable == var);
            let forms: Vec<_> = lines.map(|line| &line.form).collect();
            let mut all = values(program, var, *initial);
            // Several sensors of one input would not change it together, and a sensor of several inputs would change all of them.
            let is_alone =
                (platform.inputs.iter().filter(|line| line.variable == var)).all(|line| {
                    platform.inputs.iter().filter(|it| it.outside == line.outside).count() == 1
                });
            all.retain(|it| is_alone && forms.len() == 1 && forms[0].outside(*it).is_some());
            all
        });
        Situations {
            values: values.collect(),
            reactions: Reactions::new(machine),
            machine,
            initial: platform.initial.clone(),
            places: platform.outputs.iter().map(|line| place(line.variable)).collect(),
        }
    }

    /// The situation after a reset; none if the model does not settle.
    pub(super) fn start(&mut self) -> Option<Settled> {
        let state = self.reactions.number(&self.machine.start());
        let row = self.initial.clone();
        let (state, _) = self.settle(state, &row)?;
        Some(Settled { state, row })
    }

    /// The state in which the model settles, and what it writes until then; what it writes from then on is the last.
    fn settle(
        &mut self,
        mut state: StateNumber,
        row: &[Value],
    ) -> Option<(StateNumber, Vec<Vec<Value>>)> {
        let mut written = Vec::new();
        for _ in 0..STEPS_MAX {
            let reaction = self.reactions.react(state, row)?;
            written.push((**self.reactions.written(reaction)).clone());
            if reaction.after == state {
                return Some((state, written));
            }
            state = reaction.after;
        }
        None
    }

    /// What comes of a change; none if the model does not settle again.
    fn change(&mut self, from: &Settled, input: usize, value: Value) -> Option<Change> {
        let held = self.reactions.react(from.state, &from.row)?;
        let held = std::rc::Rc::clone(self.reactions.written(held));
        let mut row = from.row.clone();
        row[input] = value;
        let (state, written) = self.settle(from.state, &row)?;
        let is_shown = |place: &usize| written.iter().all(|it| it[*place] != held[*place]);
        let line = self.places.iter().position(is_shown);
        let shown = line.map(|line| (line, held[self.places[line]]));
        let n_steps = written.len();
        let shows = line
            .map_or(Vec::new(), |line| written.iter().map(|it| it[self.places[line]]).collect());
        Some(Change { input, value, n_steps, shown, shows, after: Settled { state, row } })
    }

    /// The shortest way to a visible change of one of these inputs; the last change of it is that. None if there is none, as far as was looked.
    pub(super) fn way(&mut self, from: &Settled, wanted: &[bool]) -> Option<Vec<Change>> {
        let mut known = HashSet::from([from.clone()]);
        // Situations, and how they came about.
        let mut all: Vec<(Settled, Option<(usize, Change)>)> = vec![(from.clone(), None)];
        let mut waiting = VecDeque::from([0]);
        while let Some(at) = waiting.pop_front() {
            let here = all[at].0.clone();
            for (input, is_wanted) in wanted.iter().enumerate() {
                for value in self.values[input].clone() {
                    if here.row[input] == value {
                        continue;
                    }
                    let Some(change) = self.change(&here, input, value) else { continue };
                    if *is_wanted && change.shown.is_some() {
                        let mut way = vec![change];
                        let mut at = at;
                        while let Some((before, change)) = all[at].1.clone() {
                            way.push(change);
                            at = before;
                        }
                        way.reverse();
                        return Some(way);
                    }
                    if all.len() < SITUATIONS_MAX && known.insert(change.after.clone()) {
                        waiting.push_back(all.len());
                        all.push((change.after.clone(), Some((at, change))));
                    }
                }
            }
        }
        None
    }
}

/// Values of an input that may make a difference: both truths, members of an enumeration, ends of a range, and constants of the program and their neighbours.
fn values(program: &Program, input: VarId, initial: Value) -> Vec<Value> {
    let mut all = vec![initial];
    match (program.vars[input].ty, initial) {
        (Type::Bool, _) => all.extend([false, true].map(Value::Bool)),
        (Type::Enum(of), _) => {
            let n = u32::try_from(program.enums[of].values.len()).unwrap_or(u32::MAX);
            all.extend((0..n).map(Value::Enum));
        }
        (Type::Int, _) => {
            let range = program.vars[input].range;
            let constants = program.exprs.iter().filter_map(|expr| match expr {
                Expr::Constant(Value::Int(it)) => Some(*it),
                _ => None,
            });
            let near = constants.flat_map(|it| [it, it.saturating_add(1), it.saturating_sub(1)]);
            let ends = range.into_iter().flat_map(|(least, greatest)| [least, greatest]);
            let is_inside = |it: &i64| range.is_none_or(|(low, high)| (low..=high).contains(it));
            all.extend(ends.chain([0, 1]).chain(near).filter(is_inside).map(Value::Int));
        }
        (Type::Real, _) => {
            let constants = program.exprs.iter().filter_map(|expr| match expr {
                Expr::Constant(Value::Real(it)) => Some(*it),
                _ => None,
            });
            let one = Rational::from_integer(1);
            all.extend(constants.flat_map(|it| [it + one, it - one]).map(Value::Real));
        }
    }
    let mut seen = HashSet::new();
    all.retain(|it| seen.insert(*it));
    all.truncate(VALUES_MAX);
    all
}
