//! Tests of the crate.

<<<<<<< HEAD
mod program;
=======
mod concrete;
>>>>>>> conc
