//! Runs on a platform: what the picture shows, and that it stays small.

use proptest::prelude::*;
use punctual_campaign::platform::Mode;
use punctual_campaign::store::Run;
use punctual_report::view::evidence::{By, Objective, Objectives};
use punctual_report::view::matrix::Outcome;
use punctual_report::view::timeline::{Lane, Line, Mark, Step, Timeline};
use punctual_report::{fill, runs};
use roxmltree::{Document, Node};

use super::infusion;
use super::sample::coffee;
use crate::sample::{number, of_class};

const MS: u64 = 1_000_000;

fn page(timeline: &Timeline) -> String {
    let sample = coffee();
    runs::page_on(&sample.run, &sample.record(), &[], Some(timeline))
}

/// The section of a page, as it is written there.
fn section(timeline: &Timeline) -> String {
    let page = page(timeline);
    let start = page.find("<section id=\"platform\">").expect("a section");
    let end = page[start..].find("</section>").expect("its end");
    page[start..start + end + "</section>".len()].to_owned()
}

fn line(variable: &str, low: u64, mean: u64, high: u64) -> Line {
    let [low_ns, mean_ns, high_ns] = [low, mean, high].map(|ms| (ms * MS) as f64);
    Line { variable: variable.to_owned(), low_ns, mean_ns, high_ns }
}

fn mark(at: u64, value: &str, again: &[u64]) -> Mark {
    let again_ns = again.iter().map(|ms| ms * MS).collect();
    Mark { at_ns: at * MS, value: value.to_owned(), again_ns }
}

fn step(number: usize, interaction: Option<usize>) -> Step {
    Step {
        at_ns: (number as u64 + 1) * 500 * MS,
        number,
        interaction,
        is_behind: interaction.is_some_and(|it| it > 1),
        result: Outcome::Passed,
        reason: String::new(),
        exercised: interaction.filter(|it| *it < 2).map(|it| 0.999 - it as f64),
    }
}

/// Objectives of which one is not exercised, one probably, and one surely.
fn objectives() -> Objectives {
    let objective = |condition: &str, probability: f64, exercised: &'static str| Objective {
        equation: "flow".to_owned(),
        condition: condition.to_owned(),
        outcome: true,
        probability,
        exercised,
        by: match exercised {
            "not" => Vec::new(),
            _ => vec![By { case: "air".to_owned(), step: 1, probability }],
        },
    };
    let all = vec![
        objective("start", 0.999, "surely"),
        objective("a <b> & c", 0.0, "not"),
        objective("stop", 0.7, "probably"),
    ];
    Objectives { criterion: "branch".to_owned(), surely: 1, probably: 1, not: 1, all }
}

/// One sensor that feeds two inputs, and one actuator.
fn small() -> Timeline {
    let mut steps: Vec<Step> = (0..5).map(|at| step(at, at.checked_sub(2))).collect();
    steps[2].exercised = Some(0.5);
    (steps[3].result, steps[3].reason) = (Outcome::Failed, "Step 1: `flow` <is> wrong.".into());
    Timeline {
        manner: "Delays were minded.".to_owned(),
        risk: 2.5e-5,
        sure: 0.99,
        objectives: Some(objectives()),
        software_ns: 5e6,
        end_ns: 3_000 * MS,
        steps,
        lanes: vec![
            Lane {
                name: "air in line".to_owned(),
                is_monitored: true,
                lines: vec![line("air", 100, 250, 400), line("bubble", 10, 20, 30)],
                marks: vec![mark(1_000, "true", &[1_500]), mark(2_000, "false", &[])],
                arrived_ns: vec![1_260 * MS],
            },
            Lane {
                name: "motor".to_owned(),
                is_monitored: false,
                lines: vec![line("flow", 200, 300, 400)],
                marks: vec![mark(800, "0", &[1_300, 1_800]), mark(2_300, "1", &[])],
                arrived_ns: vec![],
            },
        ],
    }
}

/// The objectives of a run are a table, the least certain first, whatever their conditions look like.
#[test]
fn objectives_are_a_table() {
    let page = page(&small());
    let start = page.find("<section id=\"objectives\">").expect("a section");
    let section = &page[start..start + page[start..].find("</section>").expect("its end") + 10];
    Document::parse(section).expect("well-formed");
    assert!(section.contains("1 of 3 branch objectives of the model were surely exercised"));
    let at = |text: &str| section.find(text).unwrap_or_else(|| panic!("{text}: {section}"));
    let [not, probably, surely] =
        ["a &lt;b&gt; &amp; c", "`stop` is true", "`start` is true"].map(at);
    assert!(not < probably && probably < surely, "{section}");
    assert!(section.contains("none is bound to show it"), "{section}");
    let without = Timeline { objectives: None, ..small() };
    assert!(!self::page(&without).contains("id=\"objectives\""));
}

#[test]
fn a_small_run() {
    let section = section(&small());
    let picture = Document::parse(lanes(&section)).expect("well-formed");
    let counts: [usize; 2] =
        ["m", "c"].map(|class| drawn(&picture, class).iter().map(|it| it.1.len()).sum());
    assert_eq!(counts, [4, 2], "each value has a window for each line");
    insta::assert_snapshot!(section);
}

/// Marks of the picture with their windows: the middle of the mark, then both ends of each window.
fn drawn(picture: &Document<'_>, class: &str) -> Vec<(f64, Vec<[f64; 2]>)> {
    let is = |node: &Node<'_, '_>, class: &str| node.attribute("class") == Some(class);
    let event = |group: Node<'_, '_>| {
        let mark = group.children().find(|it| is(it, "mark")).expect("a mark");
        let path = mark.attribute("d").expect("a path");
        let start = path.strip_prefix('M').and_then(|it| it.split(' ').next()).expect("its start");
        let x = start.parse::<f64>().expect("a number") + 4.0;
        let window = |it: Node<'_, '_>| {
            let x = number(it, "x");
            [x, x + number(it, "width")]
        };
        (x, group.children().filter(|it| is(it, "window")).map(window).collect())
    };
    of_class(picture, class).map(event).collect()
}

/// The picture with the lanes of a section.
fn lanes(section: &str) -> &str {
    let start = section.find("<svg class=\"lanes\"").expect("a picture");
    &section[start..start + section[start..].find("</svg>").expect("its end") + 6]
}

fn arb_timeline() -> impl Strategy<Value = Timeline> {
    let text =
        || proptest::sample::select(vec!["air", "</script><b>", "\"'&", "\u{0}\u{202e}x", ""]);
    let ns = || 0..9_000 * MS;
    // One instant far away would leave no room for all others, so it is rare.
    let end = prop_oneof![6 => ns(), 1 => any::<u64>()];
    let line =
        (text(), 0.0..1e9_f64, 0.0..1e9_f64, 0.0..1e9_f64).prop_map(|(variable, a, b, c)| {
            let mut all = [a, b, c];
            all.sort_by(f64::total_cmp);
            let [low_ns, mean_ns, high_ns] = all;
            Line { variable: variable.to_owned(), low_ns, mean_ns, high_ns }
        });
    let some = |n: usize| 0..n;
    let mark = (ns(), text(), proptest::collection::vec(ns(), some(3)))
        .prop_map(|(at_ns, value, again_ns)| Mark { at_ns, value: value.to_owned(), again_ns });
    let lane = (
        (text(), any::<bool>()),
        proptest::collection::vec(line, some(4)),
        proptest::collection::vec(mark, some(9)),
        proptest::collection::vec(ns(), some(3)),
    )
        .prop_map(|((name, is_monitored), lines, mut marks, arrived_ns)| {
            marks.sort_by_key(|it| it.at_ns);
            Lane { name: name.to_owned(), is_monitored, lines, marks, arrived_ns }
        });
    let results = vec![Outcome::Passed, Outcome::Failed, Outcome::Inconclusive, Outcome::NotKnown];
    let step = (ns(), any::<usize>(), proptest::sample::select(results), text()).prop_map(
        |(at_ns, number, result, reason)| Step {
            at_ns,
            result,
            reason: reason.to_owned(),
            exercised: Some(number as f64).filter(|_| number % 3 > 0),
            interaction: Some(number).filter(|_| number % 2 > 0),
            is_behind: number % 5 == 0,
            number,
        },
    );
    let parts = (
        proptest::collection::vec(lane, some(70)),
        proptest::collection::vec(step, some(20)),
        (end, text(), any::<f64>()),
    );
    parts.prop_map(|(lanes, steps, (end_ns, manner, risk))| Timeline {
        manner: manner.to_owned(),
        risk,
        sure: 0.99,
        objectives: None,
        software_ns: 0.0,
        end_ns,
        steps,
        lanes,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is set is inside later, and what is seen was inside before; whatever the names are, the document is one.
    #[test]
    fn windows_lie_on_the_right_side(timeline in arb_timeline()) {
        let section = section(&timeline);
        let whole = Document::parse(&section).expect("well-formed");
        prop_assert!(of_class(&whole, "name").count() <= 60);
        let picture = Document::parse(lanes(&section)).expect("well-formed");
        for (x, windows) in drawn(&picture, "m") {
            prop_assert!(windows.iter().all(|[from, to]| *from >= x - 0.2 && to >= from));
        }
        for (x, windows) in drawn(&picture, "c") {
            // A window is at least a pixel wide.
            prop_assert!(windows.iter().all(|[from, to]| *to <= x + 1.2 && to >= from));
        }
        for word in ["<b", "<script"] {
            prop_assert!(!section.contains(word));
        }
    }
}

/// A hundred variables in a run of an hour: what does not fit is left out, around the first step that failed.
#[test]
fn a_long_run_of_many_variables_is_a_small_page() {
    let mut timeline = small();
    timeline.steps = (0..7_200).map(|at| step(at, at.checked_sub(2))).collect();
    timeline.steps[5_000].result = Outcome::Failed;
    timeline.end_ns = 3_600_000 * MS;
    let quiet = timeline.lanes[1].clone();
    timeline.lanes = vec![Lane { name: "quiet".into(), marks: vec![], ..quiet.clone() }; 50];
    let every: Vec<u64> = (0..7_200).map(|at| at * 500 + 300).collect();
    let marks: Vec<Mark> = (0..72)
        .map(|at| mark(at * 50_000 + 300, &at.to_string(), &every[at as usize * 100 + 1..][..99]))
        .collect();
    let lively = (0..50).map(|at| Lane {
        name: format!("lane {at}"),
        marks: marks.clone(),
        ..quiet.clone()
    });
    timeline.lanes.extend(lively);
    let section = section(&timeline);
    assert!(section.len() < 900_000, "{} bytes", section.len());
    assert_eq!(section.matches("\">lane ").count(), 50);
    assert_eq!(section.matches("\">quiet").count(), 10);
    assert!(section.contains("40 in which least happens are left out"), "{section}");
    assert!(section.contains("steps are left out"));
    assert_eq!(section.matches("class=\"step failed\"").count(), 1);
}

/// Sensors do not take the room of actuators.
#[test]
fn both_sides_have_equal_shares() {
    let mut timeline = small();
    let [sensor, actuator] = [0, 1].map(|at| vec![timeline.lanes[at].clone(); 80]);
    timeline.lanes = [sensor, actuator[..40].to_vec()].concat();
    let section = section(&timeline);
    let shown = ["\">air in line", "\">motor"].map(|name| section.matches(name).count());
    assert_eq!(shown, [30, 30]);
}

fn made(name: &str, played: &str, platform: &str, mode: Mode) -> Vec<(Run, Timeline)> {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let timeline = |run: Run| {
        let record = run.record().expect("a record");
        let timeline = fill::timeline::timeline(&run, &record).expect("a platform");
        (run, timeline)
    };
    infusion::runs(&folder, played, platform, mode).into_iter().map(timeline).collect()
}

/// Of a right pump, each value was written by a step that was done in its window, and the values of an interaction reach the software
/// between its step and the one before.
#[test]
fn windows_agree_with_the_steps_of_a_right_pump() {
    for (run, timeline) in made("right-pump", "pump.lus", "platform.toml", Mode::Explained) {
        assert!(timeline.steps.iter().all(|it| it.result == Outcome::Passed), "{}", run.name);
        let n_intended = timeline.steps.iter().filter(|it| it.exercised > Some(0.99)).count();
        let case = timeline.steps.iter().filter(|it| it.interaction.is_some() && !it.is_behind);
        assert_eq!(n_intended, case.count());
        // The software takes 5 ms more or less.
        let slack = 7.0 * MS as f64;
        let mut n_marks = 0;
        for lane in timeline.lanes.iter().filter(|it| !it.is_monitored) {
            for mark in &lane.marks {
                let [from, _, to] = lane.window(&lane.lines[0], mark.at_ns);
                let is_in = |it: &&Step| (from - slack..=to + slack).contains(&(it.at_ns as f64));
                assert!(timeline.steps.iter().any(|it| is_in(&it)), "{lane:?}");
                n_marks += 1;
            }
        }
        assert!(n_marks > 6, "{n_marks}");
        let first = timeline.steps.iter().position(|it| it.interaction == Some(0)).expect("a step");
        let times = [first - 1, first].map(|at| timeline.steps[at].at_ns as f64);
        let button = &timeline.lanes[0];
        let [_, mean, _] = button.window(&button.lines[0], button.marks[0].at_ns);
        assert!(times[0] < mean && mean < times[1], "{times:?} {mean}");
    }
}

/// Without delays in mind the button is seen before the air; the page has the delays nevertheless.
#[test]
fn direct_runs_show_the_delays_that_nobody_minded() {
    let all = made("direct-pump", "pump.lus", "platform.toml", Mode::Direct);
    let timeline = &all[0].1;
    let first = timeline.steps.iter().find(|it| it.interaction == Some(0)).expect("a step");
    assert_eq!(first.result, Outcome::Failed);
    let [button, _, air] = &timeline.lanes[..3] else { panic!("three sensors") };
    assert_eq!((&*button.name, &*air.name), ("start button", "air in line"));
    assert_eq!(button.marks[0].at_ns, air.marks[0].at_ns, "set at once");
    let mean = |lane: &Lane| lane.window(&lane.lines[0], lane.marks[0].at_ns)[1];
    assert!(mean(button) < first.at_ns as f64 && mean(air) > first.at_ns as f64);
    let page = fill::runs::page(&all[0].0).expect("a page");
    assert!(page.contains("The tester did not mind these delays"));
    assert!(page.contains("class=\"step failed\""));
}

/// A run whose platform file is gone has a page without the picture, and so has one that never had a platform.
#[test]
fn a_page_without_a_platform() {
    let (run, _) = made("lost-file", "pump.lus", "wide.toml", Mode::Scheduled).remove(0);
    std::fs::remove_file(run.path.join("wide.toml")).expect("a copy of the file");
    assert!(!fill::runs::page(&run).expect("a page").contains("id=\"platform\""));
    assert_eq!(fill::timeline::timeline(&coffee().run, &coffee().record()), None);
}
