//! Compiled programs.

use punctual_model::lustre::{Program, Type, Value};
use punctual_model::{Id, MemoryId, VarId};
use std::fmt;

use super::asked::Asked;
use super::compile::{Compiled, compile};
use super::real::{Real, Reals};
use super::state::State;

/// A program as code. It owns all it needs, and threads can share it.
#[derive(Debug)]
pub struct Machine {
    pub(super) program: Program,
    pub(super) reals: Reals,
    pub(super) asked: Asked,
    /// The inputs whose reading is followed.
    pub(super) followed: Vec<VarId>,
    /// Where each memory is kept in a state, if it is.
    pub(super) kept: Vec<Option<Place>>,
    pub(super) spots: Spots,
    pub(super) compiled: Compiled,
    start: State,
}

/// Where a value is kept: in a cell, or among the exact reals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Cell(u32),
    Real(u32),
}

impl Place {
    /// The position, whichever kind it is.
    pub(super) fn register(self) -> u32 {
        match self {
            Place::Cell(at) | Place::Real(at) => at,
        }
    }
}

/// In which registers values are after a step.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// Of inputs and what is watched, by variable.
    pub(super) vars: Vec<Option<Place>>,
    /// Of assertions, then properties.
    pub(super) exprs: Vec<Place>,
}

/// The registers that do not depend on code.
#[derive(Debug)]
pub(super) struct Spots {
    pub(super) n_cells: u32,
    pub(super) n_reals: u32,
    /// Of inputs, by variable.
    pub(super) inputs: Vec<Option<Place>>,
    /// Of what was remembered, by memory: from a first register on, in the order of a state.
    pub(super) before: Vec<Option<Place>>,
    pub(super) first_before: (u32, u32),
    /// Of what will be.
    pub(super) after: Vec<Option<Place>>,
    pub(super) first_after: (u32, u32),
    /// Where lazy evaluation puts its values.
    pub(super) lazy: Places,
}

impl Spots {
    fn new(program: &Program, asked: &Asked, reals: Reals, kept: &[Option<Place>]) -> Spots {
        let (mut n_cells, mut n_reals) = (0, 0);
        let mut fresh = |ty: Type| {
            let is_real = ty == Type::Real && reals == Reals::Exact;
            let n_used = if is_real { &mut n_reals } else { &mut n_cells };
            *n_used += 1;
            if is_real { Place::Real(*n_used - 1) } else { Place::Cell(*n_used - 1) }
        };
        let mut inputs = vec![None; program.vars.len()];
        for var in program.inputs() {
            inputs[var.index()] = Some(fresh(program.vars[var].ty));
        }
        let mut vars = inputs.clone();
        for var in &asked.vars {
            vars[var.index()].get_or_insert_with(|| fresh(program.vars[*var].ty));
        }
        let exprs = asked.exprs.iter().map(|_| fresh(Type::Bool)).collect();
        let lazy = Places { vars, exprs };
        let mut block = || {
            let first = (n_cells, n_reals);
            let mut places = vec![None; kept.len()];
            for (place, kept) in places.iter_mut().zip(kept) {
                *place = kept.map(|kept| match kept {
                    Place::Cell(at) => Place::Cell(first.0 + at),
                    Place::Real(at) => Place::Real(first.1 + at),
                });
                match kept {
                    Some(Place::Cell(_)) => n_cells += 1,
                    Some(Place::Real(_)) => n_reals += 1,
                    None => {}
                }
            }
            (first, places)
        };
        let (first_before, before) = block();
        let (first_after, after) = block();
        Spots { n_cells, n_reals, inputs, before, first_before, after, first_after, lazy }
    }
}

/// Why a program can not be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody says what these variables are.
    Free(Vec<String>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal::Free(names) = self;
        write!(f, "nothing says what `{}` is", names.join("`, `"))?;
        f.write_str(": it comes from an imported node or function")
    }
}

impl Machine {
    /// Compiles what outputs, assertions and properties need.
    ///
    /// # Errors
    /// If variables that are needed are not defined.
    pub fn new(program: &Program, reals: Reals) -> Result<Machine, Refusal> {
        Machine::watching(program, reals, &[], &[])
    }

    /// Also keeps the values of these variables, and follows which of these inputs a step reads.
    ///
    /// What is watched is asked for: a step fails if it has no value.
    ///
    /// # Errors
    /// If variables that are needed are not defined.
    pub fn watching(
        program: &Program,
        reals: Reals,
        watched: &[VarId],
        followed: &[VarId],
    ) -> Result<Machine, Refusal> {
        let asked = Asked::new(program, watched);
        if !asked.free.is_empty() {
            let name = |var: &VarId| program.vars[*var].name.clone();
            return Err(Refusal::Free(asked.free.iter().map(name).collect()));
        }
        let mut start = State { is_first: true, cells: Vec::new(), reals: Vec::new() };
        let mut kept = vec![None; program.memory.len()];
        for id in &asked.memory {
            let memory = &program.memory[*id];
            let initial = memory.initial.unwrap_or(Value::zero(memory.ty));
            kept[id.index()] = Some(match (memory.ty, reals) {
                (Type::Real, Reals::Exact) => {
                    start.reals.push(initial.as_rational());
                    Place::Real(position(start.reals.len()) - 1)
                }
                _ => {
                    start.cells.push(cell(initial));
                    Place::Cell(position(start.cells.len()) - 1)
                }
            });
        }
        let spots = Spots::new(program, &asked, reals, &kept);
        let compiled = compile(program, &asked, reals, followed, &spots);
        let followed = followed.to_vec();
        let program = program.clone();
        Ok(Machine { program, reals, asked, followed, kept, spots, compiled, start })
    }

    /// The program that was compiled.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Before the first step.
    #[must_use]
    pub fn start(&self) -> State {
        self.start.clone()
    }

    /// What is remembered in a state; none if it never matters.
    #[must_use]
    pub fn memory(&self, state: &State, memory: MemoryId) -> Option<Value> {
        let ty = self.program.memory[memory].ty;
        Some(match self.kept[memory.index()]? {
            Place::Cell(at) => value(ty, state.cells[at as usize]),
            Place::Real(at) => Value::Real(state.reals[at as usize]),
        })
    }

    /// How many instructions the first step has, and each later one.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.compiled.first.len(), self.compiled.later.len())
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("ids are of 32 bits")
}

/// A value as a cell; reals as doubles.
pub(super) fn cell(value: Value) -> i64 {
    match value {
        Value::Bool(it) => i64::from(it),
        Value::Int(it) => it,
        Value::Real(it) => f64::from_rational(it).to_bits().cast_signed(),
        Value::Enum(it) => i64::from(it),
    }
}

/// A cell as a value of its type; reals are doubles.
pub(super) fn value(ty: Type, cell: i64) -> Value {
    match ty {
        Type::Bool => Value::Bool(cell != 0),
        Type::Int => Value::Int(cell),
        Type::Real => Value::Real(f64::from_bits(cell.cast_unsigned()).to_rational()),
        Type::Enum(_) => Value::Enum(u32::try_from(cell).unwrap_or(0)),
    }
}
