//! Systems that show everything later, or earlier, than the model says.

use punctual_model::testing::suite::{Body, Chance, Probability};
use punctual_semantics::specification::Specification;
use punctual_smc::exact::{Phase, Ratio};
use punctual_testgen::uio::{Counts, Curve, Ground, NoCurve, chance, likeliest, probability};

use crate::uio::{ERROR, FIGURE_3, FIGURE_4, FIGURE_5, LOOP, Row, case, options, specification};

/// The curve of some rows with an ending that proves this location.
fn curve<'s>(
    specification: &'s Specification,
    rows: &[Row],
    phase: Phase,
    location: &str,
) -> Curve<'s> {
    let ground = Ground::new(specification);
    let made = chance(&ground, &case(specification, rows), &options(phase, location));
    let made = made.expect("a chance").case;
    Curve::new(specification, &made, phase).expect("a curve")
}

fn probabilities(curve: &mut Curve<'_>, shift: i64) -> Vec<f64> {
    curve.at(shift).expect("a probability").to_vec()
}

fn number(ratio: &Ratio) -> f64 {
    let text = ratio.to_string();
    let (above, below) = text.split_once('/').unwrap_or((&text, "1"));
    above.parse::<f64>().expect("a number") / below.parse::<f64>().expect("a number")
}

/// The same model, whose windows begin and end later.
fn later(ms: i64) -> String {
    ERROR.replace("5100", &(5100 + ms).to_string()).replace("3400", &(3400 + ms).to_string())
}

/// To be late is to have later windows, and the two are computed in different ways: here the checks move, there the model.
#[test]
fn windows_that_come_later() {
    let right = specification(ERROR);
    let figure_4: Vec<Row> = FIGURE_3.iter().chain(&FIGURE_4).copied().collect();
    let twice: [Row; 6] = [
        ("out", 0, false, 0),
        ("wait", 4250, true, 1),
        ("in", 0, true, 1),
        ("wait", 4000, false, 1),
        ("out", 0, false, 1),
        ("wait", 3700, false, 1),
    ];
    for shift in [-2000, -850, -425, -85, -1, 0, 1, 85, 425, 849, 1200, 1700] {
        let text = later(shift);
        let wrong = specification(&text);
        for rows in [&FIGURE_3[..], &FIGURE_5, &figure_4, &twice] {
            let mut case = case(&wrong, rows);
            let Body::Timed(parts) = &case.body else { unreachable!("it is timed") };
            let wanted = number(&probability(&wrong, parts, Phase::None).expect("computed"));
            let stated = probability(&right, parts, Phase::None).expect("computed");
            let p = number(&stated);
            let outputs = Probability { least: p, greatest: p, exact: Some(stated.to_string()) };
            case.chance =
                Some(Chance { outputs, ending: None, note: String::new(), independent: 0 });
            let mut curve = Curve::new(&right, &case, Phase::None).expect("a curve");
            let found = probabilities(&mut curve, shift)[0];
            assert!((found - wanted).abs() < 1e-9, "{shift} ms: {found} and {wanted}");
        }
    }
}

/// An error is qualified when a loop has come round for the third time: 3400 to 5100 ms after it came.
#[test]
fn a_loop_that_is_late() {
    let specification = specification(LOOP);
    let rows = [FIGURE_5[1], FIGURE_5[2]];
    let rows = [("out", 0, false, 0), rows[0], rows[1]];
    let mut curve = curve(&specification, &rows, Phase::OfScript(1700), "Error.DetectedQualified");
    for shift in [-800, -85, 0, 85, 849] {
        let wanted = (850.0 - shift as f64) / 1700.0;
        let found = probabilities(&mut curve, shift)[0];
        assert!((found - wanted).abs() < 1e-9, "{shift} ms: {found} and {wanted}");
    }
}

#[test]
fn ranges_and_first_deviations() {
    let specification = specification(ERROR);
    let mut short = curve(&specification, &FIGURE_5, Phase::None, "Error.AbsentQualified");
    let [(least, greatest), joint] = short.range(85)[..] else { panic!("two probabilities") };
    assert!((least - 0.45).abs() < 1e-9 && (greatest - 0.55).abs() < 1e-9, "{least} {greatest}");
    // The ending waits for the end of another window, and looks a millisecond behind it.
    assert!((joint.0 - 0.45 * 1616.0 / 1700.0).abs() < 1e-9 && joint.1 == greatest, "{joint:?}");
    // Behind the window nothing changes; only to be later does.
    let mut long = curve(&specification, &FIGURE_3, Phase::None, "Error.PresentQualified");
    let (least, greatest) = long.range(85)[0];
    assert!((least - 0.95).abs() < 1e-9 && greatest == 1.0, "{least} {greatest}");
    assert_eq!(long.range(0)[0], (1.0, 1.0));
    assert_eq!(long.first(|it| it[0] <= 0.9), Some(170));
    assert_eq!(short.first(|it| it[0] >= 0.6), Some(-170));
    assert_eq!(short.first(|it| (it[0] - 0.5).abs() > 0.099_99), Some(170));
    assert_eq!(short.first(|it| it[0] > 1.5), None);
}

#[test]
fn the_shift_that_fits_best() {
    let specification = specification(ERROR);
    let mut short = curve(&specification, &FIGURE_5, Phase::None, "Error.AbsentQualified");
    let mut long = curve(&specification, &FIGURE_3, Phase::None, "Error.PresentQualified");
    let counts = |n, k| Counts { of: 0, n, k };
    assert_eq!(likeliest(&mut [(&mut short, counts(80, 20))]), Some(425));
    assert_eq!(likeliest(&mut [(&mut short, counts(80, 60))]), Some(-425));
    assert_eq!(likeliest(&mut [(&mut short, counts(80, 40))]), None);
    // Within what chance does; then the least of all shifts that fit as well.
    assert_eq!(likeliest(&mut [(&mut short, counts(80, 37))]), None);
    assert_eq!(likeliest(&mut [(&mut short, counts(80, 0))]), Some(850));
    assert_eq!(likeliest(&mut [(&mut short, counts(80, 80))]), Some(-850));
    let mut both = [(&mut short, counts(80, 20)), (&mut long, counts(80, 60))];
    assert_eq!(likeliest(&mut both), Some(425));
    // The ending alone: (850 - s) (1701 - s) of 1700 * 1700.
    let ending = Counts { of: 1, n: 80, k: 20 };
    assert_eq!(likeliest(&mut [(&mut short, ending)]), Some(325));
    // Both fit somewhere, and nowhere together.
    let mut both = [(&mut short, counts(80, 80)), (&mut long, counts(80, 0))];
    assert_eq!(likeliest(&mut both), None);
}

#[test]
fn what_was_sampled_has_no_curve() {
    let specification = specification(ERROR);
    let ground = Ground::new(&specification);
    let plain = case(&specification, &FIGURE_5);
    assert!(matches!(Curve::new(&specification, &plain, Phase::None), Err(NoCurve::Sampled)));
    let options = options(Phase::None, "Error.AbsentQualified");
    let mut made = chance(&ground, &plain, &options).expect("a chance").case;
    let stated = made.chance.as_mut().expect("a chance");
    stated.outputs.exact = Some("1/3".to_owned());
    assert!(matches!(Curve::new(&specification, &made, Phase::None), Err(NoCurve::Differs)));
    made.chance.as_mut().expect("a chance").outputs.exact = None;
    assert!(matches!(Curve::new(&specification, &made, Phase::None), Err(NoCurve::Sampled)));
}

/// What an input changes at once: a check that is late by as much as it waited still sees it, and one that is later sees what was before.
#[test]
fn checks_at_the_instant_of_an_input() {
    let specification = specification(
        "broadcast chan out, in; bool isQualified; int[0,9] qc;
        process Error() { state A, B; init A;
            trans A -> B { sync out?; assign isQualified = true, qc = 0; },
                B -> A { sync in?; assign isQualified = false; }; }
        process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
        system Error, User;",
    );
    let rows = [("out", 0, true, 0), ("wait", 10, true, 0), ("in", 0, false, 0)];
    let mut case = case(&specification, &rows);
    let Body::Timed(parts) = &mut case.body else { unreachable!("it is timed") };
    // Only the check before the second input.
    parts.remove(1);
    parts.pop();
    let outputs = Probability { least: 1.0, greatest: 1.0, exact: Some("1".to_owned()) };
    case.chance = Some(Chance { outputs, ending: None, note: String::new(), independent: 0 });
    let mut curve = Curve::new(&specification, &case, Phase::None).expect("a curve");
    for (shift, p) in [(-50, 1.0), (-1, 1.0), (0, 1.0), (9, 1.0), (10, 1.0), (11, 0.0), (50, 0.0)] {
        assert_eq!(probabilities(&mut curve, shift), [p], "{shift} ms");
    }
}
