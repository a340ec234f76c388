//! Words of a text and names of a domain model.

use punctual_model::{
    ClassId,
    usecases::{Domain, EndRef, Feature, Named},
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A class may have at most so many ancestors.
pub(super) const ANCESTORS_MAX: usize = 100;

/// Words without articles before them, without spaces and in small letters: what names are compared by.
pub(super) fn normal(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let articles = ["the", "a", "an", "each", "every", "all"];
    let words = words.skip_while(|word| articles.iter().any(|it| word.eq_ignore_ascii_case(it)));
    words.flat_map(|word| word.chars().flat_map(char::to_lowercase)).collect()
}

/// Whether a word is written as names of classes are: a capital letter behind a small one.
pub(super) fn is_camel_case(word: &str) -> bool {
    let mut chars = word.chars();
    let is_word = word.chars().all(char::is_alphanumeric);
    is_word && chars.next().is_some_and(char::is_uppercase) && {
        let mut was_small = false;
        chars.any(|c| {
            let is_name = was_small && c.is_uppercase();
            was_small = c.is_lowercase();
            is_name
        })
    }
}

/// The names of a domain model.
pub(super) struct Lexicon {
    classes: FxHashMap<String, ClassId>,
    features: FxHashMap<(ClassId, String), Feature>,
    /// Each class with all that it inherits from.
    lineages: Vec<Vec<ClassId>>,
    /// What names mean that are compared by their normal form.
    meanings: FxHashMap<String, Vec<Named>>,
    /// The normal forms of values of enumerations.
    values: FxHashSet<String>,
    /// What the text says, and what is meant, by normal form.
    corrections: FxHashMap<String, String>,
    /// Attributes that the domain model would have if nothing were wrong with them.
    wrong: FxHashSet<(ClassId, String)>,
}

impl Lexicon {
    pub(super) fn new(domain: &Domain, wrong: Vec<(ClassId, String)>) -> Self {
        use punctual_model::Id;
        let mut lexicon = Self {
            classes: FxHashMap::default(),
            features: FxHashMap::default(),
            lineages: domain.classes.ids().map(|it| domain.lineage(it)).collect(),
            meanings: FxHashMap::default(),
            values: FxHashSet::default(),
            corrections: FxHashMap::default(),
            wrong: wrong.into_iter().collect(),
        };
        let mut mean = |name: &str, named: Named| {
            lexicon.meanings.entry(normal(name)).or_default().push(named);
        };
        for (id, class) in domain.classes.enumerate() {
            mean(&class.name, Named::Class(id));
            lexicon.classes.insert(class.name.clone(), id);
        }
        for (id, enumeration) in domain.enumerations.enumerate() {
            mean(&enumeration.name, Named::Enumeration(id));
            lexicon.values.extend(enumeration.values.iter().map(|it| normal(it)));
        }
        for (id, attribute) in domain.attributes.enumerate() {
            let feature = Feature::Attribute(id);
            mean(&attribute.name, Named::Feature(feature));
            lexicon.features.entry((attribute.class, attribute.name.clone())).or_insert(feature);
        }
        // The name of a class with a small first letter names an end without a name of its own.
        let mut by_class: Vec<((ClassId, String), Feature)> = Vec::new();
        for (association, it) in domain.associations.enumerate() {
            for end in [0, 1] {
                let at = EndRef { association, end };
                let here = &it.ends[usize::from(end)];
                if !here.is_navigable {
                    continue;
                }
                let origin = domain.origin(at);
                mean(&here.name, Named::Feature(Feature::End(at)));
                let key = (origin, here.name.clone());
                lexicon.features.entry(key).or_insert(Feature::End(at));
                let usual = uncapitalised(&domain.classes[here.class].name);
                by_class.push(((origin, usual), Feature::End(at)));
            }
        }
        let mut counts: FxHashMap<(ClassId, String), usize> = FxHashMap::default();
        by_class.iter().for_each(|(key, _)| *counts.entry(key.clone()).or_default() += 1);
        for (key, feature) in by_class {
            if counts[&key] == 1 {
                lexicon.features.entry(key).or_insert(feature);
            }
        }
        debug_assert!(domain.classes.ids().all(|it| it.index() < lexicon.lineages.len()));
        lexicon
    }

    /// Takes another name for something.
    pub(super) fn correct(&mut self, said: &str, meant: &str) {
        self.corrections.insert(normal(said), normal(meant));
    }

    /// The class of this name, exactly.
    pub(super) fn class(&self, name: &str) -> Option<ClassId> {
        self.classes.get(name).copied()
    }

    /// The class that a name means, exactly or as the settings correct it.
    pub(super) fn class_meant(&self, name: &str, domain: &Domain) -> Option<ClassId> {
        let corrected = || {
            let meant = self.corrections.get(&normal(name))?;
            domain.classes.enumerate().find(|(_, it)| normal(&it.name) == *meant).map(|it| it.0)
        };
        self.class(name).or_else(corrected)
    }

    /// The names of all classes, in no order.
    pub(super) fn class_names(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(String::as_str)
    }

    /// What objects of a class have under a name, exactly.
    pub(super) fn feature(&self, class: ClassId, name: &str) -> Option<Feature> {
        use punctual_model::Id;
        let lineage = self.lineages.get(class.index())?;
        lineage.iter().find_map(|it| self.features.get(&(*it, name.to_owned())).copied())
    }

    /// Whether a class lacks something of this name only because its declaration is wrong, which was told there.
    pub(super) fn is_wrong(&self, class: ClassId, name: &str) -> bool {
        use punctual_model::Id;
        let lineage = self.lineages.get(class.index()).map_or(&[][..], Vec::as_slice);
        lineage.iter().any(|it| self.wrong.contains(&(*it, name.to_owned())))
    }

    /// Whether every object of the first class is one of the second.
    pub(super) fn conforms(&self, class: ClassId, to: ClassId) -> bool {
        use punctual_model::Id;
        self.lineages.get(class.index()).is_some_and(|it| it.contains(&to))
    }

    /// What words may mean, what belongs to this class first.
    pub(super) fn meanings(
        &self,
        text: &str,
        owner: Option<ClassId>,
        domain: &Domain,
    ) -> Vec<Named> {
        let mut key = normal(text);
        if let Some(meant) = self.corrections.get(&key) {
            key.clone_from(meant);
        }
        let found = self.meanings.get(&key);
        let found = found.or_else(|| self.meanings.get(key.strip_suffix('s')?));
        let mut found = found.cloned().unwrap_or_default();
        let is_own = |named: &Named| match (named, owner) {
            (Named::Feature(feature), Some(owner)) => {
                let of = match feature {
                    Feature::Attribute(id) => domain.attributes[*id].class,
                    Feature::End(at) => domain.origin(*at),
                };
                self.conforms(owner, of)
            }
            _ => false,
        };
        found.sort_by_key(|named| !is_own(named));
        found
    }

    /// Whether the domain model knows a word, be it the value of an enumeration.
    pub(super) fn knows(&self, text: &str) -> bool {
        let key = normal(text);
        let key = self.corrections.get(&key).unwrap_or(&key);
        let is_known = |key: &str| self.meanings.contains_key(key) || self.values.contains(key);
        is_known(key) || key.strip_suffix('s').is_some_and(is_known)
    }
}

/// A name with a small first letter.
pub(super) fn uncapitalised(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_camel_case, normal};

    #[test]
    fn names_are_compared_without_articles_and_spaces() {
        assert_eq!(normal("the Seat sensor"), normal("SeatSensor"));
        assert_ne!(normal("the seat"), normal("SeatSensor"));
    }

    #[test]
    fn names_of_classes_have_a_capital_letter_inside() {
        assert!(is_camel_case("SeatSensor") && is_camel_case("DMAInterruptError"));
        assert!(!is_camel_case("Seat") && !is_camel_case("ABORT") && !is_camel_case("isDetected"));
    }
}
