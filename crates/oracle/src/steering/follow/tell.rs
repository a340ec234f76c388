//! What came of a test: the story of the best explanation.

use punctual_model::lustre::{Rational, Value};

use super::{Follower, Observation, Steerer};
use crate::Judgement;
use crate::steering::doubt::{Doubt, Obstacle};
use crate::steering::exact;
use crate::steering::metric::is_match;
use crate::steering::outcome::{Before, Change, Diagnosis, Effort, Outcome, StepReport, Why};

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
        let is_outside = told
            .unassumed
            .is_some_and(|at| follower.stuck.as_ref().is_none_or(|stuck| at < stuck.step));
        let verdict = match follower.doubt.verdict(follower.stuck) {
            _ if is_outside => {
                let step = told.unassumed.unwrap_or_default();
                Judgement::Inconclusive(Diagnosis { step, why: Why::Unassumed })
            }
            Judgement::Pass if !is_match(told.remaining) => {
                Judgement::Inconclusive(contradiction(0))
            }
            verdict => verdict,
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
            let unsteered = self
                .searcher
                .unsteered(&state)
                .map_err(|obstacle| Diagnosis { step, why: Why::Obstacle(obstacle) })?;
            let before = unsteered.cost.dissimilarity;
            let leaf = match changes.is_empty() {
                true => unsteered,
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
