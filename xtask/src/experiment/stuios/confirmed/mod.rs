//! Are the probabilities and the endings of question 2 right? Confirmed by means that share little with what made them.
//!
//! `runs.rs` draws runs of each case, and `chances.rs` compares how many show what is expected with the exact probability.
//! `sequences.rs` tries each ending by brute force on a grid of time (`grid.rs`). Both ask the concrete semantics what the system
//! does (`lookup.rs`), on the network itself, which for HOD is cut down to components (`reduced.rs`). `cases.rs` has the cases,
//! `acts.rs` reads them.
//!
//! Shared with what is confirmed: the model as it was read, who is system and who environment, which automata of HOD are independent, and
//! what ports and signals stand for. Not here: `smc::exact`, `semantics::estimate`, the slices of BodySense.

mod acts;
mod cases;
mod chances;
mod grid;
mod lookup;
mod reduced;
mod runs;
mod sequences;
mod tables;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

use punctual_campaign::load::{Environment, load};
use punctual_model::testing::suite::Case;
use punctual_semantics::specification::Specification;
use punctual_smc::exact::Phase;
use punctual_smc::parallel::in_order;

use self::acts::Acts;
use self::chances::{JOINT, OUTPUTS, Statement};
use self::runs::Counts;
use self::sequences::{Confirmed, Fineness};
use super::Answer;
use super::detection::{SYSTEMS, Size, System};

/// How many runs of a case show what it expects before its ending and nothing that it does not allow, all that it expects, and what it does not allow;
/// none if it can not be run. The tester begins at a random instant below the phase.
pub(super) fn counts(
    specification: &Specification,
    case: &Case,
    phase_ns: u64,
    runs: (u64, u64),
) -> Option<[u64; 3]> {
    let acts = Acts::new(specification, case).ok()?;
    let Counts { clean, joint, illegal, .. } =
        runs::count(specification, &acts, phase_ns, runs).ok()?;
    Some([clean, joint, illegal])
}

/// How much is done.
#[derive(Clone, Copy)]
pub(super) struct Amount {
    /// How the suites are made.
    pub(super) size: Size,
    /// Runs of each case.
    pub(super) runs: u64,
    pub(super) seed: u64,
    /// Whether only the first ending that proves a location of each name is tried, and on a coarser grid.
    pub(super) is_small: bool,
}

/// What was found of a case.
struct Found {
    system: &'static str,
    case: Case,
    counts: Counts,
    confirmed: Option<Confirmed>,
}

impl Found {
    /// The probabilities that the case tells.
    fn statements(&self) -> Vec<Statement> {
        let Some(chance) = &self.case.chance else { return Vec::new() };
        let of = |what, told| Statement::new(&self.case.name, what, told, self.counts);
        let joint = chance.ending.as_ref().map(|ending| of(JOINT, &ending.joint));
        [Some(of(OUTPUTS, &chance.outputs)), joint].into_iter().flatten().collect()
    }
}

pub(super) fn answer(folder: &Path, amount: Amount, say: impl Fn(&str)) -> Result<Answer, String> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for (number, system) in SYSTEMS.iter().enumerate() {
        let interface = folder.join(format!("{}.toml", system.model));
        let model = folder.join(format!("{}.xml", system.model));
        let loaded =
            load(&model, Some(&interface), Environment::Model).map_err(|it| it.to_string())?;
        let given = loaded.judges.specification.as_ref().ok_or("no timed model")?;
        let (cases, wrong) = cases::cases(folder, given, system, amount.size)?;
        problems.extend(wrong);
        say(&format!("{}: {} cases", system.name, cases.len()));
        let seed = amount.seed + 1_000_000 * number as u64;
        found.extend(all(given, system, cases, Amount { seed, ..amount })?);
        say(&format!("{}: cases are run, and endings are tried", system.name));
    }
    Ok(tables::answer(&found, problems))
}

/// Runs all cases, and tries their endings.
fn all(
    given: &Specification,
    system: &'static System,
    cases: Vec<Case>,
    amount: Amount,
) -> Result<Vec<Found>, String> {
    let mut proved: BTreeSet<String> = BTreeSet::new();
    let jobs: Vec<(usize, Case, bool)> = (cases.into_iter().enumerate())
        .map(|(number, case)| {
            let ending = case.chance.as_ref().and_then(|chance| chance.ending.as_ref());
            let location = ending.and_then(|it| it.proves.rsplit_once('.')).map(|(_, it)| it);
            let is_first = location.is_some_and(|it| proved.insert(it.to_owned()));
            (number, case, is_first || !amount.is_small)
        })
        .collect();
    let work = |(): &mut (), (number, case, is_tried): (usize, Case, bool)| {
        let told = |why: String| format!("{}, {}: {why}", system.name, case.name);
        let phase_ns = match system.phase {
            Phase::OfScript(points) => given.instants.ns(points),
            _ => 0,
        };
        let acts = Acts::new(given, &case).map_err(told)?;
        let seed = amount.seed + 1_000 * number as u64;
        let counts = runs::count(given, &acts, phase_ns, (amount.runs, seed)).map_err(told)?;
        let fineness = fineness(system.phase, amount.is_small);
        let confirmed = match is_tried {
            true => sequences::confirm(given, (&case, &acts), fineness).map_err(told)?,
            false => None,
        };
        Ok(Found { system: system.name, case, counts, confirmed })
    };
    let mut found = Vec::new();
    let take = |one: Result<Found, String>| match one {
        Ok(one) => {
            found.push(one);
            ControlFlow::Continue(())
        }
        Err(why) => ControlFlow::Break(why),
    };
    match in_order(amount.size.threads, jobs, || (), work, take) {
        Some(why) => Err(why),
        None => Ok(found),
    }
}

/// All constants are whole. So half units speak for all instants between two whole ones where one clock runs beside the case, as in
/// HOD. BodySense has two: its loop, which phases of half units speak for, and that of an error, which then needs quarters.
fn fineness(phase: Phase, is_small: bool) -> Fineness {
    let fineness = match phase {
        Phase::OfScript(points) => {
            Fineness { ticks: 4, phases: (4 * points, 2), complete: 100, every: 1 }
        }
        _ => Fineness { ticks: 2, phases: (0, 1), complete: 1, every: 1 },
    };
    match (phase, is_small) {
        (_, false) => fineness,
        (Phase::OfScript(points), true) => {
            Fineness { phases: (4 * points, 68), complete: 1_000, every: 100, ..fineness }
        }
        (_, true) => Fineness { ticks: 1, every: 100, ..fineness },
    }
}
