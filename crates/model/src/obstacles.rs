//! What in a network keeps an analysis from using it.
//!
//! Every reader accepts the whole language; an analysis that can not treat a construct refuses
//! it by name. This says beforehand which one refuses what, and why.

use crate::{
    ClockConstraint, Condition, Expr, FunctionBody, Location, Network, Number, Process, Statement,
    Sync,
};

/// Zones have room for sums of two constants and some more: a clock that starts later would leave it.
const CLOCK_START_MAX: f64 = 134_217_727.0;

/// A way to analyse a network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Analysis {
    /// Exact, over all states: zones.
    Symbolic,
    /// By simulated runs.
    Statistical,
}

/// Something that an analysis can not treat.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Obstacle {
    /// Which analysis.
    pub analysis: Analysis,
    /// What it can not treat, such as `a clock compared with a double`.
    pub construct: &'static str,
    /// The first place where that is: `process Gate, location Free`.
    pub place: String,
}

impl Network {
    /// What keeps analyses from using this network; each construct once, with its first place.
    pub fn obstacles(&self) -> Vec<Obstacle> {
        let mut finder = Finder { network: self, found: Vec::new() };
        finder.network();
        finder.found
    }
}

struct Finder<'n> {
    network: &'n Network,
    found: Vec<Obstacle>,
}

impl Finder<'_> {
    fn add(&mut self, analysis: Analysis, construct: &'static str, place: &dyn Fn() -> String) {
        let known = |other: &Obstacle| other.analysis == analysis && other.construct == construct;
        if !self.found.iter().any(known) {
            self.found.push(Obstacle { analysis, construct, place: place() });
        }
    }

    fn network(&mut self) {
        let network = self.network;
        for clock in &network.clocks {
            let place = || format!("clock {}", clock.name);
            if clock.initial.fract() != 0.0 && !clock.hybrid {
                self.add(Analysis::Symbolic, "a clock that starts at a fraction", &place);
            }
            if clock.initial.abs() > CLOCK_START_MAX && !clock.hybrid {
                self.add(Analysis::Symbolic, "a clock that starts beyond 134217727", &place);
            }
        }
        let channels = network.channels.iter();
        if let Some(channel) = channels.clone().find(|c| c.priority != network.default_priority) {
            let place = || format!("channel {}", channel.name);
            self.add(Analysis::Statistical, "channel priorities", &place);
        }
        if let Some(process) = network.processes.iter().find(|process| process.priority != 0) {
            let place = || format!("process {}", process.name);
            self.add(Analysis::Statistical, "process priorities", &place);
        }
        for function in &network.functions {
            let place = || format!("function {}", function.name);
            match &function.body {
                FunctionBody::External { .. } => {
                    self.add(Analysis::Symbolic, "an external function", &place);
                    self.add(Analysis::Statistical, "an external function", &place);
                }
                FunctionBody::Statements(statements) => self.statements(statements, &place),
            }
        }
        for expr in network.before_update.iter().chain(&network.after_update) {
            self.update(expr, &|| "updates of every transition".to_owned());
        }
        for process in &network.processes {
            self.process(process);
        }
    }

    fn process(&mut self, process: &Process) {
        for location in &process.locations {
            let place = || format!("process {}, location {}", process.name, location.name);
            self.condition(&location.invariant, &place);
            self.rates(location, &place);
        }
        for edge in &process.edges {
            let place = || {
                let name = |id: crate::LocationId| {
                    process.locations.get(id).map_or("?", |location| location.name.as_str())
                };
                let target = edge.branches.first().map_or("?", |branch| name(branch.target));
                format!("process {}, edge {} → {target}", process.name, name(edge.source))
            };
            self.condition(&edge.guard, &place);
            if let Sync::Csp(_) = edge.sync {
                let construct = "synchronisation without `!` and `?`";
                self.add(Analysis::Statistical, construct, &place);
            }
            let updates = edge.branches.iter().flat_map(|branch| &branch.update);
            for expr in edge.update.iter().chain(updates) {
                self.update(expr, &place);
            }
        }
    }

    fn condition(&mut self, condition: &Condition, place: &dyn Fn() -> String) {
        for constraint in &condition.clocks {
            self.constraint(constraint, place);
        }
        for expr in &condition.data {
            self.data(expr, place);
        }
    }

    fn constraint(&mut self, constraint: &ClockConstraint, place: &dyn Fn() -> String) {
        let hybrid = constraint
            .clocks()
            .any(|clock| self.network.clocks.get(clock.base).is_some_and(|clock| clock.hybrid));
        if constraint.number == Number::Double && !hybrid {
            self.add(Analysis::Symbolic, "a clock compared with a double", place);
        }
    }

    /// Conditions and values must not depend on clocks, doubles or chance.
    fn data(&mut self, expr: &Expr, place: &dyn Fn() -> String) {
        let mut found = Vec::new();
        expr.walk(&mut |expr| match expr {
            Expr::Clock(_) | Expr::ClockRate(_) => found.push("a clock used as a number"),
            Expr::Load(place) if place.number == Number::Double => found.push("a double"),
            Expr::Builtin(builtin, _) if builtin.is_random() => found.push("a random number"),
            _ => {}
        });
        for construct in found {
            self.add(Analysis::Symbolic, construct, place);
        }
    }

    /// An update may change doubles, but must not use them for anything else.
    fn update(&mut self, expr: &Expr, place: &dyn Fn() -> String) {
        match expr {
            Expr::Assign { target, .. } if target.number == Number::Double => {}
            Expr::SetClock { clock, value } => {
                let hybrid = self.network.clocks.get(clock.base).is_some_and(|clock| clock.hybrid);
                if hybrid || is_shifted_clock(value) {
                    return;
                }
                match value.as_ref() {
                    Expr::Double(_) | Expr::ToDouble(_) => {
                        self.add(Analysis::Symbolic, "a clock set to a double", place);
                    }
                    value => self.data(value, place),
                }
            }
            expr => self.data(expr, place),
        }
    }

    fn rates(&mut self, location: &Location, place: &dyn Fn() -> String) {
        for rate in &location.rates {
            let clock = self.network.clocks.get(rate.clock.base);
            if clock.is_some_and(|clock| clock.hybrid) {
                continue;
            }
            let construct = match &rate.value {
                Expr::Int(0 | 1) => continue,
                Expr::Int(_) | Expr::Double(_) => "a clock rate other than 0 and 1",
                value if value.reads_clock() => "a clock rate that depends on clocks",
                _ if rate.number == Number::Double => "a clock rate that is a double",
                _ => continue,
            };
            self.add(Analysis::Symbolic, construct, place);
            if rate.value.reads_clock() {
                self.add(Analysis::Statistical, "a clock rate that depends on clocks", place);
            }
        }
    }

    fn statements(&mut self, statements: &[Statement], place: &dyn Fn() -> String) {
        for statement in statements {
            match statement {
                Statement::Expr(expr) => self.update(expr, place),
                Statement::Clear { .. } | Statement::Return(None) => {}
                Statement::Return(Some(expr)) | Statement::Assert(expr) => self.data(expr, place),
                Statement::If(condition, then, otherwise) => {
                    self.data(condition, place);
                    self.statements(then, place);
                    self.statements(otherwise, place);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.data(condition, place);
                    self.statements(body, place);
                }
                Statement::For { body, .. } => self.statements(body, place),
            }
        }
    }
}

/// `y`, `y + 2`, `2 + y`: a value that zones can assign.
fn is_shifted_clock(expr: &Expr) -> bool {
    let Expr::Binary(binary) = expr else { return matches!(expr, Expr::Clock(_)) };
    let offset = |expr: &Expr| match expr {
        Expr::Double(value) => value.fract() == 0.0,
        expr => matches!(expr, Expr::ToDouble(_)) && !expr.reads_clock(),
    };
    let clock = |expr: &Expr| matches!(expr, Expr::Clock(_));
    let (left, right) = (&binary.left, &binary.right);
    match binary.op {
        crate::BinaryOp::Add => (clock(left) && offset(right)) || (offset(left) && clock(right)),
        crate::BinaryOp::Subtract => clock(left) && offset(right),
        _ => false,
    }
}

impl Network {
    /// Whether symbolic analysis over-approximates: a clock stands still in some location.
    pub fn has_stopwatches(&self) -> bool {
        self.processes.iter().any(|process| {
            process.locations.iter().any(|location| {
                location.rates.iter().any(|rate| {
                    let hybrid = self.clocks.get(rate.clock.base).is_some_and(|clock| clock.hybrid);
                    !hybrid && !matches!(rate.value, Expr::Int(1))
                })
            })
        })
    }
}
