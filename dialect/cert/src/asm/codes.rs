//! Diagnostic codes of the assembler, and findings that several lines may give. Who reports one
//! adds the span.

use aiec_diag::{Code, Diag};

use super::UnknownRegister;
use crate::isa::OPS;
use crate::names::Target;

aiec_diag::codes! {
    /// Codes of the assembler.
    pub static CODES;
    UNKNOWN_OPERATION = "asm::unknown-operation",
        "The word at the beginning of the line isn't an operation of the controller. `aiec isa` lists \
         them. Data words are `.long`, alignment is `.align`, the end of a page is `.eop`.";
    UNKNOWN_LINE = "asm::unknown-line",
        "The line is neither an operation, a label (`NAME:` alone on its line), a directive nor a \
         comment (from `;`, or a line that begins with `#`). The vendor's assembler drops such \
         lines without a word.";
    OPERAND_COUNT = "asm::operand-count",
        "The operation has too few or too many operands, or a comma with nothing beside it. \
         Operands are separated by commas or blanks. `aiec isa` shows the operands of each \
         operation.";
    OPERAND = "asm::operand",
        "The operand is of the wrong sort: a register is `$r0` to `$r23` or `$g0` to `$g15`, a \
         barrier `$lb0` to `$lb15` or `$rb0` and up, a label or scope `@name`, a tile `TILE_c_r`, a \
         number decimal, `0x…`, the name of an `.equ` or a register `TILE_c_r.NAME`. There are no negative \
         numbers and no expressions.";
    ACTOR = "asm::actor",
        "An actor is what sends task-complete tokens: a DMA channel of a tile, such as \
         `SHIM_MM2S_0`. The target has no such channel, or not in the row of the tile named.";
    NUMBER = "asm::number",
        "The number does not fit the field it is for. The vendor's assembler cuts it without a \
         word, as `--compat` does.";
    OUT_OF_RANGE = "asm::out-of-range",
        "The operand names something that does not exist, such as `$r24`, or is outside of what \
         makes sense there.";
    UNDEFINED = "asm::undefined",
        "The name is not defined where it can be seen. Labels are seen in their own file and \
         scope, scopes and pads in their controller.";
    DUPLICATE = "asm::duplicate",
        "The name or number is defined already: labels are unique in a file and scope, job numbers \
         between two page ends.";
    DATA = "asm::data",
        "Data are wrongly built: every block has a label in front, holds UC_DMA_BD or .long and no \
         .align inside, and its last descriptor does not say that another one follows.";
    JOB = "asm::job",
        "Instructions are between START_JOB (or a variant) and END_JOB, jobs are not nested, and \
         are in text, before EOF.";
    NO_EOF = "asm::no-eof",
        "The code of each controller and scope ends with EOF.";
    NO_CODE = "asm::no-code",
        "The text has no job of any controller (no code of a core, no cell of a fabric), so the file would hold \
         no code, which no loader takes. With `--compat` lines of unknown meaning are dropped as the vendor's \
         assembler does, perhaps all of them.";
    SCOPE = "asm::scope",
        "A scope is opened by a line `NAME:` in text and closed by `.endl NAME`, innermost first.";
    DIRECTIVE = "asm::directive",
        "The directive has an operand of the wrong shape, or names an unknown section.";
    TARGET = "asm::target",
        "The text is for another family of controllers than the one that is assembled for, or uses \
         an operation that this family lacks.";
    INCLUDE = "asm::include",
        "The file cannot be read, or includes itself. It is looked up as it is named, beside the \
         file that names it, and in each folder given with -I.";
    PREEMPT = "asm::preempt",
        "With `--save-restore DIR`, PREEMPT runs the vendor's save and restore programs that lie in \
         the folder, as its assembler does with those built in; the scopes that PREEMPT names are \
         place holders then. Either the programs are not there or not for this partition, or the \
         map in the fourth operand of PREEMPT is wrong: a bit for each 64 KiB of the memory tiles, \
         without gaps.";
}

/// Kinds of errors that may cost more than the line they are about, so that checks of how the rest
/// fits together are skipped.
pub(super) static LOSE_ALL: [&Code; 5] =
    [&UNKNOWN_OPERATION, &UNKNOWN_LINE, &JOB, &SCOPE, &INCLUDE];

/// Operations of the first published text of the instruction set, which the vendor's assembler
/// refuses today, with their present names.
const OLDER_OPERATIONS: [(&str, &str); 2] = [("WORD", ".long"), ("ALIGN", ".align")];

/// Today's name of an operation.
pub(super) fn name_of_today(name: &str) -> &str {
    let mut older = OLDER_OPERATIONS.iter();
    let found = older.find(|(older, _)| name.eq_ignore_ascii_case(older));
    found.map_or(name, |(_, today)| today)
}

/// No such operation.
pub(super) fn unknown_operation(name: &str) -> Diag {
    let older = OLDER_OPERATIONS
        .iter()
        .find(|(older, _)| name.eq_ignore_ascii_case(older));
    let near = || aiec_diag::did_you_mean(name, OPS.iter().map(|row| row.mnemonic));
    let help = match (older, near()) {
        (Some((older, today)), _) => format!("{older} of older texts is {today} today"),
        (None, Some(near)) => format!("did you mean {near}?"),
        (None, None) => "`aiec isa` lists the operations".to_owned(),
    };
    Diag::error(&UNKNOWN_OPERATION, format!("unknown operation '{name}'")).help(help)
}

/// An operand of the wrong sort.
pub(super) fn wrong_operand(text: &str, wanted: &str) -> Diag {
    let diag = Diag::error(&OPERAND, format!("'{text}' is not {wanted}"));
    let channel = ["S2MM_", "MM2S_"]
        .iter()
        .any(|prefix| text.to_ascii_uppercase().starts_with(prefix));
    if channel {
        let name = text.to_ascii_uppercase();
        return diag.help(format!(
            "write the kind of tile before it: SHIM_{name}, MEM_{name} or TILE_{name}"
        ));
    }
    if !wanted.starts_with("a number") {
        return diag;
    }
    diag.help(if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        "a name would become a symbol that no loader fills in: define it first (`.equ NAME, VALUE`)"
    } else {
        "there are no negative numbers, fractions or expressions"
    })
}

/// No such actor.
pub(super) fn unknown_actor(text: &str, target: Target) -> Diag {
    Diag::error(&ACTOR, format!("'{text}' is not an actor of {target}"))
        .help("`aiec isa` lists the actors of each target")
}

/// No such register.
pub(super) fn unknown_register(text: &str, unknown: UnknownRegister) -> Diag {
    Diag::error(&OPERAND, format!("'{text}': {}", unknown.why)).help(unknown.help)
}

/// A number that its field can't hold.
pub(super) fn too_wide(value: &str, bits: u8) -> Diag {
    Diag::error(&NUMBER, format!("{value} does not fit {bits} bits"))
}

/// The error for a value that doesn't exist; `range` names those that do.
pub(super) fn out_of_range(text: &str, range: &str) -> Diag {
    Diag::error(&OUT_OF_RANGE, format!("'{text}' is out of range: {range}"))
}

/// A reference without a definition; `near` is the defined name that it probably means.
pub(super) fn undefined(what: &str, name: &str, near: Option<&str>) -> Diag {
    let help = match near {
        _ if what == super::SAVE_RESTORE_SCOPE => {
            "define it in the text, or name a folder of programs with --save-restore".to_owned()
        }
        Some(near) => format!("did you mean '{near}'?"),
        None => "names are looked up in the same scope, in the same file and in the files that it includes".to_owned(),
    };
    Diag::error(&UNDEFINED, format!("there is no {what} '{name}' here")).help(help)
}

/// A second definition.
pub(super) fn duplicate(what: &str, name: impl std::fmt::Display) -> Diag {
    Diag::error(&DUPLICATE, format!("{what} '{name}' is already defined"))
}

/// A descriptor in the text of a job.
pub(super) fn data_in_text() -> Diag {
    Diag::error(&DATA, "UC_DMA_BD is data, but this is text")
        .help("data go after EOF, or after `.section .ctrldata`")
}

/// Something that cannot be in a job.
pub(super) fn inside_job(what: &str, job: u16) -> Diag {
    Diag::error(&JOB, format!("{what} inside job {job}")).help("add END_JOB before it")
}

/// A scope that is not closed before something else.
pub(super) fn open_scope(name: &str) -> Diag {
    Diag::error(&SCOPE, format!("scope '{name}' is not closed before this"))
        .help("add `.endl NAME` after the scope's data")
}

/// A directive's operand of the wrong shape.
pub(super) fn malformed(directive: &str, wanted: &str) -> Diag {
    Diag::error(&DIRECTIVE, format!("{directive} takes {wanted}"))
}
