//! Small questions about use cases and their scenarios.

use std::collections::BTreeMap;

use punctual_model::{
    AttributeId, ChannelId, ChannelRef, ClassId, Expr, Id, Network, ObjectId, Place, Storage, Type,
    Value, VariableId,
    usecases::{AttributeSettings, AttributeType, Scenario, Scenarios, Slot, UseCases},
};

/// What the settings say of an attribute of objects of a class; what is said of the class itself counts before what is said of its ancestors.
pub(in crate::usecases) fn settings(
    all: &UseCases,
    class: ClassId,
    attribute: AttributeId,
) -> Option<&AttributeSettings> {
    let lineage = all.domain.lineage(class);
    lineage.into_iter().find_map(|class| {
        let of = punctual_model::usecases::AttributeOf { class, attribute };
        all.settings.attributes.get(&of)
    })
}

/// Into how many parts a real number is divided that is kept as an integer; 1 for all other attributes.
pub(in crate::usecases) fn scale(
    all: &UseCases,
    class: ClassId,
    attribute: AttributeId,
) -> Option<u32> {
    match all.domain.attributes[attribute].ty {
        AttributeType::Real => settings(all, class, attribute)?.scale,
        _ => Some(1),
    }
}

/// Whether checks may read an attribute; none if the settings say nothing at all.
pub(in crate::usecases) fn is_observable(
    all: &UseCases,
    class: ClassId,
    attribute: AttributeId,
) -> Option<bool> {
    let observable = all.settings.observable.as_ref()?;
    let is_it = observable
        .iter()
        .any(|it| it.attribute == attribute && all.domain.conforms(class, it.class));
    Some(is_it)
}

/// The attribute of a class or of its ancestors that has a name.
pub(in crate::usecases) fn attribute(
    all: &UseCases,
    class: ClassId,
    name: &str,
) -> Option<AttributeId> {
    let lineage = all.domain.lineage(class);
    let mut attributes = all.domain.attributes.enumerate();
    attributes.find(|(_, it)| it.name == name && lineage.contains(&it.class)).map(|(id, _)| id)
}

/// The integer that stands for a value of an attribute; none if there is none.
pub(in crate::usecases) fn integer(value: Value, scale: u32) -> Option<i32> {
    match value {
        Value::Real(it) => {
            let scaled = it * punctual_model::Rational::from_integer(scale.into());
            scaled.is_integer().then(|| i32::try_from(scaled.to_integer()).ok()).flatten()
        }
        other => other.as_slot(),
    }
}

/// The class of a slot's object, and which object of the class it is.
pub(in crate::usecases) fn object(scenario: &Scenario, of: ObjectId) -> (ClassId, u32) {
    let objects = &scenario.diagram.objects;
    let class = objects[of].class;
    let earlier = objects.enumerate().filter(|(id, it)| *id < of && it.class == class);
    (class, earlier.count() as u32)
}

/// A slot by its class, the number of its object, and its attribute. Scenarios have objects of their own, and these are the same in all of them.
pub(in crate::usecases) fn key(scenario: &Scenario, slot: Slot) -> (ClassId, u32, AttributeId) {
    let (class, number) = object(scenario, slot.object);
    (class, number, slot.attribute)
}

/// The names of the objects of each class, from the scenario that has most of them.
pub(super) fn objects(scenarios: &Scenarios) -> BTreeMap<ClassId, Vec<String>> {
    let mut found: BTreeMap<ClassId, Vec<String>> = BTreeMap::new();
    for scenario in &scenarios.scenarios {
        let mut here: BTreeMap<ClassId, Vec<String>> = BTreeMap::new();
        for object in &scenario.diagram.objects {
            here.entry(object.class).or_default().push(object.name.clone());
        }
        for (class, names) in here {
            let known = found.entry(class).or_default();
            if known.len() < names.len() {
                *known = names;
            }
        }
    }
    found
}

/// The scalar of the state that a fixed place is; none for elements of arrays and for locals.
pub(in crate::usecases) fn variable(network: &Network, place: &Place) -> Option<VariableId> {
    let is_fixed = place.storage == Storage::State && place.indices.is_empty() && place.size == 1;
    let is_int = |ty: &Type| matches!(ty, Type::Int(_) | Type::Bool);
    let mut variables = network.variables.enumerate().filter(|(_, it)| {
        is_fixed
            && it.storage == Storage::State
            && is_int(&it.ty)
            && place.number == punctual_model::Number::Int
    });
    variables.find(|(_, it)| it.ints == place.base).map(|(id, _)| id)
}

/// The channels that a reference may mean while the model runs.
pub(in crate::usecases) fn channels(channel: &ChannelRef) -> Vec<ChannelId> {
    let mut found = vec![channel.base.index()];
    for index in &channel.indices {
        let steps = (0..index.len).map(|it| it as usize * index.stride as usize);
        let steps: Vec<usize> = match &index.value {
            Expr::Int(at) => {
                let at = usize::try_from(at - index.lo).unwrap_or(0);
                vec![at * index.stride as usize]
            }
            _ => steps.collect(),
        };
        found = found.iter().flat_map(|base| steps.iter().map(move |it| base + it)).collect();
    }
    found.into_iter().map(ChannelId::from_index).collect()
}
