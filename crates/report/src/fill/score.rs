//! Views of what suites find.

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
            reason,
        }
    };
    let by_operator = |operator: Operator| {
        let of: Vec<usize> =
            (0..found.mutants.len()).filter(|at| found.mutants[*at].operator == operator).collect();
        let with = |name: &str| of.iter().filter(|at| found.decisions[**at].name() == name).count();
        let at_least = |outcome: Outcome| of.iter().filter(|at| best(**at) >= outcome).count();
        let survives = |at: &&usize| {
            matches!(found.decisions[**at], Decision::Wrong(_)) && best(**at) < Outcome::May
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
        suite: suite.to_owned(),
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
