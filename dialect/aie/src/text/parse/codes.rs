//! The kinds of findings of the parser.

use aiec_diag::Code;

aiec_diag::codes! {
    /// The parser's codes.
    pub static CODES;
    SYNTAX = "parse::syntax",
        "The text doesn't follow the grammar at this place. The message says what could be \
         there; the rest of the operation is skipped and parsing goes on with the next one.";
    UNKNOWN_OP = "parse::unknown-op",
        "No operation of this name has a custom syntax here. Check the spelling, or write it in \
         generic form: \"dialect.op\"(%operands) {attributes} : (types) -> types. Operations in \
         generic form are kept as they are, whatever their dialect.";
    UNKNOWN_VALUE = "parse::unknown-value",
        "An operand names an SSA value that is defined nowhere in its scope. Values are visible \
         from their definition to the end of their region; functions and devices can't see values \
         from outside.";
    REDEFINED_VALUE = "parse::redefined-value",
        "Two definitions of one SSA name are visible at the same place. Rename one of them.";
    TYPE_MISMATCH = "parse::type-mismatch",
        "An operand's value has another type than this operation expects or says. Write the type \
         the value was defined with, or convert the value.";
    RESULT_COUNT = "parse::result-count",
        "The number of names left of `=` is not the number of results the operation has.";
    BAD_NUMBER = "parse::bad-number",
        "A number doesn't fit its type. Integers have at most 128 bits here, and an attribute's \
         type limits them further.";
    UNKNOWN_WORD = "parse::unknown-word",
        "A word is none of the cases that can be at this place (wire bundles, DMA directions, \
         lock actions, devices and the like).";
    BAD_TYPE = "parse::bad-type",
        "The text is not a type. Types of other dialects start with `!`.";
    BAD_ATTRIBUTE = "parse::bad-attribute",
        "The text is not an attribute of the kind that is needed here.";
    UNKNOWN_ALIAS = "parse::unknown-alias",
        "An alias (`#name`, `!name`) is used that no line of the file defines. Definitions \
         (`#name = ATTRIBUTE`, `!name = TYPE`) are outside of all braces, before their uses.";
    DUPLICATE_ATTRIBUTE = "parse::duplicate-attribute",
        "An attribute dictionary has one key twice.";
    UNKNOWN_BLOCK = "parse::unknown-block",
        "A terminator jumps to a block that its region doesn't have.";
    REDEFINED_BLOCK = "parse::redefined-block",
        "Two blocks of one region have the same label.";
    NESTING = "parse::nesting",
        "Regions, attributes, types or expressions are nested deeper than any design needs. The \
         limit keeps a malformed file from exhausting memory.";
    DEVICE_NUMBER = "parse::device-number",
        "Generic form names a device by a number. Numbers from 8 changed in mid-2025: 8 was npu1_4col \
         and is npu2 today, 9 was npu2 and is npu2_1col, and so on. The text doesn't say when it was \
         written; today's numbers are taken. Write the device by its name.";
    OLDER_SPELLING = "parse::older-spelling",
        "Texts of 2023 and early 2024 write `AIE.tile`, `AIEX.ipu.sync`, the device `ipu`, a runtime \
         sequence as a function, transfers with three strides, written BDs without `d2_size`, links without offsets and \
         `rtp_write` with a tile's coordinates. They are read as what they mean today; printing gives \
         today's form.";
    LEGACY_SYNTAX = "parse::old-form",
        "An early-2025 spelling can't be brought into today's form, for the reason given.";
}

/// The way out of a finding that doesn't say a better one.
pub(super) fn usual_way_out(code: &Code) -> Option<&'static str> {
    // Codes are compared by name: a static may have several addresses.
    let is = |other: &Code| other.id == code.id;
    Some(if is(&SYNTAX) {
        "write what is expected here, or remove what was found"
    } else if is(&UNKNOWN_VALUE) {
        "define it before, in this region or one around it"
    } else if is(&TYPE_MISMATCH) {
        "write the type that the value has, or convert the value before"
    } else if is(&RESULT_COUNT) {
        "name as many results as the operation has, or none"
    } else if is(&BAD_NUMBER) {
        "write a number that its type can hold, or another type"
    } else if is(&BAD_TYPE) {
        "types are i32, index, f32, bf16, memref<16xi32>, vector<16xi8> and the like; those of \
         other dialects start with `!`"
    } else if is(&BAD_ATTRIBUTE) {
        "write an attribute of the kind that is needed here"
    } else if is(&DUPLICATE_ATTRIBUTE) {
        "remove one of the two"
    } else if is(&UNKNOWN_BLOCK) {
        "add a line with the label and a colon in this region, or name another block"
    } else if is(&REDEFINED_BLOCK) {
        "rename one of the two"
    } else if is(&NESTING) {
        "split it up, for instance with aliases or functions"
    } else if is(&LEGACY_SYNTAX) {
        "write it in today's form"
    } else {
        return None;
    })
}
