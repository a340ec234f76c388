//! Which slots an input step gives values to.
//!
//! The first meaning of the data that has any attribute counts:
//! - an attribute: that of the actor's objects, or of all objects that have it if those of the actor do not;
//! - an end: all attributes of the objects that the actor's objects have there, or of all objects of its class;
//! - a class: all attributes of its objects;
//! - an enumeration: all attributes of that type that the actor's objects have, or that any object has.
//!
//! Without data, or with data that the domain model does not know, these are all attributes of the actor's objects that some constraint mentions.

use std::collections::BTreeSet;

use punctual_model::{
    AttributeId, ObjectId,
    usecases::{AttributeType, EndRef, Feature, Named, Phrase, Role, Slot, UseCases},
};

use super::{
    form::{Form, Forms},
    objects::Objects,
};

/// The attributes that any constraint mentions.
pub(super) fn mentioned(cases: &UseCases) -> BTreeSet<AttributeId> {
    cases.constraints.iter().flat_map(|it| it.attributes()).collect()
}

/// The attributes that internal steps and postconditions mention, and so may change.
pub(super) fn changed(cases: &UseCases) -> BTreeSet<AttributeId> {
    let sentences =
        cases.sentences.iter().filter(|it| matches!(it.role, Role::Effect | Role::Postcondition));
    let constraints = sentences.flat_map(|it| it.constraints.iter().copied());
    constraints.flat_map(|it| cases.constraints[it].attributes()).collect()
}

/// The slots that an input gives values to, and when links lead there.
pub(super) fn slots(
    cases: &UseCases,
    objects: &Objects,
    forms: &mut Forms,
    mentioned: &BTreeSet<AttributeId>,
    actor: &Phrase,
    data: Option<&Phrase>,
) -> Vec<(Slot, Form)> {
    let domain = &cases.domain;
    let always = forms.bool(true);
    let actors = people(cases, objects, actor);
    let meanings = data.map_or(&[][..], |it| it.meanings.as_slice());
    if meanings.is_empty() {
        let slots = actors.iter().flat_map(|it| objects.slots(domain, *it));
        let known = slots.filter(|it| mentioned.contains(&it.attribute));
        return known.map(|it| (it, always)).collect();
    }
    let of_all = |is_meant: &dyn Fn(AttributeId) -> bool| -> Vec<(Slot, Form)> {
        let slots = |of: &mut dyn Iterator<Item = ObjectId>| -> Vec<(Slot, Form)> {
            let slots = of.flat_map(|it| objects.slots(domain, it));
            slots.filter(|it| is_meant(it.attribute)).map(|it| (it, always)).collect()
        };
        let own = slots(&mut actors.iter().copied());
        if own.is_empty() { slots(&mut objects.objects.ids()) } else { own }
    };
    for meaning in meanings {
        let found = match *meaning {
            Named::Feature(Feature::Attribute(attribute)) => of_all(&|it| it == attribute),
            Named::Enumeration(enumeration) => {
                of_all(&|it| domain.attributes[it].ty == AttributeType::Enumeration(enumeration))
            }
            Named::Class(class) => {
                let slots = objects.of(class).iter().flat_map(|it| objects.slots(domain, *it));
                slots.map(|it| (it, always)).collect()
            }
            Named::Feature(Feature::End(end)) => {
                let class = domain.end(end).class;
                let has_any =
                    objects.of(class).iter().any(|it| !objects.slots(domain, *it).is_empty());
                if has_any {
                    return at_end(cases, objects, forms, &actors, end);
                }
                Vec::new()
            }
        };
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// All attributes of the objects at an end of the actors, or of all that might be there if no actor has such an end.
fn at_end(
    cases: &UseCases,
    objects: &Objects,
    forms: &mut Forms,
    actors: &[ObjectId],
    end: EndRef,
) -> Vec<(Slot, Form)> {
    let domain = &cases.domain;
    let always = forms.bool(true);
    let origin = domain.origin(end);
    let own = actors.iter().filter(|it| domain.conforms(objects.objects[**it].class, origin));
    let own: Vec<ObjectId> = own.copied().collect();
    let mut there: Vec<(ObjectId, Form)> = Vec::new();
    for actor in &own {
        for (object, when) in objects.at(domain, forms, end, *actor) {
            match there.iter_mut().find(|(it, _)| *it == object) {
                Some((_, known)) => *known = forms.or(*known, when),
                None => there.push((object, when)),
            }
        }
    }
    if own.is_empty() {
        there = objects.of(domain.end(end).class).iter().map(|it| (*it, always)).collect();
    }
    let slots = there.iter().flat_map(|(object, when)| {
        objects.slots(domain, *object).into_iter().map(|it| (it, *when))
    });
    slots.collect()
}

/// The objects that a phrase may speak of: those of the first class or end that it names.
fn people(cases: &UseCases, objects: &Objects, actor: &Phrase) -> Vec<ObjectId> {
    let class = actor.meanings.iter().find_map(|meaning| match *meaning {
        Named::Class(class) => Some(class),
        Named::Feature(Feature::End(end)) => Some(cases.domain.end(end).class),
        _ => None,
    });
    class.map(|it| objects.of(it).to_vec()).unwrap_or_default()
}
