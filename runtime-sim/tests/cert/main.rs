//! Control code programs, assembled from text and simulated.

mod support;

mod damage;
mod deadlocks;
mod jobs;
mod special;
mod transfers;
