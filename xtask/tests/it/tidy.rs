//! The structure of the project: layers, the map, files that nobody uses.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace").into()
}

struct Manifest {
    name: String,
    layer: i64,
    dependencies: Vec<String>,
}

/// The manifests of all crates, by folder.
fn manifests() -> BTreeMap<String, Manifest> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(path.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let package = manifest["package"].as_table().unwrap();
        let dependencies = manifest
            .get("dependencies")
            .and_then(|table| table.as_table())
            .map(|table| table.keys().cloned().collect())
            .unwrap_or_default();
        let folder = path.file_name().unwrap().to_str().unwrap().to_owned();
        let layer = package["metadata"]["layer"].as_integer().unwrap();
        let name = package["name"].as_str().unwrap().to_owned();
        found.insert(folder, Manifest { name, layer, dependencies });
    }
    found
}

#[test]
fn packages_are_named_after_their_folder() {
    for (folder, manifest) in manifests() {
        assert_eq!(manifest.name, format!("punctual-{folder}"));
    }
}

#[test]
fn dependencies_point_down() {
    let manifests = manifests();
    let layers: BTreeMap<&str, i64> =
        manifests.values().map(|manifest| (manifest.name.as_str(), manifest.layer)).collect();
    for manifest in manifests.values() {
        for dependency in &manifest.dependencies {
            if let Some(layer) = layers.get(dependency.as_str()) {
                assert!(
                    *layer < manifest.layer,
                    "{} (layer {}) depends on {dependency} (layer {layer})",
                    manifest.name,
                    manifest.layer,
                );
            }
        }
    }
}

/// Views and what draws them know no engine and no front-end: `fill` alone does.
#[test]
fn only_fill_knows_engines() {
    let below = ["lang", "mc", "model", "oracle", "semantics", "smc", "testgen"];
    let mut todo = vec![root().join("crates/report/src")];
    let mut n_files = 0;
    while let Some(path) = todo.pop() {
        if path.ends_with("src/fill") {
            continue;
        }
        if path.is_dir() {
            todo.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        n_files += 1;
        let text = fs::read_to_string(&path).unwrap_or_default();
        for name in below {
            assert!(!text.contains(&format!("punctual_{name}")), "{}: {name}", path.display());
        }
    }
    assert!(n_files > 40);
}

#[test]
fn every_crate_is_on_the_map() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let headings: Vec<String> = map
        .lines()
        .filter_map(|line| line.strip_prefix("### `crates/")?.strip_suffix('`'))
        .map(str::to_owned)
        .collect();
    let folders: Vec<String> = manifests().into_keys().collect();
    let mut sorted = headings.clone();
    sorted.sort();
    assert_eq!(sorted, folders, "headings of ARCHITECTURE.md, and folders of crates/");
}

#[test]
fn every_example_has_a_readme() {
    for entry in fs::read_dir(root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert!(path.join("README.md").exists(), "{} has no README.md", path.display());
        }
    }
}

/// All files below a folder with one of these suffixes.
fn files(folder: &Path, suffixes: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            let is_ours = name != "target" && name != "node_modules" && !name.starts_with('.');
            if is_ours {
                files(&path, suffixes, found);
            }
        } else if suffixes.iter().any(|suffix| name.ends_with(suffix)) {
            found.push(path);
        }
    }
}

#[test]
fn no_file_holds_everything() {
    let mut sources = Vec::new();
    files(&root(), &[".rs"], &mut sources);
    assert!(sources.len() > 50, "the sources were not found");
    for path in sources {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 800, "{} has {lines} lines: split it by meaning", path.display());
    }
}

/// Crates whose doc comments are sentences that stand alone. Add one when it is clean.
const WELL_SAID: [&str; 6] = ["lang", "mc", "semantics", "smc", "solver", "zones"];

/// Words that say nothing without what stands beside them.
const EMPTY_WORDS: &str = "a after all always an and any anywhere are as at be before both by did do \
    does each every everywhere for from had has have here how if in into is it its least likewise many \
    most much never no none not nothing of on one ones only or other others perhaps same so some \
    somewhere such than that the their them there these they this those to too was were what when where \
    whether which who whom whose why with without";

/// Whether a doc comment needs its neighbours: it has one word only, or none that means something.
fn needs_neighbours(comment: &str) -> bool {
    let words: Vec<String> = comment
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let is_empty = |word: &String| EMPTY_WORDS.split_whitespace().any(|empty| empty == word);
    // Code speaks for itself.
    !comment.contains('`') && (words.len() <= 1 || words.iter().all(is_empty))
}

#[test]
fn comments_stand_alone() {
    for comment in
        ["What.", "For these.", "All of them.", "Where it is.", "How, and where.", "Sorted."]
    {
        assert!(needs_neighbours(comment), "{comment}");
    }
    assert!(!needs_neighbours("The signal that the system sent.") && !needs_neighbours("`a or b`"));
    let mut problems = Vec::new();
    for folder in WELL_SAID {
        let mut sources = Vec::new();
        files(&root().join("crates").join(folder).join("src"), &[".rs"], &mut sources);
        assert!(!sources.is_empty(), "no sources of {folder}");
        for path in sources {
            let text = fs::read_to_string(&path).unwrap();
            let mut comment = String::new();
            for (at, line) in text.lines().enumerate() {
                match line.trim_start().strip_prefix("///") {
                    Some(more) => comment += more,
                    None if comment.is_empty() => {}
                    None => {
                        if needs_neighbours(&comment) {
                            problems.push(format!("{}:{at}:{comment}", path.display()));
                        }
                        comment.clear();
                    }
                }
            }
        }
    }
    assert!(problems.is_empty(), "say it in a sentence:\n{}", problems.join("\n"));
}

#[test]
fn links_of_the_documentation_lead_somewhere() {
    let mut pages = Vec::new();
    files(&root(), &[".md"], &mut pages);
    for page in pages {
        // What stands between backticks is code, not a link.
        let text = fs::read_to_string(&page).unwrap();
        let text: String = text.split('`').step_by(2).collect();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or(link);
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = page.parent().unwrap().join(target);
            assert!(path.exists(), "{}: {link} leads nowhere", page.display());
        }
    }
}
