//! Stretches of code, nested, and what is known inside them.

use super::graph::Graph;
use super::node::{Binary, Node, NodeId, Unary};
use super::schedule::Item;

/// Which region.
pub(super) type RegionId = usize;

/// How many regions outwards facts are looked for.
const REACH: usize = 64;

/// How deep regions are nested. What is nested further is computed, needed or not.
const DEPTH: usize = 200;

/// A stretch of code.
#[derive(Debug)]
pub(super) struct Region {
    /// The region around it, and where there.
    outer: Option<(RegionId, isize)>,
    depth: usize,
    /// Conditions that hold, or do not.
    facts: Vec<(NodeId, bool)>,
    /// What is done, from the last to the first.
    items: Vec<Item>,
}

impl Region {
    /// One side of a branch.
    pub(super) fn inside(
        graph: &Graph,
        outer: RegionId,
        at: isize,
        condition: NodeId,
        holds: bool,
    ) -> Region {
        let mut facts = vec![(condition, holds)];
        let mut next = 0;
        while let Some(&(fact, holds)) = facts.get(next) {
            next += 1;
            match graph.node(fact) {
                Node::Unary(Unary::Not, it) => facts.push((it, !holds)),
                Node::And(a, b) if holds => facts.extend([(a, true), (b, true)]),
                Node::Or(a, b) if !holds => facts.extend([(a, false), (b, false)]),
                _ => {}
            }
            if facts.len() > REACH {
                break;
            }
        }
        Region { outer: Some((outer, at)), depth: 0, facts, items: Vec::new() }
    }
}

/// All regions of a step.
#[derive(Debug)]
pub(super) struct Regions {
    regions: Vec<Region>,
}

impl Regions {
    /// The whole step.
    pub(super) const WHOLE: RegionId = 0;

    pub(super) fn new() -> Regions {
        let whole = Region { outer: None, depth: 0, facts: Vec::new(), items: Vec::new() };
        Regions { regions: vec![whole] }
    }

    pub(super) fn add(&mut self, mut region: Region) -> RegionId {
        region.depth = region.outer.map_or(0, |(outer, _)| self.regions[outer].depth + 1);
        self.regions.push(region);
        self.regions.len() - 1
    }

    /// Adds an item before all that are there, and says where it is.
    pub(super) fn push(&mut self, region: RegionId, item: Item) -> isize {
        let items = &mut self.regions[region].items;
        items.push(item);
        isize::try_from(items.len()).unwrap_or(isize::MAX) - 1
    }

    /// What a region does, from the first to the last.
    pub(super) fn items(&self, region: RegionId) -> impl ExactSizeIterator<Item = Item> {
        self.regions[region].items.iter().rev().copied()
    }

    /// Whether no more branches should be made inside it.
    pub(super) fn is_deep(&self, region: RegionId) -> bool {
        self.regions[region].depth >= DEPTH
    }

    fn outer(&self, region: RegionId) -> Option<(RegionId, isize)> {
        self.regions[region].outer
    }

    /// The innermost region around both.
    pub(super) fn common(&self, mut a: RegionId, mut b: RegionId) -> RegionId {
        while a != b {
            let is_deeper = self.regions[a].depth >= self.regions[b].depth;
            let inner = if is_deeper { &mut a } else { &mut b };
            match self.outer(*inner) {
                Some((outer, _)) => *inner = outer,
                None => return Regions::WHOLE,
            }
        }
        a
    }

    /// Where in `region` a place inside it is, and in which region of a branch there, if in one.
    pub(super) fn seen_from(
        &self,
        region: RegionId,
        mut inner: RegionId,
        mut at: isize,
    ) -> (isize, Option<RegionId>) {
        let mut side = None;
        while inner != region {
            side = Some(inner);
            match self.outer(inner) {
                Some(outer) => (inner, at) = outer,
                None => break,
            }
        }
        (at, side)
    }

    /// Whether one is the other one, or around it.
    pub(super) fn is_around(&self, outer: RegionId, inner: RegionId) -> bool {
        self.common(outer, inner) == outer
    }

    /// What a node is in a region, in which some conditions are decided.
    pub(super) fn resolve(&self, graph: &Graph, mut node: NodeId, region: RegionId) -> NodeId {
        loop {
            if let Some(holds) = self.decide(graph, node, region) {
                return graph.truth(holds);
            }
            node = match graph.node(node) {
                Node::If(condition, yes, no) => match self.decide(graph, condition, region) {
                    Some(true) => yes,
                    Some(false) => no,
                    None => return node,
                },
                Node::And(a, b) if self.decide(graph, a, region) == Some(true) => b,
                Node::Or(a, b) if self.decide(graph, a, region) == Some(false) => b,
                _ => return node,
            };
        }
    }

    /// Whether a condition holds in a region, if that is known.
    fn decide(&self, graph: &Graph, node: NodeId, region: RegionId) -> Option<bool> {
        match graph.node(node) {
            Node::Unary(Unary::Not, it) => return self.decide(graph, it, region).map(|it| !it),
            Node::And(a, _) if self.fact(graph, a, region) == Some(false) => return Some(false),
            Node::Or(a, _) if self.fact(graph, a, region) == Some(true) => return Some(true),
            // Numbers are decided by nothing.
            Node::Cell(_) | Node::Real(_) => return None,
            Node::Binary(op, ..) if op.may_fail() => return None,
            _ => {}
        }
        self.fact(graph, node, region)
    }

    fn fact(&self, graph: &Graph, node: NodeId, mut region: RegionId) -> Option<bool> {
        let asked = Question::new(graph, node);
        for _ in 0..REACH {
            for (fact, holds) in &self.regions[region].facts {
                if *fact == node {
                    return Some(*holds);
                }
                if let Some(answer) = asked.as_ref().and_then(|it| it.follows(graph, *fact, *holds))
                {
                    return Some(answer);
                }
            }
            region = self.outer(region)?.0;
        }
        None
    }
}

/// A comparison of something with something else.
struct Question {
    op: Binary,
    a: NodeId,
    b: NodeId,
}

impl Question {
    fn new(graph: &Graph, node: NodeId) -> Option<Question> {
        match graph.node(node) {
            Node::Binary(op @ (Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le), a, b) => {
                Some(Question { op, a, b })
            }
            _ => None,
        }
    }

    /// The answer, if a fact gives it.
    fn follows(&self, graph: &Graph, fact: NodeId, holds: bool) -> Option<bool> {
        let Node::Binary(op, x, y) = graph.node(fact) else { return None };
        let is_equal = matches!((op, holds), (Binary::Eq, true) | (Binary::Ne, false));
        if is_equal {
            // Then it can be computed, if the number is known.
            let number = |it: NodeId| match graph.node(if it == x { y } else { it }) {
                Node::Cell(it) => Some(it),
                _ => None,
            };
            let mentions = self.a == x || self.b == x;
            let (a, b) = mentions.then(|| Some((number(self.a)?, number(self.b)?)))??;
            return self.op.cell(a, b).map(|it| it != 0);
        }
        match (self.op, op) {
            (Binary::Eq, Binary::Ne) | (Binary::Ne, Binary::Eq) if (self.a, self.b) == (x, y) => {
                Some(!holds)
            }
            (Binary::Lt, Binary::Le) | (Binary::Le, Binary::Lt) if (self.a, self.b) == (y, x) => {
                Some(!holds)
            }
            _ => None,
        }
    }
}
