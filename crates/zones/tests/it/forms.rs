//! Other forms of a zone: the fewest constraints, and text.

use proptest::prelude::*;
use punctual_zones::{Bound, Constraint, Federation, MinimalZone, Zone};

use crate::zones::{constraints, zone};

/// Zones in which many clocks differ by constants, so that there are cycles of length zero.
fn rigid() -> impl Strategy<Value = Zone> {
    let step = (1..=4_usize, 0..4_i32, any::<bool>());
    (prop::collection::vec(step, 0..8), constraints(4, 6, 2)).prop_map(|(steps, list)| {
        let mut zone = Zone::universe(4);
        for (clock, value, wait) in steps {
            zone.reset(clock, value);
            if wait {
                zone.up();
            }
        }
        for it in list {
            let _ = zone.constrain(it.x as usize, it.y as usize, it.bound);
        }
        zone
    })
}

fn any_zone() -> impl Strategy<Value = Zone> {
    prop_oneof![rigid(), zone(4, 8), zone(2, 4), zone(7, 20)]
}

const NAMES: [&str; 7] = ["x", "y", "z", "u", "v", "w", "t"];

/// Reads back what was printed.
fn read(text: &str, n_clocks: usize) -> Zone {
    let clock = |name: &str| match NAMES.iter().position(|it| *it == name) {
        Some(i) => (i + 1, 0),
        None => (0, name.parse::<i32>().expect("a clock or a number")),
    };
    let mut list = Vec::new();
    // The bound of (x - y) from a relation with a number.
    let mut push = |(x, y): (usize, usize), sign: &str, value: i32| match sign {
        "<" => list.push(Constraint::new(x, y, Bound::lt(value))),
        "<=" => list.push(Constraint::new(x, y, Bound::le(value))),
        ">" => list.push(Constraint::new(y, x, Bound::lt(-value))),
        ">=" => list.push(Constraint::new(y, x, Bound::le(-value))),
        _ => panic!("{sign}"),
    };
    // A comma within an interval is followed by no clock.
    let parts = text.replace(", ", "\n").replace("[", "[ ").replace("(", "( ");
    let mut lines: Vec<String> = Vec::new();
    for line in parts.lines() {
        match lines.last_mut() {
            Some(last) if last.contains(" in ") && !last.ends_with([']', ')']) => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push(line.to_owned()),
        }
    }
    for line in lines.iter().filter(|line| *line != "true") {
        let words: Vec<&str> = line.split(' ').collect();
        let (term, rest) = if words[1] == "-" {
            ((clock(words[0]).0, clock(words[2]).0), &words[3..])
        } else {
            ((clock(words[0]).0, 0), &words[1..])
        };
        match rest {
            ["in", open, low, high] => {
                push(term, if *open == "[" { ">=" } else { ">" }, low.parse().unwrap());
                let weak = high.ends_with(']');
                let high = high.trim_end_matches([']', ')']).parse().unwrap();
                push(term, if weak { "<=" } else { "<" }, high);
            }
            ["=", other, tail @ ..] => {
                let (other, value) = clock(other);
                let ahead: i32 = match tail {
                    [] => value,
                    ["+", ahead] => ahead.parse().unwrap(),
                    _ => panic!("{line}"),
                };
                push((term.0, other), "<=", ahead);
                push((term.0, other), ">=", ahead);
            }
            [sign, other] => {
                let (other, value) = clock(other);
                push((term.0, if term.1 == 0 { other } else { term.1 }), sign, value);
            }
            _ => panic!("{line}"),
        }
    }
    Zone::from_constraints(n_clocks, list).expect("a zone is not empty")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The constraints describe the zone, and none can be left out.
    #[test]
    fn minimal_form_is_enough_and_not_more(zone in any_zone(), other in any_zone()) {
        let minimal = MinimalZone::from(&zone);
        prop_assert_eq!(&minimal.to_zone(), &zone);
        let mut buffer = Zone::zero(zone.dim() - 1);
        minimal.restore_into(&mut buffer);
        prop_assert_eq!(&buffer, &zone);
        for i in 0..minimal.constraints().len() {
            let mut fewer = minimal.constraints().to_vec();
            let dropped = fewer.remove(i);
            let larger = Zone::from_constraints(zone.dim() - 1, fewer).expect("larger");
            prop_assert_ne!(&larger, &zone, "{:?} follows from the rest", dropped);
        }
        if zone.dim() == other.dim() {
            prop_assert_eq!(minimal.includes(&other), zone.includes(&other));
        }
        prop_assert!(minimal.includes(&zone));
    }

    /// What is printed, read back, is the zone.
    #[test]
    fn text_is_the_zone(zone in any_zone()) {
        let n_clocks = zone.dim() - 1;
        let text = zone.display(&NAMES[..n_clocks]).to_string();
        prop_assert_eq!(&read(&text, n_clocks), &zone, "{}", text);
    }
}

#[test]
fn text_is_for_people() {
    let names = ["x", "y", "z"];
    let show = |list: &[(usize, usize, Bound)]| {
        let list = list.iter().map(|&(x, y, bound)| Constraint::new(x, y, bound));
        Zone::from_constraints(3, list).expect("not empty").display(&names).to_string()
    };
    let (le, lt) = (Bound::le, Bound::lt);
    assert_eq!(show(&[]), "true");
    assert_eq!(show(&[(1, 0, le(5)), (0, 1, lt(-2)), (1, 2, le(3))]), "x in (2, 5], x - y <= 3");
    assert_eq!(show(&[(1, 2, le(-3))]), "y - x >= 3");
    assert_eq!(show(&[(1, 2, lt(-3)), (2, 1, le(7))]), "y - x in (3, 7]");
    assert_eq!(show(&[(2, 1, lt(-3)), (1, 2, le(7))]), "x - y in (3, 7]");
    assert_eq!(show(&[(1, 2, le(0)), (2, 3, lt(0))]), "x <= y, y < z");
    assert_eq!(show(&[(2, 1, le(0)), (3, 2, lt(0))]), "y <= x, z < y");
    assert_eq!(show(&[(1, 0, le(0)), (2, 1, le(2)), (1, 2, le(-2))]), "x = 0, y = 2");
    assert_eq!(
        show(&[(2, 1, le(2)), (1, 2, le(-2)), (3, 1, le(0)), (1, 3, le(0))]),
        "y = x + 2, z = x"
    );
    assert_eq!(show(&[(1, 2, le(2)), (2, 1, le(3))]), "x - y in [-3, 2]");
    assert_eq!(format!("{:?}", Zone::zero(2)), "x1 = 0, x2 = 0");
    assert_eq!(Federation::empty(3).display(&names).to_string(), "false");
}
