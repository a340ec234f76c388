//! Cases whose outcome is left to chance: how often they should show what they expect, and what proves where they ended.
//!
//! After the STUIOS paper (Wang, Pastore & Briand 2018), Figure 7. `script.rs`: a case as a part of the system sees it.
//! `ground.rs`: the specification for who reads ports only. `search.rs`: where the system may be and where else; `unique.rs`: unique sequences. `chance.rs`: for a case, its probability
//! (`weigh.rs`), its location (`place.rs`), its ending (`ending.rs`), and the probability of both together; `sample.rs`: by runs, where it can not be computed.
//! `shift.rs`, `moved.rs`: what becomes of the probability when the system is later or earlier than the model.
//! `allowed.rs`: what checks may show. `outcome.rs`: what a case shows in another model.
//!
//! `DIFFERENCE(stuios)`: the paper takes the clocks of one run of the case for the other locations. Here the case may have
//! ended with any of its runs, and another location may have been entered with any value of the automaton's clocks
//! that its invariant allows. A location whose invariant the clock has left would otherwise make every
//! sequence unique. [`Options::clocks`] takes the paper's. Test: `it::uio`.
//!
//! Not here: judging (`oracle`), repeating (`campaign`), numbers of executions (`smc::statistics`).

mod allowed;
mod chance;
mod ending;
mod ground;
mod moved;
mod outcome;
mod place;
mod sample;
mod script;
mod search;
mod shift;
mod unique;
mod weigh;

pub use chance::{Made, Options, Trouble, chance};
pub use ground::Ground;
pub use outcome::{Account, Atom, Outcomes, Trial, outcomes};
pub use sample::{Sampling, sample};
pub use script::{Act, NoScript, Output, Script};
pub use search::{After, Done, Element, Limits, Question, Search, Shown};
pub use shift::{Counts, Curve, NoCurve, SPREAD, likeliest, sampled_range};
pub use unique::{Sequences, Watch};
pub use weigh::probability;
