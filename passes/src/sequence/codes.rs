//! Codes of the lowering of runtime sequences.

use aiec_diag::codes;

codes! {
    /// Codes of the lowering of runtime sequences.
    pub static CODES;
    UNSUPPORTED = "sequence::unsupported",
        "This operation has no meaning in the control code of the device, or aiec can't lower it \
         yet.";
    NOT_CONSTANT = "sequence::not-constant",
        "Control code is made when the design is compiled, so that every address, size and value \
         in a runtime sequence must be known then. Loops are unrolled if their bounds are known. \
         Scalar arguments of a sequence are not: no loader hands them to control code; compile \
         for one value with `--scalar N=VALUE`, or pass a buffer.";
    BAD_READ = "sequence::bad-read",
        "A word of a tile's memory that `memref.load` reads has a constant added and is written: into \
         a buffer, a lock, a word of a BD (the length of a run, a stride) or a queue (the number of a \
         BD). Controllers have no other arithmetic. It is read where it is written, so that nothing \
         that may change it can be between.";
    UNROLL = "sequence::too-long",
        "Loops of a sequence are unrolled, and this one becomes too many operations. Repeat a \
         transfer in hardware, or let a BD chain loop.";
    NO_REGISTER = "sequence::no-such-resource",
        "The device or the tile has no such thing: a tile outside the grid, or a channel, lock, \
         BD or register that this kind of tile doesn't have.";
    NO_ALLOCATION = "sequence::no-such-channel-name",
        "Transfers name their shim DMA channel by the symbol of an `aie.shim_dma_allocation`, or \
         by that of an object fifo with an end in a shim tile.";
    BAD_TRANSFER = "sequence::transfer-does-not-fit",
        "A buffer descriptor can't hold this transfer: lengths, strides and sizes are counted in \
         32-bit words and each has a limited number of bits.";
    BAD_BD_ID = "sequence::bd-in-use",
        "The number of this buffer descriptor isn't free: another transfer that may still run, or \
         the DMA program of the tile, has it. Let the compiler choose (leave `bd_id` out), or await \
         or free the other task first.";
    NO_BD_LEFT = "sequence::no-bd-left",
        "All buffer descriptors that the channel can use are taken by tasks that were neither \
         awaited nor freed, and by the DMA program of the tile.";
    BAD_TASK = "sequence::bad-task",
        "Tasks are configured, started, then awaited or freed. Only a task with `issue_token` can \
         be awaited, once for each start; a freed task is gone. One that is freed before anything was awaited may \
         still run when its buffer descriptors are written for another: await a token that shows that it is done first.";
    NO_TOKEN = "sequence::no-token",
        "The sequence waits for a token that nothing sends, so it would never end. A transfer into \
         host memory always sends one; one out of it only with `issue_token = true`.";
    OTHER_TOKEN = "sequence::other-token",
        "Tokens don't say which task sent them: a wait takes the first that its channel sends. Where a later task of \
         a channel is awaited before an earlier one with a token, the wait is over when the earlier one is done.";
    BAD_MEMORY = "sequence::bad-memory",
        "Transfers in sequences go from or to an argument of the sequence (shim tiles) or a buffer \
         of a tile (other tiles), seen through subviews and casts whose offsets are constant.";
    BAD_PATCH = "sequence::bad-patch",
        "An address patch belongs to a shim BD that the same sequence wrote before as one block.";
    HOST_ADDRESS = "sequence::host-address",
        "A shim BD that the sequence writes itself is used before an `aiex.npu.address_patch` has \
         put the address of a host buffer into it. Where host buffers lie is known when the code \
         is loaded; the number in the address field leads somewhere else in host memory. (The \
         attribute `ddr_id` of older designs named the buffer; it has had no effect in mlir-aie \
         since `aiex.npu.address_patch` took its place.)";
    HOST_BUFFERS = "sequence::host-buffers",
        "An `aie.external_buffer` without an address becomes an argument after those of the runtime \
         sequence. With several devices, or sequences of different numbers of arguments, its place \
         among the arguments isn't known. Write the buffer's `address`, or leave one sequence.";
    BAD_LOCK = "sequence::bad-lock",
        "The lock or its value doesn't fit: counters hold 0 to 63, and a DMA reaches the locks of \
         its own tile (mem tiles: also of the mem tiles beside it).";
    NO_DEVICE = "sequence::no-such-device",
        "`aiex.configure` and `aiex.npu.load_pdi` load a device of the same module that is of the \
         same kind as the one the sequence is in.";
    NO_SEQUENCE = "sequence::no-such-sequence",
        "`aiex.run` runs a runtime sequence of the device that the `aiex.configure` around it \
         loads.";
    BAD_ARGUMENT = "sequence::bad-argument",
        "The arguments of an `aiex.run` must be as many, and of the same types, as those of the \
         sequence that it runs.";
    NOT_LOADED = "sequence::not-loaded",
        "The array holds one device at a time. While another one is loaded, a sequence can't use \
         the channels, buffers and locks of its own; writes to registers by their address it can.";
    NESTED = "sequence::nested-configure",
        "The array holds one device at a time, so that an `aiex.configure` inside another one would \
         end it in its middle. A sequence that is run may load devices of its own.";
    RECURSION = "sequence::runs-itself",
        "Sequences may run other sequences, but none that is being run: it would never end.";
}
