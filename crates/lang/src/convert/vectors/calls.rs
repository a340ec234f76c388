//! Functions: evaluated inside of expressions, or copied into the statements of an edge.

use punctual_model::{
    AssignOp, AssignResult, Expr, Function, FunctionBody, FunctionId, Id, Place, Statement, Storage,
};

use super::{
    Lowerer,
    terms::{Binding, Env, Lowered, as_number, nodes},
};
use crate::convert::fold;

/// How a block ended: it returned the value where the condition holds.
struct Flow {
    returned: Expr,
    value: Expr,
}

impl Flow {
    fn falls() -> Self {
        Self { returned: Expr::FALSE, value: Expr::Int(0) }
    }
}

impl Lowerer<'_> {
    /// Whether a function changes nothing but its own locals.
    pub(super) fn is_pure(&mut self, id: FunctionId) -> bool {
        if let Some(known) = self.pure[id.index()] {
            return known;
        }
        // Recursion is not possible in a network.
        let function = &self.network.functions[id];
        let shares = function.shares_frame;
        let mut pure = true;
        let mut calls = Vec::new();
        let visit = &mut |expr: &Expr| match expr {
            Expr::Assign { target, .. } => {
                pure &= target.storage == Storage::Local && !shares;
            }
            Expr::SetClock { .. } => pure = false,
            Expr::Call { function, .. } => calls.push(*function),
            _ => {}
        };
        match &function.body {
            FunctionBody::Statements(body) => walk(body, visit),
            FunctionBody::External { .. } => pure = false,
        }
        let pure = pure && calls.into_iter().all(|call| self.is_pure(call));
        self.pure[id.index()] = Some(pure);
        pure
    }

    /// The frame of a call: its parameters are bound to the arguments.
    pub(super) fn enter(
        &mut self,
        function: &Function,
        arguments: &[Expr],
        env: &mut Env,
        bind: &mut dyn FnMut(&mut Self, u32, Expr) -> Lowered<Binding>,
    ) -> Lowered<Env> {
        let mut frame = if function.shares_frame { env.clone() } else { Env::default() };
        for (param, argument) in function.params.iter().zip(arguments) {
            let place = &param.place;
            if place.size == 1 {
                let value = self.int(argument, env)?;
                let binding = bind(self, place.base, value)?;
                frame.insert(place.base, binding);
                continue;
            }
            let Expr::Load(from) = argument else {
                return Err("a computed array as an argument".to_owned());
            };
            for k in 0..place.size {
                let part = Place { base: from.base + k, size: 1, ..from.clone() };
                let value = self.int(&Expr::Load(part), env)?;
                let binding = bind(self, place.base + k, value)?;
                frame.insert(place.base + k, binding);
            }
        }
        Ok(frame)
    }

    /// The value of a call, by symbolic evaluation.
    pub(super) fn evaluate(
        &mut self,
        id: FunctionId,
        arguments: &[Expr],
        env: &mut Env,
    ) -> Lowered {
        let function = &self.network.functions[id];
        let name = || format!("the function `{}` in an expression", function.name);
        let FunctionBody::Statements(body) = &function.body else { return Err(name()) };
        if !self.is_pure(id) {
            return Err(name());
        }
        let hoisting = std::mem::replace(&mut self.can_hoist, false);
        let result = self
            .enter(function, arguments, env, &mut |_, _, value| Ok(Binding::Value(value)))
            .and_then(|mut frame| self.run(body, &mut frame));
        self.can_hoist = hoisting;
        match result {
            Ok(Flow { returned: Expr::Int(1), value }) => Ok(value),
            Ok(_) => Err(name()),
            Err(what) if what.contains(" in the function ") => Err(what),
            Err(what) => Err(format!("{what} in the function `{}`", function.name)),
        }
    }

    /// Runs statements symbolically; only locals can change. After a return that happens only
    /// sometimes, the rest is run for where it did not happen.
    fn run(&mut self, body: &[Statement], env: &mut Env) -> Lowered<Flow> {
        let mut flow = Flow::falls();
        for statement in body {
            self.spend(1)?;
            let next = self.run_single(statement, env)?;
            flow = self.then(flow, next)?;
            if flow.returned.as_int() == Some(1) {
                break;
            }
        }
        Ok(flow)
    }

    /// One flow after another.
    fn then(&mut self, first: Flow, second: Flow) -> Lowered<Flow> {
        if first.returned.as_int() == Some(0) {
            return Ok(second);
        }
        if second.returned.as_int() == Some(0) {
            return Ok(first);
        }
        self.spend(2 * nodes(&first.returned))?;
        let returned = as_number(second.returned);
        Ok(Flow {
            returned: fold_bit(first.returned.clone(), Expr::TRUE, returned),
            value: fold::conditional(first.returned, first.value, second.value),
        })
    }

    fn run_single(&mut self, statement: &Statement, env: &mut Env) -> Lowered<Flow> {
        match statement {
            Statement::Expr(expr) => self.run_assignment(expr, env)?,
            Statement::Clear { place, value } => {
                for slot in place.base..place.base + place.size {
                    env.insert(slot, Binding::Value(Expr::Int(*value)));
                }
            }
            Statement::Return(value) => {
                let value = match value {
                    Some(value) => self.int(value, env)?,
                    None => Expr::Int(0),
                };
                return Ok(Flow { returned: Expr::TRUE, value });
            }
            Statement::If(condition, yes, no) => {
                let condition = self.formula(condition, env)?;
                if let Some(value) = condition.as_int() {
                    return self.run(if value != 0 { yes } else { no }, env);
                }
                let (mut then, mut other) = (env.clone(), env.clone());
                let (yes, no) = (self.run(yes, &mut then)?, self.run(no, &mut other)?);
                self.spend(2 * nodes(&condition))?;
                self.merge(&condition, then, other, env)?;
                let (left, right) = (as_number(yes.returned), as_number(no.returned));
                return Ok(Flow {
                    returned: fold_bit(condition.clone(), left, right),
                    value: match yes.value == no.value {
                        true => yes.value,
                        false => fold::conditional(condition, yes.value, no.value),
                    },
                });
            }
            Statement::While(condition, inner) => return self.run_loop(condition, inner, env),
            Statement::DoWhile(inner, condition) => {
                let first = self.run(inner, env)?;
                if first.returned.as_int() == Some(1) {
                    return Ok(first);
                }
                let rest = self.run_loop(condition, inner, env)?;
                return self.then(first, rest);
            }
            Statement::For { slot, range, body: inner } => {
                let mut flow = Flow::falls();
                for value in self.values(*range)? {
                    env.insert(*slot, Binding::Value(Expr::Int(value)));
                    let next = self.run(inner, env)?;
                    flow = self.then(flow, next)?;
                    if flow.returned.as_int() == Some(1) {
                        break;
                    }
                }
                return Ok(flow);
            }
            Statement::Assert(_) => return Err("`assert`".to_owned()),
        }
        Ok(Flow::falls())
    }

    fn run_loop(&mut self, condition: &Expr, body: &[Statement], env: &mut Env) -> Lowered<Flow> {
        let mut flow = Flow::falls();
        loop {
            self.spend(1)?;
            let test = self.formula(condition, env)?;
            match test.as_int() {
                Some(0) => return Ok(flow),
                Some(_) => {}
                None => return Err("a loop that depends on variables".to_owned()),
            }
            let next = self.run(body, env)?;
            flow = self.then(flow, next)?;
            if flow.returned.as_int() == Some(1) {
                return Ok(flow);
            }
        }
    }

    fn run_assignment(&mut self, expr: &Expr, env: &mut Env) -> Lowered<()> {
        match expr {
            Expr::Assign { target, op, value, .. } if target.size == 1 => {
                let value = match op {
                    AssignOp::Set => self.int(value, env)?,
                    AssignOp::Combine(op) => {
                        let old = self.int(&Expr::Load((**target).clone()), env)?;
                        let value = self.int(value, env)?;
                        self.arithmetic(*op, old, value)?
                    }
                };
                let indices = self.indices(&target.indices, env)?;
                let flat = super::flat_index(i64::from(target.base), &indices, |s| Some(s.into()));
                let slot = flat.and_then(|flat| flat.as_int()).ok_or("a computed element")?;
                env.insert(slot as u32, Binding::Value(value));
                Ok(())
            }
            Expr::Sequence(parts) => {
                self.run_assignment(&parts[0], env)?;
                self.run_assignment(&parts[1], env)
            }
            _ => Err("a statement with effects".to_owned()),
        }
    }

    /// Brings the locals of two branches together.
    fn merge(&mut self, condition: &Expr, then: Env, other: Env, into: &mut Env) -> Lowered<()> {
        // In the order of slots, so that the result is always the same.
        let mut slots: Vec<u32> = then.keys().copied().collect();
        slots.sort_unstable();
        for slot in slots {
            let (Some(Binding::Value(left)), Some(Binding::Value(right))) =
                (then.get(&slot), other.get(&slot))
            else {
                continue;
            };
            let value = if left == right {
                left.clone()
            } else {
                self.spend(nodes(condition) + nodes(left) + nodes(right))?;
                fold::conditional(condition.clone(), left.clone(), right.clone())
            };
            into.insert(slot, Binding::Value(value));
        }
        Ok(())
    }
}

/// Calls `visit` for all expressions of statements.
pub(in crate::convert) fn walk(body: &[Statement], visit: &mut dyn FnMut(&Expr)) {
    for statement in body {
        match statement {
            Statement::Expr(expr) | Statement::Assert(expr) | Statement::Return(Some(expr)) => {
                expr.walk(&mut |expr| visit(expr));
            }
            Statement::Return(None) | Statement::Clear { .. } => {}
            Statement::If(condition, yes, no) => {
                condition.walk(&mut |expr| visit(expr));
                walk(yes, visit);
                walk(no, visit);
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                condition.walk(&mut |expr| visit(expr));
                walk(body, visit);
            }
            Statement::For { body, .. } => walk(body, visit),
        }
    }
}

/// The local slots that statements use: as places (first and one behind the last), and those
/// that are cleared or run through a range.
pub(super) fn locals(body: &[Statement], places: &mut Vec<(u32, u32)>, others: &mut Vec<u32>) {
    walk(body, &mut |expr| {
        let place = match expr {
            Expr::Load(place) => place,
            Expr::Assign { target, .. } => target,
            Expr::Quantifier { slot, .. } => return others.push(*slot),
            _ => return,
        };
        if place.storage == Storage::Local && place.number == punctual_model::Number::Int {
            let reach: u32 = place.indices.iter().map(|i| (i.len - 1) * i.stride).sum();
            places.push((place.base, place.base + reach + place.size));
        }
    });
    for statement in body {
        match statement {
            Statement::Clear { place, .. } => others.extend(place.base..place.base + place.size),
            Statement::If(_, yes, no) => {
                others_of(yes, others);
                others_of(no, others);
            }
            Statement::While(_, body) | Statement::DoWhile(body, _) => others_of(body, others),
            Statement::For { slot, body, .. } => {
                others.push(*slot);
                others_of(body, others);
            }
            _ => {}
        }
    }
}

fn others_of(body: &[Statement], others: &mut Vec<u32>) {
    locals(body, &mut Vec::new(), others);
}

/// `place = value`
pub(super) fn assign(place: Place, value: Expr) -> Expr {
    Expr::Assign {
        target: Box::new(place),
        op: AssignOp::Set,
        value: Box::new(value),
        result: AssignResult::New,
    }
}

/// One of two truth values.
fn fold_bit(condition: Expr, yes: Expr, no: Expr) -> Expr {
    match yes == no {
        true => yes,
        false => fold::conditional(condition, yes, no),
    }
}
