//! Integers do not depend on whether code is symbolic or stochastic.

use proptest::prelude::*;
use punctual_model::*;
use punctual_semantics::FaultKind;
use punctual_semantics::program::{Builder, Chance, Reals};

use super::generate::{Generator, N_CLOCKS, N_LOCALS, N_STATE, load};

/// Integers need no chance.
struct Never;

impl Chance for Never {
    fn bits(&mut self) -> u64 {
        unreachable!("nothing is random")
    }
}

const CLOCKS: [f64; N_CLOCKS as usize] = [1000.5, 2000.25, 3000.0, 4000.75];

/// Runs an expression, or updates, as either kind of code.
fn compare(network: &Network, exprs: &[Expr], effects: bool) -> Result<(), TestCaseError> {
    let compile = |mut builder: Builder<'_>| {
        builder.value(&load(Storage::Local, N_LOCALS - 1)).unwrap();
        let code = match effects {
            true => builder.effects(exprs).unwrap(),
            false => builder.value(&exprs[0]).unwrap(),
        };
        (builder.finish(), code)
    };
    let initial = [vec![0, 2], network.initial.ints.clone()].concat();
    let (symbolic, code) = compile(Builder::new(network));
    let (mut state, mut machine) = (initial.clone(), symbolic.machine());
    let expected = symbolic.run(code, &mut state, &mut machine);

    let (stochastic, code) = compile(Builder::stochastic(network));
    let (mut other_state, mut other_machine) = (initial, stochastic.machine());
    let mut clocks = CLOCKS;
    let mut reals = Reals { doubles: &mut [], clocks: &mut clocks, rates: &[], chance: &mut Never };
    let outcome = stochastic.run_real(code, &mut other_state, &mut reals, &mut other_machine);
    // Only zones have limits to what clocks can be.
    if let Err(fault) = expected
        && matches!(fault.kind, FaultKind::NegativeClock { .. } | FaultKind::ClockConstant { .. })
    {
        return Ok(());
    }
    prop_assert_eq!(outcome, expected);
    prop_assert_eq!(&other_state[..2 + N_STATE as usize], &state[..2 + N_STATE as usize]);
    if expected.is_ok() {
        prop_assert_eq!(other_machine.locals(), machine.locals());
    }
    for (clock, value) in clocks.iter().enumerate() {
        let (source, offset) = machine.clock(clock as u32);
        let base = if source == 0 { 0.0 } else { CLOCKS[source as usize - 1] };
        prop_assert_eq!(*value, base + f64::from(offset), "clock {}", clock);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_the_same(choices in prop::collection::vec(any::<u16>(), 0..300)) {
        let mut generator = Generator::new(choices);
        let expr = generator.value();
        compare(&generator.network, &[expr], false)?;
    }

    #[test]
    fn updates_are_the_same(choices in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut generator = Generator::new(choices);
        let updates = generator.updates();
        compare(&generator.network, &updates, true)?;
    }
}
