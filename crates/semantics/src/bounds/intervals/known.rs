//! What is known of variables for a while, because a condition holds.
//!
//! `known` has at most one interval for a cell. Whoever changes a cell, or may have changed it,
//! takes it out and writes that down in `kills`, so [`Intervals::leave`] can tell what of the
//! knowledge before a scope is still valid.
//!
//! A transition has updates of several processes. What a guard says of a variable that others
//! write is therefore void in an update that need not be the first.

use punctual_model::{
    Binary, BinaryOp, Condition, Edge, Expr, FunctionBody, Id, Number, Place, Storage, Sync,
    UnaryOp,
};

use super::{Interval, Intervals, for_each_expr};

/// Nobody writes a slot.
const NOBODY: u32 = u32::MAX;
/// Several processes write a slot, or the updates of every transition do.
const MANY: u32 = u32::MAX - 1;

/// What was known when a scope was entered.
pub(in crate::bounds) struct Scope {
    known: Vec<(usize, Interval)>,
    kills: usize,
}

impl Intervals<'_> {
    /// Forgets what is known: other code is evaluated next.
    pub(in crate::bounds) fn begin(&mut self) {
        self.known.clear();
        self.kills.clear();
    }

    /// From here to [`leave`](Self::leave), more may be known.
    pub(in crate::bounds) fn enter(&self) -> Scope {
        Scope { known: self.known.clone(), kills: self.kills.len() }
    }

    /// What was known before and is still valid.
    pub(in crate::bounds) fn leave(&mut self, scope: Scope) {
        self.known = scope.known;
        let kills = &self.kills[scope.kills..];
        self.known.retain(|(cell, _)| !kills.contains(cell));
    }

    /// How much is known; less than before if something became void.
    pub(in crate::bounds) fn knowledge(&self) -> usize {
        self.known.len()
    }

    /// The slot of the frame has this value until the scope is left.
    pub(in crate::bounds) fn bind(&mut self, frame: usize, slot: u32, value: i32) {
        let cell = frame + slot as usize;
        self.known.retain(|(other, _)| *other != cell);
        self.known.push((cell, Interval::one(value.into())));
    }

    /// Code that others call as well is next, so nothing is known until the scope is left.
    pub(in crate::bounds) fn forget(&mut self) {
        self.known.clear();
    }

    /// Someone may have changed any variable.
    pub(in crate::bounds) fn forget_shared(&mut self) {
        let frames = self.frames;
        let (local, shared) = self.known.drain(..).partition(|(cell, _)| *cell >= frames);
        self.known = local;
        self.kills.extend(Vec::into_iter(shared).map(|(cell, _)| cell));
    }

    pub(super) fn kill(&mut self, cell: usize) {
        if let Some(at) = self.known.iter().position(|(other, _)| *other == cell) {
            self.known.swap_remove(at);
            self.kills.push(cell);
        }
    }

    /// The updates of an edge are next. What its guard said of a variable need not hold any more
    /// if someone else's update in the same transition has changed it.
    pub(in crate::bounds) fn start_update(&mut self, process: usize, edge: &Edge) {
        let first = matches!(edge.sync, Sync::Internal | Sync::Send(_));
        if !first || !self.network.before_update.is_empty() {
            self.start_branch(process);
        }
    }

    /// The updates of a branch are next; updates of others may have come between.
    pub(in crate::bounds) fn start_branch(&mut self, process: usize) {
        let Self { known, writers, frames, state, .. } = self;
        known.retain(|(cell, _)| {
            *cell >= *frames || *cell < *state || {
                let writer = writers.get(*cell).copied().unwrap_or(MANY);
                writer == NOBODY || writer == process as u32
            }
        });
    }

    /// Takes the data of a condition for true; `false` if it can not be.
    pub(in crate::bounds) fn assume(&mut self, condition: &Condition, frame: usize) -> bool {
        condition
            .data
            .iter()
            .all(|expr| self.eval(expr, frame).may_be_true() && self.refine(expr, true, frame))
    }

    /// Remembers what a condition that was just evaluated says of variables; `false` if it can
    /// not have this truth value.
    pub(in crate::bounds) fn refine(&mut self, expr: &Expr, is: bool, frame: usize) -> bool {
        match expr {
            Expr::Unary(UnaryOp::Not, Number::Int, inner) => self.refine(inner, !is, frame),
            Expr::Load(place) => match self.fixed(place, frame) {
                Some(cell) => {
                    let op = if is { BinaryOp::NotEqual } else { BinaryOp::Equal };
                    self.narrow(cell, op, Interval::one(0))
                }
                None => true,
            },
            Expr::Binary(binary) => match (binary.op, is) {
                (BinaryOp::And, true) => self.both(&binary.left, true, &binary.right, true, frame),
                (BinaryOp::Or, false) => {
                    self.both(&binary.left, false, &binary.right, false, frame)
                }
                (BinaryOp::Imply, false) => {
                    self.both(&binary.left, true, &binary.right, false, frame)
                }
                _ => self.compare(binary, is, frame),
            },
            _ => true,
        }
    }

    /// Both parts have these truth values, if evaluating the second does not change the first.
    fn both(&mut self, left: &Expr, l: bool, right: &Expr, r: bool, frame: usize) -> bool {
        !self.is_pure(right) || (self.refine(left, l, frame) && self.refine(right, r, frame))
    }

    fn compare(&mut self, binary: &Binary, is: bool, frame: usize) -> bool {
        let op = match (binary.op, is) {
            (op, true) => op,
            (BinaryOp::Less, false) => BinaryOp::GreaterEqual,
            (BinaryOp::LessEqual, false) => BinaryOp::Greater,
            (BinaryOp::Greater, false) => BinaryOp::LessEqual,
            (BinaryOp::GreaterEqual, false) => BinaryOp::Less,
            (BinaryOp::Equal, false) => BinaryOp::NotEqual,
            (BinaryOp::NotEqual, false) => BinaryOp::Equal,
            (_, false) => return true,
        };
        let mirrored = match op {
            BinaryOp::Less => BinaryOp::Greater,
            BinaryOp::LessEqual => BinaryOp::GreaterEqual,
            BinaryOp::Greater => BinaryOp::Less,
            BinaryOp::GreaterEqual => BinaryOp::LessEqual,
            BinaryOp::Equal | BinaryOp::NotEqual => op,
            _ => return true,
        };
        let scalar = binary.number == Number::Int && binary.size <= 1;
        if !scalar || !self.is_pure(&binary.left) || !self.is_pure(&binary.right) {
            return true;
        }
        for (this, op, other) in
            [(&binary.left, op, &binary.right), (&binary.right, mirrored, &binary.left)]
        {
            let Expr::Load(place) = this else { continue };
            let Some(cell) = self.fixed(place, frame) else { continue };
            let other = self.eval(other, frame);
            if !self.narrow(cell, op, other) {
                return false;
            }
        }
        true
    }

    fn narrow(&mut self, cell: usize, op: BinaryOp, other: Interval) -> bool {
        let narrowed = self.load(cell).related(op, other);
        match self.known.iter_mut().find(|(other, _)| *other == cell) {
            Some(entry) => entry.1 = narrowed,
            None => self.known.push((cell, narrowed)),
        }
        !narrowed.is_empty()
    }

    /// The cell of an integer that is no element of an array with unknown index.
    fn fixed(&self, place: &Place, frame: usize) -> Option<usize> {
        let fixed = place.number == Number::Int && place.size <= 1 && place.indices.is_empty();
        fixed.then(|| self.cell(place, frame))
    }

    fn is_pure(&self, expr: &Expr) -> bool {
        let mut pure = true;
        expr.walk(&mut |expr| match expr {
            Expr::Assign { .. } | Expr::SetClock { .. } | Expr::Quantifier { .. } => pure = false,
            Expr::Call { function, .. } => {
                let shares = self.network.functions[*function].shares_frame;
                pure &= !shares && !self.impure[function.index()];
            }
            _ => {}
        });
        pure
    }

    /// Who writes each cell outside of frames.
    pub(super) fn find_writers(&self) -> Vec<u32> {
        let network = self.network;
        let mut writers = vec![NOBODY; self.frames];
        let mut seen = vec![NOBODY; network.functions.len()];
        for expr in network.before_update.iter().chain(&network.after_update) {
            self.writes(expr, MANY, &mut writers, &mut seen);
        }
        for (p, process) in network.processes.iter().enumerate() {
            for edge in &process.edges {
                let branches = edge.branches.iter().flat_map(|branch| &branch.update);
                for expr in edge.update.iter().chain(branches) {
                    self.writes(expr, p as u32, &mut writers, &mut seen);
                }
            }
        }
        writers
    }

    fn writes(&self, expr: &Expr, who: u32, writers: &mut [u32], seen: &mut [u32]) {
        let mut calls = Vec::new();
        expr.walk(&mut |expr| match expr {
            Expr::Assign { target, .. }
                if target.number == Number::Int && target.storage != Storage::Local =>
            {
                let mut starts = vec![self.cell(target, 0)];
                for index in &target.indices {
                    let steps = (0..index.len).map(|at| (at * index.stride) as usize);
                    starts = starts
                        .iter()
                        .flat_map(|start| steps.clone().map(move |step| start + step))
                        .collect();
                }
                for start in starts {
                    for writer in writers.iter_mut().skip(start).take(target.size as usize) {
                        *writer = if [NOBODY, who].contains(writer) { who } else { MANY };
                    }
                }
            }
            Expr::Call { function, .. } => calls.push(*function),
            _ => {}
        });
        for function in calls {
            // What a function writes is marked once for each process.
            if !self.impure[function.index()] || seen[function.index()] == who {
                continue;
            }
            seen[function.index()] = who;
            if let FunctionBody::Statements(body) = &self.network.functions[function].body {
                for_each_expr(body, &mut |expr| self.writes(expr, who, writers, seen));
            }
        }
    }
}
