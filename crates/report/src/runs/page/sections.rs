//! The parts of a page that are words and tables.

use punctual_campaign::store::{Allowed, Clock, State};
use punctual_campaign::summary::Digest;

use super::thin::LeftOut;
use crate::runs::ports::Ports;
use crate::runs::text::{STATES_KEPT, cut, more_states};
use crate::runs::words;
use crate::text::one_line;

use crate::runs::html::{Html, Row};

/// More states than this are counted, not shown.
const STATES_MAX: usize = 10;

/// What the run came to, and what it was.
pub(super) fn verdict(page: &mut Html, digest: &Digest) {
    let word = words::verdict(digest.verdict());
    let symbol = words::symbol(digest.verdict());
    page.raw("<header>\n<div class=\"banner\">\n");
    page.raw(&format!("<span class=\"symbol\" aria-hidden=\"true\">{symbol}</span>\n<div>\n"));
    page.element("h1", " id=\"verdict\"", word);
    let (what, place) = words::split_headline(digest);
    page.element("p", " class=\"headline\"", &what);
    if !place.is_empty() {
        page.element("p", " class=\"where\"", &place);
    }
    page.raw("</div>\n</div>\n");
    if digest.is_cut {
        let text = "The last line of the record is cut off: the tester was stopped while it wrote.";
        page.element("p", " class=\"warning\"", text);
    }
    let header = &digest.header;
    let (replay, _) = words::replay(digest);
    let clock = match header.clock {
        Clock::Virtual => "virtual",
        Clock::Real => "real",
    };
    let hash: String = header.model.hash.chars().take(7).collect();
    let end = digest.end.as_ref();
    page.raw("<dl class=\"facts\">\n");
    let facts = [
        ("Model", format!("{} {hash}", header.model.file)),
        ("Case", one_line(&header.case)),
        ("Label", one_line(digest.label().unwrap_or_default())),
        ("Run", format!("{} (number {})", digest.run.name, header.run)),
        ("Shrunk from", one_line(&header.shrunk_from)),
        ("Seed", header.seed.to_string()),
        ("Clock", format!("{clock}, 1 unit = {}", words::seconds(header.unit_ns))),
        ("Strategy", strategy(&header.strategy)),
        ("Duration", words::seconds(digest.duration_ns())),
        (
            "Exchanged",
            words::exchanged([digest.inputs, digest.outputs, digest.steps, digest.readings]),
        ),
        ("Ended", end.and_then(|end| end.ending.as_ref()).map(words::ending).unwrap_or_default()),
        (
            "Tester too late by",
            end.and_then(|end| end.late_ns).map(words::seconds).unwrap_or_default(),
        ),
        ("Started", header.started.replace('T', " ")),
        ("Machine", one_line(&header.machine)),
        ("Tool", one_line(&header.tool)),
    ];
    page.facts(&facts);
    page.raw("</dl>\n<p class=\"replay\"><span>Replay</span> ");
    page.element("code", "", &replay).raw("</p>\n");
    if !header.command.is_empty() {
        page.raw("<p class=\"command\"><span>Command</span> ");
        page.element("code", "", &words::command(&header.command)).raw("</p>\n");
    }
    page.raw("</header>\n");
}

fn strategy(strategy: &serde_json::Value) -> String {
    match strategy {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => one_line(text),
        serde_json::Value::Object(table) => {
            let word = |value: &serde_json::Value| match value {
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            // The label is a fact of its own.
            let parts = table.iter().filter(|(name, _)| name.as_str() != "label");
            let parts: Vec<String> =
                parts.map(|(name, value)| format!("{name}: {}", word(value))).collect();
            one_line(&parts.join("; "))
        }
        other => one_line(&other.to_string()),
    }
}

/// Why the run did not pass.
pub(super) fn diagnosis(page: &mut Html, digest: &Digest) {
    let Some(diagnosis) = digest.end.as_ref().and_then(|end| end.diagnosis.as_ref()) else {
        return;
    };
    page.raw("<section id=\"diagnosis\">\n").element("h2", "", "Diagnosis");
    for paragraph in diagnosis.explanation.lines().filter(|line| !line.trim().is_empty()) {
        page.raw("<p class=\"explanation\">");
        // Names stand between backticks.
        for (i, part) in paragraph.split('`').enumerate() {
            match i % 2 {
                0 => page.text(part),
                _ => page.raw("<code>").text(part).raw("</code>"),
            };
        }
        page.raw("</p>\n");
    }
    page.raw("<div class=\"columns\">\n<div>\n").element("h3", "", "Seen");
    let when = if words::is_numbered(diagnosis) { "where" } else { "when, in units" };
    let cells = [
        ("what", one_line(&diagnosis.seen)),
        (when, one_line(&diagnosis.at)),
        ("kind", diagnosis.kind.to_string()),
    ];
    let cells = cells.into_iter().filter(|(_, cell)| !cell.is_empty());
    let (head, cells): (Vec<&str>, Vec<String>) = cells.unzip();
    page.cells("Seen", &head, &cells);
    if !diagnosis.allowed.is_empty() {
        page.element("h3", "", "Allowed instead");
        let row = |allowed: &Allowed| {
            let real = |text: &String| {
                words::nanoseconds(text, digest.header.unit_ns)
                    .map_or(String::new(), words::seconds)
            };
            let to = allowed.to.as_ref().map_or("for ever".to_owned(), real);
            let interval = words::interval(allowed);
            Row::from([words::signal(allowed), interval, real(&allowed.from), to])
        };
        let head = ["output", "when, in units", "from", "until"];
        page.table("Allowed instead", "plain", head, diagnosis.allowed.iter().map(row));
    }
    page.raw("</div>\n<div>\n");
    if !diagnosis.cut_off.is_empty() {
        page.element("h3", "", "What the specification says to that");
        let rows = diagnosis.cut_off.iter().map(|it| Row::from(cut(it)));
        page.table("What forbids it", "plain", ["where", "edge", "why not"], rows);
    }
    if !diagnosis.states.is_empty() {
        let n_states = diagnosis.states.len();
        let title = match n_states {
            1 => "The last good state".to_owned(),
            n if n >= STATES_KEPT => "The last good states".to_owned(),
            n => format!("The last {n} good states"),
        };
        page.element("h3", "", &title);
        for (number, it) in diagnosis.states.iter().take(STATES_MAX).enumerate() {
            let name = match n_states {
                1 => "Last good state".to_owned(),
                _ => format!("Good state {}", number + 1),
            };
            let rows = processes(it).into_iter().map(Row::from);
            page.table(&name, "plain", ["process", "location", "clocks", "variables"], rows);
        }
        if n_states > STATES_MAX {
            page.element("p", "", &format!("{}.", more_states(n_states - STATES_MAX, n_states)));
        }
    }
    page.raw("</div>\n</div>\n</section>\n");
}

/// A state as rows of a table: each process with its location and with the clocks and variables that belong to it, then
/// those that belong to none.
fn processes(state: &State) -> Vec<[String; 4]> {
    let variables: Vec<String> =
        state.variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let names = |location: &String| match location.rsplit_once('.') {
        Some((process, location)) => (process.to_owned(), location.to_owned()),
        None => (String::new(), location.clone()),
    };
    let processes: Vec<(String, String)> = state.locations.iter().map(names).collect();
    let owner = |text: &str| {
        let is_of = |(process, _): &(String, String)| {
            !process.is_empty()
                && text.strip_prefix(process.as_str()).is_some_and(|it| it.starts_with('.'))
        };
        processes.iter().position(is_of)
    };
    let of = |texts: &[String], process: Option<usize>| {
        let mine = texts.iter().filter(|it| owner(it) == process).map(|it| match process {
            // The name of the process stands in front of the row.
            Some(at) => it[processes[at].0.len() + 1..].to_owned(),
            None => it.clone(),
        });
        one_line(&mine.collect::<Vec<_>>().join(", "))
    };
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (at, (process, location)) in processes.iter().enumerate() {
        let (clocks, of_it) = (of(&state.clocks, Some(at)), of(&variables, Some(at)));
        rows.push([one_line(process), one_line(location), clocks, of_it]);
    }
    let (clocks, global) = (of(&state.clocks, None), of(&variables, None));
    if !clocks.is_empty() || !global.is_empty() {
        rows.push([String::new(), String::new(), clocks, global]);
    }
    rows
}

/// The place where the script draws.
pub(super) fn timeline(
    page: &mut Html,
    digest: &Digest,
    ports: &Ports<'_>,
    left_out: Option<LeftOut>,
) {
    let unit =
        format!("Time in units of the model; 1 unit is {}.", words::seconds(digest.header.unit_ns));
    page.raw("<section id=\"timeline\">\n<div class=\"title\">");
    page.element("h2", "", "Timeline");
    let note = left_out.map_or(String::new(), |LeftOut { after, n_events, from_ns, to_ns }| {
        format!(
            "The run is long: after the first {after} events, {n_events} are not on this page, from {} to {}. The record has them.",
            words::seconds(from_ns),
            words::seconds(to_ns)
        )
    });
    page.raw(concat!(
        "<div class=\"tools\" role=\"group\" aria-label=\"Timeline\">",
        "<button type=\"button\" data-do=\"out\" aria-label=\"Zoom out\">−</button>",
        "<button type=\"button\" data-do=\"in\" aria-label=\"Zoom in\">+</button>",
        "<button type=\"button\" data-do=\"fit\">Whole run</button>",
        "<button type=\"button\" data-do=\"failure\" hidden>Failure</button>",
        "</div></div>\n",
        "<div class=\"legend\" aria-hidden=\"true\">",
        "<span class=\"key input\">input</span><span class=\"key output\">output</span>",
        "<span class=\"key failure\">verdict</span>",
    ));
    let others = || ports.waves.iter().filter(|wave| !wave.others.is_empty());
    let has_band = ports.waves.iter().any(|wave| {
        !wave.tolerances.is_empty() || wave.others.iter().any(|it| it.changed.low.is_some())
    });
    for (is_there, class, name) in [
        (!digest.header.signals.is_empty(), "window", "output allowed"),
        (others().any(|wave| wave.is_input()), "steered", "as steered"),
        (others().any(|wave| !wave.is_input()), "model", "of the model"),
        (has_band, "band", "tolerance"),
        (ports.waves.iter().any(|wave| !wave.readings.is_empty()), "reading", "reading"),
    ] {
        if is_there {
            page.raw(&format!("<span class=\"key {class}\">{name}</span>"));
        }
    }
    page.raw(concat!(
        "</div>\n",
        "<div class=\"drawing\"><canvas id=\"lanes\" tabindex=\"0\" role=\"application\" ",
        "aria-roledescription=\"timeline\" aria-label=\"Inputs, outputs and when outputs were ",
        "allowed\" aria-describedby=\"keys\"></canvas>",
        "<canvas id=\"overview\" aria-hidden=\"true\"></canvas></div>\n",
        "<p id=\"chosen\" class=\"chosen\" aria-live=\"polite\"></p>\n",
        "<p id=\"keys\" class=\"hint\">Drag to move, Ctrl and wheel to zoom. With the timeline in ",
        "focus: <kbd>←</kbd> <kbd>→</kbd> move, <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>N</kbd> ",
        "<kbd>P</kbd> next and previous event, <kbd>0</kbd> whole run, <kbd>F</kbd> failure. ",
    ));
    page.text(&unit).raw("</p>\n");
    if !note.is_empty() {
        page.element("p", " class=\"hint\"", &note);
    }
    page.raw("<noscript><p>The timeline needs a script; the rest of this page does not.</p></noscript>\n");
    page.raw("</section>\n");
}

/// The place for the events.
pub(super) fn events(page: &mut Html, digest: &Digest) {
    let n_events = digest.inputs + digest.outputs + digest.steps + digest.readings;
    page.raw("<section id=\"events\">\n<div class=\"title\">").element("h2", "", "Events");
    page.raw(concat!(
        "<div class=\"tools\"><label class=\"search\"><span>Search</span>",
        "<input type=\"search\" id=\"search\" placeholder=\"signal, level(3), 12.5\"></label>",
        "<label><input type=\"checkbox\" id=\"inputs\" checked> inputs</label>",
        "<label><input type=\"checkbox\" id=\"outputs\" checked> outputs</label></div></div>\n",
        "<p id=\"found\" class=\"hint\" aria-live=\"polite\">",
    ));
    page.text(&words::count(n_events, "event", "events"));
    page.raw(concat!(
        "</p>\n<div id=\"rows\" class=\"rows\" role=\"table\" aria-label=\"Events\" tabindex=\"0\">",
        "<div class=\"row head\" role=\"row\"><span role=\"columnheader\">#</span>",
        "<span role=\"columnheader\">units</span><span role=\"columnheader\">seconds</span>",
        "<span role=\"columnheader\">event</span><span role=\"columnheader\">",
    ));
    page.raw(if digest.coverage.is_some() || !digest.header.signals.is_empty() {
        "states"
    } else {
        ""
    });
    page.raw(concat!(
        "</span></div>",
        "<div id=\"space\" role=\"rowgroup\"></div></div>\n</section>\n",
    ));
}

/// What the run took.
pub(super) fn statistics(page: &mut Html, digest: &Digest) {
    let Some(end) = &digest.end else { return };
    let costs = [("action", end.statistics.after_action), ("delay", end.statistics.after_delay)];
    if costs.iter().all(|(_, cost)| cost.n == 0) {
        return;
    }
    page.raw("<section id=\"statistics\">\n").element("h2", "", "Cost of judging");
    let rows = costs.iter().map(|(name, cost)| {
        Row::from([
            format!("after each {name}"),
            words::grouped(cost.n),
            format!("{:.1}", cost.mean_states),
            words::grouped(cost.max_states),
            format!("{:.1} µs", cost.mean_us),
            format!("{:.1} µs", cost.max_us),
        ])
    });
    let head = ["", "times", "states, mean", "at most", "time, mean", "at most"];
    page.table("Cost of judging", "plain numbers", head, rows);
    page.raw("</section>\n");
}
