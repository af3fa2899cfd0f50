//! Wrong inputs, one mistake each: the code and the place (line and column of the primary label) of
//! the findings about them.
//!
//! `§` marks the places of all findings there should be; the marks are taken out before parsing. Each
//! case is wrapped as its column says. Several codes are for several findings, in order.
//!
//! `AIEC_SHOW=1 cargo test -p aiec-aie --test wrong_inputs -- --nocapture` prints what a user gets
//! to read.

use aiec_aie::text::parse;
use aiec_aie::verify::verify;
use aiec_diag::{Diags, SourceFile, SourceMap};

/// Context that a case is put into.
#[derive(Clone, Copy, Debug)]
enum In {
    /// Nothing: it is the whole file.
    File,
    /// A device with a few tiles, a buffer and a lock.
    Device,
    /// A core of that device.
    Core,
    /// The DMA program of that device's core tile.
    Mem,
    /// A sequence of that device.
    Sequence,
}
use In::*;

const DEVICE: &str = "aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %tile = aie.tile(0, 2)
  %north = aie.tile(0, 3)
  %far = aie.tile(3, 5)
  %buf = aie.buffer(%tile) {sym_name = \"buf\"} : memref<64xi32>
  %lock = aie.lock(%tile, 0) {init = 1 : i32}
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.objectfifo @of(%tile, {%far}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
";

impl In {
    fn wrap(self, case: &str) -> String {
        match self {
            File => case.to_string(),
            Device => format!("{DEVICE}{case}\n}}\n"),
            Core => format!(
                "{DEVICE}aie.core(%tile) {{\n%c0 = arith.constant 0 : index\n\
                 %one = arith.constant 1 : i32\n{case}\naie.end\n}}\n}}\n"
            ),
            Mem => format!("{DEVICE}aie.mem(%tile) {{\n{case}\n}}\n}}\n"),
            Sequence => {
                format!("{DEVICE}aie.runtime_sequence(%a: memref<64xi32>) {{\n{case}\n}}\n}}\n")
            }
        }
    }
}

const SYNTAX: &str = "parse::syntax";

#[rustfmt::skip]
const CASES: &[(In, &str, &str)] = &[
    // ---- syntax ----
    (File, SYNTAX, "aie.device(npu1)§ "),
    (File, SYNTAX, "aie.device §{\n}"),
    (File, SYNTAX, "§}\n"),
    (File, SYNTAX, "module §{\n"),
    (File, SYNTAX, "#a =§ "),
    (File, SYNTAX, "!t §i32"),
    (Device, SYNTAX, "%x = aie.tile(0§)"),
    (Device, SYNTAX, "%x = aie.tile(0, 2§"),
    (Device, SYNTAX, "%x = aie.tile §0, 2)"),
    (Device, SYNTAX, "%x = aie.tile(0 §2)"),
    (Device, SYNTAX, "%x = aie.tile(§%c, 2)"),
    (Device, SYNTAX, "%x §aie.tile(0, 2)"),
    (Device, SYNTAX, "§% = aie.tile(0, 2)"),
    (Device, SYNTAX, "%x = aie.lock(%tile, 0 §{init = 1 : i32}"),
    (Device, SYNTAX, "%x = aie.buffer(%tile) :§ "),
    (Device, SYNTAX, "%x = aie.buffer(%tile) §memref<4xi32>"),
    (Device, SYNTAX, "%x = aie.buffer(%tile) {sym_name §\"b\"} : memref<4xi32>"),
    (Device, SYNTAX, "aie.flow(%tile, DMA §0, %north, DMA : 0)"),
    (Device, SYNTAX, "aie.flow(%tile, DMA : §x, %north, DMA : 0)"),
    (Device, SYNTAX, "aie.flow(%tile, DMA : 0, %north§)"),
    (Device, SYNTAX, "aie.flow(§tile, DMA : 0, %north, DMA : 0)"),
    (Device, SYNTAX, "aie.packet_flow §{\n}"),
    (Device, SYNTAX, "aie.packet_flow(1) {\naie.packet_source<%tile, DMA : 0§\naie.packet_dest<%north, DMA : 0>\n}"),
    (Device, SYNTAX, "aie.objectfifo §of2(%tile, {%north}, 2 : i32) : !aie.objectfifo<memref<16xi32>>"),
    (Device, SYNTAX, "aie.objectfifo @of2(%tile, {%north}, 2 : i32)§\n"),
    (Device, SYNTAX, "aie.objectfifo.link [@of] §[@of]()"),
    (Device, SYNTAX, "§42"),
    (Device, SYNTAX, "§(%x)"),
    (Core, SYNTAX, "%v = memref.load %buf[%c0 §: memref<64xi32>"),
    (Core, SYNTAX, "%v = memref.load %buf[%c0]§ "),
    (Core, SYNTAX, "%v = arith.addi %one §%one : i32"),
    (Core, SYNTAX, "%v = arith.addi %one, %one§ "),
    (Core, SYNTAX, "%v = arith.constant §: i32"),
    (Core, SYNTAX, "scf.for %i = %c0 to %c0 §{\n}"),
    (Core, SYNTAX, "scf.for §= %c0 to %c0 step %c0 {\n}"),
    (Core, SYNTAX, "aie.use_lock(%lock§)"),
    (Core, SYNTAX, "func.call @f(%one)§ "),
    (Core, SYNTAX, "%v = \"x.y\"(%one)§ "),
    (Core, SYNTAX, "%v = \"x.y\"(%one) : (i32)§ "),
    (Mem, SYNTAX, "%0 = aie.dma_start(S2MM, 0, ^a§)\n^a:\naie.end"),
    (Mem, SYNTAX, "%0 = aie.dma_start(S2MM, 0, ^a, §end)\n^a:\naie.end"),
    (Mem, SYNTAX, "%0 = aie.dma_start(S2MM, 0, ^a, ^a)\n^a:\naie.dma_bd(%buf : memref<64xi32> len = 4 §offset = 0)\naie.end"),
    (Sequence, SYNTAX, "aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4]§) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, SYNTAX, "aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id §: i64, metadata = @in} : memref<64xi32>"),
    (Sequence, SYNTAX, "aiex.npu.dma_wait {symbol = §}"),
    (Sequence, SYNTAX, "%t = aiex.dma_configure_task(%shim, MM2S§) {\n}"),
    (Sequence, SYNTAX, "aiex.npu.sync(%a, §) : i32"),
    (Sequence, SYNTAX, "aiex.npu.rtp_write(@buf §0, 1)"),
    (Device, SYNTAX, "%x = aie.lock(%tile, 1) {sym_name = §\"open}"),
    (Device, SYNTAX, "%x = aie.buffer(%tile) : memref§<4xi32"),
    (Device, SYNTAX, "aie.flow(%tile, DMA : 0§\n%x = aie.tile(1, 2)"),
    (Device, SYNTAX, "%x = aie.tile(0, 2)§)"),
    (Device, SYNTAX, "%x = aie.tile(0, 2) §: index"),
    (Device, SYNTAX, "%x:§a = aie.tile(0, 2)"),
    (Core, SYNTAX, "scf.for %i = %c0 §too %c0 step %c0 {\n}"),
    (Core, SYNTAX, "scf.for %i = %c0 to %c0 §stp %c0 {\n}"),
    (Core, SYNTAX, "scf.for %i = %c0 to %c0 step %c0§ "),
    (Core, SYNTAX, "%v = \"x.y\"(%one) {a = §} : (i32) -> i32"),
    (Core, SYNTAX, "\"x.y\"() ({\n} §: () -> ()"),
    (Core, SYNTAX, "\"x.y\"() §<{a = 1} : () -> ()"),
    // ---- several in one file: each is found, and nothing follows from another ----
    (Device, SYNTAX, "%x = aie.tile(0§)\naie.flow(%x, DMA : 0, %tile, DMA : 0)\n%y = aie.tile(1§)\n%l = aie.lock(%y, 0)"),
    (Device, SYNTAX, "aie.objectfifo §a(%tile, {%north}, 2 : i32) : !aie.objectfifo<memref<16xi32>>\naie.core(%tile) {\n%v = aie.objectfifo.acquire @a (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>\naie.end\n}"),
    (Device, SYNTAX, "%c = aie.core §%tile) {\n%i = arith.constant §: index\n%j = arith.addi %i, %i : index\naie.end\n}\n%x = aie.tile(§)"),
    (Core, SYNTAX, "scf.for %i §%c0 to %c0 step %c0 {\n%v = memref.load %buf[%i] : memref<64xi32>\nmemref.store %v, %buf[%i] §memref<64xi32>\n}"),
    (Core, SYNTAX, "%v = §+ %one\n%w = arith.addi %v, %one : i32\nscf.if %w {\n%y = arith.constant §)\n} else {\n%z = arith.addi %one §%one : i32\n}"),
    (Mem, SYNTAX, "%0 = aie.dma_start(S2MM, 0, ^a, ^b)\n^a§\naie.use_lock(%lock§)\naie.next_bd ^b\n^b:\naie.end"),
    (File, SYNTAX, "#m = §%x\n!t =§\nmodule {\n\"a.b\"() {m = #m} : () -> !t\n%v = \"a.c\"() : () -> !t\n\"a.d\"(%v) : (!t) -> ()\n\"a.e\"() {m = §} : () -> ()\n}"),
    (File, SYNTAX, "aie.device(npu1) {\n%x = aie.tile(0 §0)\n}\naie.device(npu2) @b {\n%x = aie.tile(0 §0)\n}"),
    (Sequence, "parse::syntax, parse::unknown-word, parse::unknown-value", "aiex.npu.sync {§1}\n%t = aiex.dma_configure_task(%shim, §MM2SS, 0) {\naie.dma_bd(§%b : memref<64xi32>)\naie.end\n}\naiex.dma_start_task(%t)"),
    // ---- names of operations, words, numbers ----
    (Device, "parse::unknown-op", "%x = §aie.tiel(0, 2)"),
    (Device, "parse::unknown-op", "§foo.bar %tile"),
    (Device, "parse::unknown-op", "§tile(0, 2)"),
    (Core, "parse::unknown-op", "%v = §arith.addx %one, %one : i32"),
    (Core, "parse::unknown-op", "%v = §llvm.add %one, %one : i32"),
    (File, "parse::unknown-word", "aie.device(§npu7) {\n}"),
    (File, "parse::unknown-word", "aie.device(§npu1_5col) {\n}"),
    (Device, "parse::unknown-word", "aie.flow(%tile, §DAM : 0, %north, DMA : 0)"),
    (Device, "parse::unknown-word", "aie.flow(%tile, DMA : 0, %north, §\"Dma\" : 0)"),
    (Device, "parse::unknown-word", "%x = aie.logical_tile<§Core>(?, ?)"),
    (Device, "parse::unknown-word", "aie.configure_cascade(%tile, §Up, East)"),
    (Core, "parse::unknown-word", "aie.use_lock(%lock, §AcquireGreater, %one)"),
    (Core, "parse::unknown-word", "aie.use_lock(%lock, Release, %one, §Block)"),
    (Core, "parse::unknown-word", "%v = arith.cmpi §lt, %one, %one : i32"),
    (Core, "parse::unknown-word", "aie.objectfifo.release @of(§Producer, 1)"),
    (Mem, "parse::unknown-word", "%0 = aie.dma_start(§S2MN, 0, ^a, ^a)\n^a:\naie.end"),
    (Device, "parse::bad-number", "%x = aie.tile(§99999999999, 2)"),
    (Device, "parse::bad-number", "%x = aie.tile(§99999999999999999999999, 2)"),
    (Device, "parse::bad-number", "aie.packet_flow(§300) {\naie.packet_source<%tile, DMA : 0>\naie.packet_dest<%north, DMA : 0>\n}"),
    (Device, "parse::bad-number", "%x = aie.lock(%tile, 1) {init = §300 : i8}"),
    (Core, "parse::bad-number", "%v = arith.constant §1.5 : i32"),
    (Core, "parse::bad-number", "%v = arith.constant §4294967296 : i32"),
    (Core, "parse::bad-number", "%v = arith.constant §3 : memref<4xi32>"),
    (Core, "parse::bad-number", "%v = arith.constant §340282366920938463463374607431768211456 : i128"),
    (Core, "parse::bad-number", "%v = arith.constant §-170141183460469231731687303715884105729 : i128"),
    (Core, "parse::bad-number", "%v = arith.constant §340282366920938463463374607431768211455 : i512"),
    // ---- values ----
    (Device, "parse::unknown-value", "%x = aie.lock(§%tiel, 1)"),
    (Device, "parse::unknown-value", "aie.flow(%tile, DMA : 0, §%nowhere, DMA : 0)"),
    (Core, "parse::unknown-value", "%v = arith.addi %one, §%two : i32"),
    (Core, "parse::unknown-value", "%v = arith.addi %one, §%one#1 : i32"),
    (Device, "parse::unknown-value", "func.func @f() {\n%v = memref.load §%buf[] : memref<64xi32>\nreturn\n}"),
    (Device, "parse::unknown-value", "aie.core(%tile) {\n%v = arith.constant 1 : i32\naie.end\n}\naie.core(%north) {\n%w = arith.addi §%v, %v : i32\naie.end\n}"),
    (Device, "parse::redefined-value", "§%tile = aie.tile(1, 2)"),
    (Core, "parse::redefined-value", "§%one = arith.constant 1 : i32"),
    (Core, "parse::redefined-value", "scf.for §%one = %c0 to %c0 step %c0 {\n}"),
    (Core, "parse::type-mismatch", "%v = arith.addi %one, §%c0 : i32"),
    (Core, "parse::type-mismatch", "%v = memref.load §%buf[%c0] : memref<32xi32>"),
    (Core, "parse::type-mismatch", "%v = memref.load %buf[§%one] : memref<64xi32>"),
    (Core, "parse::type-mismatch", "memref.store §%c0, %buf[%c0] : memref<64xi32>"),
    (Device, "parse::type-mismatch", "%x = aie.lock(§%buf, 1)"),
    (Core, "parse::type-mismatch", "scf.if §%one {\n}"),
    (Core, "parse::type-mismatch", "func.call @f§(%one, %one) : (i32) -> ()"),
    (Core, "parse::result-count", "§%a, %b = arith.addi %one, %one : i32"),
    (Core, "parse::result-count", "§%a = aie.use_lock(%lock, Release, %one)"),
    (Core, "parse::result-count", "§%a:2 = arith.addi %one, %one : i32"),
    // ---- blocks ----
    (Mem, "parse::unknown-block", "%0 = aie.dma_start(S2MM, 0, §^bd, ^end)\n^end:\naie.end"),
    (Mem, "parse::redefined-block", "%0 = aie.dma_start(S2MM, 0, ^bd, ^bd)\n^bd:\naie.end\n§^bd:\naie.end"),
    (Core, "parse::unknown-block", "cf.br §^there"),
    // ---- types and attributes ----
    (Device, "parse::bad-type", "%x = aie.buffer(%tile) : §i0"),
    (Device, "parse::bad-type", "%x = aie.buffer(%tile) : §memref<4x>"),
    (Device, "parse::syntax", "%x = aie.lock(§%)"),
    (Device, "parse::bad-type", "%x = aie.buffer(%tile) : §memref<16x132>"),
    (Device, "parse::bad-type", "aie.objectfifo @x(%tile, {%far}, 2 : i32) : §!aie.objectfif<memref<16xi32>>"),
    (Device, "parse::bad-type", "%x = aie.buffer(%tile) : §!aiex.block<4>"),
    (Device, "parse::syntax", "aie.shim_dma_allocation @ausg§änge(%shim, MM2S, 1)"),
    (Device, "parse::bad-type", "%x = aie.buffer(%tile) : §memreff<4xi32>"),
    (Device, "parse::bad-type", "%x = aie.buffer(%tile) : memref<4x§foo>"),
    (Device, "parse::unknown-alias", "%x = aie.buffer(%tile) : §!t"),
    (Device, "parse::unknown-alias", "%x = aie.lock(%tile) {a = §#nothing}"),
    (Device, "parse::duplicate-attribute", "%x = aie.lock(%tile) {init = 1 : i32, §init = 2 : i32}"),
    (Device, "parse::bad-attribute", "aie.shim_dma_allocation @x(%shim, MM2S, 1, §<pkt_type = 0>)"),
    (Device, "parse::bad-attribute", "aie.shim_dma_allocation @x(%shim, MM2S, 1, <pkt_type = 0, §id = 1>)"),
    (Device, "parse::bad-attribute", "aie.shim_dma_allocation @x(%shim, MM2S, 1, §<1>)"),
    (Device, "parse::bad-attribute", "aie.shim_dma_allocation @x(%shim, MM2S, 1, <0, 1, §2>)"),
    (Device, "parse::duplicate-attribute", "aie.shim_dma_allocation @x(%shim, MM2S, 1, <0, §pkt_type = 2>)"),
    (Device, "parse::bad-attribute", "%x = aie.buffer(%tile) : memref<4xi32> = dense<§[1, 2]>"),
    (Device, "parse::bad-attribute", "%x = aie.buffer(%tile) : memref<?xi32> = dense<§1>"),
    (Device, "parse::bad-attribute", "%x = aie.lock(%tile) {a = §dense<1>}"),
    (Device, "parse::bad-attribute", "%x = aie.lock(%tile) {a = affine_map<(d0) -> (§d1)>}"),
    (Mem, "parse::bad-attribute", "%0 = aie.dma_start(S2MM, 0, ^a, ^a)\n^a:\naie.dma_bd(%buf : memref<64xi32>, 0, 4, [§<size = 4>])\naie.end"),
    // ---- the array ----
    (Device, "verify::tile-outside-device", "%x = §aie.tile(9, 2)"),
    (Device, "verify::tile-outside-device", "%x = §aie.tile(0, 7)"),
    (Device, "verify::tile-outside-device", "%x = §aie.tile(-1, 2)"),
    (Device, "verify::port", "§aie.flow(%tile, DMA : 2, %north, DMA : 0)"),
    (Device, "verify::port", "§aie.flow(%tile, DMA : 0, %north, DMA : 9)"),
    (Device, "verify::port", "§aie.flow(%tile, PLIO : 0, %north, DMA : 0)"),
    (Device, "verify::port", "aie.switchbox(%tile) {\n§aie.connect<South : 99, DMA : 0>\n}"),
    (Device, "verify::connection", "aie.switchbox(%mem) {\n§aie.connect<DMA : 0, DMA : 1>\n}"),
    (Device, "verify::port-taken", "aie.switchbox(%tile) {\naie.connect<South : 0, DMA : 0>\n§aie.connect<South : 1, DMA : 0>\n}"),
    (Device, "verify::packet", "§aie.packet_flow(40) {\naie.packet_source<%tile, DMA : 0>\naie.packet_dest<%north, DMA : 0>\n}"),
    (Device, "verify::packet", "§aie.packet_flow(1) {\naie.packet_source<%tile, DMA : 0>\n}"),
    (Device, "verify::packet", "§aie.packet_flow(1) {\naie.packet_dest<%tile, DMA : 0>\n}"),
    (Device, "verify::cascade", "§aie.cascade_flow(%tile, %far)"),
    (Device, "verify::cascade", "§aie.cascade_flow(%mem, %tile)"),
    (Device, "verify::duplicate-on-tile", "aie.core(%tile) {\naie.end\n}\n§aie.core(%tile) {\naie.end\n}"),
    (Device, "verify::tile-kind", "§aie.core(%mem) {\naie.end\n}"),
    (Device, "verify::tile-kind", "§aie.mem(%shim) {\naie.end\n}"),
    (Device, "verify::tile-kind", "§aie.memtile_dma(%tile) {\naie.end\n}"),
    (Device, "verify::tile-kind", "%x = §aie.buffer(%shim) : memref<4xi32>"),
    (Device, "verify::tile-kind", "§aie.shim_dma_allocation @x(%tile, MM2S, 0)"),
    (Device, "verify::dma-channel", "§aie.shim_dma_allocation @x(%shim, MM2S, 2)"),
    // ---- memory and locks ----
    (Device, "verify::lock", "%x = §aie.lock(%tile, 16)"),
    (Device, "verify::lock", "%x = §aie.lock(%mem, 64)"),
    (Device, "verify::lock", "%x = §aie.lock(%tile, 1) {init = 64 : i32}"),
    (Device, "verify::buffer", "%x = §aie.buffer(%tile) : memref<65537xi8>"),
    (Device, "verify::buffer", "%x = §aie.buffer(%tile) {address = 65532 : i32} : memref<4xi32>"),
    (Device, "verify::buffer", "%x = §aie.buffer(%tile) : memref<?xi32>"),
    (Device, "verify::duplicate-symbol", "%x = §aie.buffer(%tile) {sym_name = \"buf\"} : memref<4xi32>"),
    (Device, "verify::duplicate-symbol", "§aie.objectfifo @of(%tile, {%north}, 2 : i32) : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::unreachable", "%x = aie.lock(%far, 1)\naie.core(%tile) {\n%v = arith.constant 1 : i32\n§aie.use_lock(%x, Release, %v)\naie.end\n}"),
    (Device, "verify::unreachable", "%x = aie.buffer(%far) : memref<4xi32>\naie.core(%tile) {\n%i = arith.constant 0 : index\n%v = §memref.load %x[%i] : memref<4xi32>\naie.end\n}"),
    (Device, "verify::core", "§aie.core(%tile) {\naie.end\n} {stack_size = 65536 : i32}"),
    // ---- structure ----
    (Device, "verify::terminator", "§aie.core(%tile) {\n}"),
    (Core, "verify::parent", "%x = §aie.tile(1, 2)"),
    (File, "verify::parent", "§aie.tile(0, 2)"),
    (Device, "verify::attribute", "§\"aie.tile\"() {col = \"x\", row = 2 : i32} : () -> index"),
    (Device, "verify::attribute", "§\"aie.tile\"() {row = 2 : i32} : () -> index"),
    (Device, "verify::operands", "§\"aie.lock\"() : () -> index"),
    (Device, "verify::shape", "§\"aie.tile\"() {col = 0 : i32, row = 2 : i32} : () -> ()"),
    (Core, "verify::dominance", "cf.br ^b\n^a:\n%x = arith.constant 2 : i32\ncf.br ^b\n^b:\n%y = §arith.addi %x, %one : i32"),
    (Core, "verify::type", "%v = §\"arith.addi\"(%one, %c0) : (i32, index) -> i32"),
    (Core, "verify::symbol", "§func.call @nothing(%one) : (i32) -> ()"),
    // ---- DMA ----
    (Mem, "verify::dma-channel", "%0 = §aie.dma_start(S2MM, 2, ^a, ^e)\n^a:\naie.dma_bd(%buf : memref<64xi32>)\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 65)\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32>) {bd_id = 16 : i32}\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 16 sizes = [1, 2, 2, 2, 2] strides = [16, 8, 4, 2, 1])\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 16 sizes = [4, 4] strides = [32, 1])\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 16 sizes = [4, 4] strides = [0, 1])\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::packet", "%0 = aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32>) {packet = #aie.packet_info<pkt_type = 8, pkt_id = 1>}\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::dma-program", "%0 = aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\naie.dma_bd(%buf : memref<64xi32>)\n§aie.dma_bd(%buf : memref<64xi32>)\naie.next_bd ^e\n^e:\naie.end"),
    // ---- object fifos ----
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%tile, {}, 2 : i32) : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%tile, {%far}, 0 : i32) : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%tile, {%far}, [1, 2, 3]) : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%tile, {%far}, 2 : i32) {repeat_count = 0 : i32} : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo-link", "aie.objectfifo @x(%tile, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>\n§aie.objectfifo.link [@of] -> [@x] ([] [])"),
    (Device, "verify::symbol", "§aie.objectfifo.link [@of] -> [@nothing] ([] [])"),
    (Core, "verify::objectfifo-use", "%v = §aie.objectfifo.acquire @of(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>"),
    (Core, "verify::objectfifo-use", "%v = §aie.objectfifo.acquire @of(Produce, 0) : !aie.objectfifosubview<memref<16xi32>>"),
    (Core, "verify::type", "%v = §aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>"),
    (Core, "verify::objectfifo-use", "%v = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>\n%e = §aie.objectfifo.subview.access %v[1] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>"),
    (Core, "verify::symbol", "%v = §aie.objectfifo.acquire @off(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>"),
    (Core, "verify::type", "%v = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>\n%e = §aie.objectfifo.subview.access %v[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<8xi32>"),
    // ---- what may be where ----
    (Device, "verify::parent", "aie.switchbox(%tile) {\n%x = §arith.constant 1 : i32\n}"),
    (Device, "verify::parent", "aie.packet_flow(1) {\naie.packet_source<%tile, DMA : 0>\naie.packet_dest<%north, DMA : 0>\n%x = §arith.constant 1 : i32\n}"),
    (Device, "verify::parent", "aie.shim_mux(%shim) {\n%x = §aie.amsel<0> (0)\n}"),
    (Device, "verify::parent", "%c = arith.constant 0 : i32\n%v = §aie.get_stream(%c : i32) : i32"),
    (Device, "verify::parent", "§aie.device(npu1) @inner {\n}"),
    (Sequence, "verify::parent", "§aiex.run @x(%a) : (memref<64xi32>)"),
    // ---- cores ----
    (Core, "verify::core", "§aie.event(2)"),
    (Core, "verify::core", "%v = §aie.get_stream(%one : i32) : i64"),
    (Core, "verify::operands", "%v = §memref.load %buf[%c0, %c0] : memref<64xi32>"),
    (Core, "verify::operands", "§memref.store %one, %buf[] : memref<64xi32>"),
    (Core, "verify::cascade", "%v = §aie.get_cascade() : vector<8xi32>"),
    (Device, "verify::core", "§aie.core(%tile) {\naie.end\n} {link_with = \"a.o\", link_files = [\"b.o\"]}"),
    (Device, "verify::core", "§aie.core(%tile) {\naie.end\n} {stack_size = 0 : i32}"),
    // ---- optional attributes that nothing reads ----
    (Device, "verify::attribute", "%x = §aie.buffer(%tile) {adress = 1024 : i32} : memref<4xi32>"),
    (Device, "verify::attribute", "%x = §aie.lock(%tile, 1) {inti = 1 : i32}"),
    (Device, "verify::attribute", "§aie.core(%tile) {\naie.end\n} {stacksize = 2048 : i32}"),
    (Device, "verify::attribute", "§aie.objectfifo @x(%tile, {%far}, 1 : i32) {via_dma = true} : !aie.objectfifo<memref<4xi32>>"),
    // ---- more of switches and packets ----
    (Device, "verify::packet", "aie.switchbox(%tile) {\n%a = §aie.amsel<0> (4)\n}"),
    (Device, "verify::packet", "aie.switchbox(%tile) {\n%a = aie.amsel<0> (0)\n%b = aie.amsel<1> (0)\n%m = §aie.masterset(North : 0, %a, %b)\n}"),
    (Device, "verify::packet", "aie.switchbox(%tile) {\n%a = aie.amsel<0> (0)\n%m = aie.masterset(North : 1, %a)\naie.packet_rules(South : 0) {\n§aie.rule(32, 0, %a)\n}\n}"),
    (Device, "verify::packet", "aie.switchbox(%tile) {\n%a = aie.amsel<0> (0)\n%m = aie.masterset(North : 1, %a)\naie.packet_rules(South : 0) {\n§aie.rule(1, 2, %a)\n}\n}"),
    (Device, "verify::port-taken", "aie.switchbox(%tile) {\n%a = aie.amsel<0> (0)\naie.connect<South : 0, North : 0>\n%m = §aie.masterset(North : 0, %a)\n}"),
    (Device, "verify::connection", "aie.shim_mux(%shim) {\n§aie.connect<DMA : 0, North : 2>\n}"),
    (Device, "verify::packet", "§aie.shim_dma_allocation @x(%shim, MM2S, 1, <pkt_type = 8, pkt_id = 1>)"),
    (Device, "verify::packet", "§aie.shim_dma_allocation @x(%shim, MM2S, 1, <pkt_type = 0, pkt_id = 32>)"),
    (Device, "verify::packet", "%x = §aie.tile(1, 2) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 32>}"),
    (Device, "verify::cascade", "§aie.cascade_flow(%tile, %north)"),
    (Device, "verify::cascade", "§aie.configure_cascade(%tile, South, East)"),
    (Device, "verify::cascade", "§aie.configure_cascade(%mem, North, East)"),
    // ---- more of DMA programs ----
    (Mem, "verify::dma-program", "%0 = §aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::packet", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd_packet(0, 1)\naie.dma_bd(%buf : memref<64xi32>) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::dma-channel", "%0 = §aie.dma_start(MM2S, 0, ^a, ^e, repeat_count = 256)\n^a:\naie.dma_bd(%buf : memref<64xi32>)\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::dma-program", "%v = arith.constant 1 : i32\n%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\naie.dma_bd(%buf : memref<64xi32>)\naie.use_lock(%lock, Release, %v)\n§aie.use_lock(%lock, Release, %v)\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32>) {burst_length = 64 : i32}\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32>) {iteration = #aie.bd_iteration<size = 65, stride = 1, current = 0>}\naie.next_bd ^e\n^e:\naie.end"),
    (Device, "verify::bd", "%m = aie.buffer(%mem) : memref<64xi32>\naie.memtile_dma(%mem) {\n%0 = aie.dma_start(S2MM, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%m : memref<64xi32> offset = 0 len = 20 sizes = [4, 4] strides = [8, 1] pad [<const_pad_before = 0, const_pad_after = 0>, <const_pad_before = 1, const_pad_after = 0>])\naie.next_bd ^e\n^e:\naie.end\n}"),
    (Device, "verify::bd", "%m = aie.buffer(%mem) : memref<64xi32>\naie.memtile_dma(%mem) {\n%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%m : memref<64xi32> offset = 0 len = 16 sizes = [4, 4] strides = [8, 1] pad [<const_pad_before = 0, const_pad_after = 0>, <const_pad_before = 1, const_pad_after = 0>])\naie.next_bd ^e\n^e:\naie.end\n}"),
    // ---- more of object fifos ----
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%shim dimensionsToStream [<size = 4, stride = 1>], {%tile}, 2 : i32) : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%tile, {%far}, 1 : i32) {aie_stream = 0 : i32} : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%mem, {%far}, 1 : i32) {iter_count = 257 : i32} : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%mem, {%far}, 1 : i32) {padValue = 1 : i32} : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%tile, {%far}, 2 : i32) : !aie.objectfifo<memref<2xi32>> = [dense<0> : memref<2xi32>]"),
    // ---- traces ----
    (Device, "verify::trace", "aie.trace @x(%tile) {\n§aie.trace.packet id=32 type=core\n}"),
    (Device, "verify::trace", "aie.trace @x(%tile) {\n§aie.trace.packet id=1 type=memtile\n}"),
    (Device, "verify::trace", "aie.trace @x(%tile) {\n§aie.trace.start broadcast=16\n}"),
    (Device, "verify::trace", "aie.trace @x(%tile) {\n§aie.trace.start broadcast=15 event=<\"TRUE\">\n}"),
    (Device, "verify::trace", "aie.trace @x(%tile) {\n§aie.trace.event<CoreEventAIE2::INSTR_VEKTOR>\n}"),
    (Device, "verify::trace", "aie.trace @x(%tile) {\n§aie.trace.event<CoreEventAIE2P::INSTR_VECTOR>\n}"),
    (Device, "verify::trace", "aie.trace @x(%tile) {\n§aie.trace.port<8> port=DMA channel=0 direction=S2MM\n}"),
    (Device, "verify::trace", "aie.trace @x(%tile) {\n§aie.trace.port<0> port=DMA channel=5 direction=S2MM\n}"),
    // ---- sequences ----
    (Sequence, "verify::symbol", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @inn} : memref<64xi32>"),
    (Sequence, "verify::sequence", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 16 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "parse::older-spelling, verify::sequence", "§§aiex.npu.dma_memcpy_nd(%a[0, 0, 0][1, 1, 4][0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "verify::sequence", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 0][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "verify::sequence", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 2, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "verify::symbol", "§aiex.npu.dma_wait {symbol = @out}"),
    (Sequence, "verify::sequence", "§aiex.set_lock(%lock, 64)"),
    (Sequence, "verify::attribute", "§aiex.npu.dma_wait {symbl = @in}"),
    (Sequence, "verify::attribute", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, isue_token = true, metadata = @in} : memref<64xi32>"),
    (Device, "verify::attribute", "§aie.objectfifo @x(%tile, {%far}, 2 : i32) {repeat_cont = 2 : i32} : !aie.objectfifo<memref<16xi32>>"),
    (Device, "verify::attribute", "%x = §aie.tile(1, 2) {alocation_scheme = \"bank-aware\"}"),
    (Sequence, "verify::sequence", "%t = aiex.dma_configure_task(%shim, MM2S, 0) {\naie.dma_bd(%a : memref<64xi32>)\naie.end\n}\naiex.dma_start_task(%t)\n§aiex.dma_await_task(%t)"),
    (Sequence, "verify::sequence", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][65, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "verify::sequence", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 2, 4][0, 0, 1048577, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "verify::sequence", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1], packet = <pkt_type = 9, pkt_id = 1>) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "verify::sequence", "%b = arith.constant 16 : i32\n§aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %b repeat %b {issue_token = false} : i32, i32"),
    (Sequence, "verify::sequence", "§aiex.npu.rtp_write(@buf, 64, 1)"),
    (Sequence, "verify::symbol", "§aiex.npu.rtp_write(@nothing, 0, 1)"),
    (Sequence, "verify::sequence", "§aiex.npu.preempt {level = 4 : ui8}"),
    (Sequence, "verify::sequence", "§aiex.dma_channel_reset(%shim, S2MM, 0)"),
    (Sequence, "verify::sequence", "§aiex.dma_channel_reset(%tile, S2MM, 2)"),
    (Sequence, "verify::sequence", "§aiex.core_reset(%mem)"),
    (Sequence, "verify::sequence", "§aiex.configure @nothing {\n}"),
    (Sequence, "verify::symbol", "%t = §aiex.dma_configure_task_for @nothing {\naie.dma_bd(%a : memref<64xi32>)\naie.end\n}"),
    (Sequence, "verify::bd", "%t = aiex.dma_configure_task(%shim, MM2S, 0) {\n§aie.dma_bd(%a : memref<64xi32>) {iteration = #aie.bd_iteration<size = 4, stride = 1, current = 0>}\naie.end\n}"),
    // ---- what no pass would read, and so drop without a word ----
    (Device, "verify::parent", "%v = arith.constant 1 : i32\n§aie.use_lock(%lock, Release, %v)"),
    (Device, "verify::parent", "%v = arith.constant 1 : i32\n§aie.debug(%v : i32)"),
    (Device, "verify::parent", "§aie.dma_bd(%buf : memref<64xi32>)"),
    (Device, "verify::parent", "§aiex.npu.dma_memcpy_nd(%buf[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Core, "verify::parent", "§aiex.npu.dma_wait {symbol = @in}"),
    (Device, "verify::parent", "func.func @f(%b: memref<64xi32>) {\n§aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%b : memref<64xi32>)\n§aie.next_bd ^e\n^e:\nreturn\n}"),
    (Device, "verify::parent", "%v = arith.constant 1 : i32\n%c = arith.constant 0 : index\n§memref.store %v, %buf[%c] : memref<64xi32>"),
    (Mem, "verify::parent", "%v = arith.constant 1 : i32\n%c = arith.constant 0 : index\n§memref.store %v, %buf[%c] : memref<64xi32>\naie.end"),
    (Core, "verify::parent", "§aie.dma_bd_packet(1, 2)"),
    (Mem, "verify::dma-program", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\naie.dma_bd(%buf : memref<64xi32>)\naie.next_bd ^e\n^e:\n§aie.dma_bd_packet(1, 2)\naie.end"),
    (Mem, "verify::dma-program", "%v = arith.constant 1 : i32\n%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\naie.dma_bd(%buf : memref<64xi32>)\naie.next_bd ^e\n^e:\n§aie.use_lock(%lock, Release, %v)\naie.end"),
    (Mem, "verify::dma-program", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\naie.dma_bd(%buf : memref<64xi32>)\naie.next_bd ^e\n^e:\naie.end\n^other:\n§aie.dma_bd(%buf : memref<64xi32>)\naie.end"),
    (Device, "verify::connection", "§aie.shim_switchbox(0) {\naie.connect<North : 0, North : 1>\n}"),
    // ---- contradictions ----
    (Core, "verify::lock", "§aie.use_lock(%tile, Release, %one)"),
    (Core, "verify::lock", "§aie.use_lock(%lock, AcquireGreaterEqual, %one) {acq_en = false}"),
    (Mem, "verify::lock", "%v = arith.constant 1 : i32\n%n = arith.constant 48 : index\n%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\naie.dma_bd(%buf : memref<64xi32>)\n§aie.use_lock(%n, Release, %v)\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32>) {bd_id = 1 : i32, next_bd_id = 5 : i32}\naie.next_bd ^b\n^b:\naie.dma_bd(%buf : memref<64xi32>) {bd_id = 2 : i32}\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32>) {bd_id = 1 : i32, next_bd_id = 1 : i32}\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::dma-channel", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32>) {pad_value = 7 : i32}\naie.next_bd ^e\n^e:\naie.end"),
    (Device, "verify::packet", "aie.packet_flow(1) {\naie.packet_source<%tile, DMA : 0>\naie.packet_dest<%north, DMA : 0>\n§aie.packet_dest<%north, DMA : 0>\n}"),
    (Device, "verify::packet", "aie.packet_flow(1) {\naie.packet_source<%tile, DMA : 0>\n§aie.packet_source<%tile, DMA : 0>\naie.packet_dest<%north, DMA : 0>\n}"),
    (Core, "verify::core", "%f = arith.constant 0.0 : f32\n%v = §aie.get_stream(%f : f32) : i32"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%tile, {%north}, 1 : i32) {via_shared_mem = 7 : i32} : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::objectfifo", "§aie.objectfifo @x(%tile, {%north}, 1 : i32) {aie_stream = 3 : i32, aie_stream_port = 0 : i32} : !aie.objectfifo<memref<4xi32>>"),
    (Device, "verify::lock", "aie.bd_chain @c(%x: memref<64xi32>, %l: index) {\naie.dma_bd(%x : memref<64xi32> offset = 0 len = 16)\naie.end\n}\naie.runtime_sequence(%a: memref<64xi32>) {\n%n = arith.constant 1 : index\n%t = §aiex.dma_start_bd_chain @c(%buf, %n) : (memref<64xi32>, index) on (%tile, MM2S, 0)\n}"),
    (Device, "verify::sequence", "§aie.bd_chain @c(%x: memref<16xi32>, %n: i32) {\naie.dma_bd(%x : memref<16xi32> offset = 0 len = 16)\naie.end\n}"),
    // ---- memory that isn't there ----
    (Core, "verify::core", "%i = arith.constant 64 : index\n%v = §memref.load %buf[%i] : memref<64xi32>"),
    (Core, "verify::core", "%i = arith.constant -1 : index\n§memref.store %one, %buf[%i] : memref<64xi32>"),
    (Core, "verify::core", "%n = arith.constant 65 : index\n%s = arith.constant 1 : index\nscf.for %i = %c0 to %n step %s {\n§memref.store %one, %buf[%i] : memref<64xi32>\n}"),
    (Core, "verify::core", "%i = arith.constant 56 : index\n%v = §vector.load %buf[%i] : memref<64xi32>, vector<16xi32>"),
    (Core, "verify::objectfifo-use", "%v = aie.objectfifo.acquire @of(Produce, 2) : !aie.objectfifosubview<memref<16xi32>>\n%e = aie.objectfifo.subview.access %v[1] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>\naie.objectfifo.release @of(Produce, 1)\nmemref.store %one, %e[%c0] : memref<16xi32>\naie.objectfifo.release @of(Produce, 1)\n§memref.store %one, %e[%c0] : memref<16xi32>"),
    (Core, "verify::objectfifo-use", "%v = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>\naie.objectfifo.release @of(Produce, 1)\n%e = §aie.objectfifo.subview.access %v[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>"),
    (Mem, "verify::bd", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32> offset = 32 len = 16 sizes = [4, 4] strides = [12, 1])\naie.next_bd ^e\n^e:\naie.end"),
    (Mem, "verify::bd", "%0 = aie.dma_start(MM2S, 0, ^a, ^e)\n^a:\n§aie.dma_bd(%buf : memref<64xi32> offset = 0 len = 16) {iteration = #aie.bd_iteration<size = 5, stride = 16, current = 0>}\naie.next_bd ^e\n^e:\naie.end"),
    (Sequence, "verify::bd", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "verify::bd", "§aiex.npu.dma_memcpy_nd(%a[0, 0, 1, 0][1, 1, 2, 32][0, 0, 32, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
    (Sequence, "verify::bd", "%t = aiex.dma_configure_task(%shim, MM2S, 0) {\n§aie.dma_bd(%a : memref<64xi32> offset = 32 len = 64)\naie.end\n}"),
    (Sequence, "verify::sequence", "aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>\n§aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>"),
];

/// A case's findings, as they are and as they should be; both in the order of their places.
fn problems(context: In, codes: &str, case: &str) -> Vec<String> {
    let marked = context.wrap(case);
    let mut text = String::new();
    let mut wanted = Vec::new();
    let mut parts = marked.split('§');
    text.push_str(parts.next().unwrap_or_default());
    for (part, code) in parts.zip(codes.split(", ").cycle()) {
        wanted.push((code, text.len()));
        text.push_str(part);
    }
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("t", text));
    let mut diags = Diags::new();
    let module = parse(file, &sources, &mut diags);
    if !diags.has_errors() {
        verify(&module, &mut diags);
    }
    let source = sources.file(file).expect("the file");
    let wanted: Vec<_> = wanted
        .into_iter()
        .map(|(code, at)| (code, Some(source.line_col(at as u32))))
        .collect();
    let found: Vec<_> = diags
        .iter()
        .map(|d| (d.code.id, d.span().map(|s| source.line_col(s.start))))
        .collect();
    let mut list = Vec::new();
    if wanted != found {
        list.push(format!("{context:?} {case:?}: wanted {wanted:?}"));
        list.extend(
            diags
                .iter()
                .map(|d| format!("   found {}", d.one_line(&sources))),
        );
    }
    for diag in diags.iter().filter(|d| d.help.is_none()) {
        let line = diag.one_line(&sources);
        list.push(format!("{context:?} {case:?}: no way out of {line}"));
    }
    if std::env::var_os("AIEC_SHOW").is_some() {
        show(case, &diags, &sources);
    }
    list
}

/// Prints what a user gets to read.
fn show(case: &str, diags: &Diags, sources: &SourceMap) {
    println!("--- {case}");
    for diag in diags {
        println!("{}", diag.one_line(sources));
        for label in &diag.labels {
            println!("     {}: {}", sources.position(label.span), label.text);
        }
        if let Some(help) = &diag.help {
            println!("     help: {help}");
        }
        for note in &diag.notes {
            println!("     note: {note}");
        }
    }
}

#[test]
fn each_mistake_is_found_where_it_is() {
    let problems: Vec<_> = CASES
        .iter()
        .flat_map(|(context, codes, case)| problems(*context, codes, case))
        .collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
