//! Where each node is computed: as deep in branches as its uses allow.
//!
//! A *region* is a stretch of code that is run as a whole or not at all: the whole step, or one side
//! of a branch. Choices with the same condition share a branch (a *group*), however many values they
//! choose: a state chart asks in which state it is once, not once for each variable. In a region the
//! conditions around it are facts, by which choices inside it are decided.
//!
//! Nodes are placed from the last to the first, so all uses of a node are placed before it; the lists
//! of a region are backwards.

use rustc_hash::FxHashMap;

use super::code::Reg;
use super::graph::Graph;
use super::node::{Node, NodeId, Unary};
use super::region::{Region, RegionId, Regions};

/// How many copies of nodes there may be; a chain of choices could have a power of two of them.
const COPIES: usize = 20_000;

/// Which group of a schedule.
pub(super) type GroupId = usize;

/// What a region does, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Node(NodeId),
    Group(GroupId),
}

/// Choices that share a branch.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) region: RegionId,
    pub(super) condition: NodeId,
    pub(super) yes: RegionId,
    pub(super) no: RegionId,
    pub(super) members: Vec<Member>,
    /// Both sides are computed, and there is no branch.
    pub(super) is_flat: bool,
}

/// One choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) node: NodeId,
    pub(super) yes: NodeId,
    pub(super) no: NodeId,
}

/// A node that is computed in a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instance {
    pub(super) n_uses: usize,
    pub(super) item: Item,
    /// It is computed as part of a jump.
    pub(super) is_inlined: bool,
    /// Where its value will be.
    pub(super) register: Option<Reg>,
}

/// When each part of a step is computed: the regions, and what belongs to them.
#[derive(Debug)]
pub(super) struct Schedule {
    pub(super) regions: Regions,
    pub(super) groups: Vec<Group>,
    /// What is computed where. Of the regions of a node, none contains another.
    instances: FxHashMap<(NodeId, RegionId), Instance>,
}

/// Who needs a node: an item of a region, or, at -1, whoever comes after the region.
#[derive(Clone, Copy, Debug)]
struct Use {
    region: RegionId,
    at: isize,
}

impl Schedule {
    /// The instance of a node that is there in a region: computed in it, or around it.
    pub(super) fn instance(&mut self, node: NodeId, mut region: RegionId) -> Option<&mut Instance> {
        while !self.instances.contains_key(&(node, region)) {
            region = self.regions.around(region)?;
        }
        self.own(node, region)
    }

    /// The instance of a node that is computed in just this region.
    pub(super) fn own(&mut self, node: NodeId, region: RegionId) -> Option<&mut Instance> {
        self.instances.get_mut(&(node, region))
    }
}

struct Scheduler<'g> {
    graph: &'g Graph,
    uses: Vec<Vec<Use>>,
    schedule: Schedule,
    /// The newest group of a region with a condition, and where it is.
    newest: FxHashMap<(RegionId, NodeId), (GroupId, isize)>,
    /// How many more nodes may be placed because of copies.
    n_copies_left: usize,
}

/// Places what the roots need.
pub(super) fn schedule(graph: &Graph, roots: impl Iterator<Item = NodeId>) -> Schedule {
    let schedule =
        Schedule { regions: Regions::new(), groups: Vec::new(), instances: FxHashMap::default() };
    let mut scheduler = Scheduler {
        graph,
        uses: vec![Vec::new(); graph.len()],
        schedule,
        newest: FxHashMap::default(),
        n_copies_left: (4 * graph.len() + 64).min(COPIES),
    };
    for root in roots {
        scheduler.need(root, Use { region: Regions::WHOLE, at: -1 });
    }
    for index in (0..graph.len()).rev() {
        let uses = std::mem::take(&mut scheduler.uses[index]);
        let node = NodeId::try_from(index).expect("an index of the graph");
        if !uses.is_empty() && !graph.is_leaf(node) {
            scheduler.place(node, uses);
        }
    }
    scheduler.schedule
}

impl Scheduler<'_> {
    /// Notes a use of what the node is there.
    fn need(&mut self, node: NodeId, usage: Use) {
        let node = self.schedule.regions.resolve(self.graph, node, usage.region);
        self.uses[node as usize].push(usage);
    }

    /// Places a node so that it is there for these uses.
    fn place(&mut self, node: NodeId, uses: Vec<Use>) {
        let regions = &self.schedule.regions;
        let common = uses.iter().map(|it| it.region).reduce(|a, b| regions.common(a, b));
        let region = common.expect("a node that is placed has uses");
        // Where the uses are, seen from the region; and on which side, if inside a branch.
        let seen: Vec<(isize, Option<RegionId>)> =
            uses.iter().map(|it| regions.seen_from(region, it.region, it.at)).collect();
        let is_in_one_branch = seen.iter().all(|it| it.1.is_some() && it.0 == seen[0].0);
        if is_in_one_branch && self.n_copies_left > 0 {
            // Both sides of one branch need it, of which one is run: each gets its own.
            self.n_copies_left -= 1;
            let first = seen[0].1;
            let sides = uses.into_iter().zip(seen).partition::<Vec<_>, _>(|it| it.1.1 == first);
            for side in [sides.0, sides.1] {
                self.place(node, side.into_iter().map(|it| it.0).collect());
            }
            return;
        }
        let last = seen.iter().map(|it| it.0).max().unwrap_or(-1);
        let (no, yes) = (self.graph.truth(false), self.graph.truth(true));
        let item = match self.graph.node(node) {
            plain if self.schedule.regions.is_deep(region) => self.plain(region, node, plain),
            Node::If(condition, yes, no) => {
                self.choose(region, last, condition, Member { node, yes, no })
            }
            Node::And(condition, yes) => {
                self.choose(region, last, condition, Member { node, yes, no })
            }
            Node::Or(condition, no) => {
                self.choose(region, last, condition, Member { node, yes, no })
            }
            plain => self.plain(region, node, plain),
        };
        let n_uses = uses.len();
        let instance = Instance { n_uses, item, is_inlined: false, register: None };
        self.schedule.instances.insert((node, region), instance);
    }

    /// Computes a node from all of its operands.
    fn plain(&mut self, region: RegionId, id: NodeId, node: Node) -> Item {
        let at = self.schedule.regions.push(region, Item::Node(id));
        for operand in node.operands() {
            self.need(operand, Use { region, at });
        }
        Item::Node(id)
    }

    /// Makes a choice in a region, before all items up to `last` (lists are backwards).
    fn choose(
        &mut self,
        region: RegionId,
        last: isize,
        condition: NodeId,
        mut member: Member,
    ) -> Item {
        let mut condition = self.schedule.regions.resolve(self.graph, condition, region);
        while let Node::Unary(Unary::Not, it) = self.graph.node(condition) {
            condition = self.schedule.regions.resolve(self.graph, it, region);
            std::mem::swap(&mut member.yes, &mut member.no);
        }
        let group = match self.newest.get(&(region, condition)) {
            Some((group, at)) if last < *at => *group,
            _ => {
                let group = self.schedule.groups.len();
                let at = self.schedule.regions.push(region, Item::Group(group));
                let side = |holds| Region::inside(self.graph, region, at, condition, holds);
                let (yes, no) = (side(true), side(false));
                let (yes, no) = (self.schedule.regions.add(yes), self.schedule.regions.add(no));
                let members = Vec::new();
                let group_of = Group { region, condition, yes, no, members, is_flat: false };
                self.schedule.groups.push(group_of);
                self.newest.insert((region, condition), (group, at));
                self.need(condition, Use { region, at });
                group
            }
        };
        let Group { yes, no, .. } = self.schedule.groups[group];
        self.schedule.groups[group].members.push(member);
        self.need(member.yes, Use { region: yes, at: -1 });
        self.need(member.no, Use { region: no, at: -1 });
        Item::Group(group)
    }
}
