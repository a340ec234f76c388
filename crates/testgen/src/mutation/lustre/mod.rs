//! Faults seeded into synchronous programs: each mutant differs from the program in one place.
//!
//! The operators are those of section 5.2 of Gay's thesis on oracle steering: another arithmetic,
//! relational or boolean operator, a negation, another constant, another variable, a value of the
//! step before.
//!
//! - `sites.rs`: where something can be changed. `change.rs`: into what, and the changed program.
//! - `order.rs`: equations in an order in which each uses earlier ones.
//!
//! **Invariant:** a mutant has the same inputs and outputs, keeps all types, and none of its equations
//! depends on itself in one step. **Invariant:** only what outputs depend on is changed.
//! Not here: whether a mutant can be told from the program. It may be equivalent.

mod change;
mod order;
mod sites;

use std::collections::{BTreeMap, HashMap};

use punctual_model::lustre::Program;
use punctual_smc::Stream;

use crate::random::below;
use sites::{Site, Sites};

/// What kind of fault a mutant has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// An arithmetic operator is replaced by another one.
    Arithmetic,
    /// A relational operator is replaced by another one.
    Relational,
    /// A boolean operator is replaced by another one.
    BooleanOp,
    /// A negation is added or taken away.
    Negation,
    /// A number is made one more or one less, or a truth is turned round.
    Constant,
    /// A variable is replaced by another one of its type.
    Variable,
    /// A value is replaced by that of the step before.
    PreviousValue,
}

impl Class {
    /// All classes, in the order of tables.
    pub const ALL: [Class; 7] = [
        Class::Arithmetic,
        Class::Relational,
        Class::BooleanOp,
        Class::Negation,
        Class::Constant,
        Class::Variable,
        Class::PreviousValue,
    ];

    /// The name of the class in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Arithmetic => "arithmetic",
            Class::Relational => "relational",
            Class::BooleanOp => "boolean_op",
            Class::Negation => "negation",
            Class::Constant => "constant",
            Class::Variable => "variable",
            Class::PreviousValue => "previous_value",
        }
    }
}

/// A program with one fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutant {
    /// The program with the fault.
    pub program: Program,
    /// What kind of fault it is.
    pub class: Class,
    /// The equation that was changed: the name of its variable, or what is remembered.
    pub equation: String,
    /// The text of the expression that was replaced.
    pub old: String,
    /// The text of the expression that replaces it.
    pub new: String,
}

/// How many mutants are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// At most so many mutants of each class.
    PerClass(usize),
    /// At most so many mutants in all, from classes with the same chance.
    InAll(usize),
}

/// Different mutants of a program, by chance; fewer where there are no more. They come in the order
/// of their classes and places.
#[must_use]
pub fn mutants(program: &Program, choice: Choice, seed: u64) -> Vec<Mutant> {
    let sites = Sites::of(program);
    let mut chance = Stream::of_run(seed, 0);
    let mut draws: BTreeMap<Class, Draws<'_>> =
        Class::ALL.iter().map(|class| (*class, Draws::new(&sites, *class))).collect();
    let mut found: BTreeMap<(Class, usize), Mutant> = BTreeMap::new();
    let mut draw_from = |class: Class, chance: &mut Stream| {
        let draws = draws.get_mut(&class)?;
        let (number, mutant) = draws.next(program, &sites, chance)?;
        found.insert((class, number), mutant);
        Some(())
    };
    match choice {
        Choice::PerClass(n) => {
            for class in Class::ALL {
                for _ in 0..n {
                    if draw_from(class, &mut chance).is_none() {
                        break;
                    }
                }
            }
        }
        Choice::InAll(n) => {
            let mut classes = Class::ALL.to_vec();
            let mut missing = n;
            while missing > 0 && !classes.is_empty() {
                let at = below(&mut chance, classes.len());
                match draw_from(classes[at], &mut chance) {
                    Some(()) => missing -= 1,
                    None => drop(classes.remove(at)),
                }
            }
        }
    }
    found.into_values().collect()
}

/// How many changes of each class there are, before those that would make a loop are left out.
#[must_use]
pub fn count(program: &Program) -> BTreeMap<Class, usize> {
    let sites = Sites::of(program);
    Class::ALL.iter().map(|class| (*class, Draws::new(&sites, *class).total)).collect()
}

/// Draws changes of one class without repetition, however many there are.
struct Draws<'s> {
    /// Sites with the number of their first change.
    sites: Vec<(usize, &'s Site)>,
    total: usize,
    drawn: usize,
    /// Where a shuffled list of all numbers differs from the sorted one.
    moved: HashMap<usize, usize>,
}

impl<'s> Draws<'s> {
    fn new(sites: &'s Sites, class: Class) -> Draws<'s> {
        let mut total = 0;
        let mut firsts = Vec::new();
        for site in sites.all.iter().filter(|site| site.class == class && site.n_changes > 0) {
            firsts.push((total, site));
            total += site.n_changes;
        }
        Draws { sites: firsts, total, drawn: 0, moved: HashMap::new() }
    }

    /// The next mutant and its number.
    fn next(
        &mut self,
        program: &Program,
        sites: &Sites,
        chance: &mut Stream,
    ) -> Option<(usize, Mutant)> {
        while self.drawn < self.total {
            let at = self.drawn + below(chance, self.total - self.drawn);
            let number = *self.moved.get(&at).unwrap_or(&at);
            let first = *self.moved.get(&self.drawn).unwrap_or(&self.drawn);
            self.moved.insert(at, first);
            self.drawn += 1;
            let position = self.sites.partition_point(|(first, _)| *first <= number) - 1;
            let (first, site) = self.sites[position];
            if let Some(mutant) = change::mutant(program, sites, site, number - first) {
                return Some((number, mutant));
            }
        }
        None
    }
}
