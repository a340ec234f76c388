//! The machine makes the tester wait on the real clock.

use super::{folder, output, punctual, root};

/// A right system that ticks every 600 ms. While it is reset, it stops the tester for 100 ms, as a busy machine does.
const STOPS_THE_TESTER: &str = r#"
import os, subprocess, sys, time
sys.path.append(sys.argv[1])
import punctual

class Ticker(punctual.Device):
    def reset(self):
        stall = "kill -STOP %d; sleep 0.1; kill -CONT %d" % (os.getppid(), os.getppid())
        nothing = subprocess.DEVNULL
        subprocess.Popen(["sh", "-c", stall], stdin=nothing, stdout=nothing)
        time.sleep(0.03)
        self.every(self.period_ns, lambda: self.emit("tick"))
    def input(self, name, values):
        pass

Ticker.period_ns = int(sys.argv[2]) * 1_000_000
punctual.serve(Ticker())
"#;

const TICKER: &str = "broadcast chan tick; chan nop;
process T() { clock t; state A { t <= 30 }; init A;
    trans A -> A { guard t >= 30; sync tick!; assign t = 0; }, A -> A { sync nop?; }; }
process E() { state A; init A; trans A -> A { sync tick?; }; }
system T, E;";

/// Makes a run against a system with a period in milliseconds, which should be 30 units; the exit code, and what is said.
fn ticked(name: &str, unit: &str, period_ms: &str) -> (Option<i32>, String) {
    let folder = folder(name);
    let path = |name: &str| folder.join(name).display().to_string();
    let interface = format!(
        "[interface]\ninputs = [\"nop\"]\noutputs = [\"tick\"]\ntime-unit = \"{unit}\"\n\
         [uncertainty]\ninput = \"0..3ms\"\noutput = \"0..3ms\"\n"
    );
    std::fs::write(path("punctual.toml"), interface).unwrap();
    std::fs::write(path("model.xta"), TICKER).unwrap();
    std::fs::write(path("system.py"), STOPS_THE_TESTER).unwrap();
    let kit = root().join("sdk/python");
    let system = format!("python3 {} {} {period_ms}", path("system.py"), kit.display());
    let model = path("model.xta");
    let arguments = ["test", &model, "--clock", "real", "--time", "70", "--retry", "0"];
    let arguments = [&arguments[..], &["--no-record", "--system", &system]].concat();
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    (code, stdout + &stderr)
}

/// The system sets its clock while it is reset, and the tester sets its own when it hears of that. What lies between looked as if the system were too
/// early.
#[test]
fn a_stall_while_the_system_is_reset_blames_nobody() {
    let (code, text) = ticked("stalled_right", "20ms", "600");
    assert_ne!(code, Some(1), "{text}");
    assert_ne!(code, Some(2), "{text}");
    // What is wrong by more than any stall fails: a tick after 0.2 s and not after 6 s.
    let (code, text) = ticked("stalled_wrong", "200ms", "200");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("too early"), "{text}");
}
