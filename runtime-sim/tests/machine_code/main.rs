//! Machine code of cores, executed by the engine.

mod fuzz;
mod mutations;
mod programs;
mod random;
mod reference;
mod silicon;
mod support;
