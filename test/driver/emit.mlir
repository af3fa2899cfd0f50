// RUN: aiec %s --emit=mlir,memory-map,routing-json,routing-dot,routing-svg -o %t && ls %t | FileCheck %s --check-prefix=FILES
// RUN: aiec %s --emit=memory-map | FileCheck %s --check-prefix=MAP
// RUN: cat %s | aiec - --emit=memory-map -o - | FileCheck %s --check-prefix=MAP
// RUN: aiec %s --emit=mlir-generic -o %t.g && aiec opt %t.g | FileCheck %s --check-prefix=ROUTED
// RUN: not aiec %s --emit=mlri 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not aiec %s --device npu9 2>&1 | FileCheck %s --check-prefix=DEVICE

// FILES: emit.map.txt
// FILES-NEXT: emit.out.mlir
// FILES-NEXT: emit.routing.dot
// FILES-NEXT: emit.routing.json
// FILES-NEXT: emit.routing.svg
// FILES-NOT: {{.}}

// MAP: device main (npu1)
// MAP: tile (0, 1): [[#]] of 524288 bytes
// MAP-NEXT: 0x00000 to 0x000ff bank 0 256 bytes in_cons_buff_0
// MAP-NEXT: bank {{[0-9]}} 256 bytes in_cons_buff_1

// ROUTED: aie.switchbox
// ROUTED: aiex.cert.job

// KIND: error: invalid value 'mlri' for '--emit <KIND>'
// DEVICE: error: invalid value 'npu9' for '--device <NAME>': no such device

module {
  aie.device(npu1) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
