//! Expressions, with parentheses where precedence asks for them.

use punctual_model::{
    AssignOp, AssignResult, BinaryOp, Builtin, ClockConstraint, Expr, Number, Quantifier, Relation,
    UnaryOp,
};

use super::{Printer, places::Region};
use crate::convert::fold;

// Levels of precedence, from weak to strong.
pub(super) const COMMA: u8 = 0;
pub(super) const ASSIGN: u8 = 1;
pub(super) const CHOICE: u8 = 2;
const OR: u8 = 3;
pub(super) const AND: u8 = 4;
const BIT_OR: u8 = 5;
const BIT_XOR: u8 = 6;
const BIT_AND: u8 = 7;
const EQUAL: u8 = 8;
pub(super) const ORDER: u8 = 9;
const MINIMUM: u8 = 10;
const SHIFT: u8 = 11;
pub(super) const SUM: u8 = 12;
const PRODUCT: u8 = 13;
const POWER: u8 = 14;
const UNARY: u8 = 15;
const PRIMARY: u8 = 16;

impl Printer<'_> {
    /// An expression where at least this precedence is needed.
    pub(super) fn expr_at(&self, expr: &Expr, level: u8) -> String {
        let (text, own) = self.text(expr);
        if own < level { format!("({text})") } else { text }
    }

    /// The text and its precedence.
    fn text(&self, expr: &Expr) -> (String, u8) {
        match expr {
            // A negative number is an operator and a number.
            Expr::Int(value) => (value.to_string(), if *value < 0 { UNARY } else { PRIMARY }),
            Expr::Double(value) => double(*value),
            Expr::Load(place) => (self.place(place), PRIMARY),
            Expr::Clock(clock) => (self.clock(clock), PRIMARY),
            Expr::ClockRate(clock) => (format!("{}'", self.clock(clock)), PRIMARY),
            Expr::ToDouble(inner) => self.text(inner),
            Expr::Unary(op, _, inner) => {
                let sign = match op {
                    UnaryOp::Negate => "-",
                    UnaryOp::Not => "!",
                };
                // `--x` would be a decrement.
                let level = match **inner {
                    Expr::Int(_) | Expr::Double(_) | Expr::Unary(UnaryOp::Negate, ..) => PRIMARY,
                    _ => UNARY,
                };
                (format!("{sign}{}", self.expr_at(inner, level)), UNARY)
            }
            Expr::Binary(binary) => {
                let (sign, level) = operator(binary.op);
                // A power is always in parentheses inside of another.
                let left = if level == POWER { level + 1 } else { level };
                let left = self.expr_at(&binary.left, left);
                let is_same = matches!(binary.op, BinaryOp::Equal | BinaryOp::NotEqual);
                let right = match (&binary.left, &binary.right) {
                    (Expr::Load(place), Expr::Int(it @ (0 | 1)))
                        if is_same && self.is_truth(place) =>
                    {
                        (*it == 1).to_string()
                    }
                    (_, right) => self.expr_at(right, level + 1),
                };
                (format!("{left} {sign} {right}"), level)
            }
            Expr::Conditional(parts) => {
                let condition = self.expr_at(&parts[0], CHOICE + 1);
                let (yes, no) = (self.expr_at(&parts[1], CHOICE), self.expr_at(&parts[2], CHOICE));
                (format!("{condition} ? {yes} : {no}"), CHOICE)
            }
            Expr::Assign { target, op, value, result } => {
                let place = self.place(target);
                match (op, result, value.as_ref()) {
                    (AssignOp::Combine(BinaryOp::Add), AssignResult::Old, Expr::Int(1)) => {
                        (format!("{place}++"), PRIMARY)
                    }
                    (AssignOp::Combine(BinaryOp::Subtract), AssignResult::Old, Expr::Int(1)) => {
                        (format!("{place}--"), PRIMARY)
                    }
                    _ => {
                        let sign = match op {
                            AssignOp::Set => "",
                            AssignOp::Combine(op) => operator(*op).0,
                        };
                        let value = match value.as_ref() {
                            Expr::Int(it @ (0 | 1)) if self.is_truth(target) => {
                                (*it == 1).to_string()
                            }
                            value => self.expr_at(value, ASSIGN),
                        };
                        (format!("{place} {sign}= {value}"), ASSIGN)
                    }
                }
            }
            Expr::SetClock { clock, value } => {
                (format!("{} = {}", self.clock(clock), self.expr_at(value, ASSIGN)), ASSIGN)
            }
            Expr::Sequence(parts) => {
                let first = self.expr_at(&parts[0], COMMA);
                (format!("{first}, {}", self.expr_at(&parts[1], COMMA)), COMMA)
            }
            Expr::Call { function, arguments } => (
                format!("{}({})", self.function_name(*function), self.arguments(arguments)),
                PRIMARY,
            ),
            Expr::Builtin(builtin, arguments) => {
                (format!("{}({})", builtin_name(*builtin), self.arguments(arguments)), PRIMARY)
            }
            Expr::Quantifier { quantifier, slot, range, body, .. } => {
                let word = match quantifier {
                    Quantifier::Forall => "forall",
                    Quantifier::Exists => "exists",
                    Quantifier::Sum => "sum",
                };
                let name = super::places::local_name(&self.tables.prefix, Number::Int, *slot);
                let mut inside = self.clone();
                inside.regions.push(Region {
                    number: Number::Int,
                    first: *slot,
                    len: 1,
                    name: name.clone(),
                });
                let body = inside.expr_at(body, ASSIGN);
                (format!("{word} ({name} : int[{},{}]) {body}", range.lo, range.hi), ASSIGN)
            }
            Expr::ClockConstraint(constraint) => self.constraint_text(constraint),
            Expr::InLocation(process, location) => {
                let name = self
                    .network
                    .processes
                    .get(*process)
                    .and_then(|p| p.locations.get(*location))
                    .map_or("?", |location| location.name.as_str());
                (format!("{}.{name}", self.process(*process)), PRIMARY)
            }
            Expr::Deadlock => ("deadlock".to_owned(), PRIMARY),
        }
    }

    fn arguments(&self, arguments: &[Expr]) -> String {
        arguments.iter().map(|a| self.expr_at(a, ASSIGN)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn constraint_at(&self, constraint: &ClockConstraint, level: u8) -> String {
        let (text, own) = self.constraint_text(constraint);
        if own < level { format!("({text})") } else { text }
    }

    fn constraint_text(&self, constraint: &ClockConstraint) -> (String, u8) {
        let negated;
        let (clocks, relation, bound) = match (&constraint.left, &constraint.right) {
            (Some(x), None) => (self.clock(x), constraint.relation, &constraint.bound),
            (Some(x), Some(y)) => (
                format!("{} - {}", self.clock(x), self.clock(y)),
                constraint.relation,
                &constraint.bound,
            ),
            // 0 - y < b is y > -b.
            (None, right) => {
                negated = match (&constraint.bound, constraint.number) {
                    (Expr::Double(value), _) => Expr::Double(-value),
                    (bound, Number::Int) => fold::unary(UnaryOp::Negate, bound.clone()),
                    (bound, number) => {
                        Expr::Unary(UnaryOp::Negate, number, Box::new(bound.clone()))
                    }
                };
                let clock = right.as_ref().map_or_else(|| "0".to_owned(), |y| self.clock(y));
                (clock, reversed(constraint.relation), &negated)
            }
        };
        let (sign, level) = match relation {
            Relation::Less => ("<", ORDER),
            Relation::LessEqual => ("<=", ORDER),
            Relation::Equal => ("==", EQUAL),
            Relation::NotEqual => ("!=", EQUAL),
            Relation::GreaterEqual => (">=", ORDER),
            Relation::Greater => (">", ORDER),
        };
        let text = format!("{clocks} {sign} {}", self.expr_at(bound, level + 1));
        match &constraint.when {
            None => (text, level),
            Some(when) => (format!("{} imply {text}", self.expr_at(when, OR + 1)), OR),
        }
    }
}

/// A floating-point constant. What is no number has no literal, but an expression.
fn double(value: f64) -> (String, u8) {
    if value.is_nan() {
        ("0.0 / 0.0".to_owned(), PRODUCT)
    } else if value.is_infinite() {
        (if value > 0.0 { "1.0 / 0.0" } else { "-1.0 / 0.0" }.to_owned(), PRODUCT)
    } else {
        (format!("{value:?}"), if value.is_sign_negative() { UNARY } else { PRIMARY })
    }
}

fn reversed(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::LessEqual => Relation::GreaterEqual,
        Relation::GreaterEqual => Relation::LessEqual,
        Relation::Greater => Relation::Less,
        same => same,
    }
}

fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Add => ("+", SUM),
        BinaryOp::Subtract => ("-", SUM),
        BinaryOp::Multiply => ("*", PRODUCT),
        BinaryOp::Divide => ("/", PRODUCT),
        BinaryOp::Remainder => ("%", PRODUCT),
        BinaryOp::Power => ("**", POWER),
        BinaryOp::Minimum => ("<?", MINIMUM),
        BinaryOp::Maximum => (">?", MINIMUM),
        BinaryOp::BitAnd => ("&", BIT_AND),
        BinaryOp::BitOr => ("|", BIT_OR),
        BinaryOp::BitXor => ("^", BIT_XOR),
        BinaryOp::ShiftLeft => ("<<", SHIFT),
        BinaryOp::ShiftRight => (">>", SHIFT),
        BinaryOp::Less => ("<", ORDER),
        BinaryOp::LessEqual => ("<=", ORDER),
        BinaryOp::Equal => ("==", EQUAL),
        BinaryOp::NotEqual => ("!=", EQUAL),
        BinaryOp::GreaterEqual => (">=", ORDER),
        BinaryOp::Greater => (">", ORDER),
        BinaryOp::And => ("&&", AND),
        BinaryOp::Or => ("||", OR),
        BinaryOp::Xor => ("xor", OR),
        BinaryOp::Imply => ("imply", OR),
    }
}

/// The name of a function of the language.
fn builtin_name(builtin: Builtin) -> String {
    let name = format!("{builtin:?}").to_lowercase();
    match name.strip_prefix("random") {
        Some(rest) if !rest.is_empty() => format!("random_{rest}"),
        _ => name,
    }
}
