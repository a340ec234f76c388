//! Random synchronous programs, and values for them.

use punctual_model::lustre::{
    BinaryOp, Enumeration, Equation, Expr, Memory, Program, Rational, Role, Type, UnaryOp, Value,
    Var,
};
use punctual_model::{EnumId, ExprId, Id, MemoryId, VarId};

/// Random numbers (SplitMix64, Steele, Lea & Flood 2014).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    /// A small value, sometimes a huge one.
    pub(crate) fn value(&mut self, ty: Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(self.below(2) == 0),
            Type::Int if self.below(40) == 0 => {
                Value::Int([i64::MAX, i64::MIN, i64::MAX - 1, 1 << 62][self.below(4)])
            }
            Type::Int => Value::Int(self.below(9) as i64 - 4),
            Type::Real => {
                let (top, bottom) = (self.below(13) as i128 - 6, self.below(3) as i128 + 1);
                Value::Real(Rational::new(top, bottom))
            }
            Type::Enum(_) => Value::Enum(self.below(3) as u32),
        }
    }

    fn ty(&mut self) -> Type {
        match self.below(8) {
            0..3 => Type::Bool,
            3..6 => Type::Int,
            6 => Type::Real,
            _ => Type::Enum(EnumId::from_index(0)),
        }
    }
}

struct Builder<'c> {
    chance: &'c mut Chance,
    program: Program,
    /// Variables that may be used.
    usable: usize,
}

/// A program with a few inputs, equations and memories, in which anything may happen.
pub(crate) fn program(chance: &mut Chance) -> Program {
    let mut program = Program { name: "main".to_owned(), ..Program::default() };
    let values = ["red", "green", "blue"].map(str::to_owned).to_vec();
    program.enums.push(Enumeration { name: "colour".to_owned(), values });
    let (n_inputs, n_outputs) = (chance.below(4) + 1, chance.below(3) + 1);
    let n_vars = n_inputs + n_outputs + chance.below(5);
    for at in 0..n_vars {
        let role = match at {
            at if at < n_inputs => Role::Input,
            at if at < n_inputs + n_outputs => Role::Output,
            _ => Role::Local,
        };
        let ty = chance.ty();
        program.vars.push(Var { name: format!("v{at}"), ty, range: None, role });
    }
    for at in 0..chance.below(4) {
        let ty = chance.ty();
        let initial = (chance.below(2) == 0).then(|| chance.value(ty));
        let next = ExprId::from_index(0);
        program.memory.push(Memory { name: format!("m{at}"), ty, initial, next });
    }
    let mut builder = Builder { chance, program, usable: n_inputs };
    // Locals before outputs, so that outputs use them.
    let mut order: Vec<usize> = (n_inputs + n_outputs..n_vars).collect();
    order.extend(n_inputs..n_inputs + n_outputs);
    let mut defined: Vec<VarId> = Vec::new();
    for at in order {
        let var = VarId::from_index(at);
        let ty = builder.program.vars[var].ty;
        let expr = builder.expr(ty, 4, &defined);
        builder.program.equations.push(Equation { var, expr });
        defined.push(var);
    }
    for memory in builder.program.memory.ids() {
        let ty = builder.program.memory[memory].ty;
        builder.program.memory[memory].next = builder.expr(ty, 3, &defined);
    }
    if builder.chance.below(3) == 0 {
        let expr = builder.expr(Type::Bool, 2, &defined);
        builder.program.assertions.push(expr);
    }
    let expr = builder.expr(Type::Bool, 3, &defined);
    builder.program.properties.push(("p".to_owned(), expr));
    builder.program
}

impl Builder<'_> {
    fn expr(&mut self, ty: Type, depth: usize, defined: &[VarId]) -> ExprId {
        let expr = match self.chance.below(if depth == 0 { 4 } else { 10 }) {
            0 => Expr::Constant(self.chance.value(ty)),
            1..4 => self.leaf(ty, defined),
            4 => {
                let condition = self.expr(Type::Bool, depth - 1, defined);
                let (a, b) = (self.expr(ty, depth - 1, defined), self.expr(ty, depth - 1, defined));
                Expr::If(condition, a, b)
            }
            _ => self.operation(ty, depth - 1, defined),
        };
        self.program.exprs.push(expr)
    }

    /// A variable or memory of the type, if there is one.
    fn leaf(&mut self, ty: Type, defined: &[VarId]) -> Expr {
        let program = &self.program;
        let inputs = (0..self.usable).map(VarId::from_index);
        let vars = inputs.chain(defined.iter().copied()).filter(|it| program.vars[*it].ty == ty);
        let mut leaves: Vec<Expr> = vars.map(Expr::Var).collect();
        let memories = program.memory.enumerate().filter(|(_, it)| it.ty == ty);
        leaves.extend(memories.map(|(id, _): (MemoryId, _)| Expr::Memory(id)));
        if ty == Type::Bool {
            leaves.push(Expr::First);
        }
        match leaves.len() {
            0 => Expr::Constant(self.chance.value(ty)),
            n => leaves[self.chance.below(n)],
        }
    }

    fn operation(&mut self, ty: Type, depth: usize, defined: &[VarId]) -> Expr {
        use BinaryOp::{
            Add, And, Div, Eq, Ge, Gt, Implies, IntDiv, Le, Lt, Mod, Mul, Ne, Or, Sub, Xor,
        };
        let unary = |this: &mut Self, op, of| Expr::Unary(op, this.expr(of, depth, defined));
        match (ty, self.chance.below(8)) {
            (Type::Bool, 0) => unary(self, UnaryOp::Not, Type::Bool),
            (Type::Int, 0) => unary(self, UnaryOp::Neg, Type::Int),
            (Type::Real, 0) => unary(self, UnaryOp::Neg, Type::Real),
            (Type::Real, 1) => unary(self, UnaryOp::ToReal, Type::Int),
            (Type::Int, 1) => unary(self, UnaryOp::Floor, Type::Real),
            (Type::Int, 2) => {
                let bits = [8, 16, 32, 64][self.chance.below(4)];
                let signed = self.chance.below(2) == 0;
                unary(self, UnaryOp::Wrap { bits, signed }, Type::Int)
            }
            (Type::Enum(_), _) => self.leaf(ty, defined),
            (_, choice) => {
                let pick = |chance: &mut Chance, ops: &[BinaryOp]| ops[chance.below(ops.len())];
                let (op, of) = match (ty, choice) {
                    (Type::Bool, 1..4) => (pick(self.chance, &[And, Or, Xor, Implies]), Type::Bool),
                    (Type::Bool, 4) => (pick(self.chance, &[Eq, Ne]), self.chance.ty()),
                    (Type::Bool, _) => {
                        let of = [Type::Int, Type::Int, Type::Real][self.chance.below(3)];
                        (pick(self.chance, &[Eq, Ne, Lt, Le, Gt, Ge]), of)
                    }
                    (Type::Int, _) => (pick(self.chance, &[Add, Sub, Add, Mul, IntDiv, Mod]), ty),
                    _ => (pick(self.chance, &[Add, Sub, Mul, Div]), ty),
                };
                let (a, b) = (self.expr(of, depth, defined), self.expr(of, depth, defined));
                Expr::Binary(op, a, b)
            }
        }
    }
}
