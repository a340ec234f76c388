//! Tests of drawings: what they look like, what always holds, and what must not break them.

mod hostile;
mod layout;
mod pictures;
mod sample;
mod structure;
