// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file --verify-diagnostics %s

module {
  aie.device(npu2) {
    %c0 = aie.tile(0, 2)
    %c1 = aie.tile(0, 4)
    // expected-error@below {{iterate_bds applies only to a link through a MemTile}}
    aie.objectfifo @of (%c0, {%c1}, 4 : i32) {iterate_bds} : !aie.objectfifo<memref<64xi32>>
  }
}

// -----

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %c0 = aie.tile(0, 2)
    %c1 = aie.tile(0, 3)
    aie.objectfifo @in (%shim, {%c0}, 4 : i32) : !aie.objectfifo<memref<64xi32>>
    // expected-error@below {{iterate_bds applies only to a link through a MemTile}}
    aie.objectfifo @out (%c0, {%c1}, 4 : i32) {iterate_bds} : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
  }
}

// -----

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %core = aie.tile(0, 2)
    aie.objectfifo @in (%shim, {%mem}, 4 : i32) : !aie.objectfifo<memref<64xi32>>
    // expected-error@below {{`repeat_count` cannot be combined with `iterate_bds`}}
    aie.objectfifo @out (%mem, {%core}, [4, 2]) {iterate_bds, repeat_count = 2 : i32} : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
  }
}

// -----

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %core = aie.tile(0, 2)
    aie.objectfifo @in (%shim, {%mem}, 4 : i32) {iterate_bds} : !aie.objectfifo<memref<64xi32>>
    // expected-error@below {{`repeat_count` cannot be combined with a link using `iterate_bds`}}
    aie.objectfifo @out (%mem, {%core}, [4, 2]) {repeat_count = 2 : i32} : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
  }
}
