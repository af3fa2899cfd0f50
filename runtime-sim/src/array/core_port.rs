//! The array as a running core reaches it: the [`CoreBus`] of one tile.
//!
//! A core runs ahead of the clock between operations that others can see. Such an operation at a
//! later time than the current event is put off to an event at its own time (`resume`); loads and
//! stores are not, so memory is accessed up to [`super::Timing::lookahead`] cycles early, which
//! only a design with a data race can observe.

use aiec_device::{Bundle, LockId, TileKind, TileLoc};

use super::actor::ActorId;
use super::cascade::{Axis, CASCADE_WORDS, Cascade};
use super::core_tile::CoreTile;
use super::fault::FaultKind;
use super::grid::Grid;
use super::hw_event::HwEvent;
use super::lock::LockNeed;
use super::memory::Memory;
use super::pipe::PipeId;
use super::tile_context::TileContext;
use crate::core::{Attempt, CoreBanks, CoreBus, CoreMemory, RegisterAccess, TakenWord};
use crate::time::{Cycle, cycle_at, ticks};

/// Windows of a core in ascending order of their owners' tile index: owner and side number.
pub(super) type Windows = Vec<(usize, usize)>;

/// The bus of the core in `ctx`.
pub(super) struct CorePort<'a, 'w> {
    pub ctx: &'a mut TileContext<'w>,
    pub cascades: &'a mut [Cascade],
    /// The core, but not its machine.
    pub core: &'a mut CoreTile,
    pub window_bits: u32,
    /// The last cycle to which the array may go on without others.
    pub until: Cycle,
    /// Out: the core has looked its memories up.
    pub reaches_memory: bool,
    /// Out: run the core again at this cycle, it doesn't have to be woken.
    pub resume: Option<Cycle>,
    /// Out: the program asked for something that isn't there.
    pub fault: Option<String>,
}

impl CorePort<'_, '_> {
    /// Returns that the operation happens at `at`.
    fn at<T>(&mut self, at: Cycle) -> Attempt<T> {
        self.resume = Some(at);
        Attempt::Later
    }

    fn fail<T>(&mut self, message: String) -> Attempt<T> {
        self.fault = Some(message);
        Attempt::Later
    }

    /// Records the core's accesses so far, before an operation that orders them.
    pub fn record_accesses(&mut self) {
        if let Some(races) = &mut self.ctx.races {
            self.core
                .record_accesses(self.ctx.grid, self.ctx.loc, races);
        }
    }

    fn lock(&self, number: u8) -> Option<LockId> {
        self.core.locks.get(usize::from(number)).copied().flatten()
    }

    /// The pipe of the core's input stream.
    fn input(&self, channel: u8) -> Option<PipeId> {
        let switch = &self.ctx.net.switches[self.ctx.tile];
        switch.master(Bundle::Core, channel)?.target
    }

    /// The pipe of the core's output stream.
    fn output(&self, channel: u8) -> Option<PipeId> {
        let switch = &self.ctx.net.switches[self.ctx.tile];
        Some(switch.slave(Bundle::Core, channel)?.pipe)
    }

    /// Reports the fault of a program that ran at `at`.
    pub fn report(&mut self, at: Cycle, message: String) {
        let tile = self.ctx.loc;
        self.ctx.log.fault(at, FaultKind::Core { tile, message });
    }

    fn wake_core(&mut self, tile: usize) {
        let core = ActorId::core(self.ctx.grid.loc(tile));
        self.ctx.net.fabric.sched.wake(core);
    }
}

/// The tiles that the windows of a core show, by the number of the window.
pub(super) fn window_tiles(grid: &Grid, windows: &Windows) -> [Option<TileLoc>; 4] {
    let mut tiles = [None; 4];
    for &(owner, side) in windows {
        if let Some(tile) = tiles.get_mut(side) {
            *tile = Some(grid.loc(owner));
        }
    }
    tiles
}

/// The core to which a core's cascade leads, if that takes it.
pub(super) fn cascade_receiver(grid: &Grid, cascades: &[Cascade], tile: usize) -> Option<usize> {
    facing(grid, tile, cascades[tile].output, Axis::receiver)
        .filter(|&to| cascades[to].input == cascades[tile].output)
}

/// The core whose cascade leads to a core.
pub(super) fn cascade_sender(grid: &Grid, cascades: &[Cascade], tile: usize) -> Option<usize> {
    facing(grid, tile, cascades[tile].input, Axis::sender)
        .filter(|&from| cascades[from].output == cascades[tile].input)
}

fn facing(
    grid: &Grid,
    tile: usize,
    axis: Axis,
    step: fn(Axis, TileLoc) -> Option<TileLoc>,
) -> Option<usize> {
    let other = grid.index(step(axis, grid.loc(tile))?)?;
    (grid.tiles[other].kind == TileKind::Core).then_some(other)
}

/// Parts seen through the windows, each by the number of its side, of something that all tiles have.
fn split<'m, T>(mut tiles: &'m mut [T], windows: &Windows) -> [Option<&'m mut T>; 4] {
    let mut sides = [const { None }; 4];
    let mut before = 0;
    for &(owner, side) in windows {
        let (left, right) = tiles.split_at_mut(owner + 1 - before);
        if let Some(place) = sides.get_mut(side) {
            *place = left.last_mut();
        }
        tiles = right;
        before = owner + 1;
    }
    sides
}

impl CoreBus for CorePort<'_, '_> {
    fn memory(&mut self) -> CoreMemory<'_> {
        self.reaches_memory = true;
        let windows = split(self.ctx.memory, &self.core.windows);
        let windows = windows.map(|memory| memory.map_or(&mut [][..], Memory::bytes_mut));
        let modelled = self.ctx.timing.bank_conflicts;
        let recorded = self.ctx.races.is_some() || self.core.accesses.steps.is_some();
        CoreMemory {
            windows,
            window_bits: self.window_bits,
            conflicts: modelled
                .then(|| CoreBanks::new(split(self.ctx.banks, &self.core.windows), self.ctx.now)),
            accesses: recorded.then_some(&mut self.core.accesses),
        }
    }

    fn swap_memories(&mut self, taken: &mut [Vec<u8>; 4]) {
        let memories = split(self.ctx.memory, &self.core.windows);
        for (memory, taken) in memories.into_iter().zip(taken) {
            if let Some(memory) = memory {
                memory.swap(taken);
            }
        }
    }

    fn restart_at(&mut self, elapsed: u64) -> bool {
        let at = self.ctx.now + elapsed;
        // A random latency comes between the end of a run and the next one.
        if self.ctx.net.fabric.sched.jitter.is_on() || !self.is_next(at) {
            return false;
        }
        self.restart(at);
        true
    }

    fn acquire(&mut self, elapsed: u64, lock: u8, operand: i8) -> Attempt<()> {
        let now = self.ctx.now;
        if elapsed > 0 {
            return self.at(now + elapsed);
        }
        if self.core.granted.take().is_some() {
            return Attempt::Done(());
        }
        self.record_accesses();
        let Some(id) = self.lock(lock) else {
            return self.fail(format!("it acquires lock {lock}, which names no lock"));
        };
        let need = LockNeed::from_operand(operand.into());
        self.ctx.trace_request(id, need);
        let me = self.ctx.me;
        let locks = self.ctx.locks_of(id.tile);
        match locks.acquire(id.index.into(), me, need, now) {
            Some(grant) => {
                self.ctx.locks_granted(id, &[grant]);
                self.ctx.emit_acquired(id, need, grant.at);
                if grant.at <= now {
                    return Attempt::Done(());
                }
                self.core.granted = Some(grant.at);
                self.at(grant.at)
            }
            None => {
                self.core.waits_for = Some(id);
                Attempt::Later
            }
        }
    }

    fn release(&mut self, elapsed: u64, lock: u8, change: i8) -> Attempt<()> {
        if elapsed > 0 {
            return self.at(self.ctx.now + elapsed);
        }
        let Some(id) = self.lock(lock) else {
            return self.fail(format!("it releases lock {lock}, which names no lock"));
        };
        self.record_accesses();
        self.ctx.release(id, change.into());
        Attempt::Done(())
    }

    fn stream_get(&mut self, elapsed: u64, channel: u8) -> Attempt<u32> {
        self.stream_take(elapsed, channel).map(|taken| taken.word)
    }

    fn stream_take(&mut self, elapsed: u64, channel: u8) -> Attempt<TakenWord> {
        let Some(pipe) = self.input(channel) else {
            return self.fail(format!("it has no input stream {channel}"));
        };
        let local = self.ctx.now + elapsed;
        let fabric = &mut self.ctx.net.fabric;
        match fabric.pipe(pipe).front() {
            None => {
                fabric.sleep_for_data(pipe);
                Attempt::Later
            }
            Some(head) if cycle_at(head.tick) > local => self.at(cycle_at(head.tick)),
            Some(head) => {
                fabric.pop(pipe, ticks(local));
                self.record_accesses();
                self.ctx.stamp_taken(pipe, 1);
                Attempt::Done(TakenWord {
                    word: head.word,
                    last: head.last,
                })
            }
        }
    }

    fn stream_poll(&mut self, elapsed: u64, channel: u8) -> Attempt<Option<TakenWord>> {
        let Some(pipe) = self.input(channel) else {
            return self.fail(format!("it has no input stream {channel}"));
        };
        let local = self.ctx.now + elapsed;
        match self.ctx.net.fabric.pipe(pipe).front() {
            // A word may come until then.
            None if elapsed > 0 => self.at(local),
            Some(head) if cycle_at(head.tick) <= local => {
                self.stream_take(elapsed, channel).map(Some)
            }
            _ => Attempt::Done(None),
        }
    }

    fn stream_offer(&mut self, elapsed: u64, channel: u8, word: u32, last: bool) -> Attempt<bool> {
        let Some(start) = self.output(channel) else {
            return self.fail(format!("it has no output stream {channel}"));
        };
        let local = self.ctx.now + elapsed;
        let end = self.ctx.net.route(start, &mut self.core.route);
        match self.ctx.net.fabric.entry(end) {
            // There may be room until then.
            None if elapsed > 0 => self.at(local),
            Some(entry) if cycle_at(entry) <= local => {
                let put = self.stream_put(elapsed, channel, word, last);
                put.map(|()| true)
            }
            _ => Attempt::Done(false),
        }
    }

    fn register(&mut self, elapsed: u64, access: RegisterAccess) -> Attempt<u32> {
        let now = self.ctx.now;
        if elapsed > 0 {
            return self.at(now + elapsed);
        }
        if let Some(word) = self.core.register_word.take() {
            return Attempt::Done(word);
        }
        self.record_accesses();
        self.core.register_access = Some(access);
        self.at(now)
    }

    fn stream_put(&mut self, elapsed: u64, channel: u8, word: u32, last: bool) -> Attempt<()> {
        let Some(start) = self.output(channel) else {
            return self.fail(format!("it has no output stream {channel}"));
        };
        let local = self.ctx.now + elapsed;
        let me = self.ctx.me;
        let end = self.ctx.net.route(start, &mut self.core.route);
        let fabric = &mut self.ctx.net.fabric;
        match fabric.entry(end) {
            None => {
                fabric.sleep_for_space(end, me);
                Attempt::Later
            }
            Some(entry) if cycle_at(entry) > local => self.at(cycle_at(entry)),
            Some(entry) => {
                fabric.push(end, me, entry.max(ticks(local)), word, last);
                self.record_accesses();
                self.ctx.stamp_sent(end, 1);
                Attempt::Done(())
            }
        }
    }

    fn print(&mut self, elapsed: u64, instruction: u32, text: String) {
        let at = self.ctx.now + elapsed;
        self.core.prints.push((at, instruction, text));
    }

    fn cascade_get(&mut self, elapsed: u64) -> Attempt<[u32; CASCADE_WORDS]> {
        let local = self.ctx.now + elapsed;
        let tile = self.ctx.tile;
        match self.cascades[tile].arrival() {
            Some(arrival) if arrival > local => self.at(arrival),
            _ => match self.cascades[tile].pop(local) {
                None => Attempt::Later,
                Some(words) => {
                    self.record_accesses();
                    self.ctx.transfer_taken();
                    if let Some(from) = cascade_sender(self.ctx.grid, self.cascades, tile) {
                        self.wake_core(from);
                    }
                    Attempt::Done(words)
                }
            },
        }
    }

    fn cascade_put(&mut self, elapsed: u64, words: &[u32; CASCADE_WORDS]) -> Attempt<()> {
        let local = self.ctx.now + elapsed;
        let Some(to) = cascade_receiver(self.ctx.grid, self.cascades, self.ctx.tile) else {
            return Attempt::Later;
        };
        let depth = self.ctx.timing.cascade_depth;
        match self.cascades[to].entry(local, depth) {
            None => Attempt::Later,
            Some(entry) if entry > local => self.at(entry),
            Some(entry) => {
                self.cascades[to].push(entry + self.ctx.timing.cascade, *words, depth);
                self.record_accesses();
                self.ctx.transfer_sent(to);
                self.wake_core(to);
                Attempt::Done(())
            }
        }
    }

    fn event(&mut self, elapsed: u64, event: u8) {
        let at = self.ctx.now + elapsed;
        self.ctx.emit(HwEvent::Instruction(event), at);
    }
}
