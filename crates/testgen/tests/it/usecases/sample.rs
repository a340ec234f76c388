//! The seat sensor of `examples/bodysense` with hand-made scenarios: the one of line 39 of the paper's Figure 1 and its opposite, and automata after Figure 3-a.

use std::path::Path as File;

use punctual_lang::{Input, usecases};
use punctual_model::{
    Id, Network, ObjectId, SentenceId, Value,
    usecases::{
        Assignment, AssignmentKind, Binary, Claim, Claimed, Diagram, Ground, Need, Object, Path,
        Scenario, Scenarios, Set, Slot, UseCases,
    },
};

/// Errors that share a template, interrupts and messages.
const AUTOMATA: &str = "broadcast chan detected, undetected, DMA, CarInfo;
process ErrorCondition() { clock x; bool isDetected, isQualified;
    state NotDetectedNotQualified, DetectedNotQualified { x <= 4800 }, DetectedQualified,
        NotDetectedQualified { x <= 4800 };
    init NotDetectedNotQualified;
    trans
    NotDetectedNotQualified -> DetectedNotQualified { sync detected?; assign isDetected = true, x = 0; },
    DetectedNotQualified -> NotDetectedNotQualified { sync undetected?; assign isDetected = false, x = 0; },
    DetectedNotQualified -> DetectedQualified { guard x >= 3100; assign isQualified = true, x = 0; },
    DetectedQualified -> NotDetectedQualified { sync undetected?; assign isDetected = false, x = 0; },
    NotDetectedQualified -> DetectedQualified { sync detected?; assign isDetected = true, x = 0; },
    NotDetectedQualified -> NotDetectedNotQualified { guard x >= 3100; assign isQualified = false, x = 0; },
    DetectedNotQualified -> DetectedNotQualified { sync DMA?; assign x = 0; };
}
process Interrupts() { clock y; state NoneYet, Spaced; init NoneYet;
    trans NoneYet -> Spaced { sync DMA!; assign y = 0; }, Spaced -> Spaced { guard y >= 2000; sync DMA!; assign y = 0; }; }
process Messages() { state Any; init Any; trans Any -> Any { sync CarInfo!; }; }
";

/// The automata of some errors, with those of the environment.
pub(super) fn automata(errors: &[&str], environment: &str) -> Network {
    let mut text = AUTOMATA.to_owned();
    for error in errors {
        text += &format!("{error} = ErrorCondition();\n");
    }
    let all = [errors.join(", "), environment.to_owned()];
    let all: Vec<String> = all.into_iter().filter(|it| !it.is_empty()).collect();
    text += &format!("system {};\n", all.join(", "));
    crate::network("model.xta", text.as_bytes())
}

/// The use cases of the example.
pub(super) fn use_cases() -> UseCases {
    let folder = File::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bodysense");
    let files = usecases::load(&folder).expect("the example is there");
    let inputs: Vec<Input<'_>> = files.iter().map(|(name, bytes)| Input { name, bytes }).collect();
    usecases::read(&inputs).value.expect("the example is right")
}

/// Makes scenarios by hand.
pub(super) struct Draft<'a> {
    all: &'a UseCases,
    pub(super) scenario: Scenario,
}

impl<'a> Draft<'a> {
    /// A scenario with an object of each of these classes.
    pub(super) fn new(all: &'a UseCases, name: &str, classes: &[&str]) -> Self {
        let object = |name: &&str| Object {
            class: all.domain.class(name).expect("a class of this name"),
            name: (*name).to_owned(),
        };
        let diagram = Diagram { objects: classes.iter().map(object).collect(), links: Vec::new() };
        let path = Path { use_case: all.use_cases.ids().next().expect("one"), steps: Vec::new() };
        let scenario = Scenario {
            name: name.to_owned(),
            path,
            covers: Vec::new(),
            diagram,
            assignments: Vec::new(),
            needs: Vec::new(),
            sets: Vec::new(),
            open: Vec::new(),
        };
        Draft { all, scenario }
    }

    /// The slot of `Object.attribute`.
    pub(super) fn slot(&self, name: &str) -> Slot {
        let (object, attribute) = name.split_once('.').expect("an object and an attribute");
        let objects = self.scenario.diagram.objects.iter();
        let at = objects.clone().position(|it| it.name == object).expect("an object");
        let class = self.scenario.diagram.objects[ObjectId::from_index(at)].class;
        let lineage = self.all.domain.lineage(class);
        let mut attributes = self.all.domain.attributes.enumerate();
        let found = attributes.find(|(_, it)| it.name == attribute && lineage.contains(&it.class));
        Slot { object: ObjectId::from_index(at), attribute: found.expect("an attribute").0 }
    }

    pub(super) fn assign(
        mut self,
        kind: AssignmentKind,
        slot: &str,
        name: &str,
        value: Value,
    ) -> Self {
        let slot = self.slot(slot);
        let because = Vec::new();
        let name = name.to_owned();
        self.scenario.assignments.push(Assignment { slot, name, value, kind, because });
        self
    }

    /// `slot = value` must hold before.
    pub(super) fn needs(self, slot: &str, value: Value) -> Self {
        let left = Ground::Slot(self.slot(slot));
        let is_it = Ground::Binary(Binary::Eq, Box::new(left), Box::new(Ground::Constant(value)));
        self.assign(AssignmentKind::State, slot, slot, value).needs_that(is_it)
    }

    pub(super) fn needs_that(mut self, condition: Ground) -> Self {
        let what = Claimed::Sentence(SentenceId::from_index(0));
        self.scenario.needs.push(Need { claim: Claim { what, holds: true, at: 0 }, condition });
        self
    }

    pub(super) fn sets(self, slot: &str, value: Value) -> Self {
        self.assign(AssignmentKind::Output, slot, slot, value)
            .sets_to(slot, Ground::Constant(value))
    }

    pub(super) fn sets_to(mut self, slot: &str, to: Ground) -> Self {
        let slot = self.slot(slot);
        self.scenario.sets.push(Set { slot, to, because: vec![SentenceId::from_index(1)] });
        self
    }
}

pub(super) fn scenarios(all: Vec<Scenario>) -> Scenarios {
    Scenarios { scenarios: all.into_iter().collect(), uncovered: Vec::new(), rounds: 2, objects: 3 }
}

const TRUE: Value = Value::Bool(true);
const FALSE: Value = Value::Bool(false);

/// The scenario that finds an error.
pub(super) fn found(all: &UseCases, error: &str, temperature: i64) -> Scenario {
    let classes = ["BodySenseSystem", "TemperatureSensor", "Temperature", error];
    let [detected, qualified] = ["isDetected", "isQualified"].map(|it| format!("{error}.{it}"));
    let value = Value::Int(temperature);
    let draft = Draft::new(all, &format!("{error}Found"), &classes);
    let input = AssignmentKind::Input;
    let draft = draft.assign(input, "Temperature.value", "TemperatureSensor.value", value);
    let draft = draft.needs("BodySenseSystem.initialized", TRUE).needs(&qualified, FALSE);
    draft.sets(&detected, TRUE).scenario
}

/// The scenario that finds no error.
pub(super) fn gone(all: &UseCases, error: &str, temperature: i64) -> Scenario {
    let classes = ["BodySenseSystem", "TemperatureSensor", "Temperature", error];
    let value = Value::Int(temperature);
    let draft = Draft::new(all, &format!("{error}Gone"), &classes);
    let input = AssignmentKind::Input;
    let draft = draft.assign(input, "Temperature.value", "TemperatureSensor.value", value);
    let draft = draft.needs("BodySenseSystem.initialized", TRUE);
    draft.sets(&format!("{error}.isDetected"), FALSE).scenario
}

/// The error of the paper's figures, found and gone.
pub(super) fn temperature(all: &UseCases) -> Scenarios {
    scenarios(vec![found(all, "TemperatureError", 76), gone(all, "TemperatureError", 20)])
}

/// The scenario that finds an error that is still qualified.
pub(super) fn again(all: &UseCases, error: &str) -> Scenario {
    let [detected, qualified] = ["isDetected", "isQualified"].map(|it| format!("{error}.{it}"));
    let draft = Draft::new(all, &format!("{error}Again"), &[error]);
    draft.needs(&qualified, TRUE).sets(&detected, TRUE).scenario
}
