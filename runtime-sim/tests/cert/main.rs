//! Control code programs, assembled from text and simulated.

mod support;

mod damage;
mod deadlocks;
mod jobs;
mod near_misses;
mod special;
mod transfers;
