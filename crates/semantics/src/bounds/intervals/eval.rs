//! Evaluates expressions and statements over intervals.
//!
//! The value is an interval with every value that the expression can have. What an expression
//! assigns is stored, and makes void what was known of it.

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Builtin, ClockConstraint, ClockRef, Expr, Function,
    FunctionBody, FunctionId, Id, Index, Number, Place, Quantifier, Range, ReturnType, Statement,
    UnaryOp,
};

use super::{Interval, Intervals};

impl Intervals<'_> {
    /// Every value that the expression can have, with what it stores. Doubles can be anything.
    pub(in crate::bounds) fn eval(&mut self, expr: &Expr, frame: usize) -> Interval {
        match expr {
            Expr::Int(value) => Interval::one((*value).into()),
            Expr::Double(_) => Interval::ALL,
            Expr::InLocation(..) | Expr::Deadlock => Interval::BOOL,
            Expr::Load(place) if place.number == Number::Int && place.indices.is_empty() => {
                let start = self.cell(place, frame);
                let cells = start..start + place.size as usize;
                cells.fold(Interval::EMPTY, |all, cell| all.join(self.load(cell)))
            }
            Expr::Load(place) => {
                let starts = self.indices(self.cell(place, frame), &place.indices, frame);
                if place.number == Number::Double {
                    return Interval::ALL;
                }
                let cells = starts.iter().flat_map(|start| *start..start + place.size as usize);
                cells.fold(Interval::EMPTY, |all, cell| all.join(self.load(cell)))
            }
            Expr::Clock(clock) | Expr::ClockRate(clock) => {
                self.indices(0, &clock.indices, frame);
                Interval::ALL
            }
            Expr::ToDouble(inner) => {
                self.eval(inner, frame);
                Interval::ALL
            }
            Expr::Unary(op, number, inner) => {
                let inner = self.eval(inner, frame);
                match (op, number) {
                    (UnaryOp::Negate, Number::Int) => inner.negate(),
                    (UnaryOp::Not, Number::Int) => inner.not(),
                    (UnaryOp::Negate, Number::Double) => Interval::ALL,
                    (UnaryOp::Not, Number::Double) => Interval::BOOL,
                }
            }
            Expr::Binary(binary) => self.binary(binary, frame),
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                let truth = self.eval(condition, frame);
                let mut value = Interval::EMPTY;
                for (possible, is, part) in
                    [(truth.may_be_true(), true, then), (truth.may_be_false(), false, otherwise)]
                {
                    let scope = self.enter();
                    if possible && self.refine(condition, is, frame) {
                        value = value.join(self.eval(part, frame));
                    }
                    self.leave(scope);
                }
                value
            }
            Expr::Assign { target, op, value, result } => {
                self.assign(target, *op, value, *result, frame)
            }
            Expr::SetClock { clock, value } => {
                self.eval(value, frame);
                self.indices(0, &clock.indices, frame);
                Interval::ALL
            }
            Expr::Sequence(parts) => {
                self.eval(&parts[0], frame);
                self.eval(&parts[1], frame)
            }
            Expr::Call { function, arguments } => self.call(*function, arguments, frame),
            Expr::Builtin(builtin, arguments) => {
                let mut last = Interval::ALL;
                for argument in arguments {
                    last = self.eval(argument, frame);
                }
                if *builtin == Builtin::Abs { last.abs() } else { Interval::ALL }
            }
            Expr::Quantifier { quantifier, slot, range, number, body } => {
                self.store(frame + *slot as usize, (*range).into(), Interval::ALL);
                let mut value = Interval::EMPTY;
                if !range.is_empty() {
                    self.repeat(|this| value = value.join(this.eval(body, frame)));
                }
                let times = Interval::one(range.len() as i64);
                match quantifier {
                    Quantifier::Sum if *number == Number::Double => Interval::ALL,
                    Quantifier::Sum if range.is_empty() => Interval::one(0),
                    Quantifier::Sum => Interval::binary(BinaryOp::Multiply, value, times),
                    Quantifier::Forall if range.is_empty() => Interval::one(1),
                    Quantifier::Exists if range.is_empty() => Interval::one(0),
                    Quantifier::Forall | Quantifier::Exists => value.truth(),
                }
            }
            Expr::ClockConstraint(constraint) => {
                self.constraint(constraint, frame);
                Interval::BOOL
            }
        }
    }

    fn binary(&mut self, binary: &Binary, frame: usize) -> Interval {
        let left = self.eval(&binary.left, frame);
        // `And`, `Or` and `Imply` look at their right side only where it counts.
        let looks = match binary.op {
            BinaryOp::And | BinaryOp::Imply => Some((true, left.may_be_true())),
            BinaryOp::Or => Some((false, left.may_be_false())),
            _ => None,
        };
        if let Some((is, possible)) = looks {
            let scope = self.enter();
            let possible = possible && self.refine(&binary.left, is, frame);
            let right = if possible { self.eval(&binary.right, frame) } else { Interval::EMPTY };
            self.leave(scope);
            let alone = match binary.op {
                BinaryOp::And if left.may_be_false() => Interval::one(0),
                BinaryOp::Or if left.may_be_true() => Interval::one(1),
                BinaryOp::Imply if left.may_be_false() => Interval::one(1),
                _ => Interval::EMPTY,
            };
            return alone.join(right.truth());
        }
        let right = self.eval(&binary.right, frame);
        match (binary.number, binary.size) {
            (Number::Int, 0 | 1) => Interval::binary(binary.op, left, right),
            _ if binary.op.is_truth() => Interval::BOOL,
            _ => Interval::ALL,
        }
    }

    fn assign(
        &mut self,
        target: &Place,
        op: AssignOp,
        value: &Expr,
        result: AssignResult,
        frame: usize,
    ) -> Interval {
        if target.number == Number::Double {
            self.indices(0, &target.indices, frame);
            self.eval(value, frame);
            return Interval::ALL;
        }
        if target.size > 1 {
            let values = self.block(value, target.size, frame);
            for start in self.indices(self.cell(target, frame), &target.indices, frame) {
                for (cell, value) in (start..).zip(&values) {
                    self.store(cell, *value, Interval::ALL);
                }
            }
            return Interval::ALL;
        }
        let mut operand = self.eval(value, frame);
        let kills = self.kills.len();
        let cells = self.indices(self.cell(target, frame), &target.indices, frame);
        if self.kills.len() > kills {
            // The index has effects, and which of the two comes first shall not matter.
            operand = operand.join(self.eval(value, frame));
        }
        let range = target.range.into();
        let mut given = Interval::EMPTY;
        for cell in cells {
            let old = self.load(cell);
            let new = match op {
                AssignOp::Set => operand,
                AssignOp::Combine(op) => Interval::binary(op, old, operand),
            };
            self.store(cell, new, range);
            given = given.join(match result {
                AssignResult::New => new.meet(range),
                AssignResult::Old => old,
            });
        }
        given
    }

    /// The slots of a whole array or structure.
    fn block(&mut self, expr: &Expr, size: u32, frame: usize) -> Vec<Interval> {
        let size = size as usize;
        match expr {
            Expr::Load(place) if place.number == Number::Int => {
                let mut block = vec![Interval::EMPTY; size];
                for start in self.indices(self.cell(place, frame), &place.indices, frame) {
                    for (slot, cell) in block.iter_mut().zip(start..) {
                        *slot = slot.join(self.load(cell));
                    }
                }
                block
            }
            Expr::Conditional(parts) => {
                self.eval(&parts[0], frame);
                let mut block = vec![Interval::EMPTY; size];
                for part in &parts[1..] {
                    let scope = self.enter();
                    let part = self.block(part, size as u32, frame);
                    self.leave(scope);
                    block.iter_mut().zip(part).for_each(|(slot, part)| *slot = slot.join(part));
                }
                block
            }
            _ => vec![self.eval(expr, frame); size],
        }
    }

    fn call(&mut self, id: FunctionId, arguments: &[Expr], frame: usize) -> Interval {
        let network = self.network;
        let function = &network.functions[id];
        let own = self.function_frame(id, frame);
        let mut values = Vec::with_capacity(arguments.len());
        for (param, argument) in function.params.iter().zip(arguments) {
            values.push(match param.place.size {
                0 | 1 => vec![self.eval(argument, frame)],
                size => self.block(argument, size, frame),
            });
        }
        for (param, values) in function.params.iter().zip(values) {
            if param.place.number == Number::Int {
                let start = self.cell(&param.place, own);
                let scalar = param.place.size <= 1;
                let range = if scalar { param.place.range } else { Range::ALL };
                for (cell, value) in (start..).zip(values) {
                    self.store(cell, value, range.into());
                }
            }
        }
        if function.shares_frame {
            self.body(id, function, own);
        }
        if self.impure[id.index()] {
            self.forget_shared();
        }
        match (&function.body, &function.returns) {
            (FunctionBody::External { .. }, ReturnType::Int(range)) => (*range).into(),
            (FunctionBody::External { .. }, _) => Interval::ALL,
            (_, ReturnType::Int(_) | ReturnType::Block(Number::Int, _)) => {
                self.cells[self.returns + id.index()]
            }
            _ => Interval::ALL,
        }
    }

    pub(super) fn body(&mut self, id: FunctionId, function: &Function, frame: usize) {
        if let FunctionBody::Statements(statements) = &function.body {
            let scope = self.enter();
            self.statements(id, statements, frame);
            self.leave(scope);
        }
    }

    fn statements(&mut self, id: FunctionId, statements: &[Statement], frame: usize) {
        for statement in statements {
            match statement {
                Statement::Expr(expr) | Statement::Assert(expr) => {
                    self.eval(expr, frame);
                }
                Statement::Clear { place, value } => self.clear(place, *value, frame),
                Statement::If(condition, then, otherwise) => {
                    let truth = self.eval(condition, frame);
                    for (possible, is, part) in [
                        (truth.may_be_true(), true, then),
                        (truth.may_be_false(), false, otherwise),
                    ] {
                        let scope = self.enter();
                        if possible && self.refine(condition, is, frame) {
                            self.statements(id, part, frame);
                        }
                        self.leave(scope);
                    }
                }
                Statement::While(condition, body) => self.repeat(|this| {
                    if this.eval(condition, frame).may_be_true()
                        && this.refine(condition, true, frame)
                    {
                        this.statements(id, body, frame);
                    }
                }),
                Statement::DoWhile(body, condition) => self.repeat(|this| {
                    this.statements(id, body, frame);
                    this.eval(condition, frame);
                }),
                Statement::For { slot, range, body } => {
                    self.store(frame + *slot as usize, (*range).into(), Interval::ALL);
                    if !range.is_empty() {
                        self.repeat(|this| this.statements(id, body, frame));
                    }
                }
                Statement::Return(None) => {}
                Statement::Return(Some(expr)) => {
                    let value = self.eval(expr, frame);
                    let range = match self.network.functions[id].returns {
                        ReturnType::Int(range) => range.into(),
                        _ => Interval::ALL,
                    };
                    self.store(self.returns + id.index(), value, range);
                }
            }
        }
    }

    /// All slots of a place get this value.
    pub(in crate::bounds) fn clear(&mut self, place: &Place, value: i32, frame: usize) {
        if place.number == Number::Int {
            let start = self.cell(place, frame);
            for cell in start..start + place.size as usize {
                self.store(cell, Interval::one(value.into()), Interval::ALL);
            }
        }
    }

    /// Evaluates what may happen any number of times.
    fn repeat(&mut self, mut body: impl FnMut(&mut Self)) {
        loop {
            let before = self.known.len();
            let scope = self.enter();
            body(self);
            self.leave(scope);
            if self.known.len() == before {
                return;
            }
        }
    }

    /// The bound of a constraint; empty if it never counts.
    pub(in crate::bounds) fn constraint(
        &mut self,
        constraint: &ClockConstraint,
        frame: usize,
    ) -> Interval {
        let scope = self.enter();
        let counts = constraint.when.as_ref().is_none_or(|when| {
            self.eval(when, frame).may_be_true() && self.refine(when, true, frame)
        });
        for clock in constraint.clocks() {
            self.indices(0, &clock.indices, frame);
        }
        let bound = self.number(&constraint.bound, frame);
        self.leave(scope);
        if counts { bound } else { Interval::EMPTY }
    }

    /// The integers around a number, which may be a double that was an integer or is constant.
    /// [`Interval::EMPTY`] if nothing is known of it.
    pub(in crate::bounds) fn number(&mut self, expr: &Expr, frame: usize) -> Interval {
        match expr {
            Expr::Double(value) => Interval { lo: value.floor() as i64, hi: value.ceil() as i64 },
            Expr::ToDouble(inner) => self.eval(inner, frame),
            Expr::Unary(UnaryOp::Negate, Number::Double, inner) => {
                self.number(inner, frame).negate()
            }
            Expr::Binary(binary) if binary.number == Number::Double => {
                self.eval(expr, frame);
                Interval::EMPTY
            }
            _ => self.eval(expr, frame),
        }
    }

    /// The clocks that a reference can mean.
    pub(in crate::bounds) fn clocks(&mut self, clock: &ClockRef, frame: usize) -> Vec<u32> {
        let clocks = self.indices(clock.base.index(), &clock.indices, frame);
        clocks.into_iter().map(|clock| clock as u32).collect()
    }

    /// Where the indices can lead from the base. Illegal indices lead nowhere.
    pub(in crate::bounds) fn indices(
        &mut self,
        base: usize,
        indices: &[Index],
        frame: usize,
    ) -> Vec<usize> {
        let mut found = vec![base];
        for index in indices {
            let len = i64::from(index.len);
            let legal = Interval { lo: index.lo.into(), hi: i64::from(index.lo) + len - 1 };
            let values = self.eval(&index.value, frame).meet(legal);
            let stride = index.stride as usize;
            let offset = |value: i64| (value - legal.lo) as usize * stride;
            found = match values.is_empty() {
                true => Vec::new(),
                false => found
                    .iter()
                    .flat_map(|at| (values.lo..=values.hi).map(move |value| at + offset(value)))
                    .collect(),
            };
        }
        found
    }
}
