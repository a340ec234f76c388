//! What steering came to, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use punctual_campaign::steering::{Budget, Judged, Lesson};
use punctual_campaign::summary::{Account, Expected, Steering};
use punctual_lang::steering::key;
use punctual_lang::values;
use punctual_model::lustre::{Program, Rational, Type, Value};
use punctual_model::{VarId, Verdict};
use punctual_oracle::Judgement;
use punctual_oracle::steering::learn::Treatment;
use punctual_oracle::steering::{
    Before, Diagnosis, Doubt, Effort, Limit, Measure, Outcome, StepReport, Why,
};
use punctual_smc::statistics::clopper_pearson;
use serde_json::{Value as Json, json};

use crate::answers::{count, grouped};
use crate::runs::steered_text;
use crate::table::aligned;
use crate::view::runs::SteeredSystem;
use crate::view::steering as view;

/// What is said of shares holds with this much doubt.
const RISK: f64 = 0.01;

/// Names, then numbers: how verdicts came out.
#[derive(Clone, Debug, Default)]
struct Row {
    name: String,
    n_tests: u64,
    passed: u64,
    failed: u64,
    inconclusive: u64,
    steered: u64,
    account: Account,
    labelled: u64,
    before: Measure,
    after: Measure,
    filter: Option<Measure>,
}

impl Row {
    fn new(name: &str, expected: &Expected, n_steerable: usize) -> Row {
        let account = Account::new(name, expected).over(n_steerable);
        Row { name: name.to_owned(), account, ..Row::default() }
    }

    fn add(&mut self, program: &Program, judged: &Judged) {
        let outcome = &judged.outcome;
        let was_right = passed_before(outcome);
        self.n_tests += 1;
        let count = match outcome.verdict {
            Judgement::Pass => &mut self.passed,
            Judgement::Fail(_) => &mut self.failed,
            Judgement::Inconclusive(_) => &mut self.inconclusive,
        };
        *count += 1;
        self.steered += u64::from(outcome.n_steered);
        let shows: Vec<String> =
            outcome.shows.iter().map(|var| program.vars[*var].name.clone()).collect();
        let changes = Steering::of(program, outcome);
        self.account.add(outcome.verdict.verdict(), &changes, &shows);
        if let Some(label) = judged.label {
            self.labelled += 1;
            self.before.add(label, was_right);
            self.after.add(label, outcome.verdict.is_pass());
            if let Some(passes) = judged.filtered {
                self.filter.get_or_insert_default().add(label, passes);
            }
        }
    }
}

/// Whether it passes as it is. What is wrong although nothing differs has nothing to do with steering: samples without a step, or
/// inputs that the model says nothing about.
fn passed_before(outcome: &Outcome) -> bool {
    outcome.before.is_match() && outcome.verdict.is_pass()
}

/// All tests so far.
pub struct Summary<'p> {
    program: &'p Program,
    rows: Vec<Row>,
    total: Row,
    effort: Effort,
    doubt: Doubt,
    details: String,
    n_details: usize,
    n_hidden: usize,
    /// The properties that do not hold in some tests, each with their number and the first one.
    violated: BTreeMap<String, (u64, String)>,
    /// How many steps have no sample, and how many samples no step.
    n_lost: u64,
    n_extra: u64,
    expected: Expected,
    /// How many variables may be changed.
    n_steerable: usize,
    /// The largest cost, and the largest number of steered steps, of a test that passes by changes.
    costliest: Option<(Rational, u32)>,
}

impl<'p> Summary<'p> {
    /// Shows at most so many tests that do not pass. `expected` is how often a right system is explained by changes of the variables, so many,
    /// that may be changed.
    pub fn new(
        program: &'p Program,
        n_details: usize,
        expected: Expected,
        n_steerable: usize,
    ) -> Summary<'p> {
        Summary {
            program,
            rows: Vec::new(),
            total: Row::new("all", &Expected::default(), n_steerable),
            expected,
            n_steerable,
            violated: BTreeMap::new(),
            n_lost: 0,
            n_extra: 0,
            costliest: None,
            effort: Effort::default(),
            doubt: Doubt::default(),
            details: String::new(),
            n_details,
            n_hidden: 0,
        }
    }

    /// Adds a test.
    pub fn add(&mut self, judged: &Judged) {
        let name = &judged.system.name;
        if self.rows.last().is_none_or(|row| row.name != *name) {
            self.rows.push(Row::new(name, &self.expected, self.n_steerable));
        }
        if let Some(row) = self.rows.last_mut() {
            row.add(self.program, judged);
        }
        self.total.add(self.program, judged);
        let outcome = &judged.outcome;
        self.n_lost += judged.steps.iter().filter(|it| it.system.is_empty()).count() as u64;
        self.n_extra += judged.extra.len() as u64;
        for it in violated(self.program, outcome) {
            let first = || format!("{name}, test {}, step {}", judged.test, it.step);
            self.violated.entry(it.property).or_insert_with(|| (0, first())).0 += 1;
        }
        if outcome.verdict.is_pass() && outcome.n_steered > 0 {
            let (cost, steps) = self.costliest.unwrap_or_default();
            self.costliest = Some((cost.max(outcome.cost), steps.max(outcome.n_steered)));
        }
        self.effort = self.effort.plus(judged.outcome.effort);
        self.doubt.add(&judged.outcome.doubt);
        if !judged.outcome.verdict.is_pass() {
            match self.n_details {
                0 => self.n_hidden += 1,
                _ => {
                    self.n_details -= 1;
                    self.details.push_str(&detail(self.program, judged));
                }
            }
        }
    }

    /// How many tests pass, fail, and are inconclusive.
    pub fn counts(&self) -> (u64, u64, u64) {
        (self.total.passed, self.total.failed, self.total.inconclusive)
    }

    /// The tests of each system.
    #[must_use]
    pub fn systems(&self) -> Vec<SteeredSystem> {
        self.rows.iter().map(|row| SteeredSystem::of(&row.account)).collect()
    }

    /// Whether changes of a system are systematic although it was stated that they are rare.
    #[must_use]
    pub fn is_systematic(&self) -> bool {
        self.rows.iter().any(|row| row.account.is_failure())
    }

    /// What the tests that pass by changes took at most, as a budget that would allow no more; None if none does.
    #[must_use]
    pub fn budget(&self) -> Option<String> {
        let (cost, steps) = self.costliest?;
        let steps = format!("`steered-steps = {steps}`");
        // What costs nothing is not limited by what it may cost.
        Some(match cost > Rational::from_integer(0) {
            true => format!("`total-cost = {}`, {steps}", cost_text(cost)),
            false => steps,
        })
    }

    /// A line while it goes on.
    pub fn progress(&self) -> String {
        let (passed, failed, inconclusive) = self.counts();
        let name = self.rows.last().map_or("", |row| &row.name);
        format!(
            "{} tests: {passed} pass, {failed} fail, {inconclusive} inconclusive; {name}",
            grouped(self.total.n_tests)
        )
    }

    /// The whole story.
    pub fn render(&self, elapsed: Duration, n_threads: usize) -> String {
        let mut text = self.details.clone();
        if self.n_hidden > 0 {
            let _ = writeln!(
                text,
                "… and {} more that do not pass; `--details N` or `--json` shows them",
                grouped(self.n_hidden as u64)
            );
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&self.table());
        let steered = steered_text(&self.systems());
        if !steered.is_empty() {
            text.push('\n');
            text.push_str(&steered);
        }
        for (property, (n, first)) in &self.violated {
            let _ = writeln!(
                text,
                "WARNING  the model breaks its property `{property}` in what explains {} (first: {first})",
                match n {
                    1 => "1 test".to_owned(),
                    n => format!("{} tests", grouped(*n)),
                }
            );
        }
        if self.n_lost > 0 {
            let _ = writeln!(
                text,
                "{} no sample of the system, and {} compared with nothing",
                count(self.n_lost, "step has", "steps have"),
                if self.n_lost == 1 { "is" } else { "are" },
            );
        }
        if self.n_extra > 0 {
            let _ = writeln!(
                text,
                "{} of the system {} to no step; each must show what the step before or behind it shows",
                count(self.n_extra, "sample", "samples"),
                if self.n_extra == 1 { "belongs" } else { "belong" },
            );
        }
        text.push_str(&self.measures());
        let effort = &self.effort;
        if effort.queries > 0 {
            let solved = match effort.solved {
                0 => String::new(),
                n => format!(", {} by the solver", grouped(n)),
            };
            let _ = writeln!(
                text,
                "{}{solved}, {} tried, at most {} at once; {:.1} s on {}",
                count(effort.queries, "search", "searches"),
                count(effort.steps, "step", "steps"),
                count(effort.candidates as u64, "state", "states"),
                elapsed.as_secs_f64(),
                count(n_threads as u64, "thread", "threads"),
            );
        }
        if self.doubt.has_limits() {
            let _ = writeln!(
                text,
                "Some candidates were left out ({} of `[limits]`): there may be cheaper explanations, also of what \
                 is inconclusive.",
                limits(self.doubt.limits())
            );
        }
        text
    }

    fn table(&self) -> String {
        let labelled = self.total.labelled > 0;
        let mut lines = vec![
            [
                "system",
                "tests",
                "pass as is",
                "by changes",
                "fail",
                "inconclusive",
                "steered steps",
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        if labelled {
            lines[0].extend(["precision", "recall", "F"].map(str::to_owned));
        }
        let rows = match self.rows.len() {
            1 => &self.rows[..],
            _ => &[&self.rows[..], std::slice::from_ref(&self.total)].concat(),
        };
        for row in rows {
            let numbers = [
                row.n_tests,
                row.account.as_is,
                row.account.by_changes,
                row.failed,
                row.inconclusive,
                row.steered,
            ];
            let mut line = vec![row.name.clone()];
            line.extend(numbers.map(grouped));
            if labelled {
                let of = row.after;
                let measures = [of.precision(), of.recall(), of.f_measure()];
                line.extend(measures.map(|it| match row.labelled {
                    0 => "-".to_owned(),
                    _ => format!("{it:.3}"),
                }));
            }
            lines.push(line);
        }
        aligned(&lines)
    }

    fn measures(&self) -> String {
        let row = &self.total;
        if row.labelled == 0 {
            return String::new();
        }
        let mut lines =
            vec![["", "precision", "recall", "F", "false alarms", "missed"].map(str::to_owned)];
        let mut line = |name: &str, of: Measure| {
            let ratio = |it: f64| format!("{it:.3}");
            lines.push([
                name.to_owned(),
                ratio(of.precision()),
                ratio(of.recall()),
                ratio(of.f_measure()),
                grouped(of.false_positives),
                grouped(of.false_negatives),
            ]);
        };
        line("no adjustment", row.before);
        if let Some(filter) = row.filter {
            line("filter", filter);
        }
        line("steering", row.after);
        let lines: Vec<Vec<String>> = lines.iter().map(|line| line.to_vec()).collect();
        format!("\n{}\n", aligned(&lines))
    }
}

/// A value as the model writes it.
fn value(program: &Program, var: VarId, value: Value) -> String {
    match (program.vars[var].ty, value) {
        (Type::Enum(id), Value::Enum(at)) => {
            let name = program.enums[id].values.get(at as usize);
            name.cloned().unwrap_or_else(|| at.to_string())
        }
        (_, Value::Real(it)) => rational(it),
        _ => value.to_string(),
    }
}

fn rational(it: Rational) -> String {
    if it.is_integer() { it.numer().to_string() } else { format!("{}/{}", it.numer(), it.denom()) }
}

/// A cost as configurations have it: a decimal. One that has none is rounded up, so that it allows what it was taken from.
fn cost_text(it: Rational) -> String {
    let exact = if it.is_integer() { rational(it) } else { values::real(it) };
    if !exact.contains('/') {
        return exact;
    }
    const PLACES: i128 = 1_000_000;
    let (whole, rest) = (it.numer() / it.denom(), it.numer() % it.denom());
    let rest = rest.checked_mul(PLACES).map_or(PLACES, |rest| rest / it.denom() + 1);
    values::real(Rational::from_integer(whole) + Rational::new(rest, PLACES))
}

fn changes(program: &Program, report: &StepReport) -> String {
    let mut parts = Vec::new();
    for change in &report.changes {
        let (from, to) =
            (value(program, change.var, change.from), value(program, change.var, change.to));
        let name = &program.vars[change.var].name;
        parts.push(match from == to {
            // A local that other changes would change.
            true => format!("{name} stays {to}"),
            false => format!("{name} {from} → {to}"),
        });
    }
    parts.join(", ")
}

/// A test that does not pass: where, and what was tried.
fn detail(program: &Program, judged: &Judged) -> String {
    let outcome = &judged.outcome;
    let (word, diagnosis) = match &outcome.verdict {
        Judgement::Pass => return String::new(),
        Judgement::Fail(diagnosis) => ("FAIL", diagnosis),
        Judgement::Inconclusive(diagnosis) => ("INCONCLUSIVE", diagnosis),
    };
    let name = &judged.system.name;
    let mut text = format!(
        "{word}  {name}, test {}, step {}: {}\n",
        judged.test,
        diagnosis.step,
        judged.why.as_deref().unwrap_or_default()
    );
    for report in &outcome.steps {
        let changed = changes(program, report);
        let step = report.step;
        if report.differences.is_empty() {
            let _ = writeln!(text, "      step {step}: explained by {changed}");
            continue;
        }
        let differences: Vec<String> = report
            .differences
            .iter()
            .map(|(var, model, system)| {
                let name = &program.vars[*var].name;
                let (model, system) = (value(program, *var, *model), value(program, *var, *system));
                format!("{name} is {system}, the model has {model}")
            })
            .collect();
        let nearest = match changed.is_empty() {
            true => String::new(),
            false => format!(" (nearest, by {changed})"),
        };
        let _ = writeln!(text, "      step {step}: {}{nearest}", differences.join("; "));
    }
    text
}

/// Names of limits, as configurations have them.
fn limits(reached: impl Iterator<Item = Limit>) -> String {
    reached.map(|it| format!("`{}`", it.name())).collect::<Vec<_>>().join(", ")
}

/// The verdict without steering.
fn before(outcome: &Outcome) -> Verdict {
    let is_stray = |it: &Diagnosis| matches!(it.why, Why::Stray { is_open: false });
    match outcome.before {
        // Nothing is steered away that belongs to no step.
        _ if outcome.verdict.reason().is_some_and(is_stray) => Verdict::Fail,
        // The system may do anything behind a step of which the model says nothing.
        Before { first_mismatch: Some(mismatch), unassumed: Some(at), .. } if at <= mismatch => {
            Verdict::Inconclusive
        }
        Before { first_mismatch: Some(_), .. } => Verdict::Fail,
        Before { stopped: Some(_), .. } => Verdict::Inconclusive,
        _ => outcome.verdict.verdict(),
    }
}

/// A test, as `--json` prints it on a line.
#[must_use]
pub fn test(program: &Program, judged: &Judged) -> view::Test {
    let outcome = &judged.outcome;
    let step = |report: &StepReport| view::Step {
        step: report.step,
        before: report.before.map(number),
        after: number(report.after),
        changes: report
            .changes
            .iter()
            .map(|change| view::Change {
                variable: program.vars[change.var].name.clone(),
                from: json_value(program, change.var, change.from),
                to: json_value(program, change.var, change.to),
            })
            .collect(),
    };
    let diagnosis = outcome.verdict.reason();
    view::Test {
        system: judged.system.name.clone(),
        test: judged.test,
        before: before(outcome).name(),
        after: outcome.verdict.verdict().name(),
        first_mismatch: outcome.before.first_mismatch,
        mismatches: outcome.before.n_mismatches,
        steered_steps: outcome.n_steered,
        cost: number(outcome.cost),
        change: number(outcome.change),
        remaining: number(outcome.remaining),
        steps: outcome.steps.iter().map(step).collect(),
        failed_step: diagnosis.map(|it| it.step),
        cause: diagnosis.map(|it| it.cause().name()),
        why: judged.why.clone(),
        violated: violated(program, outcome),
        lost: judged.steps.iter().filter(|it| it.system.is_empty()).count(),
        extra: judged.extra.len(),
        label: judged.label.map(|it| it.name()),
        filter: judged
            .filtered
            .map(|passes| if passes { Verdict::Pass.name() } else { Verdict::Fail.name() }),
        bounded: outcome.doubt.has_limits(),
    }
}

fn violated(program: &Program, outcome: &Outcome) -> Vec<view::Violated> {
    let of = |(at, step): &(usize, usize)| view::Violated {
        property: program.properties[*at].0.clone(),
        step: *step,
    };
    outcome.violated.iter().map(of).collect()
}

fn json_value(program: &Program, var: VarId, it: Value) -> Json {
    match it {
        Value::Bool(it) => json!(it),
        Value::Int(it) => json!(it),
        Value::Real(it) => number(it),
        Value::Enum(_) => json!(value(program, var, it)),
    }
}

/// Whole numbers as such, others as doubles; what does not fit as text.
fn number(it: Rational) -> Json {
    if it.is_integer() {
        return match i64::try_from(*it.numer()) {
            Ok(it) => json!(it),
            Err(_) => json!(it.to_string()),
        };
    }
    json!(*it.numer() as f64 / *it.denom() as f64)
}

/// What was learned.
pub fn lesson(program: &Program, steerable: &[VarId], lesson: &Lesson) -> String {
    let mut text = String::new();
    let mut shares = |title: &str, shares: [f64; 3]| {
        let names = ["not changed", "changed incorrectly", "changed correctly"];
        let of = names.iter().zip(shares).map(|(name, it)| format!("{:.1} % {name}", it * 100.0));
        let _ = writeln!(text, "{title}: {}", of.collect::<Vec<_>>().join(", "));
    };
    shares("Steps", lesson.learned.base);
    if let Some(best) = lesson.learned.best {
        shares("Steps of the best treatment", best);
    }
    let mut list = |title: &str, treatments: &[Treatment]| {
        let _ = writeln!(text, "{title}");
        for treatment in treatments {
            let ranges: Vec<String> = treatment
                .ranges
                .iter()
                .filter_map(|range| {
                    let name = &program.vars[*steerable.get(range.attribute)?].name;
                    Some(format!("{name} {}..{}", rational(range.low), rational(range.high)))
                })
                .collect();
            let (lift, support) = (treatment.lift, treatment.support);
            let _ = writeln!(text, "  {lift:>7.3} {support:>6.2}  {}", ranges.join(", "));
        }
    };
    list("Correct steering (lift, support, changes):", &lesson.learned.good);
    list("Incorrect steering:", &lesson.learned.bad);
    let _ = writeln!(text, "Tolerances, windows wider by {} on both ends:", lesson.tuned.by);
    for (var, ranges) in &lesson.tuned.windows.ranges {
        let ranges: Vec<String> = ranges
            .iter()
            .map(|(low, high)| format!("{}..{}", rational(*low), rational(*high)))
            .collect();
        let _ = writeln!(text, "  {} {}", program.vars[*var].name, ranges.join(", "));
    }
    for (name, of) in [("as learned", lesson.measure), ("tuned", lesson.tuned.measure)] {
        let _ = writeln!(
            text,
            "{name}: precision {:.3}, recall {:.3}, F {:.3}",
            of.precision(),
            of.recall(),
            of.f_measure()
        );
    }
    if lesson.tuned.windows.ranges.is_empty() {
        text.push_str("WARNING  what was learned locks everything: no test passes by a change\n");
    }
    text.push_str(&budget(program, "the learned tolerances", &lesson.budget));
    if let Some(given) = &lesson.given {
        text.push_str(&budget(program, "the tolerances of the configuration", given));
    }
    text
}

/// A budget that was learned, and how far it holds.
fn budget(program: &Program, of: &str, budget: &Budget) -> String {
    let mut text = String::new();
    let Budget { tests, failed, is_apart, .. } = *budget;
    if tests == 0 {
        return text;
    }
    let all = count(tests, "test that should pass", "tests that should pass");
    if failed > 0 {
        let _ = write!(text, "WARNING  with {of}, {} of {all} do not pass", grouped(failed));
        let _ = match is_apart {
            true => {
                let most = clopper_pearson(tests, failed, RISK).high;
                writeln!(
                    text,
                    ": of all such tests {:.1} % at most (with 99 % confidence), whatever the budget",
                    most * 100.0
                )
            }
            false => writeln!(text),
        };
    }
    if budget.steps.is_empty() {
        return text;
    }
    let _ = write!(text, "A budget for {of}, from {all}");
    let _ = match (is_apart, failed) {
        (false, _) => writeln!(
            text,
            " (the tolerances were learned from the same tests, so a further one may well need more):"
        ),
        (true, 0) => writeln!(
            text,
            " (a further one exceeds it with a probability of {:.4} at most: 1/{} for each of {} limits):",
            budget.risk(),
            tests + 1,
            budget.limits(),
        ),
        (true, _) => writeln!(text, " (of those that pass):"),
    };
    let name = |var: &VarId| key(&program.vars[*var].name);
    let steps = budget.steps.iter().map(|(var, n)| format!("{} = {n}", name(var)));
    let _ = writeln!(
        text,
        "  [policy]\n  steered-steps = {{ \"*\" = 0, {} }}\n  total-cost = {}",
        steps.collect::<Vec<_>>().join(", "),
        cost_text(budget.cost),
    );
    text
}
