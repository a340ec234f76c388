//! A simulated platform as a [`System`]: a tester may reach it in a process of its own, on both clocks.

use std::sync::Arc;

use punctual_model::{Interface, Reading};
use punctual_sdk::{Can, Note, Output, System, Value as Datum};

use super::Simulated;
use crate::direct::{of_datum, to_datum};
use crate::{Seen, Sut};

/// A simulated platform that is told how far time goes.
pub struct Hosted<S> {
    platform: Simulated<S>,
    interface: Arc<Interface>,
    /// Why it can not go on.
    problem: Option<String>,
}

impl<S: Sut> Hosted<S> {
    /// A platform behind its interface.
    pub fn new(platform: Simulated<S>, interface: Arc<Interface>) -> Hosted<S> {
        Hosted { platform, interface, problem: None }
    }
}

impl<S: Sut + Send> System for Hosted<S> {
    fn can(&self) -> Can {
        Can { set: true, ..Can::default() }
    }

    fn reset(&mut self) {
        self.problem = self.platform.reset().err().map(|error| error.to_string());
    }

    fn input(&mut self, _: u64, name: &str, _: &[Datum]) {
        self.problem = Some(format!("a platform has ports, and `{name}` is a signal"));
    }

    fn set(&mut self, _: u64, name: &str, value: &Datum) -> bool {
        let Some(port) = self.interface.port(name) else { return false };
        match of_datum(&self.interface.ports[port].ty, value) {
            Ok(value) => {
                let reading = Reading { values: vec![(port, value)] };
                if let Err(error) = self.platform.set(&reading) {
                    self.problem = Some(error.to_string());
                }
            }
            Err(why) => self.problem = Some(format!("`{name}`: {why}")),
        }
        true
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        match self.platform.wait(until_ns) {
            Ok(Seen::Output { action, at_ns, .. }) => {
                let signal = &self.interface.signals[action.signal];
                let values = signal.values.iter().zip(&action.values);
                let values = values.map(|(carried, it)| to_datum(&carried.ty, *it)).collect();
                Some(Output { at_ns, name: signal.name.clone(), values })
            }
            Ok(_) => None,
            Err(error) => {
                self.problem = Some(error.to_string());
                None
            }
        }
    }

    fn next_ns(&self) -> Option<u64> {
        Some(self.platform.next_ns())
    }

    fn note(&mut self) -> Option<Note> {
        self.problem.take().map(Note::Error)
    }
}
