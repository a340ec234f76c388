//! Functional scenarios of use cases: which ways there are through a folder of requirements, and which values take them.
//!
//! [`paths`] follows the control of use cases: flows, conditions, loops, included use cases. It knows nothing of values.
//! [`values`] finds objects and values that take a path, or says why there are none.
//!
//! Not here: how use cases are read (`lang`), and how anything is written.

pub mod paths;
pub mod values;
