//! Learned tolerances: tables 6.27 to 6.30.
//!
//! All tests of a variant without faults are steered at a level of tolerances; from what was changed, and
//! from the labels, tolerances are learned ten times; with those the same tests are judged again.

use punctual_model::VarId;
use punctual_oracle::Verdict;
use punctual_oracle::steering::learn::{self, Example, Options};
use punctual_oracle::steering::{Kind, Label, LookAhead, Steerer, Windows};

use super::Bench;
use super::judge::{Distribution, Method, observations};
use super::suite::{Case, Subject};
use super::system::{Level, Tolerance};
use super::table::{Figures, Row, Table};

/// How often tolerances are learned from the same examples.
const TRIALS: u64 = 10;

/// Into how many bands changes are cut. Nearly all steps are not changed, and fill most bands; with TAR3's
/// three, all changes in one direction would be in the same one.
const BANDS: usize = 50;

const KINDS: [(&str, Kind); 2] =
    [("Manhattan", Kind::Manhattan), ("squared Euclidean", Kind::SquaredEuclidean)];

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
    greedy: Vec<Distribution>,
    ahead: Vec<Distribution>,
    /// After all windows were made larger by one on both ends.
    widened: Vec<Distribution>,
    widened_ahead: Vec<Distribution>,
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
            for (metric, kind) in KINDS {
                eprintln!("  learned from {name} ({metric})");
                let (steerable, examples) = examples(bench, &cases, level, kind)?;
                lines.push(trials.line(&steerable, &examples, kind)?);
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
                    rows.push(median(None, "steering, greedy", &line.greedy));
                    rows.push(median(None, &format!("steering, look-ahead {k}"), &line.ahead));
                }
            }
            "6.30" => {
                about = format!("{}; windows wider by one on both ends.", self.about);
                let all = |of: fn(&Line) -> &Vec<Distribution>| -> Vec<Distribution> {
                    self.lines.iter().flat_map(of).copied().collect()
                };
                let (greedy, ahead) = (all(|it| &it.widened), all(|it| &it.widened_ahead));
                rows.push(median(Some("learned (all)"), "learned (all), greedy", &greedy));
                rows.push(median(None, &format!("learned (all), look-ahead {k}"), &ahead));
            }
            _ => {
                for (line, name) in self.lines.iter().zip(LINES) {
                    rows.push(median(Some(name), &format!("{name}, greedy"), &line.greedy));
                }
                for (line, name) in self.lines.iter().zip(LINES) {
                    rows.push(median(None, &format!("{name}, look-ahead {k}"), &line.ahead));
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

/// What steering does at a level, step by step, and whether it is right.
fn examples(
    bench: &Bench<'_>,
    cases: &[Case],
    level: Level,
    kind: Kind,
) -> Result<(Vec<VarId>, Vec<Example>), String> {
    let system = bench.suite.system;
    let tolerance = system.tolerance(level)?;
    let steerable = tolerance.steerable.clone();
    let oracle = system.steered(tolerance, kind, LookAhead::Steps(0), false, true)?;
    let mut steerer = Steerer::new(&oracle);
    let mut found = Vec::new();
    for case in cases {
        let mut outcome = steerer.judge(&observations(&bench.suite, case));
        match outcome.verdict {
            Verdict::Pass => {}
            // Steering did not change the verdict, so no step of it is right or wrong (section 3.4).
            Verdict::Fail(_) => outcome.steps.clear(),
            // What a solver did not decide teaches nothing.
            Verdict::Inconclusive(_) => continue,
        }
        found.extend(learn::examples(&steerable, case.trace.len(), &outcome, case.label));
    }
    Ok((steerable, found))
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
    ) -> Result<Line, String> {
        let program = &self.bench.suite.system.oracle;
        let mut line = Line {
            greedy: Vec::new(),
            ahead: Vec::new(),
            widened: Vec::new(),
            widened_ahead: Vec::new(),
        };
        for trial in 0..TRIALS {
            let seed = self.bench.arguments.seed.wrapping_mul(1000).wrapping_add(trial);
            let options = Options { seed, granularity: BANDS, ..Options::default() };
            let windows = learn::learn(program, steerable, examples, &options).windows;
            let wider = windows.widened(program, 1);
            let [greedy, ahead] = self.judge(windows, kind)?;
            line.greedy.push(greedy);
            line.ahead.push(ahead);
            let [greedy, ahead] = self.judge(wider, kind)?;
            line.widened.push(greedy);
            line.widened_ahead.push(ahead);
        }
        Ok(line)
    }

    fn judge(&mut self, windows: Windows, kind: Kind) -> Result<[Distribution; 2], String> {
        let known = self.known.iter().find(|(it, of, _)| *it == windows && *of == kind);
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
                false,
            )?)))
        };
        let methods = [
            ("greedy".to_owned(), method(0)?),
            ("look-ahead".to_owned(), method(self.bench.arguments.look_ahead)?),
        ];
        let found = self.bench.judge(self.subjects, &methods)?;
        let found = [found[0], found[1]];
        self.known.push((windows, kind, found));
        Ok(found)
    }
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
