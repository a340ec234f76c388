//! Calls: functions of the language, and the way to functions of the model.

use punctual_model::{Builtin, Expr};

use super::{
    Builder,
    scope::{Entity, ScopeId},
    typed::Typed,
    types::Type,
};
use crate::{Span, diagnostic::Diagnostic, uppaal::ast};

/// The functions of the language: name, function, arguments.
const BUILTINS: &[(&str, Builtin, usize)] = &[
    ("abs", Builtin::Abs, 1),
    ("fint", Builtin::Fint, 1),
    ("isfinite", Builtin::IsFinite, 1),
    ("isinf", Builtin::IsInf, 1),
    ("isnan", Builtin::IsNan, 1),
    ("isnormal", Builtin::IsNormal, 1),
    ("signbit", Builtin::SignBit, 1),
    ("isunordered", Builtin::IsUnordered, 2),
    ("fabs", Builtin::Fabs, 1),
    ("fmod", Builtin::Fmod, 2),
    ("fma", Builtin::Fma, 3),
    ("fmax", Builtin::Fmax, 2),
    ("fmin", Builtin::Fmin, 2),
    ("fdim", Builtin::Fdim, 2),
    ("exp", Builtin::Exp, 1),
    ("exp2", Builtin::Exp2, 1),
    ("expm1", Builtin::Expm1, 1),
    ("ln", Builtin::Ln, 1),
    ("log", Builtin::Log, 1),
    ("log10", Builtin::Log10, 1),
    ("log2", Builtin::Log2, 1),
    ("log1p", Builtin::Log1p, 1),
    ("pow", Builtin::Pow, 2),
    ("sqrt", Builtin::Sqrt, 1),
    ("cbrt", Builtin::Cbrt, 1),
    ("hypot", Builtin::Hypot, 2),
    ("sin", Builtin::Sin, 1),
    ("cos", Builtin::Cos, 1),
    ("tan", Builtin::Tan, 1),
    ("asin", Builtin::Asin, 1),
    ("acos", Builtin::Acos, 1),
    ("atan", Builtin::Atan, 1),
    ("atan2", Builtin::Atan2, 2),
    ("sinh", Builtin::Sinh, 1),
    ("cosh", Builtin::Cosh, 1),
    ("tanh", Builtin::Tanh, 1),
    ("asinh", Builtin::Asinh, 1),
    ("acosh", Builtin::Acosh, 1),
    ("atanh", Builtin::Atanh, 1),
    ("erf", Builtin::Erf, 1),
    ("erfc", Builtin::Erfc, 1),
    ("tgamma", Builtin::Tgamma, 1),
    ("lgamma", Builtin::Lgamma, 1),
    ("ceil", Builtin::Ceil, 1),
    ("floor", Builtin::Floor, 1),
    ("trunc", Builtin::Trunc, 1),
    ("round", Builtin::Round, 1),
    ("ilogb", Builtin::Ilogb, 1),
    ("logb", Builtin::Logb, 1),
    ("nextafter", Builtin::NextAfter, 2),
    ("copysign", Builtin::CopySign, 2),
    ("ldexp", Builtin::Ldexp, 2),
    ("random", Builtin::Random, 1),
    ("random_arcsine", Builtin::RandomArcsine, 2),
    ("random_beta", Builtin::RandomBeta, 2),
    ("random_gamma", Builtin::RandomGamma, 2),
    ("random_normal", Builtin::RandomNormal, 2),
    ("random_poisson", Builtin::RandomPoisson, 1),
    ("random_tri", Builtin::RandomTri, 3),
    ("random_weibull", Builtin::RandomWeibull, 2),
];

/// The constants of the language.
const INT_CONSTANTS: &[(&str, i32)] = &[
    ("INT8_MIN", -128),
    ("INT8_MAX", 127),
    ("UINT8_MAX", 255),
    ("INT16_MIN", -32768),
    ("INT16_MAX", 32767),
    ("UINT16_MAX", 65535),
    ("INT32_MIN", i32::MIN),
    ("INT32_MAX", i32::MAX),
];

const DOUBLE_CONSTANTS: &[(&str, f64)] = &[
    ("FLT_MIN", f32::MIN_POSITIVE as f64),
    ("FLT_MAX", f32::MAX as f64),
    ("DBL_MIN", f64::MIN_POSITIVE),
    ("DBL_MAX", f64::MAX),
    ("M_PI", std::f64::consts::PI),
    ("M_PI_2", std::f64::consts::FRAC_PI_2),
    ("M_PI_4", std::f64::consts::FRAC_PI_4),
    ("M_E", std::f64::consts::E),
    ("M_LOG2E", std::f64::consts::LOG2_E),
    ("M_LOG10E", std::f64::consts::LOG10_E),
    ("M_LN2", std::f64::consts::LN_2),
    ("M_LN10", std::f64::consts::LN_10),
    ("M_1_PI", std::f64::consts::FRAC_1_PI),
    ("M_2_PI", std::f64::consts::FRAC_2_PI),
    ("M_2_SQRTPI", std::f64::consts::FRAC_2_SQRT_PI),
    ("M_SQRT2", std::f64::consts::SQRT_2),
    ("M_SQRT1_2", std::f64::consts::FRAC_1_SQRT_2),
];

/// The types of the language that have names.
const INT_TYPES: &[(&str, i32, i32)] = &[
    ("int8_t", -128, 127),
    ("uint8_t", 0, 255),
    ("int16_t", -32768, 32767),
    ("uint16_t", 0, 65535),
    ("int32_t", i32::MIN, i32::MAX),
];

impl<'a> Builder<'a> {
    /// Binds the names of the language in a scope of their own, so that a model may use any of
    /// them for something else.
    pub(super) fn bind_builtins(&mut self, scope: ScopeId) {
        let nowhere = Span::default();
        for (name, builtin, _) in BUILTINS {
            self.scopes.bind(scope, name, Entity::Builtin(*builtin), nowhere);
        }
        for (name, value) in INT_CONSTANTS {
            self.scopes.bind(scope, name, Entity::Value(Type::INT, Expr::Int(*value)), nowhere);
        }
        for (name, value) in DOUBLE_CONSTANTS {
            let entity = Entity::Value(Type::Double, Expr::Double(*value));
            self.scopes.bind(scope, name, entity, nowhere);
        }
        for (name, lo, hi) in INT_TYPES {
            let ty = Type::Int(punctual_model::Range { lo: *lo, hi: *hi });
            self.scopes.bind(scope, name, Entity::Type(ty), nowhere);
        }
    }

    pub(super) fn call(
        &mut self,
        scope: ScopeId,
        callee: &'a ast::Expr,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Typed {
        match &callee.kind {
            ast::ExprKind::Name(name) => {
                match self.scopes.find(scope, name).map(|(entity, _)| entity.clone()) {
                    Some(Entity::Function(function)) => {
                        self.call_function(scope, &function, arguments, span)
                    }
                    Some(Entity::Builtin(builtin)) => {
                        self.call_builtin(scope, builtin, name, arguments, span)
                    }
                    Some(Entity::Error) => Typed::error(span),
                    Some(Entity::Processes(_)) => {
                        self.report(
                            Diagnostic::error(
                                "name::not_a_value",
                                span,
                                "a process is not a value",
                            )
                            .label("this names a process")
                            .help("name a location or variable of it: `P(1).location`"),
                        );
                        Typed::error(span)
                    }
                    Some(entity) => {
                        self.report(
                            Diagnostic::error(
                                "name::not_a_function",
                                callee.span,
                                format!("`{name}` is {}, not a function", entity.describe()),
                            )
                            .label("only functions can be called"),
                        );
                        Typed::error(span)
                    }
                    None => {
                        self.unknown_name(scope, name, callee.span, "function");
                        Typed::error(span)
                    }
                }
            }
            ast::ExprKind::Member(object, member) => match self.process_named(scope, object) {
                Some(Some(process)) => {
                    let home = self.process_scopes[process];
                    match self.scopes.find_own(home, &member.text).map(|(entity, _)| entity.clone())
                    {
                        Some(Entity::Function(function)) => {
                            self.call_function(scope, &function, arguments, span)
                        }
                        _ => {
                            let help = self
                                .scopes
                                .suggest(home, &member.text, |entity| {
                                    matches!(entity, Entity::Function(_))
                                })
                                .map(|name| format!("did you mean `{name}`?"));
                            let process = &self.network.processes[process].name;
                            let message =
                                format!("process `{process}` has no function `{}`", member.text);
                            self.report(
                                Diagnostic::error("name::unknown", member.span, message)
                                    .label("not a function of this process")
                                    .maybe_help(help),
                            );
                            Typed::error(span)
                        }
                    }
                }
                Some(None) => Typed::error(span),
                None => {
                    self.report(Diagnostic::error(
                        "name::not_a_function",
                        callee.span,
                        "only functions can be called",
                    ));
                    Typed::error(span)
                }
            },
            ast::ExprKind::Error => Typed::error(span),
            _ => {
                self.report(Diagnostic::error(
                    "name::not_a_function",
                    callee.span,
                    "only functions can be called",
                ));
                Typed::error(span)
            }
        }
    }

    fn call_builtin(
        &mut self,
        scope: ScopeId,
        builtin: Builtin,
        name: &str,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Typed {
        let wanted = BUILTINS.iter().find(|entry| entry.1 == builtin).map_or(0, |entry| entry.2);
        if arguments.len() != wanted {
            self.wrong_arity(name, wanted, arguments.len(), span, None);
            return Typed::error(span);
        }
        let mut arguments: Vec<Typed> =
            arguments.iter().map(|argument| self.expr(scope, argument)).collect();
        if arguments.iter().any(Typed::is_error) {
            return Typed::error(span);
        }
        let what = "argument of a built-in function";
        if builtin == Builtin::Abs {
            let value = self.integer(arguments.remove(0), what);
            let folded = match value {
                Expr::Int(value) if value != i32::MIN => Expr::Int(value.abs()),
                value => Expr::Builtin(builtin, vec![value]),
            };
            return Typed::number(Type::INT, folded, span);
        }
        if builtin.is_random() {
            self.effects.random = true;
        }
        let ty = match builtin {
            Builtin::Fint | Builtin::Ilogb => Type::INT,
            Builtin::IsFinite
            | Builtin::IsInf
            | Builtin::IsNan
            | Builtin::IsNormal
            | Builtin::SignBit
            | Builtin::IsUnordered => Type::Bool,
            _ => Type::Double,
        };
        let arguments = arguments.into_iter().map(|argument| self.double(argument, what)).collect();
        Typed::number(ty, Expr::Builtin(builtin, arguments), span)
    }

    pub(super) fn wrong_arity(
        &mut self,
        name: &str,
        wanted: usize,
        found: usize,
        span: Span,
        declared: Option<Span>,
    ) {
        let plural = |n: usize| if n == 1 { "argument" } else { "arguments" };
        let mut diagnostic = Diagnostic::error(
            "call::arity",
            span,
            format!("`{name}` takes {wanted} {}, not {found}", plural(wanted)),
        )
        .label(format!("{found} {} given", plural(found)));
        if let Some(declared) = declared {
            diagnostic = diagnostic.also(declared, "declared here");
        }
        self.report(diagnostic);
    }
}
