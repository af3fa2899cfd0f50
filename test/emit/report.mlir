// RUN: aiec %s --emit=report -o - | FileCheck %s
// RUN: aiec %s --emit=report-json -o - | FileCheck %s --check-prefix=JSON

// CHECK: device main (npu1)
// CHECK-NEXT: packet ids 1 of 32
// CHECK: tile kind memory locks BDs S2MM MM2S rules
// CHECK: (0, 1) mem tile 1 % 2/64 4/48 1/6 1/6 0/4
// CHECK-NEXT: (0, 2) core tile streams pass through
// CHECK: resources of tile (0, 1):
// CHECK-NEXT: memory 512 of 524288 bytes; banks of 65536: 256, 256, 0, 0, 0, 0, 0, 0 used
// CHECK-NEXT: 0x00000 to 0x000ff bank 0 256 bytes in_cons_buff_0
// CHECK-NEXT: 0x10000 to 0x100ff bank 1 256 bytes in_cons_buff_1
// CHECK-NEXT: locks 2 of 64 (0 in_cons_prod_lock_0, 1 in_cons_cons_lock_0)
// CHECK-NEXT: BDs 4 of 48 (even channels 4 of 24, odd channels 0 of 24)
// CHECK-NEXT: S2MM 1 of 6 (channel 0 with 2 BDs: in_cons)
// CHECK-NEXT: MM2S 1 of 6 (channel 0 with 2 BDs: in_cons)
// CHECK-NEXT: outputs DMA 1 of 6
// CHECK: resources of tile (0, 2): streams pass through
// CHECK: packets rules: DMA : 0 1 of 4; arbiters: 1 of 8

// JSON: "packet_ids": {
// JSON: "bds": {
// JSON: "halves": [
// JSON: "used": 4
module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.packet_flow(5) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    }
  }
}
