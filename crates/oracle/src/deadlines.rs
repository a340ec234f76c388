//! Requirements from the outside to the outside: after something was set, something has to be seen in time.
//!
//! No model of the software is needed, and no delay is taken out: what counts is what a patient or a driver would see. The instant at which something is set
//! is known as exactly as handing it over takes; that decides between a fail and *inconclusive*. So does the end of a run before the time is over.

use punctual_model::testing::platform::{Outside, Platform, Requirement};
use punctual_model::{Event, Happening, Value, Verdict};

use crate::expectations::Kind;
use crate::{Cause, Finding, Interaction, Judgement, Oracle};

/// How a number of milliseconds is written.
fn ms(ns: u64) -> String {
    format!("{:.1} ms", ns as f64 / 1e6)
}

/// What was seen of something that had to follow, if that leaves the verdict open.
#[derive(Clone, Copy)]
enum Seen {
    /// It was seen at an instant, in nanoseconds.
    At(u64),
    /// The run ended before its time was over.
    NotYet,
}

/// Watches all requirements of a platform.
pub struct Deadlines<'p> {
    platform: &'p Platform,
    outside: &'p Outside,
    /// What each controlled variable shows.
    shown: Vec<Option<Value>>,
    /// What each monitored variable was set to.
    held: Vec<Option<Value>>,
    /// Requirements that wait for a response: their positions, and between which instants they began.
    open: Vec<(usize, u64, u64)>,
    told: Vec<Interaction>,
    n_begun: usize,
    /// How much later something may have been looked at than it was there, in nanoseconds.
    late_ns: u64,
}

impl<'p> Deadlines<'p> {
    /// Before anything has happened.
    #[must_use]
    pub fn new(platform: &'p Platform, outside: &'p Outside) -> Deadlines<'p> {
        Deadlines {
            platform,
            outside,
            shown: vec![None; platform.outputs.len()],
            held: vec![None; platform.inputs.len()],
            open: Vec::new(),
            told: Vec::new(),
            n_begun: 0,
            late_ns: 0,
        }
    }

    fn of(&self, at: usize) -> &'p Requirement {
        &self.platform.requirements[at]
    }

    fn set(&mut self, port: punctual_model::PortId, value: Value, (from_ns, to_ns): (u64, u64)) {
        for (line, _) in self.outside.inputs.iter().enumerate().filter(|(_, it)| **it == port) {
            let is_new = self.held[line].replace(value) != Some(value);
            for (at, it) in self.platform.requirements.iter().enumerate() {
                let is_given = it.given.is_none_or(|(line, value)| self.shown[line] == Some(value));
                if !is_new || it.when.0 != line {
                    continue;
                }
                let is_there = self.shown[it.then.0] == Some(it.then.1);
                if it.when.1 == value && is_given {
                    self.n_begun += 1;
                    if !is_there {
                        self.open.push((at, from_ns, to_ns));
                    }
                }
            }
        }
    }

    /// Time has come to an instant: what was not answered is too late.
    fn pass(&mut self, now_ns: u64) {
        let open = std::mem::take(&mut self.open);
        for (at, from_ns, to_ns) in open {
            let surely_ns = to_ns + self.of(at).within_ns + self.late_ns;
            if now_ns > surely_ns {
                self.tell(at, from_ns, Verdict::Fail, None);
            } else {
                self.open.push((at, from_ns, to_ns));
            }
        }
    }

    fn saw(&mut self, line: usize, value: Value, at_ns: u64) {
        self.shown[line] = Some(value);
        let open = std::mem::take(&mut self.open);
        for (at, from_ns, to_ns) in open {
            let it = self.of(at);
            if it.then != (line, value) {
                self.open.push((at, from_ns, to_ns));
            } else if at_ns > from_ns + it.within_ns {
                // It is too late if it was set when handing it over began, and in time if when that ended.
                self.tell(at, from_ns, Verdict::Inconclusive, Some(Seen::At(at_ns)));
            }
        }
    }

    fn tell(&mut self, at: usize, from_ns: u64, verdict: Verdict, seen: Option<Seen>) {
        let it = self.of(at);
        let [when, then] = [&self.platform.inputs[it.when.0], &self.platform.outputs[it.then.0]];
        let said = format!(
            "`{}`: after `{}` was set at {}, `{}` had to follow within {}",
            it.name,
            when.outside,
            ms(from_ns),
            then.outside,
            ms(it.within_ns)
        );
        let reason = match seen {
            Some(Seen::NotYet) => format!("{said}, and the run ended before that."),
            Some(Seen::At(at_ns)) => format!(
                "{said}. It was seen after {}, and how long setting takes decides.",
                ms(at_ns.saturating_sub(from_ns))
            ),
            None => format!("{said}, and did not."),
        };
        let at_ns = from_ns + it.within_ns;
        let number = at;
        self.told.push(Interaction { kind: Kind::Check, number, at_ns, verdict, reason });
    }
}

impl Oracle for Deadlines<'_> {
    fn restart(&mut self) {
        *self = Deadlines::new(self.platform, self.outside);
    }

    fn event(&mut self, event: &Event) {
        self.pass(event.from_ns);
        match &event.what {
            Happening::Set(reading) => {
                for (port, value) in &reading.values {
                    self.set(*port, *value, (event.from_ns, event.to_ns));
                }
            }
            Happening::Signal(action) => {
                let lines: Vec<usize> = (self.outside.outputs.iter().enumerate())
                    .filter(|(_, it)| **it == action.signal)
                    .map(|(line, _)| line)
                    .collect();
                for (line, value) in lines.into_iter().zip(action.values.iter().cycle()) {
                    self.saw(line, *value, event.from_ns);
                }
            }
            Happening::Step(_) | Happening::Reading(_) => {}
        }
    }

    fn decided(&self) -> Option<Verdict> {
        None
    }

    fn is_waiting(&self) -> bool {
        !self.open.is_empty()
    }

    fn widen(&mut self, by_ns: u64) {
        self.late_ns = by_ns;
    }

    fn finish(&mut self, end_ns: u64) -> Judgement<Finding> {
        self.pass(end_ns);
        for (at, from_ns, _) in std::mem::take(&mut self.open) {
            self.tell(at, from_ns, Verdict::Inconclusive, Some(Seen::NotYet));
        }
        let worst = self
            .told
            .iter()
            .max_by(|a, b| a.verdict.cmp(&b.verdict).then_with(|| b.at_ns.cmp(&a.at_ns)));
        match worst {
            None => Judgement::Pass,
            Some(it) => {
                let cause =
                    if it.verdict == Verdict::Fail { Cause::Missing } else { Cause::NotExpected };
                Finding::Ending(cause, it.reason.clone()).judged()
            }
        }
    }

    fn interactions(&self) -> Vec<Interaction> {
        self.told.clone()
    }
}
