//! Files of test code along the cases of a suite.

use std::path::Path;

use punctual_lang::testcode::{self, TestCode};
use punctual_model::{Interface, Network, TimeScale, Wired};
use punctual_report::{fill, view};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_testgen::timed::{Run, World};

use crate::input::{self, Source};
use crate::{Stop, write_file};

/// A time unit of a model without an interface. Nothing tells; it only matters for durations in reports.
const UNIT_NS: u64 = 1_000_000;

/// The test code of a model; what is wrong with it is shown.
pub(super) fn code(source: &Source) -> Result<TestCode, Stop> {
    let (code, warnings) = testcode::read(source.model).map_err(|diagnostics| {
        input::show(&diagnostics, source.file);
        Stop::Reported
    })?;
    input::show(&warnings, source.file);
    if code.is_empty() {
        let message = format!(
            "`{}` has no test code: write it into labels of the kinds `testcode`, `testcodeEnter` \
             and `testcodeExit`; `docs/guide/generating.md` shows an example",
            source.file.name
        );
        return Err(Stop::Message(message));
    }
    Ok(code)
}

/// What a model without an interface is tested against: all of its processes are system, and nobody sees anything.
pub(super) fn alone(network: &Network) -> Result<Specification, Stop> {
    let interface = Interface::new(TimeScale { unit_ns: UNIT_NS, resolution: 1 });
    let named = Named { environment: Vec::new(), system: network.processes.ids().collect() };
    Specification::new(network.clone(), Wired::nowhere(interface), &named)
        .map_err(|rejection| Stop::Message(rejection.to_string()))
}

/// Writes a file for each run.
pub(super) fn write(
    folder: &Path,
    world: &World<'_>,
    code: &TestCode,
    runs: &[Run],
) -> Result<view::suite::TestCode, Stop> {
    let files = fill::testcode::files(world, code, runs).map_err(Stop::Message)?;
    std::fs::create_dir_all(folder)
        .map_err(|error| Stop::Message(format!("can not make `{}`: {error}", folder.display())))?;
    for file in &files {
        write_file(&folder.join(&file.name), &file.text)?;
    }
    Ok(fill::testcode::written(world, &folder.display().to_string(), &files, runs))
}
