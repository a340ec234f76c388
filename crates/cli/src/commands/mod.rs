//! One module per command.

pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod generate;
pub(crate) mod judge;
pub(crate) mod library_host;
pub(crate) mod mutate;
pub(crate) mod oracles;
pub(crate) mod platform_host;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod score;
pub(crate) mod show;
pub(crate) mod solver_host;
pub(crate) mod steer;
pub(crate) mod test;
pub(crate) mod test_platform;
mod test_repeated;
pub(crate) mod usecases;
