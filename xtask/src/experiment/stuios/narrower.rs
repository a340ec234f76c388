//! Beyond the paper: versions that do only what the model allows, but less of it. No single execution shows them.
//!
//! For each version of HOD with a narrower window: the case that tells it best, how much its probability differs, and the executions
//! after which the rule has found it with probability 0.95. Those that 400 executions suffice for are played.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use punctual_campaign::load::{Environment, load};
use punctual_campaign::plan::{Choice, Guide, Plan};
use punctual_campaign::pool::Pool;
use punctual_campaign::prepare::{Wishes, prepare};
use punctual_campaign::run::many;
use punctual_campaign::store::Verdict;
use punctual_model::testing::suite::{
    About, Body, Case, Chance, Check, Do, Probability, Suite as Written,
};
use punctual_model::{Action, Network, ProcessId, Value};
use punctual_oracle::expectations::Kind;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::exact::{Phase, Ratio};
use punctual_smc::statistics::repeated::{self, Chart, Design, Judgement, Rule, Step};
use punctual_testgen::mutation::automata::{Operator, Options, mutants};
use punctual_testgen::uio::{outcomes, probability};

use super::{Answer, timing::number};

const OFFSETS: [i32; 3] = [100, 400, 850];

/// What a judgement is worth: 5 % false alarms of each case, without a tolerance, after 400 executions at most.
const RATE: f64 = 0.05;
const EXECUTIONS: u64 = 400;
const FOUND: f64 = 0.95;

/// The thrifts of rules that are tried: a thrifty rule gives up a small deviation early, and one with little thrift decides late.
const THRIFTS: [f64; 6] = [0.1, 0.03, 0.01, 0.003, 0.001, 0.0];

/// The case that tells a version best.
struct Best {
    case: Case,
    told: String,
    expected: Ratio,
    actual: Ratio,
    executions: u64,
    /// The thrift of the rule that takes so many.
    thrift: f64,
}

/// What is alike: the offset, the mutated place, and the best case.
type Row = (i32, String, String, String, u64);

pub(super) fn answer(folder: &Path, is_small: bool, say: impl Fn(&str)) -> Result<Answer, String> {
    let (model, interface) = (folder.join("hod.xml"), folder.join("hod.toml"));
    let read = || load(&model, Some(&interface), Environment::Model).map_err(|it| it.to_string());
    let loaded = read()?;
    let right = loaded.judges.specification.as_ref().ok_or("no timed model")?;
    let side = |side| right.split.processes(side).collect::<Vec<ProcessId>>();
    let named = Named { system: side(Side::System), environment: side(Side::Environment) };
    let mut prepared = prepare(read()?, &Wishes::default()).map_err(|it| it.to_string())?;
    let mut rows: BTreeMap<Row, [usize; 2]> = BTreeMap::new();
    let mut charts: BTreeMap<String, Chart> = BTreeMap::new();
    let mut csv =
        String::from("version,offset,case,expected,actual,executions,found when played\n");
    let mut problems = Vec::new();
    for offset in OFFSETS {
        let options = Options { operators: vec![Operator::Restrict], offset, environment: false };
        let all = mutants(&right.network, &right.split.sides, &options);
        let every = if is_small { 30 } else { 1 };
        for (number, mutant) in all.iter().enumerate().step_by(every) {
            let wired = right.wired.clone();
            let Ok(faulty) = Specification::new(mutant.network.clone(), wired, &named) else {
                problems.push(format!("{} can not be followed", mutant.name));
                continue;
            };
            let Some(best) = best(right, &faulty, mutant.process, &mut charts)? else {
                let place = place(&mutant.name);
                rows.entry((offset, place, "none".to_owned(), String::new(), 0)).or_default()[0] +=
                    1;
                continue;
            };
            prepared.plan.system.played = Some(mutant.network.clone());
            prepared.plan.seed = number as u64 + 1;
            let is_found = played(&mut prepared.plan, &best)?;
            let told = format!("{} / {}", best.expected, best.actual);
            let row = (offset, place(&mutant.name), best.told.clone(), told, best.executions);
            let counts = rows.entry(row).or_default();
            counts[0] += 1;
            counts[1] += usize::from(is_found);
            let _ = writeln!(
                csv,
                "{},{offset},{},{},{},{},{is_found}",
                mutant.name, best.told, best.expected, best.actual, best.executions
            );
        }
        say(&format!("narrower by {offset} ms is done"));
    }
    let mut tables = format!(
        "Narrower versions of HOD, each with the case that tells it best: an error, after this time. {:.0} % false alarms, no tolerance, {EXECUTIONS} executions at most.\n\n\
         | offset | window | case | probability in the model / in the version | executions to find it with {FOUND} | versions | found when played |\n\
         |---:|---|---|---:|---:|---:|---:|\n",
        100.0 * RATE
    );
    let (mut n, mut n_found) = (0, 0);
    for ((offset, place, case, told, executions), [versions, found]) in rows {
        let _ = writeln!(
            tables,
            "| {offset} | {place} | {case} | {told} | {executions} | {versions} | {found} |"
        );
        if executions > 0 {
            (n, n_found) = (n + versions, n_found + found);
        } else {
            problems.push(format!("{versions} versions, {place} by {offset}: no case tells them"));
        }
    }
    // Each is found with 0.95 at least; three standard deviations less are no chance.
    let least = FOUND * n as f64 - 3.0 * (n as f64 * FOUND * (1.0 - FOUND)).sqrt();
    if (n_found as f64) < least {
        problems.push(format!("{n_found} of {n} were found, at least {least:.0} were expected"));
    }
    Ok(Answer { tables, files: vec![("narrower.csv", csv)], problems })
}

/// The place of a mutant without the number of its error: `e2, lower`.
fn place(name: &str) -> String {
    let mut parts = name.split('-').skip(1);
    let error = parts.next().unwrap_or("").trim_start_matches("Error");
    let kind = match error.parse::<u32>() {
        Ok(number) if number > 20 => "critical errors",
        _ => "temperature errors",
    };
    let edge = match parts.next().unwrap_or("") {
        "e2" => "qualified, first instant",
        "e5" => "disqualified, first instant",
        "AbsentQualified" => "disqualified, last instant",
        _ => "qualified, last instant",
    };
    format!("{kind}: {edge}")
}

/// All constants that clocks of a process are compared with.
fn constants(network: &Network, process: ProcessId) -> BTreeSet<i64> {
    let process = &network.processes[process];
    let invariants = process.locations.iter().map(|location| &location.invariant);
    let guards = process.edges.iter().map(|edge| &edge.guard);
    let clocks = invariants.chain(guards).flat_map(|condition| &condition.clocks);
    clocks.filter_map(|constraint| constraint.bound.as_int()).map(i64::from).collect()
}

fn rule(expected: &Ratio, thrift: f64) -> Result<Rule, String> {
    let mut design = Design::exact(number(expected));
    (design.alpha, design.executions, design.thrift) = (RATE, EXECUTIONS, thrift);
    Ok(design.rule().map_err(|why| why.to_string())?.into())
}

/// The case that tells a version with fewest executions; none if 400 do not suffice for any.
fn best(
    right: &Specification,
    faulty: &Specification,
    process: ProcessId,
    charts: &mut BTreeMap<String, Chart>,
) -> Result<Option<Best>, String> {
    let name = &right.network.processes[process].name;
    let error: u32 = name.trim_start_matches("Error").parse().map_err(|_| "no error")?;
    let mut waits = constants(&right.network, process);
    waits.extend(constants(&faulty.network, process));
    let last = waits.last().copied().unwrap_or(0);
    let middles: Vec<i64> =
        waits.iter().zip(waits.iter().skip(1)).map(|(a, b)| i64::midpoint(*a, *b)).collect();
    waits.extend(middles);
    let mut best: Option<Best> = None;
    for wait in waits.into_iter().filter(|wait| *wait > 0) {
        for is_back in [false, true] {
            if is_back && error > 20 {
                continue;
            }
            let Some(case) = case(right, error, (wait, is_back.then_some(last + 1))) else {
                return Err(format!("{name} has no signals"));
            };
            let Body::Timed(parts) = &case.body else { continue };
            let (Ok(expected), Ok(actual)) =
                (probability(right, parts, Phase::None), probability(faulty, parts, Phase::None))
            else {
                continue;
            };
            // A narrower version shows nothing illegal.
            let illegal = outcomes(faulty, &case, Phase::None).map(|it| it.illegal);
            if expected == actual || illegal.ok() != Some(Ratio::from_integer(0.into())) {
                continue;
            }
            for thrift in THRIFTS {
                let key = format!("{expected} {thrift}");
                let chart = match charts.get(&key) {
                    Some(chart) => chart,
                    None => charts.entry(key).or_insert(rule(&expected, thrift)?.chart()),
                };
                let executions = chart.fails_with(FOUND, number(&actual));
                let Some(executions) = executions else { continue };
                if best.as_ref().is_some_and(|best| executions >= best.executions) {
                    continue;
                }
                let told = match is_back {
                    false => format!("qualified by {wait}"),
                    true => format!("disqualified by {wait}"),
                };
                let (p, exact) = (number(&expected), Some(expected.to_string()));
                let outputs = Probability { least: p, greatest: p, exact };
                let chance = Chance { outputs, ending: None, note: String::new(), independent: 0 };
                let case = Case { chance: Some(chance), ..case.clone() };
                let (expected, actual) = (expected.clone(), actual.clone());
                best = Some(Best { case, told, expected, actual, executions, thrift });
            }
        }
    }
    Ok(best)
}

/// An error that appears, and whether it is qualified after a time; or that goes when it is qualified, and whether it is
/// disqualified after a time.
fn case(right: &Specification, error: u32, (wait, back): (i64, Option<i64>)) -> Option<Case> {
    let interface = right.interface();
    let (comes, goes) = match error {
        1..=20 => ("tempOutOfRange", "tempInRange"),
        _ => ("errorAppears", "errorVanishes"),
    };
    let port = interface.port(&format!("isQualified[{error}]"))?;
    let send = |name: &str| {
        let signal = interface.signal(&format!("{name}[{error}]"))?;
        Some(Do::Send(Action { signal, values: Vec::new() }))
    };
    let ms = |units: i64| Do::Wait(units.unsigned_abs() * 1_000_000);
    let check = |value: bool, is_open: bool| {
        let of = |value: bool| vec![(port, Value::Bool(value))];
        let allowed = if is_open { vec![of(value), of(!value)] } else { Vec::new() };
        Do::Check(Check { expected: of(value), allowed, requirement: None })
    };
    let mut parts = vec![send(comes)?];
    if let Some(certain) = back {
        parts.extend([ms(certain), check(true, false), send(goes)?]);
    }
    parts.extend([ms(wait), check(back.is_none(), true)]);
    let name = format!("error {error}");
    Some(Case { name, body: Body::Timed(parts), about: About::default(), chance: None })
}

/// Whether a case fails when it is repeated.
fn played(plan: &mut Plan, best: &Best) -> Result<bool, String> {
    plan.judges.suite = Some(Written { cases: vec![best.case.clone()], ..Written::default() });
    plan.choice = Choice::Suite;
    plan.budget.time_ns = u64::MAX;
    let mut repeated = repeated::Case::new([rule(&best.expected, best.thrift)?]);
    let never = AtomicBool::new(false);
    let pool = Pool::default();
    many(
        plan,
        0..EXECUTIONS,
        (1, &pool),
        None,
        (&never, &|_| None, Guide::default()),
        |finished| {
            let mut checks = finished.interactions.iter().filter(|it| it.kind == Kind::Check);
            repeated.observe(&[checks.all(|it| it.verdict == Verdict::Pass)]);
            repeated.step() == Step::Continue
        },
    )
    .map_err(|trouble| trouble.to_string())?;
    Ok(matches!(repeated.step(), Step::Stop(Judgement { passes: false, .. })))
}
