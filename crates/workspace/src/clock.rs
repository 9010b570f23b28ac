//! `Clock` and `Time`: what time it is, and times as they stand in the state files.
//!
//! The clock is passed in, so that a test can stop it.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

const MS_PER_MINUTE: i64 = 60_000;
const MS_PER_DAY: i64 = 24 * 60 * MS_PER_MINUTE;

/// Tells the time.
#[derive(Clone, Copy, Debug, Default)]
pub enum Clock {
    /// The clock of the system.
    #[default]
    System,
    /// One that stands still.
    Stopped(Time),
}

impl Clock {
    /// The time now.
    #[must_use]
    pub fn now(self) -> Time {
        match self {
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                // A system that takes itself to be before 1970 has no time worth keeping.
                let ms = since.map_or(0, |since| since.as_millis());
                Time::from_ms(i64::try_from(ms).unwrap_or(i64::MAX))
            }
            Self::Stopped(time) => time,
        }
    }
}

/// A point in time, in milliseconds since 1970. Displays as `2026-09-18T07:50:12.000Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    ms: i64,
}

impl Time {
    /// The time so many milliseconds after the start of 1970.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self { ms }
    }

    /// Milliseconds since the start of 1970.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.ms
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fraction]` followed by `Z` or `±HH:MM`. The day must exist, and
    /// what is finer than a millisecond is left out.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_once('T')?;
        let (year, month_day) = date.split_once('-')?;
        let (month, day) = month_day.split_once('-')?;
        let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
        if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
            return None;
        }
        let zone_at = rest.find(['Z', '+', '-'])?;
        let (clock, zone) = rest.split_at(zone_at);
        let (clock, fraction) = match clock.split_once('.') {
            Some((clock, fraction)) => (clock, Some(fraction)),
            None => (clock, None),
        };
        let (hour, minute_second) = clock.split_once(':')?;
        let (minute, second) = minute_second.split_once(':')?;
        let seconds = hour_minute(hour, minute)? * 60 + below(second, 60)?;
        let ms = seconds * 1000 + fraction.map_or(Some(0), milliseconds)?;
        let offset = offset_minutes(zone)? * MS_PER_MINUTE;
        Some(Self::from_ms(
            days_before(year, month, day) * MS_PER_DAY + ms - offset,
        ))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_of(self.ms.div_euclid(MS_PER_DAY));
        let ms = self.ms.rem_euclid(MS_PER_DAY);
        let (second, ms) = (ms / 1000, ms % 1000);
        let (minute, second) = (second / 60, second % 60);
        let (hour, minute) = (minute / 60, minute % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z"
        )
    }
}

fn digits(text: &str, n: usize) -> Option<i64> {
    let all = text.len() == n && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok())?
}

fn below(text: &str, limit: i64) -> Option<i64> {
    digits(text, 2).filter(|&number| number < limit)
}

fn hour_minute(hour: &str, minute: &str) -> Option<i64> {
    Some(below(hour, 24)? * 60 + below(minute, 60)?)
}

fn milliseconds(fraction: &str) -> Option<i64> {
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let places = fraction.bytes().chain(std::iter::repeat(b'0')).take(3);
    Some(places.fold(0, |ms, digit| ms * 10 + i64::from(digit - b'0')))
}

fn offset_minutes(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hour, minute) = zone.get(1..)?.split_once(':')?;
    Some(sign * hour_minute(hour, minute)?)
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the start of 1970 to the start of a year, of the Gregorian calendar throughout.
fn days_before_year(year: i64) -> i64 {
    let past = year - 1;
    past * 365 + past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400) - 719_162
}

fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let months: i64 = (1..month).map(|month| days_in(year, month)).sum();
    days_before_year(year) + months + day - 1
}

/// Year, month and day of a number of days since the start of 1970.
fn date_of(days: i64) -> (i64, i64, i64) {
    // The mean length of a year; the guess is never more than one year off.
    let mut year = 1970 + days * 400 / 146_097;
    while days_before_year(year) > days {
        year -= 1;
    }
    while days_before_year(year + 1) <= days {
        year += 1;
    }
    let mut day = days - days_before_year(year) + 1;
    let mut month = 1;
    while day > days_in(year, month) {
        day -= days_in(year, month);
        month += 1;
    }
    (year, month, day)
}

#[cfg(test)]
mod tests;
