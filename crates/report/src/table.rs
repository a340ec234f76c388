//! Tables of text: rows of cells in columns that start at the same place on each line.
//!
//! No line is wider than asked for while each column has room for a character. Columns that are
//! narrower than their share keep their width; the others share what is left, and their cells are
//! broken between words, or inside of a word that is wider than its column. Characters count as one
//! column each, whatever the terminal makes of them. Absent: colours, lines between cells.

use crate::text::clean;

/// What is between two columns.
const GAP: &str = "  ";

/// The lines of a table, without spaces at their ends. They are at most `width` wide, if given.
pub(crate) fn lines(rows: &[Vec<String>], width: Option<usize>) -> Vec<String> {
    let n_columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![1; n_columns];
    for row in rows {
        for (cell, column) in row.iter().zip(&mut widths) {
            let widest = clean(cell).lines().map(|line| line.chars().count()).max().unwrap_or(0);
            *column = widest.max(*column);
        }
    }
    if let Some(width) = width {
        share(&mut widths, width.saturating_sub(GAP.len() * n_columns.saturating_sub(1)));
    }
    let mut out = Vec::new();
    for row in rows {
        let cells: Vec<Vec<String>> =
            row.iter().zip(&widths).map(|(cell, width)| wrapped(cell, *width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for at in 0..height {
            let mut line = String::new();
            for (column, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                if column > 0 {
                    line.push_str(GAP);
                }
                let text = cell.get(at).map_or("", String::as_str);
                line.push_str(text);
                // Not by a width of `format!`, which has a limit.
                let missing = width.saturating_sub(text.chars().count());
                line.extend(std::iter::repeat_n(' ', missing));
            }
            out.push(line.trim_end().to_owned());
        }
    }
    out
}

/// Makes columns narrower until they fit into `room` characters: those that are narrower than an
/// equal share stay as they are.
fn share(widths: &mut [usize], room: usize) {
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by_key(|&column| widths[column]);
    let mut left = room;
    for (done, &column) in order.iter().enumerate() {
        let equal = (left / (order.len() - done)).max(1);
        widths[column] = widths[column].min(equal);
        left = left.saturating_sub(widths[column]);
    }
}

/// The words of each line of a text, on lines of at most `width` characters.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines: Vec<String> = Vec::new();
    for paragraph in clean(text).lines() {
        if paragraph.chars().count() <= width {
            lines.push(paragraph.to_owned());
            continue;
        }
        let (mut line, mut used) = (String::new(), 0);
        for word in paragraph.split_whitespace() {
            let word: Vec<char> = word.chars().collect();
            if used > 0 && used + 1 + word.len() > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            for (at, part) in word.chunks(width).enumerate() {
                if at > 0 {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.extend(part);
                used += part.len();
            }
        }
        lines.push(line);
    }
    lines
}

/// Columns; the first to the left, the others to the right.
pub(crate) fn aligned(lines: &[Vec<String>]) -> String {
    let n_columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|it| it.chars().count()).max()
    };
    let widths: Vec<usize> = (0..n_columns).map(|it| width(it).unwrap_or(0)).collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            match column {
                0 => row.push_str(&format!("{cell:<width$}")),
                _ => row.push_str(&format!("  {cell:>width$}")),
            }
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn columns_start_at_the_same_place() {
        let rows = rows(&[&["a", "bb", ""], &["aaa", "", "c"], &["é"]]);
        assert_eq!(lines(&rows, None), ["a    bb", "aaa      c", "é"]);
    }

    #[test]
    fn wide_columns_are_broken_between_words() {
        let rows = rows(&[&["1", "one two three", "x"], &["2", "one_two_three", ""]]);
        let expected = ["1  one two  x", "   three", "2  one_two", "   _three"];
        assert_eq!(lines(&rows, Some(13)), expected);
    }

    #[test]
    fn a_cell_of_two_lines_stays_so() {
        assert_eq!(lines(&rows(&[&["a\nb", "c"]]), None), ["a  c", "b"]);
    }

    proptest! {
        /// Nothing is lost, and lines are as narrow as asked for.
        #[test]
        fn tables_keep_all_words(
            rows in prop::collection::vec(prop::collection::vec("[ab ]{0,20}", 3), 1..6),
            width in 7usize..60,
        ) {
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').count();
            let lines = lines(&rows, Some(width));
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
            let expected: usize = rows.iter().flatten().map(|cell| letters(cell)).sum();
            prop_assert_eq!(lines.iter().map(|line| letters(line)).sum::<usize>(), expected);
        }
    }
}
