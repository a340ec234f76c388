//! Executions that were recorded: taken up again when a suite is resumed, and judged again when it is reported.
//!
//! What an execution came to is read from its record alone ([`Outcome`]), so an interrupted suite that goes on, and a report of it, say what
//! an uninterrupted one says. Executions belong together if model, suite, interface, seed, system and options are the same. One that
//! was stopped, or has no end, did not happen: it is made again with its number, and so with its seed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use punctual_oracle::expectations::Kind;
use serde_json::{Value, json};

use super::case::Repeated;
use super::options::{Options, Tolerance};
use super::shifts::{Shifts, Told};
use super::{finish, prepare};
use crate::load;
use crate::plan::Plan;
use crate::run::{Finished, Recording};
use crate::store::{Cause, Diagnosis, Header, Run, StoreError, Verdict};
use crate::summary::{Digest, Summary};

/// Where a record says how its suite is judged.
const REPEATED: &str = "repeated";

/// What an execution of a case came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The number of the run.
    pub(super) run: u64,
    /// Where it was recorded, if it was.
    pub(super) folder: Option<PathBuf>,
    pub(super) verdict: Verdict,
    /// Why it is no pass; empty if nobody said.
    pub(super) explanation: String,
    /// Whether it is no pass because the system broke down.
    pub(super) is_breakdown: bool,
    /// How many checks were made.
    pub(super) n_checks: usize,
    /// The numbers of those that did not show what the case expects.
    pub(super) missed: Vec<usize>,
    /// The numbers of the expected outputs that did not come in their windows.
    pub(super) missed_outputs: Vec<usize>,
    /// Whether it was over early, or says nothing.
    pub(super) is_cut: bool,
}

impl Outcome {
    /// Of a run that is just over; none if it was stopped.
    pub(super) fn finished(finished: &Finished) -> Option<Outcome> {
        let checks = || finished.interactions.iter().filter(|it| it.kind == Kind::Check);
        let missed = checks().filter(|it| it.verdict != Verdict::Pass);
        let outputs = finished.interactions.iter().filter(|it| it.kind == Kind::Output);
        let why = finished.diagnosis.as_ref().map(|it| it.explanation.clone());
        (!finished.stopped).then(|| Outcome {
            run: finished.run,
            folder: finished.folder.clone(),
            verdict: finished.verdict,
            explanation: why.unwrap_or_default(),
            is_breakdown: is_breakdown(finished.diagnosis.as_ref()),
            n_checks: checks().count(),
            missed: missed.map(|it| it.number).collect(),
            missed_outputs: outputs.map(|it| it.number).collect(),
            is_cut: finished.ending.is_some() || is_void(finished.diagnosis.as_ref()),
        })
    }

    /// Of a recorded run; none if it was stopped, or did not come to its end.
    fn recorded(digest: &Digest) -> Option<Outcome> {
        let end = digest.end.as_ref()?;
        if end.ending.as_ref().is_some_and(|it| it.cause == Cause::Stopped) {
            return None;
        }
        let missed = |kind: Kind| -> Vec<usize> {
            let missed = digest.judged.iter().filter(|it| it.kind == kind.name());
            missed.map(|it| usize::try_from(it.judged).unwrap_or(usize::MAX)).collect()
        };
        let why = end.diagnosis.as_ref().map(|it| it.explanation.clone());
        Some(Outcome {
            run: digest.header.run,
            folder: Some(digest.run.path.clone()),
            verdict: end.verdict,
            explanation: why.unwrap_or_default(),
            is_breakdown: is_breakdown(end.diagnosis.as_ref()),
            // A case reads ports at its checks, and nowhere else.
            n_checks: usize::try_from(digest.readings).unwrap_or(usize::MAX),
            missed: missed(Kind::Check),
            missed_outputs: missed(Kind::Output),
            is_cut: end.ending.is_some() || is_void(end.diagnosis.as_ref()),
        })
    }
}

/// Whether the inputs of an execution were not those of its case, or its fail is excused because the tester was late: what it showed says nothing.
fn is_void(diagnosis: Option<&Diagnosis>) -> bool {
    let void = [Cause::TesterLate, Cause::OutsideEnvironment, Cause::NotAccepted];
    diagnosis.is_some_and(|it| void.contains(&it.kind))
}

/// Whether the system broke down, which no model has to tell.
fn is_breakdown(diagnosis: Option<&Diagnosis>) -> bool {
    let broken = [Cause::Crash, Cause::Hang, Cause::Flood, Cause::BrokenProtocol, Cause::Reported];
    diagnosis.is_some_and(|it| broken.contains(&it.kind))
}

/// What the header of a record says about how its suite is judged.
pub(crate) fn told(plan: &Plan, options: &Options) -> (&'static str, Value) {
    let mut told = options.told();
    told["system"] = format!("{:?}", plan.system.reach.under_test).into();
    // Of a program only its name is known; a model that is played is known by what it says.
    if let Some(played) = &plan.system.played {
        told["played"] = crate::store::hash(format!("{played:?}").as_bytes()).into();
    }
    (REPEATED, told)
}

/// The key of the number that tells campaigns apart in a folder: that of the record that one of them began with.
const CAMPAIGN: &str = "campaign";

/// Lets what is recorded be a campaign of its own.
pub(crate) fn begin(recording: &mut Recording) {
    let number = recording.store.next_number();
    if let Some(repeated) = recording.header.strategy.get_mut(REPEATED) {
        repeated[CAMPAIGN] = number.into();
    }
}

/// What executions that belong together have in common.
fn key(header: &Header) -> Option<(u64, Vec<String>, String)> {
    let repeated = header.strategy.get(REPEATED)?;
    let files = std::iter::once(&header.model).chain(&header.files);
    Some((header.seed, files.map(|it| it.hash.clone()).collect(), repeated.to_string()))
}

/// The executions of the newest campaign that this one can go on with, by their numbers; what is recorded from now on belongs to
/// that campaign. Records that can not be read are left out.
///
/// # Errors
/// If the folder can not be read.
pub fn recorded(recording: &mut Recording) -> Result<BTreeMap<u64, Outcome>, StoreError> {
    let files = recording.files.iter().map(|(_, _, bytes)| bytes);
    let files = std::iter::once(&recording.model.1).chain(files);
    let hashes: Vec<String> = files.map(|bytes| crate::store::hash(bytes)).collect();
    let ours = recording.header.strategy.get(REPEATED).map(Value::to_string);
    // Numbers are compared as they are read.
    let ours = ours.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    let ours = ours.map(|it| (recording.header.seed, hashes, without_campaign(&it).0));
    let mut campaigns: BTreeMap<u64, BTreeMap<u64, Outcome>> = BTreeMap::new();
    for run in recording.store.runs()? {
        let Ok(digest) = Digest::read(&run) else { continue };
        let Some(repeated) = digest.header.strategy.get(REPEATED) else { continue };
        let (told, campaign) = without_campaign(repeated);
        let theirs = key(&digest.header).map(|(seed, files, _)| (seed, files, told));
        if ours.is_some()
            && theirs == ours
            && let Some(outcome) = Outcome::recorded(&digest)
        {
            campaigns.entry(campaign).or_default().entry(outcome.run).or_insert(outcome);
        }
    }
    let Some((campaign, found)) = campaigns.pop_last() else { return Ok(BTreeMap::new()) };
    if let Some(repeated) = recording.header.strategy.get_mut(REPEATED) {
        repeated[CAMPAIGN] = campaign.into();
    }
    Ok(found)
}

/// How a suite is judged, and the number of the campaign.
fn without_campaign(repeated: &Value) -> (String, u64) {
    let mut told = repeated.clone();
    let campaign = told.as_object_mut().and_then(|it| it.remove(CAMPAIGN));
    (told.to_string(), campaign.and_then(|it| it.as_u64()).unwrap_or(0))
}

/// A suite that was repeated, as its records tell it.
pub struct Campaign {
    /// How it is judged.
    pub options: Options,
    /// Its cases.
    pub cases: Vec<Repeated>,
    /// How failures are told in time.
    pub told: Told,
    /// Its runs.
    pub runs: Vec<Run>,
    /// The file of the suite, or else of the model.
    pub name: String,
}

/// The suites that were repeated among some runs, judged again by their records and the files beside these. One whose files are not there any more is
/// left out.
#[must_use]
pub fn campaigns(summary: &Summary) -> Vec<Campaign> {
    let mut groups: BTreeMap<_, Vec<&Digest>> = BTreeMap::new();
    for digest in &summary.runs {
        if let Some(key) = key(&digest.header) {
            groups.entry(key).or_default().push(digest);
        }
    }
    groups.into_values().filter_map(campaign).collect()
}

fn campaign(mut digests: Vec<&Digest>) -> Option<Campaign> {
    digests.sort_by_key(|it| (it.header.run, it.run.name.clone()));
    let first = *digests.first()?;
    let options = Options::read(first.header.strategy.get(REPEATED)?)?;
    let judges = load::beside(&first.run, &first.header, None, None).ok()?;
    let given = &judges.suite.as_ref()?.cases;
    let mut shifts = Shifts::new(&judges, |_| true);
    let within = match (options.tolerance, &mut shifts) {
        (Tolerance::Probability(_), _) => None,
        (Tolerance::Time { ns }, shifts) => Some(shifts.as_mut()?.within(ns, |_| ()).ok()?),
    };
    let mut cases = prepare(given, &options, within.as_deref()).ok()?;
    let n = Some(cases.len() as u64).filter(|n| *n > 0)?;
    let mut last = None;
    for outcome in digests.iter().filter_map(|it| Outcome::recorded(it)) {
        if last.replace(outcome.run) != Some(outcome.run) {
            cases[(outcome.run % n) as usize].take(&outcome);
        }
    }
    finish(&mut cases, &options);
    let told = shifts.map(|mut it| it.told(&cases)).unwrap_or_default();
    let suite = first.header.files.iter().find(|it| it.role == "suite");
    let name = suite.unwrap_or(&first.header.model).file.clone();
    let runs = digests.iter().map(|it| it.run.clone()).collect();
    Some(Campaign { options, cases, told, runs, name })
}

impl Options {
    /// As a record tells it.
    fn told(&self) -> Value {
        json!({
            "rule": if self.paper { "paper" } else { "sequential" },
            "tolerance": match self.tolerance {
                Tolerance::Probability(p) => json!(p),
                Tolerance::Time { ns } => json!({ "ns": ns }),
            },
            "alpha": self.alpha,
            "beta": self.beta,
            "each": self.each,
            "executions": self.executions,
        })
    }

    /// From a record; none if it says something else.
    fn read(told: &Value) -> Option<Options> {
        let tolerance = told.get("tolerance")?;
        Some(Options {
            paper: told.get("rule")?.as_str()? == "paper",
            tolerance: match tolerance.get("ns") {
                Some(ns) => Tolerance::Time { ns: ns.as_u64()? },
                None => Tolerance::Probability(tolerance.as_f64()?),
            },
            alpha: told.get("alpha")?.as_f64()?,
            beta: told.get("beta")?.as_f64()?,
            each: told.get("each")?.as_bool()?,
            executions: told.get("executions")?.as_u64()?,
        })
    }
}
