//! The token game: channels and cores of a netlist at work, as far as locks and streams go.
//!
//! The processes are determinate (each waits for one thing at a time, and what it does next doesn't
//! depend on who was first), so the state in which nothing moves any more doesn't depend on their
//! order. Only a channel that packets of several sources arrive at takes them in turns.

use std::collections::VecDeque;

use super::read::{Programs, Step};

/// Words of a packet that may be under way between its memory and a switch that doesn't let it on:
/// the FIFOs of an MM2S channel and of a switch port (AM020: 2 to 4 words each, with those of a hop
/// or two).
const WORDS_UNDER_WAY: u64 = 16;

/// Steps of a process before others have their turn.
const TURN: usize = 64;

/// The state of a lock of AIE1 that somebody has.
const HELD: i64 = i64::MIN;

/// What a process is at.
#[derive(Clone, Debug, Default)]
struct Runner {
    at: usize,
    /// The loops around: start, end, further runs (`None`: for ever).
    loops: Vec<(usize, usize, Option<u64>)>,
    /// Words left of the transfer under way.
    left: Option<u64>,
    /// The place in `inputs` of the stream that is being received, or was last.
    input: usize,
}

/// The words of a stream.
#[derive(Clone, Debug, Default)]
struct Words {
    sent: u64,
    /// By receiver.
    taken: Vec<u64>,
    /// Receivers get no further words than these.
    limit: Option<u64>,
    /// Ends of packets, not all of which are sent.
    ends: VecDeque<u64>,
}

/// A game under way.
pub(super) struct Game<'a> {
    programs: &'a Programs,
    locks: Vec<i64>,
    runners: Vec<Runner>,
    streams: Vec<Words>,
    /// Processes that may be able to go on.
    queue: VecDeque<usize>,
    queued: Vec<bool>,
    /// Who waits for each lock now and then.
    takers: &'a [Vec<usize>],
}

impl<'a> Game<'a> {
    /// The start, with some of the processes.
    pub fn new(programs: &'a Programs, takers: &'a [Vec<usize>], players: &[usize]) -> Game<'a> {
        let words = |stream: &super::read::Stream| Words {
            taken: vec![0; stream.receivers.len()],
            ..Words::default()
        };
        let mut game = Game {
            programs,
            locks: programs.locks.iter().map(|lock| lock.init).collect(),
            runners: vec![Runner::default(); programs.processes.len()],
            streams: programs.streams.iter().map(words).collect(),
            queue: VecDeque::new(),
            queued: vec![false; programs.processes.len()],
            takers,
        };
        players.iter().for_each(|process| game.wake(*process));
        game
    }

    /// Lets receivers of a stream have so many words, or all.
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

    /// The end of the packet behind so many words, once it is known.
    pub fn packet_after(&self, stream: usize, words: u64) -> Option<u64> {
        let ends = &self.streams[stream].ends;
        ends.iter().copied().find(|end| *end > words)
    }

    /// Words that all receivers have taken; `None` if nobody can refuse any.
    pub fn taken(&self, stream: usize) -> Option<u64> {
        let receivers = &self.programs.streams[stream].receivers;
        let state = &self.streams[stream];
        let taken = receivers.iter().zip(&state.taken);
        let refusing = taken.filter(|(process, _)| process.is_some());
        let least = refusing.map(|(_, words)| *words).min();
        least.or(state.limit.map(|limit| limit.min(state.sent)))
    }

    /// Whether words of a stream are under way that not all receivers have taken. A sender that
    /// isn't in the netlist always sends.
    pub fn under_way(&self, stream: usize) -> bool {
        let endless = self.programs.streams[stream].sender.is_none();
        let sent = self.streams[stream].sent;
        self.taken(stream)
            .is_some_and(|taken| endless || sent > taken)
    }

    /// Plays until nothing moves, or for so many steps; answers how many steps that took.
    pub fn play(&mut self, most: u64) -> u64 {
        let mut steps = 0;
        while steps < most
            && let Some(process) = self.queue.pop_front()
        {
            self.queued[process] = false;
            for turn in 0.. {
                steps += 1;
                if !self.step(process) {
                    break;
                }
                if turn == TURN {
                    self.wake(process);
                    break;
                }
            }
        }
        steps
    }

    fn wake(&mut self, process: usize) {
        if !std::mem::replace(&mut self.queued[process], true) {
            self.queue.push_back(process);
        }
    }

    /// One step of a process; whether it could do it.
    fn step(&mut self, process: usize) -> bool {
        let programs = self.programs;
        let runner = &mut self.runners[process];
        while let Some((start, end, again)) = runner.loops.last_mut()
            && runner.at == *end
        {
            match again {
                Some(0) => _ = runner.loops.pop(),
                Some(more) => {
                    *more -= 1;
                    runner.at = *start;
                }
                None => runner.at = *start,
            }
        }
        let Some(step) = programs.processes[process].steps.get(runner.at) else {
            return false;
        };
        let done = match *step {
            Step::Loop { times, len } => {
                let start = runner.at + 1;
                let again = times.map(|times| times.saturating_sub(1));
                runner.loops.push((start, start + len, again));
                true
            }
            Step::Acquire { lock, value, equal } => self.acquire(lock, value, equal),
            Step::Release { lock, value } => {
                let state = &mut self.locks[lock];
                *state = match programs.counting {
                    true => state.saturating_add(value),
                    false => value,
                };
                let takers = self.takers;
                takers[lock].iter().for_each(|taker| self.wake(*taker));
                true
            }
            Step::Send { stream, words } => match stream {
                Some(stream) => return self.send(process, stream, words),
                None => true,
            },
            Step::Receive { words } => return self.receive(process, words),
        };
        self.runners[process].at += usize::from(done);
        done
    }

    fn acquire(&mut self, lock: usize, value: i64, equal: bool) -> bool {
        if self.programs.locks[lock].free {
            return true;
        }
        let counting = self.programs.counting;
        let state = &mut self.locks[lock];
        let free = match equal || !counting {
            true => *state == value,
            false => *state >= value,
        };
        if free {
            *state = match counting {
                true => *state - value,
                false => HELD,
            };
        }
        free
    }

    fn send(&mut self, process: usize, stream: usize, words: u64) -> bool {
        let taken = self.taken(stream);
        let state = &mut self.streams[stream];
        let runner = &mut self.runners[process];
        let left = runner.left.unwrap_or_else(|| {
            state.ends.push_back(state.sent + words);
            words
        });
        // What nobody refuses passes at once.
        let room = taken.map_or(left, |taken| {
            (taken + WORDS_UNDER_WAY).saturating_sub(state.sent)
        });
        let now = left.min(room);
        state.sent += now;
        if taken.is_none() {
            state.ends.clear();
        }
        let done = now == left;
        runner.left = (!done).then_some(left - now);
        runner.at += usize::from(done);
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
        let begun = self.runners[process].left.is_some();
        let last = self.runners[process].input;
        // A transfer stays with its stream; the next one may be of the next stream.
        let choices = match begun {
            true => 0..1,
            false => 1..count + 1,
        };
        let ready = choices
            .map(|choice| (last + choice) % count.max(1))
            .find_map(|at| Some((at, self.ready(process, *inputs.get(at)?)?)));
        let Some((at, (receiver, ready))) = ready else {
            return words == 0 && self.skip(process);
        };
        let stream = inputs[at];
        let endless = programs.streams[stream].sender.is_none();
        let state = &mut self.streams[stream];
        let runner = &mut self.runners[process];
        let left = runner.left.unwrap_or(words);
        if endless && !begun {
            state.ends.push_back(state.taken[receiver] + words);
        }
        let now = left.min(ready);
        state.taken[receiver] += now;
        let done = now == left;
        runner.input = at;
        runner.left = (!done).then_some(left - now);
        runner.at += usize::from(done);
        let taken = self.taken(stream).unwrap_or(0);
        let ends = &mut self.streams[stream].ends;
        while ends.front().is_some_and(|end| *end < taken) {
            ends.pop_front();
        }
        if let Some(sender) = programs.streams[stream].sender {
            self.wake(sender);
        }
        true
    }

    fn skip(&mut self, process: usize) -> bool {
        self.runners[process].at += 1;
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
