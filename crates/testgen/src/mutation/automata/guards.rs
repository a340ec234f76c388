//! Negate: one conjunct of a guard holds exactly where it did not.

use punctual_model::{Expr, Number, UnaryOp};

use super::Place;
use super::bounds::{ends, opposite};
use super::maker::Maker;
use super::names::word;

/// Each conjunct of each guard is negated, those about data first.
pub(super) fn negate(maker: &mut Maker<'_>) {
    for (id, edge) in maker.edges() {
        let text = maker.text(Some(edge));
        for (at, expr) in edge.guard.data.iter().enumerate() {
            let new = Expr::Unary(UnaryOp::Not, Number::Int, Box::new(expr.clone()));
            let change = format!("{} becomes {}", text.expr(expr), text.expr(&new));
            maker.add(Place::Edge(id), "data", change, |process| {
                process.edges[id].guard.data[at] = new;
            });
        }
        for (at, constraint) in edge.guard.clocks.iter().enumerate() {
            let Some(new) = opposite(constraint) else { continue };
            let both = (text.constraint(constraint), text.constraint(&new));
            // What is demanded only under a condition is broken only under it.
            let when = constraint.when.clone();
            let change = match &when {
                None => format!("{} becomes {}", both.0, both.1),
                Some(when) => format!("{} becomes {} && {}", both.0, text.expr(when), both.1),
            };
            let end = ends(constraint).first().map_or("other", |it| it.name());
            let detail = format!("{}-{end}", word(&text.clocks(constraint)));
            maker.add(Place::Edge(id), &detail, change, |process| {
                let guard = &mut process.edges[id].guard;
                guard.clocks[at] = new;
                guard.data.extend(when);
            });
        }
    }
}
