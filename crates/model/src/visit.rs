//! Walking over expressions.

use crate::{ChannelRef, ClockConstraint, ClockRef, Condition, Expr, Index, Place, Sync};

impl Expr {
    /// Calls `visit` for this expression and everything inside it, outside first.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        match self {
            Self::Int(_) | Self::Double(_) | Self::InLocation(..) | Self::Deadlock => {}
            Self::Load(place) => place.walk(visit),
            Self::Clock(clock) | Self::ClockRate(clock) => walk_indices(&clock.indices, visit),
            Self::ToDouble(inner) | Self::Unary(_, _, inner) => inner.walk(visit),
            Self::Binary(binary) => {
                binary.left.walk(visit);
                binary.right.walk(visit);
            }
            Self::Conditional(parts) => parts.iter().for_each(|part| part.walk(visit)),
            Self::Sequence(parts) => parts.iter().for_each(|part| part.walk(visit)),
            Self::Assign { target, value, .. } => {
                target.walk(visit);
                value.walk(visit);
            }
            Self::SetClock { clock, value } => {
                walk_indices(&clock.indices, visit);
                value.walk(visit);
            }
            Self::Call { arguments, .. } | Self::Builtin(_, arguments) => {
                arguments.iter().for_each(|argument| argument.walk(visit));
            }
            Self::Quantifier { body, .. } => body.walk(visit),
            Self::ClockConstraint(constraint) => constraint.walk(visit),
        }
    }

    /// Whether the value depends on a clock, directly (not through a called function).
    pub fn reads_clock(&self) -> bool {
        let mut reads = false;
        self.walk(&mut |expr| {
            reads |= matches!(expr, Self::Clock(_) | Self::ClockRate(_) | Self::ClockConstraint(_));
        });
        reads
    }
}

impl Place {
    /// Calls `visit` for the indices and everything inside them.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        walk_indices(&self.indices, visit);
    }
}

impl ClockConstraint {
    /// Calls `visit` for every expression of the constraint.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        if let Some(when) = &self.when {
            when.walk(visit);
        }
        for clock in [&self.left, &self.right].into_iter().flatten() {
            walk_indices(&clock.indices, visit);
        }
        self.bound.walk(visit);
    }

    /// The clocks of the constraint.
    pub fn clocks(&self) -> impl Iterator<Item = &ClockRef> {
        [&self.left, &self.right].into_iter().flatten()
    }
}

impl Condition {
    /// Whether nothing is demanded.
    pub fn is_true(&self) -> bool {
        self.data.is_empty() && self.clocks.is_empty()
    }

    /// The same without spare memory: most conditions have one or two parts, and a large model
    /// has many of them.
    #[must_use]
    pub fn shrunk(mut self) -> Self {
        self.data.shrink_to_fit();
        self.clocks.shrink_to_fit();
        self
    }

    /// Calls `visit` for every expression of the condition.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        self.data.iter().for_each(|expr| expr.walk(visit));
        self.clocks.iter().for_each(|constraint| constraint.walk(visit));
    }
}

impl Sync {
    /// The channel, if the edge synchronises over one.
    pub fn channel(&self) -> Option<&ChannelRef> {
        match self {
            Self::Send(channel) | Self::Receive(channel) | Self::Csp(channel) => Some(channel),
            Self::Internal | Self::Event(_) => None,
        }
    }
}

fn walk_indices<'a>(indices: &'a [Index], visit: &mut dyn FnMut(&'a Expr)) {
    indices.iter().for_each(|index| index.value.walk(visit));
}
