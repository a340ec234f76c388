//! Programs by hand.

use punctual_model::lustre::{BinaryOp, Equation, Expr, Memory, Program, Role, Type, Value, Var};
use punctual_model::{ExprId, VarId};
use punctual_semantics::lustre::{FailureKind, Machine, Reals, Reference, Refusal, Stepper};

fn var(program: &mut Program, name: &str, ty: Type, role: Role) -> VarId {
    program.vars.push(Var { name: name.to_owned(), ty, range: None, role })
}

fn define(program: &mut Program, var: VarId, expr: Expr) -> ExprId {
    let expr = program.exprs.push(expr);
    program.equations.push(Equation { var, expr });
    expr
}

/// `y = if a = 0 then 0 else b div a`, and `z = b div a`, if it is asked for.
fn division() -> (Program, [VarId; 3]) {
    let mut program = Program::default();
    let a = var(&mut program, "a", Type::Int, Role::Input);
    let b = var(&mut program, "b", Type::Int, Role::Input);
    let y = var(&mut program, "y", Type::Int, Role::Output);
    let z = var(&mut program, "z", Type::Int, Role::Local);
    let zero = program.exprs.push(Expr::Constant(Value::Int(0)));
    let a_now = program.exprs.push(Expr::Var(a));
    let b_now = program.exprs.push(Expr::Var(b));
    let is_zero = program.exprs.push(Expr::Binary(BinaryOp::Eq, a_now, zero));
    define(&mut program, z, Expr::Binary(BinaryOp::IntDiv, b_now, a_now));
    let z_now = program.exprs.push(Expr::Var(z));
    define(&mut program, y, Expr::If(is_zero, zero, z_now));
    (program, [a, b, y])
}

#[test]
fn what_is_not_needed_does_not_fail() {
    let (program, [a, b, y]) = division();
    let machine = Machine::new(&program, Reals::Exact).expect("it has no free variables");
    let mut stepper = Stepper::new(&machine);
    let (before, mut after) = (machine.start(), machine.start());
    stepper.set(b, Value::Int(7));
    assert_eq!(stepper.step(&before, &mut after), Ok(()));
    assert_eq!(stepper.cell(y), 0);
    stepper.set_cell(a, -2);
    assert_eq!(stepper.step(&before, &mut after), Ok(()));
    // The remainder is not negative: 7 = -3 * -2 + 1.
    assert_eq!(stepper.value(y), Value::Int(-3));
}

#[test]
fn what_is_watched_is_needed() {
    let (program, [_, b, _]) = division();
    let z = program.var("z").expect("it is declared");
    let machine = Machine::watching(&program, Reals::Exact, &[z], &[]);
    let machine = machine.expect("it has no free variables");
    let mut stepper = Stepper::new(&machine);
    stepper.set(b, Value::Int(7));
    let (before, mut after) = (machine.start(), machine.start());
    let failure = stepper.step(&before, &mut after).expect_err("a division by zero");
    assert_eq!(failure.kind, FailureKind::DivisionByZero);
}

#[test]
fn free_variables_are_named_if_they_matter() {
    let mut program = Program::default();
    let free = var(&mut program, "call~1.r", Type::Int, Role::Free);
    let y = var(&mut program, "y", Type::Int, Role::Output);
    let unused = var(&mut program, "unused", Type::Int, Role::Free);
    let used = define(&mut program, y, Expr::Var(free));
    let refusal = Machine::new(&program, Reals::Exact).expect_err("it has a free variable");
    assert_eq!(refusal, Refusal::Free(vec!["call~1.r".to_owned()]));
    program.exprs[used] = Expr::Constant(Value::Int(1));
    assert!(Machine::new(&program, Reals::Exact).is_ok());
    assert!(program.vars[unused].role == Role::Free);
}

/// Memory that nothing looks at is not kept, so states that differ in it are equal.
#[test]
fn states_have_only_what_matters() {
    let mut program = Program::default();
    let a = var(&mut program, "a", Type::Int, Role::Input);
    let y = var(&mut program, "y", Type::Bool, Role::Output);
    let a_now = program.exprs.push(Expr::Var(a));
    define(&mut program, y, Expr::First);
    let memory = Memory { name: "pre a".to_owned(), ty: Type::Int, initial: None, next: a_now };
    let memory = program.memory.push(memory);
    program.exprs.push(Expr::Memory(memory));
    let machine = Machine::new(&program, Reals::Exact).expect("it has no free variables");
    let mut stepper = Stepper::new(&machine);
    let (start, mut one, mut two) = (machine.start(), machine.start(), machine.start());
    assert_eq!(stepper.step(&start, &mut one), Ok(()));
    stepper.set_cell(a, 5);
    assert_eq!(stepper.step(&start, &mut two), Ok(()));
    assert_eq!(one, two);
    assert_eq!(machine.memory(&one, memory), None);
    assert!(start != one && start.is_first() && !one.is_first());
}

/// A chain of choices and sums, a hundred thousand deep: nothing here recurses.
#[test]
fn deep_programs_do_not_overflow_the_stack() {
    let mut program = Program::default();
    let a = var(&mut program, "a", Type::Int, Role::Input);
    let y = var(&mut program, "y", Type::Int, Role::Output);
    let a_now = program.exprs.push(Expr::Var(a));
    let one = program.exprs.push(Expr::Constant(Value::Int(1)));
    let mut sum = a_now;
    for index in 0..100_000 {
        let constant = program.exprs.push(Expr::Constant(Value::Int(index)));
        let is_it = program.exprs.push(Expr::Binary(BinaryOp::Lt, a_now, constant));
        let more = program.exprs.push(Expr::Binary(BinaryOp::Add, sum, one));
        sum = if index % 3 == 0 {
            program.exprs.push(Expr::Binary(BinaryOp::Sub, more, one))
        } else {
            program.exprs.push(Expr::If(is_it, more, sum))
        };
    }
    program.equations.push(Equation { var: y, expr: sum });
    let machine = Machine::new(&program, Reals::Exact).expect("it has no free variables");
    let mut stepper = Stepper::new(&machine);
    let (before, mut after) = (machine.start(), machine.start());
    let mut reference = Reference::new(&program);
    for a_is in [-3, 50_000, 99_999_999] {
        stepper.set_cell(a, a_is);
        assert_eq!(stepper.step(&before, &mut after), Ok(()));
        assert_eq!(reference.step(&[Value::Int(a_is)]), Ok(()));
        assert_eq!(reference.value(y), Ok(stepper.value(y)));
    }
}
