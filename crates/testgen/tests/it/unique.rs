//! Endings where no short sequence tells a location from all others: joined ones, several together, and proofs that there is none.

use punctual_model::testing::suite::{Case, Chance};
use punctual_smc::exact::Phase;
use punctual_testgen::uio::{Ground, Limits, Made, Options, chance};

use crate::uio::{Row, case, options, specification};

fn made(model: &str, rows: &[Row], options: &Options<'_>) -> Made {
    let specification = specification(model);
    chance(&Ground::new(&specification), &case(&specification, rows), options).expect("a chance")
}

fn chance_of(case: &Case) -> &Chance {
    case.chance.as_ref().expect("a chance")
}

fn proves(case: &Case) -> &str {
    let chance = chance_of(case);
    &chance.ending.as_ref().unwrap_or_else(|| panic!("{}", chance.note)).proves
}

/// A turnstile that was pushed once shows it; faulty ones show it in another round.
const ROUNDS: &str = "broadcast chan out, in; bool isQualified; int[0,9] qc;
    process Error() {
        state Start, Ours, Open, First, Second, SecondOpen, SecondLater, Third, ThirdOpen, ThirdLater, ThirdLaterOpen, ThirdLast;
        init Start;
        trans Start -> Ours { sync out?; assign isQualified = false; },
            Ours -> Open { sync out?; assign qc = 1; }, Open -> Ours { sync in?; assign qc = 0; },
            First -> Open { sync out?; assign qc = 2; },
            Second -> SecondOpen { sync out?; assign qc = 1; },
            SecondOpen -> SecondLater { sync in?; assign qc = 0; },
            SecondLater -> Open { sync out?; assign qc = 2; },
            Third -> ThirdOpen { sync out?; assign qc = 1; },
            ThirdOpen -> ThirdLater { sync in?; assign qc = 0; },
            ThirdLater -> ThirdLaterOpen { sync out?; assign qc = 1; },
            ThirdLaterOpen -> ThirdLast { sync in?; assign qc = 0; },
            ThirdLast -> Open { sync out?; assign qc = 2; };
    }
    process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
    system Error, User;";

/// The shortest unique sequence has three rounds of pushing and nine elements.
#[test]
fn sequences_that_tell_from_some_are_joined() {
    let rows = [("out", 0, false, 0)];
    let long =
        Options { limits: Limits { length: 9, width: 200 }, ..options(Phase::None, "Error.Ours") };
    let short = Options { limits: Limits { length: 4, width: 200 }, ..long };
    let whole = made(ROUNDS, &rows, &long);
    assert_eq!(proves(&whole.case), "Error.Ours");
    // No sequence of four elements is unique; four are enough for each round.
    let joined = made(ROUNDS, &rows, &short);
    assert_eq!(proves(&joined.case), "Error.Ours");
    assert_eq!(joined.case.duration_ns(), whole.case.duration_ns());
    assert!(joined.more.is_empty());
    // Three are not.
    let less = Options { limits: Limits { length: 3, width: 200 }, ..long };
    let note = &chance_of(&made(ROUNDS, &rows, &less).case).note.clone();
    assert!(note.starts_with("no sequence up to length 3 tells Error.Ours from"), "{note}");
}

/// Each input tells the location from another one, and nothing can be tried after it.
const DEAD_END: &str = "broadcast chan out, in; bool isQualified; int[0,9] qc;
    process Error() {
        state Start, Ours, Left, Right, End;
        init Start;
        trans Start -> Ours { sync out?; assign isQualified = false; },
            Ours -> End { sync out?; assign qc = 1; }, Ours -> End { sync in?; assign qc = 1; },
            Left -> End { sync out?; assign qc = 2; }, Left -> End { sync in?; assign qc = 1; },
            Right -> End { sync out?; assign qc = 1; }, Right -> End { sync in?; assign qc = 2; };
    }
    process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
    system Error, User;";

#[test]
fn where_no_sequence_is_unique_some_together_prove_the_location() {
    let made = made(DEAD_END, &[("out", 0, false, 0)], &options(Phase::None, "Error.Ours"));
    let all: Vec<&Case> = std::iter::once(&made.case).chain(&made.more).collect();
    assert_eq!(all.len(), 2, "{made:?}");
    let told: Vec<Vec<&str>> = ["Error.Start", "Error.Left", "Error.Right", "Error.End"]
        .into_iter()
        .map(|other| {
            let tells = |case: &&&Case| proves(case).contains(other);
            all.iter().filter(tells).map(|case| proves(case)).collect()
        })
        .collect();
    assert!(told.iter().all(|by| !by.is_empty()), "{told:?}");
    assert_eq!((told[1].len(), told[2].len()), (1, 1), "{told:?}");
    assert_ne!(told[1], told[2]);
    assert_eq!(made.warnings.len(), 1, "{:?}", made.warnings);
}

/// Figure 12-b.
const CRITICAL: &str = "broadcast chan out, in; bool isQualified; int[0,9] qc;
    process Error() { clock x;
        state Absent, Present { x <= 1700 }, PresentQualified;
        init Absent;
        trans Absent -> Present { sync out?; assign x = 0, qc = qc; },
            Present -> Absent { sync in?; },
            Present -> PresentQualified { assign isQualified = true; };
    }
    process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
    system Error, User;";

/// Once it is qualified, nothing that the error does later can be seen: where it is will never be known, and that is proved.
#[test]
fn what_is_never_told_apart_is_proved_to_be_so() {
    let rows = [("out", 0, false, 0), ("wait", 1701, true, 0)];
    let case = made(CRITICAL, &rows, &options(Phase::None, "Error.PresentQualified")).case;
    let note = &chance_of(&case).note;
    assert!(
        note.starts_with(
            "nothing ever tells Error.PresentQualified from Error.Absent, Error.Present:"
        ),
        "{note}"
    );
    // If a second qualification counts, an input and a wait tell.
    let counted = CRITICAL.replace("isQualified = true;", "isQualified = true, qc = qc + 1;");
    let rows = [("out", 0, false, 0), ("wait", 1701, true, 1)];
    let case = made(&counted, &rows, &options(Phase::None, "Error.PresentQualified")).case;
    assert_eq!(proves(&case), "Error.PresentQualified");
}
