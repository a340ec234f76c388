//! The examples do what their comments say.

use super::{output, punctual, root};

/// The models of the examples, each with the file of its queries.
fn examples() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root().join("examples")).unwrap() {
        let folder = folder.unwrap().path();
        let models = folder.is_dir().then(|| std::fs::read_dir(&folder).unwrap());
        for file in models.into_iter().flatten() {
            let model = file.unwrap().path();
            if model.extension().is_none_or(|suffix| suffix != "xml") {
                continue;
            }
            let queries = match model.file_stem().and_then(|stem| stem.to_str()) {
                Some("model") => folder.join("queries.q"),
                _ => model.with_extension("q"),
            };
            assert!(queries.exists(), "{} has no queries", model.display());
            let name = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
            found.push((name(model), name(queries)));
        }
    }
    found.sort();
    assert!(found.len() >= 10, "the examples were not found");
    found
}

/// What an author expects of a number: `expected: 0.5`.
fn expected_number(comment: &str) -> Option<f64> {
    comment.lines().find_map(|line| line.trim().strip_prefix("expected:")?.trim().parse().ok())
}

/// The query, the answer and the expected answer of all queries. An interval that contains the number
/// that is expected is an answer as expected.
fn answers(arguments: &[&str]) -> Vec<[String; 3]> {
    let (_, stdout, stderr) = output(&mut punctual(arguments));
    let all: serde_json::Value =
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    let field = |answered: &serde_json::Value, name: &str| {
        answered[name].as_str().unwrap_or_default().to_owned()
    };
    let answers = all.as_array().expect("an array").iter();
    let judged = |answered: &serde_json::Value| {
        let [query, mut answer, mut expected] =
            ["query", "answer", "expected"].map(|name| field(answered, name));
        let bounds = [0, 1].map(|side| answered["interval"][side].as_f64());
        if let Some(number) = expected_number(&field(answered, "comment")) {
            expected = number.to_string();
            if let [Some(low), Some(high)] = bounds {
                let inside = low <= number && number <= high;
                answer = if inside { number.to_string() } else { format!("{low} to {high}") };
            }
        }
        if query.starts_with("simulate") && answer == "values" {
            expected.clone_from(&answer);
        }
        [query, answer, expected]
    };
    answers.map(judged).collect()
}

#[test]
fn every_answer_is_the_expected_one() {
    for (model, queries) in examples() {
        // Intervals that are hardly ever wrong.
        let chance = ["--alpha", "0.001", "--epsilon", "0.02"];
        let mut arguments = vec!["check", &model, "--queries", &queries, "--json"];
        arguments.extend(chance);
        let of_file = answers(&arguments);
        for [query, answer, expected] in &of_file {
            assert_eq!(answer, expected, "{model}: {query}");
        }
        let asked: Vec<&String> = of_file.iter().map(|[query, ..]| query).collect();
        let shown = output(&mut punctual(&["show", &model, "--json"])).1;
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let shown = shown["queries"].as_array().expect("the queries of the model").iter();
        let own: Vec<&str> = shown.filter_map(|query| query["text"].as_str()).collect();
        assert_eq!(own, asked, "{model} and {queries} ask the same");
    }
}
