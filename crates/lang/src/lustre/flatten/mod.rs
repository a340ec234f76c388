//! Calls inlined, composites split, clocks made conditions.
//!
//! A call becomes variables of its own, named after the node and its number: `Node~1.x`. Its
//! equations are worked on later, so deep nesting of calls needs no recursion. Inputs that are more
//! than a name or a constant become variables too.

mod builder;
mod calls;
mod clocks;
mod composites;
mod expressions;

use std::collections::VecDeque;

use punctual_model::{
    ExprId, VarId,
    lustre::{BinaryOp, Expr, Role, Value, Var},
};
use rustc_hash::FxHashMap;

pub(super) use builder::{Builder, EXPRS_MAX, Origin};
use clocks::{Clock, ClockId};

use super::{
    ast::{Claim, Ex, NodeKind, Symbol},
    check::{self, Checked},
    types::Ty,
};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

/// The scalars of a value.
type Row = Vec<ExprId>;

/// How many calls may be inside of each other.
const CALLS_MAX: usize = 500;

/// A node that is being worked on.
pub(super) struct Frame {
    node: Option<usize>,
    /// What stands before the names of its variables.
    path: String,
    depth: usize,
    base: ClockId,
    rows: Vec<Row>,
    clocks: Vec<ClockId>,
    /// How often each node was called.
    n_calls: FxHashMap<Symbol, u32>,
    /// Whether what its contract says is about the whole program.
    contract_counts: bool,
}

impl Frame {
    /// Without a node: variables are given.
    pub(super) fn outside(rows: Vec<Row>) -> Self {
        let clocks = vec![ClockId::BASE; rows.len()];
        Self {
            node: None,
            path: String::new(),
            depth: 0,
            base: ClockId::BASE,
            rows,
            clocks,
            n_calls: FxHashMap::default(),
            contract_counts: false,
        }
    }
}

pub(super) struct Flattener<'a, 'd> {
    pub(super) checked: &'a Checked<'a>,
    pub(super) builder: Builder,
    diagnostics: &'d mut Diagnostics,
    clocks: Vec<Clock>,
    clock_ids: FxHashMap<(ClockId, ExprId), ClockId>,
    /// What is remembered on which clock.
    pres: FxHashMap<(ExprId, ClockId), ExprId>,
    /// What functions without a body gave for which arguments.
    functions: FxHashMap<(usize, Row), Row>,
    queue: VecDeque<Frame>,
}

/// Flattens a program whose main node is known.
pub(super) fn flatten(
    checked: &Checked<'_>,
    main: usize,
    diagnostics: &mut Diagnostics,
) -> Builder {
    let mut flattener = Flattener::new(checked, diagnostics);
    flattener.main(main);
    while let Some(frame) = flattener.queue.pop_front() {
        if flattener.builder.is_full() {
            flattener.too_large(main);
            break;
        }
        flattener.body(frame);
    }
    flattener.builder
}

impl<'a, 'd> Flattener<'a, 'd> {
    pub(super) fn new(checked: &'a Checked<'a>, diagnostics: &'d mut Diagnostics) -> Self {
        let mut builder = Builder::default();
        let first = builder.add(Expr::First);
        Self {
            checked,
            builder,
            diagnostics,
            clocks: vec![Clock::base(first)],
            clock_ids: FxHashMap::default(),
            pres: FxHashMap::default(),
            functions: FxHashMap::default(),
            queue: VecDeque::new(),
        }
    }

    fn too_large(&mut self, main: usize) {
        let span = self.checked.ast.nodes[main].name.span;
        let message =
            format!("with all calls inlined, there are more than {EXPRS_MAX} expressions");
        self.diagnostics.push(Diagnostic::error("lustre::too_large", span, message));
    }

    fn error(&mut self, code: &'static str, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    fn text(&self, symbol: Symbol) -> &'a str {
        self.checked.ast.text(symbol)
    }

    /// Something of the right size, for what was reported.
    fn filler(&mut self, ty: Ty) -> Row {
        let scalars = self.checked.types.scalars(ty, &self.checked.ast.names);
        scalars.iter().map(|scalar| self.builder.constant(Value::zero(scalar.ty))).collect()
    }

    /// Makes the variables of a declaration.
    fn declare(&mut self, path: &str, variable: &check::Variable, role: Role) -> Row {
        let name = self.text(variable.name);
        let scalars = self.checked.types.scalars(variable.ty, &self.checked.ast.names);
        let mut row = Row::with_capacity(scalars.len());
        for scalar in scalars {
            let name = format!("{path}{name}{}", scalar.suffix);
            let var = Var { name, ty: scalar.ty, range: scalar.range, role };
            let var = self.builder.var(var, variable.span);
            row.push(self.builder.add(Expr::Var(var)));
        }
        row
    }

    fn main(&mut self, main: usize) {
        let info = &self.checked.nodes[main];
        let rows = info
            .variables
            .iter()
            .map(|variable| {
                let role = match variable.role {
                    check::Role::Input => Role::Input,
                    check::Role::Output => Role::Output,
                    check::Role::Local => Role::Local,
                };
                self.declare("", variable, role)
            })
            .collect();
        let mut frame = Frame { node: Some(main), contract_counts: true, ..Frame::outside(rows) };
        self.frame_clocks(&mut frame);
        self.queue.push_back(frame);
    }

    /// The clocks of the variables of a frame.
    fn frame_clocks(&mut self, frame: &mut Frame) {
        frame.clocks = vec![frame.base; frame.rows.len()];
        let Some(node) = frame.node else { return };
        let variables = &self.checked.nodes[node].variables;
        for index in 0..variables.len() {
            // From the outermost clock to the innermost.
            let mut chain = Vec::new();
            let mut at = index;
            while let Some(when) = variables[at].when {
                chain.push(when);
                at = when.on as usize;
            }
            for when in chain.into_iter().rev() {
                let condition = self.condition(&frame.rows[when.on as usize], when.value);
                frame.clocks[index] = self.sampled(frame.clocks[index], condition);
            }
        }
    }

    fn body(&mut self, mut frame: Frame) {
        let Some(node) = frame.node else { return };
        let checked = self.checked;
        let syntax = &checked.ast.nodes[node];
        for (equation, left) in syntax.equations.iter().zip(&checked.nodes[node].left) {
            if self.builder.is_full() {
                return;
            }
            let clock = left.first().map_or(frame.base, |index| frame.clocks[*index as usize]);
            if left.iter().any(|index| frame.clocks[*index as usize] != clock) {
                let message = "these variables are on different clocks".to_owned();
                self.error("lustre::clock", equation.span, message);
                continue;
            }
            let row = self.row(&mut frame, clock, equation.right);
            let vars = left.iter().flat_map(|index| &frame.rows[*index as usize]);
            let vars: Vec<VarId> = vars.filter_map(|expr| as_var(&self.builder, *expr)).collect();
            debug_assert_eq!(vars.len(), row.len());
            for (var, value) in vars.into_iter().zip(row) {
                self.builder.defined[var] = Some(value);
                self.builder.var_spans[var] = equation.span;
            }
        }
        for assertion in &syntax.assertions {
            self.assertion(&mut frame, *assertion);
        }
        for property in &syntax.properties {
            let name = self.claim_name(&frame, property);
            self.property(&mut frame, name, property.expr, None);
        }
        if frame.contract_counts {
            self.contract(&mut frame, node);
        }
    }

    /// The value of an expression without a node around it.
    pub(super) fn outside(&mut self, frame: &mut Frame, ex: Ex) -> ExprId {
        self.scalar(frame, ClockId::BASE, ex)
    }

    /// Adds what must hold whenever the frame takes a step.
    fn assertion(&mut self, frame: &mut Frame, expr: Ex) {
        let value = self.scalar(frame, frame.base, expr);
        let value = self.whenever(frame.base, value);
        self.builder.assertions.push((value, self.checked.ast.span(expr)));
    }

    fn property(&mut self, frame: &mut Frame, name: String, expr: Ex, under: Option<ExprId>) {
        let mut value = self.scalar(frame, frame.base, expr);
        if let Some(condition) = under {
            value = self.builder.binary(BinaryOp::Implies, condition, value);
        }
        let value = self.whenever(frame.base, value);
        self.builder.properties.push((name, value, self.checked.ast.span(expr)));
    }

    fn whenever(&mut self, clock: ClockId, value: ExprId) -> ExprId {
        match self.clocks[clock.index()].active {
            Some(active) => self.builder.binary(BinaryOp::Implies, active, value),
            None => value,
        }
    }

    fn claim_name(&self, frame: &Frame, claim: &Claim) -> String {
        match &claim.name {
            Some(name) => format!("{}{name}", frame.path),
            None => format!("{}{}", frame.path, self.snippet(claim.expr)),
        }
    }

    /// The text of an expression on one line, not too long.
    fn snippet(&self, ex: Ex) -> String {
        const CHARS_MAX: usize = 80;
        let text = &self.checked.text[self.checked.ast.span(ex).range()];
        let words: Vec<&str> = text.split_whitespace().take(CHARS_MAX).collect();
        let text = words.join(" ");
        match text.char_indices().nth(CHARS_MAX) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    fn contract(&mut self, frame: &mut Frame, node: usize) {
        let syntax = &self.checked.ast.nodes[node];
        for assumption in &syntax.contract.assume {
            self.assertion(frame, *assumption);
        }
        for claim in &syntax.contract.guarantee {
            let name = self.claim_name(frame, claim);
            self.property(frame, name, claim.expr, None);
        }
        for mode in &syntax.contract.modes {
            let mut requirement = None;
            for expr in &mode.require {
                let value = self.scalar(frame, frame.base, *expr);
                requirement = Some(match requirement {
                    Some(before) => self.builder.binary(BinaryOp::And, before, value),
                    None => value,
                });
            }
            for claim in &mode.ensure {
                let name = self.claim_name(frame, claim);
                let name = format!("{}: {name}", mode.name);
                self.property(frame, name, claim.expr, requirement);
            }
        }
        for import in &syntax.contract.imports {
            let Some(contract) = self.checked.node_by_name.get(&import.contract.name).copied()
            else {
                continue;
            };
            debug_assert_eq!(self.checked.ast.nodes[contract].kind, NodeKind::Contract);
            let mut given = Row::new();
            for ex in import.inputs.iter().chain(&import.outputs) {
                given.extend(self.row(frame, frame.base, *ex));
            }
            self.import(frame, contract, given, import.contract);
        }
    }
}

/// The variable that an expression is.
fn as_var(builder: &Builder, expr: ExprId) -> Option<VarId> {
    match builder.exprs[expr] {
        Expr::Var(var) => Some(var),
        _ => None,
    }
}
