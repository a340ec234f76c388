//! The folders of use cases that examples, experiments and tests of other crates have: complete, and without a warning.

use std::path::{Path, PathBuf};

use punctual_lang::{Input, usecases};
use punctual_model::usecases::{ActionKind, FlowKind, StepKind, UseCases};

use super::messages;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The use cases of a folder, in which nothing is wrong and nothing is open, and whose automata can be read.
fn complete(folder: &Path) -> UseCases {
    let files = usecases::load(folder).unwrap_or_else(|wrong| panic!("{wrong}"));
    let inputs: Vec<Input<'_>> = files.iter().map(|(name, bytes)| Input { name, bytes }).collect();
    let read = usecases::read(&inputs);
    assert_eq!(messages(&read), "", "{}", folder.display());
    assert_eq!(read.open, [], "{}", folder.display());
    let model = std::fs::read(folder.join("model.xml")).expect("it has automata");
    let reading = punctual_lang::read("model.xml", &model);
    assert!(reading.diagnostics.is_empty(), "{}: {:?}", folder.display(), reading.diagnostics);
    read.value.expect("nothing is wrong")
}

fn n_flows(use_cases: &UseCases) -> usize {
    use_cases.use_cases.iter().map(|it| it.flows.len()).sum()
}

#[test]
fn those_after_the_paper_are_complete() {
    assert_eq!(n_flows(&complete(&root().join("examples/bodysense"))), 10);
    assert_eq!(n_flows(&complete(&root().join("experiments/tauc/usecases"))), 44);
}

/// Three sets of other domains have what use cases can have, and enough of it.
#[test]
fn those_of_other_domains_are_complete() {
    let mut folders = vec![root().join("examples/lift")];
    let data = std::fs::read_dir(root().join("crates/testgen/test_data/usecases"));
    folders.extend(data.expect("the folder is there").map(|it| it.expect("it can be read").path()));
    let sets: Vec<UseCases> = folders.iter().map(|folder| complete(folder)).collect();
    assert_eq!(sets.len(), 3);
    assert!(sets.iter().map(n_flows).sum::<usize>() >= 40);
    for set in &sets {
        let flows = || set.use_cases.iter().flat_map(|it| &it.flows);
        let steps = || flows().flat_map(|it| &it.steps);
        let acts = || {
            steps().filter_map(|it| match &it.kind {
                StepKind::Act(acts) => Some(acts),
                _ => None,
            })
        };
        assert!(flows().any(|it| matches!(it.kind, FlowKind::Global(_))));
        assert!(flows().any(|it| matches!(it.kind, FlowKind::Bounded(_))));
        assert!(steps().any(|it| matches!(&it.kind, StepKind::Branch(it) if it.is_loop)));
        assert!(acts().any(|it| it.len() > 1), "MEANWHILE");
        let kinds = || acts().flatten().map(|it| &it.kind);
        assert!(kinds().any(|it| matches!(it, ActionKind::ExtendedBy(_))));
        // A use case that is included includes another.
        let includes = |it: &ActionKind| match it {
            ActionKind::Include(to) => Some(*to),
            _ => None,
        };
        let is_nested = kinds().filter_map(includes).any(|to| {
            let inner = set.use_cases[to].flows.iter().flat_map(|it| &it.steps);
            inner.into_iter().any(|it| match &it.kind {
                StepKind::Act(acts) => acts.iter().any(|it| includes(&it.kind).is_some()),
                _ => false,
            })
        });
        assert!(is_nested);
    }
}
