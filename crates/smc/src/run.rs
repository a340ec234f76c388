//! One run of a network, and what a query wants to know of it.

use punctual_model::{PathFormula, RunBound, StateExpr};
use punctual_semantics::program::{Builder, Chance, Unsupported};
use punctual_semantics::stochastic::{
    Problem, ProblemKind, Race, Simulator, TOLERANCE, Value, Watch,
};

/// In so many transitions a cost that bounds a run must have grown.
const GROWTH_MAX: u32 = 1_000_000;

/// How far runs go.
#[derive(Debug)]
pub(crate) enum Bound {
    Time(f64),
    Steps(u32),
    Cost(Value, f64),
}

/// What a run must do.
#[derive(Debug)]
pub(crate) enum Path {
    Finally(Watch),
    Globally(Watch),
    Until(Watch, Watch),
}

impl Bound {
    pub(crate) fn new(builder: &mut Builder<'_>, bound: &RunBound) -> Result<Bound, Unsupported> {
        Ok(match bound {
            RunBound::Time(time) => Bound::Time(*time),
            RunBound::Steps(steps) => Bound::Steps(*steps),
            RunBound::Cost(cost, limit) => Bound::Cost(Value::new(builder, cost)?, *limit),
        })
    }
}

impl Path {
    pub(crate) fn new(builder: &mut Builder<'_>, path: &PathFormula) -> Result<Path, Unsupported> {
        let mut watch = |expr: &StateExpr| Watch::new(builder, expr);
        Ok(match path {
            PathFormula::Finally(p) => Path::Finally(watch(p)?),
            PathFormula::Globally(p) => Path::Globally(watch(p)?),
            PathFormula::Until(p, q) => Path::Until(watch(p)?, watch(q)?),
        })
    }
}

/// How a run fulfils a formula.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Fulfilled {
    /// It does, at this place: a time, a number of steps, a cost, as the bound counts.
    At(f64),
    No,
}

/// Watches a run go by.
pub(crate) trait Witness {
    /// Time is about to pass; gives the delay after which the run need not go on.
    fn delay(
        &mut self,
        run: &mut Simulator<'_>,
        delay: f64,
        chance: &mut dyn Chance,
    ) -> Result<Option<f64>, Problem>;

    /// Time has passed, or a transition has happened.
    fn state(&mut self, run: &mut Simulator<'_>, chance: &mut dyn Chance) -> Result<(), Problem> {
        let _ = (run, chance);
        Ok(())
    }

    /// A transition has happened.
    fn acted(&mut self, run: &mut Simulator<'_>) {
        let _ = run;
    }
}

/// Makes one run until its bound is reached or its witness has seen enough; true in the second case.
pub(crate) fn go(
    run: &mut Simulator<'_>,
    bound: &Bound,
    witness: &mut impl Witness,
    chance: &mut impl Chance,
) -> Result<bool, Problem> {
    run.start(chance)?;
    witness.state(run, chance)?;
    let mut greatest = (f64::NEG_INFINITY, 0);
    loop {
        run.look()?;
        if let Bound::Cost(cost, _) = bound {
            let (cost, steps) = (run.value(cost, chance)?, run.state().steps);
            let transitions = steps - greatest.1;
            if cost > greatest.0 {
                greatest = (cost, steps);
            } else if transitions > GROWTH_MAX {
                return Err(ProblemKind::Endless { transitions }.into());
            }
        }
        let Some(left) = bound.left(run, chance)? else {
            // The last state counts, although no time is left.
            let end = witness.delay(run, 0.0, chance)?;
            return Ok(end.is_some());
        };
        let race = match run.race(chance) {
            Ok(race) => race,
            // A run that has shown enough need not go on.
            Err(problem) => {
                return witness.delay(run, 0.0, chance)?.map(|_| true).ok_or(problem);
            }
        };
        // What happens at the very end still counts, and sums of delays are rounded.
        let rounding = TOLERANCE * run.state().time.max(1.0);
        let (delay, winner) = match race {
            Race::Won { winner, delay } if delay <= left + rounding => (delay, Some(winner)),
            Race::Won { .. } => (left, None),
            Race::Locked { delay, .. } => (delay.min(left), None),
            Race::Over => (left, None),
        };
        if let Some(end) = witness.delay(run, delay, chance)? {
            run.pass(end);
            return Ok(true);
        }
        if delay == f64::INFINITY {
            // Nothing can ever happen any more, and time does not lead to the bound. The run is over.
            return Ok(false);
        }
        run.pass(delay);
        witness.state(run, chance)?;
        match (winner, race) {
            (Some(winner), _) => {
                if run.act(winner, chance)? {
                    witness.acted(run);
                    witness.state(run, chance)?;
                } else if left == f64::INFINITY && run.tries_in_vain() {
                    return Ok(false);
                }
            }
            (None, Race::Locked { process, delay }) if delay + rounding < left => {
                return Err(ProblemKind::Timelock { process }.into());
            }
            (None, _) => return Ok(false),
        }
    }
}

impl Bound {
    /// How much time a run has left: none if the bound is exceeded, infinitely much if time does not
    /// lead there.
    fn left(
        &self,
        run: &mut Simulator<'_>,
        chance: &mut dyn Chance,
    ) -> Result<Option<f64>, Problem> {
        Ok(match self {
            Bound::Time(end) => Some((end - run.state().time).max(0.0)),
            Bound::Steps(end) => (run.state().steps < *end).then_some(f64::INFINITY),
            Bound::Cost(cost, end) => {
                let left = end - run.value(cost, chance)?;
                match left < -TOLERANCE * end.abs().max(1.0) {
                    true => None,
                    false => match run.growth(cost, chance)? {
                        growth if growth > 0.0 => Some(left.max(0.0) / growth),
                        _ => Some(f64::INFINITY),
                    },
                }
            }
        })
    }

    /// Where a run is, as the bound counts.
    pub(crate) fn place(
        &self,
        run: &mut Simulator<'_>,
        chance: &mut dyn Chance,
    ) -> Result<f64, Problem> {
        Ok(match self {
            Bound::Time(_) => run.state().time,
            Bound::Steps(_) => f64::from(run.state().steps),
            Bound::Cost(cost, _) => run.value(cost, chance)?,
        })
    }
}

/// Whether a run fulfils a formula within a bound.
pub(crate) fn fulfils(
    run: &mut Simulator<'_>,
    bound: &Bound,
    path: &Path,
    chance: &mut impl Chance,
) -> Result<Fulfilled, Problem> {
    let mut judge = Judge::new(path);
    let ended = go(run, bound, &mut judge, chance)?;
    let good = match path {
        Path::Globally(_) => !ended,
        Path::Finally(_) | Path::Until(..) => ended && !judge.refuted,
    };
    match good {
        true => Ok(Fulfilled::At(bound.place(run, chance)?)),
        false => Ok(Fulfilled::No),
    }
}

/// Looks whether a formula is decided.
pub(crate) struct Judge<'p> {
    path: &'p Path,
    /// The decision is that it is not fulfilled.
    refuted: bool,
}

impl<'p> Judge<'p> {
    pub(crate) fn new(path: &'p Path) -> Judge<'p> {
        Judge { path, refuted: false }
    }
}

impl Witness for Judge<'_> {
    #[inline]
    fn delay(
        &mut self,
        run: &mut Simulator<'_>,
        delay: f64,
        chance: &mut dyn Chance,
    ) -> Result<Option<f64>, Problem> {
        Ok(match self.path {
            Path::Finally(goal) => run.first(goal, true, delay, chance)?,
            Path::Globally(safe) => run.first(safe, false, delay, chance)?,
            Path::Until(before, goal) => {
                let reached = run.first(goal, true, delay, chance)?;
                let left = run.first(before, false, delay, chance)?;
                match (reached, left) {
                    (Some(reached), Some(left)) if left < reached => {
                        self.refuted = true;
                        Some(left)
                    }
                    (Some(reached), _) => Some(reached),
                    (None, Some(left)) => {
                        self.refuted = true;
                        Some(left)
                    }
                    (None, None) => None,
                }
            }
        })
    }
}

/// The extreme value of an expression in one run.
pub(crate) fn extreme(
    run: &mut Simulator<'_>,
    bound: &Bound,
    of: &Value,
    maximum: bool,
    chance: &mut impl Chance,
) -> Result<f64, Problem> {
    let mut extreme = Extreme::new(of, maximum);
    go(run, bound, &mut extreme, chance)?;
    Ok(extreme.so_far.unwrap_or(f64::NAN))
}

pub(crate) struct Extreme<'v> {
    of: &'v Value,
    maximum: bool,
    so_far: Option<f64>,
}

impl<'v> Extreme<'v> {
    pub(crate) fn new(of: &'v Value, maximum: bool) -> Extreme<'v> {
        Extreme { of, maximum, so_far: None }
    }
}

impl Witness for Extreme<'_> {
    fn delay(
        &mut self,
        _: &mut Simulator<'_>,
        _: f64,
        _: &mut dyn Chance,
    ) -> Result<Option<f64>, Problem> {
        Ok(None)
    }

    fn state(&mut self, run: &mut Simulator<'_>, chance: &mut dyn Chance) -> Result<(), Problem> {
        let value = run.value(self.of, chance)?;
        self.so_far = Some(match (self.so_far, self.maximum) {
            (None, _) => value,
            (Some(so_far), true) => so_far.max(value),
            (Some(so_far), false) => so_far.min(value),
        });
        Ok(())
    }
}
