//! Programs that only pretend to be a solver: slow, dying, hanging, babbling ones.
#![cfg(unix)]

use std::{path::PathBuf, process::Command, time::Duration};

use punctual_solver::{Answer, Error, Limits, Missing, Reason, Session, Solver, Sort};

/// A shell script in the place of the solver.
fn fake(script: &str) -> Session {
    let solver = Solver::program("/bin/sh", vec!["-c".to_owned(), script.to_owned()]);
    let limits = Limits { timeout: Duration::from_millis(100), ..Limits::default() };
    solver.start(limits).expect("a shell can be started")
}

/// Answers each line with `$answer`, and each echo with its text.
fn answering(answer: &str) -> String {
    format!(
        "while read -r line; do case \"$line\" in \
         *check-sat*) {answer};; \
         *echo*) line=${{line#*\\\"}}; echo \"${{line%\\\"*}}\";; esac; done"
    )
}

fn reason(answer: Result<Answer, Error>) -> Reason {
    match answer {
        Ok(Answer::Unknown(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_solver_that_answers() {
    assert_eq!(fake(&answering("echo unsat")).check(), Ok(Answer::Unsat));
}

#[test]
fn a_slow_solver_is_not_waited_for() {
    let mut session = fake(&answering("exec sleep 100"));
    assert!(matches!(reason(session.check()), Reason::Hung(_)));
    // Also not when it is asked again.
    assert!(matches!(reason(session.check()), Reason::Hung(_)));
}

#[test]
fn a_solver_that_reads_nothing_is_not_waited_for() {
    let mut session = fake("exec sleep 100");
    // More than fits into a pipe.
    let mut all = session.terms().bool(true);
    for _ in 0..20_000 {
        let x = session.terms().symbol("x", Sort::Bool);
        all = session.terms().and(all, x);
    }
    session.assert(all);
    assert!(matches!(reason(session.check()), Reason::Hung(_)));
}

#[test]
fn a_solver_that_dies_is_replaced_by_one_that_knows_the_same() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dying-solver");
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).unwrap();
    let counted = folder.join("claims");
    // The first dies of the question, the second writes down how many claims it knows.
    let script = format!(
        "if [ -e {0} ]; then n=0; while read -r line; do case \"$line\" in \
         *assert*) n=$((n+1));; *check-sat*) echo $n > {0}; echo sat;; \
         *echo*) line=${{line#*\\\"}}; echo \"${{line%\\\"*}}\";; esac; done; \
         else touch {0}; while read -r line; do case \"$line\" in \
         *check-sat*) echo 'no more memory' >&2; exit 3;; esac; done; fi",
        counted.display()
    );
    let mut session = fake(&script);
    session.set_timeout(Duration::from_secs(20));
    let p = session.terms().symbol("p", Sort::Bool);
    session.assert(p);
    session.push();
    session.assert(p);
    assert_eq!(reason(session.check()), Reason::Died("no more memory".to_owned()));
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert_eq!(std::fs::read_to_string(&counted).unwrap().trim(), "2");
}

#[test]
fn a_solver_that_dies_while_it_tells_values() {
    let script = answering("echo sat").replace("*echo*", "*get-value*) exit 1;; *echo*");
    let mut session = fake(&script);
    session.set_timeout(Duration::from_secs(20));
    let x = session.terms().symbol("x", Sort::Int);
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert!(matches!(session.values(&[x]), Err(Error::Lost(Reason::Died(_)))));
    assert_eq!(session.values(&[x]), Err(Error::NoModel));
}

#[test]
fn nonsense_is_no_answer() {
    for nonsense in
        ["echo sat; echo unsat", "echo satisfied", "echo ')('", "echo", "printf '\\377\\n'"]
    {
        let answer = fake(&answering(nonsense)).check();
        assert!(matches!(reason(answer), Reason::Garbled(_)), "{nonsense}");
    }
    let refused = fake(&answering("echo '(error \"line 1: what?\")'; echo sat")).check();
    assert_eq!(reason(refused), Reason::Refused("(error \"line 1: what?\")\nsat".to_owned()));
}

#[test]
fn values_that_are_nonsense_are_none() {
    for nonsense in ["((s0 true))", "((s0))", "(s0 1)", "()", "((s0 1) (s1 2))", "((s0 1)"] {
        let told = format!("*get-value*) echo '{nonsense}';; *echo*");
        let mut session = fake(&answering("echo sat").replace("*echo*", &told));
        let x = session.terms().symbol("x", Sort::Int);
        assert_eq!(session.check(), Ok(Answer::Sat));
        let values = session.values(&[x]);
        assert!(matches!(values, Err(Error::Lost(_))), "{nonsense}: {values:?}");
    }
}

#[test]
fn a_solver_that_babbles_without_end_is_ended() {
    let reason = reason(fake("yes").check());
    assert!(matches!(reason, Reason::Hung(_) | Reason::Garbled(_)), "{reason:?}");
    let reason = self::reason(fake("yes | tr -d '\\n'").check());
    assert!(matches!(reason, Reason::Hung(_) | Reason::Garbled(_)), "{reason:?}");
}

/// An unknown answer stays one, with the solver's reason.
#[test]
fn a_solver_that_gives_up_says_why() {
    let script = answering("echo unknown")
        .replace("*echo*", "*get-info*) echo '(:reason-unknown \"too hard\")';; *echo*");
    assert_eq!(reason(fake(&script).check()), Reason::GaveUp("too hard".to_owned()));
}

#[test]
fn a_solver_that_can_not_be_started_is_an_error() {
    let missing = Solver::z3("/nowhere/z3").start(Limits::default()).err();
    let Some(Error::NotStarted { reason, .. }) = missing else { panic!("{missing:?}") };
    assert_eq!(reason, "there is no such program");
}

/// Where to look is a matter of the environment, so this is tried in a process of its own.
#[test]
fn a_missing_solver_says_how_to_bring_one() {
    let test = "fakes::what_is_said_of_a_missing_solver";
    let run = |solver: &str| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env("PUNCTUAL_SOLVER", solver)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let said = run("/nowhere/z3");
    assert!(said.contains("PUNCTUAL_SOLVER names `/nowhere/z3`"), "{said}");
    let found = run("/bin/sh");
    assert!(found.contains("found /bin/sh"), "{found}");
    let help = Error::Missing(Missing::NotFound).to_string();
    assert!(help.contains("cargo xtask solver"), "{help}");
}

#[test]
fn what_is_said_of_a_missing_solver() {
    match Solver::find() {
        Ok(solver) => println!("found {}", solver.path().display()),
        Err(error) => println!("{error}"),
    }
}

/// Ending all solvers is for the whole process, so this is tried in one of its own.
#[test]
fn questions_are_given_up_when_the_user_wants_no_more() {
    let test = "fakes::what_is_said_when_all_are_ended";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("PUNCTUAL_SOLVER_ENDED", "yes")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn what_is_said_when_all_are_ended() {
    if std::env::var_os("PUNCTUAL_SOLVER_ENDED").is_none() {
        return;
    }
    // The child of the solver keeps its pipes open, and is ended as well.
    let mut session = fake(&answering("sleep 100"));
    session.set_timeout(Duration::from_secs(1000));
    let ender = std::thread::spawn(punctual_solver::end_all);
    assert_eq!(reason(session.check()), Reason::Stopped);
    ender.join().unwrap();
    assert_eq!(reason(session.check()), Reason::Stopped);
    assert_eq!(reason(fake("exec sleep 100").check()), Reason::Stopped);
}
