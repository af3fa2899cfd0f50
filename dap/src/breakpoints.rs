//! The breakpoints of a client: at lines, at places, at changes of data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use aiec_cert::debug::DebugInfo;
use aiec_sim::array::{BreakCondition, Breakpoint};
use serde_json::{Value, json};

use crate::DebuggedProgram;
use crate::arguments::{DataBreakpoint, LineBreakpoint, PlaceBreakpoint};

/// Sorts of breakpoints, each with the reason that a stop at it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakpointSort {
    /// Of a line.
    Line,
    /// Of a place or a function.
    Place,
    /// Of data.
    Data,
}

impl BreakpointSort {
    /// The reason of a stop, as the protocol has it.
    pub fn reason(self) -> &'static str {
        match self {
            BreakpointSort::Line => "breakpoint",
            BreakpointSort::Place => "function breakpoint",
            BreakpointSort::Data => "data breakpoint",
        }
    }
}

/// A breakpoint that a client has set and that can be hit.
#[derive(Clone, Debug)]
struct SetBreakpoint {
    id: u64,
    conditions: Vec<Breakpoint>,
}

/// The instructions of each line that has some, by file and line.
#[derive(Debug, Default)]
pub struct LineTable {
    /// For each source file, as the program names it, where it is.
    files: Vec<PathBuf>,
    lines: BTreeMap<(u32, u32), Vec<BreakCondition>>,
}

impl LineTable {
    /// The lines of a program.
    pub fn of(program: &dyn DebuggedProgram) -> LineTable {
        let mut table = LineTable::default();
        let Some(debug) = program.debug() else {
            return table;
        };
        table.files = files(debug, program);
        for (source, on) in program.lines() {
            let line = (source.file, source.line);
            table.lines.entry(line).or_default().push(on);
        }
        table
    }

    /// The file of a path: the one with that path, else the only one with that name.
    fn file(&self, path: &Path) -> Option<u32> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let wanted = real(path);
        let numbered = || (0..).zip(&self.files);
        if let Some((file, _)) = numbered().find(|(_, file)| real(file) == wanted) {
            return Some(file);
        }
        let mut alike = numbered().filter(|(_, file)| file.file_name() == path.file_name());
        let (file, _) = alike.next()?;
        alike.next().is_none().then_some(file)
    }

    /// The first line from one on that has instructions, with these.
    fn first_at_or_after(
        &self,
        path: &Path,
        line: u32,
    ) -> Result<(u32, &[BreakCondition]), String> {
        let file = self
            .file(path)
            .ok_or_else(|| format!("the program has no instructions of {}", path.display()))?;
        let next = self.lines.range((file, line)..=(file, u32::MAX)).next();
        let (&(_, line), conditions) =
            next.ok_or_else(|| format!("no instruction comes from line {line} or a later one"))?;
        Ok((line, conditions))
    }
}

fn files(debug: &DebugInfo, program: &dyn DebuggedProgram) -> Vec<PathBuf> {
    let names = debug.files.iter();
    names.map(|name| program.source_path(name)).collect()
}

/// All breakpoints of a client.
#[derive(Debug, Default)]
pub struct BreakpointTable {
    lines: LineTable,
    by_source: BTreeMap<PathBuf, Vec<SetBreakpoint>>,
    places: Vec<SetBreakpoint>,
    data: Vec<SetBreakpoint>,
    last_id: u64,
}

impl BreakpointTable {
    /// None yet, of a program.
    pub fn of(program: &dyn DebuggedProgram) -> BreakpointTable {
        BreakpointTable {
            lines: LineTable::of(program),
            ..BreakpointTable::default()
        }
    }

    /// Adds what was found for a breakpoint to those that can be hit, and describes it.
    fn describe(
        &mut self,
        found: Result<(Option<u32>, Vec<Breakpoint>), String>,
        set: &mut Vec<SetBreakpoint>,
    ) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        match found {
            Ok((line, conditions)) => {
                set.push(SetBreakpoint { id, conditions });
                let mut value = json!({ "id": id, "verified": true });
                if let Some(line) = line {
                    value["line"] = json!(line);
                }
                value
            }
            Err(message) => json!({ "id": id, "verified": false, "message": message }),
        }
    }

    /// Replaces the breakpoints of a source.
    pub fn set_lines(&mut self, path: &Path, wanted: &[LineBreakpoint]) -> Vec<Value> {
        let mut set = Vec::new();
        let mut described = Vec::new();
        for wanted in wanted {
            let found = times(wanted.hit_condition.as_deref()).and_then(|times| {
                let (line, conditions) = self.lines.first_at_or_after(path, wanted.line)?;
                let all = conditions.iter().map(|on| Breakpoint { on: *on, times });
                Ok((Some(line), all.collect()))
            });
            described.push(self.describe(found, &mut set));
        }
        self.by_source.insert(path.to_path_buf(), set);
        described
    }

    /// Replaces the breakpoints of places and functions.
    pub fn set_places(
        &mut self,
        wanted: &[PlaceBreakpoint],
        program: &dyn DebuggedProgram,
    ) -> Vec<Value> {
        let mut set = Vec::new();
        let named = wanted.iter();
        let named = named.map(|wanted| (&*wanted.name, wanted.hit_condition.as_deref()));
        let described = self.describe_places(named, program, &mut set);
        self.places = set;
        described
    }

    /// Replaces the breakpoints of data, whose ids are places.
    pub fn set_data(
        &mut self,
        wanted: &[DataBreakpoint],
        program: &dyn DebuggedProgram,
    ) -> Vec<Value> {
        let mut set = Vec::new();
        let places: Vec<String> = wanted.iter().map(DataBreakpoint::place).collect();
        let counts = wanted.iter().map(|wanted| wanted.hit_condition.as_deref());
        let named = places.iter().map(String::as_str).zip(counts);
        let described = self.describe_places(named, program, &mut set);
        self.data = set;
        described
    }

    fn describe_places<'w>(
        &mut self,
        wanted: impl Iterator<Item = (&'w str, Option<&'w str>)>,
        program: &dyn DebuggedProgram,
        set: &mut Vec<SetBreakpoint>,
    ) -> Vec<Value> {
        let mut described = Vec::new();
        for (place, condition) in wanted {
            let found = times(condition).and_then(|times| {
                let mut all = program.breakpoints_of(place)?;
                if condition.is_some() {
                    all.iter_mut().for_each(|point| point.times = times);
                }
                Ok((None, all))
            });
            described.push(self.describe(found, set));
        }
        described
    }

    /// Each condition with the breakpoint that it is of.
    fn all(&self) -> impl Iterator<Item = (&Breakpoint, u64, BreakpointSort)> {
        let lines = self.by_source.values().flatten();
        let lines = lines.map(|set| (set, BreakpointSort::Line));
        let places = self.places.iter().map(|set| (set, BreakpointSort::Place));
        let data = self.data.iter().map(|set| (set, BreakpointSort::Data));
        let all = lines.chain(places).chain(data);
        all.flat_map(|(set, sort)| {
            let conditions = set.conditions.iter();
            conditions.map(move |condition| (condition, set.id, sort))
        })
    }

    /// The conditions of all of them.
    pub fn conditions(&self) -> Vec<Breakpoint> {
        self.all()
            .map(|(condition, ..)| condition.clone())
            .collect()
    }

    /// The breakpoint that a condition is of, by its number in [`BreakpointTable::conditions`].
    pub fn hit(&self, which: usize) -> Option<(u64, BreakpointSort)> {
        let (_, id, sort) = self.all().nth(which)?;
        Some((id, sort))
    }

    /// The lines of a source, in a range, that have instructions.
    pub fn lines_between(&self, path: &Path, first: u32, last: u32) -> Vec<u32> {
        let Some(file) = self.lines.file(path).filter(|_| first <= last) else {
            return Vec::new();
        };
        let lines = self.lines.lines.range((file, first)..=(file, last));
        lines.map(|(&(_, line), _)| line).collect()
    }
}

/// How often the run has to come to a breakpoint.
fn times(condition: Option<&str>) -> Result<u32, String> {
    let Some(text) = condition.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(1);
    };
    let count = text.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| format!("'{text}' is no count: write how often the run is to come here"))
}
