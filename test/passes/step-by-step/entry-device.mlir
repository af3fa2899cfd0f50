// RUN: aiec opt --split-input-file --aie-apply-reconfig-method %s | FileCheck %s
// RUN: aiec opt --split-input-file --aie-split-configure-entries %s | FileCheck %s --check-prefix=SPLIT

// Control packets: a sequence with the stream as its argument resets the array, the others don't.
// CHECK-LABEL: aie.device(npu2) @part
// CHECK:       aie.runtime_sequence @own()
// CHECK-NEXT:  aiex.npu.load_pdi {id = 7 : i32}
// CHECK:       aie.runtime_sequence @init(%{{.*}}: memref<8xi32>) {
// CHECK-NEXT:  aiex.npu.load_pdi {id = 1 : i32}
// CHECK-NEXT:  }
// CHECK-NEXT:  aie.runtime_sequence @one(%{{.*}}: memref<4xi32>, %{{.*}}: memref<8xi32>) {
// CHECK-NEXT:  }
// CHECK-NEXT:  aie.runtime_sequence @two(%{{.*}}: memref<4xi32>, %{{.*}}: memref<8xi32>) {
// CHECK-NEXT:  }
aie.device(npu2) @part {
  aie.runtime_sequence @own() {
    aiex.npu.load_pdi {id = 7 : i32}
  }
}
aie.device(npu2) {
  aie.runtime_sequence @one(%x: memref<4xi32>, %stream: memref<8xi32>) {
    aiex.npu.load_pdi {id = 1 : i32}
  }
  aie.runtime_sequence @two(%x: memref<4xi32>, %stream: memref<8xi32>) {
    aiex.npu.load_pdi {id = 2 : i32}
  }
} {aiex.entry_device = {reconfig_method = "ctrlpkt"}}

// -----

// Register writes: what comes after the load stays in its sequence.
// CHECK:      aie.runtime_sequence @init(%{{.*}}: memref<4xi32>) {
// CHECK-NEXT: aiex.npu.load_pdi {id = 1 : i32}
// CHECK-NEXT: }
// CHECK-NEXT: aie.runtime_sequence @one(%{{.*}}: memref<4xi32>) {
// CHECK-NEXT: %[[A:.*]] = arith.constant 2098176 : i32
// CHECK-NEXT: aiex.npu.write32(%[[A]], %[[A]])
// CHECK-NEXT: }
// CHECK-NEXT: aie.runtime_sequence @nothing_loaded()
aie.device(npu2) {
  aie.runtime_sequence @one(%x: memref<4xi32>) {
    aiex.npu.load_pdi {id = 1 : i32}
    %address = arith.constant 2098176 : i32
    aiex.npu.write32(%address, %address) : i32, i32
  }
  aie.runtime_sequence @nothing_loaded() {
    %address = arith.constant 2098176 : i32
    aiex.npu.write32(%address, %address) : i32, i32
  }
} {aiex.entry_device = {reconfig_method = "write32"}}

// -----

// Loads: each sequence keeps its own. The attribute's older name.
// CHECK-NOT:  @init
// CHECK:      aie.runtime_sequence @one
// CHECK-NEXT: aiex.npu.load_pdi {id = 3 : i32}
// CHECK:      aie.runtime_sequence @two
// CHECK-NEXT: aiex.npu.load_pdi {id = 4 : i32}
aie.device(npu2) {
  aie.runtime_sequence @one() {
    aiex.npu.load_pdi {id = 3 : i32}
  }
  aie.runtime_sequence @two() {
    aiex.npu.load_pdi {id = 4 : i32}
  }
} {aiex.entrypoint = {reconfig_method = "loadpdi"}}

// -----

// A sequence for each configuration, in their order, with the arguments of the sequence.
// SPLIT-LABEL: aie.device(npu2) @b
// SPLIT:       aie.runtime_sequence @a_0(%[[X:.*]]: memref<16xi32>) {
// SPLIT-NEXT:  aiex.configure @a {
// SPLIT-NEXT:  %[[V:.*]] = memref.subview %[[X]][0] [8] [1]
// SPLIT-NEXT:  aiex.run @s(%[[V]])
// SPLIT:       aie.runtime_sequence @b_1(%[[X:.*]]: memref<16xi32>) {
// SPLIT-NEXT:  aiex.configure @b {
// SPLIT-NEXT:  %[[V:.*]] = memref.subview %[[X]][8] [8] [1]
// SPLIT:       aie.runtime_sequence @a_2(%[[X:.*]]: memref<16xi32>) {
// SPLIT-NEXT:  aiex.configure @a {
// SPLIT-NOT:   aie.runtime_sequence @all
// SPLIT:       aie.runtime_sequence @alone(
module {
  aie.device(npu2) @a {
    aie.runtime_sequence @s(%x: memref<8xi32, strided<[1]>>) {
    }
  }
  aie.device(npu2) @b {
    aie.runtime_sequence @s(%x: memref<8xi32, strided<[1], offset: 8>>) {
    }
  }
  aie.device(npu2) {
    aie.runtime_sequence @all(%x: memref<16xi32>) {
      aiex.configure @a {
        %v = memref.subview %x[0] [8] [1] : memref<16xi32> to memref<8xi32, strided<[1]>>
        aiex.run @s(%v) : (memref<8xi32, strided<[1]>>)
      }
      aiex.configure @b {
        %v = memref.subview %x[8] [8] [1] : memref<16xi32> to memref<8xi32, strided<[1], offset: 8>>
        aiex.run @s(%v) : (memref<8xi32, strided<[1], offset: 8>>)
      }
      aiex.configure @a {
        %v = memref.subview %x[0] [8] [1] : memref<16xi32> to memref<8xi32, strided<[1]>>
        aiex.run @s(%v) : (memref<8xi32, strided<[1]>>)
      }
    }
    aie.runtime_sequence @alone(%x: memref<16xi32>) {
      aiex.configure @a {
      }
    }
  } {aiex.entry_device = {reconfig_method = "ctrlpkt"}}
}
