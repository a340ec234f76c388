//! Definitions of variables, and whether a run has used them.

use punctual_model::Id;
use punctual_oracle::conformance::{Coverage, Specification, judge};
use punctual_semantics::split::Taken;

use crate::load::{network, specification, trace};

/// The pairs that the graph of a model allows, each with how often it was used; `!` where that is certain.
fn uses(specification: &Specification, text: &str) -> Vec<String> {
    let mut coverage = Coverage::whole(specification);
    let trace = trace(specification.interface(), text);
    assert!(judge(specification, &trace, &mut coverage).is_pass(), "{text}");
    let edge = |(process, edge): Taken| {
        format!("{}{}", specification.network.processes[process].name, edge.index())
    };
    let pairs = specification.split.flow().pairs().iter();
    pairs
        .map(|pair| {
            let found = coverage.uses(pair);
            let certain = if found.certain > 0 { "!" } else { "" };
            let name = &specification.split.variables[pair.cell].name;
            let definition = pair.definition.map_or("start".to_owned(), edge);
            format!("{name} {definition} {} {}{certain}", edge(pair.used), found.possible)
        })
        .collect()
}

fn device(system: &str) -> Specification {
    let text = format!(
        "chan set, clear, go, done;
        process Env() {{ state A; init A; trans A -> A {{ sync set!; }}, A -> A {{ sync clear!; }},
            A -> A {{ sync go!; }}, A -> A {{ sync done?; }}; }}
        {system}"
    );
    specification(network(&text), &["set", "clear", "go"], &["done"])
}

/// One process, nothing hidden: what was written last is what is used.
#[test]
fn the_last_definition_is_used() {
    let device = device(
        "process P() {
            int n = 3;
            state A, B; init A;
            trans A -> A { sync set?; assign n = 1; }, A -> A { sync clear?; assign n = 0; },
                A -> B { sync go?; }, B -> A { guard n > 0; sync done!; };
        }
        system Env, P;",
    );
    assert_eq!(uses(&device, "go done"), ["P.n start P3 1!", "P.n P0 P3 0", "P.n P1 P3 0"]);
    assert_eq!(
        uses(&device, "clear set go done go done clear"),
        ["P.n start P3 0", "P.n P0 P3 2!", "P.n P1 P3 0"]
    );
}

/// An update that reads what it has written itself uses no earlier definition; one that counts does.
#[test]
fn updates_read_what_stands_when_it_is_their_turn() {
    let device = device(
        "process P() {
            int n, m;
            state A; init A;
            trans A -> A { sync set?; assign n = 1, m = n; }, A -> A { sync clear?; assign n = n + 1; },
                A -> A { sync go?; assign n = m; };
        }
        system Env, P;",
    );
    let found = uses(&device, "clear clear set clear go");
    let n: Vec<_> = found.iter().filter(|it| it.starts_with("P.n")).collect();
    assert_eq!(n, ["P.n start P1 1!", "P.n P0 P1 1!", "P.n P1 P1 1!", "P.n P2 P1 0"]);
    assert!(found.contains(&"P.m P0 P2 1!".to_owned()), "{found:?}");
}

/// In one step, guards read before all updates, and the receiver's update after the sender's.
#[test]
fn a_receivers_guard_reads_the_old_value() {
    let device = device(
        "int n, kept;
        chan inner;
        process S() { state A, B; init A; trans A -> B { sync go?; }, B -> A { sync inner!; assign n = 1; }; }
        process R() {
            state A, B; init A;
            trans A -> B { guard n == 0; sync inner?; assign kept = n; },
                B -> A { sync done!; assign n = kept - 1; };
        }
        system Env, S, R;",
    );
    let found = uses(&device, "go done go done");
    assert!(found.contains(&"n start R0 1!".to_owned()), "the guard, at first: {found:?}");
    assert!(found.contains(&"n S1 R0 2!".to_owned()), "the update, both times: {found:?}");
    assert!(found.contains(&"n R1 R0 1!".to_owned()), "the guard, later: {found:?}");
}

/// Where hidden steps leave it open which edge wrote a value, no use is certain.
#[test]
fn what_is_not_known_is_not_certain() {
    let device = device(
        "process P() {
            int n; int m;
            state A, B, C; init A;
            trans A -> B { sync go?; }, B -> C { assign n = 1; }, B -> C { assign n = 2; },
                C -> A { sync done!; assign m = n; };
        }
        system Env, P;",
    );
    let found = uses(&device, "go done");
    assert_eq!(
        found.iter().filter(|it| it.starts_with("P.n")).collect::<Vec<_>>(),
        ["P.n P1 P3 1", "P.n P2 P3 1"]
    );
}

/// Hidden steps that may have gone round, and assignments that may not have happened: what is not known is not certain, and what happened is possible.
#[test]
fn loops_and_conditions_leave_it_open() {
    let device = device(
        "process P() {
            int v; int k; int w;
            state A, B { k <= 1 }, C; init A;
            trans A -> B { sync go?; }, B -> C { guard k < 2; assign v = 1, k++; },
                C -> B { guard k < 2; assign v = 2; }, C -> A { sync done!; assign w = v; };
        }
        system Env, P;",
    );
    let found = uses(&device, "go done");
    assert!(found.contains(&"P.v P1 P3 1".to_owned()), "{found:?}");
    let sure = |it: &&String| it.starts_with("P.v") && it.ends_with('!');
    assert_eq!(found.iter().find(sure), None, "{found:?}");
    let device = self::device(
        "process P() {
            int v; int w; int u;
            state A; init A;
            trans A -> A { sync set?; assign v = 1; }, A -> A { sync clear?; assign w > 0 ? (v = 2) : 0; },
                A -> A { sync go?; assign u = v; };
        }
        system Env, P;",
    );
    let found = uses(&device, "set clear go");
    assert!(found.contains(&"P.v P0 P2 1".to_owned()), "{found:?}");
    assert!(found.contains(&"P.v P1 P2 1".to_owned()), "not known to have been skipped: {found:?}");
}

/// Of two orders in which the same hidden edges may have been taken only one was looked at, and told as certain.
#[test]
fn hidden_edges_in_another_order_are_not_left_out() {
    let device = device(
        "int x = 1, y;
        process P() { clock p; state A, B; init A; trans A -> B { assign x = 1; }; }
        process Q() { state A, B; init A; trans A -> B { assign y = x; }; }
        process R() { state A; init A; trans A -> A { guard y > 0; sync done!; }; }
        system Env, P, Q, R;",
    );
    let found = uses(&device, "5 done");
    assert!(found.contains(&"x start Q0 1".to_owned()), "{found:?}");
    assert!(found.contains(&"x P0 Q0 1".to_owned()), "{found:?}");
}

/// A hidden edge that was taken before a signal and again after it was looked at once.
#[test]
fn hidden_edges_around_a_signal_are_not_left_out() {
    let mut device = device(
        "process P() {
            int x; int y;
            state A, B, E; init A;
            trans A -> B { assign x = 1; }, B -> A { sync go?; assign x = 2; }, B -> E { sync done!; assign y = x; };
        }
        system Env, P;",
    );
    device.wired.interface.uncertainty = punctual_model::Uncertainty {
        output_ns: (0, 2_000_000),
        input_ns: (0, 2_000_000),
        drift_ppb: 0,
    };
    let found = uses(&device, "6 go 1 done 5");
    assert!(found.iter().any(|it| it.starts_with("P.x P0 P2 1")), "{found:?}");
}
