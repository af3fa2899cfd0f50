//! Codes of findings about core bodies.

use aiec_diag::codes;

codes! {
    /// Codes of core programs.
    pub static CODES;
    UNSUPPORTED_OP = "core::unsupported-op",
        "The simulator's cores can't run this operation. Write it with others, move it to a \
         function that is linked in (func.func private), or leave it out.";
    UNSUPPORTED_TYPE = "core::unsupported-type",
        "Cores compute with integers of up to 64 bits, index, bf16, f16, f32, f64 and vectors of \
         them with up to 1024 lanes. Memory holds i1, i8, i16, i32, i64 and the floats.";
    UNSUPPORTED_LAYOUT = "core::unsupported-layout",
        "The strides of this memref must be known when it is compiled: identity or strided layout \
         with fixed sizes and strides.";
    NOT_VISIBLE = "core::not-visible",
        "A core sees the data memory and the locks of its own tile and of the core tiles to the \
         south, west and north only. Put the buffer or lock into one of these.";
    NOT_PLACED = "core::not-placed",
        "The buffer has no address or the lock no number yet. The passes \
         aie-assign-buffer-addresses and aie-assign-lock-ids give them.";
    NOT_LOWERED = "core::not-lowered",
        "Object fifo operations in cores are lowered by aie-objectFifo-stateful-transform, which \
         has to run first.";
    NO_MACHINE_CODE = "core::no-machine-code",
        "The operation has no machine code for this architecture: neither an instruction nor a routine computes it, \
         or the function is in none of the linked files. The model's cores run it in the simulator. Write it with other \
         operations, or give the function a body with --link FILE.mlir.";
    SILENT = "core::silent-in-machine-code",
        "Machine code has no channel for messages: `aie.debug` does nothing in it, and a `cf.assert` that fails ends the core without a \
         message, so that everything that waits for it hangs. The model's cores (`aiec sim --core=model`) print the one and \
         stop with a fault at the other. On hardware, write what is of interest to a buffer, or to a stream.";
    NOT_CONSTANT = "core::not-constant",
        "This value must be known when the core is compiled: the instruction holds it.";
    NO_FUNCTION = "core::no-function",
        "A call needs a func.func of that name in the device or around it.";
    RECURSION = "core::recursion",
        "Functions of a core can't call themselves, directly or through others: their frames are \
         laid out when they are compiled. Use a loop.";
    NO_WHOLE_BLOCKS = "core::no-whole-blocks",
        "A product that may round its factors to block floating point (aie.bfp16_products on the declaration of a `matmul` of \
         bf16) expects matrices in blocks of 8 by 8, so each side is a multiple of 8 that is known when the design is \
         compiled. Add zeros to the matrices, or leave the attribute out: without it matrices lie in other blocks.";
    TOO_LARGE = "core::too-large",
        "The core's program doesn't fit its program memory (16 KiB). Loops that are written out, \
         by hand or by object fifo unrolling, are the usual cause.";
    OUT_OF_REGISTERS = "core::out-of-registers",
        "More values are alive at one place than a core has registers for (256 scalars, 4096 \
         lanes). Keep fewer of them over loops, or store some in a buffer.";
    OUT_OF_STACK = "core::out-of-stack",
        "The core's local data don't fit its stack, nor the buffer that aie-assign-buffer-addresses \
         makes for them where the stack is too small. Run that pass, give aie.core a larger \
         stack_size, or use an aie.buffer.";
}
