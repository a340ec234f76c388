//! Reset-added and reset-dropped: an edge sets one clock more, or less.

use punctual_model::{ClockRef, Expr, Indexed};

use super::Place;
use super::clocks::Clocks;
use super::maker::Maker;
use super::names::word;

/// Sets a clock to 0.
pub(super) fn reset(clock: ClockRef) -> Expr {
    Expr::SetClock { clock, value: Box::new(Expr::Int(0)) }
}

/// Each edge sets one more clock to 0.
pub(super) fn added(maker: &mut Maker<'_>) {
    let (network, process) = (maker.network, maker.process);
    let compared = Clocks::compared(network);
    let used = Clocks::of_process(network, process);
    let owned = |id| network.clocks[id].owner == Some(maker.id);
    let uses = |id| owned(id) || used.read.contains(&id) || used.set.contains(&id);
    let candidates: Vec<_> = compared.into_iter().filter(|id| uses(*id)).collect();
    for (id, edge) in maker.edges() {
        let set = Clocks::of_update(network, edge).set;
        let Some(clock) = candidates.iter().find(|it| !set.contains(it)) else { continue };
        let clock = Indexed::fixed(*clock);
        let name = maker.text(None).clock(&clock);
        let change = format!("{name} = 0 is added");
        maker.add(Place::Edge(id), &word(&name), change, |process| {
            process.edges[id].update.push(reset(clock));
        });
    }
}

/// Each clock that an edge sets keeps its value.
pub(super) fn dropped(maker: &mut Maker<'_>) {
    for (id, edge) in maker.edges() {
        let text = maker.text(Some(edge));
        for (at, expr) in edge.update.iter().enumerate() {
            let Expr::SetClock { clock, value } = expr else { continue };
            let name = text.clock(clock);
            let change = format!("{name} = {} is dropped", text.expr(value));
            maker.add(Place::Edge(id), &word(&name), change, |process| {
                process.edges[id].update.remove(at);
            });
        }
        for (number, branch) in edge.branches.iter().enumerate() {
            for (at, expr) in branch.update.iter().enumerate() {
                let Expr::SetClock { clock, value } = expr else { continue };
                let name = text.clock(clock);
                let change = format!("{name} = {} is dropped", text.expr(value));
                let detail = format!("b{number}-{}", word(&name));
                maker.add(Place::Edge(id), &detail, change, |process| {
                    process.edges[id].branches[number].update.remove(at);
                });
            }
        }
    }
}
