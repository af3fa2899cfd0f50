//! Diagnostic codes of the assembler and of the layout of control code.

aiec_diag::codes! {
    /// Codes of the assembler and of the layout of control code.
    pub static CODES;
    UNKNOWN_OPERATION = "asm::unknown-operation",
        "The word at the beginning of the line is no operation of the controller. `aiec isa` lists \
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
         number decimal or `0x…`. There are no negative numbers and no expressions.";
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
        "Instructions stand between START_JOB (or a variant) and END_JOB, and jobs are not nested.";
    NO_EOF = "asm::no-eof",
        "The code of each controller and scope ends with EOF.";
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
    DESCRIPTION = "asm::description",
        "A JSON description (`--config` or `--patch`) is malformed, names a file that cannot be \
         read, or instances of a configuration contradict one another.";
    FILE_LIMIT = "asm::file-limit",
        "The ELF would have more sections or bytes than its format can count.";
    STALE_RECORD = "asm::stale-record",
        "A disassembled text carries the debug section of its file as comments. Its names of \
         arguments and buffers are kept, but its places of jobs and instructions no longer fit \
         the code, which was changed.";
    JOB_TOO_BIG = "cert::job-too-big",
        "A job, the jobs that must be on its page (partners at local barriers, launched jobs) and \
         all data they name do not fit a page of 8192 bytes. Split the job; `--fix-pages` does so \
         where that keeps the meaning.";
    PAGE_SPLIT = "cert::page-split",
        "`--fix-pages` gave the parts of a job, or of jobs that meet at barriers, pages of their \
         own. A page ends before the next one begins, so the parts run in the order of the text; \
         each page has its own copy of the data that it names.";
    BARRIER_SPLIT = "cert::barrier-split",
        "Jobs that meet at a local barrier are on one page, so no page end may stand between them; \
         a local barrier number is one group for its whole scope.";
    LAUNCH_MISSING = "cert::launch-missing",
        "LAUNCH_JOB names a job that does not exist between the same page ends.";
    JOB_ON_TWO_PAGES = "cert::job-on-two-pages",
        "A job was placed on a page before another job demanded it on its own page. Put a deferred \
         job behind its launcher.";
    DUPLICATE_JOB = "cert::duplicate-job",
        "Two jobs of a page, or of a region between page ends, have the same number.";
    BD_TABLE = "cert::bd-table",
        "The images that an APPLY_OFFSET_57 patches are not defined one behind the other, or are \
         fewer than it says.";
    BD_IMAGE = "cert::bd-image",
        "The words at the label are fewer than the address fields of a shim BD need.";
    DANGLING = "cert::dangling",
        "The code refers to something that does not exist, or to a scope without jobs.";
    NOT_ON_TARGET = "cert::not-on-target",
        "The family of controllers lacks the instruction.";
    OVERFLOW = "cert::overflow",
        "A position or page number does not fit 16 bits.";
    DESCRIPTOR_LENGTH = "cert::descriptor-length",
        "A uC-DMA descriptor moves 1 to 32767 words.";
    LOCAL_BARRIER = "cert::local-barrier",
        "Jobs run once and have no loops, so the arrivals at a local barrier can be counted. Fewer \
         jobs come than the barrier waits for, the arrivals don't make whole rounds, or jobs name \
         different numbers of participants: a job would wait for ever. A local barrier number is \
         one group for its whole scope.";
    REMOTE_BARRIER = "cert::remote-barrier",
        "Bit N of a party mask is controller N. A controller that comes must be in the mask, every \
         controller of the mask must come equally often and with the same mask, and one job of \
         each stands for it. Else somebody waits for ever.";
    BARRIER_ORDER = "cert::barrier-order",
        "Two jobs or controllers come to the same barriers in opposite order, or a page waits at a \
         barrier whose partner comes there only on a later page, behind another barrier: each \
         waits for the other.";
    HANDLE = "cert::handle",
        "WAIT_UC_DMA waits for the chain whose handle UC_DMA_WRITE_DES put into the register. \
         $r0 to $r7 belong to one job and hold nothing at its begin; $g0 to $g15 are shared by the \
         jobs of a controller. A chain that nobody waits for may still run when its page is \
         replaced.";
    LATER_PAGE = "cert::later-page",
        "A page may depend on earlier pages but never on later ones: a page ends before the next \
         one begins, so what is waited for would never start.";
    LAUNCH = "cert::launch",
        "LAUNCH_JOB schedules a job that began with START_JOB_DEFERRED, once.";
    NEVER_LAUNCHED = "cert::never-launched",
        "A deferred job runs only when a job that runs launches it.";
    UNUSED_SCOPE = "cert::unused-scope",
        "No LOAD_PDI, LOAD_CORES or PREEMPT names the scope, so its pages are never run.";
    POLL = "cert::poll",
        "MASK_POLL_32 compares the masked register with the value. A bit of the value outside the \
         mask is never there, so the job polls for ever.";
    MASK = "cert::mask",
        "MASK_WRITE_32 changes only the bits under the mask; bits of the value outside of it have \
         no effect.";
    UNALIGNED = "cert::unaligned",
        "Registers and memories of the array are read and written in words of 4 bytes; the lowest \
         two bits of an address are no part of it.";
    TRACE = "cert::trace",
        "TRACE stands where a dynamic probe replaced an instruction. The controller does not \
         expect it in a program.";
    MEETING = "cert::meeting",
        "All controllers of a partition meet behind LOAD_PDI, LOAD_CORES and PREEMPT, so each must \
         run equally many of them, with the same ids of preemption points.";
    LOAD_ID = "cert::load-id",
        "A configuration is skipped if the one loaded last has its id, so one id for two scopes \
         leaves the second out.";
    ACTOR_SHARED = "cert::actor-shared",
        "Only one job may wait for tokens of an actor at a time. If a barrier keeps the two waits \
         apart, all is well.";
    OUTSIDE_PARTITION = "cert::outside-partition",
        "`.partition` declares how many columns there are; a controller or tile lies outside of \
         them.";
    UNPATCHED_COPY = "cert::unpatched-copy",
        "Data that jobs of several pages name are copied to each page. The host patches the copy \
         on the page with the APPLY_OFFSET_57 only.";
    READS_PAST = "cert::reads-past",
        "A descriptor moves more words than there are from its label to the end of the page's \
         data, so it also moves what happens to lie behind.";
}
