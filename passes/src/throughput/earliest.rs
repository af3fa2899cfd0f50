//! The earliest times at which channels and cores can do what they do: their steps with the least times between them.
//!
//! An event is a lock taken or given, or the first word and the end of a transfer. It comes at least so long after others: the one before in
//! its process, the release that its lock needs, words that have to be sent before they are taken, words that have to be
//! taken before there is room for more. Delays are never more than what the array takes, and what isn't known delays nothing, so
//! that no run is faster. Each event is computed once; a process whose next event needs one that isn't known yet is tried again when that is.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::timed::{TimedDesign, TimedProcess};
use crate::route::memory::{ProcessQueue, ProcessStep, Turns};

/// Time of an event of which nothing is known but that it comes before the sequence begins.
pub(super) const LONG_AGO: i64 = i64::MIN / 4;

/// An event: the number of its process, and its number among the events of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct EventId {
    pub process: u32,
    pub number: u32,
}

/// Why an event waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum NeedCause {
    /// It follows in its process.
    Order,
    /// It needs a lock that the other gives.
    Lock(usize),
    /// It needs words of a stream, or room in it.
    Stream(usize),
}

/// An event needs another one, at least `delay` ticks before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Need {
    pub event: EventId,
    pub delay: i64,
    pub cause: NeedCause,
}

/// An event that was computed; without an id the start of all.
#[derive(Clone, Copy, Debug)]
struct Stamp {
    time: i64,
    event: Option<EventId>,
    /// The tasks of the host that have ended before it.
    ended: EndedTasks,
}

/// An event under way. Its needs, where they are kept, are the last of its process.
#[derive(Clone, Copy, Debug)]
struct Event {
    time: i64,
    /// The tasks of the host that have ended before it, as far as it is known.
    ended: EndedTasks,
}

/// How many tasks of each channel of the host have ended before an event, whatever the times: the number of a row of [`EndedTable`].
type EndedTasks = u32;

/// The row of a table in which no task has ended.
const NONE_ENDED: EndedTasks = 0;

/// Numbers of tasks by channel, each once. A channel whose tasks have all ended before the next one is started is idle then, and starts
/// slowly.
#[derive(Debug, Default)]
struct EndedTable {
    rows: Vec<Box<[u32]>>,
    numbers: FxHashMap<Box<[u32]>, EndedTasks>,
    joined: FxHashMap<(EndedTasks, EndedTasks), EndedTasks>,
}

impl EndedTable {
    /// The table with its first row: no task has ended.
    fn new(channels: usize) -> EndedTable {
        let mut table = EndedTable::default();
        table.number(vec![0; channels].into());
        table
    }

    fn number(&mut self, row: Box<[u32]>) -> EndedTasks {
        let next = self.rows.len() as EndedTasks;
        let rows = &mut self.rows;
        *self.numbers.entry(row).or_insert_with_key(|row| {
            rows.push(row.clone());
            next
        })
    }

    /// The tasks that have ended before one of two events.
    #[inline]
    fn join(&mut self, a: EndedTasks, b: EndedTasks) -> EndedTasks {
        if a == b || b == NONE_ENDED {
            return a;
        }
        if a == NONE_ENDED {
            return b;
        }
        self.join_rows(a, b)
    }

    #[inline(never)]
    fn join_rows(&mut self, a: EndedTasks, b: EndedTasks) -> EndedTasks {
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.joined.get(&key) {
            return *known;
        }
        let both = self.rows[a as usize].iter().zip(&self.rows[b as usize]);
        let row = both.map(|(a, b)| *a.max(b)).collect();
        let number = self.number(row);
        self.joined.insert(key, number);
        number
    }

    /// The same with the end of a task of a channel.
    fn with_end(&mut self, ended: EndedTasks, channel: usize, tasks: u32) -> EndedTasks {
        let mut row = self.rows[ended as usize].clone();
        if let Some(known) = row.get_mut(channel) {
            *known = (*known).max(tasks);
        }
        self.number(row)
    }

    fn of(&self, ended: EndedTasks, channel: usize) -> u32 {
        let row = &self.rows[ended as usize];
        row.get(channel).copied().unwrap_or(0)
    }
}

/// Words of a stream that one transfer sends or takes.
#[derive(Clone, Copy, Debug)]
struct Segment {
    from: u64,
    words: u64,
    first: Stamp,
    end: Option<Stamp>,
}

impl Segment {
    fn until(&self) -> u64 {
        self.from + self.words
    }
}

/// The segments of one end of a stream that others may still ask for, in order.
#[derive(Clone, Debug, Default)]
struct StreamEnd {
    segments: VecDeque<Segment>,
    /// Words of all segments so far.
    words: u64,
}

impl StreamEnd {
    fn begin(&mut self, words: u64, first: Stamp) {
        self.segments.push_back(Segment {
            from: self.words,
            words,
            first,
            end: None,
        });
        self.words += words;
    }

    fn finish(&mut self, end: Stamp) {
        if let Some(last) = self.segments.back_mut() {
            last.end = Some(end);
        }
    }

    /// Words of the segments that have ended.
    fn finished(&self) -> u64 {
        let last = self.segments.back();
        last.filter(|last| last.end.is_none())
            .map_or(self.words, |last| last.from)
    }

    /// The segment that has a word.
    #[inline]
    fn with(&self, word: u64) -> Option<&Segment> {
        // Most that are asked for are the first that is kept.
        if let Some(first) = self.segments.front()
            && word < first.until()
        {
            return Some(first);
        }
        let at = self
            .segments
            .partition_point(|segment| segment.until() <= word);
        self.segments.get(at)
    }

    fn forget_before(&mut self, word: u64) {
        while self
            .segments
            .front()
            .is_some_and(|segment| segment.until() <= word && segment.end.is_some())
        {
            self.segments.pop_front();
        }
    }
}

#[derive(Clone, Debug, Default)]
struct LockTimes {
    taken: i64,
    given: i64,
    /// Units given until then, and when.
    releases: VecDeque<(i64, Stamp)>,
    /// Units that are waited for, and when they were given.
    wanted: Option<i64>,
    reached: Option<i64>,
}

#[derive(Clone, Debug)]
struct StreamTimes {
    sent: StreamEnd,
    /// By receiver.
    taken: Vec<StreamEnd>,
}

#[derive(Clone, Debug)]
struct ProcessTimes {
    at: usize,
    /// The loops around: start, end, further runs (`None`: without end).
    loops: Vec<(usize, usize, Option<u64>)>,
    /// The event before.
    last: Stamp,
    /// The end of the transfer before.
    transfer: Option<Stamp>,
    /// The first word of the transfer under way.
    first: Option<Stamp>,
    /// Its end, if that was tried before: what is known of it so far.
    ending: Option<Event>,
    /// The word at each other end up to which segments were looked at for the end: each is looked at once.
    looked_at: Vec<u64>,
    /// Tasks of a host's channel that were started, and that have ended.
    tasks: u32,
    ended_tasks: u32,
    /// A task of the host begins with the next transfer: what had ended before it was started.
    begins: Option<EndedTasks>,
    events: usize,
    /// Number of events before each round.
    rounds: Vec<usize>,
    /// The needs of all events in order, and up to where those of each reach.
    needs: Vec<Need>,
    needs_until: Vec<usize>,
}

/// A computation under way.
pub(super) struct EarliestTimes<'a> {
    design: &'a TimedDesign,
    locks: Vec<LockTimes>,
    streams: Vec<StreamTimes>,
    states: Vec<ProcessTimes>,
    queue: ProcessQueue,
    ended: EndedTable,
    /// Keep what each event needs, and the rounds.
    records: bool,
    /// Rounds after which processes stop.
    most_rounds: usize,
}

impl Turns for EarliestTimes<'_> {
    fn queue(&mut self) -> &mut ProcessQueue {
        &mut self.queue
    }

    fn step(&mut self, process: usize) -> bool {
        let timed = &self.design.processes[process];
        let state = &mut self.states[process];
        while let Some((start, end, again)) = state.loops.last_mut()
            && state.at == *end
        {
            let is_ring = timed.ring.is_some_and(|ring| ring + 1 == *start);
            match again {
                Some(0) => _ = state.loops.pop(),
                again => {
                    if is_ring && state.rounds.len() > self.most_rounds {
                        return false;
                    }
                    if let Some(more) = again {
                        *more -= 1;
                    }
                    state.at = *start;
                    if is_ring && self.records {
                        state.rounds.push(state.events);
                    }
                }
            }
        }
        let Some(step) = timed.steps.get(state.at) else {
            return false;
        };
        let done = match *step {
            ProcessStep::Loop { times, len } => {
                let start = state.at + 1;
                let again = times.map(|times| times.saturating_sub(1));
                state.loops.push((start, start + len, again));
                if self.records && timed.ring == Some(state.at) {
                    state.rounds.push(state.events);
                }
                true
            }
            ProcessStep::Acquire { lock, value, .. } => self.acquire(process, lock, value),
            ProcessStep::Release { lock, value } => self.release(process, lock, value),
            ProcessStep::Send { stream: None, .. } => true,
            ProcessStep::Send {
                stream: Some(stream),
                words,
            } => return self.send(process, stream, words),
            ProcessStep::Receive { words } => return self.receive(process, words),
        };
        self.states[process].at += usize::from(done);
        done
    }
}

impl<'a> EarliestTimes<'a> {
    /// All parts of the array at their start, which is long ago; the runtime sequence is at 0.
    pub fn of_run(design: &'a TimedDesign) -> EarliestTimes<'a> {
        EarliestTimes::new(design, false, usize::MAX)
    }

    /// All at their start, with a record of `most_rounds` rounds.
    pub fn recorded(design: &'a TimedDesign, most_rounds: usize) -> EarliestTimes<'a> {
        EarliestTimes::new(design, true, most_rounds)
    }

    fn new(design: &'a TimedDesign, records: bool, most_rounds: usize) -> EarliestTimes<'a> {
        let state = |process: &TimedProcess| {
            let time = if process.is_sequence || records {
                0
            } else {
                LONG_AGO
            };
            ProcessTimes {
                at: 0,
                loops: Vec::new(),
                last: Stamp {
                    time,
                    event: None,
                    ended: 0,
                },
                transfer: None,
                first: None,
                ending: None,
                looked_at: Vec::new(),
                tasks: 0,
                ended_tasks: 0,
                begins: None,
                events: 0,
                rounds: Vec::new(),
                needs: Vec::new(),
                needs_until: Vec::new(),
            }
        };
        let stream = |receivers: &Vec<Option<usize>>| StreamTimes {
            sent: StreamEnd::default(),
            taken: vec![StreamEnd::default(); receivers.len()],
        };
        let mut times = EarliestTimes {
            locks: vec![LockTimes::default(); design.locks.len()],
            streams: design
                .streams
                .iter()
                .map(|s| stream(&s.receivers))
                .collect(),
            states: design.processes.iter().map(state).collect(),
            queue: ProcessQueue::new(design.processes.len()),
            ended: EndedTable::new(design.host_channels),
            design,
            records,
            most_rounds,
        };
        for process in 0..design.processes.len() {
            if design.processes[process].plays {
                times.wake(process);
            }
        }
        times
    }

    /// Wants to know when a lock was given `units` units.
    pub fn want(&mut self, lock: usize, units: i64) {
        self.locks[lock].wanted = Some(units);
    }

    /// When a lock was given the units that are wanted; `None` if it wasn't yet.
    pub fn reached(&self, lock: usize) -> Option<i64> {
        self.locks[lock].reached
    }

    /// The time of a process's last event.
    pub fn time_of(&self, process: usize) -> i64 {
        self.states[process].last.time
    }

    /// Number of events before each round of a process.
    pub fn rounds(&self, process: usize) -> &[usize] {
        &self.states[process].rounds
    }

    /// The needs of an event, in order.
    pub fn needs(&self, event: EventId) -> &[Need] {
        let state = &self.states[event.process as usize];
        let number = event.number as usize;
        let from = number.checked_sub(1);
        let from = from.map_or(0, |before| state.needs_until[before]);
        &state.needs[from..state.needs_until[number]]
    }

    fn wake(&mut self, process: usize) {
        if self.design.processes[process].plays {
            self.queue.wake(process);
        }
    }

    /// Begins the next event of a process, which comes at least `delay` after the one before. It can't be given up: a step that may have to wait
    /// finds that out first, or keeps the event.
    fn event(&mut self, process: usize, delay: i64) -> Event {
        let last = self.states[process].last;
        let mut event = Event {
            time: last.time,
            ended: last.ended,
        };
        self.after(process, &mut event, last, delay, NeedCause::Order);
        event
    }

    /// Lets the event under way of a process come after another one.
    #[inline(always)]
    fn after(
        &mut self,
        process: usize,
        event: &mut Event,
        stamp: Stamp,
        delay: i64,
        cause: NeedCause,
    ) {
        event.time = event.time.max(stamp.time + delay);
        event.ended = self.ended.join(event.ended, stamp.ended);
        if let Some(needed) = stamp.event {
            self.states[process].needs.push(Need {
                event: needed,
                delay,
                cause,
            });
        }
    }

    fn add(&mut self, process: usize, event: Event) -> Stamp {
        let state = &mut self.states[process];
        let number = state.events;
        state.events += 1;
        if self.records {
            state.needs_until.push(state.needs.len());
        }
        state.last = Stamp {
            time: event.time,
            event: self.records.then_some(EventId {
                process: process as u32,
                number: number as u32,
            }),
            ended: event.ended,
        };
        state.last
    }

    fn acquire(&mut self, process: usize, lock: usize, value: i64) -> bool {
        let timed = &self.design.processes[process];
        let mut given = None;
        if self.design.locks[lock].is_coupled {
            let times = &mut self.locks[lock];
            let needed = times.taken + value - self.design.locks[lock].init;
            if needed > 0 && times.given < needed {
                return false;
            }
            times.taken += value;
            while times
                .releases
                .front()
                .is_some_and(|(given, _)| *given < needed)
            {
                times.releases.pop_front();
            }
            given = times.releases.front().filter(|_| needed > 0);
        }
        let given = given.map(|(_, stamp)| *stamp);
        let mut event = self.event(process, timed.waits[self.states[process].at]);
        if let Some(stamp) = given {
            self.after(process, &mut event, stamp, 0, NeedCause::Lock(lock));
        }
        self.states[process].begins = Some(given.map_or(NONE_ENDED, |stamp| stamp.ended));
        self.add(process, event);
        true
    }

    fn release(&mut self, process: usize, lock: usize, value: i64) -> bool {
        let timed = &self.design.processes[process];
        let event = self.event(process, timed.waits[self.states[process].at]);
        let mut stamp = self.add(process, event);
        if let Some(host) = timed.host {
            let state = &mut self.states[process];
            state.ended_tasks += 1;
            stamp.ended = self
                .ended
                .with_end(stamp.ended, host.channel, state.ended_tasks);
            state.last = stamp;
        }
        let times = &mut self.locks[lock];
        times.given += value;
        if times.wanted.is_some_and(|wanted| times.given >= wanted) {
            times.reached.get_or_insert(stamp.time);
        }
        if self.design.locks[lock].is_coupled {
            times.releases.push_back((times.given, stamp));
            let design = self.design;
            for taker in &design.locks[lock].takers {
                self.wake(*taker);
            }
        }
        true
    }

    /// The first word of a transfer, as far as its own process goes.
    fn first_word(&mut self, process: usize) -> Event {
        let timed = &self.design.processes[process];
        let state = &mut self.states[process];
        let mut delay = timed.waits[state.at];
        if let (Some(host), Some(ended)) = (timed.host, state.begins.take()) {
            let is_idle = self.ended.of(ended, host.channel) >= state.tasks;
            delay += if is_idle {
                host.first_task
            } else {
                host.next_task
            };
            state.tasks += 1;
        }
        let transfer = state.transfer;
        let mut event = self.event(process, delay);
        if let Some(end) = transfer {
            self.after(process, &mut event, end, timed.switch, NeedCause::Order);
        }
        event
    }

    fn send(&mut self, process: usize, stream: usize, words: u64) -> bool {
        let timed = &self.design.processes[process];
        let connected = &self.design.streams[stream];
        let len = words + connected.kept_header;
        let moved = (len + connected.dropped_header) as i64;
        let receivers = || {
            let all = connected.receivers.iter().enumerate();
            all.filter_map(|(at, receiver)| Some((at, (*receiver)?)))
        };
        let room = connected.room;
        let cause = NeedCause::Stream(stream);
        let Some(first) = self.states[process].first else {
            let times = &self.streams[stream];
            // The word that has to be taken before the first one.
            let freed = times.sent.words.checked_sub(room);
            if let Some(word) = freed
                && receivers().any(|(at, _)| times.taken[at].with(word).is_none())
            {
                return false;
            }
            let mut event = self.first_word(process);
            if let Some(word) = freed {
                for (at, receiver) in receivers() {
                    let segment = self.streams[stream].taken[at].with(word);
                    let Some(&Segment { from, first, .. }) = segment else {
                        continue;
                    };
                    let delay = (word - from) as i64 * self.design.processes[receiver].word;
                    self.after(process, &mut event, first, delay, cause);
                }
            }
            let stamp = self.add(process, event);
            self.states[process].first = Some(stamp);
            self.streams[stream].sent.begin(len, stamp);
            receivers().for_each(|(_, receiver)| self.wake(receiver));
            return true;
        };
        let from = self.streams[stream].sent.words - len;
        let until = from + len;
        let mut event = match self.states[process].ending.take() {
            Some(event) => event,
            None => {
                let mut event = self.event(process, 0);
                let delay = moved * timed.word;
                self.after(process, &mut event, first, delay, NeedCause::Order);
                let looked_at = &mut self.states[process].looked_at;
                looked_at.clear();
                looked_at.resize(connected.receivers.len(), from.saturating_sub(room));
                event
            }
        };
        // Words before this one have to be taken.
        let limit = until.saturating_sub(room);
        for (at, receiver) in receivers() {
            let step = self.design.processes[receiver].word;
            loop {
                let word = self.states[process].looked_at[at];
                if word >= limit {
                    break;
                }
                let segment = self.streams[stream].taken[at].with(word);
                let known =
                    segment.filter(|segment| segment.end.is_some() || segment.until() > limit);
                let Some(&segment) = known else {
                    self.states[process].ending = Some(event);
                    return false;
                };
                if segment.from + room > from {
                    let left = (until - (segment.from + room)) as i64;
                    let delay = left * timed.word;
                    self.after(process, &mut event, segment.first, delay, cause);
                }
                if let Some(end) = segment.end.filter(|_| segment.until() <= limit) {
                    let left = (until + 1 - (segment.until() + room)) as i64;
                    let delay = left * timed.word - step;
                    self.after(process, &mut event, end, delay, cause);
                }
                self.states[process].looked_at[at] = segment.until();
                self.streams[stream].taken[at].forget_before(segment.until().min(limit));
            }
        }
        let mut stamp = self.add(process, event);
        self.end_transfer(process, stamp);
        if let Some(host) = timed.host.filter(|_| self.ends_task(process)) {
            // Who takes the last word does so after the task has ended, as a switch takes longer than a word.
            let tasks = self.states[process].ended_tasks + 1;
            stamp.ended = self.ended.with_end(stamp.ended, host.channel, tasks);
        }
        let times = &mut self.streams[stream];
        times.sent.finish(stamp);
        for (at, _) in receivers() {
            times.taken[at].forget_before(until.saturating_sub(room));
        }
        if receivers().next().is_none() {
            times.sent.forget_before(until);
        }
        receivers().for_each(|(_, receiver)| self.wake(receiver));
        true
    }

    fn end_transfer(&mut self, process: usize, stamp: Stamp) {
        let state = &mut self.states[process];
        state.transfer = Some(stamp);
        state.first = None;
        state.at += 1;
    }

    /// Whether a task of the host has no transfer left.
    fn ends_task(&self, process: usize) -> bool {
        let state = &self.states[process];
        let is_repeated = state
            .loops
            .iter()
            .any(|(_, end, again)| state.at == *end && *again != Some(0));
        let next = self.design.processes[process].steps.get(state.at);
        !is_repeated && matches!(next, Some(ProcessStep::Release { .. }))
    }

    fn receive(&mut self, process: usize, words: u64) -> bool {
        let timed = &self.design.processes[process];
        let input = timed.input;
        let Some(first) = self.states[process].first else {
            let mut need = None;
            if let Some((stream, at)) = input {
                let word = self.streams[stream].taken[at].words;
                let Some(segment) = self.streams[stream].sent.with(word).filter(|_| words > 0)
                else {
                    if words > 0 {
                        return false;
                    }
                    self.states[process].at += 1;
                    return true;
                };
                let before = word - segment.from + self.design.streams[stream].dropped_header;
                let step = self.sender_word(stream);
                let delay = self.design.stream_latency + before as i64 * step;
                need = Some((segment.first, delay, NeedCause::Stream(stream)));
            }
            let mut event = self.first_word(process);
            if let Some((stamp, delay, cause)) = need {
                self.after(process, &mut event, stamp, delay, cause);
            }
            let stamp = self.add(process, event);
            self.states[process].first = Some(stamp);
            if let Some((stream, at)) = input {
                self.streams[stream].taken[at].begin(words, stamp);
                self.wake_sender(stream);
            }
            return true;
        };
        let mut event = match self.states[process].ending.take() {
            Some(event) => event,
            None => {
                let mut event = self.event(process, 0);
                let delay = words as i64 * timed.word;
                self.after(process, &mut event, first, delay, NeedCause::Order);
                let from = input.map_or(0, |(stream, at)| {
                    self.streams[stream].taken[at].words - words
                });
                let looked_at = &mut self.states[process].looked_at;
                looked_at.clear();
                looked_at.push(from);
                event
            }
        };
        let Some((stream, at)) = input else {
            let stamp = self.add(process, event);
            self.end_transfer(process, stamp);
            return true;
        };
        let until = self.streams[stream].taken[at].words;
        let from = until - words;
        let step = self.sender_word(stream);
        let dropped = self.design.streams[stream].dropped_header;
        let (cause, latency) = (NeedCause::Stream(stream), self.design.stream_latency);
        loop {
            let word = self.states[process].looked_at[0];
            if word >= until {
                break;
            }
            let segment = self.streams[stream].sent.with(word);
            let known = segment.filter(|segment| segment.end.is_some() || segment.until() > until);
            let Some(&segment) = known else {
                self.states[process].ending = Some(event);
                return false;
            };
            if let Some(end) = segment.end.filter(|_| segment.until() <= until) {
                let left = (until + 1 - segment.until()) as i64;
                let delay = latency - step + left * timed.word;
                self.after(process, &mut event, end, delay, cause);
            } else {
                let before = (until - 1 - segment.from + dropped) as i64;
                let delay = latency + before * step + timed.word;
                self.after(process, &mut event, segment.first, delay, cause);
            }
            if segment.from > from {
                let left = (until - segment.from) as i64;
                let delay = latency + dropped as i64 * step + left * timed.word;
                self.after(process, &mut event, segment.first, delay, cause);
            }
            self.states[process].looked_at[0] = segment.until();
        }
        let stamp = self.add(process, event);
        self.end_transfer(process, stamp);
        self.streams[stream].taken[at].finish(stamp);
        // Segments that no receiver asks for any more go.
        let receivers = self.design.streams[stream].receivers.iter();
        let known = receivers.zip(&self.streams[stream].taken);
        let least = known.filter_map(|(receiver, taken)| receiver.map(|_| taken.finished()));
        let least = least.min().unwrap_or(until);
        self.streams[stream].sent.forget_before(least);
        self.wake_sender(stream);
        true
    }

    /// Ticks from one word of a stream's sender to the next.
    fn sender_word(&self, stream: usize) -> i64 {
        let sender = self.design.streams[stream].sender;
        sender.map_or(0, |sender| self.design.processes[sender].word)
    }

    fn wake_sender(&mut self, stream: usize) {
        if let Some(sender) = self.design.streams[stream].sender {
            self.wake(sender);
        }
    }
}
