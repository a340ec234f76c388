//! The gist of runs: what each came to, and all of them together.
//!
//! A [`Digest`] needs the memory of a few lines, however long the run was.

mod account;
mod changes;
mod made;

use std::{collections::VecDeque, io::BufRead};

use crate::store::{
    Coverage, Direction, End, Event, Header, Judged, Line, Reader, Record, Run, StoreError,
    Verdict, What,
};

pub use account::{Account, Expected, Finding, RISK, Used, accounts};
pub use changes::{Changes, Steering, number};

/// How many events before the end a digest keeps.
const TAIL: usize = 12;

/// How many verdicts of single steps and checks a digest keeps.
const JUDGED_MAX: usize = 100;

/// The gist of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Digest {
    /// The run.
    pub run: Run,
    /// What it began with.
    pub header: Header,
    /// How it ended; `None` if the tester did not live to see it.
    pub end: Option<End>,
    /// What was exercised, if that was recorded.
    pub coverage: Option<Coverage>,
    /// Whether the last line was cut off.
    pub is_cut: bool,
    /// Inputs in the record.
    pub inputs: u64,
    /// Outputs in the record.
    pub outputs: u64,
    /// Steps of a synchronous system in the record.
    pub steps: u64,
    /// Readings of ports in the record.
    pub readings: u64,
    /// Single steps and checks that are not a pass: the first hundred of them.
    pub judged: Vec<Judged>,
    /// How many single steps and checks are not a pass.
    pub n_judged: u64,
    /// What steering changed.
    pub steering: Steering,
    /// The last instant that the record speaks of.
    pub last_ns: u64,
    /// How often the system was reset. Instants count from the last reset, also those of the end.
    pub n_resets: u64,
    /// What happened last.
    pub tail: Vec<Last>,
}

/// Something that happened shortly before the end.
#[derive(Clone, PartialEq, Debug)]
pub enum Last {
    /// Something was exchanged.
    Event(Event),
    /// The system was reset; time began anew.
    Reset {
        /// When, since the reset before.
        at_ns: u64,
    },
}

/// Many runs, the worst first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Summary {
    /// The runs: failures, then those without a verdict, then the inconclusive, then the rest. Within
    /// each the shorter first, since it is easier to understand.
    pub runs: Vec<Digest>,
    /// Runs that can not be read, and why.
    pub unreadable: Vec<(Run, String)>,
}

/// How many runs ended how, and what they took together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Runs that passed.
    pub passed: usize,
    /// Runs that failed.
    pub failed: usize,
    /// Runs of which nothing can be said.
    pub inconclusive: usize,
    /// Runs without a verdict.
    pub unfinished: usize,
    /// Runs that can not be read.
    pub unreadable: usize,
    /// Inputs of all runs.
    pub inputs: u64,
    /// Outputs of all runs.
    pub outputs: u64,
    /// Steps of synchronous systems in all runs.
    pub steps: u64,
    /// The time of all runs, by their clocks.
    pub duration_ns: u64,
}

/// The memory of an old line with a new one in it.
fn replaced(mut old: Vec<u8>, text: &[u8]) -> Vec<u8> {
    old.clear();
    old.extend_from_slice(text);
    old
}

/// What is said of single steps and checks.
#[derive(Default)]
struct Verdicts {
    judged: Vec<Judged>,
    n_judged: u64,
    steering: Steering,
}

impl Verdicts {
    fn add(&mut self, line: &Line) {
        match line {
            Line::Judged(judged) => {
                self.n_judged += 1;
                if self.judged.len() < JUDGED_MAX {
                    self.judged.push(judged.clone());
                }
            }
            Line::Steered(steered) => self.steering.add(steered),
            _ => {}
        }
    }
}

impl Last {
    fn of(line: &Line) -> Option<Last> {
        match line {
            Line::Event(event) => Some(Last::Event(event.clone())),
            Line::Restart(at_ns) => Some(Last::Reset { at_ns: *at_ns }),
            _ => None,
        }
    }
}

impl Digest {
    /// Reads the gist of a run. Lines that it does not need are passed over, also wrong ones.
    ///
    /// # Errors
    /// As [`Reader`].
    pub fn read(run: &Run) -> Result<Self, StoreError> {
        Self::collect(run.clone(), run.reader()?)
    }

    /// Reads the gist of a record from anywhere.
    ///
    /// # Errors
    /// As [`Reader`].
    pub fn collect(run: Run, mut reader: Reader<impl BufRead>) -> Result<Self, StoreError> {
        let header = reader.header().clone();
        let (mut end, mut coverage, mut last_ns) = (None, None, 0);
        let (mut inputs, mut outputs, mut steps, mut readings) = (0, 0, 0, 0);
        let mut n_resets = 0;
        let mut verdicts = Verdicts::default();
        // A run may have millions of events; only the last ones are understood.
        let mut last_lines: VecDeque<Vec<u8>> = VecDeque::new();
        let mut last_delay = Vec::new();
        while let Some(line) = reader.next_raw() {
            let (kind, text) = line?;
            match kind {
                "input" | "output" | "set" | "step" | "reading" | "restart" => {
                    match kind {
                        "restart" => n_resets += 1,
                        "input" | "set" => inputs += 1,
                        "output" => outputs += 1,
                        "step" => steps += 1,
                        _ => readings += 1,
                    }
                    let oldest = (last_lines.len() == TAIL).then(|| last_lines.pop_front());
                    last_lines.push_back(replaced(oldest.flatten().unwrap_or_default(), text));
                }
                "delay" => last_delay = replaced(last_delay, text),
                "judged" if verdicts.judged.len() == JUDGED_MAX => verdicts.n_judged += 1,
                "coverage" | "verdict" | "judged" | "steered" => match Line::parse_as(kind, text) {
                    Ok(Line::Coverage(found)) => coverage = Some(found),
                    Ok(Line::End(found)) => {
                        last_ns = last_ns.max(found.at_ns);
                        end = Some(*found);
                    }
                    Ok(line) => {
                        last_ns = last_ns.max(line.instant().unwrap_or(0));
                        verdicts.add(&line);
                    }
                    Err(message) => return Err(reader.fail(message)),
                },
                _ => {}
            }
        }
        let mut tail = Vec::with_capacity(TAIL);
        for text in last_lines.iter().chain((!last_delay.is_empty()).then_some(&last_delay)) {
            let line = Line::parse(text).map_err(|message| reader.fail(message))?;
            last_ns = last_ns.max(line.as_ref().and_then(Line::instant).unwrap_or(0));
            tail.extend(line.as_ref().and_then(Last::of));
        }
        let is_cut = reader.is_cut();
        let Verdicts { judged, n_judged, steering } = verdicts;
        Ok(Self {
            run,
            header,
            end,
            coverage,
            is_cut,
            inputs,
            outputs,
            steps,
            readings,
            judged,
            n_judged,
            steering,
            last_ns,
            n_resets,
            tail,
        })
    }

    /// The gist of a record that was read as a whole.
    #[must_use]
    pub fn of(run: Run, record: &Record) -> Self {
        let count =
            |is: fn(&What) -> bool| record.events().filter(|it| is(&it.what)).count() as u64;
        let is_input = |what: &What| {
            matches!(what, What::Set(_) | What::Signal { direction: Direction::Input, .. })
        };
        let is_output =
            |what: &What| matches!(what, What::Signal { direction: Direction::Output, .. });
        let mut tail: Vec<Last> = record.lines.iter().filter_map(Last::of).collect();
        tail.drain(..tail.len().saturating_sub(TAIL));
        let is_reset = |line: &&Line| matches!(line, Line::Restart(_));
        let mut verdicts = Verdicts::default();
        record.lines.iter().for_each(|line| verdicts.add(line));
        Self {
            run,
            header: record.header.clone(),
            end: record.end.clone(),
            coverage: record.coverage.clone(),
            is_cut: record.is_cut,
            inputs: count(is_input),
            outputs: count(is_output),
            steps: count(|what| matches!(what, What::Step { .. })),
            readings: count(|what| matches!(what, What::Reading(_))),
            judged: verdicts.judged,
            n_judged: verdicts.n_judged,
            steering: verdicts.steering,
            last_ns: record.last_ns(),
            n_resets: record.lines.iter().filter(is_reset).count() as u64,
            tail,
        }
    }

    /// The verdict; `None` if there is none.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        self.end.as_ref().map(|end| end.verdict)
    }

    /// What people say of the case, if the header tells a label.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.header.strategy.get("label")?.as_str()
    }

    /// Whether there is a record, with a model beside it: of a trace of another tool there is none.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        !self.header.model.file.is_empty() || !self.header.started.is_empty()
    }

    /// How long the run was, by its clock.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        let stated = self.end.as_ref().map(|end| end.statistics.duration_ns);
        stated.filter(|ns| *ns > 0).unwrap_or(self.last_ns)
    }
}

impl Summary {
    /// Reads the gist of all these runs.
    pub fn of(runs: &[Run]) -> Self {
        let mut summary = Self::default();
        for run in runs {
            match Digest::read(run) {
                Ok(digest) => summary.runs.push(digest),
                Err(error) => summary.unreadable.push((run.clone(), error.to_string())),
            }
        }
        summary.sort();
        summary
    }

    /// A summary of runs whose gist is known.
    pub fn from_digests(runs: Vec<Digest>) -> Self {
        let mut summary = Self { runs, unreadable: Vec::new() };
        summary.sort();
        summary
    }

    fn sort(&mut self) {
        // The order is stable: what is equal stays in the order of the runs.
        self.runs.sort_by_key(|digest| {
            let rank = match digest.verdict() {
                Some(Verdict::Fail) => 0,
                None => 1,
                Some(Verdict::Inconclusive) => 2,
                Some(Verdict::Pass) => 3,
            };
            (rank, if rank == 3 { 0 } else { digest.duration_ns() })
        });
    }

    /// All runs together.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = Totals { unreadable: self.unreadable.len(), ..Totals::default() };
        for digest in &self.runs {
            match digest.verdict() {
                Some(Verdict::Pass) => totals.passed += 1,
                Some(Verdict::Fail) => totals.failed += 1,
                Some(Verdict::Inconclusive) => totals.inconclusive += 1,
                None => totals.unfinished += 1,
            }
            totals.inputs = totals.inputs.saturating_add(digest.inputs);
            totals.outputs = totals.outputs.saturating_add(digest.outputs);
            totals.steps = totals.steps.saturating_add(digest.steps);
            totals.duration_ns = totals.duration_ns.saturating_add(digest.duration_ns());
        }
        totals
    }

    /// The worst verdict. Runs without one, and those that can not be read, are no pass.
    #[must_use]
    pub fn worst(&self) -> Option<Verdict> {
        let verdicts =
            self.runs.iter().map(|digest| digest.verdict().unwrap_or(Verdict::Inconclusive));
        let unreadable = self.unreadable.iter().map(|_| Verdict::Inconclusive);
        verdicts.chain(unreadable).max()
    }
}
