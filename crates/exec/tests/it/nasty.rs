//! Systems that break the rules, at every point where they can.
