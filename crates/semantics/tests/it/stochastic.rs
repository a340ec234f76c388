//! Stochastic code: doubles, clocks with values, random numbers.

mod build;
mod draws;
mod laws;
mod math;

use std::f64::consts::PI;

use build::*;
use punctual_model::*;
use punctual_semantics::{FaultKind, program::Builder};

#[test]
fn values_are_known_or_read_without_the_machine() {
    let mut network = network(Vec::new());
    network.constants.doubles = vec![0.25, 0.75];
    let constant = |expr: Expr| Builder::stochastic(&network).double(&expr).unwrap().constant();
    assert_eq!(constant(double(1.5)), Some(1.5));
    assert_eq!(constant(Expr::Int(3)), Some(3.0));
    assert_eq!(constant(to_double(Expr::Int(3))), Some(3.0));
    assert_eq!(constant(negate(double(2.0))), Some(-2.0));
    let mut table = place(Storage::Constant, 0, 1);
    assert_eq!(constant(Expr::Load(table.clone())), Some(0.25));
    table.indices.push(index(Expr::Int(1), 2));
    assert_eq!(constant(Expr::Load(table.clone())), Some(0.75));
    table.indices[0].value = int(1);
    let indexed = Expr::Load(table);
    assert_eq!(constant(indexed.clone()), None);
    assert_eq!(value_in(&network, &indexed), Ok(0.75));

    for (expr, expected) in [
        (load(1), 2.0),
        (Expr::Clock(clock(1)), 20.0),
        (Expr::ClockRate(clock(2)), 0.5),
        (to_double(int(2)), 2.0),
        (int(2), 2.0),
    ] {
        assert_eq!(constant(expr.clone()), None);
        assert_eq!(value_in(&network, &expr), Ok(expected), "{expr:?}");
    }
    // Not for symbolic analysis, unless constant.
    let mut symbolic = Builder::new(&network);
    assert_eq!(symbolic.double(&double(0.5)).unwrap().constant(), Some(0.5));
    assert_eq!(symbolic.double(&load(0)).unwrap_err().construct, "a double");
    assert_eq!(
        symbolic.double(&Expr::Clock(clock(0))).unwrap_err().construct,
        "a clock used as a number"
    );
}

#[test]
fn doubles_follow_ieee_and_integers_do_not() {
    let op = |op, left, right| value(&binary(op, double(left), double(right)));
    assert_eq!(op(BinaryOp::Add, 1.5, 2.25), Ok(3.75));
    assert_eq!(op(BinaryOp::Subtract, 1.5, 2.25), Ok(-0.75));
    assert_eq!(op(BinaryOp::Multiply, 1.5, -2.0), Ok(-3.0));
    assert_eq!(op(BinaryOp::Divide, 1.0, 8.0), Ok(0.125));
    assert_eq!(op(BinaryOp::Divide, 1.0, 0.0), Ok(f64::INFINITY));
    assert_eq!(op(BinaryOp::Divide, -1.0, 0.0), Ok(f64::NEG_INFINITY));
    assert!(op(BinaryOp::Divide, 0.0, 0.0).unwrap().is_nan());
    assert_eq!(op(BinaryOp::Remainder, -7.5, 2.0), Ok(-1.5));
    assert!(op(BinaryOp::Remainder, 1.0, 0.0).unwrap().is_nan());
    assert_eq!(op(BinaryOp::Power, 2.0, -2.0), Ok(0.25));
    assert_eq!(op(BinaryOp::Power, 2.0, 0.5), Ok(2_f64.sqrt()));
    assert_eq!(op(BinaryOp::Minimum, 1.5, 2.0), Ok(1.5));
    assert_eq!(op(BinaryOp::Maximum, 1.5, 2.0), Ok(2.0));
    assert_eq!(value(&negate(load(1))), Ok(-2.0));
    assert_eq!(value(&negate(double(0.0))).map(f64::is_sign_negative), Ok(true));
    let division = int_binary(BinaryOp::Divide, int(1), int(0));
    assert_eq!(value(&to_double(division.clone())), Err(FaultKind::DivisionByZero));
    assert_eq!(truth(&division), Err(FaultKind::DivisionByZero));
    let bits = binary(BinaryOp::BitAnd, load(0), load(1));
    let refused = Builder::stochastic(&network(Vec::new())).double(&bits).unwrap_err();
    assert_eq!(refused.construct, "an operator on bits of doubles");
}

#[test]
fn comparisons_of_doubles_and_of_what_is_no_number() {
    use BinaryOp::*;
    let holds = |op, left: f64, right: f64| {
        let compared = binary(op, double(left), double(right));
        let not = Expr::Unary(UnaryOp::Not, Number::Int, Box::new(compared.clone()));
        let chosen = Expr::Conditional(Box::new([compared.clone(), double(1.0), double(0.0)]));
        let truth_value = truth(&compared).unwrap();
        assert_eq!(truth(&not), Ok(1 - truth_value), "{op:?}");
        // By way of jumps.
        assert_eq!(value(&chosen), Ok(truth_value.into()), "{op:?}");
        let both = int_binary(And, Expr::Int(1), compared.clone());
        assert_eq!(truth(&both), Ok(truth_value));
        let not_both = Expr::Unary(UnaryOp::Not, Number::Int, Box::new(both));
        let chosen = Expr::Conditional(Box::new([not_both, double(1.0), double(0.0)]));
        assert_eq!(value(&chosen), Ok(f64::from(1 - truth_value)), "{op:?}");
        truth_value == 1
    };
    let table = [
        (Less, [true, false, false, false]),
        (LessEqual, [true, true, false, false]),
        (Equal, [false, true, false, false]),
        (NotEqual, [true, false, true, true]),
        (GreaterEqual, [false, true, true, false]),
        (Greater, [false, false, true, false]),
    ];
    for (op, expected) in table {
        let pairs = [(1.0, 2.0), (2.0, 2.0), (3.0, 2.0), (f64::NAN, 2.0)];
        assert_eq!(pairs.map(|(left, right)| holds(op, left, right)), expected, "{op:?}");
    }
    assert!(holds(Equal, 0.0, -0.0));
    // A double as a condition, as in C.
    let not = |value| Expr::Unary(UnaryOp::Not, Number::Double, Box::new(double(value)));
    assert_eq!([0.0, 0.5, f64::NAN].map(|value| truth(&not(value))), [Ok(1), Ok(0), Ok(0)]);
}

#[test]
fn assignments_give_their_old_or_new_value() {
    let combine = |op, amount: f64, result| Expr::Assign {
        target: Box::new(place(Storage::State, 1, 1)),
        op: AssignOp::Combine(op),
        value: Box::new(double(amount)),
        result,
    };
    let run = |expr| {
        let keep = assign(place(Storage::State, 0, 1), expr);
        let after = update(&[keep]).unwrap();
        (after.doubles[0], after.doubles[1])
    };
    // d0 = d1++, and so on; d1 is 2 at first.
    assert_eq!(run(combine(BinaryOp::Add, 1.0, AssignResult::Old)), (2.0, 3.0));
    assert_eq!(run(combine(BinaryOp::Add, 1.0, AssignResult::New)), (3.0, 3.0));
    assert_eq!(run(combine(BinaryOp::Subtract, 0.5, AssignResult::New)), (1.5, 1.5));
    assert_eq!(run(combine(BinaryOp::Multiply, 0.25, AssignResult::New)), (0.5, 0.5));
    assert_eq!(run(combine(BinaryOp::Divide, 4.0, AssignResult::New)), (0.5, 0.5));
    assert_eq!(run(combine(BinaryOp::Remainder, 1.5, AssignResult::Old)), (2.0, 0.5));
    // For its effect alone.
    let after = update(&[combine(BinaryOp::Add, 1.0, AssignResult::Old)]).unwrap();
    assert_eq!(after.doubles[..2], [1.0, 3.0]);
    // d0 = d1 = 7
    let chain =
        assign(place(Storage::State, 0, 1), assign(place(Storage::State, 1, 1), double(7.0)));
    assert_eq!(update(&[chain]).unwrap().doubles[..2], [7.0, 7.0]);
    // An integer into a double.
    let from_int = assign(place(Storage::State, 0, 1), to_double(int(3)));
    assert_eq!(update(&[from_int]).unwrap().doubles[0], 3.0);
    let constant = assign(place(Storage::Constant, 0, 1), double(1.0));
    assert!(Builder::stochastic(&network(Vec::new())).effects(&[constant]).is_err());
}

#[test]
fn arrays_of_doubles() {
    let at = |value: Expr| {
        let mut place = place(Storage::State, 2, 1);
        place.indices.push(index(value, 3));
        place
    };
    // The array is d2, d3, d4 = 3, 4, 5.
    assert_eq!(value(&Expr::Load(at(int(1)))), Ok(4.0));
    let outside = FaultKind::Index { value: 3, lo: 0, len: 3 };
    assert_eq!(value(&Expr::Load(at(int(3)))), Err(outside));
    assert_eq!(update(&[assign(at(int(2)), double(9.0))]).unwrap().doubles[4], 9.0);
    assert_eq!(update(&[assign(at(int(3)), double(9.0))]), Err(outside));
    let twice = Expr::Assign {
        target: Box::new(at(int(1))),
        op: AssignOp::Combine(BinaryOp::Multiply),
        value: Box::new(Expr::Load(at(int(0)))),
        result: AssignResult::New,
    };
    assert_eq!(update(&[twice]).unwrap().doubles[2..5], [3.0, 12.0, 5.0]);
    // Strides and starts that the short operations do not hold.
    let mut wide = place(Storage::State, 2, 1);
    wide.indices.push(Index { value: int(1), lo: -70_000, len: 70_003, stride: 0 });
    wide.indices.push(index(int(2), 3));
    assert_eq!(value(&Expr::Load(wide.clone())), Ok(5.0));
    assert_eq!(update(&[assign(wide, double(0.0))]).unwrap().doubles[4], 0.0);

    // Blocks: copies, comparisons, choices.
    let (first, second) = (place(Storage::State, 2, 3), place(Storage::State, 5, 3));
    let copy = assign(first.clone(), Expr::Load(second.clone()));
    let compare = |op, left: &Expr, right: &Place| {
        let (left, right) = (left.clone(), Expr::Load(right.clone()));
        Expr::Binary(Box::new(Binary { op, number: Number::Double, size: 3, left, right }))
    };
    let loaded = Expr::Load(first.clone());
    assert_eq!(truth(&compare(BinaryOp::Equal, &loaded, &second)), Ok(0));
    assert_eq!(truth(&compare(BinaryOp::NotEqual, &loaded, &second)), Ok(1));
    assert_eq!(truth(&compare(BinaryOp::Equal, &loaded, &first)), Ok(1));
    assert_eq!(update(std::slice::from_ref(&copy)).unwrap().doubles[2..5], [6.0, 7.0, 8.0]);
    assert_eq!(truth(&compare(BinaryOp::Equal, &copy, &second)), Ok(1));
    let choice = Expr::Conditional(Box::new([int(0), loaded, Expr::Load(second.clone())]));
    let local = place(Storage::Local, 0, 3);
    let through = [assign(local.clone(), choice), assign(first, Expr::Load(local))];
    assert_eq!(update(&through).unwrap().doubles[2..5], [6.0, 7.0, 8.0]);
}

#[test]
fn functions_have_double_parameters_locals_and_values() {
    let local = |slot| place(Storage::Local, slot, 1);
    let get = |slot| Expr::Load(local(slot));
    // double f(double a, int k, double b) { double l = a - k; l *= b; if (l < 0) return l; }
    let mut f = function(
        ReturnType::Double,
        vec![
            Statement::Clear { place: local(2), value: 0 },
            Statement::Expr(assign(
                local(2),
                binary(BinaryOp::Subtract, get(0), to_double(local_int(0))),
            )),
            Statement::Expr(Expr::Assign {
                target: Box::new(local(2)),
                op: AssignOp::Combine(BinaryOp::Multiply),
                value: Box::new(get(1)),
                result: AssignResult::New,
            }),
            Statement::If(
                binary(BinaryOp::Less, get(2), double(0.0)),
                vec![Statement::Return(Some(get(2)))],
                Vec::new(),
            ),
        ],
    );
    let param = |place| Param { name: String::new(), place };
    f.params = vec![param(local(0)), param(int_place(Storage::Local, 0)), param(local(1))];
    f.frame = Frame { ints: 1, doubles: 3 };
    // double g(double a) { return f(a, 5, 2.0) + a; }: the frame of `f` is another.
    let inner = call(0, vec![get(0), Expr::Int(5), double(2.0)]);
    let mut g = function(
        ReturnType::Double,
        vec![Statement::Return(Some(binary(BinaryOp::Add, inner, get(0))))],
    );
    g.params = vec![param(local(0))];
    g.frame = Frame { ints: 0, doubles: 1 };
    // double[3] h(double v[3]) { v[0] = v[1]; return v; }
    let block = || place(Storage::Local, 0, 3);
    let mut h = function(
        ReturnType::Block(Number::Double, 3),
        vec![
            Statement::Expr(assign(local(0), get(1))),
            Statement::Return(Some(Expr::Load(block()))),
        ],
    );
    h.params = vec![param(block())];
    h.frame = Frame { ints: 0, doubles: 3 };
    // void k() { d0 = l; l = 1; }: a frame does not remember earlier calls.
    let mut k = function(
        ReturnType::Void,
        vec![
            Statement::Expr(assign(place(Storage::State, 0, 1), get(0))),
            Statement::Expr(assign(local(0), double(1.0))),
        ],
    );
    k.frame = Frame { ints: 0, doubles: 1 };
    // double r() { return r() + 1; }
    let endless = binary(BinaryOp::Add, call(4, Vec::new()), double(1.0));
    let mut r = function(ReturnType::Double, vec![Statement::Return(Some(endless))]);
    r.frame = Frame { ints: 0, doubles: 4 };
    let network = network(vec![f, g, h, k, r]);

    let result = |arguments| value_in(&network, &call(0, arguments));
    assert_eq!(result(vec![double(1.5), Expr::Int(2), double(3.0)]), Ok(-1.5));
    assert_eq!(result(vec![double(2.5), Expr::Int(2), double(3.0)]), Err(FaultKind::NoReturn));
    assert_eq!(value_in(&network, &call(1, vec![double(3.0)])), Ok(-1.0));
    let nested = call(1, vec![call(1, vec![double(3.0)])]);
    assert_eq!(value_in(&network, &nested), Ok(-13.0));
    let before = place(Storage::State, 2, 3);
    let moved = assign(place(Storage::State, 5, 3), call(2, vec![Expr::Load(before)]));
    let after = update_in(&network, &[moved]).unwrap();
    assert_eq!(after.doubles[2..8], [3.0, 4.0, 5.0, 4.0, 4.0, 5.0]);
    let after = update_in(&network, &[call(3, Vec::new()), call(3, Vec::new())]).unwrap();
    assert_eq!(after.doubles[0], 0.0);
    // A value that nobody wants is dropped.
    let dropped = [
        call(1, vec![double(1.0)]),
        call(2, vec![Expr::Load(place(Storage::State, 2, 3))]),
        assign(place(Storage::State, 0, 1), double(4.0)),
    ];
    assert_eq!(update_in(&network, &dropped).unwrap().doubles[0], 4.0);
    assert_eq!(value_in(&network, &call(4, Vec::new())), Err(FaultKind::TooLong));
}

#[test]
fn clocks_are_set_at_once() {
    let set = |index, value| Expr::SetClock { clock: clock(index), value: Box::new(value) };
    let read = |index| Expr::Clock(clock(index));
    // x = 0, y = x + 1.5, z = y = -y
    let updates = [
        set(0, Expr::Int(0)),
        set(1, binary(BinaryOp::Add, read(0), double(1.5))),
        set(2, set(1, negate(read(1)))),
    ];
    assert_eq!(update(&updates).unwrap().clocks, [0.0, -1.5, -1.5]);
    let mut chosen = clock(0);
    chosen.indices.push(index(int(2), 3));
    assert_eq!(value(&Expr::Clock(chosen.clone())), Ok(30.0));
    assert_eq!(value(&Expr::ClockRate(chosen.clone())), Ok(0.5));
    let value = Box::new(int(3));
    let after = update(&[Expr::SetClock { clock: chosen, value }]).unwrap();
    assert_eq!(after.clocks, [10.0, 20.0, 3.0]);
    // Hybrid clocks are like others.
    let mut hybrid = network(Vec::new());
    hybrid.clocks[ClockId::from_index(0)].hybrid = true;
    let double_it = set(0, binary(BinaryOp::Multiply, read(0), double(2.0)));
    assert_eq!(update_in(&hybrid, &[double_it]).unwrap().clocks[0], 20.0);
}

#[test]
fn clock_constraints_are_truth_values() {
    use Relation::*;
    let constraint = |when: Option<Expr>, left, right, relation, bound: f64| {
        let clock = |index: Option<usize>| index.map(clock);
        let number = Number::Double;
        let constraint = ClockConstraint {
            when,
            left: clock(left),
            right: clock(right),
            relation,
            number,
            bound: double(bound),
        };
        let expr = Expr::ClockConstraint(Box::new(constraint));
        let as_value = truth(&expr).unwrap();
        // By way of jumps, of both senses.
        for sense in [true, false] {
            let expr = expr.clone();
            let condition = match sense {
                true => expr,
                false => Expr::Unary(UnaryOp::Not, Number::Int, Box::new(expr)),
            };
            let parts = [condition, double(1.0), double(0.0)];
            let chosen = value(&Expr::Conditional(Box::new(parts))).unwrap();
            assert_eq!(chosen == 1.0, (as_value == 1) == sense);
        }
        as_value == 1
    };
    // Clocks are 10, 20, 30.
    for (relation, expected) in [
        (Less, [true, false, false]),
        (LessEqual, [true, true, false]),
        (Equal, [false, true, false]),
        (NotEqual, [true, false, true]),
        (GreaterEqual, [false, true, true]),
        (Greater, [false, false, true]),
    ] {
        let bounds = [20.5, 20.0, 19.5];
        let holds = |bound| constraint(None, Some(1), None, relation, bound);
        assert_eq!(bounds.map(holds), expected, "{relation:?}");
        let bounds = [-9.5, -10.0, -10.5];
        let holds = |bound| constraint(None, Some(0), Some(1), relation, bound);
        assert_eq!(bounds.map(holds), expected, "{relation:?}");
        let bounds = [-9.5, -10.0, -10.5];
        let holds = |bound| constraint(None, None, Some(0), relation, bound);
        assert_eq!(bounds.map(holds), expected, "{relation:?}");
    }
    // Bounds that are integers, near and far.
    let below = |bound| {
        let (when, left, right) = (None, Some(clock(1)), None);
        let (relation, number) = (LessEqual, Number::Int);
        let constraint = ClockConstraint { when, left, right, relation, number, bound };
        truth(&Expr::ClockConstraint(Box::new(constraint))).unwrap()
    };
    let bounds = [19, 20, 21, 70_000, -70_000].map(Expr::Int);
    assert_eq!(bounds.map(below), [0, 1, 1, 1, 0]);
    assert_eq!(below(int(3)), 0);
    assert!(constraint(Some(int(0)), Some(0), None, Less, 1.0));
    assert!(!constraint(Some(int(1)), Some(0), None, Less, 1.0));
    assert!(constraint(Some(int(1)), Some(0), None, Less, 11.0));
}

#[test]
fn only_what_counts_is_evaluated() {
    let set = |slot, value| assign(place(Storage::State, slot, 1), double(value));
    let mark = || binary(BinaryOp::Greater, set(0, 9.0), double(0.0));
    let unmarked = |condition: Expr| {
        let store = Expr::Assign {
            target: Box::new(int_place(Storage::State, 0)),
            op: AssignOp::Set,
            value: Box::new(condition),
            result: AssignResult::New,
        };
        let after = update(&[store]).unwrap();
        (after.doubles[0] != 9.0, after.ints[0])
    };
    let yes = || binary(BinaryOp::Less, load(0), load(1));
    let no = || binary(BinaryOp::Greater, load(0), load(1));
    assert_eq!(unmarked(int_binary(BinaryOp::And, no(), mark())), (true, 0));
    assert_eq!(unmarked(int_binary(BinaryOp::And, yes(), mark())), (false, 1));
    assert_eq!(unmarked(int_binary(BinaryOp::Or, yes(), mark())), (true, 1));
    assert_eq!(unmarked(int_binary(BinaryOp::Or, no(), mark())), (false, 1));
    assert_eq!(unmarked(int_binary(BinaryOp::Imply, no(), mark())), (true, 1));
    let both = Expr::Conditional(Box::new([yes(), set(1, 5.0), set(2, 6.0)]));
    assert_eq!(update(&[both]).unwrap().doubles[..3], [1.0, 5.0, 3.0]);
    // A sum over doubles, and a quantifier over comparisons of them.
    let mut element = place(Storage::State, 2, 1);
    element.indices.push(index(local_int(0), 3));
    let over = |quantifier, number, body| Expr::Quantifier {
        quantifier,
        slot: 0,
        range: Range { lo: 0, hi: 2 },
        number,
        body: Box::new(body),
    };
    let sum = over(Quantifier::Sum, Number::Double, Expr::Load(element.clone()));
    assert_eq!(value(&sum), Ok(12.0));
    let above = |bound| binary(BinaryOp::GreaterEqual, Expr::Load(element.clone()), double(bound));
    assert_eq!(truth(&over(Quantifier::Forall, Number::Int, above(3.0))), Ok(1));
    assert_eq!(truth(&over(Quantifier::Forall, Number::Int, above(3.5))), Ok(0));
    assert_eq!(truth(&over(Quantifier::Exists, Number::Int, above(5.0))), Ok(1));
    assert_eq!(truth(&over(Quantifier::Exists, Number::Int, above(5.5))), Ok(0));
}

#[test]
fn a_transition_begins_with_initial_meta_variables() {
    let mut network = network(Vec::new());
    network.meta.doubles = vec![0.5, PI];
    let mut builder = Builder::stochastic(&network);
    let meta = place(Storage::Meta, 1, 1);
    let set = builder.effects(&[assign(meta.clone(), double(1.0))]).unwrap();
    let read = builder.double(&Expr::Load(meta)).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let mut memory = Memories::new(&network);
    let (state, mut reals) = memory.parts();
    assert_eq!(program.real(read, state, &mut reals, &mut machine), Ok(PI));
    program.run_real(set, state, &mut reals, &mut machine).unwrap();
    assert_eq!(program.real(read, state, &mut reals, &mut machine), Ok(1.0));
    machine.begin();
    assert_eq!(program.real(read, state, &mut reals, &mut machine), Ok(PI));
}

#[test]
fn what_nobody_can_compute_is_unsupported() {
    let external = Function {
        body: FunctionBody::External { library: String::new(), symbol: String::new() },
        ..function(ReturnType::Double, Vec::new())
    };
    let network = network(vec![external]);
    let mut builder = Builder::stochastic(&network);
    let refused = builder.double(&call(0, Vec::new())).unwrap_err();
    assert_eq!(refused.construct, "an external function");
    assert_eq!(builder.value(&Expr::Deadlock).unwrap_err().construct, "deadlock");
    assert_eq!(builder.value(&load(0)).unwrap_err().construct, "a double");
}

#[test]
#[should_panic(expected = "stochastic code runs with doubles")]
fn doubles_are_not_run_without_them() {
    let network = network(Vec::new());
    let mut builder = Builder::stochastic(&network);
    let code = builder.value(&binary(BinaryOp::Less, load(0), load(1))).unwrap();
    let program = builder.finish();
    let _ = program.run(code, &mut [0; 6], &mut program.machine());
}
