//! The token simulation: channels and cores of a netlist at work, as far as locks and streams go.
//!
//! The processes are determinate (each waits for one thing at a time, and its next step doesn't
//! depend on which was first), so the state in which nothing moves any more doesn't depend on their
//! order. Only a channel that packets of several sources arrive at takes them in turns.

use std::collections::VecDeque;

use super::read::Programs;
use super::steps::ProcessStep;
use super::turns::{ProcessQueue, Turns};

/// Words of a packet that may be under way between its memory and a switch that doesn't let it on:
/// the FIFOs of an MM2S channel and of a switch port (AM020: 2 to 4 words each, with those of a hop
/// or two).
const WORDS_UNDER_WAY: u64 = 16;

/// The state of a lock of AIE1 that is taken.
const TAKEN_LOCK: i64 = i64::MIN;

/// Position of a process.
#[derive(Clone, Debug, Default)]
struct ProcessState {
    at: usize,
    /// The loops around: start, end, further runs (`None`: without end).
    loops: Vec<(usize, usize, Option<u64>)>,
    /// Words left of the transfer under way.
    left: Option<u64>,
    /// The place in `inputs` of the stream that is being received, or was last.
    input: usize,
}

/// The words of a stream.
#[derive(Clone, Debug, Default)]
struct StreamState {
    sent: u64,
    /// By receiver.
    taken: Vec<u64>,
    /// Receivers get no further words than these.
    limit: Option<u64>,
    /// Ends of packets, not all of which are sent.
    ends: VecDeque<u64>,
    /// Packets whose ends were dropped from the list.
    past: u64,
}

/// A simulation under way.
pub(super) struct TokenSimulation<'a> {
    programs: &'a Programs,
    locks: Vec<i64>,
    states: Vec<ProcessState>,
    streams: Vec<StreamState>,
    /// Processes that may be able to go on.
    queue: ProcessQueue,
    /// Who waits for each lock now and then.
    takers: &'a [Vec<usize>],
}

impl Turns for TokenSimulation<'_> {
    fn queue(&mut self) -> &mut ProcessQueue {
        &mut self.queue
    }

    fn step(&mut self, process: usize) -> bool {
        let programs = self.programs;
        let state_of_process = &mut self.states[process];
        while let Some((start, end, again)) = state_of_process.loops.last_mut()
            && state_of_process.at == *end
        {
            match again {
                Some(0) => _ = state_of_process.loops.pop(),
                Some(more) => {
                    *more -= 1;
                    state_of_process.at = *start;
                }
                None => state_of_process.at = *start,
            }
        }
        let Some(step) = programs.processes[process].steps.get(state_of_process.at) else {
            return false;
        };
        let done = match *step {
            ProcessStep::Loop { times, len } => {
                let start = state_of_process.at + 1;
                let again = times.map(|times| times.saturating_sub(1));
                state_of_process.loops.push((start, start + len, again));
                true
            }
            ProcessStep::Acquire { lock, value, equal } => self.acquire(lock, value, equal),
            ProcessStep::Release { lock, value } => {
                let state = &mut self.locks[lock];
                *state = if programs.counting {
                    state.saturating_add(value)
                } else {
                    value
                };
                let takers = self.takers;
                takers[lock].iter().for_each(|taker| self.wake(*taker));
                true
            }
            ProcessStep::Send { stream, words } => match stream {
                Some(stream) => return self.send(process, stream, words),
                None => true,
            },
            ProcessStep::Receive { words } => return self.receive(process, words),
        };
        self.states[process].at += usize::from(done);
        done
    }
}

impl<'a> TokenSimulation<'a> {
    /// The start, with some of the processes.
    pub fn new(
        programs: &'a Programs,
        takers: &'a [Vec<usize>],
        players: &[usize],
    ) -> TokenSimulation<'a> {
        let words = |stream: &super::read::MemoryStream| StreamState {
            taken: vec![0; stream.receivers.len()],
            ..StreamState::default()
        };
        let mut simulation = TokenSimulation {
            programs,
            locks: programs.locks.iter().map(|lock| lock.init).collect(),
            states: vec![ProcessState::default(); programs.processes.len()],
            streams: programs.streams.iter().map(words).collect(),
            queue: ProcessQueue::new(programs.processes.len()),
            takers,
        };
        players.iter().for_each(|process| simulation.wake(*process));
        simulation
    }

    /// Delivers a number of words of a stream to its receivers, or all.
    pub fn limit(&mut self, stream: usize, words: Option<u64>) {
        self.streams[stream].limit = words;
        let programs = &self.programs.streams[stream];
        for process in programs
            .receivers
            .iter()
            .chain([&programs.sender])
            .flatten()
        {
            self.wake(*process);
        }
    }

    /// The end of the packet that holds the given word, once it is known.
    pub fn packet_after(&self, stream: usize, words: u64) -> Option<u64> {
        let ends = &self.streams[stream].ends;
        ends.iter().copied().find(|end| *end > words)
    }

    /// Whole packets among the first words of a stream, as far as all receivers have taken them.
    pub fn packets_until(&self, stream: usize, words: u64) -> u64 {
        let state = &self.streams[stream];
        let ends = state.ends.iter().filter(|end| **end <= words);
        state.past + ends.count() as u64
    }

    /// Words that all receivers have taken; `None` if none of them can refuse any.
    pub fn taken(&self, stream: usize) -> Option<u64> {
        let receivers = &self.programs.streams[stream].receivers;
        let state = &self.streams[stream];
        let taken = receivers.iter().zip(&state.taken);
        let refusing = taken.filter(|(process, _)| process.is_some());
        let least = refusing.map(|(_, words)| *words).min();
        least.or(state.limit.map(|limit| limit.min(state.sent)))
    }

    /// Words left of the packets of a stream that were begun: on their way, and not sent yet. `None` if no receiver can refuse
    /// any, or the sender isn't in the netlist.
    pub fn left(&self, stream: usize) -> Option<u64> {
        let sender = self.programs.streams[stream].sender?;
        let state = &self.streams[stream];
        let under_way = state.sent.checked_sub(self.taken(stream)?)?;
        let sends = matches!(
            self.programs.processes[sender].steps.get(self.states[sender].at),
            Some(ProcessStep::Send { stream: Some(sent), .. }) if *sent == stream
        );
        let not_sent = self.states[sender].left.filter(|_| sends).unwrap_or(0);
        Some(under_way + not_sent)
    }

    /// Whether words of a stream are under way that not all receivers have taken. A sender that
    /// isn't in the netlist always sends.
    pub fn under_way(&self, stream: usize) -> bool {
        let endless = self.programs.streams[stream].sender.is_none();
        let sent = self.streams[stream].sent;
        self.taken(stream)
            .is_some_and(|taken| endless || sent > taken)
    }

    fn wake(&mut self, process: usize) {
        self.queue.wake(process);
    }

    fn acquire(&mut self, lock: usize, value: i64, equal: bool) -> bool {
        if self.programs.locks[lock].free {
            return true;
        }
        let counting = self.programs.counting;
        let state = &mut self.locks[lock];
        let free = if equal || !counting {
            *state == value
        } else {
            *state >= value
        };
        if free {
            *state = if counting { *state - value } else { TAKEN_LOCK };
        }
        free
    }

    fn send(&mut self, process: usize, stream: usize, words: u64) -> bool {
        let taken = self.taken(stream);
        let state = &mut self.streams[stream];
        let state_of_process = &mut self.states[process];
        let left = state_of_process.left.unwrap_or_else(|| {
            let words = words + self.programs.streams[stream].header;
            state.ends.push_back(state.sent + words);
            words
        });
        // Words that no receiver can refuse pass at once.
        let room = taken.map_or(left, |taken| {
            (taken + WORDS_UNDER_WAY).saturating_sub(state.sent)
        });
        let now = left.min(room);
        state.sent += now;
        if taken.is_none() {
            state.past += state.ends.len() as u64;
            state.ends.clear();
        }
        let done = now == left;
        state_of_process.left = (!done).then_some(left - now);
        state_of_process.at += usize::from(done);
        if now > 0 {
            let receivers = &self.programs.streams[stream].receivers;
            receivers
                .iter()
                .flatten()
                .for_each(|receiver| self.wake(*receiver));
        }
        done || now > 0
    }

    fn receive(&mut self, process: usize, words: u64) -> bool {
        let programs = self.programs;
        let inputs = &programs.processes[process].inputs;
        let count = inputs.len();
        let begun = self.states[process].left.is_some();
        let last = self.states[process].input;
        // A transfer stays with a packet; the next one may be of the next stream.
        let amid = begun
            && inputs
                .get(last)
                .is_some_and(|stream| self.is_amid(process, *stream));
        let choices = if amid { 0..1 } else { 1..count + 1 };
        let ready = choices
            .map(|choice| (last + choice) % count.max(1))
            .find_map(|at| Some((at, self.ready(process, *inputs.get(at)?)?)));
        let Some((at, (receiver, ready))) = ready else {
            return words == 0 && self.skip(process);
        };
        let stream = inputs[at];
        let endless = programs.streams[stream].sender.is_none();
        let state = &mut self.streams[stream];
        let state_of_process = &mut self.states[process];
        let left = state_of_process.left.unwrap_or(words);
        if endless && !begun {
            state.ends.push_back(state.taken[receiver] + words);
        }
        let now = left.min(ready);
        state.taken[receiver] += now;
        let done = now == left;
        state_of_process.input = at;
        state_of_process.left = (!done).then_some(left - now);
        state_of_process.at += usize::from(done);
        let taken = self.taken(stream).unwrap_or(0);
        let state = &mut self.streams[stream];
        while state.ends.front().is_some_and(|end| *end < taken) {
            state.ends.pop_front();
            state.past += 1;
        }
        if let Some(sender) = programs.streams[stream].sender {
            self.wake(sender);
        }
        true
    }

    /// Whether a process has taken a part of a packet of a stream.
    fn is_amid(&self, process: usize, stream: usize) -> bool {
        let receivers = &self.programs.streams[stream].receivers;
        let receiver = receivers.iter().position(|r| *r == Some(process));
        let state = &self.streams[stream];
        let taken = receiver.map_or(0, |receiver| state.taken[receiver]);
        let endless = self.programs.streams[stream].sender.is_none();
        endless || !state.ends.contains(&taken) && taken > 0
    }

    fn skip(&mut self, process: usize) -> bool {
        self.states[process].at += 1;
        true
    }

    /// Which receiver of a stream a process is, and the words that wait for it, if any.
    fn ready(&self, process: usize, stream: usize) -> Option<(usize, u64)> {
        let programs = &self.programs.streams[stream];
        let receiver = programs
            .receivers
            .iter()
            .position(|r| *r == Some(process))?;
        let state = &self.streams[stream];
        let sent = match programs.sender {
            Some(_) => state.sent,
            None => u64::MAX,
        };
        let visible = state.limit.map_or(sent, |limit| limit.min(sent));
        let words = visible.saturating_sub(state.taken[receiver]);
        (words > 0).then_some((receiver, words))
    }
}
