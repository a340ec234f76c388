//! Functions: evaluated inside of expressions, or copied into the statements of an edge.

use punctual_model::{
    AssignOp, AssignResult, Expr, Function, FunctionBody, FunctionId, Id, Place, Statement, Storage,
};

use super::{
    Lowerer,
    terms::{Binding, Env, Lowered, nodes},
};
use crate::convert::fold;

/// How a block ended.
enum Flow {
    /// It ran to its end.
    Falls,
    /// It returned.
    Returns(Option<Expr>),
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
        let body: Vec<&Statement> = body.iter().collect();
        let result = self
            .enter(function, arguments, env, &mut |_, _, value| Ok(Binding::Value(value)))
            .and_then(|mut frame| self.run(&body, &mut frame));
        self.can_hoist = hoisting;
        match result {
            Ok(Flow::Returns(Some(value))) => Ok(value),
            _ => Err(name()),
        }
    }

    /// Runs statements symbolically; only locals can change.
    fn run(&mut self, body: &[&Statement], env: &mut Env) -> Lowered<Flow> {
        let Some((statement, rest)) = body.split_first() else { return Ok(Flow::Falls) };
        self.spend(1)?;
        match statement {
            Statement::Expr(expr) => self.run_assignment(expr, env)?,
            Statement::Clear { place, value } => {
                for slot in place.base..place.base + place.size {
                    env.insert(slot, Binding::Value(Expr::Int(*value)));
                }
            }
            Statement::Return(value) => {
                let value = value.as_ref().map(|value| self.int(value, env)).transpose()?;
                return Ok(Flow::Returns(value));
            }
            Statement::If(condition, yes, no) => {
                let condition = self.formula(condition, env)?;
                let (yes, no): (Vec<_>, Vec<_>) = (yes.iter().collect(), no.iter().collect());
                if let Some(value) = condition.as_int() {
                    let chosen = if value != 0 { yes } else { no };
                    let all: Vec<&Statement> =
                        chosen.into_iter().chain(rest.iter().copied()).collect();
                    return self.run(&all, env);
                }
                let (mut then, mut other) = (env.clone(), env.clone());
                let flows = (self.run(&yes, &mut then)?, self.run(&no, &mut other)?);
                let (left, right) = match flows {
                    (Flow::Falls, Flow::Falls) => {
                        self.merge(&condition, then, other, env)?;
                        return self.run(rest, env);
                    }
                    (Flow::Returns(l), Flow::Returns(r)) => (l, r),
                    (Flow::Returns(l), Flow::Falls) => match self.run(rest, &mut other)? {
                        Flow::Returns(r) => (l, r),
                        Flow::Falls => return Err("a function that returns only sometimes".into()),
                    },
                    (Flow::Falls, Flow::Returns(r)) => match self.run(rest, &mut then)? {
                        Flow::Returns(l) => (l, r),
                        Flow::Falls => return Err("a function that returns only sometimes".into()),
                    },
                };
                return Ok(Flow::Returns(match (left, right) {
                    (Some(left), Some(right)) => Some(fold::conditional(condition, left, right)),
                    _ => None,
                }));
            }
            Statement::While(condition, inner) => {
                let test = self.formula(condition, env)?;
                match test.as_int() {
                    Some(0) => {}
                    Some(_) => {
                        let mut all: Vec<&Statement> = inner.iter().collect();
                        all.extend(body);
                        return self.run(&all, env);
                    }
                    None => return Err("a loop that depends on variables".to_owned()),
                }
            }
            Statement::DoWhile(inner, condition) => {
                // Once, and then as a loop.
                let again = Statement::While(condition.clone(), inner.clone());
                let mut all: Vec<&Statement> = inner.iter().collect();
                all.push(&again);
                all.extend(rest);
                return self.run(&all, env);
            }
            Statement::For { slot, range, body: inner } => {
                let inner: Vec<&Statement> = inner.iter().collect();
                for value in self.values(*range)? {
                    env.insert(*slot, Binding::Value(Expr::Int(value)));
                    match self.run(&inner, env)? {
                        Flow::Falls => {}
                        Flow::Returns(_) => return Err("`return` inside of a loop".to_owned()),
                    }
                }
            }
            Statement::Assert(_) => return Err("`assert`".to_owned()),
        }
        self.run(rest, env)
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

/// `place = value`
pub(super) fn assign(place: Place, value: Expr) -> Expr {
    Expr::Assign {
        target: Box::new(place),
        op: AssignOp::Set,
        value: Box::new(value),
        result: AssignResult::New,
    }
}
