//! Writes the pages that the browser test looks at: `cargo run --example pages -- FOLDER`.

#[path = "../tests/it/runs/sample.rs"]
mod sample;

use std::path::PathBuf;

use punctual_report::runs;

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
    ] {
        let record = sample.record();
        let page = runs::page(&sample.run, &record, &sample.automata);
        std::fs::write(folder.join(format!("{name}.html")), page)?;
        std::fs::write(folder.join(format!("{name}.vcd")), runs::vcd(&record))?;
        print!("{}\n\n", runs::text(&sample.digest(), runs::Style::default()));
    }
    Ok(())
}
