//! The model, its mutants, and what they are.

use std::ops::ControlFlow;
use std::path::Path;

use punctual_campaign::score;
use punctual_lang::{Input, testing};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::parallel::in_order;
use punctual_testgen::mutation::automata::{Mutant, Operator, Options, mutants};
use punctual_testgen::mutation::decide::{Bench, Decision, Limits, Outcome};
use punctual_testgen::timed::World;

use super::suites::Made;

/// Mutants with one offset, beside what can be read of the system.
pub(super) struct Subject<'s> {
    pub(super) offset: i32,
    pub(super) mutants: Vec<Mutant>,
    specification: &'s Specification,
    decisions: Vec<Decision>,
    seen: score::Benches<'s>,
    all: score::Benches<'s>,
}

/// Reads the model with one of its interfaces.
pub(super) fn specification(folder: &Path, interface: &str) -> Result<Specification, String> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    of_texts(&read("model.xml")?, &read(interface)?)
}

/// Reads a model and its interface from texts.
pub(super) fn of_texts(model: &[u8], interface: &[u8]) -> Result<Specification, String> {
    let model = punctual_lang::read("model.xml", model);
    let network = model.model.ok_or("the model is wrong")?.network;
    let config = testing::read(&network, Input { name: "punctual.toml", bytes: interface });
    let config = config.value.ok_or("the interface is wrong")?;
    let named = Named { environment: config.environment.clone(), system: config.system.clone() };
    Specification::new(network, config.wired, &named).map_err(|it| it.to_string())
}

impl<'s> Subject<'s> {
    pub(super) fn new(
        seen: &'s Specification,
        all: &'s Specification,
        offset: i32,
        errors: Option<usize>,
        threads: usize,
    ) -> Subject<'s> {
        let operators = Operator::PAPER.to_vec();
        let options = Options { operators, offset, environment: false };
        let mut mutants = mutants(&seen.network, &seen.split.sides, &options);
        let errors = errors.unwrap_or(usize::MAX);
        let looked_at: Vec<_> = seen.split.processes(Side::System).take(errors).collect();
        mutants.retain(|mutant| looked_at.contains(&mutant.process));
        let benches = score::benches(seen, &mutants);
        let decisions =
            score::decide(&benches, &mutants, Limits::default(), threads, &mut |_| true);
        let all = score::benches(all, &mutants);
        Subject { offset, mutants, specification: seen, decisions, seen: benches, all }
    }

    /// Which mutants are wrong.
    pub(super) fn wrong(&self) -> Vec<bool> {
        self.decisions.iter().map(|it| matches!(it, Decision::Wrong(_))).collect()
    }

    /// How many mutants of each operator are wrong, narrower, and something else.
    pub(super) fn operators(&self) -> Vec<(&'static str, [usize; 3])> {
        let count = |operator: Operator| {
            let mut counts = [0; 3];
            let of = self.mutants.iter().zip(&self.decisions);
            for (_, decision) in of.filter(|(mutant, _)| mutant.operator == operator) {
                counts[match decision {
                    Decision::Wrong(_) => 0,
                    Decision::Narrower(_) => 1,
                    _ => 2,
                }] += 1;
            }
            (operator.name(), counts)
        };
        Operator::PAPER.into_iter().map(count).collect()
    }

    /// What a suite says of each mutant.
    pub(super) fn outcomes(&self, suite: &Made, locations: bool, threads: usize) -> Vec<Outcome> {
        let (benches, cases) = match locations {
            false => (&self.seen, &suite.seen),
            true => (&self.all, &suite.all),
        };
        let work = |(): &mut (), mutant: &Mutant| {
            let of = |bench: &Bench<'_>| {
                let mutated = bench.mutated(&mutant.network).ok()?;
                let mut best = Outcome::Cannot;
                for case in cases {
                    best = best.max(bench.outcome(&mutated, case));
                    if best == Outcome::Must {
                        break;
                    }
                }
                Some(best)
            };
            benches.get(&mutant.process).and_then(of).unwrap_or(Outcome::Unknown)
        };
        let mut outcomes = Vec::new();
        in_order(
            threads,
            self.mutants.iter(),
            || (),
            work,
            |outcome| {
                outcomes.push(outcome);
                ControlFlow::<()>::Continue(())
            },
        );
        outcomes
    }

    /// How many cases find all wrong mutants, how many mutants they find, and the steps of the longest case.
    pub(super) fn kill(&self) -> Result<(usize, usize, usize), String> {
        let world = World::new(self.specification).map_err(|it| it.construct.to_owned())?;
        let wrong = self.wrong();
        let survivors: Vec<usize> = (0..wrong.len()).filter(|at| wrong[*at]).collect();
        let extension = score::Extension {
            limits: Limits { situations: 2_000 },
            length: 60,
            requirements: &|_, _| None,
        };
        let cases =
            score::extend(&world, &self.seen, &self.mutants, &survivors, &extension, &mut |_| true)
                .map_err(|it| it.to_string())?;
        let found = |at: &usize| {
            let mutant = &self.mutants[*at];
            let of = |bench: &Bench<'_>| {
                let mutated = bench.mutated(&mutant.network).ok()?;
                Some(cases.iter().any(|case| bench.outcome(&mutated, case) >= Outcome::May))
            };
            self.seen.get(&mutant.process).and_then(of).unwrap_or(false)
        };
        let n_found = survivors.iter().filter(|at| found(at)).count();
        let longest = cases.iter().map(|case| case.about.path.len()).max().unwrap_or(0);
        Ok((cases.len(), n_found, longest))
    }

    /// A mutant that some suite does not find, and what would.
    pub(super) fn explain(&self, at: usize) -> String {
        let mutant = &self.mutants[at];
        let evidence = self.decisions[at].evidence();
        let trace =
            evidence.map(|it| punctual_report::fill::score::evidence(self.specification, it));
        format!("`{}`: {}", mutant.name, trace.unwrap_or_default().join(", "))
    }
}
