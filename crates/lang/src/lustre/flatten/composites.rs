//! Arrays and records, as rows of scalars.

use punctual_model::{
    ExprId,
    lustre::{BinaryOp, Expr, UnaryOp, Value},
};

use super::{Flattener, Frame, Row, clocks::ClockId};
use crate::lustre::{
    ast::{Ex, Ident},
    types::Kind,
};

impl Flattener<'_, '_> {
    /// Whether two rows are equal.
    pub(super) fn equal(&mut self, left: &[ExprId], right: &[ExprId]) -> ExprId {
        let mut result = None;
        for (a, b) in left.iter().zip(right) {
            let same = self.builder.binary(BinaryOp::Eq, *a, *b);
            result = Some(match result {
                Some(before) => self.builder.binary(BinaryOp::And, before, same),
                None => same,
            });
        }
        result.unwrap_or_else(|| self.builder.truth(true))
    }

    pub(super) fn different(&mut self, left: &[ExprId], right: &[ExprId]) -> ExprId {
        match (left, right) {
            ([a], [b]) => self.builder.binary(BinaryOp::Ne, *a, *b),
            _ => {
                let equal = self.equal(left, right);
                self.builder.unary(UnaryOp::Not, equal)
            }
        }
    }

    fn known_index(&self, index: ExprId) -> Option<i64> {
        match self.builder.exprs[index] {
            Expr::Constant(Value::Int(it)) => Some(it),
            _ => None,
        }
    }

    fn no_element(&mut self, ex: Ex, n: usize) {
        let message = format!("this array has the elements 0 to {}", n.saturating_sub(1));
        self.error("lustre::index", self.checked.ast.span(ex), message);
    }

    /// `a[i]`. An index that is too large or negative gives the last element.
    pub(super) fn index(&mut self, frame: &mut Frame, clock: ClockId, array: Ex, index: Ex) -> Row {
        let row = self.row(frame, clock, array);
        let at = self.scalar(frame, clock, index);
        let n = match self.checked.types.kind(self.checked.ty(array)) {
            Kind::Array(_, n) => *n as usize,
            _ => return row,
        };
        let size = row.len() / n.max(1);
        if let Some(known) = self.known_index(at) {
            let Some(place) = usize::try_from(known).ok().filter(|place| *place < n) else {
                self.no_element(index, n);
                return row[..size].to_vec();
            };
            return row[place * size..(place + 1) * size].to_vec();
        }
        let mut result = row[(n - 1) * size..].to_vec();
        for place in (0..n - 1).rev() {
            let number = self.builder.constant(Value::Int(place as i64));
            let here = self.builder.binary(BinaryOp::Eq, at, number);
            for (part, element) in result.iter_mut().zip(&row[place * size..]) {
                *part = self.builder.if_else(here, *element, *part);
            }
        }
        result
    }

    /// `a[i := e]`. An index that is too large or negative changes nothing.
    pub(super) fn update_index(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        (array, index, value): (Ex, Ex, Ex),
    ) -> Row {
        let mut row = self.row(frame, clock, array);
        let at = self.scalar(frame, clock, index);
        let value = self.row(frame, clock, value);
        let size = value.len();
        let n = row.len() / size.max(1);
        if let Some(known) = self.known_index(at) {
            match usize::try_from(known).ok().filter(|place| *place < n) {
                Some(place) => row[place * size..(place + 1) * size].copy_from_slice(&value),
                None => self.no_element(index, n),
            }
            return row;
        }
        for place in 0..n {
            let number = self.builder.constant(Value::Int(place as i64));
            let here = self.builder.binary(BinaryOp::Eq, at, number);
            for (part, new) in row[place * size..].iter_mut().zip(&value) {
                *part = self.builder.if_else(here, *new, *part);
            }
        }
        row
    }

    pub(super) fn record(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        ex: Ex,
        fields: &[(Ident, Ex)],
    ) -> Row {
        let ty = self.checked.ty(ex);
        let Kind::Record(_, order) = self.checked.types.kind(ty).clone() else {
            return self.filler(ty);
        };
        let mut row = Row::new();
        for (name, field_ty) in order {
            match fields.iter().find(|field| field.0.name == name) {
                Some(field) => row.extend(self.row(frame, clock, field.1)),
                None => row.extend(self.filler(field_ty)),
            }
        }
        row
    }

    pub(super) fn field(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        record: Ex,
        field: Ident,
    ) -> Row {
        let row = self.row(frame, clock, record);
        match self.checked.field_place(self.checked.ty(record), field.name) {
            Some((start, ty)) => row[start..start + self.checked.types.size(ty)].to_vec(),
            None => row,
        }
    }

    pub(super) fn update_field(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        (record, field, value): (Ex, Ident, Ex),
    ) -> Row {
        let mut row = self.row(frame, clock, record);
        let value = self.row(frame, clock, value);
        if let Some((start, _)) = self.checked.field_place(self.checked.ty(record), field.name) {
            row[start..start + value.len()].copy_from_slice(&value);
        }
        row
    }
}
