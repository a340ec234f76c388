//! Expressions as Lustre text, for people.

use punctual_model::lustre::{BinaryOp, Expr, Program, Type, UnaryOp, Value};
use punctual_model::{ExprId, Id};

use super::types::{expected_of, operands};

/// Expressions that are nested deeper than this are left out.
const DEPTH_MAX: usize = 60;
/// Texts with more characters than this are cut.
const CHARS_MAX: usize = 2000;

/// An expression, of this type if it does not tell by itself.
pub(crate) fn text(
    program: &Program,
    types: &[Option<Type>],
    id: ExprId,
    ty: Option<Type>,
) -> String {
    let mut out = String::new();
    let mut writer = Writer { program, types, out: &mut out };
    writer.write(id, ty, 0);
    match out.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &out[..end]),
        None => out,
    }
}

struct Writer<'a> {
    program: &'a Program,
    types: &'a [Option<Type>],
    out: &'a mut String,
}

impl Writer<'_> {
    fn write(&mut self, id: ExprId, ty: Option<Type>, depth: usize) {
        if depth > DEPTH_MAX || self.out.len() > 4 * CHARS_MAX {
            self.out.push('…');
            return;
        }
        let expr = self.program.exprs[id];
        let ty = self.types[id.index()].or(ty);
        let pieces: &[&str] = match expr {
            Expr::Constant(value) => return self.constant(value, ty),
            Expr::Var(var) => return self.out.push_str(&self.program.vars[var].name),
            Expr::Memory(memory) => {
                let name = &self.program.memory[memory].name;
                return self.out.push_str(&format!("(pre {name})"));
            }
            Expr::First => return self.out.push_str("(true -> false)"),
            Expr::Unary(op, _) => match op {
                UnaryOp::Not => &["(not ", ")"],
                UnaryOp::Neg => &["(-", ")"],
                UnaryOp::ToReal => &["real(", ")"],
                UnaryOp::Floor => &["int(", ")"],
                UnaryOp::Wrap { bits, signed } => {
                    let sign = if signed { "" } else { "u" };
                    self.out.push_str(&format!("{sign}int{bits}"));
                    &["(", ")"]
                }
            },
            Expr::Binary(op, ..) => &["(", operator(op), ")"],
            Expr::If(condition, ..) if self.program.exprs[condition] == Expr::First => {
                &["(", "", " -> ", ")"]
            }
            Expr::If(..) => &["(if ", " then ", " else ", ")"],
        };
        for (position, operand) in operands(expr).enumerate() {
            self.out.push_str(pieces[position]);
            let is_arrow = pieces[1].is_empty();
            if !is_arrow || position > 0 {
                let ty = expected_of(self.types, expr, position, ty);
                self.write(operand, ty, depth + 1);
            }
        }
        self.out.push_str(pieces[pieces.len() - 1]);
    }

    fn constant(&mut self, value: Value, ty: Option<Type>) {
        let name = match (value, ty) {
            (Value::Enum(at), Some(Type::Enum(id))) => {
                self.program.enums.get(id).and_then(|it| it.values.get(at as usize))
            }
            _ => None,
        };
        match name {
            Some(name) => self.out.push_str(name),
            None => self.out.push_str(&value.to_string()),
        }
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => " and ",
        BinaryOp::Or => " or ",
        BinaryOp::Xor => " xor ",
        BinaryOp::Implies => " => ",
        BinaryOp::Eq => " = ",
        BinaryOp::Ne => " <> ",
        BinaryOp::Lt => " < ",
        BinaryOp::Le => " <= ",
        BinaryOp::Gt => " > ",
        BinaryOp::Ge => " >= ",
        BinaryOp::Add => " + ",
        BinaryOp::Sub => " - ",
        BinaryOp::Mul => " * ",
        BinaryOp::Div => " / ",
        BinaryOp::IntDiv => " div ",
        BinaryOp::Mod => " mod ",
    }
}
