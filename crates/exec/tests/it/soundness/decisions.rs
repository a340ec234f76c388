//! What is decided about mutants of random networks.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::testing::Reading;
use punctual_model::{
    Action, Event, Happening, Interface, Network, ProcessId, TimeScale, Trace, Value,
};
use punctual_oracle::Cause;
use punctual_oracle::conformance::{Coverage, Specification, judge};
use punctual_semantics::concrete::Concrete;
use punctual_semantics::estimate::{Estimator, Role};
use punctual_semantics::split::{Named, Side};
use punctual_testgen::mutation::automata::{Mutant, Options, mutants};
use punctual_testgen::mutation::decide::{Bench, Decision, Evidence, Limits, Seen};

use super::delays::monitored;
use super::generate::{Draft, Features};
use super::play::{Game, networks, of_side, sightings, specified, tell};
use super::regions::{Explained, Regions, instant};
use super::rng::Rng;

const SMALL: Features =
    Features { observed: true, environment_max: 1, system_max: 1, ..Features::ALL };

/// Instants are known exactly.
const EXACT: TimeScale = TimeScale { unit_ns: 4, resolution: 1 };
/// Half points of that grid are points.
const HALF: TimeScale = TimeScale { unit_ns: 4, resolution: 2 };

/// Evidence as a trace.
fn trace(interface: &Interface, evidence: &Evidence) -> Trace {
    let at_ns = |at: i64| at.unsigned_abs() * HALF.unit_ns / u64::from(HALF.resolution);
    let mut trace = Trace::default();
    for step in &evidence.steps {
        let what = match &step.what {
            Seen::Input(signal, values) | Seen::Output(signal, values) => {
                let values = values.iter().map(|value| Value::from(*value)).collect();
                Some(Happening::Signal(Action { signal: *signal, values }))
            }
            Seen::Reading(values) => {
                let value = |(port, value): &(_, i32)| {
                    let ports = &interface.ports;
                    (*port, ports[*port].ty.of_int(*value))
                };
                let values = values.iter().map(value).collect();
                Some(Happening::Reading(Reading { values }))
            }
            Seen::Silence => None,
        };
        trace.end_ns = at_ns(step.at);
        let (from_ns, to_ns) = (trace.end_ns, trace.end_ns);
        trace.events.extend(what.map(|what| Event { what, from_ns, to_ns, device_ns: None }));
    }
    trace
}

/// Whether the processes of a network have a trace, by the textbook semantics.
fn has(draft: &Draft, network: &Network, processes: &[ProcessId], trace: &Trace) -> Explained {
    let draft = Draft { network: network.clone(), ..draft.clone() };
    let seen = sightings(&draft, trace);
    let end = instant(draft.interface(), trace.end_ns);
    Regions::open(&draft, processes).explain(&seen, &[], end)
}

/// A draft, what is decided by, and the same with instants that are known better.
struct Subject {
    seed: u64,
    draft: Draft,
    specification: Specification,
    /// On the grid of half points.
    fine: (Draft, Specification),
}

impl Subject {
    fn new(seed: u64) -> Option<Subject> {
        let (draft, specification) = specified(seed, SMALL, EXACT)?;
        let fine = specified(seed, SMALL, HALF)?;
        let subject = Subject { seed, draft, specification, fine };
        // Evidence is about one component; another one could have to do something meanwhile.
        let is_one = subject.specification.side(Side::System).count() == 1;
        (is_one && (subject.n_clocks() < 2 || seed.is_multiple_of(4))).then_some(subject)
    }

    /// Whether all of the environment sends to the system.
    fn is_told(&self) -> bool {
        let parts = |side| self.specification.side(side).map(|(_, part)| &part.estimator);
        let signals = || self.specification.interface().signals.ids();
        let hears = |id| parts(Side::System).any(|it| it.role(id) == Role::Receives);
        let tells = |it: &Estimator| signals().any(|id| it.role(id) == Role::Sends && hears(id));
        parts(Side::Environment).all(tells)
    }

    /// How many clocks the system reads.
    fn n_clocks(&self) -> usize {
        let Subject { draft, .. } = self;
        let system = of_side(draft, Side::System).into_iter();
        let of = |id| {
            let process = &draft.network.processes[id];
            let invariants = process.locations.iter().map(|location| &location.invariant);
            let conditions = invariants.chain(process.edges.iter().map(|edge| &edge.guard));
            conditions.flat_map(|it| &it.clocks).flat_map(|it| it.clocks()).map(|it| it.base)
        };
        system.flat_map(of).collect::<BTreeSet<_>>().len()
    }

    fn text(&self, mutant: &Mutant, decision: &Decision) -> String {
        format!("network {}, {}: {}: {decision:?}", self.seed, mutant.name, mutant.change)
    }

    /// A trace that shows a difference is one, of the right side.
    fn evidence_holds(&self, mutant: &Mutant, decision: &Decision, processes: &[ProcessId]) {
        let Some(evidence) = decision.evidence() else { return };
        let (draft, fine) = &self.fine;
        let trace = trace(draft.interface(), evidence);
        let text = || format!("{}\n{trace:?}", self.text(mutant, decision));
        let ours = has(draft, &draft.network, processes, &trace);
        let theirs = has(draft, &mutant.network, processes, &trace);
        match decision {
            Decision::Wrong(_) => {
                assert_ne!(theirs, Some(false), "the mutant can not do it: {}", text());
                assert_ne!(ours, Some(true), "it is right: {}", text());
                assert!(monitored(fine, &trace).is_err(), "it passes: {}", text());
                let verdict = judge(fine, &trace, &mut Coverage::new(false));
                // Who sends nothing to the component is not part of the evidence.
                let is_told = self.is_told();
                // What is found behind an input that some states refuse is a difference, and no oracle blames a system for it.
                let is_refused = verdict.reason().is_some_and(|it| it.cause == Cause::Refused);
                assert!(verdict.is_fail() || is_refused || !is_told, "{verdict:?}: {}", text());
            }
            Decision::Narrower(_) => {
                assert_ne!(ours, Some(false), "the specification can not do it: {}", text());
                assert_ne!(theirs, Some(true), "the mutant can do it: {}", text());
            }
            Decision::Stops(_) => {
                assert_ne!(theirs, Some(true), "the mutant can go on: {}", text());
                let mut before = trace.clone();
                before.end_ns = before.events.last().map_or(0, |event| event.to_ns);
                let theirs = has(draft, &mutant.network, processes, &before);
                let starts =
                    Concrete::new(&mutant.network).initial().is_ok_and(|it| !it.is_empty());
                assert!(theirs != Some(false) || !starts, "it does not get there: {}", text());
            }
            Decision::Equal | Decision::Unknown(_) => {}
        }
    }

    /// The specification is a right system for a mutant that is equal.
    fn play_reversed(&self, mutant: &Mutant, n: u64) {
        let Subject { draft, .. } = self;
        let named = Named {
            environment: of_side(draft, Side::Environment),
            system: of_side(draft, Side::System),
        };
        let (network, wired) = (mutant.network.clone(), draft.wired.clone());
        let specification = Specification::new(network, wired, &named).unwrap();
        for seed in 0..n {
            let seed = self.seed * 1000 + 500 + seed;
            let run = Game::new(seed, draft, &specification, &draft.network, (16, 14)).run();
            let told = || tell(&specification, &run.verdict, &run.trace);
            let text = || self.text(mutant, &Decision::Equal);
            assert!(!run.verdict.is_fail(), "{}: the mutant has less\n{}", text(), told());
        }
    }

    /// No run shows that a mutant is wrong if it is not, or that it lacks something if it does not. Gives how many were
    /// made.
    fn play_agrees(&self, mutant: &Mutant, decision: &Decision, n: u64) -> u64 {
        if !matches!(decision, Decision::Equal | Decision::Narrower(_)) {
            return 0;
        }
        for seed in 0..n {
            let seed = self.seed * 1000 + seed;
            let Subject { draft, specification, .. } = self;
            let run = Game::new(seed, draft, specification, &mutant.network, (16, 14)).run();
            let told = || tell(specification, &run.verdict, &run.trace);
            assert!(!run.verdict.is_fail(), "{}\n{}", self.text(mutant, decision), told());
        }
        if *decision == Decision::Equal {
            self.play_reversed(mutant, n);
        }
        n
    }
}

/// Evidence can be run, and no run contradicts what is said to be not wrong.
#[test]
fn decisions_about_random_mutants_hold() {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut reasons, mut plays) = (BTreeMap::<&str, u64>::new(), 0);
    for seed in networks(60) {
        let Some(subject) = Subject::new(seed) else { continue };
        let mut rng = Rng::new(seed ^ 0xdec1de);
        let network = &subject.draft.network;
        let mut all = mutants(network, &subject.draft.sides, &Options::default());
        for _ in 0..5.min(all.len()) {
            let mutant = all.swap_remove(rng.below(all.len()));
            let Ok(bench) = Bench::new(&subject.specification, mutant.process) else { continue };
            let decision = bench.decide(&mutant, Limits { situations: 150 });
            *counts.entry(decision.name()).or_default() += 1;
            if let Decision::Unknown(why) = &decision {
                *reasons.entry(why).or_default() += 1;
            }
            let part = subject.specification.side(Side::System).next();
            let processes = part.map(|(_, part)| part.processes.clone()).unwrap_or_default();
            subject.evidence_holds(&mutant, &decision, &processes);
            plays += subject.play_agrees(&mutant, &decision, 12);
        }
    }
    println!("{counts:?}, {plays} plays, unknown: {reasons:#?}");
    assert!(["wrong", "narrower", "equal", "stops"].iter().all(|it| counts.contains_key(it)));
}
