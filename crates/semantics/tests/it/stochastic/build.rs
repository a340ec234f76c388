//! Short ways to write expressions, and to run them.

use punctual_model::*;
use punctual_semantics::{
    FaultKind,
    program::{Builder, Chance, Reals},
};

/// Steele, Lea & Flood 2014.
pub(super) struct SplitMix(pub(super) u64);

impl Chance for SplitMix {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }
}

pub(super) const N_INTS: usize = 4;
pub(super) const N_DOUBLES: usize = 8;
pub(super) const RATES: [f64; 3] = [1.0, 0.0, 0.5];

/// Two processes, integers 0 to 3, doubles 1 to 8, three clocks, and some functions.
pub(super) fn network(functions: Vec<Function>) -> Network {
    let mut network = Network::default();
    for name in ["P", "Q"] {
        network.processes.push(Process {
            name: name.to_owned(),
            template: name.to_owned(),
            locations: IdVec::new(),
            initial: Vec::new(),
            edges: IdVec::new(),
            priority: 0,
        });
    }
    for name in ["x", "y", "z"] {
        let name = name.to_owned();
        network.clocks.push(Clock { name, owner: None, hybrid: false, initial: 0.0 });
    }
    network.initial.ints = (0..N_INTS as i32).collect();
    network.initial.doubles = (1..=N_DOUBLES).map(|i| i as f64).collect();
    network.constants.doubles = vec![0.5; 3];
    network.functions = functions.into_iter().collect();
    network
}

pub(super) fn double(value: f64) -> Expr {
    Expr::Double(value)
}

pub(super) fn place(storage: Storage, base: u32, size: u32) -> Place {
    let number = Number::Double;
    Place { storage, number, base, indices: Vec::new(), size, range: Range::ALL }
}

pub(super) fn int_place(storage: Storage, base: u32) -> Place {
    Place { number: Number::Int, ..place(storage, base, 1) }
}

/// A double of the state.
pub(super) fn load(slot: u32) -> Expr {
    Expr::Load(place(Storage::State, slot, 1))
}

/// An integer of the state.
pub(super) fn int(slot: u32) -> Expr {
    Expr::Load(int_place(Storage::State, slot))
}

pub(super) fn local_int(slot: u32) -> Expr {
    Expr::Load(int_place(Storage::Local, slot))
}

pub(super) fn index(value: Expr, len: u32) -> Index {
    Index { value, lo: 0, len, stride: 1 }
}

pub(super) fn to_double(expr: Expr) -> Expr {
    Expr::ToDouble(Box::new(expr))
}

pub(super) fn negate(expr: Expr) -> Expr {
    Expr::Unary(UnaryOp::Negate, Number::Double, Box::new(expr))
}

/// An operator on doubles.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Double, size: 1, left, right }))
}

pub(super) fn int_binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

pub(super) fn assign(target: Place, value: Expr) -> Expr {
    let (target, value) = (Box::new(target), Box::new(value));
    Expr::Assign { target, op: AssignOp::Set, value, result: AssignResult::New }
}

pub(super) fn clock(index: usize) -> ClockRef {
    Indexed::fixed(ClockId::from_index(index))
}

pub(super) fn function(returns: ReturnType, body: Vec<Statement>) -> Function {
    Function {
        name: "f".to_owned(),
        params: Vec::new(),
        returns,
        frame: Frame::default(),
        shares_frame: false,
        body: FunctionBody::Statements(body),
    }
}

pub(super) fn call(index: usize, arguments: Vec<Expr>) -> Expr {
    Expr::Call { function: FunctionId::from_index(index), arguments }
}

/// A state; clocks are 10, 20, 30.
pub(super) struct Memories {
    pub(super) state: Vec<i32>,
    pub(super) doubles: Vec<f64>,
    pub(super) clocks: [f64; 3],
    pub(super) chance: SplitMix,
}

impl Memories {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            state: [vec![0; network.processes.len()], network.initial.ints.clone()].concat(),
            doubles: network.initial.doubles.clone(),
            clocks: [10.0, 20.0, 30.0],
            chance: SplitMix(1),
        }
    }

    pub(super) fn parts(&mut self) -> (&mut [i32], Reals<'_>) {
        let reals = Reals {
            doubles: &mut self.doubles,
            clocks: &mut self.clocks,
            rates: &RATES,
            chance: &mut self.chance,
        };
        (&mut self.state, reals)
    }
}

/// What is in memory after an update.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct After {
    pub(super) ints: Vec<i32>,
    pub(super) doubles: Vec<f64>,
    pub(super) clocks: [f64; 3],
}

/// Does a thing twice: a fault must leave the machine usable.
fn twice<T: Clone>(mut once: impl FnMut() -> T, same: impl Fn(&T, &T) -> bool) -> T {
    let (first, second) = (once(), once());
    assert!(same(&first, &second));
    first
}

pub(super) fn value_in(network: &Network, expr: &Expr) -> Result<f64, FaultKind> {
    let mut builder = Builder::stochastic(network);
    let code = builder.double(expr).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let once = || {
        let mut memory = Memories::new(network);
        let (state, mut reals) = memory.parts();
        program.real(code, state, &mut reals, &mut machine).map_err(|fault| fault.kind)
    };
    twice(once, |a, b| a.map(f64::to_bits) == b.map(f64::to_bits))
}

pub(super) fn value(expr: &Expr) -> Result<f64, FaultKind> {
    value_in(&network(Vec::new()), expr)
}

/// The value of an integer expression.
pub(super) fn truth(expr: &Expr) -> Result<i32, FaultKind> {
    let network = network(Vec::new());
    let mut builder = Builder::stochastic(&network);
    let code = builder.value(expr).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let once = || {
        let mut memory = Memories::new(&network);
        let (state, mut reals) = memory.parts();
        program.run_real(code, state, &mut reals, &mut machine).map_err(|fault| fault.kind)
    };
    twice(once, |a, b| a == b)
}

pub(super) fn update_in(network: &Network, exprs: &[Expr]) -> Result<After, FaultKind> {
    let mut builder = Builder::stochastic(network);
    let code = builder.effects(exprs).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let once = || {
        let mut memory = Memories::new(network);
        let (state, mut reals) = memory.parts();
        program.run_real(code, state, &mut reals, &mut machine).map_err(|fault| fault.kind)?;
        let Memories { state, doubles, clocks, .. } = memory;
        Ok(After { ints: state[network.processes.len()..].to_vec(), doubles, clocks })
    };
    twice(once, |a, b| a == b)
}

pub(super) fn update(exprs: &[Expr]) -> Result<After, FaultKind> {
    update_in(&network(Vec::new()), exprs)
}
