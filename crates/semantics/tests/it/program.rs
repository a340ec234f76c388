//! Compiled code does what the textbook says: it is compared with a walk over the tree.

mod generate;
mod naive;

use generate::{Generator, N_CLOCKS, N_LOCALS, N_META, N_STATE, load};
use naive::{Naive, Stop};
use proptest::prelude::*;
use punctual_model::*;
use punctual_semantics::program::{Builder, Code, Machine, Program};
use punctual_semantics::{Fault, FaultKind};

/// Runs both on the same memories and compares what came out and what is in memory then.
fn compare(
    network: &Network,
    program: &Program,
    code: Code,
    machine: &mut Machine,
    expected: impl FnOnce(&mut Naive<'_>) -> Result<i32, Stop>,
) -> Result<(), TestCaseError> {
    let mut naive = Naive::new(network);
    naive.locations = vec![0, 2];
    machine.begin();
    machine.locals().fill(0);
    for slot in 0..6 {
        naive.set(Storage::Local, slot, slot as i32 - 2);
        machine.locals()[slot as usize] = slot as i32 - 2;
    }
    let expected = match expected(&mut naive) {
        Err(Stop::Enough) => return Err(TestCaseError::reject("too much work")),
        Err(Stop::Fault(kind)) => Err(Fault { kind }),
        Ok(value) => Ok(value),
    };
    let mut state = vec![0, 2];
    state.extend(&network.initial.ints);
    prop_assert_eq!(program.run(code, &mut state, machine), expected);
    for slot in 0..N_STATE {
        let at = slot as usize + network.processes.len();
        prop_assert_eq!(state[at], naive.get(Storage::State, slot), "slot {}", slot);
    }
    if expected.is_ok() {
        for slot in 0..N_LOCALS {
            let local = machine.locals()[slot as usize];
            prop_assert_eq!(local, naive.get(Storage::Local, slot), "local {}", slot);
        }
    }
    for clock in 0..N_CLOCKS {
        let change = naive.clocks.iter().find(|(changed, _)| *changed == clock);
        let expected = change.map_or((clock + 1, 0), |(_, value)| *value);
        prop_assert_eq!(machine.clock(clock), expected, "clock {}", clock);
    }
    let order: Vec<u32> = naive.clocks.iter().map(|(clock, _)| *clock).collect();
    prop_assert_eq!(machine.changed_clocks(), order);
    Ok(())
}

/// Compiled after everything else, so that its functions lie behind the code that calls them.
fn meta_codes(builder: &mut Builder<'_>) -> Vec<Code> {
    (0..N_META).map(|slot| builder.value(&load(Storage::Meta, slot)).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_the_tree(choices in prop::collection::vec(any::<u16>(), 0..160)) {
        let mut generator = Generator::new(choices);
        let exprs = [generator.value(), generator.value()];
        let network = generator.network;
        let mut builder = Builder::new(&network);
        // The frame of all tests, which no edge of the network states.
        builder.value(&load(Storage::Local, N_LOCALS - 1)).unwrap();
        let codes = exprs.each_ref().map(|expr| builder.value(expr).unwrap());
        let program = builder.finish();
        let mut machine = program.machine();
        for (expr, code) in exprs.iter().zip(codes) {
            compare(&network, &program, code, &mut machine, |naive| naive.int(expr))?;
        }
    }

    #[test]
    fn updates_change_what_the_tree_says(choices in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut generator = Generator::new(choices);
        let updates = [generator.updates(), generator.updates()];
        let network = generator.network;
        let mut builder = Builder::new(&network);
        builder.value(&load(Storage::Local, N_LOCALS - 1)).unwrap();
        let codes = updates.each_ref().map(|update| builder.effects(update).unwrap());
        let meta = meta_codes(&mut builder);
        let program = builder.finish();
        let mut machine = program.machine();
        for (update, code) in updates.iter().zip(codes) {
            let mut expected = Vec::new();
            compare(&network, &program, code, &mut machine, |naive| {
                let outcome = naive.effects(update);
                expected = (0..N_META).map(|slot| naive.get(Storage::Meta, slot)).collect();
                outcome.map(|()| 0)
            })?;
            let mut state = vec![0; 2 + N_STATE as usize];
            for (code, expected) in meta.iter().zip(expected) {
                prop_assert_eq!(program.run(*code, &mut state, &mut machine), Ok(expected));
            }
        }
    }

    #[test]
    fn elements_are_those_of_the_tree(choices in prop::collection::vec(any::<u16>(), 0..60)) {
        let mut generator = Generator::new(choices);
        let clock = generator.clock();
        let network = generator.network;
        let mut builder = Builder::new(&network);
        builder.value(&load(Storage::Local, N_LOCALS - 1)).unwrap();
        let code = builder.element(&clock).unwrap();
        let program = builder.finish();
        compare(&network, &program, code, &mut program.machine(), |naive| {
            naive.at(clock.base.index() as u32, &clock.indices).map(|at| at as i32)
        })?;
    }
}
