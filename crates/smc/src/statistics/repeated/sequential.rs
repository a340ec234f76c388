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
//! are worth together. With 0 nothing is saved; with 0.1 the least deviation that is found grows by
//! about 1 %, and right systems need a third less. Tests: `it::repeated::sequential`.
//!
//! **Certain cases.** If the model says 0 or 1 exactly and there is a tolerance, a pass is reliable only if
//! it is shown that contrary outcomes are rarer than the tolerance (`certain.rs`). Where executions end
//! before, the case passes and is not reliable.

use super::{
    super::{ALPHA, EPSILON},
    super::{Interval, OutOfRange, inside_unit, percent, wilson},
    EXECUTIONS, Judgement, Step,
    boundaries::{Boundaries, Place},
    certain::Shown,
    induction::{Tables, shows},
    paper::{executable, probable},
};

/// What a sequential rule is made for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Design {
    /// The probability by the model; a proper interval if it was sampled.
    pub expected: Interval,
    /// How far the system may be from the model's probability.
    pub tolerance: f64,
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

    /// All but the probability as by default.
    #[must_use]
    pub fn exact(p: f64) -> Self {
        Self {
            expected: Interval { low: p, high: p },
            tolerance: EPSILON,
            alpha: ALPHA,
            beta: ALPHA,
            executions: EXECUTIONS,
            thrift: Self::THRIFT,
        }
    }

    /// All probabilities that are tolerated.
    #[must_use]
    pub fn tolerated(&self) -> Interval {
        let Interval { low, high } = self.expected;
        Interval { low: (low - self.tolerance).max(0.0), high: (high + self.tolerance).min(1.0) }
    }

    /// Whether the model is certain, and the contrary is to be shown rarer than the tolerance.
    fn certain(&self) -> Option<bool> {
        let Interval { low, high } = self.expected;
        let certain = low == high && (low == 0.0 || low == 1.0) && self.tolerance > 0.0;
        certain.then_some(low == 1.0)
    }

    /// Makes the rule.
    ///
    /// # Errors
    /// If a parameter is out of range, or everything is tolerated.
    pub fn rule(&self) -> Result<Sequential, OutOfRange> {
        self.check()?;
        let limit = self.executions as usize;
        let shown = self.certain().map(|_| Shown::new(self.tolerance, self.beta, limit));
        let mut search = Search::new(self, shown.as_ref());
        let mut target = self.alpha;
        // Between the ends of what is tolerated, false alarms are rarer than at the ends, but no
        // theorem says so. Should they not be, the ends pay for it.
        let (boundaries, false_alarm) = loop {
            let boundaries = search.calibrated(target);
            let worst = boundaries.worst(self.tolerated(), self.alpha, &mut search.scratch);
            if worst <= self.alpha {
                break (boundaries, worst);
            }
            target *= 0.98 * self.alpha / worst;
        };
        let found = search.found(&boundaries);
        Ok(Sequential { design: *self, boundaries, shown, false_alarm, found })
    }

    fn check(&self) -> Result<(), OutOfRange> {
        probable(self.expected)?;
        for end in [self.expected.low, self.expected.high] {
            probable(Interval { low: end, high: end })?;
        }
        if !(0.0..1.0).contains(&self.tolerance) {
            let allowed = "at least 0 and below 1";
            return Err(OutOfRange { name: "the tolerance", value: self.tolerance, allowed });
        }
        if self.tolerated() == Interval::UNIT {
            let allowed = "small enough that some probability is not tolerated";
            return Err(OutOfRange { name: "the tolerance", value: self.tolerance, allowed });
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
            (Some(shown), Some(of_success)) => shows(shown, of_success)(n as usize, k as usize),
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
        match self.step(n, k) {
            Step::Continue => format!("{seen}: {least} to {most} are no reason to fail."),
            Step::Stop(Judgement { passes: false, .. }) => {
                let (few, bound) = if k < least { ("few", least) } else { ("many", most) };
                let least = if k < least { "at least" } else { "at most" };
                format!("{seen}: too {few} for {}, which has {least} {bound}.", self.claim())
            }
            Step::Stop(Judgement { reliable: false, .. }) if self.shown.is_some() => format!(
                "{seen}: too few executions to show that the contrary is rarer than {}.",
                self.design.tolerance
            ),
            Step::Stop(Judgement { reliable: false, .. }) => {
                format!("{seen}: too few executions to find any deviation.")
            }
            Step::Stop(_) if self.shown.is_some() => {
                format!("{seen}: the contrary is rarer than {}.", self.design.tolerance)
            }
            Step::Stop(_) => format!("{seen}: no reason to doubt {}.", self.claim()),
        }
    }

    fn claim(&self) -> String {
        let Design { expected: Interval { low, high }, tolerance, .. } = self.design;
        let digits = |p: f64| (p * 1e4).round() / 1e4;
        match (low == high, tolerance > 0.0) {
            (true, true) => format!("{} ± {tolerance}", digits(low)),
            (true, false) => format!("{}", digits(low)),
            _ => {
                let Interval { low, high } = self.design.tolerated();
                format!("{} to {}", digits(low), digits(high))
            }
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
        format!(
            "Sequential test of {}: a system within it fails with at most {} probability; {found} with at \
             least {}; at most {executions} executions.",
            self.claim(),
            percent(alpha),
            percent(1.0 - beta),
        )
    }
}

/// The search for the weights of a design.
struct Search<'a> {
    design: &'a Design,
    shown: Option<&'a Shown>,
    tables: Tables,
    values: Vec<f64>,
    scratch: Vec<f64>,
    boundaries: Boundaries,
}

/// The logarithm of the smallest weight.
const LN_WEIGHT_MIN: f64 = -3.0;

impl<'a> Search<'a> {
    fn new(design: &'a Design, shown: Option<&'a Shown>) -> Self {
        let tables = Tables::new(design.tolerated(), design.executions as usize);
        let boundaries = Boundaries(Vec::new());
        Self { design, shown, tables, values: Vec::new(), scratch: Vec::new(), boundaries }
    }

    /// Makes the boundaries for the logarithms of weights, and says how often either end fails.
    fn alarms(&mut self, ln_weights: [f64; 2]) -> [f64; 2] {
        let Interval { low, high } = self.design.tolerated();
        let mut weights = ln_weights.map(f64::exp);
        // Where everything beyond is tolerated, an end needs no weight. One point has one weight.
        if low == 0.0 {
            weights[0] = 0.0;
        }
        if high == 1.0 {
            weights[1] = 0.0;
        }
        if low == high {
            weights = [ln_weights[0].exp(), 0.0];
        }
        let price = self.design.thrift / self.design.executions as f64;
        let of_success = self.design.certain().unwrap_or_default();
        let shown = self.shown.map(|shown| shows(shown, of_success));
        self.tables.best(weights, price, shown.as_ref(), &mut self.values, &mut self.boundaries);
        [low, high].map(|q| self.boundaries.fails(q, &mut self.scratch).iter().sum())
    }

    /// The boundaries with weights that are as small as the rate permits.
    fn calibrated(&mut self, rate: f64) -> Boundaries {
        let most = ((1.0 + self.design.thrift) / rate).ln();
        let mut weights = [most; 2];
        let Interval { low, high } = self.design.tolerated();
        self.lower(&mut weights, &[0, 1], 18, rate);
        if low > 0.0 && high < 1.0 && low < high {
            for side in [0, 1, 0, 1] {
                self.lower(&mut weights, &[side], 14, rate);
            }
        }
        let alarms = self.alarms(weights);
        assert!(alarms.iter().all(|&alarm| alarm <= rate), "{alarms:?} above {rate}");
        self.boundaries.clone()
    }

    /// Lowers the weights of these sides together, as far as the rate permits.
    fn lower(&mut self, weights: &mut [f64; 2], sides: &[usize], steps: usize, rate: f64) {
        let top = *weights;
        let span = sides.iter().map(|&side| top[side]).fold(f64::MAX, f64::min) - LN_WEIGHT_MIN;
        let (mut good, mut bad) = (0.0, span);
        for _ in 0..steps {
            let by = f64::midpoint(good, bad);
            let mut tried = top;
            sides.iter().for_each(|&side| tried[side] -= by);
            if self.alarms(tried).iter().all(|&alarm| alarm <= rate) {
                (good, *weights) = (by, tried);
            } else {
                bad = by;
            }
        }
    }

    /// See [`Sequential::found`]. Failures of one side only, whose chance is monotone.
    fn found(&mut self, boundaries: &Boundaries) -> [Option<f64>; 2] {
        let Interval { low, high } = self.design.tolerated();
        [(0, low, 0.0), (1, high, 1.0)].map(|(side, inner, outer)| {
            let mut fails =
                |q| boundaries.fails(q, &mut self.scratch)[side] >= 1.0 - self.design.beta;
            if inner == outer || !fails(outer) {
                return None;
            }
            let (mut near, mut far) = (inner, outer);
            for _ in 0..30 {
                let middle = f64::midpoint(near, far);
                *(if fails(middle) { &mut far } else { &mut near }) = middle;
            }
            Some(far)
        })
    }
}
