//! What came of a test: the story of the best explanation.

use punctual_model::lustre::{Rational, Value};

use super::{Follower, Observation, Steerer};
use crate::Judgement;
use crate::steering::doubt::{Doubt, Obstacle};
use crate::steering::exact;
use crate::steering::metric::is_match;
use crate::steering::oracle::LookAhead;
use crate::steering::outcome::{Before, Change, Diagnosis, Effort, Outcome, StepReport, Why};
use crate::steering::policy::Unheld;

/// What is told of the steps of a test.
#[derive(Default)]
struct Told {
    steps: Vec<StepReport>,
    n_steered: u32,
    change: Rational,
    remaining: Rational,
    unassumed: Option<usize>,
    violated: Vec<(usize, usize)>,
}

impl Steerer<'_> {
    /// Tells the story of the best explanation, and checks it step by step.
    pub(super) fn outcome(&mut self, follower: Follower, before: Before) -> Outcome {
        let best = follower.live.first().or(follower.nearest.as_ref());
        let mut told = Told::default();
        if let Some(best) = best {
            let way = follower.way(best.node);
            if let Err(diagnosis) = self.tell(&follower.history, &way, &mut told) {
                return Outcome { before, ..Outcome::inconclusive(diagnosis) };
            }
        }
        let outside = follower.outside(&before, told.unassumed);
        let policy = &self.oracle.setup.policy;
        let is_narrow = match self.oracle.setup.look_ahead {
            LookAhead::Steps(0) => true,
            LookAhead::Steps(_) => policy.unheld == Unheld::Nothing,
            LookAhead::All => false,
        };
        let is_open =
            policy.unheld == Unheld::Open && self.oracle.setup.look_ahead != LookAhead::All;
        let unheld = follower.unheld.filter(|_| is_open);
        let verdict = follower.doubt.verdict(follower.stuck.clone());
        let is_narrowed = match &verdict {
            Judgement::Fail(why) if is_narrow && why.step > 0 => {
                self.is_bound_by_earlier_steps(&follower.history, why)
            }
            _ => false,
        };
        let verdict = match (verdict, outside, unheld) {
            (Judgement::Pass | Judgement::Fail(_), Some(step), _) => {
                Judgement::Inconclusive(Diagnosis { step, why: Why::Unassumed })
            }
            // The first step was searched to its end, and so is each where nothing is remembered.
            (Judgement::Fail(Diagnosis { step, .. }), None, _) if is_narrowed => {
                let why = Why::Narrow(self.oracle.setup.look_ahead);
                Judgement::Fail(Diagnosis { step, why })
            }
            (Judgement::Pass, None, Some(step)) => {
                Judgement::Inconclusive(Diagnosis { step, why: Why::Unheld })
            }
            (Judgement::Pass, None, None) if !is_match(told.remaining) => {
                Judgement::Inconclusive(contradiction(0))
            }
            (verdict, ..) => verdict,
        };
        Outcome {
            verdict,
            before,
            steps: told.steps,
            n_steered: told.n_steered,
            cost: best.map_or(exact::zero(), |best| best.cost.change),
            change: told.change,
            remaining: told.remaining,
            doubt: follower.doubt,
            violated: told.violated,
            shows: Vec::new(),
            effort: self
                .searcher
                .effort
                .plus(Effort { candidates: follower.n_live_max, ..Effort::default() }),
        }
    }

    /// Whether other changes of earlier steps could make a step allowed that fails for this reason.
    fn is_bound_by_earlier_steps(&mut self, history: &[Observation], why: &Diagnosis) -> bool {
        let is_rule = match why.why {
            Why::Unexplained | Why::Unnamed => false,
            Why::OverBudget | Why::Unsteady | Why::OverBudgetUnsteady => true,
            _ => return false,
        };
        if !self.oracle.program().memory.is_empty() || !is_rule {
            return !self.oracle.program().memory.is_empty();
        }
        // Only the policy remembers which variables were changed, and how.
        let mut all = Follower { look_ahead: LookAhead::All, ..self.follow() };
        all.history = history[..=why.step].to_vec();
        self.catch_up(&mut all, 0);
        all.stuck.is_none() || all.doubt.has_limits() || all.doubt.has_obstacle()
    }

    /// Runs an explanation again, with every condition as it was written.
    fn tell(
        &mut self,
        history: &[Observation],
        way: &[&[(usize, Value)]],
        told: &mut Told,
    ) -> Result<(), Diagnosis> {
        let mut state = self.oracle.machine.start();
        for (step, (observation, changes)) in history.iter().zip(way).enumerate() {
            self.searcher.begin(&observation.inputs, &observation.system);
            let unsteered = self.searcher.unsteered(&state);
            // A step that the model can not take as it is has no outputs to compare.
            let before = unsteered.as_ref().ok().map(|it| it.cost.dissimilarity);
            let leaf = match changes.is_empty() {
                true => unsteered
                    .map_err(|obstacle| Diagnosis { step, why: Why::Obstacle(obstacle) })?,
                false => self.searcher.steered(&state, changes, &[]).ok_or(contradiction(step))?,
            };
            let after = leaf.cost.dissimilarity;
            let (is_unassumed, violated) = self.searcher.broken();
            if is_unassumed {
                told.unassumed.get_or_insert(step);
            }
            for at in violated {
                if !told.violated.iter().any(|(known, _)| *known == at) {
                    told.violated.push((at, step));
                }
            }
            told.remaining = exact::sum(told.remaining, after);
            told.change = exact::sum(told.change, leaf.units);
            told.n_steered += u32::from(!changes.is_empty());
            if !changes.is_empty() || !is_match(after) {
                let differences = self.searcher.differences();
                let values: Vec<Value> =
                    changes.iter().map(|(at, _)| self.searcher.steered_value(*at)).collect();
                // The unsteered values are what tolerances are about.
                let bounds = match self.searcher.unsteered(&state) {
                    Ok(_) => self.searcher.bounds(),
                    Err(_) => vec![(None, None); self.oracle.setup.steerable.len()],
                };
                let change = |((at, _), to): (&(usize, Value), &Value)| Change {
                    var: self.oracle.setup.steerable[*at],
                    from: self.searcher.original_value(*at).unwrap_or(*to),
                    to: *to,
                    low: bounds[*at].0,
                    high: bounds[*at].1,
                };
                told.steps.push(StepReport {
                    step,
                    before,
                    after,
                    changes: changes.iter().zip(&values).map(change).collect(),
                    differences,
                });
            }
            state = leaf.after;
        }
        Ok(())
    }
}

impl Follower {
    /// The first step from which on the model says nothing of the test; None if there is none. For an explanation of the whole test that
    /// is one in which it breaks an assertion. Where nothing explains a test, one counts that any state breaks which explains what comes
    /// before, and which is no later than what is not explained: with the inputs of the test, the system may do anything behind it.
    fn outside(&self, before: &Before, told: Option<usize>) -> Option<usize> {
        let Some(stuck) = &self.stuck else { return told };
        let is_possible = |at: &usize| before.first_mismatch.is_none_or(|mismatch| *at <= mismatch);
        let all = [told, self.outside, before.unassumed.filter(is_possible)];
        all.into_iter().flatten().filter(|at| *at <= stuck.step).min()
    }
}

/// What was found is not what the model does.
fn contradiction(step: usize) -> Diagnosis {
    Diagnosis { step, why: Why::Obstacle(Obstacle::Contradiction) }
}

impl Outcome {
    /// The outcome of a test that needs no steering.
    pub(super) fn unsteered(before: Before) -> Outcome {
        Outcome {
            verdict: match before.unassumed {
                None => Judgement::Pass,
                Some(step) => Judgement::Inconclusive(Diagnosis { step, why: Why::Unassumed }),
            },
            violated: before.violated.clone(),
            before,
            steps: Vec::new(),
            n_steered: 0,
            cost: exact::zero(),
            change: exact::zero(),
            remaining: exact::zero(),
            doubt: Doubt::default(),
            shows: Vec::new(),
            effort: Effort::default(),
        }
    }

    /// The outcome of a test of which nothing can be said.
    pub(super) fn inconclusive(diagnosis: Diagnosis) -> Outcome {
        Outcome {
            verdict: Judgement::Inconclusive(diagnosis),
            ..Outcome::unsteered(Before::default())
        }
    }
}
