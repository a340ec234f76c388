//! From a program to instructions.
//!
//! - `lower.rs`: expressions to a `graph.rs` of `node.rs`: what is equal is shared, constants are
//!   folded. The first step has its own graph, in which memory is constant.
//! - `schedule.rs`, `region.rs`: which side of which branch computes what.
//! - `plan.rs`: which conditions become jumps, and which choices no branch.
//! - `emit.rs`, `assemble.rs`, `layout.rs`: instructions, and registers for them.
//! - `code.rs`: runs them; `around.rs` finds out for which other inputs they do the same.
//!
//! Code may compute what is not needed (a value that several branches share). If such a value does
//! not exist the code is stuck, and the step is decided by lazy evaluation. So code is never wrong
//! about failures, and never slow because of them.

mod around;
mod assemble;
mod code;
mod emit;
mod graph;
mod layout;
mod lower;
mod node;
mod plan;
mod region;
mod schedule;

use punctual_model::lustre::{Program, Rational};
use punctual_model::{Id, VarId};

use self::around::Blind;
use self::assemble::Assembly;
use self::code::Instr;
use self::emit::Emitter;
use self::layout::Layout;
use self::lower::lower;
use self::node::NodeId;
use self::region::Regions;
use super::asked::Asked;
use super::machine::{Place, Places, Spots};
use super::reads::Reads;
use super::real::Reals;
use super::stepper::Registers;

pub use self::around::Around;
pub(in crate::lustre) use self::code::Stuck;

/// The instructions of a step.
#[derive(Debug)]
pub(super) struct Code {
    instrs: Vec<Instr>,
    masks: Vec<u64>,
    /// Where the values are afterwards.
    pub(super) places: Places,
}

impl Code {
    /// Takes a step, or finds that it computes something that does not exist.
    #[inline]
    pub(super) fn run(&self, registers: &mut Registers, reads: &mut Reads) -> Result<(), Stuck> {
        code::run(&self.instrs, &self.masks, registers, reads, &mut Blind)
    }

    /// Likewise, and narrows a box of inputs to one in which the step does the same.
    pub(super) fn run_around(
        &self,
        registers: &mut Registers,
        reads: &mut Reads,
        around: &mut Around,
    ) -> Result<(), Stuck> {
        code::run(&self.instrs, &self.masks, registers, reads, around)
    }

    /// How many instructions there are.
    pub(super) fn len(&self) -> usize {
        self.instrs.len()
    }
}

/// A program as code.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) first: Code,
    pub(super) later: Code,
    /// What registers are before any step.
    pub(super) blank: Registers,
}

/// Compiles what is asked for.
pub(super) fn compile(
    program: &Program,
    asked: &Asked,
    reals: Reals,
    followed: &[VarId],
    spots: &Spots,
) -> Compiled {
    let mut layout = Layout {
        n_cells: spots.n_cells,
        n_reals: spots.n_reals,
        inputs: spots.inputs.clone(),
        before: spots.before.iter().map(|it| it.map(Place::register)).collect(),
        after: spots.after.iter().map(|it| it.map(Place::register)).collect(),
        ..Layout::default()
    };
    for (position, var) in followed.iter().enumerate() {
        layout.followed.insert(u32::try_from(var.index()).expect("ids are of 32 bits"), position);
    }
    let first = code(program, asked, reals, &mut layout, true);
    let later = code(program, asked, reals, &mut layout, false);
    let mut blank = Registers {
        cells: vec![0; layout.n_cells as usize],
        reals: vec![Rational::new_raw(0, 1); layout.n_reals as usize],
    };
    for (value, register) in &layout.cells {
        blank.cells[*register as usize] = *value;
    }
    for (value, register) in &layout.reals {
        blank.reals[*register as usize] = *value;
    }
    Compiled { first, later, blank }
}

fn code(
    program: &Program,
    asked: &Asked,
    reals: Reals,
    layout: &mut Layout,
    is_first: bool,
) -> Code {
    let (graph, roots) = lower(program, asked, reals, is_first);
    let all = roots.vars.iter().chain(&roots.exprs).chain(&roots.memory).copied();
    let mut schedule = schedule::schedule(&graph, all);
    // What is remembered is computed where it will be; what is remembered twice is moved.
    let mut moves = Vec::new();
    for (memory, node) in asked.memory.iter().zip(&roots.memory) {
        let Some(register) = layout.after[memory.index()] else { continue };
        match schedule.own(*node, Regions::WHOLE) {
            Some(instance) if instance.register.is_none() => instance.register = Some(register),
            _ => moves.push((register, *node)),
        }
    }
    plan::plan(&graph, &mut schedule, layout);
    let assembly = Assembly::default();
    let mut emitter = Emitter { graph: &graph, schedule: &mut schedule, layout, assembly };
    let seen: Vec<NodeId> = roots.vars.iter().chain(&roots.exprs).copied().collect();
    let registers = emitter.step(&moves, &seen);
    let mut places = seen.iter().zip(registers).map(|(node, register)| {
        if graph.is_real(*node) { Place::Real(register) } else { Place::Cell(register) }
    });
    let (instrs, masks) = emitter.assembly.finish();
    let mut vars = layout.inputs.clone();
    for (var, place) in asked.vars.iter().zip(&mut places) {
        vars[var.index()] = Some(place);
    }
    Code { instrs, masks, places: Places { vars, exprs: places.collect() } }
}
