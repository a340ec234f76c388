//! Compiling what changes something: assignments, clocks, statements.

use punctual_model::{
    AssignOp, BinaryOp, ClockRef, Expr, Id, Number, Place, Range, ReturnType, Statement,
};
use punctual_zones::Bound;

use super::{
    builder::{Builder, Compiled, Label, unsupported},
    inspect::{has_effects, known, number, resolve, returned, returned_reals, size},
    op::{Keep, Op, RealSpace, Space},
};

/// The largest constant that a clock can be set to or shifted by: zones can still add a few.
pub(super) const CLOCK_MAX: i32 = Bound::MAX_CONSTANT / 4;

impl Builder<'_> {
    /// Evaluates an expression of any kind for its effects.
    pub(super) fn effect(&mut self, expr: &Expr) -> Compiled {
        match expr {
            Expr::Assign { target, op, value, .. } => {
                self.assign(target, *op, value, Keep::Nothing)
            }
            Expr::SetClock { clock, value } if self.stochastic => {
                self.set_clock_value(clock, value, Keep::Nothing)
            }
            Expr::SetClock { clock, value } => self.set_clock(clock, value, false),
            Expr::Sequence(parts) => {
                self.effect(&parts[0])?;
                self.effect(&parts[1])
            }
            Expr::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.choose(condition, |builder| builder.effect(yes), |builder| builder.effect(no))
            }
            Expr::Call { function, arguments } => {
                self.call(*function, arguments)?;
                self.drop_values(returned(self.network, *function));
                self.drop_reals(returned_reals(self.network, *function));
                Ok(())
            }
            // What can neither fail nor change anything.
            Expr::Int(_) | Expr::Double(_) => Ok(()),
            Expr::Load(place) if place.indices.is_empty() => Ok(()),
            _ if number(self.network, expr) == Number::Double => match self.stochastic {
                true => {
                    self.push_real(expr)?;
                    self.drop_reals(size(self.network, expr));
                    Ok(())
                }
                false => self.ignore(expr),
            },
            _ => {
                self.push(expr)?;
                self.drop_values(size(self.network, expr));
                Ok(())
            }
        }
    }

    fn drop_values(&mut self, count: u32) {
        if count > 0 {
            self.emit(Op::Pop(count));
        }
    }

    fn drop_reals(&mut self, count: u32) {
        if count > 0 && self.stochastic {
            self.emit(Op::PopReals(count));
        }
    }

    /// Leaves out an expression that matters only to doubles.
    fn ignore(&mut self, expr: &Expr) -> Compiled {
        match has_effects(self.network, expr) {
            true => unsupported("a double with side effects"),
            false => Ok(()),
        }
    }

    /// One of two pieces of code.
    pub(super) fn choose(
        &mut self,
        condition: &Expr,
        yes: impl FnOnce(&mut Self) -> Compiled,
        no: impl FnOnce(&mut Self) -> Compiled,
    ) -> Compiled {
        let (mut otherwise, mut end) = (Label::default(), Label::default());
        self.branch(condition, false, &mut otherwise)?;
        yes(self)?;
        self.jump(Op::Jump(0), &mut end);
        self.bind(otherwise);
        no(self)?;
        self.bind(end);
        Ok(())
    }

    pub(super) fn assign(
        &mut self,
        target: &Place,
        op: AssignOp,
        value: &Expr,
        keep: Keep,
    ) -> Compiled {
        if target.number == Number::Double && self.stochastic {
            return self.assign_real(target, op, value, keep);
        }
        if target.number == Number::Double {
            for index in &target.indices {
                self.ignore(&index.value)?;
            }
            return self.ignore(value);
        }
        let (space, base) = self.locate(target);
        if space == Space::Constant {
            return unsupported("an assignment to a constant");
        }
        if target.size != 1 {
            if op != AssignOp::Set || keep == Keep::Old {
                return unsupported("an operator on whole arrays");
            }
            self.push(value)?;
            self.address(base, &target.indices)?;
            let keep = keep == Keep::New;
            self.emit(Op::StoreBlock { space, keep, size: target.size });
            return Ok(());
        }
        let (at, rest) = resolve(self.network, base, &target.indices);
        let is_plain = rest.is_empty() && op == AssignOp::Set && keep == Keep::Nothing;
        if is_plain && space != Space::Meta {
            return self.set_slot(space, at, value, target.range);
        }
        self.push(value)?;
        self.address(base, &target.indices)?;
        let range = self.range(target.range);
        self.emit(match op {
            AssignOp::Set => Op::Store { space, keep, range },
            AssignOp::Combine(op) => Op::Combine { space, keep, op, range },
        });
        Ok(())
    }

    /// Assigns to a slot of the state or the frame.
    fn set_slot(&mut self, space: Space, slot: u32, value: &Expr, range: Range) -> Compiled {
        let is_state = space == Space::State;
        if let Some(value) = known(self.network, value).filter(|value| range.contains(*value)) {
            self.emit(match is_state {
                true => Op::PutState { slot, value },
                false => Op::PutLocal { slot, value },
            });
            return Ok(());
        }
        self.push(value)?;
        match (i16::try_from(range.lo), i16::try_from(range.hi)) {
            (Ok(lo), Ok(hi)) if is_state => self.emit(Op::SetState { slot, lo, hi }),
            (Ok(lo), Ok(hi)) => self.emit(Op::SetLocal { slot, lo, hi }),
            _ => {
                self.check(range);
                self.emit(if is_state { Op::PopState(slot) } else { Op::PopLocal(slot) });
            }
        }
        Ok(())
    }

    /// Sets a clock, and pushes what it is then if that is kept.
    fn set_clock(&mut self, clock: &ClockRef, value: &Expr, keep: bool) -> Compiled {
        if self.network.clocks[clock.base].hybrid {
            if keep {
                return unsupported("a hybrid clock");
            }
            for index in &clock.indices {
                self.ignore(&index.value)?;
            }
            return self.ignore(value);
        }
        let base = clock.base.index() as u32;
        let (at, rest) = resolve(self.network, base, &clock.indices);
        let constant = known(self.network, value).filter(|value| (0..=CLOCK_MAX).contains(value));
        if let (Some(value), true, false) = (constant, rest.is_empty(), keep) {
            self.emit(Op::ResetClock { clock: at, value });
            return Ok(());
        }
        self.clock_value(value)?;
        self.address(base, &clock.indices)?;
        self.emit(Op::SetClock { keep });
        Ok(())
    }

    /// Pushes the source and the offset of what a clock can be set to.
    fn clock_value(&mut self, value: &Expr) -> Compiled {
        match value {
            Expr::Clock(clock) => {
                if self.network.clocks[clock.base].hybrid {
                    return unsupported("a hybrid clock");
                }
                self.address(clock.base.index() as u32, &clock.indices)?;
                self.emit(Op::ReadClock);
                Ok(())
            }
            Expr::SetClock { clock, value } => self.set_clock(clock, value, true),
            Expr::Binary(binary) if binary.number == Number::Double => {
                let (left, right) = (&binary.left, &binary.right);
                match (binary.op, reads_clock(left), reads_clock(right)) {
                    (BinaryOp::Add | BinaryOp::Subtract, _, false) => {
                        self.clock_value(left)?;
                        self.whole(right)?;
                        self.emit(Op::ShiftClock { minus: binary.op == BinaryOp::Subtract });
                        Ok(())
                    }
                    (BinaryOp::Add, false, true) => {
                        self.whole(left)?;
                        self.clock_value(right)?;
                        self.emit(Op::ShiftClockUnder);
                        Ok(())
                    }
                    (_, false, false) => unsupported("a double"),
                    _ => unsupported("a clock used as a number"),
                }
            }
            _ => {
                self.emit(Op::Push(0));
                self.whole(value)
            }
        }
    }

    /// Pushes a whole number that may be written as a double.
    fn whole(&mut self, expr: &Expr) -> Compiled {
        match expr {
            Expr::ToDouble(inner) => self.push(inner),
            Expr::Double(value) if f64::from(*value as i32) == *value => {
                self.emit(Op::Push(*value as i32));
                Ok(())
            }
            Expr::Double(_) => unsupported("a clock and a fraction"),
            _ => self.push(expr),
        }
    }

    pub(super) fn block(&mut self, body: &[Statement], returns: &ReturnType) -> Compiled {
        body.iter().try_for_each(|statement| self.statement(statement, returns))
    }

    fn statement(&mut self, statement: &Statement, returns: &ReturnType) -> Compiled {
        match statement {
            Statement::Expr(expr) => self.effect(expr),
            Statement::Clear { place, .. } if place.number == Number::Double && self.stochastic => {
                let (space, slot) = self.locate_real(place);
                if space == RealSpace::Constant {
                    return unsupported("an assignment to a constant");
                }
                self.emit(Op::ZeroReals { space, slot, size: place.size });
                Ok(())
            }
            Statement::Clear { place, value } => {
                let (space, slot) = self.locate(place);
                match (place.number, place.size, space) {
                    (Number::Double, ..) => {}
                    (Number::Int, _, Space::Constant) => {
                        return unsupported("an assignment to a constant");
                    }
                    (Number::Int, 1, Space::Local) => {
                        self.emit(Op::PutLocal { slot, value: *value });
                    }
                    (Number::Int, size, _) => {
                        self.emit(Op::Push(*value));
                        self.emit(Op::Fill { space, slot, size });
                    }
                }
                Ok(())
            }
            Statement::If(condition, yes, no) if no.is_empty() => {
                let mut end = Label::default();
                self.branch(condition, false, &mut end)?;
                self.block(yes, returns)?;
                self.bind(end);
                Ok(())
            }
            Statement::If(condition, yes, no) => self.choose(
                condition,
                |builder| builder.block(yes, returns),
                |builder| builder.block(no, returns),
            ),
            Statement::While(condition, body) => {
                let start = self.code.len();
                let mut end = Label::default();
                self.branch(condition, false, &mut end)?;
                self.block(body, returns)?;
                self.back(start);
                self.bind(end);
                Ok(())
            }
            Statement::DoWhile(body, condition) => {
                let start = self.code.len();
                let mut end = Label::default();
                self.block(body, returns)?;
                self.branch(condition, false, &mut end)?;
                self.back(start);
                self.bind(end);
                Ok(())
            }
            Statement::For { slot, range, body } => {
                self.repeat(*slot, *range, |builder| builder.block(body, returns))
            }
            Statement::Return(value) => self.give_back(value.as_ref(), returns),
            Statement::Assert(condition) => {
                self.push(condition)?;
                self.emit(Op::Assert);
                Ok(())
            }
        }
    }
}

/// Whether the value is that of a clock, shifted or not.
fn reads_clock(expr: &Expr) -> bool {
    match expr {
        Expr::Clock(_) | Expr::SetClock { .. } => true,
        Expr::Binary(binary) if binary.number == Number::Double => {
            reads_clock(&binary.left) || reads_clock(&binary.right)
        }
        _ => false,
    }
}
