//! Steps of compiled programs.

use punctual_model::lustre::{Rational, Type, Value};
use punctual_model::{Id, VarId};

use super::careful::Careful;
use super::compile::{Around, Stuck};
use super::failure::Failure;
use super::machine::{Machine, Place, Places, Spots, cell, value};
use super::reads::Reads;
use super::state::State;

/// The registers of a machine. Steps reuse them and allocate nothing.
pub struct Stepper<'m> {
    machine: &'m Machine,
    registers: Registers,
    /// Where the values of the last step are.
    places: &'m Places,
    reads: Reads,
    /// What decides steps in which code is stuck; made when there is one.
    careful: Option<Careful>,
}

/// Values of one moment.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    pub(super) cells: Vec<i64>,
    pub(super) reals: Vec<Rational>,
}

impl<'m> Stepper<'m> {
    /// With all inputs false or zero.
    #[must_use]
    pub fn new(machine: &'m Machine) -> Stepper<'m> {
        Stepper {
            machine,
            registers: machine.compiled.blank.clone(),
            places: &machine.spots.lazy,
            reads: Reads::new(machine.followed.len()),
            careful: None,
        }
    }

    /// Gives an input a value of its type. It keeps it until it is given another one.
    ///
    /// # Panics
    /// If the variable is not an input.
    pub fn set(&mut self, input: VarId, value: Value) {
        match self.input(input) {
            Place::Cell(at) => self.registers.cells[at as usize] = cell(value),
            Place::Real(at) => self.registers.reals[at as usize] = value.as_rational(),
        }
    }

    /// Gives an input that is not an exact real a value: 0 or 1, an integer, the position of a value
    /// of an enumeration, or the bits of a finite double that is not -0.0.
    ///
    /// # Panics
    /// If the variable is not such an input.
    pub fn set_cell(&mut self, input: VarId, cell: i64) {
        match self.input(input) {
            Place::Cell(at) => self.registers.cells[at as usize] = cell,
            Place::Real(_) => panic!("an exact real is not a cell"),
        }
    }

    /// Takes a step with the inputs that were given. After a failure, `after` and the values of
    /// variables are unspecified. Both states are this machine's.
    ///
    /// # Errors
    /// If something that is asked for has no value.
    pub fn step(&mut self, before: &State, after: &mut State) -> Result<(), Failure> {
        let machine = self.machine;
        let compiled = &machine.compiled;
        let code = if before.is_first { &compiled.first } else { &compiled.later };
        self.registers.load(&machine.spots, before);
        self.reads.clear();
        match code.run(&mut self.registers, &mut self.reads) {
            Ok(()) => {
                self.places = &code.places;
                self.registers.store(&machine.spots, after);
                Ok(())
            }
            Err(Stuck) => {
                self.places = &machine.spots.lazy;
                let careful = self.careful.get_or_insert_with(|| Careful::new(machine));
                careful.step(machine, &mut self.registers, &mut self.reads, before, after)
            }
        }
    }

    /// Likewise, but evaluates only what is needed, in the order in which it is. [`looked_at`](Self::looked_at) says at which inputs; with other
    /// values for the others, everything would be the same. That is slower, and exact where [`reads`](Self::reads) may say too much.
    ///
    /// # Errors
    /// If something that is asked for has no value.
    pub fn step_lazily(&mut self, before: &State, after: &mut State) -> Result<(), Failure> {
        let machine = self.machine;
        self.places = &machine.spots.lazy;
        self.reads.clear();
        let careful = self.careful.get_or_insert_with(|| Careful::new(machine));
        careful.step(machine, &mut self.registers, &mut self.reads, before, after)
    }

    /// The inputs that the last lazy step looked at, in that order.
    #[must_use]
    pub fn looked_at(&self) -> &[VarId] {
        self.careful.as_ref().map_or(&[], Careful::order)
    }

    /// For each output of the program, and then for each watched variable, at how many of these inputs the last lazy step had looked when the value
    /// was known: no other input changes it.
    #[must_use]
    pub fn known_after(&self) -> &[usize] {
        self.careful.as_ref().map_or(&[], Careful::asked_after)
    }

    /// Likewise, and narrows the box of [`Around`] to one around the inputs that were given: with
    /// others of the box the step would take the same way, and what it computes would differ by
    /// their slopes only. Reals stay as they are.
    ///
    /// # Errors
    /// If something that is asked for has no value. Then the box is of no use.
    ///
    /// # Panics
    /// If the box has another number of inputs than are followed.
    pub fn step_around(
        &mut self,
        before: &State,
        after: &mut State,
        around: &mut Around,
    ) -> Result<(), Failure> {
        let machine = self.machine;
        let compiled = &machine.compiled;
        let code = if before.is_first { &compiled.first } else { &compiled.later };
        self.registers.load(&machine.spots, before);
        self.reads.clear();
        let registers = machine.followed.iter().map(|var| match self.input(*var) {
            Place::Cell(at) if machine.program.vars[*var].ty != Type::Real => Some(at),
            _ => None,
        });
        let first = machine.spots.first_after.0;
        let n_remembered = u32::try_from(before.cells.len()).expect("ids are of 32 bits");
        around.after = (first, first + n_remembered);
        around.prepare(self.registers.cells.len(), registers, &self.registers.cells);
        match code.run_around(&mut self.registers, &mut self.reads, around) {
            Ok(()) => {
                self.places = &code.places;
                self.registers.store(&machine.spots, after);
                // Whether an assertion holds must not depend on anything.
                for place in &code.places.exprs {
                    around.pin(place.register());
                }
                Ok(())
            }
            Err(Stuck) => {
                around.close();
                self.places = &machine.spots.lazy;
                let careful = self.careful.get_or_insert_with(|| Careful::new(machine));
                careful.step(machine, &mut self.registers, &mut self.reads, before, after)
            }
        }
    }

    /// By how much a variable grows with each followed input within the box of the last step. Exact
    /// reals do not.
    ///
    /// # Panics
    /// If it is no input, output or watched variable.
    pub fn slope<'a>(
        &self,
        around: &'a Around,
        var: VarId,
    ) -> impl Iterator<Item = (usize, i64)> + use<'a> {
        let register = match self.place(var) {
            Place::Cell(at) => Some(at),
            Place::Real(_) => None,
        };
        register.into_iter().flat_map(|register| around.slope(register))
    }

    /// The value of an input, an output or a watched variable in the last step.
    ///
    /// # Panics
    /// If the variable is none of them.
    #[must_use]
    pub fn value(&self, var: VarId) -> Value {
        match self.place(var) {
            Place::Cell(at) => {
                value(self.machine.program.vars[var].ty, self.registers.cells[at as usize])
            }
            Place::Real(at) => Value::Real(self.registers.reals[at as usize]),
        }
    }

    /// Likewise, as in [`set_cell`](Self::set_cell).
    ///
    /// # Panics
    /// If the variable is none of them, or an exact real.
    #[must_use]
    pub fn cell(&self, var: VarId) -> i64 {
        match self.place(var) {
            Place::Cell(at) => self.registers.cells[at as usize],
            Place::Real(_) => panic!("an exact real is not a cell"),
        }
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
        match self.places.exprs[index] {
            Place::Cell(at) => self.registers.cells[at as usize] != 0,
            Place::Real(_) => unreachable!("truth is a cell"),
        }
    }

    fn input(&self, var: VarId) -> Place {
        self.machine.spots.inputs[var.index()].expect("an input")
    }

    fn place(&self, var: VarId) -> Place {
        self.places.vars[var.index()].expect("an input, an output or watched")
    }
}

impl Registers {
    /// Remembers what a state does; what will be remembered is the same until something else is.
    fn load(&mut self, spots: &Spots, state: &State) {
        for first in [spots.first_before, spots.first_after] {
            let (cell, real) = (first.0 as usize, first.1 as usize);
            self.cells[cell..cell + state.cells.len()].copy_from_slice(&state.cells);
            self.reals[real..real + state.reals.len()].copy_from_slice(&state.reals);
        }
    }

    /// What will be remembered.
    fn store(&self, spots: &Spots, state: &mut State) {
        let (cell, real) = (spots.first_after.0 as usize, spots.first_after.1 as usize);
        state.is_first = false;
        let n_cells = state.cells.len();
        state.cells.copy_from_slice(&self.cells[cell..cell + n_cells]);
        let n_reals = state.reals.len();
        state.reals.copy_from_slice(&self.reals[real..real + n_reals]);
    }
}
