//! What of a schedule becomes jumps, what is computed whether it is needed or not, and in which
//! registers choices put their values.

use super::graph::Graph;
use super::layout::Layout;
use super::node::{Binary, Node, NodeId, Unary};
use super::region::RegionId;
use super::schedule::{GroupId, Item, Schedule};

/// How many operations both sides of a branch may have to be computed without a branch.
const CHEAP: usize = 2;

/// Decides for all groups. Those of outer regions, and of what comes later, are first.
pub(super) fn plan(graph: &Graph, schedule: &mut Schedule, layout: &mut Layout) {
    for group in 0..schedule.groups.len() {
        let is_inlined = is_inlined(schedule, group);
        if !is_inlined && is_cheap(graph, schedule, group, layout) {
            schedule.groups[group].is_flat = true;
        } else {
            let (region, condition) =
                (schedule.groups[group].region, schedule.groups[group].condition);
            inline(graph, schedule, condition, region);
        }
        if is_inlined {
            let [member] = schedule.groups[group].members[..] else { continue };
            let (yes, no) = (schedule.groups[group].yes, schedule.groups[group].no);
            inline(graph, schedule, member.yes, yes);
            inline(graph, schedule, member.no, no);
        } else {
            assign(graph, schedule, layout, group);
        }
    }
}

fn is_inlined(schedule: &mut Schedule, group: GroupId) -> bool {
    let region = schedule.groups[group].region;
    let [member] = schedule.groups[group].members[..] else { return false };
    schedule.own(member.node, region).is_some_and(|it| it.is_inlined)
}

/// Whether computing both sides costs less than jumping.
fn is_cheap(graph: &Graph, schedule: &Schedule, group: GroupId, layout: &Layout) -> bool {
    let group = &schedule.groups[group];
    let [member] = group.members[..] else { return false };
    let mut n_items = 0;
    for (side, value) in [(group.yes, member.yes), (group.no, member.no)] {
        let value = schedule.regions.resolve(graph, value, side);
        if layout.is_followed(graph.node(value)) {
            return false;
        }
        for item in schedule.regions.items(side) {
            n_items += 1;
            let Item::Node(node) = item else { return false };
            let is_safe = match graph.node(node) {
                Node::Unary(op, _) => !op.may_fail() && !op.is_real() && !op.takes_reals(),
                Node::Binary(op, ..) => !op.may_fail() && !op.takes_reals(),
                _ => false,
            };
            let reads = |it| {
                let operand = schedule.regions.resolve(graph, it, side);
                layout.is_followed(graph.node(operand))
            };
            if !is_safe || n_items > CHEAP || graph.node(node).operands().any(reads) {
                return false;
            }
        }
    }
    true
}

/// Makes a condition part of the jump that is its only use, if it can be.
fn inline(graph: &Graph, schedule: &mut Schedule, node: NodeId, region: RegionId) {
    let node = schedule.regions.resolve(graph, node, region);
    let Some(instance) = schedule.own(node, region).filter(|it| it.n_uses == 1) else { return };
    let item = instance.item;
    let is_jump = match (item, graph.node(node)) {
        (Item::Node(_), Node::Unary(Unary::Not, _)) => true,
        (Item::Node(_), Node::Binary(op, ..)) => {
            matches!(op, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le)
        }
        (Item::Group(group), Node::And(..) | Node::Or(..)) => {
            schedule.groups[group].members.len() == 1
        }
        _ => false,
    };
    if is_jump && let Some(instance) = schedule.own(node, region) {
        instance.is_inlined = true;
    }
    if is_jump && let (Item::Node(_), Node::Unary(Unary::Not, it)) = (item, graph.node(node)) {
        inline(graph, schedule, it, region);
    }
}

/// Lets what a side computes for a choice be computed where the choice's value will be.
fn assign(graph: &Graph, schedule: &mut Schedule, layout: &mut Layout, group: GroupId) {
    let (region, yes, no) = {
        let group = &schedule.groups[group];
        (group.region, group.yes, group.no)
    };
    for index in 0..schedule.groups[group].members.len() {
        let member = schedule.groups[group].members[index];
        let is_real = graph.is_real(member.node);
        let Some(instance) = schedule.own(member.node, region) else { continue };
        let register = *instance.register.get_or_insert_with(|| layout.fresh(is_real));
        if schedule.groups[group].is_flat {
            continue;
        }
        for (side, value) in [(yes, member.yes), (no, member.no)] {
            let value = schedule.regions.resolve(graph, value, side);
            if let Some(instance) = schedule.own(value, side) {
                instance.register.get_or_insert(register);
            }
        }
    }
}
