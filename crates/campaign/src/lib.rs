//! Many runs: what they leave on disk, and what they come to together.
//!
//! [`store`] has the record of a run, a promise to scripts and to later versions of the tool: a
//! [`Writer`](store::Writer) appends to it while the run goes on, a [`Reader`](store::Reader)
//! gives its lines back, and a [`Store`](store::Store) is a folder of runs. [`summary`] reads the
//! gist of each run and adds them up.
//!
//! [`plan`] says what is tested and how, [`run`] makes runs (many at once) and records them, [`replay`]
//! judges or executes a record again, [`shrink`] looks for a shorter run that fails as well.
//!
//! [`steering`] judges all tests of many systems by a steered model; [`stepping`] runs tests of a
//! synchronous program on the program itself.
//!
//! A record is only ever appended to, and each line is handed to the operating system before the
//! next thing happens: a crash loses at most the line that was being written.
//!
//! Not here: how one run is made (`exec`), how it is judged (`oracle`), what it looks like
//! (`report`). Nothing here reads a clock: a record begins at the instant that it is told.

mod connect;
pub mod drive;
mod exchanged;
pub mod judges;
pub mod load;
pub mod measure;
pub mod plan;
pub mod platform;
pub mod play;
pub mod pool;
pub mod prepare;
pub mod problem;
mod recorder;
pub mod repeated;
pub mod replay;
pub mod run;
pub mod score;
pub mod shrink;
pub mod steering;
pub mod stepping;
pub mod store;
pub mod suites;
pub mod summary;
mod told;
