//! Who judges a run: a timed model, a synchronous model, the checks of a case, or all of these at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use punctual_model::lustre::Program;
use punctual_model::testing::suite::{Case, Suite};
use punctual_model::{Interface, PortRole, VarId};
use punctual_oracle::conformance::{Coverage, Session, Specification, explain};
use punctual_oracle::expectations::{Checked, Counted, Expectations};
use punctual_oracle::steering::{self, Steered};
use punctual_oracle::synchronous::{Beside, Streams};
use punctual_oracle::{All, Oracle};
use punctual_semantics::budget::Budget;
use punctual_semantics::lustre::{Machine, Reals};

use crate::platform::{Mounted, table};

/// All that a run is judged by.
pub struct Judges {
    /// What is exchanged with the system.
    pub interface: Interface,
    /// The timed model, if there is one.
    pub specification: Option<Specification>,
    /// The synchronous model, if there is one.
    pub steps: Option<Synchronous>,
    /// The suite, if there is one: each run is a case of it.
    pub suite: Option<Suite>,
}

/// A synchronous model beside a system.
pub struct Synchronous {
    machine: Machine,
    streams: Streams,
    /// How it is steered; exactly compared if not said.
    steering: Option<steering::Oracle>,
    /// The positions of what a steered model must see of the system among the outputs of a step.
    columns: Vec<usize>,
    /// Whether its properties are judged: the system is the program itself.
    judges_properties: bool,
    /// The platform between the tester and the system, if there is one.
    mounted: Option<Mounted>,
}

impl Synchronous {
    /// A model whose variables are the ports with their names, compared exactly.
    ///
    /// # Errors
    /// If it can not be run, or an input of it is no port.
    pub fn exact(program: &Program, interface: &Interface) -> Result<Synchronous, String> {
        let streams = Streams::by_name(program, interface).map_err(|name| {
            format!("the model `{}` needs the input `{name}`, which is no port", program.name)
        })?;
        let compared: Vec<VarId> = streams.outputs.iter().map(|(var, _)| *var).collect();
        let machine = Machine::watching(program, Reals::Exact, &compared, &[])
            .map_err(|refusal| format!("the model `{}` can not be run: {refusal}", program.name))?;
        let (steering, columns, judges_properties) = (None, Vec::new(), false);
        let mounted = None;
        Ok(Synchronous { machine, streams, steering, columns, judges_properties, mounted })
    }

    /// The same, for runs of the program itself: its properties are judged, too.
    #[must_use]
    pub fn with_properties(self) -> Synchronous {
        Synchronous { judges_properties: true, ..self }
    }

    /// The same, steered; `columns` are the variables that the oracle sees of the system, in its order.
    ///
    /// # Errors
    /// If it can not be run, or a variable that is compared is no port.
    pub fn steered(
        oracle: steering::Oracle,
        columns: &[VarId],
        interface: &Interface,
    ) -> Result<Synchronous, String> {
        let program = oracle.program().clone();
        let mut synchronous = Synchronous::exact(&program, interface)?;
        for var in columns {
            let name = &program.vars[*var].name;
            let mut outputs = interface.ports_with(PortRole::Output);
            let at = outputs.position(|port| interface.ports[port].name == *name);
            synchronous.columns.push(at.ok_or_else(|| format!("`{name}` is no output port"))?);
        }
        synchronous.steering = Some(oracle);
        Ok(synchronous)
    }

    /// The model.
    #[must_use]
    pub fn program(&self) -> &Program {
        self.machine.program()
    }

    /// The compiled model.
    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The steered model, and the positions of what it sees of the system among the outputs of a step; None if it is not steered.
    pub(crate) fn steering(&self) -> Option<(&steering::Oracle, &[usize])> {
        self.steering.as_ref().map(|oracle| (oracle, &self.columns[..]))
    }

    /// Puts a platform between the tester and the system.
    pub(crate) fn mount(&mut self, mounted: Mounted) {
        self.mounted = Some(mounted);
    }

    /// The platform between the tester and the system, if there is one.
    #[must_use]
    pub fn mounted(&self) -> Option<&Mounted> {
        self.mounted.as_ref()
    }

    fn oracle<'j>(
        &'j self,
        case: Option<&'j Case>,
        stops: Option<&'j AtomicBool>,
    ) -> Box<dyn Oracle + 'j> {
        if let (Some(mounted), Some(table)) = (&self.mounted, case.and_then(table)) {
            return mounted.oracle(&self.machine, table, stops);
        }
        match &self.steering {
            None => {
                let beside = Beside::new(&self.machine, &self.streams);
                Box::new(if self.judges_properties { beside.with_properties() } else { beside })
            }
            Some(oracle) => {
                let inputs = self.streams.inputs.iter().map(|(_, at)| *at).collect();
                Box::new(Steered::new(oracle, inputs, self.columns.clone()))
            }
        }
    }
}

impl Judges {
    /// Only a timed model.
    #[must_use]
    pub fn timed(specification: Specification) -> Judges {
        let interface = specification.interface().clone();
        Judges { interface, specification: Some(specification), steps: None, suite: None }
    }

    /// Inputs may reach the system later by so many nanoseconds, or by what the interface says if that is more. So a system that shows everything
    /// later than the model does nothing wrong.
    pub fn allow_lateness(&mut self, ns: u64) {
        let specification = self.specification.as_mut().map(|it| &mut it.wired.interface);
        for interface in std::iter::once(&mut self.interface).chain(specification) {
            let latest_ns = &mut interface.uncertainty.input_ns.1;
            *latest_ns = ns.max(*latest_ns);
        }
    }

    /// Whoever follows the timed model looks at this budget. Once it is spent, runs are inconclusive.
    pub fn grant(&mut self, budget: &Arc<Budget>) {
        if let Some(specification) = &mut self.specification {
            specification.grant(budget);
        }
    }

    /// The case that a run is, if there is a suite: the first run is the first case.
    #[must_use]
    pub fn case(&self, run: u64) -> Option<&Case> {
        let suite = self.suite.as_ref()?;
        suite.cases.get(usize::try_from(run).ok()? % suite.cases.len().max(1))
    }

    /// Who judges a run.
    ///
    /// # Errors
    /// If a model is in error from the start.
    pub fn oracle<'j>(&'j self, case: Option<&'j Case>) -> Result<Box<dyn Oracle + 'j>, String> {
        self.oracle_until(case, None)
    }

    /// The same, whose long searches end once somebody sets a flag; the verdict is inconclusive then.
    ///
    /// # Errors
    /// If a model is in error from the start.
    pub fn oracle_until<'j>(
        &'j self,
        case: Option<&'j Case>,
        stops: Option<&'j AtomicBool>,
    ) -> Result<Box<dyn Oracle + 'j>, String> {
        let begin = |specification: &'j Specification| {
            Session::new(specification, Coverage::whole(specification))
                .map_err(|diagnosis| explain(specification, &diagnosis))
        };
        let session = self.specification.as_ref().map(begin).transpose()?;
        let mounted = self.steps.as_ref().and_then(Synchronous::mounted);
        // On a platform, the model says what responses are right.
        let expected = case.filter(|_| mounted.is_none());
        let expectations = expected.map(|case| Expectations::new(&self.interface, case));
        let mut oracles: Vec<Box<dyn Oracle + 'j>> = Vec::new();
        let is_counted = case.is_some_and(|case| case.chance.is_some());
        let expectations = match (session, expectations) {
            (Some(session), Some(expectations)) if is_counted => {
                oracles.push(Box::new(Counted::new(session, expectations)));
                None
            }
            (Some(session), Some(expectations)) => {
                oracles.push(Box::new(Checked::new(session, expectations)));
                None
            }
            (Some(session), None) => {
                oracles.push(Box::new(session));
                None
            }
            (None, expectations) if is_counted => expectations.map(Expectations::counted),
            (None, expectations) => expectations,
        };
        oracles.extend(self.steps.as_ref().map(|steps| steps.oracle(case, stops)));
        oracles.extend(expectations.map(|it| Box::new(it) as Box<dyn Oracle + 'j>));
        Ok(match oracles.len() {
            1 => oracles.remove(0),
            _ => Box::new(All(oracles)),
        })
    }
}
