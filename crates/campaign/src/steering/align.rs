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
        let too_long = || (None, "the test is too long to be aligned".to_owned());
        let pairs = aligned(&steps, &samples, self.align.within).ok_or_else(too_long)?;
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
/// with the least distances. None if there is too much to compare.
fn aligned(
    steps: &[Rational],
    samples: &[Rational],
    within: Rational,
) -> Option<Vec<Option<usize>>> {
    let (n, m) = (steps.len(), samples.len());
    if (n + 1).checked_mul(m + 1)? > CELLS_MAX {
        return None;
    }
    let distance = |i: usize, j: usize| {
        let by = steps[i] - samples[j];
        if by < Rational::from_integer(0) { -by } else { by }
    };
    // How many are tied from here on, and how far they are apart together.
    let width = m + 1;
    let mut best: Vec<(usize, Rational)> = vec![(0, Rational::from_integer(0)); (n + 1) * width];
    let is_better =
        |a: &(usize, Rational), b: &(usize, Rational)| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1);
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
    Some(pairs)
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
