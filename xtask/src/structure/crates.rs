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
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("no packages")?;
    let names: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let mut crates: Vec<Crate> = packages
        .iter()
        .filter_map(|package| read_package(package, &names))
        .collect();
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(crates)
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

/// The arrows that a page draws: of each table row whose second cell names a crate, the crates that
/// its third cell names, both in backticks.
#[must_use]
pub fn arrows_of_page(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix('|')?.split('|').collect();
        let name = names_in(cells.get(1)?).next()?;
        Some((name, names_in(cells.get(2)?).collect()))
    });
    rows.collect()
}

/// The crates of the workspace that a cell names: `aiec` and what begins with `aiec-`.
fn names_in(cell: &str) -> impl Iterator<Item = String> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| *name == "aiec" || name.starts_with("aiec-"))
        .map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_draws_what_its_table_says() {
        let page = "| folder | crate | depends on | owns |\n\
                    | --- | --- | --- | --- |\n\
                    | `a` | `aiec-a` | | the `aiec-b` of it |\n\
                    | `b` | `aiec` | `aiec-a`, `serde` | x |\n\
                    | examples | | | y |\n";
        let arrows = arrows_of_page(page);
        assert_eq!(arrows.len(), 2);
        assert!(arrows["aiec-a"].is_empty());
        assert_eq!(arrows["aiec"], BTreeSet::from(["aiec-a".to_string()]));
    }
}
