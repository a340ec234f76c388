//! Models that were derived from use cases, as files: a UPPAAL model that people can read, and its interface.

use punctual_lang::{
    convert::{Unsupported, to_document},
    testing::{self, Config, TestOptions},
    uppaal::xml,
};
use punctual_testgen::usecases::Derived;

use super::diagram;

/// A derived model as texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    /// The model, in UPPAAL's XML, with a place for everything.
    pub model: String,
    /// Its interface, as a `punctual.toml`.
    pub interface: String,
}

/// Writes a derived model.
///
/// # Errors
/// What UPPAAL's format has no way to say.
pub fn files(derived: &Derived) -> Result<Files, Vec<Unsupported>> {
    let mut document = to_document(&derived.network)?;
    diagram::arrange(&mut document);
    let config = Config {
        wired: derived.wired.clone(),
        environment: Vec::new(),
        system: Vec::new(),
        under_test: None,
        steps: None,
        steering: None,
        test: TestOptions::default(),
    };
    let interface = testing::print(&derived.network, &config);
    Ok(Files { model: xml::write(&document), interface })
}
