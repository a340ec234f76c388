//! A model, its variants and how it is steered: what `experiments/steering/*` says.

use std::collections::BTreeMap;
use std::path::Path;

use punctual_lang::diagnostic::{Style, render};
use punctual_lang::{Input, lustre};
use punctual_model::VarId;
use punctual_model::lustre::{Program, Rational, Tolerances};
use punctual_oracle::steering::{
    Distance, Filter, Kind, Limits, LookAhead, Oracle, Policy, Price, Scale, Setup, Unheld,
};
use punctual_semantics::lustre::Reals;
use punctual_solver::Solver;
use serde::Deserialize;

/// How much may be steered, from little to all (section 5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Strict,
    Medium,
    Minimal,
    None,
}

impl Level {
    pub(super) const ALL: [(&'static str, Level); 4] = [
        ("strict", Level::Strict),
        ("medium", Level::Medium),
        ("minimal", Level::Minimal),
        ("none", Level::None),
    ];
}

/// A case example.
pub(super) struct System {
    pub(super) name: &'static str,
    pub(super) oracle: Program,
    pub(super) variants: Vec<Variant>,
    /// Where a filter accepts a difference; everything if there is no such file.
    pub(super) filter: Tolerances,
    /// How each input is drawn, in the order of the model; none if its tests are made by a module of their own.
    pub(super) drawn: Vec<Drawn>,
    described: Described,
    solver: Solver,
}

/// The oracle with another timing.
pub(super) struct Variant {
    pub(super) name: String,
    pub(super) program: Program,
    pub(super) delay: Delay,
}

/// How late a variant is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Delay {
    /// The least delay; what is early is negative.
    #[serde(default)]
    pub(super) min: i64,
    pub(super) max: i64,
    /// What the strict tolerances allow.
    #[serde(default)]
    pub(super) tolerated_min: i64,
    pub(super) tolerated: i64,
    /// Whether each step has a delay of its own, up to that of the test.
    #[serde(default)]
    pub(super) varies: bool,
    /// Whether the delay grows from none to that of the test.
    #[serde(default)]
    pub(super) drifts: bool,
}

/// How an input of a test is drawn.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Drawn {
    /// True so often in each step.
    Percent { percent: i64 },
    /// The same number in all steps of a test.
    Constant { from: i64, to: i64 },
    /// A number that changes by a little from step to step.
    Walk { walk: [i64; 2], by: i64 },
}

/// What all changes of a test may be at most; nothing is limited of which nothing is said.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    pub(super) cost: Option<Rational>,
    pub(super) steps: Option<u32>,
    pub(super) steps_of: BTreeMap<VarId, u32>,
    pub(super) unheld: Unheld,
}

/// What steering may change.
#[derive(Clone)]
pub(super) struct Tolerance {
    pub(super) steerable: Vec<VarId>,
    pub(super) conditions: Tolerances,
}

/// `system.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    variant: BTreeMap<String, DescribedVariant>,
    tolerance: BTreeMap<String, BTreeMap<String, String>>,
    width: BTreeMap<String, i64>,
    #[serde(default)]
    draw: BTreeMap<String, Drawn>,
    more: Option<More>,
    #[serde(default)]
    count: BTreeMap<String, i64>,
    #[serde(default)]
    price: BTreeMap<String, DescribedPrice>,
    /// What all changes of a test may cost.
    budget: Option<i64>,
}

/// One more output.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct More {
    replace: Vec<[String; 2]>,
    /// What the filter asks of it.
    filter: String,
}

/// `apart.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Apart {
    variant: BTreeMap<String, DescribedVariant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribedVariant {
    #[serde(rename = "about")]
    _about: String,
    delay: Delay,
    replace: Vec<[String; 2]>,
}

/// What a change costs: of each unit, and of changing at all.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct DescribedPrice {
    unit: i64,
    #[serde(default)]
    fixed: i64,
}

impl System {
    /// Reads the files of a folder, with the variants of `apart.toml` instead of its own if there is such a file.
    pub(super) fn read_apart(folder: &Path, name: &'static str) -> Result<System, String> {
        let path = folder.join(name).join("apart.toml");
        match std::fs::read_to_string(&path) {
            Err(_) => System::read(folder, name),
            Ok(text) => {
                let apart: Apart = toml::from_str(&text)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                System::read_with(folder, name, Some(apart.variant))
            }
        }
    }

    /// Reads the files of a folder.
    pub(super) fn read(folder: &Path, name: &'static str) -> Result<System, String> {
        System::read_with(folder, name, None)
    }

    /// Reads the files of a folder with one more output, as its table `[more]` says (section 6.3).
    pub(super) fn read_more(folder: &Path, name: &'static str) -> Result<System, String> {
        System::read_of(folder, name, None, true)
    }

    fn read_with(
        folder: &Path,
        name: &'static str,
        instead: Option<BTreeMap<String, DescribedVariant>>,
    ) -> Result<System, String> {
        System::read_of(folder, name, instead, false)
    }

    fn read_of(
        folder: &Path,
        name: &'static str,
        instead: Option<BTreeMap<String, DescribedVariant>>,
        has_more: bool,
    ) -> Result<System, String> {
        let folder = folder.join(name);
        let file = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let mut text = file("oracle.lus")?;
        let described: Described =
            toml::from_str(&file("system.toml")?).map_err(|error| format!("{name}: {error}"))?;
        let more = described.more.as_ref().filter(|_| has_more);
        for [this, by] in more.iter().flat_map(|more| &more.replace) {
            if text.matches(this.as_str()).count() != 1 {
                return Err(format!("{name}: `{this}` must occur once"));
            }
            text = text.replacen(this.as_str(), by, 1);
        }
        let oracle = program(name, &text)?;
        let mut variants = Vec::new();
        for (variant, described) in instead.as_ref().unwrap_or(&described.variant) {
            let mut changed = text.clone();
            for [this, by] in &described.replace {
                if changed.matches(this.as_str()).count() != 1 {
                    return Err(format!("{name}/{variant}: `{this}` must occur once"));
                }
                changed = changed.replacen(this.as_str(), by, 1);
            }
            let program = program(variant, &changed)?;
            let delay = described.delay;
            variants.push(Variant { name: variant.clone(), program, delay });
        }
        let mut filter = file("filter.tol").unwrap_or_default();
        more.iter().for_each(|more| filter.push_str(&more.filter));
        let filter = conditions("filter.tol", &filter, &oracle)?;
        let mut drawn = Vec::new();
        for var in oracle.inputs().filter(|_| !described.draw.is_empty()) {
            let input = &oracle.vars[var].name;
            let how = described.draw.get(input);
            drawn.push(*how.ok_or_else(|| format!("{name}: nothing says how `{input}` is drawn"))?);
        }
        let solver = Solver::find().map_err(|error| error.to_string())?;
        Ok(System { name, oracle, variants, filter, drawn, described, solver })
    }

    /// What may be changed at a level.
    pub(super) fn tolerance(&self, level: Level) -> Result<Tolerance, String> {
        let name = Level::ALL.iter().find(|(_, it)| *it == level).map_or("", |(name, _)| name);
        let windows = self.described.tolerance.get(name);
        let windows = windows.ok_or_else(|| format!("{}: no tolerances `{name}`", self.name))?;
        for name in windows.keys().filter(|name| *name != "*") {
            self.oracle.var(name).ok_or_else(|| format!("{}: no input `{name}`", self.name))?;
        }
        let mut text = String::new();
        let mut steerable = Vec::new();
        for var in self.oracle.inputs() {
            let name = &self.oracle.vars[var].name;
            let window = windows.get(name).or_else(|| windows.get("*"));
            if window.is_some() {
                steerable.push(var);
            }
            let window = window.map_or("locked", String::as_str);
            text.push_str(&format!("{name}: {window}\n"));
        }
        let conditions = conditions(name, &text, &self.oracle)?;
        Ok(Tolerance { steerable, conditions })
    }

    /// The oracle, steered so. With `is_priced`, changes have the prices and the budget of the system;
    /// without, each unit costs one, as in the thesis. How near it comes where nothing matches is of no
    /// interest: the test fails.
    pub(super) fn steered(
        &self,
        tolerance: Tolerance,
        kind: Kind,
        look_ahead: LookAhead,
        is_priced: bool,
    ) -> Result<Oracle, String> {
        self.steered_within(tolerance, kind, look_ahead, is_priced, Budget::default())
    }

    /// The same with a budget.
    pub(super) fn steered_within(
        &self,
        tolerance: Tolerance,
        kind: Kind,
        look_ahead: LookAhead,
        is_priced: bool,
        budget: Budget,
    ) -> Result<Oracle, String> {
        let Tolerance { steerable, conditions } = tolerance;
        let compared: Vec<VarId> = self.oracle.outputs().collect();
        let scale = |var: &VarId| {
            let width = self.described.width.get(&self.oracle.vars[*var].name);
            Scale { width: whole(*width.unwrap_or(&1)), ..Scale::default() }
        };
        let price = |var: &VarId| {
            let price = self.described.price.get(&self.oracle.vars[*var].name);
            let price = price.filter(|_| is_priced);
            let of = |price: &DescribedPrice| Price {
                unit: whole(price.unit),
                fixed: whole(price.fixed),
                ..Price::default()
            };
            price.map(of).unwrap_or_default()
        };
        let setup = Setup {
            metric: Distance { kind, scales: compared.iter().map(scale).collect() },
            policy: Policy {
                prices: steerable.iter().map(price).collect(),
                cost_max: budget.cost.or(self.described.budget.filter(|_| is_priced).map(whole)),
                steps_max: budget.steps,
                steps_of: match budget.steps_of.is_empty() {
                    true => Vec::new(),
                    false => {
                        steerable.iter().map(|var| budget.steps_of.get(var).copied()).collect()
                    }
                },
                exact_only: true,
                unheld: budget.unheld,
                ..Policy::default()
            },
            columns: compared.clone(),
            compared,
            steerable,
            tolerances: conditions,
            look_ahead,
            reals: Reals::Exact,
            limits: Limits::default(),
            solver: Ok(self.solver.clone()),
            solver_limits: punctual_solver::Limits::default(),
        };
        Oracle::new(&self.oracle, setup).map_err(|error| format!("{}: {error}", self.name))
    }

    /// The filter, over outputs and what is counted beside them.
    pub(super) fn filtered(&self, counted: &[VarId]) -> Result<Filter, String> {
        let compared: Vec<VarId> = self.oracle.outputs().collect();
        let columns: Vec<VarId> = compared.iter().chain(counted).copied().collect();
        Filter::new(&self.oracle, Reals::Exact, &columns, &compared, &self.filter)
            .map_err(|error| format!("{}: {error}", self.name))
    }

    /// Variables that the filter knows from traces: for how long a mode was shown.
    pub(super) fn counted(&self) -> impl Iterator<Item = (&str, i64)> {
        self.described.count.iter().map(|(name, mode)| (name.as_str(), *mode))
    }

    /// An input or a local of the oracle.
    pub(super) fn var(&self, name: &str) -> Result<VarId, String> {
        self.oracle.var(name).ok_or_else(|| format!("{}: no variable `{name}`", self.name))
    }
}

fn whole(it: i64) -> Rational {
    Rational::from_integer(i128::from(it))
}

fn program(name: &str, text: &str) -> Result<Program, String> {
    said(lustre::read(Input { name, bytes: text.as_bytes() }, None))
}

fn conditions(name: &str, text: &str, program: &Program) -> Result<Tolerances, String> {
    said(lustre::tolerances(Input { name, bytes: text.as_bytes() }, program))
}

/// What a file says, or what is wrong with it.
fn said<T>(reading: lustre::Reading<T>) -> Result<T, String> {
    let lustre::Reading { file, value, diagnostics } = reading;
    let wrong = || {
        let lines = diagnostics.iter().map(|it| render(it, &file, Style::Plain));
        lines.collect::<Vec<_>>().join("\n")
    };
    value.ok_or_else(wrong)
}
