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
use sites::{Owner, Site, Sites};

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
    /// At most so many mutants in all, divided among subsystems by the numbers of changes that these have; within a subsystem, classes have the
    /// same chance. A subsystem is a call in the main node, with all that it calls; equations of the main node itself are one, too.
    BySubsystem(usize),
}

/// Different mutants of a program, by chance; fewer where there are no more. They come in the order
/// of their classes and places.
#[must_use]
pub fn mutants(program: &Program, choice: Choice, seed: u64) -> Vec<Mutant> {
    let sites = Sites::of(program);
    let mut chance = Stream::of_run(seed, 0);
    let mut found: BTreeMap<(Class, usize), Mutant> = BTreeMap::new();
    match choice {
        Choice::PerClass(n) => {
            let mut draws = Classes::new(&sites, |_| true);
            for class in Class::ALL {
                for _ in 0..n {
                    let Some((at, mutant)) = draws.next_of(class, program, &sites, &mut chance)
                    else {
                        break;
                    };
                    found.insert(at, mutant);
                }
            }
        }
        Choice::InAll(n) => {
            found.extend(Classes::new(&sites, |_| true).draw(n, program, &sites, &mut chance));
        }
        Choice::BySubsystem(n) => {
            let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
            for site in &sites.all {
                *numbers.entry(subsystem(program, site)).or_default() += site.n_changes;
            }
            let all: Vec<usize> = numbers.values().copied().collect();
            for (name, quota) in numbers.keys().zip(divided(n, &all)) {
                let mut draws = Classes::new(&sites, |site| subsystem(program, site) == *name);
                found.extend(draws.draw(quota, program, &sites, &mut chance));
            }
        }
    }
    found.into_values().collect()
}

/// The node that the main node calls and that the place belongs to; empty for the main node itself.
fn subsystem<'p>(program: &'p Program, site: &Site) -> &'p str {
    let name = match site.owner {
        Owner::Equation(at) => &program.vars[program.equations[at].var].name,
        Owner::Memory(memory) => &program.memory[memory].name,
    };
    let name = name.strip_prefix("pre ").unwrap_or(name);
    name.split_once('~').map_or("", |(node, _)| node)
}

/// A number divided in proportion to others, so that the parts add up to it.
fn divided(n: usize, among: &[usize]) -> Vec<usize> {
    let total: usize = among.iter().sum();
    let n = n.min(total);
    let exact = |it: usize| (n as u128 * it as u128, total.max(1) as u128);
    let mut parts: Vec<usize> =
        among.iter().map(|it| (exact(*it).0 / exact(*it).1) as usize).collect();
    let mut by_rest: Vec<usize> = (0..among.len()).collect();
    by_rest.sort_by_key(|at| std::cmp::Reverse(exact(among[*at]).0 % exact(among[*at]).1));
    let missing = n - parts.iter().sum::<usize>();
    by_rest.into_iter().take(missing).for_each(|at| parts[at] += 1);
    parts
}

/// How many changes of each class there are, before those that would make a loop are left out.
#[must_use]
pub fn count(program: &Program) -> BTreeMap<Class, usize> {
    let sites = Sites::of(program);
    let all = Classes::new(&sites, |_| true);
    all.draws.into_iter().map(|(class, draws)| (class, draws.total)).collect()
}

/// Draws changes of all classes.
struct Classes<'s> {
    draws: BTreeMap<Class, Draws<'s>>,
}

impl<'s> Classes<'s> {
    /// Of the places for which `is_of` holds.
    fn new(sites: &'s Sites, is_of: impl Fn(&Site) -> bool) -> Classes<'s> {
        let draws = |class: &Class| (*class, Draws::new(sites, *class, &is_of));
        Classes { draws: Class::ALL.iter().map(draws).collect() }
    }

    /// The next mutant of a class, with its place in the order of all.
    fn next_of(
        &mut self,
        class: Class,
        program: &Program,
        sites: &Sites,
        chance: &mut Stream,
    ) -> Option<((Class, usize), Mutant)> {
        let (number, mutant) = self.draws.get_mut(&class)?.next(program, sites, chance)?;
        Some(((class, number), mutant))
    }

    /// So many mutants, from classes with the same chance; fewer if there are no more.
    fn draw(
        &mut self,
        n: usize,
        program: &Program,
        sites: &Sites,
        chance: &mut Stream,
    ) -> Vec<((Class, usize), Mutant)> {
        let mut classes = Class::ALL.to_vec();
        let mut found = Vec::new();
        while found.len() < n && !classes.is_empty() {
            let at = below(chance, classes.len());
            match self.next_of(classes[at], program, sites, chance) {
                Some(mutant) => found.push(mutant),
                None => drop(classes.remove(at)),
            }
        }
        found
    }
}

/// Draws changes of one class, of some places, without repetition, however many there are.
struct Draws<'s> {
    /// Sites with the number of their first change, here and among all of their class.
    sites: Vec<(usize, usize, &'s Site)>,
    total: usize,
    drawn: usize,
    /// Where a shuffled list of all numbers differs from the sorted one.
    moved: HashMap<usize, usize>,
}

impl<'s> Draws<'s> {
    fn new(sites: &'s Sites, class: Class, is_of: impl Fn(&Site) -> bool) -> Draws<'s> {
        let (mut total, mut total_of_all) = (0, 0);
        let mut firsts = Vec::new();
        for site in sites.all.iter().filter(|site| site.class == class && site.n_changes > 0) {
            if is_of(site) {
                firsts.push((total, total_of_all, site));
                total += site.n_changes;
            }
            total_of_all += site.n_changes;
        }
        Draws { sites: firsts, total, drawn: 0, moved: HashMap::new() }
    }

    /// The next mutant and its number among all changes of the class.
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
            let position = self.sites.partition_point(|(first, ..)| *first <= number) - 1;
            let (first, of_all, site) = self.sites[position];
            if let Some(mutant) = change::mutant(program, sites, site, number - first) {
                return Some((of_all + number - first, mutant));
            }
        }
        None
    }
}
