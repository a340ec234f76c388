//! The controller by itself: scripts, and long runs among trains that come by chance.

mod program;
mod runs;
mod scripts;
mod trains;
