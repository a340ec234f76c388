//! Suites that are made of random networks.

use std::sync::Arc;

use punctual_exec::online::{Budget as RunBudget, Options as RunOptions, run};
use punctual_exec::{
    Limits as SutLimits, ModelOptions, Played, Policy, Refusal, SutError, Timekeeping,
};
use punctual_model::testing::suite::{Body, Case, Do};
use punctual_model::{Id, Interface, LocationId, Network, TimeScale, Trace, Uncertainty};
use punctual_oracle::conformance::{Coverage, Session, Specification};
use punctual_oracle::expectations::Expectations;
use punctual_oracle::{All, Finding, Judgement, Oracle};
use punctual_semantics::Rational;
use punctual_semantics::concrete::{Concrete, State};
use punctual_semantics::estimate::{Estimate, Interval, Observation, Role, What};
use punctual_semantics::split::Side;
use punctual_testgen::Acting;
use punctual_testgen::timed::{
    Budget, Criterion, Deriver, Kind, Limits, Made, Options, Point, Run, Status, Wait, World,
    covered, make,
};

use super::generate::{Draft, Features};
use super::play::{networks, of_side, specified};
use super::reached::is_reachable;
use super::rng::Rng;

const OBSERVED: Features = Features { observed: true, system_max: 2, ..Features::ALL };

const WAITS: [Wait; 4] = [Wait::Behind, Wait::End, Wait::Middle, Wait::Start];

const SCALES: [TimeScale; 4] = [
    TimeScale { unit_ns: 1000, resolution: 1 },
    TimeScale { unit_ns: 1000, resolution: 3 },
    TimeScale { unit_ns: 4, resolution: 2 },
    TimeScale { unit_ns: 1000, resolution: 10 },
];

/// A small suite of a random network, made in one of many ways, and how long it waits.
pub(super) fn made(seed: u64, world: &World<'_>, wait: Option<Wait>) -> (Wait, Made) {
    let mut rng = Rng::new(seed ^ 0x5017e);
    let mut criteria = vec![Criterion::Edges];
    criteria.extend(Criterion::ALL.into_iter().filter(|_| rng.percent(25)));
    let options = Options {
        criteria,
        purposes: Vec::new(),
        n_random: rng.below(3),
        limits: Limits { states: 5000, length: 4 + rng.below(8) },
        wait: wait.unwrap_or(WAITS[rng.below(4)]),
        budget: rng.percent(30).then(|| Budget::Cases(1 + rng.below(6))),
        iterations: rng.below(8),
        seed,
    };
    let mut patience = 2000;
    let made = make(world, &options, &|_, _| None, &mut |_| {
        patience -= 1;
        assert!(patience > 0, "network {seed}: the search does not end: {options:?}");
        true
    });
    (options.wait, made.unwrap_or_else(|trouble| panic!("network {seed}: {trouble}")))
}

/// The parts of a case, with their instants.
pub(super) fn timed(case: &Case) -> Vec<(u64, &Do)> {
    let Body::Timed(parts) = &case.body else { panic!("a timed case") };
    let mut now_ns = 0;
    let mut timed = Vec::new();
    for part in parts {
        match part {
            Do::Wait(ns) => now_ns += ns,
            part => timed.push((now_ns, part)),
        }
    }
    timed
}

/// A case, for people.
fn told(interface: &Interface, case: &Case) -> String {
    let line = |(at_ns, part): (u64, &Do)| match part {
        Do::Send(action) => {
            format!("{at_ns}: {}", interface.signal_text(action.signal, &action.values))
        }
        Do::Check(check) => {
            let allowed = check.allowed.iter().map(|it| interface.ports_text(it));
            let allowed: Vec<String> = allowed.collect();
            format!("{at_ns}: {} of {allowed:?}", interface.ports_text(&check.expected))
        }
        other => format!("{at_ns}: {other:?}"),
    };
    timed(case).into_iter().map(line).collect::<Vec<_>>().join("\n  ")
}

/// A case as the system sees it: inputs arrive late, and what is read is old.
fn delayed(case: &Case, uncertainty: Uncertainty, rng: &mut Rng) -> Case {
    let drift_ppb = u64::from(uncertainty.drift_ppb);
    let (off_ppb, is_fast) = (rng.below(drift_ppb as usize + 1) as u64, rng.percent(50));
    let off_ppb = if rng.percent(50) { drift_ppb } else { off_ppb };
    // The clock of the system runs at another rate than that of the tester.
    let theirs = |at_ns: u64| match at_ns * off_ppb / 1_000_000_000 {
        off_ns if is_fast => at_ns + off_ns,
        off_ns => at_ns - off_ns,
    };
    let mut within =
        |(least, most): (u64, u64)| least + rng.below((most - least + 1) as usize) as u64;
    let mut last_ns = [0, 0];
    let mut seen: Vec<(u64, Do)> = Vec::new();
    for (at_ns, part) in timed(case) {
        let (way, at_ns) = match part {
            // Windows of outputs count from an instant of the case, wherever inputs are.
            Do::Expect(_) if uncertainty == Uncertainty::default() => {
                seen.push((at_ns, part.clone()));
                continue;
            }
            Do::Send(_) => (0, at_ns + within(uncertainty.input_ns)),
            Do::Check(_) => (1, at_ns.saturating_sub(within(uncertainty.output_ns))),
            _ => continue,
        };
        last_ns[way] = theirs(at_ns).max(last_ns[way]);
        seen.push((last_ns[way], part.clone()));
    }
    // What is sent before something is read may arrive at the instant of the reading, and behind it.
    let blurs = uncertainty != Uncertainty::default() && rng.percent(50);
    seen.sort_by_key(|(at_ns, part)| (*at_ns, blurs && matches!(part, Do::Send(_))));
    let (mut parts, mut now_ns) = (Vec::new(), 0);
    for (at_ns, part) in seen {
        parts.push(Do::Wait(at_ns - now_ns));
        parts.push(part);
        now_ns = at_ns;
    }
    Case { body: Body::Timed(parts), ..case.clone() }
}

/// Why a network gets stuck.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stuck {
    /// It refuses an input, or time stops.
    Refuses,
    /// It takes steps without end at one instant.
    Endless,
}

/// What a case says of a network in place of the system.
pub(super) fn executed(
    draft: &Draft,
    played: &Network,
    case: &Case,
    policy: Policy,
    oracle: &mut dyn Oracle,
) -> Result<(Judgement<Finding>, Trace), Stuck> {
    let environment = Some(of_side(draft, Side::Environment));
    let options = ModelOptions { policy, refusal: Refusal::Error, environment };
    let interface = Arc::new(draft.interface().clone());
    let limits = SutLimits::default();
    let mut sut = Played::new(played, interface, options, Timekeeping::Virtual, limits).unwrap();
    let options = RunOptions {
        budget: RunBudget { time_ns: u64::MAX / 2, events: u64::MAX },
        horizon: 10,
        lateness_ns: 0,
        update_ns: punctual_exec::online::UPDATE_NS,
        windows: false,
        time: draft.interface().time,
    };
    match run(oracle, &mut sut, &mut Acting::new(case.clone()), &options, &mut ()) {
        Ok(run) if matches!(run.judged.judgement.reason(), Some(Finding::Ending(..))) => {
            Err(Stuck::Endless)
        }
        Ok(run) => Ok((run.judged.judgement, run.trace)),
        Err(SutError::Model { reason, .. }) if reason.contains("without end") => {
            Err(Stuck::Endless)
        }
        Err(SutError::Model { .. }) => Err(Stuck::Refuses),
        Err(error) => panic!("{error}"),
    }
}

const POLICIES: [Policy; 4] =
    [Policy::Earliest, Policy::Latest, Policy::Random { seed: 1 }, Policy::Random { seed: 2 }];

/// How many runs were made, and how many of them got stuck.
#[derive(Default)]
struct Counts {
    checks: usize,
    outputs: usize,
    runs: usize,
    stuck: usize,
}

/// A system that does what the specification allows never fails a case, whatever it chooses. False if it takes steps
/// without end.
fn right_systems_pass(
    seed: u64,
    draft: &Draft,
    specification: &Specification,
    case: &Case,
    counts: &mut Counts,
) -> bool {
    let interface = specification.interface();
    let mut rng = Rng::new(seed ^ 0xa9e);
    counts.outputs += timed(case).iter().filter(|it| matches!(it.1, Do::Expect(_))).count();
    counts.checks += timed(case).iter().filter(|it| matches!(it.1, Do::Check(_))).count();
    let is_exact = interface.uncertainty == Uncertainty::default();
    for policy in POLICIES {
        let seen = delayed(case, interface.uncertainty, &mut rng);
        let mut oracles: Vec<Box<dyn Oracle + '_>> = Vec::new();
        if is_exact {
            let session = Session::new(specification, Coverage::new(false)).unwrap();
            oracles.push(Box::new(session));
        }
        oracles.push(Box::new(Expectations::new(interface, &seen)));
        counts.runs += 1;
        let verdict = match executed(draft, &draft.network, &seen, policy, &mut All(oracles)) {
            Ok((verdict, _)) => verdict,
            Err(stuck) => {
                counts.stuck += 1;
                match stuck {
                    Stuck::Refuses => continue,
                    Stuck::Endless => return false,
                }
            }
        };
        let text = || {
            let (sent, arrived) = (told(interface, case), told(interface, &seen));
            let (name, delays) = (&case.name, interface.uncertainty);
            format!(
                "network {seed}, {name}, {policy:?}, {delays:?}: {verdict:?}\n{sent}\n{arrived}"
            )
        };
        assert!(!verdict.is_fail(), "{}", text());
    }
    true
}

/// Cases of the same runs, for a tester whose inputs arrive late and whose readings are old.
fn uncertain(
    rng: &mut Rng,
    specification: &mut Specification,
    runs: &[Run],
    wait: Wait,
) -> Vec<Case> {
    let unit_ns = specification.interface().time.unit_ns;
    let mut range = || {
        let (a, b) = (rng.below(1500), rng.below(1500));
        let in_ns = |part: usize| part as u64 * unit_ns / 1000;
        (in_ns(a.min(b)), in_ns(a.max(b)))
    };
    let (input_ns, output_ns) = (range(), range());
    let drift_ppb = rng.pick(&[0, 0, 1_000_000, 50_000_000, 99_000_000]);
    let uncertainty = Uncertainty { input_ns, output_ns, drift_ppb };
    specification.wired.interface.uncertainty = uncertainty;
    let world = World::new(specification).unwrap();
    let mut deriver = Deriver::new(&world, wait).unwrap();
    let case = |run: &Run| {
        let (parts, about) = deriver.case(run, &|_, _| None).unwrap();
        Case { name: "late".to_owned(), body: Body::Timed(parts), about, chance: None }
    };
    runs.iter().map(case).collect()
}

fn state(network: &Network, point: &Point) -> State {
    let (locations, ints) = point.state.split_at(network.processes.len());
    let location = |at: &i32| LocationId::from_index(at.unsigned_abs() as usize);
    State {
        locations: locations.iter().map(location).collect(),
        ints: ints.to_vec(),
        clocks: point.clocks.iter().map(|it| Rational::from(*it)).collect(),
    }
}

/// Whether the textbook semantics has a run.
fn is_run(network: &Network, run: &Run) -> Result<(), String> {
    let concrete = Concrete::new(network);
    let mut before = state(network, &run.start);
    if !concrete.initial().is_ok_and(|them| them.contains(&before)) {
        return Err("it starts elsewhere".to_owned());
    }
    let mut now = 0;
    for (number, step) in run.steps.iter().enumerate() {
        let delay = Rational::from(step.at - now);
        if step.at != now && !concrete.may_wait(&before, delay).unwrap_or(false) {
            return Err(format!("it can not wait for step {number}"));
        }
        let after = state(network, &step.after);
        let found = concrete.transitions(&concrete.waited(&before, delay));
        if !found.is_ok_and(|it| it.contains(&(step.moves.clone(), after.clone()))) {
            return Err(format!("it can not take step {number}"));
        }
        (before, now) = (after, step.at);
    }
    Ok(())
}

/// Whether the environment, as far as each part of it knows, sends the inputs of a run at their instants.
fn is_sent(specification: &Specification, run: &Run, world: &World<'_>) -> bool {
    specification.side(Side::Environment).all(|(_, part)| {
        let mut estimate = Estimate::new(&part.estimator).unwrap();
        run.steps.iter().all(|step| {
            let (Kind::Input(signal) | Kind::Output(signal)) = step.kind else { return true };
            if part.estimator.role(signal) == Role::None {
                return true;
            }
            let values = world.carried(signal, &step.after.state);
            let what = What::Signal { signal, values: &values };
            let observation = Observation { what, interval: Interval::point(step.at) };
            estimate.observe(&observation).unwrap().is_ok()
        })
    })
}

/// Runs are runs of the network, and cases send what their runs do.
fn runs_are_possible(seed: u64, world: &World<'_>, made: &Made) {
    let specification = world.specification;
    // A part of the environment does not know whether somebody is ready for an urgent signal.
    let mut wires = specification.wired.wires.iter();
    let channel = |channel| &specification.network.channels[channel];
    let is_hurried = wires.any(|it| channel(it.channel).urgent && !channel(it.channel).broadcast);
    assert_eq!(made.runs.len(), made.suite.cases.len());
    for (run, case) in made.runs.iter().zip(&made.suite.cases) {
        if let Err(why) = is_run(&world.network, run) {
            panic!("network {seed}, {}: {why}: {run:#?}", case.name);
        }
        let is_sent = is_hurried || is_sent(specification, run, world);
        assert!(is_sent, "network {seed}, {}: {:?}", case.name, case.about.path);
        let sends = timed(case).into_iter().filter(|(_, part)| matches!(part, Do::Send(_)));
        let sends: Vec<u64> = sends.map(|(at_ns, _)| at_ns).collect();
        let inputs = run.steps.iter().filter(|step| matches!(step.kind, Kind::Input(_)));
        let inputs: Vec<u64> = inputs.map(|it| specification.instants.ns(it.at)).collect();
        assert_eq!(sends, inputs, "network {seed}, {}", case.name);
    }
}

/// What is covered is covered before any input that may be refused, and what is unreachable is unreachable. Gives how many goals are covered,
/// unreachable and neither; those that are behind such an input are left out.
fn goals_are_known(seed: u64, world: &World<'_>, made: &Made) -> [usize; 3] {
    let mut counts = [0; 3];
    for (goal, status) in &made.goals {
        match status {
            Status::Covered(run) => {
                counts[0] += 1;
                let seen = covered(&world.network, &made.sure[*run]);
                assert!(seen.has(*goal), "network {seed}: {goal:?} is not covered by {run}");
            }
            Status::Unreachable => {
                counts[1] += 1;
                let found = is_reachable(&world.specification.network, *goal);
                assert_ne!(found, Some(true), "network {seed}: {goal:?} is reachable");
            }
            Status::Undecided(why) if why.contains("behind an input") => {
                let mut runs = made.runs.iter().map(|run| covered(&world.network, run));
                assert!(
                    runs.any(|seen| seen.has(*goal)),
                    "network {seed}: no case goes to {goal:?}"
                );
            }
            Status::Undecided(why) if why.contains("that others replaced") => {}
            Status::Undecided(_) => counts[2] += 1,
        }
    }
    counts
}

/// Suites of random networks are what they say, and right systems never fail them.
#[test]
fn suites_keep_their_word() {
    let (mut suites, mut runs, mut steps, mut goals) = (0, 0, 0, [0; 3]);
    let (mut exact, mut late) = (Counts::default(), Counts::default());
    for seed in networks(30) {
        let scale = SCALES[seed as usize % SCALES.len()];
        let Some((draft, mut specification)) = specified(seed, OBSERVED, scale) else { continue };
        let world = World::new(&specification).unwrap();
        let (wait, made) = made(seed, &world, None);
        suites += 1;
        runs += made.runs.len();
        steps += made.runs.iter().map(|run| run.steps.len()).sum::<usize>();
        runs_are_possible(seed, &world, &made);
        let known = goals_are_known(seed, &world, &made);
        goals.iter_mut().zip(known).for_each(|(all, known)| *all += known);
        let mut cases = made.suite.cases.iter().take(8);
        let ends =
            cases.all(|case| right_systems_pass(seed, &draft, &specification, case, &mut exact));
        let mut rng = Rng::new(seed ^ 0x1a7e);
        let runs = &made.runs[..made.runs.len().min(8)];
        let mut cases = uncertain(&mut rng, &mut specification, runs, wait).into_iter();
        let _ = ends
            && cases.all(|case| right_systems_pass(seed, &draft, &specification, &case, &mut late));
    }
    let [covers, unreachable, undecided] = goals;
    println!(
        "{suites} suites, {runs} runs, {steps} steps; \
         {covers} goals covered, {unreachable} unreachable, {undecided} undecided"
    );
    for Counts { checks, outputs, runs, stuck } in [&exact, &late] {
        println!("{checks} checks, {outputs} outputs, {runs} executed, {stuck} stuck");
    }
    assert!(steps > 2 * runs && unreachable > 0 && undecided * 5 < covers);
    // Nothing is checked behind an input that a right system may refuse, and these networks refuse a lot.
    assert!(exact.checks * 4 > exact.runs && late.checks * 8 > late.runs);
    assert!(exact.stuck * 2 < exact.runs && late.stuck * 2 < late.runs);
}
