//! Queries about labels of locations, as TChecker asks them.

use std::collections::BTreeSet;

use punctual_model::{Binary, BinaryOp, Expr, Frame, Network, Number, Property, StateExpr};

use crate::diagnostic::closest;

/// How many labels a message lists.
const SHOWN_MAX: usize = 20;

/// Whether a state is reachable that has all of these labels. With no labels any state will do.
///
/// # Errors
/// If no location has one of the labels.
pub fn reachable(network: &Network, labels: &[String]) -> Result<Property, String> {
    let known = known(network);
    let mut parts = Vec::new();
    for label in labels.iter().map(|label| label.trim()) {
        if !known.contains(label) {
            return Err(unknown(label, &known));
        }
        let places = network.processes.enumerate().flat_map(|(process, automaton)| {
            automaton
                .locations
                .enumerate()
                .filter(|(_, location)| location.labels.iter().any(|other| other == label))
                .map(move |(location, _)| Expr::InLocation(process, location))
        });
        parts.push(joined(BinaryOp::Or, places.collect(), Expr::FALSE));
    }
    let expr = joined(BinaryOp::And, parts, Expr::TRUE);
    let frame = Frame::default();
    Ok(Property::ExistsFinally(StateExpr { expr, number: Number::Int, frame }))
}

/// The labels of a network.
#[must_use]
pub fn known(network: &Network) -> BTreeSet<&str> {
    let locations = network.processes.iter().flat_map(|process| &process.locations);
    locations.flat_map(|location| &location.labels).map(String::as_str).collect()
}

/// The first labels, for a message.
#[must_use]
pub fn listed(known: &BTreeSet<&str>) -> String {
    let shown: Vec<&str> = known.iter().take(SHOWN_MAX).copied().collect();
    let more = if known.len() > SHOWN_MAX { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn unknown(label: &str, known: &BTreeSet<&str>) -> String {
    let hint = match closest(label, known.iter().copied()) {
        Some(name) => format!("; did you mean `{name}`?"),
        None if known.is_empty() => "; the model has no labels".to_owned(),
        None => format!("; the model has {}", listed(known)),
    };
    format!("no location has the label `{label}`{hint}")
}

/// The parts with an operator between them, as flat as possible: there may be thousands.
fn joined(op: BinaryOp, mut parts: Vec<Expr>, none: Expr) -> Expr {
    match parts.len() {
        0 => none,
        1 => parts.swap_remove(0),
        n => {
            let right = parts.split_off(n / 2);
            let (left, right) = (joined(op, parts, Expr::TRUE), joined(op, right, Expr::TRUE));
            Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
        }
    }
}

#[cfg(test)]
mod tests {
    use punctual_model::Property;

    use crate::convert::Printer;

    const MODEL: &str = "system:s\nevent:e\nprocess:P\nlocation:P:a{initial: : labels: one}\n\
        location:P:b{labels: two, both}\nprocess:Q\nlocation:Q:c{initial: : labels: both}\n";

    fn network() -> punctual_model::Network {
        let reading = crate::read("m.tck", MODEL.as_bytes());
        reading.model.expect("a model").network
    }

    #[test]
    fn all_labels_must_hold_each_somewhere() {
        let network = network();
        let labels = ["one".to_owned(), " both".to_owned()];
        let Ok(Property::ExistsFinally(state)) = super::reachable(&network, &labels) else {
            panic!("a property");
        };
        let text = Printer::new(&network).expr(&state.expr);
        assert_eq!(text, "P.a && (P.b || Q.c)");
    }

    #[test]
    fn an_unknown_label_is_named() {
        let network = network();
        let answer = |label: &str| super::reachable(&network, &[label.to_owned()]).unwrap_err();
        assert_eq!(answer("bth"), "no location has the label `bth`; did you mean `both`?");
        assert_eq!(
            answer("something"),
            "no location has the label `something`; the model has both, one, two"
        );
    }
}
