//! Steps that are evaluated lazily, because something that was computed has no value.

use punctual_model::lustre::{Rational, Type};
use punctual_model::{Id, VarId};

use super::failure::Failure;
use super::lazy::Lazy;
use super::machine::{Machine, Place};
use super::reads::Reads;
use super::real::{Real, Reals};
use super::scalar::Scalar;
use super::state::State;
use super::stepper::Registers;

/// What decides whether a step has a result.
pub(super) enum Careful {
    Exact(Lazy<Rational>),
    Float(Lazy<f64>),
}

impl Careful {
    pub(super) fn new(machine: &Machine) -> Careful {
        match machine.reals {
            Reals::Exact => Careful::Exact(Lazy::new(&machine.program)),
            Reals::Float => Careful::Float(Lazy::new(&machine.program)),
        }
    }

    /// The inputs that the last step looked at, in that order.
    pub(super) fn order(&self) -> &[VarId] {
        match self {
            Careful::Exact(lazy) => &lazy.order,
            Careful::Float(lazy) => &lazy.order,
        }
    }

    /// For each variable that is asked for, outputs first, how many inputs the last step had looked at when its value was known.
    pub(super) fn asked_after(&self) -> &[usize] {
        match self {
            Careful::Exact(lazy) => &lazy.asked_after,
            Careful::Float(lazy) => &lazy.asked_after,
        }
    }

    pub(super) fn step(
        &mut self,
        machine: &Machine,
        registers: &mut Registers,
        reads: &mut Reads,
        before: &State,
        after: &mut State,
    ) -> Result<(), Failure> {
        match self {
            Careful::Exact(lazy) => step(lazy, machine, registers, reads, before, after),
            Careful::Float(lazy) => step(lazy, machine, registers, reads, before, after),
        }
    }
}

fn step<R: Kept>(
    lazy: &mut Lazy<R>,
    machine: &Machine,
    registers: &mut Registers,
    reads: &mut Reads,
    before: &State,
    after: &mut State,
) -> Result<(), Failure> {
    let (program, asked) = (&machine.program, &machine.asked);
    lazy.clear();
    lazy.is_first = before.is_first;
    for id in &asked.memory {
        if let Some(place) = machine.kept[id.index()] {
            lazy.memory[*id] = load(program.memory[*id].ty, place, &before.cells, &before.reals);
        }
    }
    for var in program.inputs() {
        if let Some(place) = machine.spots.inputs[var.index()] {
            let ty = program.vars[var].ty;
            lazy.given[var.index()] = load(ty, place, &registers.cells, &registers.reals);
        }
    }
    lazy.ask(program, asked)?;
    for var in &asked.vars {
        if let Some(place) = machine.spots.lazy.vars[var.index()] {
            let value = lazy.var(program, asked, *var)?;
            store(value, place, &mut registers.cells, &mut registers.reals);
        }
    }
    for (expr, place) in asked.exprs.iter().zip(&machine.spots.lazy.exprs) {
        let value = lazy.expr(program, asked, *expr)?;
        store(value, *place, &mut registers.cells, &mut registers.reals);
    }
    after.is_first = false;
    for id in &asked.memory {
        if let Some(place) = machine.kept[id.index()] {
            let value = lazy.expr(program, asked, program.memory[*id].next)?;
            store(value, place, &mut after.cells, &mut after.reals);
        }
    }
    reads.clear();
    let is_read = |var: &VarId| lazy.read[var.index()];
    for (position, _) in machine.followed.iter().enumerate().filter(|(_, var)| is_read(var)) {
        reads.insert(position);
    }
    Ok(())
}

/// A real number as it is kept.
trait Kept: Real {
    fn load(place: Place, cells: &[i64], reals: &[Rational]) -> Self;
    fn store(self, place: Place, cells: &mut [i64], reals: &mut [Rational]);
}

impl Kept for Rational {
    fn load(place: Place, cells: &[i64], reals: &[Rational]) -> Self {
        match place {
            Place::Real(at) => reals[at as usize],
            Place::Cell(at) => Rational::from_int(cells[at as usize]),
        }
    }
    fn store(self, place: Place, _: &mut [i64], reals: &mut [Rational]) {
        if let Place::Real(at) = place {
            reals[at as usize] = self;
        }
    }
}

impl Kept for f64 {
    fn load(place: Place, cells: &[i64], _: &[Rational]) -> Self {
        match place {
            Place::Cell(at) => f64::from_bits(cells[at as usize].cast_unsigned()),
            Place::Real(_) => unreachable!("doubles are cells"),
        }
    }
    fn store(self, place: Place, cells: &mut [i64], _: &mut [Rational]) {
        if let Place::Cell(at) = place {
            cells[at as usize] = self.to_bits().cast_signed();
        }
    }
}

fn load<R: Kept>(ty: Type, place: Place, cells: &[i64], reals: &[Rational]) -> Scalar<R> {
    match (ty, place) {
        (Type::Bool, Place::Cell(at)) => Scalar::Bool(cells[at as usize] != 0),
        (Type::Enum(_), Place::Cell(at)) => {
            Scalar::Enum(u32::try_from(cells[at as usize]).unwrap_or(0))
        }
        (Type::Int, Place::Cell(at)) => Scalar::Int(cells[at as usize]),
        _ => Scalar::Real(R::load(place, cells, reals)),
    }
}

fn store<R: Kept>(value: Scalar<R>, place: Place, cells: &mut [i64], reals: &mut [Rational]) {
    let cell = match value {
        Scalar::Real(it) => return it.store(place, cells, reals),
        Scalar::Bool(it) => i64::from(it),
        Scalar::Int(it) => it,
        Scalar::Enum(it) => i64::from(it),
    };
    if let Place::Cell(at) = place {
        cells[at as usize] = cell;
    }
}
