//! Compiled expressions: the innermost loop of checking (integers) and of simulation (doubles).

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use punctual_model::*;
use punctual_semantics::program::{Builder, Chance, Reals};

fn place(storage: Storage, number: Number, base: u32) -> Place {
    Place { storage, number, base, indices: Vec::new(), size: 1, range: Range::ALL }
}

fn int(slot: u32) -> Expr {
    Expr::Load(place(Storage::State, Number::Int, slot))
}

/// An element of the array of eight integers at slot 2.
fn element(index: Expr) -> Expr {
    let mut place = place(Storage::State, Number::Int, 2);
    place.indices.push(Index { value: index, lo: 0, len: 8, stride: 1 });
    Expr::Load(place)
}

fn binary(number: Number, op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number, size: 1, left, right }))
}

fn assign(target: Place, op: AssignOp, value: Expr) -> Expr {
    let (target, value) = (Box::new(target), Box::new(value));
    Expr::Assign { target, op, value, result: AssignResult::New }
}

fn clock(index: usize) -> ClockRef {
    Indexed::fixed(ClockId::from_index(index))
}

/// Ten integers, two doubles, two clocks, and a function that adds up the array.
fn network() -> Network {
    let mut network = Network::default();
    network.initial.ints = (0..10).collect();
    network.initial.doubles = vec![0.5, 2.0];
    for name in ["x", "y"] {
        let name = name.to_owned();
        network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
    }
    let local = |slot| place(Storage::Local, Number::Int, slot);
    let plus = AssignOp::Combine(BinaryOp::Add);
    let add = Statement::Expr(assign(local(1), plus, element(Expr::Load(local(0)))));
    let range = Range { lo: 0, hi: 7 };
    network.functions.push(Function {
        name: "total".to_owned(),
        params: Vec::new(),
        returns: ReturnType::Int(Range::ALL),
        frame: Frame { ints: 2, doubles: 0 },
        shares_frame: false,
        body: FunctionBody::Statements(vec![
            Statement::For { slot: 0, range, body: vec![add] },
            Statement::Return(Some(Expr::Load(local(1)))),
        ]),
    });
    network
}

fn integers(c: &mut Criterion) {
    use BinaryOp::*;
    let network = network();
    let number = Number::Int;
    // a[i] + 3 * k < 20 && a[7] != k
    let sum = binary(number, Add, element(int(0)), binary(number, Multiply, Expr::Int(3), int(1)));
    let guard = binary(
        number,
        And,
        binary(number, Less, sum, Expr::Int(20)),
        binary(number, NotEqual, element(Expr::Int(7)), int(1)),
    );
    let function = FunctionId::from_index(0);
    let total = Expr::Call { function, arguments: Vec::new() };
    let update = assign(
        place(Storage::State, number, 0),
        AssignOp::Set,
        binary(number, Remainder, total, Expr::Int(8)),
    );
    let mut builder = Builder::new(&network);
    let guard = builder.value(&guard).unwrap();
    let update = builder.effects(&[update]).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let mut state = network.initial.ints.clone();
    let mut group = c.benchmark_group("program/integers");
    for (name, code) in [("guard", guard), ("loop", update)] {
        group.bench_function(name, |b| {
            b.iter(|| program.run(black_box(code), &mut state, &mut machine));
        });
    }
    group.finish();
}

/// Steele, Lea & Flood 2014.
struct SplitMix(u64);

impl Chance for SplitMix {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }
}

fn doubles(c: &mut Criterion) {
    use BinaryOp::*;
    let network = network();
    let number = Number::Double;
    let constraint = |left, right, bound| {
        let relation = Relation::LessEqual;
        let (number, bound) = (Number::Int, Expr::Int(bound));
        Expr::ClockConstraint(Box::new(ClockConstraint {
            when: None,
            left: Some(clock(left)),
            right,
            relation,
            number,
            bound,
        }))
    };
    // x <= 5 && y - x <= 3
    let guard = binary(Number::Int, And, constraint(0, None, 5), constraint(1, Some(clock(0)), 3));
    // d = d * 0.5 + x, x = 0
    let d = || place(Storage::State, number, 0);
    let half = binary(number, Multiply, Expr::Load(d()), Expr::Double(0.5));
    let update = [
        assign(d(), AssignOp::Set, binary(number, Add, half, Expr::Clock(clock(0)))),
        Expr::SetClock { clock: clock(0), value: Box::new(Expr::Int(0)) },
    ];
    let draw = |builtin, parameters: &[f64]| {
        let parameters = parameters.iter().map(|value| Expr::Double(*value)).collect();
        Expr::Builtin(builtin, parameters)
    };
    let mut builder = Builder::stochastic(&network);
    let codes = [
        ("guard", builder.value(&guard).unwrap()),
        ("update", builder.effects(&update).unwrap()),
        ("uniform", builder.effects(&[draw(Builtin::Random, &[2.0])]).unwrap()),
        ("normal", builder.effects(&[draw(Builtin::RandomNormal, &[1.0, 2.0])]).unwrap()),
        ("gamma", builder.effects(&[draw(Builtin::RandomGamma, &[1.5, 2.0])]).unwrap()),
        ("poisson", builder.effects(&[draw(Builtin::RandomPoisson, &[3.0])]).unwrap()),
        ("sine", builder.effects(&[Expr::Builtin(Builtin::Sin, vec![Expr::Load(d())])]).unwrap()),
    ];
    let program = builder.finish();
    let mut machine = program.machine();
    let mut state = network.initial.ints.clone();
    let mut reals = Reals {
        doubles: &mut network.initial.doubles.clone(),
        clocks: &mut [1.5, 2.5],
        rates: &[1.0, 1.0],
        chance: &mut SplitMix(1),
    };
    let mut group = c.benchmark_group("program/doubles");
    for (name, code) in codes {
        group.bench_function(name, |b| {
            b.iter(|| program.run_real(black_box(code), &mut state, &mut reals, &mut machine));
        });
    }
    group.finish();
}

criterion_group!(benches, integers, doubles);
criterion_main!(benches);
