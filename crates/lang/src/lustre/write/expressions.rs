//! Expressions with as few parentheses as the reader needs.

use punctual_model::{
    EnumId, ExprId, Id,
    lustre::{BinaryOp, Expr, Type, UnaryOp, Value},
};

use super::{MemoryText, Writer, hint};
use crate::lustre::literal;

const ANY: u8 = 0;
const ARROW: u8 = 2;
const PREFIX: u8 = 10;
const ATOM: u8 = 11;

pub(super) fn unary_type(op: UnaryOp, operand: Option<Type>) -> Option<Type> {
    match op {
        UnaryOp::Not => Some(Type::Bool),
        UnaryOp::Neg => operand,
        UnaryOp::ToReal => Some(Type::Real),
        UnaryOp::Floor | UnaryOp::Wrap { .. } => Some(Type::Int),
    }
}

pub(super) fn binary_type(op: BinaryOp, operand: Option<Type>) -> Option<Type> {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => operand,
        BinaryOp::Div => Some(Type::Real),
        BinaryOp::IntDiv | BinaryOp::Mod => Some(Type::Int),
        _ => Some(Type::Bool),
    }
}

/// How an operator is written, and how strongly it binds.
fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Implies => ("=>", 3),
        BinaryOp::Or => ("or", 4),
        BinaryOp::Xor => ("xor", 4),
        BinaryOp::And => ("and", 5),
        BinaryOp::Eq => ("=", 6),
        BinaryOp::Ne => ("<>", 6),
        BinaryOp::Lt => ("<", 6),
        BinaryOp::Le => ("<=", 6),
        BinaryOp::Gt => (">", 6),
        BinaryOp::Ge => (">=", 6),
        BinaryOp::Add => ("+", 7),
        BinaryOp::Sub => ("-", 7),
        BinaryOp::Mul => ("*", 8),
        BinaryOp::Div => ("/", 8),
        BinaryOp::IntDiv => ("div", 8),
        BinaryOp::Mod => ("mod", 8),
    }
}

impl Writer<'_> {
    /// An expression; `of` is the enumeration that its values belong to, if any.
    pub(super) fn expr(&self, id: ExprId, of: Option<EnumId>) -> String {
        let mut text = String::new();
        self.push(id, ANY, of, &mut text);
        text
    }

    /// What a shared expression is.
    pub(super) fn definition(&self, id: ExprId, of: Option<EnumId>) -> String {
        let mut text = String::new();
        self.push_whole(id, ANY, of, &mut text);
        text
    }

    /// Appends an expression as an operand of something that binds as strongly as `power`.
    fn push(&self, id: ExprId, power: u8, of: Option<EnumId>, text: &mut String) {
        match &self.shared[id.index()] {
            Some(name) => *text += name,
            None => self.push_whole(id, power, of, text),
        }
    }

    fn push_whole(&self, id: ExprId, power: u8, of: Option<EnumId>, text: &mut String) {
        let own = self.power(id);
        if own < power {
            text.push('(');
        }
        match self.program.exprs[id] {
            Expr::Constant(value) => *text += &self.constant(value, of),
            Expr::Var(var) => *text += &self.vars[var.index()],
            Expr::First => *text += "(true -> false)",
            Expr::Memory(memory) => match &self.memory[memory.index()] {
                MemoryText::Pre(name) => *text += &format!("pre {name}"),
                MemoryText::Local(name) => *text += name,
            },
            Expr::Unary(op, a) => self.push_unary(op, a, text),
            Expr::Binary(op, a, b) => {
                let (sign, own) = operator(op);
                let types = self.types[a.index()].or(self.types[b.index()]);
                let of = hint(types);
                // Both sides of a comparison, the left side of `=>`, the right side of others.
                let (left, right) = match op {
                    BinaryOp::Implies => (own + 1, own),
                    _ if own == 6 => (own + 1, own + 1),
                    _ => (own, own + 1),
                };
                self.push(a, left, of, text);
                *text += &format!(" {sign} ");
                self.push(b, right, of, text);
            }
            Expr::If(condition, a, b) if self.program.exprs[condition] == Expr::First => {
                self.push(a, ARROW + 1, of, text);
                *text += " -> ";
                self.push(b, ARROW, of, text);
            }
            Expr::If(condition, a, b) => {
                *text += "if ";
                self.push(condition, ANY, None, text);
                *text += " then ";
                self.push(a, ANY, of, text);
                *text += " else ";
                self.push(b, ANY, of, text);
            }
        }
        if own < power {
            text.push(')');
        }
    }

    fn push_unary(&self, op: UnaryOp, a: ExprId, text: &mut String) {
        let (open, close) = match op {
            UnaryOp::Not => {
                *text += "not ";
                return self.push(a, PREFIX, None, text);
            }
            UnaryOp::Neg => {
                // Not `--`, which begins a comment.
                *text += "-";
                return self.push(a, ATOM, None, text);
            }
            UnaryOp::ToReal => ("real(".to_owned(), ")"),
            UnaryOp::Floor => ("floor(".to_owned(), ")"),
            UnaryOp::Wrap { bits, signed } => {
                (format!("int({}int{bits}(", if signed { "" } else { "u" }), "))")
            }
        };
        *text += &open;
        self.push(a, ANY, None, text);
        *text += close;
    }

    /// How strongly the outermost operator binds.
    fn power(&self, id: ExprId) -> u8 {
        match self.program.exprs[id] {
            Expr::Constant(Value::Int(it)) if it < 0 => PREFIX,
            Expr::Constant(Value::Real(it)) if *it.numer() < 0 => PREFIX,
            Expr::Memory(memory) => match self.memory[memory.index()] {
                MemoryText::Pre(_) => PREFIX,
                MemoryText::Local(_) => ATOM,
            },
            Expr::Unary(UnaryOp::Not | UnaryOp::Neg, _) => PREFIX,
            Expr::Binary(op, ..) => operator(op).1,
            Expr::If(condition, ..) if self.program.exprs[condition] == Expr::First => ARROW,
            Expr::If(..) => ANY,
            _ => ATOM,
        }
    }

    pub(super) fn constant(&self, value: Value, of: Option<EnumId>) -> String {
        match value {
            Value::Bool(it) => it.to_string(),
            Value::Int(it) => it.to_string(),
            Value::Real(it) => literal::as_decimal(it)
                .unwrap_or_else(|| format!("({}.0 / {}.0)", it.numer(), it.denom())),
            Value::Enum(it) => {
                let position = it as usize;
                let given = of.and_then(|id| self.enum_values[id.index()].get(position));
                // Two constants that are compared may be of any enumeration that is long enough.
                let longest = self.enum_values.iter().max_by_key(|values| values.len());
                let any = || longest.and_then(|values| values.get(position));
                given.or_else(any).cloned().unwrap_or_default()
            }
        }
    }
}
