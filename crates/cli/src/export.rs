//! Suites in the languages of other tools, as files.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use punctual_lang::{
    Input,
    suite::export::{self, Format, Options, mapping},
};
use punctual_model::{Interface, testing::suite::Suite};

use crate::{Stop, guard::Guard, input, print, write_file};

/// What filling in a template may take: its engine bounds steps, and neither their time nor what they hold.
const TEMPLATE: (u64, Duration) = (1 << 30, Duration::from_secs(60));

/// How a suite is written in another language.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Exporting {
    /// For `--to text`: a table that says each line in the words of a rig
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// A template (Jinja) that is filled in with the suite
    #[arg(long, value_name = "FILE", conflicts_with = "map")]
    pub(crate) template: Option<PathBuf>,
}

impl Exporting {
    /// Writes a suite to a file, and beside it what it needs. What exists is replaced only if that is wished for; what
    /// says how the system is reached belongs to the user and is always kept.
    pub(crate) fn write(
        &self,
        interface: &Interface,
        suite: &Suite,
        format: Format,
        output: &Path,
        force: bool,
    ) -> Result<(), Stop> {
        let stem = output.file_stem().filter(|_| output.as_os_str() != "-");
        let name = stem.map_or(String::new(), |it| it.to_string_lossy().into_owned());
        let options = Options { name, mapping: self.mapping()?, template: self.template()? };
        let made = match &self.template {
            Some(path) => {
                let what = format!("the template `{}`", path.display());
                Guard::or_give_up(what, TEMPLATE, || {
                    export::export(interface, suite, format, &options)
                })
            }
            None => export::export(interface, suite, format, &options),
        };
        let files = made.map_err(|error| Stop::Message(error.to_string()))?;
        if output.as_os_str() == "-" {
            return print(&files.first().map_or(String::new(), |(_, text)| text.clone()));
        }
        // A mapping may want a file for each case: they go into a folder.
        let is_folder = self.map.is_some() && (files.len() != 1 || output.is_dir());
        if is_folder {
            std::fs::create_dir_all(output).map_err(|error| {
                Stop::Message(format!("can not make the folder `{}`: {error}", output.display()))
            })?;
        }
        for (at, (name, text)) in files.iter().enumerate() {
            let path = match (is_folder, at) {
                (true, _) => output.join(name),
                (false, 0) => output.to_owned(),
                (false, _) => output.with_file_name(name),
            };
            if !path.exists() {
                write_file(&path, text)?;
            } else if at > 0 && export::is_users(name) {
                tell!("note: kept `{}`", path.display());
            } else if force {
                write_file(&path, text)?;
            } else {
                let message = format!("`{}` exists; `--force` replaces it", path.display());
                return Err(Stop::Message(message));
            }
        }
        Ok(())
    }

    fn mapping(&self) -> Result<Option<mapping::Mapping>, Stop> {
        let Some(path) = &self.map else { return Ok(None) };
        let (name, bytes) = input::named_bytes(path)?;
        let reading = mapping::read(Input { name: &name, bytes: &bytes });
        input::show(&reading.diagnostics, &reading.file);
        reading.value.map(Some).ok_or(Stop::Reported)
    }

    fn template(&self) -> Result<Option<(String, String)>, Stop> {
        let Some(path) = &self.template else { return Ok(None) };
        let (name, bytes) = input::named_bytes(path)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Stop::Message(format!("`{name}` is no text in UTF-8")))?;
        Ok(Some((name, text)))
    }
}
