// Accesses to objects of a fifo before they are acquired or after they are released, which are no races in these runs.
// RUN: not aiec sim %s --strict --report %t.json 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.json

// CHECK: sim::not-acquired
// CHECK: core (0, 2) reads elements 0 to 7 of buffer 'in_cons_buff_0' in tile (0, 2), object 0 of @in,
// CHECK: after it has released that
// CHECK: not_acquired.mlir:[[#@LINE+26]]:
// CHECK: help: release the object after its last use
// CHECK: sim::not-acquired
// CHECK: core (0, 2) writes elements 0 to 3 of buffer 'out_buff_1' in tile (0, 2), object 1 of @out,
// CHECK: before it has acquired that
// CHECK: help: acquire the object before its first use, or check the index
// CHECK: sim::not-clean
// REPORT: "not_acquired": [
// REPORT: "fifo": "in"
// REPORT: "object": 0
// REPORT: "is_released": true
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %core = aie.tile(0, 2) {allocation_scheme = "basic-sequential"}
    aie.objectfifo @in(%shim, {%core}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out(%core, {%shim}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.core(%core) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 8 : index
      %four = arith.constant 4 : index
      %x = aie.objectfifo.acquire @in(Consume, 1) : memref<8xi32>
      %y = aie.objectfifo.acquire @out(Produce, 1) : memref<8xi32>
      aie.objectfifo.release @in(Consume, 1)
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %x[%i] : memref<8xi32>
        %k = arith.addi %i, %four : index
        memref.store %v, %y[%i] : memref<8xi32>
        memref.store %v, %y[%k] : memref<8xi32>
      }
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<8xi32>, %b: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<8xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
