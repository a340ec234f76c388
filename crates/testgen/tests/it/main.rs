//! Tests of what is made for models before anything runs: random tests, covering tests, mutants.

mod automata;
mod beside;
mod chances;
mod cover;
mod coverage;
mod decide;
mod diverse;
mod expected;
mod figures;
mod first;
mod mutation;
mod paths;
mod random;
mod reach;
mod requirements;
mod shifts;
mod slices;
mod uio;
mod unique;
mod usecases;
mod values;

use punctual_lang::{Input, lustre};
use punctual_model::Network;
use punctual_model::lustre::Program;

/// The program that a text says.
fn program(text: &str) -> Program {
    let reading = lustre::read(Input { name: "test.lus", bytes: text.as_bytes() }, None);
    reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

/// The network of a file.
fn network(name: &str, bytes: &[u8]) -> Network {
    let reading = punctual_lang::read(name, bytes);
    reading.model.unwrap_or_else(|| panic!("{name}: {:?}", reading.diagnostics)).network
}

/// A heater that reacts late and waits between two times of heating.
const HEATER: &str = "
type mode = enum { idle, heating, resting };
node heater(on: bool; cold: int; limit: subrange [0, 9] of int) returns (state: mode; power: int; hot: bool);
var timer: int; wants: bool; unused: int;
let
  wants = on and (cold < limit or not (true -> pre hot)) and limit > 0;
  timer = 0 -> if pre state = heating then pre timer + 1 else if pre state = resting then pre timer - 1 else 0;
  state = idle -> if timer >= 3 then resting else if wants and timer <= 0 then heating else pre state;
  power = if state = heating then 2 * cold + 5 else 0;
  hot = (state = heating) => (false -> pre hot) xor on;
  unused = cold + 1;
  --%PROPERTY power >= 0 or state <> resting;
tel
";
