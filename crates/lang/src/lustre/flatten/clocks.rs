//! Clocks: conditions under which something takes part in a step.
//!
//! `pre` and `->` count the steps of the clock they are on. On a clock that is not always there,
//! memory keeps its value while the clock is absent, and the first step is remembered.

use punctual_model::{
    ExprId,
    lustre::{BinaryOp, Expr, Type, UnaryOp, Value},
};

use super::{Flattener, Frame, Origin, Row};
use crate::{
    Span,
    diagnostic::Diagnostic,
    lustre::ast::{Ex, ExKind, Ident, SampledBy, Sampling, for_each_child},
};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ClockId(u32);

impl ClockId {
    pub(super) const BASE: ClockId = ClockId(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// The clock that it is a part of.
    parent: Option<ClockId>,
    /// When it is there, if the parent is.
    condition: Option<ExprId>,
    /// When it is there; always, if nothing is said.
    pub(super) active: Option<ExprId>,
    /// Whether this is its first step, once somebody has asked.
    first: Option<ExprId>,
    /// When it starts anew.
    restart: Option<ExprId>,
}

impl Clock {
    pub(super) fn base(first: ExprId) -> Self {
        Self { parent: None, condition: None, active: None, first: Some(first), restart: None }
    }
}

impl Flattener<'_, '_> {
    /// Whether a clock has a value.
    pub(super) fn condition(&mut self, row: &Row, value: Value) -> ExprId {
        let Some(on) = row.first().copied() else { return self.builder.truth(true) };
        match value {
            Value::Bool(true) => on,
            Value::Bool(false) => self.builder.unary(UnaryOp::Not, on),
            value => {
                let value = self.builder.constant(value);
                self.builder.binary(BinaryOp::Eq, on, value)
            }
        }
    }

    /// The part of a clock at which a condition holds.
    pub(super) fn sampled(&mut self, parent: ClockId, condition: ExprId) -> ClockId {
        if let Some(clock) = self.clock_ids.get(&(parent, condition)) {
            return *clock;
        }
        let (above, restart) = {
            let parent = &self.clocks[parent.index()];
            (parent.active, parent.restart)
        };
        let active = match above {
            Some(above) => self.builder.binary(BinaryOp::And, above, condition),
            None => condition,
        };
        let clock = ClockId(self.clocks.len() as u32);
        self.clocks.push(Clock {
            parent: Some(parent),
            condition: Some(condition),
            active: Some(active),
            first: None,
            restart,
        });
        self.clock_ids.insert((parent, condition), clock);
        clock
    }

    /// The same clock, on which everything starts anew under a condition.
    pub(super) fn restarted(&mut self, clock: ClockId, condition: ExprId) -> ClockId {
        let first = self.first(clock);
        let first = self.builder.binary(BinaryOp::Or, condition, first);
        let (active, above) = {
            let clock = &self.clocks[clock.index()];
            (clock.active, clock.restart)
        };
        let mut restart = match active {
            Some(active) => self.builder.binary(BinaryOp::And, active, condition),
            None => condition,
        };
        if let Some(above) = above {
            restart = self.builder.binary(BinaryOp::Or, above, restart);
        }
        let id = ClockId(self.clocks.len() as u32);
        let (first, restart) = (Some(first), Some(restart));
        self.clocks.push(Clock { parent: Some(clock), condition: None, active, first, restart });
        id
    }

    /// Whether this is the first step of a clock.
    pub(super) fn first(&mut self, clock: ClockId) -> ExprId {
        let Clock { active, first, restart, .. } = self.clocks[clock.index()];
        if let Some(first) = first {
            return first;
        }
        let origin = (Span::default(), Origin::Held);
        let name = "not started".to_owned();
        let (memory, held) = self.builder.memory(name, Type::Bool, Some(Value::Bool(true)), origin);
        let first = match restart {
            Some(restart) => self.builder.binary(BinaryOp::Or, restart, held),
            None => held,
        };
        let started = self.builder.truth(false);
        let next = match active {
            Some(active) => self.builder.if_else(active, started, first),
            None => started,
        };
        self.builder.memory[memory].next = next;
        self.clocks[clock.index()].first = Some(first);
        first
    }

    /// The value that something had in the step of the clock before.
    pub(super) fn pre(
        &mut self,
        clock: ClockId,
        value: ExprId,
        ty: Type,
        name: impl FnOnce(&Self) -> String,
        span: Span,
    ) -> ExprId {
        if let Some(pre) = self.pres.get(&(value, clock)) {
            return *pre;
        }
        let name = match self.builder.exprs[value] {
            Expr::Var(var) => self.builder.vars[var].name.clone(),
            _ => name(self),
        };
        let (memory, pre) = self.builder.memory(name, ty, None, (span, Origin::Pre));
        self.builder.memory[memory].next = match self.clocks[clock.index()].active {
            Some(active) => self.builder.if_else(active, value, pre),
            None => value,
        };
        self.pres.insert((value, clock), pre);
        pre
    }

    /// A value that is new when a condition holds, and else what it was before.
    pub(super) fn held(
        &mut self,
        clock: ClockId,
        condition: ExprId,
        value: (ExprId, Type),
        before: Option<ExprId>,
        place: (String, Span),
    ) -> ExprId {
        let (now, ty) = value;
        let (name, span) = place;
        let (memory, kept) = self.builder.memory(name, ty, None, (span, Origin::Held));
        let otherwise = match before {
            Some(before) => {
                let first = self.first(clock);
                self.builder.if_else(first, before, kept)
            }
            None => kept,
        };
        let value = self.builder.if_else(condition, now, otherwise);
        self.builder.memory[memory].next = match self.clocks[clock.index()].active {
            Some(active) => self.builder.if_else(active, value, kept),
            None => value,
        };
        value
    }

    /// The clock that a sampling makes, and the one it is a part of.
    fn sampling(
        &mut self,
        frame: &Frame,
        on: Ident,
        value: SampledBy,
    ) -> Option<(ClockId, ClockId, ExprId)> {
        let node = &self.checked.nodes[frame.node?];
        let index = *node.by_name.get(&on.name)? as usize;
        let value = match value {
            SampledBy::Truth(truth) => Value::Bool(truth),
            SampledBy::Value(name) => {
                let text = self.text(name.name);
                let values = self.checked.types.enums.iter().map(|it| &it.values);
                let place = values.flat_map(|it| it.iter().enumerate()).find(|it| it.1 == text)?.0;
                Value::Enum(place as u32)
            }
        };
        let condition = self.condition(&frame.rows[index], value);
        let parent = frame.clocks[index];
        Some((parent, self.sampled(parent, condition), condition))
    }

    /// `e when c`.
    pub(super) fn when(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        ex: Ex,
        (inner, sampling): (Ex, Sampling),
    ) -> Row {
        match self.sampling(frame, sampling.on, sampling.value) {
            Some((parent, own, _)) if own == clock => self.row(frame, parent, inner),
            _ => {
                self.wrong_clock(ex, "this is there only when its clock is");
                self.filler(self.checked.ty(ex))
            }
        }
    }

    /// `merge c (true -> a) (false -> b)`.
    pub(super) fn merge(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        ex: Ex,
        (on, arms): (Ident, &[(SampledBy, Ex)]),
    ) -> Row {
        let mut result: Option<Row> = None;
        for (value, arm) in arms.iter().rev() {
            let Some((parent, own, condition)) = self.sampling(frame, on, *value) else {
                return self.filler(self.checked.ty(ex));
            };
            if parent != clock {
                self.wrong_clock(ex, "the clock of `merge` is not there whenever this is");
                return self.filler(self.checked.ty(ex));
            }
            let row = self.row(frame, own, *arm);
            result = Some(match result {
                None => row,
                Some(rest) => (row.into_iter().zip(rest))
                    .map(|(a, b)| self.builder.if_else(condition, a, b))
                    .collect(),
            });
        }
        result.unwrap_or_default()
    }

    /// `current e`.
    pub(super) fn current(&mut self, frame: &mut Frame, clock: ClockId, ex: Ex, inner: Ex) -> Row {
        let Some(own) = self.clock_of(frame, inner) else {
            return self.row(frame, clock, inner);
        };
        let found = &self.clocks[own.index()];
        let (Some(condition), true) = (found.condition, found.parent == Some(clock)) else {
            self.wrong_clock(ex, "`current` makes something present on the clock of its clock");
            return self.filler(self.checked.ty(ex));
        };
        let row = self.row(frame, own, inner);
        let ty = self.checked.ty(ex);
        let scalars = self.checked.types.scalars(ty, &self.checked.ast.names);
        let span = self.checked.ast.span(ex);
        let name = format!("{}{}", frame.path, self.snippet(inner));
        (row.into_iter().zip(scalars))
            .map(|(now, scalar)| {
                let place = (format!("{name}{}", scalar.suffix), span);
                self.held(clock, condition, (now, scalar.ty), None, place)
            })
            .collect()
    }

    /// The clock of an expression, if something in it tells.
    fn clock_of(&mut self, frame: &Frame, ex: Ex) -> Option<ClockId> {
        let node = &self.checked.nodes[frame.node?];
        match self.checked.ast.kind(ex) {
            ExKind::Name(name) => node.by_name.get(name).map(|index| frame.clocks[*index as usize]),
            ExKind::When(_, sampling) => {
                self.sampling(frame, sampling.on, sampling.value).map(|it| it.1)
            }
            ExKind::Merge(on, _) => {
                node.by_name.get(&on.name).map(|index| frame.clocks[*index as usize])
            }
            ExKind::Current(inner) => {
                let clock = self.clock_of(frame, *inner)?;
                self.clocks[clock.index()].parent
            }
            kind => {
                let mut children = Vec::new();
                for_each_child(kind, |child| children.push(child));
                children.into_iter().find_map(|child| self.clock_of(frame, child))
            }
        }
    }

    pub(super) fn wrong_clock(&mut self, ex: Ex, message: &str) {
        self.diagnostics.push(
            Diagnostic::error("lustre::clock", self.checked.ast.span(ex), message).help(
                "declare the clock of a variable (`x: int when c`), sample with `e when c`, \
                 come back with `current` or `merge`",
            ),
        );
    }
}
