// RUN: aiec %s --emit=ctrl-asm -o - | FileCheck %s

// The length of a transfer is a word of the array: the BD is written with an example, then the word
// is read, what else is in its place is added, and it is written there. Two words for two fields.
// CHECK:      APPLY_OFFSET_57 {{ *}}@[[IMAGE:.*]], 1, 0
// CHECK:      READ_32 {{ *}}$r1, 0x00100040
// CHECK-NEXT: ADD {{ *}}$r1, 0x00000003
// CHECK-NEXT: WRITE_32_D {{ *}}1, 0x00009030, 0x00000001
// The step is stored less 1, beside the size.
// CHECK:      READ_32 {{ *}}$r1, 0x00100044
// CHECK-NEXT: ADD {{ *}}$r1, 0x003fffff
// CHECK-NEXT: WRITE_32_D {{ *}}1, 0x0000906c, 0x00000001
// The number of a BD is beside the token.
// CHECK:      READ_32 {{ *}}$r1, 0x00100048
// CHECK-NEXT: ADD {{ *}}$r1, 0x80020000
// CHECK-NEXT: WRITE_32_D {{ *}}1, 0x001a0634, 0x00000001
aie.device(xcve3858) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<4096xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %three = arith.constant 3 : i32
    %repeat = arith.constant 2 : i32
    %v = memref.load %x[%c0] : memref<4xi32>
    %w = arith.addi %v, %three : i32
    %n = arith.extsi %w : i32 to i64
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1]) {id = 1 : i64, metadata = @in, issue_token = true} : memref<4096xi32>
    aiex.npu.dma_wait {symbol = @in}
    %s = memref.load %x[%c1] : memref<4xi32>
    %s64 = arith.extsi %s : i32 to i64
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 8, 4][0, 0, 16, %s64]) {id = 2 : i64, metadata = @in, issue_token = true} : memref<4096xi32>
    aiex.npu.dma_wait {symbol = @in}
    %bd = memref.load %x[%c2] : memref<4xi32>
    aiex.npu.push_queue(0, 1, MM2S : 0) bd_id %bd repeat %repeat {issue_token = true} : i32, i32
  }
}
