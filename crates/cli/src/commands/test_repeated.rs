//! `punctual test` of a suite whose cases have probabilities.

use clap::{Args, ValueEnum};
use punctual_campaign::prepare::Prepared;
use punctual_campaign::repeated::{Options, prepare, repeat};
use punctual_campaign::run::Recording;
use punctual_campaign::store::Verdict;
use punctual_lang::testing;
use punctual_report::{fill, repeated as report, view};

use super::replay::code;
use crate::{Stop, print_or_end, progress};

/// How cases with probabilities are judged.
#[derive(Args, Clone, Debug)]
pub(crate) struct Repeating {
    /// The rule that says when a case was executed often enough
    #[arg(long, value_enum, default_value_t, help_heading = "Suites with probabilities")]
    rule: RuleChoice,
    /// How far the system may be from the model's probability
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.05,
        help_heading = "Suites with probabilities"
    )]
    tolerance: f64,
    /// The rate of false alarms; of the whole suite, unless `--each`
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.05,
        help_heading = "Suites with probabilities"
    )]
    alpha: f64,
    /// The rate of misses; of the whole suite, unless `--each`
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.05,
        help_heading = "Suites with probabilities"
    )]
    beta: f64,
    /// The rates are those of each case
    #[arg(long, help_heading = "Suites with probabilities")]
    each: bool,
    /// Executions of a case, at most [default: 400; 100 for the rule of the paper]
    #[arg(long, value_name = "N", help_heading = "Suites with probabilities")]
    executions: Option<u64>,
    /// Bench time of a reset before each execution, such as `2s`; for the plan
    #[arg(
        long,
        value_name = "TIME",
        default_value = "0s",
        help_heading = "Suites with probabilities"
    )]
    reset: String,
    /// Say how many executions a right system takes and how long that is, and run nothing
    #[arg(long, help_heading = "Suites with probabilities")]
    plan: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
enum RuleChoice {
    /// A sequential test with exact error rates
    #[default]
    Sequential,
    /// The rule of the STUIOS paper: intervals that overlap
    Paper,
}

impl Repeating {
    /// Repeats all cases, and shows what came of it.
    pub(crate) fn run(
        &self,
        prepared: &Prepared,
        recording: Option<&Recording>,
        threads: Option<usize>,
        (json, quiet): (bool, bool),
    ) -> Result<u8, Stop> {
        let reset_ns = testing::parse_duration(&self.reset, 1_000_000_000)
            .map_err(|why| Stop::Message(format!("`--reset {}`: {why}", self.reset)))?;
        let is_paper = self.rule == RuleChoice::Paper;
        let options = Options {
            paper: is_paper,
            tolerance: self.tolerance,
            alpha: self.alpha,
            beta: self.beta,
            each: self.each || is_paper,
            executions: self.executions.unwrap_or(if is_paper { 100 } else { 400 }),
        };
        let plan = &prepared.plan;
        let suite = plan.judges.suite.as_ref();
        let given = suite.map_or(&[][..], |suite| &suite.cases);
        let mut cases = prepare(given, &options).map_err(Stop::Message)?;
        let n = cases.len();
        let planned: f64 = cases.iter().map(|case| case.planned).sum();
        let time_ns = |case: &punctual_campaign::repeated::Repeated| {
            case.planned * (case.duration_ns.saturating_add(reset_ns)) as f64
        };
        let hours = cases.iter().map(time_ns).sum::<f64>() / 3.6e12;
        if !quiet && !json {
            eprintln!(
                "plan: {n} cases, about {planned:.0} executions of a right system, {hours:.2} h of its time"
            );
        }
        if self.plan {
            return Ok(crate::PASS);
        }
        progress::listen_to_the_user();
        let mut watcher = progress::Watcher::new(1, 1, !quiet && !json);
        let n_threads = match (plan.is_parallel(), threads) {
            (false, _) => 1,
            (true, Some(threads)) => threads.max(1),
            (true, None) => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let stop = progress::stop();
        let done =
            repeat(plan, &mut cases, &options, n_threads, recording, stop, |runs, judged| {
                watcher.draw(|_| format!("{runs} executions, {judged} of {n} cases judged"));
            });
        drop(watcher);
        let n_executions: u64 = cases.iter().map(|case| case.executions).sum();
        if let (Err(trouble), 0) = (&done, n_executions) {
            return Err(Stop::Message(trouble.to_string()));
        }
        let worst = cases.iter().map(punctual_campaign::repeated::Repeated::verdict).max();
        let worst = worst.unwrap_or(Verdict::Inconclusive);
        let rules = cases.iter().flat_map(|case| &case.sequences);
        let view = view::repeated::Repeated {
            cases: cases.iter().map(fill::repeated::case).collect(),
            executions: n_executions,
            guarantee: match (options.each, rules.map(|it| it.rule.guarantee()).next()) {
                (true, Some(guarantee)) => guarantee,
                _ => format!(
                    "A right suite fails with probability {} at most; a case within {} of the model's probability is right.",
                    options.alpha, options.tolerance
                ),
            },
            stopped: progress::stopped(),
            trouble: done.as_ref().err().map(ToString::to_string),
            verdict: worst.name().to_owned(),
        };
        let code = code(Some(worst));
        let text = if json { view::json(&view) } else { report::text(&view) };
        print_or_end(&text, code)?;
        if let Some(trouble) = &view.trouble {
            eprintln!("error: after {n_executions} executions: {trouble}");
        }
        Ok(code)
    }
}
