//! A folder of a hundred flows and fifty classes, written by a loop: scenarios with values in few questions to the solver.

use std::fmt::Write;

use punctual_lang::{Input, usecases};
use punctual_model::Value;
use punctual_model::usecases::{AssignmentKind, Path, Scenario, UseCases, Why};
use punctual_solver::Solver;
use punctual_testgen::usecases::paths::{Feasible, Limits, Possible, Values, scenarios};
use punctual_testgen::usecases::values::{Options, Solving};

/// Units of a plant that are checked one after the other. Each has a basic flow, seven specific ones, a bounded and a global one.
fn plant(n_units: usize) -> UseCases {
    let (mut text, mut puml, mut ocl) = (String::new(), String::new(), String::new());
    let mut settings = String::new();
    text += "## Use Case: Operate the Plant\n### Basic Flow\n";
    for unit in 1..=n_units {
        let _ = writeln!(text, "{unit}. INCLUDE USE CASE Check Unit {unit}.");
    }
    text += "Postcondition: The plant is operated.\n";
    puml += "enum Mode { Off, On, Hot }\nclass Plant { operated: Boolean }\n";
    ocl += "-- \"the plant is operated\"\ncontext Plant inv: self.operated = true\n";
    for unit in 1..=n_units {
        let conditions = [
            format!("context Sensor{unit} inv: self.level > 0"),
            format!("context Sensor{unit} inv: self.level < 90"),
            format!("context Sensor{unit} inv: self.flow >= 10"),
            format!("context Sensor{unit} inv: self.flow + self.level < 150"),
            format!("context Sensor{unit} inv: self.flow < 100"),
            format!("context Fault{unit} inv: self.isFound = false"),
            format!("context Log{unit} inv: self.entries < 10"),
        ];
        let _ = write!(
            text,
            "## Use Case: Check Unit {unit}\n### Precondition\nUnit{unit} is on.\n### Basic Flow\n\
             1. The system REQUESTS level FROM Sensor{unit}.\n2. The system REQUESTS flow FROM Sensor{unit}.\n"
        );
        for (n, _) in (3..).zip(&conditions) {
            let _ =
                writeln!(text, "{n}. The system VALIDATES THAT value {n} of unit {unit} is right.");
        }
        let _ = write!(
            text,
            "10. The system stores the values of unit {unit}.\nPostcondition: The values of unit {unit} are stored.\n"
        );
        for (n, condition) in (3..).zip(&conditions) {
            let end = if n % 3 == 0 { "ABORT" } else { "RESUME STEP 10" };
            let _ = write!(
                text,
                "### Specific Alternative Flow - U{unit}N{n}\nRFS {n}\n1. The system stores fault {n} of unit {unit}.\n2. {end}.\n\
                 Postcondition: Fault {n} of unit {unit} is known.\n"
            );
            let _ = write!(
                ocl,
                "-- \"value {n} of unit {unit} is right\"\n{condition}\n\
                 -- \"the system stores fault {n} of unit {unit}\"\ncontext Fault{unit} inv: self.code = {n} and self.isFound = true\n\
                 -- \"fault {n} of unit {unit} is known\"\ncontext Fault{unit} inv: self.code = {n}\n"
            );
        }
        let _ = write!(
            text,
            "### Bounded Alternative Flow - U{unit}B\nRFS 4-5\n1. IF unit {unit} is hot THEN\n2. The system cools unit {unit}.\n\
             3. RESUME STEP 6.\n4. ENDIF\nPostcondition: Unit {unit} is cooled.\n\
             ### Global Alternative Flow\n1. IF unit {unit} is off THEN\n2. The system counts the stop of unit {unit}.\n3. ABORT.\n4. ENDIF\n\
             Postcondition: Unit {unit} stands.\n"
        );
        let _ = write!(
            ocl,
            "-- \"unit{unit} is on\"\ncontext Unit{unit} inv: self.mode <> Mode::Off\n\
             -- \"the system stores the values of unit {unit}\"\n-- \"the values of unit {unit} are stored\"\n\
             context Unit{unit} inv: self.stored = true\n\
             -- \"unit {unit} is hot\"\ncontext Unit{unit} inv: self.mode = Mode::Hot\n\
             -- \"the system cools unit {unit}\"\n-- \"unit {unit} is cooled\"\ncontext Unit{unit} inv: self.mode = Mode::On\n\
             -- \"unit {unit} is off\"\ncontext Sensor{unit} inv: self.level = 77 and self.flow = 5\n\
             -- \"the system counts the stop of unit {unit}\"\ncontext Unit{unit} inv: self.count = self.count + 1\n\
             -- \"unit {unit} stands\"\ncontext Unit{unit} inv: self.count > 0\n"
        );
        let _ = write!(
            puml,
            "class Unit{unit} {{ mode: Mode\nstored: Boolean\ncount: Integer }}\nclass Sensor{unit} {{ level: Integer\nflow: Integer }}\n\
             class Fault{unit} {{ code: Integer\nisFound: Boolean }}\nclass Log{unit} {{ entries: Integer }}\nclass Valve{unit} {{ open: Boolean }}\n\
             Unit{unit} \"1\" -- \"1\" Sensor{unit}\n"
        );
        let _ = write!(
            settings,
            "[attributes.\"Sensor{unit}.level\"]\nrange = [-10, 100]\n[attributes.\"Sensor{unit}.flow\"]\nrange = [0, 120]\n"
        );
    }
    let files = [("a.md", text), ("a.puml", puml), ("a.ocl", ocl), ("usecases.toml", settings)];
    let inputs: Vec<Input<'_>> =
        files.iter().map(|(name, text)| Input { name, bytes: text.as_bytes() }).collect();
    usecases::read(&inputs).value.expect("it is right")
}

/// Counts what is asked.
struct Asked<'a> {
    solving: Solving<'a>,
    n_asked: u32,
}

impl Feasible for Asked<'_> {
    fn possible(&mut self, path: &Path, from: usize) -> Possible {
        self.n_asked += 1;
        self.solving.possible(path, from)
    }
}

impl Values for Asked<'_> {
    fn solve(&mut self, path: &Path) -> Result<Scenario, Why> {
        self.n_asked += 1;
        Values::solve(&mut self.solving, path)
    }

    fn explain(&mut self, begin: &Path) -> Why {
        self.n_asked += 1;
        self.solving.explain(begin)
    }
}

/// Each flow and branch is covered, and the number of questions grows with the number of flows and not faster. A hundred flows with fifty classes take four seconds of one
/// processor in a build for daily work, most of them in the solver; so the test looks at a part of them.
#[test]
fn flows_are_solved_in_few_questions() {
    let solver = Solver::find().expect("a solver");
    let asked = |n_units: usize| {
        let all = plant(n_units);
        let n_flows: usize = all.use_cases.iter().map(|it| it.flows.len()).sum();
        let options = Options { seed: 1, ..Options::default() };
        let solving = Solving::new(&all, &solver, options).expect("a solver");
        let mut asked = Asked { solving, n_asked: 0 };
        let found = scenarios(&all, &mut asked, Limits::default());
        assert!(found.uncovered.is_empty(), "{:?}", found.uncovered);
        (n_flows, all.domain.classes.len(), found.scenarios.len(), asked.n_asked)
    };
    let (two, four) = (asked(2), asked(4));
    println!("flows, classes, scenarios, questions: {two:?} {four:?}");
    assert_eq!((two.0, four.0, four.1), (21, 41, 21));
    assert!(four.3 <= 2 * two.3 + 10 && four.3 < 8 * four.0 as u32, "{two:?} {four:?}");
}

/// Use cases that include each other, each with inputs that have no range. They were drawn among all numbers of 64 bits where a few draws did not help, in a
/// hundred questions each: 102 flows took 22 s of a processor, and 5 s now.
#[test]
fn inputs_without_a_range_are_small() {
    let (mut text, mut puml, mut ocl) = (String::new(), String::new(), String::new());
    let n_jobs = 6;
    for job in 0..n_jobs {
        let next = match job + 1 < n_jobs {
            true => format!("3. INCLUDE USE CASE Job {}.\n", job + 1),
            false => String::new(),
        };
        let _ = write!(
            text,
            "## Use Case: Job {job}\n### Basic Flow\n1. The operator SENDS Reading{job} TO the system.\n\
             2. The system VALIDATES THAT Reading{job} is small.\n{next}Postcondition: None\n\
             ### Specific Alternative Flow\nRFS 2\n1. ABORT.\nPostcondition: None\n"
        );
        let _ = writeln!(puml, "class Reading{job} {{ a: Integer\nb: Integer }}");
        let _ = write!(
            ocl,
            "-- \"Reading{job} is small\"\ncontext Reading{job} inv: a > 990 and a > b and a * 3 > b\n"
        );
    }
    puml += "class Operator\n";
    let files = [("a.md", text), ("a.puml", puml), ("a.ocl", ocl)];
    let inputs: Vec<Input<'_>> =
        files.iter().map(|(name, text)| Input { name, bytes: text.as_bytes() }).collect();
    let all = usecases::read(&inputs).value.expect("it is right");
    let solver = Solver::find().expect("a solver");
    let mut solving = Solving::new(&all, &solver, Options::default()).expect("a solver");
    let found = scenarios(&all, &mut solving, Limits::default());
    assert!(found.uncovered.is_empty(), "{:?}", found.uncovered);
    for scenario in &found.scenarios {
        for it in scenario.assigned(AssignmentKind::Input) {
            let is_small = matches!(it.value, Value::Int(-1000..=1000));
            assert!(is_small, "{}: {} = {}", scenario.name, it.name, it.value);
        }
    }
    let n_questions = solving.questions();
    println!("{n_questions} questions");
    assert!(n_questions < 1000, "{n_questions}");
}
