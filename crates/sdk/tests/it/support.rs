//! A tester that says what a test tells it to, line by line.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value as Json;

/// The folder of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The other end of a conversation.
pub(crate) struct Tester {
    reader: BufReader<Box<dyn Read + Send>>,
    writer: Box<dyn Write + Send>,
    child: Option<Child>,
}

impl Tester {
    pub(crate) fn new(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
    ) -> Self {
        let reader = BufReader::new(Box::new(reader) as Box<dyn Read + Send>);
        Self { reader, writer: Box::new(writer), child: None }
    }

    /// Starts a program and talks to it over stdin and stdout.
    pub(crate) fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (reader, writer) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        Self { child: Some(child), ..Self::new(reader, writer) }
    }

    /// Starts a conversation with something that is served in a thread of this program.
    pub(crate) fn of<T: Send + 'static>(
        serve: impl FnOnce(BufReader<io::PipeReader>, io::PipeWriter) -> T + Send + 'static,
    ) -> (Self, std::thread::JoinHandle<T>) {
        let (from_tester, to_system) = io::pipe().unwrap();
        let (from_system, to_tester) = io::pipe().unwrap();
        let service = std::thread::spawn(|| serve(BufReader::new(from_tester), to_tester));
        (Self::new(from_system, to_system), service)
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.writer, "{line}").unwrap();
        self.writer.flush().unwrap();
    }

    /// What the system says next; none if it has gone.
    pub(crate) fn hear(&mut self) -> Option<Json> {
        let mut line = String::new();
        let n_bytes = self.reader.read_line(&mut line).unwrap();
        (n_bytes > 0).then(|| serde_json::from_str(&line).expect(&line))
    }

    pub(crate) fn ask(&mut self, line: &str) -> Json {
        self.say(line);
        self.hear().expect("an answer")
    }

    /// Says hello with both versions on offer.
    pub(crate) fn greet(&mut self, clock: &str) -> Json {
        self.ask(&hello(clock))
    }

    /// Whether the program ended well, once its input was closed.
    pub(crate) fn ended_well(self) -> bool {
        let Self { writer, child, .. } = self;
        drop(writer);
        child.expect("a program").wait().unwrap().success()
    }
}

/// The first message of a tester that speaks both versions.
pub(crate) fn hello(clock: &str) -> String {
    let head = r#"{"hello":{"protocol":1,"protocols":[1,2],"unit_ns":1000000,"inputs":[],"outputs":[],"ports":[]"#;
    format!(r#"{head},"clock":"{clock}"}}}}"#)
}
