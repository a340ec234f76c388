//! Random programs and inputs, for tests.
//!
//! Programs are well typed and causal. They are made so that they do something: numbers are small
//! and compared with small constants, conditions are asked again and again as in a state chart, and
//! some expressions have no value in some steps.

use punctual_model::lustre::{
    BinaryOp, Enumeration, Equation, Expr, Memory, Program, Rational, Role, Type, UnaryOp, Value,
    Var,
};
use punctual_model::{EnumId, ExprId, Id, VarId};

/// Numbers that depend on a seed alone.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// Any number (SplitMix64).
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let it = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let it = (it ^ (it >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        it ^ (it >> 31)
    }

    /// From zero up to `n`, without it.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.bits() % n.max(1) as u64).unwrap_or(0)
    }

    /// From `least` to `greatest`.
    pub fn between(&mut self, least: i64, greatest: i64) -> i64 {
        let span = i128::from(greatest) - i128::from(least) + 1;
        let offset = i128::from(self.bits()).rem_euclid(span.max(1));
        i64::try_from(i128::from(least) + offset).unwrap_or(least)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A value of a type: mostly small numbers, inside the range if there is one.
    pub fn value(&mut self, program: &Program, ty: Type, range: Option<(i64, i64)>) -> Value {
        match (ty, range) {
            (Type::Int, Some((least, greatest))) => Value::Int(self.between(least, greatest)),
            (Type::Bool, _) => Value::Bool(self.one_in(2)),
            (Type::Int, None) if self.one_in(60) => Value::Int(i64::MAX - self.between(0, 2)),
            (Type::Int, None) if self.one_in(60) => Value::Int(i64::MIN + self.between(0, 2)),
            (Type::Int, None) => Value::Int(self.between(-2, 5)),
            (Type::Real, _) if self.one_in(60) => {
                Value::Real(Rational::new(i128::MAX / 2, self.between(1, 9).into()))
            }
            (Type::Real, _) => {
                Value::Real(Rational::new(self.between(-4, 6).into(), self.between(1, 3).into()))
            }
            (Type::Enum(id), _) => {
                let n_values = program.enums.iter().nth(id.index()).map_or(1, |it| it.values.len());
                Value::Enum(u32::try_from(self.below(n_values)).unwrap_or(0))
            }
        }
    }

    /// Values for all inputs, in order.
    pub fn inputs(&mut self, program: &Program) -> Vec<Value> {
        let inputs: Vec<VarId> = program.inputs().collect();
        let var = |id: VarId| &program.vars[id];
        inputs.into_iter().map(|id| self.value(program, var(id).ty, var(id).range)).collect()
    }
}

/// A program with about so many equations. `has_reals` allows real numbers.
#[must_use]
pub fn program(draw: &mut Draw, n_equations: usize, has_reals: bool) -> Program {
    let mut program = Program { name: "random".to_owned(), ..Program::default() };
    for (name, n_values) in [("Mode", 3), ("Side", 2)] {
        let values = (0..n_values).map(|value| format!("{name}{value}")).collect();
        program.enums.push(Enumeration { name: name.to_owned(), values });
    }
    let mut builder = Builder { draw, program, has_reals, pools: Default::default() };
    builder.build(n_equations);
    builder.program
}

struct Builder<'d> {
    draw: &'d mut Draw,
    program: Program,
    has_reals: bool,
    /// Expressions that can be used, by kind of type.
    pools: [Vec<ExprId>; 5],
}

impl Builder<'_> {
    fn build(&mut self, n_equations: usize) {
        let n_inputs = 1 + self.draw.below(6);
        let n_outputs = 1 + self.draw.below(n_equations.min(5));
        for index in 0..n_inputs {
            let ty = self.ty();
            let is_narrow = ty == Type::Int && self.draw.one_in(2);
            let range = is_narrow.then_some((-1, 3));
            self.var(format!("i{index}"), ty, range, Role::Input);
        }
        for index in 0..n_equations.max(n_outputs) {
            let role = if index < n_outputs { Role::Output } else { Role::Local };
            let ty = self.ty();
            self.var(format!("x{index}"), ty, None, role);
        }
        for index in 0..1 + self.draw.below(n_equations) {
            let ty = self.ty();
            let initial = self.draw.value(&self.program, ty, Some((-1, 3)));
            let initial = (!self.draw.one_in(4)).then_some(initial);
            // What comes next is said at the end.
            let next = ExprId::from_index(0);
            let name = format!("m{index}");
            let id = self.program.memory.push(Memory { name, ty, initial, next });
            self.add(Expr::Memory(id), ty);
        }
        self.add(Expr::First, Type::Bool);
        let inputs: Vec<VarId> = self.program.inputs().collect();
        for var in inputs {
            self.add(Expr::Var(var), self.program.vars[var].ty);
        }
        let mut todo: Vec<VarId> = self
            .program
            .vars
            .ids()
            .filter(|it| self.program.vars[*it].role != Role::Input)
            .collect();
        while !todo.is_empty() {
            let var = todo.swap_remove(self.draw.below(todo.len()));
            let ty = self.program.vars[var].ty;
            let depth = 1 + self.draw.below(3);
            let expr = self.expr(ty, depth);
            self.program.equations.push(Equation { var, expr });
            self.add(Expr::Var(var), ty);
        }
        let memory: Vec<_> = self.program.memory.ids().collect();
        for id in memory {
            let next = self.expr(self.program.memory[id].ty, 1);
            self.program.memory[id].next = next;
        }
        for _ in 0..self.draw.below(3) {
            let assertion = self.expr(Type::Bool, 1);
            self.program.assertions.push(assertion);
        }
        for index in 0..self.draw.below(3) {
            let property = self.expr(Type::Bool, 1);
            self.program.properties.push((format!("p{index}"), property));
        }
    }

    fn var(&mut self, name: String, ty: Type, range: Option<(i64, i64)>, role: Role) {
        self.program.vars.push(Var { name, ty, range, role });
    }

    fn ty(&mut self) -> Type {
        match self.draw.below(if self.has_reals { 10 } else { 8 }) {
            0..4 => Type::Bool,
            4..7 => Type::Int,
            7 => Type::Enum(EnumId::from_index(self.draw.below(2))),
            _ => Type::Real,
        }
    }

    fn pool(&mut self, ty: Type) -> &mut Vec<ExprId> {
        &mut self.pools[match ty {
            Type::Bool => 0,
            Type::Int => 1,
            Type::Real => 2,
            Type::Enum(id) => 3 + id.index(),
        }]
    }

    fn add(&mut self, expr: Expr, ty: Type) -> ExprId {
        let id = self.program.exprs.push(expr);
        self.pool(ty).push(id);
        id
    }

    fn leaf(&mut self, ty: Type) -> ExprId {
        let n_known = self.pool(ty).len();
        if n_known == 0 || self.draw.one_in(5) {
            let value = self.draw.value(&self.program, ty, None);
            return self.add(Expr::Constant(value), ty);
        }
        let at = self.draw.below(n_known);
        self.pool(ty)[at]
    }

    fn expr(&mut self, ty: Type, depth: usize) -> ExprId {
        if depth == 0 || self.draw.one_in(8) {
            return self.leaf(ty);
        }
        if self.draw.one_in(2) {
            let depth = if self.draw.one_in(2) { 0 } else { depth - 1 };
            let condition = self.expr(Type::Bool, depth);
            let (yes, no) = (self.expr(ty, depth), self.expr(ty, depth));
            return self.add(Expr::If(condition, yes, no), ty);
        }
        match ty {
            Type::Bool => self.truth(depth - 1),
            Type::Int => self.int(depth - 1),
            Type::Real => self.real(depth - 1),
            Type::Enum(_) => self.leaf(ty),
        }
    }

    fn binary(&mut self, ops: &[BinaryOp], of: Type, ty: Type, depth: usize) -> ExprId {
        let op = ops[self.draw.below(ops.len())];
        let (a, b) = (self.expr(of, depth), self.expr(of, depth));
        self.add(Expr::Binary(op, a, b), ty)
    }

    fn truth(&mut self, depth: usize) -> ExprId {
        use BinaryOp::{And, Eq, Ge, Gt, Implies, Le, Lt, Ne, Or, Xor};
        match self.draw.below(10) {
            0 => {
                let it = self.expr(Type::Bool, depth);
                self.add(Expr::Unary(UnaryOp::Not, it), Type::Bool)
            }
            1..5 => {
                self.binary(&[And, And, Or, Or, Xor, Implies, Eq], Type::Bool, Type::Bool, depth)
            }
            5 => {
                let of = Type::Enum(EnumId::from_index(self.draw.below(2)));
                self.binary(&[Eq, Ne], of, Type::Bool, depth)
            }
            6 if self.has_reals => {
                self.binary(&[Eq, Ne, Lt, Le, Gt, Ge], Type::Real, Type::Bool, depth)
            }
            7 => {
                // As state charts ask.
                let number = self.expr(Type::Int, 0);
                let value = Value::Int(self.draw.between(0, 2));
                let constant = self.add(Expr::Constant(value), Type::Int);
                let op = if self.draw.one_in(2) { Eq } else { Le };
                self.add(Expr::Binary(op, number, constant), Type::Bool)
            }
            _ => self.binary(&[Eq, Ne, Lt, Le, Gt, Ge], Type::Int, Type::Bool, depth),
        }
    }

    fn int(&mut self, depth: usize) -> ExprId {
        use BinaryOp::{Add, IntDiv, Mod, Mul, Sub};
        match self.draw.below(12) {
            0 => {
                let it = self.expr(Type::Int, depth);
                self.add(Expr::Unary(UnaryOp::Neg, it), Type::Int)
            }
            1 => {
                let it = self.expr(Type::Int, depth);
                let bits = [8, 16, 32, 64][self.draw.below(4)];
                let op = UnaryOp::Wrap { bits, signed: self.draw.one_in(2) };
                self.add(Expr::Unary(op, it), Type::Int)
            }
            2 if self.has_reals => {
                let it = self.expr(Type::Real, depth);
                self.add(Expr::Unary(UnaryOp::Floor, it), Type::Int)
            }
            3 => self.binary(&[IntDiv, Mod], Type::Int, Type::Int, depth),
            4 => self.binary(&[Mul], Type::Int, Type::Int, depth),
            _ => self.binary(&[Add, Sub], Type::Int, Type::Int, depth),
        }
    }

    fn real(&mut self, depth: usize) -> ExprId {
        use BinaryOp::{Add, Div, Mul, Sub};
        match self.draw.below(8) {
            0 => {
                let it = self.expr(Type::Real, depth);
                self.add(Expr::Unary(UnaryOp::Neg, it), Type::Real)
            }
            1 => {
                let it = self.expr(Type::Int, depth);
                self.add(Expr::Unary(UnaryOp::ToReal, it), Type::Real)
            }
            2 => self.binary(&[Div], Type::Real, Type::Real, depth),
            _ => self.binary(&[Add, Sub, Mul], Type::Real, Type::Real, depth),
        }
    }
}
