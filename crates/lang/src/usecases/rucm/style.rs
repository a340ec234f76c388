//! Rules about words: those that a look at each word can decide.

use std::ops::Range;

use super::{
    super::{
        lints::{self, Lint},
        sources::{Context, Reader},
    },
    sentence::{Word, words},
};
use crate::{Span, Text};

const MODAL: &[&str] = &[
    "can", "could", "may", "might", "must", "shall", "should", "will", "would", "ought", "cannot",
];

const PRONOUNS: &[&str] = &[
    "it", "its", "itself", "they", "them", "their", "he", "him", "his", "she", "her", "we", "us",
    "our", "you", "your", "i", "this", "these", "those",
];

const NEGATIVE: &[&str] = &[
    "never", "neither", "nor", "hardly", "barely", "scarcely", "seldom", "rarely", "few", "little",
];

const ADVERBS: &[&str] =
    &["always", "often", "sometimes", "very", "again", "soon", "quite", "almost", "usually"];

/// Words that end like adverbs and are none.
const NO_ADVERBS: &[&str] = &[
    "apply",
    "supply",
    "reply",
    "rely",
    "comply",
    "multiply",
    "imply",
    "fly",
    "assembly",
    "anomaly",
    "family",
    "july",
    "poly",
    "ally",
    "belly",
    "jelly",
    "monopoly",
    "butterfly",
    "subassembly",
];

/// Words that begin a second sentence inside of one.
const CLAUSES: &[&str] = &[
    "because", "although", "though", "whereas", "while", "when", "whenever", "unless", "if",
    "which", "who", "whom", "whose",
];

const PAST: &[&str] = &["was", "were", "had", "did"];

/// Checks the words of any sentence.
pub(super) fn sentence(context: &Context, reader: &mut Reader, text: &Text) {
    let all = words(&text.text, 0..text.text.len());
    let mut warn = |lint: &Lint, span: Span, message: String, help: &str| {
        context.lint(&mut reader.diagnostics, lint, span, message, help);
    };
    for (at, word) in all.iter().enumerate() {
        let span = text.locate(word.range.clone());
        let said = word.text;
        let is_that = |lint: &[&str]| word.is_any(lint);
        if is_that(MODAL) {
            let help = "tell what happens";
            warn(&lints::R10, span, format!("the modal verb `{said}`"), help);
        } else if is_that(NEGATIVE) {
            warn(&lints::R13, span, format!("the negative word `{said}`"), "use `not` or `no`");
        } else if is_that(PRONOUNS) {
            warn(&lints::R14, span, format!("the pronoun `{said}`"), "name the thing");
        } else if is_adverb(word) {
            let help = "say it in numbers, or leave it out";
            warn(&lints::R11, span, format!("the adverb `{said}`"), help);
        }
        if at > 0 && is_that(CLAUSES) {
            let help = "write a sentence of its own; conditions stand behind IF and VALIDATES THAT";
            warn(&lints::R12, span, format!("a second sentence begins with `{said}`"), help);
        }
        if said == "system" || said == "System" {
            let before = at.checked_sub(1).map(|at| &all[at]);
            // In "the seat system" another thing is meant.
            let is_alone = before.is_none_or(|it| it.is_any(&["a", "our", "this"]));
            if is_alone {
                let help = "write `the system`";
                warn(&lints::R16, span, "the system is not called `the system`".to_owned(), help);
            }
        }
    }
    let first_ing = all.first().filter(|word| is_participle(word));
    let after_comma = all.windows(2).find_map(|pair| {
        let between = &text.text[pair[0].range.end..pair[1].range.start];
        (between.contains(',') && is_participle(&pair[1])).then_some(&pair[1])
    });
    if let Some(word) = first_ing.or(after_comma) {
        let span = text.locate(word.range.clone());
        let message = format!("a participle phrase begins with `{}`", word.text);
        warn(&lints::R15, span, message, "write a sentence of its own");
    }
    if text.text.trim_end().ends_with(['?', '!']) {
        let help = "tell what is, or what happens";
        warn(&lints::R8, text.span, "this is no declarative sentence".to_owned(), help);
    }
}

/// Checks the sentence of a step in which somebody acts.
pub(super) fn action(context: &Context, reader: &mut Reader, text: &Text) {
    let all = words(&text.text, 0..text.text.len());
    let mut warn = |lint: &Lint, span: Span, message: &str, help: &str| {
        context.lint(&mut reader.diagnostics, lint, span, message, help);
    };
    for pair in all.windows(2) {
        let span = text.locate(pair[0].range.start..pair[1].range.end);
        if pair[0].is_any(&["has", "have"]) && pair[1].is("been") || pair[0].is_any(PAST) {
            warn(&lints::R5, span, "an action is not told in present tense", "`The system sets …`");
        } else if pair[0].is_any(&["is", "are"]) && pair[1].text.ends_with("ed") {
            let help = "say who does it: `The system sets …`";
            warn(&lints::R6, span, "an action is told in passive voice", help);
        }
    }
    let verbs = ["SENDS", "REQUESTS", "VALIDATES", "INCLUDE"];
    let mut found = all.iter().filter(|word| verbs.contains(&word.text));
    let second = found.nth(1).map(|word| text.locate(word.range.clone()));
    let joined = all.windows(2).find(|pair| pair[0].is("and") && pair[1].is("then"));
    let joined = joined.map(|pair| text.locate(pair[0].range.start..pair[1].range.end));
    let sentences = super::sentence::sentences(&text.text);
    let more = sentences.get(1).map(|range| text.locate(range.clone()));
    if let Some(span) = second.or(joined).or(more) {
        let help = "write a step for each action, or MEANWHILE between them";
        warn(&lints::R4, span, "a second action in a step", help);
    } else if let Some(span) = second_subject(&all).map(|word| text.locate(word)) {
        let help = "write a sentence for each subject";
        warn(&lints::R12, span, "a second subject in a sentence", help);
    }
}

/// Where a second subject stands: beside the first one before a keyword, or `the system` once more.
fn second_subject(all: &[Word<'_>]) -> Option<Range<usize>> {
    let is_joint = |word: &Word<'_>| word.is_any(&["and", "or", "but"]);
    let verb = all.iter().position(|word| ["SENDS", "REQUESTS"].contains(&word.text));
    let before = all[..verb.unwrap_or(0)].iter().position(is_joint);
    let again = || {
        let is_again = |it: &[Word<'_>]| is_joint(&it[0]) && it[1].is("the") && it[2].is("system");
        // In "between the driver and the system" no verb follows.
        all.windows(4).position(is_again).filter(|at| *at > 0)
    };
    let at = before.or_else(again)?;
    Some(all[at].range.start..all.get(at + 2).unwrap_or(&all[at]).range.end)
}

fn is_adverb(word: &Word<'_>) -> bool {
    let is_plain = word.text.bytes().all(|byte| byte.is_ascii_lowercase());
    let ends = word.text.len() > 4 && word.text.ends_with("ly");
    word.is_any(ADVERBS) || is_plain && ends && !word.is_any(NO_ADVERBS)
}

fn is_participle(word: &Word<'_>) -> bool {
    word.text.len() > 4
        && word.text.ends_with("ing")
        && !word.is_any(&[
            "thing",
            "nothing",
            "something",
            "everything",
            "string",
            "bring",
            "spring",
        ])
}
