//! Compiling what has a value.

use punctual_model::{
    Binary, BinaryOp, Builtin, Expr, Number, Place, Quantifier, Range, ReturnType, UnaryOp,
};

use super::{
    builder::{Builder, Compiled, Label, small, unsupported},
    inspect::{comparison, has_effects, known, number, obstacle, resolve, short_circuits},
    op::{Compare, Keep, Op, Space},
};

impl Builder<'_> {
    /// Pushes the value (or the values, of a block) of an integer expression.
    pub(super) fn push(&mut self, expr: &Expr) -> Compiled {
        if number(self.network, expr) == Number::Double {
            return unsupported(obstacle(expr));
        }
        if let Some(value) = known(self.network, expr) {
            self.emit(Op::Push(value));
            return Ok(());
        }
        if let Some((compare, slot, value)) = comparison(self.network, expr) {
            self.emit(Op::CompareState { compare, slot, value });
            return Ok(());
        }
        match expr {
            Expr::Int(value) => self.emit(Op::Push(*value)),
            Expr::Load(place) => self.load(place)?,
            Expr::Unary(UnaryOp::Not, Number::Double, _) if self.stochastic => self.truth(expr)?,
            Expr::Unary(op, _, inner) => {
                self.push(inner)?;
                self.emit(match op {
                    UnaryOp::Negate => Op::Negate,
                    UnaryOp::Not => Op::Not,
                });
            }
            Expr::Binary(binary) if binary.number == Number::Double && !self.stochastic => {
                return unsupported(obstacle(expr));
            }
            Expr::Binary(binary) if short_circuits(binary.op) => self.truth(expr)?,
            Expr::Binary(binary) if binary.number == Number::Double => {
                self.compare_reals(binary)?
            }
            Expr::Binary(binary) => {
                self.push(&binary.left)?;
                self.push(&binary.right)?;
                self.emit(match binary.size {
                    1 => Op::Binary(binary.op),
                    size => Op::CompareBlocks { equal: binary.op == BinaryOp::Equal, size },
                });
            }
            Expr::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                let (mut otherwise, mut end) = (Label::default(), Label::default());
                self.branch(condition, false, &mut otherwise)?;
                self.push(yes)?;
                self.jump(Op::Jump(0), &mut end);
                self.bind(otherwise);
                self.push(no)?;
                self.bind(end);
            }
            Expr::Assign { target, op, value, result } => {
                let keep = match result {
                    punctual_model::AssignResult::Old => Keep::Old,
                    punctual_model::AssignResult::New => Keep::New,
                };
                self.assign(target, *op, value, keep)?;
            }
            Expr::Sequence(parts) => {
                self.effect(&parts[0])?;
                self.push(&parts[1])?;
            }
            Expr::Call { function, arguments } => self.call(*function, arguments)?,
            Expr::Builtin(Builtin::Abs, arguments) => {
                self.push(&arguments[0])?;
                self.emit(Op::Abs);
            }
            Expr::Quantifier { quantifier: Quantifier::Sum, slot, range, body, .. } => {
                self.emit(Op::Push(0));
                self.repeat(*slot, *range, |builder| {
                    builder.push(body)?;
                    builder.emit(Op::Binary(BinaryOp::Add));
                    Ok(())
                })?;
            }
            Expr::Quantifier { .. } => self.truth(expr)?,
            Expr::ClockConstraint(_) if self.stochastic => self.truth(expr)?,
            Expr::Builtin(builtin, arguments) if self.stochastic => {
                self.classify(*builtin, arguments)?;
            }
            Expr::ClockConstraint(_) => return unsupported("a clock constraint used as a number"),
            Expr::Deadlock => return unsupported("deadlock"),
            Expr::Builtin(..)
            | Expr::Double(_)
            | Expr::Clock(_)
            | Expr::ClockRate(_)
            | Expr::ToDouble(_)
            | Expr::SetClock { .. }
            | Expr::InLocation(..) => return unsupported(obstacle(expr)),
        }
        Ok(())
    }

    /// Pushes 1 or 0, by way of jumps.
    fn truth(&mut self, expr: &Expr) -> Compiled {
        let (mut no, mut end) = (Label::default(), Label::default());
        self.branch(expr, false, &mut no)?;
        self.emit(Op::Push(1));
        self.jump(Op::Jump(0), &mut end);
        self.bind(no);
        self.emit(Op::Push(0));
        self.bind(end);
        Ok(())
    }

    /// Pushes whether doubles compare as an operator says.
    fn compare_reals(&mut self, binary: &Binary) -> Compiled {
        let (left, right) = (&binary.left, &binary.right);
        match Compare::of(binary.op) {
            Some(_) if binary.size != 1 => {
                self.push_real(left)?;
                self.push_real(right)?;
                let equal = binary.op == BinaryOp::Equal;
                self.emit(Op::CompareReals { equal, size: binary.size });
            }
            Some(compare) => {
                self.push_number(left)?;
                self.push_number(right)?;
                self.emit(Op::CompareReal(compare));
            }
            None => return unsupported("a double used as a truth value"),
        }
        Ok(())
    }

    /// Goes to the label if the truth of a number is `sense`.
    pub(super) fn branch(&mut self, expr: &Expr, sense: bool, label: &mut Label) -> Compiled {
        if let Some(value) = known(self.network, expr) {
            if (value != 0) == sense {
                self.jump(Op::Jump(0), label);
            }
            return Ok(());
        }
        if let Some((compare, slot, value)) = comparison(self.network, expr) {
            match i16::try_from(value) {
                Ok(value) => {
                    let compare = compare.sense(sense);
                    self.jump(Op::JumpState { compare, value, slot, skip: 0 }, label);
                }
                Err(_) => {
                    self.emit(Op::CompareState { compare, slot, value });
                    self.jump(Op::JumpIf { sense, skip: 0 }, label);
                }
            }
            return Ok(());
        }
        match expr {
            Expr::Unary(UnaryOp::Not, number, inner)
                if self.stochastic || *number == Number::Int =>
            {
                return self.branch(inner, !sense, label);
            }
            Expr::ClockConstraint(constraint) if self.stochastic => {
                return self.branch_clocks(constraint, sense, label);
            }
            Expr::Binary(binary) if self.stochastic || binary.number == Number::Int => {
                let (left, right) = (&binary.left, &binary.right);
                match (binary.op, Compare::of(binary.op)) {
                    // What decides the whole on the left, and what it decides.
                    (BinaryOp::And, _) => {
                        return self.either((left, false), (right, false), !sense, label);
                    }
                    (BinaryOp::Or, _) => {
                        return self.either((left, true), (right, true), sense, label);
                    }
                    (BinaryOp::Imply, _) => {
                        return self.either((left, false), (right, true), sense, label);
                    }
                    (_, Some(compare)) if binary.size == 1 && binary.number == Number::Double => {
                        return self.branch_reals(compare, (left, right), sense, label);
                    }
                    (_, Some(compare)) if binary.size == 1 => {
                        self.push(left)?;
                        self.push(right)?;
                        let compare = compare.sense(sense);
                        self.jump(Op::JumpCompare { compare, skip: 0 }, label);
                        return Ok(());
                    }
                    _ => {}
                }
            }
            Expr::Quantifier { quantifier, slot, range, body, .. }
                if *quantifier != Quantifier::Sum =>
            {
                // A body of this truth decides.
                let decisive = *quantifier == Quantifier::Exists;
                let mut decided = Label::default();
                self.repeat(*slot, *range, |builder| builder.branch(body, decisive, &mut decided))?;
                if decisive == sense {
                    label.join(decided);
                } else {
                    self.jump(Op::Jump(0), label);
                    self.bind(decided);
                }
                return Ok(());
            }
            _ => {}
        }
        if self.stochastic && number(self.network, expr) == Number::Double {
            return self.branch_real(expr, sense, label);
        }
        self.push(expr)?;
        self.jump(Op::JumpIf { sense, skip: 0 }, label);
        Ok(())
    }

    /// Goes to the label if whether one of two expressions has its truth is `sense`. The second is
    /// evaluated only if the first has not.
    fn either(
        &mut self,
        (left, left_truth): (&Expr, bool),
        (right, right_truth): (&Expr, bool),
        sense: bool,
        label: &mut Label,
    ) -> Compiled {
        if sense {
            self.branch(left, left_truth, label)?;
            self.branch(right, right_truth, label)
        } else {
            let mut skip = Label::default();
            self.branch(left, left_truth, &mut skip)?;
            self.branch(right, !right_truth, label)?;
            self.bind(skip);
            Ok(())
        }
    }

    /// The body for each value of the range in a slot of the frame.
    pub(super) fn repeat(
        &mut self,
        slot: u32,
        range: Range,
        body: impl FnOnce(&mut Self) -> Compiled,
    ) -> Compiled {
        self.touch_slot(slot);
        if range.is_empty() {
            return Ok(());
        }
        self.emit(Op::PutLocal { slot, value: range.lo });
        let start = self.code.len();
        body(self)?;
        self.emit(Op::Next { slot, hi: range.hi });
        self.back(start);
        Ok(())
    }

    fn load(&mut self, place: &Place) -> Compiled {
        let (space, base) = self.locate(place);
        let (at, rest) = resolve(self.network, base, &place.indices);
        if place.size != 1 {
            self.address(base, &place.indices)?;
            self.emit(Op::FetchBlock { space, size: place.size });
        } else if rest.is_empty() {
            self.emit(match space {
                Space::State => Op::LoadState(at),
                Space::Local => Op::LoadLocal(at),
                Space::Meta | Space::Constant => Op::Load { space, slot: at },
            });
        } else if let ([index], Some((stride, lo, len))) = (rest.as_slice(), small(rest[0])) {
            self.push(&index.value)?;
            self.emit(Op::LoadAt { space, stride, lo, len, base: at });
        } else {
            self.address(base, &place.indices)?;
            self.emit(Op::Fetch { space });
        }
        Ok(())
    }

    /// Calls a function; pushes its value, unless that is made of doubles and these are left out.
    pub(super) fn call(&mut self, id: punctual_model::FunctionId, arguments: &[Expr]) -> Compiled {
        let function = &self.network.functions[id];
        for (argument, param) in arguments.iter().zip(&function.params) {
            match param.place.number {
                Number::Double if self.stochastic => self.push_number(argument)?,
                Number::Double if has_effects(self.network, argument) => {
                    return unsupported("a double with side effects");
                }
                Number::Double => {}
                Number::Int => {
                    self.push(argument)?;
                    let fits = known(self.network, argument)
                        .is_some_and(|value| param.place.range.contains(value));
                    if param.place.size == 1 && !fits {
                        self.check(param.place.range);
                    }
                }
            }
        }
        self.calls.push(id);
        self.emit(Op::Call(punctual_model::Id::index(id) as u32));
        Ok(())
    }

    /// Ends a function.
    pub(super) fn give_back(&mut self, value: Option<&Expr>, returns: &ReturnType) -> Compiled {
        match (value, returns) {
            (None, ReturnType::Void) => {}
            (None, _) => {
                self.emit(Op::NoReturn);
                return Ok(());
            }
            (Some(value), ReturnType::Int(range)) => {
                self.push(value)?;
                self.check(*range);
            }
            (Some(value), ReturnType::Block(Number::Int, _)) => self.push(value)?,
            (Some(value), ReturnType::Double | ReturnType::Block(Number::Double, _))
                if self.stochastic =>
            {
                self.push_number(value)?;
            }
            (Some(value), _) => self.effect(value)?,
        }
        self.emit(Op::Return);
        Ok(())
    }
}
