//! A synchronous program, played as if it were the implementation: it takes a step when it is told to.

use std::sync::Arc;

use punctual_model::{
    Interface, Port, PortRole, Signal, Value, ValueType, VarId,
    lustre::{Program, Role, Type},
};
use punctual_sdk::{Output, Value as Datum};
use punctual_semantics::lustre::{Machine, Reals, State, Stepper};

use crate::{
    Limits, SutError, Timekeeping,
    direct::{Direct, Stepped, of_datum, to_datum},
};

/// A synchronous program as a [`Sut`](crate::Sut).
pub struct PlayedProgram {
    direct: Direct<Stepping>,
}

impl PlayedProgram {
    /// The program behind an interface, on a clock. Ports are the variables with their names.
    ///
    /// # Errors
    /// If the program can not be run, or lacks a variable of the interface.
    pub fn new(
        program: &Program,
        interface: Arc<Interface>,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Result<Self, SutError> {
        let unfit = |what: String| {
            SutError::Unsupported {
            what,
            help: "name the ports of the test interface like variables of the program, with their types"
                .into(),
        }
        };
        let mut ports = Vec::new();
        for port in interface.ports.iter() {
            let var = program.var(&port.name).ok_or_else(|| {
                unfit(format!("the program that plays the system has no `{}`", port.name))
            })?;
            if !fits(program, var, port) {
                return Err(unfit(format!(
                    "`{}` is something else in the program that plays the system",
                    port.name
                )));
            }
            ports.push((port.clone(), var));
        }
        let shown: Vec<VarId> = ports.iter().map(|(_, var)| *var).collect();
        let machine = Machine::watching(program, Reals::Exact, &shown, &[])
            .map_err(|refusal| unfit(format!("the program can not be run: {refusal}")))?;
        let stepping = Stepping::new(machine, ports);
        Ok(Self { direct: Direct::new(stepping, interface, timekeeping, limits) })
    }
}

crate::sut::sut_by!(direct, PlayedProgram);

/// Whether a variable can be what a port says: of its type, and an input if it is to be set.
fn fits(program: &Program, var: VarId, port: &Port) -> bool {
    let var = &program.vars[var];
    let is_typed = match (&port.ty, var.ty) {
        (ValueType::Bool, Type::Bool)
        | (ValueType::Int { .. }, Type::Int)
        | (ValueType::Real, Type::Real) => true,
        (ValueType::Enum(names), Type::Enum(id)) => *names == program.enums[id].values,
        _ => false,
    };
    is_typed && (port.role != PortRole::Input || var.role == Role::Input)
}

/// The program and where it stands.
struct Stepping {
    machine: Machine,
    ports: Vec<(Port, VarId)>,
    /// The values of the ports: inputs as they were set, the others as of the last step.
    values: Vec<Value>,
    state: State,
    after: State,
}

impl Stepping {
    fn new(machine: Machine, ports: Vec<(Port, VarId)>) -> Stepping {
        let values = ports.iter().map(|(port, _)| port.ty.of_int(0)).collect();
        let (state, after) = (machine.start(), machine.start());
        Stepping { machine, ports, values, state, after }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.ports.iter().position(|(port, _)| port.name == name)
    }
}

impl Stepped for Stepping {
    fn reset(&mut self) -> Result<(), SutError> {
        self.values = self.ports.iter().map(|(port, _)| port.ty.of_int(0)).collect();
        self.state = self.machine.start();
        Ok(())
    }

    fn input(&mut self, _: u64, signal: &Signal, _: &[Value]) -> Result<(), SutError> {
        Err(SutError::cannot(&format!("take the signal `{}`: a program has ports", signal.name)))
    }

    fn advance(&mut self, _: u64) -> Result<Option<Output>, SutError> {
        Ok(None)
    }

    fn next_ns(&self) -> Option<u64> {
        None
    }

    fn set(&mut self, _: u64, name: &str, value: &Datum) -> Result<bool, SutError> {
        let Some(at) = self.position(name) else { return Ok(false) };
        let port = &self.ports[at].0;
        let Ok(value) = of_datum(&port.ty, value) else { return Ok(false) };
        self.values[at] = value;
        Ok(port.role == PortRole::Input)
    }

    fn step(&mut self, at_ns: u64) -> Result<Option<Vec<(String, Datum)>>, SutError> {
        let mut stepper = Stepper::new(&self.machine);
        for ((port, var), value) in self.ports.iter().zip(&self.values) {
            if port.role == PortRole::Input {
                stepper.set(*var, *value);
            }
        }
        stepper
            .step(&self.state, &mut self.after)
            .map_err(|failure| SutError::Model { at_ns, reason: failure.kind.to_string() })?;
        let mut outputs = Vec::new();
        for ((port, var), value) in self.ports.iter().zip(&mut self.values) {
            if port.role != PortRole::Input {
                *value = stepper.value(*var);
            }
            if port.role == PortRole::Output {
                outputs.push((port.name.clone(), to_datum(&port.ty, *value)));
            }
        }
        std::mem::swap(&mut self.state, &mut self.after);
        Ok(Some(outputs))
    }

    fn read(&mut self, _: u64, name: &str) -> Result<Option<Datum>, SutError> {
        let shown = |at: usize| to_datum(&self.ports[at].0.ty, self.values[at]);
        Ok(self.position(name).map(shown))
    }
}
