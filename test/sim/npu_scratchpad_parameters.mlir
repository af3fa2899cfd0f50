// RUN: aiec %s --emit=scratchpad-parameters -o - | FileCheck %s --check-prefix=LIST
// RUN: aiec sim %s --as=npu-elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --scratchpad %{root}/test/sim/Inputs/scratchpad.bin --dump arg:1 --strict 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: aiec sim %s --as=npu-elf --core machine --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --scratchpad %{root}/test/sim/Inputs/scratchpad.bin --dump arg:1 --strict 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: aiec %s --emit=npu-elf -o %t.elf
// RUN: aiec dis %t.elf | FileCheck %s --check-prefix=LISTED
// RUN: aiec dis --annotate %t.elf | FileCheck %s --check-prefix=SAID
// RUN: aiec sim %t.elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --scratchpad %{root}/test/sim/Inputs/scratchpad.bin --dump arg:1 --strict 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: aiec sim %t.elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --scratchpad %{root}/test/sim/Inputs/scratchpad_of_a_driver.bin --dump arg:1 --strict 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: aiec %s --emit=xclbin -o %t.xclbin
// RUN: aiec %s --emit=insts-elf -o %t.insts.elf
// RUN: aiec sim %t.xclbin --insts %t.insts.elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --scratchpad %{root}/test/sim/Inputs/scratchpad.bin --dump arg:1 --strict 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: aiec sim %t.elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --dump arg:1 --diagnostics=text 2>&1 | FileCheck %s --check-prefix=ZEROS
// RUN: aiec sim %t.elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --scratchpad %{root}/test/sim/Inputs/scratchpad_values_not_shifted.bin --dump arg:1 --diagnostics=text 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not aiec sim %t.elf --arg 0=%{root}/examples/scale/arg0.bin --arg-size 1=32 --scratchpad %{root}/examples/scale/arg0.bin --diagnostics=text 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not aiec sim %{root}/examples/scale/design.mlir --device npu2 --as=npu-elf --arg 0=%{root}/examples/scale/arg0.bin --scratchpad %{root}/test/sim/Inputs/scratchpad.bin --diagnostics=text 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not aiec sim %s --arg 0=%{root}/examples/scale/arg0.bin --scratchpad %{root}/test/sim/Inputs/scratchpad.bin --diagnostics=text 2>&1 | FileCheck %s --check-prefix=CERT
// RUN: not aiec %s -o %t.cert --diagnostics=text 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not aiec %s --emit=insts -o %t.bin --diagnostics=text 2>&1 | FileCheck %s --check-prefix=INSTS

// Element 8 and those after it, times 3: -200, -166, -130, -92, -52, -10, 34, 80.
// LIST:      2
// LIST-NEXT: start 0 i32 addr
// LIST-NEXT: gain 1 i32 core
// GIVEN-DAG: -600 -498 -390 -276
// GIVEN-DAG: -156 -30 102 240
// LISTED:      XAIE_IO_CREATE_SCRATCHPAD #0, 0x8, 0x0
// LISTED-NEXT: XAIE_IO_WRITE @0x[[BUFFER:[0-9a-f]+]], 0x0
// LISTED-NEXT: XAIE_IO_UPDATE_REG #1, #INCR, 0x0, @0x[[BUFFER]]
// LISTED:      XAIE_IO_UPDATE_REG #0, #MUL, 0x4, @0x1d004
// SAID: XAIE_IO_CREATE_SCRATCHPAD {{.*}}; 8 bytes of the host
// SAID: XAIE_IO_UPDATE_REG #1{{.*}}; tile (0,2) data memory 0x{{.*}}: adds word 1 of the scratchpad + 0
// SAID: XAIE_IO_UPDATE_REG #0{{.*}}; tile (0,0) DMA BD 0 word 1: adds word 0 of the scratchpad × 4
// ZEROS-DAG: a scratchpad that wasn't given: 8 bytes of zeros
// ZEROS-DAG: --scratchpad FILE
// ZEROS-DAG: | 0 0 0 0
// CUT-DAG: word 1 of the scratchpad adds 3 to register 0x{{.*}}, of which the firmware clears bits 0 and 1
// CUT-DAG: | 0 0 0 0
// SIZE: a scratchpad of 1024 bytes, and the program reads 8
// SIZE: give 2 32-bit words
// NONE: a scratchpad was given, and the program reads none
// NONE: leave `--scratchpad` out
// CERT: `--scratchpad` goes with files of Ryzen AI
// CERT: `--as`
// REFUSED: scratchpad parameters are words of a table that NPU firmware keeps
// REFUSED: let the host pass parameters in a buffer
// REFUSED: `offset_parameter = @start` is from the scratchpad, which only NPU firmware has
// INSTS: has no address of a scratchpad
aiex.scratchpad_parameter @start : i32
aiex.scratchpad_parameter @gain : i32
aie.device(npu2) @main {
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
