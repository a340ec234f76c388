//! The default rule: a sequential test of "within the tolerance of the model's probability".
//!
//! **What holds.** A system whose probability lies within the tolerance fails with probability `alpha` at
//! most, whatever its probability is: not asymptotically, but by summing over all paths ([`Sequential::false_alarm`]).
//! The test ends after `executions` at most. Systems that deviate at least as far as
//! [`Sequential::found`] says fail with probability `1 - beta` at least. For a system between, neither is
//! promised.
//!
//! **How.** The evidence against the tolerated probabilities is Robbins' mixture ratio, where every probability
//! is an alternative as likely as any other. `induction.rs` finds the test that misses least and executes
//! least on average, for given weights of false alarms; here the weights are made as small as `alpha`
//! permits, by bisection. So a case stops failing as soon as the ratio is large, and passes as soon as more
//! executions are not worth their price: the *thrift* says how many misses all executions of a case
//! are worth together. With 0 nothing is saved. With 0.1, at a tolerance of 0 and 5 %, a right system needs
//! 70 executions of 100 rather than 91, and the least deviation that is found is the same within 2 %. On the scenarios
//! of the STUIOS paper no rule can be more accurate by more than 0.003 with as many executions
//! (`experiments/stuios`). Tests: `it::repeated::sequential`.
//!
//! **Certain cases.** If the model says 0 or 1 exactly and there is a tolerance, a pass is reliable only if
//! it is shown that contrary outcomes are rarer than what is tolerated (`certain.rs`). Where executions end
//! before, the case passes and is not reliable.

use super::{
    super::{ALPHA, EPSILON, Interval, OutOfRange, inside_unit, percent, wilson},
    EXECUTIONS, Judgement, Step,
    boundaries::{Boundaries, Place},
    certain::Shown,
    induction::shows,
    paper::{executable, probable},
    search::Search,
};

/// What a sequential rule is made for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Design {
    /// The probability by the model; a proper interval if it was sampled.
    pub expected: Interval,
    /// The probabilities that the system may have, with the expected ones among them.
    pub tolerated: Interval,
    /// The rate of false alarms.
    pub alpha: f64,
    /// The rate of misses, which says what deviation is found.
    pub beta: f64,
    /// The executions at most.
    pub executions: u64,
    /// How many misses all executions together are worth.
    pub thrift: f64,
}

impl Design {
    /// The thrift, unless the user says otherwise.
    pub const THRIFT: f64 = 0.1;

    /// All but the probability as by default, with a tolerance of 0.05.
    #[must_use]
    pub fn exact(p: f64) -> Self {
        Self::sampled(Interval { low: p, high: p })
    }

    /// The same for a probability that was sampled.
    #[must_use]
    pub fn sampled(expected: Interval) -> Self {
        let (alpha, beta) = (ALPHA, ALPHA);
        let (executions, thrift) = (EXECUTIONS, Self::THRIFT);
        let design = Self { expected, tolerated: expected, alpha, beta, executions, thrift };
        design.within(EPSILON)
    }

    /// The same with this tolerance on either side of the model's probability.
    #[must_use]
    pub fn within(self, tolerance: f64) -> Self {
        let Interval { low, high } = self.expected;
        let tolerated =
            Interval { low: (low - tolerance).max(0.0), high: (high + tolerance).min(1.0) };
        Self { tolerated, ..self }
    }

    /// If the model is certain: of success or of failure, and how rare the contrary is to be shown.
    pub(super) fn certain(&self) -> Option<(bool, f64)> {
        let Interval { low, high } = self.expected;
        let of_success = low == 1.0;
        let rare = if of_success { 1.0 - self.tolerated.low } else { self.tolerated.high };
        (low == high && (of_success || low == 0.0) && rare > 0.0).then_some((of_success, rare))
    }

    /// Makes the rule.
    ///
    /// # Errors
    /// If a parameter is out of range, or everything is tolerated.
    pub fn rule(&self) -> Result<Sequential, OutOfRange> {
        self.check()?;
        let limit = self.executions as usize;
        let shown = self.certain().map(|(_, rare)| Shown::new(rare, self.beta, limit));
        let mut search = Search::new(self, shown.as_ref());
        let mut target = self.alpha;
        // Between the ends of what is tolerated, false alarms are rarer than at the ends, but no
        // theorem says so. Should they not be, the ends pay for it.
        for _ in 0..20 {
            let boundaries = search.calibrated(target);
            let false_alarm = boundaries.worst(self.tolerated, self.alpha, &mut search.scratch);
            if false_alarm <= self.alpha {
                let found = search.found(&boundaries);
                return Ok(Sequential { design: *self, boundaries, shown, false_alarm, found });
            }
            target *= 0.98 * self.alpha / false_alarm;
        }
        panic!("false alarms of {self:?} do not fall");
    }

    fn check(&self) -> Result<(), OutOfRange> {
        let Interval { low, high } = self.expected;
        for p in [low, high] {
            probable(Interval { low: p, high: p })?;
        }
        probable(self.expected)?;
        let tolerated = self.tolerated;
        // Written so that no number that is none gets through.
        let reach = f64::max(low - tolerated.low, tolerated.high - high);
        let around = tolerated.low <= low && high <= tolerated.high;
        let refuse = |allowed| Err(OutOfRange { name: "the tolerance", value: reach, allowed });
        if !around || tolerated.low < 0.0 || tolerated.high > 1.0 {
            return refuse("at least 0");
        }
        if tolerated == Interval::UNIT {
            return refuse("small enough that some probability is not tolerated");
        }
        inside_unit("alpha", self.alpha)?;
        inside_unit("beta", self.beta)?;
        executable(self.executions)?;
        if !(0.0..=1.0).contains(&self.thrift) {
            let allowed = "from 0 to 1";
            return Err(OutOfRange { name: "the thrift", value: self.thrift, allowed });
        }
        Ok(())
    }
}

/// The rule that a [`Design`] gives.
#[derive(Clone, PartialEq, Debug)]
pub struct Sequential {
    design: Design,
    boundaries: Boundaries,
    shown: Option<Shown>,
    false_alarm: f64,
    found: [Option<f64>; 2],
}

impl Sequential {
    /// What to do after `n` executions of which `k` succeeded.
    ///
    /// # Panics
    /// If there are more successes than executions, or more executions than the limit.
    #[must_use]
    pub fn step(&self, n: u64, k: u64) -> Step {
        assert!(k <= n, "{k} successes in {n} executions");
        assert!(n <= self.limit(), "{n} executions of at most {}", self.limit());
        match self.boundaries.place(n, k) {
            Place::Between => Step::Continue,
            Place::Fail => Step::Stop(Judgement::FAIL),
            Place::Pass => Step::Stop(Judgement { passes: true, reliable: self.reliable(n, k) }),
        }
    }

    /// Whether a pass after these counts is worth something.
    fn reliable(&self, n: u64, k: u64) -> bool {
        match (&self.shown, self.design.certain()) {
            (Some(shown), Some((of_success, _))) => {
                shows(shown, of_success)(n as usize, k as usize)
            }
            _ => self.found != [None; 2],
        }
    }

    /// The number of executions after which the rule always stops.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.boundaries.limit() as u64
    }

    /// What the rule was made for.
    #[must_use]
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// A bound of the chance that a system within the tolerance fails, exact up to 1 % at the ends of
    /// the tolerance. It is below `alpha` since counts are whole numbers.
    #[must_use]
    pub fn false_alarm(&self) -> f64 {
        self.false_alarm
    }

    /// The largest probability below the tolerated ones, and the smallest above, that fail with
    /// probability `1 - beta` at least, and with them all that are farther away. None if a side has none.
    #[must_use]
    pub fn found(&self) -> [Option<f64>; 2] {
        self.found
    }

    /// The least deviation from the model's probability that is found with probability `1 - beta` on
    /// either side; of sides that have none, nothing is said. None if both have none.
    #[must_use]
    pub fn least_deviation(&self) -> Option<f64> {
        let Interval { low, high } = self.design.expected;
        let [below, above] = self.found;
        let sides = [below.map(|q| low - q), above.map(|q| q - high)];
        sides.into_iter().flatten().reduce(f64::max)
    }

    /// After `n` executions: fewer successes than the first fail, and more than the second.
    ///
    /// # Panics
    /// If there are more executions than the limit.
    #[must_use]
    pub fn allowed(&self, n: u64) -> [u64; 2] {
        let row = self.boundaries.0[n as usize];
        [u64::from(row.low), u64::from(row.high).saturating_sub(1)]
    }

    /// Why the rule says what it says after `n` executions of which `k` succeeded, in one sentence.
    ///
    /// # Panics
    /// As [`Sequential::step`].
    #[must_use]
    pub fn reason(&self, n: u64, k: u64) -> String {
        let Interval { low, high } = wilson(n, k, ALPHA);
        let seen = format!("{k} of {n} executions ({low:.3} to {high:.3} with 95 % confidence)");
        let [least, most] = self.allowed(n);
        let rare = self.design.certain().map(|(_, rare)| percent(digits(rare)));
        let says = match (self.step(n, k), rare) {
            (Step::Continue, _) => format!("{least} to {most} are no reason to fail"),
            (Step::Stop(Judgement { passes: false, .. }), _) if k < least => {
                format!("too few for {}, which has at least {least}", self.claim())
            }
            (Step::Stop(Judgement { passes: false, .. }), _) => {
                format!("too many for {}, which has at most {most}", self.claim())
            }
            (Step::Stop(Judgement { reliable: false, .. }), Some(rare)) => {
                format!("too few executions to show that the contrary is rarer than {rare}")
            }
            (Step::Stop(Judgement { reliable: false, .. }), None) => {
                "too few executions to find any deviation".to_owned()
            }
            (Step::Stop(_), Some(rare)) => format!("the contrary is rarer than {rare}"),
            (Step::Stop(_), None) => format!("no reason to doubt {}", self.claim()),
        };
        format!("{seen}: {says}.")
    }

    /// The tolerated probabilities, in words.
    fn claim(&self) -> String {
        let Design { expected, tolerated, .. } = self.design;
        let p = expected.low;
        let reach = digits(f64::max(p - tolerated.low, tolerated.high - p));
        if tolerated.low == tolerated.high {
            format!("{}", digits(p))
        } else if expected.low == expected.high && self.design.within(reach).tolerated == tolerated
        {
            format!("{} ± {reach}", digits(p))
        } else {
            format!("{} to {}", digits(tolerated.low), digits(tolerated.high))
        }
    }

    /// What a judgement is worth, in one sentence.
    #[must_use]
    pub fn guarantee(&self) -> String {
        let Design { alpha, beta, executions, .. } = self.design;
        let found = match self.found {
            [None, None] => "nothing is found".to_owned(),
            [Some(low), None] => format!("{low:.3} and less is found"),
            [None, Some(high)] => format!("{high:.3} and more is found"),
            [Some(low), Some(high)] => {
                format!("{low:.3} and less, or {high:.3} and more, is found")
            }
        };
        let shown = match self.design.certain() {
            None => String::new(),
            Some((_, rare)) => format!(
                "a system whose contrary outcomes are not rarer than {} passes reliably with at most {}; ",
                percent(digits(rare)),
                percent(beta)
            ),
        };
        format!(
            "Sequential test of {}: a system within it fails with at most {} probability; {shown}{found} \
             with at least {}; at most {executions} executions.",
            self.claim(),
            percent(alpha),
            percent(1.0 - beta),
        )
    }
}

/// A probability as people write it.
fn digits(p: f64) -> f64 {
    (p * 1e4).round() / 1e4
}
