//! Values for paths of use cases: laws against enumeration, and an example.

mod brute;
mod example;
mod laws;
mod needs;
mod random;

use punctual_model::{
    UseCaseId,
    usecases::{Path, UseCases},
};
use punctual_testgen::usecases::paths::{Cursor, Machine};

/// All paths of a use case on which steps happen at most so often, up to a number of them.
fn paths(cases: &UseCases, use_case: UseCaseId, visits: u32, most: usize) -> Vec<Path> {
    let mut machine = Machine::new(cases, Some(visits));
    let mut found = Vec::new();
    let Ok(begin) = Cursor::begin(&mut machine, use_case, &mut Vec::new()) else { return found };
    let mut open = vec![(begin, Path { use_case, steps: Vec::new() })];
    while let Some((cursor, path)) = open.pop() {
        let Some(ask) = cursor.ask(&machine) else {
            found.push(path);
            if found.len() == most {
                return found;
            }
            continue;
        };
        for outcome in ask.outcomes.iter().rev() {
            let (mut cursor, mut path) = (cursor.clone(), path.clone());
            path.steps.push(ask.with(*outcome));
            if cursor.advance(&mut machine, *outcome, &mut Vec::new()).is_ok() {
                open.push((cursor, path));
            }
        }
    }
    found
}
