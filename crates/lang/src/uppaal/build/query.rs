//! Queries: state predicates over processes, and what is asked about them.

use punctual_model::{
    Expr, Id, LocationId, Number, PathFormula, ProcessId, Property, RunBound, StateExpr,
};

use super::{
    Builder, Role,
    constant::Constant,
    scope::{Entity, ScopeId},
    typed::{Typed, Value},
    types::Type,
    walk::walk,
};
use crate::{
    Span,
    diagnostic::{Diagnostic, closest},
    model::QueryEntry,
    uppaal::{ast, syntax},
};

impl<'a> Builder<'a> {
    /// All queries; each has diagnostics of its own.
    pub(super) fn queries(&mut self, scope: ScopeId) -> Vec<QueryEntry> {
        let queries = &self.syntax.queries;
        let mut entries = Vec::with_capacity(queries.len());
        for query in queries {
            let model = std::mem::take(&mut self.diagnostics);
            self.diagnostics.enter("query");
            // What could not be parsed is not understood either.
            let parsed = !query.diagnostics.iter().any(Diagnostic::is_error);
            let formula = query.formula.as_ref().filter(|_| parsed);
            let property = formula.map(|formula| self.property(scope, formula));
            let own = std::mem::replace(&mut self.diagnostics, model);
            let mut diagnostics: Vec<Diagnostic> = query.diagnostics.clone();
            diagnostics.extend(own.into_sorted());
            if query.from_query_file {
                let there = diagnostics.into_iter();
                diagnostics = there.map(|it| syntax::in_query_file(it, query.span)).collect();
            }
            let sound = !diagnostics.iter().any(Diagnostic::is_error);
            entries.push(QueryEntry {
                text: query.text.clone(),
                comment: query.comment.clone(),
                span: query.span,
                from_query_file: query.from_query_file,
                expectation: query.expectation.clone(),
                property: property.filter(|_| sound),
                diagnostics,
            });
        }
        entries
    }

    fn property(&mut self, scope: ScopeId, query: &'a ast::Query) -> Property {
        match query {
            ast::Query::ExistsFinally(p) => Property::ExistsFinally(self.predicate(scope, p)),
            ast::Query::ExistsGlobally(p) => Property::ExistsGlobally(self.predicate(scope, p)),
            ast::Query::AlwaysFinally(p) => Property::AlwaysFinally(self.predicate(scope, p)),
            ast::Query::AlwaysGlobally(p) => Property::AlwaysGlobally(self.predicate(scope, p)),
            ast::Query::LeadsTo(p, q) => {
                Property::LeadsTo(self.predicate(scope, p), self.predicate(scope, q))
            }
            ast::Query::Extremum(which, within, of) => {
                let within = within.as_ref().map(|within| self.predicate(scope, within));
                let of = of.iter().map(|expr| self.measured(scope, expr)).collect();
                match which {
                    ast::Extremum::Sup => Property::Supremum { within, of },
                    ast::Extremum::Inf => Property::Infimum { within, of },
                    ast::Extremum::Bounds => Property::Bounds { within, of },
                }
            }
            ast::Query::Probability(runs, path) => Property::Probability {
                bound: self.bound(scope, runs),
                runs: self.run_count(scope, runs.count.as_ref()),
                path: self.path(scope, path),
            },
            ast::Query::Hypothesis(runs, path, comparison, threshold) => Property::Hypothesis {
                bound: self.bound(scope, runs),
                path: self.path(scope, path),
                comparison: *comparison,
                threshold: self.constant_double(scope, threshold, "the threshold"),
            },
            ast::Query::Compare(left, comparison, right) => Property::Compare {
                left: (self.bound(scope, &left.0), self.path(scope, &left.1)),
                comparison: *comparison,
                right: (self.bound(scope, &right.0), self.path(scope, &right.1)),
            },
            ast::Query::Expectation(runs, maximum, of) => Property::Expectation {
                bound: self.bound(scope, runs),
                runs: self.run_count(scope, runs.count.as_ref()),
                maximum: *maximum,
                of: self.measured(scope, of),
            },
            ast::Query::Simulate { runs, of, accepted, filter } => Property::Simulate {
                bound: self.bound(scope, runs),
                runs: self.run_count(scope, runs.count.as_ref()).unwrap_or(1),
                of: of.iter().map(|expr| self.measured(scope, expr)).collect(),
                filter: filter.as_ref().map(|filter| self.predicate(scope, filter)),
                accepted: self.run_count(scope, accepted.as_ref()),
            },
            ast::Query::Unsupported(construct, _) => {
                Property::Unsupported { construct: (*construct).to_owned() }
            }
        }
    }

    fn predicate(&mut self, scope: ScopeId, expr: &'a ast::Expr) -> StateExpr {
        let (value, frame) = self.framed(Role::Query, |builder| {
            let typed = builder.expr(scope, expr);
            let value = builder.truth(typed);
            builder.refuse_effects(expr);
            value
        });
        StateExpr { expr: value, number: Number::Int, frame }
    }

    /// A number or a clock.
    fn measured(&mut self, scope: ScopeId, expr: &'a ast::Expr) -> StateExpr {
        let ((value, number), frame) = self.framed(Role::Query, |builder| {
            let typed = builder.expr(scope, expr);
            let number = typed.ty.number();
            let value = match &typed.ty {
                ty if ty.is_truth() => builder.rvalue(typed),
                _ => builder.double(typed, "measured expression"),
            };
            builder.refuse_effects(expr);
            (value, number)
        });
        StateExpr { expr: value, number, frame }
    }

    fn path(&mut self, scope: ScopeId, path: &'a ast::Path) -> PathFormula {
        match path {
            ast::Path::Finally(p) => PathFormula::Finally(self.predicate(scope, p)),
            ast::Path::Globally(p) => PathFormula::Globally(self.predicate(scope, p)),
            ast::Path::Until(p, q) => {
                PathFormula::Until(self.predicate(scope, p), self.predicate(scope, q))
            }
        }
    }

    fn bound(&mut self, scope: ScopeId, runs: &'a ast::Runs) -> RunBound {
        match &runs.bound {
            ast::Bound::Time => {
                RunBound::Time(self.constant_double(scope, &runs.limit, "the bound of a run"))
            }
            ast::Bound::Steps => {
                let steps = self.constant_int(scope, &runs.limit, "the bound of a run");
                RunBound::Steps(self.not_negative(steps, runs.limit.span))
            }
            ast::Bound::Cost(of) => {
                let of = self.measured(scope, of);
                RunBound::Cost(of, self.constant_double(scope, &runs.limit, "the bound of a run"))
            }
        }
    }

    fn run_count(&mut self, scope: ScopeId, count: Option<&'a ast::Expr>) -> Option<u32> {
        let count = count?;
        let value = self.constant_int(scope, count, "the number of runs");
        Some(self.not_negative(value, count.span))
    }

    fn not_negative(&mut self, value: Option<i32>, span: Span) -> u32 {
        let value = value.unwrap_or(0);
        u32::try_from(value).unwrap_or_else(|_| {
            self.report(
                Diagnostic::error(
                    "query::negative",
                    span,
                    "a negative number is not possible here",
                )
                .label(format!("this is {value}")),
            );
            0
        })
    }

    fn constant_double(&mut self, scope: ScopeId, expr: &'a ast::Expr, what: &str) -> f64 {
        self.evaluating(|builder| builder.constant_double_here(scope, expr, what))
    }

    fn constant_double_here(&mut self, scope: ScopeId, expr: &'a ast::Expr, what: &str) -> f64 {
        let (value, _) = self.framed(Role::Constant, |builder| {
            let typed = builder.expr(scope, expr);
            (!typed.is_error()).then(|| builder.double(typed, what))
        });
        match value.and_then(|value| self.evaluate(&value, expr.span, what)) {
            Some(Constant::Double(value)) => value,
            _ => 0.0,
        }
    }

    /// If an expression names a process (`P`, `P(1)`): the process, or none if that is wrong.
    pub(super) fn process_named(
        &mut self,
        scope: ScopeId,
        expr: &'a ast::Expr,
    ) -> Option<Option<ProcessId>> {
        let (name, arguments): (_, &'a [ast::Expr]) = match &expr.kind {
            ast::ExprKind::Name(name) => (name, &[]),
            ast::ExprKind::Call(callee, arguments) => match &callee.kind {
                ast::ExprKind::Name(name) => (name, arguments),
                _ => return None,
            },
            _ => return None,
        };
        let set = match self.scopes.find(scope, name) {
            Some((Entity::Processes(set), _)) => set.clone(),
            Some((Entity::Template(_) | Entity::Instance(_), declared)) => {
                let declared = *declared;
                self.report(
                    Diagnostic::error(
                        "query::not_in_system",
                        expr.span,
                        format!("`{name}` is not part of the system"),
                    )
                    .label("no process of this name runs")
                    .also(declared, "declared here")
                    .help("add it to the system line"),
                );
                return Some(None);
            }
            None if self.role == Role::Query => {
                self.unknown_name(scope, name, expr.span, "process");
                return Some(None);
            }
            _ => return None,
        };
        if arguments.len() != set.params.len() {
            let help = match (set.params.len(), set.anonymous) {
                (0, _) => format!("write `{name}` without arguments"),
                (_, true) => format!("quantify: `forall (i : …) {name}(i).…`"),
                _ => {
                    let first: Vec<String> =
                        set.params.iter().map(|range| range.lo.to_string()).collect();
                    format!("name one of its processes, such as `{name}({})`", first.join(","))
                }
            };
            self.report(
                Diagnostic::error(
                    "query::process_arguments",
                    expr.span,
                    format!(
                        "`{name}` takes {} {} to name a process, not {}",
                        set.params.len(),
                        if set.params.len() == 1 { "argument" } else { "arguments" },
                        arguments.len()
                    ),
                )
                .help(help),
            );
            return Some(None);
        }
        let mut position = 0;
        for (argument, range) in arguments.iter().zip(&set.params) {
            let typed = self.expr(scope, argument);
            if typed.is_error() {
                return Some(None);
            }
            let value = match (&typed.ty, &typed.value) {
                (Type::Scalar(_), Value::Number(Expr::Int(value))) => *value,
                _ => {
                    let value = self.integer(typed, "argument of a process");
                    match self.evaluate(&value, argument.span, "the argument of a process") {
                        Some(Constant::Int(value)) => value,
                        _ => return Some(None),
                    }
                }
            };
            if !range.contains(value) {
                self.report(
                    Diagnostic::error(
                        "query::no_such_process",
                        argument.span,
                        format!("there is no process `{name}({value})`"),
                    )
                    .label(format!("from {} to {} are possible", range.lo, range.hi)),
                );
                return Some(None);
            }
            let offset = (i64::from(value) - i64::from(range.lo)) as usize;
            position = position * range.len() as usize + offset;
        }
        Some(Some(ProcessId::from_index(set.first.index() + position)))
    }

    /// A location, variable, clock or constant of a process.
    pub(super) fn process_member(
        &mut self,
        id: ProcessId,
        member: &'a ast::Name,
        span: Span,
    ) -> Typed {
        let process = &self.network.processes[id];
        let location = process.locations.iter().position(|other| other.name == member.text);
        if let Some(location) = location {
            if self.role != Role::Query {
                self.report(Diagnostic::error(
                    "query::location_in_model",
                    span,
                    "locations can only be asked for in queries",
                ));
                return Typed::error(span);
            }
            let expr = Expr::InLocation(id, LocationId::from_index(location));
            return Typed::number(Type::Bool, expr, span);
        }
        let scope = self.process_scopes[id];
        match self.scopes.find_own(scope, &member.text).map(|(entity, _)| entity.clone()) {
            Some(Entity::Value(ty, expr)) => Typed::number(ty, expr, span),
            Some(Entity::Place(place)) => {
                Typed { ty: place.ty.clone(), value: Value::Place(place), span }
            }
            Some(Entity::Error) => Typed::error(span),
            Some(entity) => {
                self.report(
                    Diagnostic::error(
                        "name::not_a_value",
                        member.span,
                        format!("`{}` is {}, not a value", member.text, entity.describe()),
                    )
                    .maybe_help(
                        matches!(entity, Entity::Function(_))
                            .then(|| format!("call it: `{}()`", member.text)),
                    ),
                );
                Typed::error(span)
            }
            None => {
                let mut names = self.scopes.own_names(scope);
                let process = &self.network.processes[id];
                names.extend(process.locations.iter().map(|location| location.name.as_str()));
                let help =
                    closest(&member.text, names).map(|name| format!("did you mean `{name}`?"));
                let message = format!(
                    "process `{}` has no location or variable `{}`",
                    process.name, member.text
                );
                self.report(
                    Diagnostic::error("name::unknown", member.span, message)
                        .label("not in this process")
                        .maybe_help(help),
                );
                Typed::error(span)
            }
        }
    }

    /// Whether an expression names a process of a set, so that a quantifier around it must be
    /// unrolled.
    pub(super) fn mentions_process_set(&self, scope: ScopeId, expr: &'a ast::Expr) -> bool {
        let mut found = false;
        walk(expr, &mut |expr| {
            if let ast::ExprKind::Call(callee, _) = &expr.kind
                && let ast::ExprKind::Name(name) = &callee.kind
            {
                found |= matches!(self.scopes.find(scope, name), Some((Entity::Processes(_), _)));
            }
        });
        found
    }
}
