//! The state of a system between scenarios, and who keeps it.

use std::collections::BTreeSet;

use punctual_model::{
    AttributeId, ClassId, Network,
    usecases::{AssignmentKind, Keeper, Kept, Scenarios, UseCases},
};

use super::{about, owners::Owner};

/// All state: what automata keep, then what else scenarios speak of.
pub(super) fn state(
    all: &UseCases,
    scenarios: &Scenarios,
    network: &Network,
    owners: &[Owner],
) -> Vec<Kept> {
    let attribute_name = |id: AttributeId| all.domain.attributes[id].name.as_str();
    let mut found: Vec<Kept> = Vec::new();
    for owner in owners {
        let (Some(class), Some(number)) = (owner.class, owner.number) else { continue };
        for variable in &owner.variables {
            let Ok(attribute) = variable.attribute else { continue };
            let process = &network.processes[owner.process].name;
            let name = format!("{process}.{}", attribute_name(attribute));
            let keeper = Keeper::Automaton(owner.process, variable.variable);
            found.push(Kept { class, number, attribute, name, keeper });
        }
    }
    let objects = about::objects(scenarios);
    let mut set: BTreeSet<(ClassId, u32, AttributeId)> = BTreeSet::new();
    let mut told: Vec<(ClassId, u32, AttributeId)> = Vec::new();
    for scenario in &scenarios.scenarios {
        let key = |slot| about::key(scenario, slot);
        let states = scenario.assigned(AssignmentKind::State).map(|it| it.slot);
        let setups = scenario.assigned(AssignmentKind::Setup).map(|it| it.slot);
        told.extend(states.chain(setups).map(key));
        told.extend(scenario.needs.iter().flat_map(|it| it.condition.slots()).map(key));
        for it in &scenario.sets {
            set.insert(key(it.slot));
            told.extend(it.to.slots().into_iter().map(key));
            // What the tester gives is set, too, but need not be remembered if nobody asks for it later.
            let is_given = scenario.assigned(AssignmentKind::Input).any(|of| of.slot == it.slot);
            if !is_given {
                told.push(key(it.slot));
            }
        }
    }
    for (class, number, attribute) in told {
        let is_it = |it: &Kept| (it.class, it.number, it.attribute) == (class, number, attribute);
        if found.iter().any(is_it) {
            continue;
        }
        let names = objects.get(&class);
        let object = names.and_then(|names| names.get(number as usize)).map_or("", String::as_str);
        let name = format!("{object}.{}", attribute_name(attribute));
        let keeper = match set.contains(&(class, number, attribute)) {
            true => Keeper::Scenarios,
            false => Keeper::Tester,
        };
        found.push(Kept { class, number, attribute, name, keeper });
    }
    found
}
