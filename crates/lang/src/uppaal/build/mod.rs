//! From syntax to the flat network: names are resolved, types checked, templates instantiated and
//! constants folded, in one pass over each instance.
//!
//! Checking happens *while* instantiating, because only then ranges and array sizes are numbers:
//! a type is never a formula over parameters. A template that no process uses, and a function
//! that nothing calls, is built once with stand-ins for its parameters and thrown away, so that
//! its errors are found too. After the first faulty instance of a template the others are
//! skipped: they would repeat its errors.
//!
//! References do not survive: a function that takes one is specialised for the place it refers
//! to (see `function`), and a template parameter by reference is another name for that place.

mod about;
mod assign;
mod call;
mod clocks;
mod condition;
mod constant;
mod declare;
mod expr;
mod function;
mod initial;
mod params;
mod place;
mod process;
mod quantifier;
mod query;
mod scope;
mod statements;
mod system;
mod testcode;
mod type_of;
mod typed;
mod types;
mod walk;

pub(crate) use about::queries_about;
pub(crate) use testcode::test_code;

use punctual_model::{Frame, FunctionId, IdVec, Network, ProcessId};
use rustc_hash::FxHashMap;

use self::{
    function::{Effects, FunctionKey},
    scope::{Entity, ScopeId, Scopes},
};
use super::{ast, syntax::Syntax};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
    model::{QueryEntry, SourceMap},
};

/// Names are suggested for so many errors. No more are shown.
const SUGGESTED_MAX: usize = 50;

/// What is built from the syntax of a model.
pub(crate) struct Built {
    pub(crate) network: Network,
    pub(crate) source_map: SourceMap,
    pub(crate) queries: Vec<QueryEntry>,
}

/// Builds the network, unless something is wrong. Queries that are wrong do not count: each
/// carries its own diagnostics.
pub(crate) fn build(syntax: &Syntax, diagnostics: &mut Diagnostics) -> Option<Built> {
    let mut builder = Builder::new(syntax, std::mem::take(diagnostics));
    builder.global_declarations();
    let system = builder.system();
    let mut queries = Vec::new();
    if !builder.diagnostics.has_errors() {
        queries = builder.queries(system);
    }
    builder.rehearse(system);
    *diagnostics = builder.diagnostics;
    (!diagnostics.has_errors()).then_some(Built {
        network: builder.network,
        source_map: builder.source_map,
        queries,
    })
}

/// What an expression is used for: decides what may stand in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// Must be known before the model runs.
    Constant,
    Guard,
    Invariant,
    Sync,
    Update,
    /// Exponential rates, branch weights, progress measures.
    Measure,
    Function,
    Query,
}

struct Builder<'a> {
    syntax: &'a Syntax,
    network: Network,
    source_map: SourceMap,
    diagnostics: Diagnostics,
    scopes: Scopes<'a>,
    global: ScopeId,
    /// The scope of the parameters and declarations of each process.
    process_scopes: IdVec<ProcessId, ScopeId>,
    /// The process whose declarations are read.
    owner: Option<ProcessId>,
    role: Role,
    frame: FrameState,
    next_frame: u32,
    /// What each function became; none if it is faulty.
    functions: FxHashMap<FunctionKey, Option<FunctionId>>,
    /// The key of each function of the network.
    function_keys: Vec<FunctionKey>,
    function_effects: IdVec<FunctionId, Effects>,
    /// The functions that were specialised at least once.
    specialised: rustc_hash::FxHashSet<u32>,
    /// The functions that are being specialised, outermost first.
    calls: Vec<(u32, &'a str)>,
    /// What the expressions read so far (since it was reset) do.
    effects: Effects,
    /// The first call that changes something, with the name of the function.
    writer: Option<(Span, &'a str)>,
    next_uid: u32,
    /// Templates and instances that became a process.
    built_templates: rustc_hash::FxHashSet<usize>,
    built_instances: rustc_hash::FxHashSet<Span>,
    /// Templates of which an instance had errors.
    faulty_templates: rustc_hash::FxHashSet<usize>,
    /// Warnings that were given, by code and place: other instances would repeat them.
    warned: rustc_hash::FxHashSet<(&'static str, Span)>,
    /// How many locations and edges all processes have.
    n_elements: usize,
    /// How many more steps evaluating constants may take.
    steps: usize,
    /// Where each style of synchronisation was first seen.
    io_sync: Option<Span>,
    csp_sync: Option<(Span, String)>,
    /// Channels with a priority of their own.
    prioritised: Vec<(punctual_model::ChannelId, i32)>,
    scalar_sets: u32,
    /// How many times quantifiers were unrolled.
    unrolled: usize,
    /// Building something only to find its errors: values are stand-ins.
    rehearsal: bool,
}

/// The local memory that is being laid out.
#[derive(Clone, Copy)]
struct FrameState {
    id: u32,
    used: Frame,
}

impl<'a> Builder<'a> {
    fn new(syntax: &'a Syntax, diagnostics: Diagnostics) -> Self {
        let mut scopes = Scopes::default();
        let builtins = scopes.open(None);
        let global = scopes.open(Some(builtins));
        let mut builder = Self {
            syntax,
            network: Network::default(),
            source_map: SourceMap::default(),
            diagnostics,
            scopes,
            global,
            process_scopes: IdVec::new(),
            owner: None,
            role: Role::Constant,
            frame: FrameState { id: 0, used: Frame::default() },
            next_frame: 1,
            functions: FxHashMap::default(),
            function_keys: Vec::new(),
            function_effects: IdVec::new(),
            specialised: Default::default(),
            calls: Vec::new(),
            effects: Effects::default(),
            writer: None,
            next_uid: 0,
            built_templates: Default::default(),
            built_instances: Default::default(),
            faulty_templates: Default::default(),
            warned: Default::default(),
            n_elements: 0,
            steps: constant::STEPS_ALL,
            io_sync: None,
            csp_sync: None,
            prioritised: Vec::new(),
            scalar_sets: 0,
            unrolled: 0,
            rehearsal: false,
        };
        builder.bind_builtins(builtins);
        builder
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.is_error() || self.warned.insert((diagnostic.code, diagnostic.span)) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports what depends on values. While rehearsing, values are stand-ins and prove nothing.
    fn report_value(&mut self, diagnostic: Diagnostic) {
        if !self.rehearsal {
            self.report(diagnostic);
        }
    }

    /// Binds a declared name, and reports a second declaration in the same scope.
    fn bind(&mut self, scope: ScopeId, name: &'a ast::Name, entity: Entity<'a>) {
        if let Some(earlier) = self.scopes.bind(scope, &name.text, entity, name.span) {
            // Nobody knows which of the two is meant.
            self.scopes.bind(scope, &name.text, Entity::Error, earlier);
            self.duplicate(name, earlier);
        }
    }

    /// Binds a parameter; that another has its name was reported where they are declared.
    fn bind_param(&mut self, scope: ScopeId, name: &'a ast::Name, entity: Entity<'a>) {
        self.scopes.bind(scope, &name.text, entity, name.span);
    }

    fn duplicate(&mut self, name: &ast::Name, earlier: Span) {
        self.report(
            Diagnostic::error(
                "name::duplicate",
                name.span,
                format!("`{}` is declared twice", name.text),
            )
            .label("declared again here")
            .also(earlier, "first declared here")
            .help("rename one of them"),
        );
    }

    /// Runs `inside` with a fresh frame and a role; gives the frame that was needed.
    fn framed<T>(&mut self, role: Role, inside: impl FnOnce(&mut Self) -> T) -> (T, Frame) {
        let outer = (self.frame, self.role, self.effects);
        self.frame = FrameState { id: self.next_frame, used: Frame::default() };
        self.next_frame += 1;
        self.role = role;
        self.effects = Effects::default();
        let result = inside(self);
        let used = self.frame.used;
        (self.frame, self.role, self.effects) = outer;
        (result, used)
    }

    /// Runs `inside` with another role.
    fn with_role<T>(&mut self, role: Role, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.role, role);
        let result = inside(self);
        self.role = outer;
        result
    }

    /// Runs `inside` in a scope of its own, which nothing may remember.
    fn scoped<T>(&mut self, parent: ScopeId, inside: impl FnOnce(&mut Self, ScopeId) -> T) -> T {
        let scope = self.scopes.open(Some(parent));
        let result = inside(self, scope);
        self.scopes.close(scope);
        result
    }

    /// A new integer slot of the present frame.
    fn int_slot(&mut self) -> u32 {
        self.frame.used.ints += 1;
        self.frame.used.ints - 1
    }

    fn unknown_name(&mut self, scope: ScopeId, name: &str, span: Span, wanted: &str) {
        // Looking for what is meant takes long where there are many names: only for the first few.
        let looked = self.diagnostics.error_count() < SUGGESTED_MAX;
        let suggestion = match wanted {
            _ if !looked => None,
            "type" => self.scopes.suggest(scope, name, |entity| matches!(entity, Entity::Type(_))),
            "template" => self.scopes.suggest(scope, name, |entity| {
                matches!(entity, Entity::Template(_) | Entity::Instance(_))
            }),
            "process" => self.scopes.suggest(scope, name, |entity| {
                matches!(entity, Entity::Processes(_) | Entity::Place(_))
            }),
            "function" => self.scopes.suggest(scope, name, |entity| {
                matches!(entity, Entity::Function(_) | Entity::Builtin(_))
            }),
            "channel" => self.scopes.suggest(scope, name, |entity| match entity {
                Entity::Place(place) => place.ty.layout().channels > 0,
                _ => false,
            }),
            _ => self.scopes.suggest(scope, name, |entity| {
                matches!(entity, Entity::Place(_) | Entity::Value(..) | Entity::Str)
            }),
        };
        let mut templates = self.syntax.templates.iter();
        let process = looked && templates.any(|template| template.name.text == name);
        let help = if self.scopes.is_declared_below(scope, name) {
            Some(format!("`{name}` is declared below; move its declaration before this one"))
        } else if process && self.role != Role::Query {
            Some("a template can not look into other processes; share a global variable".to_owned())
        } else if name == "deadlock" {
            Some("`deadlock` can only be used in queries".to_owned())
        } else {
            suggestion.map(|suggestion| format!("did you mean `{suggestion}`?"))
        };
        self.report(
            Diagnostic::error("name::unknown", span, format!("there is no {wanted} `{name}`"))
                .label("not declared")
                .maybe_help(help),
        );
    }
}
