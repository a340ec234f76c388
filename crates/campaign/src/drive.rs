//! All runs of a plan: made, recorded, and summed up.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::Timekeeping;
use punctual_testgen::Script;

use crate::pool::Pool;
use crate::prepare::Prepared;
use crate::run::{Finished, Recording, Trouble, many};
use crate::shrink::{Shrunk, shrink};
use crate::store::Verdict;
use crate::summary::{Digest, Summary};

/// How many runs are made to find a shorter one.
const ATTEMPTS_MAX: u32 = 2_000;

/// How runs are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Manner {
    /// How many runs are made at once; all cores if not said. One if they share a system.
    pub threads: Option<usize>,
    /// Whether to go on after a fail.
    pub keep_going: bool,
    /// Whether to look for a shorter run that fails as well.
    pub shrinks: bool,
}

/// What came of all runs.
pub struct Drove {
    /// The gist of each run, the worst first.
    pub summary: Summary,
    /// The first run that failed, or else the first that is inconclusive.
    pub worst: Option<Finished>,
    /// Why no further runs could be made: the system went away, or nothing could be recorded.
    pub trouble: Option<Trouble>,
    /// Whether the user ended it.
    pub stopped: bool,
    /// A shorter run that fails as well.
    pub shrunk: Option<Shrunk>,
    /// On a platform: for each run, its case, and the probabilities that its steps happened as the case intends.
    pub exercised: Vec<(String, Vec<f64>)>,
}

impl Drove {
    /// What is said of all runs together. None if there was trouble and nothing failed: that says nothing
    /// about the system.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        match (self.summary.worst(), &self.trouble) {
            (Some(Verdict::Fail), _) => Some(Verdict::Fail),
            (_, Some(_)) => None,
            (None, None) => Some(Verdict::Inconclusive),
            (Some(worst), None) if self.stopped => Some(worst.max(Verdict::Inconclusive)),
            (worst, None) => worst,
        }
    }
}

/// Makes all runs of a plan. `each` is told how many are over, and how many of them failed.
pub fn drive(
    prepared: &Prepared,
    recording: Option<&Recording>,
    manner: Manner,
    stops: &AtomicBool,
    mut each: impl FnMut(u64, u64),
) -> Drove {
    let plan = &prepared.plan;
    let n_threads = match (plan.is_parallel(), manner.threads) {
        (false, _) => 1,
        (true, Some(threads)) => threads.max(1),
        (true, None) => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let (mut digests, mut worst, mut fails) = (Vec::new(), None::<Finished>, 0);
    let mut exercised = Vec::new();
    let pool = Pool::default();
    let done = many(plan, 0..prepared.n_runs, (n_threads, &pool), recording, stops, |finished| {
        fails += u64::from(finished.verdict == Verdict::Fail);
        if !finished.exercised.is_empty() {
            exercised.push((finished.case.clone(), finished.exercised.clone()));
        }
        digests.push(Digest::finished(&plan.judges, prepared.header(), &finished));
        let known = worst.as_ref().map_or(Verdict::Pass, |worst| worst.verdict);
        if finished.verdict > known {
            worst = Some(finished);
        }
        each(digests.len() as u64, fails);
        fails == 0 || manner.keep_going
    });
    // Who looks for a shorter run has a connection of its own.
    drop(pool);
    let mut drove = Drove {
        summary: Summary::from_digests(digests),
        worst,
        trouble: done.err(),
        stopped: stops.load(Ordering::Relaxed),
        shrunk: None,
        exercised,
    };
    // What a case expects depends on all that came before, so a case is as short as it was written.
    let may_shrink = manner.shrinks
        && fails > 0
        && plan.timekeeping == Timekeeping::Virtual
        && plan.judges.suite.is_none();
    if let (true, None, Some(worst)) = (may_shrink, &drove.trouble, &drove.worst) {
        let script = Script::of_trace(&worst.trace, &plan.judges.interface);
        let shrunk = plan.connect(worst.run).map_err(Trouble::System);
        match shrunk.and_then(|mut sut| shrink(plan, &mut *sut, &script, ATTEMPTS_MAX, stops)) {
            Ok(shrunk) => drove.shrunk = shrunk,
            Err(trouble) => drove.trouble = Some(trouble),
        }
    }
    drove
}
