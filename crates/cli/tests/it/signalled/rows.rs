//! The commands that are signalled, and what each of them needs.

use std::process::Command;

/// A command, and how it ends by itself. `{made}` is its own folder, `{given}` what all commands share, `{punctual}` the program, and
/// `{address}` that of a coffee machine.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) code: i32,
    pub(super) arguments: &'static str,
    /// Commands that read a file of this one, if it is there. They have to accept it.
    pub(super) reads: Option<&'static str>,
    /// The model that judges the records.
    pub(super) judges: Option<&'static str>,
    /// What makes the same command go on where it was cut.
    pub(super) resumes: Option<&'static str>,
    /// Whether it runs in real time, so that not all it prints and writes is always the same.
    pub(super) varies: bool,
    /// Whether its system ignores that its tester is gone. Nobody ends it if the tester is killed.
    pub(super) outlives: bool,
}

/// A row for each command: name, exit code, arguments, and what else is to be known of it.
const ROWS: &str = r"
show | 0 | show examples/hod/model.xml --json --svg {made}/model.svg
convert | 0 | convert examples/hod/model.xml {made}/model.xta | reads show {made}/model.xta
convert suite | 0 | convert examples/oven/suite.toml -o {made}/test_oven.py
check | 0 | check examples/hod/model.xml --as-expected
check --trace | 1 | check examples/train-gate/broken.xml --query 'A[] not deadlock' --trace fastest --trace-file {made}/trace.json
check Pr | 0 | check examples/hod/short-error.xml --query 'Pr[<=10000](<> Test.Completed)' --runs 40000
run | 0 | run examples/oven/loop.lus --random 12 --steps 100 --record {made}/runs --out {made}/out.csv
generate timed | 0 | generate examples/oven/model.xml --cover edges,bounds --budget 15 --iterations 60 -o {made}/suite.toml | reads convert {made}/suite.toml - --to json
generate --purpose | 0 | generate examples/oven/model.xml --purpose 'E<> Cook.Called' --as-model {made}/models -o {made}/suite.toml | reads convert {made}/suite.toml - --to json
generate lustre | 0 | generate examples/infusion/pump.lus --cover mcdc --first-random 0 -o {made}/tests.csv | reads run examples/infusion/pump.lus {made}/tests.csv
generate --random | 0 | generate examples/oven/loop.lus --random 50 --steps 100 --outputs -o {made}/tests.csv
generate use cases | 0 | generate examples/bodysense --cover edges -o {made}/suite.toml | reads convert {made}/suite.toml - --to json
usecases -o | 0 | usecases examples/bodysense -o {made}/derived.xml --report {made}/report.html | reads show {made}/derived.xml
usecases | 0 | usecases examples/bodysense --scenarios --complete
oracles | 0 | oracles examples/overheating/model.xml examples/overheating/suite.toml -o {made}/suite.toml | reads convert {made}/suite.toml - --to json
mutate | 0 | mutate examples/oven/model.xml -o {made}/mutants
mutate lustre | 0 | mutate examples/oven/loop.lus --count 20 -o {made}/mutants
mutate --decide | 0 | mutate examples/oven/model.xml --decide --operators shift,self-loop -o {made}/mutants
score | 0 | score examples/oven/model.xml examples/oven/suite.toml --operators shift,self-loop
test, played | 0 | test examples/coffee-machine/model.xml --time 4000 --runs 4 --seed 1 --record {made}/runs | judges examples/coffee-machine/model.xml
test, process | 0 | test examples/coffee-machine/model.xml --clock virtual --time 2000 --runs 2 --seed 1 --threads 1 --record {made}/runs --system 'python3 examples/coffee-machine/sut/machine.py 40 20' | judges examples/coffee-machine/model.xml
test, TCP | 0 | test examples/coffee-machine/model.xml --clock virtual --time 1000 --runs 2 --seed 1 --record {made}/runs --tcp {address} | judges examples/coffee-machine/model.xml
test, real clock | 0 | test examples/coffee-machine/model.xml --clock real --time 100 --seed 1 --record {made}/runs --tcp {address} | varies
test, suite | 0 | test examples/oven/suite.toml --seed 1 --record {made}/runs
test --platform | 0 | test examples/infusion/tests.toml --platform examples/infusion/wide.toml --play examples/infusion/pump.lus --seed 6 --tries 20 --record {made}/runs
test, platform-host | 0 | test examples/infusion/tests.toml --platform examples/infusion/platform.toml --seed 1 --record {made}/runs --system '{punctual} platform-host examples/infusion/pump.lus --platform examples/infusion/platform.toml'
test, stochastic | 0 | test {given}/stochastic.toml --seed 1 --tolerance 0.3 --record {made}/runs | resumes --resume
test --shrink | 1 | test examples/oven/model.xml --shrink --seed 1 --record {made}/runs --system 'python3 examples/oven/sut/oven.py --fault late'
test, ignores its end | 0 | test examples/coffee-machine/model.xml --clock virtual --time 500 --seed 1 --record {made}/runs --system 'sh {given}/stubborn.sh' | outlives
test --measure | 0 | test examples/coffee-machine/model.xml --measure --time 100 --runs 1 --tcp {address} | varies
judge | 0 | judge examples/coffee-machine/model.xml {given}/runs/0001/record.jsonl
steer | 0 | steer examples/simple-pacing/pacing.toml
steer --learn | 0 | steer examples/simple-pacing/all.toml --learn {made}/learned.txt
steer --live | 0 | steer examples/simple-pacing/pacing.toml --live 'python3 examples/simple-pacing/device.py' --record {made}/runs
replay | 0 | replay {given}/runs/0002
report | 0 | report {given}/runs --html {made}/pages --junit {made}/results.xml
calibrate | 0 | calibrate examples/infusion/pump.lus --platform examples/infusion/guess.toml --play examples/infusion/pump.lus --simulate examples/infusion/wide.toml --pulses 1000 -o {made}/platform.toml --picture {made}/delays.html
";

pub(super) fn rows() -> Vec<Row> {
    let row = |line: &'static str| {
        let mut cells = line.split('|').map(str::trim);
        let mut next = || cells.next().expect("a row has three cells");
        let (name, code, arguments) = (next(), next().parse().unwrap(), next());
        let notes: Vec<&str> = cells.collect();
        let note = |what: &str| notes.iter().find_map(|it| it.strip_prefix(what)).map(str::trim);
        let (reads, judges, resumes) = (note("reads"), note("judges"), note("resumes"));
        let (varies, outlives) = (note("varies").is_some(), note("outlives").is_some());
        Row { name, code, arguments, reads, judges, resumes, varies, outlives }
    };
    ROWS.lines().filter(|line| !line.is_empty()).map(row).collect()
}

/// What is made first, for those that read it.
pub(super) const GIVEN: [&str; 2] = [
    "test examples/coffee-machine/model.xml --time 30000 --runs 3 --seed 2 --record {given}/runs",
    "oracles examples/overheating/model.xml examples/overheating/suite.toml -o {given}/stochastic.toml",
];

/// A system that serves one tester, and then does not end.
pub(super) const STUBBORN: &str = "trap '' INT TERM HUP
python3 examples/coffee-machine/sut/machine.py 40 20
sleep 60 < /dev/null
";

/// The words of a command line; quotes keep some together.
pub(super) fn words(text: &str) -> Vec<String> {
    let parts = text.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Whether a command has all that it needs on this machine.
pub(super) fn is_possible(row: &Row) -> bool {
    let needs_python = ["python3", "stubborn"].iter().any(|it| row.arguments.contains(it));
    let has_python = || Command::new("python3").arg("--version").output().is_ok();
    let needs_solver = ["--cover mcdc", "bodysense"];
    let needs_solver = needs_solver.iter().any(|it| row.arguments.contains(it));
    let has_solver = || punctual_solver::Solver::find().is_ok();
    (!needs_python || has_python()) && (!needs_solver || has_solver())
}
