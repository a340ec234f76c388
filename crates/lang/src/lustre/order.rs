//! Equations in the order in which they can be computed.
//!
//! What comes out is a [`Program`] whose expressions are ordered too: one that names a variable
//! comes behind the variable's own. Expressions and memory that nothing needs are gone.

use punctual_model::{
    ExprId, Id, IdVec, MemoryId, VarId,
    lustre::{Equation, Expr, Memory, Program, Role, Var},
};

use super::flatten::{Builder, Origin};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

/// A program, and where its parts come from.
pub(super) struct Ordered {
    pub(super) program: Program,
    pub(super) memory_origins: IdVec<MemoryId, (Span, Origin)>,
    pub(super) assertion_spans: Vec<Span>,
    pub(super) property_spans: Vec<Span>,
}

/// Orders what was built. If something depends on itself, that is reported.
pub(super) fn order(builder: Builder, diagnostics: &mut Diagnostics) -> Ordered {
    let mut order = Order::new(&builder, diagnostics);
    order.vars();
    for (id, expr) in builder.defined.enumerate() {
        if expr.is_some() {
            order.visit(Task::EnterVar(id));
        }
    }
    let properties = builder.properties.iter().map(|(_, expr, _)| expr);
    for expr in builder.assertions.iter().map(|(expr, _)| expr).chain(properties) {
        order.visit(Task::EnterExpr(*expr));
    }
    // Memory that is looked at may look at more.
    let mut done = 0;
    while let Some(memory) = order.reached.get(done).copied() {
        order.visit(Task::EnterExpr(builder.memory[memory].next));
        done += 1;
    }
    order.finish()
}

#[derive(Clone, Copy)]
enum Task {
    EnterExpr(ExprId),
    ExitExpr(ExprId),
    EnterVar(VarId),
    ExitVar(VarId),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// Being visited; for expressions: how many variables were, when it was entered.
    Open(u32),
    Done,
}

struct Order<'b, 'd> {
    builder: &'b Builder,
    diagnostics: &'d mut Diagnostics,
    expr_states: Vec<State>,
    var_states: Vec<State>,
    expr_ids: Vec<Option<ExprId>>,
    var_ids: Vec<Option<VarId>>,
    memory_ids: Vec<Option<MemoryId>>,
    reached: Vec<MemoryId>,
    /// The variables that are being visited.
    path: Vec<VarId>,
    program: Program,
}

impl<'b, 'd> Order<'b, 'd> {
    fn new(builder: &'b Builder, diagnostics: &'d mut Diagnostics) -> Self {
        Self {
            builder,
            diagnostics,
            expr_states: vec![State::New; builder.exprs.len()],
            var_states: vec![State::New; builder.vars.len()],
            expr_ids: vec![None; builder.exprs.len()],
            var_ids: vec![None; builder.vars.len()],
            memory_ids: vec![None; builder.memory.len()],
            reached: Vec::new(),
            path: Vec::new(),
            program: Program::default(),
        }
    }

    /// Inputs, outputs, then the others.
    fn vars(&mut self) {
        let groups: [fn(Role) -> bool; 3] = [
            |role| role == Role::Input,
            |role| role == Role::Output,
            |role| matches!(role, Role::Free | Role::Local),
        ];
        for group in groups {
            for (id, var) in self.builder.vars.enumerate() {
                if group(var.role) {
                    self.var_ids[id.index()] = Some(self.program.vars.push(Var::clone(var)));
                }
            }
        }
    }

    /// Depth first, without recursion: chains of variables may be long.
    fn visit(&mut self, task: Task) {
        let mut tasks = vec![task];
        while let Some(task) = tasks.pop() {
            match task {
                Task::EnterVar(var) => match self.var_states[var.index()] {
                    State::Done => {}
                    State::Open(at) => self.cycle(at as usize),
                    State::New => {
                        let Some(expr) = self.builder.defined[var] else { continue };
                        self.var_states[var.index()] = State::Open(self.path.len() as u32);
                        self.path.push(var);
                        tasks.push(Task::ExitVar(var));
                        tasks.push(Task::EnterExpr(expr));
                    }
                },
                Task::ExitVar(var) => {
                    self.var_states[var.index()] = State::Done;
                    self.path.pop();
                    let expr =
                        self.builder.defined[var].and_then(|expr| self.expr_ids[expr.index()]);
                    // Without one there is a cycle, which was reported.
                    if let (Some(var), Some(expr)) = (self.var_ids[var.index()], expr) {
                        self.program.equations.push(Equation { var, expr });
                    }
                }
                Task::EnterExpr(expr) => match self.expr_states[expr.index()] {
                    State::Done => {}
                    State::Open(at) => self.cycle(at as usize),
                    State::New => {
                        self.expr_states[expr.index()] = State::Open(self.path.len() as u32);
                        tasks.push(Task::ExitExpr(expr));
                        match self.builder.exprs[expr] {
                            Expr::Var(var) => tasks.push(Task::EnterVar(var)),
                            Expr::Unary(_, a) => tasks.push(Task::EnterExpr(a)),
                            Expr::Binary(_, a, b) => {
                                tasks.extend([b, a].map(Task::EnterExpr));
                            }
                            Expr::If(a, b, c) => tasks.extend([c, b, a].map(Task::EnterExpr)),
                            Expr::Constant(_) | Expr::Memory(_) | Expr::First => {}
                        }
                    }
                },
                Task::ExitExpr(expr) => {
                    self.expr_states[expr.index()] = State::Done;
                    self.expr_ids[expr.index()] =
                        self.renumbered(expr).map(|expr| self.program.exprs.push(expr));
                }
            }
        }
    }

    /// The expression with new numbers. None behind a cycle.
    fn renumbered(&mut self, expr: ExprId) -> Option<Expr> {
        let id = |expr: ExprId| self.expr_ids[expr.index()];
        Some(match self.builder.exprs[expr] {
            Expr::Constant(value) => Expr::Constant(value),
            Expr::First => Expr::First,
            Expr::Var(var) => Expr::Var(self.var_ids[var.index()]?),
            Expr::Unary(op, a) => Expr::Unary(op, id(a)?),
            Expr::Binary(op, a, b) => Expr::Binary(op, id(a)?, id(b)?),
            Expr::If(a, b, c) => Expr::If(id(a)?, id(b)?, id(c)?),
            Expr::Memory(memory) => Expr::Memory(match self.memory_ids[memory.index()] {
                Some(known) => known,
                None => {
                    let new = MemoryId::from_index(self.reached.len());
                    self.reached.push(memory);
                    self.memory_ids[memory.index()] = Some(new);
                    new
                }
            }),
        })
    }

    /// Reports the variables from this place of the path on: each needs the next one.
    fn cycle(&mut self, from: usize) {
        const SHOWN_MAX: usize = 6;
        let vars = &self.path[from.min(self.path.len().saturating_sub(1))..];
        let Some(first) = vars.first().copied() else { return };
        let name = |var: &VarId| self.builder.vars[*var].name.as_str();
        let mut names: Vec<&str> = vars.iter().take(SHOWN_MAX).map(name).collect();
        if vars.len() > SHOWN_MAX {
            names.push("…");
        }
        names.push(name(&first));
        let message =
            format!("`{}` needs itself in the same step: {}", name(&first), names.join(" → "));
        let mut error = Diagnostic::error("lustre::cycle", self.builder.var_spans[first], message)
            .help("put `pre` where the value of the step before is meant");
        for var in vars.iter().skip(1).take(SHOWN_MAX - 1) {
            let span = self.builder.var_spans[*var];
            if span != self.builder.var_spans[first] {
                error = error.also(span, format!("`{}`", name(var)));
            }
        }
        self.diagnostics.push(error);
    }

    fn finish(mut self) -> Ordered {
        let builder = self.builder;
        let id = |expr: ExprId| self.expr_ids[expr.index()];
        let mut memory_origins = IdVec::new();
        for memory in &self.reached {
            let Memory { name, ty, initial, next } = &builder.memory[*memory];
            // Behind a cycle there is no program.
            let Some(next) = id(*next) else { continue };
            let (name, ty, initial) = (name.clone(), *ty, *initial);
            self.program.memory.push(Memory { name, ty, initial, next });
            memory_origins.push(builder.memory_origins[*memory]);
        }
        let mut assertion_spans = Vec::new();
        for (expr, span) in &builder.assertions {
            self.program.assertions.extend(id(*expr));
            assertion_spans.push(*span);
        }
        let mut property_spans = Vec::new();
        for (name, expr, span) in &builder.properties {
            self.program.properties.extend(id(*expr).map(|expr| (name.clone(), expr)));
            property_spans.push(*span);
        }
        Ordered { program: self.program, memory_origins, assertion_spans, property_spans }
    }
}
