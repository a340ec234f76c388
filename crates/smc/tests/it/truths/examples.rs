//! The examples of the project: what their files say of chance is so.

use super::*;

/// Half of the temperature errors are qualified within 4250 ms; see the notes of the example.
#[test]
fn half_of_the_temperature_errors_are_qualified_halfway() {
    let xml = include_str!("../../../../../examples/hod/short-error.xml");
    likely_in(xml, "Pr[<=10000](<> Test.Completed)", 0.5);
    likely_in(xml, "Pr[<=5000](<> Test.Checked)", 0.5);
    likely_in(xml, "Pr[<=4250](<> Test.Checked)", 0.5);
    likely_in(xml, "Pr[<=4249](<> isQualified)", 849.0 / 1700.0);
    likely_in(xml, "Pr[<=3400](<> isQualified)", 0.0);
    // One in four by 3825.
    likely_in(xml, "Pr[<=3825](<> isQualified)", 0.25);
}

/// The design has no range of delays, and yet the same distribution.
#[test]
fn polling_qualifies_half_of_the_errors_halfway() {
    let xml = include_str!("../../../../../examples/hod/polling.xml");
    let qualified = |by: u32| {
        format!("Pr[<=6800](<> TemperatureError.DetectedQualified && Temperature.y <= {by})")
    };
    likely_in(xml, &qualified(4250), 0.5);
    likely_in(xml, &qualified(3825), 0.25);
    likely_in(xml, "Pr[<=6800](<> TemperatureError.DetectedQualified)", 1.0);
}

/// With an environment of rates and weights too, the first qualification is as often fast as slow.
#[test]
fn the_first_qualification_is_fast_in_half_of_the_runs() {
    let xml = include_str!("../../../../../examples/hod/model.xml");
    likely_in(xml, "Pr[<=200000](<> Watch.Fast)", 0.5);
}
