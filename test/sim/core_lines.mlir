// Faults name the operation of the core's body.
// RUN: not aiec sim %s 2>&1 | FileCheck %s

// CHECK: sim::fault
// CHECK: tile (0, 2): core stopped: division by zero
// CHECK-SAME: (in
// CHECK: `arith.divsi`, {{.*}}core_lines.mlir:[[#@LINE+9]]:12)

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %tile = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%tile}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%tile, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    func.func @divide(%a: i32, %b: i32) -> i32 {
      %q = arith.divsi %a, %b : i32
      return %q : i32
    }
    %core = aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %two = arith.constant 2 : i32
      %o = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %out = aie.objectfifo.subview.access %o[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %v = memref.load %out[%c0] : memref<16xi32>
      %q = func.call @divide(%v, %zero) : (i32, i32) -> i32
      memref.store %q, %out[%c0] : memref<16xi32>
      %i = aie.objectfifo.acquire @in(Consume, 2) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @in(Consume, 2)
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<16xi32>, %b: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
