//! Which format a file is in.
//!
//! What a file says decides; its suffix only where the content leaves it open. For output there is
//! no content, so there the suffix decides.

/// The formats of models and queries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// UPPAAL's XML.
    UppaalXml,
    /// UPPAAL's text format, `.xta` or `.ta`.
    Xta,
    /// TChecker's text format.
    TChecker,
    /// A network as JSON.
    Json,
    /// Queries, one per line.
    Queries,
}

impl Format {
    /// The format that a file with this suffix has, in upper or lower case.
    pub fn of_suffix(name: &str) -> Option<Self> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let (_, suffix) = file.rsplit_once('.')?;
        Some(match suffix.to_ascii_lowercase().as_str() {
            "xml" => Self::UppaalXml,
            "xta" | "ta" => Self::Xta,
            "tck" | "tchecker" | "txt" => Self::TChecker,
            "json" => Self::Json,
            "q" => Self::Queries,
            _ => return None,
        })
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::UppaalXml => "UPPAAL XML",
            Self::Xta => "UPPAAL XTA",
            Self::TChecker => "TChecker",
            Self::Json => "JSON",
            Self::Queries => "queries",
        }
    }
}

/// The format of a file; nothing if neither its text nor its name tells.
pub fn detect(name: &str, text: &str) -> Option<Format> {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    let suffix = Format::of_suffix(name);
    if start.starts_with('<') {
        return Some(Format::UppaalXml);
    }
    if let Some(inside) = start.strip_prefix('{')
        && (inside.trim_start().starts_with(['"', '}']) || suffix == Some(Format::Json))
    {
        return Some(Format::Json);
    }
    if is_tchecker(text) {
        return Some(Format::TChecker);
    }
    // Plain text with the lines of a model is one, whatever it is called.
    match suffix {
        _ if is_xta(text) => Some(Format::Xta),
        Some(known) => Some(known),
        None => looks_like_query(text).then_some(Format::Queries),
    }
}

/// Whether the text has a system line (`system P, Q;`) or a process (`process P(…) {`).
fn is_xta(text: &str) -> bool {
    let mut words = words_outside_comments(text).peekable();
    while let Some((word, _)) = words.next() {
        if !matches!(word, "process" | "system") {
            continue;
        }
        let Some((_, behind)) = words.peek() else { return false };
        let next = behind.trim_start().chars().next();
        match word {
            "system" if matches!(next, Some(',' | ';' | '<' | '(')) => return true,
            "process" if matches!(next, Some('(' | '{')) => return true,
            _ => {}
        }
    }
    false
}

/// Whether the first line that is no comment is a TChecker declaration.
fn is_tchecker(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.find(|line| !line.starts_with('#')).is_some_and(|line| {
        line.split_once(':').is_some_and(|(keyword, _)| {
            let keywords =
                ["system", "clock", "int", "event", "process", "location", "edge", "sync"];
            keywords.contains(&keyword.trim_end())
        })
    })
}

fn looks_like_query(text: &str) -> bool {
    let line = text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with("//"));
    line.is_some_and(|line| {
        let starts = ["A[]", "A<>", "E<>", "E[]", "Pr[", "Pr(", "E[", "simulate", "sup", "inf"];
        starts.iter().any(|start| line.starts_with(start)) || line.contains("-->")
    })
}

/// The words of the text with what is behind them, without those in `//` and `/* */` comments.
fn words_outside_comments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            match end {
                Some(0) if rest.starts_with("//") => {
                    rest = rest.find('\n').map_or("", |newline| &rest[newline..]);
                }
                Some(0) if rest.starts_with("/*") => {
                    rest = rest[2..].find("*/").map_or("", |end| &rest[2 + end + 2..]);
                }
                Some(0) => {
                    rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
                }
                _ if rest.is_empty() => return None,
                end => {
                    let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
                    rest = behind;
                    return Some((word, behind));
                }
            }
        }
    })
}
