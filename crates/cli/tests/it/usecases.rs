//! `punctual usecases`.

use super::{folder, output, punctual};

const BODYSENSE: &str = "examples/bodysense";

/// A device has no end, so it is no file of a folder.
#[cfg(unix)]
#[test]
fn devices_are_refused() {
    let folder = written("usecases_device", &[("a.md", "# no use case")]);
    let link = std::path::Path::new(&folder).join("usecases.toml");
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink("/dev/zero", link).unwrap();
    let (code, _, stderr) = output(&mut punctual(&["usecases", &folder]));
    assert!(code == Some(2) && stderr.contains("usecases.toml`: it is no file"), "{stderr}");
}

#[test]
fn the_example_is_complete() {
    let (code, stdout, stderr) = output(&mut punctual(&["usecases", BODYSENSE, "--complete"]));
    assert_eq!(stderr, "");
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(stdout);
}

/// A folder with these files.
fn written(test: &str, files: &[(&str, &str)]) -> String {
    let folder = folder(test);
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

const TEXT: &str = "## Use Case: Warm\n### Basic Flow\n1. The system REQUESTS level FROM the Sensor.\n\
    2. The system sets MainHeater as on.\nPostcondition: MainHeater is on.\n";

#[test]
fn what_is_missing_is_listed() {
    let folder = written("usecases_open", &[("a.md", TEXT), ("README.md", "# no use case")]);
    let (code, stdout, stderr) = output(&mut punctual(&["usecases", &folder, "--json"]));
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let open = json["open"].as_array().unwrap().iter();
    let open: Vec<String> = open.map(|it| format!("{} {}", it["kind"], it["text"])).collect();
    let expected = [
        "\"entity\" \"Sensor\"",
        "\"entity\" \"level\"",
        "\"entity\" \"MainHeater\"",
        "\"effect\" \"The system sets MainHeater as on\"",
        "\"postcondition\" \"MainHeater is on\"",
    ];
    assert_eq!(open, expected);
    let (code, stdout, stderr) = output(&mut punctual(&["usecases", &folder, "--complete", "-q"]));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert_eq!(stderr.matches("error[usecases::entity]").count(), 3, "{stderr}");
    assert_eq!(stderr.matches("error[usecases::constraint]").count(), 2, "{stderr}");
}

#[test]
fn errors_of_all_files_are_told_at_once() {
    let files = [
        ("a.md", TEXT),
        (
            "b.md",
            "## Use Case: B\n### Basic Flow\n1. INCLUDE USE CASE Worm.\nPostcondition: None\n",
        ),
        ("c.puml", "class Heater { on: Bolean }\n"),
        ("d.ocl", "context Heatr inv: true\n"),
        ("usecases.toml", "perod = 3\n"),
    ];
    let folder = written("usecases_wrong", &files);
    let (code, stdout, stderr) = output(&mut punctual(&["usecases", &folder]));
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    for code in ["rucm::include", "puml::type", "ocl::name", "toml::unknown_key"] {
        assert!(stderr.contains(&format!("error[{code}]")), "{stderr}");
    }
}

#[test]
fn no_folder_and_no_use_case() {
    let empty = written("usecases_empty", &[("a.puml", "class A\n")]);
    for (folder, message) in [
        ("examples/nobody", "there is no such folder"),
        ("examples/README.md", "it is a file"),
        (&empty, "there is no use case"),
    ] {
        let (code, _, stderr) = output(&mut punctual(&["usecases", folder]));
        assert_eq!(code, Some(2));
        assert!(stderr.contains(message), "{stderr}");
    }
}

/// From text to tests: a timed model is derived, and every command takes it.
#[test]
fn a_timed_model_is_derived() {
    let folder = folder("usecases_derived");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (model, interface, suite) = (path("derived.xml"), path("derived.toml"), path("suite.toml"));
    let run = |arguments: &[&str]| {
        let (code, stdout, stderr) = output(&mut punctual(arguments));
        assert_eq!(code, Some(0), "{arguments:?}\n{stdout}\n{stderr}");
        stdout
    };
    let told = run(&["usecases", BODYSENSE, "-o", &model]);
    insta::assert_snapshot!(told.replace(folder.to_str().unwrap(), "FOLDER"));
    let with = ["--interface", interface.as_str()];
    run(&[&["show", &model][..], &with].concat());
    std::fs::write(path("q.q"), "A[] not deadlock\n").unwrap();
    assert!(run(&["check", &model, "--queries", &path("q.q")]).contains("\n   satisfied"));
    assert!(run(&[&["mutate", &model][..], &with].concat()).contains("mutants"));
    let generate = ["generate", &model, "--cover", "edges", "-o", &suite, "-q"];
    let made = run(&[&generate[..], &with].concat());
    // Many edges lead from one location of `Scenarios` to the other: the scenario is named.
    assert!(made.contains("unreachable  Scenarios: First -> Later (S2_F1_3!)\n"), "{made}");
    let text = run(&["convert", &suite, "-", "--to", "text"]);
    // What is set up is told once in a case.
    let case = text.split("\n\n").next().unwrap();
    assert_eq!(case.matches("Input BodySenseSystem.initialized = true\n").count(), 1, "{text}");
    assert!(text.contains("Input TemperatureSensor.value = 76\n"), "{text}");
    assert!(text.contains("TemperatureError.isQualified = true"), "{text}");
    // The model plays the system itself: it does what it should.
    let played =
        "\n[system]\nmodel = \"derived.xml\"\n\n[test]\nclock = \"virtual\"\nduration = 30000\n";
    let text = std::fs::read_to_string(&interface).unwrap() + played;
    std::fs::write(&interface, text).unwrap();
    let runs = run(&["test", &suite, "--no-record"]);
    assert!(runs.starts_with("PASS  "), "{runs}");
    run(&["usecases", BODYSENSE, "-o", &path("paper.xml"), "--as", "paper", "-q"]);
    let paper = std::fs::read_to_string(path("paper.xml")).unwrap();
    assert!(paper.contains("x &gt;= 1700") && !paper.contains("ended"));
}

/// What nobody changes is set up by the tester, with automata and without. One of a kind is told as one.
#[test]
fn setup_is_told_with_and_without_automata() {
    let files = [
        (
            "a.md",
            "## Use Case: Warm\n### Precondition\nThe heater is allowed.\n### Basic Flow\n1. The system sets the heater as on.\n\
             Postcondition: The heater is on.\n",
        ),
        ("a.puml", "class Heater { isOn: Boolean\nisAllowed: Boolean }\n"),
        (
            "a.ocl",
            "-- \"the heater is allowed\"\ncontext Heater inv: isAllowed\n-- \"the system sets the heater as on\"\n\
             -- \"the heater is on\"\ncontext Heater inv: isOn = true\n",
        ),
    ];
    let folder = written("usecases_setup", &files);
    let automata = "<nta><declaration>chan on;</declaration><template><name>Heater</name>\
        <declaration>bool isOn;</declaration><location id=\"a\"><name>Off</name></location>\
        <location id=\"b\"><name>On</name></location><init ref=\"a\"/>\
        <transition><source ref=\"a\"/><target ref=\"b\"/><label kind=\"synchronisation\">on?</label>\
        <label kind=\"assignment\">isOn = true</label></transition></template><system>system Heater;</system></nta>";
    let model = format!("{folder}/model.xml");
    let _ = std::fs::remove_file(&model);
    let told = || {
        let (_, text, said) = output(&mut punctual(&["usecases", &folder, "--scenarios"]));
        let is_setup = text.contains("\n  setup   Heater.isAllowed = true ");
        assert!(is_setup && !text.contains("  needs  "), "{text}{said}");
        text
    };
    assert!(!told().contains("Drawing"));
    std::fs::write(&model, automata).unwrap();
    let text = told();
    assert!(text.contains("  by hand  1 automaton  2 locations  1 edge   0 guards\n"), "{text}");
}

/// The automata that a model is derived from are not overwritten, and there must be some.
#[test]
fn what_a_model_is_derived_from_stays() {
    let own = format!("{BODYSENSE}/model.xml");
    let (code, _, stderr) = output(&mut punctual(&["usecases", BODYSENSE, "-o", &own]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("write elsewhere"), "{stderr}");
    let folder = written("usecases_no_automata", &[("a.md", TEXT)]);
    let derived = format!("{folder}/derived.xml");
    let (code, _, stderr) = output(&mut punctual(&["usecases", &folder, "-o", &derived]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("nothing to derive from"), "{stderr}");
}

/// From text to the lines of a rig, as in Figure 8 of the TAUC paper.
#[test]
fn figure_8_is_derived() {
    let folder = folder("usecases_figure_8");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (model, interface) = (path("derived.xml"), path("derived.toml"));
    output(&mut punctual(&["usecases", BODYSENSE, "-o", &model, "-q"]));
    let purpose = "E<> TemperatureError.DetectedQualified && CarInfo_velocity == 1 && CarInfo_beltSensor == 1";
    let suite = path("suite.toml");
    let made = [
        "generate",
        &model,
        "-i",
        &interface,
        "--purpose",
        purpose,
        "--wait",
        "end",
        "--checks",
        "changes",
        "-o",
        &suite,
        "-q",
    ];
    let (code, _, said) = output(&mut punctual(&made));
    assert_eq!(code, Some(0), "{said}");
    let (_, abstract_test, _) = output(&mut punctual(&["convert", &suite, "-", "--to", "text"]));
    let map = ["convert", &suite, "-", "--to", "text", "--map", "examples/bodysense/mapping.toml"];
    let (code, executable, said) = output(&mut punctual(&map));
    assert_eq!(code, Some(0), "{said}");
    insta::assert_snapshot!(format!("{abstract_test}\n{executable}"));
}

/// A solver is asked for scenarios only.
#[test]
fn without_a_solver_folders_are_read() {
    let none = folder("usecases_no_solver").join("z3");
    let solver = none.to_str().unwrap();
    let (code, text, _) = output(&mut punctual(&["usecases", BODYSENSE, "--solver", solver]));
    assert_eq!(code, Some(0));
    assert!(text.contains("Nothing is open."), "{text}");
    let page = none.with_extension("html");
    let page = page.to_str().unwrap();
    for wish in [&["--scenarios"][..], &["--report", page], &["--chain", page]] {
        let args = [&["usecases", BODYSENSE, "--solver", solver][..], wish].concat();
        let (code, _, said) = output(&mut punctual(&args));
        assert_eq!(code, Some(2));
        assert!(said.contains("need a solver; `punctual usecases DIR` alone"), "{said}");
        assert!(!std::path::Path::new(page).exists());
    }
}

/// Rows of a chain that name an edge with a case in whose path the scenario does not fire it. No field of the example has a comma.
fn claimed(rows: &str, suite: &str) -> String {
    let fires = |case: &str, scenario: &str, edge: &str| {
        let named = format!("name = \"{case}\"\n");
        let Some(text) = suite.split("[[case]]").find(|it| it.contains(&named)) else {
            return false;
        };
        let ends = format!("    \"Scenario_{scenario}: Running -> Start, ");
        let behind = text.lines().filter_map(|it| it.strip_prefix(&ends)?.strip_suffix("\","));
        behind.into_iter().any(|it| it.split(", ").any(|it| it == edge))
    };
    let is_wrong = |row: &&str| {
        let fields: Vec<&str> = row.split(',').collect();
        assert_eq!(fields.len(), 7, "{row}");
        let (scenario, edge, case) = (fields[3], fields[4], fields[5]);
        !edge.is_empty() && !case.is_empty() && !fires(case, scenario, edge)
    };
    rows.lines().skip(1).filter(is_wrong).collect::<Vec<_>>().join("\n")
}

/// A case takes other edges each time that it starts a scenario: no row names one that it does not take. Somebody who writes a case says nothing of edges.
#[test]
fn a_chain_names_edges_that_cases_take() {
    let (_, interface) = derived_in("usecases_edges", BODYSENSE);
    let path = |name: &str| interface.replace("derived.toml", name);
    let (suite, chain) = (path("suite.toml"), path("chain.csv"));
    let found = "{ input = \"S4_F2_2_F1_2\", values = [true, 76, \"Adult\"] }";
    let gone = "{ input = \"S1\", values = [true, 8, \"Adult\"] }";
    let check = "{ check = { \"TemperatureError.isDetected\" = true } }";
    let text = format!(
        "model = \"derived.xml\"\ninterface = \"derived.toml\"\n[[case]]\nname = \"drawn\"\npath = [\n\
         \"S4_F2_2_F1_2(true, 76, Adult)\",\n    \"Scenario_S4_F2_2_F1_2: Running -> Start, TemperatureError: NotDetectedNotQualified -> DetectedNotQualified\",\n\
         \"S1(true, 8, Adult)\",\n    \"Scenario_S1: Running -> Start, TemperatureError: DetectedNotQualified -> NotDetectedNotQualified\",\n\
         \"S4_F2_2_F1_2(true, 76, Adult)\",\n    \"Scenario_S4_F2_2_F1_2: Running -> Start, SeatError: DetectedNotQualified -> NotDetectedNotQualified\",\n]\n\
         steps = [{found}, {check}, {gone}, {found}, {check}]\n\n\
         [[case]]\nname = \"by hand\"\nsteps = [{found}, {check}]\n"
    );
    std::fs::write(&suite, &text).unwrap();
    let args = ["usecases", BODYSENSE, "--suite", &suite, "--chain", &chain, "-q"];
    assert_eq!(output(&mut punctual(&args)).0, Some(0));
    let rows = std::fs::read_to_string(&chain).unwrap();
    assert_eq!(claimed(&rows, &text), "");
    let sentence = "The system sets TemperatureError as detected,";
    let rows = rows.lines().filter_map(|it| it.split_once(sentence)?.1.split_once(','));
    let rows: Vec<&str> = rows.map(|(_, rest)| rest).collect();
    let expected = [
        "SeatError: DetectedNotQualified -> NotDetectedNotQualified,drawn,check 1",
        "SeatError: DetectedQualified -> NotDetectedQualified,,",
        "TemperatureError: NotDetectedNotQualified -> DetectedNotQualified,drawn,check 0",
        "TemperatureError: NotDetectedQualified -> DetectedQualified,,",
        ",by hand,check 0",
    ];
    assert_eq!(rows.len(), expected.len(), "{rows:#?}");
    assert!(expected.iter().all(|it| rows.contains(it)), "{rows:#?}");
}

/// The page, the chain and what a change touches.
#[test]
fn sentences_lead_to_checks() {
    let folder = folder("usecases_chain");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (model, interface, suite) = (path("derived.xml"), path("derived.toml"), path("suite.toml"));
    output(&mut punctual(&["usecases", BODYSENSE, "-o", &model, "-q"]));
    let made = ["generate", &model, "-i", &interface, "--cover", "edges", "-o", &suite, "-q"];
    output(&mut punctual(&made));
    let (page, chain) = (path("page.html"), path("chain.csv"));
    let derived =
        ["usecases", BODYSENSE, "--suite", &suite, "--report", &page, "--chain", &chain, "-q"];
    assert_eq!(output(&mut punctual(&derived)).0, Some(0));
    let rows = std::fs::read_to_string(&chain).unwrap();
    let line = "The system sets TemperatureError as detected";
    let row = rows.lines().find(|it| it.contains(line)).unwrap();
    assert!(
        row.contains(
            ",S4_F2_2_F1_2,TemperatureError: NotDetectedNotQualified -> DetectedNotQualified,case "
        ),
        "{row}"
    );
    assert!(row.ends_with("check 0") || row.contains(",check "), "{row}");
    let text = std::fs::read_to_string(&suite).unwrap();
    assert_eq!(claimed(&rows, &text), "");
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("id=\"S4_F2_2_F1_2\"") && page.contains("value = 76"));
    // The text changes: what was derived of the old one says which cases that touches.
    let old = folder.join("old");
    std::fs::create_dir_all(&old).unwrap();
    for file in std::fs::read_dir(crate::root().join(BODYSENSE)).unwrap() {
        let file = file.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap().replace("value < 40", "value < 50");
        std::fs::write(old.join(file.file_name().unwrap()), text).unwrap();
    }
    let since = ["usecases", BODYSENSE, "--suite", &suite, "--since", old.to_str().unwrap(), "-q"];
    let (code, text, said) = output(&mut punctual(&since));
    assert_eq!(code, Some(0), "{said}");
    assert!(text.contains("1 sentence is gone or changed, 1 new"), "{text}");
    assert!(
        text.contains("the temperature is valid") && text.contains("cases: case 001"),
        "{text}"
    );
}

/// The model that is derived of a folder of the project, as files: the model and its interface.
fn derived_in(test: &str, source: &str) -> (String, String) {
    let folder = folder(test);
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (model, interface) = (path("derived.xml"), path("derived.toml"));
    // Some sets have a flow that nothing can take: exit code 3.
    let (code, _, stderr) = output(&mut punctual(&["usecases", source, "-o", &model, "-q"]));
    assert!(matches!(code, Some(0 | 3)), "{stderr}");
    (model, interface)
}

/// Scenarios are chosen while a test runs. A right system does not fail, whenever it acts; one that is too slow does.
#[test]
fn scenarios_are_chosen_online() {
    let tests = "crates/testgen/test_data/usecases";
    let sets = [
        "examples/bodysense",
        "examples/lift",
        &format!("{tests}/pump"),
        &format!("{tests}/crossing"),
    ];
    for (number, source) in sets.into_iter().enumerate() {
        let (model, interface) = derived_in(&format!("usecases_online_{number}"), source);
        let played = |system: &str, policy: &str, runs: &str| {
            let options = ["--runs", runs, "--time", "60000ms", "--period", "333ms", "--no-record"];
            let args = ["test", &model, "-i", &interface, "--play", system, "--policy", policy];
            output(&mut punctual(&[&args[..], &options[..]].concat()))
        };
        for policy in ["random", "latest", "earliest"] {
            let (code, stdout, stderr) = played(&model, policy, "4");
            assert_eq!(code, Some(0), "{source}, {policy}: {stdout}{stderr}");
        }
        if number == 0 {
            let slow = std::fs::read_to_string(&model).unwrap();
            let slow = slow
                .replace("x &lt;= 4800", "x &lt;= 9000")
                .replace("x &gt;= 3100", "x &gt;= 8000");
            let path = model.replace("derived.xml", "slow.xml");
            std::fs::write(&path, slow).unwrap();
            let (code, stdout, stderr) = played(&path, "random", "20");
            assert_eq!(code, Some(1), "{stdout}{stderr}");
        }
    }
}

/// A case that sends a scenario while nobody knows whether the system takes it. One that does not was blamed; a check before it still fails.
#[test]
fn a_case_that_may_not_be_taken_blames_nobody() {
    let (model, interface) = derived_in("usecases_refused", BODYSENSE);
    let case = |first: &str| {
        let text = format!(
            "model = \"derived.xml\"\ninterface = \"derived.toml\"\n[[case]]\nname = \"withdrawn\"\nsteps = [\n\
             {{ input = \"S4_F2_2_F1_2\", values = [true, 76, \"Adult\"] }},\n{{ wait = \"4000ms\" }},\n{first}\
             {{ input = \"S1\", values = [true, 8, \"Adult\"] }},\n\
             {{ check = {{ \"TemperatureError.isDetected\" = false }} }},\n]\n"
        );
        let path = interface.replace("derived.toml", "suite.toml");
        std::fs::write(&path, text).unwrap();
        let run = |policy: &str| {
            let args = ["test", &path, "--play", &model, "--policy", policy, "--no-record"];
            output(&mut punctual(&args))
        };
        (run("latest"), run("earliest"))
    };
    let (late, early) = case("");
    assert_eq!(late.0, Some(0), "{}{}", late.1, late.2);
    assert_eq!(early.0, Some(3), "{}{}", early.1, early.2);
    assert!(early.1.contains("may not have been taken"), "{}", early.1);
    let (late, early) = case("{ check = { \"TemperatureError.isQualified\" = false } },\n");
    assert_eq!((late.0, early.0), (Some(0), Some(1)), "{}{}", early.1, early.2);
}

/// The suite of the example finds automata that are slow and scenarios that set the wrong value, also where the right value is the one that
/// was there before: nothing is put behind an input that may be refused, where nothing could be checked.
#[test]
fn suites_of_derived_models_find_what_is_wrong() {
    let folder = folder("usecases_found");
    let [model, suite, wrong] =
        ["derived.xml", "suite.toml", "wrong.xml"].map(|it| folder.join(it));
    let [model, suite] = [&model, &suite].map(|it| it.to_str().unwrap());
    let interface = folder.join("derived.toml");
    let (code, _, stderr) = output(&mut punctual(&["usecases", "examples/bodysense", "-o", model]));
    assert_eq!(code, Some(0), "{stderr}");
    let interface = interface.to_str().unwrap();
    let arguments = ["generate", model, "-i", interface, "--cover", "edges", "-o", suite];
    let (code, stdout, stderr) = output(&mut punctual(&arguments));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let text = std::fs::read_to_string(model).unwrap();
    // The automaton of a process is its template.
    let slow = |process: &str| {
        let begin = text.find(&format!("<name>{process}</name>")).expect("a template");
        let end = begin + text[begin..].find("</template>").expect("its end");
        let slower = text[begin..end].replace("4800", "48000").replace("3100", "40000");
        format!("{}{slower}{}", &text[..begin], &text[end..])
    };
    let sets = |attribute: &str, number: u32| {
        let [from, to] =
            ["false", "true"].map(|it| format!("{attribute} = {it}, ended = {number}<"));
        assert_eq!(text.matches(&from).count(), 1, "{from}");
        text.replace(&from, &to)
    };
    let faults = [
        text.clone(),
        slow("VoltageError"),
        slow("SeatError"),
        sets("VoltageError_isDetected", 6),
        sets("TemperatureError_isDetected", 3),
    ];
    for (number, fault) in faults.iter().enumerate() {
        std::fs::write(&wrong, fault).unwrap();
        for policy in ["random", "earliest", "latest"] {
            let played = ["--play", wrong.to_str().unwrap(), "--policy", policy, "--no-record"];
            let (code, stdout, stderr) =
                output(&mut punctual(&[&["test", suite][..], &played].concat()));
            let expected = i32::from(number > 0);
            assert_eq!(code, Some(expected), "fault {number}, {policy}: {stdout}{stderr}");
        }
    }
}

/// One command leads from text to executable tests; the derived model stays beside the suite.
#[test]
fn one_command_from_text_to_tests() {
    let folder = folder("usecases_one");
    let [suite, tests] = ["suite.toml", "tests.txt"].map(|it| folder.join(it));
    let [suite, tests] = [&suite, &tests].map(|it| it.to_str().unwrap());
    let arguments = ["generate", "examples/bodysense", "-o", suite, "--cover", "edges"];
    let mapping = ["--export", tests, "--map", "examples/bodysense/mapping.toml"];
    let (code, stdout, stderr) = output(&mut punctual(&[&arguments[..], &mapping].concat()));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    assert!(std::fs::read_to_string(tests).unwrap().contains("Pin=TEMPERATURE Value=76"));
    let model = folder.join("suite-model.xml");
    let played = ["test", suite, "--play", model.to_str().unwrap(), "--no-record"];
    let (code, stdout, stderr) = output(&mut punctual(&played));
    assert_eq!(code, Some(0), "{stdout}{stderr}");
    let (code, _, stderr) = output(&mut punctual(&arguments[..2]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("is a folder: of use cases, a suite is made with `-o"), "{stderr}");
}
