//! The section of names: labels, variables, and relations and dependencies for a scheduler.

use serde_json::{Value, json};

use crate::fabric::CellId;
use crate::program::{Dependency, DrraProgram, MemoryKind, Relation, Variable};

/// The section's bytes.
pub fn to_bytes(program: &DrraProgram) -> Vec<u8> {
    let mut labels = Vec::new();
    for cell in &program.cells {
        for (index, item) in cell.items.iter().enumerate() {
            if let Some(label) = &item.label {
                labels.push(json!([cell.cell.row, cell.cell.column, index, label]));
            }
        }
    }
    let variable = |variable: &Variable| {
        json!({
            "name": variable.name,
            "dimarch": variable.memory == MemoryKind::Sram,
            "fixed_point": variable.fixed_point,
            "row": variable.cell.row,
            "column": variable.cell.column,
            "words": variable.words.len(),
        })
    };
    let relation = |relation: &Relation| {
        json!({
            "name": relation.name,
            "bulk": relation.bulk,
            "children": relation.children,
            "expand": relation.expand,
        })
    };
    let dependency = |dependency: &Dependency| {
        json!([
            dependency.source,
            dependency.destination,
            dependency.low,
            dependency.high
        ])
    };
    let names = json!({
        "labels": labels,
        "variables": program.variables.iter().map(variable).collect::<Vec<_>>(),
        "relations": program.relations.iter().map(relation).collect::<Vec<_>>(),
        "dependencies": program.dependencies.iter().map(dependency).collect::<Vec<_>>(),
    });
    names.to_string().into_bytes()
}

/// Why a section of names can't be used.
#[derive(Debug, thiserror::Error)]
pub enum NamesError {
    /// It isn't JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It names variables, relations or dependencies that can't be.
    #[error("it doesn't fit the other sections")]
    Unfit,
    /// A label is of an instruction that the program doesn't have.
    #[error("a label is of no instruction")]
    Label,
}

/// Gives a program the names of a section.
pub fn apply(bytes: &[u8], program: &mut DrraProgram) -> Result<(), NamesError> {
    let names: Value = serde_json::from_slice(bytes)?;
    let list = |key: &str| {
        names
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let variables: Option<Vec<Variable>> = variables(list("variables"), &program.variables);
    let relations: Option<Vec<Relation>> = list("relations").map(relation).collect();
    let dependencies: Option<Vec<Dependency>> = list("dependencies").map(dependency).collect();
    let (Some(variables), Some(relations), Some(dependencies)) =
        (variables, relations, dependencies)
    else {
        return Err(NamesError::Unfit);
    };
    for entry in list("labels") {
        let label = label(entry, program).ok_or(NamesError::Label)?;
        *label.0 = Some(label.1);
    }
    program.variables = variables;
    program.relations = relations;
    program.dependencies = dependencies;
    Ok(())
}

fn small(value: Option<&Value>) -> Option<u8> {
    u8::try_from(value?.as_u64()?).ok()
}

fn cell(row: Option<&Value>, column: Option<&Value>) -> Option<CellId> {
    let (row, column) = (small(row)?, small(column)?);
    Some(CellId { row, column })
}

fn label<'p>(
    entry: &Value,
    program: &'p mut DrraProgram,
) -> Option<(&'p mut Option<String>, String)> {
    let cell = cell(entry.get(0), entry.get(1))?;
    let index = usize::try_from(entry.get(2)?.as_u64()?).ok()?;
    let name = writable(entry.get(3)?)?;
    let cell = program.cells.iter_mut().find(|c| c.cell == cell)?;
    Some((&mut cell.items.get_mut(index)?.label, name))
}

/// A name that can be written between quotes.
fn writable(value: &Value) -> Option<String> {
    let name = value.as_str()?;
    let bad = |c: char| c == '"' || c.is_control();
    (!name.is_empty() && !name.contains(bad)).then(|| name.to_owned())
}

/// Divides the contents of memories into variables; `None` unless they are divided wholly.
fn variables<'v>(
    entries: impl Iterator<Item = &'v Value>,
    memories: &[Variable],
) -> Option<Vec<Variable>> {
    let mut used = vec![0; memories.len()];
    let mut all = Vec::new();
    for entry in entries {
        let memory = if entry.get("dimarch")?.as_bool()? {
            MemoryKind::Sram
        } else {
            MemoryKind::RegisterFile
        };
        let cell = cell(entry.get("row"), entry.get("column"))?;
        let count = usize::try_from(entry.get("words")?.as_u64()?).ok()?;
        let of = memories
            .iter()
            .position(|m| m.memory == memory && m.cell == cell);
        // a memory of which all variables are empty has no section
        let (address, words) = match of {
            None if count == 0 => (0, &[][..]),
            None => return None,
            Some(of) => {
                let address = used[of];
                used[of] = address + count;
                (address, memories[of].words.get(address..used[of])?)
            }
        };
        let name = entry.get("name")?.as_str()?;
        let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
        if name.is_empty() || !name.chars().all(is_letter) {
            return None;
        }
        all.push(Variable {
            name: name.to_owned(),
            memory,
            fixed_point: entry.get("fixed_point")?.as_bool()?,
            cell,
            address,
            words: words.to_vec(),
        });
    }
    let wholly = memories
        .iter()
        .zip(&used)
        .all(|(m, used)| m.words.len() == *used);
    wholly.then_some(all)
}

fn relation(entry: &Value) -> Option<Relation> {
    let names = |at: usize| {
        let names = entry.get("children")?.get(at)?.as_array()?;
        names.iter().map(writable).collect::<Option<Vec<String>>>()
    };
    Some(Relation {
        name: writable(entry.get("name")?)?,
        bulk: entry.get("bulk")?.as_bool()?,
        children: [names(0)?, names(1)?],
        expand: entry.get("expand")?.as_bool()?,
    })
}

fn dependency(entry: &Value) -> Option<Dependency> {
    Some(Dependency {
        source: writable(entry.get(0)?)?,
        destination: writable(entry.get(1)?)?,
        low: entry.get(2)?.as_i64()?,
        high: match entry.get(3)? {
            Value::Null => None,
            high => Some(high.as_i64()?),
        },
    })
}
