// RUN: aiec opt --aie-objectFifo-stateful-transform --verify-diagnostics %s
// A function does not say which core end it means; inlined it does.
module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @x(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    func.func @step() {
      // expected-error@below {{`aie.objectfifo.acquire` can't be lowered here}}
      %0 = aie.objectfifo.acquire @x(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
      return
    }
    %core = aie.core(%a) {
      func.call @step() : () -> ()
      aie.end
    }
  }
}
