// A core with a table and a local array that don't fit its stack: they get a buffer of their own.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu1) {
    memref.global "private" constant @squares : memref<320xi32> = dense<[0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 256, 289, 324, 361, 400, 441, 484, 529, 576, 625, 676, 729, 784, 841, 900, 961, 24, 89, 156, 225, 296, 369, 444, 521, 600, 681, 764, 849, 936, 25, 116, 209, 304, 401, 500, 601, 704, 809, 916, 25, 136, 249, 364, 481, 600, 721, 844, 969, 96, 225, 356, 489, 624, 761, 900, 41, 184, 329, 476, 625, 776, 929, 84, 241, 400, 561, 724, 889, 56, 225, 396, 569, 744, 921, 100, 281, 464, 649, 836, 25, 216, 409, 604, 801, 0, 201, 404, 609, 816, 25, 236, 449, 664, 881, 100, 321, 544, 769, 996, 225, 456, 689, 924, 161, 400, 641, 884, 129, 376, 625, 876, 129, 384, 641, 900, 161, 424, 689, 956, 225, 496, 769, 44, 321, 600, 881, 164, 449, 736, 25, 316, 609, 904, 201, 500, 801, 104, 409, 716, 25, 336, 649, 964, 281, 600, 921, 244, 569, 896, 225, 556, 889, 224, 561, 900, 241, 584, 929, 276, 625, 976, 329, 684, 41, 400, 761, 124, 489, 856, 225, 596, 969, 344, 721, 100, 481, 864, 249, 636, 25, 416, 809, 204, 601, 0, 401, 804, 209, 616, 25, 436, 849, 264, 681, 100, 521, 944, 369, 796, 225, 656, 89, 524, 961, 400, 841, 284, 729, 176, 625, 76, 529, 984, 441, 900, 361, 824, 289, 756, 225, 696, 169, 644, 121, 600, 81, 564, 49, 536, 25, 516, 9, 504, 1, 500, 1, 504, 9, 516, 25, 536, 49, 564, 81, 600, 121, 644, 169, 696, 225, 756, 289, 824, 361, 900, 441, 984, 529, 76, 625, 176, 729, 284, 841, 400, 961, 524, 89, 656, 225, 796, 369, 944, 521, 100, 681, 264, 849, 436, 25, 616, 209, 804, 401, 0, 601, 204, 809, 416, 25, 636, 249, 864, 481, 100, 721, 344, 969, 596, 225, 856, 489, 124, 761]>
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c10 = arith.constant 10 : index
      %c16 = arith.constant 16 : index
      %squares = memref.get_global @squares : memref<320xi32>
      %local = memref.alloca() : memref<100xi32>
      scf.for %round = %c0 to %c2 step %c1 {
        %si = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %x = aie.objectfifo.subview.access %si[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        %so = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %y = aie.objectfifo.subview.access %so[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %i = %c0 to %c16 step %c1 {
          %n = arith.muli %i, %c10 : index
          %v = memref.load %x[%i] : memref<16xi32>
          %t = memref.load %squares[%n] : memref<320xi32>
          %s = arith.addi %v, %t : i32
          memref.store %s, %local[%i] : memref<100xi32>
        }
        scf.for %i = %c0 to %c16 step %c1 {
          %s = memref.load %local[%i] : memref<100xi32>
          memref.store %s, %y[%i] : memref<16xi32>
        }
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aiex.runtime_sequence(%a: memref<32xi32>, %b: memref<32xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<32xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 1 : i64, metadata = @out} : memref<32xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
