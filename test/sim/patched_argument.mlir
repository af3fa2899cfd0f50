// An argument that only `address_patch` names is given as the others are.
// RUN: aiec sim %s --arg 2=%{root}/test/end_to_end/registers/arg0.bin --expect 1=%{root}/test/end_to_end/registers/expected1.bin
// RUN: not aiec sim %s 2>&1 | FileCheck %s
// RUN: not aiec sim %s --out 3=%t 2>&1 | FileCheck %s --check-prefix=OTHER
// CHECK: the code uses argument 2, but no buffer was given for it
// OTHER: help: its arguments are 0 'a' of 256 bytes (64xi32), 1 'b' of 128 bytes (32xi32), 2, whose size only its user knows

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    memref.global "private" constant @bd : memref<8xi32> = dense<[32, 0, 0, 0, 0x80000000, 0x02000000, 0, 0x02000000]>
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aiex.runtime_sequence(%a: memref<64xi32>, %b: memref<32xi32>) {
      aiex.npu.dma_memcpy_nd(0, 0, %b[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<32xi32>
      %image = memref.get_global @bd : memref<8xi32>
      aiex.npu.blockwrite(%image) {address = 118880 : ui32} : memref<8xi32>
      aiex.npu.address_patch {addr = 118884 : ui32, arg_idx = 2 : i32, arg_plus = 64 : i32}
      aiex.npu.write32 {address = 119316 : ui32, value = 3 : ui32, column = 0 : i32, row = 0 : i32}
      aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 0 : i32, channel = 0 : i32, column_num = 1 : i32, row_num = 1 : i32}
    }
  }
}
