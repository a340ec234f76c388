//! What the winner of a race chooses from, and who moves with it.

use super::compile::{Edge, INTERNAL};
use super::limit::{Limit, window_of};
use super::problem::{Problem, ProblemKind};
use super::simulator::{Context, Simulator, context};
use crate::Fault;
use crate::program::Chance;
use crate::select::{next_selects, set_selects};

/// An edge with values for its selects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) edge: u32,
    /// Where the selected values begin.
    pub(crate) values: u32,
    /// The channel, or [`INTERNAL`].
    pub(crate) channel: u32,
}

/// A process that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) edge: u32,
    pub(crate) values: u32,
    pub(crate) branch: u32,
    pub(crate) branch_values: u32,
}

/// Edges that are possible now, and selected values.
#[derive(Default)]
pub(crate) struct Choices {
    outputs: Vec<Choice>,
    inputs: Vec<Choice>,
    values: Vec<i32>,
    /// Values of the combination that is looked at.
    current: Vec<i32>,
    /// The output that a process will take, if no time passes; the inputs are for it.
    prepared: Option<(usize, Choice)>,
}

impl Choices {
    #[inline]
    pub(crate) fn values(&self, start: u32, len: usize) -> &[i32] {
        match len {
            0 => &[],
            len => &self.values[start as usize..][..len],
        }
    }

    /// Takes out one of the outputs.
    #[inline]
    fn draw(&mut self, chance: &mut dyn Chance) -> Option<Choice> {
        match self.outputs.len() {
            0 => None,
            1 => self.outputs.pop(),
            n => Some(self.outputs.swap_remove(below(chance, n))),
        }
    }

    /// What was prepared is no more.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.prepared = None;
    }

    /// Whether something was prepared for a process.
    #[inline]
    pub(crate) fn is_prepared(&self, process: usize) -> bool {
        self.prepared.is_some_and(|it| it.0 == process)
    }

    /// Takes what was prepared.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Choice> {
        self.prepared.take().map(|it| it.1)
    }
}

/// A number below another, each with the same chance.
#[inline]
pub(crate) fn below(chance: &mut dyn Chance, n: usize) -> usize {
    // The product's upper half; off by less than 2^-32 for the numbers of edges there are.
    ((u128::from(chance.bits()) * n as u128) >> 64) as usize
}

/// Adds the combinations of selected values with which an edge is possible now, as far as its own guard
/// says: on any channel, or on one.
#[inline(always)]
fn add_possible(
    (number, edge): (u32, &Edge),
    on: Option<u32>,
    to: &mut Vec<Choice>,
    (values, current): (&mut Vec<i32>, &mut Vec<i32>),
    context: &mut Context<'_>,
) -> Result<(), Fault> {
    if !edge.selects.is_empty() {
        return add_selected((number, edge), on, to, (values, current), context);
    }
    if context.all_hold(&edge.guard)? && holds_now(&edge.limits, context)? {
        let channel = context.channel(edge)?;
        if on.is_none_or(|on| on == channel) {
            to.push(Choice { edge: number, values: 0, channel });
        }
    }
    Ok(())
}

/// The same for an edge that selects something.
fn add_selected(
    (number, edge): (u32, &Edge),
    on: Option<u32>,
    to: &mut Vec<Choice>,
    (values, current): (&mut Vec<i32>, &mut Vec<i32>),
    context: &mut Context<'_>,
) -> Result<(), Fault> {
    if edge.selects.iter().any(|select| select.lo > select.hi) {
        return Ok(());
    }
    current.clear();
    current.extend(edge.selects.iter().map(|select| select.lo));
    loop {
        set_selects(context.machine, &edge.selects, current);
        if context.all_hold(&edge.guard)? && holds_now(&edge.limits, context)? {
            let channel = context.channel(edge)?;
            if on.is_none_or(|on| on == channel) {
                to.push(Choice { edge: number, values: values.len() as u32, channel });
                values.extend_from_slice(current);
            }
        }
        if !next_selects(&edge.selects, current) {
            return Ok(());
        }
        context.look(values.len())?;
    }
}

#[inline]
fn holds_now(limits: &[Limit], context: &mut Context<'_>) -> Result<bool, Fault> {
    Ok(limits.is_empty() || window_of(limits, context)?.from <= 0.0)
}

impl Simulator<'_> {
    /// Chooses an output of a process that is possible now, and finds who could receive what it sends;
    /// false if there is none.
    pub(crate) fn prepare(
        &mut self,
        process: usize,
        chance: &mut dyn Chance,
    ) -> Result<bool, Problem> {
        let Choices { outputs, values, current, .. } = &mut self.choices;
        outputs.clear();
        values.clear();
        self.party.clear();
        let model = self.model;
        let at = model.first[process] as usize + self.state.ints[process] as usize;
        let (begin, end) = model.locations[at].outputs;
        for number in begin..end {
            let edge = (number, &model.edges[number as usize]);
            let mut context = context!(self, chance);
            if let Err(fault) = add_possible(edge, None, outputs, (values, current), &mut context) {
                return Err(self.blame_edge(number, fault));
            }
        }
        self.prepare_next(process, chance)
    }

    /// Chooses among the outputs that are left. One that turns out to be impossible, for want of
    /// partners, is put aside: so each that is possible has the same chance.
    pub(crate) fn prepare_next(
        &mut self,
        process: usize,
        chance: &mut dyn Chance,
    ) -> Result<bool, Problem> {
        self.choices.prepared = None;
        while let Some(choice) = self.choices.draw(chance) {
            if self.gather(process, choice, chance)? {
                self.choices.prepared = Some((process, choice));
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Finds who could receive what an output sends; false if it can not be taken, because nobody does
    /// or no committed location takes part.
    fn gather(
        &mut self,
        sender: usize,
        output: Choice,
        chance: &mut dyn Chance,
    ) -> Result<bool, Problem> {
        let must_commit = self.n_committed > 0 && !self.location(sender).committed;
        if output.channel == INTERNAL {
            return Ok(!must_commit);
        }
        self.receivers(sender, output.channel, chance)?;
        let model = self.model;
        let inputs = &mut self.choices.inputs;
        if must_commit {
            let is_committed = |input: &Choice| {
                let process = model.edges[input.edge as usize].process as usize;
                let at = model.first[process] as usize + self.state.ints[process] as usize;
                model.locations[at].committed
            };
            match model.channels[output.channel as usize].broadcast {
                true => return Ok(inputs.iter().any(is_committed)),
                false => inputs.retain(is_committed),
            }
        }
        Ok(model.channels[output.channel as usize].broadcast || !inputs.is_empty())
    }

    /// Finds the edges that could receive on a channel now.
    fn receivers(
        &mut self,
        sender: usize,
        channel: u32,
        chance: &mut dyn Chance,
    ) -> Result<(), Problem> {
        let model = self.model;
        let Choices { inputs, values, current, .. } = &mut self.choices;
        inputs.clear();
        for receiver in &model.channels[channel as usize].receivers {
            if receiver.process as usize == sender {
                continue;
            }
            for number in receiver.at(self.state.ints[receiver.process as usize]) {
                let edge = (number, &model.edges[number as usize]);
                let mut context = context!(self, chance);
                if let Err(fault) =
                    add_possible(edge, Some(channel), inputs, (values, current), &mut context)
                {
                    return Err(self.blame_edge(number, fault));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn is_handshake(&self, output: Choice) -> bool {
        output.channel != INTERNAL && !self.model.channels[output.channel as usize].broadcast
    }

    /// Whether receivers of a broadcast had more than one edge each to choose from.
    pub(crate) fn has_alternatives(&self, output: Choice) -> bool {
        output.channel != INTERNAL && self.choices.inputs.len() + 1 > self.party.len()
    }

    /// Chooses who moves with an output, of those that were gathered, and their branches. A handshake
    /// uses up a partner; false if there is none left.
    pub(crate) fn assemble(
        &mut self,
        output: Choice,
        chance: &mut dyn Chance,
    ) -> Result<bool, Problem> {
        self.party.clear();
        self.channel = output.channel;
        if self.is_handshake(output) {
            let partner = match self.choices.inputs.len() {
                0 => return Ok(false),
                1 => 0,
                n => below(chance, n),
            };
            let partner = self.choices.inputs.swap_remove(partner);
            self.join(output, chance)?;
            self.join(partner, chance)?;
            return Ok(true);
        }
        self.join(output, chance)?;
        if output.channel != INTERNAL {
            let mut start = 0;
            while let Some(first) = self.choices.inputs.get(start) {
                let process_of = |it: &Choice| self.model.edges[it.edge as usize].process;
                let process = process_of(first);
                let rest = &self.choices.inputs[start..];
                let n = rest.iter().take_while(|input| process_of(input) == process).count();
                let chosen = if n == 1 { 0 } else { below(chance, n) };
                self.join(self.choices.inputs[start + chosen], chance)?;
                start += n;
            }
        }
        Ok(true)
    }

    /// Adds a process to the party; one of its branches is chosen by weight.
    fn join(&mut self, choice: Choice, chance: &mut dyn Chance) -> Result<(), Problem> {
        let edge = &self.model.edges[choice.edge as usize];
        let mut member =
            Member { edge: choice.edge, values: choice.values, branch: 0, branch_values: 0 };
        if let [branch] = &edge.branches[..]
            && branch.selects.is_empty()
        {
            self.party.push(member);
            return Ok(());
        }
        let Choices { values, current, .. } = &mut self.choices;
        let mut total = 0.0;
        let mut chosen = false;
        let mut bad = false;
        let mut context = context!(self, chance);
        let mut choose = || -> Result<(), Fault> {
            if !edge.selects.is_empty() {
                let selected = &values[choice.values as usize..][..edge.selects.len()];
                set_selects(context.machine, &edge.selects, selected);
            }
            for (number, branch) in edge.branches.iter().enumerate() {
                if branch.selects.iter().any(|select| select.lo > select.hi) {
                    continue;
                }
                current.clear();
                current.extend(branch.selects.iter().map(|select| select.lo));
                loop {
                    set_selects(context.machine, &branch.selects, current);
                    let weight = match branch.weight {
                        None => 1.0,
                        Some(weight) => context.real(weight)?,
                    };
                    bad |= !(weight >= 0.0 && weight.is_finite());
                    if weight > 0.0 {
                        total += weight;
                        // Each keeps its share of the total so far.
                        if !chosen || context.reals.chance.unit() * total < weight {
                            chosen = true;
                            member.branch = number as u32;
                            member.branch_values = values.len() as u32;
                            values.extend_from_slice(current);
                        }
                    }
                    if !next_selects(&branch.selects, current) {
                        break;
                    }
                    context.look(values.len())?;
                }
            }
            Ok(())
        };
        if let Err(fault) = choose() {
            return Err(self.blame_edge(choice.edge, fault));
        }
        if bad || !chosen {
            let process = punctual_model::Id::from_index(edge.process as usize);
            member.branch = 0;
            member.branch_values = self.choices.values.len() as u32;
            let selects = edge.branches[0].selects.len();
            self.choices.values.extend(std::iter::repeat_n(0, selects));
            self.party.push(member);
            return Err(Problem { kind: ProblemKind::Weight { process }, moves: self.moves() });
        }
        self.party.push(member);
        Ok(())
    }

    /// A fault in the guard or the weights of an edge.
    fn blame_edge(&mut self, edge: u32, fault: Fault) -> Problem {
        let values = self.choices.values.len() as u32;
        let of = &self.model.edges[edge as usize];
        let n = of.selects.len().max(of.branches[0].selects.len());
        self.choices.values.extend(std::iter::repeat_n(0, n));
        self.party.clear();
        self.party.push(Member { edge, values, branch: 0, branch_values: values });
        Problem { kind: ProblemKind::Fault(fault), moves: self.moves() }
    }
}
