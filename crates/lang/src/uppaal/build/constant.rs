//! Evaluating what must be known before the model runs: sizes, ranges, initial values, arguments.
//!
//! Functions may be called, so this interprets the whole language of functions, without a state.
//! The engine has its own, compiled evaluator; this one is for a few values per model.

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Builtin, Expr, FunctionBody, FunctionId, Index,
    Network, Number, Place, Quantifier, ReturnType, Statement, Storage, UnaryOp,
};

use rustc_hash::FxHashSet;

use crate::fold;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Constant {
    Int(i32),
    Double(f64),
    Ints(Vec<i32>),
    Doubles(Vec<f64>),
}

/// Why there is no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Stuck {
    /// It depends on the state, on a clock or on chance.
    NotConstant,
    /// It calls a function of a shared library.
    External,
    /// Evaluating it is an error.
    Failed(&'static str),
}

/// How many steps an evaluation may take, and all those of a model together; and how many slots
/// the locals of functions may use.
const STEPS_MAX: usize = 5_000_000;
pub(super) const STEPS_ALL: usize = 4 * STEPS_MAX;
const SLOTS_MAX: usize = 1 << 22;

/// The value of an expression that depends on nothing.
pub(super) fn evaluate(
    network: &Network,
    expr: &Expr,
    steps_left: &mut usize,
) -> Result<Constant, Stuck> {
    match expr {
        Expr::Int(value) => Ok(Constant::Int(*value)),
        Expr::Double(value) => Ok(Constant::Double(*value)),
        expr => {
            let mut machine = Machine {
                network,
                ints: Vec::new(),
                doubles: Vec::new(),
                base: (0, 0),
                depth: 0,
                bound: FxHashSet::default(),
                steps: 0,
                steps_max: STEPS_MAX.min(*steps_left),
            };
            let value = machine.eval(expr);
            *steps_left = steps_left.saturating_sub(machine.steps);
            value
        }
    }
}

struct Machine<'n> {
    network: &'n Network,
    ints: Vec<i32>,
    doubles: Vec<f64>,
    /// Where the present frame starts.
    base: (usize, usize),
    /// How many functions with frames of their own are running.
    depth: usize,
    /// The slots of the outermost frame that the expression itself has set. The others are
    /// locals of the function around it, which have no value before the model runs.
    bound: FxHashSet<(Number, usize)>,
    steps: usize,
    steps_max: usize,
}

type Evaluated<T = Constant> = Result<T, Stuck>;

/// How a statement ended.
enum Flow {
    Next,
    Return(Option<Constant>),
}

impl Machine<'_> {
    fn step(&mut self) -> Evaluated<()> {
        self.work(1)
    }

    /// Counts the slots that are read or written.
    fn work(&mut self, steps: usize) -> Evaluated<()> {
        self.steps += steps;
        match self.steps > self.steps_max {
            true => Err(Stuck::Failed("evaluating it takes too long; does a loop not end?")),
            false => Ok(()),
        }
    }

    fn int(&mut self, expr: &Expr) -> Evaluated<i32> {
        match self.eval(expr)? {
            Constant::Int(value) => Ok(value),
            _ => Err(Stuck::NotConstant),
        }
    }

    fn double(&mut self, expr: &Expr) -> Evaluated<f64> {
        match self.eval(expr)? {
            Constant::Double(value) => Ok(value),
            Constant::Int(value) => Ok(f64::from(value)),
            _ => Err(Stuck::NotConstant),
        }
    }

    fn eval(&mut self, expr: &Expr) -> Evaluated {
        self.step()?;
        Ok(match expr {
            Expr::Int(value) => Constant::Int(*value),
            Expr::Double(value) => Constant::Double(*value),
            Expr::Load(place) => self.load(place)?,
            Expr::ToDouble(inner) => Constant::Double(f64::from(self.int(inner)?)),
            Expr::Unary(UnaryOp::Not, _, inner) => Constant::Int(i32::from(self.int(inner)? == 0)),
            Expr::Unary(UnaryOp::Negate, Number::Int, inner) => {
                let value = self.int(inner)?;
                Constant::Int(value.checked_neg().ok_or(OVERFLOW)?)
            }
            Expr::Unary(UnaryOp::Negate, Number::Double, inner) => {
                Constant::Double(-self.double(inner)?)
            }
            Expr::Binary(binary) => self.binary(binary)?,
            Expr::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                if self.int(condition)? != 0 { self.eval(yes)? } else { self.eval(no)? }
            }
            Expr::Sequence(parts) => {
                self.eval(&parts[0])?;
                self.eval(&parts[1])?
            }
            Expr::Assign { target, op, value, result } => {
                self.assign(target, *op, value, *result)?
            }
            Expr::Call { function, arguments } => self.call(*function, arguments)?,
            Expr::Builtin(builtin, arguments) => self.builtin(*builtin, arguments)?,
            Expr::Quantifier { quantifier, slot, range, number, body } => {
                self.quantifier(*quantifier, *slot, (range.lo, range.hi), *number, body)?
            }
            Expr::Clock(_)
            | Expr::ClockRate(_)
            | Expr::SetClock { .. }
            | Expr::ClockConstraint(_)
            | Expr::InLocation(..)
            | Expr::Deadlock => return Err(Stuck::NotConstant),
        })
    }

    fn binary(&mut self, binary: &Binary) -> Evaluated {
        let left = self.eval(&binary.left)?;
        match (binary.op, &left) {
            (BinaryOp::And, Constant::Int(0)) => return Ok(Constant::Int(0)),
            (BinaryOp::Imply, Constant::Int(0)) => return Ok(Constant::Int(1)),
            (BinaryOp::Or, Constant::Int(value)) if *value != 0 => return Ok(Constant::Int(1)),
            _ => {}
        }
        let right = self.eval(&binary.right)?;
        let folded = match (&left, &right) {
            (Constant::Int(l), Constant::Int(r)) => fold::ints(binary.op, *l, *r).map(Expr::Int),
            (Constant::Double(l), Constant::Double(r)) => fold::doubles(binary.op, *l, *r),
            (l, r) => {
                let equal = l == r;
                let value = if binary.op == BinaryOp::Equal { equal } else { !equal };
                Some(Expr::Int(i32::from(value)))
            }
        };
        match folded {
            Some(Expr::Int(value)) => Ok(Constant::Int(value)),
            Some(Expr::Double(value)) => Ok(Constant::Double(value)),
            _ if matches!(binary.op, BinaryOp::Divide | BinaryOp::Remainder) => {
                Err(Stuck::Failed("it divides by zero"))
            }
            _ => Err(OVERFLOW),
        }
    }

    /// The slots that a place names: the offset, in the frame if it is local.
    fn offset(&mut self, base: u32, indices: &[Index]) -> Evaluated<usize> {
        let mut at = base as usize;
        for index in indices {
            let value = i64::from(self.int(&index.value)?) - i64::from(index.lo);
            if value < 0 || value >= i64::from(index.len) {
                return Err(Stuck::Failed("it uses an index outside of an array"));
            }
            at += value as usize * index.stride as usize;
        }
        Ok(at)
    }

    /// Makes sure that the present frame has the slots of a place; gives its start.
    fn local(&mut self, place: &Place) -> Evaluated<usize> {
        let at = self.offset(place.base, &place.indices)?;
        let size = place.size as usize;
        self.work(size)?;
        let start = at + if place.number == Number::Int { self.base.0 } else { self.base.1 };
        if start + size > SLOTS_MAX {
            return Err(Stuck::Failed("it needs too much memory"));
        }
        match place.number {
            Number::Int if self.ints.len() < start + size => self.ints.resize(start + size, 0),
            Number::Double if self.doubles.len() < start + size => {
                self.doubles.resize(start + size, 0.0);
            }
            _ => {}
        }
        Ok(start)
    }

    fn load(&mut self, place: &Place) -> Evaluated {
        let size = place.size as usize;
        let (ints, doubles, at) = match place.storage {
            Storage::Constant => {
                let at = self.offset(place.base, &place.indices)?;
                self.work(size)?;
                (&self.network.constants.ints, &self.network.constants.doubles, at)
            }
            Storage::Local => {
                let at = self.local(place)?;
                let known = |slot| self.bound.contains(&(place.number, slot));
                if self.depth == 0 && !(at..at + size).all(known) {
                    return Err(Stuck::NotConstant);
                }
                (&self.ints, &self.doubles, at)
            }
            Storage::State | Storage::Meta => return Err(Stuck::NotConstant),
        };
        Ok(match (place.number, size) {
            (Number::Int, 1) => Constant::Int(ints[at]),
            (Number::Double, 1) => Constant::Double(doubles[at]),
            (Number::Int, _) => Constant::Ints(ints[at..at + size].to_vec()),
            (Number::Double, _) => Constant::Doubles(doubles[at..at + size].to_vec()),
        })
    }

    fn store(&mut self, place: &Place, value: &Constant) -> Evaluated<()> {
        if place.storage != Storage::Local {
            return Err(Stuck::NotConstant);
        }
        let at = self.local(place)?;
        self.bind(place.number, at, place.size as usize);
        match value {
            Constant::Int(value) => {
                if !place.range.contains(*value) {
                    return Err(Stuck::Failed("it assigns a value outside of its range"));
                }
                self.ints[at] = *value;
            }
            Constant::Double(value) => self.doubles[at] = *value,
            Constant::Ints(values) => self.ints[at..at + values.len()].copy_from_slice(values),
            Constant::Doubles(values) => {
                self.doubles[at..at + values.len()].copy_from_slice(values);
            }
        }
        Ok(())
    }

    fn assign(
        &mut self,
        target: &Place,
        op: AssignOp,
        value: &Expr,
        result: AssignResult,
    ) -> Evaluated {
        let value = self.eval(value)?;
        let (old, new) = match op {
            AssignOp::Set => (None, value),
            AssignOp::Combine(op) => {
                let old = self.load(target)?;
                let folded = match (&old, &value) {
                    (Constant::Int(l), Constant::Int(r)) => fold::ints(op, *l, *r).map(Expr::Int),
                    (Constant::Double(l), Constant::Double(r)) => fold::doubles(op, *l, *r),
                    _ => None,
                };
                let new = match folded {
                    Some(Expr::Int(value)) => Constant::Int(value),
                    Some(Expr::Double(value)) => Constant::Double(value),
                    _ => return Err(OVERFLOW),
                };
                (Some(old), new)
            }
        };
        self.store(target, &new)?;
        Ok(match (result, old) {
            (AssignResult::Old, Some(old)) => old,
            _ => new,
        })
    }

    fn call(&mut self, id: FunctionId, arguments: &[Expr]) -> Evaluated {
        let network = self.network;
        let function = network.functions.get(id).ok_or(Stuck::NotConstant)?;
        let FunctionBody::Statements(body) = &function.body else {
            return Err(Stuck::External);
        };
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.eval(argument)?);
        }
        let outer = self.base;
        if !function.shares_frame {
            self.base = (self.ints.len(), self.doubles.len());
            self.depth += 1;
        }
        for (param, value) in function.params.iter().zip(&values) {
            self.store(&param.place, value)?;
        }
        let flow = self.statements(body)?;
        if !function.shares_frame {
            self.ints.truncate(self.base.0);
            self.doubles.truncate(self.base.1);
            self.depth -= 1;
        }
        self.base = outer;
        match (flow, &function.returns) {
            (_, ReturnType::Void) => Ok(Constant::Int(0)),
            (Flow::Return(Some(Constant::Int(value))), ReturnType::Int(range)) => {
                match range.contains(value) {
                    true => Ok(Constant::Int(value)),
                    false => Err(Stuck::Failed("it returns a value outside of its range")),
                }
            }
            (Flow::Return(Some(value)), _) => Ok(value),
            _ => Err(Stuck::Failed("it calls a function that returns nothing")),
        }
    }

    fn statements(&mut self, statements: &[Statement]) -> Evaluated<Flow> {
        for statement in statements {
            if let Flow::Return(value) = self.statement(statement)? {
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::Next)
    }

    fn statement(&mut self, statement: &Statement) -> Evaluated<Flow> {
        self.step()?;
        match statement {
            Statement::Expr(expr) => {
                self.eval(expr)?;
            }
            Statement::Clear { place, value } => {
                let at = self.local(place)?;
                self.bind(place.number, at, place.size as usize);
                let end = at + place.size as usize;
                match place.number {
                    Number::Int => self.ints[at..end].fill(*value),
                    Number::Double => self.doubles[at..end].fill(0.0),
                }
            }
            Statement::If(condition, then, otherwise) => {
                let branch = if self.int(condition)? != 0 { then } else { otherwise };
                return self.statements(branch);
            }
            Statement::While(condition, body) => {
                while self.int(condition)? != 0 {
                    if let Flow::Return(value) = self.statements(body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::DoWhile(body, condition) => loop {
                if let Flow::Return(value) = self.statements(body)? {
                    return Ok(Flow::Return(value));
                }
                if self.int(condition)? == 0 {
                    break;
                }
            },
            Statement::For { slot, range, body } => {
                for value in range.lo..=range.hi {
                    self.set_slot(*slot, value)?;
                    if let Flow::Return(value) = self.statements(body)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Statement::Return(value) => {
                let value = value.as_ref().map(|value| self.eval(value)).transpose()?;
                return Ok(Flow::Return(value));
            }
            Statement::Assert(condition) => {
                if self.int(condition)? == 0 {
                    return Err(Stuck::Failed("an assertion in it fails"));
                }
            }
        }
        Ok(Flow::Next)
    }

    fn set_slot(&mut self, slot: u32, value: i32) -> Evaluated<()> {
        let at = self.base.0 + slot as usize;
        if at >= SLOTS_MAX {
            return Err(Stuck::Failed("it needs too much memory"));
        }
        if self.ints.len() <= at {
            self.ints.resize(at + 1, 0);
        }
        self.ints[at] = value;
        self.bind(Number::Int, at, 1);
        Ok(())
    }

    fn bind(&mut self, number: Number, at: usize, size: usize) {
        if self.depth == 0 {
            self.bound.extend((at..at + size).map(|slot| (number, slot)));
        }
    }

    fn quantifier(
        &mut self,
        quantifier: Quantifier,
        slot: u32,
        (lo, hi): (i32, i32),
        number: Number,
        body: &Expr,
    ) -> Evaluated {
        let (mut sum, mut double_sum) = (0i32, 0.0);
        for value in lo..=hi {
            self.step()?;
            self.set_slot(slot, value)?;
            match (quantifier, number) {
                (Quantifier::Forall, _) if self.int(body)? == 0 => return Ok(Constant::Int(0)),
                (Quantifier::Exists, _) if self.int(body)? != 0 => return Ok(Constant::Int(1)),
                (Quantifier::Sum, Number::Int) => {
                    sum = sum.checked_add(self.int(body)?).ok_or(OVERFLOW)?;
                }
                (Quantifier::Sum, Number::Double) => double_sum += self.double(body)?,
                _ => {}
            }
        }
        Ok(match (quantifier, number) {
            (Quantifier::Forall, _) => Constant::Int(1),
            (Quantifier::Exists, _) => Constant::Int(0),
            (Quantifier::Sum, Number::Int) => Constant::Int(sum),
            (Quantifier::Sum, Number::Double) => Constant::Double(double_sum),
        })
    }

    fn builtin(&mut self, builtin: Builtin, arguments: &[Expr]) -> Evaluated {
        if builtin == Builtin::Abs {
            let value = self.int(&arguments[0])?;
            return Ok(Constant::Int(value.checked_abs().ok_or(OVERFLOW)?));
        }
        let mut values = [0.0; 3];
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = self.double(argument)?;
        }
        let [a, b, c] = values;
        let truth = |value: bool| Ok(Constant::Int(i32::from(value)));
        Ok(Constant::Double(match builtin {
            Builtin::Fint => return Ok(Constant::Int(a as i32)),
            Builtin::IsFinite => return truth(a.is_finite()),
            Builtin::IsInf => return truth(a.is_infinite()),
            Builtin::IsNan => return truth(a.is_nan()),
            Builtin::IsNormal => return truth(a.is_normal()),
            Builtin::SignBit => return truth(a.is_sign_negative()),
            Builtin::IsUnordered => return truth(a.is_nan() || b.is_nan()),
            Builtin::Fabs => a.abs(),
            Builtin::Fmod => a % b,
            Builtin::Fma => a.mul_add(b, c),
            Builtin::Fmax => a.max(b),
            Builtin::Fmin => a.min(b),
            Builtin::Fdim => (a - b).max(0.0),
            Builtin::Exp => a.exp(),
            Builtin::Exp2 => a.exp2(),
            Builtin::Expm1 => a.exp_m1(),
            Builtin::Ln => a.ln(),
            Builtin::Log | Builtin::Log10 => a.log10(),
            Builtin::Log2 => a.log2(),
            Builtin::Log1p => a.ln_1p(),
            Builtin::Pow => a.powf(b),
            Builtin::Sqrt => a.sqrt(),
            Builtin::Cbrt => a.cbrt(),
            Builtin::Hypot => a.hypot(b),
            Builtin::Sin => a.sin(),
            Builtin::Cos => a.cos(),
            Builtin::Tan => a.tan(),
            Builtin::Asin => a.asin(),
            Builtin::Acos => a.acos(),
            Builtin::Atan => a.atan(),
            Builtin::Atan2 => a.atan2(b),
            Builtin::Sinh => a.sinh(),
            Builtin::Cosh => a.cosh(),
            Builtin::Tanh => a.tanh(),
            Builtin::Asinh => a.asinh(),
            Builtin::Acosh => a.acosh(),
            Builtin::Atanh => a.atanh(),
            Builtin::Ceil => a.ceil(),
            Builtin::Floor => a.floor(),
            Builtin::Trunc => a.trunc(),
            Builtin::Round => a.round(),
            Builtin::CopySign => a.copysign(b),
            // Rare in constants, and without a function in the standard library; or random.
            _ => return Err(Stuck::NotConstant),
        }))
    }
}

const OVERFLOW: Stuck = Stuck::Failed("a number in it does not fit into 32 bits");
