//! Codes of findings about command buffers and their assembly.

aiec_diag::codes! {
    /// Codes of command buffers of RefSi M1 and of their assembly.
    pub static CODES;
    SYNTAX = "refsi::syntax",
        "The line isn't a command of the RefSi command processor. A line is `MNEMONIC operand, operand`, `LABEL:`, \
         `.quad N, …`, `.equ NAME, N` or `.base ADDRESS`; `;` and `#` begin comments. `aiec isa --target \
         refsi-m1` lists the commands.";
    OPERANDS = "refsi::operands",
        "The command has another number of operands. Operands are separated by commas; those in the header \
         come first, then those of the payload. `aiec isa --target refsi-m1` shows the order.";
    RANGE = "refsi::range",
        "The value does not fit the bits that it is encoded in. STORE_IMM64 has 32-bit addresses, MAX_HARTS 8 bits; \
         sizes and scales of windows have their own ranges, which the message names.";
    NUM_ARGS = "refsi::num-args",
        "RUN_INSTANCES has 0 to 7 arguments after NUM_INSTANCES. NUM_ARGS, the second operand, is their number; where it is left out, \
         they are counted. A second operand that could be NUM_ARGS but does not match what follows is \
         read as NUM_INSTANCES: write NUM_ARGS to be sure.";
    FIELD = "refsi::field",
        "A field of the value is misspelt, given twice, or no field of this register. `aiec isa --target refsi-m1` lists \
         the fields of registers; a value can be one number instead.";
    SYMBOL = "refsi::symbol",
        "A label or constant is used that is not defined, defined twice, or has the name of something else. Labels are \
         `NAME:` in front of a command; their value is the address of the next chunk, counted from `.base`.";
    LENGTH = "refsi::length",
        "The bytes of a command buffer aren't a multiple of 8. A buffer is an array of 64-bit chunks and nothing else.";
    HEADER = "refsi::header",
        "The chunk isn't a header of a command: bits 31:30 must be 3 and bits 7:0 must be 0. Usually a command before \
         it has another number of payload chunks than its header says.";
    OPCODE = "refsi::opcode",
        "No command has this opcode: they are 1 to 9. The reference driver takes 0 as NOP, which `--compat` allows.";
    COUNT = "refsi::count",
        "The header's count of payload chunks is not that of the command, or odd: the field holds twice the number \
         of chunks. The reference driver rounds odd counts down (`--compat`).";
    PAST_END = "refsi::past-end",
        "A command's payload goes beyond the end of the buffer, or what a command reads or writes goes beyond the end of \
         the memory it begins in.";
    FINISH = "refsi::finish",
        "The buffer does not end with FINISH, or chunks follow it, which are never executed. Without FINISH the host is \
         not informed that the buffer is complete; the reference driver takes the end of the bytes (`--compat`).";
    REGISTER = "refsi::register",
        "The command processor has no register of this number: they are 0 to 6 and 8 to 39. The reference driver keeps 7, \
         which `--compat` allows.";
    RESERVED = "refsi::reserved",
        "Bits that mean nothing are not 0. They are ignored today; another version of the platform may use them.";
    WINDOW = "refsi::window",
        "A memory window is set to what it can't be: mode 3 is reserved, interleaved targets are not modelled, a scale matters \
         only where there are several targets. Or a window is used whose mode was never set.";
    COPY = "refsi::copy",
        "COPY_MEM64 copies 64-bit elements: source and destination are multiples of 8, each in one region, and the unit is \
         one that can access the source.";
    DMA = "refsi::dma",
        "The value written to DMA_CTRL starts a transfer that the DMA controller refuses: the dimension is 1, 2 or 3, and only \
         transfers of 2 and 3 dimensions have strides.";
    ADDRESS = "refsi::address",
        "Nothing is at the address: it lies in no memory, no registers, and in none of the windows that the buffer sets. \
         Windows set by other buffers are not known here.";
}
