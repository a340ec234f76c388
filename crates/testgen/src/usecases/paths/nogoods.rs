//! Parts of paths that no values can take, so that no other path with such a part is looked at.
//!
//! A part begins anywhere, with values of any kind, or at the begin of a path. It is told by its steps and by what happens by each of them: which use case follows one that ends, and whether postconditions count, is not
//! said by the steps alone.

use std::collections::HashMap;

use punctual_model::{SentenceId, UseCaseId, usecases::PathStep};

use super::{Event, Happening};

/// A step of a path, and what happens by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Element {
    pub(super) step: PathStep,
    happens: Vec<Happens>,
}

/// A happening. The first sentence of several ones tells all, since each belongs to one place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Happens {
    Precondition(SentenceId),
    Condition(SentenceId, bool),
    Act(SentenceId),
    /// With the number of happenings since its flow began.
    Postcondition(SentenceId, usize),
}

impl Element {
    /// A step with what happens by it; `n_before` things happened before it.
    pub(super) fn new(step: PathStep, happenings: &[Happening<'_>], n_before: usize) -> Self {
        let happens = happenings.iter().enumerate().filter_map(|(index, it)| match &it.event {
            Event::Preconditions(sentences) => {
                sentences.first().map(|it| Happens::Precondition(*it))
            }
            Event::Condition { sentences, holds } => {
                sentences.first().map(|it| Happens::Condition(*it, *holds))
            }
            Event::Act(actions) => actions.first().map(|it| Happens::Act(it.sentence)),
            Event::Postconditions { sentences, began } => {
                sentences.first().map(|it| Happens::Postcondition(*it, n_before + index - began))
            }
            Event::FlowBegins { .. } | Event::FlowEnds { .. } => None,
        });
        Self { step, happens: happens.collect() }
    }
}

/// A part of a path that no values can take, and the use case that it begins with, if it is the begin of a path.
type Part = (Vec<Element>, Option<UseCaseId>);

/// Parts of paths that no values can take.
#[derive(Debug, Default)]
pub(super) struct Nogoods {
    /// By their last element.
    parts: HashMap<Element, Vec<Part>>,
    /// Use cases that no path can begin with.
    tops: Vec<UseCaseId>,
    /// How many there are.
    pub(super) n: usize,
}

impl Nogoods {
    /// Adds a part, which may be empty if it is the begin of a path.
    pub(super) fn add(&mut self, part: Vec<Element>, begins: Option<UseCaseId>) {
        match part.last().cloned() {
            Some(last) => self.parts.entry(last).or_default().push((part, begins)),
            None => self.tops.extend(begins),
        }
        self.n += 1;
    }

    /// Whether a path ends with such a part. Its elements come from the last one to the first one.
    pub(super) fn is_end_of<'e>(
        &self,
        use_case: UseCaseId,
        path: impl Iterator<Item = &'e Element> + Clone,
    ) -> bool {
        let Some(last) = path.clone().next() else { return self.tops.contains(&use_case) };
        let Some(parts) = self.parts.get(last) else { return false };
        parts.iter().any(|(part, begins)| {
            let mut path = path.clone();
            let is_end = part.iter().rev().all(|it| path.next() == Some(it));
            is_end && begins.is_none_or(|begins| begins == use_case && path.next().is_none())
        })
    }
}
