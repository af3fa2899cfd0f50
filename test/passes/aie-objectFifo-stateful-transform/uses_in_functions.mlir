// RUN: aiec opt --aie-objectFifo-stateful-transform --verify-diagnostics %s
// A function doesn't say which core's end it means.
module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @x(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    func.func @step() {
      // expected-error@below {{fifos are used in cores only}}
      %0 = aie.objectfifo.acquire @x(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
      return
    }
    %core = aie.core(%a) {
      func.call @step() : () -> ()
      aie.end
    }
  }
}
