//! When to ask again, and when to stop: one pure function over what was seen.
//!
//! <https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api> says what to wait for.

use std::time::Duration;

use super::transport::Headers;

/// How long a client waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Before the second attempt after a failure of the server; doubles each time.
    pub first: Duration,
    /// After a secondary limit that names no time: GitHub asks for at least a minute.
    pub secondary: Duration,
    /// The longest single wait.
    pub longest: Duration,
    /// All waits of one request together.
    pub total: Duration,
    /// Attempts of one request.
    pub attempts: u32,
    /// Until the whole answer to one attempt must be there.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(1),
            secondary: Duration::from_mins(1),
            longest: Duration::from_mins(2),
            total: Duration::from_mins(5),
            attempts: 6,
            answer: Duration::from_mins(1),
        }
    }
}

/// What one attempt ended in.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// An answer.
    Reply {
        /// Its status.
        status: u16,
        /// Its headers.
        headers: &'a Headers,
        /// Its body mentions a limit.
        limited: bool,
    },
    /// None, or half of one: it may have arrived.
    Broken,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The answer counts, whatever it is.
    Take,
    /// The server refused to look at it: ask again after a while.
    Again(Duration),
    /// It may have been done: look first, then ask again after a while.
    Doubt(Duration),
    /// Enough.
    Stop,
}

impl Patience {
    /// What follows an attempt. `attempt` counts from 1, `waited` is the sum of earlier waits, `now` is in seconds since
    /// 1970 (rate limits end at such a moment).
    pub fn next(&self, seen: Seen<'_>, attempt: u32, waited: Duration, now: u64) -> Next {
        let backoff = self.first.saturating_mul(1 << (attempt - 1).min(16));
        let (wait, doubt) = match seen {
            Seen::Broken | Seen::Reply { status: 500..=599, .. } => {
                let named = if let Seen::Reply { headers, .. } = seen { headers.retry_after } else { None };
                (named.unwrap_or(backoff).min(self.longest), true)
            }
            Seen::Reply { status: status @ (403 | 429), headers, limited } => {
                let primary = headers.remaining == Some(0);
                if status == 403 && headers.retry_after.is_none() && !primary && !limited {
                    return Next::Take;
                }
                let until_reset = headers.reset.map(|reset| Duration::from_secs(reset.saturating_sub(now)));
                let named = headers.retry_after.or(until_reset.filter(|_| primary));
                (named.unwrap_or_else(|| self.secondary.max(backoff)), false)
            }
            Seen::Reply { .. } => return Next::Take,
        };
        if attempt >= self.attempts || wait > self.longest || waited + wait > self.total {
            return Next::Stop;
        }
        if doubt { Next::Doubt(wait) } else { Next::Again(wait) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(status: u16, headers: &Headers, attempt: u32) -> Next {
        let seen = Seen::Reply { status, headers, limited: false };
        Patience::default().next(seen, attempt, Duration::ZERO, 1_000)
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_answer_is_an_answer() {
        for status in [200, 201, 304, 400, 401, 403, 404, 409, 422] {
            assert_eq!(next(status, &Headers::default(), 1), Next::Take, "{status}");
        }
    }

    #[test]
    fn a_failing_server_is_asked_again_ever_later_and_may_have_done_it() {
        assert_eq!(next(502, &Headers::default(), 1), Next::Doubt(SECOND));
        assert_eq!(next(502, &Headers::default(), 3), Next::Doubt(4 * SECOND));
        assert_eq!(next(502, &Headers::default(), 6), Next::Stop);
        let broken = Patience::default().next(Seen::Broken, 2, Duration::ZERO, 0);
        assert_eq!(broken, Next::Doubt(2 * SECOND));
    }

    #[test]
    fn limits_are_waited_for_as_long_as_they_say_and_no_longer_than_we_can() {
        let retry_after = |seconds| Headers { retry_after: Some(seconds * SECOND), ..Headers::default() };
        assert_eq!(next(403, &retry_after(7), 1), Next::Again(7 * SECOND));
        assert_eq!(next(429, &retry_after(0), 1), Next::Again(Duration::ZERO));
        assert_eq!(next(429, &retry_after(3600), 1), Next::Stop);
        let reset = |reset| Headers { remaining: Some(0), reset: Some(reset), ..Headers::default() };
        assert_eq!(next(403, &reset(1_030), 1), Next::Again(30 * SECOND));
        assert_eq!(next(403, &reset(900), 1), Next::Again(Duration::ZERO));
        assert_eq!(next(403, &reset(5_000), 1), Next::Stop);
        // A limit that names no time: at least a minute.
        assert_eq!(next(429, &Headers::default(), 1), Next::Again(60 * SECOND));
        let headers = Headers::default();
        let limited = Seen::Reply { status: 403, headers: &headers, limited: true };
        assert_eq!(Patience::default().next(limited, 1, Duration::ZERO, 0), Next::Again(60 * SECOND));
    }

    #[test]
    fn all_waits_together_have_an_end() {
        let patience = Patience::default();
        let headers = Headers { retry_after: Some(100 * SECOND), ..Headers::default() };
        let seen = Seen::Reply { status: 429, headers: &headers, limited: false };
        assert_eq!(patience.next(seen, 3, 200 * SECOND, 0), Next::Again(100 * SECOND));
        assert_eq!(patience.next(seen, 3, 201 * SECOND, 0), Next::Stop);
    }
}
