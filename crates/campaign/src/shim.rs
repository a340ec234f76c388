//! Until `lang` has them.

use punctual_lang::{Input, SourceFile, diagnostic::Diagnostic};
use punctual_model::lustre::{Program, Type};
use punctual_model::testing::suite::Suite;
use punctual_model::{Interface, Port, PortRole, TimeScale, ValueType};

pub struct Options {
    pub period_ns: u64,
}
pub struct Reading {
    pub file: SourceFile,
    pub value: Option<Suite>,
    pub diagnostics: Vec<Diagnostic>,
}
pub fn read(
    input: Input<'_>,
    interface: &Interface,
    options: &Options,
    _: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Reading {
    use punctual_lang::traces;
    use punctual_model::testing::suite::{Body, Case, Table};
    let options2 = traces::Options {
        period_ns: Some(options.period_ns),
        outputs_may_be_missing: true,
        ..traces::Options::default()
    };
    let found = traces::read_all(input.name, input.bytes, interface, options2).expect("table");
    let cases = found
        .into_iter()
        .enumerate()
        .map(|(i, trace)| Case {
            name: format!("test {i}"),
            body: Body::Steps(Table {
                period_ns: options.period_ns,
                steps: trace
                    .events
                    .into_iter()
                    .filter_map(|it| match it.what {
                        punctual_model::Happening::Step(step) => Some(step),
                        _ => None,
                    })
                    .collect(),
            }),
        })
        .collect();
    Reading {
        file: SourceFile { name: input.name.to_owned(), text: String::new() },
        value: Some(Suite { cases }),
        diagnostics: Vec::new(),
    }
}

