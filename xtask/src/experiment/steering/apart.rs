//! How good verdicts are on what no rule was made with: other models, other noise (two-sided, drifting), other seeds.
//!
//! A fault is *masked* in a test if a system without a fault, whose timing differs by no more than tolerated, could have shown the
//! same: no oracle can find it there. An ideal one, which knows what noise there is, finds all others. Tolerances say less than
//! that (which variables, not that a delay is the same throughout a test), so steering passes more. Over all tests of a system, what is
//! systematic shows faults that are masked in each of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use punctual_campaign::summary::{Account, Expected, Steering};
use punctual_model::VarId;
use punctual_oracle::steering::{Kind, Label, LookAhead, Oracle, Outcome, Steerer, Unheld};

use punctual_smc::statistics::clopper_pearson;

use super::judge::observations;
use super::suite::{Case, Subject, Suite};
use super::system::{Budget, Level, System};

/// The systems. Rules were made with the noise of the first two that their own tables have; here they have another one.
pub(super) const SYSTEMS: [&str; 5] = ["infusion", "pacing", "crossing", "heater", "lift"];

/// Tests and faults for which a budget is learned: a seed of their own.
const LEARNED_SEED: u64 = 990_001;
/// A budget is learned from so many tests of each system without a fault for each variable that may be changed. A further test
/// exceeds the largest of `n` with a probability of `1 / (n + 1)` for one variable, so it fails with one of 0.005 for all together.
const LEARNED_TESTS: usize = 200;
/// With which probability a system needs a change is known up to this risk.
const RISK: f64 = 0.01;

/// What a configuration without a budget does.
const OPEN: &str = "look-ahead 2";
/// The method that is recommended.
const LEARNED: &str = "look-ahead 2, learned budget";

/// What is counted of one method on one set.
#[derive(Clone, Default)]
struct Counts {
    /// Tests that should pass: all, and those that do not.
    acceptable: u64,
    alarms: u64,
    /// Tests that should not pass: all, those that do, and those that do although they are not masked.
    wrong: u64,
    missed: u64,
    missed_findable: u64,
    /// Systems with a fault that some test shows, those of which a test does not pass, and those that are found
    /// only since their changes are systematic.
    faulty: u64,
    found: u64,
    found_systematic: u64,
    /// Systems without a fault, and those whose changes are called systematic: by the warning, and as a failure.
    right: u64,
    warned: u64,
    blamed: u64,
}

/// One set, judged by several methods.
pub(super) struct Measured {
    name: String,
    masked: u64,
    methods: Vec<(String, Counts)>,
}

/// What is learned from systems without a fault.
struct Learned {
    budget: Budget,
    expected: Expected,
}

pub(super) fn measure(
    folder: &Path,
    name: &'static str,
    (n_tests, n_mutants, seed): (usize, usize, u64),
) -> Result<Measured, String> {
    let system = System::read_apart(folder, name)?;
    let tolerance = system.tolerance(Level::Strict)?;
    let make = |look_ahead, budget: Budget| {
        system.steered_within(tolerance.clone(), Kind::Manhattan, look_ahead, false, budget)
    };
    let ahead = LookAhead::Steps(2);
    let learned = learn(&system, &make(ahead, Budget::default())?)?;
    let methods = [
        ("greedy", make(LookAhead::Steps(0), Budget::default())?, Expected::default()),
        (
            OPEN,
            make(ahead, Budget { unheld: Unheld::Open, ..Budget::default() })?,
            Expected::default(),
        ),
        (
            "look-ahead 2, held",
            make(ahead, Budget { unheld: Unheld::Nothing, ..Budget::default() })?,
            Expected::default(),
        ),
        (LEARNED, make(ahead, learned.budget.clone())?, learned.expected),
        ("any explanation", make(LookAhead::All, Budget::default())?, Expected::default()),
    ];
    let suite = Suite::new(&system, n_tests, seed)?;
    let subjects = suite.subjects(n_mutants, seed);
    let mut measured = Measured {
        name: name.to_owned(),
        masked: 0,
        methods: methods.iter().map(|it| (it.0.to_owned(), Counts::default())).collect(),
    };
    for subject in &subjects {
        let cases = suite.cases(subject)?;
        let masked: Result<Vec<bool>, String> = (cases.iter())
            .map(|case| Ok(!case.label.should_pass() && suite.is_masked(case)?))
            .collect();
        let masked = masked?;
        measured.masked += masked.iter().filter(|it| **it).count() as u64;
        for ((_, oracle, expected), (_, counts)) in methods.iter().zip(&mut measured.methods) {
            judge(&suite, oracle, expected, subject, &cases, &masked, counts);
        }
    }
    Ok(measured)
}

/// Judges all tests of a system.
fn judge(
    suite: &Suite<'_>,
    oracle: &Oracle,
    expected: &Expected,
    subject: &Subject,
    cases: &[Case],
    masked: &[bool],
    counts: &mut Counts,
) {
    let mut steerer = Steerer::new(oracle);
    let mut account = Account::new("", expected);
    let (mut is_faulty, mut is_found) = (false, false);
    for (case, masked) in cases.iter().zip(masked) {
        let outcome = steerer.judge(&observations(suite, case));
        let passes = outcome.verdict.is_pass();
        add(&mut account, oracle, &outcome);
        match case.label.should_pass() {
            true => {
                counts.acceptable += 1;
                counts.alarms += u64::from(!passes);
            }
            false => {
                counts.wrong += 1;
                counts.missed += u64::from(passes);
                counts.missed_findable += u64::from(passes && !masked);
                is_faulty |= case.label == Label::Fault;
                is_found |= !passes && case.label == Label::Fault;
            }
        }
    }
    let findings = account.findings();
    let is_blamed = findings.iter().any(|it| it.found.is_failure);
    match (subject.mutant.is_some(), is_faulty) {
        (true, true) => {
            counts.faulty += 1;
            counts.found += u64::from(is_found);
            counts.found_systematic += u64::from(!is_found && !findings.is_empty());
        }
        (true, false) => {}
        (false, _) => {
            counts.right += 1;
            counts.warned += u64::from(!findings.is_empty());
            counts.blamed += u64::from(is_blamed);
        }
    }
}

fn add(account: &mut Account, oracle: &Oracle, outcome: &Outcome) {
    let program = oracle.program();
    let name = |var: &VarId| program.vars[*var].name.clone();
    let shows: Vec<String> = outcome.shows.iter().map(name).collect();
    account.add(outcome.verdict.verdict(), &Steering::of(program, outcome), &shows);
}

/// How often each variable may be changed so that no acceptable test of a system without a fault exceeds it, and how often such a
/// system needs each change, at most.
fn learn(system: &System, oracle: &Oracle) -> Result<Learned, String> {
    let suite = Suite::new(system, LEARNED_TESTS * oracle.setup().steerable.len(), LEARNED_SEED)?;
    let mut steerer = Steerer::new(oracle);
    let mut budget = Budget::default();
    for var in &oracle.setup().steerable {
        budget.steps_of.insert(*var, 0);
    }
    let mut expected: BTreeMap<String, f64> = BTreeMap::new();
    for subject in suite.subjects(0, LEARNED_SEED) {
        let mut account = Account::new("", &Expected::default());
        for case in suite.cases(&subject)?.iter().filter(|case| case.label.should_pass()) {
            let outcome = steerer.judge(&observations(&suite, case));
            if !outcome.verdict.is_pass() {
                continue;
            }
            add(&mut account, oracle, &outcome);
            let mut steps: BTreeMap<VarId, u32> = BTreeMap::new();
            for change in outcome.steps.iter().flat_map(|step| &step.changes) {
                *steps.entry(change.var).or_default() += 1;
            }
            for (var, n) in steps {
                let most = budget.steps_of.entry(var).or_default();
                *most = n.max(*most);
            }
        }
        for (name, used) in &account.variables {
            let known = expected.entry(name.clone()).or_default();
            // What is expected is asked of both.
            for counted in [&used.alone, &used.overall] {
                let most = clopper_pearson(counted.shows, counted.changed, RISK).high;
                *known = known.max(most);
            }
        }
    }
    Ok(Learned { expected: Expected(expected), budget })
}

/// What must hold of all sets together, with a learned budget: so much is found, and so few alarms are false.
const RECALL: f64 = 0.97;
const ALARMS: f64 = 10.0 / 1500.0;

/// What is not as it should be.
pub(super) fn problems(all: &[Measured]) -> Vec<String> {
    let mut sum = Counts::default();
    for measured in all {
        let of = measured.methods.iter().filter(|it| it.0 == LEARNED);
        of.for_each(|it| sum.add(&it.1));
    }
    let recall = (sum.wrong - sum.missed) as f64 / sum.wrong.max(1) as f64;
    let alarms = sum.alarms as f64 / sum.acceptable.max(1) as f64;
    let mut problems = Vec::new();
    if recall < RECALL {
        problems.push(format!("apart: recall is {recall:.4}, not {RECALL}"));
    }
    if alarms > ALARMS {
        problems.push(format!("apart: {} false alarms in {} tests", sum.alarms, sum.acceptable));
    }
    problems
}

fn ratio(part: u64, of: u64) -> String {
    match of {
        0 => "-".to_owned(),
        of => format!("{:.3}", part as f64 / of as f64),
    }
}

/// What is shown: tests, then systems.
pub(super) fn text(all: &[Measured]) -> String {
    let mut sum = Measured { name: "all".to_owned(), masked: 0, methods: Vec::new() };
    for measured in all {
        sum.masked += measured.masked;
        for (at, (name, counts)) in measured.methods.iter().enumerate() {
            if sum.methods.len() <= at {
                sum.methods.push((name.clone(), Counts::default()));
            }
            sum.methods[at].1.add(counts);
        }
    }
    let rows =
        || all.iter().chain([&sum]).flat_map(|set| set.methods.iter().map(move |it| (set, it)));
    let mut text = "| tests | should pass | false alarms | should not | masked | missed | recall | ideal recall | recall of \
                    what is findable |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for (set, (name, it)) in rows() {
        let findable = it.wrong - set.masked;
        let _ = writeln!(
            text,
            "| {}, {name} | {} | {} | {} | {} | {} | {} | {} | {} |",
            set.name,
            it.acceptable,
            it.alarms,
            it.wrong,
            set.masked,
            it.missed,
            ratio(it.wrong - it.missed, it.wrong),
            ratio(findable, it.wrong),
            ratio(findable - it.missed_findable, findable),
        );
    }
    text += "\n| systems | with a fault that shows | a test fails | only changes are systematic | without a fault | warned of | \
             called wrong |\n|---|---:|---:|---:|---:|---:|---:|\n";
    for (set, (name, it)) in rows() {
        let _ = writeln!(
            text,
            "| {}, {name} | {} | {} | {} | {} | {} | {} |",
            set.name, it.faulty, it.found, it.found_systematic, it.right, it.warned, it.blamed,
        );
    }
    text
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.acceptable += other.acceptable;
        self.alarms += other.alarms;
        self.wrong += other.wrong;
        self.missed += other.missed;
        self.missed_findable += other.missed_findable;
        self.faulty += other.faulty;
        self.found += other.found;
        self.found_systematic += other.found_systematic;
        self.right += other.right;
        self.warned += other.warned;
        self.blamed += other.blamed;
    }
}
