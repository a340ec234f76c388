//! Tests of how systems are reached.

mod breakdowns;
mod coffee;
mod examples;
mod inside;
mod libraries;
mod model;
mod nasty;
mod platform;
mod program;
mod real_clock;
mod runs;
mod soundness;
mod support;
mod tron;
mod tron_time;
mod version2;

#[expect(unreachable_pub, reason = "an example of its own")]
#[path = "../../../sdk/examples/coffee_machine.rs"]
mod coffee_machine;
