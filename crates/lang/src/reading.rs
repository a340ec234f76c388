//! What readers of files about models give.

use crate::{
    Input, SourceFile,
    diagnostic::{Diagnostic, Diagnostics},
    model::decoded,
    stack::with_stack,
};

/// What was found in a file. Warnings may come with a value; errors come without.
#[derive(Debug)]
pub struct Reading<T> {
    /// The file, for rendering diagnostics.
    pub file: SourceFile,
    /// What it says, if there is no error.
    pub value: Option<T>,
    /// Everything that is wrong, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl<T> Reading<T> {
    /// Reads a file on a large stack: expressions may be deep.
    pub(crate) fn deep(
        input: Input<'_>,
        read: impl FnOnce(&str, &mut Diagnostics) -> Option<T> + Send,
    ) -> Self
    where
        T: Send,
    {
        with_stack(|| Self::of(input, |file, diagnostics| read(&file.text, diagnostics)))
    }

    /// Reads a file.
    pub(crate) fn of(
        input: Input<'_>,
        read: impl FnOnce(&SourceFile, &mut Diagnostics) -> Option<T>,
    ) -> Self {
        let mut diagnostics = Diagnostics::new();
        let file = decoded(input, &mut diagnostics);
        let value = match diagnostics.has_errors() {
            true => None,
            false => read(&file, &mut diagnostics),
        };
        let value = value.filter(|_| !diagnostics.has_errors());
        Self { file, value, diagnostics: diagnostics.into_sorted() }
    }
}
