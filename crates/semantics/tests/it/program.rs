//! Compiled code does what the textbook says: it is compared with a walk over the tree.

mod both;
mod generate;
mod naive;

use generate::{Generator, N_CLOCKS, N_LOCALS, N_META, N_STATE, assign, binary, load, place};
use naive::{Naive, Stop};
use proptest::prelude::*;
use punctual_model::*;
use punctual_semantics::program::{Builder, Code, Machine, Program, Unsupported};
use punctual_semantics::{Fault, FaultKind};

/// Runs both on the same memories and compares what came out and what is in memory then.
fn compare(
    network: &Network,
    program: &Program,
    code: Code,
    machine: &mut Machine,
    expected: impl FnOnce(&mut Naive<'_>) -> Result<i32, Stop>,
) -> Result<(), TestCaseError> {
    let mut naive = Naive::new(network);
    naive.locations = vec![0, 2];
    machine.begin();
    machine.locals().fill(0);
    for slot in 0..6 {
        naive.set(Storage::Local, slot, slot as i32 - 2);
        machine.locals()[slot as usize] = slot as i32 - 2;
    }
    let expected = match expected(&mut naive) {
        Err(Stop::Enough) => return Err(TestCaseError::reject("too much work")),
        Err(Stop::Fault(kind)) => Err(Fault { kind }),
        Ok(value) => Ok(value),
    };
    let mut state = vec![0, 2];
    state.extend(&network.initial.ints);
    prop_assert_eq!(program.run(code, &mut state, machine), expected);
    for slot in 0..N_STATE {
        let at = slot as usize + network.processes.len();
        prop_assert_eq!(state[at], naive.get(Storage::State, slot), "slot {}", slot);
    }
    if expected.is_ok() {
        for slot in 0..N_LOCALS {
            let local = machine.locals()[slot as usize];
            prop_assert_eq!(local, naive.get(Storage::Local, slot), "local {}", slot);
        }
    }
    for clock in 0..N_CLOCKS {
        let change = naive.clocks.iter().find(|(changed, _)| *changed == clock);
        let expected = change.map_or((clock + 1, 0), |(_, value)| *value);
        prop_assert_eq!(machine.clock(clock), expected, "clock {}", clock);
    }
    let order: Vec<u32> = naive.clocks.iter().map(|(clock, _)| *clock).collect();
    prop_assert_eq!(machine.changed_clocks(), order);
    Ok(())
}

/// The values of meta variables can only be asked for by code.
fn meta_codes(builder: &mut Builder<'_>) -> Vec<Code> {
    (0..N_META).map(|slot| builder.value(&load(Storage::Meta, slot)).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_the_tree(choices in prop::collection::vec(any::<u16>(), 0..300)) {
        let mut generator = Generator::new(choices);
        let exprs = [generator.value(), generator.value()];
        let network = generator.network;
        let mut builder = Builder::new(&network);
        // The frame of all tests, which no edge of the network states.
        builder.value(&load(Storage::Local, N_LOCALS - 1)).unwrap();
        let codes = exprs.each_ref().map(|expr| builder.value(expr).unwrap());
        let program = builder.finish();
        let mut machine = program.machine();
        for (expr, code) in exprs.iter().zip(codes) {
            compare(&network, &program, code, &mut machine, |naive| naive.int(expr))?;
        }
    }

    #[test]
    fn updates_change_what_the_tree_says(choices in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut generator = Generator::new(choices);
        let updates = [generator.updates(), generator.updates()];
        let network = generator.network;
        let mut builder = Builder::new(&network);
        builder.value(&load(Storage::Local, N_LOCALS - 1)).unwrap();
        let codes = updates.each_ref().map(|update| builder.effects(update).unwrap());
        let meta = meta_codes(&mut builder);
        let program = builder.finish();
        let mut machine = program.machine();
        for (update, code) in updates.iter().zip(codes) {
            let mut expected = Vec::new();
            compare(&network, &program, code, &mut machine, |naive| {
                let outcome = naive.effects(update);
                expected = (0..N_META).map(|slot| naive.get(Storage::Meta, slot)).collect();
                outcome.map(|()| 0)
            })?;
            let mut state = vec![0; 2 + N_STATE as usize];
            for (code, expected) in meta.iter().zip(expected) {
                prop_assert_eq!(program.run(*code, &mut state, &mut machine), Ok(expected));
            }
        }
    }

    #[test]
    fn elements_are_those_of_the_tree(choices in prop::collection::vec(any::<u16>(), 0..60)) {
        let mut generator = Generator::new(choices);
        let clock = generator.clock();
        let network = generator.network;
        let mut builder = Builder::new(&network);
        builder.value(&load(Storage::Local, N_LOCALS - 1)).unwrap();
        let code = builder.element(&clock).unwrap();
        let program = builder.finish();
        compare(&network, &program, code, &mut program.machine(), |naive| {
            naive.at(clock.base.index() as u32, &clock.indices).map(|at| at as i32)
        })?;
    }
}

/// Two processes, 21 integers that are 0 in the state, and some functions.
fn network(functions: Vec<Function>) -> Network {
    let mut network = Generator::new(Vec::new()).network;
    network.initial.ints.fill(0);
    network.functions = functions.into_iter().collect();
    network
}

fn function(returns: ReturnType, body: Vec<Statement>) -> Function {
    Function {
        name: "f".to_owned(),
        params: Vec::new(),
        returns,
        frame: Frame { ints: 4, doubles: 0 },
        shares_frame: false,
        body: FunctionBody::Statements(body),
    }
}

fn call(index: usize) -> Expr {
    Expr::Call { function: FunctionId::from_index(index), arguments: Vec::new() }
}

/// Runs one update twice: a fault must leave the machine usable.
fn update(network: &Network, expr: &Expr) -> Result<Vec<i32>, FaultKind> {
    let mut builder = Builder::new(network);
    let code = builder.effects(std::slice::from_ref(expr)).unwrap();
    let seven = builder.value(&binary(BinaryOp::Add, call_free(3), call_free(4))).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let mut outcomes = [(); 2].map(|()| {
        machine.begin();
        let mut state = [vec![0; network.processes.len()], network.initial.ints.clone()].concat();
        let outcome = program.run(code, &mut state, &mut machine);
        assert_eq!(program.run(seven, &mut state, &mut machine), Ok(7));
        outcome.map(|_| state).map_err(|fault| fault.kind)
    });
    assert_eq!(outcomes[0], outcomes[1]);
    std::mem::replace(&mut outcomes[0], Ok(Vec::new()))
}

/// A constant that the compiler does not see through.
fn call_free(value: i32) -> Expr {
    Expr::Conditional(Box::new([Expr::Int(value), Expr::Int(value), Expr::Int(0)]))
}

fn set(slot: u32, range: Range, value: Expr) -> Expr {
    assign(place(Storage::State, slot, 1, range), AssignOp::Set, value, AssignResult::New)
}

fn fault_of(expr: Expr) -> FaultKind {
    update(&network(Vec::new()), &set(0, Range::ALL, expr)).unwrap_err()
}

fn unsupported(network: &Network, expr: &Expr) -> &'static str {
    let Unsupported { construct } = Builder::new(network).value(expr).unwrap_err();
    construct
}

#[test]
fn faults_of_operators() {
    let op = |op, left, right| fault_of(binary(op, Expr::Int(left), Expr::Int(right)));
    assert_eq!(op(BinaryOp::Divide, 3, 0), FaultKind::DivisionByZero);
    assert_eq!(op(BinaryOp::Remainder, 3, 0), FaultKind::DivisionByZero);
    assert_eq!(op(BinaryOp::Divide, i32::MIN, -1), FaultKind::Overflow);
    assert_eq!(op(BinaryOp::Remainder, i32::MIN, -1), FaultKind::Overflow);
    assert_eq!(op(BinaryOp::Add, i32::MAX, 1), FaultKind::Overflow);
    assert_eq!(op(BinaryOp::Subtract, i32::MIN, 1), FaultKind::Overflow);
    assert_eq!(op(BinaryOp::Multiply, 1 << 16, 1 << 15), FaultKind::Overflow);
    assert_eq!(op(BinaryOp::Power, 2, 31), FaultKind::Overflow);
    assert_eq!(op(BinaryOp::Power, 2, -1), FaultKind::Power { exponent: -1 });
    assert_eq!(op(BinaryOp::ShiftLeft, 1, 32), FaultKind::Shift { by: 32 });
    assert_eq!(op(BinaryOp::ShiftRight, 1, -1), FaultKind::Shift { by: -1 });
    let minimum = || Box::new(Expr::Int(i32::MIN));
    assert_eq!(fault_of(Expr::Unary(UnaryOp::Negate, Number::Int, minimum())), FaultKind::Overflow);
    assert_eq!(fault_of(Expr::Builtin(Builtin::Abs, vec![*minimum()])), FaultKind::Overflow);
}

#[test]
fn faults_of_ranges_and_indices() {
    let range = Range { lo: -3, hi: 5 };
    let out_of = |value, Range { lo, hi }| Err(FaultKind::Range { value, lo, hi });
    let plain = network(Vec::new());
    assert_eq!(update(&plain, &set(0, range, Expr::Int(6))), out_of(6, range));
    let wide = Range { lo: -70_000, hi: 70_000 };
    assert_eq!(update(&plain, &set(0, wide, Expr::Int(70_001))), out_of(70_001, wide));
    assert_eq!(update(&plain, &set(0, wide, load(Storage::State, 3))).unwrap()[2], 0);
    let minus = AssignOp::Combine(BinaryOp::Subtract);
    let target = place(Storage::State, 0, 1, Range::BOOL);
    let step = assign(target, minus, Expr::Int(1), AssignResult::Old);
    assert_eq!(update(&plain, &step), out_of(-1, Range::BOOL));

    let mut array = place(Storage::State, 5, 1, range);
    array.indices.push(Index { value: Expr::Int(3), lo: 1, len: 2, stride: 1 });
    let index = FaultKind::Index { value: 3, lo: 1, len: 2 };
    assert_eq!(fault_of(Expr::Load(array.clone())), index);
    let write = assign(array, AssignOp::Set, Expr::Int(0), AssignResult::New);
    assert_eq!(update(&plain, &write), Err(index));

    let mut takes = function(ReturnType::Void, Vec::new());
    let name = "a".to_owned();
    takes.params.push(Param { name, place: place(Storage::Local, 0, 1, range) });
    let argument =
        Expr::Call { function: FunctionId::from_index(0), arguments: vec![Expr::Int(7)] };
    assert_eq!(update(&network(vec![takes]), &argument), out_of(7, range));
    let gives = function(ReturnType::Int(range), vec![Statement::Return(Some(Expr::Int(-4)))]);
    assert_eq!(update(&network(vec![gives]), &call(0)), out_of(-4, range));
}

#[test]
fn faults_of_statements() {
    let run = |function: Function| update(&network(vec![function]), &call(0));
    let int = || ReturnType::Int(Range::ALL);
    assert_eq!(run(function(int(), Vec::new())), Err(FaultKind::NoReturn));
    assert!(run(function(ReturnType::Void, Vec::new())).is_ok());
    let refuse = vec![Statement::Assert(load(Storage::State, 0))];
    assert_eq!(run(function(ReturnType::Void, refuse)), Err(FaultKind::Assertion));
    let endless = vec![Statement::While(Expr::TRUE, Vec::new())];
    assert_eq!(run(function(ReturnType::Void, endless)), Err(FaultKind::TooLong));
    let recursive = vec![Statement::Expr(call(0))];
    assert_eq!(run(function(ReturnType::Void, recursive)), Err(FaultKind::TooLong));
    let mut shared = function(ReturnType::Void, vec![Statement::Expr(call(0))]);
    shared.shares_frame = true;
    assert_eq!(run(shared), Err(FaultKind::TooLong));
    // Each function calls the next twice: no loop, no recursion, and no end in sight.
    let twice = |i: usize| vec![Statement::Expr(call(i + 1)), Statement::Expr(call(i + 1))];
    let mut chain: Vec<_> = (0..60).map(|i| function(ReturnType::Void, twice(i))).collect();
    chain.push(function(ReturnType::Void, Vec::new()));
    assert_eq!(update(&network(chain), &call(0)), Err(FaultKind::TooLong));
}

#[test]
fn a_loop_ends_at_the_largest_integer() {
    let range = Range { lo: i32::MAX - 2, hi: i32::MAX };
    let target = place(Storage::State, 1, 1, Range::INT);
    let plus = AssignOp::Combine(BinaryOp::Add);
    let body = vec![Statement::Expr(assign(target, plus, Expr::Int(1), AssignResult::New))];
    let run = function(ReturnType::Void, vec![Statement::For { slot: 0, range, body }]);
    assert_eq!(update(&network(vec![run]), &call(0)).unwrap()[3], 3);
}

#[test]
fn a_frame_does_not_remember_earlier_calls() {
    let local = place(Storage::Local, 1, 1, Range::ALL);
    let plus = AssignOp::Combine(BinaryOp::Add);
    let count = assign(local, plus, Expr::Int(1), AssignResult::New);
    let counts = function(ReturnType::Int(Range::ALL), vec![Statement::Return(Some(count))]);
    let both = Expr::Sequence(Box::new([call(0), set(0, Range::ALL, call(0))]));
    assert_eq!(update(&network(vec![counts]), &both).unwrap()[2], 1);
}

fn clock(index: usize) -> ClockRef {
    Indexed::fixed(ClockId::from_index(index))
}

fn set_clock(index: usize, value: Expr) -> Expr {
    Expr::SetClock { clock: clock(index), value: Box::new(value) }
}

fn shifted(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Double, size: 1, left, right }))
}

/// Clocks with what they are now.
type Changes = Vec<(u32, (u32, i32))>;

/// The clocks after some updates, in the order of their change.
fn clocks(exprs: &[Expr]) -> Result<Changes, FaultKind> {
    let network = network(Vec::new());
    let mut builder = Builder::new(&network);
    let code = builder.effects(exprs).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let mut state = vec![0; 2 + N_STATE as usize];
    program.run(code, &mut state, &mut machine).map_err(|fault| fault.kind)?;
    let changed = machine.changed_clocks().iter();
    let changes = changed.map(|clock| (*clock, machine.clock(*clock))).collect();
    machine.begin();
    assert!(machine.changed_clocks().is_empty());
    assert!((0..N_CLOCKS).all(|clock| machine.clock(clock) == (clock + 1, 0)));
    Ok(changes)
}

#[test]
fn clocks_are_followed_through_copies_and_shifts() {
    let read = |index| Expr::Clock(clock(index));
    let two = || Expr::ToDouble(Box::new(call_free(2)));
    let (x, y, z) = (0, 1, 2);
    // y = x, x = 0, z = y + 2
    let chain = [
        set_clock(y, read(x)),
        set_clock(x, Expr::Int(0)),
        set_clock(z, shifted(BinaryOp::Add, read(y), two())),
    ];
    assert_eq!(clocks(&chain), Ok(vec![(1, (1, 0)), (0, (0, 0)), (2, (1, 2))]));
    let shifts = [
        set_clock(z, shifted(BinaryOp::Add, Expr::Double(3.0), read(x))),
        set_clock(z, shifted(BinaryOp::Subtract, read(z), two())),
        set_clock(y, shifted(BinaryOp::Subtract, read(y), Expr::Double(5.0))),
    ];
    assert_eq!(clocks(&shifts), Ok(vec![(2, (1, 1)), (1, (2, -5))]));
    // A clock that is set to itself was set.
    assert_eq!(clocks(&[set_clock(x, read(x))]), Ok(vec![(0, (1, 0))]));
    // x = y = 4
    assert_eq!(
        clocks(&[set_clock(x, set_clock(y, Expr::Double(4.0)))]),
        Ok(vec![(1, (0, 4)), (0, (0, 4))])
    );
}

#[test]
fn faults_of_clocks() {
    let negative = |value| Err(FaultKind::NegativeClock { value });
    assert_eq!(clocks(&[set_clock(0, Expr::Int(-1))]), negative(-1));
    let back = shifted(BinaryOp::Subtract, Expr::Clock(clock(0)), Expr::Double(7.0));
    assert_eq!(clocks(&[set_clock(0, Expr::Int(5)), set_clock(1, back)]), negative(-2));
    let limit = punctual_zones::Bound::MAX_CONSTANT / 4;
    assert_eq!(clocks(&[set_clock(0, Expr::Int(limit))]), Ok(vec![(0, (0, limit))]));
    let large = Err(FaultKind::ClockConstant { value: limit + 1 });
    assert_eq!(clocks(&[set_clock(0, Expr::Int(limit + 1))]), large);
    let one_more = shifted(BinaryOp::Add, Expr::Clock(clock(0)), Expr::Double(1.0));
    assert_eq!(clocks(&[set_clock(0, Expr::Int(limit)), set_clock(0, one_more)]), large);
}

#[test]
fn a_transition_begins_with_initial_meta_variables() {
    let network = network(Vec::new());
    let mut builder = Builder::new(&network);
    let target = place(Storage::Meta, 1, 1, Range::INT);
    let code =
        builder.effects(&[assign(target, AssignOp::Set, Expr::Int(9), AssignResult::New)]).unwrap();
    let read = builder.value(&load(Storage::Meta, 1)).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let run = |machine: &mut Machine, code| program.run(code, &mut [], machine).unwrap();
    assert_eq!(run(&mut machine, read), 2);
    run(&mut machine, code);
    assert_eq!(run(&mut machine, read), 9);
    machine.begin();
    assert_eq!(run(&mut machine, read), 2);
}

#[test]
fn what_is_known_before_it_runs() {
    let network = network(Vec::new());
    let mut builder = Builder::new(&network);
    let constant = |builder: &mut Builder<'_>, expr: &Expr| builder.value(expr).unwrap().constant();
    assert_eq!(constant(&mut builder, &Expr::Int(4)), Some(4));
    assert_eq!(constant(&mut builder, &load(Storage::Constant, 3)), Some(5));
    assert_eq!(constant(&mut builder, &load(Storage::State, 0)), None);
    assert_eq!(builder.element(&clock(2)).unwrap().constant(), Some(2));
    assert!(builder.effects(&[]).unwrap().is_nothing());
    assert!(builder.effects(&[Expr::Int(1), load(Storage::State, 0)]).unwrap().is_nothing());
    assert!(!builder.effects(&[set_clock(0, Expr::Int(0))]).unwrap().is_nothing());
}

fn double_place() -> Place {
    Place { number: Number::Double, ..place(Storage::State, 0, 1, Range::ALL) }
}

#[test]
fn doubles_are_left_out_unless_integers_need_them() {
    let mut network = network(vec![
        function(ReturnType::Double, vec![Statement::Return(Some(Expr::Double(0.5)))]),
        function(
            ReturnType::Double,
            vec![
                Statement::Expr(set(0, Range::ALL, Expr::Int(1))),
                Statement::Return(Some(Expr::Double(0.5))),
            ],
        ),
        Function {
            body: FunctionBody::External { library: String::new(), symbol: String::new() },
            ..function(ReturnType::Int(Range::ALL), Vec::new())
        },
    ]);
    network.clocks[ClockId::from_index(3)].hybrid = true;
    let to_double = |value| assign(double_place(), AssignOp::Set, value, AssignResult::New);
    let mut builder = Builder::new(&network);
    let dropped = [
        to_double(Expr::Double(1.5)),
        to_double(call(0)),
        to_double(Expr::Clock(clock(0))),
        set_clock(3, Expr::Load(double_place())),
        Expr::Builtin(Builtin::Random, vec![Expr::Double(2.0)]),
    ];
    assert!(builder.effects(&dropped).unwrap().is_nothing());
    let effects = |expr| Builder::new(&network).effects(&[expr]).unwrap_err().construct;
    assert_eq!(effects(to_double(call(1))), "a double with side effects");
    assert_eq!(effects(set_clock(0, Expr::Double(0.5))), "a clock and a fraction");
    assert_eq!(effects(set_clock(0, Expr::Clock(clock(3)))), "a hybrid clock");
    assert_eq!(effects(set_clock(0, Expr::Load(double_place()))), "a double");
    let twice = shifted(BinaryOp::Multiply, Expr::Double(2.0), Expr::Clock(clock(0)));
    assert_eq!(effects(set_clock(0, twice)), "a clock used as a number");
    // Called for its effects, a function that gives a double is as good as any.
    assert_eq!(update(&network, &call(1)).unwrap()[2], 1);

    let fint = |inner| Expr::Builtin(Builtin::Fint, vec![inner]);
    assert_eq!(unsupported(&network, &fint(Expr::Load(double_place()))), "a double");
    assert_eq!(unsupported(&network, &fint(Expr::Clock(clock(0)))), "a clock used as a number");
    let random = Expr::Builtin(Builtin::Random, vec![Expr::Double(2.0)]);
    assert_eq!(unsupported(&network, &fint(random)), "a random number");
    assert_eq!(unsupported(&network, &call(2)), "an external function");
    assert_eq!(unsupported(&network, &Expr::Deadlock), "deadlock");
    let less = shifted(BinaryOp::Less, Expr::Load(double_place()), Expr::Double(1.0));
    assert_eq!(unsupported(&network, &less), "a double");
}

/// A function that can not be compiled is refused each time, also behind one that can.
#[test]
fn what_is_unsupported_stays_so() {
    let fint = Expr::Builtin(Builtin::Fint, vec![Expr::Load(double_place())]);
    let int = || ReturnType::Int(Range::ALL);
    let network = network(vec![
        function(int(), vec![Statement::Return(Some(call(1)))]),
        function(int(), vec![Statement::Return(Some(fint))]),
        function(int(), vec![Statement::Return(Some(Expr::Int(6)))]),
    ]);
    let mut builder = Builder::new(&network);
    for _ in 0..2 {
        assert_eq!(builder.value(&call(0)), Err(Unsupported { construct: "a double" }));
    }
    let code = builder.value(&call(2)).unwrap();
    let program = builder.finish();
    assert_eq!(program.run(code, &mut [], &mut program.machine()), Ok(6));
}

#[test]
fn a_program_is_shared_by_workers() {
    fn shared<T: Send + std::marker::Sync>() {}
    shared::<Program>();
}
