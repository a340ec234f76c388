//! Any record gives well-formed reports.

use proptest::prelude::*;
use punctual_campaign::store::{
    Allowed, Cause, Changed, Coverage, CutOff, Delay, Diagnosis, Direction, EdgeCoverage, End,
    Ending, Event, Judged, Line, LocationCoverage, Port, Record, Said, Sets, Signal, State,
    Statistics, Steered, Tolerance, UseCoverage, Verdict, What, Window,
};
use punctual_campaign::summary::{Digest, Summary};
use punctual_report::runs::{self, Automaton, Campaign, Style};
use punctual_report::view::matrix::Matrix;

use super::formats::{check_junit, check_vcd};
use super::sample::{coffee, requirements};

fn arb_text() -> impl Strategy<Value = String> {
    let odd = vec!["</script>", "\"", "7/0", "1.5", "x", "$end", "]]>", "99999999999999999999"];
    let chars = proptest::collection::vec(any::<char>(), 0..8).prop_map(String::from_iter);
    prop_oneof![chars, proptest::sample::select(odd).prop_map(str::to_owned)]
}

fn arb_direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Input), Just(Direction::Output)]
}

/// Names that headers below have, and others.
fn port_name() -> impl Strategy<Value = String> {
    prop_oneof![Just("p0".to_owned()), Just("p1".to_owned()), arb_text()]
}

fn arb_value() -> impl Strategy<Value = serde_json::Value> {
    prop_oneof![
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        arb_text().prop_map(Into::into),
        Just(serde_json::Value::Null),
    ]
}

/// Mostly small numbers, sometimes any.
fn arb_ns() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..1_000_u64, 1 => any::<u64>()]
}

fn arb_line() -> impl Strategy<Value = Line> {
    let values = || proptest::collection::vec(arb_value(), 0..3);
    let ports = || proptest::collection::btree_map(arb_text(), arb_value(), 0..3);
    let what = prop_oneof![
        3 => (arb_direction(), arb_text(), values())
            .prop_map(|(direction, name, values)| What::Signal { direction, name, values }),
        2 => (values(), values()).prop_map(|(inputs, outputs)| What::Step { inputs, outputs }),
        1 => ports().prop_map(|ports| What::Set(ports.into_iter().collect())),
        1 => ports().prop_map(|ports| What::Reading(ports.into_iter().collect())),
    ];
    let event = (what, arb_ns(), arb_ns(), arb_ns()).prop_map(|(what, one, other, system)| {
        let (from_ns, to_ns) = (one.min(other), one.max(other));
        let sets = Sets { system, environment: 1 };
        Line::Event(Event { what, from_ns, to_ns, device_ns: None, sets })
    });
    let changed = || {
        let parts = (port_name(), arb_value(), arb_value(), proptest::option::of(arb_value()));
        let changed = parts.prop_map(|(variable, from, to, low)| Changed {
            variable,
            from,
            to,
            high: low.clone(),
            low,
        });
        proptest::collection::vec(changed, 0..3)
    };
    let steered = (0..4_u64, changed(), changed()).prop_map(|(steered, changes, differences)| {
        Line::Steered(Steered { steered, changes, differences })
    });
    let judged =
        (0..4_u64, arb_text(), arb_ns(), arb_text()).prop_map(|(judged, kind, at_ns, reason)| {
            Line::Judged(Judged { judged, kind, verdict: Verdict::Fail, at_ns, reason })
        });
    let said = (arb_text(), arb_text(), arb_ns())
        .prop_map(|(said, source, at_ns)| Line::Said(Said { said, source, at_ns }));
    let window = (arb_text(), proptest::option::of(values()), arb_ns(), arb_ns(), arb_ns())
        .prop_map(|(signal, values, from_ns, to, as_of_ns)| {
            let (from_open, to_open) = (to % 2 == 0, to % 3 == 0);
            let to_ns = (to % 5 > 0).then_some(to);
            Line::Window(Window { signal, values, from_ns, to_ns, from_open, to_open, as_of_ns })
        });
    prop_oneof![
        4 => event,
        3 => window,
        2 => steered,
        1 => judged,
        1 => said,
        1 => arb_ns().prop_map(|to_ns| Line::Delay(Delay { to_ns, sets: Sets::default() })),
        1 => arb_ns().prop_map(Line::Restart),
        1 => arb_text().prop_map(Line::Note),
    ]
}

fn arb_end() -> impl Strategy<Value = Option<End>> {
    let kinds = Cause::ALL.to_vec();
    let parts = (proptest::sample::select(kinds), proptest::array::uniform6(arb_text()), arb_ns());
    let end = parts.prop_map(|(kind, [seen, at, from, to, why, explanation], at_ns)| {
        let values = (at_ns % 2 == 0).then(|| vec![1.into()]);
        let (signal, to) = (seen.clone(), Some(to).filter(|_| at_ns % 3 > 0));
        let allowed = vec![Allowed { signal, values, from, to, from_open: true, to_open: false }];
        let states =
            vec![State { locations: vec![why.clone()], variables: vec![], clocks: vec![] }];
        let (source, target, label) = (seen.clone(), at.clone(), String::new());
        let cut_off = vec![CutOff { process: why.clone(), source, target, label, why }];
        let guilty = vec![seen.clone()];
        let diagnosis =
            Some(Diagnosis { kind, seen, at, guilty, allowed, states, cut_off, explanation });
        let verdict = [Verdict::Pass, Verdict::Fail, Verdict::Inconclusive][at_ns as usize % 3];
        let ending = (at_ns % 5 == 0).then(|| Ending::new(kind, ""));
        let (late_ns, statistics) = (Some(at_ns), Statistics::default());
        End { verdict, at_ns, diagnosis, ending, late_ns, statistics, shows: Vec::new() }
    });
    proptest::option::of(end)
}

fn arb_record() -> impl Strategy<Value = Record> {
    let signals = proptest::collection::vec((arb_text(), arb_direction(), arb_text()), 0..3);
    let lines = proptest::collection::vec(arb_line(), 0..12);
    let roles = proptest::sample::select(vec!["input", "output", "observed", "<b>"]);
    let types = proptest::sample::select(vec!["bool", "int", "real", "A|B", "", "<i>|"]);
    let ports = proptest::collection::vec((roles, types), 0..4);
    let parts = (signals, ports, lines, arb_end(), arb_text(), arb_ns(), arb_value());
    parts.prop_map(|(signals, ports, lines, end, name, n, by)| {
        let signal = |(name, direction, value)| Signal { name, direction, values: vec![value] };
        let mut record = Record { lines, end, is_cut: n % 2 == 0, ..coffee().record() };
        let port = |(i, (role, ty)): (usize, (&str, &str))| Port {
            name: format!("p{i}"),
            role: role.to_owned(),
            ty: ty.to_owned(),
        };
        record.header.ports = ports.into_iter().enumerate().map(port).collect();
        record.header.tolerances =
            vec![Tolerance { variable: "p0".into(), low: by.clone(), high: by }];
        record.header.signals = signals.into_iter().map(signal).collect();
        (record.header.unit_ns, record.header.tool, record.header.started) =
            (n, name.clone(), name.clone());
        let edge = (n % 20) as u32;
        let count = EdgeCoverage {
            process: "Machine".into(),
            edge,
            early: n,
            late: n,
            ..Default::default()
        };
        let location =
            LocationCoverage { process: "Machine".into(), location: edge, name, visited: false };
        let used = UseCoverage {
            variable: record.header.tool.clone(),
            defined: Some(edge),
            ..Default::default()
        };
        record.coverage =
            Some(Coverage { edges: vec![count], locations: vec![location], uses: vec![used] });
        record
    })
}

/// Requirements of which everything has this name.
fn named(text: &str) -> Matrix {
    let mut matrix = requirements();
    matrix.suite = text.to_owned();
    for requirement in &mut matrix.requirements {
        requirement.name = text.to_owned();
        for row in &mut requirement.rows {
            row.case = text.to_owned();
            row.run = Some((text.to_owned(), Some(text.to_owned())));
            for check in &mut row.checks {
                (check.name, check.reason) = (text.to_owned(), text.to_owned());
            }
        }
    }
    matrix
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_record_gives_reports(record in arb_record(), text in arb_text()) {
        let sample = coffee();
        let digest = Digest::of(sample.run.clone(), &record);
        prop_assert!(!runs::text(&digest, Style::default()).is_empty());
        let summary = Summary::from_digests(vec![digest]);
        let narrow = Style { colour: true, width: Some(60) };
        prop_assert!(!runs::table(&summary, narrow).is_empty());
        check_junit(&runs::junit(&summary, "any"));
        prop_assert!(serde_json::from_str::<serde_json::Value>(&runs::json(&summary)).is_ok());
        check_vcd(&runs::vcd(&record), &record);
        let odd = Automaton { edges: vec![99, 0], ..sample.automata[0].clone() };
        let page = runs::page(&sample.run, &record, &[sample.automata[0].clone(), odd]);
        prop_assert_eq!(page.matches("<script").count(), 2);
        let campaign = Campaign {
            title: "any",
            link: &|run| Some(format!("{}.html", run.name)),
            automata: &|_| sample.automata.clone(),
            matrices: &[named(&text)],
            repeated: &[],
        };
        prop_assert_eq!(runs::index(&summary, &campaign).matches("<script").count(), 1);
    }
}
