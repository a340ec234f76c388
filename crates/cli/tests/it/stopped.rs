//! What can go on for too long hears the user, and takes no more memory and no more of the disk than is sane.

#![cfg(unix)]

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use super::{folder, output, punctual, root};

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn pause() {
    std::thread::sleep(Duration::from_millis(25));
}

fn started(within: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_punctual"));
    command.args(arguments).current_dir(within);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Interrupts a command after so many pauses; it has to end within ten seconds.
fn interrupted(mut child: Child, after: usize) -> Output {
    (0..after).for_each(|_| pause());
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let is_over = (0..400).any(|_| {
        pause();
        child.try_wait().unwrap().is_some()
    });
    if !is_over {
        child.kill().unwrap();
    }
    let done = child.wait_with_output().unwrap();
    assert!(is_over, "it is not heard: {done:?}");
    done
}

fn is_inconclusive(done: &Output) -> String {
    let [stdout, stderr] =
        [&done.stdout, &done.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
    assert_eq!(done.status.code(), Some(3), "{stdout}{stderr}");
    stdout + &stderr
}

const INTERFACE: &str = "[interface]\ninputs = [\"a\"]\noutputs = [\"b\"]\ntime-unit = \"1ms\"\n";

/// A model one state of which has more hidden steps than anybody can follow: two answers of each of forty processes, or so many values of
/// a select.
fn endless(test: &str) -> PathBuf {
    let folder = folder(test);
    let env = "process Env() { state E; init E; trans E -> E { sync a!; }, E -> E { sync b?; }; }";
    let system = |step: &str| {
        format!(
            "process Sys() {{ state A {{x<=1}}, O {{y<=3}}; init A; trans A -> A {{ {step} }},
             A -> O {{ sync a?; assign y = 0; }}, O -> A {{ guard y>=1; sync b!; assign x=0; }}; }}
             {env} S = Sys(); V = Env();"
        )
    };
    let broadcast = system("guard x >= 1; sync h!; assign x=0;");
    let broadcast = format!(
        "chan a, b; broadcast chan h; clock x, y; {broadcast}
         process R(const int[0,39] k) {{ bool s; state A; init A; \
         trans A -> A {{sync h?; assign s=1;}}, A -> A {{sync h?; assign s=0;}}; }} system S, R, V;"
    );
    let select = system("select i:int[0,2147483647]; guard x >= 1; assign v = i%1000, x=0;");
    let select = format!("chan a, b; clock x, y; int v; {select} system S, V;");
    let suite = "model = \"broadcast.xta\"\ninterface = \"i.toml\"\n[[case]]\nname = \"one\"\n\
        steps = [ { wait = 5 }, { input = \"a\" }, { output = \"b\", within = [1, 3] } ]\n";
    let trace = "{\"unit\":\"ms\"}\n{\"at\":100,\"input\":\"a\",\"values\":[]}\n{\"at\":1000}\n";
    for (name, text) in [
        ("broadcast.xta", &*broadcast),
        ("select.xta", &select),
        ("i.toml", INTERFACE),
        ("suite.toml", suite),
        ("trace.jsonl", trace),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder
}

/// Makers and judges of suites were deaf inside one state of the model.
#[test]
fn who_follows_a_model_is_heard_inside_of_one_state() {
    let folder = endless("one-state");
    let of = |text: &'static str| text.split(' ').collect::<Vec<_>>();
    for arguments in [
        of("generate broadcast.xta -i i.toml --cover edges -o made.toml"),
        of("generate select.xta -i i.toml --cover edges -o made.toml"),
        of("mutate broadcast.xta -i i.toml --decide --operators widen"),
        of("score broadcast.xta suite.toml -i i.toml --kill -o made.toml"),
        of("oracles broadcast.xta suite.toml -i i.toml -o made.toml"),
    ] {
        is_inconclusive(&interrupted(started(&folder, &arguments), 40));
        // A suite of nothing would take the place of one that was there.
        let made = folder.join("made.toml");
        if let Ok(text) = std::fs::read_to_string(&made) {
            assert!(text.contains("[[case]]"), "{arguments:?}: {text}");
            std::fs::remove_file(made).unwrap();
        }
    }
}

/// All runs of a sampling were made first.
#[test]
fn sampling_hears_the_user() {
    let made = folder("sampling").join("made.toml");
    let made = made.display().to_string();
    let of = "examples/overheating";
    let (model, suite) = (format!("{of}/model.xml"), format!("{of}/suite.toml"));
    let arguments =
        ["oracles", &model, &suite, "--phase", "1700ms", "--runs", "200000000", "-o", &made];
    is_inconclusive(&interrupted(started(&root(), &arguments), 80));
}

/// One state with more hidden steps than there is memory for.
#[test]
fn a_trace_that_nobody_can_follow_takes_bounded_memory() {
    let folder = endless("memory");
    let arguments = ["judge", "select.xta", "trace.jsonl", "-i", "i.toml", "--memory", "16M"];
    let done = started(&folder, &arguments).wait_with_output().unwrap();
    let text = is_inconclusive(&done);
    assert!(text.contains("out of memory") && text.contains("16 MB"), "{text}");
}

/// A port that is free.
fn free() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

/// Whoever was waited for, the command ended ten seconds later, with exit code 2.
#[test]
fn a_system_that_does_not_come_is_not_waited_for_any_longer() {
    for reached in ["--listen", "--tron"] {
        let address = free();
        let model = "examples/coffee-machine/model.xml";
        let arguments = ["test", model, reached, &address, "--no-record"];
        is_inconclusive(&interrupted(started(&root(), &arguments), 40));
    }
}

/// Somebody who is no adapter came by: that says nothing of the system.
#[test]
fn a_stray_client_is_no_verdict() {
    let address = free();
    let model = "examples/coffee-machine/model.xml";
    let child = started(&root(), &["test", model, "--tron", &address, "--no-record"]);
    let mut stream = (0..200).find_map(|_| {
        pause();
        TcpStream::connect(&address).ok()
    });
    stream.as_mut().unwrap().write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let done = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(stderr.contains("never got ready"), "{stderr}");
}

/// A stack that no machine has lets each thread fail to start.
#[test]
fn steering_does_without_threads() {
    let config = "examples/simple-pacing/pacing.toml";
    let mut command = punctual(&["steer", config, "--threads", "4", "--json"]);
    let (code, without, stderr) = output(command.env("RUST_MIN_STACK", "1000000000000000"));
    assert!(matches!(code, Some(0 | 1)), "{stderr}");
    let (_, with, _) = output(&mut punctual(&["steer", config, "--threads", "4", "--json"]));
    assert_eq!(without, with);
}

/// Nothing was learned, and nothing is wrong with what was given.
#[test]
fn learning_that_is_stopped_is_inconclusive() {
    const TIMES: usize = 1500;
    let folder = folder("stopped-learning");
    let example = root().join("examples/simple-pacing");
    let read = |name: &str| std::fs::read_to_string(example.join(name)).unwrap();
    for name in ["all.toml", "pacing.lus"] {
        std::fs::write(folder.join(name), read(name)).unwrap();
    }
    for name in ["tests.csv", "sut_clock.csv", "sut_slow.csv"] {
        let text = read(name);
        let (head, tests) = text.split_once('\n').unwrap();
        let tests = vec![tests.trim_end(); TIMES].join("\n\n");
        std::fs::write(folder.join(name), format!("{head}\n{tests}\n")).unwrap();
    }
    let mut labels = "sut,test,label\n".to_owned();
    for number in 0..2 * TIMES {
        labels += &format!("clock,{number},pass\nslow,{number},timing-not-in-tolerance\n");
    }
    std::fs::write(folder.join("labels.csv"), labels).unwrap();
    let out = folder.join("learned.txt");
    let arguments = ["steer", "all.toml", "--learn", "learned.txt"];
    let text = is_inconclusive(&interrupted(started(&folder, &arguments), 40));
    assert!(text.contains("stopped before anything was learned"), "{text}");
    assert!(!out.exists());
}

/// A record that was being written had no end.
#[test]
fn a_record_of_steps_that_is_stopped_is_complete() {
    let folder = folder("stopped-steps");
    let program = "node count(x: int) returns (y: int);\nlet y = x + (0 -> pre y); tel\n";
    std::fs::write(folder.join("count.lus"), program).unwrap();
    let arguments = ["run", "count.lus", "--random", "1", "--steps", "500000", "--record", "runs"];
    let child = started(&folder, &arguments);
    let record = folder.join("runs/0001/record.jsonl");
    // The first lines are there when the others are being written.
    let is_begun = (0..4000).any(|_| {
        pause();
        std::fs::metadata(&record).is_ok_and(|it| it.len() > 1 << 18)
    });
    assert!(is_begun);
    is_inconclusive(&interrupted(child, 1));
    let text = std::fs::read_to_string(&record).unwrap();
    let last = text.lines().last().unwrap();
    assert!(last.contains("\"verdict\"") && last.contains("\"stopped\""), "{last}");
}

/// A folder that has only some of the mutants says so.
#[test]
fn writing_mutants_hears_the_user() {
    let made = folder("stopped-mutants").join("made");
    let to = made.display().to_string();
    let child = started(&root(), &["mutate", "examples/train-gate/model.xml", "-o", &to]);
    for _ in 0..4_000_000 {
        if std::fs::read_dir(&made).is_ok_and(|files| files.count() > 1) {
            break;
        }
        std::thread::yield_now();
    }
    let text = is_inconclusive(&interrupted(child, 0));
    assert!(text.contains("stopped by the user") && text.contains("mutants are in"), "{text}");
}

/// A system that never stops talking fills no disk.
#[test]
fn a_record_has_some_of_what_a_system_says_besides() {
    let folder = folder("talkative");
    let root = root().canonicalize().unwrap();
    let machine = format!(
        "import sys\nsys.path.insert(0, {:?})\nsys.argv = ['machine.py', '40', '20']\nimport machine\n\
         old = machine.Machine.advance\n\
         def advance(self, until_ns):\n    print(('x' * 4000 + '\\n') * 40, file=sys.stderr, flush=True)\n    return old(self, until_ns)\n\
         machine.Machine.advance = advance\nmachine.main(['40', '20'])\n",
        root.join("examples/coffee-machine/sut").display().to_string()
    );
    std::fs::write(folder.join("talkative.py"), machine).unwrap();
    let model = root.join("examples/coffee-machine/model.xml").display().to_string();
    let arguments = ["test", &model, "--clock", "virtual", "--time", "60s", "--system"];
    let arguments = [&arguments[..], &["python3 talkative.py", "--record", "runs"]].concat();
    let done = started(&folder, &arguments).wait_with_output().unwrap();
    let text = std::fs::read_to_string(folder.join("runs/0001/record.jsonl")).unwrap();
    let said: usize = text.lines().filter(|it| it.contains("\"said\"")).map(str::len).sum();
    assert!((5 << 20..12 << 20).contains(&said), "{said} {done:?}");
    assert!(text.contains("more lines of log and stderr are left out"), "{done:?}");
}
