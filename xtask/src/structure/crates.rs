//! The workspace's crates and what each depends on, as Cargo and as the architecture page has it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A crate of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// The root file of its library.
    pub root: PathBuf,
    /// The crates of the workspace that its library depends on.
    pub depends_on: BTreeSet<String>,
}

/// Reads the workspace in the folder `root`, sorted by name.
///
/// # Errors
/// `cargo metadata` can't be run, or gives something else than it documents.
pub fn read_workspace(root: &Path) -> Result<Vec<Crate>, String> {
    let metadata = cargo_metadata(root, &["--no-deps"])?;
    let packages = metadata["packages"].as_array().ok_or("no packages")?;
    let names: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let mut crates: Vec<Crate> = packages
        .iter()
        .filter_map(|package| read_package(package, &names))
        .collect();
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(crates)
}

/// The oldest compiler that each package of the workspace and of its dependencies declares: name,
/// and minor version of Rust 1.
///
/// # Errors
/// As [`read_workspace`].
pub fn oldest_compilers(root: &Path) -> Result<BTreeMap<String, u32>, String> {
    let metadata = cargo_metadata(root, &["--locked"])?;
    let packages = metadata["packages"].as_array().ok_or("no packages")?;
    let oldest = packages.iter().filter_map(|package| {
        let minor = package["rust_version"].as_str()?.split('.').nth(1)?;
        Some((package["name"].as_str()?.to_string(), minor.parse().ok()?))
    });
    Ok(oldest.collect())
}

fn cargo_metadata(root: &Path, more: &[&str]) -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .args(more)
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn read_package(package: &Value, names: &BTreeSet<&str>) -> Option<Crate> {
    let mut targets = package["targets"].as_array()?.iter();
    let library = targets.find(|target| target["kind"] == serde_json::json!(["lib"]))?;
    let dependencies = package["dependencies"].as_array()?.iter();
    // `kind` is null for a dependency of the library, else "dev" or "build".
    let of_library = dependencies.filter(|dependency| dependency["kind"].is_null());
    let depends_on = of_library.filter_map(|dependency| dependency["name"].as_str());
    Some(Crate {
        name: package["name"].as_str()?.to_string(),
        root: PathBuf::from(library["src_path"].as_str()?),
        depends_on: depends_on
            .filter(|name| names.contains(name))
            .map(str::to_string)
            .collect(),
    })
}

/// The words of a table for the crates of all rows before.
const ALL_ABOVE: &str = "all of the above";

/// Allowed dependencies of each crate by a page's table: of each row whose second cell names a
/// crate, the crates that its last cell names, all in backticks, or "all of the above".
#[must_use]
pub fn dependencies_of_page(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut drawn = BTreeMap::new();
    for line in page.lines() {
        let Some(row) = line.strip_prefix('|').and_then(|l| l.strip_suffix('|')) else {
            continue;
        };
        let cells: Vec<&str> = row.split('|').collect();
        let (Some(second), Some(last)) = (cells.get(1), cells.last()) else {
            continue;
        };
        let Some(name) = crate_names(second).next() else {
            continue;
        };
        let uses = if last.trim() == ALL_ABOVE {
            drawn.keys().cloned().collect()
        } else {
            crate_names(last).collect()
        };
        drawn.insert(name, uses);
    }
    drawn
}

/// The crates of the workspace that a cell names.
fn crate_names(cell: &str) -> impl Iterator<Item = String> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| ["aiec", "xtask"].contains(name) || name.starts_with("aiec-"))
        .map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_draws_what_its_table_says() {
        let page = "| folder | crate | owns | uses |\n\
                    | --- | --- | --- | --- |\n\
                    | `a` | `aiec-a` | the `aiec-b` of it | |\n\
                    | `b` | `aiec` | x | `aiec-a`, `serde` |\n\
                    | `t` | `aiec-t` | x | all of the above |\n\
                    | examples | | y | |\n";
        let drawn = dependencies_of_page(page);
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect();
        assert_eq!(drawn.len(), 3);
        assert_eq!(drawn["aiec-a"], set(&[]));
        assert_eq!(drawn["aiec"], set(&["aiec-a"]));
        assert_eq!(drawn["aiec-t"], set(&["aiec", "aiec-a"]));
    }
}
