//! Which of the possible values a solution has.
//!
//! In this order, each as far as what came before allows:
//! 1. links: all that may be there;
//! 2. inputs with preferred values: the first that is possible;
//! 3. state before the path: a preferred value, the value that the caller says, false, zero or the first member; then the one nearest to zero;
//! 4. what is left is such that the path needs little of the state (`weaken.rs`);
//! 5. what nothing ever changes, and so the tester sets up: like state, but for real numbers that are not preferred;
//! 6. results that are not determined: likewise;
//! 7. other inputs and these real numbers: drawn at random within their range, with a scale in whole parts. With [`Options::boundaries`] the least or the greatest possible value
//!    instead, in turn; the seed says which comes first.
//!
//! A number without a range is looked for from -1000 to 1000 first.

use std::collections::BTreeMap;

use punctual_model::{
    Value,
    usecases::{AttributeType, Slot},
};
use punctual_smc::Stream;
use punctual_solver::{Answer, Error, Objective, Term};

use super::{
    Options,
    form::{Form, Variable},
    line::Line,
    terms::{Types, constant},
    versions::nearest,
};

/// Values of all variables that matter.
pub(super) type Chosen = BTreeMap<Variable, Value>;

/// Why there are no values.
pub(super) enum Failed {
    /// The solver did not say them.
    Unknown(String),
    /// There is no solver.
    Error(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::Error(error)
    }
}

/// Chooses values, one after the other.
pub(super) struct Choosing<'l, 'a, 'o> {
    pub(super) line: &'l mut Line<'a>,
    options: &'o Options,
    pub(super) stream: Stream,
    pub(super) chosen: Chosen,
}

/// Values for the path of a line, which is known to be possible, and these variables beside. Takes back what it claims.
pub(super) fn choose(
    line: &mut Line<'_>,
    options: &Options,
    stream: Stream,
    inputs: &[Variable],
    others: &[Variable],
    claims: &[Form],
) -> Result<Chosen, Failed> {
    line.translation.push(&mut line.session);
    let mut choosing = Choosing { line, options, stream, chosen: Chosen::new() };
    let found = choosing.run(inputs, others, claims);
    let Choosing { line, chosen, .. } = choosing;
    line.translation.pop(&mut line.session);
    found.map(|()| chosen)
}

impl Choosing<'_, '_, '_> {
    fn run(
        &mut self,
        inputs: &[Variable],
        others: &[Variable],
        claims: &[Form],
    ) -> Result<(), Failed> {
        for &variable in others {
            self.quietly(variable);
        }
        for &variable in inputs {
            self.introduce(variable);
        }
        let all: Vec<Variable> = self.line.translation.variables().to_vec();
        let rank = |it: &Variable| match it {
            Variable::Link(_) => 0,
            Variable::Before(slot) if !self.is_set_up(*slot) => 1,
            Variable::Before(_) => 2,
            Variable::Given(..) if inputs.contains(it) => 4,
            Variable::Given(..) => 3,
        };
        let of =
            |n: u8| -> Vec<Variable> { all.iter().copied().filter(|it| rank(it) == n).collect() };
        let [links, state, set_up, results] = [0, 1, 2, 3].map(of);
        let links: Vec<_> = links.into_iter().map(|it| (it, vec![Value::Bool(true)])).collect();
        self.settle(&links)?;
        let preferred: Vec<_> = (inputs.iter())
            .map(|it| (*it, self.preferred(*it)))
            .filter(|(_, values)| !values.is_empty())
            .collect();
        self.settle(&preferred)?;
        self.calm(&state)?;
        self.weaken(claims)?;
        let is_drawn = |it: &Variable| {
            let is_real = self.slot(*it).is_some_and(|(_, ty)| ty == AttributeType::Real);
            is_real && self.preferred(*it).is_empty()
        };
        let (drawn, set_up): (Vec<Variable>, Vec<Variable>) =
            set_up.into_iter().partition(is_drawn);
        self.calm(&set_up)?;
        self.calm(&results)?;
        let mut open: Vec<Variable> = Vec::new();
        for input in inputs.iter().chain(&drawn) {
            if !self.chosen.contains_key(input) && !open.contains(input) {
                open.push(*input);
            }
        }
        if self.options.boundaries {
            for (index, input) in open.iter().enumerate() {
                let is_least = (index as u64 + self.options.seed).is_multiple_of(2);
                self.extreme(*input, is_least)?;
            }
        }
        open.retain(|it| !self.chosen.contains_key(it));
        for input in self.draw_together(open)? {
            self.draw_alone(input)?;
        }
        self.take_rest(&all)
    }

    /// Gives variables the values that they would have if nothing asked for others.
    fn calm(&mut self, variables: &[Variable]) -> Result<(), Failed> {
        let wishes: Vec<_> = variables.iter().map(|it| (*it, self.quiet(*it))).collect();
        for variable in self.settle(&wishes)? {
            self.nearest_to_zero(variable)?;
        }
        Ok(())
    }

    /// Whether nothing ever changes a slot: no automaton keeps it, and no sentence makes it so. The tester sets it up then.
    pub(super) fn is_set_up(&self, slot: Slot) -> bool {
        let class = self.line.objects.objects[slot.object].class;
        let lineage = self.line.cases.domain.lineage(class);
        let is_kept =
            lineage.iter().any(|it| self.options.initial.contains_key(&(*it, slot.attribute)));
        !is_kept && !self.line.changed.contains(&slot.attribute)
    }

    /// Makes a variable known to the solver, with its range.
    fn introduce(&mut self, variable: Variable) {
        let line = &mut *self.line;
        if line.translation.known(variable).is_some() {
            return;
        }
        let types = Types { cases: line.cases, objects: &line.objects };
        line.translation.symbol(&mut line.session, &types, variable);
        if let Variable::Before(slot) | Variable::Given(_, slot) = variable {
            let mut forms = std::mem::take(&mut line.forms);
            let form = forms.variable(variable);
            let stated = line.scene(false).range(&mut forms, slot, form, None);
            line.forms = forms;
            line.state(stated.as_slice());
        }
    }

    /// Gives a value to a variable that nothing is claimed of, if that is simple.
    fn quietly(&mut self, variable: Variable) {
        if self.line.translation.known(variable).is_some() {
            return;
        }
        let Some((slot, _)) = self.slot(variable) else { return };
        let range = self.range(slot);
        let is_within = |value: &Value| range.is_none_or(|(a, b)| a <= *value && *value <= b);
        let class = self.line.objects.objects[slot.object].class;
        let scale = nearest(self.line.cases, class, slot.attribute, |it| it.scale);
        match self.quiet(variable).into_iter().find(is_within) {
            Some(value) if scale.is_none() || value == Value::Real(0.into()) => {
                self.chosen.insert(variable, value);
            }
            _ => self.introduce(variable),
        }
    }

    pub(super) fn equal(&mut self, variable: Variable, value: Value) -> Option<Term> {
        let term = self.line.translation.known(variable)?.term;
        let terms = self.line.session.terms();
        let value = terms.value(constant(value));
        (terms.sort(term) == terms.sort(value)).then(|| terms.eq(term, value))
    }

    pub(super) fn is_possible(&mut self, assumed: &[Term]) -> Result<bool, Failed> {
        Ok(self.line.session.check_assuming(assumed)? == Answer::Sat)
    }

    pub(super) fn fix(&mut self, variable: Variable, value: Value) {
        if let Some(equal) = self.equal(variable, value) {
            self.line.session.assert(equal);
            self.chosen.insert(variable, value);
        }
    }

    /// Gives variables the first of their values that is possible: those for which none is.
    pub(super) fn settle(
        &mut self,
        wishes: &[(Variable, Vec<Value>)],
    ) -> Result<Vec<Variable>, Failed> {
        let open = wishes.iter().filter(|(it, _)| !self.chosen.contains_key(it));
        let open: Vec<(Variable, Vec<Value>)> = open.cloned().collect();
        let mut left = Vec::new();
        self.settle_part(&open, &mut left)?;
        Ok(left)
    }

    /// Mostly, all first values are possible together. If not, those of one half go first.
    fn settle_part(
        &mut self,
        wishes: &[(Variable, Vec<Value>)],
        left: &mut Vec<Variable>,
    ) -> Result<(), Failed> {
        if let [(variable, values)] = wishes {
            for value in values {
                if let Some(equal) = self.equal(*variable, *value)
                    && self.is_possible(&[equal])?
                {
                    self.fix(*variable, *value);
                    return Ok(());
                }
            }
            left.push(*variable);
            return Ok(());
        }
        let mut first = Vec::new();
        for (variable, values) in wishes {
            first.extend(values.first().and_then(|value| self.equal(*variable, *value)));
        }
        if first.len() == wishes.len() && self.is_possible(&first)? {
            for (variable, values) in wishes {
                self.fix(*variable, values[0]);
            }
            return Ok(());
        }
        let (some, others) = wishes.split_at(wishes.len() / 2);
        self.settle_part(some, left)?;
        self.settle_part(others, left)
    }

    pub(super) fn slot(&self, variable: Variable) -> Option<(Slot, AttributeType)> {
        match variable {
            Variable::Link(_) => None,
            Variable::Before(slot) | Variable::Given(_, slot) => {
                Some((slot, self.line.cases.domain.attributes[slot.attribute].ty))
            }
        }
    }

    pub(super) fn members(&self, ty: AttributeType) -> u32 {
        match ty {
            AttributeType::Enumeration(id) => {
                self.line.cases.domain.enumerations[id].values.len() as u32
            }
            _ => 0,
        }
    }

    fn preferred(&self, variable: Variable) -> Vec<Value> {
        let Some((slot, _)) = self.slot(variable) else { return Vec::new() };
        let class = self.line.objects.objects[slot.object].class;
        let say = |it: &punctual_model::usecases::AttributeSettings| {
            Some(it.preferred.clone()).filter(|it| !it.is_empty())
        };
        nearest(self.line.cases, class, slot.attribute, say).unwrap_or_default()
    }

    /// What a value that nobody gives should be, the best first.
    fn quiet(&self, variable: Variable) -> Vec<Value> {
        let Some((slot, ty)) = self.slot(variable) else { return Vec::new() };
        let class = self.line.objects.objects[slot.object].class;
        let mut wishes = self.preferred(variable);
        let lineage = self.line.cases.domain.lineage(class);
        let said = lineage.iter().find_map(|it| self.options.initial.get(&(*it, slot.attribute)));
        wishes.extend(said);
        match ty {
            AttributeType::Boolean => wishes.extend([Value::Bool(false), Value::Bool(true)]),
            AttributeType::Integer => wishes.push(Value::Int(0)),
            AttributeType::Real => wishes.push(Value::Real(0.into())),
            AttributeType::Enumeration(_) => wishes.extend((0..self.members(ty)).map(Value::Enum)),
        }
        wishes
    }

    /// The least distance of a whole number from zero. Of a real number there may be none: it is left open.
    fn nearest_to_zero(&mut self, variable: Variable) -> Result<(), Failed> {
        let Some(symbol) = self.line.translation.known(variable) else { return Ok(()) };
        let terms = self.line.session.terms();
        if terms.sort(symbol.chosen) != punctual_solver::Sort::Int {
            return Ok(());
        }
        let distance = terms.abs(symbol.chosen);
        let objective = Objective::new(distance).at_least(0);
        let (answer, _, values) = self.line.session.minimise(&[objective], &[symbol.term])?;
        if answer == Answer::Sat
            && let Some(value) = values.first().and_then(|it| symbol.value(*it))
        {
            self.fix(variable, value);
        }
        Ok(())
    }

    /// What is still open gets the values that the solver has.
    fn take_rest(&mut self, all: &[Variable]) -> Result<(), Failed> {
        let open: Vec<Variable> =
            all.iter().copied().filter(|it| !self.chosen.contains_key(it)).collect();
        let unknown = |reason: String| Failed::Unknown(reason);
        match self.line.session.check()? {
            Answer::Sat => {}
            Answer::Unsat => return Err(unknown("the solver contradicts itself".to_owned())),
            Answer::Unknown(reason) => return Err(unknown(reason.to_string())),
        }
        let symbols: Vec<_> =
            open.iter().filter_map(|it| self.line.translation.known(*it)).collect();
        let terms: Vec<Term> = symbols.iter().map(|it| it.term).collect();
        let values = match self.line.session.values(&terms) {
            Ok(values) => values,
            Err(Error::Lost(reason)) => return Err(unknown(reason.to_string())),
            Err(error) => return Err(Failed::Error(error)),
        };
        for ((variable, symbol), solved) in open.iter().zip(&symbols).zip(values) {
            let value = symbol.value(solved);
            let value = value.ok_or_else(|| unknown("a number does not fit".to_owned()))?;
            self.chosen.insert(*variable, value);
        }
        Ok(())
    }
}
