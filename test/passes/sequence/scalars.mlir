// RUN: aiec %s --scalar 1=3 --scalar 3=0x10 --emit=ctrl-asm -o - | FileCheck %s
// RUN: not aiec %s --scalar 1=3 --diagnostics=text -o %t 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not aiec %s --scalar 0=3 --diagnostics=text -o %t 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: not aiec %s --scalar 1=0x100000000 --diagnostics=text -o %t 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not aiec %s --scalar 1=x -o %t 2>&1 | FileCheck %s --check-prefix=WORD

// A design is compiled for one value of each scalar argument; buffers keep their numbers.
// CHECK:      WRITE_32 {{ *}}0x{{[0-9a-f]+}}, 0x00000003
// CHECK:      APPLY_OFFSET_57 {{ *}}@[[IMAGE:.*]], 1, 2
// CHECK:      [[IMAGE]]:
// CHECK-NEXT: .long {{ *}}0x00000010

// ONE: isn't known when the design is compiled
// ONE: it comes from argument 3 of the sequence, a number, which no loader hands to control code
// ONE: compile for one value with `--scalar 3=VALUE`, pass a buffer, or let the host write the transaction

// BUFFER: argument 0 of the runtime sequence isn't a number
// BUFFER: its scalar arguments are 1 (i32), 3 (i64); files for buffers are given with --arg

// WIDE: argument 1 is i32, which can't hold 4294967296

// WORD: 'x' isn't an integer of 64 bits
aie.device(xcve3858) {
  %shim = aie.tile(0, 0)
  %core = aie.tile(0, 3)
  %p = aie.buffer(%core) {sym_name = "p"} : memref<4xi32>
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<16xi32>, %v: i32, %x: memref<64xi32>, %n: i64) {
    aiex.npu.rtp_write(@p, 1, %v) : i32
    aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1]) {id = 0 : i64, metadata = @in, issue_token = true} : memref<64xi32>
    aiex.npu.dma_wait {symbol = @in}
  }
}
