// RUN: aiec %s --emit=routing-svg --compare-routing %S/Inputs/routing_elsewhere.mlir -o - | FileCheck %s
// RUN: aiec %s --emit=routing-html --compare-routing %S/Inputs/routing_elsewhere.mlir -o - | FileCheck %s --check-prefix=HTML
// RUN: not aiec %s --compare-routing %S/Inputs/routing_elsewhere.mlir -o %t 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not aiec %s --emit=routing-svg --compare-routing %S/Inputs/several_devices.mlir -o %t 2>&1 | FileCheck %s --check-prefix=NAMES

// The reader of @in is elsewhere, @new is new, @gone is gone.

// CHECK-DAG: class="flow hue{{[0-9]}} differs" {{.*}}><title>in:
// CHECK-DAG: class="flow hue{{[0-9]}} differs" {{.*}}><title>new:
// CHECK-DAG: class="flow hue{{[0-9]}} same" {{.*}}><title>same:
// CHECK-DAG: class="ghost hue{{[0-9]}}" {{.*}}in routing_elsewhere.mlir</title>
// CHECK-DAG: <title>gone: {{.*}}, in routing_elsewhere.mlir</title>
// CHECK-DAG: compared with routing_elsewhere.mlir: {{[0-9]+}} flows as there, 1 on another way, 1 new, 1 gone

// HTML-DAG: "compared":"3 connections through switches, 6 in routing_elsewhere.mlir"
// HTML-DAG: "compared":"not in routing_elsewhere.mlir"

// ALONE: driver::nothing-to-compare

// NAMES: several_devices.mlir has no device to compare with: neither a single one nor @main
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %a = aie.tile(0, 2)
  %b = aie.tile(1, 2)
  aie.objectfifo @in(%shim, {%a}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @same(%b, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @new(%shim, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
}
