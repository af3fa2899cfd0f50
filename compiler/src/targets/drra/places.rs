//! Places of a fabric on the command line: memories, and where a run is to stop.

use aiec_diag::Reported;
use aiec_drra::fabric::{BLOCK_WORDS, CellId, FabricShape, REGISTER_FILE_WORDS, SRAM_ROWS};
use aiec_drra::sim::{Fabric, PORT_NAMES};
use aiec_drra::{DrraProgram, MemoryKind};
use aiec_run_loop::MachineBreak;

use crate::session::Session;
use crate::sim::places::{Wrong, small, split_optional, wrong};

/// Syntax of memories.
const MEMORY_FORMS: &str = "write rf:ROW,COLUMN[:WORD[+WORDS]], sram:ROW,COLUMN[:ROW[+ROWS]] or the \
                            name of a variable, $NAME";
/// Syntax of places to stop at.
const BREAK_FORMS: &str = "write pc:ROW,COLUMN:ADDRESS, word:ROW,COLUMN:PORT[:ADDRESS], \
                           row:ROW,COLUMN:r|w[:ROW] or dpu:ROW,COLUMN; #N after it for the Nth time";

/// Words of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlace {
    /// The kind of memory.
    pub memory: MemoryKind,
    /// Its cell.
    pub cell: CellId,
    /// The first word.
    pub first: usize,
    /// Number of words; by default up to the end of the memory.
    pub words: usize,
    /// Whether the command line says how many.
    pub is_sized: bool,
}

impl MemoryPlace {
    /// Whether as many words fit: all that it names, or a part of what it does not.
    pub fn takes(&self, words: usize) -> bool {
        if self.is_sized {
            words == self.words
        } else {
            (1..=self.words).contains(&words)
        }
    }
}

/// Reads a memory place.
pub fn memory(
    flag: &str,
    text: &str,
    program: &DrraProgram,
    shape: FabricShape,
    session: &mut Session,
) -> Result<MemoryPlace, Reported> {
    let place = match text.strip_prefix('$') {
        Some(name) => variable(name, program),
        None => memory_place(text, shape),
    };
    place.map_err(|error| session.fail(wrong(flag, text, error)))
}

fn variable(name: &str, program: &DrraProgram) -> Result<MemoryPlace, Wrong> {
    let mut variables = program.variables.iter();
    let Some(found) = variables.find(|variable| variable.name == name) else {
        let names = program
            .variables
            .iter()
            .map(|variable| variable.name.as_str());
        let help = match aiec_diag::did_you_mean(name, names) {
            Some(near) => format!("did you mean ${near}?"),
            None => MEMORY_FORMS.to_owned(),
        };
        return Err(("the program has no such variable".to_owned(), help));
    };
    Ok(MemoryPlace {
        memory: found.memory,
        cell: found.cell,
        first: found.address,
        words: found.words.len(),
        is_sized: true,
    })
}

fn forms(help: &str) -> Wrong {
    ("it isn't a place of the fabric".to_owned(), help.to_owned())
}

/// `ROW,COLUMN`
fn cell(text: &str) -> Option<CellId> {
    let (row, column) = text.split_once(',')?;
    Some(CellId {
        row: small(row.trim())?,
        column: small(column.trim())?,
    })
}

fn memory_place(text: &str, shape: FabricShape) -> Result<MemoryPlace, Wrong> {
    let bad = || forms(MEMORY_FORMS);
    let (kind, rest) = text.split_once(':').ok_or_else(bad)?;
    let (at, range) = split_optional(rest, ':');
    let cell = cell(at).ok_or_else(bad)?;
    let (memory, unit, units, exists) = match kind {
        "rf" => (
            MemoryKind::RegisterFile,
            1,
            REGISTER_FILE_WORDS,
            shape.cell_index(cell).is_some(),
        ),
        "sram" => (
            MemoryKind::Sram,
            BLOCK_WORDS,
            SRAM_ROWS,
            shape.sram_index(cell).is_some(),
        ),
        _ => return Err(bad()),
    };
    if !exists {
        let message = format!("the fabric has no {kind} {cell}");
        return Err((message, format!("it has {shape}, and a row of SRAMs")));
    }
    let (first, count, is_sized) = match range {
        None => (0, units, false),
        Some(range) => {
            let (first, count) = split_optional(range, '+');
            let first: usize = small(first).ok_or_else(bad)?;
            let rest = units.saturating_sub(first);
            match count {
                Some(count) => (first, small::<usize>(count).ok_or_else(bad)?, true),
                None => (first, rest, false),
            }
        }
    };
    if first.checked_add(count).is_none_or(|end| end > units) {
        let message = format!("it goes past the end: {kind} has {units}");
        return Err((message, MEMORY_FORMS.to_owned()));
    }
    Ok(MemoryPlace {
        memory,
        cell,
        first: first * unit,
        words: count * unit,
        is_sized,
    })
}

/// Reads the texts of `--break`.
pub fn breakpoints(
    texts: &[String],
    fabric: &Fabric,
    session: &mut Session,
) -> Result<Vec<MachineBreak>, Reported> {
    let mut all = Vec::new();
    for text in texts {
        match breakpoint(text, fabric) {
            Some(found) => all.push(found),
            None => session.push(wrong("--break", text, forms(BREAK_FORMS))),
        }
    }
    session.diags.check()?;
    Ok(all)
}

fn breakpoint(text: &str, fabric: &Fabric) -> Option<MachineBreak> {
    let (place, times) = match text.rsplit_once('#') {
        Some((place, times)) => (place, small::<u32>(times).filter(|times| *times > 0)?),
        None => (text, 1),
    };
    let mut parts = place.split(':');
    let kind = parts.next()?;
    let at = cell(parts.next()?)?;
    let rest: Vec<&str> = parts.collect();
    let number = |text: Option<&&str>| match text {
        Some(text) => small::<u64>(text).map(Some),
        None => Some(None),
    };
    let (event, unit, key) = match (kind, &rest[..]) {
        ("pc", [_]) => ("ISSUE", "sequencer", number(rest.first())?),
        ("word", [port] | [port, _]) => {
            let port = PORT_NAMES.iter().find(|name| *name == port)?;
            ("WORD", *port, number(rest.get(1))?)
        }
        ("row", ["r"] | ["r", _]) => ("ROW", "sram read", number(rest.get(1))?),
        ("row", ["w"] | ["w", _]) => ("ROW", "sram write", number(rest.get(1))?),
        ("dpu", []) => ("COMPUTE", "dpu", None),
        _ => return None,
    };
    Some(MachineBreak {
        event,
        unit: Some(fabric.unit(at, unit)?),
        key,
        times,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_places_with_or_without_a_range() {
        let read = |text| memory_place(text, FabricShape::DEFAULT).ok();
        let place = |memory, row, column, first, words, is_sized| MemoryPlace {
            memory,
            cell: CellId { row, column },
            first,
            words,
            is_sized,
        };
        let (rf, sram) = (MemoryKind::RegisterFile, MemoryKind::Sram);
        assert_eq!(read("rf:1,7"), Some(place(rf, 1, 7, 0, 64, false)));
        assert_eq!(read("rf:0,0:60"), Some(place(rf, 0, 0, 60, 4, false)));
        assert_eq!(read("rf:0,0:60+3"), Some(place(rf, 0, 0, 60, 3, true)));
        assert_eq!(read("sram:0,2:4+2"), Some(place(sram, 0, 2, 64, 32, true)));
        for bad in [
            "rf:2,0",
            "sram:1,0",
            "rf:0,0:60+5",
            "rf:0",
            "x:0,0",
            "rf:0,0:a",
            "sram:0,0:129",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
