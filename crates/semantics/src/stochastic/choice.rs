//! What the winner of a race chooses from, and who moves with it.

use super::compile::Edge;
use super::limit::window_of;
use super::problem::{Problem, ProblemKind};
use super::simulator::{Context, Simulator};
use crate::Fault;
use crate::program::Chance;
use crate::select::{next_selects, set_selects};

/// An edge with values for its selects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) process: u32,
    pub(crate) edge: u32,
    /// Where the selected values begin.
    pub(crate) values: u32,
    /// The channel, or [`INTERNAL`].
    pub(crate) channel: u32,
}

/// No channel.
pub(crate) const INTERNAL: u32 = u32::MAX;

/// A process that moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) process: u32,
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
}

impl Choices {
    pub(crate) fn values(&self, start: u32, len: usize) -> &[i32] {
        &self.values[start as usize..][..len]
    }

    /// Takes out one of the outputs.
    pub(crate) fn draw(&mut self, chance: &mut dyn Chance) -> Option<Choice> {
        match self.outputs.len() {
            0 => None,
            1 => self.outputs.pop(),
            n => Some(self.outputs.swap_remove(below(chance, n))),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }
}

/// A number below another, each with the same chance.
#[inline]
pub(crate) fn below(chance: &mut dyn Chance, n: usize) -> usize {
    // The product's upper half; off by less than 2^-32 for the numbers of edges there are.
    ((u128::from(chance.bits()) * n as u128) >> 64) as usize
}

/// Calls `found` for each combination of selected values with which an edge is possible now, as far
/// as its own guard says.
#[inline]
pub(crate) fn each_instance(
    edge: &Edge,
    current: &mut Vec<i32>,
    context: &mut Context<'_>,
    found: &mut impl FnMut(&[i32], u32, &mut Context<'_>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if edge.selects.iter().any(|select| select.lo > select.hi) {
        return Ok(());
    }
    current.clear();
    current.extend(edge.selects.iter().map(|select| select.lo));
    loop {
        set_selects(context.machine, &edge.selects, current);
        if context.all_hold(&edge.guard)? && window_of(&edge.limits, context)?.from <= 0.0 {
            let channel = match edge.channel {
                None => INTERNAL,
                Some(code) => context.value(code)?.unsigned_abs(),
            };
            found(current, channel, context)?;
        }
        if !next_selects(&edge.selects, current) {
            return Ok(());
        }
    }
}

impl Simulator<'_> {
    /// Finds the outputs of a process that are possible now.
    pub(crate) fn collect(
        &mut self,
        winner: usize,
        chance: &mut dyn Chance,
    ) -> Result<(), Problem> {
        self.choices.outputs.clear();
        self.choices.values.clear();
        self.party.clear();
        let model = self.model;
        let process = &model.processes[winner];
        let location = &process.locations[self.state.ints[winner] as usize];
        for &number in &location.outputs {
            let edge = &process.edges[number as usize];
            let mut choices = std::mem::take(&mut self.choices);
            let mut current = std::mem::take(&mut choices.current);
            let mut context = self.context(chance);
            let done =
                each_instance(edge, &mut current, &mut context, &mut |selected, channel, _| {
                    let values = choices.values.len() as u32;
                    choices.values.extend_from_slice(selected);
                    let process = winner as u32;
                    choices.outputs.push(Choice { process, edge: number, values, channel });
                    Ok(())
                });
            choices.current = current;
            self.choices = choices;
            done.map_err(|fault| self.blame_edge(winner as u32, number, fault))?;
        }
        self.drop_impossible(winner, location.committed, chance)
    }

    /// Drops handshakes without a partner, and what no committed location takes part in.
    fn drop_impossible(
        &mut self,
        winner: usize,
        committed: bool,
        chance: &mut dyn Chance,
    ) -> Result<(), Problem> {
        let must_commit = self.n_committed > 0 && !committed;
        let mut i = 0;
        while let Some(&choice) = self.choices.outputs.get(i) {
            let possible = match choice.channel {
                INTERNAL => !must_commit,
                channel => {
                    let is_broadcast = self.model.channels[channel as usize].broadcast;
                    (is_broadcast && !must_commit) || {
                        self.receivers(winner, channel, chance)?;
                        let is_committed = |it: &Choice| {
                            let process = &self.model.processes[it.process as usize];
                            let at = self.state.ints[it.process as usize] as usize;
                            process.locations[at].committed
                        };
                        match must_commit {
                            true => self.choices.inputs.iter().any(is_committed),
                            false => !self.choices.inputs.is_empty(),
                        }
                    }
                }
            };
            match possible {
                true => i += 1,
                false => drop(self.choices.outputs.remove(i)),
            }
        }
        Ok(())
    }

    /// Finds the edges that could receive on a channel now.
    fn receivers(
        &mut self,
        sender: usize,
        channel: u32,
        chance: &mut dyn Chance,
    ) -> Result<(), Problem> {
        let model = self.model;
        self.choices.inputs.clear();
        for &receiver in &model.channels[channel as usize].receivers {
            if receiver as usize == sender {
                continue;
            }
            let process = &model.processes[receiver as usize];
            let location = &process.locations[self.state.ints[receiver as usize] as usize];
            for &number in &location.receives {
                let edge = &process.edges[number as usize];
                let fixed = edge.channel.and_then(crate::program::Code::constant);
                if fixed.is_some_and(|fixed| fixed.unsigned_abs() != channel) {
                    continue;
                }
                let mut choices = std::mem::take(&mut self.choices);
                let mut current = std::mem::take(&mut choices.current);
                let mut context = self.context(chance);
                let done =
                    each_instance(edge, &mut current, &mut context, &mut |selected, on, _| {
                        if on == channel {
                            let values = choices.values.len() as u32;
                            choices.values.extend_from_slice(selected);
                            choices.inputs.push(Choice {
                                process: receiver,
                                edge: number,
                                values,
                                channel,
                            });
                        }
                        Ok(())
                    });
                choices.current = current;
                self.choices = choices;
                done.map_err(|fault| self.blame_edge(receiver, number, fault))?;
            }
        }
        Ok(())
    }

    /// Finds who could receive what an output sends.
    pub(crate) fn gather(
        &mut self,
        output: Choice,
        chance: &mut dyn Chance,
    ) -> Result<(), Problem> {
        if output.channel == INTERNAL {
            return Ok(());
        }
        self.receivers(output.process as usize, output.channel, chance)?;
        let model = self.model;
        let committed = |state: &[i32], process: u32| {
            let process = process as usize;
            model.processes[process].locations[state[process] as usize].committed
        };
        if self.is_handshake(output)
            && self.n_committed > 0
            && !committed(&self.state.ints, output.process)
        {
            let ints = &self.state.ints;
            self.choices.inputs.retain(|input| committed(ints, input.process));
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
                let process = first.process;
                let rest = &self.choices.inputs[start..];
                let n = rest.iter().take_while(|input| input.process == process).count();
                let chosen = if n == 1 { 0 } else { below(chance, n) };
                self.join(self.choices.inputs[start + chosen], chance)?;
                start += n;
            }
        }
        Ok(true)
    }

    /// Adds a process to the party; one of its branches is chosen by weight.
    fn join(&mut self, choice: Choice, chance: &mut dyn Chance) -> Result<(), Problem> {
        let edge = &self.model.processes[choice.process as usize].edges[choice.edge as usize];
        let mut member = Member {
            process: choice.process,
            edge: choice.edge,
            values: choice.values,
            branch: 0,
            branch_values: 0,
        };
        if let [branch] = &edge.branches[..]
            && branch.selects.is_empty()
        {
            self.party.push(member);
            return Ok(());
        }
        let mut choices = std::mem::take(&mut self.choices);
        choices.current.clear();
        let mut current = std::mem::take(&mut choices.current);
        let mut total = 0.0;
        let mut chosen = false;
        let mut bad = false;
        let mut context = self.context(chance);
        let mut choose = || -> Result<(), Fault> {
            set_selects(
                context.machine,
                &edge.selects,
                choices.values(choice.values, edge.selects.len()),
            );
            for (number, branch) in edge.branches.iter().enumerate() {
                if branch.selects.iter().any(|select| select.lo > select.hi) {
                    continue;
                }
                current.clear();
                current.extend(branch.selects.iter().map(|select| select.lo));
                loop {
                    set_selects(context.machine, &branch.selects, &current);
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
                            member.branch_values = choices.values.len() as u32;
                            choices.values.extend_from_slice(&current);
                        }
                    }
                    if !next_selects(&branch.selects, &mut current) {
                        break;
                    }
                }
            }
            Ok(())
        };
        let done = choose();
        choices.current = current;
        self.choices = choices;
        done.map_err(|fault| self.blame_edge(choice.process, choice.edge, fault))?;
        if bad || !chosen {
            let process = punctual_model::Id::from_index(choice.process as usize);
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
    fn blame_edge(&mut self, process: u32, edge: u32, fault: Fault) -> Problem {
        let values = self.choices.values.len() as u32;
        let selects = self.model.processes[process as usize].edges[edge as usize].selects.len();
        self.choices.values.extend(std::iter::repeat_n(0, selects));
        self.party.clear();
        self.party.push(Member { process, edge, values, branch: 0, branch_values: values });
        Problem {
            kind: ProblemKind::Fault(fault),
            moves: {
                let first =
                    &self.model.processes[process as usize].edges[edge as usize].branches[0];
                self.choices.values.extend(std::iter::repeat_n(0, first.selects.len()));
                self.moves()
            },
        }
    }
}
