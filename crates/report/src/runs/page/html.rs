//! Writing HTML: what comes from a record is escaped, what is written here is not.

use crate::svg::write::escaped;
use crate::text::clean;

/// A document that is being written.
#[derive(Default)]
pub(super) struct Html {
    out: String,
}

impl Html {
    /// Markup of our own.
    pub(super) fn raw(&mut self, markup: &str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// A text of anybody.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        escaped(&mut self.out, &clean(text));
        self
    }

    /// `<name attributes>text</name>` on a line; attributes are our own and begin with a space.
    pub(super) fn element(&mut self, name: &str, attributes: &str, text: &str) -> &mut Self {
        self.raw(&format!("<{name}{attributes}>")).text(text).raw(&format!("</{name}>\n"))
    }

    /// A table: what it is, for those who hear it; its class; names of columns; rows.
    pub(super) fn table<const N: usize>(
        &mut self,
        name: &str,
        class: &str,
        head: [&str; N],
        rows: impl IntoIterator<Item = Row<N>>,
    ) {
        // What can be scrolled must be reachable by keys, and say what it is.
        self.raw("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"").text(name);
        self.raw(&format!("\">\n<table class=\"{class}\">\n<thead><tr>"));
        for name in head {
            self.raw("<th scope=\"col\">").text(name).raw("</th>");
        }
        self.raw("</tr></thead>\n<tbody>\n");
        for row in rows {
            match row.class {
                "" => self.raw("<tr>"),
                class => self.raw(&format!("<tr class=\"{class}\">")),
            };
            for cell in &row.cells {
                self.raw("<td>").text(cell).raw("</td>");
            }
            self.raw("</tr>\n");
        }
        self.raw("</tbody>\n</table>\n</div>\n");
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// A row of a table.
pub(super) struct Row<const N: usize> {
    pub(super) class: &'static str,
    pub(super) cells: [String; N],
}

impl<const N: usize> From<[String; N]> for Row<N> {
    fn from(cells: [String; N]) -> Self {
        Self { class: "", cells }
    }
}
