//! The platforms of Table II, and what a calibration finds out about them.

use punctual_model::lustre::{Program, Type};
use punctual_model::testing::platform::{Delay, Events, Form, Line, Platform};
use punctual_model::{Value, VarId};
use punctual_semantics::program::Chance;
use punctual_smc::fit::fit;
use punctual_smc::{Stream, delays};

pub(super) const MS: f64 = 1e6;

/// A step of the pump, as in the paper: 500 ms.
pub(super) const STEP_NS: u64 = 500_000_000;

/// Pulses for each variable when a platform is calibrated.
const PULSES: usize = 200;

/// A row of Table II, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Configuration {
    pub(super) max_mean: u32,
    pub(super) deviation: u32,
}

const fn row(max_mean: u32, deviation: u32) -> Configuration {
    Configuration { max_mean, deviation }
}

pub(super) const CONFIGURATIONS: [Configuration; 21] = [
    row(0, 0),
    row(250, 0),
    row(250, 25),
    row(250, 50),
    row(250, 100),
    row(250, 200),
    row(500, 0),
    row(500, 25),
    row(500, 50),
    row(500, 100),
    row(500, 200),
    row(1000, 0),
    row(1000, 25),
    row(1000, 50),
    row(1000, 100),
    row(1000, 200),
    row(2000, 0),
    row(2000, 25),
    row(2000, 50),
    row(2000, 100),
    row(2000, 200),
];

impl Configuration {
    /// The platform: each variable has a mean delay of its own, even between 0 and the largest, and all the same deviation.
    pub(super) fn platform(self, program: &Program, seed: u64) -> Platform {
        let number = u64::from(self.max_mean) * 1_000 + u64::from(self.deviation);
        let mut chance = Stream::of_run(seed, number);
        let mut line = |variable: VarId| {
            let mean = f64::from(self.max_mean) * MS * chance.unit();
            Line {
                variable,
                outside: program.vars[variable].name.clone(),
                form: Form::Same,
                delay: Delay::Normal { mean, deviation: f64::from(self.deviation) * MS },
                sampling_ns: None,
                is_latched: false,
            }
        };
        Platform {
            step_ns: STEP_NS,
            inputs: program.inputs().map(&mut line).collect(),
            outputs: program.outputs().map(&mut line).collect(),
            software: Delay::Normal { mean: 5.0 * MS, deviation: MS },
            signal: Some("stepped".to_owned()),
            arrived: None,
            grouping_ns: (10.0 * MS) as u64,
            risk: 0.01,
            pulses: 0,
            events: Events::All,
            initial: Configuration::initial(program),
            drift: None,
            requirements: Vec::new(),
            automata: Vec::new(),
        }
    }

    /// What inputs are before a test: false, the first of an enumeration, or the number that is nearest to 0.
    pub(super) fn initial(program: &Program) -> Vec<Value> {
        let zero = |var: VarId| match program.vars[var].range {
            Some((least, greatest)) if program.vars[var].ty == Type::Int => {
                Value::Int(0_i64.clamp(least, greatest))
            }
            _ => Value::zero(program.vars[var].ty),
        };
        program.inputs().map(zero).collect()
    }
}

/// By how much steps of the second platform come early or late, in nanoseconds.
pub(super) const JITTER_NS: u64 = 20_000_000;

/// The second platform: even delays of the same means and deviations, and a program that takes longer.
pub(super) fn second(mut platform: Platform) -> Platform {
    for line in platform.inputs.iter_mut().chain(&mut platform.outputs) {
        let (mean, half) = (line.delay.mean(), 3_f64.sqrt() * line.delay.deviation());
        if half > 0.0 {
            line.delay = Delay::Uniform { least: (mean - half).max(0.0), greatest: mean + half };
        }
    }
    platform.software = Delay::Normal { mean: 30.0 * MS, deviation: 4.0 * MS };
    platform
}

/// What a tester knows of a platform who has measured some delays of each variable, as `punctual calibrate` does.
pub(super) fn calibrated(truth: &Platform, seed: u64) -> Platform {
    let mut chance = Stream::of_run(seed ^ 0xCA11_B8A7, 0);
    let mut known = Platform { pulses: PULSES as u32, ..truth.clone() };
    for line in known.inputs.iter_mut().chain(&mut known.outputs) {
        let drawn: Vec<f64> = (0..PULSES).map(|_| delays::draw(&line.delay, &mut chance)).collect();
        line.delay = fit(&drawn).1;
    }
    known
}
