// RUN: aiec opt --split-input-file --verify-diagnostics %s
// Object fifos: depths, values, stream ends, links, uses.

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  // expected-error@+1 {{does not have enough depths specified for producer and for each consumer}}
  aie.objectfifo @depths(%a, {%b, %mem}, [2, 2]) : !aie.objectfifo<memref<16xi32>>
  // expected-error@+1 {{initial values should initialize all objects}}
  aie.objectfifo @values(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<2xi32>> = [dense<0> : memref<2xi32>]
  // expected-error@+1 {{producer element size (35) must be an integer multiple of consumer element size (10)}}
  aie.objectfifo @parts(%mem, {%a}, 1 : i32) : !aie.objectfifo<memref<35xi32>> -> !aie.objectfifo<memref<10xi32>>
  // expected-error@+1 {{`aie_stream` is not available for shim and mem tiles}}
  aie.objectfifo @stream(%mem, {%a}, 1 : i32) {aie_stream = 0 : i32, aie_stream_port = 0 : i32} : !aie.objectfifo<memref<4xi32>>
  // expected-error@+1 {{`dimensionsToStream` data layout transformations are not supported on shim tile producers}}
  aie.objectfifo @dims(%shim dimensionsToStream [<size = 4, stride = 1>], {%a}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
  // expected-error@+1 {{cannot allocate a shared memory module to objectfifo with set `via_DMA` attribute}}
  aie.objectfifo.allocate @via(%a)
  aie.objectfifo @via(%a, {%b}, 1 : i32) {via_DMA = true} : !aie.objectfifo<memref<4xi32>>
  // expected-error@+1 {{producer port of objectFifo accessed by core running on non-producer tile}}
  aie.core(%b) {
    %0 = aie.objectfifo.acquire @via(Produce, 1) : !aie.objectfifosubview<memref<4xi32>>
    // expected-error@+1 {{accessed farther than number of acquired elements}}
    %1 = aie.objectfifo.subview.access %0[1] : !aie.objectfifosubview<memref<4xi32>> -> memref<4xi32>
    aie.end
  }
}

// -----

aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  %a = aie.tile(0, 2)
  %b = aie.tile(0, 3)
  aie.objectfifo @a(%a, {%mem}, 2 : i32) : !aie.objectfifo<memref<12xi32>>
  aie.objectfifo @b(%b, {%mem}, 2 : i32) : !aie.objectfifo<memref<12xi32>>
  aie.objectfifo @out(%mem dimensionsToStream [<size = 8, stride = 1>, <size = 3, stride = 8>], {%shim}, 2 : i32) : !aie.objectfifo<memref<24xi32>>
  // expected-error@+1 {{out of bounds access in join input, for index 23 in transfer of length 12}}
  aie.objectfifo.link [@a, @b] -> [@out]([0, 12] [])
}
