//! Where in a zone nothing can happen over a channel, although somebody outside sends on it.

use punctual_zones::{Federation, Zone, ZoneRef};

use super::delay::Urgency;
use super::explorer::{Explorer, Halt};
use super::scope::Scope;

impl Explorer<'_> {
    /// The parts of a state's zone from which no transition over a channel is possible, if somebody outside sends
    /// these values along, and in which time may pass: a state in which it stands still is left before anything is
    /// taken.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn refusing_on<'z>(
        &mut self,
        channel: u32,
        sent: &[(u32, i32)],
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
    ) -> Result<Federation, Halt> {
        self.load(state, zone);
        self.mind_growth()?;
        let none = Federation::empty(self.source_zone.dim() - 1);
        let urgency = self.look_at(state)?;
        // Zones that were made coarser go beyond the invariants.
        if matches!(urgency, Urgency::Stopped)
            || !self.source_zone.constrain_all(self.invariants.iter().copied())
        {
            return Ok(none);
        }
        let mut rest = Federation::from(self.source_zone.clone());
        if let Urgency::From(begins) = urgency {
            begins.iter().for_each(|begin| rest.subtract(begin));
        }
        self.pokes.extend_from_slice(sent);
        self.scope = Scope::Channel(channel);
        let done = self.each_transition(&mut |explorer| {
            // What is an error of the model is told when the input is taken. Who only looks ahead had better not send it.
            let or_in_error = !explorer.forgives();
            let subtract = &mut |zone: Zone| rest.subtract(&zone);
            let done = explorer.enabled_zones(or_in_error, subtract);
            explorer.forgiven(done, ())
        });
        self.scope = Scope::All;
        self.pokes.clear();
        done.map(|()| rest)
    }
}
