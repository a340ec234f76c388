//! The arrivals oracle against brute force: all ways in which what was sent may have arrived.

use punctual_lang::{Input, lustre, testing};
use punctual_model::lustre::Program;
use punctual_model::testing::platform::{Delay, Events, Form, Line, Outside, Platform};
use punctual_model::testing::suite::Table;
use punctual_model::{
    Action, Event, Happening, PortRole, Reading, Step, TimeScale, Value, VarId, Verdict,
};
use punctual_oracle::Oracle;
use punctual_oracle::arrivals::{Arrivals, Grounds, Limits};
use punctual_semantics::lustre::{Machine, Reals, Stepper};
use punctual_semantics::program::Chance;
use punctual_smc::Stream;

const MS: u64 = 1_000_000;
const STEP: u64 = 500 * MS;

/// A program with memory whose inputs matter sometimes.
const PROGRAM: &str =
    "node main(a, b: bool; n: subrange [0, 3] of int) returns (on: bool; count: int);
let
  on = if (false -> pre on) then not (a and b) else a or n = 2;
  count = (0 -> pre count) + (if on and (n > 1 or b) then 1 else 0);
tel";

fn program() -> Program {
    let input = Input { name: "main.lus", bytes: PROGRAM.as_bytes() };
    lustre::read(input, None).value.expect("a program")
}

/// Inputs take a step and a half, more or less; outputs are seen at once.
fn platform(program: &Program) -> Platform {
    let line = |variable: VarId, delay: Delay| Line {
        variable,
        outside: program.vars[variable].name.clone(),
        form: Form::Same,
        delay,
        sampling_ns: None,
        is_latched: false,
    };
    let spread = |least: u64, greatest: u64| Delay::Uniform {
        least: (least * MS) as f64,
        greatest: (greatest * MS) as f64,
    };
    let delays = [spread(600, 1_000), spread(700, 1_150), spread(350, 420)];
    Platform {
        step_ns: STEP,
        inputs: program.inputs().zip(delays).map(|(var, delay)| line(var, delay)).collect(),
        outputs: program.outputs().map(|var| line(var, Delay::NONE)).collect(),
        software: Delay::NONE,
        signal: Some("stepped".to_owned()),
        arrived: None,
        grouping_ns: 0,
        risk: 0.01,
        pulses: 0,
        events: Events::All,
        initial: vec![Value::Bool(false), Value::Bool(false), Value::Int(0)],
        drift: None,
        requirements: Vec::new(),
        automata: Vec::new(),
    }
}

fn outside(program: &Program, platform: &Platform) -> Outside {
    let ty = |var: VarId| testing::port_of(program, var, PortRole::Observed).ty;
    platform.outside(ty, TimeScale { unit_ns: MS, resolution: 1 })
}

/// A value on its way: the input, and between which steps it may arrive.
struct Sent {
    input: usize,
    value: Value,
    /// The first step that may read it, and the last one that may be the first to.
    steps: (usize, usize),
}

/// The outputs of each step, if each value arrives at a step that is said.
fn outputs(
    program: &Program,
    machine: &Machine,
    sent: &[Sent],
    arrives: &[usize],
    n_steps: usize,
) -> Vec<Vec<Value>> {
    let inputs: Vec<VarId> = program.inputs().collect();
    let mut held = platform(program).initial;
    let mut stepper = Stepper::new(machine);
    let (mut state, mut after) = (machine.start(), machine.start());
    let mut found = Vec::new();
    for step in 0..n_steps {
        for (sent, _) in sent.iter().zip(arrives).filter(|(_, at)| **at == step) {
            held[sent.input] = sent.value;
        }
        inputs.iter().zip(&held).for_each(|(var, value)| stepper.set(*var, *value));
        stepper.step(&state, &mut after).expect("a step");
        std::mem::swap(&mut state, &mut after);
        found.push(program.outputs().map(|var| stepper.value(var)).collect());
    }
    found
}

/// All ways in which values may arrive. Those of one input are sent a step apart and vary by less, so none overtakes another.
fn all(sent: &[Sent]) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for sent in sent {
        let (from, to) = sent.steps;
        let longer = |way: &Vec<usize>| -> Vec<Vec<usize>> {
            (from..=to).map(|step| [&way[..], &[step]].concat()).collect()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}

fn below(stream: &mut Stream, end: usize) -> usize {
    (stream.unit() * end as f64) as usize % end.max(1)
}

#[test]
fn arrivals_agree_with_all_ways_to_arrive() {
    agree(400, 1, Limits::default(), 0);
}

/// Copies of a value that are sent together, and instants that are known less exactly.
#[test]
fn arrivals_of_copies_agree_with_all_ways_to_arrive() {
    agree(100, 3, Limits::default(), 0);
    agree(100, 1, Limits::default(), 20);
}

/// The first search gives up at once, so that the second look decides all that it does not explain.
#[test]
fn the_second_look_agrees_with_all_ways_to_arrive() {
    let few =
        Limits { hypotheses: 1, apart: 1, model_steps: 1, unexplained: 1, ..Limits::default() };
    agree(400, 1, few, 0);
    agree(100, 3, few, 0);
    agree(100, 1, few, 20);
}

/// Compares the oracle with brute force on so many cases. Each value is sent so many times, and instants are known so much less exactly than the platform says, in
/// milliseconds.
fn agree(n_cases: u64, n_copies: usize, limits: Limits, blur_ms: u64) {
    let program = program();
    let platform = platform(&program);
    let outside = outside(&program, &platform);
    let machine = Machine::new(&program, Reals::Exact).expect("a machine");
    let (n_before, n_interactions) = (5, 4);
    let n_steps = n_before + n_interactions + 3;
    let (mut n_failed, mut n_passed) = (0, 0);
    for seed in 0..n_cases {
        let mut stream = Stream::of_run(seed, 0);
        let rows: Vec<Vec<Value>> = (0..n_interactions)
            .map(|_| {
                let [a, b] = [0; 2].map(|_| Value::Bool(stream.unit() < 0.5));
                vec![a, b, Value::Int(below(&mut stream, 4) as i64)]
            })
            .collect();
        // Step `k` is at `(k + 1) * STEP`. Everything is sent a step and a bit before the middle of its step.
        let mut events = Vec::new();
        let mut sent = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let at = (n_before + number) as u64 * STEP - 600 * MS;
            let values = outside.inputs.iter().copied().zip(row.iter().copied()).collect();
            let set = Event::at(Happening::Set(Reading { values }), at);
            events.extend(std::iter::repeat_n(set, n_copies));
            for (input, line) in platform.inputs.iter().enumerate() {
                let Delay::Uniform { least, greatest } = line.delay else { unreachable!("it is") };
                // The oracle allows a millisecond more on either side, and what is known less exactly.
                let more = ((1 + blur_ms) * MS) as f64;
                let step = |delay: f64| ((at as f64 + delay) / STEP as f64).ceil() as usize - 1;
                let steps = (step(least - more), step(greatest + more));
                sent.push(Sent { input, value: row[input], steps });
            }
        }
        let ways = all(&sent);
        let truth = &ways[below(&mut stream, ways.len())];
        let mut seen = outputs(&program, &machine, &sent, truth, n_steps);
        // Half of the systems show something else in a step.
        if seed % 2 == 0 {
            let step = n_before + below(&mut stream, n_interactions + 2);
            seen[step][1] = Value::Int(below(&mut stream, 5) as i64);
        }
        for (step, row) in seen.iter().enumerate() {
            let at = (step as u64 + 1) * STEP;
            let stepped = Action { signal: outside.stepped.expect("a signal"), values: Vec::new() };
            events.push(Event::signal(stepped, at, at));
            for (signal, value) in outside.outputs.iter().zip(row) {
                let action = Action { signal: *signal, values: vec![*value] };
                events.push(Event::signal(action, at, at));
            }
        }
        events.sort_by_key(|event| event.from_ns);
        let steps = rows.iter().map(|row| Step { inputs: row.clone(), outputs: Vec::new() });
        let table = Table { period_ns: STEP, steps: steps.collect() };
        // The first interaction is planned for the step behind the fifth.
        let grounds = Grounds {
            machine: &machine,
            platform: &platform,
            outside: &outside,
            table: &table,
            // So many that the whole of each delay is allowed.
            n_events: 1_000_000_000,
            lead: 4.0 * STEP as f64 - platform.longest() + 0.5 * STEP as f64,
            limits,
        };
        let mut oracle = Arrivals::new(grounds);
        if blur_ms > 0 {
            oracle.widen(blur_ms * MS);
        }
        events.iter().for_each(|event| oracle.event(event));
        let judged = oracle.finish((n_steps as u64 + 3) * STEP);
        assert_eq!(oracle.first_step(), Some(n_before), "{seed}");
        // Brute force: the first step that no way explains, among ways that explain all before it.
        let mut left: Vec<Vec<Vec<Value>>> =
            ways.iter().map(|way| outputs(&program, &machine, &sent, way, n_steps)).collect();
        let mut first = None;
        for step in 0..n_steps {
            left.retain(|way| way[step] == seen[step]);
            if left.is_empty() {
                first = Some(step);
                break;
            }
        }
        let told = oracle.interactions().first().map(|it| n_before + it.number);
        // Steps behind the last interaction are explained, too.
        let expected = first;
        assert_eq!(told, expected, "{seed}: {:?}", oracle.interactions());
        assert_eq!(judged.verdict() == Verdict::Fail, expected.is_some(), "{seed}");
        n_failed += usize::from(expected.is_some());
        n_passed += usize::from(first.is_none());
    }
    assert!(
        n_failed * 8 > n_cases as usize && n_passed * 3 > n_cases as usize,
        "{n_failed} {n_passed}"
    );
}

/// A platform that takes no more steps is wrong, and a run that ended too early says nothing: neither is a pass.
#[test]
fn what_was_never_judged_is_no_pass() {
    let program = program();
    let platform = platform(&program);
    let outside = outside(&program, &platform);
    let machine = Machine::new(&program, Reals::Exact).expect("a machine");
    let row = vec![Value::Bool(false), Value::Bool(false), Value::Int(0)];
    let step = Step { inputs: row, outputs: Vec::new() };
    let table = Table { period_ns: STEP, steps: vec![step; 4] };
    let judged = |n_steps: u64, end_ns: u64| {
        let mut oracle = Arrivals::new(Grounds {
            machine: &machine,
            platform: &platform,
            outside: &outside,
            table: &table,
            n_events: 1_000,
            lead: 0.0,
            limits: Default::default(),
        });
        for number in 0..n_steps {
            let at = (number + 1) * STEP;
            let stepped = Action { signal: outside.stepped.expect("a signal"), values: Vec::new() };
            oracle.event(&Event::signal(stepped, at, at));
            for (signal, value) in outside.outputs.iter().zip([Value::Bool(false), Value::Int(0)]) {
                let action = Action { signal: *signal, values: vec![value] };
                oracle.event(&Event::signal(action, at, at));
            }
        }
        oracle.finish(end_ns).verdict()
    };
    // Three steps pass before the first interaction, and four are wanted.
    assert_eq!(judged(12, 13 * STEP), Verdict::Pass);
    for n_steps in [0, 1, 4, 6] {
        assert_eq!(judged(n_steps, 40 * STEP), Verdict::Fail, "{n_steps}");
        assert_eq!(judged(n_steps, (n_steps + 2) * STEP), Verdict::Inconclusive, "{n_steps}");
    }
}
