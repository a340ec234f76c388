//! Processes: one instance of a template, with its locations and edges.

use punctual_model::{
    Branch, Condition, Edge, ExponentialRate, Id, IdVec, Location, LocationId, LocationKind,
    Process, ProcessId, Select, Sync,
};

use super::{Builder, Role, scope::ScopeId, types::Type};
use crate::{
    Span,
    diagnostic::Diagnostic,
    model::ProcessSpans,
    uppaal::{
        ast,
        syntax::{self, End},
    },
};

impl<'a> Builder<'a> {
    /// Builds a process of a template whose parameters are bound in `scope`.
    pub(super) fn instantiate(
        &mut self,
        template: &'a syntax::Template,
        scope: ScopeId,
        name: String,
        priority: i32,
    ) -> ProcessId {
        let id = self.network.processes.push(Process {
            name,
            template: template.name.text.clone(),
            locations: IdVec::new(),
            initial: Vec::new(),
            edges: IdVec::new(),
            priority,
        });
        self.process_scopes.push(scope);
        self.owner = Some(id);
        self.diagnostics.enter(format!("template {}", template.name.text));
        self.diagnostics.enter("declarations");
        self.declarations(scope, &template.declarations);
        self.diagnostics.leave();
        self.refuse_location_names(scope, template);
        let mut spans = ProcessSpans::default();
        for location in &template.locations {
            self.diagnostics.enter(format!("location {}", location.name));
            let built = self.location(scope, location);
            self.diagnostics.leave();
            self.network.processes[id].locations.push(built);
            spans.locations.push(location.span);
        }
        if let Some(initial) = template.initial {
            self.network.processes[id].initial.push(LocationId::from_index(initial));
        }
        for edge in &template.edges {
            let End::Location(source) = edge.source else { continue };
            self.diagnostics.enter(format!("edge {}", edge.title));
            let built = self.edge(scope, template, edge, LocationId::from_index(source));
            self.diagnostics.leave();
            if let Some(built) = built {
                self.network.processes[id].edges.push(built);
                spans.edges.push(edge.span);
            }
        }
        self.diagnostics.leave();
        self.n_elements += template.locations.len() + template.edges.len();
        self.owner = None;
        self.source_map.processes.push(spans);
        id
    }

    /// Locations share their names with parameters and variables: `P.x` must mean one thing.
    fn refuse_location_names(&mut self, scope: ScopeId, template: &'a syntax::Template) {
        for location in &template.locations {
            let Some(span) = location.name_span else { continue };
            if let Some((entity, earlier)) = self.scopes.find_own(scope, &location.name) {
                let message = format!(
                    "the location `{}` has the name of {}",
                    location.name,
                    entity.describe()
                );
                let diagnostic = Diagnostic::error("name::duplicate", span, message)
                    .label("this location")
                    .also(*earlier, "declared here")
                    .help("rename one of them");
                self.report(diagnostic);
            }
        }
    }

    fn location(&mut self, scope: ScopeId, location: &'a syntax::Location) -> Location {
        let kind = match (location.committed, location.urgent) {
            (true, _) => LocationKind::Committed,
            (false, true) => LocationKind::Urgent,
            (false, false) => LocationKind::Normal,
        };
        let ((invariant, rates, exponential_rate), frame) =
            self.framed(Role::Invariant, |builder| {
                let (invariant, rates) = match &location.invariant {
                    Some(expr) => builder.labelled("invariant", |b| b.invariant(scope, expr)),
                    None => Default::default(),
                };
                let exponential_rate = location.rate.as_ref().map(|rate| {
                    builder.labelled("exponential rate", |b| b.exponential_rate(scope, rate))
                });
                (invariant, rates, exponential_rate)
            });
        Location {
            name: location.name.clone(),
            kind,
            invariant,
            rates,
            exponential_rate,
            labels: Vec::new(),
            frame,
        }
    }

    fn labelled<T>(&mut self, label: &'static str, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.diagnostics.enter(label);
        let result = inside(self);
        self.diagnostics.leave();
        result
    }

    fn exponential_rate(
        &mut self,
        scope: ScopeId,
        rate: &'a ast::ExponentialRate,
    ) -> ExponentialRate {
        self.with_role(Role::Measure, |builder| ExponentialRate {
            value: builder.measure(scope, &rate.value, "exponential rate"),
            divisor: rate
                .divisor
                .as_ref()
                .map(|divisor| builder.measure(scope, divisor, "exponential rate")),
        })
    }

    fn edge(
        &mut self,
        scope: ScopeId,
        template: &'a syntax::Template,
        edge: &'a syntax::Edge,
        source: LocationId,
    ) -> Option<Edge> {
        if let Some(probability) = &edge.probability
            && matches!(edge.target, End::Location(_))
        {
            let warning = Diagnostic::warning(
                "edge::weight_without_branchpoint",
                probability.span,
                "a weight counts only on an edge that leaves a branchpoint",
            );
            self.labelled("weight", |b| b.report(warning.label("this has no effect")));
        }
        let (built, frame) = self.framed(Role::Guard, |builder| {
            let inner = builder.scopes.open(Some(scope));
            let selects = builder.selects(inner, &edge.select);
            let guard = match &edge.guard {
                Some(expr) => builder.labelled("guard", |b| b.guard(inner, expr)),
                None => Condition::default(),
            };
            let sync = match &edge.sync {
                Some(sync) => builder.labelled("synchronisation", |b| {
                    b.with_role(Role::Sync, |b| b.sync(inner, sync, edge, &guard))
                }),
                None => Sync::Internal,
            };
            let update = builder.labelled("update", |b| {
                b.with_role(Role::Update, |b| b.update(inner, &edge.update))
            });
            builder.scopes.close(inner);
            let branches = match edge.target {
                End::Location(target) => vec![Branch {
                    weight: None,
                    selects: Vec::new(),
                    update: Vec::new(),
                    target: LocationId::from_index(target),
                }],
                End::Branchpoint(branchpoint) => {
                    builder.branches(scope, template, branchpoint, edge.span)?
                }
            };
            Some((selects, guard, sync, update, branches))
        });
        let (selects, guard, sync, update, branches) = built?;
        let controllable = edge.controllable;
        Some(Edge { source, selects, guard, sync, update, branches, controllable, frame })
    }

    pub(super) fn selects(&mut self, scope: ScopeId, select: &'a [ast::Binding]) -> Vec<Select> {
        let mut selects = Vec::with_capacity(select.len());
        self.diagnostics.enter("select");
        for binding in select {
            match self.binding_range(scope, binding) {
                Some((ty, range)) => {
                    let slot = self.int_slot();
                    self.bind_slot(scope, &binding.name, ty, slot);
                    selects.push(Select { name: binding.name.text.clone(), slot, range });
                }
                None => self.bind(scope, &binding.name, super::Entity::Error),
            }
        }
        self.diagnostics.leave();
        selects
    }

    fn sync(
        &mut self,
        scope: ScopeId,
        sync: &'a ast::Sync,
        edge: &'a syntax::Edge,
        guard: &Condition,
    ) -> Sync {
        // A misspelt channel is called so, and not a variable.
        let mut base = &sync.channel;
        while let ast::ExprKind::Index(inner, _) = &base.kind {
            base = inner;
        }
        if let ast::ExprKind::Name(name) = &base.kind
            && self.scopes.find(scope, name).is_none()
        {
            self.unknown_name(scope, name, base.span, "channel");
            return Sync::Internal;
        }
        let typed = self.expr(scope, &sync.channel);
        self.refuse_effects(&sync.channel);
        let Some(place) = self.channel_of(&typed) else { return Sync::Internal };
        if let Type::Channel { urgent: true, .. } = place.ty
            && !guard.clocks.is_empty()
        {
            let guard = edge.guard.as_ref().map_or(typed.span, |guard| guard.span);
            let mut context = self.diagnostics.context().to_vec();
            context.pop();
            context.push("guard".into());
            let outer = self.diagnostics.replace_context(context);
            self.report(
                Diagnostic::warning(
                    "sync::urgent_clock_guard",
                    guard,
                    "a clock guards an edge that synchronises on an urgent channel",
                )
                .label("this guard reads a clock")
                .also(typed.span, "an urgent channel")
                .help(
                    "let the clock pass in an earlier location, or drop `urgent` from the channel",
                ),
            );
            self.diagnostics.replace_context(outer);
        }
        let channel = place.to_channel();
        match sync.direction {
            ast::Direction::Csp if self.csp_sync.is_none() => {
                self.csp_sync = Some((typed.span, self.diagnostics.context().join(", ")));
            }
            ast::Direction::Csp => {}
            _ => {
                self.io_sync.get_or_insert(typed.span);
            }
        }
        match sync.direction {
            ast::Direction::Send => Sync::Send(channel),
            ast::Direction::Receive => Sync::Receive(channel),
            ast::Direction::Csp => Sync::Csp(channel),
        }
    }

    fn branches(
        &mut self,
        scope: ScopeId,
        template: &'a syntax::Template,
        branchpoint: usize,
        span: Span,
    ) -> Option<Vec<Branch>> {
        let mut branches = Vec::new();
        for edge in template.branches[branchpoint].iter().map(|&index| &template.edges[index]) {
            self.diagnostics.enter(format!("branch to {}", edge.target_name));
            let branch = self.branch(scope, edge);
            self.diagnostics.leave();
            branches.push(branch?);
        }
        if branches.is_empty() {
            self.report(
                Diagnostic::error("edge::no_branch", span, "no edge leaves the branchpoint")
                    .label("this edge leads to a branchpoint")
                    .help("draw an edge from the branchpoint to a location"),
            );
            return None;
        }
        Some(branches)
    }

    fn branch(&mut self, scope: ScopeId, edge: &'a syntax::Edge) -> Option<Branch> {
        let misplaced = [
            edge.guard.as_ref().map(|guard| (guard.span, "guard")),
            edge.sync.as_ref().map(|sync| (sync.channel.span, "synchronisation")),
        ];
        for (span, what) in misplaced.into_iter().flatten() {
            let message = format!("an edge that leaves a branchpoint can not have a {what}");
            let error = Diagnostic::error("edge::branch_label", span, message)
                .help("put it on the edge that enters the branchpoint");
            self.labelled(what, |b| b.report(error));
        }
        let End::Location(target) = edge.target else {
            self.report(
                Diagnostic::error(
                    "unsupported::nested_branchpoints",
                    edge.span,
                    "a branchpoint can not lead to another branchpoint",
                )
                .help("multiply the weights, and lead all branches to locations"),
            );
            return None;
        };
        let inner = self.scopes.open(Some(scope));
        let selects = self.selects(inner, &edge.select);
        let weight = edge.probability.as_ref().map(|weight| {
            self.labelled("weight", |b| {
                b.with_role(Role::Measure, |b| b.measure(inner, weight, "weight"))
            })
        });
        let update = self
            .labelled("update", |b| b.with_role(Role::Update, |b| b.update(inner, &edge.update)));
        self.scopes.close(inner);
        Some(Branch { weight, selects, update, target: LocationId::from_index(target) })
    }
}
