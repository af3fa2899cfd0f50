// RUN: aiec sim %s --device-name main --as=npu-elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --arg-size 2=32 --scratchpad %{root}/test/sim/Inputs/scratchpad_three.bin --dump arg:1 --dump arg:2 --strict 2>&1 | FileCheck %s --check-prefix=DATA
// RUN: aiec %s --device-name main --emit=npu-elf -o %t.elf
// RUN: aiec dis %t.elf | FileCheck %s

// Devices that are loaded in turn share one table, which is created once; each load is followed by updates of its own.
// DATA: -600 -498 -390 -276
// DATA: -156 -30 102 240
// DATA: -100 -66 -30 8
// DATA: 48 90 134 180
// CHECK:     XAIE_IO_LOADPDI #1
// CHECK:     XAIE_IO_CREATE_SCRATCHPAD #0, 0xc
// CHECK:     XAIE_IO_UPDATE_REG #1, #INCR
// CHECK:     XAIE_IO_UPDATE_REG #0, #MUL
// CHECK-NOT: CREATE_SCRATCHPAD
// CHECK:     XAIE_IO_LOADPDI #2
// CHECK-NOT: CREATE_SCRATCHPAD
// CHECK:     XAIE_IO_UPDATE_REG #2, #INCR
// CHECK:     XAIE_IO_UPDATE_REG #0, #MUL
// CHECK-NOT: CREATE_SCRATCHPAD
// CHECK:     XAIE_IO_LOADPDI #1
// CHECK:     XAIE_IO_UPDATE_REG #1, #INCR
aiex.scratchpad_parameter @start : i32
aiex.scratchpad_parameter @gain : i32
aiex.scratchpad_parameter @bias : i32
aie.device(npu2) @scale {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.objectfifo @in(%shim, {%tile}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %gain = aiex.read_scratchpad_parameter @gain : i32
    %a = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<8xi32>>
    %i = aie.objectfifo.subview.access %a[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
    %b = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
    %o = aie.objectfifo.subview.access %b[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
    scf.for %k = %c0 to %c8 step %c1 {
      %x = memref.load %i[%k] : memref<8xi32>
      %y = arith.muli %x, %gain : i32
      memref.store %y, %o[%k] : memref<8xi32>
    }
    aie.objectfifo.release @in(Consume, 1)
    aie.objectfifo.release @out(Produce, 1)
    aie.end
  }
  aie.runtime_sequence @run(%in: memref<256xi32>, %out: memref<8xi32>) {
    %t = aiex.dma_configure_task_for @in {
      aie.dma_bd(%in : memref<256xi32> offset = 0 len = 8) {offset_parameter = @start}
      aie.end
    }
    aiex.dma_start_task(%t)
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {metadata = @out, id = 3 : i64, issue_token = true} : memref<8xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}

aie.device(npu2) @add {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.objectfifo @in(%shim, {%tile}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %gain = aiex.read_scratchpad_parameter @bias : i32
    %a = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<8xi32>>
    %i = aie.objectfifo.subview.access %a[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
    %b = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
    %o = aie.objectfifo.subview.access %b[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
    scf.for %k = %c0 to %c8 step %c1 {
      %x = memref.load %i[%k] : memref<8xi32>
      %y = arith.addi %x, %gain : i32
      memref.store %y, %o[%k] : memref<8xi32>
    }
    aie.objectfifo.release @in(Consume, 1)
    aie.objectfifo.release @out(Produce, 1)
    aie.end
  }
  aie.runtime_sequence @run(%in: memref<256xi32>, %out: memref<8xi32>) {
    %t = aiex.dma_configure_task_for @in {
      aie.dma_bd(%in : memref<256xi32> offset = 0 len = 8) {offset_parameter = @start}
      aie.end
    }
    aiex.dma_start_task(%t)
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {metadata = @out, id = 3 : i64, issue_token = true} : memref<8xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}

aie.device(npu2) @main {
  aie.runtime_sequence @all(%in: memref<256xi32>, %out: memref<8xi32>, %out2: memref<8xi32>) {
    aiex.configure @scale {
      aiex.run @run(%in, %out) : (memref<256xi32>, memref<8xi32>)
    }
    aiex.configure @add {
      aiex.run @run(%in, %out2) : (memref<256xi32>, memref<8xi32>)
    }
    aiex.configure @scale {
      aiex.run @run(%in, %out) : (memref<256xi32>, memref<8xi32>)
    }
  }
}
