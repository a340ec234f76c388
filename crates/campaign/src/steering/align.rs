//! Samples of a trace that are tied to steps of a test by their times.
//!
//! A system may lose a sample, give one too many, or take them a little earlier or later than the test has its steps. Each
//! sample belongs to the step whose time is nearest, in order, and to none that is too far away. A step without a sample is
//! taken by the model and compared with nothing. A sample without a step is counted, and must show what the system showed in
//! the step before or behind it, since the model is at no other step in between.

use punctual_lang::steering::Align;
use punctual_model::VarId;
use punctual_model::lustre::{Program, Rational, Role, Table, Test, Type, Value, Var};

use super::load::Plan;

/// How times are read, and what is allowed.
pub(super) struct Clock<'a> {
    /// The program, with a variable for the time of a sample if it has none.
    pub(super) program: Program,
    /// That variable.
    pub(super) column: VarId,
    /// The variable of the tests that is the time of a step; None if its number is.
    step: Option<VarId>,
    align: &'a Align,
}

/// How the samples of a test belong to its steps.
pub(super) struct Tied {
    /// The sample of each step; None of a step without one.
    pub(super) pairs: Vec<Option<usize>>,
    /// The samples without a step.
    pub(super) extra: Vec<usize>,
}

/// The steps that a sample without a step is compared with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Between {
    /// The last step before it that has a sample, and the first one behind it.
    pub(crate) before: Option<usize>,
    pub(crate) behind: Option<usize>,
    /// Whether a step between these has no sample, so that nobody knows what the system showed in it.
    pub(crate) is_open: bool,
}

impl Tied {
    fn new(pairs: Vec<Option<usize>>, n_samples: usize) -> Tied {
        let extra = (0..n_samples).filter(|at| !pairs.contains(&Some(*at))).collect();
        Tied { pairs, extra }
    }

    /// Where a sample without a step lies.
    pub(super) fn between(&self, sample: usize) -> Between {
        let before = self.pairs.iter().rposition(|at| at.is_some_and(|at| at < sample));
        let behind = self.pairs.iter().position(|at| at.is_some_and(|at| at > sample));
        let first = before.map_or(0, |at| at + 1);
        Between { before, behind, is_open: first < behind.unwrap_or(self.pairs.len()) }
    }
}

/// Tables of more cells than this are not looked through.
const CELLS_MAX: usize = 25_000_000;

impl<'a> Clock<'a> {
    /// # Errors
    /// If a column is not a number.
    pub(super) fn new(plan: &Plan, align: &'a Align) -> Result<Clock<'a>, String> {
        let mut program = plan.program.clone();
        let is_number =
            |program: &Program, var: VarId| matches!(program.vars[var].ty, Type::Int | Type::Real);
        let name = &align.time.text;
        let column = program.var(name).unwrap_or_else(|| {
            let (name, ty, range, role) = (name.clone(), Type::Real, None, Role::Local);
            program.vars.push(Var { name, ty, range, role })
        });
        let step = match &align.tests {
            None => None,
            Some(named) => {
                let name = &named.text;
                let var = program.var(name);
                Some(var.ok_or_else(|| format!("`tests` of `[align]`: the model has no `{name}`"))?)
            }
        };
        for var in step.into_iter().chain([column]) {
            if !is_number(&program, var) {
                return Err(format!("`{}` of `[align]` is not a number", program.vars[var].name));
            }
        }
        Ok(Clock { program, column, step, align })
    }

    /// How the samples of a test belong to its steps.
    ///
    /// # Errors
    /// If there is no time, or samples are not in order, or more were lost, or too many, than is allowed. With the sample that it is about.
    pub(super) fn tied(
        &self,
        plan: &Plan,
        tests: &Table,
        given: &Test,
        trace: &Table,
        seen: &Test,
    ) -> Result<Tied, (Option<usize>, String)> {
        let column = |table: &Table, var: VarId| {
            let found = table.columns.iter().position(|it| *it == var);
            let missing = || format!("there is no column `{}`", self.program.vars[var].name);
            found.ok_or_else(|| (None, missing()))
        };
        debug_assert!(
            plan.tests.is_some(),
            "a trace that has the inputs has a sample for each step"
        );
        let of = |row: &[Value], at: usize| row[at].as_rational();
        let at = column(trace, self.column)?;
        let samples: Vec<Rational> = seen.steps.iter().map(|row| of(row, at)).collect();
        let steps: Vec<Rational> = match self.step {
            None => (0..given.steps.len() as i128).map(Rational::from_integer).collect(),
            Some(var) => {
                let at = column(tests, var)?;
                given.steps.iter().map(|row| of(row, at)).collect()
            }
        };
        if let Some(at) = samples.windows(2).position(|two| two[1] < two[0]) {
            let name = &self.program.vars[self.column].name;
            let message = format!(
                "its `{name}` is before that of the sample above: samples are not in the order of their times"
            );
            return Err((Some(at + 1), message));
        }
        let pairs =
            aligned(&steps, &samples, self.align.within).map_err(|what| (None, what.to_owned()))?;
        let n_tied = pairs.iter().flatten().count();
        let (lost, extra) = ((pairs.len() - n_tied) as u64, (samples.len() - n_tied) as u64);
        for (n, most, what) in [
            (lost, self.align.lost, ["step", "steps", "without a sample"]),
            (extra, self.align.extra, ["sample", "samples", "without a step"]),
        ] {
            if n > most {
                let [one, many, without] = what;
                let are = if n == 1 { format!("is 1 {one}") } else { format!("are {n} {many}") };
                let message = format!("there {are} {without}, and `[align]` allows {most}");
                return Err((None, message));
            }
        }
        Ok(Tied::new(pairs, samples.len()))
    }
}

/// The sample of each step, in order: as many as can be tied with no more than `within` between them, and of such ways the one
/// with the least distances.
///
/// # Errors
/// If there is too much to compare, or times can not be compared exactly.
fn aligned(
    steps: &[Rational],
    samples: &[Rational],
    within: Rational,
) -> Result<Vec<Option<usize>>, &'static str> {
    let (n, m) = (steps.len(), samples.len());
    let n_cells = (n + 1).checked_mul(m + 1).filter(|it| *it <= CELLS_MAX);
    let n_cells = n_cells.ok_or("the test is too long to be aligned")?;
    let ticks = Ticks::of(steps, samples, within);
    let Ticks { steps, samples, within } = ticks.ok_or(
        "its times have too many digits to be compared exactly: round them, or scale them",
    )?;
    let distance = |i: usize, j: usize| (steps[i] - samples[j]).abs();
    // How many are tied from here on, and how far they are apart together.
    let width = m + 1;
    let mut best: Vec<(usize, i128)> = vec![(0, 0); n_cells];
    let is_better = |a: &(usize, i128), b: &(usize, i128)| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1);
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let (lost, extra) = (best[(i + 1) * width + j], best[i * width + j + 1]);
            let mut way = if is_better(&extra, &lost) { extra } else { lost };
            let by = distance(i, j);
            if by <= within {
                let rest = best[(i + 1) * width + j + 1];
                let tied = (rest.0 + 1, rest.1 + by);
                if !is_better(&way, &tied) {
                    way = tied;
                }
            }
            best[i * width + j] = way;
        }
    }
    let mut pairs = vec![None; n];
    let (mut i, mut j) = (0, 0);
    while i < n && j < m {
        let here = best[i * width + j];
        let by = distance(i, j);
        let rest = best[(i + 1) * width + j + 1];
        if by <= within && (rest.0 + 1, rest.1 + by) == here {
            pairs[i] = Some(j);
            (i, j) = (i + 1, j + 1);
        } else if best[i * width + j + 1] == here {
            j += 1;
        } else {
            i += 1;
        }
    }
    Ok(pairs)
}

/// Times as whole numbers of a unit that all are multiples of. Distances are exact, and so are their sums.
struct Ticks {
    steps: Vec<i128>,
    samples: Vec<i128>,
    within: i128,
}

impl Ticks {
    /// None if they, or the sum of all distances, do not fit.
    fn of(steps: &[Rational], samples: &[Rational], within: Rational) -> Option<Ticks> {
        let all = || steps.iter().chain(samples).chain([&within]);
        let unit = all().try_fold(1_i128, |unit, it| {
            let (mut a, mut b) = (unit, *it.denom());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            unit.checked_mul(it.denom() / a)
        })?;
        let ticks = |it: &Rational| it.numer().checked_mul(unit / it.denom());
        // No distance is more than twice the latest time.
        let most = all().map(|it| ticks(it)?.checked_abs()).collect::<Option<Vec<_>>>()?;
        let most = most.into_iter().max().unwrap_or_default();
        most.checked_mul(2)?.checked_mul(i128::try_from(steps.len()).ok()? + 1)?;
        Some(Ticks {
            steps: steps.iter().map(ticks).collect::<Option<_>>()?,
            samples: samples.iter().map(ticks).collect::<Option<_>>()?,
            within: ticks(&within)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(steps: &[i128], samples: &[i128], within: i128) -> Vec<Option<usize>> {
        let numbers = |of: &[i128]| -> Vec<Rational> {
            of.iter().map(|it| Rational::from_integer(*it)).collect()
        };
        aligned(&numbers(steps), &numbers(samples), Rational::from_integer(within)).unwrap()
    }

    #[test]
    fn samples_belong_to_the_nearest_step() {
        assert_eq!(pairs(&[0, 10, 20], &[1, 11, 22], 3), [Some(0), Some(1), Some(2)]);
        assert_eq!(pairs(&[0, 10, 20], &[1, 22], 3), [Some(0), None, Some(1)], "one was lost");
        assert_eq!(pairs(&[0, 10], &[0, 4, 10], 3), [Some(0), Some(2)], "one is too many");
        assert_eq!(pairs(&[0, 10], &[-2, 0, 10], 3), [Some(1), Some(2)], "the nearer one of two");
        assert_eq!(pairs(&[0, 10], &[5, 99], 3), [None, None]);
        assert_eq!(pairs(&[0, 10], &[], 3), [None, None]);
    }

    /// Sums of fractions overflow where the fractions do not.
    #[test]
    fn times_that_are_too_fine_are_an_error() {
        let sevenths = |it: i128| Rational::new(it, 7);
        let own = [sevenths(0), sevenths(7), sevenths(14)];
        let seen = [sevenths(1), sevenths(5), sevenths(13)];
        assert_eq!(aligned(&own, &seen, Rational::new(1, 3)), Ok(vec![Some(0), Some(1), Some(2)]));
        // The next larger powers of primes, and a sum has the product of all as its denominator.
        let fine = |base: i128, power: u32| Rational::new(1, base.pow(power));
        let seen = [fine(3, 30), fine(5, 20), fine(7, 16), fine(11, 13)];
        let steps = [Rational::from_integer(0); 4];
        assert!(aligned(&steps, &seen, Rational::from_integer(1)).is_err());
        let far = [Rational::from_integer(i128::MAX / 2), Rational::from_integer(i128::MIN / 2)];
        assert!(aligned(&far, &far, Rational::from_integer(1)).is_err());
    }

    #[test]
    fn an_extra_sample_lies_between_steps() {
        let tied =
            |steps: &[i128], samples: &[i128]| Tied::new(pairs(steps, samples, 3), samples.len());
        let between = |before, behind, is_open| Between { before, behind, is_open };
        let one = tied(&[0, 10, 20], &[0, 5, 10, 20]);
        assert_eq!(one.extra, [1]);
        assert_eq!(one.between(1), between(Some(0), Some(1), false));
        let last = tied(&[0, 10], &[0, 10, 15, 16]);
        assert_eq!(last.extra, [2, 3]);
        assert_eq!(last.between(3), between(Some(1), None, false));
        let lost = tied(&[0, 10, 20], &[0, 5, 20]);
        assert_eq!(lost.between(1), between(Some(0), Some(2), true));
    }
}
