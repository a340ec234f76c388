//! Tests, systems under test, and what is known of each test of each system.
//!
//! A test is labelled by what was seeded: it passes if the trace is that of the oracle; it is late if the
//! trace is that of the variant without a fault; otherwise there is a fault. It is late within tolerance
//! if a variant that is never later than tolerated behaves the same.

use punctual_model::lustre::{Program, Value};
use punctual_oracle::steering::Label;
use punctual_semantics::lustre::{Machine, Reals, Stepper};
use punctual_testgen::mutation::lustre::{Choice, mutants};

use super::draw::Draw;
use super::system::{Delay, Drawn, System};
use super::{infusion, pacing};

/// The outputs of each step.
pub(super) type Trace = Vec<Vec<Value>>;

/// Tests and what systems without a fault do with them.
pub(super) struct Suite<'s> {
    pub(super) system: &'s System,
    /// Inputs of each step of each test.
    pub(super) tests: Vec<Vec<Vec<Value>>>,
    oracle: Vec<Trace>,
    late: Vec<Late>,
}

/// What a variant does.
struct Late {
    /// The delay of each step of each test.
    delays: Vec<Vec<i64>>,
    traces: Vec<Trace>,
    is_within: Vec<bool>,
}

/// A system under test.
pub(super) struct Subject {
    /// Which variant it is; none if its timing is that of the oracle.
    pub(super) variant: Option<usize>,
    /// The number of its fault, if it has one.
    pub(super) mutant: Option<usize>,
    /// What is wrong with it, for people.
    pub(super) fault: String,
    pub(super) program: Program,
}

/// A test of a system.
pub(super) struct Case {
    pub(super) test: usize,
    pub(super) label: Label,
    pub(super) trace: Trace,
}

impl<'s> Suite<'s> {
    pub(super) fn new(system: &'s System, n_tests: usize, seed: u64) -> Result<Suite<'s>, String> {
        let tests = match system.drawn.is_empty() {
            true => tests(system.name, n_tests, seed),
            false => (0..n_tests)
                .map(|it| drawn(&system.drawn, &mut Draw::of(seed, it as u64)))
                .collect(),
        };
        let mut suite = Suite { system, oracle: Vec::new(), late: Vec::new(), tests };
        suite.oracle = suite.traces(&system.oracle, None)?;
        for (number, variant) in system.variants.iter().enumerate() {
            let delays: Vec<Vec<i64>> = (suite.tests.iter().enumerate())
                .map(|(test, steps)| {
                    let stream = (n_tests * (number + 1) + test) as u64;
                    delays(variant.delay, steps.len(), &mut Draw::of(!seed, stream))
                })
                .collect();
            let tolerated = |steps: &Vec<i64>| -> Vec<i64> {
                let Delay { tolerated_min, tolerated, .. } = variant.delay;
                steps.iter().map(|delay| (*delay).clamp(tolerated_min, tolerated)).collect()
            };
            let capped: Vec<Vec<i64>> = delays.iter().map(tolerated).collect();
            let traces = suite.traces(&variant.program, Some(&delays))?;
            let within = suite.traces(&variant.program, Some(&capped))?;
            let is_within = traces.iter().zip(&within).map(|(a, b)| a == b).collect();
            suite.late.push(Late { delays, traces, is_within });
        }
        Ok(suite)
    }

    /// The variants, and mutants of the oracle and of each of them.
    pub(super) fn subjects(&self, n_mutants: usize, seed: u64) -> Vec<Subject> {
        let variants = &self.system.variants;
        let mut subjects = Vec::new();
        for (number, variant) in variants.iter().enumerate() {
            let program = variant.program.clone();
            subjects.push(Subject {
                variant: Some(number),
                mutant: None,
                fault: String::new(),
                program,
            });
        }
        let bases = std::iter::once((None, &self.system.oracle))
            .chain(variants.iter().enumerate().map(|(number, it)| (Some(number), &it.program)));
        for (at, (variant, program)) in bases.enumerate() {
            let found = mutants(program, Choice::InAll(n_mutants), seed.wrapping_add(at as u64));
            for (number, mutant) in found.into_iter().enumerate() {
                let fault = format!("`{}`: {} -> {}", mutant.equation, mutant.old, mutant.new);
                let program = mutant.program;
                subjects.push(Subject { variant, mutant: Some(number), fault, program });
            }
        }
        subjects
    }

    /// What a system does in all tests, and what is to be said of it.
    pub(super) fn cases(&self, subject: &Subject) -> Result<Vec<Case>, String> {
        let late = subject.variant.map(|number| &self.late[number]);
        let traces = self.traces(&subject.program, late.map(|it| &it.delays[..]))?;
        let case = |(test, trace): (usize, Trace)| {
            let timed = late.map(|it| (&it.traces[test], it.is_within[test]));
            Case { test, label: label(&trace, &self.oracle[test], timed), trace }
        };
        Ok(traces.into_iter().enumerate().map(case).collect())
    }

    /// Whether a system without a fault, whose timing differs by no more than tolerated, could have shown a trace: then nobody
    /// can tell that it has one, whatever the rule.
    pub(super) fn is_masked(&self, case: &Case) -> Result<bool, String> {
        for variant in &self.system.variants {
            let Delay { tolerated_min, tolerated, varies, drifts, .. } = variant.delay;
            let n_steps = case.trace.len();
            // A delay that varies may be another one in each step; others follow from one number.
            let ways: Vec<Vec<Vec<i64>>> = match varies {
                true => vec![vec![(tolerated_min..=tolerated).collect(); n_steps]],
                false => (tolerated_min..=tolerated)
                    .map(|end| {
                        let of = |step| if drifts { drifted(end, step, n_steps) } else { end };
                        (0..n_steps).map(|step| vec![of(step)]).collect()
                    })
                    .collect(),
            };
            for way in ways {
                if self.could_show(&variant.program, case, &way)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a program shows a trace with some choice of a delay in each step.
    fn could_show(
        &self,
        program: &Program,
        case: &Case,
        choices: &[Vec<i64>],
    ) -> Result<bool, String> {
        let machine = Machine::new(program, Reals::Exact).map_err(|error| error.to_string())?;
        let mut stepper = Stepper::new(&machine);
        let inputs: Vec<_> = program.inputs().collect();
        let outputs: Vec<_> = program.outputs().collect();
        let mut states = vec![machine.start()];
        for ((values, seen), choices) in self.tests[case.test].iter().zip(&case.trace).zip(choices)
        {
            let mut next = Vec::new();
            for state in &states {
                for delay in choices {
                    let all = values.iter().copied().chain([Value::Int(*delay)]);
                    for (var, value) in inputs.iter().zip(all) {
                        stepper.set(*var, value);
                    }
                    let mut after = machine.start();
                    let taken = stepper.step(state, &mut after).is_ok();
                    let is_same =
                        outputs.iter().zip(seen).all(|(var, it)| stepper.value(*var) == *it);
                    if taken && is_same && !next.contains(&after) {
                        next.push(after);
                    }
                }
            }
            states = next;
        }
        Ok(!states.is_empty())
    }

    fn traces(&self, program: &Program, delays: Option<&[Vec<i64>]>) -> Result<Vec<Trace>, String> {
        let machine = Machine::new(program, Reals::Exact).map_err(|error| error.to_string())?;
        let mut stepper = Stepper::new(&machine);
        let inputs: Vec<_> = program.inputs().collect();
        let outputs: Vec<_> = program.outputs().collect();
        let mut traces = Vec::new();
        for (test, steps) in self.tests.iter().enumerate() {
            let (mut state, mut after) = (machine.start(), machine.start());
            let mut trace = Trace::new();
            for (step, values) in steps.iter().enumerate() {
                let delay = delays.map(|delays| Value::Int(delays[test][step]));
                for (var, value) in inputs.iter().zip(values.iter().copied().chain(delay)) {
                    stepper.set(*var, value);
                }
                stepper
                    .step(&state, &mut after)
                    .map_err(|failure| format!("{}: {failure:?}", program.name))?;
                std::mem::swap(&mut state, &mut after);
                trace.push(outputs.iter().map(|var| stepper.value(*var)).collect());
            }
            traces.push(trace);
        }
        Ok(traces)
    }
}

/// Tests of a system: the inputs of each step of each.
pub(super) fn tests(system: &str, n_tests: usize, seed: u64) -> Vec<Vec<Vec<Value>>> {
    let test = |number: usize| {
        let mut draw = Draw::of(seed, number as u64);
        match system {
            "infusion" => infusion::test(&mut draw),
            _ => pacing::test(&mut draw),
        }
    };
    (0..n_tests).map(test).collect()
}

/// How late each step of a test is. Short delays are more common than long ones where a test has one;
/// where each step has its own, they are spread evenly up to the longest of the test.
///
/// Where something may be early, too, delays are spread between a least and a greatest one of the test; a delay that
/// drifts grows evenly up to that of the test.
fn delays(delay: Delay, n_steps: usize, draw: &mut Draw) -> Vec<i64> {
    let longest = draw.between(0, delay.max);
    let early = if delay.min < 0 { draw.between(delay.min, 0) } else { 0 };
    if delay.drifts {
        let end = if early < 0 && draw.percent(50) { early } else { longest };
        return (0..n_steps).map(|step| drifted(end, step, n_steps)).collect();
    }
    if delay.min < 0 {
        return (0..n_steps).map(|_| draw.between(early, longest)).collect();
    }
    match delay.varies {
        true => (0..n_steps).map(|_| draw.between(0, longest)).collect(),
        false => vec![longest.min(draw.between(0, delay.max)); n_steps],
    }
}

/// The delay in a step, if it grows to this at the end.
pub(super) fn drifted(end: i64, step: usize, n_steps: usize) -> i64 {
    end * (step as i64 + 1) / n_steps.max(1) as i64
}

/// How many steps tests have that are drawn.
const STEPS: usize = 60;

/// A test whose inputs are drawn.
fn drawn(inputs: &[Drawn], draw: &mut Draw) -> Vec<Vec<Value>> {
    let mut now: Vec<i64> = (inputs.iter())
        .map(|it| match *it {
            Drawn::Percent { .. } => 0,
            Drawn::Constant { from, to } => draw.between(from, to),
            Drawn::Walk { walk: [low, high], .. } => draw.between(low, high),
        })
        .collect();
    let mut step = |_| {
        let of = inputs.iter().zip(&mut now);
        of.map(|(how, now)| match *how {
            Drawn::Percent { percent } => Value::Bool(draw.percent(percent)),
            Drawn::Constant { .. } => Value::Int(*now),
            Drawn::Walk { walk: [low, high], by } => {
                *now = (*now + draw.between(-by, by)).clamp(low, high);
                Value::Int(*now)
            }
        })
        .collect()
    };
    (0..STEPS).map(&mut step).collect()
}

/// What is to be said of a trace, given that of the oracle, and that of the variant without a fault with
/// whether that is within tolerance.
fn label(trace: &Trace, oracle: &Trace, timed: Option<(&Trace, bool)>) -> Label {
    match timed {
        _ if trace == oracle => Label::Pass,
        Some((late, true)) if trace == late => Label::TimingWithinTolerance,
        Some((late, false)) if trace == late => Label::TimingNotInTolerance,
        _ => Label::Fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(values: &[i64]) -> Trace {
        values.iter().map(|it| vec![Value::Int(*it)]).collect()
    }

    #[test]
    fn labels_follow_the_seeded_cause() {
        let (oracle, late, faulty) = (trace(&[1, 2]), trace(&[1, 1]), trace(&[1, 3]));
        assert_eq!(label(&oracle, &oracle, None), Label::Pass);
        assert_eq!(label(&oracle, &oracle, Some((&late, true))), Label::Pass);
        assert_eq!(label(&late, &oracle, Some((&late, true))), Label::TimingWithinTolerance);
        assert_eq!(label(&late, &oracle, Some((&late, false))), Label::TimingNotInTolerance);
        assert_eq!(label(&late, &oracle, None), Label::Fault, "a fault that looks late");
        assert_eq!(label(&faulty, &oracle, Some((&late, true))), Label::Fault);
    }

    /// What is late within tolerance is what a system without a fault can show, and what is later is not.
    #[test]
    fn what_a_right_system_could_show_is_masked() {
        let folder =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/steering");
        let mut counts = [0, 0];
        for name in ["infusion", "crossing", "heater", "lift"] {
            let system = System::read_apart(&folder, name).expect(name);
            let suite = Suite::new(&system, 30, 5).expect(name);
            // Of a drift that goes beyond the tolerance, what is cut off is no drift any more.
            let drifts =
                |it: &Subject| it.variant.is_some_and(|at| system.variants[at].delay.drifts);
            for subject in suite.subjects(0, 5).into_iter().filter(|it| !drifts(it)) {
                for case in suite.cases(&subject).expect(name) {
                    let is_masked = suite.is_masked(&case).expect(name);
                    match case.label {
                        Label::TimingWithinTolerance => {
                            counts[0] += 1;
                            assert!(is_masked, "{name}, test {}", case.test);
                        }
                        Label::TimingNotInTolerance => counts[1] += u64::from(!is_masked),
                        _ => {}
                    }
                }
            }
        }
        assert!(counts[0] > 3 && counts[1] > 3, "{counts:?}");
    }

    #[test]
    fn delays_stay_below_the_longest() {
        let delay = |varies| Delay {
            min: 0,
            max: 5,
            tolerated_min: 0,
            tolerated: 2,
            varies,
            drifts: false,
        };
        for number in 0..50 {
            let one = delays(delay(false), 10, &mut Draw::of(1, number));
            assert!(one.iter().all(|it| *it == one[0] && (0..=5).contains(it)));
            let many = delays(delay(true), 10, &mut Draw::of(1, number));
            assert!(many.iter().all(|it| (0..=5).contains(it)));
        }
    }
}
