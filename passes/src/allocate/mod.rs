//! Allocation of a tile's fixed resources: locks, buffer descriptors, memory.
//!
//! * [`assign_lock_ids`] and [`assign_bd_ids`] give each lock and descriptor a number; cores that
//!   name locks by number get the locks ([`numbered_locks`]); [`check_lock_balance`] adds up their units;
//! * [`assign_buffer_addresses`] gives each buffer an address, one bank for each where possible.
//!
//! Numbers that the netlist fixes are kept. Each allocator has a checker that sees only its result;
//! each failure lists what uses the resource ([`crate::analysis::budget`]).

pub mod assign_bd_ids;
pub mod assign_buffer_addresses;
pub mod assign_lock_ids;
pub mod check_lock_balance;
mod numbered_locks;
