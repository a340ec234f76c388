//! Many runs: what they leave on disk, what they come to together, and traces that others recorded.
//!
//! [`store`] has the record of a run, a promise to scripts and to later versions of the tool: a
//! [`Writer`](store::Writer) appends to it while the run goes on, a [`Reader`](store::Reader)
//! gives its lines back, and a [`Store`](store::Store) is a folder of runs. [`summary`] reads the
//! gist of each run and adds them up. [`traces`] reads what was seen of a system, by this tool or
//! by another one, as a [`model::Trace`](punctual_model::Trace).
//!
//! A record is only ever appended to, and each line is handed to the operating system before the
//! next thing happens: a crash loses at most the line that was being written.
//!
//! Not here: how runs are made (`exec`), how they are judged (`oracle`), what they look like
//! (`report`). Nothing here reads a clock: a record begins at the instant that it is told.

pub mod store;
pub mod summary;
pub mod traces;
