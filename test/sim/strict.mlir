// What a completed run leaves unfinished is said with numbers, and `--strict` refuses it; where nothing
// but a core computes for long, a line says so.
// RUN: aiec sim %s 2>&1 | FileCheck %s
// RUN: not aiec sim %s --strict 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: aiec sim %{root}/examples/scale/design.mlir --arg 0=%{root}/examples/scale/arg0.bin --strict

// CHECK: cycle {{[0-9]+}}: no word has moved for 2000000 cycles; still at work: core (0, 2) at {{.*}}strict.mlir:[[#@LINE+20]]:
// CHECK-SAME: Ctrl-C ends the run with its report
// CHECK: completed after
// CHECK: sim::near-miss
// CHECK: DMA S2MM 0 of tile (0, 0) 'out_shim_alloc': a task has not ended: 16 of 32 words moved
// STRICT: sim::not-clean

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %work = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%work}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%work, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %many = arith.constant 1200000 : index
      %s1 = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @out(Produce, 1)
      scf.for %i = %c0 to %many step %c1 {
        %x = arith.addi %i, %i : index
      }
      scf.for %i = %c0 to %many step %c1 {
        %s0 = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @in(Consume, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<256xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 256][0, 0, 0, 1]) {id = 0 : i64, metadata = @in, issue_token = true} : memref<256xi32>
      aiex.npu.dma_wait {symbol = @in}
    }
  }
}
