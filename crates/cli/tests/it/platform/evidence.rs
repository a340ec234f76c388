//! What was exercised, by which runs, and which excuses were used too often; the plan that says it before.

use super::{
    FAULTY, LATE, PLATFORM, PUMP, TESTS, WIDE, folder, json, output, punctual, read, write,
};

/// A fault that looks like a late sensor passes run by run, and fails as a suite; a right system does not.
#[test]
fn excuses_that_are_used_too_often_fail_a_suite() {
    let tested = |play: &str, runs: &str| {
        let on = ["test", TESTS, "--platform", WIDE, "--play", play, "--no-record", "--runs", runs];
        json(&on)
    };
    let (code, few) = tested(LATE, "2");
    assert_eq!((code, &few["verdict"]), (Some(0), &"pass".into()));
    let (code, many) = tested(LATE, "20");
    assert_eq!((code, &many["verdict"]), (Some(1), &"fail".into()));
    assert_eq!(many["totals"]["failed"], 0, "{many}");
    let worn: Vec<&str> = (many["evidence"]["excuses"].as_array().expect("excuses").iter())
        .filter(|it| it["worn"] == true)
        .filter_map(|it| it["input"].as_str())
        .collect();
    assert_eq!(worn, ["air"]);
    let (code, right) = tested(PUMP, "200");
    assert_eq!((code, &right["verdict"]), (Some(0), &"pass".into()), "{}", right["evidence"]);
    // How long a sensor waits until it looks is no excuse.
    let place = folder("platform-sampled");
    let text = read(PLATFORM);
    let sampled = place.join("sampled.toml");
    let text = text.replace("[outputs.flow]", "sampling = \"450ms\"\n[outputs.flow]");
    std::fs::write(&sampled, text).expect("it can be written");
    let sampled = sampled.to_str().expect("a name");
    let on = ["test", TESTS, "--platform", sampled, "--play", PUMP, "--no-record"];
    let (code, found) = json(&[&on[..], &["--runs", "100"]].concat());
    assert_eq!((code, &found["verdict"]), (Some(0), &"pass".into()), "{}", found["evidence"]);
}

/// A case is run again until it has happened, and no longer. The plan says how often that is.
#[test]
fn cases_are_run_until_they_happened() {
    let on = ["test", TESTS, "--platform", WIDE, "--play", PUMP, "--no-record"];
    let (_, plan) = json(&[&on[..], &["--plan"]].concat());
    let tries = plan["cases"][1]["tries"].as_f64().expect("a number of runs");
    assert!((2.0..=4.0).contains(&tries), "{plan}");
    assert_eq!(plan["costs"][0]["name"], "air in line");
    let (mut n_runs, mut happened, mut n_first) = (0, 0.0, 0.0);
    for seed in 1..=60 {
        let seed = seed.to_string();
        let (code, found) = json(&[&on[..], &["--tries", "20", "--seed", &seed]].concat());
        assert_eq!(code, Some(0), "{found}");
        let evidence = &found["evidence"];
        assert_eq!(evidence["exercised"], evidence["steps"], "{evidence}");
        let runs = evidence["cases"][1]["runs"].as_u64().expect("a number");
        n_runs += runs;
        n_first += 1.0;
        happened += f64::from(u8::from(runs == 1));
    }
    assert!(n_runs > 60 && n_runs < 180, "{n_runs}");
    // The last step of a case happens in the first run as often as the plan says, or a little more often.
    let said = plan["cases"][1]["steps"].as_array().and_then(|it| it.last()?.as_f64());
    let said = said.expect("a probability");
    let share = happened / n_first;
    assert!(share > said - 0.2 && share < said + 0.3, "{share} {said}");
}

/// The plan says how often steps happen, also those after a step that did not: the model recovers.
#[test]
fn a_plan_says_what_happens() {
    let on = ["test", TESTS, "--platform", WIDE, "--play", PUMP, "--no-record"];
    let (_, plan) = json(&[&on[..], &["--plan"]].concat());
    let of = |it: &serde_json::Value| -> Vec<f64> {
        let steps = it["steps"].as_array().expect("steps").iter();
        steps.map(|it| it.as_f64().expect("a probability")).collect()
    };
    const N: usize = 150;
    let both = |cases: &serde_json::Value| [of(&cases[0]), of(&cases[1])].concat();
    let said = both(&plan["cases"]);
    let mut happened = vec![0.0; said.len()];
    for seed in 1..=N {
        let seed = seed.to_string();
        let (_, found) = json(&[&on[..], &["--seed", &seed, "--objectives", "none"]].concat());
        let found = both(&found["evidence"]["cases"]);
        happened.iter_mut().zip(found).for_each(|(sum, it)| *sum += it / N as f64);
    }
    for (said, happened) in said.iter().zip(&happened) {
        let spread = (said * (1.0 - said) * (1.0 / N as f64 + 1.0 / 500.0)).sqrt();
        assert!((said - happened).abs() < 0.01 + 3.0 * spread, "{said} {happened}");
    }
}

/// An objective counts only if a step that happened as intended must have had it: a value that makes no difference may be another one.
#[test]
fn objectives_are_exercised_by_steps_that_must_have_them() {
    let place = folder("platform-objectives");
    let write = |name: &str, text: &str| write(&place, name, text);
    let model = "node m(a, b: bool) returns (y: int);\n\
        let y = if a then (if b then 1 else 1) else 0; tel\n";
    write("m.lus", model);
    let rows = "rows = \"\"\"\na,b\n1,1\n0,0\n\"\"\"\n";
    let suite = write("t.toml", &format!("model = \"m.lus\"\n[[case]]\nname = \"both\"\n{rows}"));
    let platform = |inputs: &str| {
        format!(
            "[system]\nmodel = \"m.lus\"\n[platform]\nstep = \"100ms\"\nsignal = \"stepped\"\n\
            delays = {{ inputs = {inputs}, outputs = \"20ms\" }}\n"
        )
    };
    let tested = |inputs: &str, options: &[&str]| {
        write("punctual.toml", &platform(inputs));
        let (_, found) = json(&[&["test", &suite, "--no-record"], options].concat());
        let objectives = &found["evidence"]["objectives"];
        let all = objectives["all"].as_array().cloned().unwrap_or_default();
        let class = |it: &serde_json::Value| it["exercised"].as_str().map(str::to_owned);
        (objectives.clone(), all.iter().filter_map(class).collect::<Vec<_>>())
    };
    // `b` is sent in the first run and arrives in time for certain; that it is false while `a` is true is in no step.
    let (objectives, classes) = tested("\"20ms\"", &[]);
    assert_eq!(classes, ["surely", "surely", "surely", "not"], "{objectives}");
    assert_eq!(objectives["criterion"], "branch");
    assert_eq!((&objectives["surely"], &objectives["not"]), (&3.into(), &1.into()));
    assert_eq!(objectives["all"][0]["by"][0]["case"], "both");
    // Nobody would notice if `b` came late.
    let wide = "{ mean = \"100ms\", deviation = \"40ms\" }";
    let (objectives, _) = tested(wide, &["--seed", "3"]);
    let by = |at: usize| objectives["all"][at]["by"].as_array().map_or(0, Vec::len);
    assert_eq!((by(0), by(1), by(2), by(3)), (1, 1, 0, 0), "{objectives}");
    assert_eq!(tested("\"20ms\"", &["--objectives", "none"]).0, serde_json::Value::Null);
}

/// A run that can not show what is still needed is left: that takes less time, and is no verdict. Its replay agrees.
#[test]
fn runs_that_are_pointless_are_left() {
    let place = folder("platform-left");
    let (mut whole_ns, mut early_ns, mut n_left) = (0, 0, 0);
    for seed in 1..=30 {
        let runs = place.join(seed.to_string());
        let (seed, record) = (seed.to_string(), runs.to_str().expect("a name"));
        let on = ["test", TESTS, "--platform", WIDE, "--play", PUMP, "--tries", "20"];
        let on = [&on[..], &["--seed", &seed]].concat();
        let took = |found: &serde_json::Value| {
            assert_eq!(found["verdict"], "pass", "{found}");
            let evidence = &found["evidence"];
            assert_eq!(evidence["exercised"], evidence["steps"], "{evidence}");
            found["totals"]["duration_ns"].as_u64().expect("a time")
        };
        let (_, whole) = json(&[&on[..], &["--no-early", "--no-record"]].concat());
        let (_, early) = json(&[&on[..], &["--record", record]].concat());
        (whole_ns, early_ns) = (whole_ns + took(&whole), early_ns + took(&early));
        for run in early["runs"].as_array().expect("runs") {
            assert_eq!(run["verdict"], "pass", "{run}");
            if run["ending"]["cause"] == "left" {
                n_left += 1;
                let path = run["path"].as_str().expect("a folder");
                let (code, printed, errors) = output(&mut punctual(&["replay", path]));
                assert_eq!(code, Some(0), "{printed}{errors}");
            }
        }
    }
    assert!(n_left >= 10, "{n_left}");
    assert!(early_ns * 50 < whole_ns * 49, "{early_ns} {whole_ns}");
    // A run that is the only one of its case is made to its end, and what is wrong is looked at to the end, too.
    let faulty = FAULTY;
    let on = ["test", TESTS, "--platform", WIDE, "--no-record", "--seed", "2", "--play"];
    let (_, once) = json(&[&on[..], &[PUMP]].concat());
    let (code, wrong) = json(&[&on[..], &[faulty, "--tries", "20"]].concat());
    assert_eq!(code, Some(1), "{wrong}");
    let failed = |it: &&serde_json::Value| it["verdict"] == "fail";
    let wrong = wrong["runs"].as_array().expect("runs").iter().filter(failed);
    for run in wrong.chain(once["runs"].as_array().expect("runs")) {
        assert_eq!(run["ending"], serde_json::Value::Null, "{run}");
    }
}
