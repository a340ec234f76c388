//! Writing HTML: what comes from a record is escaped, what is written here is not.

use crate::svg::write::escaped;
use crate::text::clean;

/// A document that is being written.
#[derive(Default)]
pub(crate) struct Html {
    out: String,
}

/// Nothing is loaded from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
const STYLE: &str = include_str!("../../assets/run.css");

impl Html {
    /// The beginning of a document. The verdict gives it its colour.
    pub(crate) fn begin(&mut self, title: &str, verdict: &str) -> &mut Self {
        self.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        self.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        self.raw(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n"));
        self.element("title", "", title);
        self.raw("<style>\n").raw(STYLE).raw("</style>\n</head>\n");
        self.raw(&format!("<body class=\"{verdict}\">\n"))
    }

    /// Markup of our own.
    pub(crate) fn raw(&mut self, markup: &str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// A text of anybody.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        escaped(&mut self.out, &clean(text));
        self
    }

    /// `<name attributes>text</name>` on a line; attributes are our own and begin with a space.
    pub(crate) fn element(&mut self, name: &str, attributes: &str, text: &str) -> &mut Self {
        self.raw(&format!("<{name}{attributes}>")).text(text).raw(&format!("</{name}>\n"))
    }

    /// Names with their values; those without a value are left out.
    pub(crate) fn facts(&mut self, facts: &[(&str, String)]) {
        for (name, value) in facts.iter().filter(|(_, value)| !value.trim().is_empty()) {
            self.raw("<div>").element("dt", "", name).element("dd", "", value).raw("</div>\n");
        }
    }

    /// A table of one row.
    pub(crate) fn cells(&mut self, name: &str, head: &[&str], cells: &[String]) {
        self.table_of(name, "plain", head, std::iter::once(("", None, cells)));
    }

    /// A table: what it is, for those who hear it; its class; names of columns; rows.
    pub(crate) fn table<const N: usize>(
        &mut self,
        name: &str,
        class: &str,
        head: [&str; N],
        rows: impl IntoIterator<Item = Row<N>>,
    ) {
        let rows: Vec<Row<N>> = rows.into_iter().collect();
        let rows = rows.iter().map(|row| (row.class, row.place, &row.cells[..]));
        self.table_of(name, class, &head, rows);
    }

    fn table_of<'t>(
        &mut self,
        name: &str,
        class: &str,
        head: &[&str],
        rows: impl Iterator<Item = (&'t str, Option<(u64, u64)>, &'t [String])>,
    ) {
        // What can be scrolled must be reachable by keys, and say what it is.
        self.raw("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"").text(name);
        self.raw(&format!("\">\n<table class=\"{class}\">\n<thead><tr>"));
        for name in head {
            self.raw("<th scope=\"col\">").text(name).raw("</th>");
        }
        self.raw("</tr></thead>\n<tbody>\n");
        for (class, place, cells) in rows {
            match class {
                "" => self.raw("<tr>"),
                class => self.raw(&format!("<tr class=\"{class}\">")),
            };
            for (i, cell) in cells.iter().enumerate() {
                match place.filter(|_| i == 0) {
                    Some((from, to)) => self
                        .raw(&format!(
                            "<td><button type=\"button\" data-from=\"{from}\" data-to=\"{to}\">"
                        ))
                        .text(cell)
                        .raw("</button></td>"),
                    None => self.raw("<td>").text(cell).raw("</td>"),
                };
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody>\n</table>\n</div>\n");
    }

    /// The end of the document, with its scripts.
    pub(crate) fn finish(mut self, scripts: &[&str]) -> String {
        self.raw("<script>\n\"use strict\";\n");
        scripts.iter().for_each(|script| self.out.push_str(script));
        self.raw("</script>\n</body>\n</html>\n");
        self.out
    }
}

/// A row of a table.
pub(crate) struct Row<const N: usize> {
    pub(crate) class: &'static str,
    /// The part of the timeline that its first cell shows when it is pressed, in nanoseconds.
    pub(crate) place: Option<(u64, u64)>,
    pub(crate) cells: [String; N],
}

impl<const N: usize> From<[String; N]> for Row<N> {
    fn from(cells: [String; N]) -> Self {
        Self { class: "", place: None, cells }
    }
}
