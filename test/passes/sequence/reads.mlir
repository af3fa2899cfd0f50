// RUN: aiec %s --emit=ctrl-asm -o - | FileCheck %s
// RUN: aiec %s --emit=mlir -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: aiec opt %t.mlir | FileCheck %s --check-prefix=IR
// RUN: aiec translate --aie-cert-to-asm %t.mlir | FileCheck %s --check-prefix=ASM
// RUN: aiec opt --aie-dma-to-npu %s | FileCheck %s --check-prefix=NPU

// A word of the array, with a constant added, is written elsewhere.
// CHECK:      READ_32 {{ *}}$r1, 0x00100040
// CHECK-NEXT: WRITE_32_D {{ *}}1, 0x00100080, 0x00000001
// CHECK-NEXT: READ_32 {{ *}}$r1, 0x00100040
// CHECK-NEXT: ADD {{ *}}$r1, 0xfffffffd
// CHECK-NEXT: WRITE_32_D {{ *}}1, 0x00100084, 0x00000001

// IR:      aiex.cert.read_32(1, 1048640)
// IR-NEXT: aiex.cert.write_32_d(1048704, 1)
// IR-NEXT: aiex.cert.read_32(1, 1048640)
// IR-NEXT: aiex.cert.add(1, 4294967293)
// IR-NEXT: aiex.cert.write_32_d(1048708, 1)

// ASM:      READ_32 {{ *}}$r1, 0x00100040
// ASM-NEXT: WRITE_32_D {{ *}}1, 0x00100080, 0x00000001

// NPU: %[[V:.*]] = memref.load
// NPU: aiex.npu.write32(%{{.*}}, %[[V]]) {column = 0 : i32, row = 1 : i32} : i32, i32
aie.device(xcve3858) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  %y = aie.buffer(%mem) {sym_name = "y", address = 128 : i32} : memref<4xi32>
  aie.runtime_sequence() {
    %c0 = arith.constant 0 : index
    %three = arith.constant 3 : i32
    %v = memref.load %x[%c0] : memref<4xi32>
    %w = arith.subi %v, %three : i32
    aiex.npu.rtp_write(@y, 0, %v) : i32
    aiex.npu.rtp_write(@y, 1, %w) : i32
  }
}
