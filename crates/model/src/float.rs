//! Serialising doubles so that infinities and NaN survive formats that have only numbers.
//!
//! They become the strings `inf`, `-inf` and `NaN`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Repr {
    Number(f64),
    Text(String),
}

impl From<f64> for Repr {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Number(value) } else { Self::Text(value.to_string()) }
    }
}

impl Repr {
    fn value<E: serde::de::Error>(self) -> Result<f64, E> {
        match self {
            Self::Number(value) => Ok(value),
            Self::Text(text) => match text.as_str() {
                "inf" => Ok(f64::INFINITY),
                "-inf" => Ok(f64::NEG_INFINITY),
                "NaN" => Ok(f64::NAN),
                _ => Err(E::custom("expected a number, `inf`, `-inf` or `NaN`")),
            },
        }
    }
}

pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Repr::from(*value).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Repr::deserialize(deserializer)?.value()
}

/// Lists of doubles.
pub(crate) mod list {
    use super::{Deserialize, Deserializer, Repr, Serializer};

    pub(crate) fn serialize<S: Serializer>(list: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(list.iter().map(|value| Repr::from(*value)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        Vec::<Repr>::deserialize(deserializer)?.into_iter().map(Repr::value).collect()
    }
}
