//! Cycles of cores by line of the source, and by the calls and loops around it.

use std::collections::BTreeMap;
use std::fmt::Write;

use aiec_cert::debug::{CoreMarks, DebugInfo};
use aiec_cert::program::SourceLoc;
use aiec_device::TileLoc;

use super::types::LineReport;
use crate::core::CoreProfile;
use crate::run::SimResult;

/// Line of instructions without one in the file.
const NO_LINE: &str = "unknown line";

/// Cycles of a line.
#[derive(Clone, Copy, Debug, Default)]
struct LineCycles {
    busy: u64,
    stalled: u64,
}

/// Cycles of a tile's core by line, those with most first; `None` if they were not counted.
pub(super) fn lines(result: &SimResult, tile: TileLoc) -> Option<Vec<LineReport>> {
    let mut lines: BTreeMap<String, LineCycles> = BTreeMap::new();
    let mut counted = false;
    for (checksum, profile) in result.array.core_profiles(tile) {
        counted = true;
        let program = Program::find(result, tile, checksum);
        for context in &profile.contexts {
            for (at, cycles) in context.busy.iter() {
                lines.entry(program.line(at)).or_default().busy += cycles;
            }
            for (at, cycles) in context.stalled.iter() {
                lines.entry(program.line(at)).or_default().stalled += cycles;
            }
        }
    }
    if !counted {
        return None;
    }
    let mut lines: Vec<(String, LineCycles)> = lines.into_iter().collect();
    lines.sort_by_key(|(_, cycles)| std::cmp::Reverse(cycles.busy + cycles.stalled));
    let describe = |(source, cycles): (String, LineCycles)| LineReport {
        source,
        busy_cycles: cycles.busy,
        stall_cycles: cycles.stalled,
    };
    Some(lines.into_iter().map(describe).collect())
}

/// Cycles of all cores as folded stacks, which flame graph tools read: on each line frames from
/// the outside in, separated by semicolons, and the cycles.
pub fn folded(result: &SimResult) -> String {
    let mut out = String::new();
    for core in result.array.view().stats().cores {
        for (checksum, profile) in result.array.core_profiles(core.tile) {
            let program = Program::find(result, core.tile, checksum);
            let stacks = stacks(&program, core.tile, profile);
            for (stack, cycles) in stacks {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "{stack} {cycles}");
            }
        }
    }
    out
}

fn stacks(program: &Program<'_>, tile: TileLoc, profile: &CoreProfile) -> BTreeMap<String, u64> {
    let mut stacks: BTreeMap<String, u64> = BTreeMap::new();
    for (number, context) in profile.contexts.iter().enumerate() {
        let outer = callers(program, tile, profile, number);
        for (at, cycles) in context.busy.iter() {
            let stack = format!("{outer};{}", program.frames(at));
            *stacks.entry(stack).or_default() += cycles;
        }
        for (at, cycles) in context.stalled.iter() {
            let stack = format!("{outer};{};stalled", program.frames(at));
            *stacks.entry(stack).or_default() += cycles;
        }
    }
    stacks
}

/// The frames of the calls that lead into a context.
fn callers(program: &Program<'_>, tile: TileLoc, profile: &CoreProfile, context: usize) -> String {
    let mut frames = Vec::new();
    let mut at = profile.contexts.get(context);
    while let Some((caller, call)) = at.and_then(|context| context.caller) {
        frames.push(program.frames(call));
        at = profile.contexts.get(caller);
    }
    frames.push(format!("core {tile}"));
    frames.reverse();
    frames.join(";")
}

/// A core's program with its marks.
struct Program<'a> {
    debug: Option<&'a DebugInfo>,
    marks: Option<&'a CoreMarks>,
}

impl<'a> Program<'a> {
    fn find(result: &'a SimResult, tile: TileLoc, checksum: u32) -> Program<'a> {
        let debug = result.debug.as_ref();
        let marks = debug.and_then(|debug| debug.program((tile.col, tile.row), checksum));
        Program { debug, marks }
    }

    fn show(&self, source: SourceLoc) -> String {
        let whole_line = SourceLoc {
            column: 0,
            ..source
        };
        let shown = self.debug.and_then(|debug| debug.show(whole_line));
        shown.unwrap_or_else(|| NO_LINE.to_string())
    }

    /// `file:line` of an instruction.
    fn line(&self, at: u32) -> String {
        let mark = self.marks.and_then(|marks| marks.operation(at));
        mark.map_or_else(|| NO_LINE.to_string(), |mark| self.show(mark.source))
    }

    /// Function, loops and line of an instruction as frames.
    fn frames(&self, at: u32) -> String {
        let Some(marks) = self.marks else {
            return NO_LINE.to_string();
        };
        let mut frames = Vec::new();
        frames.extend(marks.function(at).map(|function| function.name.clone()));
        let loops = marks.loops_around(at);
        frames.extend(loops.map(|mark| format!("loop at {}", self.show(mark.source))));
        let mut line = self.line(at);
        if let Some(used) = marks.fifo_use(at) {
            let _ = write!(line, " {used}");
        }
        frames.push(line);
        frames.join(";").replace('\n', " ")
    }
}
