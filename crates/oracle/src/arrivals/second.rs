//! The second look, if the first search could not explain a step and has left something out that may explain it.
//!
//! Whether anything explains what was seen is decided first, without weights: all that is possible is followed up to the first step that nothing explains (`product.rs`). If
//! there is one, it fails. Else a search with weights goes farther than the first one, to find out how probable it is that each interaction was
//! exercised.
//!
//! DIFFERENCE(platform): a search within bounds decides, not a solver (see `mod.rs`).

use punctual_model::Verdict;

use super::product::{Extent, Said};
use super::{Arrivals, Limits};

impl Arrivals<'_> {
    /// Decides what the first search has left open.
    pub(super) fn look_again(&mut self, end: f64) {
        // What follows a step that fails starts from a guess, so the first one counts.
        let is_open = match self.told.get(self.n_before) {
            Some(first) => first.verdict == Verdict::Inconclusive,
            // What came before the first interaction may be explained by what was left out.
            None => self.n_before > 0 && self.has_left_out,
        };
        if !is_open || self.is_stopped {
            return;
        }
        let said = self.all_possible(Extent::SMALL, end);
        if matches!(said, Said::Fault(..)) || self.is_stopped {
            self.mind(said);
            // What the first search followed beyond the step that it could not explain is a guess, and no evidence.
            self.hypotheses.clear();
            return;
        }
        let (told, n_before) = (std::mem::take(&mut self.told), self.n_before);
        self.begin_again(Limits::FINE);
        self.explain(end);
        // It is explained, or this search has left nothing out.
        if self.told.get(self.n_before).is_none_or(|it| it.verdict == Verdict::Fail) {
            // Some explanation was found, but not all were looked for: their shares are no probabilities.
            if self.n_tried >= self.limits.in_all {
                self.hypotheses.clear();
            }
            return;
        }
        (self.told, self.n_before) = (told, n_before);
        // How probable it is that interactions were exercised was not found out.
        self.hypotheses.clear();
        match said {
            Said::Explanation(_) => self.mind(said),
            _ => {
                let said = self.all_possible(Extent::LARGE, end);
                self.mind(said);
            }
        }
    }

    /// Follows all that is possible, up to the first step that nothing explains.
    fn all_possible(&mut self, extent: Extent, end: f64) -> Said {
        // Beliefs are sets from now on.
        self.inputs.iter_mut().for_each(|input| input.begin_again(false));
        self.lines.begin_again(false);
        self.follow_products(extent, end)
    }

    /// Tells what following all that is possible says.
    fn mind(&mut self, said: Said) {
        let (strange, fault) = match said {
            Said::Nothing => return,
            Said::Explanation(strange) => (strange, None),
            Said::Fault(strange, step) => (strange, Some(self.unexplained(step, true))),
        };
        let behind = self.told.split_off(self.n_before);
        self.told = strange.iter().map(|step| self.unexplained(*step, false)).collect();
        self.n_before = self.told.len();
        if let Some(fault) = fault {
            // All before it is explained, but for what came before the first interaction.
            let number = fault.number;
            let behind = behind.into_iter().filter(|it| it.number > number);
            self.told.extend(std::iter::once(fault).chain(behind));
        }
    }
}
