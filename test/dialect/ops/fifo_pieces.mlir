// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// Object fifos written as pools, endpoints and routes.

aie.device(npu2) {
  %s = aie.tile(0, 0)
  %m = aie.tile(0, 1)
  %c = aie.tile(0, 2)
  %b = aie.buffer(%m) {sym_name = "b"} : memref<16xi32>
  aie.objectfifo.pool @p (%m) {buffers = [@b], depth = 1 : i32} : memref<16xi32> {
    aie.objectfifo.segment @s0 {offset = 0 : i32, size = 8 : i32}
    aie.objectfifo.segment @s1 {offset = 8 : i32, size = 8 : i32}
  }
  aie.objectfifo.dma_endpoint @in(%m) fills of @p {segments = [@s0, @s1], dimensions = #aie<bd_dim_layout_array_array[[<size = 2, stride = 4>], []]>}
  aie.objectfifo.pool @q(%c) {depth = 2 : i32} : memref<8xi32> {
    aie.objectfifo.segment @s0 {offset = 0 : i32, size = 8 : i32}
  }
  aie.objectfifo.core_endpoint @work(%c) drains @q
  aie.route_endpoint @host (%s) DMA {fifoName = "f"}
  aie.route from @host to [@in, @other]
  aie.route from [@host, @in] to [@other] {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
  aie.core(%c) {
    %0, %1 = aie.objectfifo.acquire @work(2) : memref<8xi32>, memref<8xi32>
    aie.objectfifo.release @work (1)
    aie.end
  }
}

// CHECK:      aie.objectfifo.pool @p(%mem_tile_0_1) {buffers = [@b], depth = 1 : i32} : memref<16xi32> {
// CHECK-NEXT:   aie.objectfifo.segment @s0 {offset = 0 : i32, size = 8 : i32}
// CHECK-NEXT:   aie.objectfifo.segment @s1 {offset = 8 : i32, size = 8 : i32}
// CHECK-NEXT: }
// CHECK-NEXT: aie.objectfifo.dma_endpoint @in(%mem_tile_0_1) fills @p {dimensions = #aie<bd_dim_layout_array_array[
// CHECK-NEXT: aie.objectfifo.pool @q(%tile_0_2) {depth = 2 : i32} : memref<8xi32> {
// CHECK-NEXT:   aie.objectfifo.segment @s0 {offset = 0 : i32, size = 8 : i32}
// CHECK-NEXT: }
// CHECK-NEXT: aie.objectfifo.core_endpoint @work(%tile_0_2) drains @q
// CHECK-NEXT: aie.route_endpoint @host(%shim_noc_tile_0_0) DMA {fifoName = "f"}
// CHECK-NEXT: aie.route from @host to [@in, @other]
// CHECK-NEXT: aie.route from [@host, @in] to [@other] {packet = #aie.packet_info<pkt_type = 0, pkt_id = 3>}
// CHECK:      %0:2 = aie.objectfifo.acquire @work(2) : memref<8xi32>, memref<8xi32>
// CHECK-NEXT: aie.objectfifo.release @work(1)
