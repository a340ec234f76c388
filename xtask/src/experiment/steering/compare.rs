//! Steering beside a filter and beside nothing (tables 6.5 and 6.10), and with looser tolerances (6.14 and
//! 6.21).

use punctual_oracle::steering::{Kind, LookAhead};

use super::Bench;
use super::judge::{Counted, Distribution, Method, judge};
use super::suite::Subject;
use super::system::Level;
use super::table::{Aim, Row, Table};

/// Mutants of each base whose tests are steered at all levels (section 5.4).
const MUTANTS_OF_LEVELS: usize = 5;

/// Greedy F-measures that must be reached at strict tolerances, and those of looking ahead.
const GREEDY: [(&str, f64); 2] = [("6.5", 0.96), ("6.10", 0.95)];
const AHEAD: f64 = 0.98;

impl Bench<'_> {
    /// Greedy steering has no prices in the thesis; looking ahead always has them.
    fn steering(
        &self,
        level: Level,
        kind: Kind,
        look_ahead: usize,
        is_priced: bool,
    ) -> Result<Method, String> {
        let system = self.suite.system;
        let tolerance = system.tolerance(level)?;
        let look_ahead = LookAhead::Steps(look_ahead);
        let oracle = system.steered(tolerance, kind, look_ahead, is_priced)?;
        Ok(Method::Steering(Box::new(oracle)))
    }

    pub(super) fn filter(&self) -> Result<Method, String> {
        let counted = Counted::of(self.suite.system)?;
        let vars: Vec<_> = counted.modes.iter().map(|(var, _)| *var).collect();
        Ok(Method::Filter(Box::new(self.suite.system.filtered(&vars)?), counted))
    }

    /// Judges, and names what is wrong if somebody wants to know.
    pub(super) fn judge(
        &self,
        subjects: &[Subject],
        methods: &[(String, Method)],
    ) -> Result<Vec<Distribution>, String> {
        let (found, wrong) = judge(&self.suite, subjects, methods, self.n_threads)?;
        for wrong in wrong.iter().filter(|it| self.arguments.wrong && it.method >= 2) {
            let subject = &subjects[wrong.subject];
            let variant = subject.variant.map(|it| &self.suite.system.variants[it].name[..]);
            println!(
                "{}: {} {} {}, test {}: {}",
                methods[wrong.method].0,
                variant.unwrap_or("oracle"),
                subject.mutant.map_or_else(String::new, |it| it.to_string()),
                subject.fault,
                wrong.test,
                wrong.label.name(),
            );
        }
        Ok(found)
    }

    fn about(&self, what: &str, n_subjects: usize) -> String {
        let system = self.suite.system.name;
        let n_tests = self.suite.tests.len();
        format!("{what} of {system}; {n_subjects} systems, {n_tests} tests of each.")
    }
}

/// Tables 6.5 and 6.10.
pub(super) fn methods(bench: &Bench<'_>, number: &'static str) -> Result<Table, String> {
    let k = bench.arguments.look_ahead;
    let methods = vec![
        ("no adjustment".to_owned(), Method::NoAdjustment),
        ("filtering".to_owned(), bench.filter()?),
        ("steering, greedy".to_owned(), bench.steering(Level::Strict, Kind::Manhattan, 0, false)?),
        (
            "steering, greedy, squared Euclidean".to_owned(),
            bench.steering(Level::Strict, Kind::SquaredEuclidean, 0, false)?,
        ),
        (
            "steering, greedy, with prices".to_owned(),
            bench.steering(Level::Strict, Kind::Manhattan, 0, true)?,
        ),
        (
            format!("steering, look-ahead {k}"),
            bench.steering(Level::Strict, Kind::Manhattan, k, true)?,
        ),
    ];
    let subjects = bench.suite.subjects(bench.arguments.mutants, bench.arguments.seed);
    let found = bench.judge(&subjects, &methods)?;
    let thesis =
        [Some("no adjustment"), Some("filtering"), Some("steering"), Some("steering"), None, None];
    let mut rows: Vec<Row> = (methods.iter().zip(&found).zip(thesis))
        .map(|(((name, _), found), thesis)| Row::new(thesis, name, *found))
        .collect();
    let greedy = GREEDY.iter().find(|(it, _)| *it == number).map(|(_, least)| *least);
    for row in &mut rows[2..5] {
        row.aim = greedy.map(Aim::FMeasure);
    }
    rows[5].aim = Some(Aim::FMeasure(AHEAD));
    let about = bench.about("verdicts", subjects.len());
    Ok(Table { number, about, rows, is_detailed: true })
}

/// Tables 6.11 and 6.12: one more output, which grows with every difference. A filter can not follow it.
pub(super) fn more(bench: &Bench<'_>) -> Result<Table, String> {
    let methods = vec![
        ("no adjustment".to_owned(), Method::NoAdjustment),
        ("filtering".to_owned(), bench.filter()?),
        ("steering, greedy".to_owned(), bench.steering(Level::Strict, Kind::Manhattan, 0, false)?),
    ];
    let subjects = bench.suite.subjects(bench.arguments.mutants, bench.arguments.seed);
    let found = bench.judge(&subjects, &methods)?;
    let thesis = ["no adjustment", "filtering", "steering"];
    let rows = (methods.iter().zip(&found).zip(thesis))
        .map(|(((name, _), found), thesis)| Row::new(Some(thesis), name, *found))
        .collect();
    let about = bench.about("verdicts, the volume compared, too,", subjects.len());
    Ok(Table { number: "6.12", about, rows, is_detailed: true })
}

/// Tables 6.14 and 6.21.
pub(super) fn levels(bench: &Bench<'_>, number: &'static str) -> Result<Table, String> {
    let k = bench.arguments.look_ahead;
    let mut methods = vec![
        (Some("no adjustment"), "no adjustment".to_owned(), Method::NoAdjustment),
        (Some("filtering"), "filtering".to_owned(), bench.filter()?),
    ];
    for (name, level) in Level::ALL {
        let greedy = bench.steering(level, Kind::Manhattan, 0, false)?;
        methods.push((Some(name), format!("{name}, greedy"), greedy));
    }
    let first_ahead = methods.len();
    for (name, level) in Level::ALL {
        let ahead = bench.steering(level, Kind::Manhattan, k, true)?;
        methods.push((None, format!("{name}, look-ahead {k}"), ahead));
    }
    let n_mutants = bench.arguments.mutants.min(MUTANTS_OF_LEVELS);
    let subjects = bench.suite.subjects(n_mutants, bench.arguments.seed);
    let (thesis, methods): (Vec<_>, Vec<_>) =
        methods.into_iter().map(|(thesis, name, method)| (thesis, (name, method))).unzip();
    let found = bench.judge(&subjects, &methods)?;
    let mut rows: Vec<Row> = (methods.iter().zip(&found).zip(thesis))
        .map(|(((name, _), found), thesis)| Row::new(thesis, name, *found))
        .collect();
    for (at, row) in rows.iter_mut().enumerate().skip(first_ahead + 1) {
        row.aim = Some(Aim::PrecisionOf(at - 1));
    }
    let about = bench.about("looser and looser tolerances", subjects.len());
    Ok(Table { number, about, rows, is_detailed: true })
}
