//! Tests of how systems are reached.

mod coffee;
mod examples;
mod inside;
mod model;
mod nasty;
mod real_clock;
mod soundness;
mod support;
mod tron;
mod tron_time;

#[expect(unreachable_pub, reason = "an example of its own")]
#[path = "../../../sdk/examples/coffee_machine.rs"]
mod coffee_machine;
