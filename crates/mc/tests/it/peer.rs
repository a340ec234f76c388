//! TChecker gives the same answers. Skipped where `tck-reach` is not on the path.
//!
//! `PUNCTUAL_NETWORKS` and `PUNCTUAL_SEED` say how many networks are compared and where to start
//! (see `walk`); with `PUNCTUAL_PEER_LOG`, a file, progress is appended to it every hundred
//! networks, and a run that was interrupted goes on behind the last line. A million networks take
//! some hours:
//!
//! ```text
//! PUNCTUAL_NETWORKS=1000000 PUNCTUAL_PEER_LOG=peer.log \
//!     cargo test --release -p punctual-mc --test it peer
//! ```

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    process::{Command, Stdio},
};

use punctual_lang::tchecker;
use punctual_mc::{Answer, Options, check};
use punctual_model::{
    BinaryOp, Expr, Frame, Id, LocationId, Network, Number, ProcessId, Property, StateExpr,
};

use crate::{
    random::{self, Features, Rng},
    walk::{Shown, seeds},
};

/// What TChecker does as its documentation says. It aborts where a value leaves its range, does not
/// end for some networks that copy clocks, and compares no differences of clocks exactly.
const FEATURES: Features =
    Features { diagonals: false, clock_copies: false, faults: false, ..Features::TCHECKER };

/// Marks a location of one process, or of two, and gives the labels and the predicate.
fn mark(network: &mut Network, rng: &mut Rng) -> (String, StateExpr) {
    let mut labels = Vec::new();
    let mut expr = None;
    for i in 0..1 + rng.below(2) {
        let process = ProcessId::from_index(i);
        let locations = &mut network.processes[process].locations;
        let location = LocationId::from_index(rng.below(locations.len()));
        let label = format!("goal{i}");
        locations[location].labels.push(label.clone());
        labels.push(label);
        let here = Expr::InLocation(process, location);
        expr = Some(match expr {
            None => here,
            Some(expr) => random::binary(BinaryOp::And, expr, here),
        });
    }
    let expr = expr.expect("at least one");
    (labels.join(","), StateExpr { expr, number: Number::Int, frame: Frame::default() })
}

/// What a peer says.
enum Said {
    Reachable(bool),
    /// Nothing: it takes too long.
    Nothing,
    /// It is not there.
    Absent,
}

fn ask(text: &str, labels: &str) -> Said {
    let arguments = ["10", "tck-reach", "-a", "covreach", "-s", "bfs", "-l", labels];
    let child = Command::new("timeout")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return Said::Absent };
    let mut stdin = child.stdin.take().expect("it is piped");
    // Whoever is absent does not read.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    match (said.lines().find_map(|line| line.strip_prefix("REACHABLE ")), output.status.code()) {
        (Some(said), _) => Said::Reachable(said == "true"),
        (None, Some(124)) => Said::Nothing,
        (None, Some(126 | 127)) => Said::Absent,
        (None, _) => panic!("{output:?}\n{text}"),
    }
}

/// The number behind the last one that a log has.
fn done(log: &str) -> Option<u64> {
    fs::read_to_string(log)
        .ok()?
        .lines()
        .rev()
        .find_map(|line| line.split(' ').nth(1)?.parse().ok())
}

#[test]
fn tchecker_gives_the_same_answers() {
    let log = std::env::var("PUNCTUAL_PEER_LOG").ok();
    let seeds = seeds(200);
    let first = log.as_deref().and_then(done).unwrap_or(seeds.start);
    let mut n_reachable = 0;
    for seed in first..seeds.end {
        let mut network = random::network(seed, &FEATURES.some(seed));
        let (labels, goal) = mark(&mut network, &mut Rng::new(seed ^ 0x7c));
        let _shown = Shown(seed, &network);
        let text = tchecker::write(&network).expect("nothing that the format can not say");
        let expected = match ask(&text, &labels) {
            Said::Reachable(expected) => expected,
            Said::Nothing => continue,
            Said::Absent => return,
        };
        let property = Property::ExistsFinally(goal);
        let outcome = check(&network, &property, &Options::default(), &mut ()).unwrap();
        let expected = if expected { Answer::Satisfied } else { Answer::NotSatisfied };
        assert_eq!(outcome.answer, expected, "seed {seed}, {labels}:\n{text}");
        n_reachable += u64::from(outcome.answer == Answer::Satisfied);
        let next = seed + 1;
        if let Some(log) = &log
            && (next.is_multiple_of(100) || next == seeds.end)
        {
            let mut file = OpenOptions::new().create(true).append(true).open(log).unwrap();
            let n = next - first;
            writeln!(file, "before {next} all agree; {n_reachable} of the last {n} reachable")
                .unwrap();
        }
    }
    let n = seeds.end - first;
    assert!(n < 100 || (n / 5..n).contains(&n_reachable), "{n_reachable} of {n} are reachable");
}
