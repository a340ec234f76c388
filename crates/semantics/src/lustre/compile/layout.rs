//! Which register is for what.

use punctual_model::lustre::Rational;
use rustc_hash::FxHashMap;

use super::code::Reg;
use super::node::Node;
use crate::lustre::machine::Place;

/// The registers of a machine; both of its codes share them.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) n_cells: Reg,
    pub(super) n_reals: Reg,
    /// Constants, and where they are.
    pub(super) cells: FxHashMap<i64, Reg>,
    pub(super) reals: FxHashMap<Rational, Reg>,
    /// Inputs, by variable.
    pub(super) inputs: Vec<Option<Place>>,
    /// What was remembered before the step, by memory.
    pub(super) before: Vec<Option<Reg>>,
    /// What will be.
    pub(super) after: Vec<Option<Reg>>,
    /// The position of each input whose reading is followed, by variable.
    pub(super) followed: FxHashMap<u32, usize>,
}

impl Layout {
    /// A new register.
    pub(super) fn fresh(&mut self, is_real: bool) -> Reg {
        let n_used = if is_real { &mut self.n_reals } else { &mut self.n_cells };
        *n_used += 1;
        *n_used - 1
    }

    /// The register of a leaf.
    pub(super) fn leaf(&mut self, node: Node) -> Option<Reg> {
        match node {
            Node::Cell(it) => {
                let n_cells = &mut self.n_cells;
                Some(*self.cells.entry(it).or_insert_with(|| {
                    *n_cells += 1;
                    *n_cells - 1
                }))
            }
            Node::Real(it) => {
                let n_reals = &mut self.n_reals;
                Some(*self.reals.entry(it).or_insert_with(|| {
                    *n_reals += 1;
                    *n_reals - 1
                }))
            }
            Node::Input(var) => self.inputs[var as usize].map(Place::register),
            Node::Memory(memory) => self.before[memory as usize],
            _ => None,
        }
    }

    /// Whether it is an input whose reading is followed.
    pub(super) fn is_followed(&self, node: Node) -> bool {
        matches!(node, Node::Input(var) if self.followed.contains_key(&var))
    }
}
