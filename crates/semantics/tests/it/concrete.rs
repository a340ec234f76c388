//! Each rule of the concrete semantics, on a network as small as possible.

mod build;

use punctual_model::{
    AssignOp, BinaryOp, ClockConstraint, Edge, EventId, Expr, Frame, Function, FunctionBody, Id,
    Indexed, LocationId, LocationKind, Network, Number, Param, Participant, Place, ProcessId,
    Quantifier, Range, RangePolicy, Rate, Relation, ReturnType, StateExpr, Statement, Storage,
    Sync, SyncVector,
};
use punctual_semantics::{
    FaultKind, Rational,
    concrete::{Concrete, State},
};

use build::{
    X, Y, above, append, assign, at_least, at_most, below, binary, branch, channel, clock, compare,
    csp, doing, edge, event, guarded, load, local, location, network, only_if, place, plain,
    process, receive, select, send, set, set_clock, shifted, variable, while_,
};

fn start(network: &Network) -> State {
    let mut states = Concrete::new(network).initial().unwrap();
    assert_eq!(states.len(), 1);
    states.remove(0)
}

/// The start, after a delay of `n / 2`.
fn after_halves(network: &Network, n: i64) -> State {
    Concrete::new(network).waited(&start(network), Rational::new(n, 2))
}

/// Who takes part in the transitions that are possible in a state.
fn participants(network: &Network, state: &State) -> Vec<Vec<usize>> {
    let transitions = Concrete::new(network).transitions(state).unwrap();
    let of = |moves: Vec<punctual_semantics::Move>| {
        moves.iter().map(|taken| taken.process.index()).collect()
    };
    transitions.into_iter().map(|(moves, _)| of(moves)).collect()
}

/// Variable 0 after each transition from the start.
fn results(network: &Network) -> Vec<i32> {
    let transitions = Concrete::new(network).transitions(&start(network)).unwrap();
    transitions.into_iter().map(|(_, state)| state.ints[0]).collect()
}

fn fault(network: &Network) -> FaultKind {
    let failure = Concrete::new(network).transitions(&start(network)).unwrap_err();
    assert!(!failure.moves.is_empty());
    failure.fault.kind
}

/// The limit of waiting at the start.
fn limit(network: &Network) -> (Option<Rational>, bool) {
    Concrete::new(network).wait_limit(&start(network)).unwrap()
}

fn up_to(delay: i32) -> (Option<Rational>, bool) {
    (Some(Rational::from(delay)), true)
}

fn short_of(delay: i32) -> (Option<Rational>, bool) {
    (Some(Rational::from(delay)), false)
}

const FOR_EVER: (Option<Rational>, bool) = (None, false);

#[test]
fn guards_are_decided_at_the_instant() {
    let mut network = network(1, 0);
    process(&mut network, [plain()], vec![guarded(edge(0, 0), above(X, 1))]);
    assert!(participants(&network, &start(&network)).is_empty());
    assert!(participants(&network, &after_halves(&network, 2)).is_empty());
    assert_eq!(participants(&network, &after_halves(&network, 3)), [[0]]);
}

#[test]
fn a_guard_can_compare_clocks() {
    let mut network = network(2, 0);
    let difference =
        ClockConstraint { right: Some(clock(Y)), ..compare(X, Relation::Equal, Expr::Int(1)) };
    process(&mut network, [plain()], vec![guarded(edge(0, 0), difference)]);
    let mut state = start(&network);
    assert!(participants(&network, &state).is_empty());
    state.clocks[X] = Rational::from(1);
    assert_eq!(participants(&network, &state), [[0]]);
}

#[test]
fn a_constraint_counts_only_when_its_condition_holds() {
    let mut network = network(1, 1);
    let conditional = ClockConstraint { when: Some(load(0)), ..at_most(X, 3) };
    process(&mut network, [while_(conditional)], vec![]);
    assert_eq!(limit(&network), FOR_EVER);
    network.initial.ints[0] = 1;
    assert_eq!(limit(&network), up_to(3));
}

#[test]
fn a_handshake_needs_exactly_one_receiver_in_another_process() {
    let mut network = network(0, 0);
    let c = channel(&mut network, false, false);
    let both = || vec![send(edge(0, 0), c), receive(edge(0, 0), c)];
    process(&mut network, [plain()], both());
    assert!(participants(&network, &start(&network)).is_empty());
    process(&mut network, [plain()], both());
    process(&mut network, [plain()], vec![receive(edge(0, 0), c)]);
    assert_eq!(participants(&network, &start(&network)), [[0, 1], [0, 2], [1, 0], [1, 2]]);
}

#[test]
fn everybody_who_can_receives_a_broadcast() {
    let mut network = network(1, 0);
    let c = channel(&mut network, true, false);
    process(&mut network, [plain()], vec![receive(edge(0, 0), c)]);
    process(&mut network, [plain()], vec![send(edge(0, 0), c)]);
    process(
        &mut network,
        [plain()],
        vec![guarded(receive(edge(0, 0), c), above(X, 0)), receive(edge(0, 0), c)],
    );
    process(&mut network, [plain()], vec![guarded(receive(edge(0, 0), c), above(X, 0))]);
    assert_eq!(participants(&network, &start(&network)), [[1, 0, 2]]);
    let later = after_halves(&network, 1);
    assert_eq!(participants(&network, &later), [[1, 0, 2, 3], [1, 0, 2, 3]]);
}

#[test]
fn a_broadcast_can_do_without_receivers() {
    let mut network = network(0, 0);
    let c = channel(&mut network, true, false);
    process(&mut network, [plain()], vec![send(edge(0, 0), c)]);
    assert_eq!(participants(&network, &start(&network)), [[0]]);
}

#[test]
fn a_receiver_that_can_not_enter_its_target_blocks_the_broadcast() {
    let mut network = network(1, 0);
    let c = channel(&mut network, true, false);
    process(&mut network, [plain()], vec![send(edge(0, 0), c)]);
    process(&mut network, [plain(), while_(at_most(X, 0))], vec![receive(edge(0, 1), c)]);
    assert_eq!(participants(&network, &start(&network)), [[0, 1]]);
    assert!(participants(&network, &after_halves(&network, 1)).is_empty());
}

#[test]
fn invariants_bound_delays() {
    let mut network = network(2, 1);
    process(&mut network, [while_(at_most(X, 3))], vec![]);
    assert_eq!(limit(&network), up_to(3));
    process(&mut network, [while_(below(X, 3))], vec![]);
    assert_eq!(limit(&network), short_of(3));
    let concrete = Concrete::new(&network);
    let state = start(&network);
    assert!(concrete.may_wait(&state, Rational::new(29, 10)).unwrap());
    assert!(!concrete.may_wait(&state, Rational::from(3)).unwrap());
    let variable = compare(Y, Relation::LessEqual, load(0));
    process(&mut network, [while_(variable)], vec![]);
    assert_eq!(limit(&network), up_to(0));
    network.initial.ints[0] = 2;
    assert_eq!(limit(&network), up_to(2));
}

#[test]
fn invariants_of_all_processes_are_checked_at_the_end() {
    let mut network = network(1, 1);
    let mut wary = plain();
    wary.invariant.data.push(binary(BinaryOp::Equal, load(0), Expr::Int(0)));
    process(
        &mut network,
        [plain()],
        vec![
            doing(edge(0, 0), vec![set(variable(0), Expr::Int(1))]),
            // What holds in between does not count.
            doing(edge(0, 0), vec![set(variable(0), Expr::Int(1)), set(variable(0), Expr::Int(0))]),
        ],
    );
    assert_eq!(participants(&network, &start(&network)), [[0], [0]]);
    process(&mut network, [wary], vec![]);
    assert_eq!(participants(&network, &start(&network)), [[0]]);
}

#[test]
fn a_state_that_breaks_an_invariant_is_no_start() {
    let mut network = network(1, 0);
    process(&mut network, [plain(), plain(), while_(below(X, 0))], vec![]);
    network.processes[ProcessId::from_index(0)].initial =
        (0..3).map(LocationId::from_index).collect();
    assert_eq!(Concrete::new(&network).initial().unwrap().len(), 2);
}

#[test]
fn time_stands_still_in_urgent_locations() {
    let mut network = network(1, 0);
    process(&mut network, [plain()], vec![edge(0, 0)]);
    assert_eq!(limit(&network), FOR_EVER);
    process(&mut network, [location(LocationKind::Urgent, vec![])], vec![edge(0, 0)]);
    assert_eq!(limit(&network), up_to(0));
    assert_eq!(participants(&network, &start(&network)), [[0], [1]]);
}

#[test]
fn committed_locations_are_left_first() {
    let mut network = network(1, 0);
    let c = channel(&mut network, false, false);
    let committed = || location(LocationKind::Committed, vec![]);
    process(&mut network, [plain()], vec![edge(0, 0), send(edge(0, 0), c)]);
    process(&mut network, [plain()], vec![receive(edge(0, 0), c)]);
    process(&mut network, [committed()], vec![edge(0, 0), receive(edge(0, 0), c)]);
    process(&mut network, [committed()], vec![]);
    assert_eq!(limit(&network), up_to(0));
    assert_eq!(participants(&network, &start(&network)), [vec![0, 2], vec![2]]);
}

#[test]
fn urgent_handshakes_stop_time_while_both_sides_are_ready() {
    let mut network = network(1, 1);
    let c = channel(&mut network, false, true);
    process(&mut network, [plain()], vec![send(edge(0, 0), c)]);
    assert_eq!(limit(&network), FOR_EVER);
    process(&mut network, [plain()], vec![only_if(receive(edge(0, 0), c), load(0))]);
    assert_eq!(limit(&network), FOR_EVER);
    network.initial.ints[0] = 1;
    assert_eq!(limit(&network), up_to(0));
}

#[test]
fn urgency_looks_at_guards_only() {
    let mut network = network(1, 0);
    let c = channel(&mut network, false, true);
    process(&mut network, [plain(), while_(below(X, 0))], vec![send(edge(0, 1), c)]);
    process(&mut network, [plain()], vec![receive(edge(0, 0), c)]);
    assert!(participants(&network, &start(&network)).is_empty());
    assert_eq!(limit(&network), up_to(0));
}

#[test]
fn urgent_broadcasts_stop_time_as_soon_as_the_sender_is_ready() {
    let mut network = network(1, 0);
    let c = channel(&mut network, true, true);
    process(&mut network, [plain()], vec![receive(edge(0, 0), c)]);
    assert_eq!(limit(&network), FOR_EVER);
    process(&mut network, [plain()], vec![send(edge(0, 0), c)]);
    assert_eq!(limit(&network), up_to(0));
}

#[test]
fn a_clock_guard_on_an_urgent_edge_stops_time_when_it_becomes_true() {
    let of = |constraint| {
        let mut network = network(1, 0);
        let c = channel(&mut network, true, true);
        process(&mut network, [plain()], vec![guarded(send(edge(0, 0), c), constraint)]);
        limit(&network)
    };
    assert_eq!(of(at_least(X, 2)), up_to(2));
    // There is no first instant after 2, so 2 is the last that can be reached.
    assert_eq!(of(above(X, 2)), up_to(2));
    assert_eq!(of(at_most(X, 2)), up_to(0));
    assert_eq!(of(compare(X, Relation::Equal, Expr::Int(2))), up_to(2));
    assert_eq!(of(below(X, 0)), FOR_EVER);
}

#[test]
fn selected_values_reach_guard_channel_and_update() {
    let mut network = network(0, 1);
    let c = channel(&mut network, true, false);
    channel(&mut network, false, false);
    let mut chosen = edge(0, 0);
    chosen.selects.push(select(0, 0, 1));
    chosen.selects.push(select(1, 3, 5));
    chosen.guard.data.push(binary(BinaryOp::NotEqual, local(1), Expr::Int(4)));
    chosen.update.push(set(variable(0), local(1)));
    let value = local(0);
    let index = punctual_model::Index { value, lo: 0, len: 2, stride: 1 };
    chosen.sync = Sync::Send(Indexed { base: c, indices: vec![index] });
    process(&mut network, [plain()], vec![chosen]);
    // Nobody receives on the second channel, which is no broadcast.
    assert_eq!(results(&network), [3, 5]);
    let transitions = Concrete::new(&network).transitions(&start(&network)).unwrap();
    assert_eq!(transitions[1].0[0].selects, [0, 5]);
}

#[test]
fn every_branch_and_its_selected_values_are_possible() {
    let mut network = network(0, 1);
    let mut first = branch(0);
    first.selects.push(select(1, 1, 2));
    first.update.push(assign(variable(0), AssignOp::Combine(BinaryOp::Add), local(1)));
    let update = vec![set(variable(0), Expr::Int(3))];
    let branches = vec![first, branch(1)];
    process(&mut network, [plain(), plain()], vec![Edge { update, branches, ..edge(0, 0) }]);
    assert_eq!(results(&network), [4, 5, 3]);
    let transitions = Concrete::new(&network).transitions(&start(&network)).unwrap();
    assert_eq!(transitions[2].0[0].branch, 1);
    assert_eq!(transitions[2].1.locations, [LocationId::from_index(1)]);
}

#[test]
fn updates_come_in_order() {
    let mut network = network(0, 1);
    let c = channel(&mut network, true, false);
    network.before_update.push(append(1));
    network.after_update.push(append(9));
    let updating = |edge, digit| doing(edge, vec![append(digit), append(digit)]);
    process(&mut network, [plain()], vec![updating(receive(edge(0, 0), c), 4)]);
    let mut sender = updating(send(edge(0, 0), c), 2);
    sender.branches[0].update.push(append(3));
    process(&mut network, [plain()], vec![sender]);
    process(&mut network, [plain()], vec![updating(receive(edge(0, 0), c), 5)]);
    assert_eq!(results(&network), [122_344_559]);
}

#[test]
fn meta_variables_start_anew_with_every_transition() {
    let mut network = network(0, 1);
    network.meta.ints.push(4);
    let meta = || place(Storage::Meta, 0, Range::INT);
    let update = vec![
        assign(meta(), AssignOp::Combine(BinaryOp::Add), Expr::Int(1)),
        set(variable(0), Expr::Load(meta())),
    ];
    process(&mut network, [plain()], vec![doing(edge(0, 0), update)]);
    assert_eq!(results(&network), [5]);
    let concrete = Concrete::new(&network);
    let (_, next) = concrete.transitions(&start(&network)).unwrap().remove(0);
    assert_eq!(concrete.transitions(&next).unwrap()[0].1, next);
}

#[test]
fn clocks_are_set_copied_and_shifted() {
    let mut network = network(2, 0);
    let update = vec![
        set_clock(Y, shifted(2, X)),
        set_clock(X, Expr::Int(1)),
        set_clock(X, Expr::Clock(clock(Y))),
    ];
    process(&mut network, [plain()], vec![doing(edge(0, 0), update)]);
    let transitions = Concrete::new(&network).transitions(&after_halves(&network, 1)).unwrap();
    assert_eq!(transitions[0].1.clocks, [Rational::new(5, 2), Rational::new(5, 2)]);
}

#[test]
fn a_clock_is_not_set_below_zero() {
    let mut network = network(1, 0);
    process(&mut network, [plain()], vec![doing(edge(0, 0), vec![set_clock(X, shifted(-1, X))])]);
    assert_eq!(fault(&network), FaultKind::NegativeClock { value: -1 });
    let concrete = Concrete::new(&network);
    assert!(concrete.transitions(&after_halves(&network, 1)).is_err());
    assert!(concrete.transitions(&after_halves(&network, 2)).is_ok());
    assert_eq!(concrete.deadlocked(&after_halves(&network, 2)), Ok(false));
    assert!(concrete.deadlocked(&start(&network)).is_err());
}

#[test]
fn a_clock_that_would_be_set_below_zero_for_a_while_is_noticed() {
    let mut network = network(2, 0);
    // Between 1 and 2, where no constraint changes.
    let sets = doing(edge(0, 0), vec![set_clock(X, shifted(-2, Y))]);
    process(&mut network, [plain()], vec![guarded(sets, above(X, 1))]);
    let failure = Concrete::new(&network).deadlocked(&start(&network)).unwrap_err();
    assert_eq!(failure.fault.kind, FaultKind::NegativeClock { value: -1 });
}

#[test]
fn leaving_a_range_is_an_error_or_impossible() {
    let mut network = network(0, 1);
    let update = vec![set(variable(0), Expr::Int(10)), set(variable(0), Expr::Int(1))];
    process(&mut network, [plain()], vec![doing(edge(0, 0), update), edge(0, 0)]);
    assert_eq!(fault(&network), FaultKind::Range { value: 10, lo: 0, hi: 9 });
    network.range_policy = RangePolicy::Disable;
    assert_eq!(results(&network), [0]);
    let division = binary(BinaryOp::Divide, Expr::Int(1), load(0));
    process(&mut network, [plain()], vec![doing(edge(0, 0), vec![division])]);
    assert_eq!(fault(&network), FaultKind::DivisionByZero);
}

#[test]
fn a_guard_can_be_at_fault() {
    let mut network = network(0, 1);
    let index = punctual_model::Index { value: Expr::Int(1), lo: 0, len: 1, stride: 1 };
    let outside = Place { indices: vec![index], ..variable(0) };
    process(&mut network, [plain()], vec![only_if(edge(0, 0), Expr::Load(outside))]);
    assert_eq!(fault(&network), FaultKind::Index { value: 1, lo: 0, len: 1 });
}

#[test]
fn channels_come_first_then_processes() {
    let mut network = network(1, 0);
    let c = channel(&mut network, true, false);
    let d = channel(&mut network, true, false);
    network.channels[d].priority = 1;
    process(&mut network, [plain()], vec![send(edge(0, 0), c)]);
    process(&mut network, [plain()], vec![edge(0, 0)]);
    process(&mut network, [plain()], vec![guarded(send(edge(0, 0), d), at_least(X, 1))]);
    assert_eq!(participants(&network, &start(&network)), [[0], [1]]);
    network.processes[ProcessId::from_index(1)].priority = 1;
    assert_eq!(participants(&network, &start(&network)), [[1]]);
    // A higher one counts only at the same instant, and never keeps time from passing.
    assert_eq!(limit(&network), FOR_EVER);
    assert_eq!(participants(&network, &after_halves(&network, 2)), [[2]]);
    network.default_priority = 2;
    assert_eq!(participants(&network, &after_halves(&network, 2)), [[1]]);
}

#[test]
fn the_highest_process_gives_the_priority_of_a_synchronisation() {
    let mut network = network(0, 0);
    let c = channel(&mut network, false, false);
    process(&mut network, [plain()], vec![send(edge(0, 0), c)]);
    process(&mut network, [plain()], vec![receive(edge(0, 0), c)]);
    process(&mut network, [plain()], vec![edge(0, 0)]);
    network.processes[ProcessId::from_index(1)].priority = 2;
    network.processes[ProcessId::from_index(2)].priority = 1;
    assert_eq!(participants(&network, &start(&network)), [[0, 1]]);
}

#[test]
fn a_higher_transition_that_is_impossible_does_not_count() {
    let mut network = network(1, 0);
    process(&mut network, [plain(), while_(below(X, 0))], vec![edge(0, 1)]);
    process(&mut network, [plain()], vec![edge(0, 0)]);
    network.processes[ProcessId::from_index(0)].priority = 1;
    assert_eq!(participants(&network, &start(&network)), [[1]]);
}

#[test]
fn an_error_that_a_priority_forbids_is_none() {
    let mut network = network(0, 1);
    let wrong = doing(edge(0, 0), vec![set(variable(0), Expr::Int(10))]);
    process(&mut network, [plain()], vec![wrong]);
    process(&mut network, [plain()], vec![edge(0, 0)]);
    network.processes[ProcessId::from_index(1)].priority = 1;
    assert_eq!(participants(&network, &start(&network)), [[1]]);
    network.processes[ProcessId::from_index(0)].priority = 2;
    assert_eq!(fault(&network), FaultKind::Range { value: 10, lo: 0, hi: 9 });
}

#[test]
fn all_who_know_a_csp_channel_take_part() {
    let mut network = network(0, 0);
    let c = channel(&mut network, false, false);
    process(&mut network, [plain()], vec![csp(edge(0, 0), c)]);
    assert_eq!(participants(&network, &start(&network)), [[0]]);
    process(&mut network, [plain()], vec![csp(edge(0, 0), c), csp(edge(0, 0), c)]);
    assert_eq!(participants(&network, &start(&network)), [[0, 1], [0, 1]]);
    process(&mut network, [plain(), plain()], vec![csp(edge(1, 0), c)]);
    assert!(participants(&network, &start(&network)).is_empty());
}

fn vector(participants: &[(usize, EventId, bool)]) -> SyncVector {
    let participant = |&(process, event, weak): &(usize, EventId, bool)| Participant {
        process: ProcessId::from_index(process),
        event,
        weak,
    };
    SyncVector { participants: participants.iter().map(participant).collect() }
}

#[test]
fn events_happen_alone_or_in_vectors() {
    let mut network = network(0, 1);
    let e = network.events.push("e".to_owned());
    let updating = |digit| doing(event(edge(0, 0), e), vec![append(digit)]);
    process(&mut network, [plain()], vec![updating(1)]);
    process(&mut network, [plain()], vec![updating(2)]);
    process(&mut network, [plain()], vec![updating(3)]);
    assert_eq!(results(&network), [1, 2, 3]);
    // The order is that of the vector.
    network.sync_vectors.push(vector(&[(1, e, false), (0, e, false)]));
    assert_eq!(results(&network), [3, 21]);
    // A vector of one changes nothing.
    network.sync_vectors.push(vector(&[(1, e, false)]));
    assert_eq!(results(&network), [3, 21]);
}

#[test]
fn strong_participants_must_and_weak_ones_do_if_they_have_an_edge() {
    let mut network = network(0, 0);
    let e = network.events.push("e".to_owned());
    process(&mut network, [plain(), plain()], vec![event(edge(0, 1), e)]);
    process(&mut network, [plain(), plain()], vec![event(edge(0, 1), e)]);
    network.sync_vectors.push(vector(&[(0, e, false), (1, e, true)]));
    let first = LocationId::from_index(1);
    let mut state = start(&network);
    assert_eq!(participants(&network, &state), [[0, 1]]);
    state.locations[1] = first;
    assert_eq!(participants(&network, &state), [[0]]);
    state.locations[0] = first;
    assert!(participants(&network, &state).is_empty());
    state.locations[1] = LocationId::from_index(0);
    assert!(participants(&network, &state).is_empty());
    // A guard that does not hold keeps nobody out: it blocks.
    network.processes[ProcessId::from_index(1)].edges =
        [only_if(event(edge(0, 1), e), Expr::FALSE)].into_iter().collect();
    assert!(participants(&network, &start(&network)).is_empty());
}

#[test]
fn a_vector_of_weak_participants_needs_one_of_them() {
    let mut network = network(0, 0);
    let e = network.events.push("e".to_owned());
    process(&mut network, [plain(), plain()], vec![event(edge(0, 1), e)]);
    process(&mut network, [plain(), plain()], vec![event(edge(0, 1), e)]);
    network.sync_vectors.push(vector(&[(0, e, true), (1, e, true)]));
    let mut state = start(&network);
    assert_eq!(participants(&network, &state), [[0, 1]]);
    state.locations[0] = LocationId::from_index(1);
    assert_eq!(participants(&network, &state), [[1]]);
    state.locations[1] = LocationId::from_index(1);
    assert!(participants(&network, &state).is_empty());
}

#[test]
fn a_clock_stands_still_where_any_location_says_so() {
    let mut network = network(2, 1);
    let mut stopping = while_(at_most(X, 3));
    stopping.rates.push(Rate { clock: clock(X), number: Number::Int, value: load(0) });
    process(&mut network, [stopping], vec![]);
    process(&mut network, [plain()], vec![]);
    assert_eq!(limit(&network), FOR_EVER);
    assert_eq!(after_halves(&network, 1).clocks, [Rational::ZERO, Rational::new(1, 2)]);
    network.initial.ints[0] = 1;
    assert_eq!(limit(&network), up_to(3));
    network.initial.ints[0] = 2;
    let fault = Concrete::new(&network).wait_limit(&start(&network)).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Rate { value: 2 });
}

#[test]
fn deadlock_looks_at_all_allowed_delays() {
    let deadlocked = |invariant, guard, target| {
        let mut network = network(2, 0);
        process(
            &mut network,
            [while_(invariant), while_(target)],
            vec![guarded(edge(0, 1), guard)],
        );
        Concrete::new(&network).deadlocked(&start(&network)).unwrap()
    };
    let any = || at_least(X, 0);
    assert!(!deadlocked(any(), above(X, 2), any()));
    assert!(!deadlocked(at_most(X, 2), at_least(X, 2), any()));
    assert!(deadlocked(below(X, 2), at_least(X, 2), any()));
    assert!(deadlocked(at_most(X, 2), above(X, 2), any()));
    // Only between 2 and 3, where the target can be entered.
    assert!(!deadlocked(any(), above(X, 2), below(Y, 3)));
    assert!(deadlocked(any(), at_least(X, 3), below(Y, 3)));
    let mut network = network(1, 0);
    process(
        &mut network,
        [location(LocationKind::Urgent, vec![])],
        vec![guarded(edge(0, 0), above(X, 0))],
    );
    assert_eq!(Concrete::new(&network).deadlocked(&start(&network)), Ok(true));
}

#[test]
fn critical_delays_include_those_of_targets_that_are_entered_later() {
    let mut network = network(2, 0);
    // The target asks for y <= 4 after y := x + 1.
    let moving = doing(edge(0, 1), vec![set_clock(Y, shifted(1, X))]);
    process(&mut network, [plain(), while_(at_most(Y, 4))], vec![guarded(moving, at_least(X, 1))]);
    let delays = Concrete::new(&network).critical_delays(&start(&network)).unwrap();
    assert_eq!(delays, [Rational::from(1), Rational::from(3)]);
}

#[test]
fn functions_have_memory_of_their_own() {
    let mut network = network(0, 1);
    let param = place(Storage::Local, 0, Range { lo: 0, hi: 5 });
    // int f(int n) { while (n > 1) { n = n - 2 } return n; }
    let less = binary(BinaryOp::Subtract, Expr::Load(param.clone()), Expr::Int(2));
    let body = vec![
        Statement::While(
            binary(BinaryOp::Greater, Expr::Load(param.clone()), Expr::Int(1)),
            vec![Statement::Expr(set(param.clone(), less))],
        ),
        Statement::Return(Some(Expr::Load(param.clone()))),
    ];
    let function = network.functions.push(Function {
        name: "f".to_owned(),
        params: vec![Param { name: "n".to_owned(), place: param }],
        returns: ReturnType::Int(Range::INT),
        frame: Frame { ints: 1, doubles: 0 },
        shares_frame: false,
        body: FunctionBody::Statements(body),
    });
    let call = |argument| Expr::Call { function, arguments: vec![argument] };
    // sum (i : 1..5) f(i), with i in the slot that the function uses for n.
    let sum = Expr::Quantifier {
        quantifier: Quantifier::Sum,
        slot: 0,
        range: Range { lo: 1, hi: 5 },
        number: Number::Int,
        body: Box::new(call(local(0))),
    };
    process(&mut network, [plain()], vec![doing(edge(0, 0), vec![set(variable(0), sum)])]);
    assert_eq!(results(&network), [3]);
    let update = vec![set(variable(0), call(Expr::Int(6)))];
    process(&mut network, [plain()], vec![doing(edge(0, 0), update)]);
    assert_eq!(fault(&network), FaultKind::Range { value: 6, lo: 0, hi: 5 });
}

#[test]
fn arithmetic_that_has_no_result_is_a_fault() {
    let of = |op, left, right| {
        let mut network = network(0, 1);
        let expr = binary(op, Expr::Int(left), Expr::Int(right));
        process(&mut network, [plain()], vec![doing(edge(0, 0), vec![expr])]);
        fault(&network)
    };
    assert_eq!(of(BinaryOp::Add, i32::MAX, 1), FaultKind::Overflow);
    assert_eq!(of(BinaryOp::Divide, i32::MIN, -1), FaultKind::Overflow);
    assert_eq!(of(BinaryOp::Remainder, 1, 0), FaultKind::DivisionByZero);
    assert_eq!(of(BinaryOp::ShiftLeft, 1, 32), FaultKind::Shift { by: 32 });
    assert_eq!(of(BinaryOp::Power, 2, -1), FaultKind::Power { exponent: -1 });
}

#[test]
fn predicates_see_locations_integers_and_clocks() {
    let mut network = network(1, 1);
    process(&mut network, [plain(), plain()], vec![]);
    let state = after_halves(&network, 3);
    let holds = |expr| {
        let predicate = StateExpr { expr, number: Number::Int, frame: Frame::default() };
        Concrete::new(&network).holds(&state, &predicate).unwrap()
    };
    let at = |i| Expr::InLocation(ProcessId::from_index(0), LocationId::from_index(i));
    assert!(holds(at(0)) && !holds(at(1)));
    assert!(!holds(load(0)));
    let late = Expr::ClockConstraint(Box::new(above(X, 1)));
    assert!(holds(binary(BinaryOp::And, at(0), late.clone())));
    // What is on the right does not count where the left decides.
    let fault = binary(BinaryOp::Divide, Expr::Int(1), load(0));
    assert!(holds(binary(BinaryOp::Or, late, fault)));
}
