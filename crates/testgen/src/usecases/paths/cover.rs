//! Few and short paths that cover everything that can be covered.

use std::collections::BTreeMap;

use punctual_model::usecases::{Objective, Path, UseCases};

use super::{
    Feasible, Limits, objectives,
    objectives::covered_by,
    search::{Found, Searcher},
    walk,
};

/// Paths, and what none of them covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    /// The paths, in the order of what they were looked for.
    pub paths: Vec<CoveringPath>,
    /// What no path covers, in the order of use cases and flows.
    pub missed: Vec<(Objective, Missed)>,
}

/// A path and what it is there for.
#[derive(Clone, Debug, PartialEq)]
pub struct CoveringPath {
    /// The path.
    pub path: Path,
    /// What the path covers that no earlier one does, in the order of use cases and flows.
    pub covers: Vec<Objective>,
}

/// Why something is not covered.
#[derive(Clone, Debug, PartialEq)]
pub enum Missed {
    /// No values take any path to it. This is one of the fewest alternative flows and steps, up to the step with which it becomes impossible.
    Contradiction(Path),
    /// A limit ended the search, or there is no path within the limits.
    Limit(String),
    /// The solver did not know.
    Unknown(String),
}

/// What a path covers, in order, each once: flows that it takes as a whole, and outcomes of conditions, also of those that have one outcome only.
#[must_use]
pub fn covered(all: &UseCases, path: &Path) -> Vec<Objective> {
    let Ok(walk) = walk(all, path) else { return Vec::new() };
    let steps = path.steps.iter().flat_map(|step| covered_by(Some(step), &[]));
    let mut found: Vec<Objective> = steps.chain(covered_by(None, &walk.happenings)).collect();
    found.sort();
    found.dedup();
    found
}

/// Looks for paths that cover every flow and every branch. Flows go first, since their paths cover most branches; what other paths make needless is dropped at the end,
/// but not the paths of the basic flows of top use cases: people look for these first.
pub fn cover(all: &UseCases, feasible: &mut dyn Feasible, limits: Limits) -> Cover {
    let mut searcher = Searcher::new(all, feasible, limits);
    let wanted = objectives(searcher.machine());
    // Which position each has in the order of use cases and flows, and whether it is covered.
    let order: BTreeMap<Objective, usize> =
        wanted.iter().enumerate().map(|(index, it)| (*it, index)).collect();
    let mut is_covered = vec![false; wanted.len()];
    let mut paths: BTreeMap<usize, (Path, Vec<usize>)> = BTreeMap::new();
    let mut missed: BTreeMap<usize, Missed> = BTreeMap::new();
    let is_flow = |objective: &Objective| matches!(objective, Objective::Flow(..));
    let flows = (0..wanted.len()).filter(|it| is_flow(&wanted[*it]));
    let branches = (0..wanted.len()).filter(|it| !is_flow(&wanted[*it]));
    for index in flows.chain(branches) {
        if is_covered[index] {
            continue;
        }
        let is_wanted =
            |objective: Objective| order.get(&objective).is_some_and(|it| !is_covered[*it]);
        match searcher.search(wanted[index], &is_wanted) {
            Found::Path(path) => {
                let all = covered(all, &path);
                let mut covers: Vec<usize> =
                    all.iter().filter_map(|it| order.get(it).copied()).collect();
                covers.sort_unstable();
                covers.iter().for_each(|it| is_covered[*it] = true);
                assert!(is_covered[index], "a path covers what it was looked for");
                paths.insert(index, (path, covers));
            }
            Found::Contradiction(path) => {
                missed.insert(index, Missed::Contradiction(path));
            }
            Found::Nothing => {
                let why = format!(
                    "no path on which each step happens at most {} leads to it",
                    match limits.visits.max(1) {
                        1 => "once".to_owned(),
                        2 => "twice".to_owned(),
                        n => format!("{n} times"),
                    }
                );
                missed.insert(index, Missed::Limit(why));
            }
            Found::Limit(why) => {
                missed.insert(index, Missed::Limit(why));
            }
            Found::Unknown(why) => {
                missed.insert(index, Missed::Unknown(why));
            }
        }
    }
    let tops = searcher.machine().tops();
    let is_kept = |index: usize| match wanted[index] {
        Objective::Flow(use_case, flow) => {
            tops.contains(&use_case) && flow == all.use_cases[use_case].basic()
        }
        Objective::Branch(..) => false,
    };
    drop_needless(&mut paths, wanted.len(), &is_kept);
    let mut told = vec![false; wanted.len()];
    let paths = paths.into_values().map(|(path, covers)| {
        let new = covers.into_iter().filter(|it| !std::mem::replace(&mut told[*it], true));
        CoveringPath { path, covers: new.map(|it| wanted[it]).collect() }
    });
    let paths: Vec<CoveringPath> = paths.collect();
    // A later path may have covered what no search found.
    let missed = missed.into_iter().filter(|(index, _)| !is_covered[*index]);
    let missed = missed.map(|(index, why)| (wanted[index], why)).collect();
    Cover { paths, missed }
}

/// Drops paths that others make needless, the last one first.
fn drop_needless(
    paths: &mut BTreeMap<usize, (Path, Vec<usize>)>,
    n_objectives: usize,
    is_kept: &dyn Fn(usize) -> bool,
) {
    let mut counts = vec![0_u32; n_objectives];
    for (_, covers) in paths.values() {
        covers.iter().for_each(|it| counts[*it] += 1);
    }
    let keys: Vec<usize> = paths.keys().rev().copied().collect();
    for key in keys {
        let covers = &paths[&key].1;
        if !is_kept(key) && covers.iter().all(|it| counts[*it] > 1) {
            covers.iter().for_each(|it| counts[*it] -= 1);
            paths.remove(&key);
        }
    }
}
