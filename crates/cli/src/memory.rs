//! How much memory a search may use.

/// A size as users write it: `512M`, `4G`, `1.5G`, `100000`.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let wrong = || "give a size such as 512M or 4G".to_owned();
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[number.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        "T" | "TB" | "TIB" => 1 << 40,
        _ => return Err(wrong()),
    };
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: f64 = number.trim_end().parse().map_err(|_| wrong())?;
    let bytes = number * factor as f64;
    // Nobody means so few bytes: a number without a unit was meant to be one of megabytes.
    let is_bare = text.ends_with(|c: char| c.is_ascii_digit());
    if is_bare && (1.0..f64::from(1 << 16)).contains(&bytes) {
        return Err(format!("these are {text} bytes; give a unit, such as {text}M"));
    }
    match bytes >= 1.0 {
        true => Ok(bytes as u64),
        false => Err("give a size above zero".to_owned()),
    }
}

/// Three quarters of the memory of the machine; no limit where that is not known.
pub(crate) fn granted() -> u64 {
    std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| total(&text))
        .map_or(u64::MAX, |total| total / 4 * 3)
}

/// What following a model may hold, if nothing is said: a model that a system can be tested against in time is in few states at once, and
/// whoever follows the others should not take the memory of the machine first.
const FOLLOWED: u64 = 2 << 30;

/// What commands may hold that follow a model.
pub(crate) fn followed() -> u64 {
    granted().min(FOLLOWED)
}

/// How many bytes of memory the process has at present; none where the operating system does not tell.
pub(crate) fn resident() -> Option<u64> {
    kilobytes(&std::fs::read_to_string("/proc/self/status").ok()?, "VmRSS:")
}

/// What `/proc/meminfo` says about all memory.
fn total(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo, "MemTotal:")
}

/// A size in a file of the operating system, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::{parse, total};

    #[test]
    fn sizes_as_users_write_them() {
        assert_eq!(parse("512M"), Ok(512 << 20));
        assert_eq!(parse("4g"), Ok(4 << 30));
        assert_eq!(parse("1.5 GiB"), Ok(3 << 29));
        assert_eq!((parse("1000B"), parse("100000")), (Ok(1000), Ok(100_000)));
        assert!(parse("4000").unwrap_err().contains("4000M"));
        for wrong in ["", "M", "-1M", "4X", "1e", "0", "nan", "1.2.3M", "inf"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn memory_of_the_machine() {
        let text = "MemTotal:       16384 kB\nMemFree:  1 kB\n";
        assert_eq!(total(text), Some(16 << 20));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }
}
