//! Steps of compiled programs.

use punctual_model::lustre::{Rational, Value};
use punctual_model::{Id, VarId};

use super::careful::Careful;
use super::failure::Failure;
use super::machine::{Machine, Place, cell, value};
use super::reads::Reads;
use super::state::State;

/// The registers of a machine. Steps reuse them and allocate nothing.
pub struct Stepper<'m> {
    machine: &'m Machine,
    registers: Registers,
    reads: Reads,
    careful: Careful,
}

/// Values of one moment.
pub(super) struct Registers {
    pub(super) cells: Vec<i64>,
    pub(super) reals: Vec<Rational>,
}

impl<'m> Stepper<'m> {
    /// With all inputs false or zero.
    #[must_use]
    pub fn new(machine: &'m Machine) -> Stepper<'m> {
        let zero = Rational::new_raw(0, 1);
        let registers = Registers {
            cells: vec![0; machine.registers.n_cells],
            reals: vec![zero; machine.registers.n_reals],
        };
        let reads = Reads::new(machine.followed.len());
        Stepper { machine, registers, reads, careful: Careful::new(machine) }
    }

    /// Gives an input a value of its type. It keeps it until it is given another one.
    ///
    /// # Panics
    /// If the variable is not an input.
    pub fn set(&mut self, input: VarId, value: Value) {
        match self.place(input) {
            Place::Cell(at) => self.registers.cells[at] = cell(value),
            Place::Real(at) => self.registers.reals[at] = value.as_rational(),
        }
    }

    /// Gives an input that is not an exact real a value: 0 or 1, an integer, the position of a value
    /// of an enumeration, or the bits of a finite double that is not -0.0.
    ///
    /// # Panics
    /// If the variable is not such an input.
    pub fn set_cell(&mut self, input: VarId, cell: i64) {
        let at = self.cell_of(input);
        self.registers.cells[at] = cell;
    }

    /// Takes a step with the inputs that were given. After a failure, `after` and the values of
    /// variables are unspecified. Both states are this machine's.
    ///
    /// # Errors
    /// If something that is asked for has no value.
    pub fn step(&mut self, before: &State, after: &mut State) -> Result<(), Failure> {
        self.careful.step(self.machine, &mut self.registers, &mut self.reads, before, after)
    }

    /// The value of an input, an output or a watched variable in the last step.
    ///
    /// # Panics
    /// If the variable is none of them.
    #[must_use]
    pub fn value(&self, var: VarId) -> Value {
        match self.place(var) {
            Place::Cell(at) => value(self.machine.program.vars[var].ty, self.registers.cells[at]),
            Place::Real(at) => Value::Real(self.registers.reals[at]),
        }
    }

    /// Likewise, as in [`set_cell`](Self::set_cell).
    ///
    /// # Panics
    /// If the variable is none of them, or an exact real.
    #[must_use]
    pub fn cell(&self, var: VarId) -> i64 {
        self.registers.cells[self.cell_of(var)]
    }

    /// Whether an assertion of the program held in the last step.
    ///
    /// # Panics
    /// If there is no such assertion.
    #[must_use]
    pub fn assertion(&self, index: usize) -> bool {
        assert!(index < self.machine.program.assertions.len(), "an assertion of the program");
        self.truth(index)
    }

    /// Whether all assertions held in the last step.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        (0..self.machine.program.assertions.len()).all(|index| self.truth(index))
    }

    /// Whether a property of the program held in the last step.
    ///
    /// # Panics
    /// If there is no such property.
    #[must_use]
    pub fn property(&self, index: usize) -> bool {
        self.truth(self.machine.program.assertions.len() + index)
    }

    /// On which of the followed inputs the last step, if it succeeded, may have depended: with other
    /// values for the others, all it computed would be the same.
    #[must_use]
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    fn truth(&self, index: usize) -> bool {
        match self.machine.exprs[index] {
            Place::Cell(at) => self.registers.cells[at] != 0,
            Place::Real(_) => unreachable!("truth is a cell"),
        }
    }

    fn place(&self, var: VarId) -> Place {
        self.machine.vars[var.index()].expect("an input, an output or watched")
    }

    fn cell_of(&self, var: VarId) -> usize {
        match self.place(var) {
            Place::Cell(at) => at,
            Place::Real(_) => panic!("an exact real is not a cell"),
        }
    }
}
