//! Programs that are written do the same when they are read again.

use proptest::prelude::*;
use punctual_lang::lustre;
use punctual_model::{
    ExprId, IdVec, MemoryId, VarId,
    lustre::{
        BinaryOp, Enumeration, Equation, Expr, Memory, Program, Rational, Role, Type, UnaryOp,
        Value, Var,
    },
};
use punctual_semantics::lustre::Reference;

use super::read;
use crate::random::mutate::Random;

const N_STEPS: usize = 12;

/// Two programs with the same inputs and outputs do the same.
pub(super) fn same_behaviour(one: &Program, other: &Program, seed: u32) {
    let mut random = Random::new(seed);
    let (mut left, mut right) = (Reference::new(one), Reference::new(other));
    let outputs: Vec<_> = one.outputs().zip(other.outputs()).collect();
    assert_eq!(one.inputs().count(), other.inputs().count());
    assert_eq!(one.outputs().count(), other.outputs().count());
    for step in 0..N_STEPS {
        let inputs: Vec<Value> =
            one.inputs().map(|var| value(&mut random, one, one.vars[var].ty)).collect();
        let results = (left.step(&inputs), right.step(&inputs));
        // Which failure is met first depends on the order of memory.
        assert_eq!(
            results.0.is_ok(),
            results.1.is_ok(),
            "step {step}: {results:?} of\n{}",
            lustre::write(one)
        );
        if results.0.is_err() {
            continue;
        }
        for (a, b) in &outputs {
            let (a, b) = (left.value(*a), right.value(*b));
            assert_eq!(a.ok(), b.ok(), "step {step} of\n{}", lustre::write(one));
        }
    }
}

fn value(random: &mut Random, program: &Program, ty: Type) -> Value {
    let number = random.below(9) as i64 - 4;
    match ty {
        Type::Bool => Value::Bool(random.below(2) == 0),
        Type::Int => Value::Int(match random.below(20) {
            0 => i64::MIN,
            1 => i64::MAX,
            _ => number,
        }),
        Type::Real => Value::Real(Rational::new(i128::from(number), 1 + random.below(7) as i128)),
        Type::Enum(id) => Value::Enum(random.below(program.enums[id].values.len()) as u32),
    }
}

/// Makes programs by chance.
struct Maker {
    random: Random,
    program: Program,
    /// Of each expression that can be used again.
    types: Vec<Option<Type>>,
    /// What can be used so far.
    visible: Vec<(VarId, Type)>,
    memory: Vec<(MemoryId, Type)>,
}

impl Maker {
    fn push(&mut self, expr: Expr, ty: Type) -> ExprId {
        self.types.push(Some(ty));
        self.program.exprs.push(expr)
    }

    fn leaf(&mut self, ty: Type) -> ExprId {
        let vars: Vec<VarId> = self.visible.iter().filter(|it| it.1 == ty).map(|it| it.0).collect();
        let memory: Vec<MemoryId> =
            self.memory.iter().filter(|it| it.1 == ty).map(|it| it.0).collect();
        let known: Vec<ExprId> = (self.program.exprs.ids().zip(&self.types))
            .filter(|it| *it.1 == Some(ty))
            .map(|it| it.0)
            .collect();
        match self.random.below(5) {
            0 if ty == Type::Bool => self.push(Expr::First, ty),
            1 | 2 if !vars.is_empty() => {
                let var = vars[self.random.below(vars.len())];
                self.push(Expr::Var(var), ty)
            }
            3 if !memory.is_empty() => {
                let memory = memory[self.random.below(memory.len())];
                let value = self.push(Expr::Memory(memory), ty);
                if self.program.memory[memory].initial.is_some() {
                    return value;
                }
                // Only behind `->`.
                self.types.pop();
                self.types.push(None);
                let first = self.push(Expr::First, Type::Bool);
                let start = self.constant(ty);
                self.push(Expr::If(first, start, value), ty)
            }
            4 if !known.is_empty() => known[self.random.below(known.len())],
            _ => self.constant(ty),
        }
    }

    fn constant(&mut self, ty: Type) -> ExprId {
        let value = value(&mut self.random, &self.program, ty);
        self.push(Expr::Constant(value), ty)
    }

    fn expr(&mut self, ty: Type, depth: u32) -> ExprId {
        if depth == 0 {
            return self.leaf(ty);
        }
        let depth = depth - 1;
        if self.random.below(5) == 0 {
            let condition = self.expr(Type::Bool, depth);
            let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
            return self.push(Expr::If(condition, a, b), ty);
        }
        let (op, operand) = match (ty, self.random.below(8)) {
            (Type::Bool, 0) => return self.unary(UnaryOp::Not, Type::Bool, ty, depth),
            (Type::Bool, 1) => (BinaryOp::And, Type::Bool),
            (Type::Bool, 2) => (BinaryOp::Or, Type::Bool),
            (Type::Bool, 3) => (BinaryOp::Xor, Type::Bool),
            (Type::Bool, 4) => (BinaryOp::Implies, Type::Bool),
            (Type::Bool, 5) => (BinaryOp::Lt, Type::Int),
            (Type::Bool, 6) => (BinaryOp::Ge, Type::Real),
            (Type::Bool, _) => {
                let ty = [Type::Bool, Type::Int, Type::Real, self.an_enum()][self.random.below(4)];
                ([BinaryOp::Eq, BinaryOp::Ne][self.random.below(2)], ty)
            }
            (Type::Int, 0) => return self.unary(UnaryOp::Neg, Type::Int, ty, depth),
            (Type::Int, 1) => return self.unary(UnaryOp::Floor, Type::Real, ty, depth),
            (Type::Int, 2) => {
                let bits = [8, 16, 32, 64][self.random.below(4)];
                let signed = self.random.below(2) == 0;
                return self.unary(UnaryOp::Wrap { bits, signed }, Type::Int, ty, depth);
            }
            (Type::Int, 3) => (BinaryOp::Sub, ty),
            (Type::Int, 4) => (BinaryOp::Mul, ty),
            (Type::Int, 5) => (BinaryOp::IntDiv, ty),
            (Type::Int, 6) => (BinaryOp::Mod, ty),
            (Type::Real, 0) => return self.unary(UnaryOp::Neg, Type::Real, ty, depth),
            (Type::Real, 1) => return self.unary(UnaryOp::ToReal, Type::Int, ty, depth),
            (Type::Real, 2) => (BinaryOp::Sub, ty),
            (Type::Real, 3) => (BinaryOp::Mul, ty),
            (Type::Real, 4) => (BinaryOp::Div, ty),
            (Type::Int | Type::Real, _) => (BinaryOp::Add, ty),
            (Type::Enum(_), _) => return self.leaf(ty),
        };
        let (a, b) = (self.expr(operand, depth), self.expr(operand, depth));
        self.push(Expr::Binary(op, a, b), ty)
    }

    fn unary(&mut self, op: UnaryOp, operand: Type, ty: Type, depth: u32) -> ExprId {
        let a = self.expr(operand, depth);
        self.push(Expr::Unary(op, a), ty)
    }

    fn an_enum(&self) -> Type {
        Type::Enum(self.program.enums.ids().next().expect("there is one"))
    }
}

fn program(seed: u32) -> Program {
    let mut random = Random::new(seed);
    let mut enums = IdVec::new();
    let values = ["Off", "type", "On"].map(str::to_owned).to_vec();
    let mode = Type::Enum(enums.push(Enumeration { name: "mode".to_owned(), values }));
    let mut program = Program { name: "main".to_owned(), enums, ..Program::default() };
    let all = [Type::Bool, Type::Int, Type::Real, mode];
    let inputs = [("b", Type::Bool), ("i", Type::Int), ("r", Type::Real), ("m", mode)];
    let mut visible = Vec::new();
    for (name, ty) in inputs {
        let role = Role::Input;
        let var = Var { name: name.to_owned(), ty, range: None, role };
        visible.push((program.vars.push(var), ty));
    }
    let defined = ["out", "int", "on", "on.x", "on[1]", "on_1", "sum~1.s", "sum~2.s", "sum_1.s"];
    let defined = defined.map(|name| (name, all[random.below(4)]));
    let mut vars = Vec::new();
    for (index, (name, ty)) in defined.into_iter().enumerate() {
        let role = if index < 4 { Role::Output } else { Role::Local };
        let var = Var { name: name.to_owned(), ty, range: None, role };
        vars.push((program.vars.push(var), ty));
    }
    let placeholder = program.exprs.push(Expr::First);
    let mut memory = Vec::new();
    for index in 0..3 {
        let ty = all[random.below(4)];
        let initial = match random.below(2) {
            0 => Some(value(&mut random, &program, ty)),
            _ => None,
        };
        let name = format!("memory {index}");
        let made = Memory { name, ty, initial, next: placeholder };
        memory.push((program.memory.push(made), ty));
    }
    let types = vec![Some(Type::Bool)];
    let mut maker = Maker { random, program, types, visible, memory };
    // Outputs use locals: those come first.
    vars.reverse();
    for (var, ty) in vars {
        let expr = maker.expr(ty, 4);
        maker.program.equations.push(Equation { var, expr });
        maker.visible.push((var, ty));
    }
    for (id, ty) in maker.memory.clone() {
        maker.program.memory[id].next = maker.expr(ty, 3);
    }
    let property = maker.expr(Type::Bool, 2);
    maker.program.properties.push(("a \"name\"".to_owned(), property));
    maker.program
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_written_does_the_same(seed in any::<u32>()) {
        let program = program(seed);
        let written = lustre::write(&program);
        let again = read(&written);
        prop_assert_eq!(&again.enums.len(), &program.enums.len());
        same_behaviour(&program, &again, seed ^ 1);
    }
}
