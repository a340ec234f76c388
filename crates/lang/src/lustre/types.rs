//! Types after names are resolved.
//!
//! The same type has the same [`Ty`]. A value of any type is a row of scalars; [`Types::scalars`]
//! says which.

use punctual_model::{EnumId, IdVec, lustre};
use rustc_hash::FxHashMap;

use super::ast::{Names, Symbol};

/// A type of a [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Ty(u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Bool,
    Int,
    Real,
    Subrange(i64, i64),
    Machine {
        bits: u8,
        signed: bool,
    },
    Enum(EnumId),
    /// The name it was declared with, and its fields.
    Record(Symbol, Vec<(Symbol, Ty)>),
    Array(Ty, u32),
    Tuple(Vec<Ty>),
    /// Something was wrong, and was reported.
    Wrong,
}

impl Ty {
    pub(super) const BOOL: Ty = Ty(0);
    pub(super) const INT: Ty = Ty(1);
    pub(super) const REAL: Ty = Ty(2);
    pub(super) const WRONG: Ty = Ty(3);
}

/// A part of a composite, or the whole of a scalar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Scalar {
    /// What stands behind the name of the whole: `.field`, `[2]`.
    pub(super) suffix: String,
    pub(super) ty: lustre::Type,
    pub(super) range: Option<(i64, i64)>,
}

#[derive(Debug)]
pub(super) struct Types {
    kinds: Vec<Kind>,
    sizes: Vec<usize>,
    known: FxHashMap<Kind, Ty>,
    pub(super) enums: IdVec<EnumId, lustre::Enumeration>,
}

/// How many scalars a value may have.
pub(super) const SCALARS_MAX: usize = 1 << 12;

impl Types {
    pub(super) fn new() -> Self {
        let mut types = Self {
            kinds: Vec::new(),
            sizes: Vec::new(),
            known: FxHashMap::default(),
            enums: IdVec::new(),
        };
        let first = [Kind::Bool, Kind::Int, Kind::Real, Kind::Wrong].map(|kind| types.add(kind));
        debug_assert_eq!(first, [Ty::BOOL, Ty::INT, Ty::REAL, Ty::WRONG]);
        types
    }

    pub(super) fn add(&mut self, kind: Kind) -> Ty {
        if let Some(ty) = self.known.get(&kind) {
            return *ty;
        }
        let ty = Ty(self.kinds.len() as u32);
        let size = match &kind {
            Kind::Record(_, fields) => fields.iter().map(|(_, ty)| self.size(*ty)).sum(),
            Kind::Tuple(parts) => parts.iter().map(|ty| self.size(*ty)).sum(),
            Kind::Array(element, n) => self.size(*element).saturating_mul(*n as usize),
            _ => 1,
        };
        self.sizes.push(size);
        self.kinds.push(kind.clone());
        self.known.insert(kind, ty);
        ty
    }

    pub(super) fn kind(&self, ty: Ty) -> &Kind {
        &self.kinds[ty.0 as usize]
    }

    /// How many scalars a value has.
    pub(super) fn size(&self, ty: Ty) -> usize {
        self.sizes[ty.0 as usize]
    }

    /// The type that operators see: a subrange is a range of `int`.
    pub(super) fn plain(&mut self, ty: Ty) -> Ty {
        match self.kind(ty) {
            Kind::Subrange(..) => Ty::INT,
            Kind::Array(element, n) => {
                let (element, n) = (*element, *n);
                let element = self.plain(element);
                self.add(Kind::Array(element, n))
            }
            Kind::Tuple(parts) => {
                let parts = parts.clone().into_iter().map(|part| self.plain(part)).collect();
                self.add(Kind::Tuple(parts))
            }
            _ => ty,
        }
    }

    /// The scalars of a value, in order.
    pub(super) fn scalars(&self, ty: Ty, names: &Names) -> Vec<Scalar> {
        let mut scalars = Vec::with_capacity(self.size(ty));
        self.collect(ty, names, &mut String::new(), &mut scalars);
        scalars
    }

    fn collect(&self, ty: Ty, names: &Names, suffix: &mut String, into: &mut Vec<Scalar>) {
        let length = suffix.len();
        let (ty, range) = match self.kind(ty) {
            Kind::Bool => (lustre::Type::Bool, None),
            Kind::Int | Kind::Wrong => (lustre::Type::Int, None),
            Kind::Real => (lustre::Type::Real, None),
            Kind::Subrange(low, high) => (lustre::Type::Int, Some((*low, *high))),
            Kind::Machine { bits, signed } => {
                (lustre::Type::Int, Some(machine_range(*bits, *signed)))
            }
            Kind::Enum(id) => (lustre::Type::Enum(*id), None),
            Kind::Record(_, fields) => {
                for (field, ty) in fields {
                    *suffix += ".";
                    *suffix += names.text(*field);
                    self.collect(*ty, names, suffix, into);
                    suffix.truncate(length);
                }
                return;
            }
            Kind::Array(element, n) => {
                for i in 0..*n {
                    *suffix += &format!("[{i}]");
                    self.collect(*element, names, suffix, into);
                    suffix.truncate(length);
                }
                return;
            }
            Kind::Tuple(parts) => {
                for (i, ty) in parts.iter().enumerate() {
                    *suffix += &format!("[{i}]");
                    self.collect(*ty, names, suffix, into);
                    suffix.truncate(length);
                }
                return;
            }
        };
        into.push(Scalar { suffix: suffix.clone(), ty, range });
    }

    /// As people write it.
    pub(super) fn text(&self, ty: Ty, names: &Names) -> String {
        match self.kind(ty) {
            Kind::Bool => "bool".to_owned(),
            Kind::Int => "int".to_owned(),
            Kind::Real => "real".to_owned(),
            Kind::Wrong => "?".to_owned(),
            Kind::Subrange(low, high) => format!("subrange [{low}, {high}] of int"),
            Kind::Machine { bits, signed: true } => format!("int{bits}"),
            Kind::Machine { bits, signed: false } => format!("uint{bits}"),
            Kind::Enum(id) => self.enums[*id].name.clone(),
            Kind::Record(name, _) => names.text(*name).to_owned(),
            Kind::Array(element, n) => format!("{}^{n}", self.text(*element, names)),
            Kind::Tuple(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.text(*part, names)).collect();
                format!("({})", parts.join(", "))
            }
        }
    }
}

/// The least and the greatest machine integer; those beyond 64 bits can not be told apart.
fn machine_range(bits: u8, signed: bool) -> (i64, i64) {
    match (bits, signed) {
        (64, true) => (i64::MIN, i64::MAX),
        (64, false) => (0, i64::MAX),
        (_, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (_, false) => (0, (1 << bits) - 1),
    }
}
