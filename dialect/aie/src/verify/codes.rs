//! The verifier's diagnostic codes.

aiec_diag::codes! {
    /// Findings of the verifier.
    pub static CODES;

    OPERANDS = "verify::operands",
        "An operation has too few or too many operands. Compare it with the form in the reference of operations.";
    ATTRIBUTE = "verify::attribute",
        "An attribute that the operation needs is missing, or is of the wrong kind.";
    SHAPE = "verify::shape",
        "An operation has the wrong number of results, regions or successors.";
    TERMINATOR = "verify::terminator",
        "A block does not end with a terminator, or goes on after one. Core bodies and DMA programs end with aie.end, chains with aie.next_bd, functions with func.return.";
    PARENT = "verify::parent",
        "An operation is where it has no meaning, for example a packet rule outside a switchbox. Move it into the operation it belongs to.";
    DOMINANCE = "verify::dominance",
        "A value is used where it isn't defined: before its definition, on a path that does not pass it, or outside the region that defines it. Move the definition up.";
    SYMBOL = "verify::symbol",
        "A symbol reference names nothing, or something of another kind. Symbols are looked up in the device.";
    DUPLICATE_SYMBOL = "verify::duplicate-symbol",
        "Two operations of one symbol table have the same name. Rename one of them.";
    DEVICE = "verify::device",
        "The device is unknown. `aiec devices` lists those there are.";
    TILE_OUTSIDE = "verify::tile-outside-device",
        "A tile lies outside the device's array. Columns and rows count from 0; row 0 is the shim row.";
    TILE_KIND = "verify::tile-kind",
        "An operation needs another kind of tile: cores are on core tiles, memtile_dma on mem tiles, shim_dma and shim allocations on shim tiles with a DMA, buffers never on a shim tile.";
    DUPLICATE_ON_TILE = "verify::duplicate-on-tile",
        "A tile can hold one core, one DMA program and one switchbox of each kind. Merge the two.";
    PORT = "verify::port",
        "A port doesn't exist on that tile. `aiec devices NAME` lists the ports of each kind of tile.";
    CONNECTION = "verify::connection",
        "A stream switch can't connect these two ports. Mem tiles keep the channel number of vertical routes; a bundle rarely connects to itself.";
    PORT_TAKEN = "verify::port-taken",
        "An output port of a switch is driven twice, or an input is used for circuits and packets at once.";
    PACKET = "verify::packet",
        "A packet id, type, arbiter, select, mask or rule count is out of range: ids 0..31, types 0..7, 8 arbiters (6 on AIE1) with 4 selects each, 4 rules per input port.";
    LOCK = "verify::lock",
        "A lock's id, initial value or use is out of range.";
    REACH = "verify::unreachable",
        "A core or DMA uses a lock or buffer of a tile it can't reach. A core reaches its own tile and its neighbours south, west and north (on AIE1 depending on the row); a core tile's DMA its own tile only; a mem tile's DMA its own and the mem tiles to the west and east.";
    BUFFER = "verify::buffer",
        "A buffer's address, bank, size or initial value doesn't fit its tile.";
    CORE = "verify::core",
        "A core's attributes contradict each other or its tile.";
    DMA_PROGRAM = "verify::dma-program",
        "A DMA program is not made of channels and chains of blocks, each with one BD and at most one acquire and one release of a lock.";
    DMA_CHANNEL = "verify::dma-channel",
        "A DMA channel doesn't exist on that tile, or is given more tasks than its queue holds.";
    BD = "verify::bd",
        "A buffer descriptor's fields exceed what the hardware has: length, dimensions, sizes, strides, padding, iteration, burst or id.";
    CASCADE = "verify::cascade",
        "A cascade goes between neighbouring cores only; on AIE2 and later from north to south and from west to east.";
    FIFO = "verify::objectfifo",
        "An object fifo's ends, depth, types or options don't go together.";
    LINK = "verify::objectfifo-link",
        "Linked fifos must meet on one tile; several to one or one to several only on a mem tile, with one offset for each part.";
    FIFO_USE = "verify::objectfifo-use",
        "A core acquires or releases objects of a fifo in a way the fifo doesn't allow.";
    SEQUENCE = "verify::sequence",
        "An operation of a runtime sequence has values out of range or refers to something that doesn't exist.";
    TRACE = "verify::trace",
        "A trace asks for events, ports, slots or packets that its tile doesn't have, or uses one slot twice.";
    TYPE = "verify::type",
        "Types don't agree.";
}
