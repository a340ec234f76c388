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
//! The machine follows clocks only through assignments: [`Machine::clock`] tells what a clock is
//! in terms of the clocks at [`Machine::begin`]. It knows no doubles: assignments to them are
//! left out, and an integer that depends on one is [`Unsupported`].
//!
//! Not here: clock constraints, deadlock, and what a fault means for a transition.
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
mod effects;
mod inspect;
mod machine;
mod op;
mod values;

use std::fmt;

use punctual_model::Range;

pub use builder::Builder;
pub use machine::Machine;
use op::{Compare, Op, Step};

use crate::Fault;

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
    Run(u32),
}

impl Code {
    /// Its value, if that is known.
    #[must_use]
    pub fn constant(self) -> Option<i32> {
        match self.0 {
            Kind::Nothing => Some(0),
            Kind::Constant(value) => Some(value),
            Kind::Slot(_) | Kind::Compare(..) | Kind::Run(_) => None,
        }
    }

    /// Whether these are effects that change nothing and can not fail.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.0 == Kind::Nothing
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
    n_clocks: usize,
    /// The integer slots of the outermost frame.
    n_locals: usize,
    /// No function (and no code outside of them) has more operands at a time.
    n_stack: usize,
}

/// Where the code of a function is.
#[derive(Clone, Copy, Debug, Default)]
struct Function {
    entry: u32,
    /// What a call costs of the budget of a run.
    cost: u32,
    /// The integer slots of its frame; none if it runs in the frame of its caller.
    frame: Option<u32>,
}

impl Program {
    /// Runs code; the value of effects is 0. The state starts with the location (index) of each
    /// process; the integer variables follow.
    ///
    /// # Errors
    /// If the model does something illegal. Changes until then stay.
    ///
    /// # Panics
    /// If the code is not of this program, or the state is shorter than the network says.
    #[inline]
    pub fn run(&self, code: Code, state: &mut [i32], machine: &mut Machine) -> Result<i32, Fault> {
        match code.0 {
            Kind::Nothing => Ok(0),
            Kind::Constant(value) => Ok(value),
            Kind::Slot(slot) => Ok(state[slot as usize]),
            Kind::Compare(compare, slot, value) => {
                Ok(i32::from(compare.holds(state[slot as usize], value)))
            }
            Kind::Run(entry) => machine::run(self, entry, state, machine).map_err(Fault::from),
        }
    }

    /// The memory that running code needs; one for each worker. A transition has begun.
    #[must_use]
    pub fn machine(&self) -> Machine {
        Machine::new(self)
    }
}
