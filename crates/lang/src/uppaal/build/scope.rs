//! Names and what they stand for.

use std::{borrow::Cow, rc::Rc};

use punctual_model::{Builtin, Expr, ProcessId, Range};
use rustc_hash::FxHashMap;

use super::{place::Place, types::Type};
use crate::{Span, diagnostic::closest, uppaal::ast};

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Entity<'a> {
    /// Declared, but its declaration is wrong, which was reported.
    Error,
    /// A scalar that is known: a constant, a parameter by value.
    Value(Type, Expr),
    /// A string, which only external functions use.
    Str,
    /// Something stored.
    Place(Rc<Place>),
    /// A typedef.
    Type(Type),
    /// A function of the model.
    Function(Rc<FunctionDecl<'a>>),
    /// A function of the language.
    Builtin(Builtin),
    /// A template, by its position in the document.
    Template(usize),
    /// An instance with or without parameters of its own.
    Instance(&'a ast::Instance),
    /// The processes of a member of the system line.
    Processes(Rc<ProcessSet>),
    /// A dynamic template.
    Dynamic,
    /// A live sequence chart, or an instance of one.
    Chart,
}

/// A function before it is specialised.
pub(super) struct FunctionDecl<'a> {
    /// Tells functions apart, also those of two instances of one template.
    pub(super) uid: u32,
    /// Its name as written.
    pub(super) short: &'a str,
    /// Its name, qualified by its process.
    pub(super) name: String,
    pub(super) home: ScopeId,
    pub(super) returns: Type,
    pub(super) params: &'a [ast::Param],
    pub(super) body: FunctionSource<'a>,
    pub(super) span: Span,
    /// What its errors belong to, wherever it is called.
    pub(super) context: Vec<Cow<'static, str>>,
}

/// Where the code of a function is.
pub(super) enum FunctionSource<'a> {
    Block(&'a ast::Block),
    External { library: String, symbol: String },
}

/// Processes that share a name: `Train(0)`, `Train(1)`, …, or a single `Gate`.
pub(super) struct ProcessSet {
    pub(super) first: ProcessId,
    /// The values of the free parameters; empty for a single process.
    pub(super) params: Vec<Range>,
    /// Whether a parameter is a scalar, so that no constant can name a process.
    pub(super) anonymous: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ScopeId(u32);

struct Scope<'a> {
    parent: Option<ScopeId>,
    /// Of the names further out, only those that were bound before this are visible.
    sees_before: u32,
    names: FxHashMap<&'a str, Bound<'a>>,
}

/// A name with what it stands for, where it was declared, and when it was bound.
type Bound<'a> = ((Entity<'a>, Span), u32);

/// All scopes of a build. They are never removed: functions remember theirs.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    scopes: Vec<Scope<'a>>,
    /// How many names were bound.
    n_bound: u32,
}

impl<'a> Scopes<'a> {
    pub(super) fn open(&mut self, parent: Option<ScopeId>) -> ScopeId {
        let sees_before = u32::MAX;
        self.scopes.push(Scope { parent, sees_before, names: FxHashMap::default() });
        ScopeId(self.scopes.len() as u32 - 1)
    }

    /// A scope for a declaration that is about to be bound in another: it sees what was declared
    /// before, and itself, but nothing that is declared later.
    pub(super) fn open_here(&mut self, parent: ScopeId) -> ScopeId {
        let scope = self.open(Some(parent));
        self.scopes[scope.0 as usize].sees_before = self.n_bound + 1;
        scope
    }

    /// Forgets a scope that nothing remembers, if it is the newest.
    pub(super) fn close(&mut self, scope: ScopeId) {
        if scope.0 as usize + 1 == self.scopes.len() {
            self.scopes.pop();
        }
    }

    /// Binds a name; gives the place of an earlier binding in the same scope.
    pub(super) fn bind(
        &mut self,
        scope: ScopeId,
        name: &'a str,
        entity: Entity<'a>,
        span: Span,
    ) -> Option<Span> {
        let bound = ((entity, span), self.n_bound);
        self.n_bound += 1;
        self.scopes[scope.0 as usize].names.insert(name, bound).map(|((_, span), _)| span)
    }

    pub(super) fn find(&self, scope: ScopeId, name: &str) -> Option<&(Entity<'a>, Span)> {
        let mut at = Some(scope);
        let mut sees_before = u32::MAX;
        while let Some(ScopeId(index)) = at {
            let scope = &self.scopes[index as usize];
            match scope.names.get(name) {
                Some((found, bound)) if *bound < sees_before => return Some(found),
                _ => {}
            }
            sees_before = sees_before.min(scope.sees_before);
            at = scope.parent;
        }
        None
    }

    /// Whether a name that can not be seen from a scope is declared further down.
    pub(super) fn is_declared_below(&self, scope: ScopeId, name: &str) -> bool {
        let mut at = Some(scope);
        while let Some(ScopeId(index)) = at {
            let scope = &self.scopes[index as usize];
            if scope.names.contains_key(name) {
                return true;
            }
            at = scope.parent;
        }
        false
    }

    pub(super) fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scopes[scope.0 as usize].parent
    }

    /// Only in the scope itself.
    pub(super) fn find_own(&self, scope: ScopeId, name: &str) -> Option<&(Entity<'a>, Span)> {
        self.scopes[scope.0 as usize].names.get(name).map(|(found, _)| found)
    }

    /// The visible name that is closest to a misspelt one, among those that `fit`.
    pub(super) fn suggest(
        &self,
        scope: ScopeId,
        name: &str,
        fit: impl Fn(&Entity<'a>) -> bool,
    ) -> Option<&'a str> {
        let mut candidates = Vec::new();
        let mut at = Some(scope);
        while let Some(ScopeId(index)) = at {
            let scope = &self.scopes[index as usize];
            candidates.extend(
                scope
                    .names
                    .iter()
                    .filter(|(_, ((entity, _), _))| fit(entity))
                    .map(|(name, _)| *name),
            );
            at = scope.parent;
        }
        candidates.sort_unstable();
        closest(name, candidates)
    }

    /// The names of one scope, sorted.
    pub(super) fn own_names(&self, scope: ScopeId) -> Vec<&'a str> {
        let mut names: Vec<_> = self.scopes[scope.0 as usize].names.keys().copied().collect();
        names.sort_unstable();
        names
    }
}

impl Entity<'_> {
    /// In the words of a modeller.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Self::Error => "a name with a wrong declaration",
            Self::Value(..) => "a constant",
            Self::Str => "a string",
            Self::Place(place) => match &place.ty {
                Type::Clock { .. } => "a clock",
                Type::Channel { .. } => "a channel",
                Type::Array(_) => "an array",
                Type::Struct(_) => "a structure",
                _ => "a variable",
            },
            Self::Type(_) => "a type",
            Self::Function(_) | Self::Builtin(_) => "a function",
            Self::Template(_) => "a template",
            Self::Instance(_) => "a process",
            Self::Processes(set) if set.params.is_empty() => "a process",
            Self::Processes(_) => "a set of processes",
            Self::Dynamic => "a dynamic template",
            Self::Chart => "a live sequence chart",
        }
    }
}
