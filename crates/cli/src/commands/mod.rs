//! One module per command.

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod show;
