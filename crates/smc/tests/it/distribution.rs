//! Times of success.

use punctual_smc::statistics::{Bars, Distribution, Interval};

use crate::Random;

#[test]
fn shares_count_all_runs() {
    let distribution = Distribution::new(vec![3.0, 1.0, 2.0, 2.0], 8);
    let shares = [0.5, 1.0, 1.5, 2.0, 3.0, 9.0].map(|time| distribution.share(time));
    assert_eq!(shares, [0.0, 0.125, 0.125, 0.375, 0.5, 0.5]);
    let points = distribution.points(0.05).unwrap();
    let steps: Vec<_> = points.iter().map(|point| (point.time, point.share)).collect();
    assert_eq!(steps, [(1.0, 0.125), (2.0, 0.375), (3.0, 0.5)]);
}

/// The radius is `√(ln(2 / alpha) / 2n)`: for 738 runs, just below 0.05.
#[test]
fn bands_have_the_radius_of_massart() {
    let distribution = Distribution::new((0..738).map(f64::from).collect(), 738);
    let point = distribution.points(0.05).unwrap()[368];
    assert!(point.share - point.band.low < 0.05 && point.band.high - point.share > 0.049_98);
    let Interval { low, high } = distribution.points(0.05).unwrap()[0].band;
    assert!(low == 0.0 && high < 0.052);
    assert!(distribution.points(1.0).is_err());
    assert!(distribution.guarantee(0.05).contains("within 0.0500 at all times, from 738 runs"));
}

/// 1000 bands of 200 runs, a third of which never succeed: the farthest point is before or at a step.
#[test]
fn bands_contain_the_whole_function() {
    let mut random = Random(17);
    let truth = |time: f64| (time / 1.5).clamp(0.0, 1.0);
    let covered = (0..1000).filter(|_| {
        let draws = (0..200).map(|_| 1.5 * random.uniform());
        let times: Vec<f64> = draws.filter(|&time| time <= 1.0).collect();
        let points = Distribution::new(times, 200).points(0.05).unwrap();
        let mut before = Interval { low: 0.0, high: points[0].band.high - points[0].share };
        points.iter().all(|point| {
            let holds =
                point.band.contains(truth(point.time)) && before.contains(truth(point.time));
            before = point.band;
            holds
        })
    });
    let covered = covered.count();
    println!("band: {covered} of 1000");
    assert!((940..1000).contains(&covered), "{covered} of 1000");
}

#[test]
fn bars_count_each_time_once() {
    let distribution = Distribution::new(vec![0.0, 0.5, 1.0, 1.0, 2.0, 3.9, 4.0], 100);
    let Bars { start, width, counts } = distribution.bars(4);
    assert_eq!((start, width, counts), (0.0, 1.0, vec![2, 2, 1, 2]));
    let mut random = Random(19);
    let times: Vec<f64> = (0..500).map(|_| random.uniform() * 1e-3 + 7.0).collect();
    let distribution = Distribution::new(times, 500);
    let bars = distribution.bars(distribution.default_bins());
    assert_eq!((bars.counts.len(), bars.counts.iter().sum::<u64>()), (23, 500));
}

#[test]
fn bars_of_few_times() {
    let bars = Distribution::new(Vec::new(), 5).bars(10);
    assert_eq!(bars, Bars { start: 0.0, width: 0.0, counts: Vec::new() });
    let bars = Distribution::new(vec![2.0, 2.0], 5).bars(10);
    assert_eq!(bars, Bars { start: 2.0, width: 0.0, counts: vec![2] });
    let bars = Distribution::new(vec![-f64::MAX, f64::MAX], 5).bars(2);
    assert_eq!(bars.counts, [1, 1]);
    assert_eq!(Distribution::new(Vec::new(), 0).share(1.0), 0.0);
    assert_eq!(Distribution::new(Vec::new(), 0).points(0.05), Ok(Vec::new()));
}
