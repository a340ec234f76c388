//! The trains that have approached and not yet left, shared by the threads of all tracks.
//!
//! Whoever is in front has the station: its train is in it, or on its way, or about to be sent.

use punctual_sdk::threads::{Condvar, Kernel, Mutex};

use crate::{Mutant, Settings};

/// How many trains the queue of [`Mutant::M4`] holds.
const SHORT: usize = 3;

/// The queue, and how a track learns that it has come to the front.
pub(crate) struct SharedQueue {
    mutant: Mutant,
    ids: Mutex<Vec<usize>>,
    /// For each track, in order.
    in_front: Vec<Condvar>,
}

impl SharedQueue {
    pub(crate) fn new(kernel: &Kernel, settings: &Settings) -> Self {
        Self {
            mutant: settings.mutant,
            ids: Mutex::new(kernel, Vec::with_capacity(settings.trains)),
            in_front: (0..settings.trains).map(|_| Condvar::new(kernel)).collect(),
        }
    }

    /// Joins the queue; whether the station was free.
    pub(crate) fn join(&self, id: usize) -> bool {
        let mut ids = self.ids.lock();
        let free = ids.is_empty();
        match self.mutant {
            Mutant::M4 if ids.len() == SHORT => ids[SHORT - 1] = id,
            // Whoever has the station keeps it.
            Mutant::M5 if !free => ids.insert(1, id),
            _ => ids.push(id),
        }
        free
    }

    /// Waits until this track is in front.
    pub(crate) fn wait_for_front(&self, id: usize) {
        let mut ids = self.ids.lock();
        while ids.first() != Some(&id) {
            ids = self.in_front[id - 1].wait(ids);
        }
    }

    /// Takes away who is in front, whose train has left, and tells the next.
    pub(crate) fn leave(&self) {
        let mut ids = self.ids.lock();
        if !ids.is_empty() {
            ids.remove(0);
        }
        if let Some(next) = ids.first() {
            self.in_front[next - 1].notify_one();
        }
    }
}
