//! All steps of a test at once, by a solver: is there any allowed change that explains them?
//!
//! Steps are claimed one behind the other, each from the state after the one before. A sum of many small changes, of which
//! only a threshold is seen, has too many states to be followed one by one, but is a simple question for a solver. Answers
//! are used in both directions: what it finds is run by the model before it counts, and that nothing is found is a proof as
//! far as claims leave nothing out that is allowed. **Not in it:** prices that depend on the change before, and floating point.

use punctual_model::lustre::{Rational, Seen, Type, Value};
use punctual_model::{IdVec, VarId};
use punctual_semantics::lustre::Reals;
use punctual_semantics::lustre::encode::{self, State};
use punctual_solver::{Answer, Session, Sort, Term, Terms};

use super::silent::Silent;
use super::solve::Asker;
use super::terms::number;
use super::{Searcher, to_cell, type_of};
use crate::steering::doubt::Obstacle;
use crate::steering::exact;
use crate::steering::follow::Observation;
use crate::steering::outcome::Why;

/// How often a cheaper explanation is looked for than the one that is known.
const CHEAPER_MAX: usize = 12;

/// The changes of each step.
pub(in crate::steering) type Changes = Vec<Vec<(usize, Value)>>;

/// What a solver says of all steps of a test.
pub(in crate::steering) enum Whole {
    /// These changes explain them all.
    Explained(Changes),
    /// Nothing that is allowed explains the test.
    Refuted(Refuted),
    /// It is not known.
    Open,
}

/// A test that nothing explains.
pub(in crate::steering) struct Refuted {
    /// The step up to which nothing explains it, if that is `last`; otherwise it is this one or one behind it.
    pub(in crate::steering) step: usize,
    /// Nothing explains the steps up to this one.
    pub(super) last: usize,
    pub(in crate::steering) why: Why,
    /// What explains the steps before that one; None if it was not looked for.
    pub(in crate::steering) changes: Option<Changes>,
    /// A step of which the model says nothing, although all before it is explained; None if there is none.
    pub(in crate::steering) silent: Option<Silent>,
}

/// The steps that were claimed so far.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) state: State,
    /// The unknown inputs of each step: position among the steerable ones, and term.
    unknown: Vec<Vec<(usize, Term)>>,
    /// Whether each step is changed.
    changed: Vec<Term>,
    /// Of each steerable variable: whether it is changed, raised, lowered in steps in which it may be.
    changed_of: Vec<Vec<Term>>,
    raised: Vec<Vec<Term>>,
    lowered: Vec<Vec<Term>>,
    /// What all changes cost, scaled.
    cost: Term,
}

/// A step that is to be claimed.
pub(super) struct Coded {
    /// The inputs of the test.
    pub(super) given: Vec<Term>,
    pub(super) claims: Vec<Term>,
}

/// Ranges of the cells that a variable may have; None if there is no bound.
type Cells = Option<Vec<(i64, i64)>>;

/// Whether a term has one of these values.
fn within(terms: &mut Terms, ty: Type, term: Term, ranges: &[(i64, i64)]) -> Term {
    let mut any = Vec::new();
    for (low, high) in ranges {
        if ty == Type::Bool {
            let has = |it: i64| (*low..=*high).contains(&it);
            let not = terms.not(term);
            any.extend(has(1).then_some(term));
            any.extend(has(0).then_some(not));
            continue;
        }
        let mut both = Vec::new();
        if *low != i64::MIN {
            let low = terms.int(i128::from(*low));
            both.push(terms.le(low, term));
        }
        if *high != i64::MAX {
            let high = terms.int(i128::from(*high));
            both.push(terms.le(term, high));
        }
        any.push(terms.all(both));
    }
    terms.any(any)
}

/// Which rules of the policy are claimed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rules {
    All,
    NoBudget,
    NotSteady,
    Neither,
}

impl<'o> Searcher<'o> {
    /// Asks for any explanation of a test. `stuck` is the step up to which a search has found one.
    pub(in crate::steering) fn whole(&mut self, test: &[Observation], stuck: usize) -> Whole {
        if stuck >= test.len() {
            return Whole::Open;
        }
        let Some(mut asker) = self.asker_of_all() else { return Whole::Open };
        asker.session.push();
        let mut answer = self.ask_whole(&mut asker, test, stuck);
        asker.session.pop();
        if let Ok(Whole::Refuted(refuted)) = &mut answer {
            asker.session.push();
            let silent = self.ask_silent(&mut asker, &test[..=refuted.last]);
            asker.session.pop();
            match silent {
                Ok(Some(silent)) => refuted.silent = silent,
                Ok(None) => answer = Ok(Whole::Open),
                Err(obstacle) => answer = Err(obstacle),
            }
        }
        self.asker = Some(asker);
        answer.unwrap_or(Whole::Open)
    }

    /// The solver, if it can be asked about all steps at once.
    fn asker_of_all(&mut self) -> Option<Asker<'o>> {
        let oracle = self.oracle;
        let has_reals = oracle.opened.program.vars.iter().any(|var| var.ty == Type::Real);
        let is_float = oracle.setup.reals == Reals::Float && has_reals;
        if is_float || oracle.setup.policy.remembers() {
            return None;
        }
        let asker = self.asker.take().map_or_else(|| Asker::start(oracle), Ok).ok()?;
        self.effort.solved += 1;
        Some(asker)
    }

    fn ask_whole(
        &mut self,
        asker: &mut Asker<'_>,
        test: &[Observation],
        stuck: usize,
    ) -> Result<Whole, Obstacle> {
        let mut run = self.start_run(asker);
        for observation in &test[..=stuck] {
            self.claim(asker, &mut run, observation)?;
        }
        let refuted = |step, why, changes| {
            Whole::Refuted(Refuted { step, last: step, why, changes, silent: None })
        };
        let mut known = match self.check(asker, &run, Rules::All)? {
            Some(Some(known)) => known,
            Some(None) => return Ok(refuted(stuck, self.reason(asker, &run)?, None)),
            None => return Ok(Whole::Open),
        };
        asker.session.push();
        let before = run.clone();
        for observation in &test[stuck + 1..] {
            self.claim(asker, &mut run, observation)?;
        }
        let all = self.check(asker, &run, Rules::All)?;
        if let Some(Some(known)) = all {
            let best = self.cheaper(asker, &run, known)?;
            asker.session.pop();
            return Ok(Whole::Explained(best.0));
        }
        asker.session.pop();
        if all.is_none() {
            return Ok(Whole::Open);
        }
        run = before;
        // There is no explanation: in which step does it end?
        for (step, observation) in test.iter().enumerate().skip(stuck + 1) {
            self.claim(asker, &mut run, observation)?;
            match self.check(asker, &run, Rules::All)? {
                Some(Some(more)) => known = more,
                Some(None) => return Ok(refuted(step, self.reason(asker, &run)?, Some(known.0))),
                None => {
                    // It ends in this step or behind it.
                    let (last, why, changes) = (test.len() - 1, Why::Unexplained, Some(known.0));
                    return Ok(Whole::Refuted(Refuted { step, last, why, changes, silent: None }));
                }
            }
        }
        Err(Obstacle::Contradiction)
    }

    pub(super) fn start_run(&self, asker: &mut Asker<'_>) -> Run {
        let Asker { session, encoder } = asker;
        let n = self.oracle.setup.steerable.len();
        let terms = session.terms();
        let cost = number(terms, self.whole_scale().1, exact::zero());
        Run {
            state: encoder.initial(terms),
            unknown: Vec::new(),
            changed: Vec::new(),
            changed_of: vec![Vec::new(); n],
            raised: vec![Vec::new(); n],
            lowered: vec![Vec::new(); n],
            cost,
        }
    }

    /// What costs are multiplied with in all steps, and their sort.
    fn whole_scale(&self) -> (Rational, Sort) {
        self.cost_scale(
            (0..self.oracle.setup.steerable.len()).any(|at| type_of(self.oracle, at) == Type::Real),
        )
    }

    /// Claims the next step: that it matches, and that it is as given or changed in a way that is allowed.
    fn claim(
        &mut self,
        asker: &mut Asker<'_>,
        run: &mut Run,
        observation: &Observation,
    ) -> Result<(), Obstacle> {
        for claim in self.coded(asker, run, observation)?.claims {
            asker.session.assert(claim);
        }
        self.define(asker, run);
        Ok(())
    }

    /// Names what the next step is about.
    pub(super) fn define(&self, asker: &mut Asker<'_>, run: &Run) {
        for memory in run.state.memory.iter() {
            asker.session.define(*memory);
        }
        asker.session.define(run.cost);
    }

    /// The next step as terms; the run goes on behind it.
    pub(super) fn coded(
        &mut self,
        asker: &mut Asker<'_>,
        run: &mut Run,
        observation: &Observation,
    ) -> Result<Coded, Obstacle> {
        self.begin(&observation.inputs, &observation.system);
        let oracle = self.oracle;
        let (unknown, ranges) = self.open_inputs();
        let Asker { session, encoder } = asker;
        let terms = session.terms();
        let given: Vec<Term> =
            self.inputs.iter().map(|value| encode::constant(terms, *value)).collect();
        let mut inputs = given.clone();
        let mut symbols = Vec::with_capacity(unknown.len());
        for at in unknown {
            let var = &oracle.opened.program.vars[oracle.opened.steered[at]];
            let symbol = terms.symbol(&var.name, encode::sort(var.ty));
            inputs[oracle.steered_inputs[at]] = symbol;
            symbols.push((at, symbol));
        }
        let step = encoder.step(terms, &run.state, &inputs);
        let mut claims = vec![step.defined];
        if !self.system.is_empty() {
            claims.push(self.matched(terms, &step).ok_or(Obstacle::Contradiction)?);
        }
        let mut differ = Vec::with_capacity(symbols.len());
        for (at, symbol) in &symbols {
            let from = given[oracle.steered_inputs[*at]];
            let is_changed = terms.ne(*symbol, from);
            differ.push(is_changed);
            run.changed_of[*at].push(is_changed);
            // Enumerations are numbers of the solver only.
            if matches!(type_of(oracle, *at), Type::Int | Type::Real) {
                run.raised[*at].push(terms.lt(from, *symbol));
                run.lowered[*at].push(terms.lt(*symbol, from));
            }
        }
        let is_changed = terms.any(differ);
        if !symbols.is_empty() {
            let is_own = |var: VarId| oracle.inputs.contains(&var);
            let tolerances = &oracle.setup.tolerances;
            let is_other = |it: &Seen| matches!(*it, Seen::Original(var) if !is_own(var));
            let plain = tolerances.seen.iter().any(is_other);
            let plain = plain.then(|| encoder.step(terms, &run.state, &given));
            let known = |value: Option<Value>| value.unwrap_or(Value::Bool(false));
            let mut seen = IdVec::new();
            for it in tolerances.seen.iter() {
                let term = match *it {
                    Seen::New(var) => step.var(var).ok_or(Obstacle::Contradiction)?,
                    Seen::Original(var) if is_own(var) => {
                        let at = oracle.inputs.iter().position(|it| *it == var);
                        given[at.ok_or(Obstacle::Contradiction)?]
                    }
                    Seen::Original(var) => {
                        let plain = plain.as_ref().and_then(|it| it.var(var));
                        plain.ok_or(Obstacle::Contradiction)?
                    }
                    Seen::System(var) => {
                        let column = oracle.column_of[punctual_model::Id::index(var)];
                        let value = column.and_then(|column| self.system.get(column).copied());
                        encode::constant(terms, known(value))
                    }
                };
                seen.push(term);
            }
            // Ranges of single inputs are much easier for a solver than conditions that say the same.
            let mut allowed = Vec::new();
            let is_known = !oracle.rules.is_entangled() && ranges.is_some();
            if !is_known {
                allowed.extend(encode::conditions(terms, tolerances, &seen));
            }
            for (at, symbol) in symbols.iter().filter(|_| is_known) {
                let Some(of) = ranges.as_ref().and_then(|all| all[*at].clone()) else { continue };
                let own = to_cell(self.inputs[oracle.steered_inputs[*at]]);
                let ty = oracle.program().vars[oracle.setup.steerable[*at]].ty;
                let is_own = of.iter().any(|(low, high)| (*low..=*high).contains(&own));
                let within = within(terms, ty, *symbol, &of);
                // What a step may be as it is needs no permission.
                if is_own { claims.push(within) } else { allowed.push(within) }
            }
            allowed.extend(&step.assertions);
            allowed.push(self.in_ranges(terms, &symbols));
            let allowed = terms.all(allowed);
            let is_free = plain.map_or(allowed, |plain| {
                // Where the model has no step as it is, nothing is said about what is allowed.
                let undefined = terms.not(plain.defined);
                terms.or(allowed, undefined)
            });
            claims.push(terms.implies(is_changed, is_free));
        }
        let scale = self.whole_scale();
        let (cost, _) = self.costs(terms, &symbols, &[], scale);
        run.cost = terms.add(run.cost, cost);
        let fee = number(terms, scale.1, exact::product(oracle.setup.policy.step, scale.0));
        let none = number(terms, scale.1, exact::zero());
        let fee = terms.ite(is_changed, fee, none);
        run.cost = terms.add(run.cost, fee);
        run.changed.push(is_changed);
        run.unknown.push(symbols);
        run.state = step.next;
        Ok(Coded { given, claims })
    }

    /// The positions of the steerable inputs that may have another value in this step, and the cells that each may have if
    /// that does not depend on the state.
    fn open_inputs(&mut self) -> (Vec<usize>, Option<Vec<Cells>>) {
        let oracle = self.oracle;
        let all = 0..oracle.setup.steerable.len();
        let is_system = |seen: &Seen| matches!(seen, Seen::System(_));
        if self.system.is_empty() && oracle.setup.tolerances.seen.iter().any(is_system) {
            return (Vec::new(), None);
        }
        if oracle.rules.needs_original || oracle.has_locals() {
            return (all.collect(), None);
        }
        let Some(room) = self.room() else { return (Vec::new(), None) };
        let own = |at: usize| self.inputs[oracle.steered_inputs[at]];
        let unknown = all.filter(|at| {
            let is_one = room.cells[*at].as_ref().is_some_and(|cells| cells.len() <= 1);
            !is_one || room.base[*at] != own(*at)
        });
        let is_real = |at: usize| type_of(oracle, at) == Type::Real;
        let has_reals = (0..oracle.setup.steerable.len()).any(is_real);
        (unknown.collect(), (!has_reals).then_some(room.ranges))
    }

    /// The values that satisfy all claims, with their cost; `Some(None)` if none do, None if it is not known.
    #[expect(
        clippy::type_complexity,
        reason = "an answer that may be unknown, and a value that may not be"
    )]
    pub(super) fn check(
        &self,
        asker: &mut Asker<'_>,
        run: &Run,
        rules: Rules,
    ) -> Result<Option<Option<(Changes, Option<i128>)>>, Obstacle> {
        let session = &mut asker.session;
        session.push();
        self.claim_policy(session, run, rules);
        let answer = session.check();
        let found = match answer {
            Ok(Answer::Sat) => self.values(session, run).map(|it| Some(Some(it))),
            Ok(Answer::Unsat) => Ok(Some(None)),
            Ok(Answer::Unknown(_)) => Ok(None),
            Err(error) => Err(Obstacle::Solver(error.to_string())),
        };
        session.pop();
        found
    }

    /// The changes that a solver found, and what they cost, scaled, if that is a whole number.
    fn values(
        &self,
        session: &mut Session,
        run: &Run,
    ) -> Result<(Changes, Option<i128>), Obstacle> {
        let failed = |error: punctual_solver::Error| Obstacle::Solver(error.to_string());
        let mut wanted = vec![run.cost];
        wanted.extend(run.unknown.iter().flatten().map(|(_, term)| *term));
        let said = session.values(&wanted).map_err(failed)?;
        let (cost, mut said) = (said[0].as_int(), said[1..].iter());
        let mut changes = Vec::with_capacity(run.unknown.len());
        for unknown in &run.unknown {
            let mut of = Vec::new();
            for ((at, _), said) in unknown.iter().zip(said.by_ref()) {
                let value = encode::value(*said, type_of(self.oracle, *at));
                of.push((*at, value.ok_or(Obstacle::Contradiction)?));
            }
            changes.push(of);
        }
        Ok((changes, cost))
    }

    /// Claims what the policy allows of a whole test.
    fn claim_policy(&self, session: &mut Session, run: &Run, rules: Rules) {
        let policy = &self.oracle.setup.policy;
        let (scale, sort) = self.whole_scale();
        let mut claims = Vec::new();
        let terms = session.terms();
        let mut at_most = |changed: &[Term], most: u32| {
            let (one, none) = (terms.int(1), terms.int(0));
            let ones: Vec<Term> = changed.iter().map(|it| terms.ite(*it, one, none)).collect();
            let count = terms.sum(Sort::Int, ones);
            let most = terms.int(i128::from(most));
            terms.le(count, most)
        };
        if matches!(rules, Rules::All | Rules::NotSteady) {
            claims.extend(policy.steps_max.map(|most| at_most(&run.changed, most)));
            for (at, most) in policy.steps_of.iter().enumerate() {
                claims.extend(most.map(|most| at_most(&run.changed_of[at], most)));
            }
            if let Some(most) = policy.cost_max {
                let most = number(terms, sort, exact::product(most, scale));
                claims.push(terms.le(run.cost, most));
            }
        }
        if policy.steady && matches!(rules, Rules::All | Rules::NoBudget) {
            for (raised, lowered) in run.raised.iter().zip(&run.lowered) {
                let (up, down) = (terms.any(raised.clone()), terms.any(lowered.clone()));
                let both = terms.and(up, down);
                claims.push(terms.not(both));
            }
        }
        for claim in claims {
            session.assert(claim);
        }
    }

    /// Why there is no explanation: does only a rule of the policy forbid it?
    fn reason(&self, asker: &mut Asker<'_>, run: &Run) -> Result<Why, Obstacle> {
        let policy = &self.oracle.setup.policy;
        let (is_steady, has_budget) = (policy.steady, policy.has_budget());
        let mut is_open = false;
        for (may, rules, why) in [
            (has_budget, Rules::NoBudget, Why::OverBudget),
            (is_steady, Rules::NotSteady, Why::Unsteady),
            (is_steady && has_budget, Rules::Neither, Why::OverBudgetUnsteady),
        ] {
            if !may {
                continue;
            }
            match self.check(asker, run, rules)? {
                Some(Some(_)) => return Ok(why),
                Some(None) => {}
                None => is_open = true,
            }
        }
        Ok(if is_open { Why::Unnamed } else { Why::Unexplained })
    }

    /// Why the steps of a test, which nothing allowed explains, have no explanation.
    pub(in crate::steering) fn forbidden(&mut self, test: &[Observation]) -> Why {
        let Some(mut asker) = self.asker_of_all() else { return Why::Unnamed };
        asker.session.push();
        let mut run = self.start_run(&mut asker);
        let claimed = test.iter().try_for_each(|it| self.claim(&mut asker, &mut run, it));
        let why = claimed.and_then(|()| self.reason(&mut asker, &run));
        asker.session.pop();
        self.asker = Some(asker);
        why.unwrap_or(Why::Unnamed)
    }

    /// A cheaper explanation than the one that is known, as far as one is found soon.
    fn cheaper(
        &self,
        asker: &mut Asker<'_>,
        run: &Run,
        mut best: (Changes, Option<i128>),
    ) -> Result<(Changes, Option<i128>), Obstacle> {
        let mut least = 0;
        for _ in 0..CHEAPER_MAX {
            let Some(cost) = best.1.filter(|cost| *cost > least) else { break };
            let middle = least + (cost - least) / 2;
            let session = &mut asker.session;
            session.push();
            let terms = session.terms();
            let middle_term = terms.int(middle);
            let is_cheaper = terms.le(run.cost, middle_term);
            session.assert(is_cheaper);
            let found = self.check(asker, run, Rules::All);
            asker.session.pop();
            match found? {
                Some(Some(found)) => best = found,
                Some(None) => least = middle + 1,
                None => break,
            }
        }
        Ok(best)
    }
}
