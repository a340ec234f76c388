//! Plots on an HTML page, with hints at the pointer. The page forbids itself to load anything.

use crate::svg::write;
use crate::text;

use super::Plot;

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// One self-contained page with `plots` below each other.
pub fn page(title: &str, plots: &[Plot]) -> String {
    let size: usize = plots.iter().map(|plot| plot.svg.len()).sum();
    let mut out = String::with_capacity(size + 4_096);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n"));
    out.push_str("<title>");
    write::escaped(&mut out, &text::one_line(title));
    out.push_str("</title>\n<style>\n");
    out.push_str(include_str!("page.css"));
    out.push_str("</style>\n</head>\n<body>\n");
    for plot in plots {
        out.push_str(&plot.svg);
    }
    // The script comes last, since it reads the pictures.
    out.push_str("<div id=\"tip\"></div>\n<script>\n");
    out.push_str(include_str!("page.js"));
    out.push_str("</script>\n");
    out.push_str("</body>\n</html>\n");
    out
}
