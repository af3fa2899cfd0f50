//! Time for which a bench itself has run.

use std::time::Instant;

/// Nanoseconds for which the main thread has run, which other processes don't change; where the system
/// doesn't tell, those that have passed.
pub fn processor_time(start: Instant) -> f64 {
    // the system counts up to where the thread was last interrupted
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    let known = first.and_then(|first| first.parse::<f64>().ok());
    known.unwrap_or_else(|| start.elapsed().as_secs_f64() * 1e9)
}
