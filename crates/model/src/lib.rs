//! The inert vocabulary of Punctual: networks of timed automata, expressions and queries;
//! synchronous programs in [`lustre`]; use cases, domain models and constraints in [`usecases`].
//!
//! A [`Network`] is flat: processes with their locations and edges, clocks, variables with a
//! fixed place in memory, channels, functions. Templates, parameters, references and named
//! constants are gone; all of them were resolved while the network was built. Every reader
//! produces this type and every analysis consumes it.
//!
//! Ids are newtypes minted by the [`IdVec`] that owns the element, so an id of one kind can not
//! index a table of another.
//!
//! Not here: text, source spans, execution. What a network does next is in `semantics`; where a
//! piece of it came from in the user's file is in `lang`.
//!
//! With the feature `serde`, all types serialise; `lang::json` uses that for the exchange format.

mod expr;
#[cfg(feature = "serde")]
mod float;
mod ids;
pub mod lustre;
mod network;
mod obstacles;
mod query;
pub mod testing;
mod types;
pub mod usecases;
mod value;
mod visit;

pub use expr::{
    AssignOp, AssignResult, Binary, BinaryOp, Builtin, ChannelRef, ClockConstraint, ClockRef, Expr,
    Function, FunctionBody, Index, Indexed, Number, Param, Place, Quantifier, Relation, ReturnType,
    Statement, UnaryOp,
};
pub use ids::{
    AssociationId, AttributeId, BinderId, ChannelId, ClassId, ClockId, ConstraintId, EdgeId,
    EnumId, EnumerationId, EventId, ExprId, FlowId, FunctionId, Id, IdVec, LocationId, MemoryId,
    ObjectId, OclId, PortId, ProcessId, ScenarioId, SentenceId, SignalId, StepId, UseCaseId, VarId,
    VariableId,
};
pub use network::{
    Branch, Channel, Clock, Condition, Edge, ExponentialRate, Frame, Location, LocationKind,
    Memory, Network, Participant, Process, Progress, RangePolicy, Rate, Select, Sync, SyncVector,
    Variable,
};
pub use obstacles::{Analysis, Obstacle};
pub use query::{Comparison, PathFormula, Property, RunBound, StateExpr};
pub use testing::{
    Action, Carried, Cause, Direction, Event, Happening, Interface, Port, PortRole, Reading,
    Signal, Step, TimeScale, Trace, Uncertainty, Verdict, Wired,
};
pub use types::{Field, Range, Storage, Type};
pub use value::{Rational, Value, ValueType};
