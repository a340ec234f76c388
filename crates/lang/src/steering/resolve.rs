//! Names of a configuration, as variables of a program.

use punctual_model::{
    VarId,
    lustre::{Program, Rational, Role, Type, Var},
};

use super::{Config, Most, Named, Prices, Window};
use crate::diagnostic::{Diagnostic, Diagnostics, closest};

/// What the names of a configuration stand for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Resolved {
    /// The inputs that may be steered, if the file says so.
    pub steer: Option<Vec<VarId>>,
    /// What is compared; all outputs if the file does not say.
    pub compare: Vec<VarId>,
    /// By how much inputs may change.
    pub windows: Vec<(VarId, Window)>,
    /// Ranges of compared variables.
    pub ranges: Vec<(VarId, (Rational, Rational))>,
    /// Weights of compared variables.
    pub weights: Vec<(VarId, Rational)>,
    /// Prices for each unit by which an input is changed.
    pub unit: Vec<(VarId, Rational)>,
    /// Prices for each change, whatever its size.
    pub fixed: Vec<(VarId, Rational)>,
    /// Prices for each change that differs from the one before.
    pub renewal: Vec<(VarId, Rational)>,
    /// By how much compared numbers may differ.
    pub within: Vec<(VarId, Rational)>,
    /// How many steps of a test each variable may be steered in.
    pub steered_steps: Vec<(VarId, Most)>,
}

impl Config {
    /// What its names stand for, and which of them stand for nothing.
    #[must_use]
    pub fn resolve(&self, program: &Program) -> (Resolved, Vec<Diagnostic>) {
        let mut diagnostics = Diagnostics::new();
        let mut names = Names { program, diagnostics: &mut diagnostics };
        let mut resolved = Resolved {
            steer: self.steer.as_ref().map(|list| names.inputs(list)),
            compare: match &self.compare {
                Some(list) => list.iter().filter_map(|it| names.computed(it)).collect(),
                None => program.outputs().collect(),
            },
            ..Resolved::default()
        };
        for (name, window) in &self.windows {
            if let Some(var) = names.input(name) {
                names.fits(name, var, *window);
                resolved.windows.push((var, *window));
            }
        }
        for (name, range) in &self.metric.ranges {
            if let Some(var) = names.any(name) {
                resolved.ranges.push((var, *range));
            }
        }
        for (name, weight) in &self.metric.weights {
            if let Some(var) = names.any(name) {
                resolved.weights.push((var, *weight));
            }
        }
        resolved.unit = names.prices(&self.policy.unit);
        resolved.fixed = names.prices(&self.policy.fixed);
        resolved.renewal = names.prices(&self.policy.renewal);
        names.prices(&self.policy.expected);
        let within = self.within.named.iter();
        resolved.within =
            within.filter_map(|(name, it)| Some((names.computed(name)?, *it))).collect();
        let steps = self.policy.steered_steps.named.iter();
        resolved.steered_steps =
            steps.filter_map(|(name, most)| Some((names.input(name)?, *most))).collect();
        (resolved, diagnostics.into_sorted())
    }
}

struct Names<'n> {
    program: &'n Program,
    diagnostics: &'n mut Diagnostics,
}

impl Names<'_> {
    fn any(&mut self, name: &Named) -> Option<VarId> {
        let var = self.program.var(&name.text);
        if var.is_none() {
            let message = format!("the model has no variable `{}`", name.text);
            let all = self.program.vars.iter().map(|it| it.name.as_str());
            let help = closest(&name.text, all).map(|it| format!("did you mean `{it}`?"));
            let error = Diagnostic::error("steer::unknown", name.span, message);
            self.diagnostics.push(error.maybe_help(help));
        }
        var
    }

    fn input(&mut self, name: &Named) -> Option<VarId> {
        let var = self.any(name)?;
        let Var { role, ty, .. } = &self.program.vars[var];
        let is_local = *role == Role::Local && !matches!(ty, Type::Enum(_));
        if *role != Role::Input && !is_local {
            let message = format!("`{}` is not an input of the model", name.text);
            let help = "inputs are steered, and locals that are numbers or truth; a tolerance file can restrict other \
                variables";
            let error = Diagnostic::error("steer::not_input", name.span, message);
            self.diagnostics.push(error.help(help));
            return None;
        }
        Some(var)
    }

    fn inputs(&mut self, names: &[Named]) -> Vec<VarId> {
        let mut vars: Vec<VarId> = Vec::new();
        for name in names {
            if let Some(var) = self.input(name)
                && !vars.contains(&var)
            {
                vars.push(var);
            }
        }
        vars
    }

    fn computed(&mut self, name: &Named) -> Option<VarId> {
        let var = self.any(name)?;
        if self.program.vars[var].role == Role::Input {
            let message = format!("`{}` is an input of the model", name.text);
            let help = "what is compared is computed by the model";
            let error = Diagnostic::error("steer::compared_input", name.span, message);
            self.diagnostics.push(error.help(help));
            return None;
        }
        Some(var)
    }

    fn prices(&mut self, prices: &Prices) -> Vec<(VarId, Rational)> {
        let of = prices.named.iter();
        of.filter_map(|(name, price)| Some((self.input(name)?, *price))).collect()
    }

    /// Ranges are for numbers.
    fn fits(&mut self, name: &Named, var: VarId, window: Window) {
        let ty = self.program.vars[var].ty;
        if matches!(window, Window::Between(..)) && !matches!(ty, Type::Int | Type::Real) {
            let message = format!("`{}` is not a number, so it has no range of changes", name.text);
            let error = Diagnostic::error("steer::window", name.span, message);
            self.diagnostics.push(error.help("write `\"free\"`, or a tolerance file"));
        }
    }
}
