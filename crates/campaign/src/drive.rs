//! All runs of a plan: made, recorded, and summed up.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::Timekeeping;
use punctual_model::testing::suite::Case;
use punctual_oracle::excuses::Excuse;
use punctual_testgen::Lessons;

use crate::plan::{Choice, Guide, Plan};
use crate::platform::evidence::{Evidence, SURE};
use crate::platform::objectives::Exercise;
use crate::platform::table;
use crate::pool::Pool;
use crate::prepare::Prepared;
use crate::run::{Finished, Needed, Recording, Trouble, many};
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
    /// Whether the user ended it before all runs were made.
    pub stopped: bool,
    /// How many runs were made again, since the machine was late.
    pub n_retries: u64,
    /// A shorter run that fails as well.
    pub shrunk: Option<Shrunk>,
    /// Whether a run was to be shrunk, and did not fail again with the same inputs.
    pub is_fickle: bool,
    /// On a platform: how much of the cases happened, and how inputs were explained.
    pub evidence: Evidence,
    /// On a platform: how much of the model was exercised, if that is of interest.
    pub exercise: Option<Exercise>,
    /// On a platform: excuses that were used too often.
    pub worn: Vec<Excuse>,
}

impl Drove {
    /// What is said of all runs together. None if there was trouble and nothing failed: that says nothing
    /// about the system.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        match (self.summary.verdict(), &self.trouble) {
            (Some(Verdict::Fail), _) => Some(Verdict::Fail),
            _ if !self.worn.is_empty() => Some(Verdict::Fail),
            (_, Some(_)) => None,
            (None, None) => Some(Verdict::Inconclusive),
            (Some(worst), None) if self.stopped => Some(worst.max(Verdict::Inconclusive)),
            (worst, None) => worst,
        }
    }
}

/// Whether the case of a run did not happen as it intends in the runs so far, and did not fail.
fn needs_more(plan: &Plan, run: u64, evidence: &Evidence) -> bool {
    plan.judges.case(run).is_some_and(|case| {
        !evidence.is_complete(&case.name) && !evidence.failed.contains(&case.name)
    })
}

/// Which steps of its case a run is made for, after what happened so far: those that did not surely happen yet. A case that is run once is run whole.
fn needed(prepared: &Prepared, evidence: &Evidence) -> Box<Needed<'static>> {
    let plan = &prepared.plan;
    if prepared.tries < 2 || plan.mounted().is_none_or(|it| it.stays) {
        return Box::new(|_| None);
    }
    let cases = plan.judges.suite.as_ref().map_or(&[][..], |it| &it.cases);
    let of_case = |case: &Case| match evidence.cases.iter().find(|it| it.case == case.name) {
        Some(known) => known.steps.iter().map(|it| *it < SURE).collect(),
        None => vec![true; table(case).map_or(0, |it| it.steps.len())],
    };
    let needed: Vec<Vec<bool>> = cases.iter().map(of_case).collect();
    Box::new(move |run| {
        let at = usize::try_from(run).ok()?.checked_rem(needed.len())?;
        needed.get(at).cloned()
    })
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
    let mut n_retries = 0;
    let mut evidence = Evidence::default();
    let mut exercise = Exercise::new(&plan.judges);
    let pool = Pool::default();
    let mut take = |finished: Finished, evidence: &mut Evidence| {
        fails += u64::from(finished.verdict == Verdict::Fail);
        n_retries += u64::from(finished.n_retries);
        if !finished.exercised.is_empty() {
            // What the tester saw late says nothing of the system.
            let excuses = if finished.late_ns.is_none() { &finished.excuses[..] } else { &[] };
            evidence.add(&finished.case, &finished.exercised, excuses);
            if let Some(exercise) = &mut exercise {
                exercise.add(&plan.judges, finished.run, &finished.exercised);
            }
        }
        if let Some(cadence) = finished.cadence {
            evidence.stepped(cadence);
        }
        if finished.verdict == Verdict::Fail {
            evidence.failed.insert(finished.case.clone());
        }
        digests.push(Digest::finished(&plan.judges, prepared.header(), &finished));
        let known = worst.as_ref().map_or(Verdict::Pass, |worst| worst.verdict);
        if finished.verdict > known {
            worst = Some(finished);
        }
        each(digests.len() as u64, fails);
        fails == 0 || manner.keep_going
    };
    let mut done = Ok(());
    let aims = plan.aims();
    let mut lessons = Lessons::default();
    // Whether there were runs that the user did not wait for.
    let mut is_cut = false;
    'tries: for number in 0..prepared.tries {
        // A case that happened as it intends is not run again, and neither is one that failed. DIFFERENCE(platform): steps that are still needed are
        // scheduled again from a reset only, by a run of the whole case; from where a run stands would need a search for inputs that lead back.
        let runs: Vec<u64> = (0..prepared.n_runs)
            .filter(|run| number == 0 || needs_more(plan, *run, &evidence))
            .map(|run| number * prepared.n_runs + run)
            .collect();
        for runs in lots(plan, runs) {
            if stops.load(Ordering::Relaxed) {
                is_cut = true;
                break 'tries;
            }
            let mut goes_on = !runs.is_empty();
            let (n_due, mut n_done) = (runs.len(), 0);
            let needed = needed(prepared, &evidence);
            let mut learned = Vec::new();
            let each = |finished: Finished| {
                if plan.choice == Choice::Guided {
                    let covered = finished.coverage.edges().filter(|(_, _, it)| it.possible > 0);
                    learned.push(
                        covered.map(|(process, edge, _)| (process, edge)).collect::<Vec<_>>(),
                    );
                }
                n_done += 1;
                // A run may be inconclusive because the user ended it.
                is_cut |= finished.verdict == Verdict::Inconclusive;
                goes_on = take(finished, &mut evidence);
                goes_on
            };
            let threads = (n_threads, &pool);
            let guide = Guide { aims: aims.as_ref(), lessons: Some(&lessons) };
            let minding = (stops, &*needed, guide);
            done = many(plan, runs.into_iter(), threads, recording, minding, each);
            is_cut |= goes_on && n_done < n_due;
            if done.is_err() || !goes_on {
                break 'tries;
            }
            drop(needed);
            learned.into_iter().for_each(|edges| lessons.learn(edges));
        }
    }
    // Who looks for a shorter run has a connection of its own.
    drop(pool);
    let mut drove = Drove {
        summary: Summary::from_digests(digests),
        worst,
        trouble: done.err(),
        stopped: is_cut && stops.load(Ordering::Relaxed),
        n_retries,
        shrunk: None,
        is_fickle: false,
        worn: plan.mounted().map_or(Vec::new(), |it| it.worn(&evidence)),
        evidence,
        exercise,
    };
    // What a case expects depends on all that came before, so a case is as short as it was written.
    let may_shrink = manner.shrinks
        && fails > 0
        && plan.timekeeping == Timekeeping::Virtual
        && plan.judges.suite.is_none();
    if let (true, None, Some(worst)) = (may_shrink, &drove.trouble, &drove.worst) {
        let recording = recording.and_then(|it| it.shrunk_from(worst));
        let shrunk = shrink(plan, worst, ATTEMPTS_MAX, recording.as_ref(), stops);
        // Of a run that was stopped nobody knows whether it would have failed.
        let is_stopped = stops.load(Ordering::Relaxed);
        match shrunk {
            Ok(shrunk) => {
                drove.is_fickle = shrunk.is_none() && !is_stopped;
                drove.shrunk = shrunk;
            }
            Err(trouble) if is_stopped && trouble.may_be_of_stop() => {}
            Err(trouble) => drove.trouble = Some(trouble),
        }
        drove.stopped |= is_stopped;
    }
    drove
}

/// Runs that are made one lot after the other, since guided choice learns from those before. Other runs are one lot.
fn lots(plan: &Plan, runs: Vec<u64>) -> Vec<Vec<u64>> {
    if plan.choice != Choice::Guided {
        return vec![runs];
    }
    let same = |a: &u64, b: &u64| Lessons::known_to(*a) == Lessons::known_to(*b);
    runs.chunk_by(same).map(<[u64]>::to_vec).collect()
}
