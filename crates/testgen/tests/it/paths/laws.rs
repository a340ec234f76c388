//! What holds of all use cases, on random small ones: the machine has exactly the paths that the rules give, and the search covers exactly what can be covered.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    SentenceId,
    usecases::{ActionKind, Objective, Path, PathStep, UseCases},
};
use punctual_testgen::usecases::paths::{
    Anything, Cursor, Event, Feasible, Limits, Machine, Missed, Possible, cover, covered,
    objectives, walk,
};

use super::{
    naive::{self, Complete},
    random::{Dice, use_cases},
};

/// More work than this, and a set of use cases is passed over.
const WORK_MAX: u32 = 3_000;

const LIMITS: Limits =
    Limits { visits: 2, expanded: 1_000_000, asked: 1_000_000, nodes: 1_000_000 };

/// Random use cases with all of their paths, and how often a step may happen on these.
fn samples(n: u64) -> impl Iterator<Item = (u64, UseCases, Limits, Vec<Complete>)> {
    (0..n).filter_map(|seed| {
        let all = use_cases(&mut Dice::new(seed));
        let limits = Limits { visits: 1 + (seed % 2) as u32, ..LIMITS };
        let tops = Machine::new(&all, None).tops();
        let paths = naive::paths(&all, &tops, limits.visits, WORK_MAX)?;
        Some((seed, all, limits, paths))
    })
}

/// All paths of the machine.
fn paths(all: &UseCases, visits: u32) -> Vec<Path> {
    let mut machine = Machine::new(all, Some(visits));
    let mut found = Vec::new();
    for use_case in machine.tops() {
        let begin = Cursor::begin(&mut machine, use_case, &mut Vec::new()).expect("a begin");
        let mut waiting: Vec<(Cursor, Vec<PathStep>)> = vec![(begin, Vec::new())];
        while let Some((cursor, steps)) = waiting.pop() {
            let Some(ask) = cursor.ask(&machine) else {
                assert!(cursor.has_ended());
                found.push(Path { use_case, steps });
                continue;
            };
            for outcome in ask.outcomes {
                let mut after = cursor.clone();
                if after.advance(&mut machine, *outcome, &mut Vec::new()).is_ok() {
                    let steps = steps.iter().copied().chain([ask.with(*outcome)]);
                    waiting.push((after, steps.collect()));
                }
            }
        }
    }
    found
}

#[test]
fn the_machine_has_all_paths_and_no_others() {
    let mut n_paths = 0;
    for (seed, all, limits, naive) in samples(3_000) {
        let expected: BTreeMap<Vec<PathStep>, &Complete> =
            naive.iter().map(|it| (it.path.steps.clone(), it)).collect();
        assert_eq!(expected.len(), naive.len(), "seed {seed}: each path once");
        let found = paths(&all, limits.visits);
        n_paths += found.len();
        let set: BTreeSet<&Vec<PathStep>> = found.iter().map(|it| &it.steps).collect();
        assert_eq!(set.len(), found.len(), "seed {seed}: each path once");
        assert!(set.into_iter().eq(expected.keys()), "seed {seed}: {all:#?}");
        for path in &found {
            assert_eq!(covered(&all, path), expected[&path.steps].covers, "seed {seed}");
            let walk = walk(&all, path).expect("a path");
            assert!(walk.has_ended, "seed {seed}");
        }
    }
    assert!(n_paths > 20_000, "{n_paths} paths are too few");
}

/// A prefix of a path has a prefix of its happenings, and nothing but a path ends.
#[test]
fn prefixes_happen_first() {
    for (seed, all, _, naive) in samples(600) {
        for it in naive.iter().take(20) {
            let whole = walk(&all, &it.path).expect("a path");
            for n in 0..it.path.steps.len() {
                let begin = Path { steps: it.path.steps[..n].to_vec(), ..it.path };
                let walk = walk(&all, &begin).expect("a begin of a path");
                assert!(
                    !walk.has_ended && whole.happenings.starts_with(&walk.happenings),
                    "seed {seed}"
                );
            }
            let mut longer = it.path.clone();
            longer.steps.extend(it.path.steps.last());
            let astray = walk(&all, &longer).expect_err("the path has ended");
            assert_eq!(astray.step, it.path.steps.len());
        }
    }
}

/// Sentences speak of three truth values.
struct Meaning {
    /// Which value a sentence speaks of, and what it says it is. None means nothing.
    literals: Vec<Option<(usize, bool)>>,
}

const N_VALUES: usize = 3;

impl Meaning {
    fn new(all: &UseCases, dice: &mut Dice) -> Self {
        let literal = |_| dice.chance(75).then(|| (dice.below(N_VALUES), dice.chance(50)));
        Self { literals: (0..all.sentences.len()).map(literal).collect() }
    }

    fn literal(&self, sentence: SentenceId) -> Option<(usize, bool)> {
        self.literals[punctual_model::Id::index(sentence)]
    }

    /// Which valuations are possible after the happenings from one on, if any was possible before. A set of valuations is a number of 8 bits.
    fn after(&self, all: &UseCases, path: &Path, from: usize) -> u8 {
        let walk = walk(all, path).expect("a begin of a path");
        let mut set: u8 = 0xff;
        // For each happening, the values that were set by it.
        let mut written = vec![Vec::new(); walk.happenings.len()];
        let holds =
            |valuation: usize, (value, is): (usize, bool)| (valuation >> value & 1 == 1) == is;
        let claim = |set: u8, literals: &[(usize, bool)], all: bool| {
            (0..8)
                .filter(|valuation| {
                    let hold = literals.iter().all(|it| holds(*valuation, *it));
                    set >> valuation & 1 == 1 && hold == all
                })
                .fold(0_u8, |set, valuation| set | 1 << valuation)
        };
        let write = |set: u8, value: usize, to: &[bool]| {
            (0..8).filter(|it| set >> it & 1 == 1).fold(0_u8, |set, valuation: usize| {
                to.iter().fold(set, |set, to| {
                    set | 1 << (valuation & !(1 << value) | usize::from(*to) << value)
                })
            })
        };
        for (index, it) in walk.happenings.iter().enumerate().skip(from) {
            let literals = |sentences: &[SentenceId]| -> Vec<_> {
                sentences.iter().filter_map(|it| self.literal(*it)).collect()
            };
            match &it.event {
                Event::Preconditions(sentences) => set = claim(set, &literals(sentences), true),
                Event::Condition { sentences, holds } => {
                    let known = literals(sentences);
                    // What means nothing may hold or not.
                    if *holds || known.len() == sentences.len() {
                        set = claim(set, &known, *holds);
                    }
                }
                Event::Act(actions) => {
                    for action in actions {
                        let Some((value, is)) = self.literal(action.sentence) else { continue };
                        match action.kind {
                            ActionKind::Input { .. } => set = write(set, value, &[false, true]),
                            ActionKind::Internal => {
                                set = write(set, value, &[is]);
                                written[index].push(value);
                            }
                            _ => {}
                        }
                    }
                }
                Event::Postconditions { sentences, began } => {
                    assert!(*began >= from, "the begin of a whole flow is part of what is asked");
                    for (value, is) in literals(sentences) {
                        let mut since = written[*began..].iter();
                        match since.any(|it| it.contains(&value)) {
                            true => set = claim(set, &[(value, is)], true),
                            false => set = write(set, value, &[is]),
                        }
                    }
                }
                _ => {}
            }
        }
        set
    }
}

/// Says what values can do, by trying all of them.
struct Tried<'a> {
    all: &'a UseCases,
    meaning: &'a Meaning,
    n_asked: u32,
}

impl Feasible for Tried<'_> {
    fn possible(&mut self, path: &Path, from: usize) -> Possible {
        self.n_asked += 1;
        match self.meaning.after(self.all, path, from) {
            0 => Possible::No,
            _ => Possible::Yes,
        }
    }
}

/// What is covered is what some possible path covers; what is not is said to be contradictory if some path covers it, and each path is a cheapest one for something.
fn check(
    (seed, all, limits, naive): &(u64, UseCases, Limits, Vec<Complete>),
    feasible: &mut dyn Feasible,
    is_possible: &dyn Fn(&Path) -> bool,
) -> (usize, usize) {
    let found = cover(all, feasible, *limits);
    let possible: Vec<&Complete> = naive.iter().filter(|it| is_possible(&it.path)).collect();
    let wanted = objectives(&Machine::new(all, None));
    let cheapest = |objective: &Objective| {
        let those = possible.iter().filter(|it| it.covers.contains(objective));
        those.map(|it| it.cost).min()
    };
    let mut is_covered: BTreeSet<Objective> = BTreeSet::new();
    for it in &found.paths {
        let same = possible.iter().find(|other| other.path == it.path);
        let same = same.unwrap_or_else(|| panic!("seed {seed}: {it:?} is not possible"));
        let new: Vec<Objective> = (covered(all, &it.path).into_iter())
            .filter(|it| wanted.contains(it) && is_covered.insert(*it))
            .collect();
        let told: BTreeSet<Objective> = it.covers.iter().copied().collect();
        assert_eq!(told, new.into_iter().collect(), "seed {seed}: what a path covers first");
        let of = covered(all, &it.path);
        let is_cheapest = of.iter().any(|one| cheapest(one) == Some(same.cost));
        assert!(is_cheapest, "seed {seed}: each path is as cheap as it can be");
        let others = found.paths.iter().filter(|other| *other != it);
        let others: BTreeSet<Objective> =
            others.flat_map(|other| covered(all, &other.path)).collect();
        let is_needed = of.iter().any(|one| wanted.contains(one) && !others.contains(one));
        let basic = Objective::Flow(it.path.use_case, all.use_cases[it.path.use_case].basic());
        let is_needed = is_needed || cheapest(&basic) == Some(same.cost);
        assert!(is_needed, "seed {seed}: each path is needed");
    }
    let missed: BTreeMap<Objective, &Missed> =
        found.missed.iter().map(|(objective, why)| (*objective, why)).collect();
    let mut n_contradictions = 0;
    for objective in &wanted {
        let missed = missed.get(objective);
        if cheapest(objective).is_some() {
            assert!(
                is_covered.contains(objective),
                "seed {seed}: {objective:?} is possible: {missed:?}"
            );
            assert!(missed.is_none(), "seed {seed}: {objective:?} is covered");
            continue;
        }
        assert!(!is_covered.contains(objective));
        let is_there = naive.iter().any(|it| it.covers.contains(objective));
        match missed {
            Some(Missed::Contradiction(begin)) if is_there => {
                assert!(!is_possible(begin), "seed {seed}: {objective:?}");
                n_contradictions += 1;
            }
            Some(Missed::Limit(_)) if !is_there => {}
            other => panic!("seed {seed}: {objective:?} (there: {is_there}): {other:?}"),
        }
    }
    (found.paths.len(), n_contradictions)
}

#[test]
fn everything_that_can_be_covered_is_covered() {
    let (mut n_paths, mut n) = (0, 0);
    for sample in samples(2_000) {
        n_paths += check(&sample, &mut Anything, &|_| true).0;
        n += 1;
    }
    assert!(n > 1_000 && n_paths > 3_000, "{n_paths} paths of {n} samples are too few");
}

#[test]
fn everything_that_values_allow_is_covered() {
    let (mut n_paths, mut n_contradictions, mut n_asked) = (0, 0, 0);
    for sample in samples(2_500) {
        let meaning = Meaning::new(&sample.1, &mut Dice::new(sample.0 + 1_000_000));
        let mut tried = Tried { all: &sample.1, meaning: &meaning, n_asked: 0 };
        let is_possible = |path: &Path| meaning.after(&sample.1, path, 0) != 0;
        let found = check(&sample, &mut tried, &is_possible);
        n_paths += found.0;
        n_contradictions += found.1;
        n_asked += tried.n_asked;
    }
    println!("{n_paths} paths, {n_contradictions} contradictions, {n_asked} questions");
    assert!(n_paths > 2_000 && n_contradictions > 500, "{n_paths}, {n_contradictions}");
}
