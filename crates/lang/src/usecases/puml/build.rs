//! Statements of all diagrams to one domain model.

use punctual_model::{
    ClassId, EnumerationId,
    usecases::{
        Association, Attribute, AttributeType, Class, Domain, End, Enumeration, Multiplicity,
    },
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    super::{
        names::{ANCESTORS_MAX, uncapitalised},
        sources::{Context, Reader},
    },
    CLASSES_MAX,
    arrow::{Relation, multiplicity},
    lines::{Name, Statement, is_identifier},
};
use crate::{Span, diagnostic::Diagnostic};

/// An enumeration is refused if it has more values.
const VALUES_MAX: usize = 1_000;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thing {
    Class(ClassId),
    Enumeration(EnumerationId),
}

/// Types of values, in all spellings that occur.
const TYPES: [(&str, AttributeType); 11] = [
    ("boolean", AttributeType::Boolean),
    ("bool", AttributeType::Boolean),
    ("integer", AttributeType::Integer),
    ("int", AttributeType::Integer),
    ("long", AttributeType::Integer),
    ("short", AttributeType::Integer),
    ("unlimitednatural", AttributeType::Integer),
    ("real", AttributeType::Real),
    ("double", AttributeType::Real),
    ("float", AttributeType::Real),
    ("decimal", AttributeType::Real),
];

/// Makes a domain model of the statements of all files. Beside it, the attributes that it lacks since something is wrong with them.
pub(in super::super) fn build(
    readers: &mut [Reader],
    context: &Context,
    statements: &[(usize, Vec<Statement>)],
) -> (Domain, Vec<(ClassId, String)>) {
    let mut builder = Builder {
        readers,
        context,
        file: 0,
        domain: Domain::default(),
        things: FxHashMap::default(),
        places: FxHashMap::default(),
        features: FxHashMap::default(),
        unnamed: Vec::new(),
        wrong: Vec::new(),
    };
    for pass in [Pass::Declare, Pass::Inherit, Pass::Belong] {
        for (file, statements) in statements {
            builder.file = *file;
            for statement in statements {
                match pass {
                    Pass::Declare => builder.declare(statement),
                    Pass::Inherit => builder.inherit(statement),
                    Pass::Belong => builder.belong(statement),
                }
            }
        }
    }
    builder.finish();
    (builder.domain, builder.wrong)
}

/// What is looked for in all files before the next is.
#[derive(Clone, Copy)]
enum Pass {
    Declare,
    Inherit,
    Belong,
}

struct Builder<'b> {
    readers: &'b mut [Reader],
    context: &'b Context,
    /// The file that is looked at.
    file: usize,
    domain: Domain,
    things: FxHashMap<String, Thing>,
    /// Where things were declared first.
    places: FxHashMap<String, (usize, Span)>,
    /// What classes have under a name: where it was declared.
    features: FxHashMap<(ClassId, String), (usize, Span)>,
    /// Ends without a role, by the class that they are reached from and the name that they would have.
    unnamed: Vec<((ClassId, String), usize, usize)>,
    /// Attributes that were left out, with their classes.
    wrong: Vec<(ClassId, String)>,
}

impl Builder<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        let wrong = Diagnostic::error(code, span, message).help(help);
        self.readers[self.file].diagnostics.push(wrong);
    }

    /// Where something was declared, in words.
    fn told(&self, (file, span): (usize, Span)) -> String {
        let reader = &self.readers[file];
        format!("the other one is in line {} of {}", reader.place(span).line, reader.file.name)
    }

    fn new_class(&mut self, name: &Name) -> ClassId {
        let place = self.readers[self.file].place(name.span);
        let class =
            Class { name: name.text.clone(), place, is_abstract: false, parents: Vec::new() };
        let id = self.domain.classes.push(class);
        self.things.insert(name.text.clone(), Thing::Class(id));
        self.places.insert(name.text.clone(), (self.file, name.span));
        id
    }

    /// First pass: what there is.
    fn declare(&mut self, statement: &Statement) {
        if self.things.len() > CLASSES_MAX {
            return;
        }
        match statement {
            Statement::Class { name, is_abstract, .. } => {
                let id = match self.things.get(&name.text) {
                    Some(Thing::Class(id)) => *id,
                    Some(Thing::Enumeration(_)) => return self.both(name),
                    None => self.new_class(name),
                };
                self.domain.classes[id].is_abstract |= is_abstract;
            }
            Statement::Enumeration { name } => match self.things.get(&name.text) {
                Some(Thing::Class(_)) => return self.both(name),
                Some(Thing::Enumeration(_)) => {
                    let help = self.told(self.places[&name.text]);
                    let message = format!("there are two enumerations `{}`", name.text);
                    self.error("puml::twice", name.span, message, &help);
                }
                None => {
                    let place = self.readers[self.file].place(name.span);
                    let name_text = name.text.clone();
                    let enumeration = Enumeration { name: name_text, place, values: Vec::new() };
                    let id = self.domain.enumerations.push(enumeration);
                    self.things.insert(name.text.clone(), Thing::Enumeration(id));
                    self.places.insert(name.text.clone(), (self.file, name.span));
                }
            },
            _ => return,
        }
        if self.things.len() > CLASSES_MAX
            && let Statement::Class { name, .. } | Statement::Enumeration { name } = statement
        {
            self.too_many(name.span);
        }
    }

    fn too_many(&mut self, span: Span) {
        let message = format!("more than {CLASSES_MAX} classes");
        self.error("puml::too_large", span, message, "leave out what no use case names");
    }

    fn both(&mut self, name: &Name) {
        let help = self.told(self.places[&name.text]);
        let message = format!("`{}` is a class and an enumeration", name.text);
        self.error("puml::twice", name.span, message, &help);
    }

    /// The class of a name. One that is only mentioned is a class as well, as in PlantUML.
    fn class(&mut self, name: &Name) -> Option<ClassId> {
        match self.things.get(&name.text) {
            Some(Thing::Class(id)) => Some(*id),
            Some(Thing::Enumeration(_)) => {
                let help = "give an attribute the type of the enumeration instead";
                let message = format!("`{}` is an enumeration, and no class", name.text);
                self.error("puml::type", name.span, message, help);
                None
            }
            None if self.things.len() > CLASSES_MAX => None,
            None => {
                let names = self.things.keys().map(String::as_str);
                let help = self.context.hints.help(&name.text, names);
                let help = help.unwrap_or_else(|| format!("write `class {}`", name.text));
                let message = format!("the class `{}` is not declared", name.text);
                let wrong = Diagnostic::warning("puml::undeclared", name.span, message).help(help);
                self.readers[self.file].diagnostics.push(wrong);
                let id = self.new_class(name);
                if self.things.len() > CLASSES_MAX {
                    self.too_many(name.span);
                }
                Some(id)
            }
        }
    }

    /// Second pass: who inherits from whom, and values of enumerations.
    fn inherit(&mut self, statement: &Statement) {
        match statement {
            Statement::Class { name, parents, .. } => {
                for parent in parents {
                    self.parent(parent, name);
                }
            }
            Statement::Relation(Relation::Inheritance { parent, child }) => {
                self.parent(parent, child);
            }
            Statement::Value { of, name } => {
                let Some(Thing::Enumeration(id)) = self.things.get(&of.text).copied() else {
                    return;
                };
                if self.domain.enumerations[id].values.len() == VALUES_MAX {
                    let message = format!("an enumeration with more than {VALUES_MAX} values");
                    self.error("puml::too_large", name.span, message, "use an Integer");
                } else if self.domain.enumerations[id].values.contains(&name.text) {
                    let message = format!("the value `{}` is there twice", name.text);
                    self.error("puml::twice", name.span, message, "write it once");
                } else {
                    self.domain.enumerations[id].values.push(name.text.clone());
                }
            }
            _ => {}
        }
    }

    fn parent(&mut self, parent: &Name, child: &Name) {
        let (Some(parent_id), Some(child_id)) = (self.class(parent), self.class(child)) else {
            return;
        };
        let parents = &self.domain.classes[child_id].parents;
        if parents.contains(&parent_id) {
            return;
        }
        match lineage(&self.domain, parent_id) {
            Some(lineage) if lineage.contains(&child_id) => {
                let message = format!("`{}` inherits from itself", child.text);
                let help = "drop one of the arrows";
                self.error("puml::inheritance", child.span, message, help);
            }
            Some(_) => self.domain.classes[child_id].parents.push(parent_id),
            None => self.too_deep(child.span),
        }
    }

    fn too_deep(&mut self, span: Span) {
        let message = format!("more than {ANCESTORS_MAX} ancestors of a class");
        self.error("puml::too_large", span, message, "make the hierarchy flatter");
    }

    /// Notes that a class has something under a name.
    fn feature(&mut self, class: ClassId, name: &Name) -> bool {
        let key = (class, name.text.clone());
        if let Some(earlier) = self.features.get(&key).copied() {
            let help = self.told(earlier);
            let class = &self.domain.classes[class].name;
            let message = format!("`{class}` has two features `{}`", name.text);
            self.error("puml::twice", name.span, message, &help);
            return false;
        }
        self.features.insert(key, (self.file, name.span));
        true
    }

    /// Third pass: attributes and associations.
    fn belong(&mut self, statement: &Statement) {
        match statement {
            Statement::Attribute { class, name, ty, multiplicity } => {
                let Some(id) = self.class(class) else { return };
                let number = match multiplicity {
                    None => Multiplicity::ONE,
                    Some(text) => match self::multiplicity(&text.text) {
                        Some(number) => number,
                        None => {
                            let message = format!("`{}` is no multiplicity", text.text);
                            let help = "write `1`, `0..1` or `1..*`";
                            return self.error("puml::multiplicity", text.span, message, help);
                        }
                    },
                };
                self.attribute(id, name, ty, number);
            }
            Statement::Relation(Relation::Association { ends }) => {
                let [Some(left), Some(right)] =
                    [&ends[0], &ends[1]].map(|end| self.class(&end.class))
                else {
                    return;
                };
                let classes = [left, right];
                let place = self.readers[self.file].place(ends[0].class.span);
                let association = self.domain.associations.len();
                let mut built = [0, 1].map(|at| {
                    let end = &ends[at];
                    let usual = uncapitalised(&end.class.text);
                    let name = end.role.as_ref().map_or(usual, |role| role.text.clone());
                    let number = match (end.multiplicity, end.is_navigable) {
                        (Some(number), _) => number,
                        (None, true) => Multiplicity::ONE,
                        (None, false) => Multiplicity::ANY,
                    };
                    let is_navigable = end.is_navigable;
                    End { class: classes[at], name, multiplicity: number, is_navigable }
                });
                for at in [0, 1] {
                    let origin = classes[1 - at];
                    match &ends[at].role {
                        _ if !ends[at].is_navigable => {}
                        Some(role) => {
                            if !self.feature(origin, role) {
                                built[at].is_navigable = false;
                            }
                        }
                        None => {
                            let key = (origin, built[at].name.clone());
                            self.unnamed.push((key, association, at));
                        }
                    }
                }
                self.domain.associations.push(Association { ends: built, place });
            }
            _ => {}
        }
    }

    fn attribute(&mut self, class: ClassId, name: &Name, ty: &Name, number: Multiplicity) {
        let known = TYPES.iter().find(|(spelling, _)| ty.text.eq_ignore_ascii_case(spelling));
        let known = known.map(|(_, ty)| *ty);
        let ty_of = match (self.things.get(&ty.text).copied(), known) {
            (Some(Thing::Class(to)), _) => {
                if !self.feature(class, name) {
                    return;
                }
                // An attribute whose type is a class is an association that goes one way.
                let place = self.readers[self.file].place(name.span);
                let origin = End {
                    class,
                    name: uncapitalised(&self.domain.classes[class].name),
                    multiplicity: Multiplicity::ANY,
                    is_navigable: false,
                };
                let target = End {
                    class: to,
                    name: name.text.clone(),
                    multiplicity: number,
                    is_navigable: true,
                };
                self.domain.associations.push(Association { ends: [origin, target], place });
                return;
            }
            (Some(Thing::Enumeration(id)), _) => AttributeType::Enumeration(id),
            (None, Some(ty)) => ty,
            (None, None) => {
                let help = match is_identifier(&ty.text) {
                    true => {
                        let names = ["Boolean", "Integer", "Real"].into_iter();
                        let names = names.chain(self.things.keys().map(String::as_str));
                        self.context.hints.help(&ty.text, names)
                    }
                    false => None,
                };
                let help = help.unwrap_or_else(|| {
                    "types are Boolean, Integer, Real, enumerations and classes of the model"
                        .to_owned()
                });
                let message = format!("the type `{}` is not supported", ty.text);
                self.wrong.push((class, name.text.clone()));
                return self.error("puml::type", ty.span, message, &help);
            }
        };
        if !number.is_one() {
            let help = "make a class of it, with an association";
            let message = "an attribute with several values";
            self.wrong.push((class, name.text.clone()));
            return self.error("puml::multiplicity", name.span, message, help);
        }
        if self.feature(class, name) {
            let place = self.readers[self.file].place(name.span);
            let name = name.text.clone();
            self.domain.attributes.push(Attribute { class, name, ty: ty_of, place });
        }
    }

    /// What can only be told when everything is known.
    fn finish(&mut self) {
        use punctual_model::{AssociationId, Id};
        // Ancestors that came later may have made a lineage too long.
        for class in self.domain.classes.ids() {
            if lineage(&self.domain, class).is_none() {
                let (file, span) = self.places[&self.domain.classes[class].name];
                self.file = file;
                self.too_deep(span);
                self.domain.classes[class].parents.clear();
            }
        }
        let empty = self.domain.enumerations.iter().filter(|it| it.values.is_empty());
        let empty: Vec<String> = empty.map(|it| it.name.clone()).collect();
        for name in empty {
            let (file, span) = self.places[&name];
            self.file = file;
            let message = format!("the enumeration `{name}` has no values");
            self.error("puml::empty", span, message, "write its values between braces");
        }
        // An end without a role has the name of its class, if nothing else has.
        let mut counts: FxHashMap<(ClassId, String), usize> = FxHashMap::default();
        self.unnamed.iter().for_each(|(key, ..)| *counts.entry(key.clone()).or_default() += 1);
        for (key, association, at) in std::mem::take(&mut self.unnamed) {
            let is_clear = counts[&key] == 1 && !self.features.contains_key(&key);
            let association = AssociationId::from_index(association);
            self.domain.associations[association].ends[at].is_navigable = is_clear;
        }
        // A feature of a subclass must not hide one of its ancestors.
        let mut hidden: Vec<(usize, Span, String, String)> = Vec::new();
        let mut seen: FxHashSet<(usize, Span)> = FxHashSet::default();
        for ((class, name), (file, span)) in &self.features {
            for ancestor in &self.domain.lineage(*class)[1..] {
                if self.features.contains_key(&(*ancestor, name.clone()))
                    && seen.insert((*file, *span))
                {
                    let of = self.domain.classes[*ancestor].name.clone();
                    hidden.push((*file, *span, name.clone(), of));
                }
            }
        }
        hidden.sort();
        for (file, span, name, of) in hidden {
            self.file = file;
            let message = format!("`{of}`, from which this class inherits, has `{name}`, too");
            self.error("puml::twice", span, message, "give it another name, or drop it");
        }
    }
}

/// A class and all that it inherits from; none if these are too many.
fn lineage(domain: &Domain, class: ClassId) -> Option<Vec<ClassId>> {
    let mut found = vec![class];
    let mut at = 0;
    while let Some(&next) = found.get(at) {
        for &parent in &domain.classes[next].parents {
            if !found.contains(&parent) {
                found.push(parent);
            }
            if found.len() > ANCESTORS_MAX {
                return None;
            }
        }
        at += 1;
    }
    Some(found)
}
