//! Views of what suites find.

use punctual_campaign::play::{self, Cell, Policy};
use punctual_model::Interface;
use punctual_semantics::specification::Specification;
use punctual_testgen::mutation::automata::{Mutant, Operator};
use punctual_testgen::mutation::decide::{Decision, Evidence, Outcome, Seen};

use crate::view::score as view;

/// What a suite finds.
pub struct Found<'f> {
    /// What is tested against.
    pub specification: &'f Specification,
    /// The mutants.
    pub mutants: &'f [Mutant],
    /// What each of them is.
    pub decisions: &'f [Decision],
    /// What each case says of each of them.
    pub outcomes: &'f [Vec<Outcome>],
    /// The names of the cases.
    pub cases: Vec<String>,
    /// How many mutants were decided and scored before the user stopped it; none if it was not stopped.
    pub stopped: Option<view::Stopped>,
    /// How mutants were played and what was seen of each of them and each case, if they were.
    pub played: Option<(play::Options, &'f [Vec<Cell>])>,
}

/// Fills the view.
#[must_use]
pub fn score(found: &Found<'_>, model: &str, suite: &str, offset: i32) -> view::Score {
    let best = |at: usize| found.outcomes[at].iter().copied().max().unwrap_or(Outcome::Cannot);
    let scored = |(at, mutant): (usize, &Mutant)| {
        let fails =
            |(number, outcome): (usize, &Outcome)| (*outcome >= Outcome::May).then_some(number + 1);
        let decision = &found.decisions[at];
        let reason = match decision {
            Decision::Unknown(why) => Some((*why).to_owned()),
            _ => None,
        };
        view::Scored {
            cases: found.outcomes[at].iter().enumerate().filter_map(fails).collect(),
            change: mutant.change.clone(),
            decision: decision.name().to_owned(),
            evidence: decision
                .evidence()
                .map_or(Vec::new(), |it| evidence(found.specification, it)),
            name: mutant.name.clone(),
            operator: mutant.operator.name().to_owned(),
            outcome: best(at).name().to_owned(),
            plays: found.played.map(|(_, cells)| plays(&found.outcomes[at], &cells[at])),
            reason,
        }
    };
    let by_operator = |operator: Operator| {
        let of: Vec<usize> =
            (0..found.mutants.len()).filter(|at| found.mutants[*at].operator == operator).collect();
        let with = |name: &str| of.iter().filter(|at| found.decisions[**at].name() == name).count();
        let at_least = |outcome: Outcome| of.iter().filter(|at| best(**at) >= outcome).count();
        let survives = |at: &&usize| {
            matches!(found.decisions[**at], Decision::Wrong(_))
                && best(**at) < Outcome::May
                && found.stopped.is_none_or(|stopped| **at < stopped.scored)
        };
        view::ByOperator {
            equal: with("equal"),
            may: at_least(Outcome::May),
            must: at_least(Outcome::Must),
            narrower: with("narrower"),
            operator: operator.name().to_owned(),
            stops: with("stops"),
            unknown: with("unknown"),
            wrong: with("wrong"),
            surviving: of.iter().filter(survives).count(),
        }
    };
    let used = |it: &Operator| found.mutants.iter().any(|mutant| mutant.operator == *it);
    view::Score {
        cases: found.cases.clone(),
        model: model.to_owned(),
        mutants: found.mutants.iter().enumerate().map(scored).collect(),
        offset,
        operators: Operator::ALL.into_iter().filter(used).map(by_operator).collect(),
        played: found.played.map(|(options, cells)| played(found, options, cells)),
        stopped: found.stopped,
        suite: suite.to_owned(),
    }
}

/// The runs of a mutant, case by case.
fn plays(outcomes: &[Outcome], cells: &[Cell]) -> Vec<view::Plays> {
    let all = outcomes.iter().zip(cells).enumerate();
    let plays = all.filter_map(|(number, (outcome, cell))| match cell {
        Cell::Open | Cell::Unreached => None,
        Cell::Played(plays) => Some(view::Plays {
            case: number + 1,
            failed: plays.failed,
            outcome: outcome.name().to_owned(),
            passed: plays.passed,
            stuck: plays.stuck,
        }),
    });
    plays.collect()
}

/// What playing the mutants has shown, summed up.
fn played(found: &Found<'_>, options: play::Options, cells: &[Vec<Cell>]) -> view::Played {
    let mut played =
        view::Played { random: options.n_random, seed: options.seed, ..view::Played::default() };
    for (outcome, cell) in found.outcomes.iter().flatten().zip(cells.iter().flatten()) {
        let plays = match cell {
            Cell::Open => {
                played.open += 1;
                continue;
            }
            Cell::Unreached => {
                played.unreached += 1;
                continue;
            }
            Cell::Played(plays) => plays,
        };
        let confirmed = match outcome {
            Outcome::Cannot => &mut played.cannot,
            Outcome::Unknown => &mut played.unknown,
            Outcome::May => &mut played.may,
            Outcome::Must => &mut played.must,
        };
        confirmed.pairs += 1;
        confirmed.failed += plays.failed;
        confirmed.passed += plays.passed;
        confirmed.stuck += plays.stuck;
        confirmed.failed_once += usize::from(plays.failed > 0);
        confirmed.failed_always += usize::from(plays.failed > 0 && plays.passed == 0);
    }
    let contradiction = |it: play::Contradiction| view::Contradiction {
        case: found.cases[it.case].clone(),
        mutant: found.mutants[it.mutant].name.clone(),
        outcome: found.outcomes[it.mutant][it.case].name().to_owned(),
        policy: policy(it.policy),
    };
    played.contradictions = play::contradictions(cells).into_iter().map(contradiction).collect();
    played
}

/// When a mutant acts, for people.
fn policy(policy: Policy) -> String {
    match policy {
        Policy::Earliest => "earliest".to_owned(),
        Policy::Latest => "latest".to_owned(),
        Policy::Random { seed } => format!("random, seed {seed}"),
        Policy::Stochastic { seed } => format!("stochastic, seed {seed}"),
        Policy::Fixed { delay_ns } => format!("after {delay_ns} ns"),
    }
}

/// A trace for people: `at 1700: detected[1]`. Instants are in time units of the model.
#[must_use]
pub fn evidence(specification: &Specification, evidence: &Evidence) -> Vec<String> {
    let interface: &Interface = specification.interface();
    let per_unit = f64::from(interface.time.resolution) * 2.0;
    let text = |step: &punctual_testgen::mutation::decide::Step| {
        let signal = |signal: punctual_model::SignalId, values: &[i32]| {
            let carried = interface.signals[signal].values.iter().zip(values);
            let values: Vec<_> = carried.map(|(it, value)| it.ty.of_int(*value)).collect();
            interface.signal_text(signal, &values)
        };
        let what = match &step.what {
            Seen::Input(id, values) => format!("send {}", signal(*id, values)),
            Seen::Output(id, values) => format!("see {}", signal(*id, values)),
            Seen::Reading(values) => {
                let value = |(port, int): &(punctual_model::PortId, i32)| {
                    (*port, interface.ports[*port].ty.of_int(*int))
                };
                format!(
                    "read {}",
                    interface.ports_text(&values.iter().map(value).collect::<Vec<_>>())
                )
            }
            Seen::Silence => "nothing yet".to_owned(),
        };
        format!("at {}: {what}", step.at as f64 / per_unit)
    };
    evidence.steps.iter().map(text).collect()
}
