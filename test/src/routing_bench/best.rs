//! The table of best known results, `test/routing-bench/best.json`: for each problem the fewest
//! connections that any router is known to have used, or that no routing exists.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Best known result of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It has been routed with this many connections.
    Connections(usize),
    /// It has been proved that there is no routing.
    Impossible,
}

/// Best results by problem name.
pub type Table = BTreeMap<String, Known>;

/// The folder of the benchmark.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("routing-bench")
}

/// The mark of an impossible problem.
const IMPOSSIBLE: &str = "impossible";

/// Reads the table.
pub fn read() -> io::Result<Table> {
    let text = fs::read_to_string(folder().join("best.json"))?;
    let value: Value = serde_json::from_str(&text).map_err(io::Error::other)?;
    let mut table = Table::new();
    for (name, known) in value.as_object().into_iter().flatten() {
        let known = match known.as_u64() {
            Some(count) => Known::Connections(count as usize),
            None if known.as_str() == Some(IMPOSSIBLE) => Known::Impossible,
            None => return Err(io::Error::other(format!("{name}: {known}"))),
        };
        table.insert(name.clone(), known);
    }
    Ok(table)
}

/// Writes the table.
pub fn write(table: &Table) -> io::Result<()> {
    let row = |(name, known): (&String, &Known)| match known {
        Known::Connections(count) => format!("  \"{name}\": {count}"),
        Known::Impossible => format!("  \"{name}\": \"{IMPOSSIBLE}\""),
    };
    let rows: Vec<String> = table.iter().map(row).collect();
    let text = format!("{{\n{}\n}}\n", rows.join(",\n"));
    fs::write(folder().join("best.json"), text)
}

/// Enters a result if it is better than the known one; returns whether it is.
pub fn improve(table: &mut Table, name: &str, result: Known) -> bool {
    let better = match (table.get(name), result) {
        (None, _) => true,
        (Some(Known::Connections(old)), Known::Connections(new)) => new < *old,
        _ => false,
    };
    if better {
        table.insert(name.to_string(), result);
    }
    better
}
