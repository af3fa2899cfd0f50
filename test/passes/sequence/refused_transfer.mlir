// RUN: not aiec %s --diagnostics=text -o %t 2>&1 | FileCheck %s --implicit-check-not=no-token

// A wait for a transfer that is refused is not refused, too.
// CHECK: sequence::not-constant
// CHECK: an offset, size or stride of this transfer isn't known when the design is compiled
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo.link [@in] -> [@out] ([] [])
  aie.runtime_sequence @copy(%a: memref<4096xi32>, %b: memref<4096xi32>, %n: i64) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<4096xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
