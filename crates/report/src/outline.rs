//! A model as text: a summary that fits a screen, and the details of processes on request.
//!
//! Rows that differ only in numbers are shown as one: `Train(0).x … Train(3).x`.

use crate::table;
use crate::view::outline::{Detail, Outline, Process, Totals};

/// How many rows a section of the summary shows.
const ROWS_MAX: usize = 40;

/// The summary of a model, with the details of those processes that have them. Lines are broken
/// at `width` columns, if given.
pub fn text(outline: &Outline, width: Option<u16>) -> String {
    let mut out = format!("{}: {}\n{}\n", outline.file, outline.format, totals(&outline.totals));
    section(&mut out, "Processes", &processes(outline), width);
    section(&mut out, "Clocks", &clocks(outline), width);
    section(&mut out, "Variables", &variables(outline), width);
    section(&mut out, "Channels", &channels(outline), width);
    let vectors = outline.sync_vectors.iter().map(|vector| vec![vector.clone()]).collect();
    section(&mut out, "Synchronisations", &Rows::plain(vectors), width);
    let functions = outline.functions.iter().map(|name| vec![name.clone()]).collect();
    section(&mut out, "Functions", &Rows::grouped(functions), width);
    section(&mut out, "Queries", &queries(outline), width);
    section(&mut out, "Analyses", &analyses(outline), width);
    out
}

/// The details of processes.
pub fn details(processes: &[&Process], width: Option<u16>) -> String {
    let mut out = String::new();
    for process in processes {
        let Some(detail) = &process.detail else { continue };
        let of = match process.name == process.template {
            true => String::new(),
            false => format!(" (template {})", process.template),
        };
        out += &format!("Process {}{of}\n", process.name);
        section(&mut out, "Locations", &locations(detail), width);
        section_all(&mut out, "Edges", &edges(detail), width);
        out.push('\n');
    }
    out
}

fn totals(totals: &Totals) -> String {
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let mut parts = vec![
        count(totals.processes, "process", "processes"),
        count(totals.locations, "location", "locations"),
        count(totals.edges, "edge", "edges"),
        count(totals.clocks, "clock", "clocks"),
    ];
    let mut slots = Vec::new();
    if totals.integers > 0 {
        slots.push(count(totals.integers, "integer", "integers"));
    }
    if totals.doubles > 0 {
        slots.push(count(totals.doubles, "double", "doubles"));
    }
    let slots = if slots.is_empty() { String::new() } else { format!(" ({})", slots.join(", ")) };
    parts.push(count(totals.variables, "variable", "variables") + &slots);
    parts.push(count(totals.channels, "channel", "channels"));
    parts.push(count(totals.queries, "query", "queries"));
    if totals.templates > 0 {
        parts.insert(0, count(totals.templates, "template", "templates"));
    }
    parts.join(", ")
}

/// Rows of a section; neighbours that differ only in numbers may have become one.
pub(crate) struct Rows {
    rows: Vec<Vec<String>>,
}

impl Rows {
    pub(crate) fn plain(rows: Vec<Vec<String>>) -> Self {
        Self { rows }
    }

    /// Neighbours become one if only numbers in their first columns differ.
    fn grouped(rows: Vec<Vec<String>>) -> Self {
        Self::joined(rows, |row| (without_numbers(&row[0]), row[1..].to_vec()))
    }

    /// Neighbours become one if only numbers differ, wherever; the first one is shown.
    pub(crate) fn similar(rows: Vec<Vec<String>>) -> Self {
        Self::joined(rows, |row| row.iter().map(|cell| without_numbers(cell)).collect::<Vec<_>>())
    }

    fn joined<S: PartialEq>(rows: Vec<Vec<String>>, shape: impl Fn(&[String]) -> S) -> Self {
        let mut groups: Vec<(Vec<String>, String, usize)> = Vec::new();
        for row in rows {
            match groups.last_mut() {
                Some((first, last, count)) if shape(first) == shape(&row) => {
                    *last = row[0].clone();
                    *count += 1;
                }
                _ => groups.push((row.clone(), row[0].clone(), 1)),
            }
        }
        let rows = groups
            .into_iter()
            .map(|(mut row, last, count)| {
                match count {
                    1 => {}
                    2 => row[0] = format!("{}, {last}", row[0]),
                    _ => row[0] = format!("{} … {last} ({count})", row[0]),
                }
                row
            })
            .collect();
        Self { rows }
    }
}

fn without_numbers(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

pub(crate) fn section(out: &mut String, title: &str, rows: &Rows, width: Option<u16>) {
    render(out, title, rows, width, ROWS_MAX);
}

fn section_all(out: &mut String, title: &str, rows: &Rows, width: Option<u16>) {
    render(out, title, rows, width, usize::MAX);
}

fn render(out: &mut String, title: &str, rows: &Rows, width: Option<u16>, most: usize) {
    if rows.rows.is_empty() {
        return;
    }
    out.push_str(&format!("\n{title}\n"));
    let shown = &rows.rows[..most.min(rows.rows.len())];
    // Two columns are for the indentation.
    let width = width.map(|width| usize::from(width).saturating_sub(2).max(40));
    for line in table::lines(shown, width) {
        out.push_str(&format!("  {line}"));
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
    let hidden = rows.rows.len().saturating_sub(most);
    if hidden > 0 {
        out.push_str(&format!("  … and {hidden} more (`--json` lists all)\n"));
    }
}

fn processes(outline: &Outline) -> Rows {
    let row = |process: &Process| {
        let of = match process.name == process.template {
            true => String::new(),
            false => format!("template {}", process.template),
        };
        let priority = match process.priority {
            0 => String::new(),
            priority => format!("priority {priority}"),
        };
        let size = [
            crate::answers::count(process.locations as u64, "location", "locations"),
            crate::answers::count(process.edges as u64, "edge", "edges"),
        ]
        .join(", ");
        vec![process.name.clone(), of, size, priority]
    };
    Rows::grouped(outline.processes.iter().map(row).collect())
}

fn clocks(outline: &Outline) -> Rows {
    Rows::grouped(
        outline
            .clocks
            .iter()
            .map(|clock| {
                let hybrid = if clock.hybrid { "hybrid" } else { "" };
                let initial = match clock.initial {
                    0.0 => String::new(),
                    value => format!("starts at {value}"),
                };
                vec![clock.name.clone(), hybrid.to_owned(), initial]
            })
            .collect(),
    )
}

fn variables(outline: &Outline) -> Rows {
    Rows::grouped(
        outline
            .variables
            .iter()
            .map(|variable| {
                let meta = if variable.meta { "meta" } else { "" };
                let initial = format!("= {}", variable.initial);
                vec![variable.name.clone(), variable.ty.clone(), initial, meta.to_owned()]
            })
            .collect(),
    )
}

fn channels(outline: &Outline) -> Rows {
    let ranked = outline.channels.iter().any(|channel| channel.priority != 0);
    Rows::grouped(
        outline
            .channels
            .iter()
            .map(|channel| {
                let urgent = if channel.urgent { "urgent " } else { "" };
                let kind = if channel.broadcast { "broadcast" } else { "handshake" };
                let priority = match ranked {
                    true => format!("priority {}", channel.priority),
                    false => String::new(),
                };
                vec![channel.name.clone(), format!("{urgent}{kind}"), priority]
            })
            .collect(),
    )
}

fn queries(outline: &Outline) -> Rows {
    let row = |(index, query): (usize, &crate::view::outline::Query)| {
        let note = match &query.problem {
            Some(problem) => format!("not usable: {problem}"),
            None => query.comment.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        vec![format!("{}", index + 1), query.text.clone(), shortened(&note)]
    };
    Rows::plain(outline.queries.iter().enumerate().map(row).collect())
}

fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn analyses(outline: &Outline) -> Rows {
    let row = |analysis: &str| {
        let obstacles: Vec<String> = outline
            .obstacles
            .iter()
            .filter(|obstacle| obstacle.analysis == analysis)
            .map(|obstacle| format!("{} ({})", obstacle.construct, obstacle.place))
            .collect();
        let answer = match (obstacles.as_slice(), analysis, outline.stopwatches) {
            ([], "symbolic", true) => {
                "possible, over-approximated: a clock may stand still".to_owned()
            }
            ([], _, _) => "possible".to_owned(),
            (obstacles, _, _) => format!("not possible: {}", obstacles.join("; ")),
        };
        vec![analysis.to_owned(), answer]
    };
    Rows::plain(vec![row("symbolic"), row("statistical")])
}

fn locations(detail: &Detail) -> Rows {
    Rows::plain(
        detail
            .locations
            .iter()
            .map(|location| {
                let mut marks = Vec::new();
                if location.initial {
                    marks.push("initial".to_owned());
                }
                if location.kind != "normal" {
                    marks.push(location.kind.clone());
                }
                if !location.rate.is_empty() {
                    marks.push(format!("rate {}", location.rate));
                }
                if !location.labels.is_empty() {
                    marks.push(format!("labels {}", location.labels.join(", ")));
                }
                vec![location.name.clone(), marks.join(", "), location.invariant.clone()]
            })
            .collect(),
    )
}

fn edges(detail: &Detail) -> Rows {
    let mut rows = Vec::new();
    for edge in &detail.edges {
        for (index, branch) in edge.branches.iter().enumerate() {
            let source = if index == 0 { edge.source.as_str() } else { "" };
            let mut row = vec![format!("{source} → {}", branch.target)];
            let mut parts = Vec::new();
            if index == 0 {
                for (word, text) in [
                    ("select", &edge.select),
                    ("when", &edge.guard),
                    ("sync", &edge.sync),
                    ("do", &edge.update),
                ] {
                    if !text.is_empty() {
                        parts.push(format!("{word} {text}"));
                    }
                }
            }
            if edge.branches.len() > 1 {
                let weight = if branch.weight.is_empty() { "1" } else { branch.weight.as_str() };
                parts.push(format!("weight {weight}"));
            }
            if !branch.update.is_empty() {
                parts.push(format!("do {}", branch.update));
            }
            row.push(parts.join("; "));
            rows.push(row);
        }
    }
    Rows::plain(rows)
}
