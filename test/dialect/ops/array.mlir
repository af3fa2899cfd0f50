// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// NOTE: CHECK lines are written by AIEC_BLESS=1
// The array: tiles, switches, flows.

aie.device(npu2) {
  %logical = aie.logical_tile<MemTile>(2, ?) {sym_name = "anywhere"}
  %t01 = aie.tile(0, 1)
  %t00 = aie.tile(0, 0)
  %t02 = aie.tile(0, 2) {allocation_scheme = "bank-aware", controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 27>}
  %t03 = aie.tile(0, 3)
  %sw = aie.switchbox(%t02) {
    aie.connect<South : 0, DMA : 0>
    %a = aie.amsel<1> (2)
    %b = aie.amsel<1> (3)
    %m = aie.masterset(North : 0, %a, %b) {keep_pkt_header = true}
    aie.packet_rules(South : 2) {
      aie.rule(31, 0x1, %a)
      aie.rule(0x1f, 2, %b)
    }
  }
  %mux = aie.shim_mux(%t00) {
    aie.connect<DMA : 0, North : 3>
  }
  %p = aie.plio(3)
  aie.flow(%t00, DMA : 0, %t02, "DMA" : 1)
  aie.packet_flow(0x3) {
    aie.packet_dest<%t03, DMA : 0>
    aie.packet_source<%t02, DMA : 0>
  } {priority_route = true, keep_pkt_header = true}
  aie.wire(%sw : North, %t03 : South)
  aie.cascade_flow(%t03, %t02)
  aie.configure_cascade(%t02, North, East)
  aie.shim_dma_allocation @in(%t00, MM2S, 0) {plio = false}
  aie.shim_dma_allocation @out(%t00, S2MM, 1, <pkt_id = 3, pkt_type = 0>)
  %l = aie.lock(%t02, 3) {init = 1 : i32, sym_name = "ready"}
  %l2 = aie.lock(%t02)
  %buf = aie.buffer(%t02) {sym_name = "data", address = 1024 : i32, mem_bank = 1 : i32} : memref<4xi32> = dense<[1, 2, 3, 4]>
  %plain = aie.buffer(%t02) {aligned = false} : memref<16xi32>
  %ext = aie.external_buffer {sym_name = "ddr", address = 64 : i64} : memref<64xi32>
  func.func private @kernel(memref<16xi32>) attributes {link_with = "kernel.o"}
  %core = aie.core(%t02) {
    %one = arith.constant 1 : i32
    %ch = arith.constant 0 : i32
    aie.use_lock(%l, AcquireGreaterEqual, %one)
    aie.use_lock(%l, Release, %one, Blocking) {acq_en = true}
    %v = aie.get_stream(%ch : i32) : i32
    aie.put_stream(%ch : i32, %v : i32)
    %c = aie.get_cascade() : vector<16xi32>
    aie.put_cascade(%c : vector<16xi32>)
    aie.event(0)
    aie.debug(%v : i32)
    aie.end
  } {stack_size = 2048 : i32, dynamic_objfifo_lowering = true}
  %elf = aie.core(%t03) {
    aie.end
  } {elf_file = "x.elf"}
}

// CHECK:      module {
// CHECK-NEXT:   aie.device(npu2) {
// CHECK-NEXT:     %logical_mem = aie.logical_tile<MemTile>(2, ?) {sym_name = "anywhere"}
// CHECK-NEXT:     %mem_tile_0_1 = aie.tile(0, 1)
// CHECK-NEXT:     %shim_noc_tile_0_0 = aie.tile(0, 0)
// CHECK-NEXT:     %tile_0_2 = aie.tile(0, 2) {allocation_scheme = "bank-aware", controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 27>}
// CHECK-NEXT:     %tile_0_3 = aie.tile(0, 3)
// CHECK-NEXT:     %switchbox_0_2 = aie.switchbox(%tile_0_2) {
// CHECK-NEXT:       aie.connect<South : 0, DMA : 0>
// CHECK-NEXT:       %1 = aie.amsel<1> (2)
// CHECK-NEXT:       %2 = aie.amsel<1> (3)
// CHECK-NEXT:       %3 = aie.masterset(North : 0, %1, %2) {keep_pkt_header = true}
// CHECK-NEXT:       aie.packet_rules(South : 2) {
// CHECK-NEXT:         aie.rule(31, 1, %1)
// CHECK-NEXT:         aie.rule(31, 2, %2)
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     %shim_mux_0_0 = aie.shim_mux(%shim_noc_tile_0_0) {
// CHECK-NEXT:       aie.connect<DMA : 0, North : 3>
// CHECK-NEXT:     }
// CHECK-NEXT:     %0 = aie.plio(3)
// CHECK-NEXT:     aie.flow(%shim_noc_tile_0_0, DMA : 0, %tile_0_2, DMA : 1)
// CHECK-NEXT:     aie.packet_flow(3) {
// CHECK-NEXT:       aie.packet_dest<%tile_0_3, DMA : 0>
// CHECK-NEXT:       aie.packet_source<%tile_0_2, DMA : 0>
// CHECK-NEXT:     } {keep_pkt_header = true, priority_route = true}
// CHECK-NEXT:     aie.wire(%switchbox_0_2 : North, %tile_0_3 : South)
// CHECK-NEXT:     aie.cascade_flow(%tile_0_3, %tile_0_2)
// CHECK-NEXT:     aie.configure_cascade(%tile_0_2, North, East)
// CHECK-NEXT:     aie.shim_dma_allocation @in(%shim_noc_tile_0_0, MM2S, 0)
// CHECK-NEXT:     aie.shim_dma_allocation @out(%shim_noc_tile_0_0, S2MM, 1, <pkt_type = 0, pkt_id = 3>)
// CHECK-NEXT:     %ready = aie.lock(%tile_0_2, 3) {init = 1 : i32, sym_name = "ready"}
// CHECK-NEXT:     %lock_0_2 = aie.lock(%tile_0_2)
// CHECK-NEXT:     %data = aie.buffer(%tile_0_2) {address = 1024 : i32, mem_bank = 1 : i32, sym_name = "data"} : memref<4xi32> = dense<[1, 2, 3, 4]>
// CHECK-NEXT:     %buffer_0_2 = aie.buffer(%tile_0_2) {aligned = false} : memref<16xi32>
// CHECK-NEXT:     %ddr = aie.external_buffer {address = 64 : i64, sym_name = "ddr"} : memref<64xi32>
// CHECK-NEXT:     func.func private @kernel(memref<16xi32>) attributes {link_with = "kernel.o"}
// CHECK-NEXT:     %core_0_2 = aie.core(%tile_0_2) {
// CHECK-NEXT:       %c1_i32 = arith.constant 1 : i32
// CHECK-NEXT:       %c0_i32 = arith.constant 0 : i32
// CHECK-NEXT:       aie.use_lock(%ready, AcquireGreaterEqual, %c1_i32)
// CHECK-NEXT:       aie.use_lock(%ready, Release, %c1_i32, Blocking)
// CHECK-NEXT:       %1 = aie.get_stream(%c0_i32 : i32) : i32
// CHECK-NEXT:       aie.put_stream(%c0_i32 : i32, %1 : i32)
// CHECK-NEXT:       %2 = aie.get_cascade() : vector<16xi32>
// CHECK-NEXT:       aie.put_cascade(%2 : vector<16xi32>)
// CHECK-NEXT:       aie.event(0)
// CHECK-NEXT:       aie.debug(%1 : i32)
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     } {dynamic_objfifo_lowering = true, stack_size = 2048 : i32}
// CHECK-NEXT:     %core_0_3 = aie.core(%tile_0_3) {
// CHECK-NEXT:       aie.end
// CHECK-NEXT:     } {elf_file = "x.elf"}
// CHECK-NEXT:   }
// CHECK-NEXT: }
