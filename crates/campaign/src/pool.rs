//! Systems that stay connected from one lot of runs to the next.
//!
//! A thread borrows a system, makes runs with it, and gives it back when it has no more of them. So a program that is not started anew for
//! each run lives as long as the pool, and a connection too. What a system did before is forgotten by its reset, not here.

use std::sync::{Mutex, PoisonError};

use punctual_exec::{Sut, SutError};

use crate::plan::Plan;

/// Systems that nobody uses at the moment. They end with the pool.
#[derive(Default)]
pub struct Pool(Mutex<Vec<Box<dyn Sut>>>);

impl Pool {
    fn suts(&self) -> std::sync::MutexGuard<'_, Vec<Box<dyn Sut>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A system if there is one; otherwise it is connected when it is first needed.
    pub(crate) fn lend(&self) -> Lent<'_> {
        Lent { sut: self.suts().pop(), pool: self }
    }
}

/// A system of a pool, in use.
pub(crate) struct Lent<'p> {
    sut: Option<Box<dyn Sut>>,
    pool: &'p Pool,
}

impl Lent<'_> {
    /// The system for a run.
    pub(crate) fn of_run(&mut self, plan: &Plan, run: u64) -> Result<&mut dyn Sut, SutError> {
        // A model that is played draws from the number of its run.
        let sut = match self.sut.take() {
            Some(sut) if !plan.draws() => sut,
            _ => plan.connect(run)?,
        };
        Ok(&mut **self.sut.insert(sut))
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(sut) = self.sut.take() {
            self.pool.suts().push(sut);
        }
    }
}
