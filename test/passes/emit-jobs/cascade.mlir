// RUN: aiec %s --jobs=parallel --emit=ctrl-asm -o - | FileCheck %s

// The core of column 0 sends by cascade to that of column 1, whose cascade must be set up first.

// CHECK: .attach_to_group 0
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003
// CHECK: WRITE_32 {{.*}}0x00338000, 0x00000001
// CHECK: .attach_to_group 1
// CHECK: REMOTE_BARRIER {{.*}}$rb0, 0x00000003

module {
  aie.device(xcve3858) {
    %shim = aie.tile(1, 0)
    %west = aie.tile(0, 3)
    %w = aie.tile(1, 3)
    // Keeps the controller of this column busy for long.
    %big = aie.buffer(%w) {sym_name = "big"} : memref<8192xi32> = dense<1>
    aie.objectfifo @z(%w, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.cascade_flow(%west, %w)
    aie.core(%west) {
      %v = arith.constant dense<21> : vector<16xi32>
      aie.put_cascade(%v : vector<16xi32>)
      aie.end
    }
    aie.core(%w) {
      %c0 = arith.constant 0 : index
      %sz = aie.objectfifo.acquire @z(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %z = aie.objectfifo.subview.access %sz[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %x = aie.get_cascade() : vector<16xi32>
      vector.store %x, %z[%c0] : memref<16xi32>, vector<16xi32>
      aie.objectfifo.release @z(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @z} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @z}
    }
  }
}
