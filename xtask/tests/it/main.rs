//! What keeps the map of the project true.

mod tidy;
