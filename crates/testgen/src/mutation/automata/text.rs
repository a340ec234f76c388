//! Pieces of a network as people write them, for what a mutant changes.
//!
//! Not here: text that is read again. What has no short form is `…`.

use punctual_model::{
    BinaryOp, ClockConstraint, ClockRef, Edge, Expr, Index, Network, Number, Place, ProcessId,
    Relation, Storage, Sync, Type, UnaryOp, Variable,
};

/// Writes pieces of one process.
pub(super) struct Text<'n> {
    network: &'n Network,
    process: ProcessId,
    /// The edge whose selected values have names.
    edge: Option<&'n Edge>,
}

impl<'n> Text<'n> {
    pub(super) fn new(
        network: &'n Network,
        process: ProcessId,
        edge: Option<&'n Edge>,
    ) -> Text<'n> {
        Text { network, process, edge }
    }

    /// `x`, or `x - y`.
    pub(super) fn clocks(&self, constraint: &ClockConstraint) -> String {
        match (&constraint.left, &constraint.right) {
            (Some(left), None) => self.clock(left),
            (None, Some(right)) => format!("-{}", self.clock(right)),
            (Some(left), Some(right)) => format!("{} - {}", self.clock(left), self.clock(right)),
            (None, None) => "0".to_owned(),
        }
    }

    /// `x >= 5`
    pub(super) fn constraint(&self, constraint: &ClockConstraint) -> String {
        let relation = match constraint.relation {
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Equal => "==",
            Relation::NotEqual => "!=",
            Relation::GreaterEqual => ">=",
            Relation::Greater => ">",
        };
        let clocks = self.clocks(constraint);
        let text = format!("{clocks} {relation} {}", self.expr(&constraint.bound));
        match &constraint.when {
            None => text,
            Some(when) => format!("({} imply {text})", self.expr(when)),
        }
    }

    /// `x >= 5 && x <= 7`
    pub(super) fn conjunction(&self, constraints: &[ClockConstraint]) -> String {
        let texts: Vec<String> = constraints.iter().map(|it| self.constraint(it)).collect();
        texts.join(" && ")
    }

    /// The name of a clock, without that of its process.
    pub(super) fn clock(&self, clock: &ClockRef) -> String {
        let Some(named) = self.network.clocks.get(clock.base) else { return "…".to_owned() };
        self.element(self.local(&named.name), &clock.indices)
    }

    /// `go[e]!`, or `internal` if there is none.
    pub(super) fn sync(&self, sync: &Sync) -> String {
        let mark = match sync {
            Sync::Internal => return "internal".to_owned(),
            Sync::Event(event) => return self.network.events[*event].clone(),
            Sync::Send(_) => "!",
            Sync::Receive(_) => "?",
            Sync::Csp(_) => "",
        };
        let name = sync.channel().map_or_else(String::new, |channel| {
            let name = &self.network.channels[channel.base].name;
            self.element(name, &channel.indices)
        });
        name + mark
    }

    /// A name without that of the process before it.
    fn local<'t>(&self, name: &'t str) -> &'t str {
        let process = &self.network.processes[self.process].name;
        name.strip_prefix(process.as_str()).and_then(|it| it.strip_prefix('.')).unwrap_or(name)
    }

    /// The first element of an array and its indices: `x[0]` and `i` are `x[i]`.
    fn element(&self, name: &str, indices: &[Index]) -> String {
        if indices.is_empty() {
            return name.to_owned();
        }
        let name = name.split_once('[').map_or(name, |(name, _)| name);
        let indices = indices.iter().map(|it| format!("[{}]", self.expr(&it.value)));
        name.to_owned() + &indices.collect::<String>()
    }

    /// An expression, with parentheses around operators inside of it.
    pub(super) fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Double(value) => value.to_string(),
            Expr::Load(place) => self.place(place),
            Expr::Clock(clock) => self.clock(clock),
            Expr::ClockRate(clock) => format!("{}'", self.clock(clock)),
            Expr::ToDouble(inner) => self.expr(inner),
            Expr::Unary(UnaryOp::Negate, _, inner) => format!("-{}", self.inner(inner)),
            Expr::Unary(UnaryOp::Not, _, inner) => format!("!{}", self.inner(inner)),
            Expr::Binary(binary) => {
                let (left, right) = (self.inner(&binary.left), self.inner(&binary.right));
                format!("{left} {} {right}", operator(binary.op))
            }
            Expr::Conditional(parts) => {
                let [condition, yes, no] = parts.each_ref().map(|part| self.inner(part));
                format!("{condition} ? {yes} : {no}")
            }
            Expr::Call { function, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|it| self.expr(it)).collect();
                let name = self.local(&self.network.functions[*function].name);
                format!("{name}({})", arguments.join(", "))
            }
            Expr::ClockConstraint(constraint) => self.constraint(constraint),
            _ => "…".to_owned(),
        }
    }

    fn inner(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        match expr {
            Expr::Binary(_) | Expr::Conditional(_) | Expr::ClockConstraint(_) => {
                format!("({text})")
            }
            _ => text,
        }
    }

    fn place(&self, place: &Place) -> String {
        if place.storage == Storage::Local {
            let mut selects = self.edge.iter().flat_map(|edge| &edge.selects);
            let select = selects.find(|it| it.slot == place.base && place.number == Number::Int);
            return select.map_or_else(|| "…".to_owned(), |it| it.name.clone());
        }
        let first = |it: &Variable| match place.number {
            Number::Int => it.ints,
            Number::Double => it.doubles,
        };
        let found = self.network.variables.iter().filter(|it| {
            it.storage == place.storage && has(&it.ty, place.number) && first(it) <= place.base
        });
        let Some(variable) = found.max_by_key(|it| first(it)) else { return "…".to_owned() };
        let name = self.local(&variable.name);
        match &variable.ty {
            Type::Array { .. } if !place.indices.is_empty() => self.element(name, &place.indices),
            Type::Array { lo, element, .. }
                if !matches!(**element, Type::Array { .. } | Type::Struct(_)) =>
            {
                let behind = i64::from(place.base - first(variable));
                format!("{name}[{}]", i64::from(*lo) + behind)
            }
            _ => name.to_owned(),
        }
    }
}

/// Whether a type has numbers of this kind.
fn has(ty: &Type, number: Number) -> bool {
    match ty {
        Type::Int(_) | Type::Bool | Type::Scalar { .. } => number == Number::Int,
        Type::Double => number == Number::Double,
        Type::Clock => false,
        Type::Array { element, .. } => has(element, number),
        Type::Struct(fields) => fields.iter().any(|field| has(&field.ty, number)),
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::Power => "**",
        BinaryOp::Minimum => "<?",
        BinaryOp::Maximum => ">?",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Greater => ">",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Xor => "xor",
        BinaryOp::Imply => "imply",
    }
}
