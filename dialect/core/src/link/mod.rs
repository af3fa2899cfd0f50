//! The linker: objects to one program, as the linker script of mlir-aie lays it out. The program
//! begins at 0 of program memory with the start-up code; data lie in one piece of data memory.

mod codes;
#[cfg(test)]
mod compiled_tests;
mod members;
mod place;
mod reach;
mod relocate;
mod start;
mod symbols;
#[cfg(test)]
mod tests;

pub use codes::{CODES, MIXED};
pub use members::add_members;

use aiec_diag::{Diag, Span};

use crate::object::CoreObject;
use crate::program::CoreProgram;

/// Where a program's parts go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkOptions {
    /// First byte of the stack, which grows up. Data memory of the core's own tile is at
    /// [`OWN_DATA_MEMORY`].
    pub stack_address: u32,
    /// First byte of data.
    pub data_address: u32,
    /// One past the last byte that data may have.
    pub data_end: u32,
    /// One past the last byte that the program may have.
    pub program_end: u32,
    /// Addresses of symbols that no object defines: buffers.
    pub symbols: Vec<(String, u32)>,
    /// Whether to put start-up code before the program if it has none.
    pub start_code: bool,
    /// The function that the start-up code calls; `None`: `main`, or else `core_c_r`.
    pub main: Option<String>,
    /// Whether sections that the program does not reach are left out.
    pub drop_unreached: bool,
    /// Where a design names symbols: findings about one of them refer to it.
    pub symbol_spans: Vec<(String, Span)>,
}

impl LinkOptions {
    /// Where the design names a symbol.
    fn span_of(&self, name: &str) -> Option<Span> {
        let mut spans = self.symbol_spans.iter();
        spans
            .find(|(known, _)| known == name)
            .map(|(_, span)| *span)
    }
}

/// Address of the core's own data memory (AM020: the east window).
pub const OWN_DATA_MEMORY: u32 = 0x70000;
/// Bytes of a core tile's data memory and of a window for one.
pub const DATA_MEMORY_BYTES: u32 = 0x10000;
/// Bytes of program memory.
pub const PROGRAM_MEMORY_BYTES: u32 = 0x4000;
/// Bytes of the stack by default (mlir-aie: `stack_size` of `aie.core`).
pub const DEFAULT_STACK_BYTES: u32 = 0x400;

/// Name of the first stack address (mlir-aie's linker script).
pub const STACK_SYMBOL: &str = "_sp_start_value_DM_stack";
/// Name of the first instruction that runs.
pub const ENTRY_SYMBOL: &str = "__start";

impl Default for LinkOptions {
    fn default() -> LinkOptions {
        LinkOptions {
            stack_address: OWN_DATA_MEMORY,
            data_address: OWN_DATA_MEMORY + DEFAULT_STACK_BYTES,
            data_end: OWN_DATA_MEMORY + DATA_MEMORY_BYTES,
            program_end: PROGRAM_MEMORY_BYTES,
            symbols: Vec::new(),
            start_code: true,
            main: None,
            drop_unreached: false,
            symbol_spans: Vec::new(),
        }
    }
}

/// Links objects of one architecture.
///
/// # Errors
/// All findings: symbols that are missing or defined twice, addresses that don't fit, no room.
pub fn link(objects: &[CoreObject], options: &LinkOptions) -> Result<CoreProgram, Vec<Diag>> {
    let Some(first) = objects.first() else {
        let message = "there is nothing to link";
        return Err(vec![
            Diag::error(&codes::UNDEFINED, message).help("name an object"),
        ]);
    };
    let others = objects.iter().filter(|object| object.arch != first.arch);
    let findings: Vec<_> = others
        .map(|other| {
            let message = format!(
                "{} is for {}, {} for {}",
                first.name, first.arch, other.name, other.arch
            );
            let help = "compile all files of a core for its device";
            Diag::error(&codes::MIXED, message).help(help)
        })
        .collect();
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut all = objects.to_vec();
    start::add_missing(&mut all, options)?;
    let mut findings = start::refuse_constructors(&all);
    symbols::join_commons(&mut all);
    let definitions = symbols::definitions(&all, options, &mut findings);
    if options.drop_unreached {
        reach::drop_unreached(&mut all, &definitions, options);
    }
    let (placed, no_room) = place::place(&all, options);
    let fits = no_room.is_empty();
    findings.extend(no_room);
    let (program, wrong) = relocate::relocate(&all, placed, &definitions, options);
    // sections past the end of a memory have addresses out of range: the lack of room is the cause
    let is_wrong = |diag: &Diag| fits || diag.code != &codes::RELOCATION;
    findings.extend(wrong.into_iter().filter(is_wrong));
    if findings.is_empty() {
        Ok(program)
    } else {
        Err(findings)
    }
}
