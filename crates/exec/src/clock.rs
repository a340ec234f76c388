//! The two clocks. The only file that reads the machine's clock, and that sleeps.

use std::{
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Who says how time passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timekeeping {
    /// Time passes by the machine's clock.
    Real,
    /// Time passes when the tester lets it.
    Virtual,
}

/// The time since the last reset.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The machine's monotonic clock.
    Real {
        /// The instant of the reset.
        zero: Instant,
    },
    /// Time that passes when it is told to.
    Virtual {
        /// The time that was told last.
        now_ns: u64,
    },
}

impl Clock {
    /// A clock that starts now.
    #[must_use]
    pub fn start(timekeeping: Timekeeping) -> Self {
        match timekeeping {
            Timekeeping::Real => Self::Real { zero: now() },
            Timekeeping::Virtual => Self::Virtual { now_ns: 0 },
        }
    }

    /// The time since the reset, in nanoseconds.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        match self {
            Self::Real { .. } => self.at_ns(now()),
            Self::Virtual { now_ns } => *now_ns,
        }
    }

    /// Whether time passes only when it is told to.
    #[must_use]
    pub fn is_virtual(&self) -> bool {
        matches!(self, Self::Virtual { .. })
    }

    /// Waits for an instant on the real clock; makes it that instant on the virtual one, which never
    /// goes back.
    pub fn sleep_until(&mut self, at_ns: u64) {
        match self {
            Self::Real { .. } => sleep_until(self.deadline(at_ns)),
            Self::Virtual { now_ns } => *now_ns = at_ns.max(*now_ns),
        }
    }

    /// The time at an instant of the machine's clock; 0 if that was before the start.
    pub(crate) fn at_ns(&self, instant: Instant) -> u64 {
        match self {
            Self::Real { zero } => {
                u64::try_from(instant.saturating_duration_since(*zero).as_nanos())
                    .unwrap_or(u64::MAX)
            }
            Self::Virtual { now_ns } => *now_ns,
        }
    }

    /// The instant of the machine's clock at this time.
    pub(crate) fn deadline(&self, at_ns: u64) -> Instant {
        match self {
            Self::Real { zero } => later(*zero, Duration::from_nanos(at_ns)),
            Self::Virtual { .. } => now(),
        }
    }
}

/// The machine's clock.
#[expect(clippy::disallowed_methods, reason = "the only place that reads the machine's clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// An instant in the future, however far.
pub(crate) fn within(patience: Duration) -> Instant {
    later(now(), patience)
}

fn later(instant: Instant, delay: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    instant + delay.min(FAR)
}

/// The time until a deadline; zero if it is over.
pub(crate) fn until(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(now())
}

/// The time by the calendar, as RFC 3339 in UTC; empty before 1970.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the only place that reads the machine's calendar")]
pub fn calendar() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map(|since| date(since.as_secs())).unwrap_or_default()
}

/// Seconds since 1970 as a date of the Gregorian calendar.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Counted from the first of March of the year 0, leap days come last.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hours, minutes, seconds) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

/// Sleeps until a deadline.
#[expect(clippy::disallowed_methods, reason = "the only place that sleeps")]
pub(crate) fn sleep_until(deadline: Instant) {
    let delay = until(deadline);
    if !delay.is_zero() {
        thread::sleep(delay);
    }
}

/// Asks again and again until there is an answer, or until the deadline.
pub(crate) fn poll<T>(deadline: Instant, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let mut pause = Duration::from_micros(200);
    loop {
        let answer = ask();
        if answer.is_some() || until(deadline).is_zero() {
            return answer;
        }
        sleep_until(within(pause).min(deadline));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(date(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
