// Control packets write a word for a core that does not wait for it
// RACES: marked
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %t = aie.tile(0, 2)
  %s = aie.tile(0, 3)
  %word = aie.buffer(%t) {sym_name = "word", address = 8192 : i32} : memref<4xi32>
  %ready = aie.lock(%t, 0) {init = 0 : i32, sym_name = "ready"}
  // a write of one word at 0x2000, and of one at 0x1F000, lock 0
  %first = aie.buffer(%s) {sym_name = "first"} : memref<2xi32> = dense<[0x2000, 42]>
  %second = aie.buffer(%s) {sym_name = "second"} : memref<2xi32> = dense<[0x1F000, 1]>
  aie.objectfifo @out(%t, {%shim}, 1 : i32) : !aie.objectfifo<memref<1xi32>>
  aie.packet_flow(5) {
    aie.packet_source<%s, DMA : 0>
    aie.packet_dest<%t, TileControl : 0>
  }
  %mem = aie.mem(%s) {
    %d = aie.dma_start(MM2S, 0, ^one, ^end)
  ^one:
    aie.dma_bd(%first : memref<2xi32>, 0, 2) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
    aie.next_bd ^two
  ^two:
    aie.dma_bd(%second : memref<2xi32>, 0, 2) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
    aie.next_bd ^end
  ^end:
    aie.end
  }
  %core = aie.core(%t) {
    %c0 = arith.constant 0 : index
    %v = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<1xi32>>
    %o = aie.objectfifo.subview.access %v[0] : !aie.objectfifosubview<memref<1xi32>> -> memref<1xi32>
    %x = memref.load %word[%c0] : memref<4xi32> // race
    memref.store %x, %o[%c0] : memref<1xi32>
    aie.objectfifo.release @out(Produce, 1)
    aie.end
  }
  aie.runtime_sequence(%a: memref<1xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 1][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @out} : memref<1xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
