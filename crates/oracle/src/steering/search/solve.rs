//! The best changes of a step, by a solver.
//!
//! The state and everything that may not change are constants, so the term of a step is small; the
//! solver keeps running from one question to the next. First it is asked for outputs that are those
//! of the system, at the least cost; only if there are none, for the nearest ones. The optimum is
//! found by questions about bounds (Algorithm 2 halves a threshold likewise), which is faster than
//! an optimiser.
//!
//! When looking ahead, the cheapest few steps that lead to different states are taken, not all:
//! there may be infinitely many.

use std::cmp::Ordering;

use punctual_model::lustre::{Rational, Role, Seen, Type, Value};
use punctual_model::{Id, IdVec, VarId};
use punctual_semantics::lustre::State;
use punctual_semantics::lustre::encode::{self, Encoder, Step};
use punctual_solver::{Answer, Error, Objective, Reason, Session, Sort, Term, Terms};

use super::enumerate::Found;
use super::terms::{number, shifted, zero};
use super::{Leaf, Need, Room, Searched, Searcher, Wanted, is_match, type_of};
use crate::steering::doubt::{Doubt, Limit, Obstacle};
use crate::steering::exact;
use crate::steering::oracle::Oracle;
use crate::steering::policy;

/// Bounds on the cost that are tried one after the other to find a cheapest step.
const COST_BOUNDS: [i128; 4] = [2, 12, 100, 2_000];

/// How often what a step costs is halved where there is no least cost, only one that is approached.
const HALVINGS: usize = 6;

/// A running solver.
pub(super) struct Asker<'o> {
    pub(super) session: Session,
    pub(super) encoder: Encoder<'o>,
}

impl<'o> Asker<'o> {
    pub(super) fn start(oracle: &'o Oracle) -> Result<Asker<'o>, Obstacle> {
        let solver = oracle.setup.solver.as_ref().map_err(|why| Obstacle::Solver(why.clone()))?;
        let session = solver.start(oracle.setup.solver_limits).map_err(failed)?;
        let program = &oracle.opened.program;
        let encoder = Encoder::new(program);
        // Locals that nothing else needs have terms only if all have.
        let is_local = |var: VarId| program.vars[var].role == Role::Local;
        let new = oracle.setup.tolerances.seen.iter().filter_map(|it| match *it {
            Seen::New(var) => Some(var),
            Seen::Original(_) | Seen::System(_) => None,
        });
        let steered = oracle.setup.steerable.iter().copied();
        let needs_all =
            new.chain(oracle.setup.compared.iter().copied()).chain(steered).any(is_local);
        let encoder = if needs_all { encoder.whole() } else { encoder };
        Ok(Asker { session, encoder })
    }
}

fn failed(error: Error) -> Obstacle {
    Obstacle::Solver(error.to_string())
}

/// Unknown inputs at nearly the least cost, where no cost is the least: more than a bound, however little. None if there are none.
fn near_least(
    session: &mut Session,
    cost: Term,
    unknown: &[Term],
) -> Result<Option<Vec<punctual_solver::Value>>, Obstacle> {
    let mut wanted = unknown.to_vec();
    wanted.push(cost);
    let Some((mut best, mut high)) = some_at(session, &wanted)? else { return Ok(None) };
    let mut low = exact::zero();
    for _ in 0..HALVINGS {
        let middle = exact::quotient(exact::sum(low, high), Rational::from_integer(2));
        let terms = session.terms();
        let sort = terms.sort(cost);
        let bound = number(terms, sort, middle);
        let is_less = terms.le(cost, bound);
        session.push();
        session.assert(is_less);
        let cheaper = some_at(session, &wanted);
        session.pop();
        match cheaper {
            Ok(Some(found)) => (best, high) = found,
            Ok(None) => low = middle,
            // What was found is good enough.
            Err(_) => break,
        }
    }
    Ok(Some(best))
}

/// Values of unknown inputs, and of the cost that is last among what is wanted. None if there are none.
fn some_at(
    session: &mut Session,
    wanted: &[Term],
) -> Result<Option<(Vec<punctual_solver::Value>, Rational)>, Obstacle> {
    let (answer, _, mut values) = session.minimise(&[], wanted).map_err(failed)?;
    match (answer, values.pop()) {
        (Answer::Sat, Some(punctual_solver::Value::Real(cost))) => Ok(Some((values, cost))),
        (Answer::Sat, Some(punctual_solver::Value::Int(cost))) => {
            Ok(Some((values, Rational::from_integer(cost))))
        }
        (Answer::Unsat, _) => Ok(None),
        (Answer::Unknown(reason), _) => Err(Obstacle::Solver(reason.to_string())),
        (Answer::Sat, _) => Err(Obstacle::Contradiction),
    }
}

/// A step as terms.
struct Question {
    step: Step,
    /// The unknown inputs: position among the steerable ones, and term.
    unknown: Vec<(usize, Term)>,
    /// Whether the outputs are those of the system.
    is_match: Term,
    /// The cost and the units of the changes.
    cost: Term,
    units: Term,
}

impl<'o> Searcher<'o> {
    /// The best step, or the cheapest few that match, as the solver finds them.
    pub(super) fn solve(
        &mut self,
        state: &State,
        need: Need<'_>,
        room: &Room,
        found: &Found,
    ) -> Result<Searched, Obstacle> {
        let mut asker = match self.asker.take() {
            Some(asker) => asker,
            None => Asker::start(self.oracle)?,
        };
        asker.session.push();
        let solved = self.ask(&mut asker, state, need, room, found);
        asker.session.pop();
        self.asker = Some(asker);
        solved
    }

    fn ask(
        &mut self,
        asker: &mut Asker<'o>,
        state: &State,
        need: Need<'_>,
        room: &Room,
        found: &Found,
    ) -> Result<Searched, Obstacle> {
        let question = self.question(asker, state, need, room)?;
        let mut solved = Searched::default();
        let matched = found.unsteered.as_ref().filter(|it| is_match(it.cost.dissimilarity));
        // What is held is changed, whatever comes of it.
        if let Some(unsteered) = matched
            && need.held.is_none()
        {
            self.exclude(asker, &question, need, unsteered);
        }
        let most = match need.wanted {
            Wanted::Best => 1,
            Wanted::Nearest | Wanted::Single => self.oracle.setup.limits.alternatives.max(1),
        };
        asker.session.push();
        asker.session.assert(question.is_match);
        let matches = loop {
            if solved.leaves.len() == most {
                if need.wanted != Wanted::Best {
                    solved.doubt.add(&Doubt::limit(Limit::Alternatives));
                }
                break Ok(());
            }
            match self.cheapest(asker, &question, state, need.last) {
                Ok(Some((leaf, _))) if !is_match(leaf.cost.dissimilarity) => {
                    break Err(Obstacle::Contradiction);
                }
                Ok(Some((leaf, is_least))) => {
                    // A cheaper one may be within a budget that this one is not.
                    if !is_least && self.oracle.setup.policy.cost_max.is_some() {
                        solved.doubt.add(&Doubt::limit(Limit::Alternatives));
                    }
                    self.exclude(asker, &question, need, &leaf);
                    solved.leaves.push(leaf);
                }
                Ok(None) => break Ok(()),
                Err(why) => break Err(why),
            }
        };
        asker.session.pop();
        matches?;
        let has_match = !solved.leaves.is_empty() || matched.is_some();
        if let Some(unsteered) = &found.unsteered
            && !has_match
            && !need.exact_only
            && !self.oracle.setup.policy.exact_only
        {
            solved.leaves.extend(self.nearest(asker, &question, state, need.last, unsteered));
        }
        Ok(solved)
    }

    /// The nearest step, where none matches. The test fails anyway, so a solver that does not know
    /// leaves the unsteered step as the nearest that is known.
    fn nearest(
        &mut self,
        asker: &mut Asker<'o>,
        question: &Question,
        state: &State,
        last: &[Option<Rational>],
        unsteered: &Leaf,
    ) -> Option<Leaf> {
        let distance = self.distance(asker.session.terms(), &question.step)?;
        let (scale, sort) = self.distance_scale();
        let bound = exact::product(unsteered.cost.dissimilarity, scale);
        let terms = asker.session.terms();
        let bound = number(terms, sort, bound);
        let nearer = terms.lt(distance, bound);
        asker.session.assert(nearer);
        self.least(asker, question, &[distance], state, last).ok().flatten().map(|(leaf, _)| leaf)
    }

    /// The matching step with the least cost, and whether there is none that costs less. None if there is no step.
    ///
    /// Costs are small as a rule, and a question with a small bound on them is much quicker than one
    /// without: so bounds are tried, each larger than the one before.
    fn cheapest(
        &mut self,
        asker: &mut Asker<'o>,
        question: &Question,
        state: &State,
        last: &[Option<Rational>],
    ) -> Result<Option<(Leaf, bool)>, Obstacle> {
        if asker.session.terms().sort(question.cost) == Sort::Int {
            match asker.session.check().map_err(failed)? {
                Answer::Unsat => return Ok(None),
                Answer::Sat | Answer::Unknown(_) => {}
            }
            for bound in COST_BOUNDS {
                asker.session.push();
                let terms = asker.session.terms();
                let bound = terms.int(bound);
                let is_small = terms.le(question.cost, bound);
                asker.session.assert(is_small);
                let leaf = match asker.session.check() {
                    Ok(Answer::Sat) => Some(self.least(asker, question, &[], state, last)),
                    Ok(Answer::Unsat | Answer::Unknown(_)) => None,
                    Err(error) => Some(Err(failed(error))),
                };
                asker.session.pop();
                if let Some(leaf) = leaf {
                    return leaf;
                }
            }
        }
        self.least(asker, question, &[], state, last)
    }

    /// The step with the least values of objectives, then of its cost, then of its units, then of its inputs in order, and whether
    /// there is none that costs less. None if there is no step.
    fn least(
        &mut self,
        asker: &mut Asker<'o>,
        question: &Question,
        first: &[Term],
        state: &State,
        last: &[Option<Rational>],
    ) -> Result<Option<(Leaf, bool)>, Obstacle> {
        let mut objectives: Vec<Objective> =
            first.iter().map(|it| Objective::new(*it).at_least(0)).collect();
        objectives.push(Objective::new(question.cost).at_least(0));
        if question.units != question.cost {
            objectives.push(Objective::new(question.units).at_least(0));
        }
        let wanted: Vec<Term> = question.unknown.iter().map(|(_, term)| *term).collect();
        let (answer, least, values) =
            asker.session.minimise(&objectives, &wanted).map_err(failed)?;
        match answer {
            Answer::Sat => {}
            Answer::Unsat => return Ok(None),
            Answer::Unknown(Reason::NoLeast) if first.is_empty() => {
                asker.session.push();
                let values = near_least(&mut asker.session, question.cost, &wanted);
                asker.session.pop();
                let Some(values) = values? else { return Ok(None) };
                return self.run(question, values, state, last).map(|leaf| Some((leaf, false)));
            }
            Answer::Unknown(reason) => return Err(Obstacle::Solver(reason.to_string())),
        }
        // Which of several equally good steps a solver finds depends on what it was asked before.
        asker.session.push();
        let values = self.first_of_equals(asker, question, first, &least, &values);
        asker.session.pop();
        self.run(question, values?, state, last).map(|leaf| Some((leaf, true)))
    }

    /// The step with the inputs that the solver says.
    fn run(
        &mut self,
        question: &Question,
        values: Vec<punctual_solver::Value>,
        state: &State,
        last: &[Option<Rational>],
    ) -> Result<Leaf, Obstacle> {
        let mut changes = Vec::new();
        for ((at, _), said) in question.unknown.iter().zip(values) {
            let Some(value) = encode::value(said, type_of(self.oracle, *at)) else {
                return Err(Obstacle::Solver("a number is too large".to_owned()));
            };
            if value != self.inputs[self.oracle.steered_inputs[*at]] {
                changes.push((*at, value));
            }
        }
        self.steered(state, &changes, last).ok_or(Obstacle::Contradiction)
    }

    /// The least inputs, in order, among those that are as good as the given ones.
    fn first_of_equals(
        &mut self,
        asker: &mut Asker<'o>,
        question: &Question,
        first: &[Term],
        least: &[punctual_solver::Value],
        values: &[punctual_solver::Value],
    ) -> Result<Vec<punctual_solver::Value>, Obstacle> {
        let session = &mut asker.session;
        let mut aims: Vec<Term> = first.to_vec();
        aims.push(question.cost);
        if question.units != question.cost {
            aims.push(question.units);
        }
        for (aim, value) in aims.iter().zip(least) {
            let value = session.terms().value(*value);
            let reached = session.terms().eq(*aim, value);
            session.assert(reached);
        }
        let unknown: Vec<Term> = question.unknown.iter().map(|(_, term)| *term).collect();
        session.push();
        let terms = session.terms();
        let mut others = Vec::new();
        for (term, value) in unknown.iter().zip(values) {
            let value = terms.value(*value);
            others.push(terms.ne(*term, value));
        }
        let other = terms.any(others);
        session.assert(other);
        let answer = session.check().map_err(failed);
        session.pop();
        match answer? {
            Answer::Unsat => return Ok(values.to_vec()),
            Answer::Sat => {}
            Answer::Unknown(reason) => return Err(Obstacle::Solver(reason.to_string())),
        }
        let mut objectives = Vec::new();
        for term in &unknown {
            let terms = session.terms();
            let number = match terms.sort(*term) {
                Sort::Bool => {
                    let (one, zero) = (terms.int(1), terms.int(0));
                    terms.ite(*term, one, zero)
                }
                _ => *term,
            };
            objectives.push(Objective::new(number));
        }
        let (answer, _, values) = session.minimise(&objectives, &unknown).map_err(failed)?;
        match answer {
            Answer::Sat => Ok(values),
            Answer::Unsat => Err(Obstacle::Contradiction),
            Answer::Unknown(reason) => Err(Obstacle::Solver(reason.to_string())),
        }
    }

    /// Claims that the state after the step is another one, or that something else differs which
    /// matters later: the direction of a change, or its size.
    fn exclude(&mut self, asker: &mut Asker<'o>, question: &Question, need: Need<'_>, leaf: &Leaf) {
        let machine = &self.oracle.machine;
        let terms = asker.session.terms();
        let mut others = Vec::new();
        for memory in self.oracle.opened.program.memory.ids() {
            if let Some(value) = machine.memory(&leaf.after, memory) {
                let value = encode::constant(terms, value);
                others.push(terms.ne(question.step.next.memory[memory], value));
            }
        }
        for (at, term) in &question.unknown {
            let original = self.inputs[self.oracle.steered_inputs[*at]];
            let change = leaf.changes.iter().find(|(changed, _)| changed == at);
            let value = change.map_or(original, |(_, to)| *to);
            if !need.last.is_empty() {
                let value = encode::constant(terms, value);
                others.push(terms.ne(*term, value));
            }
            if self.oracle.setup.policy.counts(*at) {
                let original = encode::constant(terms, original);
                let was_changed = change.is_some();
                others.push(match was_changed {
                    true => terms.eq(*term, original),
                    false => terms.ne(*term, original),
                });
            }
            if !need.directions.is_empty() && matches!(original, Value::Int(_) | Value::Real(_)) {
                let direction = policy::adjustment(original, value).cmp(&zero());
                let original = encode::constant(terms, original);
                others.push(match direction {
                    Ordering::Greater => terms.le(*term, original),
                    Ordering::Less => terms.le(original, *term),
                    Ordering::Equal => terms.ne(*term, original),
                });
            }
        }
        let other = terms.any(others);
        asker.session.assert(other);
    }

    /// Claims on unknown inputs beside the tolerances: directions, what is held, how many may change.
    fn needed(
        &self,
        terms: &mut Terms,
        need: Need<'_>,
        room: &Room,
        unknown: &[(usize, Term)],
    ) -> Vec<Term> {
        let mut claims = Vec::new();
        let original = |at: usize| self.inputs[self.oracle.steered_inputs[at]];
        for (at, term) in unknown {
            let from = original(*at);
            let bound = |terms: &mut Terms, least: Value, direction: Ordering| {
                let least = encode::constant(terms, least);
                match direction {
                    Ordering::Less => terms.le(*term, least),
                    _ => terms.le(least, *term),
                }
            };
            match need.directions.get(*at) {
                None | Some(Ordering::Equal) => {}
                Some(direction) => claims.push(bound(terms, from, *direction)),
            }
            if let Some((held, by)) = need.held
                && held == *at
                && let Some(least) = shifted(from, by)
            {
                claims.push(bound(terms, least, by.cmp(&zero())));
            }
        }
        if need.wanted == Wanted::Single {
            let is_open = |at: usize| unknown.iter().any(|(open, _)| *open == at);
            let moved =
                (0..room.base.len()).filter(|at| !is_open(*at) && room.base[*at] != original(*at));
            let mut count = terms.int(i128::try_from(moved.count()).unwrap_or(i128::MAX));
            let (one, none) = (terms.int(1), terms.int(0));
            for (at, term) in unknown {
                let from = encode::constant(terms, original(*at));
                let is_changed = terms.ne(*term, from);
                let changed = terms.ite(is_changed, one, none);
                count = terms.add(count, changed);
            }
            claims.push(terms.le(count, one));
        }
        claims
    }

    /// Claims all that an allowed step must keep.
    fn question(
        &mut self,
        asker: &mut Asker<'o>,
        state: &State,
        need: Need<'_>,
        room: &Room,
    ) -> Result<Question, Obstacle> {
        let oracle = self.oracle;
        let program = &oracle.opened.program;
        let Asker { session, encoder } = asker;
        let terms = session.terms();
        let values: Vec<Value> = program
            .memory
            .enumerate()
            .map(|(id, it)| oracle.machine.memory(state, id).unwrap_or(Value::zero(it.ty)))
            .collect();
        let before = encoder.state(terms, state.is_first(), &values);
        let mut inputs: Vec<Term> =
            self.inputs.iter().map(|value| encode::constant(terms, *value)).collect();
        let mut unknown = Vec::new();
        for (at, var) in oracle.opened.steered.iter().enumerate() {
            let input = &mut inputs[oracle.steered_inputs[at]];
            if room.cells[at].as_ref().is_some_and(|cells| cells.len() <= 1) {
                *input = encode::constant(terms, room.base[at]);
            } else {
                let var = &program.vars[*var];
                *input = terms.symbol(&var.name, encode::sort(var.ty));
                unknown.push((at, *input));
            }
        }
        let step = encoder.step(terms, &before, &inputs);
        let mut claims = vec![step.defined, self.in_ranges(terms, &unknown)];
        claims.extend(&step.assertions);
        let mut seen = IdVec::new();
        for it in oracle.setup.tolerances.seen.iter() {
            let known = |value: Option<Value>| value.unwrap_or(Value::Bool(false));
            let term = match *it {
                Seen::New(var) => step.var(var).ok_or(Obstacle::Contradiction)?,
                Seen::Original(var) => encode::constant(terms, known(self.originals[var.index()])),
                Seen::System(var) => {
                    let column = oracle.column_of[var.index()];
                    let value = column.and_then(|column| self.system.get(column).copied());
                    encode::constant(terms, known(value))
                }
            };
            seen.push(term);
        }
        claims.extend(encode::conditions(terms, &oracle.setup.tolerances, &seen));
        let is_match = self.matched(terms, &step).ok_or(Obstacle::Contradiction)?;
        claims.extend(self.needed(terms, need, room, &unknown));
        let is_real = |(at, _): &(usize, Term)| type_of(self.oracle, *at) == Type::Real;
        let scale = self.cost_scale(unknown.iter().any(is_real));
        let (cost, units) = self.costs(terms, &unknown, need.last, scale);
        for claim in claims {
            session.assert(claim);
        }
        Ok(Question { step, unknown, is_match, cost, units })
    }
}
