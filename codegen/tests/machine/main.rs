//! Machine functions assembled and executed under the strict rules of the pipeline.

mod programs;
mod random;
mod support;
