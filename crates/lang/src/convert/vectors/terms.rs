//! Expressions in the shape that TChecker can say: numbers, comparisons of numbers, conjunctions
//! of comparisons. Everything else is expressed by `(if c then a else b)`.
//!
//! Functions in expressions are evaluated symbolically: locals are replaced by what was assigned
//! to them, loops with constant tests are unrolled. Quantifiers are unrolled.

use punctual_model::{
    Binary, BinaryOp, ClockConstraint, ClockRef, Expr, Index, Number, Place, Quantifier, Range,
    Relation, Storage, UnaryOp,
};
use rustc_hash::FxHashMap;

use super::{
    Lowerer, flat_index,
    memory::{element, place},
};
use crate::convert::fold;

/// What a local slot stands for.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Binding {
    /// A value without effects.
    Value(Expr),
    /// An element of a local variable of the statements under construction.
    Local { first: u32, len: u32, at: u32 },
}

/// The local slots of the present frame.
pub(super) type Env = FxHashMap<u32, Binding>;

/// The construct that can not be expressed.
pub(super) type Lowered<T = Expr> = Result<T, String>;

/// Ranges of quantifiers and tables with more values than this are not unrolled.
const UNROLL_MAX: u64 = 1024;

impl Lowerer<'_> {
    /// Counts work, so that no expression grows beyond measure.
    pub(super) fn spend(&mut self, n: usize) -> Lowered<()> {
        self.budget = self.budget.checked_sub(n).ok_or("an expression of this size")?;
        Ok(())
    }

    /// A number.
    pub(super) fn int(&mut self, expr: &Expr, env: &mut Env) -> Lowered {
        self.spend(1)?;
        match expr {
            Expr::Int(value) => Ok(Expr::Int(*value)),
            Expr::Load(place) => self.load(place, env),
            Expr::Unary(UnaryOp::Negate, Number::Int, inner) => {
                Ok(fold::unary(UnaryOp::Negate, self.int(inner, env)?))
            }
            Expr::Binary(binary) if binary.number == Number::Int && !binary.op.is_truth() => {
                let (left, right) = (self.int(&binary.left, env)?, self.int(&binary.right, env)?);
                self.arithmetic(binary.op, left, right)
            }
            Expr::Unary(UnaryOp::Not, Number::Int, _) => {
                let formula = self.formula(expr, env)?;
                Ok(as_number(formula))
            }
            Expr::Binary(binary) if binary.op.is_truth() => {
                let formula = self.formula(expr, env)?;
                Ok(as_number(formula))
            }
            Expr::Quantifier { quantifier: Quantifier::Sum, slot, range, number, body } => {
                if *number != Number::Int {
                    return Err("floating-point arithmetic".to_owned());
                }
                let mut sum = Expr::Int(0);
                for value in self.values(*range)? {
                    let term = self.bound(*slot, value, env, |this, env| this.int(body, env))?;
                    sum = match sum {
                        Expr::Int(0) => term,
                        sum => fold::binary(BinaryOp::Add, sum, term),
                    };
                }
                Ok(sum)
            }
            Expr::Quantifier { .. } => {
                let formula = self.formula(expr, env)?;
                Ok(as_number(formula))
            }
            Expr::Conditional(parts) => {
                let condition = self.formula(&parts[0], env)?;
                if let Some(value) = condition.as_int() {
                    return self.int(&parts[if value != 0 { 1 } else { 2 }], env);
                }
                let hoisting = std::mem::replace(&mut self.can_hoist, false);
                let branches = (self.int(&parts[1], env), self.int(&parts[2], env));
                self.can_hoist = hoisting;
                Ok(fold::conditional(condition, branches.0?, branches.1?))
            }
            Expr::Call { function, arguments } => match self.evaluate(*function, arguments, env) {
                Err(_) if self.can_hoist && self.is_pure(*function) => {
                    self.hoist_call(*function, arguments, env)
                }
                result => result,
            },
            Expr::Builtin(punctual_model::Builtin::Abs, arguments) => {
                let value = self.int(&arguments[0], env)?;
                self.spend(2 * nodes(&value))?;
                let negative = fold::binary(BinaryOp::Less, value.clone(), Expr::Int(0));
                let negated = fold::unary(UnaryOp::Negate, value.clone());
                Ok(fold::conditional(negative, negated, value))
            }
            Expr::Double(_) | Expr::ToDouble(_) | Expr::Builtin(..) => {
                Err("floating-point arithmetic".to_owned())
            }
            Expr::Clock(_) | Expr::ClockRate(_) => Err("the value of a clock".to_owned()),
            Expr::ClockConstraint(_) => Err("a disjunction with clocks".to_owned()),
            Expr::Assign { .. } | Expr::SetClock { .. } | Expr::Sequence(_) => {
                Err("an assignment inside of an expression".to_owned())
            }
            Expr::Unary(..) | Expr::Binary(_) => Err("floating-point arithmetic".to_owned()),
            Expr::InLocation(..) | Expr::Deadlock => Err("a question about locations".to_owned()),
        }
    }

    /// An operation on numbers that are lowered already.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Lowered {
        let constant = left.as_int().is_some() && right.as_int().is_some();
        match op {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder => Ok(fold::binary(op, left, right)),
            BinaryOp::Minimum | BinaryOp::Maximum => {
                self.spend(nodes(&left) + nodes(&right))?;
                let test = match op {
                    BinaryOp::Minimum => BinaryOp::Less,
                    _ => BinaryOp::Greater,
                };
                let test = fold::binary(test, left.clone(), right.clone());
                Ok(fold::conditional(test, left, right))
            }
            BinaryOp::ShiftLeft if matches!(right, Expr::Int(0..=30)) => {
                let factor = 1 << right.as_int().unwrap_or(0);
                Ok(fold::binary(BinaryOp::Multiply, left, Expr::Int(factor)))
            }
            _ if constant => match fold::binary(op, left, right) {
                Expr::Int(value) => Ok(Expr::Int(value)),
                _ => Err("an operation without a value".to_owned()),
            },
            _ => Err("an operation on bits".to_owned()),
        }
    }

    /// A truth value.
    pub(super) fn formula(&mut self, expr: &Expr, env: &mut Env) -> Lowered {
        self.spend(1)?;
        match expr {
            Expr::Unary(UnaryOp::Not, Number::Int, inner) => Ok(negate(self.formula(inner, env)?)),
            Expr::Binary(binary) if binary.op.is_truth() => self.truth(binary, env),
            Expr::Quantifier { quantifier: Quantifier::Forall, slot, range, body, .. } => {
                let mut parts = Vec::new();
                for value in self.values(*range)? {
                    let part =
                        self.bound(*slot, value, env, |this, env| this.formula(body, env))?;
                    if part.as_int() == Some(0) {
                        return Ok(Expr::FALSE);
                    }
                    parts.push(part);
                }
                Ok(conjunction(parts))
            }
            Expr::Quantifier { quantifier: Quantifier::Exists, slot, range, body, .. } => {
                let mut parts = Vec::new();
                for value in self.values(*range)? {
                    parts.push(self.bound(*slot, value, env, |this, env| this.formula(body, env))?);
                }
                Ok(disjunction(parts))
            }
            _ => self.int(expr, env),
        }
    }

    fn truth(&mut self, binary: &Binary, env: &mut Env) -> Lowered {
        if binary.number == Number::Double {
            return Err("floating-point arithmetic".to_owned());
        }
        if binary.size > 1 {
            return self.block_equality(binary, env);
        }
        if !matches!(binary.op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Imply) {
            let (left, right) = (self.int(&binary.left, env)?, self.int(&binary.right, env)?);
            return Ok(fold::binary(binary.op, left, right));
        }
        let left = self.formula(&binary.left, env)?;
        // What is not evaluated need not have a value.
        match (binary.op, left.as_int()) {
            (BinaryOp::And, Some(0)) => return Ok(Expr::FALSE),
            (BinaryOp::Or, Some(value)) if value != 0 => return Ok(Expr::TRUE),
            (BinaryOp::Imply, Some(0)) => return Ok(Expr::TRUE),
            _ => {}
        }
        // The right side counts only sometimes, so nothing of it may be done before.
        let hoisting = std::mem::replace(&mut self.can_hoist, false);
        let right = self.formula(&binary.right, env);
        self.can_hoist = hoisting;
        let right = right?;
        Ok(match binary.op {
            BinaryOp::And => conjunction(vec![left, right]),
            BinaryOp::Or => disjunction(vec![left, right]),
            BinaryOp::Imply => disjunction(vec![negate(left), right]),
            _ => {
                self.spend(2 * nodes(&right))?;
                let no = as_number(negate(right.clone()));
                fold::conditional(left, no, as_number(right))
            }
        })
    }

    fn block_equality(&mut self, binary: &Binary, env: &mut Env) -> Lowered {
        let (Expr::Load(left), Expr::Load(right)) = (&binary.left, &binary.right) else {
            return Err("a comparison of computed arrays".to_owned());
        };
        let mut parts = Vec::new();
        for k in 0..binary.size {
            let part = |place: &Place| Place { base: place.base + k, size: 1, ..place.clone() };
            let (l, r) = (self.load(&part(left), env)?, self.load(&part(right), env)?);
            parts.push(fold::binary(BinaryOp::Equal, l, r));
        }
        let equal = conjunction(parts);
        Ok(if binary.op == BinaryOp::Equal { equal } else { negate(equal) })
    }

    pub(super) fn values(&mut self, range: Range) -> Lowered<std::ops::RangeInclusive<i32>> {
        match range.len() > UNROLL_MAX {
            true => Err(format!("a range of {} values", range.len())),
            false => Ok(range.lo..=range.hi),
        }
    }

    /// Evaluates with a slot bound to a number.
    fn bound<T>(
        &mut self,
        slot: u32,
        value: i32,
        env: &mut Env,
        inside: impl FnOnce(&mut Self, &mut Env) -> Lowered<T>,
    ) -> Lowered<T> {
        let before = env.insert(slot, Binding::Value(Expr::Int(value)));
        let result = inside(self, env);
        match before {
            Some(before) => drop(env.insert(slot, before)),
            None => drop(env.remove(&slot)),
        }
        result
    }

    /// The indices of a place, their values lowered.
    pub(super) fn indices(&mut self, indices: &[Index], env: &mut Env) -> Lowered<Vec<Index>> {
        indices
            .iter()
            .map(|index| Ok(Index { value: self.int(&index.value, env)?, ..index.clone() }))
            .collect()
    }

    fn load(&mut self, from: &Place, env: &mut Env) -> Lowered {
        if from.number != Number::Int {
            return Err("a floating-point variable".to_owned());
        }
        if from.size != 1 {
            return Err("a whole array as a value".to_owned());
        }
        let indices = self.indices(&from.indices, env)?;
        match from.storage {
            Storage::Local => match self.local(from, &indices, env)? {
                Binding::Value(value) => {
                    self.spend(nodes(&value))?;
                    Ok(value)
                }
                Binding::Local { first, .. } => {
                    unreachable!("a place at {first} is a value")
                }
            },
            Storage::Constant => {
                let flat = flat_index(i64::from(from.base), &indices, |stride| Some(stride.into()));
                let flat = flat.ok_or("this table")?;
                let legal: u64 = from.indices.iter().map(|index| u64::from(index.len)).product();
                if flat.as_int().is_none() && legal > UNROLL_MAX {
                    return Err("a table of this size".to_owned());
                }
                let mut slots = vec![from.base];
                for index in &from.indices {
                    slots = slots
                        .iter()
                        .flat_map(|slot| (0..index.len).map(move |k| slot + k * index.stride))
                        .collect();
                }
                slots.sort_unstable();
                slots.dedup();
                let table = &self.network.constants.ints;
                let values: Vec<(i32, Expr)> = slots
                    .iter()
                    .map(|slot| (*slot as i32, Expr::Int(table[*slot as usize])))
                    .collect();
                self.choose(&flat, &values)
            }
            Storage::State | Storage::Meta => {
                let (leaf, flat) = self.memory.find(from, &indices)?;
                match flat.as_int() {
                    Some(at) => match u32::try_from(at).ok().filter(|at| *at < leaf.len) {
                        Some(at) => Ok(Expr::Load(element(&leaf, at))),
                        None => Err("an index out of bounds".to_owned()),
                    },
                    None if leaf.split => {
                        let values: Vec<(i32, Expr)> = (0..leaf.len)
                            .map(|at| (at as i32, Expr::Load(element(&leaf, at))))
                            .collect();
                        self.choose(&flat, &values)
                    }
                    None => {
                        let index = Index { value: flat, lo: 0, len: leaf.len, stride: 1 };
                        let range = leaf.range;
                        Ok(Expr::Load(place(Storage::State, leaf.first, vec![index], range)))
                    }
                }
            }
        }
    }

    /// The value that belongs to a key, by halving; keys are sorted.
    fn choose(&mut self, key: &Expr, values: &[(i32, Expr)]) -> Lowered {
        if let Some(key) = key.as_int() {
            let found = values.iter().find(|(at, _)| *at == key);
            return found
                .map(|(_, value)| value.clone())
                .ok_or("an index out of bounds".to_owned());
        }
        match values {
            [] => Err("an empty table".to_owned()),
            [(_, value)] => Ok(value.clone()),
            _ if values.iter().all(|(_, value)| *value == values[0].1) => Ok(values[0].1.clone()),
            _ => {
                self.spend(nodes(key))?;
                let (low, high) = values.split_at(values.len() / 2);
                let test = fold::binary(BinaryOp::Less, key.clone(), Expr::Int(high[0].0));
                let (low, high) = (self.choose(key, low)?, self.choose(key, high)?);
                Ok(fold::conditional(test, low, high))
            }
        }
    }

    /// The value at a local place.
    fn local(&mut self, from: &Place, indices: &[Index], env: &Env) -> Lowered<Binding> {
        match env.get(&from.base) {
            Some(Binding::Local { first, len, at }) => {
                let place = local_place(*first, *len, *at, indices)?;
                Ok(Binding::Value(Expr::Load(place)))
            }
            found => {
                let flat = flat_index(i64::from(from.base), indices, |stride| Some(stride.into()));
                let value = flat
                    .and_then(|flat| flat.as_int())
                    .and_then(|slot| u32::try_from(slot).ok())
                    .and_then(|slot| env.get(&slot));
                match (value, indices.is_empty()) {
                    (Some(value @ Binding::Value(_)), _) => Ok(value.clone()),
                    _ if found.is_none() => Err("a local variable without a value".to_owned()),
                    _ => Err("an element of a local array in an expression".to_owned()),
                }
            }
        }
    }

    /// A clock.
    pub(super) fn clock(&mut self, clock: &ClockRef, env: &mut Env) -> Lowered<ClockRef> {
        let indices = self.indices(&clock.indices, env)?;
        self.clocks.find(clock, &indices)
    }

    /// A clock constraint, with its condition apart.
    pub(super) fn constraint(
        &mut self,
        constraint: &ClockConstraint,
        env: &mut Env,
    ) -> Lowered<(Expr, ClockConstraint)> {
        if constraint.number != Number::Int {
            return Err("a floating-point bound of a clock".to_owned());
        }
        if constraint.relation == Relation::NotEqual {
            return Err("`!=` between a clock and a number".to_owned());
        }
        let when = match &constraint.when {
            Some(when) => self.formula(when, env)?,
            None => Expr::TRUE,
        };
        let mut bound = self.int(&constraint.bound, env)?;
        let mut clock = |clock: &Option<ClockRef>| {
            clock.as_ref().map(|clock| self.clock(clock, env)).transpose()
        };
        let (mut left, mut right) = (clock(&constraint.left)?, clock(&constraint.right)?);
        let mut relation = constraint.relation;
        if left.is_none() {
            // 0 - y < b is y > -b.
            std::mem::swap(&mut left, &mut right);
            bound = fold::unary(UnaryOp::Negate, bound);
            relation = reversed(relation);
        }
        let number = Number::Int;
        Ok((when, ClockConstraint { when: None, left, right, relation, number, bound }))
    }
}

/// A place in a local variable of the statements under construction.
pub(super) fn local_place(first: u32, len: u32, at: u32, indices: &[Index]) -> Lowered<Place> {
    let flat = flat_index(i64::from(at), indices, |stride| Some(stride.into()));
    let flat = flat.ok_or("this local array")?;
    match flat.as_int() {
        Some(at) if at >= 0 && (at as u32) < len => {
            Ok(place(Storage::Local, first + at as u32, Vec::new(), Range::ALL))
        }
        Some(_) => Err("an index out of bounds".to_owned()),
        None => {
            let index = Index { value: flat, lo: 0, len, stride: 1 };
            Ok(place(Storage::Local, first, vec![index], Range::ALL))
        }
    }
}

/// How many nodes an expression has.
pub(super) fn nodes(expr: &Expr) -> usize {
    let mut count = 0;
    expr.walk(&mut |_| count += 1);
    count
}

/// A truth value as 0 or 1.
pub(super) fn as_number(formula: Expr) -> Expr {
    match is_bit(&formula) {
        true => formula,
        false => fold::conditional(formula, Expr::Int(1), Expr::Int(0)),
    }
}

/// Whether this is a number that is 0 or 1.
fn is_bit(expr: &Expr) -> bool {
    match expr {
        Expr::Int(value) => matches!(value, 0 | 1),
        Expr::Conditional(parts) => is_bit(&parts[1]) && is_bit(&parts[2]),
        Expr::Load(place) => place.range == Range::BOOL,
        _ => false,
    }
}

/// The conjunction of formulas, without conjunctions on the left of others.
pub(super) fn conjunction(parts: Vec<Expr>) -> Expr {
    let mut flat = Vec::new();
    parts.into_iter().for_each(|part| conjuncts(part, &mut flat));
    fold::conjunction(flat)
}

/// The parts of a conjunction.
pub(super) fn conjuncts(formula: Expr, into: &mut Vec<Expr>) {
    match formula {
        Expr::Binary(binary) if binary.op == BinaryOp::And => {
            let Binary { left, right, .. } = *binary;
            conjuncts(left, into);
            conjuncts(right, into);
        }
        Expr::Int(value) if value != 0 => {}
        other => into.push(other),
    }
}

/// The disjunction of formulas, as a number.
fn disjunction(parts: Vec<Expr>) -> Expr {
    parts.into_iter().rev().fold(Expr::FALSE, |rest, part| match rest {
        Expr::Int(0) => part,
        rest => fold::conditional(part, Expr::TRUE, as_number(rest)),
    })
}

/// The negation of a formula.
pub(super) fn negate(formula: Expr) -> Expr {
    let inverse = |op| {
        Some(match op {
            BinaryOp::Less => BinaryOp::GreaterEqual,
            BinaryOp::LessEqual => BinaryOp::Greater,
            BinaryOp::Equal => BinaryOp::NotEqual,
            BinaryOp::NotEqual => BinaryOp::Equal,
            BinaryOp::GreaterEqual => BinaryOp::Less,
            BinaryOp::Greater => BinaryOp::LessEqual,
            _ => return None,
        })
    };
    match formula {
        Expr::Binary(binary) => match inverse(binary.op) {
            Some(op) => Expr::Binary(Box::new(Binary { op, ..*binary })),
            None if binary.op == BinaryOp::And => {
                fold::conditional(Expr::Binary(binary), Expr::Int(0), Expr::Int(1))
            }
            None => fold::unary(UnaryOp::Not, Expr::Binary(binary)),
        },
        Expr::Unary(UnaryOp::Not, _, inner) => *inner,
        other => fold::unary(UnaryOp::Not, other),
    }
}

pub(super) fn reversed(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::LessEqual => Relation::GreaterEqual,
        Relation::GreaterEqual => Relation::LessEqual,
        Relation::Greater => Relation::Less,
        same => same,
    }
}

/// The constraints that together say the opposite: one of them holds where the given does not.
pub(super) fn opposite(constraint: &ClockConstraint) -> Vec<ClockConstraint> {
    let with = |relation| ClockConstraint { relation, ..constraint.clone() };
    match constraint.relation {
        Relation::Less => vec![with(Relation::GreaterEqual)],
        Relation::LessEqual => vec![with(Relation::Greater)],
        Relation::GreaterEqual => vec![with(Relation::Less)],
        Relation::Greater => vec![with(Relation::LessEqual)],
        Relation::Equal | Relation::NotEqual => {
            vec![with(Relation::Less), with(Relation::Greater)]
        }
    }
}
