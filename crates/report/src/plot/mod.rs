//! Plots of what many runs did: when a property first held, how values went, how estimates compare.
//!
//! A [`Plot`] is one self-contained SVG document, drawn on white like the diagrams of
//! [`svg`](crate::svg), so that it can be read on a page of any colour; [`page`] puts plots on an
//! HTML page that says what is under the pointer. Nothing is loaded from elsewhere.
//!
//! Any data can be drawn: no runs, equal values, values that are no numbers. What a picture leaves
//! out (such values, runs beyond the first few hundred) a note below it says. A document stays
//! below about a megabyte, since points that fall on the same pixels are thinned.
//!
//! Not here: statistics. Estimates are shares of what is given; intervals and bands are handed in.
//!
//! ```
//! use punctual_report::plot::{Distribution, Plot};
//!
//! let plot = Plot::distribution(&Distribution {
//!     title: "Pr[<=20] (<> Train.Cross)",
//!     times: &[3.5, 7.25, 12.0],
//!     runs: 4,
//!     bound: 20.0,
//!     interval: Some((0.19, 0.99)),
//!     ..Distribution::default()
//! });
//! assert!(plot.svg().starts_with("<svg"));
//! assert!(plot.html().starts_with("<!DOCTYPE html>"));
//! ```

mod axes;
pub(crate) mod bins;
mod comparison;
mod distribution;
mod page;
mod picture;
pub(crate) mod scale;
mod thin;
mod trajectories;

pub use page::page;

/// A picture, ready to be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plot {
    title: String,
    svg: String,
}

impl Plot {
    /// When a property first held: the share of runs by then, and below it a histogram.
    pub fn distribution(distribution: &Distribution) -> Plot {
        Plot { title: distribution.title.to_string(), svg: distribution::draw(distribution) }
    }

    /// Values of expressions over time, one line for each run.
    pub fn trajectories(trajectories: &Trajectories) -> Plot {
        Plot { title: trajectories.title.to_string(), svg: trajectories::draw(trajectories) }
    }

    /// Values with their intervals, one bar each.
    pub fn comparison(comparison: &Comparison) -> Plot {
        Plot { title: comparison.title.to_string(), svg: comparison::draw(comparison) }
    }

    /// The picture as an SVG document.
    pub fn svg(&self) -> &str {
        &self.svg
    }

    /// The picture on an HTML page of its own.
    pub fn html(&self) -> String {
        page(&self.title, std::slice::from_ref(self))
    }
}

/// When a property first held, in those of many runs in which it did.
#[derive(Clone, Debug)]
pub struct Distribution<'a> {
    /// Usually the query.
    pub title: &'a str,
    /// What `times` are: time, steps, a cost.
    pub x_label: &'a str,
    /// When the property first held, for each run in which it did, in any order.
    pub times: &'a [f64],
    /// The number of all runs; `times` are a share of them.
    pub runs: u64,
    /// Where runs end, and with them the axis; not finite if they have no common end.
    pub bound: f64,
    /// The interval in which the probability at the bound lies.
    pub interval: Option<(f64, f64)>,
    /// How sure `interval` and `band` are, such as 0.95; only written.
    pub confidence: Option<f64>,
    /// The region in which the whole curve lies.
    pub band: Option<Band<'a>>,
}

impl Default for Distribution<'_> {
    fn default() -> Self {
        Distribution {
            title: "",
            x_label: "time",
            times: &[],
            runs: 0,
            bound: f64::INFINITY,
            interval: None,
            confidence: None,
            band: None,
        }
    }
}

/// Two step functions around a distribution: (time, probability) pairs in any order; each
/// probability holds from its time on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Band<'a> {
    /// The lower border.
    pub low: &'a [(f64, f64)],
    /// The upper border.
    pub high: &'a [(f64, f64)],
}

/// Values of expressions over time.
#[derive(Clone, Debug)]
pub struct Trajectories<'a> {
    /// Usually the query.
    pub title: &'a str,
    /// What the first number of each point is: time, steps, a cost.
    pub x_label: &'a str,
    /// Where runs end, and with them the axis, unless a point lies beyond; not finite if unknown.
    pub bound: f64,
    /// The expressions.
    pub series: Vec<Series<'a>>,
}

impl Default for Trajectories<'_> {
    fn default() -> Self {
        Trajectories { title: "", x_label: "time", bound: f64::INFINITY, series: Vec::new() }
    }
}

/// One expression in several runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Series<'a> {
    /// The expression.
    pub name: &'a str,
    /// What happens between two points.
    pub kind: SeriesKind,
    /// The (time, value) points of each run. A line has a gap where a value is not finite.
    pub runs: &'a [Vec<(f64, f64)>],
}

/// What a value does between two points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SeriesKind {
    /// It stays until the next point: integers and Booleans.
    Steps,
    /// It changes evenly: clocks and other numbers.
    Lines,
}

/// Values to compare, such as estimates of one probability for several models.
#[derive(Clone, Debug, Default)]
pub struct Comparison<'a> {
    /// What is compared.
    pub title: &'a str,
    /// What the values are.
    pub x_label: &'a str,
    /// The values, from top to bottom.
    pub bars: Vec<Bar<'a>>,
}

/// A value and the interval in which it lies.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bar<'a> {
    /// What has this value.
    pub name: &'a str,
    /// The value.
    pub value: f64,
    /// An interval around it.
    pub interval: Option<(f64, f64)>,
}
