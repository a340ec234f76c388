//! Verdicts and causes as the words that records have.

use punctual_model::Cause;

/// What a record without a cause means.
pub(crate) fn other() -> Cause {
    Cause::Other
}

/// A verdict as a word.
pub mod verdict {
    use punctual_model::Verdict;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes `pass`, `inconclusive` or `fail`.
    ///
    /// # Errors
    /// As the serializer.
    pub fn serialize<S: Serializer>(it: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(it.name())
    }

    /// Reads it back.
    ///
    /// # Errors
    /// If it is another word.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Verdict, D::Error> {
        let word = String::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format!("`{word}` is no verdict"));
        Verdict::named(&word).ok_or_else(unknown)
    }
}

/// A cause as a word.
pub mod cause {
    use punctual_model::Cause;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a word such as `too_early`.
    ///
    /// # Errors
    /// As the serializer.
    pub fn serialize<S: Serializer>(it: &Cause, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(it.name())
    }

    /// Reads it back; words of other versions are other causes.
    ///
    /// # Errors
    /// If it is no word.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cause, D::Error> {
        String::deserialize(deserializer).map(|word| Cause::named(&word))
    }
}
