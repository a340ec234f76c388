//! What is in a folder of use cases, and what is still to be written.
//!
//! These types are also what `--json` prints: names of fields are a promise to scripts.

use serde::Serialize;

/// A folder at a glance.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Folder {
    /// The folder.
    pub folder: String,
    /// The files that were read.
    pub files: Vec<String>,
    /// How much there is of everything.
    pub totals: Totals,
    /// The use cases, in the order of the files.
    pub use_cases: Vec<UseCase>,
    /// The classes of the domain model.
    pub classes: Vec<Class>,
    /// The enumerations of the domain model.
    pub enumerations: Vec<Enumeration>,
    /// The associations of the domain model.
    pub associations: Vec<String>,
    /// The constraints.
    pub constraints: Vec<Constraint>,
    /// What is still to be written.
    pub open: Vec<Open>,
    /// How many warnings there were.
    pub warnings: usize,
}

/// How much there is.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Totals {
    pub use_cases: usize,
    pub basic: usize,
    pub specific: usize,
    pub bounded: usize,
    pub global: usize,
    pub steps: usize,
    pub sentences: usize,
    pub classes: usize,
    pub enumerations: usize,
    pub attributes: usize,
    pub associations: usize,
    pub constraints: usize,
    pub invariants: usize,
}

/// A use case.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct UseCase {
    /// Its name.
    pub name: String,
    /// The file that it stands in.
    pub file: String,
    /// The line of its heading.
    pub line: u32,
    /// What it is about.
    pub description: String,
    /// What holds before it begins.
    pub preconditions: Vec<String>,
    /// Who takes part.
    pub actors: Vec<String>,
    /// The use cases that it includes.
    pub includes: Vec<String>,
    /// The basic flow and the alternative ones.
    pub flows: Vec<Flow>,
}

/// A flow.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Flow {
    /// How the text calls the flow.
    pub title: String,
    /// `basic`, `specific`, `bounded` or `global`.
    pub kind: String,
    /// The numbers of the steps where it begins.
    pub at: Vec<String>,
    /// The line of its heading.
    pub line: u32,
    /// The steps.
    pub steps: Vec<Step>,
    /// What holds at its end.
    pub postconditions: Vec<String>,
}

/// A step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Step {
    /// Its number in the text.
    pub number: u32,
    /// `input`, `output`, `internal`, `include`, `extended by`, `validate`, `if`, `until`, `mark`, `abort`, `resume`.
    pub kind: String,
    /// The sentences of the step: one, or those that happen at the same time, or none.
    pub sentences: Vec<String>,
    /// The line of the step.
    pub line: u32,
}

/// A class.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Whether only its subclasses have objects.
    #[serde(rename = "abstract")]
    pub is_abstract: bool,
    /// The classes that it inherits from.
    pub parents: Vec<String>,
    /// Its own attributes, as `name: Type`.
    pub attributes: Vec<String>,
}

/// An enumeration.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Enumeration {
    /// Its name.
    pub name: String,
    /// Its values, in order.
    pub values: Vec<String>,
}

/// A constraint.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Constraint {
    /// The class that it is about.
    pub class: String,
    /// What its author calls it; may be empty.
    pub name: String,
    /// The condition.
    pub text: String,
    /// Whether it holds always.
    pub invariant: bool,
    /// The sentences that it is the meaning of, each once.
    pub sentences: Vec<String>,
    /// The file that it stands in.
    pub file: String,
    /// The line that it begins in.
    pub line: u32,
}

/// Something that is still to be written.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Open {
    /// `entity`, `precondition`, `condition`, `effect` or `postcondition`.
    pub kind: String,
    /// The name, or the sentence.
    pub text: String,
    /// The file that it stands in first.
    pub file: String,
    /// The line that it stands in first.
    pub line: u32,
    /// How often it is there.
    pub count: usize,
}
