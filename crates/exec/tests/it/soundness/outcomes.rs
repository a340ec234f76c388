//! What cases say of mutants, before and while they are played.

use std::collections::BTreeMap;

use punctual_exec::Policy;
use punctual_model::testing::suite::{Case, Do};
use punctual_model::testing::{Place, Slot, Wire};
use punctual_model::{
    Direction, Happening, Id, IdVec, Interface, Port, PortId, PortRole, Range, Signal, TimeScale,
    Value, ValueType, Verdict, Wired,
};
use punctual_oracle::conformance::Specification;
use punctual_oracle::expectations::Expectations;
use punctual_semantics::concrete::State;
use punctual_semantics::split::{Named, Side};
use punctual_testgen::mutation::automata::{Mutant, Options, mutants};
use punctual_testgen::mutation::decide::{Bench, Outcome};
use punctual_testgen::timed::{Wait, World};

use super::delays::monitored;
use super::generate::{Draft, Features};
use super::play::{networks, of_side, specified};
use super::regions::{Regions, Sighting, instant};
use super::rng::Rng;
use super::suites::{executed, made, timed};

const SILENT: Features = Features { observed: true, silent: true, system_max: 1, ..Features::ALL };

/// How often each outcome was said, and how many of the mutants that may fail were seen to.
#[derive(Default, Debug)]
struct Counts {
    said: BTreeMap<&'static str, u64>,
    plays: u64,
    may_failed: u64,
    /// How many were not, and are too large to be searched.
    may_not_known: u64,
    /// Cases that can not reach what a mutant changed.
    unreached: u64,
}

/// A network in place of the system of a specification.
#[derive(Clone, Copy)]
struct Subject<'s> {
    draft: &'s Draft,
    specification: &'s Specification,
    mutant: &'s Mutant,
}

impl Subject<'_> {
    /// Plays the mutant by a case with some policies; says how often it failed and how often it did not. Plays that
    /// get stuck do not count.
    fn played(self, case: &Case, policies: &[Policy]) -> (u64, u64) {
        let Subject { draft, specification, mutant } = self;
        let (mut failed, mut passed) = (0, 0);
        for policy in policies {
            let mut oracle = Expectations::new(draft.interface(), case).beside_a_model();
            let played = executed(draft, &mutant.network, case, *policy, &mut oracle);
            let Ok((verdict, mut trace)) = played else { continue };
            // A case looks at each reading by itself; what it means for later ones is the business of a model.
            trace.events.retain(|event| !matches!(event.what, Happening::Reading(_)));
            let sent = monitored(specification, &trace);
            let is_wrong = sent.is_err_and(|it| it.cause.verdict() == Verdict::Fail);
            *(if verdict.is_fail() || is_wrong { &mut failed } else { &mut passed }) += 1;
        }
        (failed, passed)
    }
}

/// What must fail fails, what can not fail does not, and what may fail does so sooner or later.
fn outcome_holds(subject: Subject<'_>, case: &Case, outcome: Outcome, counts: &mut Counts) {
    let Subject { draft, mutant, .. } = subject;
    *counts.said.entry(outcome.name()).or_default() += 1;
    let mut policies = vec![Policy::Earliest, Policy::Latest];
    policies.extend((0..6).map(|seed| Policy::Random { seed }));
    let (failed, passed) = subject.played(case, &policies);
    counts.plays += failed + passed;
    let text = || format!("{}: {} by {}", mutant.name, mutant.change, case.name);
    match outcome {
        Outcome::Must => assert_eq!(passed, 0, "it must fail: {}", text()),
        Outcome::Cannot => assert_eq!(failed, 0, "it can not fail: {}", text()),
        // What is sent is not searched.
        Outcome::May if failed == 0 && draft.sends() => counts.may_not_known += 1,
        Outcome::May if failed == 0 => match may_fail(draft, mutant, case) {
            Some(may) => assert!(may, "it can not fail: {}", text()),
            None => counts.may_not_known += 1,
        },
        Outcome::May => counts.may_failed += 1,
        Outcome::Unknown => {}
    }
}

/// Whether some run of a mutant shows what a check of the case does not allow, by exhaustive search.
fn may_fail(draft: &Draft, mutant: &Mutant, case: &Case) -> Option<bool> {
    let draft = Draft { network: mutant.network.clone(), ..draft.clone() };
    let regions = Regions::side(&draft, Side::System);
    let shown = |state: &State, port: PortId| match draft.wired.places[port] {
        Some(Place::Variable(slot)) => Some(state.ints[slot.slot as usize]),
        Some(Place::Location(process)) => Some(state.locations[process.index()].index() as i32),
        None => None,
    };
    let shows = |state: &State, values: &[(PortId, Value)]| {
        values.iter().all(|(port, value)| shown(state, *port) == value.as_slot())
    };
    let mut sent: Vec<Sighting> = Vec::new();
    let mut is_known = true;
    for (at_ns, part) in timed(case) {
        let at = instant(draft.interface(), at_ns);
        match part {
            Do::Send(action) => {
                let what = Happening::Signal(action.clone());
                sent.push(Sighting { what, from: at, to: at });
            }
            Do::Check(check) => {
                let one = [check.expected.clone()];
                let allowed = if check.allowed.is_empty() { &one[..] } else { &check.allowed };
                let is_wrong = &mut |now, state: &State| {
                    now == at && !allowed.iter().any(|it| shows(state, it))
                };
                match regions.shows_then(&sent, &[], at, is_wrong) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => is_known = false,
                }
            }
            _ => {}
        }
    }
    is_known.then_some(false)
}

/// Tries some mutants by some cases.
fn tried(seed: u64, draft: &Draft, specification: &Specification, n: usize, counts: &mut Counts) {
    let mut rng = Rng::new(seed ^ 0x07c0);
    let world = World::new(specification).unwrap();
    let wait = if seed % 4 == 3 { Wait::End } else { Wait::Behind };
    let (_, made) = made(seed, &world, Some(wait));
    let mut all = mutants(&draft.network, &draft.sides, &Options::default());
    for _ in 0..n.min(all.len()) {
        let mutant = all.swap_remove(rng.below(all.len()));
        let Ok(bench) = Bench::new(specification, mutant.process) else { continue };
        let Ok(mutated) = bench.mutated(&mutant.network) else { continue };
        for case in made.suite.cases.iter().take(4) {
            let outcome = bench.outcome(&mutated, case);
            let subject = Subject { draft, specification, mutant: &mutant };
            if !bench.reached(case).concerns(&draft.network, &mutant) {
                counts.unreached += 1;
                let text = format!("{}: {} by {}", mutant.name, mutant.change, case.name);
                assert!(outcome < Outcome::May, "network {seed}: it is not reached: {text}");
            }
            outcome_holds(subject, case, outcome, counts);
        }
    }
}

fn assert_seen(counts: &Counts, said: &[&str]) {
    println!("{:?}, {} plays", counts.said, counts.plays);
    println!("may fail: {} were seen, {} not known", counts.may_failed, counts.may_not_known);
    println!("{} cases do not reach what is different", counts.unreached);
    assert!(counts.may_not_known <= counts.may_failed);
    assert!(said.iter().all(|it| counts.said.contains_key(it)));
}

/// Mutants of random networks that send nothing.
#[test]
fn outcomes_of_random_mutants_hold() {
    let mut counts = Counts::default();
    for seed in networks(12) {
        let time = TimeScale { unit_ns: 1000, resolution: [1, 3, 10][seed as usize % 3] };
        let Some((draft, specification)) = specified(seed, SILENT, time) else { continue };
        tried(seed, &draft, &specification, 4, &mut counts);
    }
    assert!(counts.unreached > 0);
    assert_seen(&counts, &["may", "can not"]);
}

/// Mutants of random networks that send outputs.
#[test]
fn outcomes_of_mutants_that_send_hold() {
    let mut counts = Counts::default();
    let features = Features { silent: false, environment_max: 1, ..SILENT };
    for seed in networks(4) {
        let time = TimeScale { unit_ns: 1000, resolution: 1 };
        let Some((draft, specification)) = specified(seed, features, time) else { continue };
        tried(seed, &draft, &specification, 2, &mut counts);
    }
    // What may fail by an output is not searched.
    counts.may_not_known = 0;
    assert_seen(&counts, &["may", "can not"]);
}

/// Faults that are confirmed when they have been there for a while without a tick, and healed likewise.
const FAULTS: &str = "broadcast chan tick, on[2], off[2]; int[0,1] q[2];
    process Fault(const int id) { clock x;
        state gone, there { x <= 5 }, kept, leaving { x <= 5 }; init gone;
        trans gone -> there { sync on[id]?; assign x = 0; },
            there -> there { sync tick?; assign x = 0; },
            there -> gone { sync off[id]?; },
            there -> kept { guard x >= 3; assign q[id] = 1, x = 0; },
            kept -> leaving { sync off[id]?; assign x = 0; },
            leaving -> leaving { sync tick?; assign x = 0; },
            leaving -> kept { sync on[id]?; },
            leaving -> gone { guard x >= 3; assign q[id] = 0, x = 0; }; }
    process World() { clock t, z; state w; init w;
        trans w -> w { guard t >= 2; sync tick!; assign t = 0; },
            w -> w { select i : int[0,1]; guard z >= 1; sync on[i]!; assign z = 0; },
            w -> w { select i : int[0,1]; guard z >= 1; sync off[i]!; assign z = 0; }; }
    F0 = Fault(0); F1 = Fault(1); W = World(); system F0, F1, W;";

fn faults() -> Draft {
    let reading = punctual_lang::read("faults.xta", FAULTS.as_bytes());
    let network = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).network;
    let mut interface = Interface::new(TimeScale { unit_ns: 1000, resolution: 1 });
    let (mut wires, mut places) = (IdVec::new(), IdVec::new());
    for (channel, declared) in network.channels.enumerate() {
        let (name, values) = (declared.name.clone(), Vec::new());
        interface.signals.push(Signal { name, direction: Direction::Input, values });
        wires.push(Wire { channel, values: Vec::new() });
    }
    let first = network.variables.iter().find(|it| it.name == "q").unwrap().ints;
    for at in 0..2 {
        let ty = ValueType::Int { least: 0, greatest: 1 };
        interface.ports.push(Port { name: format!("q[{at}]"), ty, role: PortRole::Observed });
        let slot = Slot { slot: first + at, range: Range { lo: 0, hi: 1 } };
        places.push(Some(Place::Variable(slot)));
    }
    let sides = [Side::System, Side::System, Side::Environment].into_iter().collect();
    Draft { network, wired: Wired { interface, wires, places }, sides }
}

/// Mutants of a model whose parts are alike.
#[test]
fn outcomes_of_alike_parts_hold() {
    let draft = faults();
    let named = Named {
        environment: of_side(&draft, Side::Environment),
        system: of_side(&draft, Side::System),
    };
    let specification =
        Specification::new(draft.network.clone(), draft.wired.clone(), &named).unwrap();
    let mut counts = Counts::default();
    for seed in networks(4) {
        tried(seed, &draft, &specification, 8, &mut counts);
    }
    assert_seen(&counts, &["must", "may", "can not"]);
}
