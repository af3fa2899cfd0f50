//! The diagnostic codes of the driver.

aiec_diag::codes! {
    /// Codes of the driver.
    pub static DRIVER_CODES;
    CANNOT_READ = "driver::cannot-read",
        "A file named on the command line cannot be read: it does not exist, is a folder, or may \
         not be opened. Check the path; `-` reads standard input.";
    CANNOT_WRITE = "driver::cannot-write",
        "A result cannot be written. Results are written whole or not at all, so nothing incomplete \
         is left: no new file exists. Check that the folder can be written and the disk has room. A result \
         never replaces a design or program that the run reads, nor another result of the run.";
    NOT_UTF8 = "driver::not-utf8",
        "A text input holds bytes that are not UTF-8. Designs are text files; a control code ELF \
         is run with `aiec sim FILE.elf`.";
    ARGUMENT_FILE = "driver::argument-file",
        "The file given for an argument of the runtime sequence is not usable as it is: a `.npy` \
         file must hold little-endian numbers in C order; any other file is taken as raw \
         little-endian bytes.";
    ARGUMENT_SIZE = "driver::argument-size",
        "The bytes given for an argument of the runtime sequence are not as many as the sequence \
         says its argument has (elements times the element's size). Give a file of that size.";
    ARGUMENT_INDEX = "driver::argument-index",
        "The runtime sequence has no argument with this number. Arguments are counted from 0 in \
         the order in which the sequence declares them. Each has one file for what goes in, and one \
         for what is expected.";
    ARGUMENT_MISSING = "driver::argument-missing",
        "The runtime sequence uses an argument for which neither `--arg N=FILE` nor `--out N=FILE` \
         nor `--arg-size N=BYTES` was given, and the ELF does not say how large it is.";
    OUTPUT_DIFFERS = "driver::output-differs",
        "The simulated design did not write what `--expect`, or the example's folder, says. The \
         message counts the elements that differ and shows the first by index. Elements are compared \
         as values of the argument's type; `--rtol` and `--atol` allow differences. Blocks of wrong \
         elements point to a wrong offset, stride or order; zeros at the end to a transfer that is \
         too short; scattered ones to a race.";
    ARGUMENT_NOT_GIVEN = "driver::argument-not-given",
        "The run read an argument of the runtime sequence whose contents were not given: it was zeros. \
         `--arg N=FILE` gives them.";
    ARGUMENT_LARGER = "driver::argument-larger",
        "The buffer given for an argument of the runtime sequence is larger than the argument's type. \
         It is taken as it is: designs exist whose transfers go past the type that they declare.";
    NO_CERT = "driver::no-cert",
        "The device has no micro-controllers that run control code (CERT); only aie2ps devices \
         have. The control code can be simulated, but no hardware of this device takes it. Laptops \
         with npu1 or npu2 load other files, an xclbin or an ELF: `aiec build DESIGN.mlir` writes them.";
    NOTHING_TO_COMPARE = "driver::nothing-to-compare",
        "`--compare-routing` names a design to compare routings with, but nothing is written that shows \
         a routing. Ask for `--emit=routing-html` or `--emit=routing-svg`.";
    EMPTY_DESIGN = "driver::empty-design",
        "The device of the design holds nothing that is configured or run, so its control code has no \
         instructions.";
    NOT_CONTROL_CODE = "sim::not-control-code",
        "The file is not an ELF of control code that the simulator understands, or it is damaged.";
    PAGE_WITHOUT_DESIGN = "sim::page-without-design",
        "`--page` was given for a file that is compiled already: it holds no object fifos, kernels or \
         runtime sequences to draw.";
    OTHER_FAMILY = "sim::other-family",
        "The control code is for a family of controllers of which no device is modelled. It runs \
         on a device of another family, which has other addresses and other actors: what it does \
         there says little.";
    OTHER_DEVICE = "sim::other-device",
        "`--device` names a device of another architecture than the one that the file was compiled for. \
         Its registers have other places and its cores other instructions: the run may end in a fault, or \
         complete and say nothing about either device. Compile the design for the device to run on.";
    CANNOT_LOAD = "sim::cannot-load",
        "The control code cannot be loaded: it uses an argument that has no buffer, or it has a \
         relocation for an address that does not exist.";
    DEADLOCK = "sim::deadlock",
        "Nothing can move any more, but the control code has not ended. The remarks name who waits \
         for what, from the first to the cause, with the lines of the design where they are known. \
         Usual causes: two parties that wait for each other, a lock that is acquired more often \
         than released, transfers whose lengths do not match, a wait for a token that is never sent.";
    FAULT = "sim::fault",
        "The control code or the array did something that has no meaning: a write to a register \
         that does not exist, a transfer outside of a host buffer, a lock that overflows.";
    LIMIT = "sim::limit",
        "The simulation took more cycles than `--max-cycles` allows (by default several thousand \
         million). The message says what was still at work: a core that computes may only need \
         more cycles; where nothing but polls go on, the register never gets the value.";
    INTERRUPTED = "sim::interrupted",
        "The run was ended with Ctrl-C. Report and trace were written as at a limit, outputs were not. \
         The message says what was still at work, cores with their lines. A second Ctrl-C ends the \
         process at once.";
    STRICT = "sim::not-clean",
        "With `--strict` a run that completes fails all the same if it has hazards (what it did depends \
         on time) or near-misses (tasks that have not ended, undelivered data, tokens that were never \
         awaited): the next run of the design would begin with them. The warnings say which.";
    NO_KERNEL = "sim::no-kernel",
        "A core calls a function that has no body anywhere, or one that can't be called with these \
         types. Ways out: write it in MLIR and link it (`--link FILE.mlir`); write it in C, build a \
         shared library of it and name it (`--kernel NAME=LIB.so`); or use a name and types of the \
         built-in kernels, which are those of mlir-aie's kernel library. Object files that a design \
         names with link_with hold machine code, which can't be called from the simulator's own \
         programs: link the whole core to machine code (`aiec asm`, `--peano`) and name it as its \
         `elf_file`.";
    KERNEL_LIBRARY = "sim::kernel-library",
        "A shared library for `--kernel NAME=LIB.so` or `--core CORE=LIB.so:FN` can't be loaded, or has no \
         function of that name. Functions need C linkage: `extern \"C\"` in C++. Build it with `cc -shared -fPIC`.";
    UNKNOWN_NAME = "sim::unknown-name",
        "A name given to `--core-cycles` or `--kernel` is neither an operation of core programs nor \
         an external function that a core called. Functions that have a body in the design or in a \
         linked file run as instructions. A core given to `--core` was never enabled.";
    UNMODELLED = "sim::unmodelled",
        "Registers, fields of registers or bits without a field were written that do something on \
         silicon, or may, but nothing in this model. Each is named once. Where they matter the run \
         differs from that of a device.";
    HAZARD = "sim::hazard",
        "The control code wrote a register while something that depends on it was at work: a buffer descriptor \
         (BD) that an unfinished task may still load, the packet rules of a switch input at which words \
         already wait, or the side that a core's cascade comes from when the core that sends there runs. \
         Whether the write comes in time depends on latencies: the data of this run may be right, those of \
         another, or of silicon, may not. Order the write: wait for the token of the task before its BD is \
         written; write packet rules before the task that sends is started, and the direction of a cascade \
         before the core that sends is enabled. Accesses to memory without order are `sim::race`.";
    RACE = "sim::race",
        "Two accesses to the same bytes, at least one of them a write, have no order but that of time: no \
         lock, stream, token, barrier or register write lets one wait for the other. The data of \
         this run may be right; on silicon, or with other latencies (`--jitter SEED`), they may be \
         wrong. The labels are the two accesses; the help names the lock that one of them should \
         wait for, or release later. `--races=error` lets such a run fail, `--races=off` doesn't \
         look for them. The page on races (docs/src/races.md) has the rules.";
    UNWRITTEN = "sim::unwritten",
        "Memory was read that nothing has written: neither the configuration, a core, a DMA channel \
         nor, for host memory, the host. The simulator gives zeros; silicon gives whatever was \
         there. Write the memory first, give buffers an initial value, or move only what was \
         written.";
    OUTSIDE = "sim::out-of-bounds",
        "A core accessed memory of a tile outside of all buffers: past the last element of the one that is named, \
         and so most likely past the end of the memref that the operation names. The data there belong to no buffer; on \
         silicon they may be a stack, or another design's. Check the index and the bounds of the loops around it.";
    NOT_ACQUIRED = "sim::not-acquired",
        "A core accessed an object of a fifo before it had acquired the object, or after it had released it. In this run \
         no other core or channel wanted it, or it would be a race; the other end of the fifo may fill or send it at any time. \
         Acquire before the first use, release after the last one.";
    PLACE = "sim::no-such-place",
        "`--break` or `--dump` names something that the device or the design doesn't have, or is \
         not written as such places are. Tiles are (COLUMN,ROW); locks, cores, channels and \
         buffers can be named as in the design if the ELF was made by this compiler.";
    MACHINE_MEMORY = "sim::memory",
        "A file cannot be loaded where the command line says, or memory cannot be written from there: not all of the bytes are \
         memory of the machine.";
    MACHINE_REMARK = "sim::remark",
        "The run did what is allowed but probably not meant: it read what another machine may not see yet, or relied on \
         a value that it never set. The message says what.";
    STOPPED = "sim::stopped",
        "The run came to a `--break`, or to the cycle of `--until`. The remarks say who was at \
         work and who waited. Outputs are not written, as the run is not over.";
    NOT_STOPPED = "sim::not-stopped",
        "The run ended without coming to any `--break`, to a `--probe` or a `--preempt`, or before the cycle \
         of `--until`.";
    TRACE_FORMAT = "sim::trace-format",
        "The name of the trace's file doesn't say its format. The ending decides: `.txt` lines of \
         text, `.vcd` waves, `.json` Chrome trace events, `.pftrace` Perfetto's own format, \
         `.html` a page; or `--trace-format` does.";
    TRACE_FULL = "sim::trace-full",
        "The run had more events than a page (`--trace FILE.html`) has, which is made in memory. The \
         page has the first ones; the run itself was not cut short. `--trace-from CYCLE` begins \
         later, `--until CYCLE` ends the run early; the other formats have all events.";
    NEAR_MISS = "sim::near-miss",
        "The run completed, but something is unfinished: tokens that were never awaited, a task that has \
         not ended, undelivered data in a stream, a deferred job that was never launched. The next run \
         of the design would begin with it.";
}
