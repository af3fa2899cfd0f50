// RUN: aiec check %s --diagnostics=text 2>&1 | FileCheck %s
// RUN: aiec check %s --device=npu1 --diagnostics=text 2>&1 | FileCheck %s
// RUN: not aiec check %s --device=xcve3858 --diagnostics=text 2>&1 | FileCheck %s --check-prefix=CERT

// Numbers that a host gives are known to the function that writes the transaction: nothing is wrong with the design.
// CHECK: checked 1 file: nothing to say
// CERT: an offset, size or stride of this transfer isn't known when the design is compiled
// CERT: checked 1 file: {{[0-9]+ error}}
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo.link [@in] -> [@out] ([] [])
  aie.runtime_sequence @copy(%a: memref<4096xi32>, %b: memref<4096xi32>, %n: i64) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, %n, 16][0, 0, 32, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, %n, 16][0, 0, 16, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<4096xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
