//! Register maps of the tiles.
