//! The fields of a use case, and how their names are written.

/// Which kind of flow a heading begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Basic,
    Specific,
    Bounded,
    Global,
}

impl Kind {
    /// The letters that references begin with.
    pub(super) fn letters(self) -> &'static str {
        match self {
            Kind::Basic => "BF",
            Kind::Specific => "SAF",
            Kind::Bounded => "BAF",
            Kind::Global => "GAF",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    UseCase,
    Description,
    Precondition,
    PrimaryActor,
    SecondaryActors,
    Dependency,
    Generalization,
    Flow(Kind),
    Postcondition,
}

pub(super) const FIELDS: [(&str, &str, Field); 20] = [
    ("usecasename", "Use Case Name", Field::UseCase),
    ("usecase", "Use Case", Field::UseCase),
    ("briefdescription", "Brief Description", Field::Description),
    ("description", "Description", Field::Description),
    ("precondition", "Precondition", Field::Precondition),
    ("preconditions", "Preconditions", Field::Precondition),
    ("primaryactor", "Primary Actor", Field::PrimaryActor),
    ("primaryactors", "Primary Actors", Field::PrimaryActor),
    ("secondaryactor", "Secondary Actor", Field::SecondaryActors),
    ("secondaryactors", "Secondary Actors", Field::SecondaryActors),
    ("dependency", "Dependency", Field::Dependency),
    ("dependencies", "Dependencies", Field::Dependency),
    ("generalization", "Generalization", Field::Generalization),
    ("generalisation", "Generalisation", Field::Generalization),
    ("basicflow", "Basic Flow", Field::Flow(Kind::Basic)),
    ("specificalternativeflow", "Specific Alternative Flow", Field::Flow(Kind::Specific)),
    ("boundedalternativeflow", "Bounded Alternative Flow", Field::Flow(Kind::Bounded)),
    ("globalalternativeflow", "Global Alternative Flow", Field::Flow(Kind::Global)),
    ("postcondition", "Postcondition", Field::Postcondition),
    ("postconditions", "Postconditions", Field::Postcondition),
];

/// A field at the begin of a line: what it is, the section number before it, and what follows.
pub(super) struct Head {
    pub(super) field: Field,
    /// The number of the section; may be empty.
    pub(super) section: String,
    /// Where the text behind the name begins.
    pub(super) rest: usize,
    /// Whether nothing but punctuation separates the name from what follows.
    pub(super) is_marked: bool,
}

/// The number of a section at the begin of a text, such as `2.1`, and where what follows begins.
pub(super) fn section_number(text: &str) -> (&str, usize) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    let rest = text[end..].trim_start();
    match number.is_empty() {
        true => ("", 0),
        false => (number, text.len() - rest.len()),
    }
}

/// The field that a line begins with.
pub(super) fn head(text: &str) -> Option<Head> {
    let (section, from) = section_number(text);
    let (field, length) = FIELDS.iter().find_map(|(letters, _, field)| {
        prefix(&text[from..], letters).map(|length| (*field, length))
    })?;
    let behind = &text[from + length..];
    let rest = behind.trim_start().trim_start_matches([':', '-', '–', '—']).trim_start();
    let is_named = matches!(field, Field::Flow(_)) && rest.starts_with(['"', '“']);
    let is_marked = behind.trim_start().starts_with([':', '-', '–', '—']);
    let is_marked = is_marked || is_named || rest.is_empty();
    Some(Head { field, section: section.to_owned(), rest: text.len() - rest.len(), is_marked })
}

/// How many bytes of a text spell these letters, in any case, with spaces or hyphens inside; none if it has others, or more.
fn prefix(text: &str, letters: &str) -> Option<usize> {
    let mut wanted = letters.chars();
    let mut next = wanted.next();
    for (at, c) in text.char_indices() {
        match next {
            None if c.is_alphanumeric() => return None,
            None => return Some(at),
            Some(letter) if c.to_ascii_lowercase() == letter => next = wanted.next(),
            Some(_) if matches!(c, ' ' | '-' | '_') && at > 0 => {}
            Some(_) => return None,
        }
    }
    next.is_none().then_some(text.len())
}
