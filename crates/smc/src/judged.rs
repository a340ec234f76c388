//! Runs of a network that somebody else looks at, and how many of them count.

use std::ops::ControlFlow;
use std::sync::Arc;

use punctual_model::{ChannelId, Network};
use punctual_semantics::budget::Budget;
use punctual_semantics::program::Chance;
use punctual_semantics::stochastic::{Problem, Simulator, State, Stochastic};

use crate::Stream;
use crate::parallel::numbered;
use crate::run::{Bound, Witness, go};

/// Looks at runs, one after the other.
pub trait Judge {
    /// A run begins.
    fn begin(&mut self);

    /// A transition has happened, over a channel if it has one.
    fn step(&mut self, channel: Option<ChannelId>, state: &State);

    /// Whether nothing that comes in this run makes a difference any more.
    fn is_over(&self) -> bool;

    /// Whether the run counts, as far as it went.
    fn counts(&self) -> bool;
}

/// How many of some runs count that go on for so much time, with the random numbers of these runs in [`check`](crate::check); none if the network
/// can not be run, a run of it is in error, or the budget is spent. The answer does not depend on the number of threads.
pub fn count<J: Judge>(
    network: &Network,
    until: f64,
    (runs, seed): (u64, u64),
    threads: usize,
    budget: &Arc<Budget>,
    judge: impl Fn() -> J + Sync,
) -> Option<u64> {
    let (model, ()) = Stochastic::new(network, |_| Ok(())).ok()?;
    let model = model.within(budget);
    let bound = Bound::Time(until);
    let make = |(run, watcher): &mut (Simulator<'_>, Watcher<J>), number| {
        watcher.0.begin();
        go(run, &bound, watcher, &mut Stream::of_run(seed, number))?;
        Ok(watcher.0.counts())
    };
    let mut n = 0;
    let take = |_, counts: Result<bool, Problem>| match counts {
        Ok(counts) => {
            n += u64::from(counts);
            ControlFlow::Continue(())
        }
        Err(_) => ControlFlow::Break(()),
    };
    let start = || (Simulator::new(&model), Watcher(judge()));
    match numbered(threads, runs, start, make, take) {
        None => Some(n),
        Some(()) => None,
    }
}

struct Watcher<J>(J);

impl<J: Judge> Witness for Watcher<J> {
    fn delay(
        &mut self,
        _: &mut Simulator<'_>,
        _: f64,
        _: &mut dyn Chance,
    ) -> Result<Option<f64>, Problem> {
        Ok(self.0.is_over().then_some(0.0))
    }

    fn acted(&mut self, run: &mut Simulator<'_>) {
        self.0.step(run.channel(), run.state());
    }
}
