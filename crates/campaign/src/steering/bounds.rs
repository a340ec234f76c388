//! Whether conditions bound a number at all: a tolerance that is open at one end explains faults of any size there.
//!
//! This is about all steps, whatever the values are: a condition bounds a variable above if it can not hold for all that is larger
//! than some value. What is not understood counts as a bound, since nobody can act on a warning that is not true.

use std::cmp::Ordering;

use punctual_model::lustre::{
    BinaryOp, Expr, Program, Rational, Role, Seen, Tolerances, UnaryOp, Value,
};
use punctual_model::{ExprId, Id, VarId};

/// At which ends a number is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) above: bool,
    pub(super) below: bool,
}

impl Ends {
    const NONE: Ends = Ends { above: false, below: false };
    const BOTH: Ends = Ends { above: true, below: true };
    const ABOVE: Ends = Ends { above: true, below: false };
    const BELOW: Ends = Ends { above: false, below: true };

    /// What the conditions, and the type with its range, say of a variable.
    pub(super) fn of(program: &Program, tolerances: &Tolerances, var: VarId) -> Ends {
        // A local may be changed beyond its range.
        if program.vars[var].range.is_some() && program.vars[var].role == Role::Input {
            return Ends::BOTH;
        }
        let mut said: Vec<Said> = Vec::with_capacity(tolerances.exprs.len());
        for expr in tolerances.exprs.iter() {
            said.push(Said::of(*expr, var, tolerances, &said));
        }
        let holds = tolerances.conditions.iter().map(|it| said[it.index()].holds);
        holds.fold(Ends::NONE, Ends::and)
    }

    /// If both bound it.
    fn and(self, other: Ends) -> Ends {
        Ends { above: self.above || other.above, below: self.below || other.below }
    }

    /// If one of them bounds it, and nobody knows which.
    fn or(self, other: Ends) -> Ends {
        Ends { above: self.above && other.above, below: self.below && other.below }
    }
}

/// Whether a condition says that a variable is what it was, so that it can not be changed at all.
pub(super) fn is_locked(tolerances: &Tolerances, var: VarId) -> bool {
    let says = |id: &ExprId| says_same(tolerances, *id, var);
    tolerances.conditions.iter().any(says)
}

fn says_same(tolerances: &Tolerances, id: ExprId, var: VarId) -> bool {
    let plain = |mut id: ExprId| {
        while let Expr::Unary(UnaryOp::ToReal, operand) = tolerances.exprs[id] {
            id = operand;
        }
        match tolerances.exprs[id] {
            Expr::Var(seen) => Some(tolerances.seen[seen]),
            _ => None,
        }
    };
    match tolerances.exprs[id] {
        Expr::Binary(BinaryOp::And, one, other) => {
            says_same(tolerances, one, var) || says_same(tolerances, other, var)
        }
        Expr::Binary(BinaryOp::Eq, one, other) => {
            let both = [plain(one), plain(other)];
            both.contains(&Some(Seen::New(var))) && both.contains(&Some(Seen::Original(var)))
        }
        _ => false,
    }
}

/// What an expression says of the variable.
#[derive(Clone, Copy)]
struct Said {
    /// Numbers: how they go along with the variable; `Equal` if not at all, None if that is not known.
    slope: Option<Ordering>,
    /// Constant numbers: their sign.
    sign: Option<Ordering>,
    /// Truth: what is known if it holds, and if it does not.
    holds: Ends,
    fails: Ends,
}

impl Said {
    /// What does not depend on the variable.
    const NOTHING: Said =
        Said { slope: Some(Ordering::Equal), sign: None, holds: Ends::NONE, fails: Ends::NONE };
    const UNKNOWN: Said = Said { slope: None, sign: None, holds: Ends::BOTH, fails: Ends::BOTH };

    fn of(expr: Expr, var: VarId, tolerances: &Tolerances, said: &[Said]) -> Said {
        let known = |id: punctual_model::ExprId| said[id.index()];
        match expr {
            Expr::Constant(value) => Said::constant(value),
            Expr::Var(seen) if tolerances.seen[seen] == Seen::New(var) => {
                Said { slope: Some(Ordering::Greater), ..Said::NOTHING }
            }
            Expr::Var(_) | Expr::Memory(_) | Expr::First => Said::NOTHING,
            Expr::Unary(op, operand) => known(operand).unary(op),
            Expr::Binary(op, left, right) => known(left).binary(op, known(right)),
            Expr::If(condition, yes, no) => {
                let (condition, yes, no) = (known(condition), known(yes), known(no));
                if !condition.is_nothing() {
                    return Said::UNKNOWN;
                }
                Said {
                    slope: yes.slope.filter(|it| no.slope == Some(*it)),
                    sign: None,
                    holds: yes.holds.or(no.holds),
                    fails: yes.fails.or(no.fails),
                }
            }
        }
    }

    fn constant(value: Value) -> Said {
        let zero = Rational::from_integer(0);
        match value {
            // What never holds bounds everything.
            Value::Bool(true) => Said { fails: Ends::BOTH, ..Said::NOTHING },
            Value::Bool(false) => Said { holds: Ends::BOTH, ..Said::NOTHING },
            Value::Int(it) => Said { sign: Some(it.cmp(&0)), ..Said::NOTHING },
            Value::Real(it) => Said { sign: Some(it.cmp(&zero)), ..Said::NOTHING },
            Value::Enum(_) => Said::NOTHING,
        }
    }

    fn unary(self, op: UnaryOp) -> Said {
        let turned = |it: Option<Ordering>| it.map(Ordering::reverse);
        match op {
            UnaryOp::Not => Said { holds: self.fails, fails: self.holds, ..self },
            UnaryOp::Neg => Said { slope: turned(self.slope), sign: turned(self.sign), ..self },
            UnaryOp::ToReal | UnaryOp::Floor => Said { sign: None, ..self },
            UnaryOp::Wrap { .. } => Said::together(&[self]),
        }
    }

    fn binary(self, op: BinaryOp, other: Said) -> Said {
        use BinaryOp::{And, Eq, Ge, Gt, Implies, Le, Lt, Ne, Or};
        match op {
            And => Said {
                holds: self.holds.and(other.holds),
                fails: self.fails.or(other.fails),
                ..Said::NOTHING
            },
            Or => Said {
                holds: self.holds.or(other.holds),
                fails: self.fails.and(other.fails),
                ..Said::NOTHING
            },
            Implies => self.unary(UnaryOp::Not).binary(Or, other),
            BinaryOp::Add => Said { slope: sum(self.slope, other.slope), ..Said::NOTHING },
            BinaryOp::Sub => self.binary(BinaryOp::Add, other.unary(UnaryOp::Neg)),
            BinaryOp::Mul => match (self.sign, other.sign) {
                (_, Some(sign)) => self.times(sign),
                (Some(sign), _) => other.times(sign),
                _ => Said::together(&[self, other]),
            },
            BinaryOp::Div | BinaryOp::IntDiv => match other.sign {
                Some(sign) => self.times(sign),
                None => Said::together(&[self, other]),
            },
            Lt | Le | Gt | Ge | Eq | Ne if self.is_nothing() && other.is_nothing() => Said::NOTHING,
            Eq if self.is_truth() || other.is_truth() => self.same(other),
            Ne if self.is_truth() || other.is_truth() => self.same(other).unary(UnaryOp::Not),
            Lt | Le => self.compared(Ends::ABOVE, Ends::BELOW, other),
            Gt | Ge => self.compared(Ends::BELOW, Ends::ABOVE, other),
            Eq => self.compared(Ends::BOTH, Ends::NONE, other),
            Ne => self.compared(Ends::NONE, Ends::BOTH, other),
            BinaryOp::Xor | BinaryOp::Mod => Said::together(&[self, other]),
        }
    }

    /// Whether it is a condition that says something, whether of the variable or not.
    fn is_truth(&self) -> bool {
        self.holds != Ends::NONE || self.fails != Ends::NONE
    }

    /// Two conditions that both hold, or both fail.
    fn same(self, other: Said) -> Said {
        let both = |one: Ends, other: Ends| one.and(other);
        Said {
            holds: both(self.holds, other.holds).or(both(self.fails, other.fails)),
            fails: both(self.holds, other.fails).or(both(self.fails, other.holds)),
            ..Said::NOTHING
        }
    }

    /// A comparison, by what it says if the difference of both sides rises with the variable.
    fn compared(self, holds: Ends, fails: Ends, other: Said) -> Said {
        let turned = |it: Ends| Ends { above: it.below, below: it.above };
        match sum(self.slope, other.slope.map(Ordering::reverse)) {
            Some(Ordering::Greater) => Said { holds, fails, ..Said::NOTHING },
            Some(Ordering::Less) => {
                Said { holds: turned(holds), fails: turned(fails), ..Said::NOTHING }
            }
            Some(Ordering::Equal) => Said::NOTHING,
            None => Said::UNKNOWN,
        }
    }

    /// A product with a constant of this sign.
    fn times(self, sign: Ordering) -> Said {
        let slope = match sign {
            Ordering::Greater => self.slope,
            Ordering::Less => self.slope.map(Ordering::reverse),
            Ordering::Equal => Some(Ordering::Equal),
        };
        Said { slope, ..Said::NOTHING }
    }

    /// Something of these that is not understood.
    fn together(of: &[Said]) -> Said {
        if of.iter().all(|it| it.is_nothing()) { Said::NOTHING } else { Said::UNKNOWN }
    }

    fn is_nothing(&self) -> bool {
        let is_free = self.holds == Ends::NONE && self.fails == Ends::NONE;
        self.slope == Some(Ordering::Equal) && is_free
    }
}

/// How a sum goes along with the variable.
fn sum(one: Option<Ordering>, other: Option<Ordering>) -> Option<Ordering> {
    match (one?, other?) {
        (Ordering::Equal, it) | (it, Ordering::Equal) => Some(it),
        (one, other) => (one == other).then_some(one),
    }
}

#[cfg(test)]
mod tests {
    use punctual_lang::{Input, lustre};

    use super::*;

    #[test]
    fn conditions_bound_numbers_at_ends() {
        let input = |text: &'static str| Input { name: "text", bytes: text.as_bytes() };
        let model = "node m(x, y: int; b: bool) returns (z: int); let z = x + y; tel";
        let program = lustre::read(input(model), None).value.expect("a program");
        let var = program.var("x").expect("an input");
        for (text, ends) in [
            ("x >= concrete_oracle_x", Ends::BELOW),
            ("x <= concrete_oracle_x + 4 and x >= concrete_oracle_x", Ends::BOTH),
            ("x: [-1, 2]", Ends::BOTH),
            ("x: locked", Ends::BOTH),
            ("x: free", Ends::NONE),
            ("x >= 0", Ends::BELOW),
            ("false => x > 0", Ends::NONE),
            ("x > 0 => false", Ends::ABOVE),
            ("not (x > 3 or b)", Ends::ABOVE),
            ("-2 * x <= y - 1", Ends::BELOW),
            ("10 - x div 2 > concrete_sut_z", Ends::ABOVE),
            ("x <> 3", Ends::NONE),
            ("if concrete_oracle_b then x < 3 else x = 7", Ends::ABOVE),
            ("b = concrete_oracle_b", Ends::NONE),
            ("x mod 2 = 0", Ends::BOTH),
            ("b => x < 3", Ends::NONE),
            ("(x <= 3) = true", Ends::ABOVE),
            ("(x <= 3) <> true", Ends::BELOW),
            ("false <> (x >= 0) and x <= 3", Ends::BOTH),
            ("(x <= 3) = b", Ends::NONE),
            ("(x >= 3) = (x >= 0 and x <= 9)", Ends::ABOVE),
            ("(x >= 0) = (x <= 3)", Ends::BOTH),
        ] {
            let tolerances = lustre::tolerances(input(text), &program).value.expect(text);
            assert_eq!(Ends::of(&program, &tolerances, var), ends, "{text}");
        }
    }
}
