//! Blocks of steps lead where the text says: flows by chance, followed as written and as read.

use proptest::prelude::*;
use punctual_model::{
    Id, StepId,
    usecases::{Flow, Next, StepKind, UseCases},
};

use super::accepted_text;

/// What stands between two steps.
#[derive(Clone, Debug)]
enum Block {
    Step,
    If(Vec<(Vec<Block>, u32)>, Option<Vec<Block>>),
    Do(Vec<Block>),
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let leaf = proptest::collection::vec(Just(Block::Step), 0..3);
    leaf.prop_recursive(3, 24, 3, |inner| {
        let branch = (inner.clone(), any::<u32>());
        let block = prop_oneof![
            Just(Block::Step),
            (proptest::collection::vec(branch, 1..3), proptest::option::of(inner.clone()))
                .prop_map(|(branches, otherwise)| Block::If(branches, otherwise)),
            inner.prop_map(Block::Do),
        ];
        proptest::collection::vec(block, 0..4)
    })
}

/// Writes blocks as steps.
fn write(blocks: &[Block], lines: &mut Vec<String>) {
    let say = |lines: &mut Vec<String>, text: &str| {
        let number = lines.len() + 1;
        lines.push(format!("{number}. {}", text.replace('#', &number.to_string())));
    };
    for block in blocks {
        match block {
            Block::Step => say(lines, "The system sets x as #."),
            Block::If(branches, otherwise) => {
                for (at, (inner, _)) in branches.iter().enumerate() {
                    say(lines, if at == 0 { "IF x is # THEN" } else { "ELSEIF x is # THEN" });
                    write(inner, lines);
                }
                if let Some(inner) = otherwise {
                    say(lines, "ELSE");
                    write(inner, lines);
                }
                say(lines, "ENDIF");
            }
            Block::Do(inner) => {
                say(lines, "DO");
                say(lines, "The system sets x as #.");
                write(inner, lines);
                say(lines, "UNTIL x is #.");
            }
        }
    }
}

/// Truth by chance, the same for the same seed.
struct Coin(u64);

impl Coin {
    fn toss(&mut self) -> bool {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 63 == 1
    }
}

/// The steps that happen, by what was written. `number` is that of the next line.
fn follow(blocks: &[Block], number: &mut u32, coin: &mut Coin, happens: bool, seen: &mut Vec<u32>) {
    for block in blocks {
        match block {
            Block::Step => {
                if happens {
                    seen.push(*number);
                }
                *number += 1;
            }
            Block::If(branches, otherwise) => {
                let mut is_taken = !happens;
                for (inner, _) in branches {
                    *number += 1;
                    let is_here = !is_taken && coin.toss();
                    is_taken |= is_here;
                    follow(inner, number, coin, is_here && happens, seen);
                }
                if let Some(inner) = otherwise {
                    *number += 1;
                    follow(inner, number, coin, !is_taken && happens, seen);
                }
                *number += 1;
            }
            Block::Do(inner) => {
                let start = *number;
                loop {
                    *number = start + 1;
                    if happens {
                        seen.push(*number);
                    }
                    *number += 1;
                    follow(inner, number, coin, happens, seen);
                    if !happens || coin.toss() || seen.len() > 200 {
                        break;
                    }
                }
                *number += 1;
            }
        }
    }
}

/// The steps that happen, by what was read.
fn walk(flow: &Flow, coin: &mut Coin) -> Vec<u32> {
    let mut seen = Vec::new();
    let mut at = Next::Step(StepId::from_index(0));
    while let Next::Step(id) = at {
        let step = &flow.steps[id];
        at = step.next;
        match &step.kind {
            StepKind::Act(_) => seen.push(step.number),
            StepKind::Branch(condition) => {
                let holds = coin.toss() || condition.is_loop && seen.len() > 200;
                if !holds {
                    at = condition.otherwise;
                }
            }
            _ => {}
        }
    }
    assert_eq!(at, Next::End);
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    #[test]
    fn steps_follow_each_other_as_written(blocks in blocks(), seed in any::<u64>()) {
        let mut lines = Vec::new();
        write(&blocks, &mut lines);
        prop_assume!(!lines.is_empty());
        let text = format!("=== a.md\n## Use Case: A\n### Basic Flow\n{}\n", lines.join("\n"));
        let all: UseCases = accepted_text(&text);
        let use_case = all.use_cases.iter().next().expect("one is there");
        for round in 0..8 {
            let mut expected = Vec::new();
            follow(&blocks, &mut 1, &mut Coin(seed + round), true, &mut expected);
            let found = walk(&use_case.flows[use_case.basic()], &mut Coin(seed + round));
            prop_assert_eq!(&found, &expected, "{}", text);
        }
    }
}
