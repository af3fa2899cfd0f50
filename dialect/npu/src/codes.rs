//! Codes of the readers and writers of this crate.

aiec_diag::codes! {
    /// Codes of the containers of Ryzen AI.
    pub static CODES;
    TXN_MALFORMED = "npu::malformed-transaction",
        "The bytes aren't a transaction (insts.bin, or .ctrltext of an ELF): the header's size and count \
         of operations must fit, and each operation must be one that the firmware knows. The \
         offset is counted from the transaction's first byte.";
    TXN_SYNTAX = "npu::transaction-syntax",
        "The line isn't an operation of a transaction in the form of aiebu's assembler \
         (`-t aie2asm`): a mnemonic XAIE_IO_… and its operands, directives .attach_to_group, \
         .version and .generation, comments from ';' or '#'.";
    CDO_MALFORMED = "npu::malformed-cdo",
        "The bytes aren't a configuration (CDO version 2): magic word, checksum and lengths of its \
         header and commands must fit. The offset is counted from the header's first byte.";
    CDO_NOT_LOADABLE = "npu::cdo-not-loadable",
        "The configuration holds a command that the loader of the NPU refuses: it takes writes, \
         masked writes, block writes and NOPs. Polls belong into the runtime sequence.";
    PDI_MALFORMED = "npu::malformed-pdi",
        "The bytes aren't a PDI with one image and one partition of configuration commands. The \
         offset is counted from the file's first byte.";
    XCLBIN_MALFORMED = "npu::malformed-xclbin",
        "The bytes aren't an xclbin of an NPU: magic, table of sections, and the sections \
         AIE_PARTITION, EMBEDDED_METADATA and IP_LAYOUT must fit. Offsets are counted from \
         the file's or, where one is named, the section's first byte.";
    ELF_MALFORMED = "npu::malformed-elf",
        "The bytes aren't an ELF of a Ryzen AI program, or its sections, symbols and relocations \
         contradict one another.";
    CONTROL_PACKET_MALFORMED = "npu::malformed-control-packet",
        "The bytes aren't control packets: each has a stream header and a control header, both with \
         an odd number of ones, and as many data words as the control header counts.";
    PATCH_WITHOUT_WRITE = "npu::patch-without-write",
        "A DDR_PATCH names a register that no BLOCKWRITE before it has written: a host that \
         patches the file wouldn't find the word. Write the descriptor first.";
    NOT_IN_ELF = "npu::not-in-elf",
        "The transaction holds an operation that the file's form can't carry, such as LOADPDI in a \
         file without PDIs, or it names a PDI or a buffer that isn't there.";
    PREEMPT_COLUMNS = "npu::preempt-columns",
        "Programs that save and restore memory tiles exist for 1, 2, 4 or 8 columns only. Give \
         the design such a number of columns, or leave PREEMPT out.";
    LIMIT = "npu::limit",
        "A limit of the format or of the driver is exceeded: 16 buffers, 32 kernels, equal columns \
         of all sequences, 32-bit offsets.";
}
