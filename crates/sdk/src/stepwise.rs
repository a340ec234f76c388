//! Synchronous systems: inputs that are set, steps, and outputs that steps give.

use std::collections::BTreeMap;

use crate::{Can, Note, Output, System, Value};

/// A system that reads all its inputs and writes all its outputs in steps, at instants that its
/// tester chooses. [`Steps`] makes a [`System`] of it.
pub trait Stepwise: Send {
    /// The input ports, with the values that they have until they are set. A tester that sets
    /// another port is refused.
    fn inputs(&self) -> BTreeMap<String, Value>;

    /// Starts anew: the next step is the first one.
    fn reset(&mut self);

    /// Takes a step: the outputs with their names. An input that was not set since the last step has
    /// the value that it had then.
    fn step(&mut self, inputs: &BTreeMap<String, Value>) -> Vec<(String, Value)>;

    /// The value of a variable beside inputs and outputs, which are known already; none if there is no
    /// such variable.
    fn read(&mut self, name: &str) -> Option<Value> {
        let _ = name;
        None
    }
}

/// A [`Stepwise`] as a [`System`]. Its ports can be set and read, it takes steps, and it has no signals.
///
/// ```
/// use std::collections::BTreeMap;
/// use punctual_sdk::{Steps, Stepwise, System, Value};
///
/// struct Sum(i64);
///
/// impl Stepwise for Sum {
///     fn inputs(&self) -> BTreeMap<String, Value> {
///         BTreeMap::from([("x".into(), Value::Int(0))])
///     }
///
///     fn reset(&mut self) {
///         self.0 = 0;
///     }
///
///     fn step(&mut self, inputs: &BTreeMap<String, Value>) -> Vec<(String, Value)> {
///         self.0 += inputs["x"].as_int().unwrap_or(0);
///         vec![("sum".into(), self.0.into())]
///     }
/// }
///
/// let mut system = Steps::new(Sum(0));
/// system.reset();
/// assert!(system.set(0, "x", &Value::Int(3)));
/// system.step(0);
/// assert_eq!(system.step(10), Some(vec![("sum".into(), Value::Int(6))]));
/// ```
#[derive(Debug)]
pub struct Steps<S> {
    stepwise: S,
    inputs: BTreeMap<String, Value>,
    /// Those of the last step.
    outputs: Vec<(String, Value)>,
    note: Option<Note>,
}

impl<S: Stepwise> Steps<S> {
    /// The system. Its first call is a reset.
    pub fn new(stepwise: S) -> Self {
        let inputs = stepwise.inputs();
        Self { stepwise, inputs, outputs: Vec::new(), note: None }
    }
}

impl<S: Stepwise> System for Steps<S> {
    fn can(&self) -> Can {
        Can { step: true, set: true, read: true }
    }

    fn reset(&mut self) {
        self.stepwise.reset();
        self.inputs = self.stepwise.inputs();
        self.outputs.clear();
    }

    fn input(&mut self, _: u64, name: &str, _: &[Value]) {
        self.note = Some(Note::Error(format!("there is no input signal `{name}`")));
    }

    fn advance(&mut self, _: u64) -> Option<Output> {
        None
    }

    fn read(&mut self, _: u64, name: &str) -> Option<Value> {
        let output = self.outputs.iter().find(|(output, _)| output == name);
        let known = output.map(|(_, value)| value).or_else(|| self.inputs.get(name)).cloned();
        known.or_else(|| self.stepwise.read(name))
    }

    fn set(&mut self, _: u64, name: &str, value: &Value) -> bool {
        self.inputs.get_mut(name).map(|input| *input = value.clone()).is_some()
    }

    fn step(&mut self, _: u64) -> Option<Vec<(String, Value)>> {
        self.outputs = self.stepwise.step(&self.inputs);
        Some(self.outputs.clone())
    }

    fn next_ns(&self) -> Option<u64> {
        None
    }

    fn note(&mut self) -> Option<Note> {
        self.note.take()
    }
}
