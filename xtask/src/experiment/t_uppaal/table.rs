//! The figures of the paper beside ours.

use std::fmt::Write as _;

use super::Found;
use super::runs::Row;

/// Where the tables of the README begin and end.
pub(super) const BEGIN: &str =
    "<!-- tables: made by `cargo run --release -p xtask -- experiment t-uppaal` -->";
pub(super) const END: &str = "<!-- end of tables -->";

/// What the paper says, a line for each mutant.
const PAPER: &str = include_str!("../../../../experiments/t-uppaal/paper.csv");

/// The figures of a row in the order of the paper's columns.
fn figures(row: &Row) -> [f64; 14] {
    let (delay, action) = (&row.total.after_delay, &row.total.after_action);
    [
        row.inputs.min,
        row.inputs.mean(),
        row.inputs.max,
        row.time.min,
        row.time.mean(),
        row.time.max,
        delay.mean_states(),
        delay.states_max as f64,
        action.mean_states(),
        action.states_max as f64,
        delay.mean_us(),
        delay.ns_max as f64 / 1000.0,
        action.mean_us(),
        action.ns_max as f64 / 1000.0,
    ]
}

fn paper(mutant: usize) -> Vec<String> {
    let name = format!("M{mutant}");
    let line = PAPER.lines().find(|line| line.split(',').next() == Some(&name));
    line.unwrap_or_default().split(',').skip(1).map(ToOwned::to_owned).collect()
}

fn shown(value: f64) -> String {
    match value {
        value if value.fract() == 0.0 => format!("{value}"),
        value => format!("{value:.1}"),
    }
}

impl Found {
    pub(super) fn csv(&self) -> String {
        let mut text = PAPER.lines().next().unwrap_or_default().to_owned() + "\n";
        for (number, row) in &self.rows {
            let cells: Vec<String> = figures(row).iter().map(|it| format!("{it:.2}")).collect();
            let _ = writeln!(text, "M{number},{}", cells.join(","));
        }
        text
    }

    pub(super) fn tables(&self) -> String {
        let mut text = format!(
            "Table 5: {} runs of each, at most {} time units. Paper / ours.\n\n\
             | mutant | killed | inputs, least | mean | most | time, least | mean | most |\n\
             |---|---|---:|---:|---:|---:|---:|---:|\n",
            self.runs, self.time
        );
        for (number, row) in &self.rows {
            let (paper, ours) = (paper(*number), figures(row));
            let both = |i: usize| {
                format!("{} / {}", paper.get(i).map_or("?", String::as_str), shown(ours[i]))
            };
            let _ = writeln!(
                text,
                "| M{number} | {} of {} | {} | {} | {} | {} | {} | {} |",
                row.fails,
                row.fails + row.passes + row.inconclusive,
                both(0),
                both(1),
                both(2),
                both(3),
                both(4),
                both(5)
            );
        }
        text.push_str(
            "\n| mutant | states after delay, mean | most | after action, mean | most | µs after delay, \
             mean | most | after action, mean | most |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for (number, row) in &self.rows {
            let (paper, ours) = (paper(*number), figures(row));
            let cells: Vec<String> = (6..14)
                .map(|i| {
                    format!("{} / {}", paper.get(i).map_or("?", String::as_str), shown(ours[i]))
                })
                .collect();
            let _ = writeln!(text, "| M{number} | {} |", cells.join(" | "));
        }
        text += &self.compared.tables();
        text.push_str(
            "\nLarger specifications, M0, one thread:\n\n| trains | states after delay, mean | most | µs \
             after delay | µs after action |\n|---:|---:|---:|---:|---:|\n",
        );
        for scale in &self.scale {
            let (delay, action) = (&scale.total.after_delay, &scale.total.after_action);
            let _ = writeln!(
                text,
                "| {} | {:.1} | {} | {:.1} | {:.1} |",
                scale.trains,
                delay.mean_states(),
                delay.states_max,
                delay.mean_us(),
                action.mean_us()
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv;

    #[test]
    fn the_paper_has_a_line_for_each_mutant() {
        for mutant in 0..=6 {
            assert_eq!(paper(mutant).len(), 14, "M{mutant}");
        }
        assert_eq!(csv::parse(PAPER).len(), 7);
    }
}
