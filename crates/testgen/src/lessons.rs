//! What earlier runs of a campaign have taught.
//!
//! Runs are made on many threads, in any order, and the same seed has to give the same runs. So a run learns from those
//! before the last power of two: [`Lessons::known_to`] says which. They are over before it begins, on any number of
//! threads, and few runs have to wait for others.

use std::collections::BTreeSet;

use punctual_model::{EdgeId, ProcessId};

/// What some runs have covered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lessons {
    seen: BTreeSet<(ProcessId, EdgeId)>,
    n_runs: u64,
}

impl Lessons {
    /// A run is over, and went through these edges.
    pub fn learn(&mut self, edges: impl IntoIterator<Item = (ProcessId, EdgeId)>) {
        self.n_runs += 1;
        self.seen.extend(edges);
    }

    /// Whether a run went through an edge.
    #[must_use]
    pub fn has_seen(&self, process: ProcessId, edge: EdgeId) -> bool {
        self.seen.contains(&(process, edge))
    }

    /// How many runs these are the lessons of.
    #[must_use]
    pub fn n_runs(&self) -> u64 {
        self.n_runs
    }

    /// How many runs, from the first on, a run with this number learns from.
    #[must_use]
    pub fn known_to(run: u64) -> u64 {
        match run {
            0 => 0,
            run => 1 << run.ilog2(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lessons;

    #[test]
    fn a_run_learns_from_runs_before_it_in_few_lots() {
        let known: Vec<u64> = (0..9).map(Lessons::known_to).collect();
        assert_eq!(known, [0, 1, 2, 2, 4, 4, 4, 4, 8]);
        for run in 1..1000 {
            assert!(Lessons::known_to(run) <= run && 2 * Lessons::known_to(run) > run);
        }
    }
}
