//! Diagnostics as text, with the lines of the file they speak of.

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Severity};
use crate::{SourceFile, Span};

/// Whether colours are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Characters only: for files, pipes and tests.
    Plain,
    /// With terminal colours.
    Colour,
}

/// Longer lines than this are cut around the place they are shown for: files that tools write
/// may be one line.
const LINE_MAX: usize = 160;

/// Renders a diagnostic with the lines it points at.
pub fn render(diagnostic: &Diagnostic, file: &SourceFile, style: Style) -> String {
    render_from(diagnostic, file, 1, style)
}

/// Renders a diagnostic about a part of a file that begins in a line of it, counted from 1.
pub(crate) fn render_from(
    diagnostic: &Diagnostic,
    file: &SourceFile,
    first_line: u64,
    style: Style,
) -> String {
    let lines_before = usize::try_from(first_line.saturating_sub(1)).unwrap_or(usize::MAX);
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let mut excerpts = vec![Excerpt::around(file, diagnostic.span)];
    let mut marks = vec![(0, diagnostic.span, harmless(&diagnostic.label), true)];
    for (span, label) in &diagnostic.related {
        let home = excerpts.iter().position(|excerpt| excerpt.covers(*span)).unwrap_or_else(|| {
            excerpts.push(Excerpt::around(file, *span));
            excerpts.len() - 1
        });
        marks.push((home, *span, harmless(label), false));
    }
    let (line, column) = file.line_column(diagnostic.span.start);
    let line = lines_before.saturating_add(line);
    let place = match diagnostic.context.as_str() {
        "" => format!("{}:{line}:{column}", file.name),
        context => format!("{}:{line}:{column} ({context})", file.name),
    };
    let (place, message) = (harmless(&place), harmless(&diagnostic.message));
    let help = diagnostic.help.as_deref().map(harmless);
    // The place stands in a line of its own: a snippet would count columns in its excerpt.
    let title = level.primary_title(message.as_str()).id(diagnostic.code);
    let mut group = title.element(Origin::path(place.as_str())).elements(
        excerpts.iter().enumerate().map(|(home, excerpt)| {
            Snippet::source(excerpt.text.as_str())
                .line_start(lines_before.saturating_add(excerpt.first_line))
                .fold(true)
                .annotations(marks.iter().filter(|mark| mark.0 == home).map(
                    |(_, span, label, primary)| {
                        let kind = match primary {
                            true => AnnotationKind::Primary,
                            false => AnnotationKind::Context,
                        };
                        let annotation = kind.span(excerpt.within(*span));
                        if label.is_empty() { annotation } else { annotation.label(label.as_str()) }
                    },
                ))
        }),
    );
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    // A snippet without a path is announced by `:::`, which says nothing here.
    let text = renderer.render(&[group]);
    text.split_inclusive('\n').filter(|line| visible(line).trim() != ":::").collect()
}

/// Names of files and parts of their texts are in messages; a terminal must not obey them.
fn harmless(text: &str) -> String {
    let is_obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.chars().map(|c| if is_obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// A line without its colours.
fn visible(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + piece.split_once('m').map_or("", |(_, rest)| rest))
}

/// The lines around a span, cut where they are very long.
struct Excerpt {
    text: String,
    first_line: usize,
    /// The bytes of the file that `text` shows.
    start: usize,
    end: usize,
    /// Bytes that were put in front of them.
    lead: usize,
}

impl Excerpt {
    fn around(file: &SourceFile, span: Span) -> Self {
        let text = file.text.as_str();
        let start = text.floor_char_boundary(span.start as usize);
        let end = text.floor_char_boundary((span.end as usize).max(start));
        let mut from = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let mut to = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
        // A span of many lines is shown by its first.
        if to - start > 20 * LINE_MAX || text[start..end].matches('\n').count() > 6 {
            to = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        }
        let (first_line, _) = file.line_column(from as u32);
        let mut lead = "";
        if start - from > LINE_MAX {
            from = text.floor_char_boundary(start - LINE_MAX / 2);
            lead = "… ";
        }
        if to - start > 2 * LINE_MAX {
            let wanted = (start + LINE_MAX).max(end.min(start + 2 * LINE_MAX));
            to = text.floor_char_boundary(wanted.min(to));
        }
        // Control characters would disturb the terminal.
        let shown: String = text[from..to]
            .chars()
            .map(|c| if c.is_control() && c != '\n' && c != '\t' { ' ' } else { c })
            .collect();
        // Replacing may change byte offsets only for characters of several bytes; C1 controls
        // are the only ones, and then marks are off by a byte or two, never out of range.
        Self { text: format!("{lead}{shown}"), first_line, start: from, end: to, lead: lead.len() }
    }

    fn covers(&self, span: Span) -> bool {
        self.start <= span.start as usize && span.end as usize <= self.end
    }

    fn within(&self, span: Span) -> std::ops::Range<usize> {
        let clamp = |offset: u32| {
            let at = (offset as usize).clamp(self.start, self.end) - self.start + self.lead;
            self.text.floor_char_boundary(at)
        };
        clamp(span.start)..clamp(span.end)
    }
}
