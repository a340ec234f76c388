//! A whole record in memory, for those who show it.

use std::{io::BufRead, path::Path};

use super::{Coverage, End, Event, Header, Line, Reader, StoreError, Window};

/// A run as it was recorded.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// What the run began with.
    pub header: Header,
    /// What happened, without what the fields below hold.
    pub lines: Vec<Line>,
    /// What was exercised, if that was recorded.
    pub coverage: Option<Coverage>,
    /// How it ended; `None` if the tester did not live to see it.
    pub end: Option<End>,
    /// Whether the last line was cut off.
    pub is_cut: bool,
}

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// As [`Reader`].
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        Self::collect(Reader::open(path)?)
    }

    /// Reads a record from anywhere.
    ///
    /// # Errors
    /// As [`Reader`].
    pub fn collect(mut reader: Reader<impl BufRead>) -> Result<Self, StoreError> {
        let header = reader.header().clone();
        let (mut lines, mut coverage, mut end) = (Vec::new(), None, None);
        for line in reader.by_ref() {
            match line? {
                Line::Coverage(found) => coverage = Some(found),
                Line::End(found) => end = Some(*found),
                line => lines.push(line),
            }
        }
        Ok(Self { header, lines, coverage, end, is_cut: reader.is_cut() })
    }

    /// The same with all instants since the start of the run. In a record they are since the last restart, so that
    /// what follows a restart would lie above what came before it.
    #[must_use]
    pub fn laid_out(mut self) -> Self {
        let mut start_ns = 0;
        for line in &mut self.lines {
            line.move_by(start_ns);
            if let Line::Restart(at_ns) = line {
                start_ns = *at_ns;
            }
        }
        if let Some(end) = &mut self.end {
            end.at_ns = end.at_ns.saturating_add(start_ns);
        }
        self
    }

    /// What was exchanged, in its order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.lines.iter().filter_map(|line| match line {
            Line::Event(event) => Some(event),
            _ => None,
        })
    }

    /// When outputs were allowed, in the order in which it was known.
    pub fn windows(&self) -> impl Iterator<Item = &Window> {
        self.lines.iter().filter_map(|line| match line {
            Line::Window(window) => Some(window),
            _ => None,
        })
    }

    /// The last instant that the record speaks of.
    #[must_use]
    pub fn last_ns(&self) -> u64 {
        let end = self.end.iter().map(|end| end.at_ns);
        self.lines.iter().filter_map(Line::instant).chain(end).max().unwrap_or(0)
    }
}

impl Line {
    fn move_by(&mut self, ns: u64) {
        let later = |at_ns: &mut u64| *at_ns = at_ns.saturating_add(ns);
        match self {
            Line::Event(event) => {
                later(&mut event.from_ns);
                later(&mut event.to_ns);
            }
            Line::Window(window) => {
                later(&mut window.from_ns);
                window.to_ns.iter_mut().for_each(later);
                later(&mut window.as_of_ns);
            }
            Line::Delay(delay) => later(&mut delay.to_ns),
            Line::Restart(at_ns) => later(at_ns),
            Line::Sending(sending) => later(&mut sending.at_ns),
            Line::Said(said) => later(&mut said.at_ns),
            Line::Judged(judged) => later(&mut judged.at_ns),
            Line::End(end) => later(&mut end.at_ns),
            Line::Header(_)
            | Line::Choice(_)
            | Line::Note(_)
            | Line::Steered(_)
            | Line::Extra(_)
            | Line::Coverage(_) => {}
        }
    }

    /// The last instant at which the line says that something happened.
    #[must_use]
    pub fn instant(&self) -> Option<u64> {
        match self {
            Line::Event(event) => Some(event.to_ns),
            Line::Delay(delay) => Some(delay.to_ns),
            Line::Restart(at) => Some(*at),
            Line::End(end) => Some(end.at_ns),
            Line::Header(_)
            | Line::Window(_)
            | Line::Choice(_)
            | Line::Note(_)
            | Line::Steered(_)
            | Line::Extra(_)
            | Line::Coverage(_) => None,
            Line::Sending(sending) => Some(sending.at_ns),
            Line::Said(said) => Some(said.at_ns),
            Line::Judged(judged) => Some(judged.at_ns),
        }
    }
}
