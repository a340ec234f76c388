//! Runs of the controller and its mutants.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use punctual_exec::online::{self, Budget, Options, Statistics, UPDATE_NS, Watcher};
use punctual_exec::{InProcess, Limits, Timekeeping};
use punctual_model::testing::Wire;
use punctual_model::{Direction, Interface, Network, Signal, TimeScale, Verdict, Wired};
use punctual_oracle::conformance::{Coverage, Session, Specification, explain};
use punctual_oracle::{Finding, Sets};
use punctual_testgen::{Aims, Guided, Random, RandomOptions, Strategy, Timing};
use train_gate_controller::{Controller, Mutant, Settings};

use crate::experiment::scatter::Scatter;

const UNIT_NS: u64 = 1_000_000;

/// Who chooses inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    /// Chance, each input at a random instant of its window.
    Anywhere,
    /// Chance, with ways to wait in turns: what a tester does if nothing else is said.
    Chance,
    /// Guided choice.
    Guided,
}

impl Choice {
    pub(super) const ALL: [Choice; 3] = [Choice::Anywhere, Choice::Chance, Choice::Guided];

    pub(super) fn strategy<'a>(
        self,
        seed: u64,
        run: u64,
        aims: Option<&'a Aims<'a>>,
    ) -> Box<dyn Strategy + 'a> {
        let random = |timing| {
            Box::new(Random::new(seed, run, RandomOptions { timing, ..RandomOptions::default() }))
        };
        match self {
            Choice::Anywhere => random(Timing::Random),
            Choice::Chance => random(Timing::Mixed),
            Choice::Guided => {
                let guided = Guided::new(seed, run);
                Box::new(if let Some(aims) = aims { guided.aiming(aims) } else { guided })
            }
        }
    }
}

/// Some runs of one mutant.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub(super) mutant: usize,
    pub(super) trains: usize,
    pub(super) runs: u64,
    pub(super) time: u64,
    pub(super) seed: u64,
    pub(super) choice: Choice,
    /// Ends a run when all edges are covered.
    pub(super) until_covered: bool,
    pub(super) n_threads: usize,
}

/// What came of them.
#[derive(Default)]
pub(super) struct Row {
    pub(super) fails: u64,
    pub(super) passes: u64,
    pub(super) inconclusive: u64,
    pub(super) inputs: Spread,
    pub(super) time: Spread,
    /// Inputs, outputs and delays.
    pub(super) steps: Spread,
    pub(super) total: Statistics,
    pub(super) samples: Samples,
    pub(super) first: Option<String>,
}

/// What a specification of this many trains costs.
pub(super) struct Scale {
    pub(super) trains: usize,
    pub(super) total: Statistics,
}

/// The least, the mean and the greatest.
#[derive(Default)]
pub(super) struct Spread {
    n: u64,
    sum: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

impl Spread {
    fn add(&mut self, value: f64) {
        self.min = if self.n == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.sum += value;
        self.n += 1;
    }

    pub(super) fn mean(&self) -> f64 {
        self.sum / self.n.max(1) as f64
    }
}

/// How long updates took, by the size of the state set.
#[derive(Default)]
pub(super) struct Samples {
    pub(super) after_delay: BySize,
    pub(super) after_action: BySize,
}

/// For each size and each tenth of a microsecond, how many updates took that long.
#[derive(Default)]
pub(super) struct BySize(BTreeMap<(usize, u64), u64>);

impl BySize {
    fn add(&mut self, size: usize, took: Duration) {
        *self.0.entry((size, took.as_nanos() as u64 / 100)).or_default() += 1;
    }

    fn merge(&mut self, other: &BySize) {
        for (key, n) in &other.0 {
            *self.0.entry(*key).or_default() += n;
        }
    }

    /// The mean time of each size.
    pub(super) fn means(&self) -> Vec<(f64, f64, u64)> {
        let mut sums: BTreeMap<usize, (f64, u64)> = BTreeMap::new();
        for (&(size, tenths), &n) in &self.0 {
            let sum = sums.entry(size).or_default();
            sum.0 += tenths as f64 / 10.0 * n as f64;
            sum.1 += n;
        }
        sums.into_iter().map(|(size, (sum, n))| (size as f64, sum / n as f64, n)).collect()
    }
}

impl Samples {
    /// All times after delays, but for the slowest in a thousand: the machine does other things too.
    pub(super) fn scatter<'s>(&self, title: &'s str) -> Scatter<'s> {
        let all: u64 = self.after_delay.0.values().sum();
        let mut by_time: Vec<(u64, u64)> =
            self.after_delay.0.iter().map(|(&(_, tenths), &n)| (tenths, n)).collect();
        by_time.sort_unstable();
        let mut left = all - all / 1000;
        let mut most = 0;
        for (tenths, n) in by_time {
            most = tenths;
            if n >= left {
                break;
            }
            left -= n;
        }
        let points = self.after_delay.0.iter().filter(|((_, tenths), _)| *tenths <= most);
        let points = points.map(|(&(size, tenths), &n)| (size as f64, tenths as f64 / 10.0, n));
        Scatter { title, x: "symbolic states", y: "microseconds", points: points.collect() }
    }
}

/// Makes the runs of a task.
pub(super) fn many(specification: &Specification, task: &Task) -> Row {
    let row = Mutex::new(Row::default());
    let next = AtomicU64::new(0);
    let aims = Aims::new(specification);
    std::thread::scope(|scope| {
        for worker in 0..task.n_threads.max(1) {
            let (row, next, aims) = (&row, &next, aims.as_ref());
            scope.spawn(move || {
                // The threads of a controller take turns, which is quick on one core only.
                let _ = punctual_sdk::threads::stay_on_core(worker);
                loop {
                    let run = next.fetch_add(1, Ordering::Relaxed);
                    if run >= task.runs {
                        return;
                    }
                    one((specification, aims), task, run, row);
                }
            });
        }
    });
    row.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct Witness {
    samples: Samples,
    n_edges: usize,
    until_covered: bool,
    network: Network,
}

impl Watcher for Witness {
    fn updated(&mut self, after_delay: bool, sets: Sets, took: Duration) {
        let samples = match after_delay {
            true => &mut self.samples.after_delay,
            false => &mut self.samples.after_action,
        };
        samples.add(sets.system + sets.environment, took);
    }

    fn is_enough(&mut self, covered: &Coverage) -> bool {
        self.until_covered && covered.ratio(&self.network).0 >= self.n_edges
    }
}

fn one(
    (specification, aims): (&Specification, Option<&Aims<'_>>),
    task: &Task,
    run: u64,
    row: &Mutex<Row>,
) {
    let seed = task.seed.wrapping_mul(1_000_003).wrapping_add(run);
    let controller = Controller::new(Settings::new(Mutant::ALL[task.mutant], task.trains, seed));
    let interface = Arc::new(specification.interface().clone());
    let limits = Limits::default();
    let mut sut = InProcess::new(Box::new(controller), interface, Timekeeping::Virtual, limits);
    let mut strategy = task.choice.strategy(task.seed, run, aims);
    let coverage = Coverage::new(false);
    let mut session = match Session::new(specification, coverage) {
        Ok(session) => session,
        Err(diagnosis) => panic!("{}", explain(specification, &diagnosis)),
    };
    let options = Options {
        budget: Budget { time_ns: task.time * UNIT_NS, events: u64::MAX },
        horizon: 2 * specification.largest_constant(),
        lateness_ns: 0,
        update_ns: UPDATE_NS,
        windows: false,
        time: specification.interface().time,
    };
    let mut witness = Witness {
        samples: Samples::default(),
        n_edges: specification.network.processes.iter().map(|it| it.edges.len()).sum(),
        until_covered: task.until_covered,
        network: specification.network.clone(),
    };
    let done = online::run(&mut session, &mut sut, &mut *strategy, &options, &mut witness);
    let done = done.expect("the controller is part of this program");
    let mut row = row.lock().unwrap_or_else(PoisonError::into_inner);
    let verdict = &done.judged.judgement;
    *match verdict.verdict() {
        Verdict::Pass => &mut row.passes,
        Verdict::Fail => &mut row.fails,
        Verdict::Inconclusive => &mut row.inconclusive,
    } += 1;
    let text = verdict.reason().map(|finding| match finding {
        Finding::Conformance(diagnosis) => explain(specification, diagnosis),
        other => other.cause().to_string(),
    });
    if row.first.is_none() {
        row.first = text.map(|text| format!("run {run}: {text}"));
    }
    let Statistics { inputs, outputs, decisions, duration_ns, .. } = done.statistics;
    row.inputs.add(inputs as f64);
    row.time.add(duration_ns as f64 / UNIT_NS as f64);
    row.steps.add((outputs + decisions) as f64);
    row.total.after_action.merge(&done.statistics.after_action);
    row.total.after_delay.merge(&done.statistics.after_delay);
    row.samples.after_delay.merge(&witness.samples.after_delay);
    row.samples.after_action.merge(&witness.samples.after_action);
}

/// The specification of the examples, with so many trains.
pub(super) fn network(trains: usize) -> Network {
    let model = include_str!("../../../../examples/train-gate/model.xml");
    let model = model.replace("const int N = 4;", &format!("const int N = {trains};"));
    let reading = punctual_lang::read("model.xml", model.as_bytes());
    reading.model.expect("the example is a model").network
}

/// What is exchanged with the controller.
pub(super) fn interface(network: &Network) -> Wired {
    let mut wired = Wired::nowhere(Interface::new(TimeScale { unit_ns: UNIT_NS, resolution: 1 }));
    for (channel, it) in network.channels.enumerate() {
        let direction = match it.name.split('[').next() {
            Some("appr" | "leave") => Direction::Input,
            Some("stop" | "go") => Direction::Output,
            _ => continue,
        };
        let signal = Signal { name: it.name.clone(), direction, values: Vec::new() };
        wired.interface.signals.push(signal);
        wired.wires.push(Wire { channel, values: Vec::new() });
    }
    wired
}
