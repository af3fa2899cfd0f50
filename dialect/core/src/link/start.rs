//! Start-up code for programs that have none: it sets the stack pointer, calls `main` and stops.

use aiec_diag::{Diag, FileId};

use super::{ENTRY_SYMBOL, LinkOptions, codes};
use crate::asm;
use crate::object::{CoreObject, SectionKind, SymbolPlace};

/// Name of the start-up code in messages.
const NAME: &str = "start-up code";

/// Names that compilers give to the function that a core runs, first choice first.
const MAIN_SYMBOLS: [&str; 2] = ["main", "core_c_r"];

/// The code. After the call come 5 delay slots, whose last is longer so that the call returns to
/// a multiple of 16 bytes; arguments are those that llvm-aie's start-up code gives.
const TEXT: &str = "
    .globl __start
    .type __start, @function
__start:
    movxm sp, #_sp_start_value_DM_stack
    mova p0, #0
    mova r1, #0
    jl #MAIN
    nop
    nop
    nop
    nop
    nopx
    done
stopped:
    j #stopped
    nop
    nop
    nop
    nop
    nop
    .size __start, .-__start
";

/// Names of the function that the start-up code calls, first choice first.
pub(super) fn main_names(options: &LinkOptions) -> impl Iterator<Item = &str> {
    let others = MAIN_SYMBOLS.into_iter().filter(|_| options.main.is_none());
    options.main.as_deref().into_iter().chain(others)
}

/// Puts start-up code before the objects if it is wanted and none of them has any.
pub(super) fn add_missing(
    objects: &mut Vec<CoreObject>,
    options: &LinkOptions,
) -> Result<(), Vec<Diag>> {
    let defines = |name: &str| {
        objects
            .iter()
            .flat_map(|object| &object.symbols)
            .any(|symbol| symbol.name == name && symbol.place != SymbolPlace::Undefined)
    };
    let has_own_layout = objects
        .iter()
        .flat_map(|object| &object.sections)
        .any(|section| section.kind == SectionKind::Code && section.address.is_some());
    let is_needed = options.start_code && !has_own_layout && !defines(ENTRY_SYMBOL);
    let Some(first) = objects.first().filter(|_| is_needed) else {
        return Ok(());
    };
    let main = main_names(options).find(|name| defines(name));
    let Some(main) = main.or(options.main.as_deref()) else {
        // A text that begins at 0 without a function `main` is its own start-up code.
        return Ok(());
    };
    let text = TEXT.replace("MAIN", main);
    let mut start = asm::assemble(first.arch, NAME, FileId::default(), &text)?;
    // its lines are in a file that the user doesn't have
    start.lines.clear();
    objects.insert(0, start);
    Ok(())
}

/// Sections with addresses of functions that are to run before `main` (llvm-aie: crt1).
const CONSTRUCTOR_TABLES: [&str; 2] = [".init_array", ".ctors"];

/// Findings for files with constructors.
pub(super) fn refuse_constructors(objects: &[CoreObject]) -> Vec<Diag> {
    let has_some = |object: &&CoreObject| {
        object.sections.iter().any(|section| {
            let of_table = |table: &str| {
                let rest = section.name.strip_prefix(table);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            section.size > 0 && CONSTRUCTOR_TABLES.into_iter().any(of_table)
        })
    };
    let refused = objects.iter().filter(has_some).map(|object| {
        let message = format!("{} has constructors, which nothing runs", object.name);
        Diag::error(&codes::CONSTRUCTORS, message).help(
            "give its global objects constant values (`constinit`), or set them in a function",
        )
    });
    refused.collect()
}
