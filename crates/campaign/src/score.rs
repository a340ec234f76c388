//! What mutants are, and which of them a suite finds.
//!
//! Both are known from the model alone: nothing is run. What a mutant is (`decide`) and what a case says of it (`score`)
//! are questions about one component and its environment, so mutants are looked at in parallel.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use punctual_model::ProcessId;
use punctual_model::testing::suite::{Body, Case, Suite};
use punctual_semantics::specification::Specification;
use punctual_smc::parallel::in_order;
use punctual_testgen::mutation::automata::Mutant;
use punctual_testgen::mutation::decide::{Bench, Decision, Limits, Outcome, STOPPED};
use punctual_testgen::mutation::kill::{self, Killer, Victim};
use punctual_testgen::timed::{Deriver, Requirements, Trouble, Wait, World, known_parts};

/// The components of the system that mutants are of.
pub type Benches<'s> = BTreeMap<ProcessId, Bench<'s>>;

/// The components of mutants. Those that can not be followed are left out.
#[must_use]
pub fn benches<'s>(specification: &'s Specification, mutants: &[Mutant]) -> Benches<'s> {
    let mut benches = BTreeMap::new();
    for mutant in mutants {
        if !benches.contains_key(&mutant.process)
            && let Ok(bench) = Bench::new(specification, mutant.process)
        {
            benches.insert(mutant.process, bench);
        }
    }
    benches
}

/// Decides what each mutant is. `progress` is told how many are done, and says whether to go on; the rest is unknown
/// then.
pub fn decide(
    benches: &Benches<'_>,
    mutants: &[Mutant],
    limits: Limits,
    threads: usize,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Vec<Decision> {
    let work = |(): &mut (), mutant: &Mutant| match benches.get(&mutant.process) {
        Some(bench) => bench.decide(mutant, limits),
        None => Decision::Unknown("its component can not be followed"),
    };
    let mut decisions = Vec::with_capacity(mutants.len());
    in_order(
        threads,
        mutants.iter(),
        || (),
        work,
        |decision| {
            decisions.push(decision);
            match progress(decisions.len()) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        },
    );
    decisions.resize(mutants.len(), Decision::Unknown(STOPPED));
    decisions
}

/// The cases of a suite, each up to the first input that a right system may refuse: nobody fails for what follows. Says whether something was left out.
fn without_doubt(benches: &Benches<'_>, suite: &Suite) -> Vec<(Case, bool)> {
    let specification = benches.values().next().map(Bench::specification);
    let world = specification.and_then(|it| World::new(it).ok());
    let cut = |case: &Case| {
        let mut case = case.clone();
        let (Some(world), Body::Timed(parts)) = (&world, &mut case.body) else {
            return (case, false);
        };
        // What can not be followed says nothing.
        let known = known_parts(world, parts).unwrap_or(0);
        let is_cut = known < parts.len();
        parts.truncate(known);
        (case, is_cut)
    };
    suite.cases.iter().map(cut).collect()
}

/// What each case of a suite says of each mutant, mutant by mutant. What was not looked at is unknown.
pub fn score(
    benches: &Benches<'_>,
    mutants: &[Mutant],
    suite: &Suite,
    threads: usize,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Vec<Vec<Outcome>> {
    let cases = without_doubt(benches, suite);
    let work = |(): &mut (), mutant: &Mutant| {
        let unknown = || vec![Outcome::Unknown; suite.cases.len()];
        let Some(bench) = benches.get(&mutant.process) else { return unknown() };
        let Ok(mutated) = bench.mutated(&mutant.network) else { return unknown() };
        let outcome = |(case, is_cut): &(Case, bool)| {
            let outcome = bench.outcome(&mutated, case);
            if *is_cut { outcome.max(Outcome::Unknown) } else { outcome }
        };
        cases.iter().map(outcome).collect()
    };
    let mut outcomes: Vec<Vec<Outcome>> = Vec::with_capacity(mutants.len());
    in_order(
        threads,
        mutants.iter(),
        || (),
        work,
        |found| {
            outcomes.push(found);
            match progress(outcomes.len()) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        },
    );
    outcomes.resize(mutants.len(), vec![Outcome::Unknown; suite.cases.len()]);
    outcomes
}

/// How a suite is extended.
pub struct Extension<'e> {
    /// How far one search goes.
    pub limits: Limits,
    /// How many steps a case has, at most.
    pub length: usize,
    /// Says which requirement an edge stands for.
    pub requirements: &'e Requirements<'e>,
}

/// Cases that find mutants which the cases of a suite do not find: positions in `mutants`.
///
/// # Errors
/// If the model is in error, or can not be followed.
pub fn extend(
    world: &World<'_>,
    benches: &Benches<'_>,
    mutants: &[Mutant],
    survivors: &[usize],
    extension: &Extension<'_>,
    progress: &mut dyn FnMut(kill::Progress) -> bool,
) -> Result<Vec<Case>, Trouble> {
    let victim = |at: &usize| {
        let mutant = &mutants[*at];
        let bench = benches.get(&mutant.process)?;
        let mutated = bench.mutated(&mutant.network).ok()?;
        Some(Victim { process: mutant.process, mutated })
    };
    let victims: Vec<Victim> = survivors.iter().filter_map(victim).collect();
    let mut deriver = Deriver::new(world, Wait::Behind)?;
    let mut killer = Killer {
        world,
        deriver: &mut deriver,
        benches,
        limits: extension.limits,
        length: extension.length,
        requirements: extension.requirements,
    };
    let found = killer.kill(&victims, progress);
    let case = |(number, found): (usize, kill::Found)| Case {
        name: format!("kill {:03}", number + 1),
        body: Body::Timed(found.parts),
        about: found.about,
        chance: None,
    };
    Ok(found.into_iter().enumerate().map(case).collect())
}

/// The positions of cases that find all that the suite finds, again and again the one that finds most.
#[must_use]
pub fn needed(outcomes: &[Vec<Outcome>], n_cases: usize) -> Vec<usize> {
    let finds = |mutant: usize, case: usize| outcomes[mutant][case] >= Outcome::May;
    let mut left: Vec<usize> = (0..outcomes.len()).collect();
    let mut kept = Vec::new();
    loop {
        let gain = |case: usize| left.iter().filter(|mutant| finds(**mutant, case)).count();
        let best = (0..n_cases).map(|case| (gain(case), case));
        match best.max_by_key(|(gain, case)| (*gain, usize::MAX - case)) {
            Some((1.., case)) => {
                left.retain(|mutant| !finds(*mutant, case));
                kept.push(case);
            }
            _ => break,
        }
    }
    kept
}

/// The positions of all cases in the order that finds mutants soonest: again and again the case that finds most new ones by
/// the time that it takes. `cost_ns` is the time of each case.
#[must_use]
pub fn soonest(outcomes: &[Vec<Outcome>], cost_ns: &[u64]) -> Vec<usize> {
    let finds = |mutant: usize, case: usize| outcomes[mutant][case] >= Outcome::May;
    let mut left: Vec<usize> = (0..outcomes.len()).collect();
    let mut cases: Vec<usize> = (0..cost_ns.len()).collect();
    let mut order = Vec::with_capacity(cases.len());
    while !cases.is_empty() {
        let gain = |case: usize| {
            let n = left.iter().filter(|mutant| finds(**mutant, case)).count() as u128;
            (n << 64) / u128::from(cost_ns[case].max(1))
        };
        let gains = cases.iter().enumerate().map(|(at, case)| (gain(*case), usize::MAX - at));
        let best = gains.max().map_or(0, |(_, at)| usize::MAX - at);
        let case = cases.remove(best);
        left.retain(|mutant| !finds(*mutant, case));
        order.push(case);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::{Outcome, soonest};

    /// The first case finds two mutants in a minute, the second three in two minutes, the third one that no other finds,
    /// the last nothing.
    #[test]
    fn what_finds_most_in_a_minute_is_first() {
        let [may, not] = [Outcome::May, Outcome::Cannot];
        let outcomes = [
            vec![not, may, not, may],
            vec![not, may, not, may],
            vec![not, may, not, not],
            vec![not, not, may, not],
        ];
        assert_eq!(soonest(&outcomes, &[1, 120, 50, 60]), [3, 2, 1, 0]);
    }
}
