//! Objects of a domain model, and which links they may have.
//!
//! Each concrete class has an object; it has more where multiplicities ask for it, and as many as [`Objects::new`] is told. A link
//! that multiplicities force is there, one that they forbid is not. An association without a limit at either end links everything, unless it is free. The others are for somebody to choose.
//!
//! Not here: which of the possible links are chosen.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    AssociationId, AttributeId, ClassId, IdVec, ObjectId,
    usecases::{Association, Diagram, Domain, End, EndRef, Link, Object, Slot},
};

use super::form::{Form, Forms, Variable};

/// More objects of one class are not made for the sake of multiplicities.
const OBJECTS_MAX: u32 = 64;

/// How many objects of classes there are at least; others have one.
pub(super) type Counts = BTreeMap<ClassId, u32>;

/// Objects, and links that they may have.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) objects: IdVec<ObjectId, Object>,
    /// The links that multiplicities do not rule out; their numbers are those of [`Variable::Link`].
    pub(super) possible: Vec<Possible>,
    by_pair: BTreeMap<(AssociationId, ObjectId, ObjectId), u32>,
    /// The objects of each class and its subclasses.
    by_class: IdVec<ClassId, Vec<ObjectId>>,
}

/// A link that may be there.
#[derive(Debug)]
pub(super) struct Possible {
    pub(super) link: Link,
    /// Whether it is known to be there.
    pub(super) is_forced: bool,
}

impl Objects {
    /// The objects of a domain: at least so many of each class.
    ///
    /// # Errors
    /// If multiplicities ask for what there can not be: says so.
    pub(super) fn new(
        domain: &Domain,
        least: &Counts,
        free: &BTreeSet<AssociationId>,
    ) -> Result<Objects, String> {
        let counts = enough(domain, least)?;
        let mut objects = IdVec::default();
        for (class, it) in domain.classes.enumerate().filter(|(_, it)| !it.is_abstract) {
            let count = counts[&class];
            for number in 1..=count {
                let name =
                    if count == 1 { it.name.clone() } else { format!("{}{number}", it.name) };
                objects.push(Object { class, name });
            }
        }
        let by_class = (domain.classes.ids())
            .map(|class| {
                let own = objects.enumerate().filter(|(_, it)| domain.conforms(it.class, class));
                own.map(|(id, _)| id).collect()
            })
            .collect();
        let mut made =
            Objects { objects, possible: Vec::new(), by_pair: BTreeMap::new(), by_class };
        made.link(domain, free);
        Ok(made)
    }

    fn link(&mut self, domain: &Domain, free: &BTreeSet<AssociationId>) {
        for (association, it) in domain.associations.enumerate() {
            let [left, right] = &it.ends;
            let (lefts, rights) = (self.of(left.class).to_vec(), self.of(right.class).to_vec());
            let needs = |least: u32, of: usize| usize::try_from(least).is_ok_and(|it| it >= of);
            let never = |most: Option<u32>| most == Some(0);
            let is_forced = needs(right.multiplicity.least, rights.len())
                || needs(left.multiplicity.least, lefts.len())
                || is_full(it) && !free.contains(&association);
            if never(left.multiplicity.most) || never(right.multiplicity.most) {
                continue;
            }
            for &a in &lefts {
                for &b in &rights {
                    let number = u32::try_from(self.possible.len()).expect("fewer than 2^32 links");
                    self.by_pair.insert((association, a, b), number);
                    let link = Link { association, ends: [a, b] };
                    self.possible.push(Possible { link, is_forced });
                }
            }
        }
    }

    /// The objects of a class and of its subclasses.
    pub(super) fn of(&self, class: ClassId) -> &[ObjectId] {
        &self.by_class[class]
    }

    /// Whether an object has an attribute.
    pub(super) fn has(&self, domain: &Domain, object: ObjectId, attribute: AttributeId) -> bool {
        domain.conforms(self.objects[object].class, domain.attributes[attribute].class)
    }

    /// All slots of an object, in the order of the domain.
    pub(super) fn slots(&self, domain: &Domain, object: ObjectId) -> Vec<Slot> {
        let own = domain.attributes.ids().filter(|it| self.has(domain, object, *it));
        own.map(|attribute| Slot { object, attribute }).collect()
    }

    /// Whether two objects are linked: the first at the other end, the second at this one.
    fn linked(&self, forms: &mut Forms, at: EndRef, from: ObjectId, to: ObjectId) -> Form {
        let pair = if at.end == 1 { (from, to) } else { (to, from) };
        match self.by_pair.get(&(at.association, pair.0, pair.1)) {
            None => forms.bool(false),
            Some(&number) if self.possible[number as usize].is_forced => forms.bool(true),
            Some(&number) => forms.variable(Variable::Link(number)),
        }
    }

    /// The objects that may be at an end, seen from an object, and when they are.
    pub(super) fn at(
        &self,
        domain: &Domain,
        forms: &mut Forms,
        at: EndRef,
        from: ObjectId,
    ) -> Vec<(ObjectId, Form)> {
        // An object of a class that lacks the association has nothing there.
        if !domain.conforms(self.objects[from].class, domain.origin(at)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for &to in self.of(domain.end(at).class) {
            let linked = self.linked(forms, at, from, to);
            if forms.truth(linked) != Some(false) {
                found.push((to, linked));
            }
        }
        found
    }

    /// What multiplicities ask of links: for each object at one end, how many there are at the other.
    pub(super) fn multiplicities(&self, domain: &Domain) -> Vec<(Vec<u32>, u32, Option<u32>)> {
        let mut found = Vec::new();
        for (association, it) in domain.associations.enumerate() {
            for (here, there) in [(0, 1), (1, 0)] {
                let multiplicity = it.ends[there].multiplicity;
                for &object in self.of(it.ends[here].class) {
                    let links = self.possible.iter().enumerate().filter(|(_, it)| {
                        it.link.association == association && it.link.ends[here] == object
                    });
                    let numbers: Vec<u32> = links.map(|(number, _)| number as u32).collect();
                    found.push((numbers, multiplicity.least, multiplicity.most));
                }
            }
        }
        found
    }

    /// The objects with those links that are chosen.
    pub(super) fn diagram(&self, is_linked: impl Fn(u32) -> bool) -> Diagram {
        let links = (self.possible.iter().enumerate())
            .filter(|(number, it)| it.is_forced || is_linked(*number as u32))
            .map(|(_, it)| it.link)
            .collect();
        Diagram { objects: self.objects.clone(), links }
    }
}

/// Whether an association links all that it may, unless somebody needs it otherwise: both its ends are without a limit.
pub(super) fn is_full(association: &Association) -> bool {
    association.ends.iter().all(|it| it.multiplicity.most.is_none())
}

/// How many objects of each concrete class multiplicities ask for.
fn enough(domain: &Domain, least: &Counts) -> Result<Counts, String> {
    let mut counts: Counts = (domain.classes.enumerate())
        .filter(|(_, it)| !it.is_abstract)
        .map(|(class, _)| (class, least.get(&class).copied().unwrap_or(1).max(1)))
        .collect();
    loop {
        let before = counts.clone();
        for it in &domain.associations {
            for [from, to] in [[&it.ends[0], &it.ends[1]], [&it.ends[1], &it.ends[0]]] {
                more(domain, &mut counts, from, to)?;
            }
        }
        if counts == before {
            return Ok(counts);
        }
    }
}

/// Makes objects at an end, if those at the other end need more than there are.
fn more(domain: &Domain, counts: &mut Counts, from: &End, to: &End) -> Result<(), String> {
    let total = |counts: &Counts, class: ClassId| -> u64 {
        domain.concrete(class).iter().map(|it| u64::from(counts[it])).sum()
    };
    let n_from = total(counts, from.class);
    let least = u64::from(to.multiplicity.least);
    if n_from == 0 || least == 0 {
        return Ok(());
    }
    // Objects at this end are shared by no more than they allow.
    let shared = match from.multiplicity.most {
        Some(0) => None,
        Some(most) => Some(n_from.saturating_mul(least).div_ceil(u64::from(most))),
        None => Some(least),
    };
    let [here, there] = [from, to].map(|it| &domain.classes[it.class].name);
    let failed = || {
        format!(
            "the multiplicities of `{here}` and `{there}` ask for objects that there can not be"
        )
    };
    let needed = shared.ok_or_else(failed)?.max(least);
    let has = total(counts, to.class);
    if has < needed {
        let class = domain.concrete(to.class).first().copied();
        let count = class.and_then(|it| counts.get_mut(&it)).ok_or_else(failed)?;
        let all = u64::from(*count).saturating_add(needed - has);
        *count = u32::try_from(all).ok().filter(|it| *it <= OBJECTS_MAX).ok_or_else(failed)?;
    }
    Ok(())
}
