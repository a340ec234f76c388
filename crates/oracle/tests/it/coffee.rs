//! The coffee machine of the T-UPPAAL paper, sections 2.1 to 2.3.

use punctual_oracle::conformance::Specification;

use crate::load::{example, specification, verdict};

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
        "fail: An output is missing: until 101 the system had to send `strongCoffee` in [81, 101]. \
         Nothing came at 121."
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
    assert!(text.starts_with("fail: An output is missing: until 110"), "{text}");
}
