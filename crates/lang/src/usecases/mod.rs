//! Use cases, domain models and constraints: a folder of texts that people write step by step.
//!
//! [`read`] takes all files of a folder together: `*.md` are use cases (`rucm`), `*.puml` class diagrams (`puml`), `*.ocl` constraints
//! (`ocl`), `model.xml` has requirement and environment automata, `usecases.toml` has settings. What is wrong is told of all files at once. What is merely missing is no error: [`Folder::open`]
//! lists names that the domain model lacks and sentences that still need a constraint.
//!
//! Everything is bounded, and the bounds are told when they are exceeded: [`BYTES_MAX`], [`DEPTH_MAX`] and those of each reader.
//!
//! Not here: what follows from use cases. Scenarios are derived elsewhere.

mod automata;
mod folder;
mod link;
mod lints;
mod names;
mod ocl;
mod puml;
mod rucm;
mod settings;
mod sources;

pub use folder::{Folder, Open, OpenKind, load, read};
pub use lints::{LINTS, Lint};
pub use sources::Source;

/// A file of a folder is refused if it has more bytes.
pub const BYTES_MAX: usize = 4 << 20;

/// Expressions and blocks of steps are refused if they are inside of each other more often.
pub const DEPTH_MAX: usize = 200;
