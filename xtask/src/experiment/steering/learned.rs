//! Learned tolerances: tables 6.27 to 6.30.
//!
//! All tests of a variant without faults are steered at a level of tolerances; from what was changed, and
//! from the labels, tolerances are learned ten times; with those the same tests are judged again.
//!
//! Only tests that pass teach anything, and in those all steps match. Metrics differ in what is near, not
//! in what matches, so the examples of a level are the same for all of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use punctual_model::VarId;
use punctual_model::lustre::Program;
use punctual_oracle::Judgement;
use punctual_oracle::steering::learn::{self, Example, Options};
use punctual_oracle::steering::{Kind, Label, LookAhead, Steerer, Windows};

use super::Bench;
use super::judge::{Distribution, Method, observations};
use super::suite::{Case, Subject};
use super::system::{Level, Tolerance};
use super::table::{Aim, Figures, Row, Table};

/// How often tolerances are learned from the same examples.
const TRIALS: u64 = 10;

/// How far windows are widened or shrunk at most.
const TUNED_MAX: i64 = 10;

const KINDS: [Kind; 2] = [Kind::Manhattan, Kind::SquaredEuclidean];

/// What the thesis calls the lines of its tables.
const LINES: [&str; 8] = [
    "learned from strict (Manhattan)",
    "learned from strict (squared Euclidean)",
    "learned from medium (Manhattan)",
    "learned from medium (squared Euclidean)",
    "learned from minimal (Manhattan)",
    "learned from minimal (squared Euclidean)",
    "learned from none (Manhattan)",
    "learned from none (squared Euclidean)",
];

/// What is learned must be better than nothing, which is the first line.
const HELPS: Option<Aim> = Some(Aim::FMeasureOf(0));

/// Table 6.29: late within tolerance, and too late.
const THESIS_STRICT: [(Label, bool, u64); 4] = [
    (Label::TimingWithinTolerance, true, 9),
    (Label::TimingWithinTolerance, false, 67),
    (Label::TimingNotInTolerance, true, 0),
    (Label::TimingNotInTolerance, false, 24),
];

/// What was learned from each level with each metric.
pub(super) struct Learned {
    about: String,
    look_ahead: usize,
    baselines: [Distribution; 2],
    /// In the order of the thesis.
    lines: Vec<Line>,
}

/// The trials of a line.
struct Line {
    /// Greedy, and looking ahead.
    learned: [Vec<Distribution>; 2],
    /// After all windows were made larger by one on both ends.
    widened: [Vec<Distribution>; 2],
    /// After they were made larger or smaller as long as that helps.
    tuned: [Vec<Distribution>; 2],
}

impl Learned {
    pub(super) fn new(bench: &Bench<'_>) -> Result<Learned, String> {
        let system = bench.suite.system;
        let variant = system.variants.first().ok_or("there is no variant")?;
        let subject = Subject {
            variant: Some(0),
            mutant: None,
            fault: String::new(),
            program: variant.program.clone(),
        };
        let cases = bench.suite.cases(&subject)?;
        let subjects = [subject];
        let methods = [
            ("no adjustment".to_owned(), Method::NoAdjustment),
            ("filtering".to_owned(), bench.filter()?),
        ];
        let found = bench.judge(&subjects, &methods)?;
        let mut trials = Trials { bench, subjects: &subjects, known: Vec::new() };
        let mut lines = Vec::new();
        for (name, level) in Level::ALL {
            eprintln!("  learned from {name}");
            let (steerable, examples) = examples(bench, &cases, level)?;
            for (number, kind) in (0..).zip(KINDS) {
                lines.push(trials.line(&steerable, &examples, kind, number)?);
            }
        }
        Ok(Learned {
            about: format!(
                "tolerances learned from {} tests of {}, late only; medians of {TRIALS} trials",
                cases.len(),
                variant.name
            ),
            look_ahead: bench.arguments.look_ahead,
            baselines: [found[0], found[1]],
            lines,
        })
    }

    pub(super) fn table(&self, number: &'static str) -> Table {
        let k = self.look_ahead;
        let [nothing, filtering] = self.baselines;
        let mut rows = vec![
            Row::new(Some("no adjustment"), "no adjustment", nothing),
            Row::new(Some("filtering"), "filtering", filtering),
        ];
        let mut about = format!("{}.", self.about);
        match number {
            "6.29" => {
                let mut thesis = Distribution::default();
                for (label, passes, n) in THESIS_STRICT {
                    thesis.add(label, passes, n);
                }
                about = format!("{}; learned from strict.", self.about);
                rows = vec![Row::new(None, "thesis", thesis)];
                if let Some(line) = self.lines.first() {
                    let [greedy, ahead] = &line.learned;
                    rows.push(median(None, "steering, greedy", greedy));
                    rows.push(median(None, &format!("steering, look-ahead {k}"), ahead));
                }
            }
            "6.30" => {
                about = format!("{}; all levels and metrics.", self.about);
                let mut add =
                    |thesis, name: &str, of: fn(&Line) -> &[Vec<Distribution>; 2], aim| {
                        for (at, how) in
                            ["greedy", &format!("look-ahead {k}")].into_iter().enumerate()
                        {
                            let all: Vec<Distribution> =
                                self.lines.iter().flat_map(|it| &of(it)[at]).copied().collect();
                            let thesis = if at == 0 { thesis } else { None };
                            let row = median(thesis, &format!("{name}, {how}"), &all);
                            rows.push(Row { aim, ..row });
                        }
                    };
                // What the thesis did with its windows, and what it says that one can do.
                let thesis = Some("learned (all)");
                add(None, "learned (all)", |it| &it.learned, HELPS);
                add(thesis, "wider by one", |it| &it.widened, None);
                add(thesis, "tuned", |it| &it.tuned, HELPS);
            }
            _ => {
                for (line, name) in self.lines.iter().zip(LINES) {
                    let row = median(Some(name), &format!("{name}, greedy"), &line.learned[0]);
                    rows.push(Row { aim: HELPS, ..row });
                }
                for (line, name) in self.lines.iter().zip(LINES) {
                    let name = format!("{name}, look-ahead {k}");
                    rows.push(Row { aim: HELPS, ..median(None, &name, &line.learned[1]) });
                }
            }
        }
        Table { number, about, rows, is_detailed: number == "6.29" }
    }
}

/// A line of medians; the counts are those of the trial in the middle.
fn median(thesis: Option<&'static str>, technique: &str, trials: &[Distribution]) -> Row {
    let figures: Vec<Figures> = trials.iter().map(|it| it.measure().into()).collect();
    let mut sorted = trials.to_vec();
    sorted.sort_by(|a, b| a.measure().f_measure().total_cmp(&b.measure().f_measure()));
    Row {
        thesis,
        technique: technique.to_owned(),
        figures: Figures::median(&figures),
        distribution: sorted.get(sorted.len() / 2).copied(),
        aim: None,
    }
}

/// What greedy steering does at a level, step by step, and whether it is right.
fn examples(
    bench: &Bench<'_>,
    cases: &[Case],
    level: Level,
) -> Result<(Vec<VarId>, Vec<Example>), String> {
    let system = bench.suite.system;
    let tolerance = system.tolerance(level)?;
    let steerable = tolerance.steerable.clone();
    let oracle = system.steered(tolerance, Kind::Manhattan, LookAhead::Steps(0), false)?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut steerer = Steerer::new(&oracle);
        let mut found: Vec<(usize, Vec<Example>)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(at) else { return found };
            let outcome = steerer.judge(&observations(&bench.suite, case));
            if let Judgement::Inconclusive(diagnosis) = &outcome.verdict {
                eprintln!("    test {} is not decided: {diagnosis:?}", case.test);
            }
            found.push((at, learn::examples(&steerable, case.trace.len(), &outcome, case.label)));
        }
    };
    let mut found = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..bench.n_threads.max(1)).map(|_| scope.spawn(work)).collect();
        let found: Result<Vec<_>, _> = threads.into_iter().map(|it| it.join()).collect();
        found.map_err(|_| "a thread died".to_owned())
    })?
    .concat();
    found.sort_by_key(|(at, _)| *at);
    Ok((steerable, found.into_iter().flat_map(|(_, examples)| examples).collect()))
}

/// Judges learned windows. Trials often learn the same, so what is known is not judged again.
struct Trials<'t> {
    bench: &'t Bench<'t>,
    subjects: &'t [Subject],
    known: Vec<(Windows, Kind, [Distribution; 2])>,
}

impl Trials<'_> {
    fn line(
        &mut self,
        steerable: &[VarId],
        examples: &[Example],
        kind: Kind,
        number: u64,
    ) -> Result<Line, String> {
        let program = &self.bench.suite.system.oracle;
        let mut line = Line {
            learned: Default::default(),
            widened: Default::default(),
            tuned: Default::default(),
        };
        for trial in 0..TRIALS {
            let seed = self.bench.arguments.seed.wrapping_mul(1000);
            let seed = seed.wrapping_add(TRIALS * number).wrapping_add(trial);
            let options = Options { seed, ..Options::default() };
            let windows = learn::learn(steerable, examples, &options).windows;
            if (number, trial) == (0, 0) {
                eprintln!("    {}", described(program, &windows));
            }
            add(&mut line.learned, self.judge(&windows, kind)?);
            add(&mut line.widened, self.judge(&windows.widened(program, 1), kind)?);
            for (at, tuned) in line.tuned.iter_mut().enumerate() {
                let mut problem = None;
                let found = learn::tune(program, &windows, TUNED_MAX, |windows| {
                    let found = self.judge(windows, kind).map_err(|it| problem = Some(it)).ok()?;
                    Some(found[at].measure())
                });
                if let Some(problem) = problem {
                    return Err(problem);
                }
                let found = found.ok_or("nothing was tuned")?;
                tuned.push(self.judge(&found.windows, kind)?[at]);
            }
        }
        Ok(line)
    }

    fn judge(&mut self, windows: &Windows, kind: Kind) -> Result<[Distribution; 2], String> {
        let known = self.known.iter().find(|(it, of, _)| it == windows && *of == kind);
        if let Some((_, _, found)) = known {
            return Ok(*found);
        }
        let system = self.bench.suite.system;
        let method = |look_ahead: usize| -> Result<Method, String> {
            let tolerance = Tolerance {
                steerable: windows.ranges.iter().map(|(var, _)| *var).collect(),
                conditions: windows.to_tolerances(&system.oracle),
            };
            let ahead = LookAhead::Steps(look_ahead);
            Ok(Method::Steering(Box::new(system.steered(
                tolerance,
                kind,
                ahead,
                look_ahead > 0,
            )?)))
        };
        let methods = [
            ("greedy".to_owned(), method(0)?),
            ("look-ahead".to_owned(), method(self.bench.arguments.look_ahead)?),
        ];
        let found = self.bench.judge(self.subjects, &methods)?;
        let found = [found[0], found[1]];
        self.known.push((windows.clone(), kind, found));
        Ok(found)
    }
}

fn add(trials: &mut [Vec<Distribution>; 2], found: [Distribution; 2]) {
    for (trials, found) in trials.iter_mut().zip(found) {
        trials.push(found);
    }
}

/// Windows, for people.
fn described(program: &Program, windows: &Windows) -> String {
    let mut words = Vec::new();
    for (var, ranges) in &windows.ranges {
        let ranges: Vec<String> =
            ranges.iter().map(|(low, high)| format!("[{low}, {high}]")).collect();
        words.push(format!("{} {}", program.vars[*var].name, ranges.join(" ")));
    }
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_6_29_has_the_precision_of_table_6_28() {
        let mut thesis = Distribution::default();
        for (label, passes, n) in THESIS_STRICT {
            thesis.add(label, passes, n);
        }
        assert!((thesis.measure().precision() - 0.26).abs() < 0.005);
        assert!((thesis.measure().recall() - 1.0).abs() < 1e-9);
    }
}
