//! The rows of the table of operations. To add one, add a row: its kind, name, operands, results,
//! regions, successors, traits, attributes and format; the doc comment is its line in the reference
//! page. Everything else derives from the row: [`OpKind`](super::OpKind), the declaration, the typed
//! view and the builder of `ops`, and, by `build.rs`, the grammar rule of its custom syntax with
//! what reads and prints it.
//!
//! Names of operands and attributes are those of MLIR's generic form:
//! `mlir-aie: include/aie/Dialect/AIE/IR/AIEOps.td`, `include/aie/Dialect/AIEX/IR/AIEX.td`,
//! `include/aie/Dialect/AIEX/IR/CERTOps.td`, `include/aie/Dialect/AIE/IR/AIETraceOps.td`,
//! `include/aie/Dialect/AIEVec/IR/AIEVecOps.td` (2026-08), and upstream MLIR for the rest. Split object
//! fifos are as in `test/objectFifo-stateful-transform/` of main after 2026-08. Formats also read what
//! texts of 2026-03 and early 2025 have.

/// Hands all rows to a macro:
///
/// ```text
/// Kind = "name" (operands; further groups) -> results, regions, successors [traits]
///     { required attributes; optional attributes } "format"
/// ```
///
/// A group is `one!`, `optional?` or `any_number*`. A count is a number, or `_` when it varies.
///
/// The format is how the operation is read and printed after its name; without it there is the
/// generic form only, or two functions in `text/custom`. Other text is literal, with blanks as they
/// are printed. The rest is:
///
/// | in a format | is |
/// | --- | --- |
/// | `$name` | an operand, a group of operands, or an attribute, written as its kind is |
/// | `$name:how` | of operands how their type follows, where it isn't `index` nor written: `i1`, `result`, another operand, `element(result)`, `element(operand)`; of attributes how they are written: words of `text/custom/words.rs`, or a form of `build/formats.rs` |
/// | `$type(name)`, `$type(result)`, `$types(results)` | types; `$each(group)` is one type for all of a group |
/// | `$gives(how)` | nothing in the text: how the type of the only result follows, where it isn't `index` |
/// | `$(…)?` | an optional part; printed if its first member is present and differs from its default |
/// | `$(…)!` | syntax of older texts: read, never printed |
/// | `$attrs`, `$attributes` | the attribute dictionary, alone or after the word `attributes` |
/// | `$flags` | `fastmath<…>`, `overflow<…>`, `exact` |
/// | `$args`, `$region`, `$successor` | arguments of the region, the region, the next successor |
#[rustfmt::skip]
macro_rules! for_each_op {
    ($consumer:ident) => { $consumer! {
    // ---- builtin ----
    /// The whole program.
    BuiltinModule = "builtin.module" () -> 0, 1, 0 [SYMBOL_TABLE NO_TERMINATOR] {; sym_name: Str} "$( $sym_name)?$attributes$region"
    /// A conversion between types that a later pass resolves.
    UnrealizedCast = "builtin.unrealized_conversion_cast" (; inputs*) -> _, 0, 0 [PURE] {} "$( $inputs : $type(inputs))? to $types(results)$attrs"

    // ---- aie: the array ----
    /// An array of a given device, with all that is configured on it.
    Device = "aie.device" () -> 0, 1, 0 [SYMBOL_TABLE ISOLATED IMPLICIT_END] {device: I32; sym_name: Str} "($device:DEVICE)$( $sym_name)?$region$attrs"
    /// A tile that is placed later.
    LogicalTile = "aie.logical_tile" () -> 1, 0, 0 [] {tile_type: I32; col: I32, row: I32, allocation_scheme: Str} "<$tile_type:TILE_TYPE>($col:coordinate, $row:coordinate)$attrs"
    /// A tile of the array.
    Tile = "aie.tile" () -> 1, 0, 0 [PURE] {col: I32, row: I32; allocation_scheme: Str} "($col, $row)$attrs"
    /// Ends a region of the dialect.
    End = "aie.end" () -> 0, 0, 0 [TERMINATOR] {} "$attrs"
    /// The stream switch of a tile.
    Switchbox = "aie.switchbox" (tile) -> 1, 1, 0 [IMPLICIT_END] {} "($tile)$region$attrs"
    /// The multiplexer between a shim tile's stream switch and its DMA, NoC and PL ports.
    ShimMux = "aie.shim_mux" (tile) -> 1, 1, 0 [IMPLICIT_END] {} "($tile)$region$attrs"
    /// A shim switch by column (early-2025 syntax).
    ShimSwitchbox = "aie.shim_switchbox" () -> 1, 1, 0 [IMPLICIT_END] {col: I32} "($col)$region$attrs"
    /// A PL interface of a shim column.
    Plio = "aie.plio" () -> 1, 0, 0 [] {col: I32} "($col)$attrs"
    /// The DMA program of a shim tile.
    ShimDma = "aie.shim_dma" (tile) -> 1, 1, 0 [] {} "($tile)$region$attrs"
    /// The DMA program of a core tile.
    Mem = "aie.mem" (tile) -> 1, 1, 0 [] {} "($tile)$region$attrs"
    /// The DMA program of a mem tile.
    MemTileDma = "aie.memtile_dma" (tile) -> 1, 1, 0 [] {} "($tile)$region$attrs"
    /// The program of a core.
    Core = "aie.core" (tile) -> 1, 1, 0 [] {; stack_size: I32, link_with: Str, link_files: Array, link_merge_files: Array, elf_file: Str, dynamic_objfifo_lowering: Bool, emit_parameter_sync_preamble: Bool} "($tile)$region$attrs"
    /// A fixed connection inside a switch.
    Connect = "aie.connect" () -> 0, 0, 0 [] {source_bundle: Bundle, source_channel: I32, dest_bundle: Bundle, dest_channel: I32} "<$source_bundle : $source_channel, $dest_bundle : $dest_channel>$attrs"
    /// A circuit-switched stream from one port to another; several from one port are a broadcast.
    Flow = "aie.flow" (source dest) -> 0, 0, 0 [] {source_bundle: Bundle, source_channel: I32, dest_bundle: Bundle, dest_channel: I32} "($source, $source_bundle : $source_channel, $dest, $dest_bundle : $dest_channel)$attrs"
    /// An arbiter and one of its master selects.
    Amsel = "aie.amsel" () -> 1, 0, 0 [] {arbiterID: I8, msel: I8} "<$arbiterID> ($msel)$attrs"
    /// A switch output that packets of the given arbiter selects leave through.
    MasterSet = "aie.masterset" (; amsels*) -> 1, 0, 0 [] {dest_bundle: Bundle, dest_channel: I32; keep_pkt_header: Bool} "($dest_bundle : $dest_channel$(, $amsels)?)$attrs"
    /// The packet rules of a switch input.
    PacketRules = "aie.packet_rules" () -> 0, 1, 0 [IMPLICIT_END] {source_bundle: Bundle, source_channel: I32} "($source_bundle : $source_channel)$region$attrs"
    /// Packets whose id under the mask equals the value go to the arbiter select.
    Rule = "aie.rule" (amsel) -> 0, 0, 0 [] {mask: I8, value: I8} "($mask, $value, $amsel)$attrs"
    /// A packet-switched stream with an id.
    PacketFlow = "aie.packet_flow" () -> 0, 1, 0 [IMPLICIT_END] {ID: I8; keep_pkt_header: Bool, priority_route: Bool} "($ID)$region$attrs"
    /// A source of a packet flow.
    PacketSource = "aie.packet_source" (tile) -> 0, 0, 0 [] {bundle: Bundle, channel: I32} "<$tile, $bundle : $channel>$attrs"
    /// A destination of a packet flow.
    PacketDest = "aie.packet_dest" (tile) -> 0, 0, 0 [] {bundle: Bundle, channel: I32} "<$tile, $bundle : $channel>$attrs"
    /// Two bundles that are wired together; informational.
    Wire = "aie.wire" (source dest) -> 0, 0, 0 [] {source_bundle: Bundle, dest_bundle: Bundle} "($source : $source_bundle, $dest : $dest_bundle)$attrs"
    /// A cascade connection of neighbouring cores.
    CascadeFlow = "aie.cascade_flow" (source_tile dest_tile) -> 0, 0, 0 [] {} "($source_tile, $dest_tile)$attrs"
    /// The cascade input and output side of a core.
    ConfigureCascade = "aie.configure_cascade" (tile) -> 0, 0, 0 [] {inputDir: I32, outputDir: I32} "($tile, $inputDir:CASCADE_SIDE, $outputDir:CASCADE_SIDE)$attrs"
    /// Gives a shim DMA channel a symbol for the runtime sequence.
    ShimDmaAllocation = "aie.shim_dma_allocation" (tile) -> 0, 0, 0 [SYMBOL] {sym_name: Str, channel_dir: Dir, channel_index: I64; plio: Bool, packet: Packet}

    // ---- aie: memory, locks, DMA ----
    /// A lock of a tile.
    Lock = "aie.lock" (tile) -> 1, 0, 0 [] {; lockID: I32, init: I32, sym_name: Str} "($tile$(, $lockID)?)$attrs"
    /// Acquires or releases a lock.
    UseLock = "aie.use_lock" (lock value) -> 0, 0, 0 [] {action: LockAction; blocking: I32, acq_en: Bool}
    /// A buffer in a tile's data memory.
    Buffer = "aie.buffer" (tile) -> 1, 0, 0 [] {; sym_name: Str, address: I32, initial_value: Any, mem_bank: I32, aligned: Bool} "($tile)$attrs : $type(result) $(= $initial_value:elements)?"
    /// A buffer in host memory.
    ExternalBuffer = "aie.external_buffer" () -> 1, 0, 0 [] {; sym_name: Str, address: I64, argument: I32} "$($address)!$attrs : $type(result)"
    /// A buffer descriptor.
    DmaBd = "aie.dma_bd" (buffer; offset? len? sizes* strides* bd_id_val? iteration_size_val? iteration_stride_val?) -> 0, 0, 0 [] {; static_offset: I32, static_len: I32, static_sizes: Ints, static_strides: Ints, pad_dimensions: Pads, bd_id: I32, packet: Packet, out_of_order_id: I32, burst_length: I32, iteration: Iteration, offset_parameter: Symbol, offset_state_table_idx: I64, length_parameter: Symbol, length_unit: I64, length_state_table_idx: I64, length_core_encoded: Unit, next_bd_id: I32, pad_value: I32}
    /// The packet header of the BD in the same block.
    DmaBdPacket = "aie.dma_bd_packet" () -> 0, 0, 0 [] {packet_type: I32, packet_id: I32} "($packet_type, $packet_id)$attrs"
    /// Starts a channel with a chain of BD blocks; goes on with the next channel.
    DmaStart = "aie.dma_start" () -> 1, 0, 2 [TERMINATOR] {channel_dir: Dir; channel_index: I32, endpoint: Symbol, repeat_count: I32, pad_value: I32, out_of_order: Unit} "($channel_dir, $channel_index:or(endpoint), $successor, $successor$(, repeat_count = $repeat_count)?)$attrs$gives(i1)"
    /// A channel with one region per BD.
    Dma = "aie.dma" () -> 1, _, 0 [] {channel_dir: Dir, channel_index: I32; repeat_count: I32, sym_name: Str, pad_value: I32, out_of_order: Unit}
    /// The next BD of a chain.
    NextBd = "aie.next_bd" () -> 0, 0, 1 [TERMINATOR] {} " $successor$attrs"
    /// A parametrised chain of BDs that sequences start.
    BdChain = "aie.bd_chain" () -> 0, 1, 0 [SYMBOL] {sym_name: Str} " $sym_name$args$region$attrs"
    /// Settings that rearm the channels and locks of an object fifo.
    ObjectFifoRearmBinding = "aie.objectfifo_rearm_binding" (; channel_tiles* locks*) -> 0, 0, 0 [SYMBOL] {sym_name: Str, channel_dirs: Ints32, channel_indices: Ints32, lock_inits: Ints32; head_bd_ids: Ints32, repeat_counts: Ints32} " $sym_name channels($($channel_tiles : $type(channel_tiles))?) locks($($locks : $type(locks))?)$attrs"

    // ---- aie: inside cores ----
    /// Marks an event for traces.
    Event = "aie.event" () -> 0, 0, 0 [] {val: I32} "($val)$attrs"
    /// Prints a value in simulation.
    Debug = "aie.debug" (arg) -> 0, 0, 0 [] {} "($arg : $type(arg))$attrs"
    /// Reads from the core's stream port.
    GetStream = "aie.get_stream" (channel) -> 1, 0, 0 [] {} "($channel : $type(channel))$attrs : $type(result)"
    /// Writes to the core's stream port.
    PutStream = "aie.put_stream" (channel stream_value) -> 0, 0, 0 [] {} "($channel : $type(channel), $stream_value : $type(stream_value))$attrs"
    /// Reads from the cascade input.
    GetCascade = "aie.get_cascade" () -> 1, 0, 0 [] {} "()$attrs : $type(result)"
    /// Writes to the cascade output.
    PutCascade = "aie.put_cascade" (cascade_value) -> 0, 0, 0 [] {} "($cascade_value : $type(cascade_value))$attrs"

    // ---- aie: object fifos ----
    /// A fifo of objects between a producer and its consumers.
    ObjectFifo = "aie.objectfifo" (producerTile; consumerTiles*) -> 0, 0, 0 [SYMBOL] {sym_name: Str, elemNumber: Any, elemType: TypeAttr; consumerElemType: TypeAttr, dimensionsToStream: Dims, dimensionsFromStreamPerConsumer: DimsList, via_DMA: Bool, plio: Bool, disable_synchronization: Bool, repeat_count: I32, aie_stream: I32, aie_stream_port: I32, prod_dma_channel: I32, cons_dma_channels: Ints, initValues: Array, padDimensions: Pads, padValue: I32, iter_count: I32, iterate_bds: Bool, packet: Bool, packet_id: I8, via_shared_mem: I32}
    /// Puts a fifo's buffers into another tile's memory.
    ObjectFifoAllocate = "aie.objectfifo.allocate" (delegateTile) -> 0, 0, 0 [] {objFifo_name: Symbol} " $objFifo_name($delegateTile)$attrs"
    /// Connects fifos on a common tile: passthrough, distribute or join.
    ObjectFifoLink = "aie.objectfifo.link" () -> 0, 0, 0 [] {fifoIns: Array, fifoOuts: Array, src_offsets: Ints, dst_offsets: Ints; shared_input_channel: Bool}
    /// Gives a shim end its host buffers.
    ObjectFifoRegisterExternalBuffers = "aie.objectfifo.register_external_buffers" (tile; externalBuffers*) -> 0, 0, 0 [] {objFifo_name: Symbol} "$attrs $objFifo_name($tile, {$externalBuffers}) : ($type(externalBuffers))"
    /// Waits for objects of a fifo's end.
    ObjectFifoAcquire = "aie.objectfifo.acquire" () -> _, 0, 0 [] {port: FifoPort, objFifo_name: Symbol, size: I32}
    /// Gives objects of a fifo's end back.
    ObjectFifoRelease = "aie.objectfifo.release" () -> 0, 0, 0 [] {port: FifoPort, objFifo_name: Symbol, size: I32}
    /// One of the acquired objects.
    ObjectFifoSubviewAccess = "aie.objectfifo.subview.access" (subview) -> 1, 0, 0 [] {index: I32} " $subview[$index]$attrs : $type(subview) -> $type(result)"
    /// Registers a function as one end's process (early-2025 syntax).
    ObjectFifoRegisterProcess = "aie.objectfifo.register_process" (acquirePattern releasePattern length) -> 0, 0, 0 [] {port: FifoPort, objFifo_name: Symbol, callee: Symbol} "$attrs $objFifo_name($port, $acquirePattern : $type(acquirePattern), $releasePattern : $type(releasePattern), $callee, $length)"
    /// A ring of objects and its locks: what an object fifo's end becomes when it is split (later mlir-aie).
    FifoPool = "aie.objectfifo.pool" (tile) -> 0, 1, 0 [SYMBOL SYMBOL_TABLE NO_TERMINATOR] {sym_name: Str, elemType: TypeAttr, depth: I32; buffers: Array, locks: Array, repeatCount: I32, iterateBds: Bool, fifoName: Str} " $sym_name($tile)$attrs : $elemType$region"
    /// A part of the objects of a pool that is counted by itself.
    FifoSegment = "aie.objectfifo.segment" () -> 0, 0, 0 [SYMBOL] {sym_name: Str, offset: I32, size: I32; produceLock: Symbol, consumeLock: Symbol} " $sym_name$attrs"
    /// A core that fills or drains a pool.
    CoreEndpoint = "aie.objectfifo.core_endpoint" (tile) -> 0, 0, 0 [SYMBOL] {sym_name: Str, role: FifoRole, pool: Symbol; segments: Array, fifoName: Str} " $sym_name($tile) $role$( of)! $pool$attrs"
    /// A DMA channel that fills or drains a pool.
    DmaEndpoint = "aie.objectfifo.dma_endpoint" (tile) -> 0, 0, 0 [SYMBOL] {sym_name: Str, role: FifoRole, pool: Symbol; segments: Array, channelIndex: I32, iterCount: I32, dimensions: DimsList, padDimensions: PadsList, padValue: I32, packet: Packet, fifoName: Str} " $sym_name($tile) $role$( of)! $pool$attrs"
    /// An end of a stream that something else programs: the runtime sequence, a core, logic.
    RouteEndpoint = "aie.route_endpoint" (tile) -> 0, 0, 0 [SYMBOL] {sym_name: Str, bundle: Bundle; channelIndex: I32, sharesChannel: Symbol, fifoName: Str} " $sym_name($tile) $bundle$attrs"
    /// A stream between endpoints; several destinations are a broadcast.
    Route = "aie.route" () -> 0, 0, 0 [] {from: Array, to: Array; packet: Any}

    // ---- aie, aiex: runtime sequences ----
    /// What the host asks the controllers to do.
    RuntimeSequence = "aie.runtime_sequence" () -> 0, 1, 0 [SYMBOL NO_TERMINATOR] {; sym_name: Str, emit_parameter_sync_preamble: Bool} "$( $sym_name)?$args$attributes$region"
    /// A transfer between a host buffer and a shim DMA channel.
    NpuDmaMemcpyNd = "aiex.npu.dma_memcpy_nd" (memref; offsets* sizes* strides*) -> 0, 0, 0 [] {static_offsets: Ints, static_sizes: Ints, static_strides: Ints, metadata: Symbol, id: I64; packet: Packet, issue_token: Bool, d0_zero_before: I64, d1_zero_before: I64, d2_zero_before: I64, d0_zero_after: I64, d1_zero_after: I64, d2_zero_after: I64, burst_length: I64, offset_parameter: Symbol, offset_state_table_idx: I64, length_parameter: Symbol, length_unit: I64, length_state_table_idx: I64, length_core_encoded: Unit} "($($column:ignored, $row:ignored, )!$memref$static_offsets:i64$static_sizes:i64$static_strides:i64$(, packet = $packet)?)$attrs : $type(memref)"
    /// Waits for a token of a shim channel.
    NpuDmaWait = "aiex.npu.dma_wait" () -> 0, 0, 0 [] {symbol: Symbol} "$attrs"
    /// Writes a run-time parameter into a buffer.
    NpuRtpWrite = "aiex.npu.rtp_write" (value) -> 0, 0, 0 [] {buffer: Symbol, index: U32}
    /// Pushes a BD onto a channel's task queue.
    NpuPushQueue = "aiex.npu.push_queue" (repeat_count bd_id) -> 0, 0, 0 [] {column: I32, row: I32, direction: Dir, channel: I32, issue_token: Bool}
    /// Writes a register.
    NpuWrite32 = "aiex.npu.write32" (address value) -> 0, 0, 0 [] {; buffer: Symbol, column: I32, row: I32}
    /// Writes some bits of a register.
    NpuMaskWrite32 = "aiex.npu.maskwrite32" (address value mask) -> 0, 0, 0 [] {; buffer: Symbol, column: I32, row: I32}
    /// Waits until some bits of a register have a value.
    NpuMaskPoll = "aiex.npu.maskpoll" (address value mask) -> 0, 0, 0 [] {; buffer: Symbol, column: I32, row: I32} "($address, $value, $mask)$attrs : $type(address), $type(value), $type(mask)"
    /// Reads a register of a tile for the host.
    NpuReadReg = "aiex.npu.read_reg" (tile) -> 0, 0, 0 [] {offset: I32} "($tile, $offset)$attrs"
    /// Writes consecutive registers.
    NpuBlockWrite = "aiex.npu.blockwrite" (data) -> 0, 0, 0 [] {address: U32; buffer: Symbol, column: I32, row: I32} "($data)$attrs : $type(data)"
    /// Waits for a token.
    NpuSync = "aiex.npu.sync" (column row direction channel column_num row_num) -> 0, 0, 0 [] {}
    /// Adds a host buffer's address to a BD.
    NpuAddressPatch = "aiex.npu.address_patch" (; addr_val? arg_plus!) -> 0, 0, 0 [] {addr: U32, arg_idx: I32}
    /// A point where the sequence may be preempted.
    NpuPreempt = "aiex.npu.preempt" () -> 0, 0, 0 [] {level: I64} "$attrs"
    /// Loads another device's configuration.
    NpuLoadPdi = "aiex.npu.load_pdi" () -> 0, 0, 0 [] {; device_ref: Symbol, id: I32, size: I32, address: U64, expand_mode: I32} "$attrs"
    /// Writes another device's configuration after a reset, without a load.
    NpuWriteConfig = "aiex.npu.write_config" () -> 0, 0, 0 [] {device_ref: Symbol} " $device_ref$attrs"
    /// Writes a BD field by field.
    NpuWriteBd = "aiex.npu.writebd" () -> 0, 0, 0 [] {column: I32, bd_id: I32, buffer_length: I32, buffer_offset: I32, enable_packet: I32, out_of_order_id: I32, packet_id: I32, packet_type: I32, d0_size: I32, d0_stride: I32, d1_size: I32, d1_stride: I32, d2_size: I32, d2_stride: I32, iteration_current: I32, iteration_size: I32, iteration_stride: I32, next_bd: I32, row: I32, use_next_bd: I32, valid_bd: I32, lock_rel_val: I32, lock_rel_id: I32, lock_acq_enable: I32, lock_acq_val: I32, lock_acq_id: I32; d0_zero_before: I32, d1_zero_before: I32, d2_zero_before: I32, d0_zero_after: I32, d1_zero_after: I32, d2_zero_after: I32, burst_length: I32} "$attrs"
    /// Makes the scratchpad for run-time values.
    NpuCreateScratchpad = "aiex.npu.create_scratchpad" () -> 0, 0, 0 [] {size: U32; usage_type: I64} "$attrs"
    /// Updates a register from the scratchpad.
    NpuUpdateFromScratchpad = "aiex.npu.update_from_scratchpad" () -> 0, 0, 0 [] {state_table_idx: I64, address: U32; func: I32, func_arg: U32, buffer: Symbol, column: I32, row: I32} "$(<$func:STATE_FUNCTION>)?$attrs"
    /// Asserts that a run-time value fits a BD field.
    NpuAssertBdField = "aiex.npu.assert_bd_field" (value) -> 0, 0, 0 [] {max: I32} "($value)$attrs : $type(value)"
    /// Asserts that a run-time value divides.
    NpuAssertBdDivisible = "aiex.npu.assert_bd_divisible" (value) -> 0, 0, 0 [] {divisor: I32; allow_unit: Unit} "($value)$attrs : $type(value)"
    /// Gives no transaction where a condition of the host's numbers doesn't hold.
    NpuRequire = "aiex.npu.require" (condition) -> 0, 0, 0 [] {message: Str} "($condition:i1)$attrs : $type(condition)"
    /// A control packet.
    ControlPacket = "aiex.control_packet" () -> 0, 0, 0 [] {address: U32, opcode: I32, stream_id: I32; length: I32, data: Ints32} "$attrs"
    /// A DMA task: a chain of BDs on a tile's channel.
    DmaConfigureTask = "aiex.dma_configure_task" (tile; repeat_count_val? bd_id_val?) -> 1, 1, 0 [] {direction: Dir, channel: I32; issue_token: Bool, repeat_count: I32, packet: Packet, out_of_order: Unit} "($tile, $direction, $channel$(, $packet)?)$( repeat $repeat_count_val : $type(repeat_count_val))?$( bd_id $bd_id_val : $type(bd_id_val))?$region$attrs"
    /// A DMA task on the channel of a shim allocation.
    DmaConfigureTaskFor = "aiex.dma_configure_task_for" (; repeat_count_val?) -> 1, 1, 0 [] {alloc: Symbol; issue_token: Bool, repeat_count: I32, interleave: Array} " $alloc:path$( repeat $repeat_count_val : $type(repeat_count_val))?$region$attrs"
    /// Starts a task.
    DmaStartTask = "aiex.dma_start_task" (task; repeat_count_val?) -> 0, 0, 0 [] {; repeat_count: I32, no_token: Unit} "($task)$( repeat $repeat_count_val : $type(repeat_count_val))?$attrs"
    /// Waits for a task's token and frees its BDs.
    DmaAwaitTask = "aiex.dma_await_task" (task) -> 0, 0, 0 [] {} "($task)$attrs"
    /// Frees a task's BDs.
    DmaFreeTask = "aiex.dma_free_task" (task) -> 0, 0, 0 [] {} "($task)$attrs"
    /// Starts a BD chain on a tile's channel.
    DmaStartBdChain = "aiex.dma_start_bd_chain" (; args* tile!) -> 1, 0, 0 [] {symbol: Symbol, direction: Dir, channel: I32; issue_token: Bool, repeat_count: I32} " $symbol($args) : ($type(args)) on ($tile, $direction, $channel)$attrs"
    /// Starts a BD chain on the channel of a shim allocation.
    DmaStartBdChainFor = "aiex.dma_start_bd_chain_for" (; args*) -> 1, 0, 0 [] {symbol: Symbol, alloc: Symbol; issue_token: Bool, repeat_count: I32} " $symbol($args) : ($type(args)) for  $alloc$attrs"
    /// Takes a BD id from a tile's pool.
    DmaBdPoolPop = "aiex.dma_bd_pool_pop" () -> 1, 0, 0 [] {column: I32, row: I32; partition_begin: I32, partition_end: I32} "($column, $row)$( partition [$partition_begin, $partition_end))?$attrs : $type(result)"
    /// Gives a BD id back to a tile's pool.
    DmaBdPoolPush = "aiex.dma_bd_pool_push" (bd_id) -> 0, 0, 0 [] {column: I32, row: I32; partition_begin: I32, partition_end: I32} "($column, $row)$( partition [$partition_begin, $partition_end))? bd_id $bd_id$attrs : $type(bd_id)"
    /// Sets a lock from the sequence.
    SetLock = "aiex.set_lock" (lock) -> 0, 0, 0 [] {value: I32} "($lock, $value)$attrs"
    /// Clears words of a tile's data memory: first byte, then the count of 32-bit words.
    BufferClear = "aiex.buffer_clear" (tile) -> 0, 0, 0 [] {address: I32, length: I32} "($tile, $address, $length)$attrs"
    /// Resets a DMA channel.
    DmaChannelReset = "aiex.dma_channel_reset" (tile) -> 0, 0, 0 [] {direction: Dir, channel: I32} "($tile, $direction, $channel)$attrs"
    /// Resets the channels of an object fifo.
    DmaChannelResetFor = "aiex.dma_channel_reset_for" () -> 0, 0, 0 [] {objfifo: Symbol} "($objfifo)$attrs"
    /// Resets a core.
    CoreReset = "aiex.core_reset" (tile) -> 0, 0, 0 [] {} "($tile)$attrs"
    /// Configures the array as another device says.
    Configure = "aiex.configure" () -> 0, 1, 0 [NO_TERMINATOR] {symbol: Symbol; expand_mode: I32} " $symbol$region$attrs"
    /// Runs a sequence of the configured device.
    Run = "aiex.run" (; args*) -> 0, 0, 0 [] {runtime_sequence_symbol: Symbol} " $runtime_sequence_symbol($args) : ($type(args))$attrs"
    /// A parameter in the scratchpad.
    ScratchpadParameter = "aiex.scratchpad_parameter" () -> 0, 0, 0 [SYMBOL] {sym_name: Str; state_table_idx: I64, kind: I32} " $sym_name : $type:type$attrs"
    /// Reads a scratchpad parameter in a core.
    ReadScratchpadParameter = "aiex.read_scratchpad_parameter" () -> 1, 0, 0 [] {parameter: Symbol; buffer: Symbol} " $parameter : $type(result)$attrs"
    /// Copies the scratchpad's parameters from the host.
    SyncScratchpadParametersFromHost = "aiex.sync_scratchpad_parameters_from_host" () -> 0, 0, 0 [] {} "$attrs"

    // ---- aie: traces ----
    /// What to trace on a tile.
    Trace = "aie.trace" (tile) -> 0, 1, 0 [SYMBOL IMPLICIT_END] {sym_name: Str} " $sym_name($tile)$region$attrs"
    /// The information that a trace records with each event.
    TraceMode = "aie.trace.mode" () -> 0, 0, 0 [] {mode: I32} " $mode:TRACE_MODE$attrs"
    /// An event that is recorded.
    TraceEvent = "aie.trace.event" () -> 0, 0, 0 [] {event: Any; label: Str} " $event:event$( label = $label)?$attrs"
    /// The packets of a trace; their `type` says what kind of module they come from.
    TracePacket = "aie.trace.packet" () -> 0, 0, 0 [] {; id: I32} "$( id = $id)? type = $type:TRACE_PACKET$attrs"
    /// A switch port whose events are recorded.
    TracePort = "aie.trace.port" () -> 0, 0, 0 [] {slot: I32, port: Bundle, channel: I32, direction: Dir} "<$slot> port = $port:BUNDLE channel = $channel direction = $direction:DIRECTION$attrs"
    /// An event made of two others.
    TraceComboEvent = "aie.trace.combo_event" () -> 0, 0, 0 [] {slot: I32, eventA: Any, logic: I32, eventB: Any} "<$slot> $eventA:event $logic:COMBO_LOGIC $eventB:event$attrs"
    /// An event at the edge of another.
    TraceEdgeEvent = "aie.trace.edge_event" () -> 0, 0, 0 [] {slot: I32, event: Any, trigger: I32} "<$slot> event = $event:event trigger = $trigger:EDGE_TRIGGER$attrs"
    /// The event that starts a trace.
    TraceStart = "aie.trace.start" () -> 0, 0, 0 [] {; broadcast: I32, event: Any} "$( broadcast = $broadcast)?$( event = $event:event)?$attrs"
    /// The event that stops a trace.
    TraceStop = "aie.trace.stop" () -> 0, 0, 0 [] {; broadcast: I32, event: Any} "$( broadcast = $broadcast)?$( event = $event:event)?$attrs"
    /// A trace as register fields.
    TraceConfig = "aie.trace.config" (tile) -> 0, 1, 0 [SYMBOL IMPLICIT_END] {sym_name: Str; packet_type: I32} " $sym_name($tile)$( packet_type = $packet_type:TRACE_PACKET)?$region$attrs"
    /// A register field of a trace.
    TraceReg = "aie.trace.reg" () -> 0, 0, 0 [] {reg_name: Str, value: Any; field: Str, mask: I32, comment: Str} " register = $reg_name$( field = $field)? value = $value:number_or_name$( mask = $mask)?$( comment = $comment)?$attrs"
    /// The host buffer that traces go to.
    TraceHostConfig = "aie.trace.host_config" () -> 0, 0, 0 [] {buffer_size: I32; reuse_output_buffer: Bool, routing: I32, egress_shim_col: I32} "$attrs"
    /// Applies a trace in a sequence.
    TraceStartConfig = "aie.trace.start_config" () -> 0, 0, 0 [] {trace_config: Symbol} " $trace_config$attrs"

    // ---- aiex: older operations ----
    /// One source, several destinations.
    Multicast = "aiex.multicast" (tile) -> 0, 1, 0 [IMPLICIT_END] {bundle: Bundle, channel: I32} "($tile, $bundle : $channel)$region$attrs"
    /// A destination of a multicast.
    MultiDest = "aiex.multi_dest" (tile) -> 0, 0, 0 [] {bundle: Bundle, channel: I32} "<$tile, $bundle : $channel>$attrs"
    /// One source, several packet ids, each with destinations.
    BroadcastPacket = "aiex.broadcast_packet" (tile) -> 0, 1, 0 [IMPLICIT_END] {bundle: Bundle, channel: I32} "($tile, $bundle : $channel)$region$attrs"
    /// A packet id of a broadcast.
    BroadcastPacketId = "aiex.bp_id" () -> 0, 1, 0 [IMPLICIT_END] {ID: I8} "($ID)$region$attrs"
    /// A destination of a packet id of a broadcast.
    BroadcastPacketDest = "aiex.bp_dest" (tile) -> 0, 0, 0 [] {bundle: Bundle, channel: I32} "<$tile, $bundle : $channel>$attrs"
    /// A token that orders cores and copies.
    Token = "aiex.token" () -> 0, 0, 0 [SYMBOL] {value: I32; sym_name: Str} "($value)$attrs"
    /// Acquires or releases a token.
    UseToken = "aiex.useToken" () -> 0, 0, 0 [] {tokenName: Symbol, value: I32, action: LockAction} " $tokenName($action, $value)$attrs"
    /// A copy between buffers of two tiles, ordered by a token.
    Memcpy = "aiex.memcpy" (srcTile srcBuf dstTile dstBuf) -> 0, 0, 0 [] {tokenName: Symbol, acqValue: I32, relValue: I32, srcOffset: I32, srcLen: I32, dstOffset: I32, dstLen: I32} " $tokenName($acqValue, $relValue) ($srcTile : <$srcBuf, $srcOffset, $srcLen>, $dstTile : <$dstBuf, $dstOffset, $dstLen>)$attrs : ($type(srcBuf), $type(dstBuf))"

    // ---- aiex.cert: control code ----
    /// Pages that a LOAD_PDI or PREEMPT refers to.
    CertSection = "aiex.cert.section" () -> 0, 1, 0 [SYMBOL IMPLICIT_END] {sym_name: Str} " $sym_name$region$attrs"
    /// A page of control code.
    CertPage = "aiex.cert.page" () -> 0, 1, 0 [IMPLICIT_END] {} "$region$attrs"
    /// A job.
    CertJob = "aiex.cert.job" () -> 0, 1, 0 [IMPLICIT_END] {job_id: I32; configures: Bool, deferred: Bool} "($job_id)$region$attrs"
    /// Pages of one micro-controller.
    CertAttachToGroup = "aiex.cert.attach_to_group" () -> 0, 1, 0 [IMPLICIT_END] {group_id: I32} "($group_id)$region$attrs"
    /// A chain of uC-DMA descriptors.
    CertUcDmaChain = "aiex.cert.uc_dma_chain" () -> 0, 1, 0 [SYMBOL IMPLICIT_END] {; sym_name: Str} "$( $sym_name)?$region$attrs"
    /// A uC-DMA descriptor: words of a global to an address.
    CertUcDmaBd = "aiex.cert.uc_dma_bd" () -> 0, 0, 0 [] {remote_address: Symbol, local_address: Word, length: I32, next_bd: Bool} " $remote_address, $local_address, $length, $next_bd$attrs"
    /// WRITE_32.
    CertWrite32 = "aiex.cert.write32" () -> 0, 0, 0 [] {address: U32, value: U32} "($address, $value)$attrs"
    /// MASK_WRITE_32.
    CertMaskWrite32 = "aiex.cert.maskwrite32" () -> 0, 0, 0 [] {address: U32, mask: U32, value: U32} "($address, $mask, $value)$attrs"
    /// MASK_POLL_32; ours, the reference has no such operation.
    CertMaskPoll32 = "aiex.cert.mask_poll_32" () -> 0, 0, 0 [] {address: U32, mask: U32, value: U32} "($address, $mask, $value)$attrs"
    /// READ_32; ours, as the following two.
    CertRead32 = "aiex.cert.read_32" () -> 0, 0, 0 [] {register: I32, address: U32} "($register, $address)$attrs"
    /// ADD.
    CertAdd = "aiex.cert.add" () -> 0, 0, 0 [] {register: I32, value: U32} "($register, $value)$attrs"
    /// WRITE_32_D of a register to an address.
    CertWrite32D = "aiex.cert.write_32_d" () -> 0, 0, 0 [] {address: U32, register: I32} "($address, $register)$attrs"
    /// APPLY_OFFSET_57.
    CertApplyOffset57 = "aiex.cert.apply_offset_57" () -> 0, 0, 0 [] {symbol: Symbol, num_entries: I16, offset: I16} "($symbol, $num_entries, $offset)$attrs"
    /// UC_DMA_WRITE_DES_SYNC.
    CertUcDmaWriteDesSync = "aiex.cert.uc_dma_write_des_sync" () -> 0, 0, 0 [] {symbol: Symbol} "($symbol)$attrs"
    /// UC_DMA_WRITE_DES; ours, the reference has no such operation.
    CertUcDmaWriteDes = "aiex.cert.uc_dma_write_des" () -> 0, 0, 0 [] {wait_handle: I32, symbol: Symbol} "($wait_handle, $symbol)$attrs"
    /// WAIT_UC_DMA; ours, the reference has no such operation.
    CertWaitUcDma = "aiex.cert.wait_uc_dma" () -> 0, 0, 0 [] {wait_handle: I32} "($wait_handle)$attrs"
    /// WAIT_TCTS.
    CertWaitTcts = "aiex.cert.wait_tcts" () -> 0, 0, 0 [] {tile_id: I32, channel_id: I32, target_tcts: I32} "($tile_id, $channel_id, $target_tcts)$attrs"
    /// LOCAL_BARRIER.
    CertLocalBarrier = "aiex.cert.local_barrier" () -> 0, 0, 0 [] {local_barrier_id: I32, num_participants: I32} "($local_barrier_id, $num_participants)$attrs"
    /// LAUNCH_JOB of a deferred job; ours, the reference has no such operation.
    CertLaunchJob = "aiex.cert.launch_job" () -> 0, 0, 0 [] {job_id: I32} "($job_id)$attrs"
    /// REMOTE_BARRIER.
    CertRemoteBarrier = "aiex.cert.remote_barrier" () -> 0, 0, 0 [] {remote_barrier_id: I32, party_mask: I32} "($remote_barrier_id, $party_mask)$attrs"
    /// LOAD_PDI.
    CertLoadPdi = "aiex.cert.load_pdi" () -> 0, 0, 0 [] {pdi_id: U32, symbol: Symbol} "($pdi_id, $symbol)$attrs"
    /// PREEMPT.
    CertPreempt = "aiex.cert.preempt" () -> 0, 0, 0 [] {id: I32, save_section: Symbol, restore_section: Symbol} "($id, $save_section, $restore_section)$attrs"
    /// NOP.
    CertNop = "aiex.cert.nop" () -> 0, 0, 0 [] {} "$attrs"

    // ---- func ----
    /// A function, with a body or external.
    FuncFunc = "func.func" () -> 0, 1, 0 [SYMBOL ISOLATED] {sym_name: Str, function_type: TypeAttr; sym_visibility: Str, link_with: Str}
    /// Calls a function.
    FuncCall = "func.call" (; operands*) -> _, 0, 0 [] {callee: Symbol}
    /// Calls a function value.
    FuncCallIndirect = "func.call_indirect" (callee; operands*) -> _, 0, 0 [] {}
    /// A function as a value.
    FuncConstant = "func.constant" () -> 1, 0, 0 [PURE] {value: Symbol} " $value$attrs : $type(result)"
    /// Ends a function.
    FuncReturn = "func.return" (; operands*) -> 0, 0, 0 [TERMINATOR RETURN_LIKE] {} "$attrs$( $operands : $type(operands))?"

    // ---- arith ----
    /// A constant.
    ArithConstant = "arith.constant" () -> 1, 0, 0 [PURE] {value: Any}
    /// Integer addition.
    ArithAddI = "arith.addi" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// A sum of unsigned integers, and whether it lost a bit.
    ArithAddUIExtended = "arith.addui_extended" (lhs rhs) -> 2, 0, 0 [PURE COMMUTATIVE INT_LIKE] {}
    /// The low and the high half of a product of signed integers.
    ArithMulSIExtended = "arith.mulsi_extended" (lhs rhs) -> 2, 0, 0 [PURE COMMUTATIVE INT_LIKE] {}
    /// The low and the high half of a product of unsigned integers.
    ArithMulUIExtended = "arith.mului_extended" (lhs rhs) -> 2, 0, 0 [PURE COMMUTATIVE INT_LIKE] {}
    /// Integer subtraction.
    ArithSubI = "arith.subi" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Integer multiplication.
    ArithMulI = "arith.muli" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Signed division, rounding to zero.
    ArithDivSI = "arith.divsi" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Unsigned division.
    ArithDivUI = "arith.divui" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Signed division, rounding up.
    ArithCeilDivSI = "arith.ceildivsi" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Unsigned division, rounding up.
    ArithCeilDivUI = "arith.ceildivui" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Signed division, rounding down.
    ArithFloorDivSI = "arith.floordivsi" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Signed remainder.
    ArithRemSI = "arith.remsi" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Unsigned remainder.
    ArithRemUI = "arith.remui" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Bitwise and.
    ArithAndI = "arith.andi" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Bitwise or.
    ArithOrI = "arith.ori" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Bitwise exclusive or.
    ArithXOrI = "arith.xori" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Shift left.
    ArithShLI = "arith.shli" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Arithmetic shift right.
    ArithShRSI = "arith.shrsi" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Logical shift right.
    ArithShRUI = "arith.shrui" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Signed minimum.
    ArithMinSI = "arith.minsi" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Unsigned minimum.
    ArithMinUI = "arith.minui" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Signed maximum.
    ArithMaxSI = "arith.maxsi" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Unsigned maximum.
    ArithMaxUI = "arith.maxui" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE INT_LIKE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Integer comparison.
    ArithCmpI = "arith.cmpi" (lhs rhs) -> 1, 0, 0 [PURE] {predicate: I64}
    /// Float addition.
    ArithAddF = "arith.addf" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float subtraction.
    ArithSubF = "arith.subf" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float multiplication.
    ArithMulF = "arith.mulf" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float division.
    ArithDivF = "arith.divf" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float remainder.
    ArithRemF = "arith.remf" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float negation.
    ArithNegF = "arith.negf" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Float minimum, a NaN wins.
    ArithMinimumF = "arith.minimumf" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float maximum, a NaN wins.
    ArithMaximumF = "arith.maximumf" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float minimum, a number wins.
    ArithMinNumF = "arith.minnumf" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float maximum, a number wins.
    ArithMaxNumF = "arith.maxnumf" (lhs rhs) -> 1, 0, 0 [PURE COMMUTATIVE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Float comparison.
    ArithCmpF = "arith.cmpf" (lhs rhs) -> 1, 0, 0 [PURE] {predicate: I64; fastmath: Any}
    /// One of two values.
    ArithSelect = "arith.select" (condition true_value false_value) -> 1, 0, 0 [PURE] {}
    /// Sign extension.
    ArithExtSI = "arith.extsi" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Zero extension.
    ArithExtUI = "arith.extui" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Float widening.
    ArithExtF = "arith.extf" (operand) -> 1, 0, 0 [PURE CAST] {; fastmath: Any} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Integer truncation.
    ArithTruncI = "arith.trunci" (operand) -> 1, 0, 0 [PURE CAST] {; overflowFlags: Any} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Float narrowing.
    ArithTruncF = "arith.truncf" (operand) -> 1, 0, 0 [PURE CAST] {; roundingmode: Any, fastmath: Any} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Signed integer to float.
    ArithSIToFP = "arith.sitofp" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Unsigned integer to float.
    ArithUIToFP = "arith.uitofp" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Float to signed integer.
    ArithFPToSI = "arith.fptosi" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Float to unsigned integer.
    ArithFPToUI = "arith.fptoui" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Integer to index and back.
    ArithIndexCast = "arith.index_cast" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Unsigned integer to index and back.
    ArithIndexCastUI = "arith.index_castui" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"
    /// Same bits, other type.
    ArithBitcast = "arith.bitcast" (operand) -> 1, 0, 0 [PURE CAST] {} " $operand$( $roundingmode:rounding)?$flags$attrs : $type(operand) to $type(result)"

    // ---- cf ----
    /// Jumps.
    CfBr = "cf.br" (; args*) -> 0, 0, 1 [TERMINATOR BRANCH] {}
    /// Jumps one way or the other.
    CfCondBr = "cf.cond_br" (condition; true_args* false_args*) -> 0, 0, 2 [TERMINATOR BRANCH] {}
    /// Jumps where the case of a number says.
    CfSwitch = "cf.switch" (flag; default_args* case_args*) -> 0, 0, _ [TERMINATOR BRANCH] {case_operand_segments: Ints32; case_values: Any}
    /// Fails if its condition is false.
    CfAssert = "cf.assert" (condition) -> 0, 0, 0 [] {msg: Str} " $condition:i1, $msg$attrs"

    // ---- scf ----
    /// A counted loop.
    ScfFor = "scf.for" (lower upper step; init_args*) -> _, 1, 0 [] {; unsignedCmp: Bool}
    /// A conditional.
    ScfIf = "scf.if" (condition) -> _, 2, 0 [] {}
    /// A loop with a condition region and a body.
    ScfWhile = "scf.while" (; inits*) -> _, 2, 0 [] {}
    /// Ends the condition region of a while.
    ScfCondition = "scf.condition" (condition; args*) -> 0, 0, 0 [TERMINATOR] {} "($condition:i1)$attrs$( $args : $type(args))?"
    /// A switch over an index.
    ScfIndexSwitch = "scf.index_switch" (arg) -> _, _, 0 [] {cases: Ints}
    /// A region run once.
    ScfExecuteRegion = "scf.execute_region" () -> _, 1, 0 [] {}
    /// Loops over several dimensions whose passes don't depend on one another, with reductions.
    ScfParallel = "scf.parallel" (; lowerBound* upperBound* step* initVals*) -> _, 1, 0 [] {}
    /// Ends a parallel loop: combines a value of each pass.
    ScfReduce = "scf.reduce" (; operands*) -> 0, _, 0 [TERMINATOR] {}
    /// Ends a region of a reduction with the combined value.
    ScfReduceReturn = "scf.reduce.return" (value) -> 0, 0, 0 [TERMINATOR] {} " $value$attrs : $type(value)"
    /// Passes over several dimensions that threads may share.
    ScfForall = "scf.forall" (; dynamicLowerBound* dynamicUpperBound* dynamicStep* outputs*) -> _, 1, 0 [] {staticLowerBound: Ints, staticUpperBound: Ints, staticStep: Ints; mapping: Any}
    /// Ends a forall: its block holds what puts the parts of shared outputs together.
    ScfInParallel = "scf.forall.in_parallel" () -> 0, 1, 0 [TERMINATOR NO_TERMINATOR] {}
    /// Ends a region of scf with its results.
    ScfYield = "scf.yield" (; results*) -> 0, 0, 0 [TERMINATOR RETURN_LIKE] {} "$attrs$( $results : $type(results))?"

    // ---- memref ----
    /// Allocates.
    MemrefAlloc = "memref.alloc" (; dynamicSizes* symbolOperands*) -> 1, 0, 0 [] {; alignment: I64} "($dynamicSizes)$([$symbolOperands])?$attrs : $type(result)"
    /// Allocates on the stack.
    MemrefAlloca = "memref.alloca" (; dynamicSizes* symbolOperands*) -> 1, 0, 0 [] {; alignment: I64} "($dynamicSizes)$([$symbolOperands])?$attrs : $type(result)"
    /// Frees.
    MemrefDealloc = "memref.dealloc" (memref) -> 0, 0, 0 [] {} " $memref$attrs : $type(memref)"
    /// Reads an element.
    MemrefLoad = "memref.load" (memref; indices*) -> 1, 0, 0 [] {; nontemporal: Bool} " $memref[$indices]$attrs : $type(memref)$gives(element(memref))"
    /// Writes an element.
    MemrefStore = "memref.store" (value memref; indices*) -> 0, 0, 0 [] {; nontemporal: Bool} " $value:element(memref), $memref[$indices]$attrs : $type(memref)"
    /// Copies all elements.
    MemrefCopy = "memref.copy" (source target) -> 0, 0, 0 [] {} " $source, $target$attrs : $type(source) to $type(target)"
    /// A global array.
    MemrefGlobal = "memref.global" () -> 0, 0, 0 [SYMBOL] {sym_name: Str; sym_visibility: Str, initial_value: Any, constant: Unit, alignment: I64}
    /// A global array's memref.
    MemrefGetGlobal = "memref.get_global" () -> 1, 0, 0 [PURE] {name: Symbol} " $name$attrs : $type(result)"
    /// A part of a memref.
    MemrefSubview = "memref.subview" (source; offsets* sizes* strides*) -> 1, 0, 0 [PURE] {static_offsets: Ints, static_sizes: Ints, static_strides: Ints} " $source$static_offsets $static_sizes $static_strides$attrs : $type(source) to $type(result)"
    /// A memref seen with another layout.
    MemrefReinterpretCast = "memref.reinterpret_cast" (source; offsets* sizes* strides*) -> 1, 0, 0 [PURE] {static_offsets: Ints, static_sizes: Ints, static_strides: Ints} " $source to offset: $static_offsets, sizes: $static_sizes, strides: $static_strides$attrs : $type(source) to $type(result)"
    /// A memref of a compatible type.
    MemrefCast = "memref.cast" (source) -> 1, 0, 0 [PURE] {} " $source$( $roundingmode:rounding)?$flags$attrs : $type(source) to $type(result)"
    /// Dimensions merged.
    MemrefCollapseShape = "memref.collapse_shape" (src) -> 1, 0, 0 [PURE] {reassociation: Array}
    /// Dimensions split.
    MemrefExpandShape = "memref.expand_shape" (src; output_shape*) -> 1, 0, 0 [PURE] {reassociation: Array, static_output_shape: Ints}
    /// Bytes seen as a memref.
    MemrefView = "memref.view" (source byte_shift; sizes*) -> 1, 0, 0 [PURE] {} " $source[$byte_shift][$sizes]$attrs : $type(source) to $type(result)"
    /// A size of a memref.
    MemrefDim = "memref.dim" (source index) -> 1, 0, 0 [PURE] {} " $source, $index$attrs : $type(source)"
    /// Promises an alignment.
    MemrefAssumeAlignment = "memref.assume_alignment" (memref) -> _, 0, 0 [] {alignment: I32} " $memref, $alignment$attrs : $type(memref)$gives(memref)"

    // ---- math ----
    /// Absolute value.
    MathAbsF = "math.absf" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Absolute value of an integer.
    MathAbsI = "math.absi" (operand) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Arc cosine.
    MathAcos = "math.acos" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Area hyperbolic cosine.
    MathAcosh = "math.acosh" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Arc sine.
    MathAsin = "math.asin" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Area hyperbolic sine.
    MathAsinh = "math.asinh" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Arc tangent.
    MathAtan = "math.atan" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Area hyperbolic tangent.
    MathAtanh = "math.atanh" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Cube root.
    MathCbrt = "math.cbrt" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Rounding up.
    MathCeil = "math.ceil" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Cosine.
    MathCos = "math.cos" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Hyperbolic cosine.
    MathCosh = "math.cosh" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Leading zeros.
    MathCtLz = "math.ctlz" (operand) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Trailing zeros.
    MathCtTz = "math.cttz" (operand) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Set bits.
    MathCtPop = "math.ctpop" (operand) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Error function.
    MathErf = "math.erf" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Complementary error function.
    MathErfc = "math.erfc" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Exponential.
    MathExp = "math.exp" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Power of two.
    MathExp2 = "math.exp2" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Exponential minus one.
    MathExpM1 = "math.expm1" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Rounding down.
    MathFloor = "math.floor" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Logarithm.
    MathLog = "math.log" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Decimal logarithm.
    MathLog10 = "math.log10" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Logarithm of one more.
    MathLog1p = "math.log1p" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Binary logarithm.
    MathLog2 = "math.log2" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Rounding, halves away from zero.
    MathRound = "math.round" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Rounding, halves to even.
    MathRoundEven = "math.roundeven" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Reciprocal square root.
    MathRsqrt = "math.rsqrt" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Sine.
    MathSin = "math.sin" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Hyperbolic sine.
    MathSinh = "math.sinh" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Square root.
    MathSqrt = "math.sqrt" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Tangent.
    MathTan = "math.tan" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Hyperbolic tangent.
    MathTanh = "math.tanh" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Rounding to zero.
    MathTrunc = "math.trunc" (operand) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $operand:result$flags$attrs : $type(result)"
    /// Arc tangent of a quotient.
    MathAtan2 = "math.atan2" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// One's magnitude, the other's sign.
    MathCopySign = "math.copysign" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Integer power.
    MathIPowI = "math.ipowi" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Power.
    MathPowF = "math.powf" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Product plus sum, rounded once.
    MathFma = "math.fma" (a b c) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {; fastmath: Any} " $a:result, $b:result, $c:result$flags$attrs : $type(result)"
    /// Power with an integer exponent.
    MathFPowI = "math.fpowi" (lhs rhs) -> 1, 0, 0 [PURE] {; fastmath: Any} " $lhs, $rhs$flags$attrs : $type(lhs), $type(rhs)$gives(lhs)"

    // ---- index ----
    /// A constant.
    IndexConstant = "index.constant" () -> 1, 0, 0 [PURE] {value: Index} " $value$attrs"
    /// A boolean constant.
    IndexBoolConstant = "index.bool.constant" () -> 1, 0, 0 [PURE] {value: Bool} " $value$attrs$gives(i1)"
    /// Addition.
    IndexAdd = "index.add" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Subtraction.
    IndexSub = "index.sub" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Multiplication.
    IndexMul = "index.mul" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Signed division.
    IndexDivS = "index.divs" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Unsigned division.
    IndexDivU = "index.divu" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Signed division, rounding up.
    IndexCeilDivS = "index.ceildivs" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Unsigned division, rounding up.
    IndexCeilDivU = "index.ceildivu" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Signed division, rounding down.
    IndexFloorDivS = "index.floordivs" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Signed remainder.
    IndexRemS = "index.rems" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Unsigned remainder.
    IndexRemU = "index.remu" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Signed maximum.
    IndexMaxS = "index.maxs" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Unsigned maximum.
    IndexMaxU = "index.maxu" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Signed minimum.
    IndexMinS = "index.mins" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Unsigned minimum.
    IndexMinU = "index.minu" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Shift left.
    IndexShl = "index.shl" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Arithmetic shift right.
    IndexShrS = "index.shrs" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Logical shift right.
    IndexShrU = "index.shru" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Bitwise and.
    IndexAnd = "index.and" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Bitwise or.
    IndexOr = "index.or" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Bitwise exclusive or.
    IndexXor = "index.xor" (lhs rhs) -> 1, 0, 0 [PURE SAME_TYPE INDEX_LIKE] {} " $lhs, $rhs$attrs"
    /// Sign-extending conversion.
    IndexCastS = "index.casts" (input) -> 1, 0, 0 [PURE CAST] {} " $input$( $roundingmode:rounding)?$flags$attrs : $type(input) to $type(result)"
    /// Zero-extending conversion.
    IndexCastU = "index.castu" (input) -> 1, 0, 0 [PURE CAST] {} " $input$( $roundingmode:rounding)?$flags$attrs : $type(input) to $type(result)"
    /// Comparison.
    IndexCmp = "index.cmp" (lhs rhs) -> 1, 0, 0 [PURE] {pred: Any} " $pred:INDEX_CMP($lhs, $rhs)$attrs$gives(i1)"

    // ---- ub ----
    /// A value that must not be looked at.
    UbPoison = "ub.poison" () -> 1, 0, 0 [PURE] {; value: Any} "$attrs : $type(result)"
    /// A value that is not defined (LLVM).
    LlvmUndef = "llvm.mlir.undef" () -> 1, 0, 0 [PURE] {} "$attrs : $type(result)"

    // ---- vector ----
    /// Reads a vector out of memory through a map, padding outside.
    VectorTransferRead = "vector.transfer_read" (base; indices* padding! mask?) -> 1, 0, 0 [] {; permutation_map: Any, in_bounds: Array}
    /// Writes a vector into memory through a map.
    VectorTransferWrite = "vector.transfer_write" (valueToStore base; indices* mask?) -> _, 0, 0 [] {; permutation_map: Any, in_bounds: Array}
    /// Reads contiguous elements.
    VectorLoad = "vector.load" (base; indices*) -> 1, 0, 0 [] {; nontemporal: Bool, alignment: I64} " $base[$indices]$attrs : $type(base), $type(result)"
    /// Writes contiguous elements.
    VectorStore = "vector.store" (valueToStore base; indices*) -> 0, 0, 0 [] {; nontemporal: Bool, alignment: I64} " $valueToStore, $base[$indices]$attrs : $type(base), $type(valueToStore)"
    /// Product plus sum.
    VectorFma = "vector.fma" (lhs rhs acc) -> 1, 0, 0 [PURE SAME_TYPE FLOAT_LIKE] {} " $lhs:result, $rhs:result, $acc:result$flags$attrs : $type(result)"
    /// A value in all places; `vector.splat` is the older name for scalars.
    VectorBroadcast = "vector.broadcast" (source) -> 1, 0, 0 [PURE] {} " $source:element(result)$attrs : $($type(source) to )?$type(result)"
    /// A part of a vector.
    VectorExtract = "vector.extract" (source; dynamic_position*) -> 1, 0, 0 [PURE] {static_position: Ints} " $source$static_position$attrs : $type(result) from $type(source)"
    /// A vector with a part replaced.
    VectorInsert = "vector.insert" (valueToStore dest; dynamic_position*) -> 1, 0, 0 [PURE] {static_position: Ints} " $valueToStore, $dest $static_position$attrs : $type(valueToStore) into $type(dest)$gives(dest)"
    /// All elements combined into one.
    VectorReduction = "vector.reduction" (vector; acc?) -> 1, 0, 0 [PURE] {kind: Any; fastmath: Any} " $kind:combining, $vector$(, $acc:result)?$flags$attrs : $type(vector) into $type(result)"
    /// Some dimensions combined.
    VectorMultiReduction = "vector.multi_reduction" (source acc) -> 1, 0, 0 [PURE] {kind: Any, reduction_dims: Ints} " $kind:combining, $source, $acc:result $reduction_dims$attrs : $type(source) to $type(result)"
    /// A product of vectors along maps.
    VectorContract = "vector.contract" (lhs rhs acc) -> 1, 0, 0 [PURE] {indexing_maps: Array, iterator_types: Array; kind: Any}
    /// Dimensions exchanged.
    VectorTranspose = "vector.transpose" (vector) -> 1, 0, 0 [PURE] {permutation: Ints} " $vector, $permutation$attrs : $type(vector) to $type(result)"
    /// A vector of equal elements in another shape.
    VectorShapeCast = "vector.shape_cast" (source) -> 1, 0, 0 [PURE] {} " $source$( $roundingmode:rounding)?$flags$attrs : $type(source) to $type(result)"
    /// A vector of equal bits with other elements.
    VectorBitcast = "vector.bitcast" (source) -> 1, 0, 0 [PURE] {} " $source$( $roundingmode:rounding)?$flags$attrs : $type(source) to $type(result)"
    /// Elements of two vectors, picked by number.
    VectorShuffle = "vector.shuffle" (v1 v2) -> 1, 0, 0 [PURE] {mask: Ints}
    /// A strided part.
    VectorExtractStridedSlice = "vector.extract_strided_slice" (source) -> 1, 0, 0 [PURE] {offsets: Array, sizes: Array, strides: Array} " $source$( $roundingmode:rounding)?$flags$attrs : $type(source) to $type(result)"
    /// A vector with a strided part replaced.
    VectorInsertStridedSlice = "vector.insert_strided_slice" (valueToStore dest) -> 1, 0, 0 [PURE] {offsets: Array, strides: Array} " $valueToStore, $dest$attrs : $type(valueToStore) into $type(dest)$gives(dest)"
    /// A vector of the given elements.
    VectorFromElements = "vector.from_elements" (; elements*) -> 1, 0, 0 [PURE] {} " $elements:element(result)$attrs : $type(result)"
    /// The numbers from zero on.
    VectorStep = "vector.step" () -> 1, 0, 0 [PURE] {} "$attrs : $type(result)"

    // ---- ptr: pointers with a known memory space ----
    /// The address of the first element of a memref.
    PtrToPtr = "ptr.to_ptr" (ptr) -> 1, 0, 0 [PURE] {} " $ptr$attrs : $type(ptr) -> $type(result)"
    /// A memref at an address; its metadata are those of another of its type.
    PtrFromPtr = "ptr.from_ptr" (ptr; metadata?) -> 1, 0, 0 [PURE] {} " $ptr$( metadata $metadata:metadata(result))?$attrs : $type(ptr) -> $type(result)"
    /// Metadata of a memref: all of it but the address.
    PtrGetMetadata = "ptr.get_metadata" (ptr) -> 1, 0, 0 [PURE] {} " $ptr$attrs : $type(ptr)$gives(metadata(ptr))"
    /// A pointer some bytes further.
    PtrAdd = "ptr.ptr_add" (base offset) -> 1, 0, 0 [PURE] {} " $base, $offset$attrs : $type(base), $type(offset)$gives(base)"

    // ---- affine ----
    /// A counted loop whose bounds are affine.
    AffineFor = "affine.for" (; lowerBoundOperands* upperBoundOperands* inits*) -> _, 1, 0 [] {lowerBoundMap: Any, upperBoundMap: Any, step: I64}
    /// Loops over several dimensions with affine bounds, with reductions.
    AffineParallel = "affine.parallel" (; mapOperands*) -> _, 1, 0 [] {reductions: Any, lowerBoundsMap: Any, lowerBoundsGroups: Any, upperBoundsMap: Any, upperBoundsGroups: Any, steps: Any}
    /// A conditional on an integer set.
    AffineIf = "affine.if" (; operands*) -> _, 2, 0 [] {condition: Any}
    /// Ends a region of affine with its results.
    AffineYield = "affine.yield" (; operands*) -> 0, 0, 0 [TERMINATOR RETURN_LIKE] {} "$attrs$( $operands : $type(operands))?"
    /// Reads an element at affine indices.
    AffineLoad = "affine.load" (memref; indices*) -> 1, 0, 0 [] {map: Any}
    /// Writes an element at affine indices.
    AffineStore = "affine.store" (value memref; indices*) -> 0, 0, 0 [] {map: Any}
    /// Reads contiguous elements at affine indices.
    AffineVectorLoad = "affine.vector_load" (memref; indices*) -> 1, 0, 0 [] {map: Any}
    /// Writes contiguous elements at affine indices.
    AffineVectorStore = "affine.vector_store" (value memref; indices*) -> 0, 0, 0 [] {map: Any}
    /// An affine expression.
    AffineApply = "affine.apply" (; mapOperands*) -> 1, 0, 0 [PURE] {map: Any}
    /// The smallest of affine expressions.
    AffineMin = "affine.min" (; operands*) -> 1, 0, 0 [PURE] {map: Any}
    /// The largest of affine expressions.
    AffineMax = "affine.max" (; operands*) -> 1, 0, 0 [PURE] {map: Any}

    // ---- linalg ----
    /// A loop nest over structured operands.
    LinalgGeneric = "linalg.generic" (; inputs* outputs*) -> _, 1, 0 [] {indexing_maps: Array, iterator_types: Array; doc: Str, library_call: Str}
    /// Fills with a scalar.
    LinalgFill = "linalg.fill" (; inputs* outputs*) -> _, _, 0 [] {}
    /// Copies.
    LinalgCopy = "linalg.copy" (; inputs* outputs*) -> _, _, 0 [] {; cast: Any}
    /// Matrix product, added to the output.
    LinalgMatmul = "linalg.matmul" (; inputs* outputs*) -> _, _, 0 [] {; indexing_maps: Array, cast: Any}
    /// Ends the body of a structured operation.
    LinalgYield = "linalg.yield" (; values*) -> 0, 0, 0 [TERMINATOR] {} "$attrs$( $values : $type(values))?"
    /// The index of a loop around the body.
    LinalgIndex = "linalg.index" () -> 1, 0, 0 [PURE] {dim: I64} " $dim$attrs : $type(result)"

    // ---- tensor ----
    /// A tensor without values.
    TensorEmpty = "tensor.empty" (; dynamicSizes*) -> 1, 0, 0 [PURE] {} "($dynamicSizes)$attrs : $type(result)"
    /// A size of a tensor.
    TensorDim = "tensor.dim" (source index) -> 1, 0, 0 [PURE] {} " $source, $index$attrs : $type(source)"
    /// An element.
    TensorExtract = "tensor.extract" (tensor; indices*) -> 1, 0, 0 [PURE] {} " $tensor[$indices]$attrs : $type(tensor)$gives(element(tensor))"
    /// A tensor with an element replaced.
    TensorInsert = "tensor.insert" (scalar dest; indices*) -> 1, 0, 0 [PURE] {} " $scalar:element(dest) into $dest[$indices]$attrs : $type(dest)$gives(dest)"
    /// A tensor of a compatible type.
    TensorCast = "tensor.cast" (source) -> 1, 0, 0 [PURE] {} " $source$( $roundingmode:rounding)?$flags$attrs : $type(source) to $type(result)"
    /// Dimensions merged.
    TensorCollapseShape = "tensor.collapse_shape" (src) -> 1, 0, 0 [PURE] {reassociation: Array}
    /// Dimensions split.
    TensorExpandShape = "tensor.expand_shape" (src; output_shape*) -> 1, 0, 0 [PURE] {reassociation: Array, static_output_shape: Ints}

    // ---- aievec: vector operations of the cores ----
    /// Sums element by element.
    AieVecAddElem = "aievec.add_elem" (lhs rhs) -> 1, 0, 0 [PURE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Differences element by element.
    AieVecSubElem = "aievec.sub_elem" (lhs rhs) -> 1, 0, 0 [PURE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Products element by element, in an accumulator.
    AieVecMulElem = "aievec.mul_elem" (lhs rhs) -> 1, 0, 0 [PURE] {} " $lhs, $rhs$attrs : $type(lhs), $type(rhs), $type(result)"
    /// Products element by element, added to (or taken from) an accumulator.
    AieVecMacElem = "aievec.mac_elem" (lhs rhs acc) -> 1, 0, 0 [PURE] {; fmsub: Bool} " $lhs, $rhs, $acc$attrs : $type(lhs), $type(rhs), $type(acc)$gives(acc)"
    /// A matrix product added to an accumulator (AIE-ML).
    AieVecMatMul = "aievec.matmul" (lhs rhs acc) -> 1, 0, 0 [PURE] {} " $lhs, $rhs, $acc$attrs : $type(lhs), $type(rhs) into $type(acc)$gives(acc)"
    /// A matrix product added to an accumulator (AIE-ML v2).
    AieVecMatMulAie2p = "aievec.matmul_aie2p" (lhs rhs acc) -> 1, 0, 0 [PURE] {} " $lhs, $rhs, $acc$attrs : $type(lhs), $type(rhs) into $type(acc)$gives(acc)"
    /// The smaller elements.
    AieVecMin = "aievec.min" (lhs rhs) -> 1, 0, 0 [PURE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// The larger elements.
    AieVecMax = "aievec.max" (lhs rhs) -> 1, 0, 0 [PURE] {} " $lhs:result, $rhs:result$flags$attrs : $type(result)"
    /// Elements with the sign changed.
    AieVecNeg = "aievec.neg" (source) -> 1, 0, 0 [PURE] {} " $source:result$flags$attrs : $type(result)"
    /// Exponentials.
    AieVecExp = "aievec.exp" (source) -> 1, 0, 0 [PURE] {} " $source:result$flags$attrs : $type(result)"
    /// Hyperbolic tangents.
    AieVecTanh = "aievec.tanh" (source) -> 1, 0, 0 [PURE] {} " $source:result$flags$attrs : $type(result)"
    /// Inverses.
    AieVecInv = "aievec.inv" (source) -> 1, 0, 0 [PURE] {} " $source:result$flags$attrs : $type(result)"
    /// Part of a vector.
    AieVecExt = "aievec.ext" (source) -> 1, 0, 0 [PURE] {index: I8} " $source$attrs : $type(source), $type(result)"
    /// An element of a vector.
    AieVecExtElem = "aievec.ext_elem" (source index) -> 1, 0, 0 [PURE] {} " $source, $index$attrs : $type(source), $type(index), $type(result)"
    /// A vector from parts.
    AieVecConcat = "aievec.concat" (; sources*) -> 1, 0, 0 [PURE] {} " $sources$attrs : $each(sources), $type(result)"
    /// A vector shifted over two.
    AieVecShift = "aievec.shift" (lhs rhs shift) -> 1, 0, 0 [PURE] {isAcc: Bool} " $lhs, $rhs, $shift$attrs : $type(lhs), $type(rhs), $type(shift), $type(result)"
    /// Elements in another order.
    AieVecShuffle = "aievec.shuffle" (lhs; rhs?) -> 1, 0, 0 [PURE] {mode: I32} " $lhs:result$(, $rhs:result)?$(,)! [$mode:SHUFFLE_MODE]$attrs : $type(result)"
    /// An element in all places.
    AieVecBroadcast = "aievec.broadcast" (source) -> 1, 0, 0 [PURE] {idx: I8} " $source$attrs : $type(source), $type(result)"
    /// A scalar in all places.
    AieVecBroadcastScalar = "aievec.broadcast_scalar" (source) -> 1, 0, 0 [PURE] {} " $source$attrs : $type(source), $type(result)"
    /// Between vector and accumulator registers.
    AieVecCast = "aievec.cast" (source) -> 1, 0, 0 [PURE] {isResAcc: Bool} " $source$attrs : $type(source), $type(result)"
    /// From an accumulator, shifted, rounded and saturated.
    AieVecSrs = "aievec.srs" (source shift) -> 1, 0, 0 [PURE] {} " $source, $shift$attrs : $type(source), $type(shift), $type(result)"
    /// To an accumulator, shifted up.
    AieVecUps = "aievec.ups" (source) -> 1, 0, 0 [PURE] {shift: I8} " $source$attrs : $type(source), $type(result)"
    /// Elements of half the width.
    AieVecPack = "aievec.pack" (source) -> 1, 0, 0 [PURE] {} " $source$attrs : $type(source), $type(result)"
    /// Elements of twice the width.
    AieVecUnpack = "aievec.unpack" (source) -> 1, 0, 0 [PURE] {} " $source$attrs : $type(source), $type(result)"
    /// Part of a vector loaded from memory.
    AieVecUpd = "aievec.upd" (source; indices* vector?) -> 1, 0, 0 [] {offset: I32, index: I8} " $source$([$indices])?$(, $vector:result)?$attrs : $type(source), $type(result)"
    /// Products added to an accumulator (AIE).
    AieVecAie1Mac = "aievec_aie1.mac" (lhs rhs acc) -> 1, 0, 0 [PURE] {; xstart: Str, xoffsets: Str, xoffsets_hi: Str, xstep: Str, xsquare: Str, zstart: Str, zoffsets: Str, zoffsets_hi: Str, zstep: Str, zsquare: Str, fmsub: Bool} " $lhs, $rhs, $acc$attrs : $type(lhs), $type(rhs), $type(acc)$gives(acc)"
    /// Products in an accumulator (AIE).
    AieVecAie1Mul = "aievec_aie1.mul" (lhs rhs) -> 1, 0, 0 [PURE] {; xstart: Str, xoffsets: Str, xoffsets_hi: Str, xstep: Str, xsquare: Str, zstart: Str, zoffsets: Str, zoffsets_hi: Str, zstep: Str, zsquare: Str} " $lhs, $rhs$attrs : $type(lhs), $type(rhs), $type(result)"
    /// Elements chosen from lanes (AIE).
    AieVecAie1Select = "aievec_aie1.select" (xbuff; ybuff?) -> 1, 0, 0 [PURE] {select: Str; xstart: Str, xoffsets: Str, xoffsets_hi: Str, xsquare: Str, ystart: Str, yoffsets: Str, yoffsets_hi: Str, ysquare: Str} " $xbuff$(, $ybuff)?$attrs : $type(xbuff), $($type(ybuff), )?$type(result)"
    /// Sums of lanes (AIE).
    AieVecAie1Add = "aievec_aie1.add" (lhs rhs) -> 1, 0, 0 [PURE] {} " $lhs, $rhs$attrs : $type(lhs), $type(rhs), $type(result)"
    /// Differences of lanes (AIE).
    AieVecAie1Sub = "aievec_aie1.sub" (lhs rhs) -> 1, 0, 0 [PURE] {} " $lhs, $rhs$attrs : $type(lhs), $type(rhs), $type(result)"
    } };
}

pub(crate) use for_each_op;

/// Short and older operation names with today's full ones.
pub(crate) const OTHER_NAMES: &[(&str, &str)] = &[
    ("module", "builtin.module"),
    (
        "unrealized_conversion_cast",
        "builtin.unrealized_conversion_cast",
    ),
    ("func", "func.func"),
    ("call", "func.call"),
    ("return", "func.return"),
    ("br", "cf.br"),
    ("cond_br", "cf.cond_br"),
    ("aiex.runtime_sequence", "aie.runtime_sequence"),
    ("vector.splat", "vector.broadcast"),
    // 2023.
    ("aie.dmaStart", "aie.dma_start"),
    ("aie.dmaBd", "aie.dma_bd"),
    ("aie.dmaBdPacket", "aie.dma_bd_packet"),
    ("aie.nextBd", "aie.next_bd"),
    ("aie.useLock", "aie.use_lock"),
    ("aie.memTileDMA", "aie.memtile_dma"),
    ("aie.shimDMA", "aie.shim_dma"),
    ("aie.shimDMAAllocation", "aie.shim_dma_allocation"),
    ("aie.shimmux", "aie.shim_mux"),
    ("aie.packetrules", "aie.packet_rules"),
    ("aie.getStream", "aie.get_stream"),
    ("aie.putStream", "aie.put_stream"),
    ("aie.getCascade", "aie.get_cascade"),
    ("aie.putCascade", "aie.put_cascade"),
];
