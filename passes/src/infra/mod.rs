//! Infrastructure of passes: declaration, manager, checks of their results, and the few builders
//! that most stages share.
//!
//! * [`pass`]: what a pass is, its options and its context;
//! * [`manager`]: runs passes in order, with findings, timing and a hook after each;
//! * [`self_check`]: runs a pass's checker on its result, in debug builds;
//! * `regions`, `packet_flow`, `word_globals`: building operations with one region, packet flows, and
//!   globals of words.
//!
//! This folder uses no other folder of the crate.

pub mod manager;
pub(crate) mod packet_flow;
pub mod pass;
pub(crate) mod regions;
pub mod self_check;
pub(crate) mod word_globals;
