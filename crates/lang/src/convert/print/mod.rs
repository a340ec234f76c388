//! Networks as text in the syntax of UPPAAL, with as few parentheses as its precedences allow.
//!
//! A [`Printer`] knows the names behind slots and ids. Everything in a network has a text;
//! where UPPAAL has no word for it (an event of a vector, say), the text is for people only.
//! Memory that has no name, such as the locals of functions, gets one that no variable has.

mod elements;
mod expr;
pub(crate) mod places;
pub(crate) mod statements;

use std::rc::Rc;

use elements::Elements;
use places::{Region, Slots};
use punctual_model::{
    Branch, ClockConstraint, Condition, Edge, Expr, FunctionId, Index, Indexed, Location, Network,
    Number, Place, ProcessId, Range, Storage, Sync, Type, VariableId,
};

/// The names that a printer uses, by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) processes: Vec<String>,
    pub(crate) variables: Vec<String>,
    pub(crate) clocks: Vec<String>,
    pub(crate) channels: Vec<String>,
    pub(crate) functions: Vec<String>,
}

#[derive(Debug)]
struct Tables {
    names: Names,
    slots: Slots,
    clocks: Elements,
    channels: Elements,
    /// What names of locals start with.
    prefix: String,
}

/// Prints pieces of a network.
#[derive(Clone, Debug)]
pub struct Printer<'n> {
    network: &'n Network,
    tables: Rc<Tables>,
    regions: Vec<Region>,
    /// Whether constants that Booleans are compared with, or set to, are `true` and `false`.
    has_truth: bool,
}

impl<'n> Printer<'n> {
    /// A printer that qualifies the names of a process's own variables (`Gate.list`).
    pub fn new(network: &'n Network) -> Self {
        Self::with_names(network, Names::of(network, None))
    }

    /// A printer for the inside of a process, where its own names need no qualification.
    pub fn within(network: &'n Network, process: ProcessId) -> Self {
        Self::with_names(network, Names::of(network, Some(process)))
    }

    pub(crate) fn with_names(network: &'n Network, names: Names) -> Self {
        let clocks = Elements::new(names.clocks.iter().map(String::as_str));
        let channels = Elements::new(names.channels.iter().map(String::as_str));
        let all = [&names.variables, &names.clocks, &names.channels, &names.functions];
        let taken = |prefix: &str| {
            all.into_iter().flatten().any(|name| {
                let digits = name.strip_prefix(prefix).map(|rest| rest.trim_start_matches('d'));
                digits.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            })
        };
        let mut prefix = "v".to_owned();
        while taken(&prefix) {
            prefix.push('_');
        }
        let tables = Tables { slots: Slots::new(network), clocks, channels, prefix, names };
        Self { network, tables: Rc::new(tables), regions: Vec::new(), has_truth: false }
    }

    /// The same printer with the selected values of an edge as names.
    #[must_use]
    pub fn for_edge(&self, edge: &Edge) -> Self {
        let selects = edge.selects.iter().chain(edge.branches.iter().flat_map(|b| &b.selects));
        let regions = selects.map(|select| Region {
            number: Number::Int,
            first: select.slot,
            len: 1,
            name: select.name.clone(),
        });
        Self { regions: regions.collect(), ..self.clone() }
    }

    /// The same printer that writes `open == true` where others write `open == 1`.
    #[must_use]
    pub fn with_truth(self) -> Self {
        Self { has_truth: true, ..self }
    }

    /// Whether a place holds a Boolean, as far as it is known.
    fn is_truth(&self, place: &Place) -> bool {
        let found = self.tables.slots.find(place.storage, place.number, place.base);
        let mut ty = found.map(|(id, _)| &self.network.variables[id].ty);
        while let Some(Type::Array { element, .. }) = ty {
            ty = Some(element);
        }
        self.has_truth && place.storage != Storage::Local && ty == Some(&Type::Bool)
    }

    /// The name of a process.
    pub fn process(&self, id: ProcessId) -> &str {
        use punctual_model::Id as _;
        self.tables.names.processes.get(id.index()).map_or("?", String::as_str)
    }

    /// The name of a variable.
    pub fn variable(&self, id: VariableId) -> &str {
        places::variable_name(&self.tables.names.variables, id)
    }

    /// The name of a function.
    pub fn function_name(&self, id: FunctionId) -> &str {
        use punctual_model::Id as _;
        self.tables.names.functions.get(id.index()).map_or("?", String::as_str)
    }

    /// A place, such as `list[i].front`.
    pub fn place(&self, place: &Place) -> String {
        let index = |index: &Index, shift: i64| self.shifted(index, shift);
        if place.storage == Storage::Local {
            return places::local(&self.regions, &self.tables.prefix, place, &index);
        }
        match self.tables.slots.find(place.storage, place.number, place.base) {
            Some((id, offset)) => {
                let ty = &self.network.variables[id].ty;
                format!("{}{}", self.variable(id), places::path(ty, place, offset, &index))
            }
            None => places::unnamed(place),
        }
    }

    /// A clock, such as `x[i]`.
    pub fn clock(&self, clock: &Indexed<punctual_model::ClockId>) -> String {
        use punctual_model::Id as _;
        let index = |index: &Index, shift: i64| self.shifted(index, shift);
        self.tables.clocks.name(clock.base.index(), &clock.indices, &index)
    }

    /// A channel, such as `go[i]`.
    pub fn channel(&self, channel: &Indexed<punctual_model::ChannelId>) -> String {
        use punctual_model::Id as _;
        let index = |index: &Index, shift: i64| self.shifted(index, shift);
        self.tables.channels.name(channel.base.index(), &channel.indices, &index)
    }

    /// An index with a constant added to it.
    fn shifted(&self, index: &Index, shift: i64) -> String {
        match shift {
            0 => self.expr(&index.value),
            _ => {
                let value = self.expr_at(&index.value, expr::SUM);
                let sign = if shift < 0 { '-' } else { '+' };
                format!("{value} {sign} {}", shift.unsigned_abs())
            }
        }
    }

    /// An expression.
    pub fn expr(&self, expr: &Expr) -> String {
        self.expr_at(expr, expr::ASSIGN)
    }

    /// A constraint on clocks.
    pub fn constraint(&self, constraint: &ClockConstraint) -> String {
        self.constraint_at(constraint, expr::ASSIGN)
    }

    /// A guard or invariant; empty if nothing is demanded.
    pub fn condition(&self, condition: &Condition) -> String {
        let data = condition.data.iter().map(|data| self.expr_at(data, expr::AND + 1));
        let clocks = condition.clocks.iter().map(|c| self.constraint_at(c, expr::AND + 1));
        data.chain(clocks).collect::<Vec<_>>().join(" && ")
    }

    /// The invariant of a location and the rates of its clocks.
    pub fn invariant(&self, location: &Location) -> String {
        let condition = self.condition(&location.invariant);
        let rates = location.rates.iter().map(|rate| {
            format!("{}' == {}", self.clock(&rate.clock), self.expr_at(&rate.value, expr::ORDER))
        });
        let parts: Vec<String> =
            Some(condition).filter(|text| !text.is_empty()).into_iter().chain(rates).collect();
        parts.join(" && ")
    }

    /// The exponential rate of a location; empty if there is none.
    pub fn exponential_rate(&self, location: &Location) -> String {
        match &location.exponential_rate {
            None => String::new(),
            Some(rate) => {
                let value = self.expr_at(&rate.value, expr::CHOICE + 1);
                match &rate.divisor {
                    None => value,
                    Some(by) => format!("{value} : {}", self.expr_at(by, expr::CHOICE + 1)),
                }
            }
        }
    }

    /// An update; empty if nothing is changed.
    pub fn update(&self, update: &[Expr]) -> String {
        let texts: Vec<String> = update.iter().map(|e| self.expr_at(e, expr::COMMA)).collect();
        texts.join(", ")
    }

    /// A synchronisation; empty if there is none. An event is shown by its name.
    pub fn sync(&self, sync: &Sync) -> String {
        match sync {
            Sync::Internal => String::new(),
            Sync::Send(channel) => format!("{}!", self.channel(channel)),
            Sync::Receive(channel) => format!("{}?", self.channel(channel)),
            Sync::Csp(channel) => self.channel(channel),
            Sync::Event(event) => {
                self.network.events.get(*event).cloned().unwrap_or_else(|| "?".to_owned())
            }
        }
    }

    /// The values that an edge selects: `i : int[0,3], j : int[1,2]`.
    pub fn selects(&self, edge: &Edge) -> String {
        self.select_list(&edge.selects)
    }

    /// The values that a branch selects.
    pub fn branch_selects(&self, branch: &Branch) -> String {
        self.select_list(&branch.selects)
    }

    fn select_list(&self, list: &[punctual_model::Select]) -> String {
        let texts = list.iter().map(|select| {
            format!("{} : int[{},{}]", select.name, select.range.lo, select.range.hi)
        });
        texts.collect::<Vec<_>>().join(", ")
    }

    /// A declaration of a name with a type: `int[0,3] a[2]`.
    pub fn declaration(&self, ty: &Type, name: &str) -> String {
        let mut suffix = String::new();
        let mut inner = ty;
        while let Type::Array { lo, len, element } = inner {
            suffix += &match lo {
                0 => format!("[{len}]"),
                _ => format!("[int[{lo},{}]]", i64::from(*lo) + i64::from(*len) - 1),
            };
            inner = element;
        }
        format!("{} {name}{suffix}", self.scalar_type(inner))
    }

    fn scalar_type(&self, ty: &Type) -> String {
        match ty {
            Type::Int(range) => int_type(*range),
            Type::Bool => "bool".to_owned(),
            Type::Double => "double".to_owned(),
            Type::Clock => "clock".to_owned(),
            Type::Scalar { size } => format!("scalar[{size}]"),
            Type::Struct(fields) => {
                let fields = fields
                    .iter()
                    .map(|field| format!(" {};", self.declaration(&field.ty, &field.name)));
                format!("struct {{{} }}", fields.collect::<String>())
            }
            Type::Array { .. } => self.declaration(ty, "").trim_end().to_owned(),
        }
    }
}

/// The type of integers within a range.
pub(crate) fn int_type(range: Range) -> String {
    match range {
        Range::INT => "int".to_owned(),
        Range { lo, hi } => format!("int[{lo},{hi}]"),
    }
}

impl Names {
    /// The names of a network, seen from outside or from inside of a process.
    pub(crate) fn of(network: &Network, inside: Option<ProcessId>) -> Self {
        let prefix = inside.map(|id| format!("{}.", network.processes[id].name));
        let local = |name: &str, owner: Option<ProcessId>| match &prefix {
            Some(prefix) if owner == inside => {
                name.strip_prefix(prefix.as_str()).unwrap_or(name).to_owned()
            }
            _ => name.to_owned(),
        };
        let function = |name: &str| match &prefix {
            Some(prefix) => name.strip_prefix(prefix.as_str()).unwrap_or(name).to_owned(),
            None => name.to_owned(),
        };
        Self {
            processes: network.processes.iter().map(|p| p.name.clone()).collect(),
            variables: network.variables.iter().map(|v| local(&v.name, v.owner)).collect(),
            clocks: network.clocks.iter().map(|c| local(&c.name, c.owner)).collect(),
            channels: network.channels.iter().map(|c| c.name.clone()).collect(),
            functions: network.functions.iter().map(|f| function(&f.name)).collect(),
        }
    }
}
