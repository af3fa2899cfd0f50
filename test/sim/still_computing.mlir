// A core that computes is not taken for one that waits: everything else waits for 400,000
// cycles, and the run goes on, or ends at its limit, which is no deadlock.

// RUN: aiec sim %s --out 0=%t.bin --diagnostics=mlir 2>&1 | FileCheck --check-prefix=DONE %s
// RUN: not aiec sim %s --out 0=%t.none --max-cycles 20000 --diagnostics=mlir 2>&1 | FileCheck --check-prefix=LIMIT --implicit-check-not=deadlock %s

// DONE: completed after 40{{[0-9]+}} cycles
// LIMIT: not done within the cycles that --max-cycles allows; still at work: core (0, 2)
// LIMIT: sim::limit

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %core = aie.tile(0, 2)
    aie.objectfifo @out(%core, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.core(%core) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 100000 : index
      %o = aie.objectfifo.acquire @out(Produce, 1) : memref<8xi32>
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %o[%c0] : memref<8xi32>
        %w = arith.addi %v, %v : i32
        memref.store %w, %o[%c0] : memref<8xi32>
      }
      aie.objectfifo.release @out(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<8xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
