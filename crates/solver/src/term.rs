//! Terms: each is stored once, and refers to earlier ones.

use rustc_hash::FxHashMap;

/// An exact real number.
pub type Rational = num_rational::Ratio<i128>;

/// What a term can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Whole numbers, of any size.
    Int,
    /// Real numbers.
    Real,
}

/// What a term is in a model, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Of [`Sort::Bool`].
    Bool(bool),
    /// Of [`Sort::Int`].
    Int(i128),
    /// Of [`Sort::Real`].
    Real(Rational),
}

impl Value {
    /// The sort that it is of.
    #[must_use]
    pub fn sort(self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
        }
    }

    /// The truth value, if the constant is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Value::Bool(it) => Some(it),
            _ => None,
        }
    }

    /// The whole number, if the constant is one.
    #[must_use]
    pub fn as_int(self) -> Option<i128> {
        match self {
            Value::Int(it) => Some(it),
            _ => None,
        }
    }
}

/// A term of some [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

impl Term {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Constant(Value),
    /// By its number.
    Symbol(u32),
    Not(Term),
    Neg(Term),
    ToReal(Term),
    Floor(Term),
    And(Term, Term),
    Or(Term, Term),
    Eq(Term, Term),
    Lt(Term, Term),
    Le(Term, Term),
    Add(Term, Term),
    Sub(Term, Term),
    Mul(Term, Term),
    Div(Term, Term),
    IntDiv(Term, Term),
    Mod(Term, Term),
    Ite(Term, Term, Term),
}

impl Node {
    /// The terms that it is made of.
    pub(crate) fn operands(self) -> impl Iterator<Item = Term> {
        let (a, b, c) = match self {
            Node::Constant(_) | Node::Symbol(_) => (None, None, None),
            Node::Not(a) | Node::Neg(a) | Node::ToReal(a) | Node::Floor(a) => (Some(a), None, None),
            Node::And(a, b)
            | Node::Or(a, b)
            | Node::Eq(a, b)
            | Node::Lt(a, b)
            | Node::Le(a, b)
            | Node::Add(a, b)
            | Node::Sub(a, b)
            | Node::Mul(a, b)
            | Node::Div(a, b)
            | Node::IntDiv(a, b)
            | Node::Mod(a, b) => (Some(a), Some(b), None),
            Node::Ite(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }
}

#[derive(Clone, Debug)]
struct Entry {
    node: Node,
    sort: Sort,
    /// How many later terms are made of it.
    uses: u32,
    /// How deep it nests, down to terms that are defined on their own.
    depth: u16,
}

/// A term that nests deeper than this is defined on its own, however seldom it is used: what prints
/// and what reads terms needs no deep stack then.
const DEPTH_MAX: u16 = 64;

/// All terms of a session, each stored once.
///
/// What builds them (`and`, `add`, …) folds constants; operands of wrong sorts are a panic.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    entries: Vec<Entry>,
    known: FxHashMap<Node, Term>,
    symbols: Vec<Symbol>,
}

#[derive(Clone, Debug)]
struct Symbol {
    name: String,
    sort: Sort,
}

/// How many terms there were at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    entries: usize,
    symbols: usize,
}

impl Terms {
    /// An empty table of terms.
    #[must_use]
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no term was made yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A new symbol. The name is for people, and may be given twice: these are two symbols.
    pub fn symbol(&mut self, name: &str, sort: Sort) -> Term {
        let number = u32::try_from(self.symbols.len()).expect("fewer than 2^32 symbols");
        self.symbols.push(Symbol { name: name.to_owned(), sort });
        self.intern(Node::Symbol(number), sort)
    }

    /// The sort of a term.
    #[must_use]
    pub fn sort(&self, term: Term) -> Sort {
        self.entries[term.index()].sort
    }

    /// What a term is, if it is a constant.
    #[must_use]
    pub fn constant(&self, term: Term) -> Option<Value> {
        match self.node(term) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The name of a symbol, if the term is one.
    #[must_use]
    pub fn name(&self, term: Term) -> Option<&str> {
        match self.node(term) {
            Node::Symbol(number) => Some(&self.symbols[number as usize].name),
            _ => None,
        }
    }

    pub(crate) fn node(&self, term: Term) -> Node {
        self.entries[term.index()].node
    }

    /// The sort of a symbol.
    pub(crate) fn symbol_sort(&self, number: u32) -> Sort {
        self.symbols[number as usize].sort
    }

    /// Whether a term is worth a definition of its own.
    pub(crate) fn is_shared(&self, term: Term) -> bool {
        let entry = &self.entries[term.index()];
        let is_leaf = matches!(entry.node, Node::Constant(_) | Node::Symbol(_));
        !is_leaf && (entry.uses > 1 || entry.depth >= DEPTH_MAX)
    }

    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> Term {
        if let Some(term) = self.known.get(&node) {
            return *term;
        }
        let mut depth = 0;
        for operand in node.operands() {
            let entry = &mut self.entries[operand.index()];
            entry.uses = entry.uses.saturating_add(1);
            depth = depth.max(if entry.depth >= DEPTH_MAX { 1 } else { entry.depth + 1 });
        }
        let term = Term(u32::try_from(self.entries.len()).expect("fewer than 2^32 terms"));
        self.entries.push(Entry { node, sort, uses: 0, depth });
        self.known.insert(node, term);
        term
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { entries: self.entries.len(), symbols: self.symbols.len() }
    }

    /// Forgets the terms that were made since.
    pub(crate) fn forget_since(&mut self, mark: Mark) {
        for entry in self.entries.split_off(mark.entries) {
            self.known.remove(&entry.node);
            for operand in entry.node.operands().filter(|it| it.index() < mark.entries) {
                let uses = &mut self.entries[operand.index()].uses;
                *uses = uses.saturating_sub(1);
            }
        }
        self.symbols.truncate(mark.symbols);
    }
}
