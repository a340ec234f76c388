//! `punctual test` of a suite whose cases have probabilities.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};
use punctual_campaign::prepare::Prepared;
use punctual_campaign::repeated::{
    Least, Options, Repeated, Shifts, Tolerance, prepare, recorded, repeat, resets,
};
use punctual_campaign::run::Recording;
use punctual_campaign::store::Verdict;
use punctual_lang::testing;
use punctual_model::testing::suite::Case;
use punctual_report::{fill, repeated as report, view};
use punctual_smc::statistics::Interval;

use super::replay::code;
use crate::{Stop, print_or_end, progress};

/// How cases with probabilities are judged.
#[derive(Args, Clone, Debug)]
pub(crate) struct Repeating {
    /// The rule that says when a case was executed often enough
    #[arg(long, value_enum, default_value_t, help_heading = "Suites with probabilities")]
    rule: RuleChoice,
    /// How far the system may be from the model: a probability, or with a unit a time (`85ms`) by which all that it shows may come
    /// later or earlier
    #[arg(
        long,
        value_name = "P|TIME",
        default_value = "0.05",
        help_heading = "Suites with probabilities"
    )]
    tolerance: String,
    /// The rate of false alarms; of the whole suite, unless `--each`
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.05,
        help_heading = "Suites with probabilities"
    )]
    alpha: f64,
    /// For the rule of the paper: the confidence of its intervals. The system's interval must be at most 2 (1 - confidence) wide [default: 0.95]
    #[arg(
        long,
        value_name = "P",
        conflicts_with = "alpha",
        help_heading = "Suites with probabilities"
    )]
    confidence: Option<f64>,
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
    /// Go on where the records of an interrupted suite end: those in the folder of `--record` with the same files, seed, system and options
    #[arg(long, conflicts_with = "no_record", help_heading = "Suites with probabilities")]
    resume: bool,
    /// Say how many executions a right system takes, how long that is and which deviations and shifts it finds, and run nothing. On a platform: how much of
    /// the suite happens as intended, in how many runs and hours, and whose delays cost most
    #[arg(long, help_heading = "Suites with probabilities")]
    pub(crate) plan: bool,
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
    /// Records say how the suite is judged, and a tolerance in time makes a system that is later right.
    pub(crate) fn prepare(&self, prepared: &mut Prepared) -> Result<(), Stop> {
        prepared.repeats(&self.options()?);
        Ok(())
    }

    /// Other suites are not resumed.
    pub(crate) fn is_not_for_others(&self) -> Result<(), Stop> {
        let said = [
            (self.resume, "`--resume` is for suites with probabilities; this one has none"),
            (
                self.plan,
                "`--plan` is for suites with probabilities and for platforms; this one has none of them",
            ),
            (
                self.reset_ns()? != 0,
                "`--reset` is for plans (`--plan`) and for suites with probabilities: it changes nothing else",
            ),
        ];
        match said.iter().find(|(is_said, _)| *is_said) {
            None => Ok(()),
            Some((_, why)) => Err(Stop::Message((*why).to_owned())),
        }
    }

    /// How long the system needs for a reset.
    pub(crate) fn reset_ns(&self) -> Result<u64, Stop> {
        testing::parse_duration(&self.reset, 1_000_000_000)
            .map_err(|why| Stop::Message(format!("`--reset {}`: {why}", self.reset)))
    }

    /// How the suite is judged.
    fn options(&self) -> Result<Options, Stop> {
        let is_paper = self.rule == RuleChoice::Paper;
        if self.confidence.is_some() && !is_paper {
            let why = "`--confidence` is for `--rule paper`; `--alpha` and `--beta` are the error rates of the sequential test";
            return Err(Stop::Message(why.to_owned()));
        }
        if let Some(confidence) = self.confidence.filter(|it| !(*it > 0.0 && *it < 1.0)) {
            let why = format!("`--confidence {confidence}` must be between 0 and 1");
            return Err(Stop::Message(why));
        }
        Ok(Options {
            paper: is_paper,
            tolerance: self.tolerance()?,
            alpha: self.confidence.map_or(self.alpha, |confidence| 1.0 - confidence),
            beta: self.beta,
            each: self.each || is_paper,
            executions: self.executions.unwrap_or(if is_paper { 100 } else { 400 }),
        })
    }

    /// Repeats all cases, and shows what came of it.
    pub(crate) fn run(
        &self,
        prepared: &Prepared,
        mut recording: Option<&mut Recording>,
        threads: Option<usize>,
        (json, quiet): (bool, bool),
    ) -> Result<u8, Stop> {
        let reset_ns = self.reset_ns()?;
        let options = self.options()?;
        let is_paper = options.paper;
        let plan = &prepared.plan;
        progress::listen_to_the_user();
        let mut shifts = None;
        let within = match options.tolerance {
            Tolerance::Probability(_) => None,
            Tolerance::Time { .. } if is_paper => {
                let why = "`--rule paper` knows no tolerance in time; leave out `--tolerance`";
                return Err(Stop::Message(why.to_owned()));
            }
            Tolerance::Time { ns } => {
                let shifts = shifts.insert(computed(prepared, !quiet && !json)?);
                Some(within(shifts, ns, plan.n_cases(), !quiet && !json)?)
            }
        };
        let given = plan.judges.suite.as_ref().map_or(&[][..], |suite| &suite.cases);
        let mut cases = prepare(given, &options, within.as_deref()).map_err(Stop::Message)?;
        warn_of_independent(given);
        let n = cases.len();
        if self.plan {
            let mut shifts = match shifts {
                Some(shifts) => Some(shifts),
                None => computed(prepared, !quiet && !json).ok(),
            };
            let planned = planned(&cases, shifts.as_mut(), reset_ns, !quiet && !json);
            let planned = view::repeated::Plan { tolerance_ms: options.tolerance_ms(), ..planned };
            let text = if json { view::json(&planned) } else { report::plan(&planned) };
            print_or_end(&text, crate::PASS)?;
            return Ok(crate::PASS);
        }
        if !quiet && !json {
            let planned: f64 = cases.iter().map(|case| case.planned).sum();
            let time_ns =
                |case: &Repeated| case.planned * (case.duration_ns.saturating_add(reset_ns)) as f64;
            let hours = cases.iter().map(time_ns).sum::<f64>() / 3.6e12;
            tell!(
                "plan: {}, about {planned:.0} executions of a right system, {hours:.2} h of its time",
                report::n_cases(n)
            );
        }
        let known = match recording.as_deref_mut().filter(|_| self.resume) {
            Some(recording) => {
                recorded(recording).map_err(|error| Stop::Message(error.to_string()))?
            }
            None => BTreeMap::new(),
        };
        if self.resume && !quiet && !json {
            tell!("resumed: {} executions are recorded", known.len());
        }
        resets(plan).map_err(Stop::Message)?;
        let mut watcher = progress::Watcher::new(1, 1, !quiet && !json);
        let n_threads = match (plan.is_parallel(), threads) {
            (false, _) => 1,
            (true, Some(threads)) => threads.max(1),
            (true, None) => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let stop = progress::stop();
        let done = repeat(
            plan,
            &mut cases,
            &options,
            n_threads,
            (recording.as_deref(), &known),
            stop,
            |runs, judged| {
                watcher.draw(|_| format!("{runs} executions, {judged} of {n} cases judged"));
            },
        );
        drop(watcher);
        let n_executions: u64 = cases.iter().map(|case| case.executions).sum();
        if let (Err(trouble), 0) = (&done, n_executions) {
            return Err(Stop::Message(trouble.to_string()));
        }
        let worst = cases.iter().map(Repeated::verdict).max();
        let worst = worst.unwrap_or(Verdict::Inconclusive);
        // Nothing is said about time where it can not be computed.
        if worst == Verdict::Fail && shifts.is_none() {
            shifts = computed(prepared, !quiet && !json).ok();
        }
        let told = shifts.as_mut().map(|shifts| shifts.told(&cases)).unwrap_or_default();
        let view = view::repeated::Repeated {
            // Who stops what is done already stops nothing.
            stopped: progress::stopped() && !matches!(worst, Verdict::Pass | Verdict::Fail),
            trouble: done.as_ref().err().map(ToString::to_string),
            ..fill::repeated::suite(&cases, &options, &told)
        };
        let code = code(Some(worst));
        let text = if json { view::json(&view) } else { report::text(&view) };
        print_or_end(&text, code)?;
        if let Some(trouble) = &view.trouble {
            tell!("error: after {n_executions} executions: {trouble}");
        }
        Ok(code)
    }

    /// A number is a probability; with a unit it is a time.
    fn tolerance(&self) -> Result<Tolerance, Stop> {
        let text = self.tolerance.trim();
        if let Ok(p) = text.parse::<f64>() {
            return Ok(Tolerance::Probability(p));
        }
        let ns = testing::parse_duration(text, 1).map_err(|why| {
            Stop::Message(format!("`--tolerance {text}`: neither a probability nor a time: {why}"))
        })?;
        Ok(Tolerance::Time { ns })
    }
}

/// Says which cases a right system may fail because one loop of it ends several windows.
fn warn_of_independent(cases: &[Case]) {
    let is_warned = |case: &&Case| case.chance.as_ref().is_some_and(|it| it.independent > 1);
    let names: Vec<String> =
        cases.iter().filter(is_warned).map(|case| format!("`{}`", case.name)).collect();
    let (first, more) = match &names[..] {
        [] => return,
        [first] => (first.clone(), "has"),
        [first, second] => (format!("{first} and {second}"), "have"),
        [first, others @ ..] => (format!("{first} and {} other cases", others.len()), "have"),
    };
    tell!(
        "warning: {first} {more} several random delays, drawn independently; if one loop of the system ends them, a right system fails: \
         make the suite with `punctual oracles --loop`"
    );
}

/// The shifts in time of all cases.
fn computed(prepared: &Prepared, shows: bool) -> Result<Shifts<'_>, Stop> {
    let mut watcher = progress::Watcher::new(1, 1, shows);
    let n = prepared.plan.n_cases();
    let watch = |done: usize| watcher.draw(|_| format!("shifts in time: {done} of {n} cases"));
    Shifts::new(&prepared.plan.judges, watch).ok_or_else(|| {
        if progress::stopped() {
            return Stop::Inconclusive("stopped before anything ran".to_owned());
        }
        Stop::Message("a tolerance in time needs a model of timed automata".to_owned())
    })
}

/// What a tolerance in time allows.
fn within(
    shifts: &mut Shifts<'_>,
    ns: u64,
    n: usize,
    shows: bool,
) -> Result<Vec<Vec<Interval>>, Stop> {
    let mut watcher = progress::Watcher::new(1, 1, shows);
    let watch = |done: usize| {
        watcher.draw(|_| format!("tolerance in time: {done} of {n} cases"));
    };
    shifts.within(ns, watch).map_err(|why| match progress::is_spent() {
        true => Stop::Inconclusive("stopped before anything ran".to_owned()),
        false => Stop::Message(why),
    })
}

/// What repeating these cases would take, and what it would find.
fn planned(
    cases: &[Repeated],
    mut shifts: Option<&mut Shifts<'_>>,
    reset_ns: u64,
    shows: bool,
) -> view::repeated::Plan {
    let mut watcher = progress::Watcher::new(1, 1, shows);
    let mut plan = view::repeated::Plan::default();
    for (at, case) in cases.iter().enumerate() {
        watcher.draw(|_| format!("shifts in time: {at} of {} cases", cases.len()));
        let least = match &mut shifts {
            Some(shifts) => shifts.least(at, case),
            None => Least::Unknown("there is no model of timed automata".to_owned()),
        };
        let planned = fill::repeated::planned(case, reset_ns, least);
        plan.executions += planned.executions;
        plan.hours += planned.hours;
        plan.cases.push(planned);
    }
    plan
}
