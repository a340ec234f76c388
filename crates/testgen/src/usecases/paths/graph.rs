//! The control of use cases as a graph.
//!
//! A node is a point that a path may come to, whatever came before: how often steps happened, and which flows were left, is forgotten. So the graph has all paths, and possibly more. A step costs 1, and an alternative flow
//! that is taken costs [`FLOW_COST`] more: a path leaves basic flows only where it has to.

use std::collections::{HashMap, VecDeque};

use punctual_model::{
    FlowId, UseCaseId,
    usecases::{FlowKind, PathStep, UseCases},
};

use super::{Cursor, Event, Happening, Machine, cursor::Frame, nogoods::Element};

/// What an alternative flow costs: more than the steps of any path that people read.
pub(super) const FLOW_COST: u32 = 100_000;

/// The node at which paths end.
pub(super) const END: u32 = 0;

/// A flow begins or ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Begins(UseCaseId, FlowId),
    Ends(UseCaseId, FlowId),
}

pub(super) struct Edge {
    pub(super) to: u32,
    pub(super) step: PathStep,
    pub(super) cost: u32,
    pub(super) marks: Vec<Mark>,
    /// The number of its step and of what happens by it; none if that depends on the path before.
    pub(super) class: Option<u32>,
}

/// All points of paths.
pub(super) struct Graph {
    nodes: HashMap<Vec<Frame>, u32>,
    /// For each node, the flow that each use case is in.
    pub(super) flows: Vec<Vec<(UseCaseId, FlowId)>>,
    pub(super) edges: Vec<Edge>,
    /// For each node, the edges that lead from it.
    pub(super) out: Vec<Vec<u32>>,
    /// The nodes that paths begin at.
    pub(super) begins: Vec<u32>,
    /// Steps that are the same wherever they are taken, by a number.
    classes: HashMap<Element, u32>,
    /// True if there are more nodes than the limit allows. Those beyond are not in the graph.
    pub(super) is_cut: bool,
}

impl Graph {
    /// The graph of all paths, of at most so many nodes.
    pub(super) fn new(all: &UseCases, nodes_max: usize) -> Self {
        let mut machine = Machine::new(all, None);
        let mut graph = Graph {
            nodes: HashMap::new(),
            flows: vec![Vec::new()],
            edges: Vec::new(),
            out: vec![Vec::new()],
            begins: Vec::new(),
            classes: HashMap::new(),
            is_cut: false,
        };
        let mut waiting = VecDeque::new();
        for top in machine.tops() {
            if let Ok(cursor) = Cursor::begin(&mut machine, top, &mut Vec::new()) {
                let node = graph.node(cursor, nodes_max, &mut waiting);
                graph.begins.extend(node);
            }
        }
        let mut happenings = Vec::new();
        while let Some((from, cursor)) = waiting.pop_front() {
            let Some(ask) = cursor.ask(&machine) else { continue };
            for outcome in ask.outcomes {
                let mut after = cursor.clone();
                happenings.clear();
                if after.advance(&mut machine, *outcome, &mut happenings).is_err() {
                    continue;
                }
                let marks = happenings.iter().filter_map(|it| match it.event {
                    Event::FlowBegins { use_case, flow } => Some(Mark::Begins(use_case, flow)),
                    Event::FlowEnds { use_case, flow, .. } => Some(Mark::Ends(use_case, flow)),
                    _ => None,
                });
                let marks = marks.collect();
                let Some(to) = graph.node(after, nodes_max, &mut waiting) else { continue };
                graph.out[from as usize].push(graph.edges.len() as u32);
                let class = graph.class(all, ask.with(*outcome), &happenings);
                let cost = cost(all, &happenings);
                graph.edges.push(Edge { to, step: ask.with(*outcome), cost, marks, class });
            }
        }
        graph
    }

    /// The node of a point, which is new or not. None beyond the limit.
    fn node(
        &mut self,
        cursor: Cursor,
        nodes_max: usize,
        waiting: &mut VecDeque<(u32, Cursor)>,
    ) -> Option<u32> {
        if cursor.has_ended() {
            return Some(END);
        }
        let key = cursor.forgetful();
        if let Some(id) = self.nodes.get(&key) {
            return Some(*id);
        }
        if self.flows.len() > nodes_max {
            self.is_cut = true;
            return None;
        }
        let id = self.flows.len() as u32;
        self.flows.push(key.iter().map(|frame| (frame.use_case, frame.flow)).collect());
        self.out.push(Vec::new());
        self.nodes.insert(key, id);
        waiting.push_back((id, cursor));
        Some(id)
    }

    /// The number of a step and of what happens by it; none if a flow ends whose postconditions may count or not.
    fn class(
        &mut self,
        all: &UseCases,
        step: PathStep,
        happenings: &[Happening<'_>],
    ) -> Option<u32> {
        let is_certain = happenings.iter().all(|it| match it.event {
            Event::FlowEnds { use_case, flow, .. } => {
                all.use_cases[use_case].flows[flow].postconditions.is_empty()
            }
            _ => true,
        });
        let next = self.classes.len() as u32;
        let class = || *self.classes.entry(Element::new(step, happenings, 0)).or_insert(next);
        is_certain.then(class)
    }

    /// A part of a path as numbers of its steps; none if one of them depends on the path before.
    pub(super) fn word(&self, part: &[Element]) -> Option<Vec<u32>> {
        part.iter().map(|element| self.classes.get(element).copied()).collect()
    }

    /// The edge from a node that a step goes along.
    pub(super) fn edge(&self, from: u32, step: &PathStep) -> Option<&Edge> {
        let mut edges = self.out[from as usize].iter().map(|edge| &self.edges[*edge as usize]);
        edges.find(|edge| edge.step == *step)
    }

    /// The node of a point, unless it lies beyond the limit.
    pub(super) fn find(&self, cursor: &Cursor) -> Option<u32> {
        match cursor.has_ended() {
            true => Some(END),
            false => self.nodes.get(&cursor.forgetful()).copied(),
        }
    }
}

/// What a step costs, with what happens by it.
pub(super) fn cost(all: &UseCases, happenings: &[Happening<'_>]) -> u32 {
    let is_alternative = |it: &&Happening<'_>| match it.event {
        Event::FlowBegins { use_case, flow } => {
            all.use_cases[use_case].flows[flow].kind != FlowKind::Basic
        }
        _ => false,
    };
    FLOW_COST
        .saturating_mul(happenings.iter().filter(is_alternative).count() as u32)
        .saturating_add(1)
}

impl Cursor {
    /// The point without what came before. Which way each use case was included is told by the frames around it.
    fn forgetful(&self) -> Vec<Frame> {
        let frames = self.frames.iter().cloned();
        frames.map(|frame| Frame { whole: None, context: 0, ..frame }).collect()
    }

    /// Whether the path is in a flow that it took from its begin, and has not left it.
    pub(super) fn is_whole(&self, use_case: UseCaseId, flow: FlowId) -> bool {
        let mut frames = self.frames.iter();
        frames
            .any(|frame| frame.use_case == use_case && frame.flow == flow && frame.whole.is_some())
    }
}
