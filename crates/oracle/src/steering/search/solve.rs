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

use num_integer::Integer;
use num_traits::One;
use punctual_model::lustre::{Rational, Role, Seen, Type, Value};
use punctual_model::{Id, IdVec, VarId};
use punctual_semantics::lustre::State;
use punctual_semantics::lustre::encode::{self, Encoder, Step};
use punctual_solver::{Answer, Error, Objective, Session, Sort, Term, Terms};

use super::enumerate::Found;
use super::{Leaf, Need, Room, Searched, Searcher, Wanted, is_match, type_of};
use crate::steering::doubt::{Doubt, Limit, Obstacle};
use crate::steering::exact;
use crate::steering::metric::Kind;
use crate::steering::oracle::Oracle;
use crate::steering::policy;

/// Bounds on the cost that are tried one after the other to find a cheapest step.
const COST_BOUNDS: [i128; 4] = [2, 12, 100, 2_000];

/// A running solver.
pub(super) struct Asker<'o> {
    session: Session,
    encoder: Encoder<'o>,
}

impl<'o> Asker<'o> {
    fn start(oracle: &'o Oracle) -> Result<Asker<'o>, Obstacle> {
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
        let unsteered = &found.unsteered;
        // What is held is changed, whatever comes of it.
        if is_match(unsteered.cost.dissimilarity) && need.held.is_none() {
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
                    solved.doubt = Doubt::limit(Limit::Alternatives);
                }
                break Ok(());
            }
            match self.cheapest(asker, &question, state, need.last) {
                Ok(Some(leaf)) if !is_match(leaf.cost.dissimilarity) => {
                    break Err(Obstacle::Contradiction);
                }
                Ok(Some(leaf)) => {
                    self.exclude(asker, &question, need, &leaf);
                    solved.leaves.push(leaf);
                }
                Ok(None) => break Ok(()),
                Err(why) => break Err(why),
            }
        };
        asker.session.pop();
        matches?;
        let has_match = !solved.leaves.is_empty() || is_match(unsteered.cost.dissimilarity);
        if !has_match && !need.exact_only && !self.oracle.setup.policy.exact_only {
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
        self.least(asker, question, &[distance], state, last).ok().flatten()
    }

    /// The matching step with the least cost. None if there is no step.
    ///
    /// Costs are small as a rule, and a question with a small bound on them is much quicker than one
    /// without: so bounds are tried, each larger than the one before.
    fn cheapest(
        &mut self,
        asker: &mut Asker<'o>,
        question: &Question,
        state: &State,
        last: &[Option<Rational>],
    ) -> Result<Option<Leaf>, Obstacle> {
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

    /// The step with the least values of objectives, then of its cost, then of its units, then of
    /// its inputs in order. None if there is no step.
    fn least(
        &mut self,
        asker: &mut Asker<'o>,
        question: &Question,
        first: &[Term],
        state: &State,
        last: &[Option<Rational>],
    ) -> Result<Option<Leaf>, Obstacle> {
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
            Answer::Unknown(reason) => return Err(Obstacle::Solver(reason.to_string())),
        }
        // Which of several equally good steps a solver finds depends on what it was asked before.
        asker.session.push();
        let values = self.first_of_equals(asker, question, first, &least, &values);
        asker.session.pop();
        let mut changes = Vec::new();
        for ((at, _), said) in question.unknown.iter().zip(values?) {
            let Some(value) = encode::value(said, type_of(self.oracle, *at)) else {
                return Err(Obstacle::Solver("a number is too large".to_owned()));
            };
            if value != self.inputs[self.oracle.steered_inputs[*at]] {
                changes.push((*at, value));
            }
        }
        let leaf = self.steered(state, &changes, last).ok_or(Obstacle::Contradiction)?;
        Ok(Some(leaf))
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
        let mut claims = vec![step.defined, encoder.in_ranges(terms, &inputs)];
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
        let mut equal = Vec::new();
        let scales = &oracle.setup.metric.scales;
        for ((var, target), scale) in oracle.setup.compared.iter().zip(&self.target).zip(scales) {
            let system = encode::constant(terms, *target);
            let model = step.var(*var).ok_or(Obstacle::Contradiction)?;
            let within = match target {
                Value::Int(_) => Some(terms.int(scale.within.to_integer())),
                Value::Real(_) => Some(terms.real(scale.within)),
                _ => None,
            };
            equal.push(match within.filter(|_| scale.within > zero()) {
                None => terms.eq(model, system),
                Some(within) => {
                    let by = terms.sub(model, system);
                    let by = terms.abs(by);
                    terms.le(by, within)
                }
            });
        }
        let is_match = terms.all(equal);
        claims.extend(self.needed(terms, need, room, &unknown));
        let (cost, units) = self.costs(terms, &unknown, need.last);
        for claim in claims {
            session.assert(claim);
        }
        Ok(Question { step, unknown, is_match, cost, units })
    }

    /// What changes of unknown inputs cost, and how many units they are. Costs are multiplied so
    /// that they are whole numbers, if the inputs are.
    fn costs(
        &self,
        terms: &mut Terms,
        unknown: &[(usize, Term)],
        last: &[Option<Rational>],
    ) -> (Term, Term) {
        let policy = &self.oracle.setup.policy;
        let prices = policy.prices.iter().flat_map(|it| [it.unit, it.fixed, it.renewal]);
        let is_real = |(at, _): &(usize, Term)| type_of(self.oracle, *at) == Type::Real;
        let (scale, sort) = scale(prices, unknown.iter().any(is_real));
        let (mut cost, mut units) = (number(terms, sort, zero()), number(terms, sort, zero()));
        let mut is_plain = true;
        for (at, term) in unknown {
            let from = self.inputs[self.oracle.steered_inputs[*at]];
            let original = encode::constant(terms, from);
            let changed = terms.ne(*term, original);
            let none = number(terms, sort, zero());
            let by = match from {
                Value::Int(_) | Value::Real(_) => {
                    let by = terms.sub(*term, original);
                    let by = terms.abs(by);
                    if sort == Sort::Real && terms.sort(by) == Sort::Int {
                        terms.to_real(by)
                    } else {
                        by
                    }
                }
                _ => {
                    let one = number(terms, sort, Rational::one());
                    terms.ite(changed, one, none)
                }
            };
            units = terms.add(units, by);
            let price = policy.prices[*at];
            is_plain &=
                price.unit == Rational::one() && price.fixed == zero() && price.renewal == zero();
            let unit = number(terms, sort, exact::product(price.unit, scale));
            let variable = terms.mul(unit, by);
            cost = terms.add(cost, variable);
            let fixed = number(terms, sort, exact::product(price.fixed, scale));
            let mut fee = fixed;
            if price.renewal != zero() {
                let both = exact::sum(price.fixed, price.renewal);
                let renewed = number(terms, sort, exact::product(both, scale));
                fee = renewed;
                let last = last.get(*at).copied().flatten();
                let same = last.and_then(|by| shifted(from, by));
                if let Some(same) = same {
                    let same = encode::constant(terms, same);
                    let is_same = terms.eq(*term, same);
                    fee = terms.ite(is_same, fixed, renewed);
                }
            }
            let fee = terms.ite(changed, fee, none);
            cost = terms.add(cost, fee);
        }
        (if is_plain { units } else { cost }, units)
    }

    /// A factor that makes distances whole, and the sort of the products.
    fn distance_scale(&self) -> (Rational, Sort) {
        let is_real = |var: &VarId| self.oracle.program().vars[*var].ty == Type::Real;
        let scales = self.oracle.setup.metric.scales.iter();
        let factors =
            scales.flat_map(|it| [it.weight, it.factor(), exact::quotient(it.factor(), it.width)]);
        scale(factors, self.oracle.setup.compared.iter().any(is_real))
    }

    /// How far the outputs are from the system's, multiplied to be whole if the outputs are.
    fn distance(&self, terms: &mut Terms, step: &Step) -> Option<Term> {
        let metric = &self.oracle.setup.metric;
        let compared = &self.oracle.setup.compared;
        let (all, sort) = self.distance_scale();
        let mut total = number(terms, sort, zero());
        for ((var, target), scale) in compared.iter().zip(&self.target).zip(&metric.scales) {
            let model = step.var(*var)?;
            let system = encode::constant(terms, *target);
            let part = match target {
                Value::Int(_) | Value::Real(_) => {
                    let by = terms.sub(model, system);
                    let mut by = terms.abs(by);
                    if sort == Sort::Real && terms.sort(by) == Sort::Int {
                        by = terms.to_real(by);
                    }
                    let (by, factor) = match metric.kind {
                        Kind::Manhattan => (by, scale.factor()),
                        Kind::SquaredEuclidean => {
                            (terms.mul(by, by), exact::quotient(scale.factor(), scale.width))
                        }
                    };
                    let factor = number(terms, sort, exact::product(factor, all));
                    terms.mul(factor, by)
                }
                _ => {
                    let differs = terms.ne(model, system);
                    let weight = number(terms, sort, exact::product(scale.weight, all));
                    let none = number(terms, sort, zero());
                    terms.ite(differs, weight, none)
                }
            };
            total = terms.add(total, part);
        }
        Some(total)
    }
}

fn zero() -> Rational {
    Rational::from_integer(0)
}

/// A number as a term; one of sort `Int` must be whole.
fn number(terms: &mut Terms, sort: Sort, it: Rational) -> Term {
    match sort {
        Sort::Real => terms.real(it),
        _ => terms.int(it.to_integer()),
    }
}

/// The largest factor that makes numbers whole; beyond it the solver computes with reals.
const FACTOR_MAX: i128 = 1_000_000_000;

/// A factor that makes all numbers whole, and the sort of the products.
fn scale(mut numbers: impl Iterator<Item = Rational>, is_real: bool) -> (Rational, Sort) {
    let all = numbers.try_fold(1_i128, |all, it| {
        let all = (*it.denom() <= FACTOR_MAX).then(|| all.lcm(it.denom()))?;
        (all <= FACTOR_MAX).then_some(all)
    });
    match all {
        Some(all) if !is_real => (Rational::from_integer(all), Sort::Int),
        _ => (Rational::one(), Sort::Real),
    }
}

/// A value that was changed by an amount.
fn shifted(from: Value, by: Rational) -> Option<Value> {
    let to = exact::difference(from.as_rational(), -by);
    let value = match from {
        Value::Bool(_) => Value::Bool(to != zero()),
        Value::Int(_) => Value::Int(i64::try_from(to.to_integer()).ok()?),
        Value::Real(_) => Value::Real(to),
        Value::Enum(_) => Value::Enum(u32::try_from(to.to_integer()).ok()?),
    };
    (policy::adjustment(from, value) == by).then_some(value)
}
