//! A system that runs while it is judged: a program that reads the inputs of a step as one line of
//! JSON, and answers with its outputs as another.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use punctual_lang::{Input, lustre::traces};
use punctual_model::lustre::{Table, Test, Value};
use punctual_oracle::steering::{Observation, Oracle, Outcome, Steerer};

use super::load::Plan;

/// How long a system may take for a step.
const STEP_TIME: Duration = Duration::from_secs(10);
/// A longer line is not an answer.
const LINE_MAX: u64 = 1 << 20;

/// Why a live test could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveError(pub String);

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The system of one test; ended when dropped.
struct Running {
    child: Child,
    replies: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(command: &str) -> Result<Running, LiveError> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| LiveError("there is no command".to_owned()))?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| LiveError(format!("can not start `{program}`: {error}")))?;
        let (tell, replies) = channel();
        if let Some(output) = child.stdout.take() {
            // Waiting for a line must end even if the line does not come.
            std::thread::spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let mut line = String::new();
                    let read = output.by_ref().take(LINE_MAX).read_line(&mut line);
                    if !matches!(read, Ok(1..)) || tell.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Running { child, replies })
    }

    fn step(&mut self, line: &str) -> Result<String, LiveError> {
        let input = self.child.stdin.as_mut();
        let input = input.ok_or_else(|| LiveError("the system has no input".to_owned()))?;
        let sent = writeln!(input, "{}", line.trim_end()).and_then(|()| input.flush());
        sent.map_err(|error| LiveError(format!("the system does not read its inputs: {error}")))?;
        self.replies.recv_timeout(STEP_TIME).map_err(|error| {
            LiveError(match error {
                RecvTimeoutError::Timeout => {
                    format!("the system did not answer within {} s", STEP_TIME.as_secs())
                }
                RecvTimeoutError::Disconnected => "the system ended".to_owned(),
            })
        })
    }
}

/// Runs each test of the plan with a fresh system, and judges it as it runs. `hand_on` gets the
/// number of the test, and says whether to go on.
///
/// # Errors
/// If there are no tests, or the system does not keep to the rules.
pub fn live(
    plan: &Plan,
    oracle: &Oracle,
    command: &str,
    mut hand_on: impl FnMut(usize, usize, Outcome) -> bool,
) -> Result<(), LiveError> {
    let Some(tests) = &plan.tests else {
        return Err(LiveError("a live system needs `tests`: the inputs to send".to_owned()));
    };
    let places = plan.inputs(tests).map_err(LiveError)?;
    let inputs: Vec<_> = plan.program.inputs().collect();
    let mut steerer = Steerer::new(oracle);
    for (number, test) in tests.tests.iter().enumerate() {
        let mut running = Running::start(command)?;
        let mut follower = steerer.follow();
        for (step, row) in test.steps.iter().enumerate() {
            let given: Vec<Value> = places.iter().map(|at| row[*at]).collect();
            let table =
                Table { columns: inputs.clone(), tests: vec![Test { steps: vec![given.clone()] }] };
            let wrong =
                |error: LiveError| LiveError(format!("test {number}, step {step}: {}", error.0));
            let reply = running.step(&traces::write_jsonl(&plan.program, &table)).map_err(wrong)?;
            let system = outputs(plan, &reply).map_err(wrong)?;
            steerer.step(&mut follower, Observation { inputs: given, system });
        }
        if !hand_on(number, test.steps.len(), steerer.finish(follower)) {
            break;
        }
    }
    Ok(())
}

/// What an answer says.
fn outputs(plan: &Plan, reply: &str) -> Result<Vec<Value>, LiveError> {
    let input = Input { name: "answer", bytes: reply.as_bytes() };
    let reading = traces::read_jsonl_with(input, &plan.program, traces::Unknown::Partial);
    let said = || reply.trim().chars().take(200).collect::<String>();
    let Some(table) = reading.value else {
        let message = reading.diagnostics.first().map_or("", |it| it.message.as_str());
        return Err(LiveError(format!("the system answered `{}`: {message}", said())));
    };
    let row = table.tests.first().and_then(|test| test.steps.first());
    let mut values = Vec::new();
    for var in &plan.columns {
        let at = table.columns.iter().position(|it| it == var);
        let value = at.and_then(|at| row.and_then(|row| row.get(at)));
        let name = &plan.program.vars[*var].name;
        let missing = || LiveError(format!("the answer `{}` does not say `{name}`", said()));
        values.push(*value.ok_or_else(missing)?);
    }
    Ok(values)
}
