//! What a provider means by a status other than success, and by an error in the middle of a stream.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;

use crate::llm::Error;
use crate::llm::retry::{Again, Failure};

/// The most characters of a provider's own words that are passed on.
const MAX_WORDS: usize = 400;

/// The failure for a status other than success.
pub(super) fn failure(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
    let (kind, words) = read(body);
    let said = if words.is_empty() { format!("HTTP {status}") } else { format!("HTTP {}: {words}", status.as_u16()) };
    if is_too_large(status, &kind, &words) {
        return Failure::never(Error::TooLarge(said));
    }
    match status.as_u16() {
        300..400 => Failure::never(Error::Failed(redirected(status, headers))),
        // No time makes up for money.
        429 if kind == "insufficient_quota" || kind == "billing_error" => Failure::never(Error::Denied(said)),
        429 => Failure { error: Error::RateLimited, again: asked(headers) },
        408 | 504 => Failure { error: Error::TimedOut, again: asked(headers) },
        409 | 500.. => Failure { error: Error::Failed(said), again: asked(headers) },
        400..500 => Failure::never(Error::Denied(said)),
        _ => Failure::never(Error::Failed(said)),
    }
}

/// The failure for an error that comes inside a stream which began well.
pub(in crate::llm) fn stream_error(error: &Value) -> Failure {
    let (kind, words) = read(error.to_string().as_bytes());
    let said = if words.is_empty() { format!("the provider broke off: {}", plain(&kind)) } else { words.clone() };
    if is_too_large(StatusCode::OK, &kind, &words) {
        return Failure::never(Error::TooLarge(said));
    }
    match kind.as_str() {
        "rate_limit_error" => Failure::later(Error::RateLimited),
        "timeout_error" => Failure::later(Error::TimedOut),
        "authentication_error" | "permission_error" | "billing_error" | "invalid_request_error" | "not_found_error" => {
            Failure::never(Error::Denied(said))
        }
        _ => Failure::later(Error::Failed(said)),
    }
}

/// The failure for a reply that is not what the protocol says.
pub(in crate::llm) fn broken(what: &str) -> Failure {
    Failure::never(Error::Failed(format!("the reply cannot be read: {what}")))
}

/// Text of a provider made fit for one line of ours: bounded, and without control characters.
pub(super) fn plain(text: &str) -> String {
    let words: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut plain: String = words.chars().filter(|c| !c.is_control()).take(MAX_WORDS).collect();
    if words.chars().count() > MAX_WORDS {
        plain.push('…');
    }
    plain
}

/// The kind of an error and its words, in the shapes that providers use.
fn read(body: &[u8]) -> (String, String) {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return (String::new(), plain(&String::from_utf8_lossy(body)));
    };
    let error = value.get("error").unwrap_or(&value);
    let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = ["code", "type"].map(text).into_iter().find(|k| !k.is_empty()).unwrap_or_default();
    let words = error.as_str().map_or_else(|| text("message"), str::to_owned);
    (kind, plain(&words))
}

fn is_too_large(status: StatusCode, kind: &str, words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    status == StatusCode::PAYLOAD_TOO_LARGE
        || matches!(kind, "context_length_exceeded" | "request_too_large" | "exceed_context_size_error")
        || words.contains("prompt is too long")
        || words.contains("maximum context length")
        || words.contains("exceeds the available context size")
}

fn redirected(status: StatusCode, headers: &HeaderMap) -> String {
    let to = headers.get(LOCATION).and_then(|l| l.to_str().ok()).map_or_else(|| "nowhere".to_owned(), plain);
    format!(
        "HTTP {}: redirected to {to}; redirects are not followed: set the base URL to where the API is",
        status.as_u16()
    )
}

/// How long the provider asks to wait.
fn asked(headers: &HeaderMap) -> Again {
    let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    let millis = text("retry-after-ms").and_then(|t| t.parse::<f64>().ok()).map(|ms| ms / 1_000.0);
    let seconds = || text(RETRY_AFTER.as_str()).and_then(|t| t.parse::<f64>().ok());
    let date = || {
        let then = text(RETRY_AFTER.as_str()).and_then(unix_time)?;
        // By the provider's own clock, where it tells it: ours may be wrong.
        let now = text(DATE.as_str()).and_then(unix_time).or_else(our_time)?;
        Some(f64::from(u32::try_from(then.saturating_sub(now)).unwrap_or(u32::MAX)))
    };
    match millis.or_else(seconds).or_else(date) {
        Some(wait) if wait >= 0.0 => Again::After(Duration::from_secs_f64(wait.min(1e9))),
        _ => Again::Later,
    }
}

fn our_time() -> Option<u64> {
    SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|d| d.as_secs())
}

/// Seconds since 1970 of a date such as `Wed, 21 Oct 2015 07:28:00 GMT`, the one form that is still sent.
fn unix_time(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once(", ")?;
    let [day, month, year, time, "GMT"] = *rest.split(' ').collect::<Vec<_>>() else {
        return None;
    };
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = u64::try_from(months.iter().position(|m| *m == month)?).ok()? + 1;
    let (day, year) = (day.parse::<u64>().ok()?, year.parse::<u64>().ok()?);
    let [hour, minute, second] = *time.split(':').map(|n| n.parse::<u64>().ok()).collect::<Option<Vec<_>>>()? else {
        return None;
    };
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(((days(year, month, day)? * 24 + hour) * 60 + minute) * 60 + second)
}

/// Days from 1970-01-01, in a calendar whose years begin in March, so that the leap day comes last.
fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    (365 * year + leaps + (153 * month + 2) / 5 + day - 1).checked_sub(719_468)
}

#[cfg(test)]
mod tests {

    use proptest::prelude::*;

    use super::*;

    fn check(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> (String, Again) {
        let headers = headers.iter().map(|(k, v)| (k.parse().unwrap(), v.parse().unwrap())).collect();
        let failure = failure(StatusCode::from_u16(status).unwrap(), &headers, body.as_bytes());
        (failure.error.to_string(), failure.again)
    }

    #[test]
    fn dates_are_read() {
        assert_eq!(unix_time("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(unix_time("Wed, 21 Oct 2015 07:28:00 GMT"), Some(1_445_412_480));
        assert_eq!(unix_time("Tue, 29 Feb 2000 23:59:59 GMT"), Some(951_868_799));
        for bad in ["", "Wed, 21 Oct 2015 07:28:00 CET", "x, 0 Jan 1970 0:0:0 GMT", "Wed, 21 Okt 2015 07:28:00 GMT"] {
            assert_eq!(unix_time(bad), None, "{bad}");
        }
    }

    #[test]
    fn waits_are_read_in_every_form() {
        let after = |headers| check(429, headers, "").1;
        assert_eq!(after(&[("retry-after", "7")]), Again::After(Duration::from_secs(7)));
        assert_eq!(after(&[("retry-after-ms", "250"), ("retry-after", "7")]), Again::After(Duration::from_millis(250)));
        let date = [("date", "Wed, 21 Oct 2015 07:28:00 GMT"), ("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT")];
        assert_eq!(after(&date), Again::After(Duration::from_secs(30)));
        assert_eq!(after(&[("retry-after", "soon")]), Again::Later);
        assert_eq!(after(&[("retry-after", "-1")]), Again::Later);
        assert_eq!(after(&[("retry-after", "NaN")]), Again::Later);
        assert_eq!(after(&[("retry-after", "1e300")]), Again::After(Duration::from_secs(1_000_000_000)));
    }

    #[test]
    fn what_no_retry_mends_is_not_retried() {
        let quota = r#"{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"Pay."}}"#;
        assert_eq!(
            check(429, &[], quota),
            ("the provider refused the request: HTTP 429: Pay.".to_owned(), Again::Never)
        );
        let long = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}"#;
        assert_eq!(check(400, &[], long).0, "the request is too large: HTTP 400: prompt is too long: 9 > 8");
        assert_eq!(check(413, &[], "").0, "the request is too large: HTTP 413 Payload Too Large");
        let moved = check(307, &[("location", "https://elsewhere.example/")], "");
        assert!(moved.0.contains("redirected to https://elsewhere.example/"), "{moved:?}");
        assert_eq!(moved.1, Again::Never);
    }

    proptest! {
        #[test]
        fn nothing_a_provider_says_breaks_a_line(status in 100u16..=999, body in proptest::collection::vec(any::<u8>(), 0..600)) {
            let failure = failure(StatusCode::from_u16(status).unwrap(), &HeaderMap::new(), &body);
            let text = failure.error.to_string();
            prop_assert!(!text.chars().any(char::is_control) && text.chars().count() < MAX_WORDS + 200);
        }

        #[test]
        fn no_date_panics(text in "\\PC{0,40}", day in 0u64..40, year in 0u64..99_999) {
            let _ = unix_time(&text);
            let _ = unix_time(&format!("Mon, {day} Mar {year} 00:00:00 GMT"));
        }
    }
}
