//! What the controller does about the train of one track.

use std::sync::Arc;

use punctual_sdk::threads::{Kernel, Queue};

use crate::{GO_MAX, Mutant, STOP_MAX, Settings, chance::Chance, queue::SharedQueue};

/// The track that most faults are about.
const FAULTY: usize = 3;
/// How long [`Mutant::M6`] is deaf, in time units.
const DEAF: u64 = 2;

/// What a train says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signal {
    /// It comes.
    Appr,
    /// It has left the station.
    Leave,
}

/// One track, and all that its thread needs.
pub(crate) struct Track {
    id: usize,
    /// The fault, if it is about this track.
    fault: Mutant,
    unit_ns: u64,
    steps_per_unit: u64,
    chance: Chance,
    inbox: Queue<Signal>,
    queue: Arc<SharedQueue>,
    stop: String,
    go: String,
}

impl Track {
    pub(crate) fn new(
        id: usize,
        settings: &Settings,
        inbox: Queue<Signal>,
        queue: Arc<SharedQueue>,
    ) -> Self {
        let fault = if id == FAULTY { settings.mutant } else { Mutant::M0 };
        let stopped = if fault == Mutant::M2 { 1 } else { id };
        Self {
            id,
            fault,
            unit_ns: settings.unit_ns,
            steps_per_unit: settings.steps_per_unit.max(1),
            chance: Chance::new(settings.seed, id as u64),
            inbox,
            queue,
            stop: format!("stop[{stopped}]"),
            go: format!("go[{id}]"),
        }
    }

    /// One train after the other, for ever.
    pub(crate) fn run(mut self, kernel: &Kernel) {
        loop {
            self.wait_for_approach(kernel);
            if !self.queue.join(self.id) {
                let delay_ns = match self.fault {
                    Mutant::M1 => (STOP_MAX + 1) * self.unit_ns,
                    _ => self.delay_ns(STOP_MAX),
                };
                self.say_after(kernel, delay_ns, &self.stop, self.fault != Mutant::M3);
                self.queue.wait_for_front(self.id);
                let delay_ns = self.delay_ns(GO_MAX);
                self.say_after(kernel, delay_ns, &self.go, true);
            }
            while self.inbox.pop() != Signal::Leave {}
            self.queue.leave();
        }
    }

    fn wait_for_approach(&self, kernel: &Kernel) {
        let deaf = if self.fault == Mutant::M6 { DEAF } else { 0 };
        let listens_ns = kernel.now_ns() + deaf * self.unit_ns;
        while self.inbox.pop() != Signal::Appr || kernel.now_ns() < listens_ns {}
    }

    /// Some delay that is allowed.
    fn delay_ns(&mut self, max: u64) -> u64 {
        let steps = self.chance.up_to(max * self.steps_per_unit);
        steps * self.unit_ns / self.steps_per_unit
    }

    fn say_after(&self, kernel: &Kernel, delay_ns: u64, name: &str, aloud: bool) {
        if delay_ns > 0 {
            kernel.sleep(delay_ns);
        }
        if aloud {
            kernel.output(name, &[]);
        }
    }
}
