//! A run on a platform: what was sent and seen, and when that can have been inside.

use std::collections::BTreeMap;

use punctual_campaign::load;
use punctual_campaign::platform::evidence::SURE;
use punctual_campaign::platform::objectives::Exercise;
use punctual_campaign::platform::{Mode, Mounted, ROLE};
use punctual_campaign::store::{Event, Judged, Line, Record, Run, Verdict, What};
use punctual_model::lustre::Program;
use punctual_model::testing::platform;
use punctual_model::testing::suite::Body;
use punctual_oracle::expectations::Kind;

use super::evidence;
use crate::view::matrix::Outcome;
use crate::view::timeline as view;

/// How a record tells with which probability each interaction happened as intended.
const EXERCISED: &str = "exercised as intended: ";

/// A recorded run on a platform; none if there was no platform, or if what lies beside the record can not be read any more.
#[must_use]
pub fn timeline(run: &Run, record: &Record) -> Option<view::Timeline> {
    // A platform may stand in the interface file: then the record says how its delays were minded.
    let has_file = || record.header.files.iter().any(|file| file.role == ROLE);
    if record.header.strategy.get(ROLE).is_none() && !has_file() {
        return None;
    }
    let judges = load::beside(run, &record.header, None, None).ok()?;
    let steps = judges.steps.as_ref()?;
    let mounted = steps.mounted()?;
    let cases = judges.suite.iter().flat_map(|suite| &suite.cases);
    let bodies = cases.filter(|case| case.name == record.header.case).map(|case| &case.body);
    let n_interactions = bodies.map(|body| match body {
        Body::Steps(table) => table.steps.len(),
        Body::Timed(_) => 0,
    });
    let mut lanes = Lanes::new(mounted, steps.program());
    let mut ends = Steps::new(mounted, n_interactions.max().unwrap_or(0));
    let mut exercised = Vec::new();
    for line in &record.lines {
        match line {
            Line::Event(event) => {
                ends.happened(event);
                lanes.happened(event);
            }
            Line::Restart(_) => ends.restart(),
            Line::Judged(judged) => ends.judged(judged),
            Line::Note(text) => {
                if let Some(all) = text.strip_prefix(EXERCISED) {
                    exercised = all.split_whitespace().map(|it| it.parse().ok()).collect();
                }
            }
            _ => {}
        }
    }
    let exercise = Exercise::new(&judges).and_then(|mut it| {
        let exercised: Vec<f64> = exercised.iter().copied().collect::<Option<_>>()?;
        it.add(&judges, record.header.run, &exercised);
        (!exercised.is_empty()).then_some(it)
    });
    Some(view::Timeline {
        objectives: exercise.map(|it| evidence::objectives(&judges, &it)),
        manner: manner(mounted.mode).to_owned(),
        risk: mounted.risk_of_bound(),
        sure: SURE,
        software_ns: mounted.told.software.mean(),
        end_ns: record.last_ns(),
        steps: ends.finish(&exercised, record.last_ns()),
        lanes: lanes.all,
    })
}

fn manner(mode: Mode) -> &'static str {
    match mode {
        Mode::Explained => {
            "Values were sent for the steps that should read them, and what was seen is judged by all that these delays allow."
        }
        Mode::Scheduled => {
            "Values were sent for the middle between two steps, and what was seen is brought back by its mean delay before it is compared."
        }
        Mode::Direct => {
            "The tester did not mind these delays: values were sent and compared as if there were none."
        }
    }
}

/// The steps of the software, and which interactions they are.
struct Steps<'m> {
    mounted: &'m Mounted,
    signal: &'m str,
    n_interactions: usize,
    timetable: punctual_semantics::platform::Timetable,
    all: Vec<view::Step>,
    /// How many of them were done before the last reset.
    n_before: usize,
    /// What did not pass, by the number of the interaction; the last word counts.
    judged: BTreeMap<u64, (Outcome, String)>,
}

impl<'m> Steps<'m> {
    fn new(mounted: &'m Mounted, n_interactions: usize) -> Steps<'m> {
        Steps {
            mounted,
            signal: mounted.told.signal.as_deref().unwrap_or_default(),
            n_interactions,
            timetable: mounted.timetable(),
            all: Vec::new(),
            n_before: 0,
            judged: BTreeMap::new(),
        }
    }

    /// Minds an event that tells that a step is done, or from which steps are estimated.
    fn happened(&mut self, event: &Event) {
        let Some((_, name, _)) = event.signal() else { return };
        if self.timetable.steps().is_some() {
            let outputs = self.mounted.told.outputs.iter().enumerate();
            for (line, _) in outputs.filter(|(_, line)| line.outside == name) {
                self.timetable.saw(line, event.from_ns);
            }
            self.timetable.mind(event.from_ns);
        } else if name == self.signal {
            self.timetable.stepped(event.from_ns);
            self.add(event.from_ns);
        }
    }

    fn add(&mut self, at_ns: u64) {
        self.all.push(view::Step {
            at_ns,
            number: self.all.len() - self.n_before,
            interaction: None,
            is_behind: false,
            result: Outcome::Passed,
            reason: String::new(),
            exercised: None,
        });
    }

    fn restart(&mut self) {
        self.timetable = self.mounted.timetable();
        self.n_before = self.all.len();
    }

    /// Minds the verdict of a step; requirements are none.
    fn judged(&mut self, it: &Judged) {
        if !["", Kind::Step.name()].contains(&it.kind.as_str()) {
            return;
        }
        let result = match it.verdict {
            Verdict::Pass => Outcome::Passed,
            Verdict::Inconclusive => Outcome::Inconclusive,
            Verdict::Fail => Outcome::Failed,
        };
        self.judged.insert(it.judged, (result, it.reason.clone()));
    }

    fn finish(mut self, exercised: &[Option<f64>], end_ns: u64) -> Vec<view::Step> {
        self.timetable.settle();
        let estimate = self.timetable.steps().and_then(|it| it.estimate());
        let ends = estimate.map_or(Vec::new(), |it| it.ends(end_ns as f64));
        ends.into_iter().for_each(|at| self.add(at.max(0.0) as u64));
        let first = self.timetable.planned(0).map(|it| it.step);
        for step in &mut self.all[self.n_before..] {
            let interaction = first.and_then(|first| step.number.checked_sub(first));
            let Some(number) = interaction else { continue };
            step.interaction = interaction;
            step.is_behind = number >= self.n_interactions;
            step.exercised = exercised.get(number).copied().flatten();
            if let Some((result, reason)) = self.judged.remove(&(number as u64)) {
                (step.result, step.reason) = (result, reason);
            }
        }
        self.all
    }
}

/// The variables outside, and where what is exchanged belongs.
struct Lanes {
    all: Vec<view::Lane>,
    /// Monitored variables, then controlled ones, by their names.
    numbers: [BTreeMap<String, usize>; 2],
    /// The signal that tells that a value has arrived, and its lane.
    arrived: BTreeMap<String, usize>,
}

impl Lanes {
    fn new(mounted: &Mounted, program: &Program) -> Lanes {
        let mut lanes = Lanes {
            all: Vec::new(),
            numbers: [BTreeMap::new(), BTreeMap::new()],
            arrived: BTreeMap::new(),
        };
        let told = &mounted.told;
        let both = [(&told.inputs, true), (&told.outputs, false)];
        for (line, is_monitored) in
            both.iter().flat_map(|(all, it)| all.iter().map(|line| (line, *it)))
        {
            lanes.add(mounted, program, line, is_monitored);
        }
        for (line, prefix) in
            told.arrived.iter().flat_map(|it| told.inputs.iter().map(move |line| (line, it)))
        {
            let lane = lanes.numbers[0][&line.outside];
            lanes.arrived.insert(format!("{prefix}{}", line.outside), lane);
        }
        lanes
    }

    fn add(
        &mut self,
        mounted: &Mounted,
        program: &Program,
        line: &platform::Line,
        is_monitored: bool,
    ) {
        let (low_ns, high_ns) = mounted.bounds(line);
        let variable = program.vars[line.variable].name.clone();
        // A sensor that looks only now and then is late by half of its period on average.
        let mean_ns = line.delay.mean() + line.sampling_ns.unwrap_or(0) as f64 / 2.0;
        let mean_ns = mean_ns.max(low_ns).min(high_ns);
        let n_lanes = self.all.len();
        let numbers = &mut self.numbers[usize::from(!is_monitored)];
        let at = *numbers.entry(line.outside.clone()).or_insert(n_lanes);
        if at == n_lanes {
            let name = line.outside.clone();
            self.all.push(view::Lane { name, is_monitored, ..view::Lane::default() });
        }
        self.all[at].lines.push(view::Line { variable, low_ns, mean_ns, high_ns });
    }

    fn happened(&mut self, event: &Event) {
        match &event.what {
            What::Set(ports) => {
                for (name, value) in ports {
                    if let Some(at) = self.numbers[0].get(name) {
                        mark(&mut self.all[*at], event.from_ns, value);
                    }
                }
            }
            What::Signal { name, values, .. } => {
                if let (Some(at), Some(value)) = (self.numbers[1].get(name), values.first()) {
                    mark(&mut self.all[*at], event.from_ns, value);
                } else if let Some(at) = self.arrived.get(name) {
                    self.all[*at].arrived_ns.push(event.from_ns);
                }
            }
            What::Step { .. } | What::Reading(_) => {}
        }
    }
}

/// A variable was set or seen; what stays the same is no mark of its own.
fn mark(lane: &mut view::Lane, at_ns: u64, value: &serde_json::Value) {
    let value = match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match lane.marks.last_mut() {
        Some(last) if last.value == value => last.again_ns.push(at_ns),
        _ => lane.marks.push(view::Mark { at_ns, value, again_ns: Vec::new() }),
    }
}
