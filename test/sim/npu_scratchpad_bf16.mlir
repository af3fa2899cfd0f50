// RUN: aiec sim %s --as=npu-elf --arg-size 0=4 --scratchpad %{root}/test/sim/Inputs/scratchpad_bf16.bin --dump arg:0 --strict 2>&1 | FileCheck %s
// RUN: aiec sim %s --as=npu-elf --core machine --arg-size 0=4 --scratchpad %{root}/test/sim/Inputs/scratchpad_bf16.bin --dump arg:0 --strict 2>&1 | FileCheck %s

// 1.5 times -3: -4.5 is 0xc090. The loads of the sequence reset the array, so parameters are given after them.
// CHECK: 0x00000000 c090c090
aiex.scratchpad_parameter @a : bf16
aiex.scratchpad_parameter @b : bf16
aie.device(npu2) @empty {
}
aie.device(npu2) @main {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<2xbf16>>
  aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %a = aiex.read_scratchpad_parameter @a : bf16
    %b = aiex.read_scratchpad_parameter @b : bf16
    %x = arith.mulf %a, %b : bf16
    %v = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<2xbf16>>
    %o = aie.objectfifo.subview.access %v[0] : !aie.objectfifosubview<memref<2xbf16>> -> memref<2xbf16>
    memref.store %x, %o[%c0] : memref<2xbf16>
    memref.store %x, %o[%c1] : memref<2xbf16>
    aie.objectfifo.release @out(Produce, 1)
    aie.end
  }
  aie.runtime_sequence @run(%y: memref<2xbf16>) {
    aiex.npu.load_pdi {device_ref = @empty}
    aiex.npu.load_pdi {device_ref = @main}
    aiex.sync_scratchpad_parameters_from_host
    aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 2][0, 0, 0, 1]) {metadata = @out, id = 0 : i64, issue_token = true} : memref<2xbf16>
    aiex.npu.dma_wait {symbol = @out}
  }
}
