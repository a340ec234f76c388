//! A program on a platform that delays what goes in and out: direct execution fails a right system, scheduled execution does not.

use std::sync::Arc;

use punctual_exec::online::{Budget, Options, Run, run};
use punctual_exec::platform::{Settings, Simulated};
use punctual_exec::{Handover, Limits, Note, PlayedProgram, Seen, Sut, SutError, Timekeeping};
use punctual_lang::{Input, lustre, testing};
use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Delay, Events, Form, Line, Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{Action, PortId, Reading, Step, TimeScale, Value, VarId, Verdict};
use punctual_oracle::Oracle;
use punctual_oracle::adjusted::{Adjusted, streams};
use punctual_oracle::arrivals::{Arrivals, Grounds};
use punctual_oracle::synchronous::Comparison;
use punctual_semantics::lustre::{Machine, Reals};
use punctual_testgen::platform::{Interactions, Scheduled};

const MS: u64 = 1_000_000;

/// The example that motivates the paper: the pump must not start while there is air in the line, and stops and alarms if air comes.
const PUMP: &str = "node pump(start, stop, air: bool) returns (flow, alarm: bool; doses: int);
let
  alarm = air and ((false -> pre flow) or start);
  flow = (start or (false -> pre flow)) and not stop and not air;
  doses = (0 -> pre doses) + (if flow and not (false -> pre flow) then 1 else 0);
tel";

fn program(text: &str) -> Program {
    let reading = lustre::read(Input { name: "pump.lus", bytes: text.as_bytes() }, None);
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

fn normal(mean_ms: f64, deviation_ms: f64) -> Delay {
    Delay::Normal { mean: mean_ms * 1e6, deviation: deviation_ms * 1e6 }
}

fn platform(program: &Program, inputs: [f64; 3], outputs: [f64; 3], deviation: f64) -> Platform {
    let line = |variable: VarId, mean: f64| Line {
        variable,
        outside: format!("{} outside", program.vars[variable].name),
        form: Form::Same,
        delay: normal(mean, deviation),
        sampling_ns: None,
        is_latched: false,
    };
    Platform {
        step_ns: 500 * MS,
        inputs: program.inputs().zip(inputs).map(|(var, mean)| line(var, mean)).collect(),
        outputs: program.outputs().zip(outputs).map(|(var, mean)| line(var, mean)).collect(),
        software: normal(5.0, 1.0),
        signal: Some("stepped".to_owned()),
        arrived: None,
        grouping_ns: 10 * MS,
        risk: 0.01,
        pulses: 0,
        events: Events::All,
        initial: vec![Value::Bool(false); 3],
        drift: None,
        requirements: Vec::new(),
        automata: Vec::new(),
    }
}

/// What a tester thinks of a platform.
fn outside(program: &Program, platform: &Platform) -> Outside {
    let time = TimeScale { unit_ns: MS, resolution: 1 };
    let interface = testing::interface_of(program, time);
    let ty = |var: VarId| {
        let port = interface.port(&program.vars[var].name).expect("a port");
        interface.ports[port].ty.clone()
    };
    platform.outside(ty, time)
}

/// Who judges: by adjusted instants, or by all that may have happened.
#[derive(Clone, Copy, PartialEq)]
enum By {
    Adjusted,
    Arrivals,
}

/// A system of which nothing is seen any more after an instant.
struct Stops<S>(S, u64);

impl<S: Sut> Sut for Stops<S> {
    fn reset(&mut self) -> Result<(), SutError> {
        self.0.reset()
    }

    fn now_ns(&mut self) -> u64 {
        self.0.now_ns()
    }

    fn input(&mut self, action: &Action) -> Result<Handover, SutError> {
        self.0.input(action)
    }

    fn set(&mut self, ports: &Reading) -> Result<Handover, SutError> {
        self.0.set(ports)
    }

    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        loop {
            match self.0.wait(until_ns)? {
                Seen::Output { at_ns, .. } if at_ns > self.1 => {}
                seen => return Ok(seen),
            }
        }
    }

    fn read(&mut self, ports: &[PortId]) -> Result<(Reading, Handover), SutError> {
        self.0.read(ports)
    }

    fn take_notes(&mut self) -> Vec<Note> {
        self.0.take_notes()
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn stop(&mut self) {
        self.0.stop();
    }
}

fn tested_by(
    by: By,
    played: (&str, &str),
    platforms: (&Platform, &Platform),
    seed: u64,
) -> (Run, Vec<f64>) {
    tested_until(by, played, platforms, seed, u64::MAX)
}

/// One run: the system is `played` on a platform, and the tester takes it for `assumed`. Also, how probable it is that each interaction was
/// exercised. The system shows nothing after an instant.
fn tested_until(
    by: By,
    (model, played): (&str, &str),
    (truth, assumed): (&Platform, &Platform),
    seed: u64,
    stops_ns: u64,
) -> (Run, Vec<f64>) {
    let (program, played) = (program(model), program(played));
    let outside = Arc::new(outside(&program, assumed));
    let time = outside.interface.time;
    let interface = Arc::new(testing::interface_of(&played, time));
    let limits = Limits::default();
    let controller = PlayedProgram::new(&played, interface, Timekeeping::Virtual, limits);
    let settings = Settings { seed, jitter_ns: 2 * MS };
    let both = (Arc::new(truth.clone()), Arc::clone(&outside));
    let controller = controller.expect("it can be played");
    let mut sut = Stops(Simulated::new(controller, &program, both, settings), stops_ns);
    // Starts with air, starts, goes on, air comes, air goes, starts again, stops.
    let rows = [
        [true, false, true],
        [true, false, false],
        [false, false, false],
        [false, false, true],
        [false, false, false],
        [true, false, false],
        [false, true, false],
        [false, false, false],
    ];
    let steps = rows.iter().map(|row| Step {
        inputs: row.iter().map(|it| Value::Bool(*it)).collect(),
        outputs: Vec::new(),
    });
    let table = Table { period_ns: truth.step_ns, steps: steps.collect() };
    let inputs: Vec<VarId> = program.inputs().collect();
    let interactions = Interactions::new(assumed, &outside, &inputs, &table).expect("possible");
    let assumed = Arc::new(assumed.clone());
    let mut strategy =
        Scheduled::new(Arc::clone(&assumed), Arc::clone(&outside), interactions, 5_000 * MS);
    let machine = Machine::watching(&program, Reals::Exact, &[], &inputs).expect("it can be run");
    let budget = Budget { time_ns: 60_000 * MS, events: 100_000 };
    let options = Options {
        budget,
        horizon: 1,
        lateness_ns: 0,
        update_ns: punctual_exec::online::UPDATE_NS,
        windows: false,
        time,
    };
    if by == By::Arrivals {
        let (platform, outside, limits) = (&*assumed, &*outside, Default::default());
        let n_events = 2_000;
        let (machine, table, lead) = (&machine, &table, 0.0);
        let grounds = Grounds { machine, platform, outside, table, n_events, lead, limits };
        let mut oracle = Arrivals::new(grounds);
        let run = run(&mut oracle, &mut sut, &mut strategy, &options, &mut ()).expect("a run");
        return (run, oracle.exercised().to_vec());
    }
    let streams = streams(&program, &assumed);
    let mut oracle = Adjusted::new((&machine, &streams), (&assumed, &outside), &table);
    let run = run(&mut oracle, &mut sut, &mut strategy, &options, &mut ()).expect("a run");
    // The rows that were seen are those of steps: the interactions are the last of them, and one that passes shows what the model writes.
    if run.judged.judgement.verdict() == Verdict::Pass {
        let n_before = oracle.seen().len() - table.steps.len();
        let mut comparison = Comparison::new(&machine);
        let rows = std::iter::repeat_n(&assumed.initial, n_before);
        let rows = rows.chain(table.steps.iter().map(|it| &it.inputs));
        for (number, (row, seen)) in rows.zip(oracle.seen()).enumerate() {
            let given = inputs.iter().copied().zip(row.iter().copied());
            let seen = assumed.outputs.iter().map(|it| it.variable).zip(seen.iter().copied());
            let compared = comparison.step(given, seen).expect("a step");
            assert!(compared.is_as_expected() || number < n_before, "{number}: {compared:?}");
        }
    }
    (run, Vec::new())
}

fn tested(model: &str, played: &str, truth: &Platform, assumed: &Platform, seed: u64) -> Run {
    tested_by(By::Adjusted, (model, played), (truth, assumed), seed).0
}

fn verdict(run: &Run) -> Verdict {
    run.judged.judgement.verdict()
}

/// The delays of the start button and of the air sensor differ by more than a step.
#[test]
fn direct_execution_fails_a_right_system_and_scheduled_execution_does_not() {
    let program = program(PUMP);
    let truth = platform(&program, [40.0, 400.0, 900.0], [300.0, 20.0, 1200.0], 20.0);
    let direct = platform(&program, [0.0; 3], [0.0; 3], 0.0);
    for seed in 0..20 {
        assert_eq!(verdict(&tested(PUMP, PUMP, &truth, &direct, seed)), Verdict::Fail);
        let run = tested(PUMP, PUMP, &truth, &truth, seed);
        assert_eq!(verdict(&run), Verdict::Pass, "{seed}: {:?}", run.judged);
        assert!(run.interactions.is_empty(), "{:?}", run.interactions);
    }
    // Without delays, both are right.
    let none = platform(&program, [0.0; 3], [0.0; 3], 0.0);
    assert_eq!(verdict(&tested(PUMP, PUMP, &none, &none, 1)), Verdict::Pass);
}

/// A pump that starts although there is air fails the first interaction, and each one in which that shows.
#[test]
fn faults_are_found_through_the_platform() {
    let model = program(PUMP);
    let truth = platform(&model, [40.0, 400.0, 900.0], [300.0, 20.0, 1200.0], 20.0);
    let faulty =
        PUMP.replace("and not stop and not air", "and not stop and not (false -> pre air)");
    let run = tested(PUMP, &faulty, &truth, &truth, 3);
    assert_eq!(verdict(&run), Verdict::Fail);
    assert_eq!(run.interactions[0].number, 0, "{:?}", run.interactions);
    assert!(run.interactions[0].reason.contains("flow is true"), "{:?}", run.interactions);
    assert!(run.interactions.len() > 3, "a failed interaction does not end the test");
}

/// With delays that vary by nearly half a step, scheduled execution fails a right system. Who asks what may have happened does not, and says
/// how much of the test was exercised.
#[test]
fn a_late_sensor_costs_coverage_and_not_truth() {
    let model = program(PUMP);
    let truth = platform(&model, [400.0, 400.0, 900.0], [300.0, 420.0, 1200.0], 200.0);
    let (mut n_failed, mut sum) = (0, 0.0);
    for seed in 0..100 {
        n_failed += u32::from(verdict(&tested(PUMP, PUMP, &truth, &truth, seed)) == Verdict::Fail);
        let (run, exercised) = tested_by(By::Arrivals, (PUMP, PUMP), (&truth, &truth), seed);
        assert_eq!(verdict(&run), Verdict::Pass, "{seed}: {:?}", run.interactions);
        assert!(exercised.iter().all(|it| (0.0..=1.000_001).contains(it)), "{exercised:?}");
        sum += exercised.iter().sum::<f64>() / exercised.len() as f64;
    }
    assert!(n_failed > 50, "{n_failed}");
    assert!(sum > 20.0 && sum < 95.0, "{sum}");
    // With little variation, everything is exercised for certain.
    let truth = platform(&model, [400.0, 400.0, 900.0], [300.0, 420.0, 1200.0], 20.0);
    let (run, exercised) = tested_by(By::Arrivals, (PUMP, PUMP), (&truth, &truth), 1);
    assert_eq!(verdict(&run), Verdict::Pass);
    assert!(exercised.iter().all(|it| *it > 0.999_999), "{exercised:?}");
    // A fault is found, and the first interaction that shows it is named.
    let faulty =
        PUMP.replace("and not stop and not air", "and not stop and not (false -> pre air)");
    let (run, _) = tested_by(By::Arrivals, (PUMP, &faulty), (&truth, &truth), 3);
    assert_eq!(verdict(&run), Verdict::Fail);
    assert_eq!(run.interactions[0].number, 0, "{:?}", run.interactions);
}

/// A program whose own time varies reads all inputs early or late together, and a sensor that looks only so often makes values wait. Neither fails
/// a right system.
#[test]
fn what_varies_beside_delays_fails_nobody() {
    let model = program(PUMP);
    let mut slow = platform(&model, [40.0, 40.0, 900.0], [300.0, 20.0, 1200.0], 10.0);
    slow.software = normal(200.0, 70.0);
    let mut sampled = platform(&model, [40.0, 40.0, 900.0], [300.0, 20.0, 1200.0], 20.0);
    sampled.inputs[2].sampling_ns = Some(450 * MS);
    for truth in [slow, sampled] {
        for seed in 0..150 {
            let (run, _) = tested_by(By::Arrivals, (PUMP, PUMP), (&truth, &truth), seed);
            assert_eq!(verdict(&run), Verdict::Pass, "{seed}: {:?}", run.interactions);
        }
    }
}

/// Steps that nobody tells of, with jitter: a right system passes by both ways to judge, and faults are found.
#[test]
fn steps_that_nobody_tells_of_are_estimated() {
    let model = program(PUMP);
    let faulty =
        PUMP.replace("and not stop and not air", "and not stop and not (false -> pre air)");
    let mut truth = platform(&model, [40.0, 400.0, 900.0], [300.0, 20.0, 1200.0], 20.0);
    truth.signal = None;
    for seed in 0..150 {
        for by in [By::Adjusted, By::Arrivals] {
            let (run, _) = tested_by(by, (PUMP, PUMP), (&truth, &truth), seed);
            assert_eq!(verdict(&run), Verdict::Pass, "{seed}: {:?}", run.interactions);
            if seed < 20 {
                let (run, _) = tested_by(by, (PUMP, &faulty), (&truth, &truth), seed);
                assert_eq!(verdict(&run), Verdict::Fail, "{seed}");
                assert_eq!(run.interactions[0].number, 0, "{:?}", run.interactions);
            }
        }
    }
    // Nearly all values overtake others, and mean delays were measured.
    let mut truth = platform(&model, [400.0, 400.0, 900.0], [700.0, 820.0, 1200.0], 150.0);
    (truth.signal, truth.pulses) = (None, 200);
    for seed in 0..100 {
        let (run, _) = tested_by(By::Arrivals, (PUMP, PUMP), (&truth, &truth), seed);
        assert_eq!(verdict(&run), Verdict::Pass, "{seed}: {:?}", run.interactions);
    }
}

/// A platform that shows nothing, or nothing more, is not waited for without end, and is no pass: with and without a step signal.
#[test]
fn platforms_that_stop_fail() {
    let model = program(PUMP);
    let told = platform(&model, [40.0, 400.0, 900.0], [300.0, 20.0, 1200.0], 20.0);
    let mut silent = told.clone();
    silent.signal = None;
    for (stops_ms, why) in [(0, "nothing was seen of"), (1_600, ""), (4_000, "")] {
        for truth in [&told, &silent] {
            for by in [By::Adjusted, By::Arrivals] {
                let (run, _) = tested_until(by, (PUMP, PUMP), (truth, truth), 1, stops_ms * MS);
                assert_eq!(verdict(&run), Verdict::Fail, "{stops_ms}: {:?}", run.interactions);
                assert!(run.trace.end_ns < 40_000 * MS, "{stops_ms}: {}", run.trace.end_ns);
                if by == By::Arrivals && truth.signal.is_none() {
                    let told = format!("{:?}", run.interactions);
                    assert!(told.contains(why), "{stops_ms}: {told}");
                }
            }
        }
    }
}
