//! Steps as terms agree with the interpreter.

mod programs;

use std::time::Duration;

use programs::{Chance, program};
use punctual_model::lustre::{BinaryOp, Equation, Expr, Program, Role, Seen, Tolerances, Type};
use punctual_model::lustre::{Value, Var};
use punctual_model::{ExprId, Id, IdVec};
use punctual_semantics::lustre::Reference;
use punctual_semantics::lustre::encode::{self, Encoder, State, Step, Unrolling};
use punctual_solver::{Answer, Limits, Session, Solver, Sort, Term, Terms};

fn session() -> Session {
    let limits = Limits { timeout: Duration::from_secs(60), ..Limits::default() };
    Solver::find().and_then(|solver| solver.start(limits)).unwrap_or_else(|error| {
        panic!("{error}\nthis test needs the solver: `cargo xtask solver` brings it")
    })
}

/// All that is asked for in a step, in terms: outputs, then properties.
fn asked(program: &Program, step: &Step) -> Vec<Term> {
    let outputs = program.outputs().map(|it| step.var(it).expect("outputs are asked for"));
    outputs.chain(step.properties.iter().copied()).collect()
}

/// The same from the interpreter.
fn told(program: &Program, reference: &mut Reference<'_>) -> Vec<Value> {
    program.outputs().map(|it| reference.value(it).expect("the step was taken")).collect()
}

fn inputs(program: &Program, chance: &mut Chance) -> Vec<Value> {
    program.inputs().map(|it| chance.value(program.vars[it].ty)).collect()
}

/// A run of constants folds to exactly what the interpreter says, steps without a result included.
#[test]
fn folding_agrees_with_the_interpreter() {
    let mut n_undefined = 0;
    for seed in 0..4000 {
        let mut chance = Chance(seed);
        let program = program(&mut chance);
        let encoder = Encoder::new(&program);
        let mut terms = Terms::new();
        let mut state = encoder.initial(&mut terms);
        let mut reference = Reference::new(&program);
        for _ in 0..5 {
            let values = inputs(&program, &mut chance);
            let constants: Vec<Term> =
                values.iter().map(|it| encode::constant(&mut terms, *it)).collect();
            let step = encoder.step(&mut terms, &state, &constants);
            let is_defined = terms.constant(step.defined).and_then(|it| it.as_bool());
            match reference.step(&values) {
                Err(failure) => {
                    assert_eq!(is_defined, Some(false), "seed {seed}: {failure:?}");
                    n_undefined += 1;
                    break;
                }
                Ok(()) => assert_eq!(is_defined, Some(true), "seed {seed}"),
            }
            let expected = told(&program, &mut reference);
            for (var, expected) in program.outputs().zip(expected) {
                let said = step.var(var).and_then(|it| terms.constant(it));
                let said = said.and_then(|it| encode::value(it, program.vars[var].ty));
                assert_eq!(said, Some(expected), "seed {seed}, {}", program.vars[var].name);
            }
            state = step.next;
        }
    }
    assert!(n_undefined > 100, "only {n_undefined} steps had no result");
}

/// Asked with symbols that are fixed by equations, the solver says what the interpreter says; and
/// nothing else is possible. Also the parts that do not matter are encoded then.
#[test]
fn the_solver_agrees_with_the_interpreter() {
    let mut session = session();
    let mut n_undecided = 0;
    let n_programs = 1500;
    for seed in 0..n_programs {
        let mut chance = Chance(seed + 1_000_000);
        let program = program(&mut chance);
        let mut encoder = Encoder::new(&program).with_overflow();
        if seed % 2 == 0 {
            encoder = encoder.whole();
        }
        let mut reference = Reference::new(&program);
        session.push();
        let terms = session.terms();
        let mut unrolling = Unrolling::from_start(encoder, terms);
        // What the interpreter said, as claims; the last of them may be that there is no result.
        let mut expected = Vec::new();
        for _ in 0..3 {
            let values = inputs(&program, &mut chance);
            unrolling.extend(terms);
            let unrolled = &unrolling.steps()[unrolling.steps().len() - 1];
            let outcome = reference.step(&values);
            for (input, value) in unrolled.inputs.iter().zip(&values) {
                let constant = encode::constant(terms, *value);
                let same = terms.eq(*input, constant);
                expected.push((true, same));
            }
            expected.push((false, terms.literal(unrolled.step.defined, outcome.is_ok())));
            if outcome.is_err() {
                break;
            }
            let told = told(&program, &mut reference);
            for (term, value) in asked(&program, &unrolled.step).into_iter().zip(told) {
                let constant = encode::constant(terms, value);
                expected.push((false, terms.eq(term, constant)));
            }
        }
        let claims = expected.iter().filter(|(is_input, _)| !is_input).map(|(_, it)| *it);
        let agrees = terms.all(claims);
        let differs = terms.not(agrees);
        for (_, fixed) in expected.iter().filter(|(is_input, _)| *is_input) {
            session.assert(*fixed);
        }
        match (session.check_assuming(&[differs]), session.check_assuming(&[agrees])) {
            (Ok(Answer::Unsat), Ok(Answer::Sat)) => {}
            (Ok(Answer::Unknown(_)), Ok(_)) | (Ok(_), Ok(Answer::Unknown(_))) => n_undecided += 1,
            other => panic!("seed {seed}: {other:?}"),
        }
        session.pop();
    }
    assert!(n_undecided * 100 < n_programs, "{n_undecided} of {n_programs} were not decided");
}

/// What the solver makes up, the interpreter confirms: an input that makes the property false.
#[test]
fn the_interpreter_confirms_what_the_solver_finds() {
    let mut session = session();
    let mut n_found = 0;
    for seed in 0..400 {
        let mut chance = Chance(seed + 2_000_000);
        let program = program(&mut chance);
        session.push();
        let terms = session.terms();
        let encoder = Encoder::new(&program).with_overflow();
        let mut unrolling = Unrolling::from_start(encoder, terms);
        for _ in 0..2 {
            unrolling.extend(terms);
        }
        let last = &unrolling.steps()[1];
        let broken = terms.not(last.step.properties[0]);
        let outputs = asked(&program, &last.step);
        for step in unrolling.steps() {
            session.assert(step.assumed);
        }
        session.assert(broken);
        session.set_timeout(Duration::from_secs(2));
        if session.check() == Ok(Answer::Sat) {
            let values = session.values(&unrolling.inputs(2)).ok();
            let test = values.and_then(|values| unrolling.test(2, &values));
            let said = session.values(&outputs);
            if let (Some(test), Ok(said)) = (test, said) {
                let mut reference = Reference::new(&program);
                for step in &test.steps {
                    assert!(reference.step(step).is_ok(), "seed {seed}: {test:?}");
                }
                for (var, said) in program.outputs().zip(said) {
                    let said = encode::value(said, program.vars[var].ty);
                    assert_eq!(said, reference.value(var).ok(), "seed {seed}: {test:?}");
                }
                n_found += 1;
            }
        }
        session.pop();
    }
    assert!(n_found > 100, "only {n_found} were found");
}

/// From a known state with one unknown input, the rest of the program is gone.
#[test]
fn a_known_state_makes_a_small_term() {
    let mut program = Program::default();
    let (int, bool) = (Type::Int, Type::Bool);
    let mut var = |name: &str, ty, role| {
        program.vars.push(Var { name: name.to_owned(), ty, range: None, role })
    };
    let mode = var("mode", int, Role::Input);
    let press = var("press", bool, Role::Input);
    let out = var("out", int, Role::Output);
    let exprs = &mut program.exprs;
    let mode_now = exprs.push(Expr::Var(mode));
    let mut chain = exprs.push(Expr::Constant(Value::Int(0)));
    for at in 0..1000 {
        let number = exprs.push(Expr::Constant(Value::Int(at)));
        let is_number = exprs.push(Expr::Binary(BinaryOp::Eq, mode_now, number));
        chain = exprs.push(Expr::If(is_number, number, chain));
    }
    let press_now = exprs.push(Expr::Var(press));
    let expr = exprs.push(Expr::If(press_now, chain, mode_now));
    program.equations.push(Equation { var: out, expr });
    let encoder = Encoder::new(&program);
    let mut terms = Terms::new();
    let known = terms.int(3);
    let unknown = terms.symbol("press", Sort::Bool);
    let state = State { first: terms.bool(true), memory: IdVec::new() };
    let step = encoder.step(&mut terms, &state, &[known, unknown]);
    let out = step.var(out).expect("outputs are asked for");
    assert_eq!(terms.sort(out), Sort::Int);
    // The constants of the chain, the symbol and one choice: nothing of branches that are not taken.
    assert!(terms.len() < 1020, "{} terms", terms.len());
}

#[test]
fn tolerances_are_conditions_over_three_values() {
    let mut exprs: IdVec<ExprId, Expr> = IdVec::new();
    let var = |at| Expr::Var(punctual_model::VarId::from_index(at));
    let (new, original) = (exprs.push(var(0)), exprs.push(var(1)));
    let two = exprs.push(Expr::Constant(Value::Int(2)));
    let limit = exprs.push(Expr::Binary(BinaryOp::Add, original, two));
    let within = exprs.push(Expr::Binary(BinaryOp::Le, new, limit));
    // A condition without a value does not hold.
    let quotient = exprs.push(Expr::Binary(BinaryOp::IntDiv, new, original));
    let same = exprs.push(Expr::Binary(BinaryOp::Eq, quotient, quotient));
    let mut seen = IdVec::new();
    let id = punctual_model::VarId::from_index(0);
    seen.push(Seen::New(id));
    seen.push(Seen::Original(id));
    let tolerances = Tolerances { seen, exprs, conditions: vec![within, same] };
    let mut terms = Terms::new();
    for (new, original, expected) in
        [(5, 3, [true, true]), (6, 3, [false, true]), (2, 0, [true, false])]
    {
        let mut values = IdVec::new();
        values.push(terms.int(new));
        values.push(terms.int(original));
        let conditions = encode::conditions(&mut terms, &tolerances, &values);
        let said: Vec<_> = conditions.iter().map(|it| terms.constant(*it)).collect();
        assert_eq!(said, expected.map(|it| Some(punctual_solver::Value::Bool(it))).to_vec());
    }
}
