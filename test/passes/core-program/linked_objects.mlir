// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not test -e %t
// A core that can't be compiled here, and what it is linked with elsewhere.

// CHECK: core::unsupported
// CHECK: the core is linked with `kernel.o`, `other.o`
// CHECK: link the whole core with the vendor's tools and name the result with elf_file
// CHECK-NOT: unused.o
module {
  aie.device(npu2) {
    func.func private @kernel(memref<16xi32>) attributes {link_with = "kernel.o"}
    func.func private @unused(memref<16xi32>) attributes {link_with = "unused.o"}
    %t = aie.tile(0, 2)
    %b = aie.buffer(%t) {sym_name = "b"} : memref<16xi32>
    aie.core(%t) {
      func.call @kernel(%b) : (memref<16xi32>) -> ()
      %v = "vendor.op"() : () -> i32
      aie.end
    } {link_with = "other.o"}
  }
}
