//! Which requirement was checked where, and what came of it: the suites that lie beside records, and the records.
//!
//! A record tells which checks did not pass. One that was made and is not told passed; one that comes behind the last
//! reading was not reached. Records that name no suite, or whose suite can not be read any more, have no matrix.

use std::collections::BTreeMap;

use punctual_campaign::load;
use punctual_campaign::store::{Judged, Run, Verdict};
use punctual_campaign::summary::{Digest, Summary};
use punctual_lang::suite::export::{Checked, Checks, checks};
use punctual_model::Interface;
use punctual_model::testing::suite::Suite;

use crate::view::matrix::{Check, Matrix, Outcome, Requirement, Row};

/// The requirements of each suite that some run is a case of, in the order of their names.
#[must_use]
pub fn matrices(summary: &Summary, link: &dyn Fn(&Run) -> Option<String>) -> Vec<Matrix> {
    let mut suites: BTreeMap<(&str, &str), Vec<&Digest>> = BTreeMap::new();
    for digest in summary.runs.iter().filter(|it| !it.header.case.is_empty()) {
        if let Some(file) = digest.header.files.iter().find(|file| file.role == "suite") {
            suites.entry((&file.file, &file.hash)).or_default().push(digest);
        }
    }
    let mut matrices = Vec::new();
    for ((file, _), mut runs) in suites {
        // Summaries have the worst run first; here the order is that of the runs.
        runs.sort_by(|a, b| a.run.name.cmp(&b.run.name));
        let read = |digest: &&Digest| load::beside(&digest.run, &digest.header, None, None).ok();
        let Some(judges) = runs.iter().find_map(read) else { continue };
        if let Some(suite) = &judges.suite {
            let mut of_case: BTreeMap<&str, Vec<&Digest>> = BTreeMap::new();
            for digest in runs {
                of_case.entry(&digest.header.case).or_default().push(digest);
            }
            let played = Played { interface: &judges.interface, suite, of_case, link };
            let matrix = played.matrix(file);
            matrices.extend((!matrix.requirements.is_empty()).then_some(matrix));
        }
    }
    matrices
}

/// A suite, and the runs of its cases.
struct Played<'p> {
    interface: &'p Interface,
    suite: &'p Suite,
    of_case: BTreeMap<&'p str, Vec<&'p Digest>>,
    link: &'p dyn Fn(&Run) -> Option<String>,
}

impl Played<'_> {
    fn matrix(&self, suite: &str) -> Matrix {
        let mut requirements: Vec<Requirement> = Vec::new();
        for Checks { requirement, case, checks } in checks(self.suite) {
            if requirements.last().is_none_or(|it| it.name != requirement) {
                requirements.push(Requirement { name: requirement.to_owned(), rows: Vec::new() });
            }
            let row = |digest: Option<&Digest>| Row {
                case: case.to_owned(),
                run: digest.map(|it| (it.run.name.clone(), (self.link)(&it.run))),
                checks: checks.iter().map(|it| self.check(it, digest)).collect(),
            };
            let rows = &mut requirements.last_mut().expect("just pushed").rows;
            match self.of_case.get(case) {
                None => rows.push(row(None)),
                Some(runs) => rows.extend(runs.iter().map(|it| row(Some(it)))),
            }
        }
        let unit_ns = self.interface.time.unit_ns;
        Matrix { suite: suite.to_owned(), unit_ns, requirements }
    }

    fn check(&self, checked: &Checked, digest: Option<&Digest>) -> Check {
        let (result, reason) =
            digest.map_or((Outcome::NotReached, ""), |it| self.result(checked, it));
        Check {
            name: format!("{} {}", checked.kind, checked.number),
            at_ns: checked.at_ns,
            result,
            reason: reason.to_owned(),
        }
    }

    /// What a record says of a check or an output, and why it did not pass.
    fn result<'d>(&self, checked: &Checked, digest: &'d Digest) -> (Outcome, &'d str) {
        let is_it = |it: &&Judged| it.judged == checked.number as u64 && kind(it) == checked.kind;
        let judged = digest.judged.iter().find(is_it);
        let judged = judged.map(|it| (it.verdict, it.reason.as_str()));
        if let Some((verdict, reason)) = judged.or_else(|| blamed(checked, digest)) {
            let result = match verdict {
                Verdict::Pass => Outcome::Passed,
                Verdict::Fail => Outcome::Failed,
                Verdict::Inconclusive => Outcome::Inconclusive,
            };
            return (result, reason);
        }
        // A signal takes as long as the interface says.
        let delays = self.interface.uncertainty;
        let late = |ns: u64| {
            let late_ns =
                [delays.input_ns.1, delays.output_ns.1].into_iter().fold(ns, u64::saturating_add);
            late_ns.saturating_add(delays.late_ns(late_ns))
        };
        let known_ns = checked.to_ns.map_or(checked.at_ns, late);
        let is_reached = match checked.to_ns {
            None => (checked.number as u64) < digest.readings,
            Some(_) => digest.verdict() == Some(Verdict::Pass) || known_ns < digest.last_ns,
        };
        // Only so many lines about single checks are kept, the first ones.
        let is_kept = digest.n_judged == digest.judged.len() as u64
            || digest.judged.last().is_some_and(|it| known_ns < it.at_ns);
        match (is_reached, is_kept) {
            (false, _) => (Outcome::NotReached, ""),
            (true, true) => (Outcome::Passed, ""),
            (true, false) => (Outcome::NotKnown, ""),
        }
    }
}

/// The verdict of the run, if this is what it is about. Older records have no line of an output that was known to
/// be missing at the end only.
fn blamed<'d>(checked: &Checked, digest: &'d Digest) -> Option<(Verdict, &'d str)> {
    let end = digest.end.as_ref()?;
    let reason = end.diagnosis.as_ref()?.explanation.as_str();
    let rest = reason.strip_prefix("Output ").filter(|_| checked.to_ns.is_some())?;
    let number = rest.split([' ', ':']).next()?;
    (number.parse() == Ok(checked.number)).then_some((end.verdict, reason))
}

/// What a line is about. Older records say it in their sentence only.
fn kind(judged: &Judged) -> &str {
    match judged.kind.as_str() {
        "" if judged.reason.starts_with("Output ") => "output",
        "" => "check",
        kind => kind,
    }
}
