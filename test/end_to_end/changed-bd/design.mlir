// One BD for three transfers: its length is changed by a write, then by a masked write, and its address is
// patched again behind each.
// Devices: npu1, npu2

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    memref.global "private" constant @bd : memref<8xi32> = dense<[16, 0, 0, 0, 0x80000000, 0x02000000, 0, 0x02000000]>
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aiex.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(0, 0, %b[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
      %image = memref.get_global @bd : memref<8xi32>
      aiex.npu.blockwrite(%image) {address = 118880 : ui32} : memref<8xi32>
      aiex.npu.address_patch {addr = 118884 : ui32, arg_idx = 0 : i32, arg_plus = 64 : i32}
      aiex.npu.write32 {address = 119316 : ui32, value = 3 : ui32, column = 0 : i32, row = 0 : i32}
      aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 0 : i32, channel = 0 : i32, column_num = 1 : i32, row_num = 1 : i32}
      aiex.npu.dma_memcpy_nd(0, 0, %b[0, 0, 0, 16][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.write32 {address = 118880 : ui32, value = 32 : ui32}
      aiex.npu.address_patch {addr = 118884 : ui32, arg_idx = 0 : i32, arg_plus = 128 : i32}
      aiex.npu.write32 {address = 119316 : ui32, value = 3 : ui32, column = 0 : i32, row = 0 : i32}
      aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 0 : i32, channel = 0 : i32, column_num = 1 : i32, row_num = 1 : i32}
      aiex.npu.dma_memcpy_nd(0, 0, %b[0, 0, 0, 48][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<64xi32>
      aiex.npu.maskwrite32 {address = 118880 : ui32, value = 16 : ui32, mask = 48 : ui32}
      aiex.npu.address_patch {addr = 118884 : ui32, arg_idx = 0 : i32, arg_plus = 0 : i32}
      aiex.npu.write32 {address = 119316 : ui32, value = 3 : ui32, column = 0 : i32, row = 0 : i32}
      aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 0 : i32, channel = 0 : i32, column_num = 1 : i32, row_num = 1 : i32}
    }
  }
}
