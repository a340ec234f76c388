//! Compiling doubles, and clocks with values. Only for stochastic code.

use punctual_model::{
    AssignOp, AssignResult, BinaryOp, Builtin, ClockConstraint, ClockRef, Expr, Id, Index, Number,
    Place, Quantifier, Storage, UnaryOp,
};

use super::{
    builder::{Builder, Compiled, Label, small, unsupported},
    inspect::{known, known_real, number, resolve},
    op::{Compare, Keep, Op, RealSpace},
    real::is_arithmetic,
};

impl Builder<'_> {
    /// Pushes the value (or the values, of a block) of an expression that is a double.
    pub(super) fn push_real(&mut self, expr: &Expr) -> Compiled {
        if !self.stochastic {
            return unsupported(super::inspect::obstacle(expr));
        }
        if let Some(value) = known_real(self.network, expr) {
            self.emit_real(value);
            return Ok(());
        }
        match expr {
            Expr::Double(value) => self.emit_real(*value),
            Expr::Load(place) => {
                let (space, base) = self.locate_real(place);
                self.load_real(space, base, &place.indices, place.size)?;
            }
            Expr::Clock(clock) => self.load_clock(RealSpace::Clock, clock)?,
            Expr::ClockRate(clock) => self.load_clock(RealSpace::Rate, clock)?,
            Expr::ToDouble(inner) => self.push_number(inner)?,
            Expr::Unary(UnaryOp::Negate, _, inner) => {
                self.push_real(inner)?;
                self.emit(Op::NegateReal);
            }
            Expr::Binary(binary) if is_arithmetic(binary.op) => {
                self.push_number(&binary.left)?;
                self.push_number(&binary.right)?;
                self.emit(Op::BinaryReal(binary.op));
            }
            Expr::Binary(_) => return unsupported("an operator on bits of doubles"),
            Expr::Conditional(parts) => {
                let [condition, yes, no] = parts.as_ref();
                self.choose(
                    condition,
                    |builder| builder.push_number(yes),
                    |builder| builder.push_number(no),
                )?;
            }
            Expr::Assign { target, op, value, result } => {
                let keep = match result {
                    AssignResult::Old => Keep::Old,
                    AssignResult::New => Keep::New,
                };
                self.assign_real(target, *op, value, keep)?;
            }
            Expr::SetClock { clock, value } => self.set_clock_value(clock, value, Keep::New)?,
            Expr::Sequence(parts) => {
                self.effect(&parts[0])?;
                self.push_number(&parts[1])?;
            }
            Expr::Call { function, arguments } => self.call(*function, arguments)?,
            Expr::Builtin(builtin, arguments) => {
                self.push_arguments(arguments)?;
                self.emit(match builtin.is_random() {
                    true => Op::Draw(*builtin),
                    false => Op::Function(*builtin),
                });
            }
            Expr::Quantifier { quantifier: Quantifier::Sum, slot, range, body, .. } => {
                self.emit_real(0.0);
                self.repeat(*slot, *range, |builder| {
                    builder.push_number(body)?;
                    builder.emit(Op::BinaryReal(BinaryOp::Add));
                    Ok(())
                })?;
            }
            Expr::Int(_)
            | Expr::Unary(UnaryOp::Not, ..)
            | Expr::Quantifier { .. }
            | Expr::ClockConstraint(_)
            | Expr::InLocation(..)
            | Expr::Deadlock => unreachable!("{expr:?} is no double"),
        }
        Ok(())
    }

    /// Pushes an integer or a double as a double.
    pub(super) fn push_number(&mut self, expr: &Expr) -> Compiled {
        if number(self.network, expr) == Number::Double {
            return self.push_real(expr);
        }
        match known(self.network, expr) {
            Some(value) => self.emit_real(value.into()),
            None => {
                self.push(expr)?;
                self.emit(Op::ToReal);
            }
        }
        Ok(())
    }

    fn push_arguments(&mut self, arguments: &[Expr]) -> Compiled {
        arguments.iter().try_for_each(|argument| self.push_number(argument))
    }

    /// Pushes the integer that a function makes of doubles.
    pub(super) fn classify(&mut self, builtin: Builtin, arguments: &[Expr]) -> Compiled {
        self.push_arguments(arguments)?;
        self.emit(Op::Classify(builtin));
        Ok(())
    }

    fn emit_real(&mut self, value: f64) {
        let bits = value.to_bits();
        self.emit(Op::PushReal([(bits >> 32) as u32, bits as u32]));
    }

    /// The space of a place of doubles and its first slot there, before indices.
    pub(super) fn locate_real(&mut self, place: &Place) -> (RealSpace, u32) {
        self.touch(place);
        let space = match place.storage {
            Storage::Constant => RealSpace::Constant,
            Storage::State => RealSpace::State,
            Storage::Meta => RealSpace::Meta,
            Storage::Local => RealSpace::Local,
        };
        (space, place.base)
    }

    fn load_clock(&mut self, space: RealSpace, clock: &ClockRef) -> Compiled {
        self.load_real(space, clock.base.index() as u32, &clock.indices, 1)
    }

    fn load_real(&mut self, space: RealSpace, base: u32, indices: &[Index], size: u32) -> Compiled {
        let (at, rest) = resolve(self.network, base, indices);
        if size != 1 {
            self.address(base, indices)?;
            self.emit(Op::FetchReals { space, size });
        } else if rest.is_empty() {
            self.emit(Op::LoadReal { space, slot: at });
        } else if let ([index], Some((stride, lo, len))) = (rest.as_slice(), small(rest[0])) {
            self.push(&index.value)?;
            self.emit(Op::LoadRealAt { space, stride, lo, len, base: at });
        } else {
            self.address(base, indices)?;
            self.emit(Op::FetchReal { space });
        }
        Ok(())
    }

    pub(super) fn assign_real(
        &mut self,
        target: &Place,
        op: AssignOp,
        value: &Expr,
        keep: Keep,
    ) -> Compiled {
        let (space, base) = self.locate_real(target);
        if space == RealSpace::Constant {
            return unsupported("an assignment to a constant");
        }
        if target.size != 1 {
            if op != AssignOp::Set || keep == Keep::Old {
                return unsupported("an operator on whole arrays");
            }
            self.push_real(value)?;
            self.address(base, &target.indices)?;
            let keep = keep == Keep::New;
            self.emit(Op::StoreReals { space, keep, size: target.size });
            return Ok(());
        }
        self.push_number(value)?;
        match op {
            AssignOp::Set => self.store_real(space, base, &target.indices, keep),
            AssignOp::Combine(op) if is_arithmetic(op) => {
                self.address(base, &target.indices)?;
                self.emit(Op::CombineReal { space, keep, op });
                Ok(())
            }
            AssignOp::Combine(_) => unsupported("an operator on bits of doubles"),
        }
    }

    /// Stores the topmost double.
    fn store_real(
        &mut self,
        space: RealSpace,
        base: u32,
        indices: &[Index],
        keep: Keep,
    ) -> Compiled {
        let (at, rest) = resolve(self.network, base, indices);
        if rest.is_empty() && keep == Keep::Nothing {
            self.emit(Op::SetReal { space, slot: at });
        } else {
            self.address(base, indices)?;
            self.emit(Op::StoreReal { space, keep });
        }
        Ok(())
    }

    /// Pops an argument into its place.
    pub(super) fn take_reals(&mut self, place: &Place) {
        let (space, slot) = self.locate_real(place);
        if place.size == 1 {
            self.emit(Op::SetReal { space, slot });
        } else {
            self.emit(Op::Push(slot as i32));
            self.emit(Op::StoreReals { space, keep: false, size: place.size });
        }
    }

    /// Sets a clock to a value, at once.
    pub(super) fn set_clock_value(
        &mut self,
        clock: &ClockRef,
        value: &Expr,
        keep: Keep,
    ) -> Compiled {
        let base = clock.base.index() as u32;
        let (at, rest) = resolve(self.network, base, &clock.indices);
        let constant = known(self.network, value);
        if let (Some(value), true, Keep::Nothing) = (constant, rest.is_empty(), keep) {
            self.emit(Op::PutClock { clock: at, value });
            return Ok(());
        }
        self.push_number(value)?;
        self.store_real(RealSpace::Clock, base, &clock.indices, keep)
    }

    /// Goes to the label if the truth of a comparison of doubles is `sense`.
    pub(super) fn branch_reals(
        &mut self,
        compare: Compare,
        (left, right): (&Expr, &Expr),
        sense: bool,
        label: &mut Label,
    ) -> Compiled {
        self.push_number(left)?;
        self.push_number(right)?;
        self.jump(Op::JumpReal { compare: compare.sense(sense), skip: 0 }, label);
        Ok(())
    }

    /// Goes to the label if the truth of a double is `sense`.
    pub(super) fn branch_real(&mut self, expr: &Expr, sense: bool, label: &mut Label) -> Compiled {
        self.branch_reals(Compare::UNEQUAL, (expr, &Expr::Int(0)), sense, label)
    }

    /// Goes to the label if whether a clock constraint holds is `sense`.
    pub(super) fn branch_clocks(
        &mut self,
        constraint: &ClockConstraint,
        sense: bool,
        label: &mut Label,
    ) -> Compiled {
        // Where the constraint does not count, it holds.
        let mut holds = Label::default();
        if let Some(when) = &constraint.when {
            self.branch(when, false, &mut holds)?;
        }
        let compare = Compare::from_relation(constraint.relation).sense(sense);
        match self.simple(constraint) {
            Some((clock, value)) => {
                self.jump(Op::JumpClock { compare, value, clock, skip: 0 }, label);
            }
            None => {
                match &constraint.left {
                    Some(left) => self.load_clock(RealSpace::Clock, left)?,
                    None => self.emit_real(0.0),
                }
                if let Some(right) = &constraint.right {
                    self.load_clock(RealSpace::Clock, right)?;
                    self.emit(Op::BinaryReal(BinaryOp::Subtract));
                }
                self.push_number(&constraint.bound)?;
                self.jump(Op::JumpReal { compare, skip: 0 }, label);
            }
        }
        if sense {
            label.join(holds);
        } else {
            self.bind(holds);
        }
        Ok(())
    }
    /// The clock and the bound, if a constraint is that of one clock by a small, known integer.
    fn simple(&self, constraint: &ClockConstraint) -> Option<(u32, i16)> {
        let (Some(left), None) = (&constraint.left, &constraint.right) else { return None };
        let (at, rest) = resolve(self.network, left.base.index() as u32, &left.indices);
        let bound = known(self.network, &constraint.bound)?;
        rest.is_empty().then_some((at, i16::try_from(bound).ok()?))
    }
}
