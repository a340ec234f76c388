//! Typed ids and the vectors that mint them.

use std::{fmt, marker::PhantomData, ops};

/// What can index an [`IdVec`].
pub trait Id: Copy + Eq + Ord {
    /// The id of the element at this position. Meant for [`IdVec`] and for deserialising.
    fn from_index(index: usize) -> Self;
    /// The position of the element in its table.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(u32);

        impl Id for $name {
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 elements"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A process of a network, in the order of the system line.
    ProcessId;
    /// A location of one process.
    LocationId;
    /// An edge of one process.
    EdgeId;
    /// A clock of a network.
    ClockId;
    /// A declared variable (scalar or composite) of a network.
    VariableId;
    /// A channel of a network; every element of a channel array is one.
    ChannelId;
    /// An event of a network that synchronises by vectors.
    EventId;
    /// A function of a network, specialised for its process and its reference arguments.
    FunctionId;
    /// A signal of the interface of a system under test.
    SignalId;
    /// A port of the interface of a system under test.
    PortId;
    /// A scalar of a synchronous program.
    VarId;
    /// An expression of a synchronous program.
    ExprId;
    /// A value that a synchronous program remembers.
    MemoryId;
    /// An enumeration of a synchronous program.
    EnumId;
    /// A use case of a folder.
    UseCaseId;
    /// A flow of one use case; the first is the basic flow.
    FlowId;
    /// A step of one flow.
    StepId;
    /// A sentence of the use cases of a folder.
    SentenceId;
    /// A class of a domain model.
    ClassId;
    /// An enumeration of a domain model.
    EnumerationId;
    /// An attribute of a class of a domain model.
    AttributeId;
    /// An association of a domain model.
    AssociationId;
    /// An object of one diagram.
    ObjectId;
    /// A scenario of the use cases of a folder.
    ScenarioId;
    /// A constraint over a domain model.
    ConstraintId;
    /// An expression of one constraint.
    OclId;
    /// A variable of an iterator in one constraint.
    BinderId;
}

/// A vector indexed by ids of one kind.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }

    /// Adds an element and mints its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// The id that the next [`push`](Self::push) will mint.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Removes the newest elements, so that this many are left. Their ids must be forgotten.
    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    /// The elements in the order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The elements in the order of their ids, to change.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The elements with their ids.
    pub fn enumerate(&self) -> impl ExactSizeIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, item)| (I::from_index(i), item))
    }

    /// All ids.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// The element of an id that may come from elsewhere, such as a file.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<I: Id, T> ops::Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> ops::IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self { items: items.into_iter().collect(), id: PhantomData }
    }
}

impl<'a, I, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

#[cfg(feature = "serde")]
impl<I, T: serde::Serialize> serde::Serialize for IdVec<I, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.items.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, I, T: serde::Deserialize<'de>> serde::Deserialize<'de> for IdVec<I, T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { items: Vec::deserialize(deserializer)?, id: PhantomData })
    }
}
