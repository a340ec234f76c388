//! The syntax tree of UPPAAL's language: what was written, with its place, before any meaning.

use crate::Span;

/// An identifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name as written.
    pub text: String,
    /// Where the name stands in the file.
    pub span: Span,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// The kind of expression, with its operands.
    pub kind: ExprKind,
    /// Where the expression stands in the file; parentheses around it are not part of it.
    pub span: Span,
}

/// Kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `12`
    Int(i32),
    /// `1.5`
    Double(f64),
    /// `true`, `false`
    Bool(bool),
    /// `"text"`
    Str(String),
    /// `x`
    Name(String),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `s.field`, `Process.location`
    Member(Box<Expr>, Name),
    /// `x'`
    Rate(Box<Expr>),
    /// `f(a, b)`; also `P(1)` for a process of a template set, and built-in functions.
    Call(Box<Expr>, Vec<Expr>),
    /// `-e`, `!e`, …
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`, …
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `x = e`, `x += e`
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `x++`, `--x`
    Step {
        /// The variable.
        target: Box<Expr>,
        /// `++` rather than `--`.
        increment: bool,
        /// Before the variable.
        prefix: bool,
    },
    /// `forall (i : T) e`
    Quantifier(Quantifier, Box<Binding>, Box<Expr>),
    /// `deadlock`, in queries only.
    Deadlock,
    /// `spawn T(args)`
    Spawn(Name, Vec<Expr>),
    /// `exit()`
    Exit,
    /// `numOf(T)`
    NumOf(Name),
    /// Stands for what could not be read; it was reported.
    Error,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum UnaryOp {
    Negate,
    Plus,
    Not,
}

pub use punctual_model::{BinaryOp, Quantifier};

/// `name : type`, of quantifiers, selects and loops.
#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    /// What is bound.
    pub name: Name,
    /// What it ranges over.
    pub ty: Type,
}

/// A type as written.
#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    /// Prefixes such as `const`.
    pub prefixes: Prefixes,
    /// The kind of type, with its parameters.
    pub kind: TypeKind,
    /// Where the type stands in the file.
    pub span: Span,
}

/// What may stand before a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Prefixes {
    pub constant: bool,
    pub meta: bool,
    pub urgent: bool,
    pub broadcast: bool,
    pub hybrid: bool,
}

/// Kinds of types.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `int`, `int[lo, hi]`
    Int(Option<Box<(Expr, Expr)>>),
    /// `bool`
    Bool,
    /// `double`
    Double,
    /// `string`
    Str,
    /// `clock`
    Clock,
    /// `chan`
    Chan,
    /// `void`
    Void,
    /// `scalar[n]`
    Scalar(Box<Expr>),
    /// `struct { … }`
    Struct(Vec<Variable>),
    /// A name of a typedef (or of a dynamic template, in quantifiers).
    Named(String),
    /// Stands for what could not be read; it was reported.
    Error,
}

/// A size in brackets behind a name: an expression or a type. Which of the two a bare name is
/// only its meaning tells; it is an expression here.
#[derive(Clone, PartialEq, Debug)]
pub enum Dimension {
    /// `a[5]`, `a[N]`, `a[index_t]`
    Size(Expr),
    /// `a[int[1, 3]]`
    Type(Type),
}

/// A declared variable, constant, channel, clock or field. `int a, b[2];` declares two, which
/// share their type.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its type, without its dimensions.
    pub ty: Type,
    /// Its name.
    pub name: Name,
    /// Its dimensions, outermost first.
    pub dimensions: Vec<Dimension>,
    /// Its initial value.
    pub initial: Option<Initialiser>,
}

/// An initial value.
#[derive(Clone, PartialEq, Debug)]
pub enum Initialiser {
    /// A single value.
    Expr(Expr),
    /// `{1, 2}`, `{field: 3}`
    List(Vec<(Option<Name>, Initialiser)>, Span),
}

/// A parameter of a template or function.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its type, without its dimensions.
    pub ty: Type,
    /// Whether it is a reference (`&`).
    pub reference: bool,
    /// Its name.
    pub name: Name,
    /// Its dimensions, outermost first.
    pub dimensions: Vec<Dimension>,
}

/// A declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum Declaration {
    /// A variable, constant, clock or channel.
    Variable(Variable),
    /// `typedef`
    Typedef(Variable),
    /// A function.
    Function(Function),
    /// `chan priority a < default < b;`: groups from lowest to highest.
    ChanPriority(Vec<Vec<ChanPriority>>, Span),
    /// `before_update { … }`
    BeforeUpdate(Vec<Expr>),
    /// `after_update { … }`
    AfterUpdate(Vec<Expr>),
    /// `dynamic T(params);`
    Dynamic(Name, Vec<Param>),
    /// `import "lib" { … }`: the library, and for each function its alias and signature.
    Import {
        /// The library as written.
        library: String,
        /// The name in the model, the symbol in the library, and the signature.
        functions: Vec<ExternalFunction>,
        /// Where the import stands in the file.
        span: Span,
    },
}

/// A function of a library.
#[derive(Clone, PartialEq, Debug)]
pub struct ExternalFunction {
    /// Its name in the model.
    pub name: Name,
    /// Its name in the library.
    pub symbol: String,
    /// What it returns.
    pub returns: Type,
    /// Its parameters.
    pub params: Vec<Param>,
}

/// A member of a `chan priority` group.
#[derive(Clone, PartialEq, Debug)]
pub enum ChanPriority {
    /// A channel, an element of an array, or a whole array.
    Channel(Expr),
    /// `default`
    Default(Span),
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// What it returns.
    pub returns: Type,
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its body.
    pub body: Block,
}

/// A block of a function: declarations, then statements.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// Variables and types of the block.
    pub declarations: Vec<Declaration>,
    /// The statements of the block, in their order.
    pub statements: Vec<Statement>,
    /// Where the block stands in the file.
    pub span: Span,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// `{ … }`
    Block(Block),
    /// `;`
    Empty,
    /// `e;`
    Expr(Expr),
    /// `if (e) … else …`
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// `while (e) …`
    While(Expr, Box<Statement>),
    /// `do … while (e);`
    DoWhile(Box<Statement>, Expr),
    /// `for (init; condition; step) …`
    For(Expr, Expr, Expr, Box<Statement>),
    /// `for (i : T) …`
    ForRange(Binding, Box<Statement>),
    /// `return e;`
    Return(Option<Expr>, Span),
    /// `assert e;`
    Assert(Expr),
}

/// A synchronisation label.
#[derive(Clone, PartialEq, Debug)]
pub struct Sync {
    /// The channel.
    pub channel: Expr,
    /// `!`, `?` or neither.
    pub direction: Direction,
}

/// The direction of a synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    Send,
    Receive,
    Csp,
}

/// An exponential rate: `e` or `p : q`.
#[derive(Clone, PartialEq, Debug)]
pub struct ExponentialRate {
    /// The rate, or its numerator.
    pub value: Expr,
    /// The denominator.
    pub divisor: Option<Expr>,
}

/// The system section (with the instantiation section of old files before it).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct System {
    /// Declarations and instantiations, in order.
    pub items: Vec<SystemItem>,
    /// `system a, b < c;`: groups from the lowest priority to the highest.
    pub processes: Vec<Vec<SystemProcess>>,
    /// Where the system line is; none if it is missing.
    pub line: Option<Span>,
    /// `progress { … }`
    pub progress: Vec<Progress>,
    /// `gantt { … }`
    pub gantt: Vec<Gantt>,
}

/// A declaration of the system section.
#[derive(Clone, PartialEq, Debug)]
pub enum SystemItem {
    /// A declaration; invisible to templates.
    Declaration(Declaration),
    /// `Q(params) = P(args);`
    Instance(Instance),
}

/// `Q(params) = P(args);`
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// The new name.
    pub name: Name,
    /// Its own parameters.
    pub params: Vec<Param>,
    /// The template or earlier instance.
    pub template: Name,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// Where the instantiation stands in the file.
    pub span: Span,
}

/// A member of the system line.
#[derive(Clone, PartialEq, Debug)]
pub struct SystemProcess {
    /// A template or an instance.
    pub name: Name,
    /// Arguments, where the line itself instantiates: `system P(1);`.
    pub arguments: Option<Vec<Expr>>,
}

/// A progress measure.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// Counts only where this holds.
    pub guard: Option<Expr>,
    /// The measure.
    pub measure: Expr,
}

/// A line of a Gantt chart.
#[derive(Clone, PartialEq, Debug)]
pub struct Gantt {
    /// Its name.
    pub name: Name,
    /// What it is repeated for.
    pub bindings: Vec<Binding>,
    /// Bars: bindings, condition, colour.
    pub bars: Vec<(Vec<Binding>, Expr, Expr)>,
}

/// A query.
#[derive(Clone, PartialEq, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one per query, and it lives briefly")]
pub enum Query {
    /// `E<> p`
    ExistsFinally(Expr),
    /// `E[] p`
    ExistsGlobally(Expr),
    /// `A<> p`
    AlwaysFinally(Expr),
    /// `A[] p`
    AlwaysGlobally(Expr),
    /// `p --> q`
    LeadsTo(Expr, Expr),
    /// `sup{p}: e, f`, `inf`, `bounds`
    Extremum(Extremum, Option<Expr>, Vec<Expr>),
    /// `Pr[bound; runs](path)`, an old trailing `?` left out.
    Probability(Runs, Path),
    /// `Pr[bound](path) >= e`
    Hypothesis(Runs, Path, Comparison, Expr),
    /// `Pr[bound](path) >= Pr[bound](path)`
    Compare((Runs, Path), Comparison, (Runs, Path)),
    /// `E[bound; runs](max: e)`; whether the maximum is meant.
    Expectation(Runs, bool, Expr),
    /// `simulate[bound; runs]{e, f} : n : p`, and the old `simulate n [bound]{e, f}`.
    Simulate {
        /// How far and how often.
        runs: Runs,
        /// What is recorded.
        of: Vec<Expr>,
        /// How many runs that satisfy the filter end the simulation.
        accepted: Option<Expr>,
        /// The filter.
        filter: Option<Expr>,
    },
    /// Strategies, games, MITL, live sequence charts: what it is, in the words of a user.
    Unsupported(&'static str, Span),
}

/// `sup`, `inf`, `bounds`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Extremum {
    Sup,
    Inf,
    Bounds,
}

pub use punctual_model::Comparison;

/// `[<=T; N]`
#[derive(Clone, PartialEq, Debug)]
pub struct Runs {
    /// What is bounded.
    pub bound: Bound,
    /// The bound.
    pub limit: Expr,
    /// The number of runs.
    pub count: Option<Expr>,
}

/// What the bound of a run counts.
#[derive(Clone, PartialEq, Debug)]
pub enum Bound {
    /// `<= T`
    Time,
    /// `# <= N`
    Steps,
    /// `x <= T`
    Cost(Expr),
}

/// The path formula of a statistical query.
#[derive(Clone, PartialEq, Debug)]
pub enum Path {
    /// `<> p`
    Finally(Expr),
    /// `[] p`
    Globally(Expr),
    /// `p U q`
    Until(Expr, Expr),
}
