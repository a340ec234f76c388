//! From an answer of the checker to the view of it.

use std::cell::OnceCell;

use punctual_lang::{
    Model, QueryEntry, SourceFile, Span,
    convert::Printer,
    diagnostic::{Diagnostic, Style, render},
};
use punctual_mc as mc;
use punctual_model::{Edge, Id, Network, Property, StateExpr};
use punctual_smc as smc;

use super::trace::Names;
use crate::view::{
    answers as view,
    trace::{Ending, State},
};

/// A query before it is answered. One that is wrong, or of a kind that is not answered, has a
/// reason, and nobody needs to ask it.
#[must_use]
pub fn unanswered(entry: &QueryEntry) -> view::Answered {
    let mut answered = view::Answered {
        query: entry.text.clone(),
        comment: entry.comment.clone(),
        expected: expected(entry),
        ..view::Answered::default()
    };
    match &entry.property {
        None => {
            let problem = entry.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
            let message = problem.map_or("it can not be read", |problem| problem.message.as_str());
            answered.answer = view::Answer::Error;
            answered.reason = Some(format!("the query is wrong: {message}"));
        }
        Some(Property::Unsupported { construct }) => {
            answered.reason = Some(format!("{construct}: not supported"));
        }
        Some(_) => {}
    }
    answered
}

/// Why the checker refuses a query.
#[must_use]
pub fn refused(refusal: &mc::Refusal) -> String {
    let place = refusal.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
    format!("exact analysis can not treat {}{place}", refusal.construct)
}

/// What the author of a query expects.
fn expected(entry: &QueryEntry) -> Option<view::Answer> {
    let stated = entry.expectation.as_ref().and_then(|outcome| outcome.outcome.as_deref());
    let by_attribute = stated.and_then(|outcome| match outcome {
        "success" => Some(view::Answer::Satisfied),
        "failure" => Some(view::Answer::NotSatisfied),
        "maybe_true" => Some(view::Answer::MaySatisfy),
        "maybe_false" => Some(view::Answer::MayNotSatisfy),
        "error" => Some(view::Answer::Error),
        _ => None,
    });
    by_attribute.or_else(|| entry.comment.lines().find_map(expected_in_comment))
}

/// `expected: not satisfied`
fn expected_in_comment(line: &str) -> Option<view::Answer> {
    let (word, answer) = line.split_once(':')?;
    if !word.trim().eq_ignore_ascii_case("expected") {
        return None;
    }
    match answer.trim().trim_end_matches('.').to_ascii_lowercase().as_str() {
        "satisfied" => Some(view::Answer::Satisfied),
        "not satisfied" => Some(view::Answer::NotSatisfied),
        _ => None,
    }
}

/// Fills views for the queries of a model.
pub struct Filler<'n> {
    file: &'n SourceFile,
    model: &'n Model,
    network: &'n Network,
    /// Made when a state is to be shown for the first time: a large model has many.
    names: OnceCell<Names<'n>>,
    style: Style,
    approximation: mc::Approximation,
}

impl<'n> Filler<'n> {
    /// For a model and the file that it was read from; excerpts of the file are drawn in this style.
    #[must_use]
    pub fn new(
        file: &'n SourceFile,
        model: &'n Model,
        style: Style,
        approximation: mc::Approximation,
    ) -> Filler<'n> {
        let network = &model.network;
        Filler { file, model, network, names: OnceCell::new(), style, approximation }
    }

    /// Whether zones are larger than they should be.
    fn approximates(&self) -> bool {
        self.approximation == mc::Approximation::ConvexHull || self.network.has_stopwatches()
    }

    fn names(&self) -> &Names<'n> {
        self.names.get_or_init(|| Names::new(self.network))
    }

    /// Fills in what the checker says. The trace goes to the view only with `with_trace`.
    pub fn fill(
        &self,
        answered: &mut view::Answered,
        property: &Property,
        outcome: &mc::Outcome,
        with_trace: bool,
    ) {
        let statistics = &outcome.statistics;
        answered.cost = Some(view::Cost {
            stored: statistics.stored,
            explored: statistics.explored,
            transitions: statistics.transitions,
            seconds: statistics.elapsed.as_secs_f64(),
            peak_memory: statistics.memory_peak,
        });
        let (mut trace, mut ending) = (outcome.trace.as_ref(), None);
        answered.answer = match &outcome.answer {
            mc::Answer::Satisfied => view::Answer::Satisfied,
            mc::Answer::NotSatisfied => view::Answer::NotSatisfied,
            mc::Answer::MaybeSatisfied => {
                answered.reason = Some(self.approximated("has it"));
                view::Answer::MaySatisfy
            }
            mc::Answer::MaybeNotSatisfied => {
                answered.reason = Some(self.approximated("does not have it"));
                view::Answer::MayNotSatisfy
            }
            mc::Answer::Undecided(why) => {
                answered.reason = Some(undecided(*why));
                view::Answer::Undecided
            }
            mc::Answer::Error(fault) => {
                answered.reason = Some(format!("the model is wrong: {}", fault.kind));
                answered.error = Some(self.error(fault));
                (trace, ending) = (fault.trace.as_ref(), Some(Ending::Error));
                view::Answer::Error
            }
            mc::Answer::Values(values) => {
                answered.values = self.values(property, values);
                match self.approximates() {
                    true => {
                        answered.reason =
                            Some(self.approximated("has these; the true ones lie within"));
                        view::Answer::MayValues
                    }
                    false => view::Answer::Values,
                }
            }
        };
        answered.trace_steps = trace.map(|trace| trace.steps.len());
        // A view of a long run is large.
        let trace = trace.filter(|_| with_trace);
        answered.trace = trace.map(|trace| self.names().trace(trace, ending));
    }

    /// Why an answer is a `may`, and what is known nevertheless.
    fn approximated(&self, known: &str) -> String {
        match self.network.has_stopwatches() {
            true => format!(
                "clocks that stand still are only approximated, and the approximation {known}"
            ),
            false => format!(
                "the approximation by convex hulls {known}; \
                 without `--over-approximate` the answer is exact"
            ),
        }
    }

    fn values(&self, property: &Property, values: &[mc::Extremum]) -> Vec<view::Extremum> {
        let of: &[StateExpr] = match property {
            Property::Supremum { of, .. }
            | Property::Infimum { of, .. }
            | Property::Bounds { of, .. } => of,
            _ => &[],
        };
        let printer = Printer::new(self.network);
        values
            .iter()
            .enumerate()
            .map(|(index, value)| view::Extremum {
                expression: of.get(index).map_or("?".into(), |state| printer.expr(&state.expr)),
                reachable: value.reachable,
                least: value.least.map(limit),
                greatest: value.greatest.map(limit),
            })
            .collect()
    }

    fn error(&self, fault: &mc::ModelFault) -> view::Error {
        self.error_of(fault.kind.to_string(), &fault.moves, self.names().state(&fault.state))
    }

    /// Fills in the error of a run by chance. Its steps go to the view only with `with_trace`.
    pub fn fill_run(&self, answered: &mut view::Answered, error: &smc::RunError, with_trace: bool) {
        let state = self.names().real_state(&error.state);
        let message = error.problem.kind.to_string();
        answered.error = Some(self.error_of(message, &error.problem.moves, state));
        answered.trace_steps = Some(error.steps.len());
        answered.trace = with_trace.then(|| self.names().run(error));
    }

    fn error_of(&self, message: String, moves: &[mc::Move], state: State) -> view::Error {
        let edges = moves.iter().map(|moved| self.edge(moved)).collect();
        let excerpt = self.excerpt(&message, moves).unwrap_or_default();
        view::Error { message, edges, state, excerpt }
    }

    fn edge(&self, moved: &mc::Move) -> view::Edge {
        let process = &self.network.processes[moved.process];
        let edge = &process.edges[moved.edge];
        let branch = edge.branches.get(moved.branch);
        let place = self.span(moved).map(|span| self.file.line_column(span.start));
        view::Edge {
            process: process.name.clone(),
            source: self.names().location(moved.process, edge.source),
            target: branch.map_or("?".into(), |b| self.names().location(moved.process, b.target)),
            text: edge_text(&Printer::within(self.network, moved.process), edge, moved.branch),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
        }
    }

    /// The edges in the file of the user.
    fn excerpt(&self, message: &str, moves: &[mc::Move]) -> Option<String> {
        let mut spans = moves.iter().filter_map(|moved| {
            let process = &self.network.processes[moved.process];
            self.span(moved).map(|span| (span, format!("taken by {}", process.name)))
        });
        let (span, label) = spans.next()?;
        let mut diagnostic =
            Diagnostic::error("check::model_error", span, message.to_owned()).label(label);
        for (span, label) in spans {
            diagnostic = diagnostic.also(span, label);
        }
        Some(render(&diagnostic, self.file, self.style))
    }

    fn span(&self, moved: &mc::Move) -> Option<Span> {
        let spans = self.model.source_map.processes.get(moved.process)?;
        spans.edges.get(moved.edge.index()).copied()
    }
}

/// What stands at an edge: `select …; when …; sync …; do …`.
fn edge_text(printer: &Printer<'_>, edge: &Edge, branch: usize) -> String {
    let printer = printer.for_edge(edge);
    let branch = edge.branches.get(branch);
    let mut parts = Vec::new();
    for (word, text) in [
        ("select", printer.selects(edge)),
        ("when", printer.condition(&edge.guard)),
        ("sync", printer.sync(&edge.sync)),
        ("do", printer.update(&edge.update)),
        ("select", branch.map(|branch| printer.branch_selects(branch)).unwrap_or_default()),
        ("do", branch.map(|branch| printer.update(&branch.update)).unwrap_or_default()),
    ] {
        if !text.is_empty() {
            parts.push(format!("{word} {text}"));
        }
    }
    parts.join("; ")
}

fn limit(limit: mc::Limit) -> view::Limit {
    match limit {
        mc::Limit::Attained(value) => view::Limit { value: Some(value), attained: true },
        mc::Limit::Approached(value) => view::Limit { value: Some(value), attained: false },
        mc::Limit::Infinite => view::Limit { value: None, attained: false },
    }
}

fn undecided(why: mc::Undecided) -> String {
    match why {
        mc::Undecided::Memory => {
            "the memory is used up; `--memory` grants more, `--over-approximate` needs less"
                .to_owned()
        }
        mc::Undecided::Stopped => "stopped by the user".to_owned(),
        mc::Undecided::Time => "the time is over; `--time` grants more".to_owned(),
        mc::Undecided::Approximation => {
            "the over-approximation runs into an error that the model itself may not have"
                .to_owned()
        }
        mc::Undecided::Growing { beyond } => {
            format!("a clock grew beyond {beyond} without a bound being found")
        }
    }
}

#[cfg(test)]
mod tests {
    use punctual_lang::diagnostic::Style;
    use punctual_mc as mc;
    use punctual_model::{EdgeId, Id, LocationId, ProcessId};
    use punctual_semantics::{FaultKind, Rational};

    use super::{Filler, unanswered};
    use crate::answers as report;

    const MODEL: &str = "int[0,3] n = 3;\nclock x;\nprocess P() {\n  state A, B;\n  init A;\n  \
        trans A -> B { guard x > 1; assign n++; };\n}\nsystem P;\n";
    const QUERIES: &str = "// No overflow.\n// expected: satisfied\nA[] n <= 3\nsup: n, x\n\
        bounds: n\n// EXPECT:F\nE<> n == 0\n";

    /// The text for the query with this index, if the checker gives this answer.
    fn text(index: usize, answer: mc::Answer) -> String {
        let input =
            |name, text: &'static str| punctual_lang::Input { name, bytes: text.as_bytes() };
        let reading =
            punctual_lang::read_with_queries(input("m.xta", MODEL), Some(input("m.q", QUERIES)));
        let model = reading.model.expect("a model");
        let entry = &model.queries[index];
        let mut answered = unanswered(entry);
        let statistics = mc::Statistics { stored: 1, explored: 1234, ..Default::default() };
        let outcome = mc::Outcome { answer, statistics, trace: None };
        let property = entry.property.as_ref().expect("a query that is right");
        let filler = Filler::new(&reading.file, &model, Style::Plain, mc::Approximation::Exact);
        filler.fill(&mut answered, property, &outcome, true);
        report::text(index + 1, &answered, report::Style::default())
    }

    #[test]
    fn an_error_of_the_model_is_shown_in_its_file() {
        let state = mc::State {
            locations: vec![LocationId::from_index(0)],
            ints: vec![3],
            clocks: vec![Rational::ZERO],
        };
        let trace = mc::Trace {
            start: state.clone(),
            steps: Vec::new(),
            rest: Some(Rational::new(3, 2)),
            ending: mc::Ending::Goal,
        };
        let moved = mc::Move {
            process: ProcessId::from_index(0),
            edge: EdgeId::from_index(0),
            branch: 0,
            selects: Vec::new(),
        };
        let fault = mc::ModelFault {
            kind: FaultKind::Range { value: 4, lo: 0, hi: 3 },
            moves: vec![moved],
            state,
            trace: Some(trace),
        };
        insta::assert_snapshot!(text(0, mc::Answer::Error(Box::new(fault))), @r"
        1  A[] n <= 3
           No overflow.
           error: the model is wrong: the value 4 is out of range: allowed is 0 to 3
           process P, edge A → B: when x > 1; do n++
           in the state
             P.A
             n = 3
             x = 0

        error[check::model_error]: the value 4 is out of range: allowed is 0 to 3
         --> m.xta:6:9
          |
        6 |   trans A -> B { guard x > 1; assign n++; };
          |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ taken by P

           1 state stored, 1,234 explored, 0 transitions, 0.00 s, 0 kB

           start
               P.A
               n = 3
               x = 0
           end after another 3/2, at time 3/2
               here the error happens
        ");
    }

    #[test]
    fn values_have_the_names_of_the_query() {
        let limit =
            |greatest| mc::Extremum { reachable: true, least: None, greatest: Some(greatest) };
        let values = vec![limit(mc::Limit::Attained(3)), limit(mc::Limit::Infinite)];
        insta::assert_snapshot!(text(1, mc::Answer::Values(values)), @r"
        2  sup: n, x
           n <= 3
           x has no upper bound
           1 state stored, 1,234 explored, 0 transitions, 0.00 s, 0 kB
        ");
        let none = mc::Extremum { reachable: false, least: None, greatest: None };
        let text = text(2, mc::Answer::Values(vec![none]));
        assert!(text.contains("n: no reachable state satisfies the condition"), "{text}");
    }

    #[test]
    fn what_its_author_expects_is_compared() {
        assert!(text(0, mc::Answer::Satisfied).contains("   satisfied, as expected\n"));
        let not = "   not satisfied, but its author expects: satisfied\n";
        assert!(text(0, mc::Answer::NotSatisfied).contains(not));
        assert!(text(3, mc::Answer::NotSatisfied).contains("   not satisfied, as expected\n"));
        let stopped = text(3, mc::Answer::Undecided(mc::Undecided::Stopped));
        assert!(stopped.contains("   undecided: stopped by the user\n"), "{stopped}");
    }
}
