//! Covering goals of timed models.

use punctual_testgen::timed::{Criterion, Limits, Status, Wait, World, cover, goals};

use super::decide::{SHARED, specification};

/// The nearest goal of `S` needs ten units of time, and `T`, which nothing of `S` depends on, stops time after five. The
/// other goals of `S` are covered all the same.
#[test]
fn a_path_that_can_not_be_followed_hides_no_others() {
    let text = format!(
        "{SHARED}
        process S() {{ clock x; state s0, s1, s2, s3; init s0;
            trans s0 -> s1 {{ guard x >= 10; assign v = 1; }},
                s0 -> s2 {{ sync a?; }},
                s2 -> s3 {{ sync a?; assign v = 2; }}; }}
        process E() {{ state e; init e; trans e -> e {{ sync a!; }}; }}
        process T() {{ clock z; state t {{ z <= 5 }}; init t; }}
        S1 = S(); E1 = E(); T1 = T(); system S1, E1, T1;"
    );
    let reading = punctual_lang::read("test.xta", text.as_bytes());
    let network = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).network;
    let specification = specification(network, 1);
    let world = World::new(&specification).expect("a world");
    let goals = goals(&specification, &[Criterion::Edges]);
    let limits = Limits { states: 10_000, length: 10 };
    let covering = cover(&world, &goals, limits, Wait::End, &mut |_| true);
    let told = covering.goals.iter().map(|(goal, status)| {
        let status = match status {
            Status::Covered(_) => "covered",
            Status::Unreachable => "unreachable",
            Status::Undecided(why) => why,
        };
        (format!("{goal:?}"), status)
    });
    let told: Vec<_> = told.collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told.iter().filter(|(_, status)| *status == "covered").count(), 3, "{told:?}");
    assert!(told[0].1.contains("can not follow"), "{told:?}");
}
