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
