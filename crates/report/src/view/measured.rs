//! How long signals take on the real clock.

use serde::Serialize;

use crate::suites::plural;

/// What was measured in some runs, and what follows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Measured {
    /// Runs that were made.
    pub runs: u64,
    /// Inputs, steps and readings that were handed over.
    pub handed_over: u64,
    /// How long handing over took, in half of all cases at most.
    pub median_ns: u64,
    /// How long handing over took at the most.
    pub most_ns: u64,
    /// How late the machine was at the most.
    pub late_ns: u64,
    /// How long an output should be allowed to take.
    pub output_ns: u64,
    /// By how much the clock of the system may be wrong, as in `50ppm`; not there if its outputs have no stamps, or their clock
    /// is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<String>,
    /// Between which rates the clock of the system runs faster (slower if negative), in parts per billion, as its stamps tell; not
    /// there if its outputs have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rates_ppb: Option<(i64, i64)>,
}

impl Measured {
    /// The figures, and the lines of the interface file.
    #[must_use]
    pub fn text(&self) -> String {
        let ms = |ns: u64| format!("{:.2} ms", ns as f64 / 1e6);
        if self.handed_over == 0 {
            return format!(
                "nothing was handed over to the system in {}, so nothing was measured\n",
                plural(self.runs as usize, "run")
            );
        }
        let drift =
            self.drift.as_ref().map_or_else(String::new, |it| format!("drift = \"{it}\"\n"));
        let rates = self.rates_ppb.map_or_else(String::new, |(slowest, fastest)| {
            let [slowest, fastest] = [slowest, fastest].map(|ppb| ppb as f64 / 1e3);
            let more = if self.drift.is_none() { " A longer measurement (`--time`) says more." } else { "" };
            format!(
                "The stamps of its outputs say that the clock of the system runs faster than ours by {slowest:+.1} to {fastest:+.1} ppm.{more}\n"
            )
        });
        format!(
            "{}, {} handed over: {} each in the median, {} at most; the machine was late by up to {}\n\n\
             [uncertainty]\noutput = \"0..{}us\"\n{}\n\
             An output takes no longer than a message there and back, and the machine's lateness; this is twice as much, since a longer\n\
             measurement finds more. Handing over an input is known to the instant: `input` needs nothing unless there are delays behind it.\n{}",
            plural(self.runs as usize, "run"),
            plural(self.handed_over as usize, "input"),
            ms(self.median_ns),
            ms(self.most_ns),
            ms(self.late_ns),
            self.output_ns.div_ceil(1_000),
            drift,
            rates,
        )
    }
}
