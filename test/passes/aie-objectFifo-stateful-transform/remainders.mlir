// RUN: aiec opt --aie-objectFifo-stateful-transform %s | FileCheck %s
// Five passes over two buffers: two rounds in the loop, one behind it, and the use after the loop
// goes on where the loop stopped. With a bound that only the memory knows, the rest is a loop.

// CHECK: aie.core(%tile_0_3)
// CHECK: scf.for
// CHECK: func.call @f(%q_buff_0)
// CHECK: func.call @f(%q_buff_1)
// CHECK: }
// CHECK: func.call @f(%q_buff_0)
// CHECK: func.call @f(%q_buff_1)
// CHECK: aie.end
// CHECK: aie.core(%tile_2_2)
// CHECK: %[[TRIPS:.*]] = arith.ceildivsi
// CHECK: arith.divsi %[[TRIPS]]
// CHECK: scf.for
// CHECK: func.call @f(%r_buff_0)
// CHECK: func.call @f(%r_buff_1)
// CHECK: scf.for %{{.*}} iter_args
// CHECK: scf.index_switch
module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %c = aie.tile(2, 2)
    %d = aie.tile(2, 3)
    func.func private @f(memref<32xi32>)
    aie.objectfifo @q(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @r(%c, {%d}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    %n = aie.buffer(%c) {sym_name = "n"} : memref<1xindex>
    %core = aie.core(%b) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      scf.for %i = %c0 to %c5 step %c1 {
        %s = aie.objectfifo.acquire @q(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
        %e = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        func.call @f(%e) : (memref<32xi32>) -> ()
        aie.objectfifo.release @q(Consume, 1)
      }
      %t = aie.objectfifo.acquire @q(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>
      %u = aie.objectfifo.subview.access %t[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
      func.call @f(%u) : (memref<32xi32>) -> ()
      aie.objectfifo.release @q(Consume, 1)
      aie.end
    }
    %core2 = aie.core(%c) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %end = memref.load %n[%c0] : memref<1xindex>
      scf.for %i = %c0 to %end step %c1 {
        %s = aie.objectfifo.acquire @r(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>
        %e = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>
        func.call @f(%e) : (memref<32xi32>) -> ()
        aie.objectfifo.release @r(Produce, 1)
      }
      aie.end
    }
  }
}
