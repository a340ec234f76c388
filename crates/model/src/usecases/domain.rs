//! Domain models: what a class diagram says.

use super::Place;
use crate::{AssociationId, AttributeId, ClassId, EnumerationId, IdVec};

/// A domain model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// The classes; a class may have parents that come later.
    pub classes: IdVec<ClassId, Class>,
    /// The enumerations.
    pub enumerations: IdVec<EnumerationId, Enumeration>,
    /// The attributes of all classes.
    pub attributes: IdVec<AttributeId, Attribute>,
    /// The associations, also those that are written as attributes whose type is a class.
    pub associations: IdVec<AssociationId, Association>,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Where the class stands.
    pub place: Place,
    /// True if only its subclasses have objects of their own.
    pub is_abstract: bool,
    /// The classes that it inherits from; no class inherits from itself, however indirectly.
    pub parents: Vec<ClassId>,
}

/// The names of an enumeration's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Its own name.
    pub name: String,
    /// Where the enumeration stands.
    pub place: Place,
    /// The names of its values, in order; at least one.
    pub values: Vec<String>,
}

/// An attribute that has a value in each object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The class that has it, and with it all subclasses.
    pub class: ClassId,
    /// Its name, which no other feature of the class and its ancestors has.
    pub name: String,
    /// What its values are.
    pub ty: AttributeType,
    /// Where the attribute stands.
    pub place: Place,
}

/// What values of an attribute are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeType {
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// An exact real number.
    Real,
    /// A member of an enumeration.
    Enumeration(EnumerationId),
}

/// Objects of two classes that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Association {
    /// Both ends; each says which objects are at that end.
    pub ends: [End; 2],
    /// Where the association stands.
    pub place: Place,
}

/// An end of an association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The class of the objects at this end.
    pub class: ClassId,
    /// How objects at the other end call those at this one.
    pub name: String,
    /// How many objects are at this end for each at the other.
    pub multiplicity: Multiplicity,
    /// Whether expressions may go from the other end to this one.
    pub is_navigable: bool,
}

/// How many objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Multiplicity {
    /// At least so many objects.
    pub least: u32,
    /// At most so many objects; none if there is no limit.
    pub most: Option<u32>,
}

impl Multiplicity {
    /// Exactly one.
    pub const ONE: Self = Self { least: 1, most: Some(1) };
    /// Any number.
    pub const ANY: Self = Self { least: 0, most: None };

    /// Whether there is always exactly one object. An end of another multiplicity gives a set.
    #[must_use]
    pub fn is_one(self) -> bool {
        self == Self::ONE
    }
}

/// An end of an association, as it is reached from the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EndRef {
    /// The association.
    pub association: AssociationId,
    /// Which of its ends, 0 or 1.
    pub end: u8,
}

/// What an object has under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// An attribute.
    Attribute(AttributeId),
    /// Other objects.
    End(EndRef),
}

impl Domain {
    /// The class of this name.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<ClassId> {
        self.classes.enumerate().find(|(_, it)| it.name == name).map(|(id, _)| id)
    }

    /// The end itself.
    #[must_use]
    pub fn end(&self, at: EndRef) -> &End {
        &self.associations[at.association].ends[usize::from(at.end)]
    }

    /// The class that an end is reached from.
    #[must_use]
    pub fn origin(&self, at: EndRef) -> ClassId {
        self.associations[at.association].ends[1 - usize::from(at.end)].class
    }

    /// A class and all that it inherits from, itself first, each once.
    #[must_use]
    pub fn lineage(&self, class: ClassId) -> Vec<ClassId> {
        let mut found = vec![class];
        let mut at = 0;
        while let Some(&next) = found.get(at) {
            for &parent in &self.classes[next].parents {
                if !found.contains(&parent) {
                    found.push(parent);
                }
            }
            at += 1;
        }
        found
    }

    /// Whether every object of the first class is one of the second.
    #[must_use]
    pub fn conforms(&self, class: ClassId, to: ClassId) -> bool {
        class == to || self.lineage(class).contains(&to)
    }

    /// The classes whose objects are objects of this one, itself first if it is not abstract.
    #[must_use]
    pub fn concrete(&self, class: ClassId) -> Vec<ClassId> {
        let mut found: Vec<ClassId> = (self.classes.ids())
            .filter(|it| !self.classes[*it].is_abstract && self.conforms(*it, class))
            .collect();
        found.sort_by_key(|it| *it != class);
        found
    }

    /// The attributes and ends that a class declares itself, with their names.
    pub fn own_features(&self, class: ClassId) -> impl Iterator<Item = (&str, Feature)> {
        let attributes = self.attributes.enumerate().filter(move |(_, it)| it.class == class);
        let attributes = attributes.map(|(id, it)| (it.name.as_str(), Feature::Attribute(id)));
        let ends = self.associations.enumerate().flat_map(move |(association, it)| {
            [0, 1].into_iter().filter_map(move |end: u8| {
                let here = &it.ends[usize::from(end)];
                let origin = it.ends[1 - usize::from(end)].class;
                (here.is_navigable && origin == class)
                    .then_some((here.name.as_str(), Feature::End(EndRef { association, end })))
            })
        });
        attributes.chain(ends)
    }
}
