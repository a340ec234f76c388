//! A Lustre file as it is written.
//!
//! Expressions lie in one table, so that deep ones need no recursion to be dropped; each refers to
//! earlier ones only. Names are numbers: two are the same name exactly if they are the same number.

use rustc_hash::FxHashMap;

use crate::Span;

/// A name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Symbol(u32);

/// The names of a file.
#[derive(Default, Debug)]
pub(super) struct Names {
    texts: Vec<String>,
    known: FxHashMap<String, Symbol>,
}

impl Names {
    pub(super) fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(symbol) = self.known.get(text) {
            return *symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        self.texts.push(text.to_owned());
        self.known.insert(text.to_owned(), symbol);
        symbol
    }

    /// Those that look like names of inlined calls.
    pub(super) fn inlined(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str).filter(|text| text.contains('~'))
    }

    /// The name of a text, if it was seen.
    pub(super) fn find(&self, text: &str) -> Option<Symbol> {
        self.known.get(text).copied()
    }

    pub(super) fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }
}

/// A name at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ident {
    pub(super) name: Symbol,
    pub(super) span: Span,
}

/// An expression of an [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Ex(u32);

impl Ex {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Not,
    Neg,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    And,
    Or,
    Nor,
    Xor,
    Implies,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    IntDiv,
    Mod,
}

impl Binary {
    /// As it is written.
    pub(super) fn text(self) -> &'static str {
        match self {
            Binary::And => "and",
            Binary::Or => "or",
            Binary::Nor => "nor",
            Binary::Xor => "xor",
            Binary::Implies => "=>",
            Binary::Eq => "=",
            Binary::Ne => "<>",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::IntDiv => "div",
            Binary::Mod => "mod",
        }
    }
}

/// What a value is made into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cast {
    Int,
    Floor,
    Real,
    Machine { bits: u8, signed: bool },
}

/// When something happens: a variable is true, false, or a value of its enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sampling {
    pub(super) on: Ident,
    pub(super) value: SampledBy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SampledBy {
    Truth(bool),
    Value(Ident),
}

/// A call of a node under a condition.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Activation {
    pub(super) node: Ident,
    pub(super) args: Vec<Ex>,
    /// When it takes steps; always, if nothing is said.
    pub(super) every: Option<Ex>,
    /// When it starts anew.
    pub(super) restart: Option<Ex>,
    /// What it gives before its first step.
    pub(super) initial: Option<Vec<Ex>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum ExKind {
    Int,
    Decimal,
    Bool(bool),
    Name(Symbol),
    Unary(Unary, Ex),
    Binary(Binary, Ex, Ex),
    If(Ex, Ex, Ex),
    Pre(Ex),
    Arrow(Ex, Ex),
    Fby(Ex, Ex),
    Current(Ex),
    When(Ex, Sampling),
    Merge(Ident, Vec<(SampledBy, Ex)>),
    Call(Ident, Vec<Ex>),
    Activate(Box<Activation>),
    Cast(Cast, Ex),
    AtMostOne(Vec<Ex>),
    Tuple(Vec<Ex>),
    Array(Vec<Ex>),
    Repeat(Ex, Ex),
    Index(Ex, Ex),
    UpdateIndex(Ex, Ex, Ex),
    Record(Ident, Vec<(Ident, Ex)>),
    Field(Ex, Ident),
    UpdateField(Ex, Ident, Ex),
    /// What was there was reported.
    Wrong,
}

/// A type as it is written.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TypeText {
    pub(super) kind: TypeKind,
    pub(super) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TypeKind {
    Bool,
    Int,
    Real,
    Machine { bits: u8, signed: bool },
    Subrange(Ex, Ex),
    Named(Symbol),
    Enum(Vec<Ident>),
    Record(Vec<(Ident, TypeText)>),
    Array(Box<TypeText>, Ex),
}

/// A declared variable.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Declared {
    pub(super) name: Ident,
    /// An index into [`Ast::types`].
    pub(super) ty: usize,
    pub(super) when: Option<Sampling>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Constant {
    pub(super) name: Ident,
    pub(super) ty: Option<usize>,
    pub(super) value: Option<Ex>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Equation {
    pub(super) left: Vec<Ident>,
    pub(super) right: Ex,
    pub(super) span: Span,
}

/// A claim, with a name if it was given one.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Claim {
    pub(super) name: Option<String>,
    pub(super) expr: Ex,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Import {
    pub(super) contract: Ident,
    pub(super) inputs: Vec<Ex>,
    pub(super) outputs: Vec<Ex>,
}

/// A mode of a contract: under its requirements it ensures something.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Mode {
    pub(super) require: Vec<Ex>,
    pub(super) ensure: Vec<Claim>,
    pub(super) name: String,
}

/// What a node is for, and what it assumes.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Contract {
    pub(super) assume: Vec<Ex>,
    pub(super) guarantee: Vec<Claim>,
    pub(super) modes: Vec<Mode>,
    pub(super) imports: Vec<Import>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeKind {
    Node,
    Function,
    Contract,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) name: Ident,
    pub(super) inputs: Vec<Declared>,
    pub(super) outputs: Vec<Declared>,
    /// Also those of the contract.
    pub(super) locals: Vec<Declared>,
    pub(super) constants: Vec<Constant>,
    /// Also those of the contract.
    pub(super) equations: Vec<Equation>,
    pub(super) assertions: Vec<Ex>,
    pub(super) properties: Vec<Claim>,
    pub(super) contract: Contract,
    pub(super) main: Option<Span>,
    /// Without a body.
    pub(super) imported: bool,
}

/// A file.
#[derive(Default, Debug)]
pub(super) struct Ast {
    pub(super) names: Names,
    kinds: Vec<ExKind>,
    spans: Vec<Span>,
    depths: Vec<u32>,
    pub(super) types: Vec<TypeText>,
    pub(super) type_declarations: Vec<(Ident, usize)>,
    pub(super) constants: Vec<Constant>,
    pub(super) nodes: Vec<Node>,
}

impl Ast {
    pub(super) fn push(&mut self, kind: ExKind, span: Span) -> Ex {
        let mut depth = 0;
        for_each_child(&kind, |child| depth = depth.max(self.depths[child.index()]));
        self.kinds.push(kind);
        self.spans.push(span);
        self.depths.push(depth + 1);
        Ex(self.kinds.len() as u32 - 1)
    }

    pub(super) fn kind(&self, ex: Ex) -> &ExKind {
        &self.kinds[ex.index()]
    }

    pub(super) fn span(&self, ex: Ex) -> Span {
        self.spans[ex.index()]
    }

    /// How many expressions are inside of each other.
    pub(super) fn depth(&self, ex: Ex) -> u32 {
        self.depths[ex.index()]
    }

    /// Forgets what is inside an expression.
    pub(super) fn spoil(&mut self, ex: Ex) {
        self.kinds[ex.index()] = ExKind::Wrong;
        self.depths[ex.index()] = 1;
    }

    /// Parentheses belong to what is in them, for those who point at it.
    pub(super) fn widen(&mut self, ex: Ex, span: Span) {
        self.spans[ex.index()] = span;
    }

    /// Puts another expression in the place of one.
    pub(super) fn replace(&mut self, ex: Ex, kind: ExKind) {
        self.kinds[ex.index()] = kind;
    }

    /// All expressions, parts before wholes.
    pub(super) fn all(&self) -> impl Iterator<Item = Ex> + use<> {
        (0..self.kinds.len() as u32).map(Ex)
    }

    pub(super) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(super) fn text(&self, name: Symbol) -> &str {
        self.names.text(name)
    }
}

/// The expressions that an expression is made of.
pub(super) fn for_each_child(kind: &ExKind, mut visit: impl FnMut(Ex)) {
    match kind {
        ExKind::Int | ExKind::Decimal | ExKind::Bool(_) | ExKind::Name(_) | ExKind::Wrong => {}
        ExKind::Unary(_, a)
        | ExKind::Pre(a)
        | ExKind::Current(a)
        | ExKind::When(a, _)
        | ExKind::Cast(_, a)
        | ExKind::Field(a, _) => visit(*a),
        ExKind::Binary(_, a, b)
        | ExKind::Arrow(a, b)
        | ExKind::Fby(a, b)
        | ExKind::Repeat(a, b)
        | ExKind::Index(a, b)
        | ExKind::UpdateField(a, _, b) => [*a, *b].into_iter().for_each(visit),
        ExKind::If(a, b, c) | ExKind::UpdateIndex(a, b, c) => {
            [*a, *b, *c].into_iter().for_each(visit);
        }
        ExKind::Merge(_, arms) => arms.iter().for_each(|(_, arm)| visit(*arm)),
        ExKind::Call(_, list)
        | ExKind::AtMostOne(list)
        | ExKind::Tuple(list)
        | ExKind::Array(list) => list.iter().copied().for_each(visit),
        ExKind::Record(_, fields) => fields.iter().for_each(|(_, value)| visit(*value)),
        ExKind::Activate(it) => {
            let conditions = it.every.iter().chain(&it.restart);
            it.args
                .iter()
                .chain(conditions)
                .chain(it.initial.iter().flatten())
                .copied()
                .for_each(visit);
        }
    }
}
