//! Updates as statements of TChecker.
//!
//! Calls are copied into the statements, each with local variables of its own, which are all
//! declared at the start. A `return` is possible where nothing but a choice stands between it and
//! the end of the function.

use punctual_model::{
    AssignOp, AssignResult, BinaryOp, Expr, Frame, FunctionBody, FunctionId, Index, Number, Place,
    Range, Statement, Storage,
};

use super::{
    Lowerer,
    calls::{self, assign},
    memory::{element, place},
    terms::{Binding, Env, Lowered, local_place},
};
use crate::convert::fold;

/// What an edge does, in the shape of TChecker.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Effect {
    Update(Vec<Expr>),
    Body(Vec<Statement>, Frame),
}

/// Where a call leaves its value, and what comes after its statements.
#[derive(Clone, Copy)]
struct Call {
    result: Option<u32>,
}

impl Lowerer<'_> {
    /// Lowers the update of an edge.
    pub(super) fn update(&mut self, update: &[Expr], env: &mut Env) -> Lowered<Effect> {
        self.out = Vec::new();
        self.locals = Vec::new();
        for expr in update {
            self.effect(expr, env)?;
        }
        let body = std::mem::take(&mut self.out);
        let locals = std::mem::take(&mut self.locals);
        let plain = locals.is_empty() && body.iter().all(|s| matches!(s, Statement::Expr(_)));
        if plain {
            let update = body.into_iter().filter_map(|statement| match statement {
                Statement::Expr(expr) => Some(expr),
                _ => None,
            });
            return Ok(Effect::Update(update.collect()));
        }
        let ints = locals.iter().map(|place| place.size).sum();
        let clears = locals.into_iter().map(|place| Statement::Clear { place, value: 0 });
        Ok(Effect::Body(clears.chain(body).collect(), Frame { ints, doubles: 0 }))
    }

    /// A new local variable.
    fn declare(&mut self, len: u32) -> u32 {
        let first = self.locals.iter().map(|place| place.size).sum();
        self.locals
            .push(Place { size: len, ..place(Storage::Local, first, Vec::new(), Range::ALL) });
        first
    }

    fn emit(&mut self, expr: Expr) {
        self.out.push(Statement::Expr(expr));
    }

    /// Lowers in statement position, where calls can be put before.
    fn value(&mut self, expr: &Expr, env: &mut Env) -> Lowered {
        let before = std::mem::replace(&mut self.can_hoist, true);
        let result = match expr {
            // An assignment as a value: first the assignment, then what it assigned.
            Expr::Assign { target, result, .. } => match result {
                AssignResult::New => self
                    .effect(expr, env)
                    .and_then(|()| self.int(&Expr::Load((**target).clone()), env)),
                AssignResult::Old => {
                    self.int(&Expr::Load((**target).clone()), env).and_then(|old| {
                        let slot = self.declare(1);
                        let temporary = local_slot(slot);
                        self.emit(assign(temporary.clone(), old));
                        self.effect(expr, env)?;
                        Ok(Expr::Load(temporary))
                    })
                }
            },
            Expr::Call { function, arguments } if !self.is_pure(*function) => {
                self.hoist_call(*function, arguments, env)
            }
            _ => self.int(expr, env),
        };
        self.can_hoist = before;
        result
    }

    fn test(&mut self, expr: &Expr, env: &mut Env, hoist: bool) -> Lowered {
        let before = std::mem::replace(&mut self.can_hoist, hoist);
        let result = match expr {
            Expr::Call { function, arguments } if hoist && !self.is_pure(*function) => {
                self.hoist_call(*function, arguments, env)
            }
            _ => self.formula(expr, env),
        };
        self.can_hoist = before;
        result
    }

    /// Lowers an expression for its effects.
    fn effect(&mut self, expr: &Expr, env: &mut Env) -> Lowered<()> {
        self.spend(1)?;
        match expr {
            Expr::Sequence(parts) => {
                self.effect(&parts[0], env)?;
                self.effect(&parts[1], env)
            }
            Expr::SetClock { clock, value } => {
                let clock = self.clock(clock, env)?;
                let value = self.clock_value(value, env)?;
                self.emit(Expr::SetClock { clock, value: Box::new(value) });
                Ok(())
            }
            Expr::Assign { target, op: AssignOp::Set, value, .. }
                if target.size == 1 && self.has_effect(&target.indices) =>
            {
                // `list[len++] = e`: the value must not notice what the index changes.
                let mut notices = false;
                value.walk(&mut |expr| {
                    notices |= match expr {
                        Expr::Load(place) => place.storage != Storage::Local,
                        Expr::Call { .. } | Expr::Assign { .. } => true,
                        _ => false,
                    };
                });
                if notices {
                    return Err("an assignment whose index has effects".to_owned());
                }
                let mut indices = Vec::new();
                for index in &target.indices {
                    indices.push(Index { value: self.value(&index.value, env)?, ..index.clone() });
                }
                let value = self.value(value, env)?;
                self.store_at(target, &indices, value, env)
            }
            Expr::Assign { target, op, value, .. } if target.size == 1 => {
                let value = match op {
                    AssignOp::Set => self.value(value, env)?,
                    AssignOp::Combine(op) => {
                        let old = self.int(&Expr::Load((**target).clone()), env)?;
                        let value = self.value(value, env)?;
                        self.arithmetic(*op, old, value)?
                    }
                };
                self.store(target, value, env)
            }
            Expr::Assign { target, op: AssignOp::Set, value, .. } => {
                let Expr::Load(from) = &**value else {
                    return Err("an assignment of a computed array".to_owned());
                };
                for k in 0..target.size {
                    let part = |p: &Place| Place { base: p.base + k, size: 1, ..p.clone() };
                    let value = self.int(&Expr::Load(part(from)), env)?;
                    self.store(&part(target), value, env)?;
                }
                Ok(())
            }
            Expr::Call { function, arguments } => self.inline(*function, arguments, None, env),
            Expr::Conditional(parts) => {
                let condition = self.test(&parts[0], env, true)?;
                let yes = self.nested(|this| this.effect(&parts[1], env))?;
                let no = self.nested(|this| this.effect(&parts[2], env))?;
                self.choice(condition, yes, no);
                Ok(())
            }
            // A value that nobody uses.
            _ => self.int(expr, env).map(drop),
        }
    }

    fn clock_value(&mut self, value: &Expr, env: &mut Env) -> Lowered {
        match value {
            Expr::Clock(from) => Ok(Expr::Clock(self.clock(from, env)?)),
            Expr::Binary(sum) if sum.number == Number::Double && sum.op == BinaryOp::Add => {
                let (offset, from) = match (&sum.left, &sum.right) {
                    (Expr::ToDouble(offset), Expr::Clock(from))
                    | (Expr::Clock(from), Expr::ToDouble(offset)) => (offset, from),
                    _ => return Err("this value of a clock".to_owned()),
                };
                let left = Expr::ToDouble(Box::new(self.value(offset, env)?));
                let right = Expr::Clock(self.clock(from, env)?);
                let binary = punctual_model::Binary { left, right, ..(**sum).clone() };
                Ok(Expr::Binary(Box::new(binary)))
            }
            Expr::ToDouble(inner) => self.value(inner, env),
            Expr::Double(number) if number.fract() == 0.0 && (0.0..1e9).contains(number) => {
                Ok(Expr::Int(*number as i32))
            }
            _ => self.value(value, env),
        }
    }

    /// Assigns to what a place has become.
    fn store(&mut self, target: &Place, value: Expr, env: &mut Env) -> Lowered<()> {
        if target.number != Number::Int {
            return Err("a floating-point variable".to_owned());
        }
        let indices = self.indices(&target.indices, env)?;
        self.store_at(target, &indices, value, env)
    }

    /// Whether evaluating indices changes anything.
    fn has_effect(&mut self, indices: &[Index]) -> bool {
        let mut effect = false;
        let mut calls = Vec::new();
        for index in indices {
            index.value.walk(&mut |expr| match expr {
                Expr::Assign { .. } => effect = true,
                Expr::Call { function, .. } => calls.push(*function),
                _ => {}
            });
        }
        effect || calls.into_iter().any(|call| !self.is_pure(call))
    }

    fn store_at(
        &mut self,
        target: &Place,
        indices: &[Index],
        value: Expr,
        env: &mut Env,
    ) -> Lowered<()> {
        if target.storage == Storage::Local {
            let Some(Binding::Local { first, len, at }) = env.get(&target.base).cloned() else {
                return Err("an assignment to a selected value".to_owned());
            };
            let to = local_place(first, len, at, indices)?;
            self.emit(assign(to, value));
            return Ok(());
        }
        let (leaf, flat) = self.memory.find(target, indices)?;
        match flat.as_int() {
            Some(at) => {
                let at = u32::try_from(at).ok().filter(|at| *at < leaf.len);
                let at = at.ok_or("an index out of bounds")?;
                self.emit(assign(element(&leaf, at), value));
            }
            None if leaf.split => {
                // Both are needed once for each element, as they were before any of them changed.
                let [index, stored] = [flat, value].map(|value| {
                    let slot = self.declare(1);
                    let local = local_slot(slot);
                    self.emit(assign(local.clone(), value));
                    Expr::Load(local)
                });
                for at in 0..leaf.len {
                    let test = fold::binary(BinaryOp::Equal, index.clone(), Expr::Int(at as i32));
                    let store = assign(element(&leaf, at), stored.clone());
                    self.choice(test, vec![Statement::Expr(store)], Vec::new());
                }
            }
            None => {
                let index = Index { value: flat, lo: 0, len: leaf.len, stride: 1 };
                self.emit(assign(
                    place(Storage::State, leaf.first, vec![index], leaf.range),
                    value,
                ));
            }
        }
        Ok(())
    }

    fn choice(&mut self, condition: Expr, yes: Vec<Statement>, no: Vec<Statement>) {
        match condition.as_int() {
            Some(0) => self.out.extend(no),
            Some(_) => self.out.extend(yes),
            None if yes.is_empty() && no.is_empty() => {}
            None => self.out.push(Statement::If(condition, yes, no)),
        }
    }

    /// Collects the statements of a block of its own.
    fn nested(&mut self, inside: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<Vec<Statement>> {
        let outer = std::mem::take(&mut self.out);
        let result = inside(self);
        let inner = std::mem::replace(&mut self.out, outer);
        result.map(|()| inner)
    }

    /// Puts a call before the present statement; its value is in a local variable.
    pub(super) fn hoist_call(
        &mut self,
        id: FunctionId,
        arguments: &[Expr],
        env: &mut Env,
    ) -> Lowered {
        let result = self.declare(1);
        self.inline(id, arguments, Some(result), env)?;
        Ok(Expr::Load(local_slot(result)))
    }

    /// Copies the statements of a function.
    fn inline(
        &mut self,
        id: FunctionId,
        arguments: &[Expr],
        result: Option<u32>,
        env: &mut Env,
    ) -> Lowered<()> {
        let function = &self.network.functions[id];
        let FunctionBody::Statements(body) = &function.body else {
            return Err("a function of a library".to_owned());
        };
        let mut frame = self.enter(function, arguments, env, &mut |this, _, value| {
            let slot = this.declare(1);
            let local = local_slot(slot);
            this.emit(assign(local, value));
            Ok(Binding::Local { first: slot, len: 1, at: 0 })
        })?;
        self.bind_locals(body, &mut frame);
        let body: Vec<&Statement> = body.iter().collect();
        let hoisting = std::mem::replace(&mut self.can_hoist, true);
        let lowered = self.block(&body, Call { result }, &mut frame);
        self.can_hoist = hoisting;
        lowered.map_err(|what| format!("{what} in the function `{}`", function.name))?;
        if function.shares_frame {
            *env = frame;
        }
        Ok(())
    }

    /// Declares the locals that nothing clears: their first assignment is their declaration.
    fn bind_locals(&mut self, body: &[Statement], env: &mut Env) {
        let mut regions = Vec::new();
        let mut others = Vec::new();
        calls::locals(body, &mut regions, &mut others);
        regions.sort_unstable();
        // Places that touch belong to the same array.
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, end) in regions {
            match merged.last_mut() {
                Some((_, last)) if first < *last => *last = end.max(*last),
                _ => merged.push((first, end)),
            }
        }
        for (first, end) in merged {
            let known = |slot: &u32| env.contains_key(slot) || others.contains(slot);
            if (first..end).any(|slot| known(&slot)) {
                continue;
            }
            let len = end - first;
            let local = self.declare(len);
            for at in 0..len {
                env.insert(first + at, Binding::Local { first: local, len, at });
            }
        }
    }

    fn block(&mut self, body: &[&Statement], call: Call, env: &mut Env) -> Lowered<()> {
        let Some((statement, rest)) = body.split_first() else { return Ok(()) };
        self.spend(1)?;
        match statement {
            Statement::Expr(expr) => self.effect(expr, env)?,
            Statement::Clear { place, value } => self.clear(place, *value, env)?,
            Statement::Return(value) => {
                match (value, call.result) {
                    (Some(value), Some(result)) => {
                        let value = self.value(value, env)?;
                        let result = local_slot(result);
                        self.emit(assign(result, value));
                    }
                    (Some(value), None) => drop(self.value(value, env)?),
                    (None, _) => {}
                }
                return Ok(());
            }
            Statement::If(condition, yes, no) => {
                let condition = self.test(condition, env, true)?;
                let returns = may_return(yes) || may_return(no);
                let branch = |statements: &'_ [Statement]| -> bool { always_returns(statements) };
                let (yes_ends, no_ends) = (branch(yes), branch(no));
                let yes: Vec<&Statement> = yes.iter().collect();
                let no: Vec<&Statement> = no.iter().collect();
                // What follows belongs to the branches that do not return.
                let follow = |list: Vec<&'_ Statement>, ends: bool| -> Vec<Statement> {
                    let rest = if returns && !ends { rest } else { &[] };
                    list.into_iter().chain(rest.iter().copied()).cloned().collect()
                };
                let (yes, no) = (follow(yes, yes_ends), follow(no, no_ends));
                let mut env_no = env.clone();
                let yes =
                    self.nested(|this| this.block(&yes.iter().collect::<Vec<_>>(), call, env))?;
                let no = self
                    .nested(|this| this.block(&no.iter().collect::<Vec<_>>(), call, &mut env_no))?;
                self.choice(condition, yes, no);
                if returns {
                    return Ok(());
                }
                // Locals that only one branch declares are not used behind it.
                for (slot, binding) in env_no {
                    env.entry(slot).or_insert(binding);
                }
            }
            Statement::While(condition, inner) => self.repeat(condition, inner, call, env)?,
            Statement::DoWhile(inner, condition) => {
                no_return(inner)?;
                let list: Vec<&Statement> = inner.iter().collect();
                self.block(&list, call, env)?;
                self.repeat(condition, inner, call, env)?;
            }
            Statement::For { slot, range, body: inner } => {
                no_return(inner)?;
                let first = self.declare(1);
                let counter = local_slot(first);
                env.insert(*slot, Binding::Local { first, len: 1, at: 0 });
                self.emit(assign(counter.clone(), Expr::Int(range.lo)));
                let list: Vec<&Statement> = inner.iter().collect();
                let mut body = self.nested(|this| this.block(&list, call, env))?;
                let load = || Expr::Load(counter.clone());
                let next = fold::binary(BinaryOp::Add, load(), Expr::Int(1));
                body.push(Statement::Expr(assign(counter.clone(), next)));
                let test = fold::binary(BinaryOp::LessEqual, load(), Expr::Int(range.hi));
                self.out.push(Statement::While(test, body));
            }
            Statement::Assert(_) => return Err("`assert`".to_owned()),
        }
        self.block(rest, call, env)
    }

    fn repeat(
        &mut self,
        condition: &Expr,
        inner: &[Statement],
        call: Call,
        env: &mut Env,
    ) -> Lowered<()> {
        no_return(inner)?;
        // Evaluated again and again, so nothing can be done once before.
        let test = self.test(condition, env, false)?;
        let list: Vec<&Statement> = inner.iter().collect();
        let body = self.nested(|this| this.block(&list, call, env))?;
        if test.as_int() != Some(0) {
            self.out.push(Statement::While(test, body));
        }
        Ok(())
    }

    fn clear(&mut self, target: &Place, value: i32, env: &mut Env) -> Lowered<()> {
        if target.storage != Storage::Local || target.number != Number::Int {
            return Err("a local variable of this type".to_owned());
        }
        let first = self.declare(target.size);
        for at in 0..target.size {
            env.insert(target.base + at, Binding::Local { first, len: target.size, at });
            // In a loop the variable starts anew each time.
            self.emit(assign(local_slot(first + at), Expr::Int(value)));
        }
        Ok(())
    }
}

fn no_return(body: &[Statement]) -> Lowered<()> {
    match may_return(body) {
        true => Err("`return` inside of a loop".to_owned()),
        false => Ok(()),
    }
}

fn may_return(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Return(_) => true,
        Statement::If(_, yes, no) => may_return(yes) || may_return(no),
        Statement::While(_, body) | Statement::DoWhile(body, _) => may_return(body),
        Statement::For { body, .. } => may_return(body),
        _ => false,
    })
}

fn always_returns(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Return(_) => true,
        Statement::If(_, yes, no) => always_returns(yes) && always_returns(no),
        _ => false,
    })
}

/// A single local slot.
fn local_slot(slot: u32) -> Place {
    place(Storage::Local, slot, Vec::new(), Range::ALL)
}
