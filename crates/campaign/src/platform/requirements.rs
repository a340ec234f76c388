//! The file of a platform, with the automata that it names: read, made ready to be followed, and who follows them.

use std::path::Path;

use punctual_lang::{Input, platform};
use punctual_model::lustre::Program;
use punctual_model::testing::platform::Platform;
use punctual_model::{Network, VarId};
use punctual_oracle::Oracle;
use punctual_oracle::automaton::{Automaton, Grounds};
use punctual_oracle::conformance::Specification;
use punctual_semantics::split::Named;

use super::{Mounted, ROLE};
use crate::load::{Read, beside_or_named, network};
use crate::problem::{Problem, bytes};
use crate::store::AUTOMATON;

/// What a file says of a platform, and all files that were read for it, that one first.
pub(super) fn read(program: &Program, path: &Path) -> Result<(Platform, Vec<Read>), Problem> {
    let content = bytes(path)?;
    let name = path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new(""));
    let (mut files, mut wrong) = (Vec::new(), None);
    let mut model = |named: &str| -> Result<Network, String> {
        let path = beside_or_named(folder, named);
        let read = bytes(&path).and_then(|bytes| Ok((network(&path, &bytes)?, bytes)));
        match read {
            Ok((network, bytes)) => {
                files.push(Read { role: AUTOMATON, path, bytes });
                Ok(network)
            }
            Err(problem) => {
                let why = match &problem {
                    Problem::Message(why) => why.clone(),
                    Problem::File(..) => problem.to_string(),
                };
                // What is wrong in the automaton is told at its place.
                if let Problem::File(..) = problem {
                    wrong.get_or_insert(problem);
                }
                Err(why)
            }
        }
    };
    let input = Input { name: &name, bytes: &content };
    let reading = platform::read_with(program, input, &mut model);
    match (reading.value, wrong) {
        (Some(platform), _) => {
            files.insert(0, Read { role: ROLE, path: path.to_owned(), bytes: content });
            Ok((platform, files))
        }
        (None, Some(problem)) => Err(problem),
        (None, None) => Err(Problem::File(reading.file, reading.diagnostics)),
    }
}

/// The automata of a platform, ready to be followed.
pub(super) fn specifications(platform: &Platform) -> Result<Vec<Specification>, Problem> {
    let made = platform.automata.iter().map(|it| {
        let made = Specification::new(it.network.clone(), it.wired.clone(), &Named::default());
        made.map_err(|why| Problem::Message(format!("the requirement `{}`: {why}", it.name)))
    });
    made.collect()
}

impl Mounted {
    /// Who follows the automata of the platform.
    pub(super) fn followed<'j>(
        &'j self,
        program: &Program,
    ) -> impl Iterator<Item = Box<dyn Oracle + 'j>> {
        let inputs: Vec<VarId> = program.inputs().collect();
        let initial = self.platform.initial_outside(&inputs);
        let both = self.platform.automata.iter().zip(&self.automata).enumerate();
        both.map(move |(at, (automaton, specification))| {
            let number = self.platform.requirements.len() + at;
            let (outside, initial) = (&*self.outside, initial.clone());
            let grounds = Grounds { outside, initial, automaton, specification, number };
            Box::new(Automaton::new(grounds)) as Box<dyn Oracle + 'j>
        })
    }
}
