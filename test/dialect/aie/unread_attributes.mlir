// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: aiec opt %s 2>&1 | FileCheck %s --check-prefix=OPT

// CHECK: nothing reads the attribute `initx`
// CHECK: did you mean `init`?
// CHECK: nothing reads the attribute `flavour`
// CHECK: leave it out if the design is right without it; a note for other tools has a prefix (`tool.flavour`)
// CHECK-NOT: nothing reads

// OPT: nothing reads the attribute `initx`
// OPT-NOT: nothing reads

aie.device(npu1) {
  %t = aie.tile(0, 2) {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = 5>}
  %l = aie.lock(%t, 0) {initx = 1 : i32}
  %b = aie.buffer(%t) {flavour = 4 : i32, tool.note = "kept"} : memref<16xi32>
}
