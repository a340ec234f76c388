//! The state spaces of TChecker's models: verdicts, and how many states are stored.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{Arguments, Judgement, Line, no_answer};
use crate::{
    ask::{Order, Said, What},
    csv::Row,
};

/// The table below the folder of a corpus.
pub(crate) fn table(folder: &Path) -> PathBuf {
    folder.join("tchecker").join("expected.csv")
}

/// What a peer says about the same question, by algorithm.
pub(crate) struct Group {
    pub(crate) model: String,
    pub(crate) labels: Vec<String>,
    order: Order,
    algorithms: BTreeMap<String, Peer>,
}

struct Peer {
    verdict: String,
    stored: Option<u64>,
}

/// The rows of the table, one group for each model, labels and order.
pub(crate) fn groups(rows: &[Row]) -> Vec<Group> {
    let mut groups: BTreeMap<(String, Vec<String>, Order), BTreeMap<String, Peer>> =
        BTreeMap::new();
    for row in rows {
        let labels = row.get("labels").split(',').filter(|label| !label.is_empty());
        let order = if row.get("order") == "dfs" { Order::Dfs } else { Order::Bfs };
        let key = (row.get("model").to_owned(), labels.map(str::to_owned).collect(), order);
        let peer =
            Peer { verdict: row.get("verdict").to_owned(), stored: row.get("stored").parse().ok() };
        groups.entry(key).or_default().insert(row.get("algorithm").to_owned(), peer);
    }
    let group = |((model, labels, order), algorithms)| Group { model, labels, order, algorithms };
    groups.into_iter().map(group).collect()
}

/// The answer that a verdict stands for; none where the peer did not end.
fn expected(verdict: &str) -> Option<Said> {
    match verdict {
        "full exploration" | "unreachable" => Some(Said::NotSatisfied),
        "reachable" => Some(Said::Satisfied),
        _ => None,
    }
}

/// Asks once, and compares with all algorithms of the peer.
pub(crate) fn judged(group: &Group, arguments: &Arguments) -> Line {
    let path = arguments.folder.join("tchecker").join(&group.model);
    let mut question = arguments.question(&path, What::Labels(group.labels.clone()));
    question.order = group.order;
    let reply = question.ask();
    let verdicts: Vec<&str> = group.algorithms.values().map(|peer| peer.verdict.as_str()).collect();
    let theirs: BTreeMap<String, u64> = group
        .algorithms
        .iter()
        .filter_map(|(algorithm, peer)| Some((algorithm.clone(), peer.stored?)))
        .collect();
    let known = verdicts.iter().find_map(|verdict| expected(verdict));
    let result = match (no_answer(&reply.said), known) {
        (Some(judgement), _) => judgement,
        (None, None) => Judgement::Skipped("the peer did not answer either".into()),
        (None, Some(known)) if known != reply.said => Judgement::Differs("another answer".into()),
        (None, Some(_)) => match (group.order, theirs.get("covreach")) {
            (Order::Bfs, Some(&stored)) if reply.stored > stored => {
                Judgement::Differs(format!("{} stored, theirs {stored}", reply.stored))
            }
            _ => Judgement::Same,
        },
    };
    Line {
        model: group.model.clone(),
        query: group.labels.join(","),
        expected: verdicts.join(", "),
        result,
        said: reply.said.to_string(),
        order: group.order.to_string(),
        seconds: reply.cpu_s,
        peak_mb: reply.peak_mb,
        stored: reply.stored,
        transitions: reply.transitions,
        peers_stored: theirs,
    }
}
