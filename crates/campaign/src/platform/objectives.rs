//! How much of a model all runs of a suite on a platform have exercised: surely, probably, or not, and by which cases.
//!
//! A run has met an objective with the probability of the likeliest of its steps that meet it if they happen as intended; several runs
//! are independent of each other.

use std::collections::BTreeMap;

use punctual_testgen::lustre::{Criterion, Obligation, obligations};
use punctual_testgen::platform::{Aims, Extent, Objectives};

use super::evidence::SURE;
use super::table;
use crate::judges::Judges;

/// An objective counts as probably met from this probability on.
pub const PROBABLE: f64 = 0.5;

/// How certain it is that an objective was met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// With a probability of [`SURE`] or more.
    Surely,
    /// With a probability of [`PROBABLE`] or more.
    Probably,
    /// Less probably than that, or not at all.
    Not,
}

/// What runs have exercised so far.
pub struct Exercise {
    /// The kind of objectives.
    pub criterion: Criterion,
    objectives: Objectives,
    /// For each case by its position, and whether all that does no harm was sent: the objectives that each of its steps meets.
    met: BTreeMap<(usize, bool), Vec<Vec<usize>>>,
    /// For each objective.
    known: Vec<Known>,
}

/// What is known of an objective.
#[derive(Clone, Debug)]
struct Known {
    /// The probability that no run has met it.
    missed: f64,
    /// For each case that may meet it, by its position: the probability that no run of it has, and the likeliest step.
    by: BTreeMap<usize, By>,
}

#[derive(Clone, Copy, Debug)]
struct By {
    missed: f64,
    step: usize,
    of_step: f64,
}

/// An objective, and how certain it is that it was met.
#[derive(Clone, PartialEq, Debug)]
pub struct Met<'e> {
    /// What it is.
    pub obligation: &'e Obligation,
    /// The probability that some run has met it.
    pub probability: f64,
    /// The cases that may have met it, the likeliest first: the name, the likeliest step, and the probability that some run of it has.
    pub by: Vec<(&'e str, usize, f64)>,
}

impl Met<'_> {
    /// How certain it is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.probability {
            it if it >= SURE => Class::Surely,
            it if it >= PROBABLE => Class::Probably,
            _ => Class::Not,
        }
    }
}

impl Exercise {
    /// Nothing has run yet; none if nobody asks for objectives.
    #[must_use]
    pub fn new(judges: &Judges) -> Option<Exercise> {
        let steps = judges.steps.as_ref()?;
        let criterion = steps.mounted()?.objectives?;
        let all = obligations(steps.program(), criterion);
        let known = vec![Known { missed: 1.0, by: BTreeMap::new() }; all.len()];
        let objectives = Objectives::new(steps.program(), all);
        Some(Exercise { criterion, objectives, met: BTreeMap::new(), known })
    }

    /// A run is over, each of whose steps happened as intended with a probability.
    pub fn add(&mut self, judges: &Judges, run: u64, exercised: &[f64]) {
        let n_cases = judges.suite.as_ref().map_or(1, |it| it.cases.len().max(1)) as u64;
        let (case, number) = ((run % n_cases) as usize, run / n_cases);
        let extent = Extent::of_try(number);
        let key = (case, extent == Extent::Harmless);
        if !self.met.contains_key(&key) {
            let met = self.of_case(judges, run, extent).unwrap_or_default();
            self.met.insert(key, met);
        }
        let mut best: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
        for (step, (objectives, probability)) in self.met[&key].iter().zip(exercised).enumerate() {
            for objective in objectives {
                let best = best.entry(*objective).or_insert((step, 0.0));
                if *probability > best.1 {
                    *best = (step, *probability);
                }
            }
        }
        for (objective, (step, probability)) in best {
            let known = &mut self.known[objective];
            known.missed *= 1.0 - probability;
            let by = known.by.entry(case).or_insert(By { missed: 1.0, step, of_step: 0.0 });
            by.missed *= 1.0 - probability;
            if probability > by.of_step {
                (by.step, by.of_step) = (step, probability);
            }
        }
    }

    fn of_case(&self, judges: &Judges, run: u64, extent: Extent) -> Option<Vec<Vec<usize>>> {
        let steps = judges.steps.as_ref()?;
        let mounted = steps.mounted()?;
        let (platform, table) = (&*mounted.platform, table(judges.case(run)?)?);
        let aims = Aims::new(steps.machine(), platform, &mounted.outside, table, extent).ok()?;
        // The model takes as many steps before the case as the program does.
        let n_before = mounted.n_before();
        Some(self.objectives.met(steps.machine(), platform, table, &aims, n_before))
    }

    /// All objectives, in the order of the equations of the model.
    pub fn all<'e>(&'e self, judges: &'e Judges) -> impl Iterator<Item = Met<'e>> {
        let cases = judges.suite.as_ref().map_or(&[][..], |it| &it.cases);
        self.objectives.all.iter().zip(&self.known).map(|(obligation, known)| {
            let by = known.by.iter();
            let mut by: Vec<(&str, usize, f64)> = by
                .map(|(case, by)| (cases[*case].name.as_str(), by.step, 1.0 - by.missed))
                .collect();
            by.sort_by(|a, b| b.2.total_cmp(&a.2));
            Met { obligation, probability: 1.0 - known.missed, by }
        })
    }
}
