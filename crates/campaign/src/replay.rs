//! A record, judged again.
//!
//! A record is told to the judges line by line, by the same calls that the live run made, so it gets the
//! same verdict. Memory does not grow with a record on the virtual clock.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_lang::traces::{self, Item};
use punctual_model::{Direction, Event, Happening, Interface, Trace, Value};
use punctual_oracle::conformance::Coverage;
use punctual_oracle::{Ending, Finding, Interaction, Judged, Judgement, Referee, steering};

use crate::exchanged;
use crate::judges::{Judges, Synchronous};
use crate::problem::Problem;
use crate::steering::{Extra, extra_heard, stray};
use crate::store::{
    Cause, Clock, Diagnosis, End, Line, Reader, Record, Statistics, Verdict, What, is_record,
};
use crate::told;

/// What a record, or another trace, comes to.
#[derive(Debug)]
pub struct Rejudged {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, if it is not a pass.
    pub diagnosis: Option<Diagnosis>,
    /// What was covered.
    pub coverage: Coverage,
    /// The verdict that the record has; none if it has none.
    pub recorded: Option<Verdict>,
    /// What was exchanged, and until when the system was watched.
    pub statistics: Statistics,
    /// How often the system was reset.
    pub n_resets: u64,
    /// The verdicts of single steps and checks.
    pub interactions: Vec<Interaction>,
    /// What steering made of it.
    pub outcome: Option<punctual_oracle::steering::Outcome>,
}

/// Judges a record again.
///
/// # Errors
/// If a line can not be read, the record has what the interface has not, or a model is in error from the
/// start.
pub fn record(
    judges: &Judges,
    reader: Reader<impl BufRead>,
    stops: &AtomicBool,
) -> Result<Rejudged, String> {
    let header = reader.header().clone();
    let case = judges
        .suite
        .as_ref()
        .and_then(|suite| suite.cases.iter().find(|case| case.name == header.case));
    let has_suite = header.files.iter().any(|file| file.role == "suite");
    if has_suite && case.is_none() {
        return Err(format!(
            "this run is the case `{}` of a suite, by which it has to be judged: use `punctual replay`",
            header.case
        ));
    }
    let mut oracle = judges.oracle_until(case, Some(stops))?;
    // A run on the real clock is short, and may have to be judged again.
    let keeps = header.clock == Clock::Real;
    let mut referee = Referee::new(&mut *oracle, header.slack_ns, keeps);
    let mut end: Option<End> = None;
    let mut seen = Statistics::default();
    let (mut spent_ns, mut n_resets) = (0, 0);
    let steering = judges.steps.as_ref().and_then(Synchronous::steering);
    // What the system showed in each step, and in samples that belong to none.
    let (mut shown, mut extra): (Vec<Vec<Value>>, Vec<Extra>) = (Vec::new(), Vec::new());
    for line in reader {
        match line.map_err(|error| error.to_string())? {
            Line::Event(event) => {
                let event = match &event.what {
                    // Only a steered model goes on without a sample.
                    What::Step { inputs, outputs } if outputs.is_empty() && steering.is_some() => {
                        timed(&event, exchanged::unanswered(&judges.interface, inputs)?)
                    }
                    _ => heard(&judges.interface, &event)?,
                };
                if let (Some((_, columns)), Happening::Step(step)) = (steering, &event.what) {
                    let pick = columns.iter().filter_map(|at| step.outputs.get(*at).copied());
                    shown.push(pick.collect());
                }
                count(&judges.interface, &event, &mut seen);
                referee.approach(&event);
                referee.event(&event);
                referee.keep(event);
            }
            // Version 1 does not say how late the tester looked: only the end counts.
            Line::Delay(delay) if header.record > 1 => referee.quiet(delay.to_ns),
            Line::Restart(_) => {
                // A part that decides the run is its last one.
                if !referee.close() {
                    spent_ns += referee.trace().end_ns;
                    n_resets += 1;
                }
                referee.restart();
            }
            Line::Extra(it) => {
                if let Some((_, columns)) = steering {
                    extra.push(extra_heard(&judges.interface, columns, &it)?);
                }
            }
            Line::End(found) => end = Some(*found),
            _ => {}
        }
    }
    if let (1, Some(end)) = (header.record, &end) {
        referee.quiet(end.at_ns);
    }
    let ending = match &end {
        None => Ending::Cut,
        Some(end) => match &end.ending {
            None if header.record == 1 => broken_before(end),
            None => Ending::Complete,
            Some(it) if it.cause == Cause::Stopped => Ending::Stopped,
            Some(it) if it.cause == Cause::Left => Ending::Left,
            Some(it) => Ending::Broken(it.cause, it.words.clone()),
        },
    };
    let late_ns = match &end {
        Some(end) => end.late_ns,
        // How late the tester was is not known: as late as it takes.
        None => (header.clock == Clock::Real).then_some(u64::MAX),
    };
    seen.duration_ns = spent_ns + referee.trace().end_ns;
    let (judged, trace) = referee.finish(&ending, late_ns);
    let interactions = oracle.interactions();
    let mut diagnosis = told::judged(judges, &judged, late_ns);
    let ending = end.as_ref().and_then(|end| end.ending.as_ref());
    if let (Some(diagnosis), Some(ending)) = (&mut diagnosis, ending) {
        told::end(judges, diagnosis, ending, trace.end_ns);
    }
    told::since_reset(diagnosis.as_mut(), n_resets);
    let recorded = end.map(|end| end.verdict);
    let found =
        Rejudged { recorded, statistics: seen, interactions, ..rejudged(&mut *oracle, &judged) };
    let mut found = Rejudged { diagnosis, n_resets, ..found };
    if let Some((oracle, _)) = steering {
        let shown: Vec<&[Value]> = shown.iter().map(|it| &it[..]).collect();
        tell_stray(oracle, &shown, &extra, &judged, &mut found);
    }
    Ok(found)
}

/// A sample without a step that shows what it must not is told as it was when the test was judged first.
fn tell_stray(
    oracle: &steering::Oracle,
    shown: &[&[Value]],
    extra: &[Extra],
    judged: &Judged,
    found: &mut Rejudged,
) {
    let verdict = match &judged.judgement {
        Judgement::Pass => Judgement::Pass,
        Judgement::Inconclusive(Finding::Steering(it)) => Judgement::Inconclusive(it.clone()),
        _ => return,
    };
    let Some(stray) = stray(oracle, shown, extra).filter(|it| it.overrules(&verdict)) else {
        return;
    };
    let judgement = stray.judgement();
    found.verdict = judgement.verdict();
    found.diagnosis = judgement.reason().map(|it| told::unexplained(it, &stray.explain()));
    if let Some(outcome) = &mut found.outcome {
        outcome.verdict = judgement;
        outcome.shows.clear();
    }
}

/// Version 1 has the breakdown of a system in its diagnosis only.
fn broken_before(end: &End) -> Ending {
    match &end.diagnosis {
        Some(it) if it.seen == "the system broke down" => {
            Ending::Broken(it.kind, it.explanation.clone())
        }
        _ => Ending::Complete,
    }
}

/// How a file of traces is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFormat {
    /// Its content tells.
    Detect,
    /// A record of this tool.
    Record,
    /// A trace of another tool.
    Trace(traces::Format),
}

/// Judges a file: a record, or the traces of another tool, one after the other. Memory does not grow with
/// a trace. `stops` ends it early, and the trace that is being read is then inconclusive.
///
/// # Errors
/// If the file can not be read, or a model is in error from the start.
pub fn file(
    judges: &Judges,
    path: &Path,
    format: FileFormat,
    unit: Option<traces::Unit>,
    stops: &AtomicBool,
) -> Result<Vec<Rejudged>, Problem> {
    let message = |text: String| Problem::Message(text);
    let io = |error: std::io::Error| message(format!("can not read `{}`: {error}", path.display()));
    let mut source = BufReader::with_capacity(1 << 16, File::open(path).map_err(io)?);
    let begin = source.fill_buf().map_err(io)?;
    // Whoever ended before anything was written has not seen that nothing happened: a trace says at least until when it goes.
    if begin.is_empty() {
        return Err(message(format!("there is no trace in `{}`: it is empty", path.display())));
    }
    let is_record = match format {
        FileFormat::Record => true,
        FileFormat::Trace(_) => false,
        FileFormat::Detect => is_record(begin),
    };
    if is_record {
        let reader = Reader::new(source, path).map_err(|error| message(error.to_string()))?;
        return Ok(vec![record(judges, reader, stops).map_err(message)?]);
    }
    let format = match format {
        FileFormat::Trace(format) => Some(format),
        FileFormat::Detect | FileFormat::Record => None,
    };
    let options = traces::Options { format, unit, ..traces::Options::default() };
    let name = path.display().to_string();
    let wrong = |error: traces::TraceError| message(error.to_string());
    let mut reader =
        traces::Reader::new(&name, source, &judges.interface, options).map_err(wrong)?;
    let mut found = Vec::new();
    let mut is_over = false;
    while !is_over {
        let mut oracle = judges.oracle(None).map_err(message)?;
        let mut referee = Referee::new(&mut *oracle, 0, false);
        let mut seen = Statistics::default();
        let ending = loop {
            if stops.load(Ordering::Relaxed) {
                is_over = true;
                break Ending::Stopped;
            }
            match reader.next().transpose().map_err(wrong)? {
                Some(Item::Event(event)) => {
                    count(&judges.interface, &event, &mut seen);
                    referee.approach(&event);
                    referee.event(&event);
                }
                Some(Item::Quiet(at_ns)) => referee.quiet(at_ns),
                Some(Item::Restart(at_ns)) => {
                    referee.quiet(at_ns);
                    break Ending::Complete;
                }
                Some(Item::End(at_ns)) => {
                    referee.quiet(at_ns);
                    is_over = true;
                    break Ending::Complete;
                }
                None => {
                    is_over = true;
                    break Ending::Complete;
                }
            }
        };
        seen.duration_ns = referee.trace().end_ns;
        let (judged, _) = referee.finish(&ending, None);
        let interactions = oracle.interactions();
        let diagnosis = told::judged(judges, &judged, None);
        let again = rejudged(&mut *oracle, &judged);
        found.push(Rejudged { diagnosis, statistics: seen, interactions, ..again });
    }
    Ok(found)
}

fn rejudged(oracle: &mut dyn punctual_oracle::Oracle, judged: &Judged) -> Rejudged {
    let coverage = oracle.environment().map(|it| it.coverage().clone());
    Rejudged {
        verdict: judged.judgement.verdict(),
        diagnosis: None,
        coverage: coverage.unwrap_or_else(|| Coverage::new(false)),
        recorded: None,
        statistics: Statistics::default(),
        n_resets: 0,
        interactions: Vec::new(),
        outcome: oracle.outcome().cloned(),
    }
}

fn count(interface: &Interface, event: &Event, seen: &mut Statistics) {
    *match &event.what {
        Happening::Signal(action) => match interface.signals[action.signal].direction {
            Direction::Input => &mut seen.inputs,
            Direction::Output => &mut seen.outputs,
        },
        Happening::Set(_) => &mut seen.inputs,
        Happening::Step(_) => &mut seen.steps,
        Happening::Reading(_) => &mut seen.readings,
    } += 1;
}

impl Rejudged {
    /// How many events there are.
    #[must_use]
    pub fn n_events(&self) -> u64 {
        let it = &self.statistics;
        it.inputs + it.outputs + it.steps + it.readings
    }
}

fn heard(interface: &Interface, event: &crate::store::Event) -> Result<Event, String> {
    Ok(timed(event, exchanged::heard(interface, &event.what)?))
}

/// What was exchanged, with the instants of an event.
fn timed(event: &crate::store::Event, what: Happening) -> Event {
    let (from_ns, to_ns, device_ns) = (event.from_ns, event.to_ns, event.device_ns);
    Event { what, from_ns, to_ns, device_ns }
}

/// What was seen in a recorded run: up to its first restart, and after each one. What was being sent when the system broke down, or when the record
/// was cut, counts as sent; a run that broke down while the tester waited ends when the wait would have.
///
/// # Errors
/// If the record has what the interface has not.
pub fn traces(interface: &Interface, record: &Record) -> Result<Vec<Trace>, String> {
    let mut traces = Vec::new();
    let mut trace = Trace::default();
    let mut sending = None;
    for line in &record.lines {
        match line {
            Line::Sending(it) => sending = Some(it),
            Line::Event(event) => {
                let event = heard(interface, event)?;
                let is_ours = match &event.what {
                    Happening::Signal(action) => {
                        interface.signals[action.signal].direction == Direction::Input
                    }
                    Happening::Set(_) | Happening::Step(_) => true,
                    Happening::Reading(_) => false,
                };
                sending = sending.filter(|_| !is_ours);
                trace.end_ns = trace.end_ns.max(event.to_ns);
                trace.events.push(event);
            }
            Line::Delay(delay) => trace.end_ns = trace.end_ns.max(delay.to_ns),
            Line::Restart(at_ns) => {
                trace.end_ns = trace.end_ns.max(*at_ns);
                traces.push(std::mem::take(&mut trace));
            }
            _ => {}
        }
    }
    if let Some(end) = &record.end {
        // On the real clock the last moments do not count.
        let last_ns = trace.events.last().map_or(0, |event| event.to_ns);
        trace.end_ns = end.at_ns.max(last_ns);
        let until_ns = end.ending.as_ref().map_or(0, |it| it.until_ns);
        trace.end_ns = trace.end_ns.max(until_ns);
    }
    if let Some(sending) = sending {
        let at_ns = trace.end_ns.max(sending.at_ns);
        trace.events.push(Event::at(exchanged::sent(interface, sending)?, at_ns));
        trace.end_ns = at_ns;
    }
    traces.push(trace);
    Ok(traces)
}
