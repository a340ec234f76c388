//! Tests of how systems are reached.

mod coffee;
mod nasty;
mod real_clock;
mod support;

#[path = "../../../sdk/examples/coffee_machine.rs"]
mod coffee_machine;
