//! Reports: what people look at, made from plain view types.
//!
//! [`view`] says what is shown; [`fill`] makes views of what front-ends and engines say. [`outline`]
//! writes a model as text, [`program`] a synchronous one, [`interface`] how it is tested, [`answers`]
//! what the checker says about it, [`trace`] a run of it; [`layout`] finds coordinates where an author
//! gave none, and [`svg`] draws; [`plot`] draws what many runs did; [`runs`] shows records of tests,
//! [`stepping`] tests of synchronous programs, [`waves`] their steps, [`mutants`] networks with seeded faults,
//! [`usecases`] folders of requirements.
//!
//! [`view`] and everything that shows a view knows no front-end and no engine: `fill` alone does.
//!
//! Any view value can be drawn: wrong indices, extreme coordinates and hostile texts give a
//! picture that leaves something out, never a panic or a malformed document.
//!
//! ```
//! use punctual_report::{svg, view};
//!
//! let mut lamp = view::Diagram { name: "Lamp".into(), ..Default::default() };
//! lamp.locations.push(view::Location { initial: true, ..view::Location::named("off") });
//! lamp.locations.push(view::Location::named("on"));
//! let press = view::Edge::new(view::End::Location(0), view::End::Location(1))
//!     .with(view::LabelKind::Synchronisation, "press?");
//! lamp.edges.push(press);
//! let sheet = view::Sheet { title: "A lamp".into(), diagrams: vec![lamp] };
//! assert!(svg::render(&sheet, &svg::Options::default()).starts_with("<svg"));
//! ```

pub mod answers;
pub mod calibration;
mod dump;
pub mod evidence;
pub mod expected;
pub mod fill;
mod geometry;
pub mod interface;
pub mod layout;
pub mod mutants;
pub mod oracles;
pub mod outline;
pub mod plot;
pub mod program;
pub mod repeated;
pub mod runs;
pub mod score;
pub mod stepping;
pub mod suites;
pub mod svg;
mod table;
mod text;
pub mod trace;
pub mod usecases;
pub mod view;
pub mod waves;
