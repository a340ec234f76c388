//! From network to network and from network to text.

pub(crate) mod fold;
pub mod print;

pub use print::Printer;
