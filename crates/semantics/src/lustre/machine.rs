//! Compiled programs.

use punctual_model::lustre::{Program, Type, Value};
use punctual_model::{Id, MemoryId, VarId};
use std::fmt;

use super::asked::Asked;
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
    pub(super) places: Vec<Option<Place>>,
    /// In which registers inputs and watched variables are after a step.
    pub(super) vars: Vec<Option<Place>>,
    /// In which registers assertions and properties are.
    pub(super) exprs: Vec<Place>,
    pub(super) registers: Registers,
    start: State,
}

/// Where a value is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Cell(usize),
    Real(usize),
}

/// How many registers there are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Registers {
    pub(super) n_cells: usize,
    pub(super) n_reals: usize,
}

impl Registers {
    /// A new register for a value of a type.
    fn place(&mut self, ty: Type, reals: Reals) -> Place {
        if ty == Type::Real && reals == Reals::Exact {
            self.n_reals += 1;
            Place::Real(self.n_reals - 1)
        } else {
            self.n_cells += 1;
            Place::Cell(self.n_cells - 1)
        }
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
        let mut registers = Registers::default();
        let mut vars = vec![None; program.vars.len()];
        for var in program.inputs().chain(asked.vars.iter().copied()) {
            if vars[var.index()].is_none() {
                vars[var.index()] = Some(registers.place(program.vars[var].ty, reals));
            }
        }
        let exprs = asked.exprs.iter().map(|_| registers.place(Type::Bool, reals)).collect();
        let mut start = State { is_first: true, cells: Vec::new(), reals: Vec::new() };
        let mut places = vec![None; program.memory.len()];
        for id in &asked.memory {
            let memory = &program.memory[*id];
            let initial = memory.initial.unwrap_or(Value::zero(memory.ty));
            places[id.index()] = Some(match (memory.ty, reals) {
                (Type::Real, Reals::Exact) => {
                    start.reals.push(initial.as_rational());
                    Place::Real(start.reals.len() - 1)
                }
                _ => {
                    start.cells.push(cell(initial));
                    Place::Cell(start.cells.len() - 1)
                }
            });
        }
        Ok(Machine {
            program: program.clone(),
            reals,
            asked,
            followed: followed.to_vec(),
            vars,
            exprs,
            registers,
            places,
            start,
        })
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
        Some(match self.places[memory.index()]? {
            Place::Cell(at) => value(ty, state.cells[at]),
            Place::Real(at) => Value::Real(state.reals[at]),
        })
    }
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
