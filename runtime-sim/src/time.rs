//! Simulated time.
//!
//! One cycle is one cycle of the array clock. Inside the stream model a finer unit, the
//! `Tick`, lets a 64-bit port move two 32-bit words in one cycle with distinct time stamps.

pub use aiec_run_loop::Cycle;

/// Half an array clock cycle: the time one 32-bit word takes on a 64-bit port.
pub(crate) type Tick = u64;

/// Ticks in one cycle.
pub(crate) const TICKS_PER_CYCLE: Tick = 2;

/// First tick of a cycle.
pub(crate) const fn ticks(cycle: Cycle) -> Tick {
    cycle * TICKS_PER_CYCLE
}

/// First cycle that begins at or after a tick.
pub(crate) const fn cycle_at(tick: Tick) -> Cycle {
    tick.div_ceil(TICKS_PER_CYCLE)
}
