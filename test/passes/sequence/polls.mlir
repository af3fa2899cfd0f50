// RUN: aiec opt --emit-jobs %s | FileCheck %s
// RUN: aiec opt --aie-dma-to-npu %s | FileCheck %s --check-prefix=NPU
// RUN: aiec opt --aie-dma-to-npu --aie-npu-to-cert %s | FileCheck %s --check-prefix=TO-CERT

// A poll of a word of a buffer, and of a register of a tile.
// CHECK:     aiex.cert.mask_poll_32(2098180, 12, 12)
// CHECK:     aiex.cert.mask_poll_32(2301952, 1, 0)
// NPU:       %[[WORD:.*]] = arith.constant 2098180 : i32
// NPU-NEXT:  aiex.npu.maskpoll(%[[WORD]], %{{.*}}, %{{.*}}) : i32, i32, i32
// NPU:       aiex.npu.maskpoll(%{{.*}}, %{{.*}}, %{{.*}}) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
// TO-CERT:   aiex.cert.mask_poll_32(2098180, 12, 12)
// TO-CERT:   aiex.cert.mask_poll_32(2301952, 1, 0)
aie.device(xcve3858) {
  %core = aie.tile(0, 2)
  %p = aie.buffer(%core) {sym_name = "p", address = 1024 : i32} : memref<4xi32>
  aie.runtime_sequence @sequence() {
    %word = arith.constant 1 : i32
    %bits = arith.constant 12 : i32
    aiex.npu.maskpoll(%word, %bits, %bits) {buffer = @p} : i32, i32, i32
    %status = arith.constant 0x32000 : i32
    %enabled = arith.constant 1 : i32
    %off = arith.constant 0 : i32
    aiex.npu.maskpoll(%status, %off, %enabled) {column = 0 : i32, row = 2 : i32} : i32, i32, i32
  }
}
