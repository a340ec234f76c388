//! What keeps the map of the project true, and its automation running.

mod commands;
mod python;
mod tidy;
