//! What holds of all solutions and of all contradictions, on small use cases at random.

use std::collections::BTreeMap;

use punctual_model::{
    Value,
    usecases::{Path, UseCases, Why},
};
use punctual_solver::Solver;
use punctual_testgen::usecases::{
    paths::{Event, Possible, walk},
    values::{
        Options, Solution, Solving,
        evaluate::{self, World},
        run::Run,
    },
};

use super::{
    brute::{self, Many, Search},
    paths, random,
};

/// Steps of an enumeration.
const STEPS: usize = 3_000;

fn options(seed: u64) -> Options {
    Options { seed, boundaries: seed.is_multiple_of(3), ..Options::default() }
}

/// Calls something with each of a few paths of so many use cases at random.
fn each(n: u64, mut act: impl FnMut(&UseCases, &mut Solving<'_>, &Path)) {
    let solver = Solver::find().expect("a solver");
    for seed in 0..n {
        let cases = random::use_cases(seed);
        let top = cases.use_cases.ids().next().expect("a use case");
        let mut values = Solving::new(&cases, &solver, options(seed)).expect("a solver");
        for path in paths(&cases, top, 2, 5) {
            act(&cases, &mut values, &path);
        }
    }
}

/// Whether any objects that are tried can take a path from a happening on, by enumeration.
fn by_hand(
    cases: &UseCases,
    values: &mut Solving<'_>,
    (path, from): (&Path, usize),
    mut search: Search<'_>,
) -> Result<bool, Many> {
    for objects in values.objects().expect("a solver") {
        for diagram in brute::diagrams(cases, &objects, &|it| values.is_free(it)).ok_or(Many)? {
            if search.is_possible(&diagram, path, from)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn search<'c>(cases: &'c UseCases) -> Search<'c> {
    Search { cases, only: None, numbers: (0, 2), left: STEPS }
}

/// A path is possible if and only if enumeration finds a way; so are all its begins.
#[test]
fn what_is_impossible_is_impossible_by_enumeration() {
    let (mut confirmed, mut possible, mut many) = (0, 0, 0);
    each(25, |cases, values, path| {
        let mut begin = path.clone();
        let mut is_over = false;
        for n in 0..=path.steps.len() {
            begin.steps = path.steps[..n].to_vec();
            let answer = values.feasible(&begin).expect("a solver");
            if values.objects().expect("a solver").is_empty() {
                // Multiplicities that no objects can have are no contradiction of sentences.
                assert!(matches!(answer, Possible::Unknown(_)), "{answer:?}");
                continue;
            }
            // What is impossible stays so.
            assert!(!is_over || answer == Possible::No, "{begin:?} of {cases:#?}");
            is_over = answer == Possible::No;
            match by_hand(cases, values, (&begin, 0), search(cases)) {
                Ok(expected) => {
                    let told = if expected { Possible::Yes } else { Possible::No };
                    assert_eq!(answer, told, "{begin:?} of {cases:#?}");
                    if expected { possible += 1 } else { confirmed += 1 }
                }
                Err(Many) => many += 1,
            }
        }
    });
    println!("{confirmed} impossible, {possible} possible, {many} too many to enumerate");
    assert!(confirmed > 40 && possible > 80, "{confirmed} {possible} {many}");
}

/// A solution takes its path by the evaluator; what it needs says exactly when, and what it sets says where it leads.
#[test]
fn solutions_take_their_paths_exactly_if_their_needs_hold() {
    let (mut solved, mut taken, mut refused) = (0, 0, 0);
    each(120, |cases, values, path| {
        // Why a path is impossible does not matter here.
        if values.feasible(path).expect("a solver") != Possible::Yes {
            return;
        }
        let Ok(Ok(solution)) = values.solution(path) else { return };
        solved += 1;
        let Solution { scenario, given } = &solution;
        let world = World { cases, diagram: &scenario.diagram };
        let happenings = walk(cases, path).expect("a path").happenings;
        let known = brute::mentioned(cases);
        let mut slots = world.slots();
        slots.retain(|it| known.contains(&it.attribute));
        let mut rest = BTreeMap::new();
        let mut search = search(cases);
        for slot in world.slots() {
            rest.insert(slot, search.domain(slot).swap_remove(0));
        }
        let _ = search.each::<()>(&slots, &mut |_, some| {
            let mut before = rest.clone();
            before.extend(some);
            let mut run = Run::new(world, before.clone());
            if !run.is_sound().expect("numbers fit") {
                return Ok(None);
            }
            let mut can_be_taken = true;
            for (number, happening) in happenings.iter().enumerate() {
                let own = given.iter().filter(|((event, _), _)| *event as usize == number);
                let own = own.map(|((_, slot), value)| (*slot, *value)).collect();
                let checked = run.happen(happening, &own, false);
                can_be_taken = checked.is_ok_and(|it| it.iter().all(|(_, holds)| *holds));
                if !can_be_taken {
                    break;
                }
            }
            can_be_taken &= run.invariants(0).expect("numbers fit").iter().all(|(_, it)| *it);
            let needed = scenario.needs.iter().all(|need| {
                evaluate::ground(&need.condition, &before) == Ok(Some(Value::Bool(true)))
            });
            assert_eq!(can_be_taken, needed, "{before:?} {scenario:#?} {cases:#?}");
            if !can_be_taken {
                refused += 1;
                return Ok(None);
            }
            taken += 1;
            let mut after = before.clone();
            for set in &scenario.sets {
                let value = evaluate::ground(&set.to, &before).expect("numbers fit");
                after.insert(set.slot, value.expect("it has a value"));
            }
            assert_eq!(run.values, after, "{scenario:#?} {cases:#?}");
            Ok(None)
        });
    });
    println!("{solved} solved, {taken} states take them, {refused} do not");
    assert!(solved > 25 && taken > 500 && refused > 500, "{solved} {taken} {refused}");
}

/// No claim of a contradiction can be left out: without it, enumeration finds values for the others; with all, it finds none.
#[test]
fn contradictions_are_smallest() {
    let (mut n_contradictions, mut n_claims, mut many) = (0, 0, 0);
    each(40, |cases, values, path| {
        let Ok(Err(Why::Contradiction { claims, .. })) = values.solve(path) else { return };
        n_contradictions += 1;
        let find = |values: &mut Solving<'_>, only: &[_]| {
            let search = Search { cases, only: Some(only), numbers: (-2, 4), left: STEPS };
            by_hand(cases, values, (path, 0), search)
        };
        match find(values, &claims) {
            Ok(found) => assert!(!found, "{claims:?} hold together on {path:?} of {cases:#?}"),
            Err(Many) => many += 1,
        }
        for claim in &claims {
            let rest: Vec<_> = claims.iter().copied().filter(|it| it != claim).collect();
            match find(values, &rest) {
                Ok(found) => {
                    n_claims += 1;
                    assert!(found, "{rest:?} without {claim:?} on {path:?} of {cases:#?}");
                }
                Err(Many) => many += 1,
            }
        }
    });
    println!("{n_contradictions} contradictions, {n_claims} claims left out, {many} not decided");
    assert!(n_contradictions > 25 && n_claims > 30, "{n_contradictions} {n_claims} {many}");
}

/// A part of a path is impossible only if each path that has it is, and exactly if enumeration finds no way.
#[test]
fn parts_of_paths_are_possible_if_the_paths_are() {
    let (mut impossible, mut more, mut many) = (0, 0, 0);
    each(30, |cases, values, path| {
        let happenings = walk(cases, path).expect("a path").happenings;
        let answer = values.feasible(path).expect("a solver");
        // A part that begins before something is asked or done.
        let is_worth = |from: &usize| {
            let event = &happenings[*from].event;
            matches!(event, Event::Act(_) | Event::Condition { .. })
        };
        for from in (1..happenings.len()).filter(is_worth).skip(1).step_by(2) {
            let is_cut = happenings[from..]
                .iter()
                .any(|it| matches!(it.event, Event::Postconditions { began, .. } if began < from));
            if is_cut {
                continue;
            }
            let part = values.feasible_from(path, from).expect("a solver");
            if part == Possible::No {
                assert_eq!(answer, Possible::No, "{path:?} from {from} of {cases:#?}");
            }
            if matches!(part, Possible::Unknown(_)) {
                continue;
            }
            match by_hand(cases, values, (path, from), search(cases)) {
                Ok(expected) => {
                    let told = if expected { Possible::Yes } else { Possible::No };
                    assert_eq!(part, told, "{path:?} from {from} of {cases:#?}");
                    impossible += usize::from(!expected);
                    more += usize::from(expected && answer == Possible::No);
                }
                Err(Many) => many += 1,
            }
        }
    });
    println!("{impossible} impossible, {more} only as parts of paths, {many} not decided");
    assert!(impossible > 5 && more > 5, "{impossible} {more} {many}");
}
