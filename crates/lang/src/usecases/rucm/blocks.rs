//! Which step comes next: `IF`, `ELSEIF`, `ELSE`, `ENDIF`, `DO` and `UNTIL` become ways from step to step.

use punctual_model::{Id, StepId, usecases::Next};

use super::{super::DEPTH_MAX, sentence::Said};

/// What comes next for each step, and otherwise.
pub(super) struct Ways {
    pub(super) next: Vec<Next>,
    /// What comes if the condition of a step does not hold.
    pub(super) otherwise: Vec<Option<Next>>,
    /// What is wrong: the step, what is said and how to fix it.
    pub(super) wrong: Vec<(usize, &'static str, &'static str)>,
    /// True if the flow begins with an `IF` that is not ended.
    pub(super) is_unended: bool,
}

enum Block {
    If {
        /// Where the block begins.
        start: usize,
        /// The last condition; it does not say yet what comes otherwise. None behind `ELSE`.
        pending: Option<usize>,
        /// Steps that go on behind the block.
        exits: Vec<usize>,
    },
    Do {
        start: usize,
    },
}

/// Resolves the blocks of a flow. In an alternative flow, an `IF` at the begin says whether the flow is taken.
pub(super) fn resolve(steps: &[Said], is_alternative: bool) -> Ways {
    let to = |at: usize| match at < steps.len() {
        true => Next::Step(StepId::from_index(at)),
        false => Next::End,
    };
    let mut ways = Ways {
        next: (1..=steps.len()).map(to).collect(),
        otherwise: vec![None; steps.len()],
        wrong: Vec::new(),
        is_unended: false,
    };
    let mut blocks: Vec<Block> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if blocks.len() > DEPTH_MAX {
            ways.wrong.push((
                at,
                "blocks are nested too deep",
                "make a use case of the inner ones",
            ));
            return ways;
        }
        let is_guard = |start: usize| start == 0 && is_alternative;
        match step {
            Said::If(_) => {
                blocks.push(Block::If { start: at, pending: Some(at), exits: Vec::new() });
            }
            Said::ElseIf(_) | Said::Else => match blocks.last_mut() {
                Some(Block::If { pending: pending @ Some(_), exits, .. }) => {
                    let condition = pending.take();
                    condition.into_iter().for_each(|it| ways.otherwise[it] = Some(to(at)));
                    // An empty branch goes on behind the block, too.
                    exits.push(at - 1);
                    if matches!(step, Said::ElseIf(_)) {
                        *pending = Some(at);
                    }
                }
                Some(Block::If { .. }) => {
                    let help = "ELSE is the last branch: write ENDIF before this one";
                    ways.wrong.push((at, "a branch behind ELSE", help));
                }
                Some(Block::Do { .. }) => {
                    ways.wrong.push((at, "ELSE inside of DO", "write UNTIL before it"));
                }
                None => {
                    ways.wrong.push((at, "ELSE without IF", "write `IF condition THEN` before"))
                }
            },
            Said::EndIf => match blocks.pop() {
                Some(Block::If { start, pending, exits }) => {
                    if let Some(condition) = pending {
                        let otherwise = if is_guard(start) { Next::Declined } else { to(at) };
                        ways.otherwise[condition] = Some(otherwise);
                    }
                    exits.into_iter().for_each(|it| ways.next[it] = to(at));
                }
                Some(block @ Block::Do { .. }) => {
                    blocks.push(block);
                    ways.wrong.push((at, "ENDIF inside of DO", "write UNTIL before it"));
                }
                None => {
                    ways.wrong.push((at, "ENDIF without IF", "write `IF condition THEN` before"))
                }
            },
            Said::Do => blocks.push(Block::Do { start: at }),
            Said::Until(_) => match blocks.pop() {
                Some(Block::Do { start }) if start + 1 == at => {
                    let help = "write the steps of the loop between them";
                    ways.wrong.push((at, "nothing between DO and UNTIL", help));
                }
                Some(Block::Do { start }) => ways.otherwise[at] = Some(to(start)),
                Some(block @ Block::If { .. }) => {
                    blocks.push(block);
                    ways.wrong.push((at, "UNTIL inside of IF", "write ENDIF before it"));
                }
                None => ways.wrong.push((at, "UNTIL without DO", "write DO where the loop begins")),
            },
            _ => {}
        }
    }
    for block in blocks.into_iter().rev() {
        match block {
            Block::If { start: 0, pending, exits } if is_alternative => {
                ways.is_unended = true;
                pending.into_iter().for_each(|it| ways.otherwise[it] = Some(Next::Declined));
                exits.into_iter().for_each(|it| ways.next[it] = Next::End);
            }
            Block::If { start, .. } => {
                ways.wrong.push((start, "IF without ENDIF", "write ENDIF behind its steps"));
            }
            Block::Do { start } => {
                ways.wrong.push((
                    start,
                    "DO without UNTIL",
                    "write `UNTIL condition` behind its steps",
                ));
            }
        }
    }
    ways
}
