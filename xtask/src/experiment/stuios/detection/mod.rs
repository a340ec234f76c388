//! RQ2 and RQ3: which faults suites find with and without chances, and how many executions that takes.
//!
//! Nothing is run. For each case and faulty version, how probable each outcome of an execution is follows from the faulty model, and
//! what a rule says of it from all orders of outcomes. A suite finds a fault if one of its cases fails; cases are independent.
//! `suites.rs` makes the suites, `versions.rs` the faulty versions, `judged.rs` says what a suite finds, `tables.rs` puts the
//! figures of the paper beside ours. `played.rs` runs one suite of each system.

mod judged;
mod played;
mod suites;
mod tables;
mod versions;

use std::path::Path;

use punctual_campaign::load::{Environment, load};
use punctual_smc::exact::Phase;
use punctual_testgen::timed::World;
use punctual_testgen::uio::{Ground, Limits, Options, Sampling};

use self::judged::Judged;
use self::played::Played;
pub(super) use self::suites::make;
use self::versions::Versions;
use super::Answer;
use super::timing::number;

/// How far clock bounds are moved in all suites. RQ1 needs as much for its precision and recall.
const OFFSET: i32 = 850;

/// Other offsets, which one suite is judged by.
const OTHERS: [i32; 3] = [100, 400, 1700];

/// A system of the paper, and its figures.
pub(super) struct System {
    pub(super) name: &'static str,
    pub(super) model: &'static str,
    pub(super) phase: Phase,
    n_cases: usize,
    /// How far a search for an ending goes.
    pub(super) limits: Limits,
    /// Faults that suites with chances, and plain ones, find in the paper, in percent.
    stochastic: &'static str,
    plain: &'static str,
    hours: &'static str,
}

impl System {
    /// How the chances and endings of its cases are found.
    pub(super) fn options(&self) -> Options<'static> {
        Options {
            limits: self.limits,
            phase: self.phase,
            location: None,
            clocks: None,
            sampling: Sampling::default(),
            stops: None,
        }
    }
}

pub(super) const SYSTEMS: [System; 2] = [
    System {
        name: "HOD",
        model: "hod",
        phase: Phase::None,
        n_cases: 100,
        limits: Limits { length: 3, width: 24 },
        stochastic: "96.95 (96.95 to 96.95)",
        plain: "89.16 (89.16 to 89.16)",
        hours: "34",
    },
    System {
        name: "BodySense",
        model: "bodysense",
        phase: Phase::OfScript(1700),
        n_cases: 122,
        limits: Limits { length: 2, width: 24 },
        stochastic: "99.26 (98.76 to 100)",
        plain: "88.76 (86.38 to 90.71)",
        hours: "32",
    },
];

/// How much is done.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) suites: u64,
    pub(super) iterations: usize,
    pub(super) threads: usize,
    /// Cases of a suite, and one of how many mutants is looked at; all of the paper's if not given.
    pub(super) small: Option<(usize, usize)>,
}

/// What was found of a system.
struct Found {
    system: &'static System,
    /// The names of the versions and their operators, with the first offset.
    versions: Vec<(String, &'static str)>,
    suites: Vec<Judged>,
    /// The first suite with other offsets.
    others: Vec<(i32, Judged)>,
    played: Played,
}

pub(super) fn answer(folder: &Path, size: Size, say: impl Fn(&str)) -> Result<Answer, String> {
    // The cases of BodySense take minutes.
    let systems = if size.small.is_some() { &SYSTEMS[..1] } else { &SYSTEMS[..] };
    let found = systems.iter().map(|system| one(folder, system, size, &say));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    Ok(tables::answer(&found))
}

fn one(
    folder: &Path,
    system: &'static System,
    size: Size,
    say: &impl Fn(&str),
) -> Result<Found, String> {
    let interface = folder.join(format!("{}.toml", system.model));
    let model = folder.join(format!("{}.xml", system.model));
    let loaded = load(&model, Some(&interface), Environment::Model).map_err(|it| it.to_string())?;
    let given = loaded.judges.specification.as_ref().ok_or("no timed model")?;
    let ground = Ground::with_phase(given, system.phase);
    let versions = |offset: i32| Versions::new(given, ground.specification(), offset, system, size);
    let main = versions(OFFSET);
    say(&format!("{}: {} faulty versions", system.name, main.mutants.len()));
    let world = World::new(given).map_err(|it| it.construct.to_owned())?;
    let (mut suites, mut others, mut played) = (Vec::new(), Vec::new(), Played::default());
    for seed in 1..=size.suites {
        let suite = suites::make(&world, &ground, system, size, seed)?;
        say(&format!("{}: suite {seed} has {} cases", system.name, suite.cases.len()));
        suites.push(judged::judge(&suite, &main, system, size));
        say(&format!("{}: suite {seed} is judged", system.name));
        if seed == 1 {
            // A bound that polls only look at every 1700 ms hardly depends on the offset.
            for offset in OTHERS.into_iter().filter(|_| system.phase == Phase::None) {
                let judged = judged::judge(&suite, &versions(offset), system, size);
                others.push((offset, judged));
            }
            let both = (&suite, &suites[0]);
            played = played::play((&model, &interface), given, both, &main, (system, size))?;
            say(&format!("{}: suite 1 is judged with other offsets, and played", system.name));
        }
    }
    let named = main.mutants.iter().map(|it| (it.name.clone(), it.operator.name())).collect();
    Ok(Found { system, versions: named, suites, others, played })
}
