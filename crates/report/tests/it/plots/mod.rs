//! What holds for every plot: nothing leaves the picture, and what is drawn is what was given.

mod reader;

use proptest::prelude::*;
use punctual_report::plot::{
    Band, Bar, Comparison, Distribution, Plot, Series, SeriesKind, Trajectories, page,
};

use crate::sample::{number, of_class, points};

use reader::{Pane, check, words};

/// Numbers that look random: a recurrence with a long period.
fn noise(n: usize) -> Vec<f64> {
    let next = |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99_991));
    let states = std::iter::successors(Some(7_u64), next).skip(1).take(n);
    states.map(|x| (x >> 11) as f64 / (1_u64 << 53) as f64).collect()
}

/// 420 of 1000 runs, mostly early.
fn times() -> Vec<f64> {
    noise(420).iter().map(|u| 4.0 - 14.0 * (1.0 - u * 0.95).ln()).collect()
}

fn distribution(times: &[f64]) -> Distribution<'_> {
    Distribution {
        title: "Pr[<=60] (<> Train(0).Cross)",
        times,
        runs: 1_000,
        bound: 60.0,
        interval: Some((0.389, 0.451)),
        confidence: Some(0.95),
        ..Distribution::default()
    }
}

/// The share of `times` by each of them, moved by `by`.
fn border(times: &[f64], by: f64) -> Vec<(f64, f64)> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let share = |(i, t): (usize, &f64)| (*t, (i + 1) as f64 / 1_000.0 + by);
    std::iter::once((0.0, by)).chain(sorted.iter().enumerate().map(share)).collect()
}

#[test]
fn the_curve_ends_at_the_estimate() {
    let times = times();
    let (low, high) = (border(&times, -0.03), border(&times, 0.03));
    let band = Some(Band { low: &low, high: &high });
    let plot = Plot::distribution(&Distribution { band, ..distribution(&times) });
    let document = check(plot.svg());
    let pane = Pane::nth(&document, 0);
    let curve = of_class(&document, "curve").next().expect("a curve");
    let corners = points(curve.attribute("d").expect("data"));
    let rises = corners.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 >= pair[1].1);
    assert!(rises);
    assert!((pane.value(corners[0].1) - 0.0).abs() <= pane.tenth());
    let last = corners.last().expect("a corner");
    assert!((pane.value(last.1) - 0.42).abs() <= pane.tenth());
    let estimate = of_class(&document, "estimate").next().expect("a line");
    assert_eq!(number(estimate, "y1"), last.1);
    let interval = of_class(&document, "interval").next().expect("an area");
    let top = number(interval, "y");
    assert!((pane.value(top) - 0.451).abs() <= pane.tenth());
    assert!((pane.value(top + number(interval, "height")) - 0.389).abs() <= 2.0 * pane.tenth());
    let summary = "held in 420 of 1000 runs: 0.42, between 0.389 and 0.451 with confidence 0.95";
    assert_eq!(words(&document, "summary"), summary);
    assert_eq!(words(&document, "note"), "");
}

/// Two of four runs, at 2 and 4 of 10: the corners of the curve, as values.
#[test]
fn the_curve_rises_when_the_property_held() {
    let given = Distribution { runs: 4, bound: 10.0, ..distribution(&[4.0, 2.0]) };
    let plot = Plot::distribution(&given);
    let document = check(plot.svg());
    let pane = Pane::nth(&document, 0);
    let curve = of_class(&document, "curve").next().expect("a curve");
    let corners = points(curve.attribute("d").expect("data"));
    let ends = (corners[0].0, corners[corners.len() - 1].0);
    let values = corners.iter().map(|(x, y)| {
        let time = 10.0 * (x - ends.0) / (ends.1 - ends.0);
        format!("{time:.1}: {:.2}", pane.value(*y))
    });
    let expected = ["0.0: 0.00", "2.0: 0.00", "2.0: 0.25", "4.0: 0.25", "4.0: 0.50", "10.0: 0.50"];
    assert_eq!(values.collect::<Vec<_>>(), expected);
}

#[test]
fn bars_sum_to_the_share_of_satisfied_runs() {
    let whole: Vec<f64> = times().iter().map(|t| t.round()).collect();
    for times in [times(), whole] {
        let plot = Plot::distribution(&distribution(&times));
        let document = check(plot.svg());
        let pane = Pane::nth(&document, 1);
        let bars: Vec<_> = of_class(&document, "bar").collect();
        let heights: f64 = bars.iter().map(|bar| number(*bar, "height")).sum();
        let sum = heights / pane.height * (pane.range.1 - pane.range.0);
        assert!((sum - 0.42).abs() <= pane.tenth() * bars.len() as f64, "{sum}");
        assert_eq!(bars.iter().map(|bar| number(*bar, "data-count")).sum::<f64>(), 420.0);
        assert!((5..=50).contains(&bars.len()));
    }
}

#[test]
fn distributions_of_almost_nothing() {
    let of = |times: &[f64], runs| {
        let given = Distribution { runs, interval: None, ..distribution(times) };
        let plot = Plot::distribution(&given);
        let document = check(plot.svg());
        let drawn = (of_class(&document, "curve").count(), of_class(&document, "bar").count());
        (drawn, words(&document, "summary"), words(&document, "note"))
    };
    assert_eq!(of(&[], 0), ((0, 0), "no runs".into(), String::new()));
    assert_eq!(of(&[], 9).1, "held in 0 of 9 runs: 0");
    assert_eq!(of(&[7.5], 1), ((1, 1), "held in 1 of 1 run: 1".into(), String::new()));
    assert_eq!(of(&[7.5; 3], 4).0, (1, 1));
    let (_, summary, note) = of(&[1.0, f64::NAN, f64::INFINITY], 4);
    assert_eq!(summary, "held in 1 of 4 runs: 0.25");
    assert_eq!(note, "not drawn: 2 values that are infinite, too large or no number");
    assert!(of(&[1.0, 2.0], 1).2.starts_with("there are more times than runs"));
}

#[test]
fn ranges_of_any_size() {
    for scale in [1e-90, 1e-6, 1.0, 1e9, -1e9, 1e90] {
        let times: Vec<f64> = times().iter().map(|t| t * scale).collect();
        check(
            Plot::distribution(&Distribution { bound: 60.0 * scale, ..distribution(&times) }).svg(),
        );
        let run: Vec<(f64, f64)> = times.iter().map(|t| (t.abs(), *t)).collect();
        for shift in [0.0, 1e9] {
            let runs = [run.iter().map(|(x, y)| (x + shift, y + shift)).collect()];
            let series = vec![Series { name: "x", kind: SeriesKind::Lines, runs: &runs }];
            check(Plot::trajectories(&Trajectories { series, ..Trajectories::default() }).svg());
        }
    }
}

type Run = Vec<(f64, f64)>;

/// A clock that is reset now and then, and a counter of its resets.
fn runs(n: usize) -> (Vec<Run>, Vec<Run>) {
    let run = |seed: usize| {
        let (mut clock, mut counter) = (vec![(0.0, 0.0)], vec![(0.0, 0.0)]);
        let (mut now, mut count) = (0.0, 0.0);
        for u in noise(40 + 10 * n).iter().skip(10 * seed).take(30) {
            let wait = 1.0 + 5.0 * u;
            now += wait;
            count += if *u < 0.3 { -1.0 } else { 1.0 };
            clock.extend([(now, wait), (now, 0.0)]);
            counter.push((now, count));
        }
        (clock, counter)
    };
    (0..n).map(run).unzip()
}

#[test]
fn trajectories_are_lines_and_steps() {
    let (clock, counter) = runs(3);
    let series = vec![
        Series { name: "Train(0).x", kind: SeriesKind::Lines, runs: &clock },
        Series { name: "Gate.len", kind: SeriesKind::Steps, runs: &counter },
    ];
    let given = Trajectories { title: "simulate", bound: 100.0, series, ..Trajectories::default() };
    let plot = Plot::trajectories(&given);
    let document = check(plot.svg());
    let groups: Vec<_> = of_class(&document, "series").collect();
    assert_eq!(groups.len(), 2);
    for (group, n_points) in groups.iter().zip([61, 61]) {
        let paths: Vec<_> = group.children().filter(|node| node.has_tag_name("path")).collect();
        assert_eq!(paths.len(), 3);
        assert_eq!(points(paths[0].attribute("d").expect("data")).len(), n_points);
    }
    let steps = groups[1].children().filter(|node| node.has_tag_name("path"));
    for path in steps {
        let corners = points(path.attribute("d").expect("data"));
        assert!(corners.windows(2).all(|pair| pair[0].0 == pair[1].0 || pair[0].1 == pair[1].1));
    }
    assert!(plot.svg().contains("<title>Gate.len, run 3</title>"));
    let legend = of_class(&document, "legend").next().expect("a legend");
    assert!(legend.descendants().any(|node| node.text() == Some("Train(0).x")));
}

#[test]
fn a_value_that_is_no_number_leaves_a_gap() {
    let runs = [vec![(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0)]];
    let series = vec![Series { name: "x", kind: SeriesKind::Lines, runs: &runs }];
    let plot = Plot::trajectories(&Trajectories { series, ..Trajectories::default() });
    let document = check(plot.svg());
    let drawn: Vec<_> = of_class(&document, "run").map(|node| node.tag_name().name()).collect();
    assert_eq!(drawn, ["path", "circle"]);
    let note = "not drawn: 1 value that is infinite, too large or no number";
    assert_eq!(words(&document, "note"), note);
}

/// Lines of dots would be a document of many megabytes.
#[test]
fn very_many_gaps_are_not_shown() {
    let value = |i: u32| if i.is_multiple_of(2) { f64::from(i) } else { f64::NAN };
    let run: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), value(i))).collect();
    let runs = [run];
    let series = vec![Series { name: "x", kind: SeriesKind::Steps, runs: &runs }];
    let plot = Plot::trajectories(&Trajectories { series, ..Trajectories::default() });
    let document = check(plot.svg());
    assert_eq!(of_class(&document, "run").count(), 1);
    assert!(words(&document, "note").starts_with("not drawn: 50000 values"));
}

#[test]
fn very_many_points_are_thinned() {
    let values = noise(1_000_000);
    let run: Vec<(f64, f64)> = values.iter().enumerate().map(|(i, u)| (i as f64, *u)).collect();
    let long = [run.clone()];
    let short: Vec<Vec<(f64, f64)>> = run
        .chunks(500)
        .map(|chunk| chunk.iter().enumerate().map(|(i, (_, u))| (i as f64, *u)).collect())
        .collect();
    for kind in [SeriesKind::Lines, SeriesKind::Steps] {
        for runs in [&long[..], &short] {
            let series = vec![Series { name: "noise", kind, runs }; 2];
            let plot = Plot::trajectories(&Trajectories { series, ..Trajectories::default() });
            let document = check(plot.svg());
            // Noise between 0 and 1 reaches almost both.
            let pane = Pane::nth(&document, 0);
            let all = of_class(&document, "run")
                .flat_map(|run| points(run.attribute("d").expect("data")));
            let (mut low, mut high) = (1.0_f64, 0.0_f64);
            for (_, y) in all {
                (low, high) = (low.min(pane.value(y)), high.max(pane.value(y)));
            }
            assert!(low < 0.01 && high > 0.99);
        }
    }
    let series = vec![Series { name: "noise", kind: SeriesKind::Lines, runs: &short }];
    let plot = Plot::trajectories(&Trajectories { series, ..Trajectories::default() });
    let notes = words(&check(plot.svg()), "note");
    assert!(notes.starts_with("drawn: the first 400 of 2000 runs\nlines are drawn by"), "{notes}");
}

#[test]
fn bars_show_their_intervals() {
    let bar = |name, value, interval| Bar { name, value, interval };
    let bars = vec![
        bar("FIFO queue", 0.42, Some((0.39, 0.45))),
        bar(
            "a queue that lets trains pass in the order of their priority and arrival",
            0.61,
            Some((0.64, 0.57)),
        ),
        bar("no interval", 0.2, None),
        bar("no number", f64::NAN, Some((0.1, 0.3))),
        bar("negative", -0.1, Some((f64::NEG_INFINITY, 0.3))),
    ];
    let given = Comparison { title: "Train 0 crosses within 60", x_label: "probability", bars };
    let plot = Plot::comparison(&given);
    let document = check(plot.svg());
    assert_eq!(of_class(&document, "bar").count(), 4);
    assert_eq!(of_class(&document, "interval").count(), 9);
    let values = "0.42 (0.39 to 0.45)\n0.61 (0.57 to 0.64)\n0.2\n? (0.1 to 0.3)\n−0.1";
    assert_eq!(words(&document, "value"), values);
    let note = "not drawn: 2 values that are infinite, too large or no number";
    assert_eq!(words(&document, "note"), note);
    check(Plot::comparison(&Comparison::default()).svg());
}

#[test]
fn names_are_escaped() {
    let name = "a<b>&\"c'\u{0}\u{1b}]]>\u{202e}<script>alert(1)</script>";
    let runs = [vec![(0.0, 1.0), (1.0, 2.0)]];
    let series = vec![Series { name, kind: SeriesKind::Steps, runs: &runs }];
    let lines = Trajectories { title: name, x_label: name, bound: 1.0, series };
    let bars = vec![Bar { name, value: 1.0, interval: None }];
    let plots = [
        Plot::distribution(&Distribution { title: name, x_label: name, ..distribution(&[1.0]) }),
        Plot::trajectories(&lines),
        Plot::comparison(&Comparison { title: name, x_label: name, bars }),
    ];
    for plot in &plots {
        let document = check(plot.svg());
        assert_eq!(words(&document, "title"), "a<b>&\"c']]><script>alert(1)</script>");
        assert!(document.descendants().all(|node| !node.has_tag_name("script")));
    }
    let page = page(name, &plots);
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains("src=") && !page.contains("href=") && !page.contains("url("));
    assert_eq!(page.matches("http").count(), 3 + 1, "namespaces and the policy");
}

#[test]
fn long_names_are_shortened() {
    let name = "W".repeat(5_000);
    let runs = [vec![(0.0, 1.0), (1.0, 2.0)]];
    let series = vec![Series { name: &name, kind: SeriesKind::Steps, runs: &runs }; 50];
    let lines = Trajectories { title: &name, x_label: &name, bound: 1.0, series };
    check(Plot::trajectories(&lines).svg());
    let given = Distribution { title: &name, x_label: &name, ..distribution(&[1.0]) };
    check(Plot::distribution(&given).svg());
    let bars = vec![Bar { name: &name, value: 1.0, interval: Some((-1e-5, 1e8)) }; 300];
    check(Plot::comparison(&Comparison { title: &name, x_label: &name, bars }).svg());
}

fn arb_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -100.0..100.0_f64,
        4 => (-20..20_i32).prop_map(f64::from),
        1 => any::<f64>(),
        1 => proptest::sample::select(vec![f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE]),
    ]
}

fn arb_points() -> impl Strategy<Value = Vec<(f64, f64)>> {
    proptest::collection::vec((arb_number(), arb_number()), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_distribution_can_be_drawn(
        times in proptest::collection::vec(arb_number(), 0..60),
        (runs, bound) in (0..100_u64, arb_number()),
        interval in proptest::option::of((arb_number(), arb_number())),
        band in proptest::option::of((arb_points(), arb_points())),
    ) {
        let band = band.as_ref().map(|(low, high)| Band { low, high });
        let given = Distribution { times: &times, runs, bound, interval, band, ..Distribution::default() };
        check(Plot::distribution(&given).svg());
    }

    #[test]
    fn any_trajectories_can_be_drawn(
        runs in proptest::collection::vec(proptest::collection::vec(arb_points(), 0..5), 0..5),
        bound in arb_number(),
    ) {
        let kinds = [SeriesKind::Steps, SeriesKind::Lines];
        let series = |(i, runs)| Series { name: "x", kind: kinds[i % 2], runs };
        let series = runs.iter().map(Vec::as_slice).enumerate().map(series).collect();
        check(Plot::trajectories(&Trajectories { bound, series, ..Trajectories::default() }).svg());
    }

    #[test]
    fn any_values_can_be_compared(
        values in proptest::collection::vec((arb_number(), proptest::option::of((arb_number(), arb_number()))), 0..20),
    ) {
        let bar = |(value, interval): &(f64, _)| Bar { name: "x", value: *value, interval: *interval };
        let bars = values.iter().map(bar).collect();
        check(Plot::comparison(&Comparison { bars, ..Comparison::default() }).svg());
    }
}
