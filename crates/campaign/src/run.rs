//! Makes runs, one or many at once, and records them.
//!
//! A run depends on the plan, its number, and what guided choice learned from runs that were over before all of these began; not on
//! what runs beside it. Results are handed on in the
//! order of the numbers.

use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_exec::online::{self, About, Statistics};
use punctual_exec::{Sut, SutError, Timekeeping, calendar};
use punctual_model::{Event, Interface, Trace};
use punctual_oracle::conformance::{Coverage, Instants};
use punctual_oracle::excuses::Excuse;
use punctual_oracle::{Cadence, Ending, Interaction};
use punctual_smc::parallel::in_order;
use punctual_testgen::{Script, Strategy};

use crate::plan::{Guide, Plan};
use crate::pool::{Lent, Pool};
use crate::recorder::{Heard, Recorder};
use crate::store::{
    self, Cause, Diagnosis, End, Given, Header, Line, Store, StoreError, Verdict, Writer,
};
use crate::told;

/// Where runs are recorded, and what they were given.
pub struct Recording {
    /// The store.
    pub store: Store,
    /// What all headers have in common.
    pub header: Header,
    /// The file of the model, and what is in it.
    pub model: (PathBuf, Vec<u8>),
    /// Other files: what each is to the run, where it is, and what is in it.
    pub files: Vec<(String, PathBuf, Vec<u8>)>,
}

/// A run that is over.
#[derive(Debug)]
pub struct Finished {
    /// Its number.
    pub run: u64,
    /// The case of the suite that it is; empty if there is no suite.
    pub case: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why, if it is not a pass.
    pub diagnosis: Option<Diagnosis>,
    /// The verdicts of single steps and checks.
    pub interactions: Vec<Interaction>,
    /// On a platform: for each step of the case, the probability that it happened as the case intends.
    pub exercised: Vec<f64>,
    /// On a platform: how inputs were explained.
    pub excuses: Vec<Excuse>,
    /// On a platform that tells of no steps: when it took them.
    pub cadence: Option<Cadence>,
    /// What was seen since the last reset.
    pub trace: Trace,
    /// On the virtual clock: what was seen before each reset.
    pub earlier: Vec<Trace>,
    /// Figures.
    pub statistics: Statistics,
    /// What was covered.
    pub coverage: Coverage,
    /// Where it was recorded.
    pub folder: Option<PathBuf>,
    /// What steering made of it.
    pub outcome: Option<punctual_oracle::steering::Outcome>,
    /// Why it was over early; nothing if the oracle decided or everything was done.
    pub ending: Option<store::Ending>,
    /// What the tester was about when the system broke down, if it did.
    pub about: Option<About>,
    /// It was ended from outside.
    pub stopped: bool,
    /// On the real clock: by how much the machine was too late, if it was.
    pub late_ns: Option<u64>,
    /// How often it was made before, of which nothing can be said because the machine was late.
    pub n_retries: u32,
}

/// Why runs can not be made.
#[derive(Debug)]
pub enum Trouble {
    /// The system could not be started or reached, or never got ready.
    System(SutError),
    /// The system was not reset before a run that is one of many of its case.
    Reset(SutError),
    /// A record could not be written.
    Store(StoreError),
    /// The model can not start.
    Model(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::System(error) => error.fmt(f),
            Trouble::Reset(error) => write!(f, "the system was not reset: {error}"),
            Trouble::Store(error) => error.fmt(f),
            Trouble::Model(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Trouble {}

impl Trouble {
    /// Whether a user who wants no more is enough to explain it: a model that was to start, or a system that owed an answer, was let go.
    pub(crate) fn may_be_of_stop(&self) -> bool {
        match self {
            Trouble::Model(_) => true,
            Trouble::System(error) | Trouble::Reset(error) => {
                matches!(error, SutError::Stopped { .. } | SutError::Model { .. })
            }
            Trouble::Store(_) => false,
        }
    }

    /// Whether nothing was exchanged with the system in the run that had it.
    fn is_unready(&self) -> bool {
        match self {
            Trouble::Reset(_) => true,
            Trouble::System(error) => matches!(
                error,
                SutError::NotStarted { .. } | SutError::NotReady(_) | SutError::Unsupported { .. }
            ),
            Trouble::Store(_) | Trouble::Model(_) => false,
        }
    }
}

impl Recording {
    fn begin(&self, plan: &Plan, run: u64, case: &str) -> Result<(PathBuf, Writer), StoreError> {
        let header = Header {
            run,
            case: case.to_owned(),
            started: calendar(),
            slack_ns: match plan.timekeeping {
                Timekeeping::Real => plan.lateness_ns,
                Timekeeping::Virtual => 0,
            },
            ..self.header.clone()
        };
        self.begin_with(&header)
    }

    /// The same store for a run that was shrunk from one that is recorded there.
    pub(crate) fn shrunk_from(&self, failed: &Finished) -> Option<Recording> {
        let name = failed.folder.as_ref()?.file_name()?.to_string_lossy().into_owned();
        let mut header = self.header.clone();
        header.strategy["choice"] = "script".into();
        header.shrunk_from = name;
        let store = Store::open(self.store.path()).ok()?;
        let (model, files) = (self.model.clone(), self.files.clone());
        Some(Recording { store, header, model, files })
    }

    /// Begins the next run with this header; gives its folder, too.
    pub(crate) fn begin_with(&self, header: &Header) -> Result<(PathBuf, Writer), StoreError> {
        let given = |(role, path, bytes): &'_ (String, PathBuf, Vec<u8>)| {
            (role.clone(), path.clone(), bytes.clone())
        };
        let files: Vec<(String, PathBuf, Vec<u8>)> = self.files.iter().map(given).collect();
        let files: Vec<Given<'_>> =
            files.iter().map(|(role, path, bytes)| Given { role, path, bytes }).collect();
        let model = Given { role: "model", path: &self.model.0, bytes: &self.model.1 };
        let (folder, writer) = self.store.begin(header, model, &files)?;
        Ok((folder.path, writer))
    }
}

/// Says which steps of its case a run is made for; none if for the whole case, whatever happens.
pub type Needed<'n> = dyn Fn(u64) -> Option<Vec<bool>> + Sync + 'n;

/// Makes one run. If it is made for some steps of its case, it is left once they can not be expected to happen any more.
///
/// # Errors
/// If the system could not be started or reached, never got ready, or nothing can be recorded.
pub fn one(
    plan: &Plan,
    run: u64,
    sut: &mut dyn Sut,
    strategy: &mut dyn Strategy,
    recording: Option<&Recording>,
    stops: &AtomicBool,
    needed: Option<&[bool]>,
) -> Result<Finished, Trouble> {
    let judges = &plan.judges;
    let case = judges.case(run);
    let mut oracle = judges.oracle_until(case, Some(stops)).map_err(Trouble::Model)?;
    if let Some(needed) = needed {
        oracle.is_for(needed);
    }
    let is_counted = case.is_some_and(|case| case.chance.is_some());
    let case = case.map_or("", |case| case.name.as_str());
    let (folder, writer) = match recording {
        None => (None, None),
        Some(recording) => {
            let (folder, mut writer) = recording.begin(plan, run, case).map_err(Trouble::Store)?;
            // Such a run can be repeated; its record is complete whenever an input is sent.
            if plan.timekeeping == Timekeeping::Virtual {
                writer.hold(1 << 16);
            }
            (Some(folder), Some(writer))
        }
    };
    let mut recorder = Recorder {
        interface: &judges.interface,
        instants: Instants::new(judges.interface.time),
        writer,
        error: None,
        stops,
        allowed: Vec::new(),
        heard: Heard::default(),
    };
    let options = plan.options(recording.is_some());
    let made = match online::run(&mut *oracle, sut, strategy, &options, &mut recorder) {
        Err(error) => Err(Trouble::System(error)),
        // An execution that did not begin says nothing of how often a case shows something.
        Ok(online::Run { error: Some(error), is_unready: true, .. }) if is_counted => {
            Err(Trouble::Reset(error))
        }
        Ok(done) => Ok(done),
    };
    recorder.line_of_what_is_left_out();
    let done = match made {
        Ok(done) => done,
        Err(trouble) => {
            recorder.line(&Line::Note(trouble.to_string()));
            drop(recorder);
            // Nothing was exchanged with a system that never got ready. A folder without a verdict would
            // only look like a run that was cut short.
            if let Some(folder) = folder.filter(|_| trouble.is_unready()) {
                let _ = std::fs::remove_dir_all(folder);
            }
            return Err(trouble);
        }
    };
    let verdict = done.judged.judgement.verdict();
    let mut diagnosis = told::judged(judges, &done.judged, done.late_ns);
    for it in done.interactions.iter().filter(|it| it.verdict != Verdict::Pass) {
        recorder.line(&told::interaction(it));
    }
    if !oracle.exercised().is_empty() {
        let all: Vec<String> = oracle.exercised().iter().map(|it| format!("{it:.4}")).collect();
        recorder.line(&Line::Note(format!("exercised as intended: {}", all.join(" "))));
    }
    if let Some(cadence) = oracle.cadence() {
        recorder.line(&Line::Note(told::cadence(&cadence)));
    }
    if let (Some(outcome), Some(steps)) = (oracle.outcome(), &judges.steps) {
        for line in told::steered(steps.program(), outcome) {
            recorder.line(&line);
        }
    }
    let covered = oracle.environment().map(|it| it.coverage().clone());
    let coverage = covered.unwrap_or_else(|| Coverage::new(false));
    if let (Some(specification), true) = (&judges.specification, recorder.writer.is_some()) {
        recorder.line(&Line::Coverage(told::coverage(specification, &coverage)));
    }
    let ending = match &done.ending {
        // It was over, but not what it says.
        Ending::Complete | Ending::Left if done.judged.cause() == Some(Cause::Stopped) => {
            Some(store::Ending::new(Cause::Stopped, ""))
        }
        Ending::Complete | Ending::Cut => None,
        Ending::Left => {
            let words = "Each step that was still needed had become unlikely.";
            Some(store::Ending::new(Cause::Left, words))
        }
        Ending::Stopped => Some(store::Ending::new(Cause::Stopped, "")),
        Ending::Broken(cause, words) => {
            let waited = done.about.as_ref().filter(|it| it.sending.is_none());
            let until_ns = waited.map_or(0, |it| it.until_ns);
            let interface = judges.specification.as_ref().map(|it| it.interface());
            let output =
                done.error.as_ref().zip(interface).and_then(|(it, known)| it.output(known));
            let output = output.map(str::to_owned);
            Some(store::Ending { until_ns, output, ..store::Ending::new(*cause, words) })
        }
    };
    if let (Some(diagnosis), Some(ending)) = (&mut diagnosis, &ending) {
        told::end(judges, diagnosis, ending, done.trace.end_ns);
    }
    told::since_reset(diagnosis.as_mut(), done.statistics.restarts);
    recorder.line(&Line::End(Box::new(End {
        verdict,
        at_ns: done.trace.end_ns,
        diagnosis: diagnosis.clone(),
        ending: ending.clone(),
        late_ns: done.late_ns,
        statistics: told::statistics(&done.statistics),
        shows: match (oracle.outcome(), &judges.steps) {
            (Some(outcome), Some(steps)) => told::shows(steps.program(), outcome),
            _ => Vec::new(),
        },
    })));
    if let Some(error) = recorder.error {
        return Err(Trouble::Store(error));
    }
    Ok(Finished {
        run,
        case: case.to_owned(),
        verdict,
        diagnosis,
        interactions: done.interactions,
        exercised: oracle.exercised().to_vec(),
        excuses: oracle.excuses().to_vec(),
        cadence: oracle.cadence(),
        trace: done.trace,
        earlier: done.earlier,
        statistics: done.statistics,
        coverage,
        folder,
        outcome: oracle.outcome().cloned(),
        stopped: ending.as_ref().is_some_and(|it| it.cause == Cause::Stopped),
        ending,
        about: done.about,
        late_ns: done.late_ns,
        n_retries: 0,
    })
}

impl Finished {
    /// What the tester did, to be done again: a script for what came before each reset, and one for what came after the last. What was being sent when
    /// the system broke down counts as sent.
    #[must_use]
    pub fn scripts(&self, interface: &Interface) -> Vec<Script> {
        let mut trace = self.trace.clone();
        if let Some(About { sending, until_ns }) = &self.about {
            match sending {
                Some(what) => trace.events.push(Event::at(what.clone(), trace.end_ns)),
                None => trace.end_ns = trace.end_ns.max(*until_ns),
            }
        }
        self.earlier.iter().chain([&trace]).map(|it| Script::of_trace(it, interface)).collect()
    }
}

/// Makes runs with these numbers, on so many threads; `each` sees them in order, and may end it all by
/// giving false. Systems are taken from the pool, and lie there afterwards.
///
/// # Errors
/// As [`one`]; runs with lower numbers are seen first.
pub fn many(
    plan: &Plan,
    runs: impl Iterator<Item = u64> + Send,
    (n_threads, pool): (usize, &Pool),
    recording: Option<&Recording>,
    (stops, needed, guide): (&AtomicBool, &Needed<'_>, Guide<'_>),
    mut each: impl FnMut(Finished) -> bool,
) -> Result<(), Trouble> {
    let ends = AtomicBool::new(false);
    let is_over = || ends.load(Ordering::Relaxed) || stops.load(Ordering::Relaxed);
    let work = |lent: &mut Lent<'_>, run| {
        let sut = lent.of_run(plan, run).map_err(Trouble::System)?;
        let needed = needed(run);
        let mut n_retries = 0;
        loop {
            let mut strategy = plan.strategy(run, guide);
            let finished =
                one(plan, run, sut, &mut *strategy, recording, stops, needed.as_deref())?;
            // The machine will not always be late.
            let is_late =
                finished.diagnosis.as_ref().is_some_and(|it| it.kind == Cause::TesterLate);
            if !is_late || n_retries == plan.retries || stops.load(Ordering::Relaxed) {
                return Ok(Finished { n_retries, ..finished });
            }
            n_retries += 1;
        }
    };
    let take = |finished: Result<Finished, Trouble>| match finished {
        // The run did not begin, so there is nothing to tell of it. All runs together are inconclusive then.
        Err(trouble) if trouble.may_be_of_stop() && stops.load(Ordering::Relaxed) => {
            ControlFlow::Continue(())
        }
        Err(trouble) => ControlFlow::Break(trouble),
        Ok(finished) => {
            // Runs that were under way when one failed do not count: how many there are depends on the machine. Their records stay.
            if !ends.load(Ordering::Relaxed) && !each(finished) {
                ends.store(true, Ordering::Relaxed);
            }
            ControlFlow::Continue(())
        }
    };
    match in_order(n_threads, runs.take_while(|_| !is_over()), || pool.lend(), work, take) {
        Some(trouble) => Err(trouble),
        None => Ok(()),
    }
}
