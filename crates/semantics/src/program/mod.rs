//! The expressions of a network, compiled once to operations of a small stack machine.
//!
//! A [`Builder`] compiles expressions to [`Code`]; [`Builder::finish`] gives the [`Program`], which
//! never changes and is shared by all workers. Each worker has its own [`Machine`]; running code
//! allocates nothing once that has grown to its size. A fault leaves the machine fit for use.
//!
//! Evaluation goes from left to right. Of an assignment, first the right side is evaluated, then
//! the indices of the target (once), then the old value is read. An argument is checked when it
//! is passed, before the next one is evaluated.
//!
//! Code is compiled for one of two uses, and a program is of one kind.
//!
//! - **Symbolic** ([`Builder::new`]): the machine follows clocks only through assignments;
//!   [`Machine::clock`] tells what a clock is in terms of the clocks at [`Machine::begin`]. It
//!   knows no doubles: assignments to them are left out, and an integer that depends on one is
//!   [`Unsupported`]. Clock constraints are someone else's.
//! - **Stochastic** ([`Builder::stochastic`]): doubles and clocks have values, in [`Reals`], which
//!   change at once, and random numbers come from a [`Chance`] that is handed in. Clock
//!   constraints are truth values. The symbolic code of integers pays nothing for this.
//!
//! Not here: deadlock, external functions, and what a fault means for a transition.
//!
//! ```
//! use punctual_model::{Expr, Network};
//! use punctual_semantics::program::Builder;
//! let network = Network::default();
//! let mut builder = Builder::new(&network);
//! let code = builder.value(&Expr::Int(3)).unwrap();
//! let program = builder.finish();
//! assert_eq!(program.run(code, &mut [], &mut program.machine()), Ok(3));
//! ```

mod builder;
mod chance;
mod doubles;
mod effects;
mod inspect;
mod machine;
mod math;
mod op;
mod real;
mod values;

use std::sync::Arc;

use std::fmt;

use punctual_model::Range;

pub use builder::Builder;
pub use machine::Machine;
use op::{Compare, Op, Step};
pub use real::{Chance, Reals};

use crate::budget::Budget;
use crate::{Fault, FaultKind};

/// Compiled code of one [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(Kind);

/// The commonest shapes are evaluated without entering the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nothing,
    Constant(i32),
    Slot(u32),
    Compare(Compare, u32, i32),
    /// Compares a slot with the sum of another one and a number.
    CompareSum(Compare, i16, [u32; 2]),
    /// Sets a slot of the state, or (stochastic) a clock.
    Put(u32, i32),
    PutClock(u32, i32),
    Run(u32),
}

impl Code {
    /// Effects that change nothing.
    pub(crate) const NOTHING: Code = Code(Kind::Nothing);

    /// Its value, if that is known.
    #[must_use]
    pub fn constant(self) -> Option<i32> {
        match self.0 {
            Kind::Nothing => Some(0),
            Kind::Constant(value) => Some(value),
            Kind::Slot(_)
            | Kind::Compare(..)
            | Kind::CompareSum(..)
            | Kind::Put(..)
            | Kind::PutClock(..)
            | Kind::Run(_) => None,
        }
    }

    /// Whether these are effects that change nothing and can not fail.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.0 == Kind::Nothing
    }
}

/// Compiled code of one [`Program`] that computes a double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoubleCode(DoubleKind);

/// The commonest shapes are evaluated without entering the machine.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DoubleKind {
    Constant(f64),
    /// An integer of the state.
    Int(u32),
    /// A double of the state.
    Slot(u32),
    Clock(u32),
    Run(u32),
}

impl DoubleCode {
    /// Its value, if that is known.
    #[must_use]
    pub fn constant(self) -> Option<f64> {
        match self.0 {
            DoubleKind::Constant(value) => Some(value),
            _ => None,
        }
    }
}

/// The model uses something that can not be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What, such as "a random number".
    pub construct: &'static str,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not supported here", self.construct)
    }
}

impl std::error::Error for Unsupported {}

/// The compiled expressions of a network.
#[derive(Debug)]
pub struct Program {
    ops: Vec<Op>,
    functions: Vec<Function>,
    steps: Vec<Step>,
    ranges: Vec<Range>,
    constants: Vec<i32>,
    meta: Vec<i32>,
    /// What only stochastic code uses.
    real_constants: Vec<f64>,
    real_meta: Vec<f64>,
    n_clocks: usize,
    /// The integer slots of the outermost frame.
    n_locals: usize,
    /// Its double slots.
    n_real_locals: usize,
    /// No function (and no code outside of them) has more operands at a time.
    n_stack: usize,
    n_reals: usize,
    /// What computing with the code may use. It is here, and nowhere else, for code that selects values.
    pub(crate) budget: Arc<Budget>,
}

/// Where the code of a function is.
#[derive(Clone, Copy, Debug, Default)]
struct Function {
    entry: u32,
    /// What a call costs of the budget of a run.
    cost: u32,
    /// The integer slots of its frame; none if it runs in the frame of its caller.
    frame: Option<u32>,
    /// The double slots of its own frame.
    doubles: u32,
}

impl Program {
    /// Runs code; the value of effects is 0. The state starts with the location (index) of each
    /// process; the integer variables follow.
    ///
    /// # Errors
    /// If the model does something illegal. Changes until then stay.
    ///
    /// # Panics
    /// If the code is not of this program, or the state is shorter than the network says; or if
    /// the code is stochastic and uses more than integers.
    #[inline(always)]
    pub fn run(&self, code: Code, state: &mut [i32], machine: &mut Machine) -> Result<i32, Fault> {
        match code.0 {
            Kind::Nothing => Ok(0),
            Kind::Constant(value) => Ok(value),
            Kind::Slot(slot) => Ok(state[slot as usize]),
            Kind::Compare(compare, slot, value) => {
                Ok(i32::from(compare.holds(state[slot as usize], value)))
            }
            Kind::CompareSum(compare, add, [left, right]) => {
                let right = state[right as usize].checked_add(add.into());
                let right = right.ok_or(FaultKind::Overflow)?;
                Ok(i32::from(compare.holds(state[left as usize], right)))
            }
            Kind::Put(slot, value) => {
                state[slot as usize] = value;
                Ok(0)
            }
            Kind::PutClock(clock, value) => real::no_doubles(Op::PutClock { clock, value }),
            Kind::Run(entry) => machine::run(self, entry, state, (), machine).map_err(Fault::from),
        }
    }

    /// Runs stochastic code; the value of effects is 0. The state is as for [`run`](Self::run).
    ///
    /// # Errors
    /// If the model does something illegal. Changes until then stay.
    ///
    /// # Panics
    /// If the code is not of this program, or the state is smaller than the network says.
    #[inline(always)]
    pub fn run_real(
        &self,
        code: Code,
        state: &mut [i32],
        reals: &mut Reals<'_>,
        machine: &mut Machine,
    ) -> Result<i32, Fault> {
        match code.0 {
            Kind::Run(entry) => Ok(real::run(self, entry, state, reals, machine)?.0),
            Kind::PutClock(clock, value) => {
                reals.clocks[clock as usize] = value.into();
                Ok(0)
            }
            _ => self.run(code, state, machine),
        }
    }

    /// The value of a double.
    ///
    /// # Errors
    /// If the model does something illegal. Changes until then stay.
    ///
    /// # Panics
    /// If the code is not of this program, or the state is smaller than the network says.
    #[inline]
    pub fn real(
        &self,
        code: DoubleCode,
        state: &mut [i32],
        reals: &mut Reals<'_>,
        machine: &mut Machine,
    ) -> Result<f64, Fault> {
        Ok(match code.0 {
            DoubleKind::Constant(value) => value,
            DoubleKind::Int(slot) => state[slot as usize].into(),
            DoubleKind::Slot(slot) => reals.doubles[slot as usize],
            DoubleKind::Clock(clock) => reals.clocks[clock as usize],
            DoubleKind::Run(entry) => real::run(self, entry, state, reals, machine)?.1,
        })
    }

    /// The memory that running code needs; one for each worker. A transition has begun.
    #[must_use]
    pub fn machine(&self) -> Machine {
        Machine::new(self)
    }
}
