// RUN: aiec opt --aie-objectFifo-stateful-transform --split-input-file --verify-diagnostics %s

module {
  aie.device(xcve2302) {
    %a = aie.tile(1, 2)
    %b = aie.tile(3, 3)
    // expected-error@below {{packet_id 32 is out of range (max 31)}}
    aie.objectfifo @far (%a, {%b}, 2 : i32) {packet, packet_id = 32 : i8} : !aie.objectfifo<memref<16xi32>>
    // expected-error@below {{packet_id is only meaningful on a packet objectfifo}}
    aie.objectfifo @circuit (%a, {%b}, 2 : i32) {packet_id = 3 : i8} : !aie.objectfifo<memref<16xi32>>
    // expected-error@below {{fifo `@stream` can't be packets: it has an end at a core's stream port}}
    aie.objectfifo @stream (%a, {%b}, 2 : i32) {packet, aie_stream = 1 : i32, aie_stream_port = 0 : i32} : !aie.objectfifo<memref<16xi32>>
  }
}

// -----

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %core = aie.tile(0, 2)
    aie.objectfifo @in (%shim, {%mem}, 4 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out (%mem, {%core}, [4, 2]) {iterate_bds, packet} : !aie.objectfifo<memref<64xi32>>
    // expected-error@below {{packet header cannot be combined with a pool using iterate_bds}}
    aie.objectfifo.link [@in] -> [@out] ([] [])
  }
}
