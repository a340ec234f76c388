//! Steps in which values are open, and outputs that are known before a step is over, beside steps with all values.

use std::rc::Rc;

use punctual_model::lustre::{Program, Value};
use punctual_semantics::lustre::random::{Draw, program};
use punctual_semantics::lustre::{
    Asking, Known, Look, Machine, Open, Reactions, Reals, State, Stepper,
};

/// A random program, and the steps that it takes.
fn case(seed: u64) -> (Program, Draw) {
    let mut draw = Draw::new(seed);
    let n_equations = 2 + draw.below(40);
    (program(&mut draw, n_equations, seed.is_multiple_of(2)), draw)
}

/// What a step writes, and the state after it; none if it has no result.
fn stepped(machine: &Machine, before: &State, row: &[Value]) -> Option<(Vec<Value>, State)> {
    let mut stepper = Stepper::new(machine);
    let program = machine.program();
    program.inputs().zip(row).for_each(|(var, value)| stepper.set(var, *value));
    let mut after = before.clone();
    stepper.step(before, &mut after).ok()?;
    Some((program.outputs().map(|var| stepper.value(var)).collect(), after))
}

/// Asks until there is a value. What is open becomes what it is in the row, after something else was tried and taken back.
fn value(
    open: &mut Open<'_>,
    row: &[Value],
    remembered: &[Value],
    n_decided: &mut usize,
    ask: impl Fn(&mut Open<'_>) -> Asking,
) -> Option<Value> {
    loop {
        let look = match ask(open) {
            Asking::Value(value) => return Some(value),
            Asking::Stuck => return None,
            Asking::Looks(look) => look,
        };
        let (mark, values) = (open.mark(), open.values(look));
        assert!(values.len() > 1, "it is open");
        for value in values.iter() {
            open.decide(look, *value);
            let _ = ask(open);
            open.undo(mark);
        }
        let truth = match look {
            Look::Input(at) => row[at],
            Look::Memory(at) => remembered[at],
        };
        open.decide(look, truth);
        *n_decided += 1;
    }
}

/// A set with a value and perhaps others.
fn with_others(value: Value, others: &[Value]) -> Rc<[Value]> {
    let mut all: Vec<Value> = others.iter().copied().chain([value]).collect();
    all.sort();
    all.dedup();
    all.into()
}

#[test]
fn open_steps_are_steps_once_they_are_decided() {
    let (mut n_decided, mut n_open, mut n_steps) = (0, 0, 0);
    for seed in 0..400 {
        let (program, mut draw) = case(seed);
        let machine = Machine::new(&program, Reals::Exact).expect("nothing is free");
        let mut open = Open::new(&machine).expect("exact reals");
        let (mut state, mut remembered) = (machine.start(), open.start());
        let mut others: Vec<Rc<[Value]>> = remembered.iter().map(|it| Rc::from([*it])).collect();
        for step in 0..8 {
            let row = draw.inputs(&program);
            let Some((written, after)) = stepped(&machine, &state, &row) else { break };
            let more = [draw.inputs(&program), draw.inputs(&program)];
            let given: Vec<Rc<[Value]>> = (0..row.len())
                .map(|at| with_others(row[at], &[more[0][at], more[1][at]]))
                .collect();
            open.begin(step == 0, others.iter().cloned(), given.iter().cloned());
            n_open += given.iter().chain(&others).filter(|it| it.len() > 1).count();
            n_steps += 1;
            for (at, written) in written.iter().enumerate() {
                let found = value(&mut open, &row, &remembered, &mut n_decided, |it| it.output(at));
                assert_eq!(found, Some(*written), "{seed}, step {step}, output {at}");
            }
            let next: Vec<Value> = (0..remembered.len())
                .map(|at| {
                    value(&mut open, &row, &remembered, &mut n_decided, |it| it.next(at))
                        .unwrap_or_else(|| panic!("{seed}, step {step}, memory {at}"))
                })
                .collect();
            // What is remembered may have been what it was before, too.
            others =
                next.iter().zip(&remembered).map(|(it, was)| with_others(*it, &[*was])).collect();
            (remembered, state) = (next, after);
        }
    }
    // Not all that is open makes a difference.
    assert!(
        n_steps > 1_000 && n_decided > n_steps && n_decided < n_open,
        "{n_decided} of {n_open}"
    );
}

#[test]
fn outputs_that_are_known_early_are_those_of_the_step() {
    let (mut n_early, mut n_all) = (0, 0);
    for seed in 0..300 {
        let (program, mut draw) = case(seed);
        let machine = Machine::new(&program, Reals::Exact).expect("nothing is free");
        let mut reactions = Reactions::new(&machine);
        let start = reactions.number(&machine.start());
        let rows: Vec<Vec<Value>> = (0..12).map(|_| draw.inputs(&program)).collect();
        for row in &rows {
            let _ = reactions.react(start, row);
        }
        for row in &rows {
            let Some(reaction) = reactions.react(start, row) else { continue };
            let written = reactions.written(reaction).to_vec();
            let mut spot = reactions.root(start);
            let mut found = vec![None; written.len()];
            loop {
                for (output, value) in reactions.written_by(spot) {
                    assert_eq!(found[*output].replace(*value), None, "once");
                }
                match reactions.known(spot) {
                    Known::Looks(input) => {
                        n_early += found.iter().filter(|it| it.is_some()).count();
                        spot = reactions.branch(spot, row[input]);
                    }
                    _ => break,
                }
            }
            n_all += written.len();
            let written: Vec<Option<Value>> = written.into_iter().map(Some).collect();
            assert_eq!(found, written, "{seed}");
        }
    }
    assert!(n_early > 100 && n_all > 1_000, "{n_early} of {n_all}");
}
