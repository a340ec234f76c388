//! Writes the pages that the browser test looks at: `cargo run --example pages -- FOLDER`.

#[path = "../tests/it/runs/infusion.rs"]
mod infusion;
#[path = "../tests/it/runs/sample.rs"]
mod sample;

use std::path::PathBuf;

use punctual_campaign::platform::Mode;
use punctual_campaign::store::Run;
use punctual_campaign::summary::{Digest, Summary};
use punctual_report::{fill, runs};

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "pages".into()));
    std::fs::create_dir_all(&folder)?;
    let mut cut = sample::trains("0002", 60);
    cut.bytes.truncate(cut.bytes.len() - 30);
    for (name, sample) in [
        ("fail", sample::coffee()),
        ("missing", sample::missing()),
        ("pass", sample::trains("0001", 60)),
        ("huge", sample::trains("0100", 100_000)),
        ("unfinished", cut),
        ("hostile", sample::hostile()),
        ("steered", sample::heater("0007", 7, true)),
        ("broken", sample::broken()),
    ] {
        let record = sample.record();
        let page = runs::page(&sample.run, &record, &sample.automata);
        std::fs::write(folder.join(format!("{name}.html")), page)?;
        std::fs::write(folder.join(format!("{name}.vcd")), runs::vcd(&record))?;
        print!("{}\n\n", runs::text(&sample.digest(), runs::Style::default()));
    }
    let mut all: Vec<sample::Sample> = (1..=26)
        .map(|number| sample::heater(&format!("{number:04}"), number, number % 5 == 4))
        .collect();
    all.extend([sample::coffee(), sample::missing(), sample::broken()]);
    all.push(sample::trains("0050", 40));
    for sample in &all {
        let page = runs::page(&sample.run, &sample.record(), &sample.automata);
        std::fs::write(folder.join(format!("{}.html", sample.run.name)), page)?;
    }
    let summary = Summary::from_digests(all.iter().map(sample::Sample::digest).collect());
    let automata = |digest: &Digest| {
        let same = all.iter().find(|it| it.record().header.model == digest.header.model);
        same.map(|it| it.automata.clone()).unwrap_or_default()
    };
    let link = |run: &Run| Some(format!("{}.html", run.name));
    let matrices = [sample::requirements()];
    let campaign = runs::Campaign {
        title: "nightly",
        link: &link,
        automata: &automata,
        matrices: &matrices,
        repeated: &[],
    };
    std::fs::write(folder.join("index.html"), runs::index(&summary, &campaign))?;
    for (name, played, platform, mode) in [
        ("platform", "faulty.lus", "platform.toml", Mode::Explained),
        ("direct", "pump.lus", "platform.toml", Mode::Direct),
        ("wide", "pump.lus", "wide.toml", Mode::Explained),
    ] {
        let made = infusion::runs(&folder.join(name), played, platform, mode);
        let page = fill::runs::page(&made[0]).map_err(std::io::Error::other)?;
        std::fs::write(folder.join(format!("{name}.html")), page)?;
    }
    Ok(())
}
