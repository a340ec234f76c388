//! How a search ends, and what all searches share.

use std::ops::ControlFlow;

use punctual_semantics::budget::{Budget, Spent};
use punctual_semantics::symbolic::{Explorer, Halt, Successor, Trouble};
use punctual_zones::Zone;

use crate::extremum::Extremes;
use crate::goal::Goal;
use crate::passed::{NodeRef, Passed};
use crate::plan::Plan;
use crate::{Observer, Progress, Statistics};

/// How a search ended.
#[derive(Debug)]
pub(crate) enum End {
    /// All states were visited, and none was a goal.
    Exhausted,
    /// A goal: the successor of a node by this transition, or the node itself.
    Goal { node: NodeRef, via: Option<u32> },
    /// An error of the model, on the way from a node.
    Trouble { node: NodeRef, trouble: Box<Trouble> },
    /// The budget is spent.
    Spent(Spent),
}

impl End {
    /// Why the successors of a node were not all visited; none if the visitor stopped.
    pub(crate) fn of(halt: Halt, node: NodeRef, plan: &Plan) -> Option<End> {
        match halt {
            Halt::Trouble(trouble) => Some(End::Trouble { node, trouble }),
            Halt::Spent => Some(End::Spent(spent(plan))),
            Halt::Stop => None,
        }
    }
}

/// Why the budget of a search is spent.
pub(crate) fn spent(plan: &Plan) -> Spent {
    plan.symbolic.budget().spent().unwrap_or(Spent::Stopped)
}

/// What came of a search.
pub(crate) struct Search {
    pub(crate) end: End,
    pub(crate) passed: Passed,
    pub(crate) statistics: Statistics,
    pub(crate) extremes: Extremes,
}

/// Counts, asks the observer, and minds the memory.
pub(crate) struct Meter<'o> {
    observer: &'o mut dyn Observer,
    pub(crate) budget: &'o Budget,
    pub(crate) statistics: Statistics,
}

impl<'o> Meter<'o> {
    pub(crate) fn new(observer: &'o mut dyn Observer, budget: &'o Budget) -> Meter<'o> {
        Meter { observer, budget, statistics: Statistics::default() }
    }

    /// Tells the observer how it goes; breaks if the search has to end.
    pub(crate) fn look(&mut self, stored: u64, waiting: u64, bytes: u64) -> ControlFlow<End> {
        self.statistics.stored = stored;
        self.statistics.memory_peak = self.statistics.memory_peak.max(bytes);
        let progress = Progress {
            stored,
            explored: self.statistics.explored,
            transitions: self.statistics.transitions,
            waiting,
            memory: bytes,
            elapsed: self.observer.elapsed(),
        };
        if !self.observer.progress(&progress) {
            self.budget.spend(Spent::Stopped);
        }
        self.budget.hold(bytes);
        match self.budget.spent() {
            Some(spent) => ControlFlow::Break(End::Spent(spent)),
            None => ControlFlow::Continue(()),
        }
    }

    pub(crate) fn finish(mut self, stored: u64, bytes: u64) -> Statistics {
        self.statistics.stored = stored;
        self.statistics.memory_peak = self.statistics.memory_peak.max(bytes);
        self.statistics.elapsed = self.observer.elapsed();
        self.statistics
    }
}

/// Stores the initial states; gives their nodes, or a goal among them.
pub(crate) fn start(
    plan: &Plan,
    goal: &Goal<'_>,
    passed: &mut Passed,
    extremes: &mut Extremes,
) -> Result<Vec<NodeRef>, End> {
    let mut explorer = Explorer::new(&plan.symbolic);
    let mut judge = Explorer::new(&plan.symbolic);
    let mut nodes = Vec::new();
    let mut met = None;
    let mut trouble = None;
    let halted = explorer.initial(&mut |successor| {
        let via = successor.ordinal;
        let Successor { state, zone, diverges, .. } = &successor;
        let met_here = match goal.is_late() {
            true => Ok(false),
            false => goal.is_met(&mut judge, state, zone, *diverges, extremes),
        };
        let is_goal = match met_here {
            Ok(met) => met,
            Err(halt) => {
                trouble = Some(halt);
                return ControlFlow::Break(());
            }
        };
        plan.normalise(successor.zone, successor.clocks, |zone| {
            nodes.extend(passed.insert(plan, successor.state, zone, NodeRef::NONE, via));
        });
        if is_goal {
            met = nodes.last().copied();
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    if let Some(node) = met {
        return Err(End::Goal { node, via: None });
    }
    for halt in trouble.into_iter().chain(halted.err()) {
        if let Some(end) = End::of(halt, NodeRef::NONE, plan) {
            return Err(end);
        }
    }
    Ok(nodes)
}

/// The working memory to expand nodes one after the other.
pub(crate) struct Expander<'p> {
    pub(crate) explorer: Explorer<'p>,
    pub(crate) judge: Explorer<'p>,
    pub(crate) state: Vec<i32>,
    pub(crate) zone: Zone,
}

impl<'p> Expander<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Expander<'p> {
        Expander {
            explorer: Explorer::new(&plan.symbolic),
            judge: Explorer::new(&plan.symbolic),
            state: vec![0; plan.symbolic.state_len()],
            zone: Zone::zero(0),
        }
    }

    /// Judges the state that was loaded and visits its successors, made coarser. Gives a goal, or
    /// the trouble on the way.
    pub(crate) fn expand(
        &mut self,
        plan: &Plan,
        goal: &Goal<'_>,
        node: NodeRef,
        extremes: &mut Extremes,
        give: &mut impl FnMut(u32, &[i32], &Zone),
    ) -> Option<End> {
        let Expander { explorer, judge, state, zone } = self;
        let in_trouble = |halt: Halt| End::of(halt, node, plan);
        if goal.is_late() {
            match goal.is_met(judge, state, zone, false, extremes) {
                Ok(true) => return Some(End::Goal { node, via: None }),
                Ok(false) => {}
                Err(halt) => return in_trouble(halt),
            }
        }
        let early = !goal.is_late();
        let mut end = None;
        let halted = explorer.successors(state, &*zone, &mut |successor| {
            let via = successor.ordinal;
            if early {
                match goal.is_met(
                    judge,
                    successor.state,
                    successor.zone,
                    successor.diverges,
                    extremes,
                ) {
                    Ok(false) => {}
                    Ok(true) => {
                        end = Some(End::Goal { node, via: Some(via) });
                        return ControlFlow::Break(());
                    }
                    Err(halt) => {
                        end = in_trouble(halt);
                        return ControlFlow::Break(());
                    }
                }
            }
            plan.normalise(successor.zone, successor.clocks, |zone| {
                give(via, successor.state, zone);
            });
            ControlFlow::Continue(())
        });
        halted.err().and_then(in_trouble).or(end)
    }
}
