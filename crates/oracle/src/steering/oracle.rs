//! A model that is steered: everything that is the same for all tests.

use std::fmt;

use punctual_model::lustre::{Program, Role, Seen, Tolerances, Type};
use punctual_model::{Id, VarId};
use punctual_semantics::lustre::{Machine, Reals, Refusal};
use punctual_solver::Solver;

use super::joined::{Joined, Opened};
use super::metric::Distance;
use super::policy::Policy;
use super::tolerance::domain::Domain;
use super::tolerance::{Choice, Rules};

/// How to steer a model.
#[derive(Debug)]
pub struct Setup {
    /// The variables, outputs as a rule, whose values must be those of the system.
    pub compared: Vec<VarId>,
    /// The inputs and locals that steering may change.
    pub steerable: Vec<VarId>,
    /// The variables that the system shows, in the order of its rows.
    pub columns: Vec<VarId>,
    /// The conditions that a steered step must satisfy; a step that is not steered need not.
    pub tolerances: Tolerances,
    /// How far the outputs of model and system are apart; over `compared`.
    pub metric: Distance,
    /// What changes of inputs cost and how many are allowed; over `steerable`.
    pub policy: Policy,
    /// How many steps before it shows a change may be made.
    pub look_ahead: LookAhead,
    /// How the model computes with reals.
    pub reals: Reals,
    /// What bounds the search of a test.
    pub limits: Limits,
    /// The solver that is asked when there is too much to enumerate, or why there is none.
    pub solver: Result<Solver, String>,
    /// The time and memory that the solver may use for one question.
    pub solver_limits: punctual_solver::Limits,
}

/// Which changes are tried, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookAhead {
    /// A change may be made so many steps before it is needed, and is then held until it shows; all
    /// states that explain the system are kept. With 0, changes are made only where they are needed,
    /// and the best is chosen at once, as the thesis does.
    Steps(usize),
    /// Any change that is allowed, in any step.
    All,
}

impl LookAhead {
    /// The look-ahead that tells timing from faults best in the experiments.
    pub const DEFAULT: LookAhead = LookAhead::Steps(2);
}

/// What bounds the search of a test. A search that reaches a limit is not complete: see
/// [`Doubt`](super::Doubt).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of states that are followed at once; the cheapest ones are kept.
    pub candidates: usize,
    /// The number of steps that are tried from one state; then a solver is asked if the best change is
    /// wanted, or if it can tell more.
    pub enumerated: u64,
    /// The number of steps that are tried to follow all states over one step of a test; the costliest
    /// states are dropped.
    pub steps: u64,
    /// The number of changes of one step that are taken from a solver when looking ahead.
    pub alternatives: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { candidates: 1_000, enumerated: 20_000, steps: 5_000, alternatives: 6 }
    }
}

/// Why a model can not be steered so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The model can not be run.
    Model(Refusal),
    /// A variable that is to be steered is neither an input nor a local that can be changed.
    NotAnInput(String),
    /// A variable that is compared, or spoken of, is not in the traces of the system.
    NotObserved(String),
    /// No variable is compared.
    NothingCompared,
    /// The metric is not about the compared variables, or the policy not about the steerable ones.
    Mismatch,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Model(refusal) => write!(f, "the model can not be run: {refusal}"),
            SetupError::NotAnInput(name) => {
                write!(
                    f,
                    "`{name}` is neither an input of the model nor a local that is a number or truth, so it can not \
                     be steered"
                )
            }
            SetupError::NotObserved(name) => {
                write!(f, "`{name}` is not among the columns of the system's traces")
            }
            SetupError::NothingCompared => f.write_str("there is no output to compare"),
            SetupError::Mismatch => {
                f.write_str("metric and policy must be about all compared and steerable variables")
            }
        }
    }
}

/// A model that judges a system by being steered towards it. Threads share it.
#[derive(Debug)]
pub struct Oracle {
    pub(super) setup: Setup,
    program: Program,
    /// The program with an input for each steered local.
    pub(super) opened: Opened,
    pub(super) machine: Machine,
    pub(super) rules: Rules,
    /// The conditions on several variables that the compiled model has as assertions; None if that can not be.
    pub(super) joined: Option<Joined>,
    /// The inputs of the model, in order, then those by which locals are changed.
    pub(super) inputs: Vec<VarId>,
    /// Which of the inputs each steerable variable is.
    pub(super) steered_inputs: Vec<usize>,
    /// For each steerable variable whether it is a local that follows another one in the same step.
    pub(super) following: Vec<bool>,
    /// In which column of the system each compared variable is.
    pub(super) compared_columns: Vec<usize>,
    /// The column of each variable in the rows of the system, by variable.
    pub(super) column_of: Vec<Option<usize>>,
    /// What the types of steerable variables allow.
    pub(super) all_choices: Vec<Choice>,
}

impl Oracle {
    /// Compiles a model.
    ///
    /// # Errors
    /// If it can not be run, or the setup does not fit to it.
    pub fn new(program: &Program, setup: Setup) -> Result<Oracle, SetupError> {
        let name = |var: VarId| program.vars[var].name.clone();
        let opened = Opened::new(program, &setup.steerable)
            .map_err(|var| SetupError::NotAnInput(name(var)))?;
        let inputs: Vec<VarId> = opened.program.inputs().collect();
        let mut steered_inputs = Vec::new();
        for var in &opened.steered {
            let position = inputs.iter().position(|it| it == var);
            steered_inputs.push(position.ok_or_else(|| SetupError::NotAnInput(name(*var)))?);
        }
        let mut column_of = vec![None; program.vars.len()];
        for (column, var) in setup.columns.iter().enumerate() {
            column_of[var.index()] = Some(column);
        }
        let column =
            |var: VarId| column_of[var.index()].ok_or_else(|| SetupError::NotObserved(name(var)));
        let compared_columns: Result<Vec<usize>, _> =
            setup.compared.iter().map(|var| column(*var)).collect();
        for seen in setup.tolerances.seen.iter() {
            if let Seen::System(var) = *seen {
                column(var)?;
            }
        }
        if setup.compared.is_empty() {
            return Err(SetupError::NothingCompared);
        }
        let is_about_all = setup.metric.scales.len() == setup.compared.len()
            && setup.policy.prices.len() == setup.steerable.len();
        if !is_about_all {
            return Err(SetupError::Mismatch);
        }
        let mut watched = Rules::watched(&setup.tolerances);
        watched.extend(setup.compared.iter().copied());
        watched.extend(setup.steerable.iter().copied());
        let watched: Vec<VarId> =
            watched.into_iter().filter(|var| program.vars[*var].role != Role::Input).collect();
        let rules =
            Rules::new(program, &setup.tolerances, &setup.steerable).map_err(SetupError::Model)?;
        let joined = Joined::new(&opened.program, &setup.tolerances, rules.residual());
        let compiled = joined.as_ref().map_or(&opened.program, |it| &it.program);
        let machine = Machine::watching(compiled, setup.reals, &watched, &opened.steered)
            .map_err(SetupError::Model)?;
        // What is added to a local has no range of its own.
        let choice = |var: &VarId| {
            let var = &opened.program.vars[*var];
            let n_values = match var.ty {
                Type::Enum(id) => program.enums[id].values.len(),
                _ => 0,
            };
            match var.ty {
                Type::Real => Choice::Wide,
                ty => Choice::Cells(Domain::of(ty, var.range, n_values)),
            }
        };
        let all_choices = opened.steered.iter().map(choice).collect();
        Ok(Oracle {
            program: program.clone(),
            following: opened.following(&setup.steerable),
            opened,
            machine,
            rules,
            joined,
            inputs,
            steered_inputs,
            compared_columns: compared_columns?,
            column_of,
            all_choices,
            setup,
        })
    }

    /// Whether changes can be searched piece by piece.
    pub(super) fn has_pieces(&self) -> bool {
        let is_real = |var: &VarId| self.program().vars[*var].ty == Type::Real;
        self.is_cut() && !self.setup.policy.remembers() && !self.setup.steerable.iter().any(is_real)
    }

    /// Whether the box of inputs in which a step does the same is one in which conditions do not change, either.
    pub(super) fn is_cut(&self) -> bool {
        !self.rules.is_entangled() || self.joined.is_some()
    }

    /// Whether a steerable variable is a local.
    pub(super) fn is_local(&self, at: usize) -> bool {
        self.opened.steered[at] != self.setup.steerable[at]
    }

    /// Whether some steerable variable is a local.
    pub(super) fn has_locals(&self) -> bool {
        self.opened.steered != self.setup.steerable
    }

    /// The program of the model.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How the model is steered.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }
}
