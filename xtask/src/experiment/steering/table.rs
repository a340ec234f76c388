//! The figures of the thesis beside ours.

use std::fmt::Write as _;
use std::path::Path;

use punctual_oracle::steering::{Label, Measure};

use super::judge::Distribution;
use crate::csv;

/// What the thesis says.
const THESIS: &str = include_str!("../../../../experiments/steering/thesis.csv");

/// The distributions of verdicts that the thesis has.
const DISTRIBUTIONS: &str = include_str!("../../../../experiments/steering/distributions.csv");

/// A table of the thesis, made again.
pub(super) struct Table {
    pub(super) number: &'static str,
    /// What it is about, and how many tests there are.
    pub(super) about: String,
    pub(super) rows: Vec<Row>,
    /// Whether the distributions of verdicts are shown.
    pub(super) is_detailed: bool,
}

/// A way to come to verdicts.
pub(super) struct Row {
    /// What the thesis calls it in this table; nothing if it has no such line.
    pub(super) thesis: Option<&'static str>,
    pub(super) technique: String,
    pub(super) figures: Figures,
    pub(super) distribution: Option<Distribution>,
    /// What must hold of the figures.
    pub(super) aim: Option<Aim>,
}

/// Precision, recall and F-measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figures {
    pub(super) precision: f64,
    pub(super) recall: f64,
    pub(super) f_measure: f64,
}

impl From<Measure> for Figures {
    fn from(it: Measure) -> Figures {
        Figures { precision: it.precision(), recall: it.recall(), f_measure: it.f_measure() }
    }
}

impl Figures {
    /// The median of each.
    pub(super) fn median(of: &[Figures]) -> Figures {
        let median = |figure: fn(&Figures) -> f64| {
            let mut all: Vec<f64> = of.iter().map(figure).collect();
            all.sort_by(f64::total_cmp);
            match all.len() {
                0 => f64::NAN,
                n if n % 2 == 1 => all[n / 2],
                n => f64::midpoint(all[n / 2 - 1], all[n / 2]),
            }
        };
        Figures {
            precision: median(|it| it.precision),
            recall: median(|it| it.recall),
            f_measure: median(|it| it.f_measure),
        }
    }
}

/// What must hold of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Aim {
    /// The F-measure is at least this.
    FMeasure(f64),
    /// The precision is at least that of another line.
    PrecisionOf(usize),
    /// The F-measure is.
    FMeasureOf(usize),
}

impl Row {
    pub(super) fn new(
        thesis: Option<&'static str>,
        technique: &str,
        distribution: Distribution,
    ) -> Row {
        Row {
            thesis,
            technique: technique.to_owned(),
            figures: distribution.measure().into(),
            distribution: Some(distribution),
            aim: None,
        }
    }
}

impl Table {
    fn thesis(&self, row: &Row) -> [String; 3] {
        let lines = csv::parse(THESIS);
        let line = lines.iter().find(|line| {
            line.get("table") == self.number && Some(line.get("technique")) == row.thesis
        });
        ["precision", "recall", "accuracy"]
            .map(|column| line.map_or("", |line| line.get(column)).to_owned())
    }

    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for row in &self.rows {
            let Figures { precision, f_measure, .. } = row.figures;
            let problem = match row.aim {
                Some(Aim::FMeasure(least)) if f_measure < least => {
                    format!("F is {f_measure:.4}, not {least}")
                }
                Some(Aim::PrecisionOf(other)) if precision < self.rows[other].figures.precision => {
                    let of = &self.rows[other];
                    format!(
                        "precision is {precision:.4}, that of {} is {:.4}",
                        of.technique, of.figures.precision
                    )
                }
                Some(Aim::FMeasureOf(other)) if f_measure < self.rows[other].figures.f_measure => {
                    let of = &self.rows[other];
                    format!(
                        "F is {f_measure:.4}, that of {} is {:.4}",
                        of.technique, of.figures.f_measure
                    )
                }
                _ => continue,
            };
            problems.push(format!("table {}, {}: {problem}", self.number, row.technique));
        }
        problems
    }

    /// For the README.
    pub(super) fn text(&self) -> String {
        let mut text = format!("Table {}: {}\n\n", self.number, self.about);
        text.push_str(
            "| | precision, thesis | ours | recall, thesis | ours | F, thesis | ours |\n",
        );
        text.push_str("|---|---:|---:|---:|---:|---:|---:|\n");
        for row in &self.rows {
            let [precision, recall, accuracy] = self.thesis(row);
            let ours = row.figures;
            let _ = writeln!(
                text,
                "| {} | {precision} | {:.3} | {recall} | {:.3} | {accuracy} | {:.3} |",
                row.technique, ours.precision, ours.recall, ours.f_measure
            );
        }
        if self.is_detailed {
            text.push('\n');
            self.details(&mut text);
        }
        text
    }

    /// How many tests of each label pass and do not.
    fn details(&self, text: &mut String) {
        let names = Label::ALL.map(|(name, _)| name.replace('-', " ")).join(" | ");
        let _ = writeln!(text, "| pass / do not pass | {names} |\n|---|---:|---:|---:|---:|");
        let thesis = csv::parse(DISTRIBUTIONS);
        let mut told: Vec<&str> = Vec::new();
        for row in &self.rows {
            let Some(distribution) = &row.distribution else { continue };
            let lines: Vec<_> = (thesis.iter())
                .filter(|it| {
                    it.get("table") == self.number && Some(it.get("technique")) == row.thesis
                })
                .collect();
            if let Some(first) = lines.first()
                && let Some(name) = row.thesis.filter(|name| !told.contains(name))
            {
                told.push(name);
                let cells = Label::ALL.map(|(label, _)| {
                    let line = lines.iter().find(|it| it.get("label") == label);
                    line.map_or(String::new(), |it| {
                        format!("{} / {}", it.get("passes"), it.get("does not"))
                    })
                });
                let number = first.get("number");
                let _ = writeln!(text, "| {name}, thesis ({number}) | {} |", cells.join(" | "));
            }
            let cells = Label::ALL.map(|(_, label)| {
                let (pass, fail) =
                    (distribution.count(label, true), distribution.count(label, false));
                format!("{pass} / {fail}")
            });
            let _ = writeln!(text, "| {} | {} |", row.technique, cells.join(" | "));
        }
    }

    fn csv(&self) -> String {
        let mut text = "technique,precision,recall,f_measure".to_owned();
        for (name, _) in Label::ALL {
            let _ = write!(text, ",{name} passes,{name} does not");
        }
        text.push('\n');
        for row in &self.rows {
            let ours = row.figures;
            let _ = write!(
                text,
                "\"{}\",{:.4},{:.4},{:.4}",
                row.technique, ours.precision, ours.recall, ours.f_measure
            );
            for (_, label) in Label::ALL {
                let count = |passes| {
                    row.distribution.map_or(String::new(), |it| it.count(label, passes).to_string())
                };
                let _ = write!(text, ",{},{}", count(true), count(false));
            }
            text.push('\n');
        }
        text
    }

    /// Replaces this table in the README, and its file in `expected`.
    pub(super) fn write(&self, folder: &Path) -> Result<(), String> {
        let error = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        let expected = folder.join("expected");
        std::fs::create_dir_all(&expected).map_err(|it| error(&expected, it))?;
        let path = expected.join(format!("table-{}.csv", self.number));
        std::fs::write(&path, self.csv()).map_err(|it| error(&path, it))?;
        write(folder, self.number, &self.text())
    }
}

/// Replaces a table of the README.
pub(super) fn write(folder: &Path, number: &str, text: &str) -> Result<(), String> {
    let path = folder.join("README.md");
    let error = |error: std::io::Error| format!("{}: {error}", path.display());
    let readme = std::fs::read_to_string(&path).map_err(error)?;
    let readme = replaced(&readme, number, text)?;
    std::fs::write(&path, readme).map_err(error)
}

/// The README with another text between the marks of a table.
fn replaced(readme: &str, number: &str, text: &str) -> Result<String, String> {
    let begin = format!("<!-- table {number} -->\n");
    let end = format!("<!-- end of table {number} -->");
    let missing = || format!("the README has no place for table {number}");
    let (before, rest) = readme.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_of_each_figure() {
        let figures = |precision, recall| Figures { precision, recall, f_measure: precision };
        let of = [figures(0.1, 1.0), figures(0.5, 0.0), figures(0.3, 0.5)];
        assert_eq!(Figures::median(&of), figures(0.3, 0.5));
        assert_eq!(Figures::median(&of[..2]).recall, 0.5);
    }

    #[test]
    fn only_one_table_is_replaced() {
        let readme = "a\n<!-- table 6.5 -->\nold\n<!-- end of table 6.5 -->\nb\n";
        let new = "a\n<!-- table 6.5 -->\nnew\n<!-- end of table 6.5 -->\nb\n";
        assert_eq!(replaced(readme, "6.5", "new\n").as_deref(), Ok(new));
        assert!(replaced(readme, "6.10", "new\n").is_err());
    }

    #[test]
    fn aims_are_watched() {
        let row = |precision, aim| Row {
            thesis: None,
            technique: "x".to_owned(),
            figures: Figures { precision, recall: 1.0, f_measure: precision },
            distribution: None,
            aim,
        };
        let table = |aim| Table {
            number: "6.5",
            about: String::new(),
            rows: vec![row(0.9, None), row(0.8, Some(aim))],
            is_detailed: false,
        };
        assert_eq!(table(Aim::FMeasure(0.8)).problems(), Vec::<String>::new());
        assert_eq!(table(Aim::FMeasure(0.81)).problems().len(), 1);
        assert_eq!(table(Aim::PrecisionOf(1)).problems(), Vec::<String>::new());
        assert_eq!(table(Aim::PrecisionOf(0)).problems().len(), 1);
        assert_eq!(table(Aim::FMeasureOf(1)).problems(), Vec::<String>::new());
        assert_eq!(table(Aim::FMeasureOf(0)).problems().len(), 1);
    }

    #[test]
    fn the_thesis_has_all_tables_of_figures() {
        for number in ["6.5", "6.10", "6.12", "6.14", "6.21", "6.27", "6.28", "6.30"] {
            let lines = csv::parse(THESIS);
            assert!(lines.iter().filter(|it| it.get("table") == number).count() >= 3, "{number}");
        }
    }
}
