// RUN: aiec opt --split-input-file --verify-diagnostics --aie-ctrl-packet-infer-tiles %s
// RUN: not aiec opt --aie-txn-to-ctrl-packet %s 2>&1 | FileCheck %s

// CHECK: the words of this write aren't known
aie.device(npu1_1col) {
  aie.runtime_sequence(%a: memref<8xi32>) {
    // expected-error@+1 {{address 0x2000000 lies in no tile of npu1_1col}}
    aiex.control_packet {address = 33554432 : ui32, data = array<i32: 1>, opcode = 0 : i32, stream_id = 0 : i32}
    aiex.npu.blockwrite(%a) {address = 118784 : ui32} : memref<8xi32>
  }
}
