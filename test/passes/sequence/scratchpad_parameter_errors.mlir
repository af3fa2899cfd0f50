// RUN: not aiec opt --split-input-file --aie-lower-scratchpad-parameters --diagnostics=text %s 2>&1 | FileCheck %s

// CHECK: `@p` is of type i64
// CHECK: parameters are integers, i1 to i32, or bf16
aiex.scratchpad_parameter @p : i64
aie.device(npu2) {
}

// -----

// CHECK: `@p` is read as i16 and declared as i32
// CHECK: the core gets the lowest bits as they are
aiex.scratchpad_parameter @p : i32
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  aie.core(%tile) {
    %v = aiex.read_scratchpad_parameter @p : i16
    aie.end
  }
  aie.runtime_sequence() {
  }
}

// -----

// CHECK: `@p` is read as i64
// CHECK: read an integer, i1 to i32, or a bf16
aiex.scratchpad_parameter @p : i32
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  aie.core(%tile) {
    %v = aiex.read_scratchpad_parameter @p : i64
    aie.end
  }
}

// -----

// The host writes a value for cores in another way than one for transfers.
// CHECK: `@p` is read by a core and added to an address
// CHECK: declare two
aiex.scratchpad_parameter @p : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.core(%tile) {
    %v = aiex.read_scratchpad_parameter @p : i32
    aie.end
  }
  aie.runtime_sequence(%a: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {metadata = @in, id = 0 : i64, offset_parameter = @p} : memref<64xi32>
  }
}

// -----

// CHECK: `@p` of type i16 is added to an address
// CHECK: declare the parameter as i32
aiex.scratchpad_parameter @p : i16
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {metadata = @in, id = 0 : i64, offset_parameter = @p} : memref<64xi32>
  }
}

// -----

// CHECK: there is no scratchpad parameter `@q`
// CHECK: aiex.scratchpad_parameter @q : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  aie.runtime_sequence(%a: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {metadata = @in, id = 0 : i64, offset_parameter = @q} : memref<64xi32>
  }
}

// -----

// Each device has names of its own, the host's file has one name for each.
// CHECK: two parameters are called `@p`
// CHECK: give each its own
aiex.scratchpad_parameter @p : i32
aie.device(npu2) {
  aiex.scratchpad_parameter @p : i32
}

// -----

// CHECK: cores wait for parameters that no runtime sequence of the device gives
// CHECK: put aiex.sync_scratchpad_parameters_from_host into the sequence
aiex.scratchpad_parameter @p : i32
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  aie.core(%tile) {
    %v = aiex.read_scratchpad_parameter @p : i32
    aie.end
  }
  aie.runtime_sequence() attributes {emit_parameter_sync_preamble = false} {
  }
}

// -----

// CHECK: parameters are given at the begin of the sequence, and a load after it resets the array
// CHECK: put aiex.sync_scratchpad_parameters_from_host after the load
aiex.scratchpad_parameter @p : i32
aie.device(npu2) @main {
  %tile = aie.tile(0, 2)
  aie.core(%tile) {
    %v = aiex.read_scratchpad_parameter @p : i32
    aie.end
  }
  aie.runtime_sequence() {
    aiex.npu.load_pdi {device_ref = @main}
  }
}

// -----

// CHECK: 33 parameters, the table has 32 words
// CHECK: pass the rest in a buffer
aiex.scratchpad_parameter @p0 : i32
aiex.scratchpad_parameter @p1 : i32
aiex.scratchpad_parameter @p2 : i32
aiex.scratchpad_parameter @p3 : i32
aiex.scratchpad_parameter @p4 : i32
aiex.scratchpad_parameter @p5 : i32
aiex.scratchpad_parameter @p6 : i32
aiex.scratchpad_parameter @p7 : i32
aiex.scratchpad_parameter @p8 : i32
aiex.scratchpad_parameter @p9 : i32
aiex.scratchpad_parameter @p10 : i32
aiex.scratchpad_parameter @p11 : i32
aiex.scratchpad_parameter @p12 : i32
aiex.scratchpad_parameter @p13 : i32
aiex.scratchpad_parameter @p14 : i32
aiex.scratchpad_parameter @p15 : i32
aiex.scratchpad_parameter @p16 : i32
aiex.scratchpad_parameter @p17 : i32
aiex.scratchpad_parameter @p18 : i32
aiex.scratchpad_parameter @p19 : i32
aiex.scratchpad_parameter @p20 : i32
aiex.scratchpad_parameter @p21 : i32
aiex.scratchpad_parameter @p22 : i32
aiex.scratchpad_parameter @p23 : i32
aiex.scratchpad_parameter @p24 : i32
aiex.scratchpad_parameter @p25 : i32
aiex.scratchpad_parameter @p26 : i32
aiex.scratchpad_parameter @p27 : i32
aiex.scratchpad_parameter @p28 : i32
aiex.scratchpad_parameter @p29 : i32
aiex.scratchpad_parameter @p30 : i32
aiex.scratchpad_parameter @p31 : i32
aiex.scratchpad_parameter @p32 : i32
aie.device(npu2) {
}
