//! Steps that are estimated from what is seen: they lie where they were, and whoever says how exactly says the truth.

use punctual_model::testing::platform::{Delay, Events, Form, Line, Platform};
use punctual_model::{IdVec, VarId};
use punctual_semantics::platform::{Estimate, Steps};

const MS: f64 = 1e6;
const STEP: f64 = 500.0 * MS;

/// Numbers by chance, from a seed.
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        (mixed >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// A platform whose outputs have these means and deviations, in milliseconds.
fn platform(outputs: &[(f64, f64)], events: Events) -> Platform {
    let mut variables: IdVec<VarId, ()> = IdVec::new();
    let line = |(mean, deviation): &(f64, f64)| Line {
        variable: variables.push(()),
        outside: String::new(),
        form: Form::Same,
        delay: Delay::Normal { mean: mean * MS, deviation: deviation * MS },
        sampling_ns: None,
        is_latched: false,
    };
    Platform {
        step_ns: STEP as u64,
        inputs: Vec::new(),
        outputs: outputs.iter().map(line).collect(),
        software: Delay::NONE,
        signal: None,
        arrived: None,
        grouping_ns: 0,
        risk: 0.01,
        pulses: 0,
        events,
        initial: Vec::new(),
        drift: None,
        requirements: Vec::new(),
        automata: Vec::new(),
    }
}

/// How the steps of a program really are.
#[derive(Clone, Copy)]
struct Truth {
    phase: f64,
    period: f64,
    /// A step comes up to so much early or late.
    jitter: f64,
    /// The share of values that is never seen.
    missing: f64,
    n_steps: usize,
}

const TRUTH: Truth =
    Truth { phase: 300.0 * MS, period: STEP, jitter: 0.0, missing: 0.0, n_steps: 25 };

/// What is seen of so many steps, in the order of instants: lines and instants.
fn seen(platform: &Platform, truth: Truth, chance: &mut Chance) -> Vec<(usize, f64)> {
    let mut all = Vec::new();
    for step in 0..truth.n_steps {
        let at = truth.phase + step as f64 * truth.period;
        let at = at + truth.jitter * (2.0 * chance.unit() - 1.0);
        for (line, of) in platform.outputs.iter().enumerate() {
            let delay = (of.delay.mean() + of.delay.deviation() * chance.normal()).max(0.0);
            let is_sent = platform.events == Events::All || step == 0 || chance.unit() < 0.2;
            if is_sent && chance.unit() >= truth.missing {
                all.push((line, at + delay));
            }
        }
    }
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    all
}

/// What is estimated in the end, and the step of the first interaction.
fn estimated(platform: &Platform, seen: &[(usize, f64)]) -> Option<(Estimate, usize)> {
    let mut steps = Steps::new(platform, 0.0).expect("steps can be told");
    for (line, at) in seen {
        steps.saw(*line, *at);
        steps.mind(*at);
    }
    steps.settle();
    Some((steps.estimate()?.clone(), steps.first()?))
}

/// Makes many estimates. All steps lie within six deviations of where they were, and are numbered as they were; the deviations that are told are as large as
/// those that there are. Gives the mean error of steps, in milliseconds.
fn check(outputs: &[(f64, f64)], events: Events, truth: Truth) -> f64 {
    let platform = platform(outputs, events);
    let (mut squares, mut told, mut n_doubtful, mut n_steadier) = (0.0, 0.0, 0, 0);
    const RUNS: u64 = 300;
    for seed in 0..RUNS {
        let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let found = estimated(&platform, &seen(&platform, truth, &mut chance));
        let (estimate, first) = found.unwrap_or_else(|| panic!("{seed}: nothing is estimated"));
        n_doubtful += u64::from(estimate.is_doubtful);
        assert!(first < truth.n_steps + 8, "{seed}: {first}");
        for step in 0..truth.n_steps {
            let off = estimate.end(step as f64) - (truth.phase + step as f64 * truth.period);
            let allowed = 6.0 * estimate.deviation(step as f64);
            assert!(
                off.abs() <= allowed || estimate.is_doubtful,
                "{seed}, {step}: {off} {allowed}"
            );
            let share = (RUNS as usize * truth.n_steps) as f64;
            squares += off * off / share;
            told += estimate.deviation(step as f64).powi(2) / share;
        }
        n_steadier += u64::from(estimate.jitter < 0.9 * truth.jitter / 3_f64.sqrt());
    }
    // The jitter that is told is rather too large.
    assert!(n_steadier * 25 <= RUNS, "{n_steadier}");
    assert!(n_doubtful * 100 <= RUNS || truth.missing > 0.0, "{n_doubtful}");
    assert!(squares <= 1.5 * told, "{squares} {told}");
    squares.sqrt() / MS
}

#[test]
fn steps_are_told_from_outputs() {
    let pump = [(300.0, 20.0), (20.0, 5.0), (1200.0, 60.0)];
    assert!(check(&pump, Events::All, TRUTH) < 2.0);
    assert!(check(&[(300.0, 20.0); 3], Events::All, TRUTH) < 5.0);
    // A line of its own suffices.
    assert!(check(&[(40.0, 5.0)], Events::All, TRUTH) < 3.0);
}

#[test]
fn a_period_that_is_off_is_found() {
    for off in [-0.01, 0.01] {
        let truth = Truth { period: STEP * (1.0 + off), n_steps: 60, ..TRUTH };
        assert!(check(&[(300.0, 20.0), (20.0, 5.0)], Events::All, truth) < 2.0);
        let truth = Truth { n_steps: 30, ..truth };
        assert!(check(&[(20.0, 5.0), (60.0, 5.0)], Events::Changes, truth) < 10.0);
    }
}

#[test]
fn steps_may_come_early_or_late() {
    let truth = Truth { jitter: 30.0 * MS, ..TRUTH };
    assert!(check(&[(300.0, 20.0), (20.0, 5.0)], Events::All, truth) < 12.0);
}

/// Nearly all values overtake others.
#[test]
fn values_may_overtake_each_other() {
    assert!(check(&[(900.0, 200.0); 4], Events::All, TRUTH) < 60.0);
    assert!(check(&[(2000.0, 400.0); 12], Events::All, TRUTH) < 80.0);
}

#[test]
fn values_may_be_missing() {
    let truth = Truth { missing: 0.05, ..TRUTH };
    let pump = [(300.0, 20.0), (20.0, 5.0), (1200.0, 40.0), (30.0, 8.0), (70.0, 8.0)];
    assert!(check(&pump, Events::All, truth) < 4.0);
}

#[test]
fn values_may_be_sent_only_when_they_are_new() {
    assert!(check(&[(300.0, 20.0), (20.0, 5.0), (1200.0, 40.0)], Events::Changes, TRUTH) < 8.0);
    // The nearest step is any step where delays vary by half of one.
    assert_eq!(Steps::new(&platform(&[(300.0, 100.0)], Events::Changes), 0.0), None);
}

/// Who sends asks often and who judges asks once: both number steps in the same way, whatever comes later.
#[test]
fn the_first_interaction_stays_where_it_was_planned() {
    let platform = platform(&[(300.0, 20.0), (20.0, 5.0)], Events::All);
    for seed in 0..50 {
        let all = seen(&platform, TRUTH, &mut Chance(seed));
        let mut steps = Steps::new(&platform, 900.0 * MS).expect("steps can be told");
        let mut planned = None;
        for (line, at) in &all {
            steps.saw(*line, *at);
            steps.mind(*at);
            planned = planned.or(steps.first().map(|first| (first, *at)));
            assert_eq!(steps.first(), planned.map(|(first, _)| first));
        }
        let (first, at) = planned.expect("something is planned");
        // Its inputs have time to arrive in the middle before its step.
        let read = TRUTH.phase + (first as f64 - 0.5) * TRUTH.period;
        assert!(read - 900.0 * MS > at, "{seed}: {read} {at}");
    }
}

/// Left over from before, or lost: then it is said that nobody knows which step was the first.
#[test]
fn what_does_not_fit_together_is_in_doubt() {
    let platform = platform(&[(300.0, 20.0), (20.0, 5.0), (40.0, 5.0)], Events::All);
    let mut all = seen(&platform, TRUTH, &mut Chance(1));
    let (estimate, _) = estimated(&platform, &all).expect("an estimate");
    assert!(!estimate.is_doubtful);
    let first = all.iter().position(|(line, _)| *line == 1).expect("a value");
    all.remove(first);
    let (estimate, _) = estimated(&platform, &all).expect("an estimate");
    assert!(estimate.is_doubtful);
    assert!((estimate.phase - TRUTH.phase).abs() < 20.0 * MS, "{estimate:?}");
}

#[test]
fn nothing_is_planned_before_enough_is_seen() {
    let platform = platform(&[(300.0, 20.0), (20.0, 5.0)], Events::All);
    assert_eq!(estimated(&platform, &[]), None);
    let steps = Steps::new(&platform, 0.0).expect("steps can be told");
    assert_eq!((steps.missing(), steps.last()), (Some(1), 0.0));
    assert_eq!(estimated(&platform, &[(1, 520.0 * MS), (1, 1020.0 * MS)]), None);
}
