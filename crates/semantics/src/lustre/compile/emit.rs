//! A schedule as instructions.

use super::assemble::{Assembly, Label, Slot};
use super::code::{Instr, Reg};
use super::graph::Graph;
use super::layout::Layout;
use super::node::{Binary, Node, NodeId, Unary};
use super::region::{RegionId, Regions};
use super::schedule::{Group, GroupId, Item, Schedule};

/// Writes the code of a planned schedule.
pub(super) struct Emitter<'a> {
    pub(super) graph: &'a Graph,
    pub(super) schedule: &'a mut Schedule,
    pub(super) layout: &'a mut Layout,
    pub(super) assembly: Assembly,
}

/// Where code is being written.
#[derive(Clone, Copy)]
struct Here {
    region: RegionId,
    slot: Slot,
}

impl Emitter<'_> {
    /// All of a step; then the values of nodes are moved to registers, and some only read.
    pub(super) fn step(&mut self, moves: &[(Reg, NodeId)], read: &[NodeId]) -> Vec<Reg> {
        let slot = self.assembly.slot(None);
        let here = Here { region: Regions::WHOLE, slot };
        self.items(here);
        for (register, node) in moves {
            self.give(here, *register, *node);
        }
        read.iter().map(|node| self.get(here, *node)).collect()
    }

    fn items(&mut self, here: Here) {
        let items: Vec<Item> = self.schedule.regions.items(here.region).collect();
        for item in items {
            match item {
                Item::Node(node) => self.node(here, node),
                Item::Group(group) => self.group(here, group),
            }
        }
    }

    /// One side of a branch.
    fn inside(&mut self, here: Here, region: RegionId) -> Here {
        let slot = self.assembly.slot(Some(here.slot));
        let here = Here { region, slot };
        self.items(here);
        here
    }

    /// The register in which a node is.
    fn get(&mut self, here: Here, node: NodeId) -> Reg {
        let node = self.schedule.regions.resolve(self.graph, node, here.region);
        if let Some(register) = self.layout.leaf(self.graph.node(node)) {
            if let Node::Input(var) = self.graph.node(node)
                && let Some(position) = self.layout.followed.get(&var)
            {
                self.assembly.read(here.slot, *position);
            }
            return register;
        }
        let instance = self.schedule.instance(node, here.region).expect("operands are placed");
        let (region, is_real) = (instance.region, self.graph.is_real(node));
        let layout = &mut self.layout;
        let instance = self.schedule.own(node, region).expect("it was found");
        *instance.register.get_or_insert_with(|| layout.fresh(is_real))
    }

    /// Puts a value where it is wanted.
    fn give(&mut self, here: Here, to: Reg, node: NodeId) {
        let from = self.get(here, node);
        let is_real = self.graph.is_real(node);
        // What is remembered stays if nothing else is said.
        let resolved = self.schedule.regions.resolve(self.graph, node, here.region);
        let is_kept = match self.graph.node(resolved) {
            Node::Memory(memory) => self.layout.after[memory as usize] == Some(to),
            _ => false,
        };
        if from != to && !is_kept {
            let instr = if is_real { Instr::RealMove(to, from) } else { Instr::Move(to, from) };
            self.assembly.push(instr);
        }
    }

    /// A node from all its operands.
    fn node(&mut self, here: Here, node: NodeId) {
        if self.schedule.own(node, here.region).is_some_and(|it| it.is_inlined) {
            return;
        }
        let d = self.get(here, node);
        let instr = match self.graph.node(node) {
            Node::Unary(op, it) => {
                let a = self.get(here, it);
                match op {
                    Unary::Not => Instr::Not(d, a),
                    Unary::RealNeg => Instr::RealNeg(d, a),
                    Unary::RealFromInt => Instr::RealFromInt(d, a),
                    Unary::RealFloor => Instr::RealFloor(d, a),
                    _ => Instr::Unary(op, d, a),
                }
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.get(here, a), self.get(here, b));
                match op {
                    Binary::Eq => Instr::Eq(d, a, b),
                    Binary::Ne => Instr::Ne(d, a, b),
                    Binary::Lt => Instr::Lt(d, a, b),
                    Binary::Le => Instr::Le(d, a, b),
                    Binary::Add => Instr::Add(d, a, b),
                    Binary::Sub => Instr::Sub(d, a, b),
                    _ if op.is_real() => Instr::RealBinary(op, d, a, b),
                    _ if op.takes_reals() => Instr::RealCompare(op, d, a, b),
                    _ => Instr::Binary(op, d, a, b),
                }
            }
            Node::And(a, b) => Instr::And(d, self.get(here, a), self.get(here, b)),
            Node::Or(a, b) => Instr::Or(d, self.get(here, a), self.get(here, b)),
            Node::If(condition, yes, no) => {
                self.give(here, d, no);
                let (c, a) = (self.get(here, condition), self.get(here, yes));
                if self.graph.is_real(node) {
                    Instr::RealMoveIf(d, c, a)
                } else {
                    Instr::MoveIf(d, c, a)
                }
            }
            Node::Cell(_) | Node::Real(_) | Node::Input(_) | Node::Memory(_) => return,
        };
        self.assembly.push(instr);
    }

    fn group(&mut self, here: Here, id: GroupId) {
        let group = &self.schedule.groups[id];
        let &Group { condition, yes, no, is_flat, .. } = group;
        let members = group.members.clone();
        if let [member] = members[..]
            && self.schedule.own(member.node, here.region).is_some_and(|it| it.is_inlined)
        {
            return;
        }
        if is_flat {
            return self.flat(here, id);
        }
        let (other, end) = (self.assembly.label(), self.assembly.label());
        self.jump(here, condition, other, false);
        let then = self.inside(here, yes);
        for member in &members {
            let register = self.get(here, member.node);
            self.give(then, register, member.yes);
        }
        self.assembly.push(Instr::Jump(end));
        self.assembly.put(other);
        let otherwise = self.inside(here, no);
        for member in &members {
            let register = self.get(here, member.node);
            self.give(otherwise, register, member.no);
        }
        self.assembly.put(end);
    }

    /// A choice of which both sides are computed.
    fn flat(&mut self, here: Here, id: GroupId) {
        let &Group { condition, yes, no, .. } = &self.schedule.groups[id];
        let [member] = self.schedule.groups[id].members[..] else { return };
        self.items(Here { region: yes, ..here });
        self.items(Here { region: no, ..here });
        let d = self.get(here, member.node);
        let c = self.get(here, condition);
        let (yes, no) = (Here { region: yes, ..here }, Here { region: no, ..here });
        let (a, b) = (self.get(yes, member.yes), self.get(no, member.no));
        let (is_false, is_true) =
            (self.is_constant(no, member.no, 0), self.is_constant(yes, member.yes, 1));
        let is_real = self.graph.is_real(member.node);
        if is_false && !is_real && matches!(self.graph.node(member.node), Node::And(..)) {
            self.assembly.push(Instr::And(d, c, a));
        } else if is_true && !is_real && matches!(self.graph.node(member.node), Node::Or(..)) {
            self.assembly.push(Instr::Or(d, c, b));
        } else {
            self.give(no, d, member.no);
            let instr = if is_real { Instr::RealMoveIf(d, c, a) } else { Instr::MoveIf(d, c, a) };
            self.assembly.push(instr);
        }
    }

    fn is_constant(&self, here: Here, node: NodeId, cell: i64) -> bool {
        let node = self.schedule.regions.resolve(self.graph, node, here.region);
        self.graph.node(node) == Node::Cell(cell)
    }

    /// Jumps if a condition is as said.
    fn jump(&mut self, here: Here, condition: NodeId, to: Label, when: bool) {
        let node = self.schedule.regions.resolve(self.graph, condition, here.region);
        if let Node::Cell(it) = self.graph.node(node) {
            if (it != 0) == when {
                self.assembly.push(Instr::Jump(to));
            }
            return;
        }
        let own = self.schedule.own(node, here.region).filter(|it| it.is_inlined);
        match (own.map(|it| it.item), self.graph.node(node)) {
            (Some(Item::Group(group)), _) => self.shortcut(here, group, to, when),
            (Some(Item::Node(_)), Node::Unary(_, it)) => self.jump(here, it, to, !when),
            (Some(Item::Node(_)), Node::Binary(op, a, b)) => {
                let (a, b) = (self.get(here, a), self.get(here, b));
                self.assembly.push(match (op, when) {
                    (Binary::Eq, true) | (Binary::Ne, false) => Instr::JumpEq(a, b, to),
                    (Binary::Eq, false) | (Binary::Ne, true) => Instr::JumpNe(a, b, to),
                    (Binary::Lt, true) => Instr::JumpLt(a, b, to),
                    (Binary::Lt, false) => Instr::JumpLe(b, a, to),
                    (_, true) => Instr::JumpLe(a, b, to),
                    (_, false) => Instr::JumpLt(b, a, to),
                });
            }
            _ => {
                let register = self.get(here, node);
                let instr = if when { Instr::JumpIf } else { Instr::JumpUnless };
                self.assembly.push(instr(register, to));
            }
        }
    }

    /// Jumps if an `and` or an `or` is as said; one side of it is constant.
    fn shortcut(&mut self, here: Here, id: GroupId, to: Label, when: bool) {
        let &Group { condition, yes, no, .. } = &self.schedule.groups[id];
        let [member] = self.schedule.groups[id].members[..] else { return };
        // On which side of the condition the value is constant, and what it is there.
        let is_and = matches!(self.graph.node(member.node), Node::And(..));
        let constant = self.graph.truth(!is_and);
        let side = member.yes == constant;
        let (open, value) = if side { (no, member.no) } else { (yes, member.yes) };
        let end = self.assembly.label();
        let early = if is_and == when { end } else { to };
        self.jump(here, condition, early, side);
        let here = self.inside(here, open);
        self.jump(here, value, to, when);
        self.assembly.put(end);
    }
}
