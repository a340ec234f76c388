//! A network whose time unit is a point of a finer grid.

use std::cell::Cell;

use punctual_model::{
    Binary, BinaryOp, ClockConstraint, Condition, Expr, FunctionBody, Network, Number, Statement,
};

/// The network with all its clocks counting `resolution` times as fast: what was one unit is that
/// many.
///
/// Only clocks and what they are compared with or set to change. An integer that is read from a
/// clock can not be scaled; such models are refused by symbolic analysis anyway.
#[must_use]
pub fn scaled(network: &Network, resolution: u32) -> Network {
    let times = i32::try_from(resolution).expect("a grid of that many points");
    let scale = Scale { times, over: 1, is_inexact: Cell::new(false) };
    scale.network(network)
}

/// The network with all its clocks counting so many times as slowly. It does the same, only faster. None if a time is no
/// multiple of that, or is computed.
#[must_use]
pub fn divided(network: &Network, by: u32) -> Option<Network> {
    let over = i32::try_from(by).ok().filter(|over| *over > 0)?;
    let scale = Scale { times: 1, over, is_inexact: Cell::new(false) };
    let network = scale.network(network);
    let initial = network.clocks.iter().all(|clock| clock.initial.fract() == 0.0);
    (initial && !scale.is_inexact.get()).then_some(network)
}

struct Scale {
    times: i32,
    over: i32,
    /// A time could not be divided.
    is_inexact: Cell<bool>,
}

impl Scale {
    fn network(&self, network: &Network) -> Network {
        let scale = self;
        let mut network = network.clone();
        if (self.times, self.over) == (1, 1) {
            return network;
        }
        for clock in network.clocks.iter_mut() {
            clock.initial *= f64::from(self.times);
            clock.initial /= f64::from(self.over);
        }
        for process in network.processes.iter_mut() {
            for location in process.locations.iter_mut() {
                scale.condition(&mut location.invariant);
            }
            for edge in process.edges.iter_mut() {
                scale.condition(&mut edge.guard);
                edge.update.iter_mut().for_each(|expr| scale.expr(expr));
                for branch in &mut edge.branches {
                    branch.update.iter_mut().for_each(|expr| scale.expr(expr));
                }
            }
        }
        for function in network.functions.iter_mut() {
            if let FunctionBody::Statements(body) = &mut function.body {
                scale.block(body);
            }
        }
        network.before_update.iter_mut().for_each(|expr| scale.expr(expr));
        network.after_update.iter_mut().for_each(|expr| scale.expr(expr));
        network
    }

    fn condition(&self, condition: &mut Condition) {
        condition.data.iter_mut().for_each(|expr| self.expr(expr));
        condition.clocks.iter_mut().for_each(|constraint| self.constraint(constraint));
    }

    fn constraint(&self, constraint: &mut ClockConstraint) {
        if let Some(when) = &mut constraint.when {
            self.expr(when);
        }
        self.time(&mut constraint.bound, constraint.number);
    }

    fn block(&self, body: &mut [Statement]) {
        for statement in body {
            match statement {
                Statement::Expr(expr) | Statement::Return(Some(expr)) | Statement::Assert(expr) => {
                    self.expr(expr);
                }
                Statement::Clear { .. } | Statement::Return(None) => {}
                Statement::If(condition, yes, no) => {
                    self.expr(condition);
                    self.block(yes);
                    self.block(no);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.expr(condition);
                    self.block(body);
                }
                Statement::For { body, .. } => self.block(body),
            }
        }
    }

    /// Scales what is inside of an expression that is not a time itself.
    fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::SetClock { value, .. } => self.time(value, Number::Int),
            Expr::ClockConstraint(constraint) => self.constraint(constraint),
            Expr::ToDouble(inner) | Expr::Unary(_, _, inner) => self.expr(inner),
            Expr::Binary(binary) => {
                self.expr(&mut binary.left);
                self.expr(&mut binary.right);
            }
            Expr::Conditional(parts) => parts.iter_mut().for_each(|part| self.expr(part)),
            Expr::Sequence(parts) => parts.iter_mut().for_each(|part| self.expr(part)),
            Expr::Assign { value, .. } => self.expr(value),
            Expr::Call { arguments, .. } | Expr::Builtin(_, arguments) => {
                arguments.iter_mut().for_each(|argument| self.expr(argument));
            }
            Expr::Quantifier { body, .. } => self.expr(body),
            Expr::Int(_)
            | Expr::Double(_)
            | Expr::Load(_)
            | Expr::Clock(_)
            | Expr::ClockRate(_)
            | Expr::InLocation(..)
            | Expr::Deadlock => {}
        }
    }

    /// Scales a time: a number, or a sum of clocks and numbers.
    fn time(&self, expr: &mut Expr, number: Number) {
        match expr {
            Expr::Clock(_) => {}
            Expr::ToDouble(inner) => self.time(inner, Number::Int),
            Expr::Binary(binary) if matches!(binary.op, BinaryOp::Add | BinaryOp::Subtract) => {
                self.time(&mut binary.left, binary.number);
                self.time(&mut binary.right, binary.number);
            }
            Expr::Conditional(parts) => {
                let [condition, yes, no] = parts.as_mut();
                self.expr(condition);
                self.time(yes, number);
                self.time(no, number);
            }
            Expr::Int(value) if self.over > 1 => {
                if *value % self.over != 0 {
                    self.is_inexact.set(true);
                }
                *value /= self.over;
            }
            _ if self.over > 1 => self.is_inexact.set(true),
            Expr::Double(value) => *value *= f64::from(self.times),
            Expr::Int(value) => match value.checked_mul(self.times) {
                Some(scaled) => *value = scaled,
                None => self.times(expr, Number::Int),
            },
            _ => {
                self.expr(expr);
                self.times(expr, number);
            }
        }
    }

    fn times(&self, expr: &mut Expr, number: Number) {
        let left = std::mem::replace(expr, Expr::Int(0));
        let right = match number {
            Number::Int => Expr::Int(self.times),
            Number::Double => Expr::Double(f64::from(self.times)),
        };
        let op = BinaryOp::Multiply;
        *expr = Expr::Binary(Box::new(Binary { op, number, size: 1, left, right }));
    }
}
