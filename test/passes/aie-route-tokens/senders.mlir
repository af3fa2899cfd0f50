// RUN: aiec opt --aie-route-tokens %s | FileCheck %s
// RUN: aiec opt --aie-route-tokens=tiles=inner %s | FileCheck %s --check-prefix=INNER
// RUN: aiec opt --aie-route-tokens=tiles=none %s | FileCheck %s --check-prefix=NONE
// RUN: aiec opt --aie-route-tokens --aie-create-pathfinder-flows --verify-each %s | FileCheck %s --check-prefix=ROUTED

// Each tile that sends tokens has a flow with its own id to the controller of its column: a task
// that asks for a token, a transfer to the host, a push, a wait. The tile (0, 3) has one already,
// (2, 1) asks for none.
// CHECK:      aie.packet_flow(5)
// CHECK-NEXT:   aie.packet_source<%[[CORE:.*]], TileControl : 0>
// CHECK:      aie.packet_flow(0) {
// CHECK-NEXT:   aie.packet_source<%[[SHIM:.*]], TileControl : 0>
// CHECK-NEXT:   aie.packet_dest<%[[SHIM]], Controller32 : 0>
// CHECK-NEXT: } {keep_pkt_header = true}
// CHECK:      aie.packet_flow(1) {
// CHECK-NEXT:   aie.packet_source<%[[MEM:.*]], TileControl : 0>
// CHECK-NEXT:   aie.packet_dest<%[[SHIM]], Controller32 : 0>
// CHECK-NEXT: } {keep_pkt_header = true}
// CHECK:      aie.packet_flow(0) {
// CHECK-NEXT:   aie.packet_source<%[[SHIM1:.*]], TileControl : 0>
// CHECK:      aie.packet_flow({{[0-9]+}}) {
// CHECK-NEXT:   aie.packet_source<%[[CORE1:.*]], TileControl : 0>
// CHECK-NEXT:   aie.packet_dest<%[[SHIM1]], Controller32 : 0>
// CHECK-NOT:  packet_source

// INNER-COUNT-3: aie.packet_source<%{{.*}}, TileControl : 0>
// INNER-NOT:     aie.packet_source

// NONE-COUNT-1:  aie.packet_source
// NONE-NOT:      aie.packet_source

// ROUTED: aie.packet_rules(TileControl : 0)
// ROUTED: aie.packet_rules(TileControl : 0)
// ROUTED: aie.packet_rules(TileControl : 0)
aie.device(xcve3858) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %core = aie.tile(0, 3)
  %shim1 = aie.tile(1, 0)
  %core1 = aie.tile(1, 4)
  %quiet = aie.tile(2, 1)
  %buffer = aie.buffer(%mem) {address = 0 : i32} : memref<64xi32>
  %silent = aie.buffer(%quiet) {address = 0 : i32} : memref<64xi32>
  aie.packet_flow(5) {
    aie.packet_source<%core, TileControl : 0>
    aie.packet_dest<%shim, Controller32 : 0>
  }
  aie.shim_dma_allocation @of_shim_alloc(%shim1, S2MM, 0)
  aie.runtime_sequence(%x: memref<64xi32>) {
    %a = aiex.dma_configure_task(%mem, MM2S, 0) {
      aie.dma_bd(%buffer : memref<64xi32> offset = 0 len = 64)
      aie.end
    } {issue_token = true}
    %b = aiex.dma_configure_task(%quiet, MM2S, 0) {
      aie.dma_bd(%silent : memref<64xi32> offset = 0 len = 64)
      aie.end
    }
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    aiex.npu.push_queue (0, 0, S2MM : 1) bd_id %c0 repeat %c0 {issue_token = true} : i32, i32
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @of_shim_alloc} : memref<64xi32>
    aiex.npu.sync(%c0, %c3, %c0, %c0, %c1, %c1) : i32, i32, i32, i32, i32, i32
    aiex.npu.sync(%c1, %c4, %c0, %c0, %c1, %c1) : i32, i32, i32, i32, i32, i32
  }
}
