//! Runs of the example with a pump behind slow sensors, really made. `examples/pages.rs` shares this file.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use punctual_campaign::drive::{Manner, drive};
use punctual_campaign::load::Environment;
use punctual_campaign::platform::{Between, Mode, Mounting};
use punctual_campaign::prepare::{Wishes, prepare};
use punctual_campaign::store::Run;
use punctual_campaign::suites::of_suite;
use punctual_lang::testing::{Policy, UnderTest};

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/infusion").join(file)
}

/// Runs of all cases, by a model that is played on a platform; recorded in a new folder.
pub(crate) fn runs(folder: &Path, played: &str, platform: &str, mode: Mode) -> Vec<Run> {
    let _ = std::fs::remove_dir_all(folder);
    let suite = example("tests.toml");
    let loaded = of_suite(&suite, None, Environment::Model).expect("a suite");
    let path = example(played).display().to_string();
    let wishes = Wishes {
        system: Some(UnderTest::Model { path, policy: Policy::Random }),
        suite: Some(suite),
        between: Between::File(example(platform)),
        mounting: Mounting { mode, ..Mounting::default() },
        // In the first case, a sensor of the wide platform is too late.
        seed: Some(if platform == "wide.toml" { 6 } else { 2 }),
        ..Wishes::default()
    };
    let prepared = prepare(loaded, &wishes).expect("a plan");
    let recording = prepared.recording(folder, vec!["punctual".to_owned()]).expect("a folder");
    let manner = Manner { threads: Some(1), keep_going: true, shrinks: false };
    let drove = drive(&prepared, Some(&recording), manner, &AtomicBool::new(false), |_, _| {});
    assert!(drove.trouble.is_none(), "all runs are made");
    ["0001", "0002"].map(|name| Run::at(&folder.join(name))).to_vec()
}
