//! Tests that cover obligations, from a solver.
//!
//! The program is unrolled step by step. At each depth the solver is asked for a run that ends in
//! any of the obligations that are left; the interpreter says which of them (and which others) it
//! covers, until there is none. So there are about as many questions as tests and steps, not as many as
//! obligations.
//!
//! **Invariant:** covered means that the interpreter has seen it. **Invariant:** infeasible means that
//! the solver has proved it for runs of any length; otherwise an obligation is open.

use std::cell::RefCell;

use punctual_model::lustre::{Program, Rational, Table, Test, Type};
use punctual_semantics::lustre::Refusal;
use punctual_semantics::lustre::encode::{self, Encoder, Unrolling};
use punctual_solver::{Answer, Error, Session, Term, Terms, Value};

use crate::smallest::smallest;

use super::{
    induction,
    obligations::{Criterion, Obligation, obligations},
    random::{Ranges, each_random_test},
    run::Observed,
};

/// A solver that had to be ended more often is asked no more.
const BROKEN_MAX: usize = 3;

/// Why nothing is known when the user wanted no more.
pub(super) const STOPPED: &str = "the search was stopped";

/// How tests are looked for.
#[derive(Clone, Debug)]
pub struct CoverOptions {
    /// The kind of obligations that tests are to cover.
    pub criterion: Criterion,
    /// How many steps a test has at most.
    pub bound: usize,
    /// The ranges of numbers among the inputs.
    pub ranges: Ranges,
    /// How many random tests are tried before the solver is asked.
    pub n_random: usize,
    /// The seed of the random tests.
    pub seed: u64,
}

/// What is known of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// A test of the suite covers it: the one with this number.
    Covered(usize),
    /// No run covers it, however long; shown by induction over so many steps.
    Infeasible(usize),
    /// No run of so many steps covers it; longer ones may.
    Beyond(usize),
    /// Nothing is known, for this reason.
    Undecided(String),
}

/// The tests that a search has found, and what is known of each obligation.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// A small suite, over all inputs.
    pub table: Table,
    /// All obligations, with what is known of them.
    pub obligations: Vec<(Obligation, Status)>,
    /// How many tests were found before the suite was made small.
    pub n_found: usize,
    /// How many questions the solver was asked.
    pub n_questions: u64,
}

impl Coverage {
    /// How many obligations have such a status.
    #[must_use]
    pub fn count(&self, is: impl Fn(&Status) -> bool) -> usize {
        self.obligations.iter().filter(|(_, status)| is(status)).count()
    }
}

/// The kind of work that a search is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It tries random tests.
    Random,
    /// It looks for runs of so many steps.
    Depth(usize),
    /// It looks for proofs by induction over so many steps.
    Induction(usize),
}

/// How far a search is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The kind of work that the search is doing.
    pub phase: Phase,
    /// How many obligations there are.
    pub n_obligations: usize,
    /// How many obligations are neither covered nor shown to be infeasible.
    pub n_left: usize,
    /// How many tests were found so far.
    pub n_tests: usize,
}

/// Looks for tests that cover a program. Without a solver, what random tests do not cover is
/// undecided. `go_on` is told how far the search is, and ends it by false.
///
/// # Errors
/// If the program can not be run.
pub fn cover(
    program: &Program,
    options: &CoverOptions,
    session: Result<Session, Error>,
    go_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Coverage, Refusal> {
    let obligations = obligations(program, options.criterion);
    let observed = Observed::new(program, &obligations);
    let mut search = Search {
        program,
        options,
        observed: &observed,
        left: (0..obligations.len()).collect(),
        is_left: vec![true; obligations.len()],
        statuses: vec![None; obligations.len()],
        obligations: &obligations,
        tests: Vec::new(),
        n_broken: 0,
        go_on,
    };
    search.by_chance()?;
    let mut n_questions = 0;
    match session {
        _ if !search.report(Phase::Random) => search.give_up(STOPPED),
        Ok(mut session) => {
            if let Err(stop) = search.run(&mut session) {
                search.give_up(&stop.0);
            }
            n_questions = session.questions();
        }
        Err(error) => search.give_up(&error.to_string()),
    }
    let Search { tests, statuses, .. } = search;
    Ok(conclude(program, obligations, &observed, tests, statuses, n_questions))
}

/// Why the search ended early.
pub(super) struct Stop(pub(super) String);

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop(error.to_string())
    }
}

pub(super) struct Search<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a CoverOptions,
    observed: &'a Observed,
    pub(super) obligations: &'a [Obligation],
    /// Which obligations nothing is known of, and of each whether it is one of them.
    pub(super) left: Vec<usize>,
    is_left: Vec<bool>,
    /// What is known of the others.
    pub(super) statuses: Vec<Option<Status>>,
    tests: Vec<Test>,
    /// How often the solver had to be ended.
    n_broken: usize,
    go_on: &'a mut dyn FnMut(&Progress) -> bool,
}

impl Search<'_> {
    /// Tries random tests, as long as something is left for them. Those that cover nothing new are not kept, so many may be tried.
    fn by_chance(&mut self) -> Result<(), Refusal> {
        let CoverOptions { bound, ranges, n_random, seed, .. } = self.options;
        let program = self.program;
        // Both look at it, one after the other.
        let search = RefCell::new(self);
        let mut go_on = || search.borrow_mut().report(Phase::Random);
        let mut take = |test| {
            let mut search = search.borrow_mut();
            search.take(test);
            !search.left.is_empty()
        };
        each_random_test(program, (*n_random, *bound), ranges, *seed, &mut go_on, &mut take)
    }

    /// Runs a test, and keeps it if it covers something new; what that is.
    fn take(&mut self, test: Test) -> Vec<usize> {
        let covered = self.observed.covered(&test, self.obligations, &self.left);
        if !covered.is_empty() {
            self.strike(&covered);
            self.tests.push(test);
        }
        covered
    }

    /// Something is known of these now.
    pub(super) fn strike(&mut self, known: &[usize]) {
        for at in known {
            self.is_left[*at] = false;
        }
        self.left.retain(|at| self.is_left[*at]);
    }

    /// Tells how far the search is; false if it is to end.
    pub(super) fn report(&mut self, phase: Phase) -> bool {
        (self.go_on)(&Progress {
            phase,
            n_obligations: self.obligations.len(),
            n_left: self.left.len(),
            n_tests: self.tests.len(),
        })
    }

    fn give_up(&mut self, reason: &str) {
        for at in self.left.drain(..) {
            self.statuses[at] = Some(Status::Undecided(reason.to_owned()));
        }
    }

    /// Nothing more will be known of an obligation.
    fn undecided(&mut self, at: usize, reason: &str) {
        self.strike(&[at]);
        self.statuses[at] = Some(Status::Undecided(reason.to_owned()));
    }

    /// What inputs keep to, beyond their types.
    pub(super) fn in_ranges(&self, terms: &mut Terms, inputs: &[Term]) -> Term {
        let mut all = terms.bool(true);
        for (var, input) in self.program.inputs().zip(inputs) {
            let declared = &self.program.vars[var];
            // What has no range has that of the machine's numbers.
            let whole = |it: i64| Rational::from_integer(it.into());
            let known = self.options.ranges.known(self.program, var);
            let (low, high) = known.unwrap_or((whole(i64::MIN), whole(i64::MAX)));
            let (low, high) = match declared.ty {
                Type::Int => (terms.int(low.to_integer()), terms.int(high.to_integer())),
                Type::Real => (terms.real(low), terms.real(high)),
                Type::Bool | Type::Enum(_) => {
                    let inside = encode::in_range(terms, self.program, declared, *input);
                    all = terms.and(all, inside);
                    continue;
                }
            };
            let (above, below) = (terms.le(low, *input), terms.le(*input, high));
            let inside = terms.and(above, below);
            all = terms.and(all, inside);
        }
        all
    }

    /// An obligation in the last step of a run.
    pub(super) fn term(&self, terms: &mut Terms, step: &encode::Step, at: usize) -> Term {
        let mut all = terms.bool(true);
        for (expr, truth) in &self.obligations[at].truths {
            let (Some(value), Some(defined)) = (step.expr(*expr), step.expr_defined(*expr)) else {
                return terms.bool(false);
            };
            let holds = terms.literal(value, *truth);
            let holds = terms.and(holds, defined);
            all = terms.and(all, holds);
        }
        all
    }

    fn run(&mut self, session: &mut Session) -> Result<(), Stop> {
        // Those of which the solver does not know whether they can be covered in so many steps.
        let mut unknown: Vec<(usize, String)> = Vec::new();
        let program = self.program;
        let mut unrolling = Unrolling::from_start(Encoder::new(program).whole(), session.terms());
        for depth in 1..=self.options.bound {
            if self.left.is_empty() {
                return Ok(());
            }
            let terms = session.terms();
            unrolling.extend(terms);
            let last = &unrolling.steps()[depth - 1];
            let in_ranges = self.in_ranges(terms, &last.inputs);
            let assumed = terms.and(last.assumed, in_ranges);
            let wanted: Vec<(usize, Term)> =
                self.left.iter().map(|at| (*at, self.term(terms, &last.step, *at))).collect();
            session.assert(assumed);
            for memory in last.step.next.memory.iter() {
                session.define(*memory);
            }
            self.depth(session, &unrolling, &wanted, &mut unknown)?;
        }
        // What can be proved to be impossible needs no answer about some depth.
        let unsure: Vec<usize> = unknown.iter().map(|(at, _)| *at).collect();
        induction::prove(self, session, &unsure)?;
        for (at, reason) in unknown {
            if self.is_left[at] {
                self.undecided(at, &reason);
            }
        }
        for at in self.left.drain(..) {
            self.statuses[at] = Some(Status::Beyond(self.options.bound));
        }
        Ok(())
    }

    /// Finds all runs of the current depth.
    fn depth(
        &mut self,
        session: &mut Session,
        unrolling: &Unrolling<'_>,
        wanted: &[(usize, Term)],
        unknown: &mut Vec<(usize, String)>,
    ) -> Result<(), Stop> {
        let depth = unrolling.steps().len();
        // Groups that are still to be asked for.
        let mut groups: Vec<Vec<(usize, Term)>> = vec![wanted.to_vec()];
        while let Some(mut group) = groups.pop() {
            group.retain(|(at, _)| self.is_left[*at]);
            if group.is_empty() {
                continue;
            }
            if !self.report(Phase::Depth(depth)) {
                return Err(Stop(STOPPED.to_owned()));
            }
            let terms = session.terms();
            let any = terms.any(group.iter().map(|(_, term)| *term));
            match session.check_assuming(&[any])? {
                Answer::Unsat => {}
                Answer::Sat => {
                    self.found(session, unrolling, &group)?;
                    groups.push(group);
                }
                Answer::Unknown(reason) if reason.is_broken() && self.n_broken >= BROKEN_MAX => {
                    return Err(Stop(reason.to_string()));
                }
                // Smaller questions may be easier.
                Answer::Unknown(reason) if group.len() > 1 => {
                    self.n_broken += usize::from(reason.is_broken());
                    let half = group.split_off(group.len() / 2);
                    groups.extend([half, group]);
                }
                Answer::Unknown(reason) => {
                    self.n_broken += usize::from(reason.is_broken());
                    let reason = format!("in {depth} steps: {reason}");
                    unknown.extend(group.iter().map(|(at, _)| (*at, reason.clone())));
                }
            }
        }
        Ok(())
    }

    /// Makes a test of what the solver found. At least one of the group is decided by it.
    fn found(
        &mut self,
        session: &mut Session,
        unrolling: &Unrolling<'_>,
        group: &[(usize, Term)],
    ) -> Result<(), Stop> {
        let depth = unrolling.steps().len();
        let mut asked = unrolling.inputs(depth);
        let n_inputs = asked.len();
        asked.extend(group.iter().map(|(_, term)| *term));
        let (values, problem) = match session.values(&asked) {
            Ok(values) => (values, "the interpreter does not confirm what the solver found"),
            Err(Error::Lost(_)) => (Vec::new(), "the solver found a run that it can not tell"),
            Err(error) => return Err(error.into()),
        };
        let test = values.get(..n_inputs).and_then(|inputs| unrolling.test(depth, inputs));
        let covered = test.map(|test| self.take(test)).unwrap_or_default();
        if covered.is_empty() {
            // Those that the solver thinks were covered; without values, all may be.
            let claimed = group.iter().enumerate().filter(|(position, _)| {
                values.get(n_inputs + position).is_none_or(|it| *it == Value::Bool(true))
            });
            for (_, (at, _)) in claimed {
                self.undecided(*at, problem);
            }
        }
        Ok(())
    }
}

/// The smallest suite, and which of its tests covers what.
fn conclude(
    program: &Program,
    obligations: Vec<Obligation>,
    observed: &Observed,
    tests: Vec<Test>,
    statuses: Vec<Option<Status>>,
    n_questions: u64,
) -> Coverage {
    let all: Vec<usize> = (0..obligations.len()).collect();
    let covers: Vec<Vec<usize>> =
        tests.iter().map(|test| observed.covered(test, &obligations, &all)).collect();
    let kept = smallest(&covers, obligations.len());
    let mut by_test = vec![None; obligations.len()];
    for (number, at) in kept.iter().enumerate() {
        for obligation in &covers[*at] {
            by_test[*obligation].get_or_insert(number);
        }
    }
    let n_found = tests.len();
    let kept_tests = kept.iter().map(|at| tests[*at].clone()).collect();
    let with_status = obligations.into_iter().zip(statuses).zip(by_test);
    let obligations = with_status.map(|((obligation, status), test)| {
        let status = match (test, status) {
            (Some(test), _) => Status::Covered(test),
            (None, Some(status)) => status,
            (None, None) => Status::Undecided("nobody looked".to_owned()),
        };
        (obligation, status)
    });
    Coverage {
        obligations: obligations.collect(),
        table: Table { columns: program.inputs().collect(), tests: kept_tests },
        n_found,
        n_questions,
    }
}
