//! Colours and words for what a drawing shows, after UPPAAL's editor.

use crate::view::{Colour, LabelKind, Mark};

/// The circle of a location without a colour of its own.
pub(crate) const LOCATION: Colour = Colour { red: 0xe4, green: 0xea, blue: 0xf7 };
/// Lines without a colour of their own.
pub(crate) const LINE: &str = "#333333";
/// Texts that are not part of a model.
pub(crate) const QUIET: &str = "#666666";
/// Frames of panels.
pub(crate) const FRAME: &str = "#c9ced6";

/// All kinds, in the order in which a block of labels shows them.
pub(crate) const KINDS: [LabelKind; 9] = [
    LabelKind::Name,
    LabelKind::Invariant,
    LabelKind::Rate,
    LabelKind::Select,
    LabelKind::Guard,
    LabelKind::Synchronisation,
    LabelKind::Update,
    LabelKind::Probability,
    LabelKind::Comment,
];

/// All marks, in the order of the legend.
pub(crate) const MARKS: [Mark; 4] = [Mark::Covered, Mark::Uncovered, Mark::Current, Mark::Faulty];

/// The class of a label.
pub(crate) fn class(kind: LabelKind) -> &'static str {
    match kind {
        LabelKind::Name => "name",
        kind => word(kind),
    }
}

/// The word for a label in the legend.
pub(crate) fn word(kind: LabelKind) -> &'static str {
    match kind {
        LabelKind::Name => "location",
        LabelKind::Invariant => "invariant",
        LabelKind::Rate => "rate",
        LabelKind::Select => "select",
        LabelKind::Guard => "guard",
        LabelKind::Synchronisation => "synchronisation",
        LabelKind::Update => "update",
        LabelKind::Probability => "probability",
        LabelKind::Comment => "comment",
    }
}

/// The colour of a label.
pub(crate) fn ink(kind: LabelKind) -> &'static str {
    match kind {
        LabelKind::Name => "#8b1414",
        LabelKind::Invariant => "#9a1fa3",
        LabelKind::Rate => "#c2185b",
        LabelKind::Select => "#967000",
        LabelKind::Guard => "#0d7a1f",
        LabelKind::Synchronisation => "#00808c",
        LabelKind::Update => "#2333c4",
        LabelKind::Probability => "#8a4b08",
        LabelKind::Comment => QUIET,
    }
}

/// The class of a marked thing and its word in the legend.
pub(crate) fn mark_word(mark: Mark) -> &'static str {
    match mark {
        Mark::Covered => "covered",
        Mark::Uncovered => "uncovered",
        Mark::Current => "current",
        Mark::Faulty => "faulty",
    }
}

/// The colour behind a marked thing; blue and orange, so that no reader needs to tell red from
/// green to see what is covered.
pub(crate) fn mark_ink(mark: Mark) -> &'static str {
    match mark {
        Mark::Covered => "#4a9be8",
        Mark::Uncovered => "#ff9d2e",
        Mark::Current => "#f2d600",
        Mark::Faulty => "#e0245e",
    }
}

/// `#rrggbb`.
pub(crate) fn hex(colour: Colour) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue)
}

/// Whether white is easier to read on `colour` than black.
pub(crate) fn is_dark(colour: Colour) -> bool {
    let luminance =
        299 * u32::from(colour.red) + 587 * u32::from(colour.green) + 114 * u32::from(colour.blue);
    luminance < 128_000
}
