//! Control code programs, assembled from text and simulated.

mod support;

mod deadlocks;
mod jobs;
mod transfers;
