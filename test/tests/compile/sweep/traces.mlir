// Traces of a core and of its memory module.
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %worker = aie.tile(0, 3)
  aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  %core = aie.core(%worker) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    scf.for %round = %c0 to %c4 step %c1 {
      %si = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      aie.event(0)
      scf.for %i = %c0 to %c16 step %c1 {
        %v = memref.load %x[%i] : memref<16xi32>
        memref.store %v, %y[%i] : memref<16xi32>
      }
      aie.event(1)
      aie.objectfifo.release @in(Consume, 1)
      aie.objectfifo.release @out(Produce, 1)
    }
    aie.end
  }
  aie.trace @core(%worker) {
    aie.trace.mode "Event-Time"
    aie.trace.event<"INSTR_EVENT_0">
    aie.trace.event<"INSTR_EVENT_1">
    aie.trace.event<"PORT_RUNNING_0">
    aie.trace.port<0> port=DMA channel=0 direction=S2MM
    aie.trace.combo_event<0> <"INSTR_EVENT_0"> AND <"INSTR_EVENT_1">
    aie.trace.event<"COMBO_EVENT_0">
    aie.trace.edge_event<0> event=<"INSTR_EVENT_0"> trigger=RISING
    aie.trace.event<"EDGE_DETECTION_EVENT_0">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.trace @memory(%worker) {
    aie.trace.packet type=mem
    aie.trace.event<"DMA_S2MM_0_FINISHED_BD">
    aie.trace.event<"DMA_MM2S_0_FINISHED_BD">
    aie.trace.start broadcast=15
    aie.trace.stop broadcast=14
  }
  aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
    aie.trace.host_config {buffer_size = 1024 : i32}
    aie.trace.start_config @core
    aie.trace.start_config @memory
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {metadata = @in, id = 0 : i64} : memref<64xi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {metadata = @out, id = 1 : i64, issue_token = true} : memref<64xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
