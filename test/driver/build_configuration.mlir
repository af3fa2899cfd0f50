// RUN: rm -rf %t && aiec build %s -o %t | FileCheck %s --implicit-check-not=xrt
// RUN: test -s %t/main_aie_cdo_elfs.bin && test -s %t/main_aie_cdo_init.bin && test -s %t/main_aie_cdo_enable.bin
// RUN: aiec sim %s --dump buffer:b | FileCheck %s --check-prefix=SIM
// RUN: aiec sim %s --dump buffer:b --core=machine | FileCheck %s --check-prefix=SIM
// Boards without micro-controllers and without the driver of Ryzen AI load the configuration from a boot image.

// CHECK: wrote main_aie_cdo_elfs.bin, main_aie_cdo_init.bin, main_aie_cdo_enable.bin to
// CHECK: The configuration, for the boot image: bootgen takes the files in this order.
// CHECK-NEXT: Runtime sequences are not in them: nothing on this device executes one.
// SIM: | 7 0 0 0

module {
  aie.device(xcve2802) {
    %tile = aie.tile(0, 3)
    %b = aie.buffer(%tile) {sym_name = "b"} : memref<4xi32> = dense<0>
    %core = aie.core(%tile) {
      %c0 = arith.constant 0 : index
      %seven = arith.constant 7 : i32
      memref.store %seven, %b[%c0] : memref<4xi32>
      aie.end
    }
    aie.runtime_sequence() {
    }
  }
}
