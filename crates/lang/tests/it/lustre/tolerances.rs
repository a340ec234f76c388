//! Tolerances of steering.

use punctual_lang::{Input, lustre};
use punctual_model::{
    Id,
    lustre::{BinaryOp, Expr, Program, Seen, Tolerances, UnaryOp, Value},
};

use super::{messages, read};

fn program() -> Program {
    read(
        "type mode = enum { Off, On };
         type pair = struct { a: int; b: int^2 };
         node inner(x: int) returns (y: int); let y = x + 1; tel
         node main(x: int; t: real; b: bool; m: mode; p: pair) returns (y: int);
         let y = inner(x + 1); tel",
    )
}

fn tolerances(text: &str) -> lustre::Reading<Tolerances> {
    lustre::tolerances(Input { name: "tolerances.txt", bytes: text.as_bytes() }, &program())
}

/// Expressions as text, to compare by eye.
fn show(program: &Program, tolerances: &Tolerances) -> String {
    let mut texts: Vec<String> = Vec::new();
    for expr in tolerances.exprs.iter() {
        let of = |id: punctual_model::ExprId| texts[id.index()].as_str();
        texts.push(match *expr {
            Expr::Constant(Value::Real(it)) if it.is_integer() => format!("{}.", it.to_integer()),
            Expr::Constant(value) => value.to_string(),
            Expr::Var(var) => match tolerances.seen[var] {
                Seen::New(var) => program.vars[var].name.clone(),
                Seen::Original(var) => format!("was {}", program.vars[var].name),
                Seen::System(var) => format!("their {}", program.vars[var].name),
            },
            Expr::Unary(UnaryOp::ToReal, a) => format!("real({})", of(a)),
            Expr::Unary(op, a) => format!("{op:?}({})", of(a)),
            Expr::Binary(BinaryOp::And, a, b) => format!("{} and {}", of(a), of(b)),
            Expr::Binary(op, a, b) => format!("({} {op:?} {})", of(a), of(b)),
            Expr::If(a, b, c) => format!("if {} then {} else {}", of(a), of(b), of(c)),
            Expr::Memory(_) | Expr::First => panic!("only one step is looked at"),
        });
    }
    let lines: Vec<&str> =
        tolerances.conditions.iter().map(|id| texts[id.index()].as_str()).collect();
    lines.join("\n")
}

fn check(text: &str, expected: &[&str]) {
    let reading = tolerances(text);
    let messages = messages(&reading);
    let tolerances = reading.value.unwrap_or_else(|| panic!("{messages}"));
    assert_eq!(show(&program(), &tolerances), expected.join("\n"), "{text}");
}

#[test]
fn conditions_follow_each_other() {
    check(
        "-- What may change.\n\
         (real(x) >= concrete_oracle_x - 1.0) and (real(x)\n  <= (concrete_oracle_x + 2))\n\n\
         b = concrete_oracle_b\n(t = concrete_sut_t)\nnot b;",
        &[
            "(real(x) Ge (real(was x) Sub 1.)) and (real(x) Le real((was x Add 2)))",
            "(b Eq was b)",
            "(t Eq their t)",
            "Not(b)",
        ],
    );
}

#[test]
fn integers_become_real_where_they_meet_reals() {
    check("x < t", &["(real(x) Lt t)"]);
    check("(if b then x else t) = 1", &["(if b then real(x) else t Eq 1.)"]);
    check("real(t) / 2 > x", &["((t Div 2.) Gt real(x))"]);
    check("x / 2 > 1", &["((real(x) Div 2.) Gt 1.)"]);
}

#[test]
fn the_short_form() {
    check(
        "x: [-1, +2]\nt: [0, 0.5]\nb: locked\nm: free\ny: [-1.5, 2]",
        &[
            "(x Ge (was x Add -1)) and (x Le (was x Add 2))",
            "(t Ge (was t Add 0.)) and (t Le (was t Add 1.0/2.0))",
            "(b Eq was b)",
            "(real(y) Ge (real(was y) Add -3.0/2.0)) and (y Le (was y Add 2))",
        ],
    );
}

/// Parts of composites, values of enumerations, variables of calls.
#[test]
fn all_variables_can_be_named() {
    check("p.b[1] = concrete_oracle_p.b[1]", &["(p.b[1] Eq was p.b[1])"]);
    check(
        "p.a: [0, 1]\np.b[0]: locked",
        &["(p.a Ge (was p.a Add 0)) and (p.a Le (was p.a Add 1))", "(p.b[0] Eq was p.b[0])"],
    );
    check("m = On", &["(m Eq 1)"]);
    check("inner~1.x > 0", &["(inner~1.x Gt 0)"]);
}

#[test]
fn an_expression_of_a_program() {
    let mut program = program();
    let before = program.exprs.len();
    let input = Input { name: "purpose", bytes: b"x > 1 and p.b[1] <= y" };
    let reading = lustre::expression(input, &mut program);
    let id = reading.value.expect("it is read");
    assert_eq!(id.index(), program.exprs.len() - 1);
    assert!(program.exprs.len() > before);
    for (id, expr) in program.exprs.enumerate() {
        if let Expr::Binary(_, a, b) = expr {
            assert!(a < &id && b < &id);
        }
    }
    let wrong = Input { name: "purpose", bytes: b"x > concrete_oracle_x y" };
    assert!(lustre::expression(wrong, &mut program).value.is_none());
}

#[test]
fn rejected_tolerances() {
    insta::glob!("../../../test_data/lustre", "tolerances/*.txt", |path| {
        let text = std::fs::read_to_string(path).expect("the file can be read");
        let reading = tolerances(&text);
        assert!(reading.value.is_none(), "the folder says that it is rejected");
        insta::assert_snapshot!(messages(&reading));
    });
}
