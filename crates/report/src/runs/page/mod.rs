//! stub
use crate::view;
/// stub
pub struct Automaton { /// x
pub diagram: view::Diagram }
/// stub
pub struct Page;
/// stub
pub fn page() {}
