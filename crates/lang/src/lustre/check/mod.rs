//! Names, types and definitions.
//!
//! Every node of a file is checked, called or not. What comes out says of each expression which type
//! it has, and of each name what it stands for; if nothing was reported, whoever uses it need not
//! ask again whether types fit.
//!
//! Not here: clocks, causality and initialisation. Those are properties of whole programs.

mod calls;
mod constants;
mod expressions;
mod nodes;
mod types;

use punctual_model::{EnumId, Id, lustre::Value};
use rustc_hash::FxHashMap;

use super::{
    ast::{Ast, Ex, Ident, SampledBy, Symbol},
    types::{Ty, Types},
};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
};

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// Nothing, or it is no name.
    None,
    /// A variable of the node.
    Local(u32),
    Constant(u32),
    Enum(EnumId, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    Input,
    Output,
    Local,
}

/// When a variable has a value: another one is so.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct When {
    pub(super) on: u32,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Symbol,
    pub(super) span: Span,
    pub(super) ty: Ty,
    pub(super) role: Role,
    pub(super) when: Option<When>,
}

/// A node whose names are resolved.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeInfo {
    /// Inputs, then outputs, then locals.
    pub(super) variables: Vec<Variable>,
    pub(super) by_name: FxHashMap<Symbol, u32>,
    pub(super) constants: FxHashMap<Symbol, u32>,
    pub(super) n_inputs: usize,
    pub(super) n_outputs: usize,
    /// The variables of each equation of the syntax.
    pub(super) left: Vec<Vec<u32>>,
    /// Which nodes it calls, and where.
    calls: Vec<(usize, Span)>,
}

impl NodeInfo {
    pub(super) fn inputs(&self) -> &[Variable] {
        &self.variables[..self.n_inputs]
    }

    pub(super) fn outputs(&self) -> &[Variable] {
        &self.variables[self.n_inputs..self.n_inputs + self.n_outputs]
    }
}

#[derive(Clone, Debug)]
enum State {
    Waiting,
    Busy,
    Done(Ty, Vec<Value>),
}

#[derive(Clone, Debug)]
struct ConstantInfo {
    name: Ident,
    ty: Option<usize>,
    value: Option<Ex>,
    /// The node whose other constants it may use.
    node: Option<usize>,
    state: State,
}

/// What is known after checking.
pub(super) struct Checked<'a> {
    pub(super) ast: &'a Ast,
    pub(super) text: &'a str,
    pub(super) types: Types,
    pub(super) nodes: Vec<NodeInfo>,
    pub(super) node_by_name: FxHashMap<Symbol, usize>,
    type_of: Vec<Ty>,
    bindings: Vec<Binding>,
    constants: Vec<ConstantInfo>,
}

impl Checked<'_> {
    pub(super) fn ty(&self, ex: Ex) -> Ty {
        self.type_of[ex.index()]
    }

    pub(super) fn binding(&self, ex: Ex) -> Binding {
        self.bindings[ex.index()]
    }

    /// The scalars of a constant.
    pub(super) fn constant(&self, index: u32) -> &[Value] {
        match &self.constants[index as usize].state {
            State::Done(_, values) => values,
            _ => &[],
        }
    }
}

pub(super) struct Checker<'a, 'd> {
    pub(super) out: Checked<'a>,
    pub(super) diagnostics: &'d mut Diagnostics,
    enum_values: FxHashMap<Symbol, (EnumId, u32)>,
    constant_by_name: FxHashMap<Symbol, u32>,
    type_by_name: FxHashMap<Symbol, usize>,
    /// The type of each type declaration.
    declared_types: Vec<Option<Ty>>,
    busy_types: Vec<bool>,
    /// The node that is being checked.
    pub(super) scope: NodeInfo,
    scope_node: Option<usize>,
    /// Whether variables can be used.
    with_variables: bool,
    /// Whether integers become real numbers where they meet them, and there is only one step.
    pub(super) tolerant: bool,
    /// Names that may be meant when one is not known.
    pub(super) suggestions: Vec<&'a str>,
    nesting: u32,
}

/// Checks a file.
pub(super) fn check<'a>(ast: &'a Ast, text: &'a str, diagnostics: &mut Diagnostics) -> Checked<'a> {
    let mut checker = Checker::new(ast, text, diagnostics);
    checker.declare();
    checker.nodes();
    checker.out
}

impl<'a, 'd> Checker<'a, 'd> {
    pub(super) fn new(ast: &'a Ast, text: &'a str, diagnostics: &'d mut Diagnostics) -> Self {
        let out = Checked {
            ast,
            text,
            types: Types::new(),
            nodes: Vec::new(),
            node_by_name: FxHashMap::default(),
            type_of: vec![Ty::WRONG; ast.len()],
            bindings: vec![Binding::None; ast.len()],
            constants: Vec::new(),
        };
        Self {
            out,
            diagnostics,
            enum_values: FxHashMap::default(),
            constant_by_name: FxHashMap::default(),
            type_by_name: FxHashMap::default(),
            declared_types: vec![None; ast.type_declarations.len()],
            busy_types: vec![false; ast.type_declarations.len()],
            scope: NodeInfo::default(),
            scope_node: None,
            with_variables: true,
            tolerant: false,
            suggestions: Vec::new(),
            nesting: 0,
        }
    }

    pub(super) fn name(&self, symbol: Symbol) -> &'a str {
        self.out.ast.text(symbol)
    }

    pub(super) fn type_text(&self, ty: Ty) -> String {
        self.out.types.text(ty, &self.out.ast.names)
    }

    fn error(&mut self, code: &'static str, span: Span, message: String) {
        self.diagnostics.push(Diagnostic::error(code, span, message));
    }

    fn twice(&mut self, name: Ident, first: Span) {
        let message = format!("`{}` is declared twice", self.name(name.name));
        self.diagnostics.push(
            Diagnostic::error("lustre::declared_twice", name.span, message)
                .also(first, "first declared here"),
        );
    }

    /// Adds the values of an enumeration that is known from elsewhere.
    pub(super) fn add_enum_value(&mut self, symbol: Symbol, id: EnumId, value: u32) {
        self.enum_values.insert(symbol, (id, value));
    }

    /// Makes all names of the file known.
    fn declare(&mut self) {
        let ast = self.out.ast;
        let mut first: FxHashMap<Symbol, Span> = FxHashMap::default();
        for (index, (name, _)) in ast.type_declarations.iter().enumerate() {
            match first.insert(name.name, name.span) {
                Some(span) => self.twice(*name, span),
                None => {
                    self.type_by_name.insert(name.name, index);
                }
            }
        }
        self.declare_enums();
        for constant in &ast.constants {
            let info = ConstantInfo {
                name: constant.name,
                ty: constant.ty,
                value: constant.value,
                node: None,
                state: State::Waiting,
            };
            let index = self.out.constants.len() as u32;
            self.out.constants.push(info);
            if self.enum_values.contains_key(&constant.name.name) {
                let message = format!(
                    "`{}` is a constant and a value of an enumeration",
                    self.name(constant.name.name)
                );
                self.error("lustre::declared_twice", constant.name.span, message);
            } else if let Some(before) = self.constant_by_name.insert(constant.name.name, index) {
                let span = self.out.constants[before as usize].name.span;
                self.twice(constant.name, span);
            }
        }
        let mut first: FxHashMap<Symbol, Span> = FxHashMap::default();
        for (index, node) in ast.nodes.iter().enumerate() {
            match first.insert(node.name.name, node.name.span) {
                Some(span) => self.twice(node.name, span),
                None => {
                    self.out.node_by_name.insert(node.name.name, index);
                }
            }
        }
        for index in 0..ast.type_declarations.len() {
            self.declared_type(index);
        }
        for index in 0..ast.constants.len() {
            self.constant(index as u32);
        }
    }

    /// What a name stands for, if anything.
    fn resolve(&self, name: Symbol) -> Binding {
        if self.with_variables
            && let Some(index) = self.scope.by_name.get(&name)
        {
            return Binding::Local(*index);
        }
        if let Some(index) = self.scope.constants.get(&name) {
            return Binding::Constant(*index);
        }
        if let Some(index) = self.constant_by_name.get(&name) {
            return Binding::Constant(*index);
        }
        match self.enum_values.get(&name) {
            Some((id, value)) => Binding::Enum(*id, *value),
            None => Binding::None,
        }
    }

    fn unknown_name(&mut self, name: Ident) {
        let text = self.name(name.name);
        let names: Vec<&str> = (self.scope.by_name.keys())
            .chain(self.scope.constants.keys())
            .chain(self.constant_by_name.keys())
            .chain(self.enum_values.keys())
            .map(|symbol| self.out.ast.text(*symbol))
            .chain(self.suggestions.iter().copied())
            .collect();
        let help = if !self.with_variables && self.scope.by_name.contains_key(&name.name) {
            Some(format!("`{text}` is a variable; only constants can be used here"))
        } else {
            let mut names = names;
            names.sort_unstable();
            closest(text, names).map(|name| format!("did you mean `{name}`?"))
        };
        self.diagnostics.push(
            Diagnostic::error("lustre::unknown_name", name.span, format!("there is no `{text}`"))
                .maybe_help(help),
        );
    }

    /// What is sampled: the variable that is looked at, and the value that it must have.
    pub(super) fn sampled(&mut self, on: Ident, value: SampledBy) -> Option<When> {
        let Binding::Local(index) = self.resolve(on.name) else {
            let text = self.name(on.name);
            let message = format!("`{text}` is not a variable, so it can not be a clock");
            self.error("lustre::clock", on.span, message);
            return None;
        };
        let ty = self.scope.variables[index as usize].ty;
        let kind = self.out.types.kind(ty);
        let value = match (kind, value) {
            (super::types::Kind::Bool, SampledBy::Truth(truth)) => Value::Bool(truth),
            (super::types::Kind::Enum(id), SampledBy::Value(value)) => {
                match self.enum_values.get(&value.name) {
                    Some((of, position)) if of == id => Value::Enum(*position),
                    _ => {
                        let message = format!(
                            "`{}` is not a value of `{}`",
                            self.name(value.name),
                            self.type_text(ty)
                        );
                        self.error("lustre::clock", value.span, message);
                        return None;
                    }
                }
            }
            (super::types::Kind::Wrong, _) => return None,
            _ => {
                let message = format!(
                    "`{}` is of type `{}`, which does not fit as a clock here",
                    self.name(on.name),
                    self.type_text(ty)
                );
                self.diagnostics.push(
                    Diagnostic::error("lustre::clock", on.span, message)
                        .help("a clock is a `bool`: `c`, `not c`; or an enumeration: `Value(c)`"),
                );
                return None;
            }
        };
        Some(When { on: index, value })
    }

    /// How many values an enumeration has.
    pub(super) fn n_values(&self, id: EnumId) -> usize {
        debug_assert!(id.index() < self.out.types.enums.len());
        self.out.types.enums[id].values.len()
    }
}
