//! Tolerances in their simplest form: by how much each input may be changed.

use punctual_model::lustre::{
    BinaryOp, Expr, Program, Rational, Seen, Tolerances, Type, UnaryOp, Value,
};
use punctual_model::{ExprId, VarId};

use super::exact;

/// Ranges of changes, both ends included. Not to change an input is always allowed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Windows {
    /// Inputs that may be changed at all, with the changes that are allowed: those of truth are
    /// from -1 to 1, and those of enumerations are not restricted if there is one.
    pub ranges: Vec<(VarId, Vec<(Rational, Rational)>)>,
}

impl Windows {
    /// All windows, larger by `by` on both ends (smaller if it is negative). An input whose windows
    /// vanish is locked. Truth and enumerations stay as they are.
    #[must_use]
    pub fn widened(&self, program: &Program, by: i64) -> Windows {
        let by = Rational::from_integer(i128::from(by));
        let mut ranges = Vec::new();
        for (var, windows) in &self.ranges {
            let is_number = matches!(program.vars[*var].ty, Type::Int | Type::Real);
            if !is_number {
                ranges.push((*var, windows.clone()));
                continue;
            }
            let wider = |(low, high): &(Rational, Rational)| {
                (exact::difference(*low, by), exact::difference(*high, -by))
            };
            let kept: Vec<_> =
                windows.iter().map(wider).filter(|(low, high)| low <= high).collect();
            if !kept.is_empty() {
                ranges.push((*var, kept));
            }
        }
        Windows { ranges }
    }

    /// The windows as conditions; inputs without a window are locked.
    #[must_use]
    pub fn to_tolerances(&self, program: &Program) -> Tolerances {
        self.conditions(program, program.inputs().collect())
    }

    /// The windows as conditions; inputs without a window are free.
    #[must_use]
    pub fn to_conditions(&self, program: &Program) -> Tolerances {
        self.conditions(program, self.ranges.iter().map(|(var, _)| *var).collect())
    }

    fn conditions(&self, program: &Program, vars: Vec<VarId>) -> Tolerances {
        let mut made = Tolerances::default();
        for var in vars {
            let new = made.seen.push(Seen::New(var));
            let new = made.exprs.push(Expr::Var(new));
            let original = made.seen.push(Seen::Original(var));
            let original = made.exprs.push(Expr::Var(original));
            let mut condition = made.exprs.push(Expr::Binary(BinaryOp::Eq, new, original));
            let ranges = self.ranges.iter().find(|(it, _)| *it == var);
            for (low, high) in ranges.iter().flat_map(|(_, ranges)| ranges) {
                let window = match program.vars[var].ty {
                    Type::Bool => {
                        let mut allowed = made.exprs.push(Expr::Constant(Value::Bool(false)));
                        if *high >= exact::one() {
                            allowed = made.exprs.push(Expr::Binary(BinaryOp::Or, allowed, new));
                        }
                        if *low <= -exact::one() {
                            let not = made.exprs.push(Expr::Unary(UnaryOp::Not, new));
                            allowed = made.exprs.push(Expr::Binary(BinaryOp::Or, allowed, not));
                        }
                        allowed
                    }
                    Type::Enum(_) => made.exprs.push(Expr::Constant(Value::Bool(true))),
                    Type::Int | Type::Real => {
                        let is_int = program.vars[var].ty == Type::Int;
                        within(&mut made, is_int, (new, original), (*low, *high))
                    }
                };
                condition = made.exprs.push(Expr::Binary(BinaryOp::Or, condition, window));
            }
            made.conditions.push(condition);
        }
        made
    }
}

/// `original + low <= new and new <= original + high`, over reals.
fn within(
    made: &mut Tolerances,
    is_int: bool,
    (new, original): (ExprId, ExprId),
    (low, high): (Rational, Rational),
) -> ExprId {
    let (new, original) = match is_int {
        true => (
            made.exprs.push(Expr::Unary(UnaryOp::ToReal, new)),
            made.exprs.push(Expr::Unary(UnaryOp::ToReal, original)),
        ),
        false => (new, original),
    };
    let mut end = |by: Rational, op: BinaryOp| {
        let by = made.exprs.push(Expr::Constant(Value::Real(by)));
        let end = made.exprs.push(Expr::Binary(BinaryOp::Add, original, by));
        made.exprs.push(Expr::Binary(op, new, end))
    };
    let (low, high) = (end(low, BinaryOp::Ge), end(high, BinaryOp::Le));
    made.exprs.push(Expr::Binary(BinaryOp::And, low, high))
}
