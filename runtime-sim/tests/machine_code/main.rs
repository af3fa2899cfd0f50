//! Machine code of cores, executed by the engine.

mod random;
mod reference;
mod silicon;
mod support;
