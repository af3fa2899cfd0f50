//! The kinds of findings of the parser.

crate::codes! {
    /// The parser's codes.
    pub static CODES;
    SYNTAX = "parse::syntax",
        "The text doesn't follow the grammar at this place. The message says what could stand \
         there; the rest of the operation is skipped and parsing goes on with the next one.";
    UNKNOWN_OP = "parse::unknown-op",
        "No operation of this name has a custom syntax here. Check the spelling, or write it in \
         generic form: \"dialect.op\"(%operands) {attributes} : (types) -> types.";
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
        "A number doesn't fit its type. Integers have at most 64 bits here, and an attribute's \
         type limits them further.";
    UNKNOWN_WORD = "parse::unknown-word",
        "A word is none of the cases that can stand at this place (wire bundles, DMA directions, \
         lock actions, devices and the like).";
    BAD_TYPE = "parse::bad-type",
        "The text is not a type. Types of other dialects start with `!`.";
    BAD_ATTRIBUTE = "parse::bad-attribute",
        "The text is not an attribute of the kind that is needed here.";
    UNKNOWN_ALIAS = "parse::unknown-alias",
        "An alias (`#name`, `!name`) is used before it is defined. Define it at the top of the \
         file.";
    DUPLICATE_ATTRIBUTE = "parse::duplicate-attribute",
        "An attribute dictionary has one key twice.";
    UNKNOWN_BLOCK = "parse::unknown-block",
        "A terminator jumps to a block that its region doesn't have.";
    REDEFINED_BLOCK = "parse::redefined-block",
        "Two blocks of one region have the same label.";
    NESTING = "parse::nesting",
        "Regions or attributes are nested deeper than any design needs. The limit keeps a \
         malformed file from exhausting memory.";
    OLD_FORM = "parse::old-form",
        "An early-2025 spelling can't be brought into today's form, for the reason given.";
}
