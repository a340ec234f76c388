//! The controller of the train gate, as a program of several threads on virtual time.
//!
//! Trains on several tracks share a station that holds one of them. The controller hears `appr[i]`
//! and `leave[i]`, and says `stop[i]` and `go[i]`; `../model.xml` is what it must conform to. There
//! is one thread for each track ([`track`]) and a queue that they share ([`queue`]), guarded by a
//! mutex, with a condition variable for each track. How long the controller takes for a `stop` or a
//! `go` is drawn from a seeded generator, within what is allowed.
//!
//! Always holds: the same settings and the same inputs at the same instants give the same outputs,
//! also after a reset; the [`Mutant`] `M0` conforms, and each of the others does not.
//!
//! Follows T-UPPAAL, section 4.2, where the program is one of about 100 lines in C++.

mod chance;
mod mutant;
mod queue;
mod track;

use std::{collections::VecDeque, sync::Arc};

use punctual_sdk::{
    Output, System, Value,
    threads::{self, Handler, Kernel, Threads},
};

pub use mutant::Mutant;
use queue::SharedQueue;
use track::{Signal, Track};

/// `stop` follows an approach to a taken station within this many time units.
pub const STOP_MAX: u64 = 5;
/// `go` follows a free station within this many time units.
pub const GO_MAX: u64 = 5;

/// Which controller it is, and how it behaves within what is allowed.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Without a fault, or with which.
    pub mutant: Mutant,
    /// How many tracks there are. The faults are about track 3, and a fourth train.
    pub trains: usize,
    /// Where the delays of `stop` and `go` come from.
    pub seed: u64,
    /// How long a time unit of the model takes, in nanoseconds.
    pub unit_ns: u64,
    /// Into how many steps a time unit is divided: delays are whole steps. 1 to make outputs come
    /// at whole time units after their cause.
    pub steps_per_unit: u64,
}

impl Settings {
    /// A controller with time units of 1 ms and delays of whole units.
    #[must_use]
    pub fn new(mutant: Mutant, trains: usize, seed: u64) -> Self {
        Self { mutant, trains, seed, unit_ns: 1_000_000, steps_per_unit: 1 }
    }
}

/// A controller with time units of 1 ms and delays of whole units.
#[must_use]
pub fn system(mutant: Mutant, trains: usize, seed: u64) -> impl System {
    Controller::new(Settings::new(mutant, trains, seed))
}

type Program = Box<dyn FnMut(&Kernel) -> Handler + Send>;

/// The controller as a system under test. Inputs that it does not know are ignored.
pub struct Controller {
    threads: Threads<Program>,
    /// What was said while inputs were taken.
    said: VecDeque<Output>,
}

impl Controller {
    /// The controller. It starts with the first reset.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let program: Program = Box::new(move |kernel| start(kernel, &settings));
        Self { threads: Threads::new(program), said: VecDeque::new() }
    }
}

impl System for Controller {
    fn reset(&mut self) {
        self.said.clear();
        self.threads.reset();
    }

    /// Takes an input when all that came of the one before has happened. So trains that approach
    /// at the same instant join the queue in the order in which they were heard, whichever thread
    /// would have been the first.
    fn input(&mut self, at_ns: u64, name: &str, values: &[Value]) {
        while let Some(output) = self.threads.advance(at_ns) {
            self.said.push_back(output);
        }
        self.threads.input(at_ns, name, values);
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        self.said.pop_front().or_else(|| self.threads.advance(until_ns))
    }

    fn next_ns(&self) -> Option<u64> {
        self.said.front().map_or_else(|| self.threads.next_ns(), |output| Some(output.at_ns))
    }
}

/// Starts the threads; what is done with inputs.
fn start(kernel: &Kernel, settings: &Settings) -> Handler {
    let queue = Arc::new(SharedQueue::new(kernel, settings));
    let inboxes: Vec<threads::Queue<Signal>> = (1..=settings.trains)
        .map(|id| {
            let inbox = threads::Queue::new(kernel);
            let track = Track::new(id, settings, inbox.clone(), Arc::clone(&queue));
            kernel.spawn(&format!("track {id}"), move |kernel| track.run(&kernel));
            inbox
        })
        .collect();
    Box::new(move |name, _values| {
        if let Some((signal, id)) = parse(name)
            && let Some(inbox) = id.checked_sub(1).and_then(|index| inboxes.get(index))
        {
            inbox.push(signal);
        }
    })
}

/// The signal and the number of its track.
fn parse(name: &str) -> Option<(Signal, usize)> {
    let (kind, rest) = name.split_once('[')?;
    let id = rest.strip_suffix(']')?.parse().ok()?;
    match kind {
        "appr" => Some((Signal::Appr, id)),
        "leave" => Some((Signal::Leave, id)),
        _ => None,
    }
}
