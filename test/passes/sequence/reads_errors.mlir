// RUN: not aiec opt --split-input-file --emit-jobs --diagnostics=text %s 2>&1 | FileCheck %s

// What controllers can't do with a word that they read.
// CHECK: the word may have changed between where it is read and here
// CHECK: this comes between
// CHECK: read it just before
aie.device(xcve3858) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.runtime_sequence() {
    %c0 = arith.constant 0 : index
    %three = arith.constant 3 : i32
    %v = memref.load %x[%c0] : memref<4xi32>
    aiex.npu.rtp_write(@x, 0, %three) : i32
    aiex.npu.rtp_write(@x, 1, %v) : i32
  }
}

// -----

// CHECK: a value that is read from the array can't be written there
// CHECK: push with `aiex.npu.push_queue`, whose BD number may be read
aie.device(xcve3858) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.runtime_sequence() {
    %c0 = arith.constant 0 : index
    %address = arith.constant 0xA0604 : i32
    %v = memref.load %x[%c0] : memref<4xi32>
    aiex.npu.write32(%address, %v) {column = 0 : i32, row = 1 : i32} : i32, i32
  }
}

// -----

// CHECK: it isn't known which word this reads
aie.device(xcve3858) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.runtime_sequence(%i: index) {
    %v = memref.load %x[%i] : memref<4xi32>
    aiex.npu.rtp_write(@x, 1, %v) : i32
  }
}

// -----

// CHECK: a sequence can't read this memory
// CHECK: read an `aie.buffer` of a core or mem tile
aie.device(xcve3858) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.runtime_sequence(%a: memref<4xi32>) {
    %c0 = arith.constant 0 : index
    %v = memref.load %a[%c0] : memref<4xi32>
    aiex.npu.rtp_write(@x, 1, %v) : i32
  }
}

// -----

// CHECK: the value of this parameter isn't known when the design is compiled
aie.device(xcve3858) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.runtime_sequence() {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xi32>
    %w = arith.muli %v, %v : i32
    aiex.npu.rtp_write(@x, 1, %w) : i32
  }
}

// -----

// Controllers add constants and no more.
// CHECK: a word that is read from the array can't be this number of a transfer
// CHECK: it can be the length of a run, a stride, or the offset in a mem tile's buffer
aie.device(xcve3858) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<4096xi32>) {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xi32>
    %n = arith.extsi %v : i32 to i64
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, %n, 32][0, 0, 64, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
  }
}

// -----

// CHECK: the offset into a buffer of the host can't be read from the array
aie.device(xcve3858) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<4096xi8>) {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<4xi32>
    %n = arith.extsi %v : i32 to i64
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, %n][1, 1, 1, 32][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi8>
  }
}

// -----

// CHECK: the repeat count of this push isn't known when the design is compiled
// CHECK: it comes from a word that is read from the array
aie.device(xcve3858) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.runtime_sequence() {
    %c0 = arith.constant 0 : index
    %bd = arith.constant 1 : i32
    %v = memref.load %x[%c0] : memref<4xi32>
    aiex.npu.push_queue(0, 1, MM2S : 0) bd_id %bd repeat %v {issue_token = false} : i32, i32
  }
}

// -----

// CHECK: the BD that a shim channel runs can't be read from the array
// CHECK: which memory of the host it moves must be known
aie.device(xcve3858) {
  %mem = aie.tile(0, 1)
  %x = aie.buffer(%mem) {sym_name = "x", address = 64 : i32} : memref<4xi32>
  aie.runtime_sequence() {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %v = memref.load %x[%c0] : memref<4xi32>
    aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %v repeat %none {issue_token = false} : i32, i32
  }
}
