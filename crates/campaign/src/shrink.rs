//! Looks for a shorter run that fails as well: fewer inputs, at rounder instants.
//!
//! Every attempt is executed. One is taken if the system fails again, for the same cause and by the fault of the same
//! signals; so what is left fails for sure, as the first run did. Only on the virtual clock, where a run can be repeated. A system that
//! draws what it does, such as a model that is played, draws the same in each attempt, as it did in the run that failed.
//! The shortest run is made once more to be recorded: its record is a script, a page and a run like any other.
//!
//! Of a run with resets, what came after the last one is enough, unless the system remembers what was done to it before. Then a part stays for each
//! reset that it takes, and each attempt has a system that was started anew, so that none remembers another attempt. A system that the tester does not
//! start itself may remember attempts; such a run is left as it is.

use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::{Sut, SutError};
use punctual_model::{Cause, Event, Verdict};
use punctual_oracle::{Ending, Referee};
use punctual_testgen::{Script, Scripts};

use crate::plan::Plan;
use crate::run::{Finished, Recording, Trouble, one};

/// The shortest failing run that was found.
#[derive(Debug)]
pub struct Shrunk {
    /// Its inputs: a script for what is done before each reset, and one for what is done after the last. Never empty.
    pub parts: Vec<Script>,
    /// What came of it.
    pub finished: Finished,
    /// How many runs it took to find it.
    pub n_attempts: u32,
    /// Whether it was made once more to be recorded and did not fail again: what the system does depends on more than its inputs.
    pub is_fickle: bool,
}

/// How many runs are made at most to find a shorter one that hangs: each waits until the tester's patience is over.
const HANGS_MAX: u32 = 20;

/// How many runs are made at most if each has a system that is started anew.
const STARTS_MAX: u32 = 300;

/// Shrinks a run that failed, and records what is left if there is a place for it; none if it does not fail again. A user who wants no more gets the
/// shortest run until then, which is not recorded.
///
/// # Errors
/// As [`one`], and if nothing can be recorded.
pub fn shrink(
    plan: &Plan,
    failed: &Finished,
    n_attempts_max: u32,
    recording: Option<&Recording>,
    stops: &AtomicBool,
) -> Result<Option<Shrunk>, Trouble> {
    let whole = failed.scripts(&plan.judges.interface);
    let why = why(failed);
    let n_attempts_max = match &why {
        Some((Cause::Hang, _)) => n_attempts_max.min(HANGS_MAX),
        _ => n_attempts_max,
    };
    let place = Place { plan, run: failed.run, sut: None, is_anew: plan.draws(), stops };
    let mut search = Search { place, why, n_attempts: 0, n_attempts_max };
    let last = whole[whole.len() - 1..].to_vec();
    let mut best = match (search.attempt(&last)?, whole.len()) {
        (Some(first), _) => (last, first),
        (None, 1) => return Ok(None),
        (None, _) => {
            search.place.is_anew |= plan.is_parallel();
            search.n_attempts_max = n_attempts_max.min(STARTS_MAX);
            let Some(first) = search.attempt(&whole)? else { return Ok(None) };
            (whole, first)
        }
    };
    if best.0.len() == 1 || search.place.is_anew {
        // What came after the verdict does not matter.
        let done = done(best.0.clone(), &best.1);
        search.take(&mut best, done)?;
        search.shortest(&mut best)?;
    }
    let Search { mut place, n_attempts, .. } = search;
    let (parts, finished) = best;
    let mut shrunk = Shrunk { parts, finished, n_attempts, is_fickle: false };
    if let (Some(recording), false) = (recording, stops.load(Ordering::Relaxed)) {
        // The record is a script for a system that has seen nothing else.
        place.is_anew |= plan.is_parallel();
        record(&mut place, &mut shrunk, recording)?;
    }
    Ok(Some(shrunk))
}

/// Makes a shrunk run once more, and records it. Nothing stays of it if it does not fail again.
fn record(
    place: &mut Place<'_>,
    shrunk: &mut Shrunk,
    recording: &Recording,
) -> Result<(), Trouble> {
    let finished = match place.made(&shrunk.parts, Some(recording)) {
        Err(trouble) if place.is_let_go(&trouble) => return Ok(()),
        made => made?,
    };
    if finished.verdict == Verdict::Fail && why(&finished) == why(&shrunk.finished) {
        shrunk.finished = finished;
    } else {
        // A run that the user ended says nothing of the system.
        shrunk.is_fickle = !finished.stopped && !place.is_stopped();
        if let Some(folder) = finished.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
    Ok(())
}

/// Where runs are made.
struct Place<'s> {
    plan: &'s Plan,
    /// The number of the run that failed.
    run: u64,
    /// The system, once there was a run.
    sut: Option<Box<dyn Sut>>,
    /// Whether each run has a system that was started anew. One that draws by the number of its run would go on drawing otherwise, and do something
    /// else each time.
    is_anew: bool,
    stops: &'s AtomicBool,
}

impl Place<'_> {
    fn is_stopped(&self) -> bool {
        self.stops.load(Ordering::Relaxed)
    }

    /// Whether there is trouble only because the user wants no more.
    fn is_let_go(&self, trouble: &Trouble) -> bool {
        self.is_stopped() && trouble.may_be_of_stop()
    }

    /// Makes a run of a script.
    fn made(
        &mut self,
        parts: &[Script],
        recording: Option<&Recording>,
    ) -> Result<Finished, Trouble> {
        let sut = self.sut.take().filter(|_| !self.is_anew);
        let sut = match sut {
            Some(sut) => sut,
            None => self.plan.connect(self.run).map_err(Trouble::System)?,
        };
        let sut = self.sut.insert(sut);
        let mut scripts = Scripts::new(parts.to_vec());
        one(self.plan, self.run, &mut **sut, &mut scripts, recording, self.stops, None)
    }
}

/// What was done of a script until a run was over.
fn done(mut parts: Vec<Script>, finished: &Finished) -> Vec<Script> {
    parts.truncate(finished.earlier.len() + 1);
    if let Some(last) = parts.pop() {
        let end_ns = reached_ns(finished).min(last.end_ns());
        let acts = last.acts().iter().filter(|(at_ns, _)| *at_ns <= end_ns);
        parts.push(Script::new(acts.cloned().collect(), end_ns));
    }
    parts
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
    place: Place<'s>,
    /// Why the first failed.
    why: Option<Why>,
    n_attempts: u32,
    n_attempts_max: u32,
}

type Best = (Vec<Script>, Finished);

/// The cause of a fail, and the signals that are to blame.
type Why = (Cause, Vec<String>);

fn why(finished: &Finished) -> Option<Why> {
    finished.diagnosis.as_ref().map(|it| (it.kind, it.guilty.clone()))
}

/// How many things are done, and how long all of it takes.
fn size(parts: &[Script]) -> (usize, usize, u64) {
    let acts = parts.iter().map(|it| it.acts().len()).sum();
    (parts.len(), acts, parts.iter().map(Script::end_ns).sum())
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.n_attempts >= self.n_attempts_max || self.place.is_stopped()
    }

    /// The run of a script, if it fails as the first did.
    fn attempt(&mut self, parts: &[Script]) -> Result<Option<Finished>, Trouble> {
        self.n_attempts += 1;
        let finished = match self.place.made(parts, None) {
            // Other inputs may bring a model that is played where its environment never would.
            Err(Trouble::System(SutError::Model { .. })) => return Ok(None),
            Err(trouble) if self.place.is_let_go(&trouble) => return Ok(None),
            made => made?,
        };
        let fails = finished.verdict == Verdict::Fail && why(&finished) == self.why;
        Ok((fails && is_used_well(self.place.plan, &finished)?).then_some(finished))
    }

    /// Tries a script, and keeps it if it fails.
    fn take(&mut self, best: &mut Best, parts: Vec<Script>) -> Result<bool, Trouble> {
        if self.is_over() || parts == best.0 {
            return Ok(false);
        }
        let Some(finished) = self.attempt(&parts)? else { return Ok(false) };
        // What was to be done after the end was not done.
        *best = (done(parts, &finished), finished);
        Ok(true)
    }

    /// Tries another script in the place of a part.
    fn replace(&mut self, best: &mut Best, part: usize, script: Script) -> Result<bool, Trouble> {
        let mut parts = best.0.clone();
        parts[part] = script;
        self.take(best, parts)
    }

    /// Makes everything shorter until nothing gets shorter any more.
    fn shortest(&mut self, best: &mut Best) -> Result<(), Trouble> {
        loop {
            let before = size(&best.0);
            self.without_parts(best)?;
            let mut part = best.0.len();
            // Where it fails is what matters most.
            while part > 0 {
                part = (part - 1).min(best.0.len() - 1);
                self.fewer(best, part)?;
                self.sooner(best, part)?;
            }
            if size(&best.0) == before || self.is_over() {
                return Ok(());
            }
        }
    }

    /// Leaves out parts before the last one.
    fn without_parts(&mut self, best: &mut Best) -> Result<(), Trouble> {
        let mut part = 0;
        while part + 1 < best.0.len() && !self.is_over() {
            let mut parts = best.0.clone();
            parts.remove(part);
            if !self.take(best, parts)? {
                part += 1;
            }
        }
        Ok(())
    }

    /// Leaves out inputs: first many at once, then one by one.
    fn fewer(&mut self, best: &mut Best, part: usize) -> Result<(), Trouble> {
        let n_acts = |best: &Best| best.0.get(part).map_or(0, |it| it.acts().len());
        let mut size = n_acts(best).div_ceil(2);
        while size > 0 {
            let mut start = 0;
            while start < n_acts(best) {
                let mut inputs = best.0[part].acts().to_vec();
                inputs.drain(start..(start + size).min(inputs.len()));
                let end_ns = best.0[part].end_ns();
                if !self.replace(best, part, Script::new(inputs, end_ns))? {
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
    fn sooner(&mut self, best: &mut Best, part: usize) -> Result<(), Trouble> {
        let unit_ns = self.place.plan.judges.interface.time.unit_ns;
        let mut i = 0;
        while best.0.get(part).is_some_and(|it| i <= it.acts().len()) && !self.is_over() {
            let gap_ns = gap(&best.0[part], i);
            let mut tries = vec![0, gap_ns / 2 / unit_ns * unit_ns, gap_ns / unit_ns * unit_ns];
            tries.extend(gap_ns.checked_sub(unit_ns));
            tries.retain(|shorter| *shorter < gap_ns);
            tries.dedup();
            let mut taken = false;
            for shorter_ns in tries {
                let script = moved(&best.0[part], i, gap_ns - shorter_ns);
                if self.replace(best, part, script)? {
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
