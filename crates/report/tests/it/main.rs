//! Tests of drawings and texts: what they look like, what always holds, and what must not break them.

mod answers;
mod hostile;
mod json;
mod layout;
mod pictures;
mod plots;
mod runs;
mod sample;
mod scores;
mod structure;
mod testcode;
