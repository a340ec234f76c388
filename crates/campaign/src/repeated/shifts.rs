//! Systems that are later or earlier than the model: what a tolerance in time allows, what a plan would find, and how a failure is told.
//!
//! Probabilities are exact (`testgen::uio::Curve`), by slices of the model where a phase is all that is left to chance. A case whose probability was
//! only sampled has no curve: what a tolerance in time allows is sampled, too, and nothing is said about time when it fails.

use std::sync::Arc;

use punctual_model::testing::suite::Suite;
use punctual_semantics::estimate::Instants;
use punctual_semantics::specification::Specification;
use punctual_smc::exact::Phase;
use punctual_smc::statistics::Interval;
use punctual_smc::statistics::repeated::Judgement;
use punctual_testgen::uio::{Counts, Curve, NoCurve, Sampling, likeliest, sampled_range};

use super::case::Repeated;
use crate::judges::Judges;

/// A tolerance of more points of the grid is as good as one of so many.
const REACH_MAX: i64 = 1 << 40;

/// Runs for each shift of a case whose probability was sampled, and their seed: a suite that is judged again must tolerate the same.
const SAMPLED: (u64, u64) = (4_000, 1);

/// The shifts of all cases of a suite.
pub struct Shifts<'j> {
    instants: Instants,
    specification: &'j Specification,
    suite: &'j Suite,
    /// The distance of two points of the model's grid, in nanoseconds.
    point_ns: u64,
    curves: Vec<(String, Result<Curve<'j>, NoCurve>)>,
}

/// The least shift that a case would find.
#[derive(Clone, PartialEq, Debug)]
pub enum Least {
    /// So many nanoseconds; later if it is positive.
    Shift(i64),
    /// No shift changes the outcome so much.
    None,
    /// It can not be computed: why.
    Unknown(String),
}

/// How failures of a suite are told in time, in nanoseconds; later if it is positive.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// For each case that failed, the shift that fits best to what was seen; none if no shift explains it, or it passed.
    pub cases: Vec<Option<i64>>,
    /// If several cases failed: the one shift that fits best to all cases.
    pub suite: Option<i64>,
}

impl<'j> Shifts<'j> {
    /// The shifts of the cases of a suite; none if there is no timed model or no suite. `progress` is told how many cases are done; false ends it.
    pub fn new(judges: &'j Judges, mut progress: impl FnMut(usize) -> bool) -> Option<Shifts<'j>> {
        let (specification, suite) = (judges.specification.as_ref()?, judges.suite.as_ref()?);
        let phase = phase(specification, suite);
        let sliced = match phase {
            Phase::None => None,
            _ => specification.in_slices().map(Arc::new),
        };
        let mut curves = Vec::new();
        for (number, case) in suite.cases.iter().enumerate() {
            if !progress(number) {
                return None;
            }
            let curve = match &sliced {
                None => Curve::new(specification, case, phase),
                Some(sliced) => Curve::shared(sliced, case, phase),
            };
            curves.push((case.name.clone(), curve));
        }
        let time = judges.interface.time;
        let point_ns = time.unit_ns.div_ceil(u64::from(time.resolution.max(1)));
        Some(Shifts { instants: specification.instants, specification, suite, point_ns, curves })
    }

    /// For each case, and each thing that it is judged by: the probabilities of all systems that are later or earlier by at most so many
    /// nanoseconds. `progress` is told how many cases are done.
    ///
    /// # Errors
    /// If a case has no shifts, or the time is shorter than the grid of the model.
    pub fn within(
        &mut self,
        ns: u64,
        mut progress: impl FnMut(usize),
    ) -> Result<Vec<Vec<Interval>>, String> {
        let reach = self.instants.begin(ns).at.min(REACH_MAX);
        if reach == 0 && ns > 0 {
            return Err(format!(
                "the model's grid has a point every {} ns, so it knows no shorter time; a higher `resolution` helps",
                self.point_ns
            ));
        }
        let mut all = Vec::new();
        for number in 0..self.curves.len() {
            progress(number);
            // Runs are made where there is no curve.
            let is_sampled = matches!(self.curves[number].1, Err(NoCurve::Sampled));
            let sampled = if is_sampled { self.sampled(number, reach) } else { None };
            let (name, curve) = &mut self.curves[number];
            let range = match curve {
                Ok(curve) => Some(curve.range(reach)),
                Err(_) => sampled,
            };
            let Some(range) = range else {
                let why = match curve {
                    Err(NoCurve::Sampled) | Ok(_) => {
                        "its probability was sampled, and the model can not be run for other instants"
                            .to_owned()
                    }
                    Err(why) => why.to_string(),
                };
                return Err(format!(
                    "a tolerance in time can not be converted for the case `{name}`: {why}"
                ));
            };
            all.push(range.into_iter().map(|(low, high)| Interval { low, high }).collect());
        }
        Ok(all)
    }

    /// What a tolerance allows of a case whose probability was sampled.
    fn sampled(&self, number: usize, reach: i64) -> Option<Vec<(f64, f64)>> {
        let phase = phase(self.specification, self.suite);
        let (runs, seed) = SAMPLED;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let sampling = Sampling { runs, seed, threads, ..Sampling::default() };
        sampled_range(self.specification, self.suite.cases.get(number)?, phase, reach, &sampling)
    }

    /// The least shift that the case with this number would find with probability `1 - beta`.
    pub fn least(&mut self, number: usize, case: &Repeated) -> Least {
        let instants = self.instants;
        match self.curves.get_mut(number).map(|(_, curve)| curve) {
            None => Least::Unknown("it has no probability".to_owned()),
            Some(Err(why)) => Least::Unknown(why.to_string()),
            Some(Ok(curve)) => {
                let is_found = |probabilities: &[f64]| {
                    case.sequences.iter().zip(probabilities).any(|(it, p)| it.finds(*p))
                };
                match curve.first(is_found) {
                    None => Least::None,
                    Some(shift) => Least::Shift(signed_ns(instants, shift)),
                }
            }
        }
    }

    /// How the failures of these cases are told.
    pub fn told(&mut self, cases: &[Repeated]) -> Told {
        let instants = self.instants;
        let mut all = Vec::new();
        let (mut told, mut n_failed) = (Told::default(), 0);
        for (case, (_, curve)) in cases.iter().zip(&mut self.curves) {
            let failed = case.sequences.iter().position(|it| {
                case.illegal.is_none()
                    && matches!(it.judgement, Some(Judgement { passes: false, .. }))
            });
            n_failed += usize::from(failed.is_some());
            let of = failed.unwrap_or(0);
            let shift = match (curve, case.sequences.get(of)) {
                (Ok(curve), Some(sequence)) if sequence.n > 0 => {
                    let counts = Counts { of, n: sequence.n, k: sequence.k };
                    let shift = match failed {
                        Some(_) => likeliest(&mut [(&mut *curve, counts)]),
                        None => None,
                    };
                    all.push((curve, counts));
                    shift
                }
                _ => None,
            };
            told.cases.push(shift.map(|it| signed_ns(instants, it)));
        }
        if n_failed > 1 {
            told.suite = likeliest(&mut all).map(|it| signed_ns(instants, it));
        }
        told
    }
}

/// What is left to chance in a suite beside the delays of the model.
fn phase(specification: &Specification, suite: &Suite) -> Phase {
    let points = |ns: u64| specification.instants.begin(ns).at;
    match (suite.phase_ns, suite.loop_ns) {
        (Some(ns), _) => Phase::OfScript(points(ns)),
        (None, Some(ns)) => Phase::OfLoop(points(ns)),
        (None, None) => Phase::None,
    }
}

fn signed_ns(instants: Instants, shift: i64) -> i64 {
    let ns = i64::try_from(instants.ns(shift.abs())).unwrap_or(i64::MAX);
    if shift < 0 { -ns } else { ns }
}
