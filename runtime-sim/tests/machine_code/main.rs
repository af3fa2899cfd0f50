//! Machine code of cores, executed by the engine.

mod silicon;
mod support;
