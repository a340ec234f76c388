//! Steps of compiled synchronous programs.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use punctual_model::lustre::{BinaryOp, Equation, Expr, Memory, Program, Role, Type, Value, Var};
use punctual_model::{ExprId, Id};
use punctual_semantics::lustre::random::Draw;
use punctual_semantics::lustre::{Machine, Reals, Stepper};

/// A state chart: `n_modes` modes in a ring, of which one is left when its timer is as long as the
/// input says. Each mode does something else with the timers of all.
fn chart(n_modes: i64) -> Program {
    let mut program = Program { name: "chart".to_owned(), ..Program::default() };
    let int = |name: String, role| Var { name, ty: Type::Int, range: Some((0, 9)), role };
    let duration = program.vars.push(int("duration".to_owned(), Role::Input));
    let mode = program.vars.push(int("mode".to_owned(), Role::Output));
    let timers: Vec<_> = (0..n_modes)
        .map(|index| program.vars.push(int(format!("timer{index}"), Role::Local)))
        .collect();
    let exprs = &mut program.exprs;
    let constant = |exprs: &mut punctual_model::IdVec<ExprId, Expr>, it| {
        exprs.push(Expr::Constant(Value::Int(it)))
    };
    let (one, duration) = (constant(exprs, 1), exprs.push(Expr::Var(duration)));
    // What is remembered is said at the end.
    let next = ExprId::from_index(0);
    let mut remember = |name: &str| {
        let (name, ty, initial) = (name.to_owned(), Type::Int, Some(Value::Int(0)));
        program.memory.push(Memory { name, ty, initial, next })
    };
    let mode_was = remember("pre mode");
    let timers_were: Vec<_> = timers.iter().map(|_| remember("pre timer")).collect();
    let mode_before = exprs.push(Expr::Memory(mode_was));
    let mut mode_now = mode_before;
    let mut timers_now: Vec<_> =
        timers_were.iter().map(|it| exprs.push(Expr::Memory(*it))).collect();
    for index in 0..n_modes {
        let (this, following) = (constant(exprs, index), constant(exprs, (index + 1) % n_modes));
        let is_this = exprs.push(Expr::Binary(BinaryOp::Eq, mode_before, this));
        let at = usize::try_from(index).expect("a mode");
        let timer = timers_now[at];
        let is_over = exprs.push(Expr::Binary(BinaryOp::Ge, timer, duration));
        let left = exprs.push(Expr::If(is_over, following, mode_before));
        mode_now = exprs.push(Expr::If(is_this, left, mode_now));
        for (other, now) in timers_now.iter_mut().enumerate() {
            let more = exprs.push(Expr::Binary(BinaryOp::Add, *now, one));
            let zero = constant(exprs, 0);
            let (yes, no) = if other == at { (zero, more) } else { (more, *now) };
            let inside = exprs.push(Expr::If(is_over, yes, no));
            *now = exprs.push(Expr::If(is_this, inside, *now));
        }
    }
    let vars = timers.iter().zip(&timers_now).chain([(&mode, &mode_now)]);
    program.equations.extend(vars.map(|(var, expr)| Equation { var: *var, expr: *expr }));
    program.memory[mode_was].next = mode_now;
    for (memory, now) in timers_were.iter().zip(&timers_now) {
        program.memory[*memory].next = *now;
    }
    program
}

/// One step of a state chart: the innermost loop of steering by enumeration.
fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("lustre/step");
    for n_modes in [4, 12] {
        let program = chart(n_modes);
        let machine = Machine::new(&program, Reals::Exact).expect("it has no free variables");
        let duration = program.var("duration").expect("it is declared");
        let inputs: Vec<i64> = {
            let mut draw = Draw::new(1);
            (0..256).map(|_| draw.between(0, 9)).collect()
        };
        let mut stepper = Stepper::new(&machine);
        let (mut before, mut after) = (machine.start(), machine.start());
        let mut at = 0;
        group.bench_function(BenchmarkId::from_parameter(n_modes), |bencher| {
            bencher.iter(|| {
                at = (at + 1) % inputs.len();
                stepper.set_cell(duration, inputs[at]);
                // Timers grow by one in a step, so nothing overflows.
                let _ = black_box(stepper.step(&before, &mut after));
                std::mem::swap(&mut before, &mut after);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, step);
criterion_main!(benches);
