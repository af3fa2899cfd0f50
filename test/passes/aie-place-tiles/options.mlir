// RUN: aiec opt --aie-place-tiles=cores-per-col=1 %s | FileCheck %s
// RUN: not aiec opt --aie-place-tiles=cores-per-col=5 %s 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// RUN: not aiec opt --aie-place-tiles=cores-per-col=few %s 2>&1 | FileCheck %s --check-prefix=NO-NUMBER

// TOO-MANY: requested cores-per-col (5) exceeds device capacity (4 cores per column)
// NO-NUMBER: option 'cores-per-col' takes a number in decimal, not 'few'

// CHECK-DAG: aie.tile(0, 2)
// CHECK-DAG: aie.tile(1, 2)
module {
  aie.device(npu2) {
    %a = aie.logical_tile<CoreTile>(?, ?)
    %b = aie.logical_tile<CoreTile>(?, ?)
  }
}
