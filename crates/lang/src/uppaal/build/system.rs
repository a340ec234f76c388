//! The system: global declarations, instances, the system line.

use std::rc::Rc;

use punctual_model::{Expr, ProcessId, Progress, Range, Storage};

use super::{
    Builder, Role,
    function::by_reference,
    place::{self, Place},
    scope::{Entity, ProcessSet, ScopeId},
    types::{Layout, Type},
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

/// How many processes a model may have.
const PROCESSES_MAX: u64 = 100_000;
/// How many locations and edges all of them may have.
const ELEMENTS_MAX: usize = 4_000_000;

/// Binds the parameters of a template or instance in its new scope; false if something is wrong.
type Bind<'b, 'a> = &'b mut dyn FnMut(&mut Builder<'a>, ScopeId, &'a [ast::Param]) -> bool;

impl<'a> Builder<'a> {
    pub(super) fn global_declarations(&mut self) {
        let syntax = self.syntax;
        self.diagnostics.enter("global declarations");
        self.declarations(self.global, &syntax.declarations);
        self.diagnostics.leave();
    }

    /// Builds all processes; gives the scope in which queries find them.
    pub(super) fn system(&mut self) -> ScopeId {
        let syntax = self.syntax;
        let scope = self.scopes.open(Some(self.global));
        for (index, template) in syntax.templates.iter().enumerate() {
            self.diagnostics.enter(format!("template {}", template.name.text));
            self.bind(scope, &template.name, Entity::Template(index));
            self.diagnostics.enter("parameters");
            self.refuse_duplicate_params(&template.params);
            self.diagnostics.leave();
            self.diagnostics.leave();
        }
        for chart in &syntax.charts {
            self.bind(scope, chart, Entity::Chart);
        }
        self.diagnostics.enter("system declarations");
        for item in &syntax.system.items {
            match item {
                ast::SystemItem::Declaration(declaration) => self.declaration(scope, declaration),
                ast::SystemItem::Instance(instance) => self.instance(scope, instance),
            }
        }
        self.diagnostics.leave();
        let queries = self.scopes.open(Some(scope));
        if syntax.system.line.is_none() && !self.diagnostics.has_errors() {
            self.report(
                Diagnostic::error("system::missing", syntax.system_span, "there is no system line")
                    .label("the system section ends without one")
                    .help("name the processes: `system P, Q;`"),
            );
        }
        for (priority, group) in syntax.system.processes.iter().enumerate() {
            for member in group {
                self.member_of_system(scope, queries, member, priority as i32);
            }
        }
        // Only now all channels are there, those of the processes included.
        self.settle_priorities();
        if let (Some((csp, context)), Some(io)) = (self.csp_sync.take(), self.io_sync) {
            let outer = self.diagnostics.replace_context(vec![context.into()]);
            self.report(
                Diagnostic::error(
                    "sync::mixed_styles",
                    csp,
                    "synchronisation without `!` or `?` can not be mixed with the other style",
                )
                .label("neither sends nor receives")
                .also(io, "sends or receives")
                .help("add `!` or `?`"),
            );
            self.diagnostics.replace_context(outer);
        }
        self.diagnostics.enter("progress measures");
        for progress in &syntax.system.progress {
            self.progress(queries, progress);
        }
        self.diagnostics.leave();
        queries
    }

    fn progress(&mut self, scope: ScopeId, progress: &'a ast::Progress) {
        let ((guard, measure), frame) = self.framed(Role::Query, |builder| {
            let guard = progress.guard.as_ref().map(|guard| {
                let guard = builder.expr(scope, guard);
                builder.truth(guard)
            });
            let measure = builder.expr(scope, &progress.measure);
            let measure = builder.integer(measure, "progress measure");
            builder.refuse_effects(&progress.measure);
            (guard, measure)
        });
        self.network.progress.push(Progress { guard, measure, frame });
    }

    fn instance(&mut self, scope: ScopeId, instance: &'a ast::Instance) {
        // What it instantiates must be declared before, so instances can not be circular.
        // An instance of a chart matters only to queries about it, which are not supported.
        if let Some((Entity::Chart, _)) = self.scopes.find(scope, &instance.template.text) {
            self.bind(scope, &instance.name, Entity::Chart);
            return;
        }
        self.diagnostics.enter(format!("instance {}", instance.name.text));
        self.refuse_duplicate_params(&instance.params);
        let named = self.template_named(scope, &instance.template);
        self.diagnostics.leave();
        let entity = match named {
            Some(_) => Entity::Instance(instance),
            None => Entity::Error,
        };
        self.bind(scope, &instance.name, entity);
    }

    fn refuse_duplicate_params(&mut self, params: &'a [ast::Param]) {
        for (position, param) in params.iter().enumerate() {
            let name = &param.name;
            if let Some(earlier) = params[..position].iter().find(|p| p.name.text == name.text) {
                self.duplicate(name, earlier.name.span);
            }
        }
    }

    fn template_named(&mut self, scope: ScopeId, name: &'a ast::Name) -> Option<Entity<'a>> {
        match self.scopes.find(scope, &name.text).map(|(entity, _)| entity.clone()) {
            Some(entity @ (Entity::Template(_) | Entity::Instance(_))) => Some(entity),
            Some(Entity::Error) => None,
            Some(entity) => {
                self.report(
                    Diagnostic::error(
                        "name::not_a_template",
                        name.span,
                        format!("`{}` is {}, not a template", name.text, entity.describe()),
                    )
                    .label("a template or process is expected here"),
                );
                None
            }
            None => {
                self.unknown_name(scope, &name.text, name.span, "template");
                None
            }
        }
    }

    fn params_of(&self, entity: &Entity<'a>) -> &'a [ast::Param] {
        match entity {
            Entity::Template(index) => &self.syntax.templates[*index].params,
            Entity::Instance(instance) => &instance.params,
            _ => &[],
        }
    }

    fn member_of_system(
        &mut self,
        scope: ScopeId,
        queries: ScopeId,
        member: &'a ast::SystemProcess,
        priority: i32,
    ) {
        let name = &member.name;
        self.diagnostics.enter("system line");
        let entity = self.template_named(scope, name);
        if let Some(arguments) = &member.arguments {
            let span = arguments.first().map_or(name.span, |argument| argument.span);
            self.report(
                Diagnostic::error(
                    "system::arguments",
                    span,
                    "the system line names processes; it can not give them arguments",
                )
                .help(format!("write `P1 = {}(…);` before it, and name `P1` here", name.text)),
            );
            self.diagnostics.leave();
            return;
        }
        let params = entity.as_ref().and_then(|entity| self.free_params(scope, entity, name.span));
        if let Some(&(_, earlier)) = self.scopes.find_own(queries, &name.text) {
            self.report(
                Diagnostic::error(
                    "system::duplicate",
                    name.span,
                    format!("`{}` is named twice", name.text),
                )
                .label("again here")
                .also(earlier, "first here")
                .help(format!("instantiate it under another name: `{}2 = …;`", name.text)),
            );
            self.diagnostics.leave();
            return;
        }
        self.diagnostics.leave();
        let (Some(entity), Some((types, ranges))) = (entity, params) else {
            self.scopes.bind(queries, &name.text, Entity::Error, name.span);
            return;
        };
        let first = self.network.processes.next_id();
        let mut values: Vec<i32> = ranges.iter().map(|range| range.lo).collect();
        loop {
            let title = match values.is_empty() {
                true => name.text.clone(),
                false => {
                    let list: Vec<String> = values.iter().map(i32::to_string).collect();
                    format!("{}({})", name.text, list.join(","))
                }
            };
            let errors = self.diagnostics.error_count();
            let process = self.make(
                scope,
                &entity,
                &mut |builder, inner, params| {
                    for ((param, ty), value) in params.iter().zip(&types).zip(&values) {
                        let entity = Entity::Value(ty.clone(), Expr::Int(*value));
                        builder.bind_param(inner, &param.name, entity);
                    }
                    true
                },
                title,
                priority,
            );
            let is_empty =
                |process: ProcessId| self.network.processes[process].locations.is_empty();
            if self.diagnostics.error_count() == errors && process.is_some_and(is_empty) {
                self.report(
                    Diagnostic::error(
                        "system::empty_process",
                        name.span,
                        format!("`{}` has no locations, so it can not run", name.text),
                    )
                    .help("give its template a location, or take it out of the system"),
                );
            }
            if self.diagnostics.error_count() > errors || !next(&mut values, &ranges) {
                break;
            }
            if self.n_elements > ELEMENTS_MAX {
                self.report(
                    Diagnostic::error(
                        "system::too_large",
                        name.span,
                        "the processes of this system are too large",
                    )
                    .label(format!("more than {ELEMENTS_MAX} locations and edges")),
                );
                break;
            }
        }
        let anonymous = types.iter().any(|ty| matches!(ty, Type::Scalar(_)));
        let set = ProcessSet { first, params: ranges, anonymous };
        self.scopes.bind(queries, &name.text, Entity::Processes(Rc::new(set)), name.span);
    }

    /// The types and values of the parameters that the system line leaves open.
    fn free_params(
        &mut self,
        scope: ScopeId,
        entity: &Entity<'a>,
        span: Span,
    ) -> Option<(Vec<Type>, Vec<Range>)> {
        let params = self.params_of(entity);
        let parent = match entity {
            Entity::Template(_) => self.global,
            _ => scope,
        };
        let (mut types, mut ranges) = (Vec::new(), Vec::new());
        let inner = self.scopes.open(Some(parent));
        for param in params {
            let ty = self.param_type(inner, param)?;
            let range = match ty.values() {
                Some(range) if !by_reference(param, &ty) => range,
                _ => {
                    self.report(
                        Diagnostic::error(
                            "system::unbound_parameter",
                            span,
                            format!("the parameter `{}` has no value", param.name.text),
                        )
                        .label("one process for each value is not possible")
                        .also(param.name.span, format!("of type `{ty}`"))
                        .help("instantiate it with arguments: `P1 = P(…);`, and name `P1` here"),
                    );
                    return None;
                }
            };
            // The range of another parameter must not depend on this one.
            let place = Place {
                ty: ty.clone(),
                storage: Storage::State,
                base: Layout::default(),
                indices: Vec::new(),
                constant: Some(place::Constant::Declared),
            };
            self.bind_param(inner, &param.name, Entity::Place(Rc::new(place)));
            types.push(ty);
            ranges.push(range);
        }
        let count = ranges.iter().fold(1u64, |count, range| count.saturating_mul(range.len()));
        if count.saturating_add(self.network.processes.len() as u64) > PROCESSES_MAX {
            self.report(Diagnostic::error(
                "system::too_many_processes",
                span,
                format!("this stands for {count} processes; {PROCESSES_MAX} are possible"),
            ));
            return None;
        }
        Some((types, ranges))
    }

    /// Builds a process of a template, or of what an instance stands for.
    fn make(
        &mut self,
        system: ScopeId,
        entity: &Entity<'a>,
        bind: Bind<'_, 'a>,
        title: String,
        priority: i32,
    ) -> Option<ProcessId> {
        match entity {
            Entity::Template(index) => {
                let template = &self.syntax.templates[*index];
                let scope = self.scopes.open(Some(self.global));
                if !bind(self, scope, &template.params) {
                    return None;
                }
                self.built_templates.insert(*index);
                // Another instance of a faulty template would repeat its errors.
                if self.faulty_templates.contains(index) {
                    return None;
                }
                let errors = self.diagnostics.error_count();
                let process = self.instantiate(template, scope, title, priority);
                if self.diagnostics.error_count() > errors {
                    self.faulty_templates.insert(*index);
                }
                Some(process)
            }
            Entity::Instance(instance) => {
                let instance: &'a ast::Instance = instance;
                let scope = self.scopes.open(Some(system));
                if !bind(self, scope, &instance.params) {
                    return None;
                }
                self.built_instances.insert(instance.span);
                let target = self.template_named(system, &instance.template)?;
                self.make(
                    system,
                    &target,
                    &mut |builder, inner, params| {
                        builder.diagnostics.enter(format!("instance {}", instance.name.text));
                        let arguments = (scope, instance.arguments.as_slice());
                        let of = (&instance.template, instance.span);
                        let fine = builder.bind_arguments((inner, params), arguments, of);
                        builder.diagnostics.leave();
                        fine
                    },
                    title,
                    priority,
                )
            }
            _ => None,
        }
    }

    /// Builds what no process uses, with stand-ins for parameters, to find its errors; and
    /// forgets what was built.
    pub(super) fn rehearse(&mut self, queries: ScopeId) {
        let syntax = self.syntax;
        let kept = Sizes::of(self);
        self.rehearsal = true;
        let system = match self.scopes.parent(queries) {
            Some(system) => system,
            None => return,
        };
        for item in &syntax.system.items {
            if let ast::SystemItem::Instance(instance) = item
                && !self.built_instances.contains(&instance.span)
                && let Some((entity @ Entity::Instance(_), _)) =
                    self.scopes.find_own(system, &instance.name.text).cloned()
            {
                self.make_rehearsal(system, &entity, &instance.name.text);
            }
        }
        for (index, template) in syntax.templates.iter().enumerate() {
            if !self.built_templates.contains(&index) {
                self.make_rehearsal(system, &Entity::Template(index), &template.name.text);
            }
        }
        // One process of each template is enough for the functions that nothing calls.
        let mut scopes = vec![(String::new(), self.global), (String::new(), system)];
        let mut seen = rustc_hash::FxHashSet::default();
        for (id, process) in self.network.processes.enumerate() {
            if seen.insert(process.template.clone()) {
                scopes.push((process.template.clone(), self.process_scopes[id]));
            }
        }
        for (template, scope) in scopes {
            let context = match template.as_str() {
                "" => "global declarations".to_owned(),
                template => format!("template {template}, declarations"),
            };
            self.diagnostics.enter(context);
            for name in self.scopes.own_names(scope) {
                if let Some((Entity::Function(function), _)) =
                    self.scopes.find_own(scope, name).cloned()
                    && !self.specialised.contains(&function.uid)
                {
                    self.rehearse_function(&function);
                }
            }
            self.diagnostics.leave();
        }
        self.rehearsal = false;
        kept.restore(self);
    }

    fn make_rehearsal(&mut self, system: ScopeId, entity: &Entity<'a>, name: &str) {
        self.make(
            system,
            entity,
            &mut |builder, inner, params| builder.bind_stand_ins(inner, params),
            name.to_owned(),
            0,
        );
    }
}

/// The next combination of values; false after the last.
fn next(values: &mut [i32], ranges: &[Range]) -> bool {
    for (value, range) in values.iter_mut().zip(ranges).rev() {
        if *value < range.hi {
            *value += 1;
            return true;
        }
        *value = range.lo;
    }
    false
}

/// How much of each table of the network is to be kept.
struct Sizes {
    tables: [usize; 7],
    memories: [usize; 6],
}

impl Sizes {
    fn of(builder: &Builder<'_>) -> Self {
        let network = &builder.network;
        Self {
            tables: [
                network.processes.len(),
                network.clocks.len(),
                network.variables.len(),
                network.channels.len(),
                network.functions.len(),
                builder.process_scopes.len(),
                builder.source_map.processes.len(),
            ],
            memories: [
                network.constants.ints.len(),
                network.constants.doubles.len(),
                network.initial.ints.len(),
                network.initial.doubles.len(),
                network.meta.ints.len(),
                network.meta.doubles.len(),
            ],
        }
    }

    fn restore(self, builder: &mut Builder<'_>) {
        let network = &mut builder.network;
        let [processes, clocks, variables, channels, functions, scopes, spans] = self.tables;
        network.processes.truncate(processes);
        network.clocks.truncate(clocks);
        builder.source_map.clocks.truncate(clocks);
        network.variables.truncate(variables);
        network.channels.truncate(channels);
        network.functions.truncate(functions);
        builder.process_scopes.truncate(scopes);
        builder.source_map.processes.truncate(spans);
        let [constants, constant_doubles, initial, initial_doubles, meta, meta_doubles] =
            self.memories;
        network.constants.ints.truncate(constants);
        network.constants.doubles.truncate(constant_doubles);
        network.initial.ints.truncate(initial);
        network.initial.doubles.truncate(initial_doubles);
        network.meta.ints.truncate(meta);
        network.meta.doubles.truncate(meta_doubles);
    }
}
