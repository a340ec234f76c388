//! Exact probabilities of what a component does while a script of inputs is played to it.
//!
//! The race is that of `semantics::stochastic`: a process acts at an instant that is even between the first at which one of its
//! steps is possible and the last that its invariant allows. All instants of the script are points of the grid.
//!
//! Runs that did the same so far are one *piece*. A piece has one random variable at most: the instant at which a delay
//! ends, or the phase. All instants are then fixed, or fixed but for that variable, so an order of two of them is
//! known, or known on either side of a point of the grid; there the piece is cut. Where nothing depends on the variable any
//! more, its density is integrated to a weight. Which expected outputs came is part of a piece. A delay that begins when another one ended makes a sum, whose density is
//! a polynomial in parts. Weights are rational numbers, of any size.
//!
//! What would need two variables at once, delays without a last instant, and steps at the same instant as the script are
//! [`Inexact`]: whoever asks must sample them.
//!
//! **Invariant:** the weights of all pieces sum to 1, but for those that a reading has dropped. Test: `it::exact`.
//!
//! Not here: sampling, which scripts there are, and several components at once.

mod density;
mod follow;
mod instant;
mod piece;
mod window;

use std::fmt;

use punctual_model::SignalId;

pub use density::Ratio;
pub use follow::follow;

/// Something that happens at an instant of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// An input comes.
    Input(SignalId, Vec<i32>),
    /// Positions of a state have one of these combinations of values, or the run does not count any more.
    Read(Vec<Vec<(u32, i32)>>),
    /// An output with these values came since the first of these instants, and no other event of the script counts the same
    /// output; or the run does not count any more. What comes at this very instant is in time.
    Output {
        /// The first instant at which it may come, in points of the grid like those of the script.
        from: i64,
        /// The output.
        signal: SignalId,
        /// Its values.
        values: Vec<i32>,
    },
    /// It is noted how probable each state is.
    Mark,
}

/// What is left to chance beside the delays of a component.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Nothing: the script begins when the component does.
    None,
    /// The script begins at an instant that is even between 0 and this, in points of the grid.
    OfScript(i64),
    /// A loop with this period, in points of the grid, stands anywhere in its period at the start. Every delay that is
    /// as long as the period ends when the loop comes round.
    OfLoop(i64),
}

/// How probable a state is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    /// The locations and integers.
    pub state: Vec<i32>,
    /// The probability.
    pub probability: Ratio,
    /// With a phase: its values, from the first to the second, in points of the grid.
    pub phases: Vec<(i64, i64)>,
    /// How many random delays a run had that led to the state, at most.
    pub n_drawn: usize,
    /// How often a run that led to the state chose one of several steps that nothing decides about, at most.
    pub n_chosen: usize,
}

/// Why a probability can not be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inexact {
    /// The component has something that is not treated.
    Construct(&'static str),
    /// The model is in error.
    Error,
    /// Two delays that are left to chance matter at once.
    TwoDelays,
    /// Nothing says when a delay ends.
    Endless,
    /// A step of the component and one of the script have the same instant.
    Tie,
    /// A delay may end when no step is possible.
    Gap,
    /// Time has to stop.
    Stop,
    /// The component may start in several states.
    Start,
    /// An input that the component can not take.
    Refused,
    /// Beside a phase, a choice between steps is left to chance.
    Choice,
    /// Several parts of the system send an output that is expected.
    Senders,
    /// There are too many pieces.
    TooMany,
    /// A piece without a random variable depends on one.
    Internal,
}

impl fmt::Display for Inexact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Inexact::Construct(what) => return write!(f, "it has {what}"),
            Inexact::Error => "the model is in error",
            Inexact::TwoDelays => "two random delays matter at once",
            Inexact::Endless => "a delay has no last instant",
            Inexact::Tie => "the system and the case act at the same instant",
            Inexact::Gap => "a delay may end when no step is possible",
            Inexact::Stop => "time has to stop",
            Inexact::Start => "it may start in several states",
            Inexact::Refused => "it can not take an input",
            Inexact::Choice => "beside the phase, a choice between steps is left to chance",
            Inexact::Senders => "several parts of the system send an output that it expects",
            Inexact::TooMany => "there are too many ways",
            Inexact::Internal => "a random variable was lost",
        })
    }
}
