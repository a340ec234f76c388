//! The coffee machine of the T-UPPAAL paper, sections 2.1 to 2.3.

use punctual_oracle::conformance::{Coverage, Judgement, Specification, judge};

use crate::load::{example, specification, trace, verdict};

fn machine(file: &str) -> Specification {
    let network = example(&format!("coffee-machine/{file}.xml"));
    specification(network, &["coin", "req"], &["weakCoffee", "strongCoffee"])
}

#[test]
fn what_the_paper_allows() {
    let universal = machine("universal");
    for text in [
        "coin 30 req 10 weakCoffee",
        "coin 30 req 30 strongCoffee 100",
        "coin 60 req 50 strongCoffee 7 coin 1 req 10.5 weakCoffee",
        "coin 3 coin 3 req 30 weakCoffee",
        "1000000",
        "coin 20 req 29.9",
    ] {
        assert_eq!(verdict(&universal, text), "pass", "{text}");
    }
}

#[test]
fn weak_coffee_too_soon() {
    let text = verdict(&machine("universal"), "coin 30 req 5 weakCoffee");
    assert_eq!(
        text,
        "fail: `weakCoffee` came at 35, too early. Allowed was `weakCoffee` in [40, 60], \
         `strongCoffee` in [60, 80]."
    );
}

#[test]
fn strong_coffee_too_slow() {
    let text = verdict(&machine("universal"), "coin 51 req 70");
    assert_eq!(
        text,
        "fail: An output is missing: the system had to send `strongCoffee` in [81, 101]. Nothing came \
         until 121."
    );
    let text = verdict(&machine("universal"), "coin 51 req 70 strongCoffee");
    assert!(text.starts_with("fail: `strongCoffee` came at 121, too late."), "{text}");
}

#[test]
fn other_faults() {
    let universal = machine("universal");
    let text = verdict(&universal, "coin 10 req 12 strongCoffee");
    assert!(text.starts_with("fail: `strongCoffee` came at 22, and is not allowed"), "{text}");
    let text = verdict(&universal, "5 weakCoffee");
    assert!(text.ends_with("Allowed was no output at all."), "{text}");
    // Between two points of the grid nothing is proved until both are wrong.
    assert_eq!(verdict(&universal, "coin 10 req 9.5 weakCoffee").split(':').next(), Some("fail"));
}

#[test]
fn nice_users_are_not_outsiders() {
    let nice = machine("model");
    assert_eq!(verdict(&nice, "coin 60 req 40 strongCoffee"), "pass");
    let text = verdict(&nice, "coin 30 req 5 weakCoffee");
    assert!(text.starts_with("inconclusive: The input `req` at 30 is not one that"), "{text}");
    // The system was wrong before the environment was.
    let text = verdict(&nice, "coin 60 req 51 coin");
    assert!(
        text.starts_with(
            "fail: An output is missing: the system had to send `strongCoffee` in [90"
        ),
        "{text}"
    );
}

/// The verdict of two events, the second between two instants in nanoseconds.
fn second_at(from_ns: u64, to_ns: u64, end_ns: u64) -> String {
    let universal = machine("universal");
    let mut trace = trace(universal.interface(), "coin 1 req");
    trace.events[1].from_ns = from_ns;
    trace.events[1].to_ns = to_ns;
    trace.end_ns = end_ns;
    let verdict = judge(&universal, &trace, &mut Coverage::new(true));
    match verdict {
        Judgement::Pass => "pass".to_owned(),
        Judgement::Inconclusive(it) => format!("inconclusive: {}", it.cause),
        Judgement::Fail(it) => format!("fail: {}", it.cause),
    }
}

#[test]
fn times_that_can_not_be_meant() {
    // Ages of silence are followed, in few steps since nothing can happen unseen.
    let year_ns = 365 * 24 * 3600 * 1_000_000_000;
    assert_eq!(second_at(year_ns, year_ns, year_ns), "pass");
    assert_eq!(second_at(u64::MAX, u64::MAX, u64::MAX), "pass");
    // An input that took a year.
    assert_eq!(second_at(1, year_ns, year_ns), "inconclusive: too long a time");
}
