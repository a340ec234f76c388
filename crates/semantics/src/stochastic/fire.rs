//! The updates of a transition.

use super::problem::Problem;
use super::simulator::Simulator;
use crate::Fault;
use crate::program::Chance;
use crate::select::set_selects;

impl Simulator<'_> {
    /// Evaluates the updates of the party, in order, and moves it.
    pub(crate) fn update(&mut self, chance: &mut dyn Chance) -> Result<(), Problem> {
        self.machine.begin();
        self.run_updates(chance).map_err(|fault| self.blame(fault))
    }

    fn run_updates(&mut self, chance: &mut dyn Chance) -> Result<(), Fault> {
        let model = self.model;
        if model.has_updates_around {
            self.context(chance).value(model.before_update)?;
        }
        for i in 0..self.party.len() {
            let member = self.party[i];
            let edge = &model.processes[member.process as usize].edges[member.edge as usize];
            let branch = &edge.branches[member.branch as usize];
            let values = self.choices.values(member.values, edge.selects.len());
            set_selects(&mut self.machine, &edge.selects, values);
            let values = self.choices.values(member.branch_values, branch.selects.len());
            set_selects(&mut self.machine, &branch.selects, values);
            let mut context = self.context(chance);
            context.value(edge.update)?;
            context.value(branch.update)?;
            self.state.ints[member.process as usize] = branch.target;
        }
        if model.has_updates_around {
            self.context(chance).value(model.after_update)?;
        }
        Ok(())
    }
}
