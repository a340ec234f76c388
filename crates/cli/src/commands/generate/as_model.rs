//! Cases as models: each a process beside the system.

use std::path::Path;

use punctual_lang::convert::to_document;
use punctual_lang::document::Query;
use punctual_lang::{Text, uppaal::xml};
use punctual_model::testing::suite::Suite;
use punctual_semantics::specification::Specification;
use punctual_testgen::timed::beside;

use crate::{Stop, write_file};

/// Writes a model of UPPAAL for each case, `case001.xml` and so on, with queries about it; gives how many.
pub(super) fn write(
    folder: &Path,
    specification: &Specification,
    suite: &Suite,
) -> Result<usize, Stop> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Stop::Message(format!("can not make `{}`: {error}", folder.display())))?;
    let (network, wired) = (&specification.network, &specification.wired);
    for (number, case) in (1..).zip(&suite.cases) {
        let refused = |why: String| Stop::Message(format!("`{}`: {why}", case.name));
        let made = beside(network, wired, &specification.split, case)
            .map_err(|unfit| refused(unfit.to_string()))?;
        let mut document = to_document(&made.network).map_err(|problems| {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            refused(problems.join("\n  "))
        })?;
        let test = &made.network.processes[made.test].name;
        let units = match made.per_unit {
            1 => String::new(),
            n => format!(" Clocks count {n} for a time unit of the model."),
        };
        for (formula, comment) in [
            (format!("E<> {test}.Failed"), format!("{}: may it fail?{units}", case.name)),
            (format!("E<> {test}.Passed"), "May it pass?".to_owned()),
            (format!("A<> {test}.Failed || {test}.Passed"), "Does it always end?".to_owned()),
        ] {
            let text = |text: &str| Text::verbatim(text, 0);
            document.queries.push(Query {
                formula: text(&formula),
                comment: text(&comment),
                ..Query::default()
            });
        }
        write_file(&folder.join(format!("case{number:03}.xml")), &xml::write(&document))?;
    }
    Ok(suite.cases.len())
}
