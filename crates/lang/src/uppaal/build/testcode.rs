//! Test code: what the values inside of it are, for each process.

use punctual_model::{Expr, IdVec, LocationId, Number, ProcessId, StateExpr};

use super::{
    Builder, Role,
    scope::ScopeId,
    typed::{Typed, Value},
    types::Type,
};
use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    testcode::{self, Code, EdgeCode, ProcessCode, TemplateCode},
    uppaal::{
        ast,
        syntax::{self, End, Syntax},
    },
};

/// The code of all processes of a model that can be built. There is code for each template of the syntax.
pub(crate) fn test_code<'a>(
    syntax: &'a Syntax,
    templates: &'a [TemplateCode],
    diagnostics: &mut Diagnostics,
) -> IdVec<ProcessId, ProcessCode> {
    let mut builder = Builder::new(syntax, Diagnostics::new());
    builder.global_declarations();
    let system = builder.system();
    builder.diagnostics = std::mem::take(diagnostics);
    let mut processes = IdVec::new();
    for id in builder.network.processes.ids().collect::<Vec<_>>() {
        let name = &builder.network.processes[id].template;
        let of = syntax.templates.iter().zip(templates);
        let code = match of.into_iter().find(|(template, _)| template.name.text == *name) {
            Some((template, code)) => builder.code_of_process(system, id, template, code),
            None => ProcessCode::default(),
        };
        let _: ProcessId = processes.push(code);
    }
    *diagnostics = builder.diagnostics;
    processes
}

impl<'a> Builder<'a> {
    fn code_of_process(
        &mut self,
        system: ScopeId,
        id: ProcessId,
        template: &'a syntax::Template,
        code: &'a TemplateCode,
    ) -> ProcessCode {
        let scope = self.scope_of_code(system, id);
        let mut process = ProcessCode::default();
        self.diagnostics.enter(format!("template {}", template.name.text));
        let locations = template.locations.iter().zip(code.enter.iter().zip(&code.exit));
        for (location, (enter, exit)) in locations {
            self.diagnostics.enter(format!("location {}", location.name));
            let _: LocationId = process.enter.push(self.code(scope, &[], enter));
            process.exit.push(self.code(scope, &[], exit));
            self.diagnostics.leave();
        }
        for (edge, parsed) in template.edges.iter().zip(&code.edges) {
            let End::Location(_) = edge.source else { continue };
            let mut found = EdgeCode::default();
            self.diagnostics.enter(format!("edge {}", edge.title));
            found.edge = self.code(scope, &edge.select, parsed);
            if let End::Branchpoint(branchpoint) = edge.target {
                for &index in &template.branches[branchpoint] {
                    let select = &template.edges[index].select;
                    found.branches.push(self.code(scope, select, &code.edges[index]));
                }
            }
            self.diagnostics.leave();
            process.edges.push(found);
        }
        self.diagnostics.leave();
        process
    }

    /// The names of a process in front of those that queries see: code names both.
    fn scope_of_code(&mut self, system: ScopeId, id: ProcessId) -> ScopeId {
        let scope = self.scopes.open(Some(system));
        let mut from = Some(self.process_scopes[id]);
        while let Some(own) = from.filter(|it| *it != self.global && *it != system) {
            for name in self.scopes.own_names(own) {
                let found = self.scopes.find_own(own, name).cloned();
                if let Some((entity, span)) = found
                    && self.scopes.find_own(scope, name).is_none()
                {
                    self.scopes.bind(scope, name, entity, span);
                }
            }
            from = self.scopes.parent(own);
        }
        scope
    }

    fn code(
        &mut self,
        scope: ScopeId,
        select: &'a [ast::Binding],
        parsed: &'a testcode::Parsed,
    ) -> Code {
        let mut code = Code::default();
        self.diagnostics.enter("test code");
        for piece in &parsed.pieces {
            code.pieces.push(match piece {
                testcode::ParsedPiece::Text(text) => testcode::Piece::Text(text.clone()),
                testcode::ParsedPiece::Hole(expr) => {
                    testcode::Piece::Value(self.hole(scope, select, expr))
                }
            });
        }
        self.diagnostics.leave();
        code
    }

    fn hole(
        &mut self,
        scope: ScopeId,
        select: &'a [ast::Binding],
        expr: &'a ast::Expr,
    ) -> testcode::Value {
        let (value, frame) = self.framed(Role::Query, |builder| {
            let inner = builder.scopes.open(Some(scope));
            // What is selected has the first slots of the frame.
            builder.selects(inner, select);
            let value = builder.hole_in(inner, expr);
            builder.scopes.close(inner);
            value
        });
        match value {
            testcode::Value::Int(expr) => testcode::Value::Int(StateExpr { frame, ..expr }),
            other => other,
        }
    }

    fn hole_in(&mut self, scope: ScopeId, expr: &'a ast::Expr) -> testcode::Value {
        if let ast::ExprKind::Name(name) = &expr.kind
            && self.scopes.find(scope, name).is_none()
        {
            match name.as_str() {
                "now" => return testcode::Value::Now,
                "delay" => return testcode::Value::Delay,
                _ => {}
            }
        }
        let typed = self.expr(scope, expr);
        self.refuse_effects(expr);
        if let (Type::Clock { .. }, Value::Place(place)) = (&typed.ty, &typed.value) {
            let clock = place.to_clock();
            if clock.indices.is_empty() {
                return testcode::Value::Clock(clock.base);
            }
        }
        let value = self.number_in_code(typed);
        testcode::Value::Int(StateExpr {
            expr: value,
            number: Number::Int,
            frame: Default::default(),
        })
    }

    /// An integer that can be computed from a state alone.
    fn number_in_code(&mut self, typed: Typed) -> Expr {
        if typed.is_error() {
            return Expr::Int(0);
        }
        let (span, ty) = (typed.span, typed.ty.clone());
        let value = match ty.is_truth() || matches!(ty, Type::Scalar(_)) {
            true => Some(self.rvalue(typed)),
            false => None,
        };
        let mut is_known = value.is_some();
        if let Some(value) = &value {
            value.walk(&mut |part| {
                let is_double = matches!(part, Expr::Load(place) if place.number == Number::Double);
                is_known &= !is_double;
                is_known &= !matches!(
                    part,
                    Expr::Double(_)
                        | Expr::Clock(_)
                        | Expr::ClockRate(_)
                        | Expr::ToDouble(_)
                        | Expr::Call { .. }
                        | Expr::Builtin(..)
                        | Expr::Deadlock
                );
            });
        }
        if !is_known {
            self.report(
                Diagnostic::error(
                    "testcode::no_number",
                    span,
                    "this can not be put into test code",
                )
                .label(format!("this is of type `{ty}`"))
                .help(
                    "integers, truth values, clocks and what operators make of integers can be \
                         put there; no functions",
                ),
            );
        }
        value.filter(|_| is_known).unwrap_or(Expr::Int(0))
    }
}
