//! Looks for a shorter run that fails as well: fewer inputs, at rounder instants.
//!
//! Every attempt is executed. One is taken if the system fails again, for the same cause and by the fault of the same
//! signals; so what is left fails for sure, as the first run did. Only on the virtual clock, where a run can be repeated. A system that
//! draws what it does, such as a model that is played, draws the same in each attempt, as it did in the run that failed.
//! The shortest run is made once more to be recorded: its record is a script, a page and a run like any other.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::{Sut, SutError};
use punctual_model::{Cause, Event, Happening, Verdict};
use punctual_oracle::{Ending, Referee};
use punctual_testgen::Script;

use crate::plan::Plan;
use crate::run::{Finished, Recording, Trouble, one};

/// The shortest failing run that was found.
#[derive(Debug)]
pub struct Shrunk {
    /// Its inputs.
    pub script: Script,
    /// What came of it.
    pub finished: Finished,
    /// How many runs it took to find it.
    pub n_attempts: u32,
    /// Whether it was made once more to be recorded and did not fail again: what the system does depends on more than its inputs.
    pub is_fickle: bool,
}

/// How many runs are made at most to find a shorter one that hangs: each waits until the tester's patience is over.
const HANGS_MAX: u32 = 20;

/// Shrinks a run that failed; none if it does not fail again.
///
/// # Errors
/// As [`one`].
pub fn shrink(
    plan: &Plan,
    sut: &mut dyn Sut,
    failed: &Finished,
    n_attempts_max: u32,
    stops: &AtomicBool,
) -> Result<Option<Shrunk>, Trouble> {
    let script = &failed.script(&plan.judges.interface);
    let why = why(failed);
    let n_attempts_max = match &why {
        Some((Cause::Hang, _)) => n_attempts_max.min(HANGS_MAX),
        _ => n_attempts_max,
    };
    let mut search =
        Search { plan, run: failed.run, sut, stops, why, n_attempts: 0, n_attempts_max };
    let Some(first) = search.attempt(script)? else { return Ok(None) };
    let mut best = (script.clone(), first);
    // What came after the verdict does not matter.
    let end_ns = reached_ns(&best.1);
    let before: Vec<(u64, Happening)> =
        script.acts().iter().filter(|(at_ns, _)| *at_ns <= end_ns).cloned().collect();
    search.take(&mut best, Script::new(before, end_ns))?;
    loop {
        let (n, total) = (best.0.acts().len(), best.0.end_ns());
        search.fewer(&mut best)?;
        search.sooner(&mut best)?;
        let same = best.0.acts().len() == n && best.0.end_ns() == total;
        if same || search.is_over() {
            let (script, finished) = best;
            let n_attempts = search.n_attempts;
            return Ok(Some(Shrunk { script, finished, n_attempts, is_fickle: false }));
        }
    }
}

/// Makes a shrunk run once more, and records it. Nothing stays of it if it does not fail again.
///
/// # Errors
/// As [`one`], and if nothing can be recorded.
pub fn record(
    plan: &Plan,
    sut: &mut dyn Sut,
    shrunk: &mut Shrunk,
    recording: &Recording,
    stops: &AtomicBool,
) -> Result<(), Trouble> {
    let run = shrunk.finished.run;
    let finished = made(plan, run, sut, &shrunk.script, Some(recording), stops)?;
    if finished.verdict == Verdict::Fail && why(&finished) == why(&shrunk.finished) {
        shrunk.finished = finished;
    } else {
        shrunk.is_fickle = true;
        if let Some(folder) = finished.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
    Ok(())
}

/// Makes a run of a script. A system that draws by the number of its run is connected anew: it would go on drawing otherwise, and do
/// something else each time.
fn made(
    plan: &Plan,
    run: u64,
    sut: &mut dyn Sut,
    script: &Script,
    recording: Option<&Recording>,
    stops: &AtomicBool,
) -> Result<Finished, Trouble> {
    let script = &mut script.clone();
    match plan.draws() {
        true => {
            let mut again = plan.connect(run).map_err(Trouble::System)?;
            one(plan, run, &mut *again, script, recording, stops, None)
        }
        false => one(plan, run, sut, script, recording, stops, None),
    }
}

/// Until when a run has to go on to fail again.
fn reached_ns(finished: &Finished) -> u64 {
    let waited = finished.about.as_ref().filter(|it| it.sending.is_none());
    finished.trace.end_ns.max(waited.map_or(0, |it| it.until_ns))
}

/// Whether a run does to the system only what the environment of the model does. A system that breaks down fails whatever was done to it, so that
/// the verdict does not say.
fn is_used_well(plan: &Plan, finished: &Finished) -> Result<bool, Trouble> {
    let Some(about) = &finished.about else { return Ok(true) };
    let mut oracle = plan.judges.oracle(None).map_err(Trouble::Model)?;
    let mut referee = Referee::new(&mut *oracle, 0, false);
    let end_ns = finished.trace.end_ns;
    let sending = about.sending.iter().map(|what| Event::at(what.clone(), end_ns));
    for event in finished.trace.events.iter().cloned().chain(sending) {
        referee.approach(&event);
        referee.event(&event);
    }
    Ok(referee.finish(&Ending::Complete, None).0.judgement.verdict() != Verdict::Inconclusive)
}

struct Search<'s> {
    plan: &'s Plan,
    /// The number of the run that failed.
    run: u64,
    sut: &'s mut dyn Sut,
    stops: &'s AtomicBool,
    /// Why the first failed.
    why: Option<Why>,
    n_attempts: u32,
    n_attempts_max: u32,
}

type Best = (Script, Finished);

/// The cause of a fail, and the signals that are to blame.
type Why = (Cause, Vec<String>);

fn why(finished: &Finished) -> Option<Why> {
    finished.diagnosis.as_ref().map(|it| (it.kind, it.guilty.clone()))
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.n_attempts >= self.n_attempts_max || self.stops.load(Ordering::Relaxed)
    }

    /// The run of a script, if it fails as the first did.
    fn attempt(&mut self, script: &Script) -> Result<Option<Finished>, Trouble> {
        self.n_attempts += 1;
        let finished = match made(self.plan, self.run, self.sut, script, None, self.stops) {
            // Other inputs may bring a model that is played where its environment never would.
            Err(Trouble::System(SutError::Model { .. })) => return Ok(None),
            made => made?,
        };
        let fails = finished.verdict == Verdict::Fail && why(&finished) == self.why;
        Ok((fails && is_used_well(self.plan, &finished)?).then_some(finished))
    }

    /// Tries a script, and keeps it if it fails.
    fn take(&mut self, best: &mut Best, script: Script) -> Result<bool, Trouble> {
        if self.is_over() || script == best.0 {
            return Ok(false);
        }
        let Some(finished) = self.attempt(&script)? else { return Ok(false) };
        let end_ns = reached_ns(&finished).min(script.end_ns());
        // What was to be done after the end was not done.
        let done = script.acts().iter().filter(|(at_ns, _)| *at_ns <= end_ns);
        let script = Script::new(done.cloned().collect(), end_ns);
        *best = (script, finished);
        Ok(true)
    }

    /// Leaves out inputs: first many at once, then one by one.
    fn fewer(&mut self, best: &mut Best) -> Result<(), Trouble> {
        let mut size = best.0.acts().len().div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < best.0.acts().len() {
                let mut inputs = best.0.acts().to_vec();
                inputs.drain(start..(start + size).min(inputs.len()));
                let end_ns = best.0.end_ns();
                if !self.take(best, Script::new(inputs, end_ns))? {
                    start += size;
                }
                if self.is_over() {
                    return Ok(());
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        Ok(())
    }

    /// Makes delays shorter, or at least whole.
    fn sooner(&mut self, best: &mut Best) -> Result<(), Trouble> {
        let unit_ns = self.plan.judges.interface.time.unit_ns;
        let mut i = 0;
        while i <= best.0.acts().len() && !self.is_over() {
            let gap_ns = gap(&best.0, i);
            let mut tries = vec![0, gap_ns / 2 / unit_ns * unit_ns, gap_ns / unit_ns * unit_ns];
            tries.extend(gap_ns.checked_sub(unit_ns));
            tries.retain(|shorter| *shorter < gap_ns);
            tries.dedup();
            let mut taken = false;
            for shorter_ns in tries {
                let script = moved(&best.0, i, gap_ns - shorter_ns);
                if self.take(best, script)? {
                    taken = true;
                    break;
                }
            }
            if !taken {
                i += 1;
            }
        }
        Ok(())
    }
}

/// The delay before an input, or before the end.
fn gap(script: &Script, i: usize) -> u64 {
    let at_ns = |i: usize| script.acts().get(i).map_or(script.end_ns(), |(at_ns, _)| *at_ns);
    let before_ns = i.checked_sub(1).map_or(0, at_ns);
    at_ns(i).saturating_sub(before_ns)
}

/// The script with an input and all after it sooner.
fn moved(script: &Script, i: usize, by_ns: u64) -> Script {
    let mut inputs = script.acts().to_vec();
    for (at_ns, _) in inputs.iter_mut().skip(i) {
        *at_ns -= by_ns;
    }
    Script::new(inputs, script.end_ns() - by_ns)
}
