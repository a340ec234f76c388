//! `punctual platform-host`: a program on a simulated platform, as a process of its own.

use std::io::{BufReader, Write as _};
use std::path::PathBuf;

use clap::Args;
use punctual_campaign::platform::hosted;
use punctual_exec::platform::Settings;

use crate::{PASS, Stop};

/// Serves a program on a simulated platform, to try tests before there is hardware: sensors and actuators have the delays that a platform file
/// says, on the clock that the tester chooses.
///
/// The tester reaches it over standard input and output, or over TCP.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual test tests.toml --platform platform.toml --clock real \\\n    \
      --system 'punctual platform-host pump.lus --platform platform.toml'\n  \
    punctual platform-host pump.lus --platform platform.toml --listen 127.0.0.1:7000")]
pub(crate) struct PlatformHost {
    /// The program: a Lustre model (`.lus`), or a mutant of it
    model: PathBuf,
    /// Sensors, actuators and their delays
    #[arg(long, value_name = "FILE")]
    platform: PathBuf,
    /// What all delays are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A step comes up to so many milliseconds early or late
    #[arg(long, value_name = "MS", default_value_t = 0)]
    jitter: u64,
    /// Wait for testers at this address, instead of standard input
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
}

impl PlatformHost {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let failed = |error: String| Stop::Message(error);
        let settings =
            Settings { seed: self.seed, jitter_ns: self.jitter.saturating_mul(1_000_000) };
        let system = hosted(&self.model, &self.platform, settings)?;
        match &self.listen {
            Some(address) => {
                let listener = std::net::TcpListener::bind(address)
                    .map_err(|error| failed(format!("`{address}`: {error}")))?;
                if let Ok(place) = listener.local_addr() {
                    let _ = writeln!(std::io::stderr(), "listening at {place}");
                }
                punctual_sdk::serve::listen(system, &listener)
            }
            None => punctual_sdk::serve::run(
                system,
                BufReader::new(std::io::stdin()),
                std::io::stdout(),
            ),
        }
        .map_err(|error| failed(error.to_string()))?;
        Ok(PASS)
    }
}
