//! RQ2 and RQ3: which faults suites find with and without chances, and how many executions that takes.
//!
//! Nothing is run. For each case and faulty version, how probable each outcome of an execution is follows from the faulty model, and
//! what a rule says of it from all orders of outcomes. A suite finds a fault if one of its cases fails; cases are independent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use punctual_campaign::load::{Environment, load};
use punctual_campaign::repeated::{Options as Judging, Repeated, prepare};
use punctual_model::ProcessId;
use punctual_model::testing::suite::{Body, Case};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::exact::{Phase, Ratio};
use punctual_smc::parallel::in_order;
use punctual_smc::statistics::repeated::{Chances, nested_beside, single_beside};
use punctual_testgen::mutation::automata::{Mutant, Operator, Options as Mutating, mutants};
use punctual_testgen::timed::{
    Budget, Criterion, Deriver, Limits as Reach, Options as Covering, Wait, World,
    make as make_suite,
};
use punctual_testgen::uio::{
    Account, Ground, Limits, Options, Outcomes, Sampling, Trial, chance, outcomes,
};

use super::Answer;

/// The systems of the paper: their names, models, phases, sizes of a suite, and the paper's figures.
const SYSTEMS: [System; 2] = [
    System {
        name: "HOD",
        model: "hod",
        phase: Phase::None,
        n_cases: 100,
        stochastic: "96.95 (96.95 to 96.95)",
        plain: "89.16 (89.16 to 89.16)",
        hours: "34",
    },
    System {
        name: "BodySense",
        model: "bodysense",
        phase: Phase::OfScript(1700),
        n_cases: 122,
        stochastic: "99.26 (98.76 to 100)",
        plain: "88.76 (86.38 to 90.71)",
        hours: "32",
    },
];

struct System {
    name: &'static str,
    model: &'static str,
    phase: Phase,
    n_cases: usize,
    stochastic: &'static str,
    plain: &'static str,
    hours: &'static str,
}

/// A suite, its cases with chances, and what is known of it.
struct Suite {
    cases: Vec<Weighed>,
    /// Cases that have no chance: the model can not follow them exactly.
    n_dropped: usize,
}

/// A case, and what the right system makes of it.
struct Weighed {
    case: Case,
    trial: Trial,
    /// For each part of the system, its account.
    accounts: BTreeMap<usize, Account>,
    right: Outcomes,
    /// By the paper's rule, and by ours.
    rules: [Repeated; 2],
}

/// How much is done.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub suites: u64,
    pub iterations: usize,
    pub threads: usize,
    /// Cases of a suite, and every how many mutants; all of the paper's if not given.
    pub small: Option<(usize, usize)>,
}

pub(super) fn answer(folder: &Path, size: Size, say: impl Fn(&str)) -> Result<Answer, String> {
    let mut found = Vec::new();
    for system in &SYSTEMS {
        found.push(one(folder, system, size, &say)?);
    }
    Err(format!("{}", found.len()))
}

/// What suites of a system find.
struct Found {
    mutants: Vec<Mutant>,
    suites: Vec<Told>,
}

/// What a suite finds of each mutant.
struct Told {
    n_cases: usize,
    n_dropped: usize,
    n_ended: usize,
    n_random: usize,
    /// For each mutant, the chance that it is found: by the plain suite, by the paper's rule, and by ours.
    found: Vec<[f64; 3]>,
    /// Cases and mutants whose outcomes could not be computed.
    n_unknown: usize,
    /// The chance of an alarm on the right system, likewise.
    alarms: [f64; 3],
    /// Executions on the right system and hours of model time, by the paper's rule and by ours.
    executions: [Executions; 2],
    /// For each mutant that shows nothing illegal: the best case.
    best: Vec<Option<Best>>,
}

/// The executions of a suite.
#[derive(Clone, Copy, Default)]
struct Executions {
    mean: f64,
    least: f64,
    most: f64,
    hours: f64,
}

/// The case that tells a mutant best.
#[derive(Clone)]
struct Best {
    case: String,
    expected: f64,
    actual: f64,
    executions: u64,
}

fn number(ratio: &Ratio) -> f64 {
    let digits = |it: String| it.parse::<f64>().unwrap_or(f64::NAN);
    digits(ratio.numer().to_string()) / digits(ratio.denom().to_string())
}

fn one(folder: &Path, system: &System, size: Size, say: &impl Fn(&str)) -> Result<Found, String> {
    let interface = folder.join(format!("{}.toml", system.model));
    let model = folder.join(format!("{}.xml", system.model));
    let loaded = load(&model, Some(&interface), Environment::Model).map_err(|it| it.to_string())?;
    let given = loaded.judges.specification.as_ref().ok_or("no timed model")?;
    let ground = Ground::with_phase(given, system.phase);
    let specification = ground.specification();
    let options = Mutating { operators: Operator::PAPER.to_vec(), offset: 100, environment: false };
    let mut mutants = mutants(&given.network, &given.split.sides, &options);
    if let Some((_, every)) = size.small {
        mutants = mutants.into_iter().step_by(every).collect();
    }
    let faulty = faulty(given, specification, &mutants, system.phase, size.threads);
    say(&format!("{}: {} faulty versions", system.name, mutants.len()));
    let world = World::new(given).map_err(|it| it.construct.to_owned())?;
    let mut suites = Vec::new();
    for seed in 1..=size.suites {
        let suite = suite(&world, &ground, system, size, seed)?;
        say(&format!("{}: suite {seed} is made, {} cases", system.name, suite.cases.len()));
        suites.push(told(system, specification, &suite, &faulty, size.threads));
        say(&format!("{}: suite {seed} is judged", system.name));
        let told = &suites[suites.len() - 1];
        let n = told.found.len() as f64;
        let sum = |at: usize| told.found.iter().map(|it| it[at]).sum::<f64>() / n;
        say(&format!(
            "{:?} plain {:.4} paper {:.4} ours {:.4}; alarms {:?}; unknown {}; random {} ended {} dropped {}; exec {:.1} {:.0} {:.0} {:.1} h / {:.1} {:.0} {:.0} {:.1} h",
            told.n_cases,
            sum(0),
            sum(1),
            sum(2),
            told.alarms,
            told.n_unknown,
            told.n_random,
            told.n_ended,
            told.n_dropped,
            told.executions[0].mean,
            told.executions[0].least,
            told.executions[0].most,
            told.executions[0].hours,
            told.executions[1].mean,
            told.executions[1].least,
            told.executions[1].most,
            told.executions[1].hours
        ));
        let missed: Vec<&str> = mutants
            .iter()
            .zip(&told.found)
            .filter(|(_, it)| it[1] < 0.5)
            .map(|(m, _)| m.name.as_str())
            .collect();
        say(&format!("missed {} {missed:?}", missed.len()));
        let narrower: Vec<String> = mutants
            .iter()
            .zip(&told.best)
            .filter_map(|(m, it)| {
                it.as_ref().map(|it| {
                    format!(
                        "{} {} {:.3} {:.3} {}",
                        m.name, it.case, it.expected, it.actual, it.executions
                    )
                })
            })
            .collect();
        say(&format!("narrower {} {narrower:?}", narrower.len()));
    }
    Ok(Found { mutants, suites })
}

/// Faulty versions, each with the parts of the system that it concerns; none if it is no model that can be tested against.
type Faulty = Vec<Option<(Specification, Vec<usize>)>>;

fn faulty(
    given: &Specification,
    right: &Specification,
    mutants: &[Mutant],
    phase: Phase,
    threads: usize,
) -> Faulty {
    let side = |side| given.split.processes(side).collect::<Vec<ProcessId>>();
    let named = Named { system: side(Side::System), environment: side(Side::Environment) };
    let work = |(): &mut (), mutant: &Mutant| {
        let made = Specification::new(mutant.network.clone(), given.wired.clone(), &named).ok()?;
        let made = match phase {
            Phase::None => made,
            _ => made.in_slices()?,
        };
        // The parts of both are the same, since a mutant does not change who influences whom.
        let alike = made.parts.len() == right.parts.len()
            && made.parts.iter().zip(&right.parts).all(|(a, b)| a.processes == b.processes);
        let concerned = (0..made.parts.len())
            .filter(|at| !alike || made.parts[*at].processes.contains(&mutant.process));
        let concerned = concerned.collect();
        Some((made, concerned))
    };
    let mut all = Vec::new();
    let take = |made| {
        all.push(made);
        ControlFlow::<()>::Continue(())
    };
    in_order(threads, mutants.iter(), || (), work, take);
    all
}

/// A suite of TAUC with chances.
fn suite(
    world: &World<'_>,
    ground: &Ground<'_>,
    system: &System,
    size: Size,
    seed: u64,
) -> Result<Suite, String> {
    let n_cases = size.small.map_or(system.n_cases, |(n, _)| n);
    let options = Covering {
        criteria: vec![Criterion::Edges],
        purposes: Vec::new(),
        n_random: 0,
        limits: Reach::default(),
        wait: Wait::Middle,
        budget: Some(Budget::Cases(n_cases)),
        iterations: size.iterations,
        seed,
    };
    let made = make_suite(world, &options, &|_, _| None, &mut |_| true);
    let made = made.map_err(|it| it.to_string())?;
    let trouble = |_| "the model can not be followed".to_owned();
    let mut deriver = Deriver::new(world, Wait::Middle).map_err(trouble)?;
    let mut cases = Vec::new();
    for (number, run) in made.runs.iter().enumerate() {
        let (parts, about) = deriver.case(run, &|_, _| None).map_err(trouble)?;
        let name = format!("case {:03}", number + 1);
        cases.push(Case { name, body: Body::Timed(parts), about, chance: None });
    }
    let options = Options {
        limits: Limits { length: 3, width: 24 },
        phase: system.phase,
        location: None,
        clocks: None,
        sampling: Sampling::default(),
    };
    let n = cases.len();
    let mut with_chances = Vec::new();
    let work = |(): &mut (), case: Case| {
        let watch = crate::clock::Stopwatch::start();
        let made = chance(ground, &case, &options).map(|made| made.case);
        if let Ok(it) = &made
            && watch.elapsed().as_secs_f64() > 2.0
        {
            let it = it.chance.as_ref();
            eprintln!(
                "{} {:.1} s {} {}",
                case.name,
                watch.elapsed().as_secs_f64(),
                it.map_or("", |it| &it.note),
                it.and_then(|it| it.ending.as_ref()).map_or("", |it| &it.proves)
            );
        }
        made
    };
    let take = |made: Result<Case, _>| {
        match made {
            Ok(case) => with_chances.push(case),
            Err(why) => eprintln!("{why}"),
        }
        ControlFlow::<()>::Continue(())
    };
    in_order(size.threads, cases, || (), work, take);
    let specification = ground.specification();
    let wrong = |error: String| format!("{}: {error}", system.name);
    let paper = Judging { paper: true, each: true, executions: 100, ..Judging::default() };
    let rules = [
        prepare(&with_chances, &paper, None).map_err(wrong)?,
        prepare(&with_chances, &Judging::default(), None).map_err(wrong)?,
    ];
    let [paper, ours] = rules;
    let mut weighed = Vec::new();
    for (case, rules) in with_chances.into_iter().zip(paper.into_iter().zip(ours)) {
        let Ok(trial) = Trial::new(specification, &case) else { continue };
        let mut accounts = BTreeMap::new();
        for (number, _) in specification.side(Side::System) {
            match trial.account(specification, number, system.phase) {
                Ok(Some(account)) => _ = accounts.insert(number, account),
                Ok(None) => {}
                Err(why) => return Err(format!("{}, {}: {why}", system.name, case.name)),
            }
        }
        let right = trial.outcomes(&accounts.values().collect::<Vec<_>>(), system.phase);
        weighed.push(Weighed { case, trial, accounts, right, rules: rules.into() });
    }
    Ok(Suite { n_dropped: n - weighed.len(), cases: weighed })
}

/// What rules say of outcomes, and is known already.
type Known = BTreeMap<(usize, usize, [String; 3]), Chances>;

/// What a rule says of a case with these outcomes.
fn chances(weighed: &Weighed, rule: usize, outcomes: &Outcomes) -> Chances {
    let of = |ratio: &Ratio| number(ratio).clamp(0.0, 1.0);
    let illegal = of(&outcomes.illegal);
    match &weighed.rules[rule].sequences[..] {
        [one] => single_beside(&one.rule, of(&outcomes.outputs), illegal),
        [one, other, ..] => {
            let first = of(&outcomes.outputs);
            nested_beside([&one.rule, &other.rule], first, of(&outcomes.joint).min(first), illegal)
        }
        [] => Chances::default(),
    }
}

fn told(
    system: &System,
    specification: &Specification,
    suite: &Suite,
    faulty: &Faulty,
    threads: usize,
) -> Told {
    let right: Vec<[Chances; 2]> = suite
        .cases
        .iter()
        .map(|case| [0, 1].map(|rule| chances(case, rule, &case.right)))
        .collect();
    let none = |fails: &mut dyn Iterator<Item = f64>| fails.map(|it| 1.0 - it).product::<f64>();
    let by = |rule: usize| 1.0 - none(&mut right.iter().map(|it| it[rule].fail));
    let plain = suite.cases.iter().map(|case| number(&case.right.illegal));
    let alarms = [1.0 - none(&mut plain.into_iter()), by(0), by(1)];
    let executions = [0, 1].map(|rule| {
        let all = || right.iter().map(|it| it[rule].executions);
        let hours = right
            .iter()
            .zip(&suite.cases)
            .map(|(it, case)| it[rule].executions * case.case.duration_ns() as f64 / 3.6e12);
        Executions {
            mean: all().sum::<f64>() / right.len().max(1) as f64,
            least: all().fold(f64::INFINITY, f64::min),
            most: all().fold(0.0, f64::max),
            hours: hours.sum(),
        }
    });
    let work = |known: &mut Known, version: &Option<(Specification, Vec<usize>)>| {
        let Some((version, concerned)) = version else {
            return ([0.0; 3], suite.cases.len(), None);
        };
        let mut passes = [1.0; 3];
        let mut n_unknown = 0;
        let mut is_illegal = false;
        let mut best: Option<Best> = None;
        for (number_, (case, right)) in suite.cases.iter().zip(&right).enumerate() {
            let Some(seen) = seen(system, version, concerned, case) else {
                n_unknown += 1;
                continue;
            };
            if seen == case.right {
                for (rule, passes) in passes[1..].iter_mut().enumerate() {
                    *passes *= 1.0 - right[rule].fail;
                }
                continue;
            }
            let illegal = number(&seen.illegal);
            is_illegal |= illegal > 0.0;
            passes[0] *= 1.0 - illegal;
            for rule in [0, 1] {
                if passes[1 + rule] < 1e-12 {
                    continue;
                }
                let key = (
                    number_,
                    rule,
                    [&seen.outputs, &seen.joint, &seen.illegal].map(ToString::to_string),
                );
                let said = known.entry(key).or_insert_with(|| chances(case, rule, &seen));
                passes[1 + rule] *= 1.0 - said.fail;
            }
            if illegal == 0.0 {
                let sequence = case.rules[1].sequences.last();
                let ending = case.rules[1].sequences.len() > 1;
                if let Some(sequence) = sequence {
                    let actual = number(if ending { &seen.joint } else { &seen.outputs });
                    let executions = sequence.rule.chart().fails_with(0.95, actual);
                    if let Some(executions) = executions
                        && best.as_ref().is_none_or(|best| executions < best.executions)
                    {
                        best = Some(Best {
                            case: case.case.name.clone(),
                            expected: sequence.expected.middle(),
                            actual,
                            executions,
                        });
                    }
                }
            }
        }
        (passes.map(|it| 1.0 - it), n_unknown, best.filter(|_| !is_illegal))
    };
    let (mut found, mut n_unknown, mut best) = (Vec::new(), 0, Vec::new());
    let take = |(of, unknown, best_): ([f64; 3], usize, Option<Best>)| {
        found.push(of);
        n_unknown += unknown;
        best.push(best_);
        ControlFlow::<()>::Continue(())
    };
    in_order(threads, faulty.iter(), Known::new, work, take);
    let ended = |case: &&Weighed| case.rules[0].sequences.len() > 1;
    let random = |case: &&Weighed| case.right.outputs != Ratio::from_integer(1.into());
    let _ = specification;
    Told {
        n_cases: suite.cases.len(),
        n_dropped: suite.n_dropped,
        n_ended: suite.cases.iter().filter(ended).count(),
        n_random: suite.cases.iter().filter(random).count(),
        found,
        n_unknown,
        alarms,
        executions,
        best,
    }
}

/// The outcomes of a case in a faulty version; none if they can not be computed.
fn seen(
    system: &System,
    version: &Specification,
    concerned: &[usize],
    case: &Weighed,
) -> Option<Outcomes> {
    let mut changed: BTreeMap<usize, Option<Account>> = BTreeMap::new();
    let mut is_same = true;
    for number in concerned {
        let account = case.trial.account(version, *number, system.phase).ok()?;
        is_same &= account.as_ref() == case.accounts.get(number);
        changed.insert(*number, account);
    }
    if is_same {
        return Some(case.right.clone());
    }
    let mut accounts: Vec<&Account> = changed.values().flatten().collect();
    accounts
        .extend(case.accounts.iter().filter(|(it, _)| !changed.contains_key(it)).map(|it| it.1));
    Some(case.trial.outcomes(&accounts, system.phase))
}
