// RUN: aiec opt %s 2>%t | FileCheck %s && FileCheck --check-prefix=WARN %s < %t
// RUN: aiec opt --verify-diagnostics %s
// RUN: not aiec --emit=ctrl-elf %s -o %t.elf 2>&1 | FileCheck --check-prefix=WHOLE %s
// `aiec opt` takes operations without a device, as for an xcvc1902, and warns of what only a whole
// design must keep; compiling asks for both.

// CHECK: %tile_1_2 = aie.tile(1, 2)
// CHECK: aie.lock(%tile_1_2) {init = 200 : i32}
// WARN: warning: 'aie.lock' op initial value 200 of a lock is out of range [verify::lock]
// WHOLE: is outside of any device
%t = aie.tile(1, 2)
%l = aie.lock(%t) {init = 200 : i32}
