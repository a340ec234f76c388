//! Plays a network against a specification.

use std::sync::Arc;

use punctual_exec::online::{Budget, Options, Run, Watcher, run};
use punctual_exec::{Limits, ModelOptions, Played, Policy, Refusal, Sut, SutError, Timekeeping};
use punctual_model::{Event, Network, PortId, ProcessId, TimeScale, Trace};
use punctual_oracle::conformance::{Coverage, Rejection, Session, Specification, explain, judge};
use punctual_oracle::{Finding, Judgement, Sets};
use punctual_semantics::split::{Named, Side};
use punctual_testgen::{Decision, Guided, Random, RandomOptions, Situation, Strategy, Timing};

use super::generate::{Draft, Features, draft};
use super::regions::{Sighting, instant};
use super::rng::Rng;

/// The seeds of the networks that a law looks at: the first `n`, or as many from the one on that the
/// environment names, as `cargo xtask soak` does.
pub(super) fn networks(n: u64) -> std::ops::Range<u64> {
    let first = std::env::var("PUNCTUAL_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    first..first + n
}

/// A draft that can be tested against, and a name of each process that is environment.
pub(super) fn specified(
    seed: u64,
    features: Features,
    time: TimeScale,
) -> Option<(Draft, Specification)> {
    let mut draft = draft(seed, features, time);
    let named = Named {
        environment: of_side(&draft, Side::Environment),
        system: of_side(&draft, Side::System),
    };
    loop {
        match Specification::new(draft.network.clone(), draft.wired.clone(), &named) {
            Ok(specification) => return Some((draft, specification)),
            Err(Rejection::NotOfSystem { port }) => draft.hide(&port),
            Err(rejection) => {
                let text = rejection.to_string();
                assert!(text.contains("no signal shows it") || text.contains("both"), "{text}");
                return None;
            }
        }
    }
}

pub(super) fn of_side(draft: &Draft, side: Side) -> Vec<ProcessId> {
    let them = draft.sides.enumerate().filter(|(_, other)| **other == side);
    them.map(|(id, _)| id).collect()
}

/// A network in place of the system, under the environment of a specification.
#[derive(Clone, Copy)]
pub(super) struct Game<'g> {
    pub(super) seed: u64,
    pub(super) draft: &'g Draft,
    pub(super) specification: &'g Specification,
    pub(super) played: &'g Network,
    /// How long a run is: in time units, and in events.
    pub(super) budget: (u64, u64),
    /// How probable it is that the tester starts anew instead of doing something.
    pub(super) restart: f64,
    pub(super) timekeeping: Timekeeping,
    pub(super) lateness_ns: u64,
}

impl<'g> Game<'g> {
    pub(super) fn new(
        seed: u64,
        draft: &'g Draft,
        specification: &'g Specification,
        played: &'g Network,
        budget: (u64, u64),
    ) -> Game<'g> {
        let (restart, timekeeping, lateness_ns) = (0.0, Timekeeping::Virtual, 0);
        Game { seed, draft, specification, played, budget, restart, timekeeping, lateness_ns }
    }

    pub(super) fn sut(&self) -> Played {
        let mut rng = Rng::new(self.seed ^ 0x0a11);
        let unit_ns = self.draft.interface().time.unit_ns;
        let policy = match rng.below(6) {
            0 => Policy::Earliest,
            1 => Policy::Latest,
            2 => Policy::Fixed { delay_ns: rng.below(2 * unit_ns as usize + 1) as u64 },
            _ => Policy::Random { seed: self.seed },
        };
        let environment = Some(of_side(self.draft, Side::Environment));
        let options = ModelOptions { policy, refusal: Refusal::Error, environment };
        let interface = Arc::new(self.draft.interface().clone());
        Played::new(self.played, interface, options, self.timekeeping, Limits::default()).unwrap()
    }

    fn strategy(&self) -> Box<dyn Strategy> {
        let mut rng = Rng::new(self.seed ^ 0x57a7);
        let timing = match rng.below(4) {
            0 => Timing::Eager,
            1 => Timing::Lazy,
            2 => Timing::Bounded { short: 1, long: 4 },
            _ => Timing::Random,
        };
        let random = RandomOptions { timing, wait: 0.3, restart: self.restart };
        let inner: Box<dyn Strategy> = match self.restart > 0.0 || rng.percent(50) {
            true => Box::new(Random::new(self.seed, 0, random)),
            false => Box::new(Guided::new(self.seed, 0)),
        };
        let ports: Vec<PortId> = self.draft.interface().ports.ids().collect();
        match ports.is_empty() {
            true => inner,
            false => Box::new(Curious { inner, ports, rng, reads: false }),
        }
    }

    /// Makes a run with a system, while somebody watches.
    pub(super) fn watched(
        &self,
        sut: &mut dyn Sut,
        watcher: &mut dyn Watcher,
    ) -> Result<Run, SutError> {
        let (units, events) = self.budget;
        let time = self.draft.interface().time;
        let options = Options {
            budget: Budget { time_ns: units * time.unit_ns, events },
            horizon: self.specification.largest_constant(),
            lateness_ns: self.lateness_ns,
            update_ns: punctual_exec::online::UPDATE_NS,
            windows: false,
            time,
        };
        let mut session = Session::new(self.specification, Coverage::new(false)).unwrap();
        run(&mut session, sut, &mut *self.strategy(), &options, watcher)
    }

    /// Makes a run. If the network gets stuck, what it did before is judged.
    pub(super) fn run(&self) -> Outcome {
        let mut seen = Seen(Trace::default());
        match self.watched(&mut self.sut(), &mut seen) {
            Ok(Run { judged, trace, .. }) => {
                Outcome { verdict: judged.judgement, trace, is_stuck: false }
            }
            Err(SutError::Model { .. }) => {
                let trace = seen.0;
                let verdict = judge(self.specification, &trace, &mut Coverage::new(false));
                Outcome { verdict: verdict.map(Finding::Conformance), trace, is_stuck: true }
            }
            Err(error) => panic!("network {}: {error}", self.seed),
        }
    }
}

/// What came of a run.
pub(super) struct Outcome {
    pub(super) verdict: Judgement<Finding>,
    pub(super) trace: Trace,
    /// Whether the network got stuck.
    pub(super) is_stuck: bool,
}

/// Keeps what is seen since the last reset.
struct Seen(Trace);

impl Watcher for Seen {
    fn event(&mut self, event: &Event, _: Sets) {
        self.0.end_ns = self.0.end_ns.max(event.to_ns);
        self.0.events.push(event.clone());
    }

    fn delay(&mut self, now_ns: u64, _: Sets) {
        self.0.end_ns = now_ns;
    }

    fn restart(&mut self, _: u64) {
        self.0 = Trace::default();
    }
}

/// Reads some ports now and then, while another strategy does everything else.
struct Curious {
    inner: Box<dyn Strategy>,
    ports: Vec<PortId>,
    rng: Rng,
    /// Whether the last decision was to read.
    reads: bool,
}

impl Strategy for Curious {
    fn decide(&mut self, situation: &Situation<'_>) -> Decision {
        self.reads = self.rng.percent(40);
        if !self.reads {
            return self.inner.decide(situation);
        }
        let latest_ns = situation.ns(situation.patience());
        let at_ns = match self.rng.below(3) {
            0 => situation.now_ns,
            1 => latest_ns,
            _ => {
                let width = latest_ns.saturating_sub(situation.now_ns) as usize;
                situation.now_ns + self.rng.below(width + 1) as u64
            }
        };
        let mut ports = self.ports.clone();
        ports.retain(|_| self.rng.percent(60));
        if ports.is_empty() {
            ports.push(self.rng.pick(&self.ports));
        }
        Decision::Read { ports, at_ns: at_ns.max(situation.now_ns) }
    }

    fn looks_ahead(&self) -> bool {
        self.inner.looks_ahead()
    }

    fn sent(&mut self) {
        if !self.reads {
            self.inner.sent();
        }
    }
}

/// What was seen, on the grid.
pub(super) fn sightings(draft: &Draft, trace: &Trace) -> Vec<Sighting> {
    let sighting = |event: &Event| Sighting {
        what: event.what.clone(),
        from: instant(draft.interface(), event.from_ns),
        to: instant(draft.interface(), event.to_ns),
    };
    trace.events.iter().map(sighting).collect()
}

/// A verdict and a trace, for people.
pub(super) fn tell(
    specification: &Specification,
    verdict: &Judgement<Finding>,
    trace: &Trace,
) -> String {
    let mut text = verdict.verdict().name().to_owned();
    match verdict.reason() {
        Some(Finding::Conformance(it)) => text += &format!(": {}", explain(specification, it)),
        Some(other) => text += &format!(": {other:?}"),
        None => {}
    }
    for event in &trace.events {
        let what = specification.interface().happening_text(&event.what);
        text += &format!("\n  {what} {}..{}", event.from_ns, event.to_ns);
    }
    text += &format!("\n  end {}", trace.end_ns);
    let time = specification.interface().time;
    text + &format!(" (unit {} ns, resolution {})", time.unit_ns, time.resolution)
}
