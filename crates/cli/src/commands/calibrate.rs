//! `punctual calibrate`: how long the sensors and actuators of a platform take.

use std::path::PathBuf;

use clap::Args;
use punctual_campaign::load::load;
use punctual_campaign::platform::calibrate::{Obstacle, Pulsing, calibrate};
use punctual_campaign::platform::{Between, Mounting};
use punctual_campaign::prepare::{Wishes, prepare};
use punctual_exec::Timekeeping;
use punctual_lang::{platform, testing};
use punctual_model::testing::suite::Suite;
use punctual_report::{calibration, fill, view};

use super::test::Named;
use crate::specification::Environment;
use crate::{INCONCLUSIVE, PASS, Stop, print, progress, write_file};

/// Measures how long the sensors and actuators of a live platform take, and writes the platform file with the delays that it has.
///
/// Each sensor is set to and fro. The device tells when a step is done (`signal`) and, if it can, when a value has arrived (`arrived` of the file). For each variable
/// mean and deviation are found; also whether its delays are normal, even or have two humps, and whether they drift. A device that does not tell when a value has arrived
/// is brought to situations of the model in which a change shows at once, and only between which steps it arrived is known: that takes longer, delays are taken to
/// be normal, and a pulse tells a third as much of a mean and a fifth as much of a deviation.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    punctual calibrate pump.lus --platform guess.toml --tcp 127.0.0.1:7000 -o platform.toml --picture delays.html\n  \
    punctual calibrate pump.lus --platform guess.toml --system './device' --clock real --pulses 50\n\n\
    Exit codes: 0 measured, 2 rejected input, no system, or a value that never arrives, 3 stopped by the user.")]
pub(crate) struct Calibrate {
    /// The synchronous model that runs on the platform (`.lus`)
    model: PathBuf,
    /// What is known of the platform: its variables, `signal`, and `arrived` if the device tells of that. Delays that can be measured are not minded
    #[arg(long, value_name = "FILE")]
    platform: PathBuf,
    /// The program to measure, with its arguments
    #[arg(long, value_name = "COMMAND", group = "place")]
    system: Option<String>,
    /// The system listens at this address
    #[arg(long, value_name = "HOST:PORT", group = "place")]
    tcp: Option<String>,
    /// The system connects to this address
    #[arg(long, value_name = "HOST:PORT", group = "place")]
    listen: Option<String>,
    /// The system is the model, or another one, on a platform that is simulated
    #[arg(long, value_name = "MODEL", group = "place")]
    play: Option<String>,
    /// The delays of the platform that is simulated
    #[arg(long, value_name = "FILE", requires = "play")]
    simulate: Option<PathBuf>,
    /// So many delays of each variable
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(8..=1_000_000))]
    pulses: u32,
    /// What all chance comes from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which clock tells the time
    #[arg(long, value_enum, default_value_t = super::test::ClockChoice::Virtual)]
    clock: super::test::ClockChoice,
    /// Write the platform file with its delays
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a page with the delays of each variable
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Calibrate {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let named = Named {
            system: self.system.as_deref(),
            tcp: self.tcp.as_deref(),
            listen: self.listen.as_deref(),
            play: self.play.as_deref().map(|path| (path, testing::Policy::Random)),
            ..Named::default()
        };
        let mut loaded = load(&self.model, None, Environment::Model.into())?;
        // Nothing is judged: the tester only sets sensors.
        loaded.judges.suite = Some(Suite::default());
        let mounting = Mounting { simulated: self.simulate.clone(), ..Mounting::default() };
        let wishes = Wishes {
            system: named.under_test()?,
            clock: Some(match self.clock {
                super::test::ClockChoice::Real => Timekeeping::Real,
                super::test::ClockChoice::Virtual => Timekeeping::Virtual,
            }),
            seed: Some(self.seed),
            between: Between::File(self.platform.clone()),
            mounting,
            ..Wishes::default()
        };
        let prepared = prepare(loaded, &wishes)?;
        let plan = &prepared.plan;
        let message = |text: String| Stop::Message(text);
        let (Some(steps), Some(mounted)) = (&plan.judges.steps, plan.mounted()) else {
            return Err(message("a platform has a synchronous model (`.lus`)".to_owned()));
        };
        let mut sut = plan.connect(0).map_err(|error| message(error.to_string()))?;
        progress::listen_to_the_user();
        let mut watcher = progress::Watcher::new(1, 1, !self.quiet && !self.json);
        let pulsing = Pulsing { pulses: self.pulses as usize, seed: self.seed };
        let both = (&*mounted.platform, &*mounted.outside);
        let found =
            calibrate(&mut *sut, steps, both, pulsing, progress::stop(), |known, wanted| {
                watcher.draw(|_| format!("{known} of {wanted} delays"));
            });
        drop(watcher);
        let found = match found {
            Ok(found) => found,
            Err(why @ Obstacle::Stopped) => {
                tell!("{why}: nothing is written");
                return Ok(INCONCLUSIVE);
            }
            Err(why) => return Err(message(why.to_string())),
        };
        let shown = fill::calibration::calibration(&found);
        if let Some(path) = &self.output {
            write_file(path, &platform::print(&found.platform, steps.program()))?;
        }
        if let Some(path) = &self.picture {
            write_file(path, &calibration::html(&shown))?;
        }
        match (self.json, self.quiet) {
            (true, _) => print(&view::json(&shown))?,
            (false, true) => {}
            (false, false) => print(&calibration::text(&shown))?,
        }
        Ok(PASS)
    }
}
