//! Constants are what the documented meaning of the operators says.
//!
//! Random expressions are printed as UPPAAL text, with as few parentheses as its precedences
//! allow, and evaluated here by definition. The reader must find the same number, or an error
//! where there is none.

use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Power,
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Minimum,
    Maximum,
    Less,
    LessEqual,
    GreaterEqual,
    Greater,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
    Xor,
    Imply,
}

/// The operators with their spelling and how tightly they bind.
const OPS: [(Op, &str, u32); 23] = [
    (Op::Power, "**", 12),
    (Op::Multiply, "*", 11),
    (Op::Divide, "/", 11),
    (Op::Remainder, "%", 11),
    (Op::Add, "+", 10),
    (Op::Subtract, "-", 10),
    (Op::ShiftLeft, "<<", 9),
    (Op::ShiftRight, ">>", 9),
    (Op::Minimum, "<?", 8),
    (Op::Maximum, ">?", 8),
    (Op::Less, "<", 7),
    (Op::LessEqual, "<=", 7),
    (Op::GreaterEqual, ">=", 7),
    (Op::Greater, ">", 7),
    (Op::Equal, "==", 6),
    (Op::NotEqual, "!=", 6),
    (Op::BitAnd, "&", 5),
    (Op::BitXor, "^", 4),
    (Op::BitOr, "|", 3),
    (Op::And, "&&", 2),
    (Op::Or, "or", 1),
    (Op::Xor, "xor", 1),
    (Op::Imply, "imply", 1),
];

#[derive(Clone, Debug)]
enum Tree {
    Number(i32),
    /// A variable of a quantifier, counted from the outermost; a number where there is none.
    Bound(usize),
    Negate(Box<Tree>),
    Not(Box<Tree>),
    Binary(usize, Box<Tree>, Box<Tree>),
    Choice(Box<Tree>, Box<Tree>, Box<Tree>),
    /// `table[e]`, with indices from -1 to 2.
    Table(Box<Tree>),
    /// `forall`, `exists`, `sum` over a range.
    Quantifier(u8, i32, u8, Box<Tree>),
    /// `collatz(e)`: a loop with an early return.
    Collatz(Box<Tree>),
    /// `mix(e, f)`: arrays, references and a range loop.
    Mix(Box<Tree>, Box<Tree>),
}

const TABLE: [i32; 4] = [3, -1, 70000, 0];

const PRELUDE: &str = "
typedef int[-2147483648, 2147483647] wide_t;
const int table[int[-1, 2]] = {3, -1, 70000, 0};
int collatz(wide_t start) {
    int steps = 0;
    wide_t n = start;
    if (n <= 0) return -1;
    while (n != 1) {
        if (n % 2 == 0) n /= 2; else n = 3 * n + 1;
        steps++;
        if (steps >= 20) return 1000 + steps;
    }
    return steps;
}
void turn(wide_t &a, wide_t &b) { wide_t t = a; a = b; b = t - 1; }
wide_t mix(wide_t a, int[-100, 100] b) {
    wide_t list[3];
    wide_t total = 0;
    list[1] = a;
    list[2] = b;
    turn(list[1], list[2]);
    turn(list[0], a);
    for (i : int[0, 2]) { total += list[i] * (i + 1); }
    do { total--; b -= 30; } while (b > 0);
    return total + a;
}
";

/// The value by definition; none where there is none.
fn value(tree: &Tree, bound: &mut Vec<i32>) -> Option<i32> {
    let fits = |value: i64| i32::try_from(value).ok();
    let truth = |value: bool| Some(i32::from(value));
    match tree {
        Tree::Number(n) => Some(*n),
        Tree::Bound(which) => {
            let len = bound.len();
            if len == 0 { Some(4) } else { Some(bound[which % len]) }
        }
        Tree::Negate(e) => fits(-i64::from(value(e, bound)?)),
        Tree::Not(e) => truth(value(e, bound)? == 0),
        Tree::Choice(c, yes, no) => {
            if value(c, bound)? != 0 {
                value(yes, bound)
            } else {
                value(no, bound)
            }
        }
        Tree::Table(e) => {
            let index = i64::from(value(e, bound)?) + 1;
            TABLE.get(usize::try_from(index).ok()?).copied()
        }
        Tree::Quantifier(kind, lo, len, body) => {
            let mut sum = 0i64;
            for i in *lo..=lo + i32::from(*len) {
                bound.push(i);
                let item = value(body, bound);
                bound.pop();
                let item = item?;
                match kind {
                    0 if item == 0 => return Some(0),
                    1 if item != 0 => return Some(1),
                    _ => sum = i64::from(fits(sum + i64::from(item))?),
                }
                if *kind != 2 {
                    sum = 0;
                }
            }
            match kind {
                0 => Some(1),
                1 => Some(0),
                _ => fits(sum),
            }
        }
        Tree::Collatz(e) => {
            let mut n = i64::from(value(e, bound)?);
            if n <= 0 {
                return Some(-1);
            }
            let mut steps = 0;
            while n != 1 {
                n = if n % 2 == 0 { n / 2 } else { i64::from(fits(i64::from(fits(3 * n)?) + 1)?) };
                steps += 1;
                if steps >= 20 {
                    return Some(1020);
                }
            }
            Some(steps)
        }
        Tree::Mix(e, f) => {
            let (a, b) = (i64::from(value(e, bound)?), i64::from(value(f, bound)?));
            if !(-100..=100).contains(&b) {
                return None;
            }
            // turn(list[1], list[2]), then turn(list[0], a).
            let list = [a, b, i64::from(fits(a - 1)?)];
            let a_after = -1;
            let mut total = 0i64;
            for (i, item) in list.iter().enumerate() {
                total = i64::from(fits(total + i64::from(fits(item * (i as i64 + 1))?))?);
            }
            let mut b = b;
            loop {
                total = i64::from(fits(total - 1)?);
                b -= 30;
                if b < -100 {
                    return None;
                }
                if b <= 0 {
                    break;
                }
            }
            fits(total + a_after)
        }
        Tree::Binary(which, l, r) => {
            let op = OPS[*which].0;
            let l = i64::from(value(l, bound)?);
            match (op, l) {
                (Op::And, 0) => return Some(0),
                (Op::Imply, 0) => return Some(1),
                (Op::Or, l) if l != 0 => return Some(1),
                _ => {}
            }
            let r = i64::from(value(r, bound)?);
            match op {
                Op::Power => {
                    let mut product = 1i64;
                    if r < 0 {
                        return None;
                    }
                    // 0, 1 and -1 stay small for any exponent; all others leave 32 bits soon.
                    for _ in 0..(if l.abs() <= 1 { r.min(2 + r % 2) } else { r }) {
                        product = i64::from(fits(product * l)?);
                    }
                    fits(product)
                }
                Op::Multiply => fits(l * r),
                Op::Divide => fits(l.checked_div(r)?),
                Op::Remainder => {
                    let quotient = i64::from(fits(l.checked_div(r)?)?);
                    fits(l - quotient * r)
                }
                Op::Add => fits(l + r),
                Op::Subtract => fits(l - r),
                Op::ShiftLeft if (0..32).contains(&r) => Some((l << r) as i32),
                Op::ShiftRight if (0..32).contains(&r) => fits(l.div_euclid(1 << r)),
                Op::ShiftLeft | Op::ShiftRight => None,
                Op::Minimum => fits(if l < r { l } else { r }),
                Op::Maximum => fits(if l < r { r } else { l }),
                Op::Less => truth(l < r),
                Op::LessEqual => truth(l <= r),
                Op::GreaterEqual => truth(l >= r),
                Op::Greater => truth(l > r),
                Op::Equal => truth(l == r),
                Op::NotEqual => truth(l != r),
                Op::BitAnd => Some(l as i32 & r as i32),
                Op::BitXor => Some(l as i32 ^ r as i32),
                Op::BitOr => Some(l as i32 | r as i32),
                Op::And | Op::Or | Op::Imply => truth(r != 0),
                Op::Xor => truth((l != 0) != (r != 0)),
            }
        }
    }
}

/// The text, in parentheses where something around it binds more tightly.
fn text(tree: &Tree, around: u32, depth: usize) -> String {
    let (inner, binds) = match tree {
        Tree::Number(n) => (n.to_string(), if *n < 0 { 13 } else { 14 }),
        Tree::Bound(_) if depth == 0 => ("4".to_owned(), 14),
        Tree::Bound(which) => (format!("i{}", which % depth), 14),
        Tree::Negate(e) => (format!("-({})", text(e, 0, depth)), 13),
        Tree::Not(e) => (format!("!{}", text(e, 14, depth)), 13),
        Tree::Choice(c, yes, no) => {
            let (c, yes) = (text(c, 1, depth), text(yes, 0, depth));
            (format!("{c} ? {yes} : {}", text(no, 0, depth)), 0)
        }
        Tree::Table(e) => (format!("table[{}]", text(e, 0, depth)), 14),
        Tree::Quantifier(kind, lo, len, body) => {
            let word = ["forall", "exists", "sum"][usize::from(*kind)];
            let hi = lo + i32::from(*len);
            let body = text(body, 0, depth + 1);
            // It reaches as far to the right as it can.
            return format!("({word} (i{depth} : int[{lo}, {hi}]) {body})");
        }
        Tree::Collatz(e) => (format!("collatz({})", text(e, 0, depth)), 14),
        Tree::Mix(e, f) => (format!("mix({}, {})", text(e, 0, depth), text(f, 0, depth)), 14),
        Tree::Binary(which, l, r) => {
            let (op, word, binds) = OPS[*which];
            // All associate to the left; nothing is said about powers of powers.
            let left = if op == Op::Power { 14 } else { binds };
            let (l, r) = (text(l, left, depth), text(r, binds + 1, depth));
            (format!("{l} {word} {r}"), binds)
        }
    };
    if binds < around { format!("({inner})") } else { inner }
}

fn trees() -> impl Strategy<Value = Tree> {
    let number = prop_oneof![
        6 => -3..40i32,
        1 => Just(i32::MAX),
        1 => Just(i32::MIN),
        1 => any::<i32>(),
    ];
    let leaf =
        prop_oneof![3 => number.prop_map(Tree::Number), 1 => (0..3usize).prop_map(Tree::Bound)];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            10 => (0..OPS.len(), boxed.clone(), boxed.clone())
                .prop_map(|(op, l, r)| Tree::Binary(op, l, r)),
            1 => boxed.clone().prop_map(Tree::Negate),
            1 => boxed.clone().prop_map(Tree::Not),
            1 => (boxed.clone(), boxed.clone(), boxed.clone())
                .prop_map(|(c, yes, no)| Tree::Choice(c, yes, no)),
            1 => boxed.clone().prop_map(Tree::Table),
            2 => (0..3u8, -3..5i32, 0..4u8, boxed.clone())
                .prop_map(|(kind, lo, len, body)| Tree::Quantifier(kind, lo, len, body)),
            1 => boxed.clone().prop_map(Tree::Collatz),
            1 => (boxed.clone(), boxed).prop_map(|(e, f)| Tree::Mix(e, f)),
        ]
    })
}

/// What the reader makes of the text as an initial value; none if it refuses.
fn read(declarations: &str) -> Option<i32> {
    let text = format!("{PRELUDE}{declarations}\nprocess P() {{ state A; init A; }}\nsystem P;\n");
    let reading = punctual_lang::read("model.xta", text.as_bytes());
    let wrong = reading.diagnostics.iter().find(|d| d.is_error());
    if let Some(wrong) = wrong {
        // It must be refused for its value, and not for its form.
        assert!(matches!(wrong.code, "constant::failed" | "range::outside"), "{text}\n{wrong:?}");
        return None;
    }
    Some(reading.model?.network.initial.ints[0])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// As an initial value.
    #[test]
    fn constants_are_what_operators_mean(tree in trees()) {
        let expected = value(&tree, &mut Vec::new());
        prop_assert_eq!(read(&format!("wide_t r = {};", text(&tree, 0, 0))), expected);
    }

    /// As the result of a function that is called for an initial value.
    #[test]
    fn functions_compute_what_operators_mean(tree in trees()) {
        let expected = value(&tree, &mut Vec::new());
        let text = text(&tree, 0, 0);
        let declarations =
            format!("wide_t f(wide_t k) {{ wide_t x = {text}; return x; }} wide_t r = f(3);");
        prop_assert_eq!(read(&declarations), expected);
    }
}
