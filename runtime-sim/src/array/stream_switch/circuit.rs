//! Circuit switching: a slave port copies every word to all masters that name it.

use smallvec::SmallVec;

use super::{Net, Route};
use crate::array::actor::ActorId;
use crate::array::fabric::Fabric;
use crate::array::pipe::{PipeId, WordBytes, steady};
use crate::array::tick_queue::TickQueue;
use crate::array::timing::Timing;
use crate::time::{Cycle, Tick, cycle_at, ticks};

/// Words that are copied at once.
const CHUNK: usize = 64;

/// A destination of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    /// The pipe that words enter.
    pub pipe: PipeId,
    /// The header word of a packet doesn't go there.
    pub drop_header: bool,
}

pub(crate) type Targets = SmallVec<[Target; 4]>;

/// Why copying stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The source is empty and will wake the slave.
    Empty,
    /// A destination is full and will wake the slave.
    Full,
    /// The next word moves at this cycle, beyond what may be done ahead.
    Later(Cycle),
    /// A word with TLAST moved at this tick (packets only).
    Tlast(Tick),
}

/// Runs a circuit-switched slave port.
pub(crate) fn run(net: &mut Net, tile: usize, index: usize, now: Cycle, timing: &Timing) {
    let switch = &net.switches[tile];
    let source = switch.slaves[index].pipe;
    let feeds: SmallVec<[Option<PipeId>; 4]> = switch
        .circuit_masters(index)
        .map(|master| master.target)
        .collect();
    let mut targets = Targets::new();
    for target in &feeds {
        // A master at the edge of the array takes nothing.
        let Some(pipe) = *target else {
            return net.fabric.sleep_for_data(source);
        };
        let pipe = net.route(pipe, &mut Route::default());
        targets.push(Target {
            pipe,
            drop_header: false,
        });
    }
    if targets.is_empty() {
        return net.fabric.sleep_for_data(source);
    }
    let me = net.switches[tile].slaves[index].actor;
    let mut copy = Copy {
        source,
        targets: &targets,
        not_before: 0,
        header: false,
        packet: false,
    };
    if let Stop::Later(at) = copy.run(net, me, now, timing) {
        net.schedule_slave(tile, index, at);
    }
}

/// Copies words from one pipe into several, each word when all can take it.
pub(crate) struct Copy<'a> {
    pub source: PipeId,
    pub targets: &'a [Target],
    /// No word moves before this tick.
    pub not_before: Tick,
    /// The next word is a packet header.
    pub header: bool,
    /// Stop after a word with TLAST.
    pub packet: bool,
}

impl Copy<'_> {
    pub fn run(&mut self, net: &mut Net, me: ActorId, now: Cycle, timing: &Timing) -> Stop {
        let fabric = &mut net.fabric;
        if fabric.stamps.is_none() {
            return self.copy(fabric, me, now, timing);
        }
        let entered = |fabric: &Fabric| -> SmallVec<[u64; 4]> {
            let targets = self.targets.iter();
            targets.map(|t| fabric.pipe(t.pipe).pushed).collect()
        };
        let before = entered(fabric);
        let stop = self.copy(fabric, me, now, timing);
        for (target, before) in self.targets.iter().zip(before) {
            let words = fabric.pipe(target.pipe).pushed - before;
            fabric.forward_stamps(self.source, target.pipe, words);
        }
        stop
    }

    fn copy(&mut self, fabric: &mut Fabric, me: ActorId, now: Cycle, timing: &Timing) -> Stop {
        let limit = ticks(now + timing.lookahead);
        loop {
            let Some(head) = fabric.pipe(self.source).front() else {
                fabric.sleep_for_data(self.source);
                return Stop::Empty;
            };
            let mut first = head.tick.max(self.not_before);
            for target in self.targets {
                if self.header && target.drop_header {
                    continue;
                }
                match fabric.entry(target.pipe) {
                    Some(entry) => first = first.max(entry),
                    None => {
                        fabric.sleep_for_space(target.pipe, me);
                        fabric.stalls(self.source);
                        return Stop::Full;
                    }
                }
            }
            if first > limit {
                return Stop::Later(cycle_at(first));
            }
            let (rate, count) = self.burst(fabric, first, limit);
            let mut words = [WordBytes::default(); CHUNK];
            let words = &mut words[..count];
            let arrivals = fabric.pipe(self.source).arrivals();
            let last = arrivals.ends_with_last(count);
            fabric.pop_burst(self.source, (first, rate), words);
            for target in self.targets {
                if !(self.header && target.drop_header) {
                    fabric.push_burst(target.pipe, me, (first, rate), words, last);
                }
            }
            self.header = false;
            if self.packet && last {
                return Stop::Tlast(first + (count as Tick - 1) * rate);
            }
        }
    }

    /// Rate and count of the words that go on from a first tick on as one burst, none after `limit`
    /// and none after one with TLAST.
    fn burst(&self, fabric: &Fabric, first: Tick, limit: Tick) -> (Tick, usize) {
        let source = fabric.pipe(self.source);
        let mut most = fabric.burst_of(self.source, source.arrivals().up_to_last().min(CHUNK));
        let mut step = 0;
        let mut queues: SmallVec<[&TickQueue; 4]> = SmallVec::new();
        queues.push(source.arrivals());
        for target in self.targets {
            // what a header is kept from doesn't hold it up
            if self.header && target.drop_header {
                most = 1;
                continue;
            }
            let pipe = fabric.pipe(target.pipe);
            most = if self.header || pipe.is_watched() {
                1
            } else {
                most.min(pipe.space())
            };
            step = step.max(pipe.step);
            queues.push(pipe.free());
        }
        let (rate, count) = steady(first, step, &queues, most);
        let in_time = (limit - first)
            .checked_div(rate)
            .map_or(count, |n| n as usize + 1);
        (rate, count.min(in_time))
    }
}
