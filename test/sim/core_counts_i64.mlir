// RUN: aiec sim %s --core=model --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=128 --dump arg:1 2>&1 | FileCheck %s
// RUN: aiec sim %s --core=machine --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=128 --dump arg:1 2>&1 | FileCheck %s
// RUN: aiec sim %s --device=npu2 --core=machine --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=128 --dump arg:1 2>&1 | FileCheck %s

// Zeros above a number of 64 bits count its upper word, also where that is known to be 0; so do ones, times 256 here.
// CHECK-DAG: | 6688 0 6432 0
// CHECK-DAG: | 6944 0 6944 0
// CHECK-DAG: | 6688 0 7456 0
// CHECK-DAG: | 7456 0 6688 0
// CHECK-DAG: | 6944 0 7200 0
// CHECK-DAG: | 7712 0 6944 0
// CHECK-DAG: | 7200 0 7712 0
// CHECK-DAG: | 570 0 569 0
aie.device(xcve3858) {

  %shim = aie.tile(0, 0)
  %w = aie.tile(0, 3)

  aie.objectfifo @x(%shim, {%w}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @y(%w, {%shim}, 1 : i32) : !aie.objectfifo<memref<16xi64>>
  aie.core(%w) {
    %xs = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
    %x = aie.objectfifo.subview.access %xs[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
    %ys = aie.objectfifo.acquire @y(Produce, 1) : !aie.objectfifosubview<memref<16xi64>>
    %y = aie.objectfifo.subview.access %ys[0] : !aie.objectfifosubview<memref<16xi64>> -> memref<16xi64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cni = arith.constant 16 : index
    %cno = arith.constant 16 : index
    scf.for %i = %c0 to %cni step %c1 {
      %a = memref.load %x[%i] : memref<16xi32>
      %e = arith.extui %a : i32 to i64
      %c = math.ctlz %e : i64
      %p = math.ctpop %e : i64
      %c256 = arith.constant 256 : i64
      %m = arith.muli %p, %c256 : i64
      %s = arith.addi %c, %m : i64
      memref.store %s, %y[%i] : memref<16xi64>
    }
    aie.objectfifo.release @x(Consume, 1)
    aie.objectfifo.release @y(Produce, 1)
    aie.end
  } {stack_size = 8192 : i32}
  aie.runtime_sequence(%a: memref<16xi32>, %b: memref<32xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<16xi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @y, issue_token = true} : memref<32xi32>
    aiex.npu.dma_wait {symbol = @y}
  }
}
