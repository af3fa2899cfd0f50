//! Placement: logical tiles get columns and rows.
//!
//! [`place_tiles`] is the one pass of this stage. After it no operation names a tile without
//! coordinates, and everything that counts resources per tile can work.

pub mod place_tiles;
