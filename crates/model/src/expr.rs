//! Expressions, statements and functions, with all names resolved to places.
//!
//! There are no references: a function that takes one is specialised for the place it refers to.
//! Every operand has the [`Number`] kind that its operator states; conversions are explicit.
//! Composite values (whole arrays and structures) appear only as a [`Place`] of a size above
//! one, as a call that returns a block, or as a conditional between the two.

use crate::{ChannelId, ClockId, Frame, FunctionId, LocationId, ProcessId, Range, Storage};

/// The kinds of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Number {
    /// 32-bit integers; Booleans and scalars are integers too.
    Int,
    /// 64-bit floating-point numbers.
    Double,
}

/// One index into an array: adds `(value - lo) * stride` to the base.
/// A value outside of `lo .. lo + len` is an error of the model.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Index {
    /// The index as the modeller wrote it.
    pub value: Expr,
    /// The smallest legal index.
    pub lo: i32,
    /// The number of legal indices.
    pub len: u32,
    /// The distance between neighbours.
    pub stride: u32,
}

/// An element of a table of clocks or channels, chosen by indices where not constant.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Indexed<I> {
    /// The element when all index contributions are zero.
    pub base: I,
    /// Indices that are not constant; empty for a fixed element.
    pub indices: Vec<Index>,
}

impl<I> Indexed<I> {
    /// A fixed element.
    pub fn fixed(base: I) -> Self {
        Self { base, indices: Vec::new() }
    }
}

/// A clock, possibly chosen by an index.
pub type ClockRef = Indexed<ClockId>;
/// A channel, possibly chosen by an index.
pub type ChannelRef = Indexed<ChannelId>;

/// Where a value is stored.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    /// The memory.
    pub storage: Storage,
    /// Which half of that memory: integers or doubles.
    pub number: Number,
    /// The slot when all index contributions are zero.
    pub base: u32,
    /// Indices that are not constant.
    pub indices: Vec<Index>,
    /// The number of slots; 1 for a scalar.
    pub size: u32,
    /// What an integer scalar may hold; checked on assignment. [`Range::ALL`] otherwise.
    pub range: Range,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Expr {
    /// An integer (or Boolean) constant.
    Int(i32),
    /// A floating-point constant.
    Double(#[cfg_attr(feature = "serde", serde(with = "crate::float"))] f64),
    /// The value at a place.
    Load(Place),
    /// The value of a clock as a double. Only stochastic analysis can evaluate it.
    Clock(ClockRef),
    /// The rate of a clock, as a double.
    ClockRate(ClockRef),
    /// An integer as a double.
    ToDouble(Box<Expr>),
    /// A unary operator.
    Unary(UnaryOp, Number, Box<Expr>),
    /// A binary operator.
    Binary(Box<Binary>),
    /// The second if the first is not zero, else the third.
    Conditional(Box<[Expr; 3]>),
    /// An assignment; its value is the number assigned (or the old one, for `x++`).
    Assign {
        /// What changes.
        target: Box<Place>,
        /// How the new value combines with the old.
        op: AssignOp,
        /// The right-hand side, of the target's kind (or a block of its size).
        value: Box<Expr>,
        /// Which value the whole expression has.
        result: AssignResult,
    },
    /// Sets a clock. The value is an integer or a double; in it, [`Expr::Clock`] may be read.
    SetClock {
        /// The clock that is set.
        clock: ClockRef,
        /// Its new value.
        value: Box<Expr>,
    },
    /// The first is evaluated for its effects, then the second.
    Sequence(Box<[Expr; 2]>),
    /// A call of a function of the model.
    Call {
        /// The function.
        function: FunctionId,
        /// One argument for each parameter.
        arguments: Vec<Expr>,
    },
    /// A call of a function of the language. Arguments are doubles except where it says so.
    Builtin(Builtin, Vec<Expr>),
    /// A quantifier or a sum over a range.
    Quantifier {
        /// Which.
        quantifier: Quantifier,
        /// The integer slot of the frame that runs through the range.
        slot: u32,
        /// The range.
        range: Range,
        /// The kind of number of a sum; `Int` otherwise.
        number: Number,
        /// What is evaluated for each value.
        body: Box<Expr>,
    },
    /// A constraint on clocks, as a truth value.
    ClockConstraint(Box<ClockConstraint>),
    /// Whether a process is in a location. Only in queries.
    InLocation(ProcessId, LocationId),
    /// Whether no action is possible now or after any delay. Only in queries.
    Deadlock,
}

impl Expr {
    /// The constant `true`.
    pub const TRUE: Self = Self::Int(1);
    /// The constant `false`.
    pub const FALSE: Self = Self::Int(0);

    /// The integer constant, if the expression is one.
    pub fn as_int(&self) -> Option<i32> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }
}

/// A binary operation.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Binary {
    /// The operator.
    pub op: BinaryOp,
    /// The kind of both operands.
    pub number: Number,
    /// The number of slots that are compared: above 1 for whole arrays and structures
    /// (only `Eq` and `Ne`).
    pub size: u32,
    /// The left operand.
    pub left: Expr,
    /// The right operand.
    pub right: Expr,
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the names say it")]
pub enum UnaryOp {
    Negate,
    Not,
}

/// Binary operators. `And`, `Or` and `Imply` evaluate their right side only where it counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Minimum,
    Maximum,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    GreaterEqual,
    Greater,
    And,
    Or,
    Xor,
    Imply,
}

impl BinaryOp {
    /// Whether the result is a truth value.
    pub fn is_truth(self) -> bool {
        matches!(
            self,
            Self::Less
                | Self::LessEqual
                | Self::Equal
                | Self::NotEqual
                | Self::GreaterEqual
                | Self::Greater
                | Self::And
                | Self::Or
                | Self::Xor
                | Self::Imply
        )
    }
}

/// How an assignment combines old and new.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AssignOp {
    /// `x = e`
    Set,
    /// `x op= e` for an arithmetic or bit operator.
    Combine(BinaryOp),
}

/// The value of an assignment that is used as an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AssignResult {
    /// The value after it.
    New,
    /// The value before it (`x++`).
    Old,
}

/// Quantifiers over a range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the names say it")]
pub enum Quantifier {
    Forall,
    Exists,
    Sum,
}

/// Relations of clock constraints.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the names say it")]
pub enum Relation {
    Less,
    LessEqual,
    Equal,
    /// Only in queries: guards and invariants refuse it.
    NotEqual,
    GreaterEqual,
    Greater,
}

/// `left - right relation bound`, where a missing clock is the constant 0, demanded only when
/// the condition `when` (if any) holds. At least one of the two clocks is there.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClockConstraint {
    /// The constraint counts only where this integer expression is not zero.
    pub when: Option<Expr>,
    /// The clock on the left.
    pub left: Option<ClockRef>,
    /// The clock that is subtracted.
    pub right: Option<ClockRef>,
    /// The relation.
    pub relation: Relation,
    /// The kind of the bound; symbolic analysis needs integers.
    pub number: Number,
    /// The bound, without clocks.
    pub bound: Expr,
}

/// Functions of the language. Names are those of the language; `log` has base 10 and `ln` is
/// the natural logarithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the names say it")]
pub enum Builtin {
    // Integers to an integer.
    Abs,
    // A double to an integer.
    Fint,
    IsFinite,
    IsInf,
    IsNan,
    IsNormal,
    SignBit,
    IsUnordered,
    Ilogb,
    // Doubles to a double.
    Fabs,
    Fmod,
    Fma,
    Fmax,
    Fmin,
    Fdim,
    Exp,
    Exp2,
    Expm1,
    Ln,
    Log,
    Log10,
    Log2,
    Log1p,
    Pow,
    Sqrt,
    Cbrt,
    Hypot,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Erf,
    Erfc,
    Tgamma,
    Lgamma,
    Ceil,
    Floor,
    Trunc,
    Round,
    Logb,
    NextAfter,
    CopySign,
    Ldexp,
    // Random numbers.
    Random,
    RandomArcsine,
    RandomBeta,
    RandomGamma,
    RandomNormal,
    RandomPoisson,
    RandomTri,
    RandomWeibull,
}

impl Builtin {
    /// Whether it draws a random number.
    pub fn is_random(self) -> bool {
        matches!(
            self,
            Self::Random
                | Self::RandomArcsine
                | Self::RandomBeta
                | Self::RandomGamma
                | Self::RandomNormal
                | Self::RandomPoisson
                | Self::RandomTri
                | Self::RandomWeibull
        )
    }
}

/// A function, specialised for its process and for the places its references refer to.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Function {
    /// Its name, qualified by its process (`Gate.enqueue`).
    pub name: String,
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// What it returns.
    pub returns: ReturnType,
    /// The memory of its parameters and locals.
    pub frame: Frame,
    /// Whether it runs in the frame of its caller instead of one of its own: it was given a
    /// reference to a local of that caller. Its `frame` is empty then.
    pub shares_frame: bool,
    /// What it does.
    pub body: FunctionBody,
}

/// A parameter: the place in the callee's frame that receives the argument.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its place; `Storage::Local`, without indices.
    pub place: Place,
}

/// What a function returns.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ReturnType {
    /// Nothing.
    Void,
    /// An integer within a range.
    Int(Range),
    /// A double.
    Double,
    /// A whole array or structure of this many slots.
    Block(Number, u32),
}

/// The body of a function.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FunctionBody {
    /// Statements of the model.
    Statements(Vec<Statement>),
    /// Code of a shared library.
    External {
        /// The library as the model names it.
        library: String,
        /// The symbol in it.
        symbol: String,
    },
}

/// A statement of a function.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Statement {
    /// Evaluated for its effects.
    Expr(Expr),
    /// Sets all slots of a place to the default of its type: locals start anew at each entry.
    Clear {
        /// A place without indices.
        place: Place,
        /// The value of each integer slot.
        value: i32,
    },
    /// `if (0) 1 else 2`
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// `while (0) 1`
    While(Expr, Vec<Statement>),
    /// `do 0 while (1)`
    DoWhile(Vec<Statement>, Expr),
    /// `for (slot : range) body`
    For {
        /// The integer slot of the frame that runs through the range.
        slot: u32,
        /// The range.
        range: Range,
        /// What is done for each value.
        body: Vec<Statement>,
    },
    /// Ends the function.
    Return(Option<Expr>),
    /// An error of the model if zero.
    Assert(Expr),
}
