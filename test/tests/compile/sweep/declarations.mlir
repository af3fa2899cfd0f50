// Operations that the examples don't have.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %free = aie.logical_tile<CoreTile>(1, ?)
    %host = aie.external_buffer {sym_name = "host", address = 4096 : i64} : memref<64xi32>
    aie.objectfifo @near(%a, {%b}, 2 : i32) {via_DMA = true} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @shared(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.allocate @shared(%b)
    aie.objectfifo @alone(%free, {%free}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @from_host(%shim, {%mem}, 1 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @padded(%mem, {%b}, 1 : i32) {padDimensions = #aie<bd_pad_layout_array[<const_pad_before = 0, const_pad_after = 0>, <const_pad_before = 2, const_pad_after = 2>]>, dimensionsToStream = #aie<bd_dim_layout_array[<size = 5, stride = 12>, <size = 12, stride = 1>]>} : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@from_host] -> [@padded] ([] [])
    aiex.multicast(%a, DMA : 1) {
      aiex.multi_dest<%mem, DMA : 3>
    }
    aiex.broadcast_packet(%mem, DMA : 4) {
      aiex.bp_id(3) {
        aiex.bp_dest<%a, DMA : 1>
      }
    }
    aie.core(%a) {
      %subview = aie.objectfifo.acquire @near(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : i32
      %object = aie.objectfifo.subview.access %subview[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      memref.store %c7, %object[%c0] : memref<16xi32>
      aie.event(1)
      aie.debug(%c7 : i32)
      aie.objectfifo.release @near(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%arg0: memref<64xi32>) {
      %address = arith.constant 0x1d000 : i32
      %value = arith.constant 1 : i32
      %mask = arith.constant 3 : i32
      aiex.npu.maskwrite32(%address, %value, %mask) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
      aiex.npu.write32(%address, %value) {column = 0 : i32, row = 2 : i32} : i32, i32
      %n0 = arith.constant 0 : i64
      %n1 = arith.constant 1 : i64
      %n2 = arith.constant 2 : i64
      %n4 = arith.constant 4 : i64
      %n8 = arith.constant 8 : i64
      %n16 = arith.constant 16 : i64
      aiex.npu.dma_memcpy_nd(%arg0[%n0, %n1, %n0, %n4][%n1, %n2, %n2, %n4][%n0, %n16, %n8, %n1]) {id = 3 : i64, metadata = @from_host} : memref<64xi32>
      aiex.npu.preempt {level = 1 : ui8}
    }
  }
}
