//! What becomes of a case when all that a system shows comes later, or earlier, than the model says.
//!
//! A system whose outputs come `s` later: a check at an instant `t` shows what the model shows at `t - s`, inputs stay where they are.
//! Before the case began, the model shows what it shows at its begin. A system whose outputs come `s` earlier has gone on by `s` whenever a
//! check, or the next input, comes after an input: each answer comes `s` earlier. That is exact as long as what one input makes
//! the system wait for ends with the next one; what waits across several inputs comes earlier by `s` for each of them.
//! Inputs of other parts of the system do not count.
//!
//! A [`Curve`] has the exact probability of a case for each shift, in points of the grid. It is a sum of polynomials in parts, so
//! its least and greatest values, its first deviation and the most likely shift are looked for at shifts that are [spread](SPREAD)
//! evenly, and around the best of these in halved steps, down to a point of the grid. Something narrower than the
//! spread may be passed over. Shifts at which system and case act at the same instant have no probability and are left out.
//!
//! What can not be computed is sampled ([`sampled_range`]). `moved.rs` says what a shift does to a case.
//!
//! Not here: which deviation matters (`smc::statistics`), and what a user calls a tolerance (`campaign`). Test: `it::shifts`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use punctual_model::testing::suite::{Body, Case, Do, Probability};
use punctual_semantics::specification::Specification;
use punctual_smc::exact::Phase;

use super::chance::Trouble;
use super::moved;
use super::sample::{Sampling, seen};
use super::script::Script;
use super::weigh::{told, weigh, weigh_with};

/// On either side of no shift, this many shifts are looked at before the steps are halved.
pub const SPREAD: i64 = 32;

/// Numbers that differ by less are the same.
const SAME: f64 = 1e-9;

/// A shift must make what was seen so much likelier than no shift does, as a logarithm: the likelihood ratio test at 5 %.
const LIKELIER: f64 = 1.92;

/// Peaks of the likelihood whose logarithms differ by less explain what was seen about as well.
const ALIKE: f64 = 0.5;

/// Why shifts of a case can not be computed.
#[derive(Debug)]
pub enum NoCurve {
    /// Its probability was sampled, or it has none.
    Sampled,
    /// Its probability can not be computed.
    Trouble(Trouble),
    /// The model gives another probability than the case has.
    Differs,
}

impl fmt::Display for NoCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCurve::Sampled => f.write_str("its probability was sampled, not computed"),
            NoCurve::Trouble(why) => why.fmt(f),
            NoCurve::Differs => f.write_str(
                "the model gives another probability than the suite; make the suite again with `punctual oracles`",
            ),
        }
    }
}

impl std::error::Error for NoCurve {}

/// The probabilities of a case by how much later, or earlier, the system is.
pub struct Curve<'s> {
    specification: Whose<'s>,
    /// The case, and the case with its ending.
    scripts: Vec<Script>,
    phase: Phase,
    /// By the shift; none where it can not be computed.
    known: BTreeMap<i64, Option<Vec<f64>>>,
}

/// Somebody's specification, or one that several curves share.
enum Whose<'s> {
    Given(&'s Specification),
    Shared(Arc<Specification>),
}

impl Whose<'_> {
    fn get(&self) -> &Specification {
        match self {
            Whose::Given(given) => given,
            Whose::Shared(shared) => shared,
        }
    }
}

impl Curve<'static> {
    /// The curve of a case, by a specification that curves share: one in slices, where a phase is all that is left to chance.
    ///
    /// # Errors
    /// If a probability of the case was sampled, or is not what the model gives.
    pub fn shared(
        specification: &Arc<Specification>,
        case: &Case,
        phase: Phase,
    ) -> Result<Curve<'static>, NoCurve> {
        Curve::of(Whose::Shared(Arc::clone(specification)), case, phase)
    }
}

impl<'s> Curve<'s> {
    /// The curve of a case with a chance: of its outputs, then of those with its ending.
    ///
    /// # Errors
    /// If a probability of the case was sampled, or is not what the model gives.
    pub fn new(
        specification: &'s Specification,
        case: &Case,
        phase: Phase,
    ) -> Result<Curve<'s>, NoCurve> {
        Curve::of(Whose::Given(specification), case, phase)
    }

    fn of(whose: Whose<'s>, case: &Case, phase: Phase) -> Result<Curve<'s>, NoCurve> {
        let specification = whose.get();
        let mut scripts = Vec::new();
        for (parts, stated) in stated(case).ok_or(NoCurve::Sampled)? {
            if stated.exact.is_none() {
                return Err(NoCurve::Sampled);
            }
            let script = Script::new(specification, parts)
                .map_err(|why| NoCurve::Trouble(Trouble::NoScript(why)))?;
            let weighed = weigh(specification, &script, phase)
                .map_err(|why| NoCurve::Trouble(Trouble::Inexact(why)))?;
            if told(&weighed.probability).exact != stated.exact {
                return Err(NoCurve::Differs);
            }
            scripts.push(script);
        }
        Ok(Curve { specification: whose, scripts, phase, known: BTreeMap::new() })
    }

    /// The probabilities for a shift, in points of the grid: later if it is positive. None where system and case act at the same instant, or
    /// it can not be computed for another reason.
    pub fn at(&mut self, shift: i64) -> Option<&[f64]> {
        let Curve { specification, scripts, phase, known } = self;
        let found = known.entry(shift).or_insert_with(|| {
            let one = |script: &Script| {
                let moved = |events| moved::events(events, shift);
                let weighed = weigh_with(specification.get(), script, *phase, moved).ok()?;
                Some(told(&weighed.probability).least)
            };
            scripts.iter().map(one).collect()
        });
        found.as_deref()
    }

    /// The longest shift that is looked at: the duration of the case.
    #[must_use]
    pub fn reach(&self) -> i64 {
        self.scripts.iter().map(|it| it.end).max().unwrap_or(0).max(1)
    }

    /// For each probability, the least and the greatest for all shifts up to `reach` in either direction.
    pub fn range(&mut self, reach: i64) -> Vec<(f64, f64)> {
        let one = |curve: &mut Curve<'_>, number: usize, sign: f64| {
            let most = best(reach, &mut |shift| Some(sign * curve.at(shift)?[number]));
            most.map_or(0.0, |(_, most)| sign * most)
        };
        (0..self.scripts.len()).map(|at| (one(self, at, -1.0), one(self, at, 1.0))).collect()
    }

    /// The least shift in either direction at which the probabilities are such; none if there is none up to [`Curve::reach`].
    pub fn first(&mut self, mut are_such: impl FnMut(&[f64]) -> bool) -> Option<i64> {
        let all = spread(self.reach());
        let mut is_such = |shift: i64| self.at(shift).is_some_and(&mut are_such);
        if is_such(0) {
            return Some(0);
        }
        let mut found: Option<i64> = None;
        for side in [1, -1] {
            for pair in all.windows(2) {
                let (mut without, mut with) = (pair[0], pair[1]);
                if found.is_some_and(|best| without >= best.abs()) {
                    break;
                }
                if !is_such(side * with) {
                    continue;
                }
                while without + 1 < with {
                    let middle = i64::midpoint(without, with);
                    *(if is_such(side * middle) { &mut with } else { &mut without }) = middle;
                }
                if found.is_none_or(|best| with < best.abs()) {
                    found = Some(side * with);
                }
                break;
            }
        }
        found
    }
}

/// What a case is judged by, with the probabilities that it states; none if it states none.
fn stated(case: &Case) -> Option<Vec<(&[Do], &Probability)>> {
    let (Some(chance), Body::Timed(parts)) = (&case.chance, &case.body) else { return None };
    Some(match &chance.ending {
        None => vec![(&parts[..], &chance.outputs)],
        Some(ending) => {
            vec![(&parts[..ending.from], &chance.outputs), (&parts[..], &ending.joint)]
        }
    })
}

/// For each probability of a case, the least and the greatest for all shifts up to `reach` in either direction, in points of the grid, where they can
/// not be computed. None if the model can not be run so.
///
/// The same runs are made for each shift, with the same random numbers. So how much a shift changes a probability is known better than the
/// probability, and that is added to what the case states, which is an interval with a risk of its own.
#[must_use]
pub fn sampled_range(
    specification: &Specification,
    case: &Case,
    phase: Phase,
    reach: i64,
    sampling: &Sampling,
) -> Option<Vec<(f64, f64)>> {
    let instants = specification.instants;
    let mut ranges = Vec::new();
    for (parts, stated) in stated(case)? {
        let share = |shift: i64| -> Option<f64> {
            let ns = i64::try_from(instants.ns(shift.abs())).ok()?;
            let parts = moved::parts(parts, if shift < 0 { -ns } else { ns });
            let seen = seen(specification, &parts, phase, sampling)?;
            Some(seen as f64 / sampling.runs.max(1) as f64)
        };
        let mut known: BTreeMap<i64, Option<f64>> = BTreeMap::new();
        let mut known = |shift: i64| *known.entry(shift).or_insert_with(|| share(shift));
        let none = known(0)?;
        let most = best(reach, &mut |shift| known(shift)).map_or(none, |(_, most)| most);
        let least = best(reach, &mut |shift| Some(-known(shift)?)).map_or(none, |(_, it)| -it);
        let low = stated.least - (none - least);
        let high = stated.greatest + (most - none);
        ranges.push((low.clamp(0.0, 1.0), high.clamp(0.0, 1.0)));
    }
    Some(ranges)
}

/// How often one of the things was seen that a case is judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Which probability of the curve it is about: 0 for the case, 1 for the case with its ending.
    pub of: usize,
    /// Executions.
    pub n: u64,
    /// Those that showed what is expected.
    pub k: u64,
}

impl Counts {
    /// How likely it is to see this, as a logarithm; without what does not depend on the probabilities.
    fn likelihood(&self, probabilities: &[f64]) -> Option<f64> {
        let of = |n: u64, p: f64| if n == 0 { 0.0 } else { n as f64 * p.max(0.0).ln() };
        let p = *probabilities.get(self.of)?;
        Some(of(self.k, p) + of(self.n.saturating_sub(self.k), 1.0 - p))
    }

    /// The same for the probability that makes it likeliest of all.
    fn greatest(&self) -> f64 {
        let of = |n: u64| if n == 0 { 0.0 } else { n as f64 * (n as f64 / self.n as f64).ln() };
        of(self.k) + of(self.n.saturating_sub(self.k))
    }
}

/// The shift that makes what was seen of some cases likeliest, in points of the grid. Of shifts that explain it about as well, such as two
/// that give a case the same probability, it is the least. None if no shift makes it much likelier than no shift does, or if what was seen does not fit to it either (1 %).
pub fn likeliest(cases: &mut [(&mut Curve<'_>, Counts)]) -> Option<i64> {
    let reach = cases.iter().map(|(curve, _)| curve.reach()).max()?;
    let greatest: f64 = cases.iter().map(|(_, counts)| counts.greatest()).sum();
    let n_cases = cases.len();
    let mut likelihood = |shift: i64| -> Option<f64> {
        let mut sum = 0.0;
        for (curve, counts) in cases.iter_mut() {
            sum += counts.likelihood(curve.at(shift)?)?;
        }
        Some(sum)
    };
    let none = likelihood(0)?;
    let sides = spread(reach);
    let all: Vec<i64> = sides.iter().skip(1).rev().map(|it| -it).chain(sides.clone()).collect();
    let values: Vec<Option<f64>> = all.iter().map(|shift| likelihood(*shift)).collect();
    let mut peaks: Vec<(i64, f64)> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value else { continue };
        let is_below = |other: Option<&Option<f64>>| other.copied().flatten() <= Some(*value);
        let before = at.checked_sub(1).and_then(|at| values.get(at));
        if is_below(before) && is_below(values.get(at + 1)) {
            let mut peak = Some((all[at], *value));
            refine(reach, step(&sides), &mut likelihood, &mut peak);
            peaks.extend(peak);
        }
    }
    let most = peaks.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
    if most - none <= LIKELIER || greatest - most > misfit(n_cases) {
        return None;
    }
    let likely = peaks.into_iter().filter(|(_, value)| most - value < ALIKE);
    likely.map(|(shift, _)| shift).min_by_key(|shift| (shift.abs(), *shift < 0))
}

/// Numbers of cases that fit to their probabilities are likelier with probabilities of their own, by this logarithm in 1 % at most: half of the
/// chi-squared quantile, by Wilson and Hilferty.
fn misfit(n_cases: usize) -> f64 {
    let n = n_cases.max(1) as f64;
    let part = 2.0 / (9.0 * n);
    n * (1.0 - part + 2.326 * part.sqrt()).powi(3) / 2.0
}

/// Shifts from 0 to `reach`, evenly spread.
fn spread(reach: i64) -> Vec<i64> {
    let n = SPREAD.min(reach);
    (0..=n).map(|at| reach / n.max(1) * at + reach % n.max(1) * at / n.max(1)).collect()
}

/// The greatest distance of shifts that are next to each other.
fn step(all: &[i64]) -> i64 {
    all.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
}

/// The shift with the greatest value, the least of several; none if no shift has a value.
fn best(reach: i64, value: &mut dyn FnMut(i64) -> Option<f64>) -> Option<(i64, f64)> {
    let mut found = None;
    let all = spread(reach);
    for shift in &all {
        look(*shift, value, &mut found);
        look(-shift, value, &mut found);
    }
    refine(reach, step(&all), value, &mut found);
    found
}

/// Looks around what was found, in halved steps.
fn refine(
    reach: i64,
    mut step: i64,
    value: &mut dyn FnMut(i64) -> Option<f64>,
    found: &mut Option<(i64, f64)>,
) {
    while step > 1 {
        step = (step + 1) / 2;
        let Some((at, _)) = *found else { break };
        for shift in [at - step, at + step] {
            if shift.abs() <= reach {
                look(shift, value, found);
            }
        }
    }
}

/// Keeps a shift that is better than what was found.
fn look(shift: i64, value: &mut dyn FnMut(i64) -> Option<f64>, found: &mut Option<(i64, f64)>) {
    let Some(value) = value(shift) else { return };
    let is_better = found.is_none_or(|(old, most)| {
        let is_same = value == most || (value - most).abs() < SAME;
        if is_same { shift.abs() < old.abs() } else { value > most }
    });
    if is_better {
        *found = Some((shift, value));
    }
}
