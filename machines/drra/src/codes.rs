//! The kinds of findings about DRRA programs and descriptions.

aiec_diag::codes! {
    /// Codes of DRRA.
    pub static CODES;
    SYNTAX = "drra::syntax",
        "A line isn't of a form that its section knows. In .CODE a line is `CELL <row, column>` or \
         `\"LABEL\" NAME FIELD=VALUE, …` with the label left out where nothing names it; in .DATA \
         `$NAME PLACE TYPE ROW COLUMN CONTENTS`; in .RELATION `\"NAME\" 1 BULK [names] [names] \
         EXPAND`; in .DEPENDENCY `\"SRC\" \"DST\" LOW HIGH`. Comments are `# …`, `// …` and \
         `/* … */`.";
    SECTION = "drra::section",
        "The text has four kinds of sections, .DATA, .CODE, .RELATION and .DEPENDENCY, each of \
         which may come several times. Whatever a file says has to be in one of them.";
    DATA = "drra::data",
        "A variable of .DATA isn't possible: its name is there twice, its place or type is neither 0 \
         nor 1, its contents don't fill whole rows of 16 words in DiMArch, or a number doesn't fit \
         16 bits.";
    MEMORY = "drra::memory",
        "Something is larger than the memory it goes to: a cell has 64 words of registers and an \
         instruction memory of 64 chunks, an SRAM has 128 rows of 16 words.";
    CELL = "drra::cell",
        "A cell or an SRAM that the fabric doesn't have, or an instruction in front of the first \
         CELL. Rows and columns count from 0; `aiec devices drra-v2` shows how many there are.";
    OLD_NAME = "drra::old-name",
        "A name of version 1 of the instruction set (SRAM_R, DELAY, RACCU_OP and the like). The message \
         has today's name; operands have names too: `aiec isa --target drra-v2` lists them.";
    FIELD = "drra::field",
        "A field is set twice, or it can't be set in text: its value is computed (link) or of no use \
         any more (unused_0). `--compat` takes fields of the second kind, which the disassembler \
         writes where their bits are unusual.";
    EXTENSION = "drra::extension",
        "A value is larger than its field, whose upper bits are in another one (l1_delay_ext, \
         l2_iter_ext, l2_step_ext), and that one is set too, or the value is the number of a register.";
    LABEL = "drra::label",
        "A label is defined twice, or `@LABEL` names one that doesn't exist in this cell. Only pc, \
         endpc and false_pc take labels.";
    CHUNKS = "drra::chunks",
        "`extra` says how many chunks follow the first one, and that is fewer than the fields that \
         are set need, or more than the instruction can have. Leave it out: the least is taken. \
         Published programs have such lines; with `--compat` it is a warning and the least is taken.";
    RAW_CHUNK = "drra::raw-chunk",
        "A chunk isn't an instruction of the description, or has bits after the last field, so that \
         it is kept as `.word`. It comes back the same, but its effect isn't known.";
    TARGET = "drra::target",
        "A pc, endpc or false_pc isn't an address where an instruction begins. Addresses count chunks, \
         and instructions have one to three of them: name a label, and the assembler counts.";
    LOOP = "drra::loop",
        "A loop can't be: it ends before it begins or at an instruction that goes elsewhere, has no \
         iterations, overlaps another one without being inside, or is inside a loop of the same \
         slot.";
    OPEN_LOOP = "drra::open-loop",
        "The loop has no endpc, so that its body never ends. Programs that a scheduler is to \
         complete are written so; give `endpc=@LABEL` of the last instruction of the body to run it.";
    NO_END = "drra::no-end",
        "The code of a cell can run past its last instruction. The sequencer would execute whatever \
         is in its memory; the simulator stops. Put HALT at the end.";
    SETTING = "drra::setting",
        "A value fits its field but means nothing: a width of BW that doesn't exist, a column that no \
         switchbox reaches, an input or register that isn't there, rows of a connection that don't \
         fit, a way that leads to no SRAM.";
    ADDRESS = "drra::address",
        "A walk comes to an address that doesn't exist: a register file has 64 words (4 blocks with \
         dimarch=y), an SRAM 128 rows. The hardware would wrap; that is hardly ever meant.";
    TIMING = "drra::timing",
        "A port of the register file, or the SRAM, is given a walk while its last one is under way. \
         Nothing waits in this machine: put a WAIT between them, or shorten the first one.";
    RELATION = "drra::relation",
        "A line of .RELATION names what isn't there: names are those of other relations and phases \
         of instructions, `LABEL_k` or `Op_ROW_COLUMN_INDEX_k` with k from 1 to the number of phases, or \
         regular expressions for some of them.";
    DEPENDENCY = "drra::dependency",
        "A line of .DEPENDENCY names a phase that isn't there, or its bounds are in the wrong order.";
    ELF = "drra::elf",
        "The file isn't one of DRRA code: a 32-bit little-endian ELF with a section `.text.ROW.COLUMN` \
         for each cell, as `aiec asm -t drra-v2` writes it, or a listing of chunks as binary digits.";
}
