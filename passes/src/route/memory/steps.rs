//! Steps of channels and cores, as far as locks and streams go.

/// One thing that a channel or a core does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessStep {
    /// Waits for a lock and takes from it.
    Acquire {
        /// Index of the lock.
        lock: usize,
        /// Units taken.
        value: i64,
        /// It waits for this value, not for at least this value.
        equal: bool,
    },
    /// Gives to a lock.
    Release {
        /// Index of the lock.
        lock: usize,
        /// Units given.
        value: i64,
    },
    /// Sends a number of words as one packet.
    Send {
        /// Index of the stream; `None` if nothing is connected.
        stream: Option<usize>,
        /// Words.
        words: u64,
    },
    /// Receives a number of words.
    Receive {
        /// Words.
        words: u64,
    },
    /// Does the steps that follow several times.
    Loop {
        /// Number of repetitions; `None`: without end.
        times: Option<u64>,
        /// Number of steps.
        len: usize,
    },
}

/// Adds a loop.
pub(super) fn repeat(steps: &mut Vec<ProcessStep>, times: Option<u64>, body: Vec<ProcessStep>) {
    if !body.is_empty() && times != Some(0) {
        let len = body.len();
        steps.push(ProcessStep::Loop { times, len });
        steps.extend(body);
    }
}
