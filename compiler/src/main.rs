//! The `aiec` command.

fn main() {}
