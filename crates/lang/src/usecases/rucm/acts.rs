//! What somebody does in a step: inputs, outputs, changes, other use cases.

use std::ops::Range;

use punctual_model::{
    Id, UseCaseId,
    usecases::{Action, ActionKind, Named, Phrase, Role},
};

use super::{
    super::{lints, names::normal},
    build::Builder,
    dependency::Reference,
    lines::RawUseCase,
    sentence::{Act, ActSaid, is_system, words},
};
use crate::Text;

impl Builder<'_> {
    pub(super) fn act(
        &mut self,
        id: UseCaseId,
        text: &Text,
        act: Act,
        actors: &[String],
        all: &[(usize, RawUseCase)],
    ) -> Action {
        let (kind, role) = match act.kind {
            ActSaid::Include(name) => (self.include(id, text, name, all, false), Role::Reference),
            ActSaid::ExtendedBy(name) => match self.include(id, text, name, all, true) {
                ActionKind::Include(to) => (ActionKind::ExtendedBy(to), Role::Reference),
                other => (other, Role::Reference),
            },
            ActSaid::Exchange { giver, data, taker } => self.exchange(text, giver, data, taker),
            ActSaid::Plain => self.plain(text, act.range.clone(), actors),
        };
        Action { sentence: self.sentence(text, act.range, role), kind }
    }

    fn include(
        &mut self,
        id: UseCaseId,
        text: &Text,
        name: Range<usize>,
        all: &[(usize, RawUseCase)],
        is_extension: bool,
    ) -> ActionKind {
        let said = &text.text[name.clone()];
        let span = text.locate(name.clone());
        match self.names.get(&normal(said)).copied() {
            Some(to) => {
                self.references[id.index()].push(Reference { to, span, is_extension });
                ActionKind::Include(to)
            }
            None => {
                let names = all.iter().map(|(_, raw)| raw.name.text.as_str());
                let help = self.context.hints.help(said, names);
                let help = help.unwrap_or_else(|| "no file of the folder has it".to_owned());
                let message = format!("there is no use case `{said}`");
                self.error("rucm::include", span, message, &help);
                ActionKind::Internal
            }
        }
    }

    fn exchange(
        &mut self,
        text: &Text,
        giver: Range<usize>,
        data: Range<usize>,
        taker: Range<usize>,
    ) -> (ActionKind, Role) {
        let ours = [&giver, &taker].map(|it| is_system(&text.text[(*it).clone()]));
        let owner = |phrase: &Phrase| match phrase.meanings.first() {
            Some(Named::Class(class)) => Some(*class),
            _ => None,
        };
        match ours {
            [false, true] => {
                let actor = self.phrase(text, giver, None);
                let data = self.phrase(text, data, owner(&actor));
                (ActionKind::Input { actor, data: Some(data) }, Role::Input)
            }
            [true, false] => {
                let actor = self.phrase(text, taker, None);
                let data = self.phrase(text, data, owner(&actor));
                (ActionKind::Output { actor, data }, Role::Output)
            }
            [true, true] => (ActionKind::Internal, Role::Effect),
            [false, false] => {
                let help = "the system takes part in each step";
                self.lint(&lints::R3, text.span, "an actor acts on another actor", help);
                (ActionKind::Internal, Role::Effect)
            }
        }
    }

    /// A sentence without a keyword.
    fn plain(&mut self, text: &Text, range: Range<usize>, actors: &[String]) -> (ActionKind, Role) {
        let all = words(&text.text, range.clone());
        let is_ours = |n: usize| {
            all.get(n - 1).is_some_and(|it| is_system(&text.text[range.start..it.range.end]))
        };
        if is_ours(1) || is_ours(2) {
            return (ActionKind::Internal, Role::Effect);
        }
        // An actor may have a name of several words.
        let actor = (1..=all.len().min(6)).find_map(|n| {
            let subject = range.start..all[n - 1].range.end;
            actors.contains(&normal(&text.text[subject.clone()])).then_some(subject)
        });
        let span = text.locate(range);
        match actor {
            Some(subject) => {
                let help = "write `X SENDS data TO the system`";
                let message = "an actor acts, and what the system receives is not named";
                self.lint(&lints::R7, span, message, help);
                let actor = self.phrase(text, subject, None);
                (ActionKind::Input { actor, data: None }, Role::Input)
            }
            None => {
                let help = "begin with `The system`, or with an actor that the use case names";
                let message = "the subject is neither the system nor an actor";
                self.lint(&lints::R1, span, message, help);
                (ActionKind::Internal, Role::Effect)
            }
        }
    }
}
