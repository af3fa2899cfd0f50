//! Control code programs, assembled from text and simulated.

mod support;

mod damage;
mod deadlocks;
mod jobs;
mod leftovers;
mod special;
mod transfers;
