//! How long signals take on the real clock.

use serde::Serialize;

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
}

impl Measured {
    /// The figures, and the lines of the interface file.
    #[must_use]
    pub fn text(&self) -> String {
        let ms = |ns: u64| format!("{:.2} ms", ns as f64 / 1e6);
        if self.handed_over == 0 {
            return format!(
                "nothing was handed over to the system in {} runs, so nothing was measured\n",
                self.runs
            );
        }
        format!(
            "{} runs, {} inputs handed over: {} each in the median, {} at most; the machine was late by up to {}\n\n\
             [uncertainty]\noutput = \"0..{}us\"\n\n\
             An output takes no longer than a message there and back, and the machine's lateness; this is twice as much, since a longer\n\
             measurement finds more. Handing over an input is known to the instant: `input` needs nothing unless there are delays behind it.\n",
            self.runs,
            self.handed_over,
            ms(self.median_ns),
            ms(self.most_ns),
            ms(self.late_ns),
            self.output_ns.div_ceil(1_000),
        )
    }
}
