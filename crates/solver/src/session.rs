//! A dialogue with a solver.
//!
//! What is asserted is sent with the next question. All of it is kept, so that a solver that had to
//! be ended can be replaced by a new one that knows the same.

use std::{fmt::Write, mem, time::Duration};

use crate::{
    error::{Answer, Error, Reason},
    find::Solver,
    parse::{self, Piece},
    print::{self, Names},
    process::{Process, Silence},
    term::{Mark, Term, Terms, Value},
};

/// How long a solver that was told its limit may be late, before it is ended.
const GRACE: Duration = Duration::from_millis(500);
/// How much of a strange reply is repeated in messages.
const SHOWN_CHARS: usize = 200;

/// What a solver may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long the solver may think about one question.
    pub timeout: Duration,
    /// In all, in megabytes.
    pub memory_mb: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { timeout: Duration::from_secs(10), memory_mb: 4096 }
    }
}

/// What is between one push and the next.
struct Level {
    /// Declarations, definitions and assertions.
    text: String,
    /// What was declared and defined.
    named: Vec<Term>,
    /// Which terms there were before.
    mark: Mark,
}

/// A dialogue with a solver.
pub struct Session {
    solver: Solver,
    limits: Limits,
    terms: Terms,
    names: Names,
    levels: Vec<Level>,
    /// What was not sent yet.
    pending: String,
    process: Option<Process>,
    /// Whether the last question was answered with `Sat` and nothing has changed since.
    has_model: bool,
    questions: u64,
}

impl Session {
    pub(crate) fn start(solver: Solver, limits: Limits) -> Result<Session, Error> {
        let terms = Terms::new();
        let base = Level { text: String::new(), named: Vec::new(), mark: terms.mark() };
        let mut session = Session {
            solver,
            limits,
            terms,
            names: Names::default(),
            levels: vec![base],
            pending: String::new(),
            process: None,
            has_model: false,
            questions: 0,
        };
        match session.process() {
            // Its questions are answered, with that.
            Ok(_) | Err(Error::Stopped) => Ok(session),
            Err(error) => Err(error),
        }
    }

    /// The terms of the session. Those that are made now are forgotten by the next [`pop`](Self::pop).
    pub fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// How many questions were asked.
    #[must_use]
    pub fn questions(&self) -> u64 {
        self.questions
    }

    /// From now on, a question may take this long.
    pub fn set_timeout(&mut self, timeout: Duration) {
        if self.limits.timeout != timeout {
            self.limits.timeout = timeout;
            let option = timeout_option(timeout);
            self.pending.push_str(&option);
        }
    }

    /// Claims something.
    pub fn assert(&mut self, term: Term) {
        self.define_with(term, false);
        let mut text = "(assert ".to_owned();
        print::term(&self.terms, term, &self.names, &mut text);
        text.push_str(")\n");
        self.say(&text);
    }

    /// Lets the solver look for the least value of a number, until the next pop.
    pub(crate) fn aim_at(&mut self, term: Term) {
        self.define_with(term, false);
        let mut text = "(minimize ".to_owned();
        print::term(&self.terms, term, &self.names, &mut text);
        text.push_str(")\n");
        self.say(&text);
    }

    /// Gives a term a definition of its own. Worth it for terms that many questions are about.
    pub fn define(&mut self, term: Term) {
        self.define_with(term, true);
    }

    fn define_with(&mut self, term: Term, itself: bool) {
        let mut text = String::new();
        let mut added = Vec::new();
        print::define(&self.terms, term, itself, &mut self.names, &mut added, &mut text);
        self.level().named.append(&mut added);
        // Definitions do not change what is satisfied.
        let has_model = self.has_model;
        self.say(&text);
        self.has_model = has_model;
    }

    fn level(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the first level is never popped")
    }

    fn say(&mut self, text: &str) {
        if !text.is_empty() {
            self.level().text.push_str(text);
            self.pending.push_str(text);
            self.has_model = false;
        }
    }

    /// What is said and built from here on is taken back by the next [`pop`](Self::pop).
    pub fn push(&mut self) {
        let mark = self.terms.mark();
        self.levels.push(Level { text: String::new(), named: Vec::new(), mark });
        self.pending.push_str("(push 1)\n");
    }

    /// Takes back what was said and built since the last [`push`](Self::push).
    ///
    /// # Panics
    /// If there was none.
    pub fn pop(&mut self) {
        assert!(self.levels.len() > 1, "a pop without a push");
        if let Some(level) = self.levels.pop() {
            for term in level.named {
                self.names.remove(term);
            }
            self.terms.forget_since(level.mark);
        }
        self.pending.push_str("(pop 1)\n");
        self.has_model = false;
    }

    /// Whether what was claimed can be satisfied.
    ///
    /// # Errors
    /// If a solver can not be started.
    pub fn check(&mut self) -> Result<Answer, Error> {
        self.check_assuming(&[])
    }

    /// Whether what was claimed can be satisfied together with these terms.
    ///
    /// # Errors
    /// If a solver can not be started.
    pub fn check_assuming(&mut self, assumed: &[Term]) -> Result<Answer, Error> {
        for term in assumed {
            self.define_with(*term, false);
        }
        let mut question = "(check-sat".to_owned();
        if !assumed.is_empty() {
            question.push_str("-assuming (");
            for term in assumed {
                print::term(&self.terms, *term, &self.names, &mut question);
                question.push(' ');
            }
            question.push(')');
        }
        question.push_str(")\n");
        self.answer(&question)
    }

    /// Asks something that is answered by `sat`, `unsat` or `unknown`.
    fn answer(&mut self, question: &str) -> Result<Answer, Error> {
        self.has_model = false;
        let reply = match self.ask(question)? {
            Ok(reply) => reply,
            Err(reason) => return Ok(Answer::Unknown(reason)),
        };
        match reply.trim() {
            "sat" => {
                self.has_model = true;
                Ok(Answer::Sat)
            }
            "unsat" => Ok(Answer::Unsat),
            "unknown" => Ok(Answer::Unknown(self.reason()?)),
            "timeout" => Ok(Answer::Unknown(Reason::Timeout(self.limits.timeout))),
            other => Ok(Answer::Unknown(self.give_up(garbled(other)))),
        }
    }

    /// Why the solver does not know.
    fn reason(&mut self) -> Result<Reason, Error> {
        let reply = match self.ask("(get-info :reason-unknown)\n")? {
            Ok(reply) => reply,
            Err(reason) => return Ok(reason),
        };
        let said = match parse::pieces(&reply).as_deref() {
            Some([Piece::List(list)]) => match list.as_slice() {
                [_, Piece::Atom(said)] => said.clone(),
                _ => shortened(&reply),
            },
            _ => shortened(&reply),
        };
        Ok(match said.as_str() {
            "timeout" | "canceled" => Reason::Timeout(self.limits.timeout),
            _ => Reason::GaveUp(said),
        })
    }

    /// What terms are in the values that satisfied the last question.
    ///
    /// # Errors
    /// If it was not satisfied, or if the solver fails to say.
    pub fn values(&mut self, terms: &[Term]) -> Result<Vec<Value>, Error> {
        if !self.has_model {
            return Err(Error::NoModel);
        }
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        for term in terms {
            self.define_with(*term, false);
        }
        let mut question = "(get-value (".to_owned();
        for term in terms {
            print::term(&self.terms, *term, &self.names, &mut question);
            question.push(' ');
        }
        question.push_str("))\n");
        let reply = self.ask(&question)?.map_err(Error::Lost)?;
        let pieces = parse::pieces(&reply);
        let pairs = match pieces.as_deref() {
            Some([Piece::List(pairs)]) if pairs.len() == terms.len() => pairs,
            _ => return Err(Error::Lost(self.give_up(garbled(&reply)))),
        };
        let mut values = Vec::with_capacity(terms.len());
        for (term, pair) in terms.iter().zip(pairs) {
            let Piece::List(pair) = pair else {
                return Err(Error::Lost(garbled(&reply)));
            };
            let [_, said] = pair.as_slice() else {
                return Err(Error::Lost(garbled(&reply)));
            };
            let value = parse::value(said, self.terms.sort(*term));
            values.push(value.ok_or_else(|| Error::Lost(Reason::Number(shortened(&reply))))?);
        }
        Ok(values)
    }

    /// The running solver; a new one that knows all that was said, if there is none.
    fn process(&mut self) -> Result<&mut Process, Error> {
        if self.process.is_none() {
            let mut text = String::new();
            let memory = self.limits.memory_mb;
            let _ = writeln!(text, "(set-option :memory_max_size {memory})");
            text.push_str(&timeout_option(self.limits.timeout));
            let levels: Vec<&str> = self.levels.iter().map(|level| level.text.as_str()).collect();
            text.push_str(&levels.join("(push 1)\n"));
            self.pending = text;
            self.process = Some(Process::start(&self.solver)?);
        }
        Ok(self.process.as_mut().expect("it was started"))
    }

    /// Sends what is pending and a question, and gives the reply.
    fn ask(&mut self, question: &str) -> Result<Result<String, Reason>, Error> {
        self.questions += 1;
        let within = self.limits.timeout.saturating_add(GRACE);
        match self.process() {
            Ok(_) => {}
            Err(Error::Stopped) => return Ok(Err(self.give_up(Reason::Stopped))),
            Err(error) => return Err(error),
        }
        let mut text = mem::take(&mut self.pending);
        text.push_str(question);
        let reply = self.process()?.ask(text, within);
        let reason = match reply {
            Ok(reply) if reply.contains("(error") => Reason::Refused(shortened(&reply)),
            Ok(reply) => return Ok(Ok(reply)),
            Err(Silence::TooLate) => Reason::Hung(within),
            Err(Silence::Stopped) => Reason::Stopped,
            Err(Silence::TooLong) => Reason::Garbled("a reply without an end".to_owned()),
            Err(Silence::Ended) => {
                Reason::Died(self.process.as_ref().map(Process::last_words).unwrap_or_default())
            }
        };
        Ok(Err(self.give_up(reason)))
    }

    /// Ends a solver that can not be trusted any more; the next question starts a new one.
    fn give_up(&mut self, reason: Reason) -> Reason {
        self.process = None;
        self.has_model = false;
        reason
    }
}

fn timeout_option(timeout: Duration) -> String {
    // More than the solver can count is no limit.
    let ms = u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX).max(1);
    format!("(set-option :timeout {ms})\n")
}

fn garbled(reply: &str) -> Reason {
    Reason::Garbled(shortened(reply))
}

fn shortened(reply: &str) -> String {
    let reply = reply.trim();
    match reply.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &reply[..end]),
        None => reply.to_owned(),
    }
}
