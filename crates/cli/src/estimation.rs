//! How to estimate, and where to draw the estimates.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use punctual_report::plot::{self, Plot};
use punctual_smc::{self as smc, statistics};

use crate::{Stop, write_file};

/// How to estimate.
#[derive(Args)]
pub(crate) struct Estimation {
    /// How probabilities are estimated
    #[arg(long, value_enum, default_value_t, help_heading = "How to estimate")]
    estimator: Estimator,
    /// The risk of a wrong interval, and of rejecting a hypothesis that holds
    #[arg(long, value_name = "P", default_value_t = statistics::ALPHA, help_heading = "How to estimate")]
    alpha: f64,
    /// The risk of accepting a hypothesis that does not hold
    #[arg(long, value_name = "P", default_value_t = statistics::ALPHA, help_heading = "How to estimate")]
    beta: f64,
    /// How far a probability may be from its estimate
    #[arg(long, value_name = "P", default_value_t = statistics::EPSILON, help_heading = "How to estimate")]
    epsilon: f64,
    /// How far a probability may be from the threshold of a hypothesis for either answer to be fine
    #[arg(long, value_name = "P", default_value_t = 0.01, help_heading = "How to estimate")]
    delta: f64,
    /// How many runs, instead of what the query or the estimator says
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "How to estimate"
    )]
    runs: Option<u64>,
    /// Draw the answers of `Pr[…]` and `simulate` to this file (.svg or .html)
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Estimator {
    /// Exact intervals until they are narrow enough, as UPPAAL does
    #[default]
    ClopperPearson,
    /// A number of runs that is known in advance
    Okamoto,
    /// Score intervals until they are narrow enough: fewer runs, approximate
    Wilson,
    /// Intervals that hold at all times at once: stop whenever you like
    Anytime,
}

impl Estimation {
    pub(crate) fn options(&self, seed: u64, threads: usize) -> smc::Options {
        let Estimation { alpha, beta, epsilon, delta, runs, .. } = *self;
        let method = match self.estimator {
            Estimator::ClopperPearson => statistics::Method::ClopperPearson,
            Estimator::Okamoto => statistics::Method::Okamoto,
            Estimator::Wilson => statistics::Method::Wilson,
            Estimator::Anytime => statistics::Method::Anytime,
        };
        let defaults = smc::Options::default();
        smc::Options { seed, threads, method, alpha, beta, epsilon, delta, runs, ..defaults }
    }

    /// Whether the picture can be written; refused before long runs, not after them.
    pub(crate) fn check_plot(&self) -> Result<(), Stop> {
        let Some(path) = &self.plot else { return Ok(()) };
        if !["svg", "html"].contains(&suffix(path).as_str()) {
            return Err(Stop::Message(format!(
                "the suffix of `{}` does not tell a format; use .svg or .html",
                path.display()
            )));
        }
        match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
            Some(folder) => Err(Stop::Message(format!(
                "can not write `{}`: there is no folder `{}`",
                path.display(),
                folder.display()
            ))),
            None => Ok(()),
        }
    }

    pub(crate) fn wants_plots(&self) -> bool {
        self.plot.is_some()
    }

    /// Writes the pictures: several to one page, or to numbered files.
    pub(crate) fn write_plots(&self, title: &str, plots: &[Plot]) -> Result<(), Stop> {
        let Some(path) = &self.plot else { return Ok(()) };
        if plots.is_empty() {
            tell!("note: no answer can be drawn; `{}` is not written", path.display());
            return Ok(());
        }
        if suffix(path) == "html" {
            return write_file(path, &plot::page(title, plots));
        }
        if let [plot] = plots {
            return write_file(path, plot.svg());
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        for (index, plot) in plots.iter().enumerate() {
            let numbered = path.with_file_name(format!("{stem}-{}.svg", index + 1));
            write_file(&numbered, plot.svg())?;
        }
        Ok(())
    }
}

fn suffix(path: &Path) -> String {
    path.extension().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase()
}
